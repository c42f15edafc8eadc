"""What a model on `table_sweep` does beside one shard: sweeps, first guesses, answers about its instances."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from truegrade.fit_parts import Answer
from truegrade.inference.adding import Sums
from truegrade.inference.counting import AgreementSums, grade_counts
from truegrade.inference.table_sweep import TablePlan, TableRatings, TableSums, table_sweep
from truegrade.models._grade_fit import GoldCount, TruthSums
from truegrade.models._summary import known_grades, mean_ratings
from truegrade.posterior import GradePosterior

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from truegrade.gold import Gold
    from truegrade.ratings import Ratings

    Floats = NDArray[np.float64]

__all__ = ["TableEnd", "TableMessage", "TablePart", "TablePass"]

_TINY = 1e-300


@dataclass(frozen=True)
class TableMessage:
    """The parameters in force."""

    table: Floats  # (N, K, K): ln P(rating | annotator, truth)
    prevalence: Floats  # (K,)


@dataclass(frozen=True)
class TablePass(Sums):
    """What an E-step finds."""

    counts: Floats  # (N, K, K): of annotator, rating and truth
    node_counts: Floats  # (K,): of the truths
    log_z: float  # the log likelihood


@dataclass(frozen=True)
class TableEnd(Sums):
    """What the E-step at the last parameters finds."""

    counts: Floats  # (N, K, K)
    log_z: float
    truths: TruthSums


@dataclass(frozen=True)
class TablePart:
    """The constants of one shard."""

    ratings: Ratings
    data: TableRatings
    plan: TablePlan
    known: NDArray[np.int32]  # (M,): the grade that an instance is known to have, -1 = not known
    rounded: int  # how many known truths lay between grades
    mean_rating: Floats  # (M,)
    threads: int

    @classmethod
    def of(cls, ratings: Ratings, threads: int, gold: Gold | None) -> TablePart:
        """Prepare the sweeps."""
        known, rounded = known_grades(ratings, gold, shard=True)
        data = TableRatings.of(ratings, None if gold is None else known + 1)
        plan = TablePlan.build(data, ratings.n_annotators, ratings.scale.n_grades, ratings.scale.n_grades, threads)
        return cls(ratings, data, plan, known, rounded, mean_ratings(ratings), threads)

    def log_prior(self, prevalence: Floats) -> Floats:
        """Row 0 for a truth that is not known, row 1 + k for one that is grade k (1 or 1+K, K)."""
        log_prevalence = np.log(np.maximum(prevalence, _TINY))
        if self.data.prior_row is None:
            return log_prevalence[None, :]
        certain = np.where(np.eye(prevalence.size, dtype=bool), log_prevalence, -np.inf)
        return np.concatenate([log_prevalence[None, :], certain])

    def swept(self, message: TableMessage, *, posterior: bool = False) -> TableSums:
        """One E-step."""
        sums = self._empty(posterior=posterior)
        log_prior = self.log_prior(message.prevalence)
        table_sweep(self.data, message.table, log_prior, sums, plan=self.plan, threads=self.threads)
        return sums

    def voted(self, trust: Floats | None) -> TableSums:
        """The sums at q_m = shares of the votes; those of annotator n count trust[n] (N,) each, or one."""
        r, grades = self.ratings, self.ratings.scale.n_grades
        weight = r.weight
        if trust is not None:
            weight = trust[r.annotator] if weight is None else weight * trust[r.annotator]
        votes = grade_counts(r, weight)
        settled = np.flatnonzero(self.known >= 0)
        votes[settled] = np.eye(grades)[self.known[settled]]
        sums = self._empty(posterior=False)
        everyone = TableRatings.of(r, np.arange(r.n_instances, dtype=np.int32))
        votes /= votes.sum(axis=1, keepdims=True)
        with np.errstate(divide="ignore"):
            log_votes = np.log(votes, out=votes)
        nothing = np.zeros((r.n_annotators, grades, grades))
        table_sweep(everyone, nothing, log_votes, sums, plan=self.plan, threads=self.threads)
        return sums

    def _empty(self, *, posterior: bool) -> TableSums:
        grades, r = self.ratings.scale.n_grades, self.ratings
        return TableSums.empty(r.n_annotators, grades, grades, r.n_instances, posterior=posterior)

    # What engines run: each takes the part, no state, and a message.

    def sweep(self, _: None, message: TableMessage) -> TablePass:
        """One E-step."""
        sums = self.swept(message)
        return TablePass(sums.counts, sums.node_counts, float(sums.log_z.sum()))

    def votes(self, _: None, trust: Floats | None) -> TablePass:
        """See :meth:`voted`."""
        sums = self.voted(trust)
        return TablePass(sums.counts, sums.node_counts, float(sums.log_z.sum()))

    def end(self, _: None, message: TableMessage) -> TableEnd:
        """One more E-step, and how its truths look."""
        sums = self.swept(message, posterior=True)
        truths = TruthSums.of(self._posterior(sums), self.mean_rating, self.ratings)
        return TableEnd(sums.counts, float(sums.log_z.sum()), truths)

    def answer(self, _: None, message: TableMessage) -> Answer:
        """What the instances' truths are."""
        return Answer(self._posterior(self.swept(message, posterior=True)))

    def agreement(self, _: None, __: None) -> AgreementSums:
        """How much annotators agree."""
        return AgreementSums.of(self.ratings)

    def gold(self, _: None, __: None) -> GoldCount:
        """How much gold there is."""
        return GoldCount(int(np.count_nonzero(self.known >= 0)), self.rounded)

    def _posterior(self, sums: TableSums) -> GradePosterior:
        assert sums.posterior is not None  # noqa: S101  it was asked for
        return GradePosterior.on_grades(sums.posterior, self.ratings.scale)
