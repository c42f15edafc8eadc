"""What all models ask of the ratings first: weights, the unit of the scale, known truths."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from truegrade.gold import Gold
    from truegrade.ratings import Ratings

    Floats = NDArray[np.float64]

__all__ = ["annotator_weights", "correlation", "known_truths", "mean_ratings", "scale_step"]


def known_truths(ratings: Ratings, gold: Gold | None) -> Floats | None:
    """The known truth of each instance, NaN where it is not known (M,); None without gold."""
    if gold is None:
        return None
    known = np.full(ratings.n_instances, np.nan)
    at, values = gold.on(ratings)
    known[at] = values
    return known


def mean_ratings(ratings: Ratings) -> Floats:
    """The weighted mean of each instance's ratings (M,)."""
    begins = ratings.instance_ptr[:-1]
    if ratings.weight is None:
        return np.add.reduceat(ratings.values(), begins) / np.diff(ratings.instance_ptr)
    return np.add.reduceat(ratings.weight * ratings.values(), begins) / np.add.reduceat(ratings.weight, begins)


def annotator_weights(ratings: Ratings) -> Floats:
    """The weight of each annotator's ratings (N,)."""
    return np.bincount(ratings.annotator, ratings.weight, ratings.n_annotators).astype(np.float64)


def correlation(one: Floats, two: Floats) -> float:
    """Pearson's; 0 where one of them is constant."""
    if one.size < 2 or np.ptp(one) == 0 or np.ptp(two) == 0:
        return 0.0
    return float(np.corrcoef(one, two)[0, 1])


def scale_step(ratings: Ratings) -> float:
    """The typical distance of two grades: what "one unit" means on this scale."""
    scale = ratings.scale
    if scale.is_real:
        return float(np.std(ratings.real)) or 1.0
    return (scale.high - scale.low) / (scale.n_grades - 1) if scale.n_grades > 1 else 1.0
