"""One start of the panel on its way up."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from truegrade.models._em import StopRule
from truegrade.models._panel_part import PanelPart
from truegrade.models._panel_rows import RefinedRows, TypeRows

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from truegrade.models._panel_part import PanelMessage
    from truegrade.models._panel_problem import PanelProblem
    from truegrade.models._panel_rows import PanelRows
    from truegrade.models._summary import Moments

    Floats = NDArray[np.float64]

__all__ = ["PanelAscent"]

_SETTLING = StopRule(1e-5, passes=5, max_iterations=40)  # of the types, before they are refined
_JITTER = 0.5  # of the first weights of the types, in every start but the first


@dataclass
class PanelAscent:
    """The annotators' rows and the prior of the nodes, changing from pass to pass."""

    problem: PanelProblem
    rows: PanelRows
    prior: Floats  # (groups, G)

    @classmethod
    def fresh(cls, problem: PanelProblem, index: int) -> PanelAscent:
        """Start number `index`: everybody is of the population's average type, give or take some jitter."""
        coarse = problem.on_grades()
        grades = problem.placed.ratings.scale.n_grades
        population = coarse.population()
        nothing = np.zeros((problem.placed.ratings.n_annotators, grades, grades))
        rows: PanelRows = TypeRows.of(nothing, population)
        if index > 0:
            noise = np.random.default_rng((problem.model.seed, index)).normal(
                0, _JITTER, (len(nothing), population.base.shape[1])
            )
            q = population.base[population.group] * np.exp(noise)
            rows = TypeRows(nothing, population, q / q.sum(axis=1, keepdims=True), np.zeros(len(q)))
        refined = problem.refined
        if not refined and problem.grid.on_grades:
            return cls.at(problem, rows, problem.first_prior())  # nothing else to settle first
        settling = cls.at(coarse, rows, coarse.first_prior())
        trace: list[float] = []
        for _ in range(_SETTLING.max_iterations):
            trace.append(settling.step())
            if _SETTLING.met(trace):
                break
        rows = settling.rows
        begun = RefinedRows.of(rows.counts, rows.population) if refined else rows
        return cls.at(problem, begun, problem.first_prior())

    @classmethod
    def at(cls, problem: PanelProblem, rows: PanelRows, prior: Floats) -> PanelAscent:
        """With these rows and this prior."""
        return cls(problem, rows, prior)

    @property
    def message(self) -> PanelMessage:
        """The parameters in force."""
        return self.problem.message(self.problem.grid.table(self.rows.log_p), self.prior)

    def step(self) -> float:
        """One sweep, then the prior, the population and the annotators. The bound is the one of the sweep."""
        problem, rows, log_p = self.problem, self.rows, self.rows.log_p
        table = problem.grid.table(log_p)
        sums = problem.placed.sums(PanelPart.sweep, None, problem.message(table, self.prior))
        bound = sums.log_z + rows.log_prior() + problem.log_hyperprior(self.prior)
        self.rows = rows.updated(problem.grid.rows(sums.counts, table, log_p))
        self.prior = problem.updated_prior(sums.mass)
        return float(bound)

    def collapsed(self) -> bool:
        """Shares of types that are drawn to a first guess leave no room for a collapse into spam."""
        return False

    def mirrored(self) -> bool:
        """Whether the estimates run against the mean of the ratings."""
        moments: Moments = self.problem.placed.sums(PanelPart.moments, None, self.message)
        return moments.correlation < 0
