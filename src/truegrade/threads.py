"""How many threads to use."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager

__all__ = ["default_threads", "one_thread", "use_threads"]

_VARIABLE = "TRUEGRADE_THREADS"


def default_threads() -> int:
    """As many threads as this process may run on, or TRUEGRADE_THREADS where that is set."""
    wanted = os.environ.get(_VARIABLE, "")
    if wanted.isdigit() and int(wanted) > 0:
        return int(wanted)
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def use_threads(threads: int) -> None:
    """Use so many threads from now on in this process; 0 leaves it as it is."""
    if threads > 0:
        os.environ[_VARIABLE] = str(threads)


@contextmanager
def one_thread() -> Iterator[None]:
    """Use one thread in this process until the end of the block."""
    before = os.environ.get(_VARIABLE)
    os.environ[_VARIABLE] = "1"
    try:
        yield
    finally:
        if before is None:
            del os.environ[_VARIABLE]
        else:
            os.environ[_VARIABLE] = before
