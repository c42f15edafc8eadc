"""How soft counts become rows of probabilities and those a table again: what sets models on one sweep apart.

counts (N, K, G) and table (N, K, G) are the sweep's: annotator, rating, truth. Rows are (N, R, J), see categorical.py.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

__all__ = ["Cells", "CodedCells", "CoinCells", "ConfusionCells"]


class Cells(Protocol):
    """A linear map from counts to rows, and its transpose from log probabilities to a table."""

    @property
    def grades(self) -> int:
        """K."""

    @property
    def alike(self) -> Floats:
        """How many cells of one truth's row of the confusion matrix each answer stands for (J,)."""

    def rows(self, counts: Floats) -> Floats:
        """Counts (N, K, G) gathered into rows (N, R, J)."""

    def table(self, log_p: Floats) -> Floats:
        """ln P(rating | truth) (N, K, G)."""

    def confusion(self, mean: Floats) -> Floats:
        """P(says j | truth k) (N, K, K) from the rows' probabilities."""


@dataclass(frozen=True)
class ConfusionCells:
    """Dawid and Skene: one row of K answers for each of K truths."""

    grades: int

    @property
    def alike(self) -> Floats:
        """Every answer is one cell."""
        return np.ones(self.grades)

    def rows(self, counts: Floats) -> Floats:
        """Truth first."""
        return np.ascontiguousarray(counts.transpose(0, 2, 1))

    def table(self, log_p: Floats) -> Floats:
        """Rating first."""
        return np.ascontiguousarray(log_p.transpose(0, 2, 1))

    def confusion(self, mean: Floats) -> Floats:
        """The rows are the matrix."""
        return mean


@dataclass(frozen=True)
class CoinCells:
    """One coin: right with the same probability whatever the truth, else any wrong grade."""

    grades: int

    @property
    def alike(self) -> Floats:
        """One right answer, K - 1 wrong ones."""
        return np.array([1.0, self.grades - 1.0])

    def rows(self, counts: Floats) -> Floats:
        """Right and wrong ratings (N, 1, 2)."""
        right = np.einsum("nkk->n", counts)
        return np.stack([right, np.maximum(counts.sum(axis=(1, 2)) - right, 0.0)], axis=1)[:, None, :]

    def table(self, log_p: Floats) -> Floats:
        """Ln p on the diagonal, ln (1-p)/(K-1) elsewhere."""
        k = self.grades
        wrong = log_p[:, 0, 1] - np.log(max(k - 1, 1))
        table: Floats = np.where(np.eye(k, dtype=bool), log_p[:, 0, 0, None, None], wrong[:, None, None])
        return table

    def confusion(self, mean: Floats) -> Floats:
        """P on the diagonal, (1-p)/(K-1) elsewhere; a single grade is always right."""
        k = self.grades
        if k == 1:
            return np.ones((len(mean), 1, 1))
        wrong = mean[:, 0, 1] / (k - 1)
        matrix: Floats = np.where(np.eye(k, dtype=bool), mean[:, 0, 0, None, None], wrong[:, None, None])
        return matrix


@dataclass(frozen=True)
class CodedCells:
    """Ord-Binary: a grade is the code of K - 1 bits [grade > j], and each bit is a coin of its own for either truth.

    Row 2 j + t is bit j where the true bit is t; its answers are bit 0 and bit 1. Only the K codes that are grades
    can be true.
    """

    grades: int

    @property
    def alike(self) -> Floats:
        """Two answers, one cell each."""
        return np.ones(2)

    def rows(self, counts: Floats) -> Floats:
        """Counts of (true bit, said bit) for every bit (N, 2(K-1), 2)."""
        below_said = np.cumsum(counts, axis=1)[:, :-1]  # (N, K-1, G): said bit 0
        below = np.cumsum(below_said, axis=2)  # sums over truths up to g
        total = np.cumsum(counts.sum(axis=1), axis=1)  # (N, G)
        bits = np.arange(self.grades - 1)
        low_low, low_all = below[:, bits, bits], total[:, :-1]  # true bit 0: said 0, said anything
        all_low, everything = below[:, :, -1], total[:, -1:]
        rows = np.empty((len(counts), self.grades - 1, 2, 2))
        rows[:, :, 0, 0], rows[:, :, 0, 1] = low_low, low_all - low_low
        rows[:, :, 1, 0] = all_low - low_low
        rows[:, :, 1, 1] = everything - low_all - (all_low - low_low)
        return np.maximum(rows, 0.0).reshape(
            len(counts), 2 * (self.grades - 1), 2
        )  # differences of sums may fall below 0 by rounding

    def table(self, log_p: Floats) -> Floats:
        """Ln P of the code said given the true code: the bits' logarithms added up."""
        k = self.grades
        bit = log_p.reshape(len(log_p), k - 1, 2, 2)  # (N, K-1, true, said)
        code = (np.arange(k)[:, None] > np.arange(k - 1)).astype(np.intp)  # (K, K-1)
        table = np.zeros((len(log_p), k, k))
        for j in range(k - 1):
            table += bit[:, j][:, code[None, :, j], code[:, j, None]]  # (N, said, true)
        return table

    def confusion(self, mean: Floats) -> Floats:
        """P(says j | truth k), given that what is said is a grade."""
        log_table = self.table(np.log(np.maximum(mean, 1e-300))).transpose(0, 2, 1)
        matrix = np.exp(log_table - log_table.max(axis=2, keepdims=True))
        shares: Floats = matrix / matrix.sum(axis=2, keepdims=True)
        return shares
