"""The mean of the ratings: the baseline that is hard to beat."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from truegrade.models._votes import vote_fit, votes

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from truegrade.fit import Fit
    from truegrade.gold import Gold
    from truegrade.models._base import Progress
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
        gold: Gold | None = None,
        start: Fit | None = None,
        progress: Progress | None = None,
    ) -> Fit:
        """Average the ratings of each instance; known truths stand as they are."""
        counts = votes(ratings)
        totals, sums, squares = _moments(ratings, counts)
        estimate = sums / totals
        return vote_fit(self, ratings, gold, counts, estimate, sd=_standard_error(totals, estimate, squares))


def _moments(
    ratings: Ratings, counts: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
    """Per instance: the weight of its ratings, their sum and their sum of squares (M,) each."""
    if not ratings.scale.is_real:
        v = ratings.scale.array
        return counts.sum(axis=1), counts @ v, counts @ v**2
    weight = np.ones(ratings.n_ratings) if ratings.weight is None else ratings.weight
    begins = ratings.instance_ptr[:-1]
    powers = (weight, weight * ratings.real, weight * ratings.real**2)
    totals, sums, squares = (np.add.reduceat(power, begins) for power in powers)
    return totals, sums, squares


def _standard_error(
    totals: NDArray[np.float64], mean: NDArray[np.float64], squares: NDArray[np.float64]
) -> NDArray[np.float64]:
    """The spread inside instances, pooled over all of them, over the root of each one's ratings (M,)."""
    freedom = totals.sum() - totals.size
    if freedom <= 0:  # nobody rated anything twice: the spread cannot be known
        return np.full(totals.size, np.nan)
    within = max(float(np.sum(squares - totals * mean**2)), 0.0)
    error: NDArray[np.float64] = np.sqrt(within / freedom / totals)
    return error
