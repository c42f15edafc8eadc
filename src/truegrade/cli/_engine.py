"""--engine: where the passes of a fit run."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from inspect import signature
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from truegrade.cli._options import RatingsOptions
    from truegrade.engines.dask import DaskEngine

__all__ = ["check_engine", "chosen_engine", "read_by"]


def check_engine(name: str, scheduler: str, source: str, estimator: Any, flags: Mapping[str, bool]) -> None:
    """Refuse what does not go together, before anything is read. flags: those that may be in the way, if given."""
    from truegrade.errors import OptionError

    if scheduler and name != "dask":
        raise OptionError("--scheduler is that of --engine dask; leave it out, or pass both")
    if name == "threads":
        return
    if "engine" not in signature(estimator.fit).parameters:
        raise OptionError(f"--model {estimator.name} needs everything in memory; leave out --engine dask")
    given = [flag for flag, wanted in flags.items() if wanted and (flag == "--memory" or Path(source).is_dir())]
    if given:
        raise OptionError(f"{given[0]} needs all ratings in this process; leave it out, or leave out --engine dask")


@contextmanager
def chosen_engine(name: str, scheduler: str, *, quiet: bool) -> Iterator[DaskEngine | None]:
    """The engine, as long as it is needed, with a word about what it moved; None: the one the ratings belong to."""
    if name == "threads":
        yield None
        return
    from truegrade.cli._show import remark
    from truegrade.engines.dask import DaskEngine

    with DaskEngine(scheduler or None) as engine:
        yield engine
        if not quiet:
            remark([_told(engine)])


def read_by(engine: DaskEngine, source: str, options: RatingsOptions) -> Any:
    """Workers read a folder of files, which all of them must see; a single file is read here and handed out."""
    if not Path(source).is_dir():
        return options.read(source)
    return engine.read(source, **{name: value for name, value in options.for_parts("--engine dask").items() if value})


def _told(engine: DaskEngine) -> str:
    """What went over the network, in a sentence."""
    t, workers = engine.traffic, len(engine.cluster.workers())
    out, back = (_size(size / max(n, 1)) for size, n in ((t.message_bytes, t.messages), (t.sums_bytes, t.sums)))
    return f"Dask, {workers} workers: a pass sent {out} to all of them and brought {back} back"


def _size(count: float) -> str:
    """Bytes, as people say it."""
    for unit in ("B", "kB", "MB"):
        if count < 1000:
            return f"{count:.3g} {unit}"
        count /= 1000
    return f"{count:.3g} GB"
