"""Majority vote, with a rule for ties that one can choose and read in the result."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, ClassVar, Literal

import numpy as np

from truegrade.engines import require_ratings
from truegrade.errors import OptionError
from truegrade.models._options import check_choices
from truegrade.models._votes import vote_fit

if TYPE_CHECKING:
    from truegrade.engines import Engine, Placed, ShardedRatings, States
    from truegrade.fit import Fit
    from truegrade.fit_parts import Answer
    from truegrade.models._base import Progress
    from truegrade.models._journal import Keeper
    from truegrade.models._votes import VotePart
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
        ratings: Ratings | ShardedRatings,
        gold: Any = None,
        start: Fit | None = None,
        progress: Progress | None = None,
        *,
        engine: Engine | None = None,
        checkpoint: Keeper = None,
    ) -> Fit:
        """Count the votes of each instance; known truths stand as they are."""
        require_ratings(ratings)
        if ratings.scale.is_real:
            raise OptionError("a majority needs grades; on a real scale choose the mean or the median")
        return vote_fit(self, ratings, gold, engine, partial(_answer, model=self), _places)


@dataclass(frozen=True)
class _Place:
    """Where a shard stands."""

    before: int  # instances of the shards before it


def _places(placed: Placed) -> tuple[States, None]:
    """The states that :func:`_answer` is given."""
    before = np.cumsum([0, *placed.sizes[:-1]]).tolist()
    return placed.begin(_here, map(_Place, before)), None


def _here(_: VotePart, place: _Place) -> _Place:
    return place


def _answer(part: VotePart, place: _Place, _: None, model: Majority) -> Answer:
    votes, v = part.votes(), part.ratings.scale.array
    tied = votes == votes.max(axis=1, keepdims=True)
    grade = np.argmax(tied, axis=1)
    if model.ties == "upper":
        grade = tied.shape[1] - 1 - np.argmax(tied[:, ::-1], axis=1)
    elif model.ties == "random":
        # A key per instance and grade in the order of the codes; the largest among the tied wins.
        draws = np.random.PCG64(model.seed).advance(place.before * v.size)
        keys = np.random.Generator(draws).random(tied.shape)
        grade = np.argmax(np.where(tied, keys, -1.0), axis=1)
    estimate = (tied @ v) / tied.sum(axis=1) if model.ties == "expected" else v[grade]
    return part.answer(votes, estimate, grade=grade.astype(np.uint8))
