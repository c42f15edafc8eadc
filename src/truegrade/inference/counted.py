"""Confusion matrices counted from truths that some model believes in, for models that have none of their own."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from truegrade.ratings import Ratings

    Floats = NDArray[np.float64]

__all__ = ["counted_confusion"]

_POOLED = 5.0  # how many ratings the matrix of all annotators is worth, per true grade
_ADDED = 0.5


def counted_confusion(ratings: Ratings, p: Floats) -> Floats:
    """P(says j | truth is k) per annotator (N+1, K, K) from P(grade) (M, K), drawn to that of all, which comes last."""
    grades, annotators = p.shape[1], ratings.n_annotators
    cell = ratings.annotator.astype(np.int64) * grades + ratings.grade
    weight = np.ones(ratings.n_ratings) if ratings.weight is None else ratings.weight
    instance = ratings.instance_of()
    rows = np.zeros((annotators + 1, grades, grades))
    for k in range(grades):
        mass = np.bincount(cell, weight * p[instance, k], annotators * grades)
        rows[:-1, k] = mass.reshape(-1, grades)
    pooled = rows.sum(axis=0) + _ADDED
    rows += _POOLED * pooled / pooled.sum(axis=1, keepdims=True)
    counted: Floats = rows / rows.sum(axis=2, keepdims=True)
    return counted
