"""One start of a model on `table_sweep` on its way up."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from truegrade.models._summary import correlation

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from truegrade.inference.categorical import Rows
    from truegrade.inference.cells import Cells
    from truegrade.inference.table_sweep import TableSums
    from truegrade.models._table_problem import TableProblem

    Floats = NDArray[np.float64]

__all__ = ["TableAscent"]


@dataclass
class TableAscent:
    """The annotators' rows and the prevalence of the grades, changing from pass to pass."""

    problem: TableProblem
    cells: Cells
    rows: Rows
    prevalence: Floats  # (K,)
    sums: TableSums
    learn_prevalence: bool
    _posterior: Floats | None = field(default=None, repr=False)  # (M, K), at the parameters in force

    def step(self) -> float:
        """One E-step, then the parameters that are best given its counts. The bound is the one of the E-step."""
        self.problem.sweep(self.cells.table(self.rows.log_p), self.prevalence, self.sums)
        bound = float(self.sums.log_z.sum()) + self.rows.log_prior()
        self.update()
        return bound

    def update(self) -> None:
        """Rows and prevalence from the sums."""
        self._posterior = None
        self.rows = self.rows.updated(self.cells.rows(self.sums.counts))
        if self.learn_prevalence:
            self.prevalence = self.sums.node_counts / self.sums.node_counts.sum()

    def posterior(self) -> Floats:
        """P(grade) (M, K) at the parameters in force."""
        if self._posterior is None:
            sums = self.problem.empty_sums(posterior=True)
            self.problem.sweep(self.cells.table(self.rows.log_p), self.prevalence, sums)
            self.sums, self._posterior = sums, sums.posterior
        assert self._posterior is not None  # noqa: S101  it was asked for
        return self._posterior

    def collapsed(self) -> bool:
        """There is no spam to collapse into."""
        return False

    def mirrored(self) -> bool:
        """Whether the estimates run against the mean of the ratings: the truth with its grades exchanged."""
        estimate = self.posterior() @ self.problem.ratings.scale.array
        return correlation(estimate, self.problem.mean_rating) < 0
