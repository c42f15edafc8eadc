"""The NumPy twin of `mixture_sweep`: the same pass as whole-array equations, slow and plain.

omega is q(y=1) of a rating, rho = E tau E delta its precision; what the paper overbars is E here.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from truegrade.inference.mixture_sweep import (
        Floats,
        MixtureOptions,
        MixtureParameters,
        MixturePlan,
        MixtureRatings,
        MixtureState,
        MixtureSums,
    )
    from truegrade.instruction_sets import Isa

    Integers = NDArray[np.integer]

_LOG_TWO_PI = float(np.log(2 * np.pi))
_NARROW = 0.5  # narrower bins (in sigma) take a quadrature: 1 + (l A - u B)/Z would lose digits


class Observation(NamedTuple):
    """x of each rating given y = 1: E x - mu_m, E(x - mu_m)^2 and the log of the bin's mass."""

    shift: Floats
    spread: Floats
    log_mass: Floats


def truncated_normal(lower: Floats, upper: Floats, mean: Floats, precision: Floats) -> Observation:
    """Moments about the mean of N(mean, 1/precision) cut to [lower, upper)."""
    from scipy.special import erfcx

    root = np.sqrt(precision)
    left, right = (lower - mean) * root, (upper - mean) * root
    with np.errstate(invalid="ignore"):  # -inf + inf
        flip = left + right < 0
    low = np.where(flip, -right, left).clip(-1e12, 1e12)  # mirrored: the mass lies at 0 or above it
    high = np.where(flip, -left, right).clip(-1e12, 1e12)

    # Mass and first two moments, all relative to exp(-exponent)/sqrt(2 pi).
    tail = low > 0
    exponent = np.where(tail, low * low / 2, 0.0)
    with np.errstate(under="ignore"):
        at_low = np.exp(exponent - low * low / 2)
        at_high = np.exp(np.where(tail, -(high - low) * (high + low) / 2, -high * high / 2))
        near, far = (np.sqrt(np.pi / 2) * erfcx(np.abs(end) / np.sqrt(2)) for end in (low, high))
        mass = np.where(tail, near, np.sqrt(2 * np.pi) - at_low * near) - at_high * far
        with np.errstate(divide="ignore", invalid="ignore"):  # narrow bins, replaced below
            first = (at_low - at_high) / mass
            second = 1 + (low * at_low - high * at_high) / mass

    narrow = high - low < _NARROW
    nodes, weights = np.polynomial.legendre.leggauss(24)
    middle, half = (low[narrow] + high[narrow])[:, None] / 2, (high[narrow] - low[narrow])[:, None] / 2
    step = half * nodes
    nearest = np.maximum(low[narrow], 0.0)
    exponent[narrow] = nearest**2 / 2
    with np.errstate(under="ignore"):
        density = weights * np.exp(exponent[narrow][:, None] - (middle + step) ** 2 / 2)
    mass[narrow] = half[:, 0] * density.sum(1)
    first[narrow] = ((middle + step) * density).sum(1) / density.sum(1)
    second[narrow] = ((middle + step) ** 2 * density).sum(1) / density.sum(1)
    shift = np.where(flip, -first, first) / root
    return Observation(shift, second / precision, np.log(mass) - exponent - _LOG_TWO_PI / 2)


def _observe(
    ratings: MixtureRatings, parameters: MixtureParameters, link: str, mean: Floats, rho: Floats
) -> Observation:
    grade = _grades(ratings)
    if link == "ordinal":
        return truncated_normal(parameters.bounds[grade], parameters.bounds[grade + 1], mean, rho)
    shift = (parameters.grade_value[grade] if ratings.value is None else ratings.value) - mean
    return Observation(shift, shift**2, np.zeros_like(shift))


def _log_likelihoods(
    link: str, x: Observation, rho: Floats, log_rho_mean: Floats, z_variance: Floats
) -> tuple[Floats, Floats]:
    """ln A, what a rating in earnest is worth: exact, and as printed in the paper."""
    printed = (np.log(rho) - _LOG_TWO_PI) / 2 - rho / 2 * (x.spread + z_variance)
    if link == "ordinal":
        return x.log_mass + (log_rho_mean - np.log(rho)) / 2 - rho * z_variance / 2, printed
    return (log_rho_mean - _LOG_TWO_PI) / 2 - rho / 2 * (x.spread + z_variance), printed


def _grades(ratings: MixtureRatings) -> NDArray[np.int64]:
    if ratings.grade is None:
        return np.zeros(len(ratings.annotator), np.int64)
    return ratings.grade.astype(np.int64)


def _weighted(probability: Floats, log: Floats) -> Floats:
    """Return probability * log with 0 * -inf = 0."""
    return np.multiply(probability, log, out=np.zeros_like(log), where=probability > 0)


def _choose(earnest: Floats, spam: Floats) -> tuple[Floats, Floats, Floats]:
    """omega = sigmoid(ln eps + ln A - ln(1 - eps) - ln spam), 1 - omega, and the entropy of that choice."""
    either = np.logaddexp(earnest, spam)
    with np.errstate(under="ignore"):
        omega, no_omega = np.exp(earnest - either), np.exp(spam - either)
        entropy = -_weighted(omega, earnest - either) - _weighted(no_omega, spam - either)
    return omega, no_omega, entropy


def _gamma_divergence(shape: Floats, rate: Floats, parameters: MixtureParameters) -> float:
    """Sum of KL(Gamma(shape, rate) || the prior of delta)."""
    from scipy.special import digamma, gammaln

    prior_shape, prior_rate = parameters.delta_prior_shape, parameters.delta_prior_rate
    terms = (
        (shape - prior_shape) * digamma(shape)
        - gammaln(shape)
        + gammaln(prior_shape)
        + prior_shape * np.log(rate / prior_rate)
        + shape * (prior_rate - rate) / rate
    )
    return float(terms.sum())


def _z_divergence(variance: Floats, offset: Floats, prior_precision: float) -> float:
    """Sum of KL(N(mu_m, variance) || the prior of z), offset = mu_m - mu."""
    ratio = prior_precision * variance
    return float((ratio + prior_precision * offset**2 - 1 - np.log(ratio)).sum() / 2)


def _delta_of_instance(ratings: MixtureRatings, options: MixtureOptions) -> Integers:
    instances = len(ratings.instance_ptr) - 1
    if options.difficulty == "category" and ratings.category_ptr is not None:
        return np.repeat(np.arange(len(ratings.category_ptr) - 1), np.diff(ratings.category_ptr))
    return np.arange(instances) if options.difficulty == "instance" else np.zeros(instances, np.int64)


def _delta_moments(parameters: MixtureParameters, state: MixtureState) -> tuple[Floats, Floats]:
    """E delta and E ln delta of each category."""
    from scipy.special import digamma

    if state.delta_shape is None or state.delta_rate is None:
        return np.array([parameters.delta_mean]), np.array([parameters.delta_log_mean])
    return state.delta_shape / state.delta_rate, digamma(state.delta_shape) - np.log(state.delta_rate)


def mixture_sweep_numpy(
    ratings: MixtureRatings,
    plan: MixturePlan,  # noqa: ARG001 - the kernel's signature
    options: MixtureOptions,
    parameters: MixtureParameters,
    state: MixtureState,
    sums_out: MixtureSums,
    threads: int = 1,  # noqa: ARG001
    isa: Isa = "auto",  # noqa: ARG001
) -> None:
    """Do what `mixture_sweep` does."""
    instances, grades = len(state.z_mean), len(parameters.grade_value)
    n, k = ratings.annotator, _grades(ratings)
    m = np.repeat(np.arange(instances), np.diff(ratings.instance_ptr))
    c = _delta_of_instance(ratings, options)[m]
    weight = np.ones(len(n)) if ratings.weight is None else ratings.weight
    moving = np.ones(instances, bool) if ratings.clamped is None else ratings.clamped == 0
    z_variance = np.where(moving, 1 / state.z_precision, 0.0)

    # q(x): a truncated normal N(mu_m, 1/rho).
    delta_mean, delta_log_mean = _delta_moments(parameters, state)
    rho = (tau := parameters.tau_mean[n]) * delta_mean[c]
    log_rho_mean = parameters.tau_log_mean[n] + delta_log_mean[c]
    x = _observe(ratings, parameters, options.link, state.z_mean[m], rho)

    exact, printed = _log_likelihoods(options.link, x, rho, log_rho_mean, z_variance[m])
    log_a = exact if options.responsibility == "exact" else printed

    # q(y), and what the ratings add to the bound: with the exact ln A, whatever omega was made of.
    log_eps, spam = parameters.eps_log_mean[n], parameters.eps_log1m_mean[n] + parameters.log_spam[k]
    omega, no_omega, entropy = _choose(log_eps + log_a, spam)
    bound = _weighted(omega, log_eps + exact) + _weighted(no_omega, spam) + entropy
    offset = state.z_mean - parameters.z_prior_mean
    z_divergence = _z_divergence(z_variance[moving], offset[moving], parameters.z_prior_precision)
    sums_out.totals[:] = (weight * bound).sum(), z_divergence, 0.0

    # q(z_m).
    pull = delta_mean[c] * weight * omega * tau
    precision = parameters.z_prior_precision + np.bincount(m, pull, instances)
    total = parameters.z_prior_precision * -offset + np.bincount(m, pull * x.shift, instances)
    step = np.where(moving, total / precision, 0.0)
    state.z_mean[:] += step
    state.z_precision[moving] = precision[moving]

    # E(x - z_m)^2 at the new q(z_m), then q(delta_c).
    spread = x.spread - 2 * x.shift * step[m] + (step**2 + np.where(moving, 1 / precision, 0.0))[m]
    deviation = weight * omega * spread
    if state.delta_shape is not None and state.delta_rate is not None:
        sums_out.totals[2] = _gamma_divergence(state.delta_shape, state.delta_rate, parameters)
        count = len(state.delta_shape)
        state.delta_shape[:] = parameters.delta_prior_shape + np.bincount(c, weight * omega, count) / 2
        state.delta_rate[:] = parameters.delta_prior_rate + np.bincount(c, tau * deviation, count) / 2
        deviation = deviation * (state.delta_shape / state.delta_rate)[c]

    for column, term in enumerate((weight * omega, deviation, weight * omega * no_omega)):
        sums_out.annotator[:, column] = np.bincount(n, term, len(parameters.tau_mean))
    sums_out.spam_weight[:] = np.bincount(k, weight * no_omega, grades)
    if sums_out.responsibility is not None:
        sums_out.responsibility[:] = omega
