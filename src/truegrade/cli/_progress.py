"""Progress of a fit on a terminal: iteration, bound and change; nothing in a pipe."""

from __future__ import annotations

import math
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

__all__ = ["shown_progress"]

_PAUSE = 0.1  # seconds between two updates: passes can take less than a millisecond


@contextmanager
def shown_progress(model: str, wanted: bool) -> Iterator[Callable[[int, float, float], None] | None]:
    """A callback for :meth:`Model.fit` that draws one line on stderr."""
    if not wanted or not sys.stderr.isatty():
        yield None
        return
    from rich.console import Console
    from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

    columns = (SpinnerColumn(), TextColumn("{task.description}"), TimeElapsedColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(model, total=None)
        last = 0.0

        def tell(iteration: int, bound: float, change: float) -> None:
            nonlocal last
            now = time.monotonic()
            if now - last >= _PAUSE:
                last = now
                moved = f", change {change:.2g}" if math.isfinite(change) else ""  # the first pass has none
                bar.update(task, description=f"{model}: pass {iteration}, bound {bound:.6g}{moved}")

        yield tell
