# Kernels over arrays: the caller allocates, outputs come last, nothing is kept between calls.

import numpy as np
from numpy.typing import NDArray

PLAN_CHUNKS: int

def hash_texts(
    offsets: NDArray[np.int64], data: NDArray[np.uint8], *, threads: int, hash_out: NDArray[np.uint64]
) -> None: ...
def number_texts(
    offsets: NDArray[np.int64],
    data: NDArray[np.uint8],
    *,
    known: int,
    slots: NDArray[np.uint64],
    store_offsets: NDArray[np.int64],
    store_data: NDArray[np.uint8],
    number_out: NDArray[np.int32],
) -> tuple[int, int]: ...
def number_codes(
    code: NDArray[np.int32],
    kept: NDArray[np.bool_] | None,
    *,
    number_out: NDArray[np.int32],
    code_out: NDArray[np.int32],
) -> int: ...
def csr_sort(
    instance: NDArray[np.int32],
    annotator: NDArray[np.int32],
    rating: NDArray[np.uint8] | NDArray[np.float64],
    weight: NDArray[np.float64] | None,
    *,
    threads: int,
    instance_ptr_out: NDArray[np.int64],
    row_out: NDArray[np.uint32],
    annotator_out: NDArray[np.int32],
    rating_out: NDArray[np.uint8] | NDArray[np.float64],
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
def best_isa() -> str: ...
def mixture_plan_windows(ratings: int, instances: int) -> int: ...
def mixture_plan(
    instance_ptr: NDArray[np.int64],
    category_ptr: NDArray[np.int64] | None,
    *,
    annotators: int,
    threads: int,
    order_out: NDArray[np.int32],
    window_ptr_out: NDArray[np.int64],
    chunk_ptr_out: NDArray[np.int64],
) -> tuple[int, int]: ...
def mixture_sweep(
    *,
    instance_ptr: NDArray[np.int64],
    annotator: NDArray[np.int32],
    grade: NDArray[np.uint8] | None,
    value: NDArray[np.float64] | None,
    weight: NDArray[np.float64] | None,
    category_ptr: NDArray[np.int64] | None,
    clamped: NDArray[np.uint8] | None,
    order: NDArray[np.int32],
    window_ptr: NDArray[np.int64],
    chunk_ptr: NDArray[np.int64],
    tau_mean: NDArray[np.float64],
    tau_log_mean: NDArray[np.float64],
    eps_log_mean: NDArray[np.float64],
    eps_log1m_mean: NDArray[np.float64],
    bounds: NDArray[np.float64],
    grade_value: NDArray[np.float64],
    log_spam: NDArray[np.float64],
    z_prior_mean: float,
    z_prior_precision: float,
    delta_prior_shape: float,
    delta_prior_rate: float,
    delta_mean: float,
    delta_log_mean: float,
    link: int,
    responsibility: int,
    difficulty: int,
    isa: str,
    threads: int,
    z_mean: NDArray[np.float64],
    z_precision: NDArray[np.float64],
    delta_shape: NDArray[np.float64] | None,
    delta_rate: NDArray[np.float64] | None,
    annotator_out: NDArray[np.float64],
    spam_weight_out: NDArray[np.float64],
    totals_out: NDArray[np.float64],
    responsibility_out: NDArray[np.float64] | None,
) -> None: ...
def table_tile_instances(annotators: int, grades: int, nodes: int) -> int: ...
def table_plan(
    instance_ptr: NDArray[np.int64],
    annotator: NDArray[np.int32],
    grade: NDArray[np.uint8],
    weight: NDArray[np.float64] | None,
    *,
    annotators: int,
    grades: int,
    tile_instances: int,
    threads: int,
    cell_out: NDArray[np.int32],
    instance_out: NDArray[np.int32],
    weight_out: NDArray[np.float64] | None,
) -> None: ...
def table_sweep(
    *,
    annotators: int,
    grades: int,
    instance_ptr: NDArray[np.int64],
    annotator: NDArray[np.int32],
    grade: NDArray[np.uint8],
    weight: NDArray[np.float64] | None,
    prior_row: NDArray[np.int32] | None,
    tile_instances: int,
    cell: NDArray[np.int32],
    instance: NDArray[np.int32],
    cell_weight: NDArray[np.float64] | None,
    table_float: NDArray[np.float32] | None,
    table_double: NDArray[np.float64] | None,
    log_prior: NDArray[np.float64],
    isa: str,
    threads: int,
    counts_out: NDArray[np.float64],
    node_counts_out: NDArray[np.float64],
    log_z_out: NDArray[np.float64],
    posterior_out: NDArray[np.float64] | None,
) -> None: ...
def truncated_normal_moments(
    lower: NDArray[np.float64],
    upper: NDArray[np.float64],
    mean: NDArray[np.float64],
    precision: NDArray[np.float64],
    *,
    isa: str,
    log_mass_out: NDArray[np.float64],
    mean_out: NDArray[np.float64],
    spread_out: NDArray[np.float64],
) -> None: ...
def gamma_functions(
    shape: NDArray[np.float64],
    *,
    isa: str,
    digamma_out: NDArray[np.float64],
    log_gamma_out: NDArray[np.float64],
) -> None: ...
def glad_pass(
    instance_ptr: NDArray[np.int64],
    annotator: NDArray[np.int32],
    grade: NDArray[np.uint8],
    weight: NDArray[np.float64] | None,
    known: NDArray[np.int32] | None,
    alpha: NDArray[np.float64],
    beta: NDArray[np.float64],
    log_prior: NDArray[np.float64],
    *,
    settled: bool,
    threads: int,
    truth: NDArray[np.float64],
    annotator_out: NDArray[np.float64],
    instance_out: NDArray[np.float64],
    log_likelihood_out: NDArray[np.float64],
) -> None: ...
