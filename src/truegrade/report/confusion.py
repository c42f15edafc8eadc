"""What annotators say where the truth is estimated to be this or that grade."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from truegrade.report.text import shown_grades, shown_ids

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from truegrade.fit import Fit
    from truegrade.ratings import Ratings
    from truegrade.scale import Scale

__all__ = ["confusion_counts", "confusion_rows", "grade_bins"]

_MOST_BINS = 11  # grades that a table shows; of more, neighbours share a row


def grade_bins(scale: Scale) -> tuple[NDArray[np.intp], list[str]]:
    """Which row of a confusion table each grade belongs to (K,), and what the rows are called."""
    n_bins = min(scale.n_grades, _MOST_BINS)
    bin_of = np.arange(scale.n_grades) * n_bins // scale.n_grades
    first = np.searchsorted(bin_of, np.arange(n_bins))
    last = np.append(first[1:], scale.n_grades) - 1
    labels = shown_grades(scale)
    return bin_of, [labels[a] if a == b else f"{labels[a]} to {labels[b]}" for a, b in zip(first, last, strict=True)]


def confusion_counts(fit: Fit, ratings: Ratings) -> NDArray[np.float64]:
    """Weight of each annotator's ratings by the grade that the truth is believed to be (N, truth, rating), binned."""
    bin_of, names = grade_bins(ratings.scale)
    n_bins = len(names)
    p = np.add.reduceat(fit.posterior.probabilities(fit.scale), np.searchsorted(bin_of, np.arange(n_bins)), axis=1)
    cell = ratings.annotator.astype(np.int64) * n_bins + bin_of[ratings.grade]
    instance = ratings.instance_of()
    counts = np.empty((ratings.n_annotators, n_bins, n_bins))
    for truth in range(n_bins):
        weight = p[instance, truth] if ratings.weight is None else p[instance, truth] * ratings.weight
        counts[:, truth] = np.bincount(cell, weight, ratings.n_annotators * n_bins).reshape(-1, n_bins)
    return counts


def confusion_rows(fit: Fit, ratings: Ratings, codes: NDArray[np.intp]) -> list[dict[str, Any]]:
    """One row per cell of some annotators' tables; shares are of the row of the table."""
    counts = confusion_counts(fit, ratings)[codes]
    shares = counts / np.maximum(counts.sum(axis=2, keepdims=True), 1e-300)
    _, names = grade_bins(ratings.scale)
    return [
        {
            "annotator": name,
            "truth": truth,
            "rating": rating,
            "share": round(float(shares[i, g, k]), 3),
            "ratings": round(float(counts[i, g, k]), 1),
        }
        for i, name in enumerate(shown_ids(ratings.annotators, codes))
        for g, truth in enumerate(names)
        for k, rating in enumerate(names)
    ]
