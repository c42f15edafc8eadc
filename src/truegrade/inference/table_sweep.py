"""One E-step over a truth on a grid: a row of an annotator's table per rating. Its arrays, and the kernel's wrapper.

Letters: L ratings, N annotators, M instances, K grades, G nodes, P priors.

    ln Z_m q_m(g) = ln p_m(g) + sum over the ratings i of m: w_i table[n_i, k_i, g]
    counts[n, k, g] = sum over the ratings i of annotator n with grade k: w_i q_m(g)
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from truegrade import _kernel
from truegrade.instruction_sets import Isa, default_isa
from truegrade.threads import default_threads

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from truegrade.ratings import Ratings

    Floats = NDArray[np.float64]

__all__ = ["TablePlan", "TableRatings", "TableSums", "table_sweep"]


@dataclass(frozen=True, slots=True, kw_only=True)
class TableRatings:
    """What was observed, in CSR order."""

    instance_ptr: NDArray[np.int64]  # (M+1,)
    annotator: NDArray[np.int32]  # (L,)
    grade: NDArray[np.uint8]  # (L,) 0 .. K-1
    weight: Floats | None = None  # (L,) None: all 1
    prior_row: NDArray[np.int32] | None = None  # (M,) which row of log_prior an instance has; None: the first

    @classmethod
    def of(cls, ratings: Ratings, prior_row: NDArray[np.int32] | None = None) -> TableRatings:
        """The arrays of some ratings."""
        return cls(
            instance_ptr=ratings.instance_ptr,
            annotator=ratings.annotator,
            grade=ratings.grade,
            weight=ratings.weight,
            prior_row=prior_row,
        )


@dataclass(frozen=True, slots=True)
class TablePlan:
    """The ratings once more, in the order in which they are counted. Good for all sweeps with so many nodes."""

    tile_instances: int  # how many instances are scored before their ratings are counted
    cell: NDArray[np.int32]  # (L,): n K + k, ascending inside a tile
    instance: NDArray[np.int32]  # (L,)
    weight: Floats | None  # (L,)

    @classmethod
    def build(cls, ratings: TableRatings, annotators: int, grades: int, nodes: int, threads: int = 0) -> TablePlan:
        """Sort the ratings of every tile; the plan depends on the data alone."""
        plan = cls(
            _kernel.table_tile_instances(annotators, grades, nodes),
            np.empty_like(ratings.annotator),
            np.empty_like(ratings.annotator),
            None if ratings.weight is None else np.empty_like(ratings.weight),
        )
        _kernel.table_plan(
            ratings.instance_ptr,
            ratings.annotator,
            ratings.grade,
            ratings.weight,
            annotators=annotators,
            grades=grades,
            tile_instances=plan.tile_instances,
            threads=threads or default_threads(),
            cell_out=plan.cell,
            instance_out=plan.instance,
            weight_out=plan.weight,
        )
        return plan


@dataclass(frozen=True, slots=True)
class TableSums:
    """What a sweep leaves behind."""

    counts: Floats  # (N, K, G): the soft counts
    node_counts: Floats  # (G,): sum of q_m over the instances
    log_z: Floats  # (M,): ln Z_m; their sum is the log likelihood
    posterior: Floats | None  # (M, G): q_m, where it is wanted

    @classmethod
    def empty(cls, annotators: int, grades: int, nodes: int, instances: int, *, posterior: bool = False) -> TableSums:
        """Room for the sums of a sweep."""
        return cls(
            np.empty((annotators, grades, nodes)),
            np.empty(nodes),
            np.empty(instances),
            np.empty((instances, nodes)) if posterior else None,
        )


def table_sweep(
    ratings: TableRatings,
    table: NDArray[Any],
    log_prior: Floats,
    sums_out: TableSums,
    *,
    plan: TablePlan | None = None,
    threads: int = 0,
    isa: Isa = "auto",
) -> None:
    """q_m and its sums; the same bits for every number of threads.

    table (N, K, G), float32 or float64: ln P(grade k | annotator n, node g), finite. log_prior (P, G): may hold
    -inf, but not in a whole row. plan: worth making once where there are several sweeps.
    """
    annotators, grades, nodes = table.shape
    table, log_prior = np.ascontiguousarray(table), np.ascontiguousarray(log_prior)
    plan = plan or TablePlan.build(ratings, annotators, grades, nodes, threads)
    _kernel.table_sweep(
        annotators=annotators,
        grades=grades,
        instance_ptr=ratings.instance_ptr,
        annotator=ratings.annotator,
        grade=ratings.grade,
        weight=ratings.weight,
        prior_row=ratings.prior_row,
        tile_instances=plan.tile_instances,
        cell=plan.cell,
        instance=plan.instance,
        cell_weight=plan.weight,
        table_float=table if table.dtype == np.float32 else None,
        table_double=None if table.dtype == np.float32 else table,
        log_prior=log_prior,
        isa=default_isa() if isa == "auto" else isa,
        threads=threads or default_threads(),
        counts_out=sums_out.counts,
        node_counts_out=sums_out.node_counts,
        log_z_out=sums_out.log_z,
        posterior_out=sums_out.posterior,
    )
