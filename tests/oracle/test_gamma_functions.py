"""Digamma, ln Gamma and what is made of them for gamma distributions, against mpmath."""

from __future__ import annotations

import mpmath as mp
import numpy as np
import pytest

from truegrade import _kernel
from truegrade.inference.gamma import SHAPE_LIMIT, gamma_kl, gamma_log_mean, gamma_mle, shape_mle

ISAS = ("base", "avx2", "avx512")
TOLERANCE = 4e-14  # relative above 1, absolute below: both functions have zeros


@pytest.mark.parametrize("isa", ISAS[: ISAS.index(_kernel.best_isa()) + 1])
def test_against_mpmath(isa: str) -> None:
    shape = np.concatenate([np.geomspace(1e-6, 1e8, 500), np.linspace(0.1, 20, 400), [1.0, 1.4616321449683623, 2.0]])
    digamma, log_gamma = np.empty_like(shape), np.empty_like(shape)
    _kernel.gamma_functions(shape, isa=isa, digamma_out=digamma, log_gamma_out=log_gamma)
    with mp.workdps(30):
        wanted = np.array([[float(mp.digamma(x)), float(mp.loggamma(x))] for x in shape]).T
    for found, exact in zip((digamma, log_gamma), wanted, strict=True):
        np.testing.assert_array_less(abs(found - exact), TOLERANCE * np.maximum(abs(exact), 1))


def test_divergence_and_log_mean() -> None:
    shape, rate = (grid.ravel() for grid in np.meshgrid(np.geomspace(1e-2, 1e5, 15), np.geomspace(1e-3, 1e3, 7)))
    with mp.workdps(30):
        wanted = [[float(x) for x in _exact_kl(a, b, 2.5, 0.7)] for a, b in zip(shape, rate, strict=True)]
    # Near 0 a divergence is what is left of terms of 1e6, hence atol.
    kl, log_mean = np.array(wanted).T
    np.testing.assert_allclose(gamma_kl(shape, rate, 2.5, 0.7), kl, rtol=1e-13, atol=2e-9)
    np.testing.assert_allclose(gamma_log_mean(shape, rate), log_mean, rtol=1e-13, atol=1e-13)
    assert float(gamma_kl(2.5, 0.7, 2.5, 0.7)) == pytest.approx(0, abs=1e-14)


def _exact_kl(a: float, b: float, prior_shape: float, prior_rate: float) -> tuple[mp.mpf, mp.mpf]:
    log_mean = mp.digamma(a) - mp.log(b)
    log_density = a * mp.log(b) - mp.loggamma(a) + (a - 1) * log_mean - a
    prior = prior_shape * mp.log(prior_rate) - mp.loggamma(prior_shape)
    return log_density - prior - (prior_shape - 1) * log_mean + prior_rate * mp.mpf(a) / b, log_mean


@pytest.mark.parametrize("shape", [1e-3, 0.02, 0.5, 1.0, 2.0, 17.0, 300.0, 2e4, 5e5])
def test_maximum_likelihood_finds_the_shape(shape: float) -> None:
    """A gamma's own moments E x and E ln x lead back to it; far up ln a - psi(a) = 1/2a is all that tells shapes."""
    rate = shape / 2.7
    with mp.workdps(30):
        log_mean = float(mp.digamma(mp.mpf(shape)) - mp.log(mp.mpf(rate)))
    found = gamma_mle(2.7, log_mean)
    assert found == pytest.approx((shape, rate), rel=1e-14 * (10 + 10 * shape))
    assert shape_mle(rate, log_mean) == pytest.approx(shape, rel=1e-12)


def test_equal_values_end_at_the_limit() -> None:
    assert gamma_mle(2.0, np.log(2.0)) == (SHAPE_LIMIT, SHAPE_LIMIT / 2)
