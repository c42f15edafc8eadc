# The compiled kernel. Arrays are C-ordered and of the exact dtype; outputs come last and are written in place.

from typing import Any

import numpy as np
from numpy.typing import NDArray

def hash_texts(
    offsets: NDArray[np.int64], data: NDArray[np.uint8], *, threads: int, hash_out: NDArray[np.uint64]
) -> None: ...
def csr_sort(
    instance: NDArray[np.int32],
    annotator: NDArray[np.int32],
    rating: NDArray[Any],
    weight: NDArray[np.float64] | None,
    *,
    threads: int,
    instance_ptr_out: NDArray[np.int64],
    row_out: NDArray[np.uint32],
    annotator_out: NDArray[np.int32],
    rating_out: NDArray[Any],
) -> None: ...
def grade_counts(
    instance_ptr: NDArray[np.int64],
    grade: NDArray[np.uint8],
    weight: NDArray[np.float64] | None,
    *,
    threads: int,
    counts_out: NDArray[np.float64],
) -> None: ...
def agreement_sums(
    instance_ptr: NDArray[np.int64],
    annotator: NDArray[np.int32],
    grade: NDArray[np.uint8],
    weight: NDArray[np.float64] | None,
    *,
    grades: int,
    threads: int,
    agree_out: NDArray[np.float64],
    paired_out: NDArray[np.float64],
) -> None: ...
