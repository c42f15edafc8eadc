"""One pass of variational inference for the ordinal mixture: its arrays, and the kernel's wrapper.

Letters: L ratings, N annotators, M instances, C categories, K grades. D is C or M, whatever has an ease.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np

from truegrade import _kernel
from truegrade.instruction_sets import Isa, default_isa

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

_LINKS = ("ordinal", "real")
_RESPONSIBILITIES = ("printed", "exact")
_DIFFICULTIES = ("none", "category", "instance")


@dataclass(frozen=True, slots=True, kw_only=True)
class MixtureOptions:
    """Which variant of the model and of its update of q(y)."""

    link: Literal["ordinal", "real"] = "ordinal"
    responsibility: Literal["printed", "exact"] = "printed"
    difficulty: Literal["none", "category", "instance"] = "none"


@dataclass(frozen=True, slots=True, kw_only=True)
class MixtureRatings:
    """What was observed, in CSR order by (category, instance)."""

    instance_ptr: NDArray[np.int64]  # (M+1,)
    annotator: NDArray[np.int32]  # (L,)
    grade: NDArray[np.uint8] | None = None  # (L,) 0 .. K-1; None: ratings on no scale, K = 1
    value: Floats | None = None  # (L,) real ratings; None: the values of the grades
    weight: Floats | None = None  # (L,) None: all 1
    category_ptr: NDArray[np.int64] | None = None  # (C+1,) over instances; for difficulty "category" only
    clamped: NDArray[np.uint8] | None = None  # (M,) 1 where state.z_mean is known; z_precision is inf


@dataclass(frozen=True, slots=True, kw_only=True)
class MixtureParameters:
    """The factors and hyperparameters that a pass leaves as they are."""

    tau_mean: Floats  # (N,) E tau
    tau_log_mean: Floats  # (N,) E ln tau
    eps_log_mean: Floats  # (N,) E ln eps, may be -inf
    eps_log1m_mean: Floats  # (N,) E ln(1 - eps), may be -inf
    bounds: Floats  # (K+1,) thresholds, the outer ones may be infinite
    grade_value: Floats  # (K,)
    log_spam: Floats  # (K,) ln of the spam component's mass (ordinal link) or density (real link)
    z_prior_mean: float
    z_prior_precision: float
    delta_prior_shape: float = 1.0
    delta_prior_rate: float = 1.0
    delta_mean: float = 1.0  # E delta and E ln delta of the one delta of difficulty "none"
    delta_log_mean: float = 0.0


@dataclass(frozen=True, slots=True)
class MixtureState:
    """q(z) and q(delta), updated in place."""

    z_mean: Floats  # (M,)
    z_precision: Floats  # (M,)
    delta_shape: Floats | None = None  # (D,)
    delta_rate: Floats | None = None  # (D,)

    def copy(self) -> MixtureState:
        """A state with arrays of its own."""
        shape, rate = self.delta_shape, self.delta_rate
        return MixtureState(
            self.z_mean.copy(),
            self.z_precision.copy(),
            None if shape is None else shape.copy(),
            None if rate is None else rate.copy(),
        )


@dataclass(frozen=True, slots=True)
class MixtureSums:
    """What a pass hands to the updates of the annotators and of the hyperparameters."""

    annotator: Floats  # (N, 3) sums of w omega, of [E delta] w omega E(x-z)^2 and of w omega (1-omega)
    spam_weight: Floats  # (K,) sum of w (1-omega) by grade
    totals: Floats  # (3,) ratings' part of the bound, KL(q(z)||p(z)), KL(q(delta)||p(delta))
    responsibility: Floats | None = None  # (L,) omega

    @classmethod
    def empty(cls, annotators: int, grades: int, ratings: int | None = None) -> MixtureSums:
        """Room for the sums; for the responsibilities too if the number of ratings is given."""
        responsibility = None if ratings is None else np.empty(ratings)
        return cls(np.empty((annotators, 3)), np.empty(grades), np.empty(3), responsibility)


@dataclass(frozen=True, slots=True)
class MixturePlan:
    """The order in which passes visit the instances: a function of the data alone, built once per fit."""

    order: NDArray[np.int32]  # (M,) instances window by window, inside one by falling number of ratings
    window_ptr: NDArray[np.int64]  # (windows+1,) over order
    chunk_ptr: NDArray[np.int64]  # (chunks+1,) over windows

    @classmethod
    def build(cls, ratings: MixtureRatings, options: MixtureOptions, annotators: int, threads: int = 1) -> MixturePlan:
        """Plan the passes over `ratings`."""
        instances = len(ratings.instance_ptr) - 1
        order = np.empty(instances, np.int32)
        window_ptr = np.empty(_kernel.mixture_plan_windows(len(ratings.annotator), instances), np.int64)
        chunk_ptr = np.empty(_kernel.PLAN_CHUNKS, np.int64)
        windows, chunks = _kernel.mixture_plan(
            ratings.instance_ptr,
            ratings.category_ptr if options.difficulty == "category" else None,
            annotators=annotators,
            threads=threads,
            order_out=order,
            window_ptr_out=window_ptr,
            chunk_ptr_out=chunk_ptr,
        )
        return cls(order, window_ptr[: windows + 1].copy(), chunk_ptr[: chunks + 1].copy())


def mixture_sweep(
    ratings: MixtureRatings,
    plan: MixturePlan,
    options: MixtureOptions,
    parameters: MixtureParameters,
    state: MixtureState,
    sums_out: MixtureSums,
    threads: int = 1,
    isa: Isa = "auto",
) -> None:
    """Update q(x,y), q(z) and q(delta) once, in this order, instance by instance and category by category.

    The terms of the bound are those right after the step for q(x,y), all other factors being as they were
    before the pass. Every number of threads gives the same bits.
    """
    _kernel.mixture_sweep(
        instance_ptr=ratings.instance_ptr,
        annotator=ratings.annotator,
        grade=ratings.grade,
        value=ratings.value,
        weight=ratings.weight,
        category_ptr=ratings.category_ptr if options.difficulty == "category" else None,
        clamped=ratings.clamped,
        order=plan.order,
        window_ptr=plan.window_ptr,
        chunk_ptr=plan.chunk_ptr,
        tau_mean=parameters.tau_mean,
        tau_log_mean=parameters.tau_log_mean,
        eps_log_mean=parameters.eps_log_mean,
        eps_log1m_mean=parameters.eps_log1m_mean,
        bounds=parameters.bounds,
        grade_value=parameters.grade_value,
        log_spam=parameters.log_spam,
        z_prior_mean=parameters.z_prior_mean,
        z_prior_precision=parameters.z_prior_precision,
        delta_prior_shape=parameters.delta_prior_shape,
        delta_prior_rate=parameters.delta_prior_rate,
        delta_mean=parameters.delta_mean,
        delta_log_mean=parameters.delta_log_mean,
        link=_LINKS.index(options.link),
        responsibility=_RESPONSIBILITIES.index(options.responsibility),
        difficulty=_DIFFICULTIES.index(options.difficulty),
        isa=default_isa() if isa == "auto" else isa,
        threads=threads,
        z_mean=state.z_mean,
        z_precision=state.z_precision,
        delta_shape=state.delta_shape,
        delta_rate=state.delta_rate,
        annotator_out=sums_out.annotator,
        spam_weight_out=sums_out.spam_weight,
        totals_out=sums_out.totals,
        responsibility_out=sums_out.responsibility,
    )
