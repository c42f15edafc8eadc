"""What a seed may be."""

from __future__ import annotations

from operator import index
from typing import Any

from truegrade.errors import OptionError

__all__ = ["check_seed"]


def check_seed(seed: Any) -> None:
    """Refuse what NumPy's generators do not begin from, or would take from the clock.

    >>> check_seed(-1)
    Traceback (most recent call last):
    truegrade.errors.OptionError: seed=-1: choose a whole number of at least 0
    """
    try:
        good = index(seed) >= 0
    except TypeError:
        good = False
    if not good:
        raise OptionError(f"seed={seed}: choose a whole number of at least 0")
