"""Gamma distributions G(shape, rate): expectations, divergence, and the maximum likelihood fit of section 2.3."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from truegrade import _kernel
from truegrade.instruction_sets import default_isa

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    Floats = NDArray[np.float64]

__all__ = ["SHAPE_LIMIT", "gamma_kl", "gamma_log_mean", "gamma_mle", "rate_mle", "shape_mle"]

SHAPE_LIMIT = 1e6  # a learned shape stops here: its gamma is a point for all purposes
_STEPS = 8  # Newton's steps at most; three or four are usual
_LAST = 1e-9  # relative step after which the next one would be lost in rounding: they shrink quadratically


def digamma_log_gamma(shape: ArrayLike) -> tuple[Floats, Floats]:
    """psi and ln Gamma of shapes > 0, in the arrangement of `shape`."""
    shape = np.asarray(shape, dtype=np.float64)
    digamma, log_gamma = np.empty(shape.shape), np.empty(shape.shape)
    _kernel.gamma_functions(
        shape.ravel(), isa=default_isa(), digamma_out=digamma.reshape(-1), log_gamma_out=log_gamma.reshape(-1)
    )
    return digamma, log_gamma


def gamma_log_mean(shape: Floats | float, rate: Floats | float) -> Floats:
    """E ln x under G(shape, rate)."""
    log_mean: Floats = digamma_log_gamma(shape)[0] - np.log(rate)
    return log_mean


def gamma_kl(shape: Floats | float, rate: Floats | float, prior_shape: float, prior_rate: float) -> Floats:
    """KL(G(shape, rate) || G(prior_shape, prior_rate)), elementwise."""
    digamma, log_gamma = digamma_log_gamma(shape)
    kl: Floats = (
        (shape - prior_shape) * digamma
        - log_gamma
        + math.lgamma(prior_shape)
        + prior_shape * (np.log(rate) - math.log(prior_rate))
        + shape * (prior_rate / rate - 1)
    )
    return kl


def gamma_mle(mean: float, log_mean: float) -> tuple[float, float]:
    """The shape and rate that maximise E ln G(x | shape, rate), from the averages of E x and E ln x.

    >>> shape, rate = gamma_mle(2.0, 0.4227843350984671)  # psi(1) - ln(1/2) + ... of G(2, 1)
    >>> round(shape, 6), round(rate, 6)
    (2.0, 1.0)
    """
    from scipy.special import digamma, zeta

    gap = math.log(mean) - log_mean  # ln a - psi(a) at the optimum, > 0 by Jensen
    if gap <= 0.5 / SHAPE_LIMIT:
        return SHAPE_LIMIT, SHAPE_LIMIT / mean
    inverse = 12 * gap / (3 - gap + math.sqrt((gap - 3) ** 2 + 24 * gap))
    for _ in range(_STEPS):  # Newton on 1/a, which is nearly linear: quadratic from the first step
        shape = 1 / inverse
        miss = math.log(shape) - float(digamma(shape)) - gap
        step = miss / (shape * (1 - shape * float(zeta(2.0, shape))))  # zeta(2, a) = psi'(a)
        inverse += step
        if abs(step) < _LAST * inverse:
            break
    shape = min(1 / inverse, SHAPE_LIMIT)
    return shape, shape / mean


def rate_mle(shape: float, mean: float) -> float:
    """The best rate for a given shape."""
    return shape / mean


def shape_mle(rate: float, log_mean: float) -> float:
    """The best shape for a given rate: psi(shape) = ln rate + average of E ln x."""
    from scipy.special import digamma, zeta

    target = math.log(rate) + log_mean
    shape = math.exp(target) + 0.5 if target >= -2.22 else -1 / (target - float(digamma(1.0)))
    for _ in range(_STEPS):
        step = (float(digamma(shape)) - target) / float(zeta(2.0, shape))
        shape = max(shape - step, shape / 10)
        if abs(step) < _LAST * shape:
            break
    return min(shape, SHAPE_LIMIT)
