"""The median of the ratings."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from truegrade.models._votes import vote_fit

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from truegrade.engines import Engine, ShardedRatings
    from truegrade.fit import Fit
    from truegrade.fit_parts import Answer
    from truegrade.models._base import Progress
    from truegrade.models._journal import Keeper
    from truegrade.models._votes import VotePart
    from truegrade.ratings import Ratings

__all__ = ["Median"]


@dataclass(frozen=True, kw_only=True)
class Median:
    """The weighted median of an instance's ratings; halfway between the middle two where their number is even."""

    name: ClassVar[str] = "median"

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
        """Take the median of each instance; known truths stand as they are."""
        return vote_fit(self, ratings, gold, engine, _answer)


def _answer(part: VotePart, _: None, __: None) -> Answer:
    votes = part.votes()
    return part.answer(votes, _medians(part.ratings, votes))


def _medians(ratings: Ratings, counts: NDArray[np.float64]) -> NDArray[np.float64]:
    if ratings.scale.is_real:
        return _sorted_medians(ratings)
    v = ratings.scale.array
    below = np.cumsum(counts, axis=1)
    half = below[:, -1:] / 2
    lower = np.argmax(below >= half, axis=1)
    upper = np.argmax(below > half, axis=1)
    median: NDArray[np.float64] = (v[lower] + v[upper]) / 2
    return median


def _sorted_medians(ratings: Ratings) -> NDArray[np.float64]:
    """The same on a real scale, where ratings must be sorted instead of counted."""
    instance = ratings.instance_of()
    order = np.lexsort((ratings.real, instance))
    real = ratings.real[order]
    weight = np.ones(real.size) if ratings.weight is None else ratings.weight[order]
    begins = ratings.instance_ptr[:-1]
    total = np.cumsum(weight)
    before = (total[begins] - weight[begins])[instance]  # weight of all earlier instances
    half = np.add.reduceat(weight, begins)[instance] / 2
    reach = total - before
    lower = np.minimum.reduceat(np.where(reach >= half, real, np.inf), begins)
    upper = np.minimum.reduceat(np.where(reach > half, real, np.inf), begins)
    return (lower + upper) / 2
