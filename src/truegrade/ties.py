"""When two estimates count as equal: what rounding alone can make different is a tie."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["average_ranks", "is_constant", "run_starts"]

_SHARE_OF_SPAN = 1e-9
_ROUNDING = 16 * np.finfo(np.float64).eps  # relative; what a mean of a few ratings can be off by, amply


def run_starts(ordered: NDArray[np.float64], span: float = 0.0) -> NDArray[np.bool_]:
    """Where a new run of ties begins, in values sorted either way (n,).

    Neighbours are tied when they differ by at most one part in 10^9 of `span` (the width of the scale; where
    it is not given, the range of the values) or by what rounding does to values of their size. Ties chain: a
    run ends at the first larger gap. Rounding to a grid would part two neighbours wherever a cell ends.

    >>> run_starts(np.array([0.3, 0.1 + 0.2, 0.4]))
    array([ True, False,  True])
    """
    new = np.ones(ordered.size, dtype=bool)
    if ordered.size > 1:
        size = np.abs(ordered)
        tolerance = _SHARE_OF_SPAN * (span or float(np.ptp(ordered)))
        rounding = _ROUNDING * np.maximum(size[1:], size[:-1])
        new[1:] = np.abs(np.diff(ordered)) > np.maximum(tolerance, rounding)
    return new


def is_constant(values: NDArray[np.float64]) -> bool:
    """Whether values differ by no more than rounding.

    >>> is_constant(np.array([0.3, 0.1 + 0.2])), is_constant(np.array([1.0, 1.1]))
    (True, False)
    """
    return values.size == 0 or bool(np.ptp(values) <= _ROUNDING * np.max(np.abs(values)))


def average_ranks(values: NDArray[np.float64], span: float = 0.0) -> NDArray[np.float64]:
    """Ranks 1 .. n, ascending; tied values share the mean of their ranks.

    >>> average_ranks(np.array([10.0, 30.0, 10.0]))
    array([1.5, 3. , 1.5])
    """
    order = np.argsort(values, kind="stable")
    start = np.flatnonzero(run_starts(values[order], span))
    end = np.append(start[1:], values.size)
    ranks = np.empty(values.size)
    ranks[order] = np.repeat((start + 1 + end) / 2, end - start)
    return ranks
