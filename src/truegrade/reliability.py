"""How far annotators agree with one another, where there is no gold. Linear in the number of ratings."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from truegrade.ratings import Ratings

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Reals = NDArray[np.float64]

__all__ = ["Agreement", "agreement", "krippendorff_alpha", "percent_agreement"]

Metric = Literal["nominal", "ordinal", "interval"]


@dataclass(frozen=True)
class Agreement:
    """Agreement among annotators. What is not defined is None.

    A repeated rating by the same annotator counts as one more rating, except in `per_annotator`.
    """

    alpha_nominal: float | None
    alpha_ordinal: float | None
    alpha_interval: float | None  # None on a scale of mere names, whose distances mean nothing
    percent: float | None  # share of the pairs of ratings of one instance that are equal, 0 .. 1
    per_annotator: Reals  # (N,): mean share of the others' ratings equal to the annotator's own
    overlap: NDArray[np.bool_]  # (N,): False = nobody else rated what this annotator rated; the share is then 0
    n_pairable: int  # instances with more than one rating, which is what the figures rest on


def agreement(ratings: Ratings) -> Agreement:
    """Krippendorff's alpha, percent agreement, and each annotator's agreement with the rest.

    Ratings on a real scale have alpha_interval alone.

    >>> from truegrade import Ratings
    >>> found = agreement(Ratings.from_arrays(
    ...     annotator=["a", "b", "c", "a", "b"], instance=["x", "x", "x", "y", "y"], rating=[1, 1, 2, 3, 3]))
    >>> found.percent, found.n_pairable
    (0.5, 2)
    """
    Ratings.require(ratings)
    if ratings.scale.is_real:
        return _agreement_of_reals(ratings)
    from truegrade.inference.counting import agreement_with_others, grade_counts

    scale, counts, share = ratings.scale, grade_counts(ratings), agreement_with_others(ratings)
    return Agreement(
        alpha_nominal=krippendorff_alpha(counts, "nominal", scale.array),
        alpha_ordinal=krippendorff_alpha(counts, "ordinal", scale.array),
        alpha_interval=krippendorff_alpha(counts, "interval", scale.array) if scale.numbered else None,
        percent=percent_agreement(counts),
        per_annotator=_frozen(np.nan_to_num(share)),
        overlap=_frozen(~np.isnan(share)),
        n_pairable=int(np.count_nonzero(counts.sum(axis=1) > 1)),
    )


def krippendorff_alpha(counts: Reals, metric: Metric, values: Reals, times: NDArray[Any] | None = None) -> float | None:
    """Krippendorff's alpha of the grade counts (M, K); `values` (K,) are the grades' places for "interval".

    times: how often each row of `counts` occurs (M,); once where it is left out.

    A weight w stands for w identical ratings, so counts need not be whole; an instance whose weight is at
    most 1 has nothing to be paired with and is left out. None where all pairable ratings are one grade.

    The squared ordinal distance is the squared difference of mid-ranks among all pairable ratings, and for
    squared differences the observed and the expected disagreement are variances within instances and overall:
    no sum over pairs of grades is needed.

    >>> counts = np.array([[2.0, 0, 0], [0, 1, 1], [0, 0, 2], [1, 0, 0]])
    >>> round(krippendorff_alpha(counts, "nominal", np.arange(3.0)), 4)
    0.5455
    """
    per_instance = counts.sum(axis=1)
    times = np.ones(len(counts)) if times is None else times
    paired = times * (per_instance > 1)
    totals = paired @ counts  # (K,): pairable ratings of each grade
    if np.count_nonzero(totals) < 2:
        return None
    if metric == "nominal":
        alike = np.einsum("mk,mk->m", counts, counts)
        pairs = np.maximum(per_instance - 1, 1)  # where it is not above 1, `paired` is 0
        observed = paired @ ((per_instance**2 - alike) / pairs)
        n = totals.sum()
        return float(1 - observed * (n - 1) / (n**2 - totals @ totals))
    places = np.cumsum(totals) - totals / 2 if metric == "ordinal" else values
    centred = places - totals @ places / totals.sum()
    return _alpha_of_squares(per_instance, counts @ centred, counts @ centred**2, times)


def percent_agreement(counts: Reals) -> float | None:
    """Share of the pairs of ratings of the same instance that are equal; counts (M, K), weights as above.

    >>> percent_agreement(np.array([[2.0, 0], [1, 1], [1, 0]]))
    0.5
    """
    per_instance = counts.sum(axis=1)
    pairable = per_instance > 1
    if not pairable.any():
        return None
    agree = differ = 0.0
    for column in counts.T:  # one grade at a time: no second matrix of this size
        own = column[pairable]
        agree += np.sum(np.maximum(own * (own - 1), 0))  # less than one whole rating has no pair of its own
        differ += np.sum(own * (per_instance[pairable] - own))
    return float(agree / (agree + differ))


def _alpha_of_squares(
    per_instance: Reals, first: Reals, second: Reals, times: NDArray[Any] | float = 1.0
) -> float | None:
    """Alpha for squared differences, from each instance's weight and its first two moments' sums (M,).

    The moments are about the mean of all pairable ratings, so `second` sums to the overall sum of squares.
    """
    pairable = per_instance > 1
    n, s1, s2 = per_instance[pairable], first[pairable], second[pairable]
    t = np.broadcast_to(times, per_instance.shape)[pairable]
    overall, total = t @ s2, t @ n
    if not overall > 0:
        return None
    within = np.maximum(s2 - s1**2 / n, 0)
    return float(1 - (total - 1) / total * (t @ (n / (n - 1) * within)) / overall)


def _agreement_of_reals(ratings: Ratings) -> Agreement:
    weight = np.ones(ratings.n_ratings) if ratings.weight is None else ratings.weight
    start = ratings.instance_ptr[:-1]  # every instance has a rating, so these ascend strictly
    per_instance = np.add.reduceat(weight, start)
    paired = np.repeat(per_instance > 1, np.diff(ratings.instance_ptr))
    alpha = None
    if paired.any() and np.ptp(ratings.real[paired]) > 0:
        centred = ratings.real - np.average(ratings.real[paired], weights=weight[paired])
        sums = [np.add.reduceat(weight * centred**power, start) for power in (1, 2)]
        alpha = _alpha_of_squares(per_instance, sums[0], sums[1])
    return Agreement(
        alpha_nominal=None,
        alpha_ordinal=None,
        alpha_interval=alpha,
        percent=None,
        per_annotator=_frozen(np.zeros(ratings.n_annotators)),
        overlap=_frozen(np.zeros(ratings.n_annotators, dtype=bool)),
        n_pairable=int(np.count_nonzero(per_instance > 1)),
    )


def _frozen(array: NDArray[Any]) -> NDArray[Any]:
    """The array, read-only."""
    array.flags.writeable = False
    return array
