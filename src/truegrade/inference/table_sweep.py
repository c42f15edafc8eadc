"""One E-step over a truth on a grid: a row of an annotator's table per rating. Its arrays, and who does it.

Letters: L ratings, N annotators, M instances, K grades, G nodes, P priors.

    ln Z_m q_m(g) = ln p_m(g) + sum over the ratings i of m: w_i table[n_i, k_i, g]
    counts[n, k, g] = sum over the ratings i of annotator n with grade k: w_i q_m(g)
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from truegrade.inference.table_twin import table_sweep_numpy as table_sweep

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from truegrade.ratings import Ratings

    Floats = NDArray[np.float64]

__all__ = ["TableRatings", "TableSums", "table_sweep"]


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
