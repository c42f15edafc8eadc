"""Checkpoints: how far a fit has come, kept in a file, so that another process can go on from there."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field
from hashlib import blake2b
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

import truegrade
from truegrade.checkpoint_files import Put, read_array, read_record, write_checkpoint
from truegrade.errors import CheckpointError, OptionError
from truegrade.files import check_directory
from truegrade.jsonable import json_text

if TYPE_CHECKING:
    from os import PathLike

    from truegrade.engines import ShardedRatings
    from truegrade.fit import Fit
    from truegrade.gold import Gold
    from truegrade.ratings import Ratings

__all__ = ["Book", "Checkpoint"]

_REST = 9.0  # times as long as it took to write, until the next time
_REMEDY = "pass what it was made with, or delete it and begin anew"


@dataclass(frozen=True)
class Checkpoint:
    """Where `Model.fit` keeps how far it has come.

    path: a file, which the fit replaces as a whole each time. It is still there when the fit has ended, until
        :meth:`remove`: whoever resumes from it then gets the same result at once.
    every: after how many passes, besides the end of every start; put off while more than a tenth of the time would
        go into writing.
    resume: go on from the file, if there is one. Without it, a file that is there is an error.

    With a checkpoint starts run one after the other: what a resumed fit finds is bit for bit what it would have found.
    """

    path: str | PathLike[str]
    every: int = 10
    resume: bool = False

    def __post_init__(self) -> None:
        if self.every < 1:
            raise OptionError(f"every={self.every}: choose a number of passes, of at least 1")

    def check(self) -> None:
        """Refuse early what could not be written, or gone on from."""
        path = Path(self.path)
        check_directory(path.parent)
        if not path.exists():
            return
        read_record(path)
        if not self.resume:
            raise CheckpointError(
                f"{path}: holds a fit that was begun before; pass --resume (resume=True) to go on with it, or delete it"
            )

    def remove(self) -> None:
        """Delete the file, when what the fit found is safe."""
        Path(self.path).unlink(missing_ok=True)


@dataclass
class Book:
    """The file of one fit, by legs: each is a JSON record, and the arrays that it names; none stays in memory."""

    path: Path
    every: int
    of: Mapping[str, Any]  # which fit it is
    legs: dict[str, Any] = field(default_factory=dict)
    checksums: Mapping[str, str] = field(default_factory=dict)
    closed: bool = False
    resting: float = -np.inf  # until this time, no more is written than must be
    lock: threading.Lock = field(default_factory=threading.Lock)

    @classmethod
    def open(
        cls, checkpoint: Checkpoint, model: Any, ratings: Ratings | ShardedRatings, gold: Gold | None, start: Fit | None
    ) -> Book:
        """A new book, or the one to go on with."""
        checkpoint.check()
        path, of = Path(checkpoint.path), _identity(model, ratings, gold, start)
        if not path.exists():
            return cls(path, checkpoint.every, of)
        record = read_record(path)
        _check_same(path, record["of"], of)
        return cls(path, checkpoint.every, of, record["legs"], record["checksums"])

    def array(self, name: str) -> Any:
        """An array, from the file."""
        return read_array(self.path, name, self.checksums[name])

    def due(self) -> bool:
        """Whether so much time has gone by that another writing costs little beside it."""
        return not self.closed and time.monotonic() >= self.resting

    def write(self, leg: str, fill: Callable[[Put], Mapping[str, Any]]) -> None:
        """Put a leg into the file, unless it is closed; the others stand there as they were.

        fill: puts in the leg's arrays, whose names begin with the leg's and a colon, and returns its record.
        """
        with self.lock:
            if self.closed:
                return
            begun = time.monotonic()
            others = [name for name in self.checksums if not name.startswith(f"{leg}:")]

            def everything(put: Put) -> Mapping[str, Any]:
                for name in others:
                    put(name, self.array(name))
                self.legs[leg] = fill(put)
                return {"of": self.of, "legs": self.legs}

            self.checksums = write_checkpoint(self.path, everything)
            now = time.monotonic()
            self.resting = now + _REST * (now - begun)

    def close(self) -> None:
        """Leave the file as it is from now on."""
        self.closed = True


def _identity(model: Any, ratings: Ratings | ShardedRatings, gold: Gold | None, start: Fit | None) -> dict[str, Any]:
    """Everything that decides what a fit finds."""
    return {
        "truegrade": truegrade.__version__,
        "model": model.name,
        "options": json.loads(json_text(asdict(model))),
        "ratings": ratings.digest,
        "gold": None if gold is None else _gold_digest(gold),
        "start": None if start is None else _fit_digest(start),
    }


def _gold_digest(gold: Gold) -> str:
    known = sorted(zip(map(str, gold.instances.to_pylist()), gold.values.tolist(), strict=True))
    return blake2b(repr(known).encode(), digest_size=16).hexdigest()


def _fit_digest(fit: Fit) -> str:
    digest = blake2b(json_text({"of": [fit.model, fit.input_digest, dict(fit.options)]}).encode(), digest_size=16)
    for name in sorted(fit.parameters):
        digest.update(name.encode())
        digest.update(np.ascontiguousarray(fit.parameters[name]).data)
    return digest.hexdigest()


def _check_same(path: Path, found: Mapping[str, Any], here: Mapping[str, Any]) -> None:
    """Refuse the checkpoint of another fit."""
    told = {
        "truegrade": f"was written by truegrade {found['truegrade']}, this is {here['truegrade']}",
        "model": f"holds a fit of {found['model']}, this is one of {here['model']}",
        "options": "was made with {}",
        "ratings": "was made from other ratings",
        "gold": "was made with other known truths",
        "start": "was made from another earlier fit",
    }
    for name, reason in told.items():
        if found[name] == here[name]:
            continue
        if name == "options":
            one = {key: value for key, value in found[name].items() if value != here[name].get(key)}
            told_options = ", ".join(f"{key}={value}, here {here[name].get(key)}" for key, value in one.items())
            reason = reason.format(told_options)  # noqa: PLW2901
        raise CheckpointError(f"{path}: the checkpoint {reason}; {_REMEDY}")
