"""Random inputs for a sweep over tables, and a fit's habits that every model of grades must share."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from truegrade.inference.table_sweep import TableRatings, TableSums


class Problem(NamedTuple):
    ratings: TableRatings
    table: np.ndarray  # (N, K, G)
    log_prior: np.ndarray  # (P, G)

    def room(self) -> TableSums:
        """Sums full of a number that must not survive."""
        annotators, grades, nodes = self.table.shape
        sums = TableSums.empty(annotators, grades, nodes, self.ratings.instance_ptr.size - 1, posterior=True)
        for name in TableSums.__slots__:
            getattr(sums, name)[:] = 77.0
        return sums


def make_problem(
    degrees: np.ndarray,
    *,
    annotators: int = 7,
    grades: int = 5,
    nodes: int = 5,
    dtype: str = "float64",
    weighted: bool = False,
    priors: int = 1,
    seed: int = 0,
) -> Problem:
    rng = np.random.default_rng(seed)
    instances, ratings = len(degrees), int(degrees.sum())
    data = TableRatings(
        instance_ptr=np.concatenate([[0], np.cumsum(degrees)]).astype(np.int64),
        annotator=rng.integers(0, annotators, ratings).astype(np.int32),
        grade=rng.integers(0, grades, ratings).astype(np.uint8),
        weight=rng.choice([0.25, 1.0, 2.5], ratings) if weighted else None,
        prior_row=rng.integers(0, priors, instances).astype(np.int32) if priors > 1 else None,
    )
    table = np.log(rng.dirichlet(np.full(grades, 0.4), (annotators, nodes)).transpose(0, 2, 1) + 1e-30)
    log_prior = np.log(rng.dirichlet(np.ones(nodes), priors))
    log_prior[1:, 1:][rng.random((priors - 1, nodes - 1)) < 0.4] = -np.inf  # truths that are known in part
    return Problem(data, np.ascontiguousarray(table, dtype=dtype), log_prior)
