"""How far estimates are from gold. Functions of arrays; what is not defined is None, never NaN."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from truegrade.ties import average_ranks, is_constant

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Reals = NDArray[np.float64]
    Indices = NDArray[np.integer]

__all__ = ["accuracy", "coverage", "kappa", "log_loss", "mae", "mse", "pearson", "spearman"]

_FLOOR = 1e-12  # of a probability inside log_loss: one impossible gold grade must not make the mean infinite


def mse(estimates: Reals, gold: Reals) -> float | None:
    """Mean squared error.

    >>> mse(np.array([1.0, 2.0]), np.array([1.0, 4.0]))
    2.0
    """
    return float(np.mean((estimates - gold) ** 2)) if gold.size else None


def mae(estimates: Reals, gold: Reals) -> float | None:
    """Mean absolute error.

    >>> mae(np.array([1.0, 2.0]), np.array([1.0, 4.0]))
    1.0
    """
    return float(np.mean(np.abs(estimates - gold))) if gold.size else None


def pearson(estimates: Reals, gold: Reals) -> float | None:
    """Linear correlation; None for fewer than two pairs or when either side is constant.

    >>> pearson(np.array([1.0, 2.0, 3.0]), np.array([2.0, 4.0, 6.0]))
    1.0
    >>> pearson(np.array([1.0, 1.0]), np.array([2.0, 4.0])) is None
    True
    """
    if gold.size < 2 or is_constant(estimates) or is_constant(gold):
        return None
    # Scaled to at most 1 before squaring, so that no value a user can hold overflows or underflows.
    x, y = (_scaled(side - side.mean()) for side in (estimates, gold))
    return float(np.clip(np.sum(x * y) / np.sqrt(np.sum(x * x) * np.sum(y * y)), -1, 1))


def spearman(estimates: Reals, gold: Reals, span: float = 0.0) -> float | None:
    """Correlation of the ranks, tied values sharing their average rank (:func:`truegrade.ties.run_starts`).

    >>> spearman(np.array([1.0, 2.0, 30.0]), np.array([1.0, 2.0, 3.0]))
    1.0
    """
    if gold.size < 2:
        return None
    return pearson(average_ranks(estimates, span), average_ranks(gold, span))


def accuracy(grade: Indices, gold: Indices) -> float | None:
    """Share of grades that equal the gold grade; both are indices 0 .. K-1.

    >>> accuracy(np.array([0, 1]), np.array([0, 2]))
    0.5
    """
    return float(np.mean(grade == gold)) if gold.size else None


def kappa(grade: Indices, gold: Indices, values: Reals) -> float | None:
    """Cohen's kappa, disagreement weighted by the squared distance of the grades' `values` (K,).

    None where chance alone leaves nothing to disagree about: both sides always give one and the same grade.

    >>> kappa(np.array([0, 1, 2]), np.array([0, 1, 2]), np.array([1.0, 2.0, 3.0]))
    1.0
    """
    if gold.size == 0:
        return None
    n_grades = values.size
    pairs = np.bincount(grade.astype(np.int64) * n_grades + gold, minlength=n_grades**2)  # (K K,)
    pairs = pairs.reshape(n_grades, n_grades)
    distance = (values[:, None] - values) ** 2
    expected = np.sum(distance * np.outer(pairs.sum(axis=1), pairs.sum(axis=0))) / gold.size
    return float(1 - np.sum(distance * pairs) / expected) if expected > 0 else None


def log_loss(posterior: Reals, gold: Indices) -> float | None:
    """Mean of -ln p(gold grade), p at least 1e-12; `posterior` (n, K).

    >>> round(log_loss(np.array([[0.5, 0.5], [1.0, 0.0]]), np.array([0, 0])), 4)
    0.3466
    """
    if gold.size == 0:
        return None
    return float(np.mean(-np.log(np.maximum(posterior[np.arange(gold.size), gold], _FLOOR))))


def coverage(lower: Reals, upper: Reals, gold: Reals) -> float | None:
    """Share of gold that lies in [lower, upper].

    >>> coverage(np.array([1.0, 1.0]), np.array([2.0, 2.0]), np.array([2.0, 3.0]))
    0.5
    """
    return float(np.mean((lower <= gold) & (gold <= upper))) if gold.size else None


def _scaled(deviation: Reals) -> Reals:
    scaled: Reals = deviation / np.max(np.abs(deviation))
    return scaled
