"""GLAD's kernel: the posterior of every truth, the log-likelihood, its slope and curvature, in one pass."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from truegrade import _kernel

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

__all__ = ["GladRatings", "GladSums", "glad_pass"]


@dataclass(frozen=True, slots=True)
class GladRatings:
    """What every pass reads."""

    instance_ptr: NDArray[np.int64]  # (M+1,)
    annotator: NDArray[np.int32]  # (L,)
    grade: NDArray[np.uint8]  # (L,): 0 .. K-1
    weight: Floats | None  # (L,)
    known: NDArray[np.int32] | None  # (M,): the true grade where it is known, else -1


@dataclass(slots=True)
class GladSums:
    """What a pass writes; it reads `truth` where that is settled."""

    truth: Floats  # (M, K): P(z_m = k | ratings)
    annotator: Floats  # (N, 2): slope and curvature of the log-likelihood in alpha_n
    instance: Floats  # (M, 2): and in ln beta_m
    log_likelihood: Floats  # (1,)

    @classmethod
    def empty(cls, annotators: int, instances: int, grades: int) -> GladSums:
        """Arrays to be written to."""
        return cls(np.empty((instances, grades)), np.empty((annotators, 2)), np.empty((instances, 2)), np.empty(1))

    def beside(self) -> GladSums:
        """Room of its own for everything but the truth, which both share."""
        return GladSums(self.truth, np.empty_like(self.annotator), np.empty_like(self.instance), np.empty(1))


def glad_pass(
    ratings: GladRatings,
    alpha: Floats,
    beta: Floats,
    log_prior: Floats,
    sums: GladSums,
    *,
    settled: bool,
    threads: int,
) -> None:
    """Fill `sums` from the ability alpha (N,), the ease beta (M,) and ln P(z = k) (K,).

    settled: keep `sums.truth`, and take expectations over it: EM's M-step.
    """
    _kernel.glad_pass(
        ratings.instance_ptr,
        ratings.annotator,
        ratings.grade,
        ratings.weight,
        ratings.known,
        alpha,
        beta,
        log_prior,
        settled=settled,
        threads=threads,
        truth=sums.truth,
        annotator_out=sums.annotator,
        instance_out=sums.instance,
        log_likelihood_out=sums.log_likelihood,
    )
