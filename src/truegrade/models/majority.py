"""Majority vote, with a rule for ties that one can choose and read in the result."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Literal

import numpy as np

from truegrade.errors import OptionError
from truegrade.models._base import checked_inputs
from truegrade.models._options import check_choices
from truegrade.models._votes import vote_fit, votes

if TYPE_CHECKING:
    from truegrade.fit import Fit
    from truegrade.models._base import Progress
    from truegrade.models._journal import Keeper
    from truegrade.ratings import Ratings

__all__ = ["Majority"]


@dataclass(frozen=True, kw_only=True)
class Majority:
    """The grade that most ratings of an instance say.

    ties: ``lower`` or ``upper`` takes that one of the tied grades, ``random`` draws one by the seed, ``expected``
        makes the estimate the mean of the tied grades (and the grade the lower one).
    """

    name: ClassVar[str] = "majority"
    ties: Literal["lower", "upper", "random", "expected"] = "lower"
    seed: int = 0

    def __post_init__(self) -> None:
        check_choices(self)

    def fit(
        self,
        ratings: Ratings,
        gold: Any = None,
        start: Fit | None = None,
        progress: Progress | None = None,
        *,
        checkpoint: Keeper = None,
    ) -> Fit:
        """Count the votes of each instance; known truths stand as they are."""
        gold = checked_inputs(ratings, gold)
        if ratings.scale.is_real:
            raise OptionError("a majority needs grades; on a real scale choose the mean or the median")
        counts = votes(ratings)
        v = ratings.scale.array
        tied = counts == counts.max(axis=1, keepdims=True)
        lower = np.argmax(tied, axis=1)
        grade = lower
        if self.ties == "upper":
            grade = tied.shape[1] - 1 - np.argmax(tied[:, ::-1], axis=1)
        elif self.ties == "random":
            # A key per instance and grade in the order of the codes; the largest among the tied wins.
            keys = np.random.default_rng(self.seed).random(tied.shape)
            grade = np.argmax(np.where(tied, keys, -1.0), axis=1)
        estimate = (tied @ v) / tied.sum(axis=1) if self.ties == "expected" else v[grade]
        return vote_fit(self, ratings, gold, counts, estimate, grade=grade.astype(np.uint8))
