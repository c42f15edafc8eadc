"""One start of a model on `table_sweep` on its way up."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from truegrade.models._table_problem import TableMessage, TablePart

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from truegrade.engines import Placed
    from truegrade.inference.categorical import Rows
    from truegrade.inference.cells import Cells
    from truegrade.models._table_problem import TableEnd, TablePass

    Floats = NDArray[np.float64]

__all__ = ["TableAscent"]


@dataclass
class TableAscent:
    """The annotators' rows and the prevalence of the grades, changing from pass to pass."""

    placed: Placed
    cells: Cells
    rows: Rows
    prevalence: Floats  # (K,)
    learn_prevalence: bool
    _end: TableEnd | None = field(default=None, repr=False)  # at the parameters in force

    @property
    def message(self) -> TableMessage:
        """The parameters in force."""
        return TableMessage(self.cells.table(self.rows.log_p), self.prevalence)

    def step(self) -> float:
        """One E-step, then the parameters that are best given its counts. The bound is the one of the E-step."""
        sums = self.placed.sums(TablePart.sweep, None, self.message)
        bound = sums.log_z + self.rows.log_prior()
        self.update(sums)
        return bound

    def update(self, sums: TablePass) -> None:
        """Rows and prevalence from the sums."""
        self._end = None
        self.rows = self.rows.updated(self.cells.rows(sums.counts))
        if self.learn_prevalence:
            self.prevalence = sums.node_counts / sums.node_counts.sum()

    def end(self) -> TableEnd:
        """What an E-step finds at the parameters in force."""
        if self._end is None:
            self._end = self.placed.sums(TablePart.end, None, self.message)
        return self._end

    def collapsed(self) -> bool:
        """There is no spam to collapse into."""
        return False

    def mirrored(self) -> bool:
        """Whether the estimates run against the mean of the ratings: the truth with its grades exchanged."""
        return self.end().truths.moments.correlation < 0
