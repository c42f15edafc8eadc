"""With earnest annotators and one difficulty the mixture is two well-known models, written down here anew."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import truncnorm

from truegrade import Ratings, simulate
from truegrade.models import make_model

PRIOR = {"alpha": 2.0, "beta": 1.5, "mu": 2.8, "lam": 0.4}
EARNEST = [{"spam": False}, {"epsilon": 1.0}]


@pytest.fixture(scope="module")
def ratings():
    return simulate(instances=40, annotators=6, seed=8, ratings_per_instance=4).ratings


def fitted(ratings, **options):
    options = PRIOR | {"responsibility": "exact", "ease": 1.0, "starts": 1, "tolerance": 1e-14} | options
    return make_model("ordinal-mixture", options | {"max_iterations": 20_000}).fit(ratings)


def mean_field(ratings, perceived):
    """Ascent for x ~ N(z_m, 1/tau_n): q(z) Gaussian, q(tau) gamma; `perceived` gives E x and var x of each rating."""
    n, m = ratings.annotator, ratings.instance_of()
    z, variance, tau = np.full(ratings.n_instances, 3.0), np.ones(ratings.n_instances), np.ones(ratings.n_annotators)
    for _ in range(5000):
        x, spread = perceived(z[m], tau[n])
        for instance in range(ratings.n_instances):
            own = m == instance
            precision = PRIOR["lam"] + tau[n[own]].sum()
            z[instance] = (PRIOR["lam"] * PRIOR["mu"] + tau[n[own]] @ x[own]) / precision
            variance[instance] = 1 / precision
        before = tau.copy()
        for annotator in range(ratings.n_annotators):
            own = n == annotator
            square = (x[own] - z[m[own]]) ** 2 + spread[own] + variance[m[own]]
            shape, rate = PRIOR["alpha"] + own.sum() / 2, PRIOR["beta"] + square.sum() / 2
            tau[annotator] = shape / rate
        if np.abs(tau - before).max() < 1e-9:
            return z, variance, tau
    raise AssertionError("no fixed point")


@pytest.mark.parametrize("earnest", EARNEST, ids=str)
@pytest.mark.parametrize("thresholds", ["finite", "infinite"])
def test_ordinal_probit(ratings, earnest, thresholds):
    bounds = ratings.scale.thresholds_with(thresholds)
    low, high = bounds[ratings.grade], bounds[ratings.grade + 1]

    def perceived(z, tau):
        root = np.sqrt(tau)
        x = truncnorm((low - z) * root, (high - z) * root, z, 1 / root)
        return x.mean(), x.var()

    z, variance, tau = mean_field(ratings, perceived)
    check(fitted(ratings, thresholds=thresholds, **earnest), z, variance, tau)


@pytest.mark.parametrize("earnest", EARNEST, ids=str)
def test_bayesian_continuous(ratings, earnest):
    z, variance, tau = mean_field(ratings, lambda z, tau: (ratings.values(), np.zeros(ratings.n_ratings)))
    check(fitted(ratings, link="real", **earnest), z, variance, tau)


@pytest.mark.parametrize("earnest", EARNEST, ids=str)
def test_bayesian_continuous_of_ratings_on_no_scale(earnest):
    rng = np.random.default_rng(0)
    truth, annotator = rng.normal(3, 2, 30), np.tile(np.arange(5), 30)
    value = np.repeat(truth, 5) + rng.normal(0, 0.3 + annotator / 5)
    ratings = Ratings.from_arrays(annotator=annotator, instance=np.repeat(np.arange(30), 5), rating=value, scale="real")
    z, variance, tau = mean_field(ratings, lambda z, tau: (ratings.real, np.zeros(150)))
    check(fitted(ratings, link="real", **earnest), z, variance, tau)


def check(fit, z, variance, tau):
    p = fit.parameters
    np.testing.assert_allclose(p["z_mean"], z, atol=1e-5)
    np.testing.assert_allclose(1 / p["z_precision"], variance, rtol=1e-5)
    np.testing.assert_allclose(p["tau_shape"] / p["tau_rate"], tau, rtol=1e-5)
