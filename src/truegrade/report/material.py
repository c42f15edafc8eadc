"""Everything that a report is written from, worked out once."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from truegrade.advice import Advice, advise
from truegrade.checks import Check, predictive_checks
from truegrade.errors import FitError
from truegrade.screening import Screening, screen

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from truegrade.fit import Fit
    from truegrade.gold import Gold
    from truegrade.ratings import Ratings

__all__ = ["Material"]

_DRAWN = 20_000_000  # ratings times grades; more take too long, or too much memory, to draw again and again


@dataclass(frozen=True)
class Material:
    """A fit, where they are known the ratings that it was made from, and gold."""

    fit: Fit
    ratings: Ratings | None = None
    gold: Gold | None = None

    def __post_init__(self) -> None:
        if self.ratings is not None and self.ratings.digest != self.fit.input_digest:
            raise FitError(
                f"{self.ratings.where}: these are not the ratings that the fit was made from; pass those, or fit again"
            )

    @cached_property
    def screening(self) -> Screening | None:
        """Annotators and ratings checked against the others."""
        return None if self.ratings is None else screen(self.ratings)

    @cached_property
    def advice(self) -> list[Advice] | None:
        """What to do about each annotator, in the order of the codes."""
        return None if self.ratings is None else advise(self.ratings, self.screening)

    @cached_property
    def predictive(self) -> list[Check] | None:
        """The ratings beside others drawn from the fit; None where they cannot be drawn, or not in good time."""
        if self.ratings is None or not 2 <= self.ratings.scale.n_grades <= _DRAWN // self.ratings.n_ratings:
            return None
        return predictive_checks(self.fit, self.ratings)

    @cached_property
    def plain_mean(self) -> NDArray[np.float64] | None:
        """The mean of each instance's ratings (M,)."""
        if self.ratings is None:
            return None
        weight = np.ones(self.ratings.n_ratings) if self.ratings.weight is None else self.ratings.weight
        begins = self.ratings.instance_ptr[:-1]
        mean: NDArray[np.float64] = np.add.reduceat(weight * self.ratings.values(), begins) / np.add.reduceat(
            weight, begins
        )
        return mean

    @property
    def step(self) -> float:
        """The typical distance of two grades."""
        scale = self.fit.scale
        if scale.is_real or scale.n_grades < 2:
            return 1.0
        return (scale.high - scale.low) / (scale.n_grades - 1)
