"""The mean of the ratings: the baseline that is hard to beat."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from truegrade.inference.adding import Sums
from truegrade.models._votes import vote_fit

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from truegrade.engines import Engine, Placed, ShardedRatings
    from truegrade.fit import Fit
    from truegrade.fit_parts import Answer
    from truegrade.models._base import Progress
    from truegrade.models._journal import Keeper
    from truegrade.models._votes import VotePart
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
        ratings: Ratings | ShardedRatings,
        gold: Any = None,
        start: Fit | None = None,
        progress: Progress | None = None,
        *,
        engine: Engine | None = None,
        checkpoint: Keeper = None,
    ) -> Fit:
        """Average the ratings of each instance; known truths stand as they are."""
        return vote_fit(self, ratings, gold, engine, _answer, _spread)


@dataclass(frozen=True)
class _Spread(Sums):
    """How far ratings lie from the means of their instances."""

    instances: int
    totals: float  # weight of the ratings
    squares: float  # of their distances, summed

    @property
    def variance(self) -> float:
        """Inside instances, pooled over all of them; NaN where nobody rated anything twice: it cannot be known."""
        freedom = self.totals - self.instances
        return self.squares / freedom if freedom > 0 else np.nan


def _spread(placed: Placed) -> tuple[None, float]:
    """The message to :func:`_answer`."""
    return None, placed.sums(_squares, None, None).variance


def _squares(part: VotePart, _: None, __: None) -> _Spread:
    totals, _mean, squares = _moments(part.ratings, part.votes())
    return _Spread(totals.size, float(totals.sum()), float(squares.sum()))


def _answer(part: VotePart, _: None, variance: float) -> Answer:
    votes = part.votes()
    totals, mean, _squares = _moments(part.ratings, votes)
    return part.answer(votes, mean, sd=np.sqrt(variance / totals))  # the standard error


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
