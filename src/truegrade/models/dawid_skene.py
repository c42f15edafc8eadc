"""Dawid and Skene's model: every annotator has a confusion matrix of its own.

    z_m ~ pi                                 the truth of instance m, one of K grades
    r_nm = j with probability phi_nkj        if z_m = k

Inference is EM; with pooling it is variational, phi being a latent variable (app. A.1 of the paper).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, Literal

from truegrade.inference.cells import CoinCells, ConfusionCells
from truegrade.models._table_model import TableModel

if TYPE_CHECKING:
    from truegrade.inference.cells import Cells

__all__ = ["DawidSkene"]


@dataclass(frozen=True, kw_only=True)
class DawidSkene(TableModel):
    """A confusion matrix per annotator, with every option of :class:`TableModel`.

    errors: "any" learns K (K-1) probabilities per annotator; "alike" a single one, of being right, whatever the truth,
        and all wrong grades are equally likely (one coin).
    """

    name: ClassVar[str] = "dawid-skene"
    errors: Literal["any", "alike"] = "any"

    def cells(self, grades: int) -> Cells:
        """The confusion matrix, or its one number; a coin needs a wrong grade."""
        return ConfusionCells(grades) if self.errors == "any" or grades == 1 else CoinCells(grades)
