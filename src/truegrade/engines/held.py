"""What lies on a worker: a thing that travels as one run of bytes, so that its arrays arrive aligned."""

from __future__ import annotations

import pickle
import sys
from collections.abc import Callable
from dataclasses import fields, is_dataclass
from typing import Any

import numpy as np

__all__ = ["Held", "run_held", "size_of"]


class Held:
    """Dask lays the arrays of what it sends end to end, wherever that is; the kernel wants whole words."""

    __slots__ = ("size", "thing")

    def __init__(self, thing: Any) -> None:
        self.thing = thing
        self.size = size_of(thing)

    def __sizeof__(self) -> int:  # what Dask weighs before it moves a thing
        return object.__sizeof__(self) + self.size

    def __reduce__(self) -> tuple[Any, ...]:
        return _arrived, (pickle.dumps(self.thing, protocol=pickle.HIGHEST_PROTOCOL),)


def _arrived(pickled: bytes) -> Held:
    return Held(pickle.loads(pickled))  # noqa: S301  a message of the fit's own


def run_held(task: Callable[..., Any], *arguments: Any) -> Held:
    """The task, given what is held, and its result held."""
    return Held(task(*(a.thing if isinstance(a, Held) else a for a in arguments)))


def size_of(thing: Any) -> int:
    """Bytes, roughly: those of all arrays in it.

    >>> size_of({"counts": np.zeros(3), "bounds": (np.zeros(2), None)})
    40
    """
    if isinstance(thing, np.ndarray):
        return thing.nbytes
    if isinstance(thing, bytes):
        return len(thing)
    if isinstance(thing, list | tuple):
        return sum(map(size_of, thing))
    if isinstance(thing, dict):
        return sum(map(size_of, thing.values()))
    if is_dataclass(thing):
        return sum(size_of(getattr(thing, f.name, None)) for f in fields(thing))
    arrow = sys.modules.get("pyarrow")
    return int(thing.nbytes) if arrow is not None and isinstance(thing, arrow.Array | arrow.RecordBatch) else 0
