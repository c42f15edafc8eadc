"""What all starts of one fit on `table_sweep` share: the data, the known truths, the first guesses."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from truegrade.errors import OptionError
from truegrade.inference.counting import grade_counts
from truegrade.inference.table_sweep import TablePlan, TableRatings, TableSums, table_sweep
from truegrade.models._summary import known_grades, mean_ratings

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from truegrade.gold import Gold
    from truegrade.ratings import Ratings

    Floats = NDArray[np.float64]

__all__ = ["TableProblem"]

_TINY = 1e-300


@dataclass(frozen=True)
class TableProblem:
    """The constants of one fit of a model whose truth is one of K grades."""

    ratings: Ratings
    data: TableRatings
    plan: TablePlan
    known: NDArray[np.int32]  # (M,): the grade that an instance is known to have, -1 = not known
    rounded: int  # how many known truths lay between grades
    mean_rating: Floats  # (M,)
    threads: int

    @classmethod
    def of(cls, ratings: Ratings, gold: Gold | None, name: str, threads: int) -> TableProblem:
        """Check that model and ratings go together."""
        if ratings.scale.is_real:
            raise OptionError(f"{name} needs grades; for ratings on a real scale choose continuous")
        known, rounded = known_grades(ratings, gold)
        prior_row = None if gold is None else known + 1
        data = TableRatings.of(ratings, prior_row)
        plan = TablePlan.build(data, ratings.n_annotators, ratings.scale.n_grades, ratings.scale.n_grades, threads)
        return cls(ratings, data, plan, known, rounded, mean_ratings(ratings), threads)

    def log_prior(self, prevalence: Floats) -> Floats:
        """Row 0 for a truth that is not known, row 1 + k for one that is grade k (1 or 1+K, K)."""
        log_prevalence = np.log(np.maximum(prevalence, _TINY))
        if self.data.prior_row is None:
            return log_prevalence[None, :]
        certain = np.where(np.eye(prevalence.size, dtype=bool), log_prevalence, -np.inf)
        return np.concatenate([log_prevalence[None, :], certain])

    def sweep(self, table: Floats, prevalence: Floats, sums_out: TableSums) -> None:
        """One E-step."""
        table_sweep(self.data, table, self.log_prior(prevalence), sums_out, plan=self.plan, threads=self.threads)

    def empty_sums(self, *, posterior: bool = False) -> TableSums:
        """Room for a sweep's sums."""
        grades, r = self.ratings.scale.n_grades, self.ratings
        return TableSums.empty(r.n_annotators, grades, grades, r.n_instances, posterior=posterior)

    def first_sums(self, seed: int, index: int) -> TableSums:
        """The sums at q_m = shares of the votes. In every start but 0 annotators have votes of random weight.

        The weights are exponential, as in the Bayesian bootstrap: every start trusts other annotators.
        """
        r, grades = self.ratings, self.ratings.scale.n_grades
        weight = r.weight
        if index > 0:
            trust = np.random.default_rng((seed, index)).exponential(size=r.n_annotators) + 1e-3
            weight = trust[r.annotator] if weight is None else weight * trust[r.annotator]
        votes = grade_counts(r, weight)
        settled = np.flatnonzero(self.known >= 0)
        votes[settled] = np.eye(grades)[self.known[settled]]
        sums = self.empty_sums()
        everyone = TableRatings.of(r, np.arange(r.n_instances, dtype=np.int32))
        votes /= votes.sum(axis=1, keepdims=True)
        with np.errstate(divide="ignore"):
            log_votes = np.log(votes, out=votes)
        nothing = np.zeros((r.n_annotators, grades, grades))
        table_sweep(everyone, nothing, log_votes, sums, plan=self.plan, threads=self.threads)
        return sums
