"""What all models ask of the ratings first: weights, the unit of the scale, known truths."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from truegrade.gold import Gold
    from truegrade.ratings import Ratings

    Floats = NDArray[np.float64]

__all__ = [
    "Moments",
    "annotator_weights",
    "correlation",
    "instance_weights",
    "known_grades",
    "known_truths",
    "mean_ratings",
]

_BLOCK = 1 << 17  # ratings or instances at a time: whole columns as float64 or int64 would outweigh the model's state


def known_truths(ratings: Ratings, gold: Gold | None, *, shard: bool = False) -> Floats | None:
    """The known truth of each instance, NaN where it is not known (M,); None without gold.

    shard: these are not all ratings, so that none of their instances need be known.
    """
    if gold is None:
        return None
    known = np.full(ratings.n_instances, np.nan)
    at, values = gold.within(ratings) if shard else gold.on(ratings)
    known[at] = values
    return known


def instance_weights(ratings: Ratings) -> Floats:
    """The weight of each instance's ratings (M,)."""
    if ratings.weight is None:
        return np.subtract(ratings.instance_ptr[1:], ratings.instance_ptr[:-1], dtype=np.float64)
    return np.add.reduceat(ratings.weight, ratings.instance_ptr[:-1])


def known_grades(ratings: Ratings, gold: Gold | None, *, shard: bool = False) -> tuple[NDArray[np.int32], int]:
    """The grade nearest to each known truth (M,), -1 where none is known; and how many lay between grades.

    shard: as for :func:`known_truths`.
    """
    known = np.full(ratings.n_instances, -1, dtype=np.int32)
    if gold is None:
        return known, 0
    at, values = gold.within(ratings) if shard else gold.on(ratings)
    known[at] = ratings.scale.nearest(values)
    return known, int(np.count_nonzero(ratings.scale.array[known[at]] != values))


def mean_ratings(ratings: Ratings) -> Floats:
    """The weighted mean of each instance's ratings (M,)."""
    ptr, mean = ratings.instance_ptr, np.empty(ratings.n_instances)
    cuts = np.unique(np.append(np.searchsorted(ptr, np.arange(0, ratings.n_ratings, _BLOCK)), ratings.n_instances))
    for first, last in pairwise(cuts):
        block, begins = slice(ptr[first], ptr[last]), ptr[first:last] - ptr[first]
        value = ratings.real[block] if ratings.scale.is_real else ratings.scale.array[ratings.grade[block]]
        if ratings.weight is None:
            mean[first:last] = np.add.reduceat(value, begins) / np.diff(ptr[first : last + 1])
        else:
            weight = ratings.weight[block]
            mean[first:last] = np.add.reduceat(weight * value, begins) / np.add.reduceat(weight, begins)
    return mean


def annotator_weights(ratings: Ratings) -> Floats:
    """The weight of each annotator's ratings (N,)."""
    total = np.zeros(ratings.n_annotators)
    for begin in range(0, ratings.n_ratings, _BLOCK):
        block = slice(begin, begin + _BLOCK)
        weight = None if ratings.weight is None else ratings.weight[block]
        total += np.bincount(ratings.annotator[block], weight, total.size)
    return total


@dataclass(frozen=True)
class Moments:
    """How two columns go together, over runs of instances that can be added: means, and sums of products about them."""

    size: int
    mean: Floats  # (2,)
    squares: Floats  # (2,)
    product: float
    low: Floats  # (2,)
    high: Floats  # (2,)

    @classmethod
    def of(cls, one: Floats, two: Floats) -> Moments:
        """Of two columns of the same length."""
        centre, squares, product = (one.mean(), two.mean()), np.zeros(2), 0.0
        for begin in range(0, one.size, _BLOCK):
            a, b = (x[begin : begin + _BLOCK] - mean for x, mean in zip((one, two), centre, strict=True))
            squares += a @ a, b @ b
            product += a @ b
        ends = np.array([[x.min(), x.max()] for x in (one, two)])
        return cls(one.size, np.array(centre), squares, product, ends[:, 0], ends[:, 1])

    def __add__(self, other: Moments) -> Moments:
        size, apart = self.size + other.size, other.mean - self.mean
        share = other.size / size
        return Moments(
            size,
            self.mean + share * apart,
            self.squares + other.squares + self.size * share * apart**2,
            self.product + other.product + self.size * share * float(apart.prod()),
            np.minimum(self.low, other.low),
            np.maximum(self.high, other.high),
        )

    @property
    def correlation(self) -> float:
        """Pearson's; 0 where one of them is constant."""
        if self.size < 2 or np.any(self.low == self.high):
            return 0.0
        return float(self.product / np.sqrt(self.squares.prod()))


def correlation(one: Floats, two: Floats) -> float:
    """Pearson's; 0 where one of them is constant."""
    return Moments.of(one, two).correlation
