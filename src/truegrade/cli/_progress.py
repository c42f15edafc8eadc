"""Progress of a fit on a terminal: iteration, bound and change; nothing in a pipe."""

from __future__ import annotations

import math
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

__all__ = ["shown_progress", "shown_rows"]

_PAUSE = 0.1  # seconds between two updates: passes can take less than a millisecond


@contextmanager
def shown_progress(model: str, wanted: bool) -> Iterator[Callable[[int, float, float], None] | None]:
    """A callback for :meth:`Model.fit` that draws one line on stderr."""
    with _line(model, wanted) as show:

        def tell(iteration: int, bound: float, change: float) -> None:
            moved = f", change {change:.2g}" if math.isfinite(change) else ""  # the first pass has none
            if show is not None:
                show(f"{model}: pass {iteration}, bound {bound:.6g}{moved}")

        yield None if show is None else tell


@contextmanager
def shown_rows(wanted: bool) -> Iterator[Callable[[str, int], None] | None]:
    """A callback for :func:`truegrade.stream` that draws one line on stderr."""
    with _line("reading", wanted) as show:
        yield None if show is None else lambda what, rows: show(f"{rows:,} rows {what}")


@contextmanager
def _line(title: str, wanted: bool) -> Iterator[Callable[[str], None] | None]:
    """A function that changes a line on a terminal, now and then; none in a pipe."""
    if not wanted or not sys.stderr.isatty():
        yield None
        return
    from rich.console import Console
    from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

    columns = (SpinnerColumn(), TextColumn("{task.description}"), TimeElapsedColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(title, total=None)
        last = 0.0

        def show(text: str) -> None:
            nonlocal last
            now = time.monotonic()
            if now - last >= _PAUSE:
                last = now
                bar.update(task, description=text)

        yield show
