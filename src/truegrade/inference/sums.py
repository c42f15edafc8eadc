"""NumPy twins of the kernels that sort and add up: same signatures, no speed. Tests compare the two."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Reals = NDArray[np.float64]
    Words = NDArray[np.uint64]

__all__ = ["agreement_sums", "csr_sort", "grade_counts", "hash_texts"]

_GOLDEN = np.uint64(0x9E3779B97F4A7C15)


def hash_texts(
    offsets: NDArray[np.int64],
    data: NDArray[np.uint8],
    *,
    threads: int,  # noqa: ARG001  the kernel's signature
    hash_out: Words,
) -> None:
    """A 64-bit hash of each text data[offsets[i]:offsets[i+1]]; offsets (S+1,), data (B,), hash_out (S,)."""
    size = np.diff(offsets)
    hash_out[:] = _mix(_GOLDEN + size.astype(np.uint64))
    for begin in range(0, int(size.max(initial=0)), 8):  # one word of every text at a time
        unfinished = np.flatnonzero(size > begin)
        word = np.zeros(unfinished.size, dtype=np.uint64)
        for byte in range(8):
            has = size[unfinished] > begin + byte
            at = offsets[unfinished[has]] + begin + byte
            word[has] |= data[at].astype(np.uint64) << np.uint64(8 * byte)
        hash_out[unfinished] = _mix(hash_out[unfinished] ^ word) + _GOLDEN
    hash_out[:] = _mix(hash_out)


def csr_sort(
    instance: NDArray[np.int32],
    annotator: NDArray[np.int32],
    rating: NDArray[Any],
    weight: Reals | None,
    *,
    threads: int,  # noqa: ARG001  the kernel's signature
    instance_ptr_out: NDArray[np.int64],
    row_out: NDArray[np.uint32],
    annotator_out: NDArray[np.int32],
    rating_out: NDArray[Any],
) -> None:
    """Sort by instance, annotator, rating, weight, row; instance_ptr_out (M+1,), all others (L,)."""
    keys = (rating, annotator, instance) if weight is None else (weight, rating, annotator, instance)
    row_out[:] = np.lexsort(keys)  # stable, so that the row decides last
    instance_ptr_out[0] = 0
    np.cumsum(np.bincount(instance, minlength=instance_ptr_out.size - 1), out=instance_ptr_out[1:])
    annotator_out[:] = annotator[row_out]
    rating_out[:] = rating[row_out]


def grade_counts(
    instance_ptr: NDArray[np.int64],
    grade: NDArray[np.uint8],
    weight: Reals | None,
    *,
    threads: int,  # noqa: ARG001  the kernel's signature
    counts_out: Reals,
) -> None:
    """Weight of each grade per instance; instance_ptr (M+1,), grade and weight (L,), counts_out (M, K)."""
    cell = _instance_of(instance_ptr) * counts_out.shape[1] + grade
    counts_out[:] = np.bincount(cell, weight, counts_out.size).reshape(counts_out.shape)


def agreement_sums(
    instance_ptr: NDArray[np.int64],
    annotator: NDArray[np.int32],
    grade: NDArray[np.uint8],
    weight: Reals | None,
    *,
    grades: int,
    threads: int,
    agree_out: Reals,
    paired_out: Reals,
) -> None:
    """How much each annotator agrees with the others' ratings of the same instances.

    instance_ptr (M+1,); annotator, grade, weight (L,), sorted by csr_sort; agree_out, paired_out (N,).
    """
    instance = _instance_of(instance_ptr)
    weights = np.ones(grade.size) if weight is None else weight
    total = np.empty((instance_ptr.size - 1, grades))
    grade_counts(instance_ptr, grade, weights, threads=threads, counts_out=total)

    # One run = the ratings of one annotator on one instance, which stand side by side.
    new_run = np.ones(grade.size, dtype=bool)
    new_run[1:] = (instance[1:] != instance[:-1]) | (annotator[1:] != annotator[:-1])
    run = np.cumsum(new_run) - 1
    own = np.bincount(run * grades + grade, weights, (run.max(initial=-1) + 1) * grades).reshape(-1, grades)
    runs_of_instance = np.bincount(instance[new_run], minlength=total.shape[0])

    paired = runs_of_instance[instance] > 1
    others_alike = total[instance, grade] - own[run, grade]
    others = total.sum(axis=1)[instance] - own.sum(axis=1)[run]
    agree = np.divide(weights * others_alike, others, out=np.zeros(grade.size), where=paired)
    agree_out[:] = np.bincount(annotator, agree, agree_out.size)
    paired_out[:] = np.bincount(annotator, weights * paired, paired_out.size)


def _mix(x: Words) -> Words:
    """The finaliser of splitmix64."""
    x = (x ^ (x >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    x = (x ^ (x >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return x ^ (x >> np.uint64(31))


def _instance_of(instance_ptr: NDArray[np.int64]) -> NDArray[np.int64]:
    """The instance of each rating (L,)."""
    return np.repeat(np.arange(instance_ptr.size - 1), np.diff(instance_ptr))
