"""The mean of the ratings: the baseline that is hard to beat."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from truegrade.models._base import checked_inputs
from truegrade.models._votes import vote_fit, votes

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from truegrade.fit import Fit
    from truegrade.models._base import Progress
    from truegrade.models._journal import Keeper
    from truegrade.ratings import Ratings

__all__ = ["Mean"]


@dataclass(frozen=True, kw_only=True)
class Mean:
    """The weighted mean of an instance's ratings; all annotators count alike.

    >>> from truegrade import Ratings
    >>> ratings = Ratings.from_arrays(annotator=["a", "b", "a"], instance=["x", "x", "y"], rating=[1, 3, 2])
    >>> Mean().fit(ratings).truth["estimate"].to_pylist()
    [2.0, 2.0]
    """

    name: ClassVar[str] = "mean"

    def fit(
        self,
        ratings: Ratings,
        gold: Any = None,
        start: Fit | None = None,
        progress: Progress | None = None,
        *,
        checkpoint: Keeper = None,
    ) -> Fit:
        """Average the ratings of each instance; known truths stand as they are."""
        gold = checked_inputs(ratings, gold)
        counts = votes(ratings)
        totals, estimate, squares = _moments(ratings, counts)
        return vote_fit(self, ratings, gold, counts, estimate, sd=_standard_error(totals, squares))


def _moments(
    ratings: Ratings, counts: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
    """Per instance: the weight of its ratings, their mean, and their squared distances from it, summed (M,) each."""
    if ratings.scale.is_real:
        weight = np.ones(ratings.n_ratings) if ratings.weight is None else ratings.weight
        begins = ratings.instance_ptr[:-1]
        totals = np.add.reduceat(weight, begins)
        mean = np.add.reduceat(weight * ratings.real, begins) / totals
        return totals, mean, np.add.reduceat(weight * (ratings.real - mean[ratings.instance_of()]) ** 2, begins)
    v = ratings.scale.array
    totals = counts.sum(axis=1)
    mean = counts @ v / totals
    squares = np.zeros_like(mean)
    for value, count in zip(v, counts.T, strict=True):  # one grade at a time: no second matrix of this size
        squares += count * (value - mean) ** 2
    return totals, mean, squares


def _standard_error(totals: NDArray[np.float64], squares: NDArray[np.float64]) -> NDArray[np.float64]:
    """The spread inside instances, pooled over all of them, over the root of each one's ratings (M,)."""
    freedom = totals.sum() - totals.size
    if freedom <= 0:  # nobody rated anything twice: the spread cannot be known
        return np.full(totals.size, np.nan)
    error: NDArray[np.float64] = np.sqrt(squares.sum() / freedom / totals)
    return error
