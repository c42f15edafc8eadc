"""What a fit asks of its ratings before the first pass, added up over the shards. A part only need have `ratings`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from truegrade.engines import Placed
    from truegrade.ratings import Ratings

    Floats = NDArray[np.float64]

__all__ = ["distinct_values", "scale_middle_and_step"]


class _Part(Protocol):
    @property
    def ratings(self) -> Ratings: ...


@dataclass(frozen=True)
class _Values:
    """Ratings of a real scale."""

    total: float  # weights times values
    weight: float
    low: float
    high: float

    def __add__(self, other: _Values) -> _Values:
        ends = min(self.low, other.low), max(self.high, other.high)
        return _Values(self.total + other.total, self.weight + other.weight, *ends)


@dataclass(frozen=True)
class _Distinct:
    """The different values among ratings of a real scale."""

    values: Floats

    def __add__(self, other: _Distinct) -> _Distinct:
        return _Distinct(np.union1d(self.values, other.values))


def _values(part: _Part, _: object, __: object) -> _Values:
    real, weight = part.ratings.real, part.ratings.weight
    total = real.sum() if weight is None else (real * weight).sum()
    return _Values(float(total), part.ratings.total_weight, float(real.min()), float(real.max()))


def _squares(part: _Part, _: object, middle: float) -> float:
    squares, weight = (part.ratings.real - middle) ** 2, part.ratings.weight
    return float(squares.sum() if weight is None else (squares * weight).sum())


def _distinct(part: _Part, _: object, __: object) -> _Distinct:
    return _Distinct(np.unique(part.ratings.real))


def distinct_values(placed: Placed) -> int:
    """How many different ratings there are on a real scale."""
    return int(placed.sums(_distinct, None, None).values.size)


def scale_middle_and_step(placed: Placed) -> tuple[float, float]:
    """The middle of the scale and the typical distance of two grades; mean and sd of the ratings where it has none."""
    scale = placed.ratings.scale
    if scale.is_real:
        values = placed.sums(_values, None, None)
        middle = values.total / values.weight
        if values.low == values.high:  # their mean may be off by a rounding, and so would be a step made of it
            return middle, 1.0
        return middle, float(np.sqrt(placed.sums(_squares, None, middle) / values.weight))
    step = (scale.high - scale.low) / (scale.n_grades - 1) if scale.n_grades > 1 else 1.0
    return float(scale.array.mean()), step
