"""Agreement with intervals: bootstrap over instances, the intraclass correlation, kappa against an estimated truth."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from truegrade.inference.counting import grade_counts
from truegrade.reliability import Metric, krippendorff_alpha

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from truegrade.ratings import Ratings

    Reals = NDArray[np.float64]

__all__ = ["Interval", "alpha_interval", "icc_interval", "kappa_against"]

_WORK = 20_000_000  # count rows times resamples that a bootstrap may look at


@dataclass(frozen=True)
class Interval:
    """A figure with its 95 % interval."""

    estimate: float
    lower: float
    upper: float


def alpha_interval(ratings: Ratings, metric: Metric, *, resamples: int = 500, seed: int = 0) -> Interval | None:
    """Krippendorff's alpha, its interval by drawing instances with replacement; None where alpha is not defined.

    >>> from truegrade import Ratings
    >>> found = alpha_interval(Ratings.from_arrays(
    ...     annotator=["a", "b"] * 4, instance=list("wwxxyyzz"), rating=[1, 1, 2, 2, 3, 2, 1, 1]), "ordinal")
    >>> found.lower <= found.estimate <= found.upper
    True
    """
    values = ratings.scale.array
    return _bootstrap(ratings, lambda rows, times: krippendorff_alpha(rows, metric, values, times), resamples, seed)


def icc_interval(ratings: Ratings, *, resamples: int = 500, seed: int = 0) -> Interval | None:
    """The one-way random-effects intraclass correlation of a single rating, ICC(1,1), and its interval."""
    values = ratings.scale.array
    return _bootstrap(ratings, lambda rows, times: _icc(rows, values, times), resamples, seed)


def kappa_against(ratings: Ratings, truth: NDArray[np.uint8]) -> Reals:
    """Each annotator's quadratic-weighted kappa with a grade per instance (M,); NaN where it is not defined (N,).

    Squared distances need no table of grades: with r the rating and g the truth, the observed disagreement is the
    mean of (r - g)^2, the one by chance mean r^2 + mean g^2 - 2 mean r mean g.
    """
    rating = ratings.scale.array[ratings.grade]
    grade = ratings.scale.array[truth[ratings.instance_of()]]
    total = np.bincount(ratings.annotator, ratings.weight, ratings.n_annotators)

    def mean(array: Reals) -> Reals:
        weighted = array if ratings.weight is None else array * ratings.weight
        return np.bincount(ratings.annotator, weighted, ratings.n_annotators) / total

    chance = mean(rating**2) + mean(grade**2) - 2 * mean(rating) * mean(grade)
    kappa = np.full(total.size, np.nan)
    np.divide(mean((rating - grade) ** 2), chance, out=kappa, where=chance > 0)
    return 1 - kappa


def _icc(rows: Reals, values: Reals, times: Reals) -> float | None:
    """ICC(1,1) from the mean squares between and within instances, instances of unequal size."""
    n, first, second = rows.sum(axis=1), rows @ values, rows @ values**2
    instances, total = times.sum(), times @ n
    if instances < 2 or total <= instances:
        return None
    within = times @ np.maximum(second - first**2 / n, 0) / (total - instances)
    between = times @ (n * (first / n - times @ first / total) ** 2) / (instances - 1)
    size = (total - times @ n**2 / total) / (instances - 1)
    spread = between + (size - 1) * within
    return float((between - within) / spread) if spread > 0 else None


def _bootstrap(
    ratings: Ratings, figure: Callable[[Reals, Reals], float | None], resamples: int, seed: int
) -> Interval | None:
    """Instances with the same counts are one row that occurs so often: few rows, whatever the number of instances."""
    rows, times = np.unique(grade_counts(ratings), axis=0, return_counts=True)
    estimate = figure(rows, times.astype(np.float64))
    if estimate is None:
        return None
    rng = np.random.default_rng(seed)
    resamples = int(np.clip(_WORK // rows.size, 50, resamples))
    drawn = [
        figure(rows, rng.multinomial(ratings.n_instances, times / ratings.n_instances).astype(np.float64))
        for _ in range(resamples)
    ]
    known = [value for value in drawn if value is not None]
    lower, upper = np.quantile(known or [estimate], (0.025, 0.975))
    return Interval(estimate, float(lower), float(upper))
