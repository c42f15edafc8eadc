"""What mean, median and majority share: the votes, and a Fit that needs no iteration."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from truegrade.engines import engine_for
from truegrade.fit import Fit, Status
from truegrade.fit_parts import Answer, Head, whole_fit
from truegrade.inference.counting import AgreementSums, grade_counts
from truegrade.models._base import check_met, checked_inputs
from truegrade.posterior import VotePosterior

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from truegrade.engines import Engine, Placed, ShardedRatings, States
    from truegrade.gold import Gold
    from truegrade.models._base import Model
    from truegrade.ratings import Ratings

    Floats = NDArray[np.float64]

__all__ = ["VotePart", "vote_fit"]


@dataclass(frozen=True)
class VotePart:
    """The ratings of a shard, and its known truths."""

    ratings: Ratings
    known_at: NDArray[np.int32]  # (g,): the instances that have one
    known: Floats  # (g,)

    @classmethod
    def of(cls, ratings: Ratings, _: int, gold: Gold | None) -> VotePart:
        """Look the known truths up."""
        nothing = np.empty(0, dtype=np.int32), np.empty(0)
        return cls(ratings, *(nothing if gold is None else gold.within(ratings)))

    def votes(self) -> Floats:
        """Weight of each grade per instance (M, K); (M, 0) on a real scale."""
        r = self.ratings
        return np.empty((r.n_instances, 0)) if r.scale.is_real else grade_counts(r)

    def answer(
        self, votes: Floats, estimate: Floats, *, sd: Floats | None = None, grade: NDArray[np.uint8] | None = None
    ) -> Answer:
        """What an estimator says that looks at each instance alone. `grade` is the nearest one where none is given."""
        scale = self.ratings.scale
        sd = np.full(estimate.size, np.nan) if sd is None else sd
        if grade is None:
            grade = scale.nearest(estimate) if scale.n_grades else np.zeros(estimate.size, dtype=np.uint8)
        shares = votes + 0.5 / max(scale.n_grades, 1)
        shares /= shares.sum(axis=1, keepdims=True)
        if self.known.size:
            at, known = self.known_at, self.known
            estimate, sd, grade = estimate.copy(), sd.copy(), grade.copy()
            estimate[at], sd[at] = known, 0.0
            if scale.n_grades:
                grade[at] = scale.nearest(known)
                shares[at] = np.eye(scale.n_grades)[grade[at]]
        return Answer(VotePosterior(estimate, sd, shares, grade))

    # What engines run.

    def met(self, _: Any, __: None) -> int:
        """How many known truths there are."""
        return self.known.size

    def agreement(self, _: Any, __: None) -> AgreementSums:
        """How much annotators agree."""
        return AgreementSums.of(self.ratings)


def vote_fit(
    model: Model,
    ratings: Ratings | ShardedRatings,
    gold: Any,
    engine: Engine | None,
    answer: Callable[[VotePart, Any, Any], Answer],
    prepare: Callable[[Placed], tuple[States, Any]] = lambda _: (None, None),
) -> Fit:
    """The Fit of an estimator: answer(part, state, message) of every shard, with what `prepare` finds for them."""
    gold = checked_inputs(ratings, gold)
    with engine_for(ratings, engine).place(ratings, partial(VotePart.of, gold=gold)) as placed:
        check_met(gold, placed.sums(VotePart.met, None, None), ratings)
        agreement = {}
        if not ratings.scale.is_real:
            agreement["agreement"] = placed.sums(VotePart.agreement, None, None).share
        head = Head(
            model=model.name,
            options=asdict(model),  # type: ignore[call-overload]
            status=Status.CONVERGED,
            annotator_columns=agreement,
            notes=tuple(ratings.notes()),
        )
        return whole_fit(ratings, head, placed.each(answer, *prepare(placed)))
