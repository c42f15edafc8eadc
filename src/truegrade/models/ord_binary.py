"""Ord-Binary: a grade is K - 1 yes-or-no questions, "is it above j?", and each has two coins per annotator.

    z_m ~ pi                                          the truth, one of K grades
    [r_nm > j] is right with probability alpha_nj     if z_m > j
    [r_nm > j] is right with probability beta_nj      if z_m <= j

The bits of a rating are taken as independent given the truth, so that ratings which are no grade have some
probability too; the truth is always a grade (app. A.3 of the paper). Inference is EM, or variational when pooled.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from truegrade.inference.cells import CodedCells
from truegrade.models._table_model import TableModel

if TYPE_CHECKING:
    from truegrade.inference.cells import Cells

__all__ = ["OrdBinary"]


@dataclass(frozen=True, kw_only=True)
class OrdBinary(TableModel):
    """2 (K-1) coins per annotator, with every option of :class:`TableModel`."""

    name: ClassVar[str] = "ord-binary"

    def cells(self, grades: int) -> Cells:
        """Sensitivity and specificity of every bit."""
        return CodedCells(grades)
