"""The NumPy twin of `table_sweep`: the same sums as whole-array equations, slow and plain."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from truegrade.inference.table_sweep import TablePlan, TableRatings, TableSums
    from truegrade.instruction_sets import Isa

__all__ = ["table_sweep_numpy"]


def table_sweep_numpy(
    ratings: TableRatings,
    table: NDArray[Any],
    log_prior: NDArray[np.float64],
    sums_out: TableSums,
    *,
    plan: TablePlan | None = None,  # noqa: ARG001 - the kernel's signature
    threads: int = 0,  # noqa: ARG001
    isa: Isa = "auto",  # noqa: ARG001
) -> None:
    """Do what `table_sweep` does."""
    annotators, grades, nodes = table.shape
    instances = ratings.instance_ptr.size - 1
    m = np.repeat(np.arange(instances), np.diff(ratings.instance_ptr))
    cell = ratings.annotator.astype(np.int64) * grades + ratings.grade
    weight = np.ones(cell.size) if ratings.weight is None else ratings.weight
    rows = np.zeros(instances, np.int32) if ratings.prior_row is None else ratings.prior_row

    score = log_prior[rows]  # (M, G)
    added = table.reshape(annotators * grades, nodes)[cell].astype(np.float64) * weight[:, None]
    for g in range(nodes):
        score[:, g] += np.bincount(m, added[:, g], instances)
    top = score.max(axis=1, keepdims=True)
    with np.errstate(under="ignore"):
        mass = np.exp(score - top)
        total = mass.sum(axis=1, keepdims=True)
        q = mass / total
        sums_out.log_z[:] = (top + np.log(total))[:, 0]
        sums_out.node_counts[:] = q.sum(axis=0)
        for g in range(nodes):
            counts = np.bincount(cell, weight * q[m, g], annotators * grades)
            sums_out.counts[:, :, g] = counts.reshape(annotators, grades)
    if sums_out.posterior is not None:
        sums_out.posterior[:] = q
