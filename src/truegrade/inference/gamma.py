"""Gamma distributions G(shape, rate): expectations, divergence, and the maximum likelihood fit of section 2.3."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

__all__ = ["SHAPE_LIMIT", "gamma_kl", "gamma_log_mean", "gamma_mle", "rate_mle", "shape_mle"]

SHAPE_LIMIT = 1e6  # a learned shape stops here: its gamma is a point for all purposes


def gamma_log_mean(shape: Floats | float, rate: Floats | float) -> Floats:
    """E ln x under G(shape, rate)."""
    from scipy.special import digamma

    log_mean: Floats = digamma(shape) - np.log(rate)
    return log_mean


def gamma_kl(shape: Floats | float, rate: Floats | float, prior_shape: float, prior_rate: float) -> Floats:
    """KL(G(shape, rate) || G(prior_shape, prior_rate)), elementwise."""
    from scipy.special import digamma, gammaln

    kl: Floats = (
        (shape - prior_shape) * digamma(shape)
        - gammaln(shape)
        + gammaln(prior_shape)
        + prior_shape * (np.log(rate) - np.log(prior_rate))
        + shape * (prior_rate / rate - 1)
    )
    return kl


def gamma_mle(mean: float, log_mean: float) -> tuple[float, float]:
    """The shape and rate that maximise E ln G(x | shape, rate), from the averages of E x and E ln x.

    >>> shape, rate = gamma_mle(2.0, 0.4227843350984671)  # psi(1) - ln(1/2) + ... of G(2, 1)
    >>> round(shape, 6), round(rate, 6)
    (2.0, 1.0)
    """
    from scipy.special import digamma, polygamma

    gap = np.log(mean) - log_mean  # ln a - psi(a) at the optimum, > 0 by Jensen
    if gap <= 0.5 / SHAPE_LIMIT:
        return SHAPE_LIMIT, SHAPE_LIMIT / mean
    shape = (3 - gap + np.sqrt((gap - 3) ** 2 + 24 * gap)) / (12 * gap)
    for _ in range(8):  # Newton on 1/a, which is nearly linear: quadratic from the first step
        slope = 1 / shape - polygamma(1, shape)
        shape = 1 / (1 / shape + (np.log(shape) - digamma(shape) - gap) / (shape**2 * slope))
    shape = float(min(shape, SHAPE_LIMIT))
    return shape, shape / mean


def rate_mle(shape: float, mean: float) -> float:
    """The best rate for a given shape."""
    return shape / mean


def shape_mle(rate: float, log_mean: float) -> float:
    """The best shape for a given rate: psi(shape) = ln rate + average of E ln x."""
    from scipy.special import digamma, polygamma

    target = np.log(rate) + log_mean
    shape = np.exp(target) + 0.5 if target >= -2.22 else -1 / (target - digamma(1.0))
    for _ in range(8):
        shape = max(shape - (digamma(shape) - target) / polygamma(1, shape), shape / 10)
    return float(min(shape, SHAPE_LIMIT))
