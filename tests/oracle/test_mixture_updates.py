"""One pass on tiny data equals coordinate ascent by quadrature: every factor, every term of the bound, every option."""

from __future__ import annotations

import copy
from dataclasses import replace
from itertools import product

import numpy as np
import pytest
from mixture_fits import problem_of, state_of
from mixture_quadrature import Brute, divergence, gamma_nodes, log_gamma, log_normal, normal_nodes
from scipy.optimize import minimize
from scipy.special import digamma
from scipy.stats import beta as beta_distribution

from truegrade import Gold, OrdinalMixture, Ratings

ROWS = [("a", "x", 1), ("b", "x", 3), ("a", "y", 2), ("b", "y", 2), ("a", "y", 3), ("b", "w", 1)]
CATEGORY = {"x": "p", "y": "p", "w": "q"}

# Each configuration of the model meets one of these, in turn; every second one has weights, every third gold.
EXTRAS = [
    {},
    {"epsilon_prior": (2.0, 1.5)},
    {"epsilon": 0.7, "pi": (0.2, 0.5, 0.3)},
    {"pi": "learn", "mu": "learn", "lam": "learn"},
    {"alpha": 1.5, "beta": "learn", "mu": 1.2, "lam": 0.7},
    {"alpha": "learn", "beta": 0.8, "epsilon_prior": (1.0, 1.0)},
    {"alpha": 2.5, "beta": 0.9, "phi": 3.0, "eta": 2.0},
]
LEARNED_EASE = [{}, {"phi": "learn", "eta": "learn"}, {"phi": "learn"}, {"eta": "learn"}]
CONFIGURATIONS = [
    {"difficulty": d, "link": link, "responsibility": r, "thresholds": t, "spam": spam}
    for d, link, r, t, spam in product(
        ("none", "category", "instance"),
        ("ordinal", "real"),
        ("exact", "printed"),
        ("finite", "infinite", (0.2, 1.3, 2.9, 3.6)),
        (True, False),
    )
    if spam or r == "exact"
]


def configured(number):
    options, extra = dict(CONFIGURATIONS[number]), EXTRAS[number % len(EXTRAS)]
    if not options["spam"]:
        extra = {key: value for key, value in extra.items() if not key.startswith("epsilon") and key != "pi"}
    options |= extra
    if options["difficulty"] == "none":
        return options | ({"ease": 1.3} if number % 4 == 1 else {})
    return options | LEARNED_EASE[number % 4] | {k: v for k, v in extra.items() if k in ("phi", "eta")}


def ascent_of(number, real=False):
    """A start two passes under way, on two annotators, three instances and three grades."""
    annotator, instance, grade = zip(*ROWS, strict=True)
    ratings = Ratings.from_arrays(
        annotator=annotator,
        instance=instance,
        rating=[0.4, 2.7, 1.9, 2.2, 3.1, -0.3] if real else grade,
        category=[CATEGORY[m] for m in instance],
        weight=[1, 2.5, 1, 0.5, 1, 3] if number % 2 else None,
        scale="real" if real else "1..3",
    )
    gold = Gold.of({"y": 2.5}) if number % 3 == 2 else None
    options = configured(number) | ({"pi": "uniform"} if real else {})
    problem = problem_of(OrdinalMixture(**options), ratings, gold)
    ascent = problem.start(1, None)
    ascent.earnest = replace(ascent.earnest, newton=False)
    ascent.step()
    ascent.step()
    return ascent


def check_pass(ascent):
    before = copy.deepcopy(ascent)
    brute, model, h = Brute(before), ascent.problem.model, before.hyper
    bound = ascent.step()
    state = state_of(ascent)

    # The bound and its terms, at the state that the pass began with and the omega of this pass.
    ratings_part, kl_z, kl_delta = ascent.sums.totals
    assert ratings_part == pytest.approx(brute.ratings_bound(), rel=1e-8)
    assert kl_z == pytest.approx(kl_of_z(before), rel=1e-8, abs=1e-10)
    kl_eases = kl_of_gammas(eases(before), h.phi, h.eta) if model.ease is None else 0.0
    assert kl_delta + before.kl_one_delta() == pytest.approx(kl_eases, rel=1e-7, abs=1e-9)
    kl_tau = kl_of_gammas(zip(before.tau_shape, before.tau_rate, strict=True), h.alpha, h.beta)
    assert before.kl_tau() == pytest.approx(kl_tau, rel=1e-7, abs=1e-9)
    assert before.earnest.kl() == pytest.approx(kl_of_eps(before.earnest), rel=1e-7, abs=1e-9)
    old = state_of(before)
    known = np.isinf(old.z_precision)
    log_known = sum(log_normal(z, h.mu, h.lam) for z in old.z_mean[known])
    divergences = kl_of_z(before) + kl_eases + kl_tau + kl_of_eps(before.earnest)
    assert bound == pytest.approx(brute.ratings_bound() - divergences + log_known)

    # q(z), then q(delta) at the new q(z) (each one, or after all instances the only one), then q(tau), q(eps).
    for m in range(known.size):
        mean, precision = (old.z_mean[m], np.inf) if known[m] else brute.update_z(m)
        assert state.z_mean[m] == pytest.approx(mean, rel=1e-8)
        assert state.z_precision[m] == pytest.approx(precision, rel=1e-7)
    brute.z = [normal_nodes(*q) for q in zip(state.z_mean, state.z_precision, strict=True)]
    if model.ease is None:
        for d, (shape, rate) in enumerate(eases(ascent)):
            assert (shape / rate, digamma(shape) - np.log(rate)) == pytest.approx(brute.update_delta(d), rel=1e-7)
        brute.delta = [gamma_nodes(*q) for q in eases(ascent)]
    for n in range(2):
        shape, rate = ascent.tau_shape[n], ascent.tau_rate[n]
        assert (shape / rate, digamma(shape) - np.log(rate)) == pytest.approx(brute.update_tau(n), rel=1e-7)
    check_eps(ascent, *brute.earnest_sums())
    check_hyper(ascent, brute)


def eases(ascent):
    state = state_of(ascent)
    if state.delta_shape is None:
        return [ascent.delta]
    return list(zip(state.delta_shape, state.delta_rate, strict=True))


def kl_of_z(ascent):
    total, h = 0.0, ascent.hyper
    for mean, precision in zip(state_of(ascent).z_mean, state_of(ascent).z_precision, strict=True):
        if np.isfinite(precision):
            at, weight = normal_nodes(mean, precision)
            total += divergence(
                at, weight, lambda z, m=mean, p=precision: log_normal(z, m, p), lambda z: log_normal(z, h.mu, h.lam)
            )
    return total


def kl_of_gammas(posteriors, prior_shape, prior_rate):
    return sum(
        divergence(
            *gamma_nodes(shape, rate),
            lambda v, s=shape, r=rate: log_gamma(v, s, r),
            lambda v: log_gamma(v, prior_shape, prior_rate),
        )
        for shape, rate in posteriors
    )


def kl_of_eps(earnest):
    if earnest.prior is None:
        return 0.0
    at = (np.arange(200_000) + 0.5) / 200_000
    total = 0.0
    for a, b in zip(*earnest.counts(), strict=True):
        log_q, log_p = (beta_distribution.logpdf(at, *pair) for pair in ((a, b), earnest.prior))
        total += float(np.mean(np.exp(log_q) * (log_q - log_p)))
    return total


def check_eps(ascent, earnest, spam):
    found, model = ascent.earnest, ascent.problem.model
    if not model.spam or model.epsilon != "learn":
        assert set(found.eps) == {1.0 if not model.spam else model.epsilon}
    elif found.prior is None:  # the maximum of w omega ln eps + w (1 - omega) ln (1 - eps)
        for n in range(2):
            best = minimize(
                lambda u, n=n: earnest[n] * np.logaddexp(0, -u[0]) + spam[n] * np.logaddexp(0, u[0]), [0.0], tol=1e-12
            )
            assert found.eps[n] == pytest.approx(1 / (1 + np.exp(-best.x[0])), abs=1e-5)
    else:
        at = (np.arange(100_000) + 0.5) / 100_000
        for n, (a, b) in enumerate(zip(*found.counts(), strict=True)):
            log = beta_distribution.logpdf(at, *found.prior) + earnest[n] * np.log(at) + spam[n] * np.log1p(-at)
            weight = np.exp(log - log.max())
            assert a / (a + b) == pytest.approx(weight @ at / weight.sum(), rel=1e-7)
            assert a + b == pytest.approx(sum(found.prior) + earnest[n] + spam[n])


def check_hyper(ascent, brute):
    """No small step away from the learned hyperparameters raises the expected log prior; fixed ones stay."""
    h, model, old = ascent.hyper, ascent.problem.model, brute.hyper
    pairs = {
        ("alpha", "beta"): [gamma_nodes(*q) for q in zip(ascent.tau_shape, ascent.tau_rate, strict=True)],
        ("phi", "eta"): [] if model.ease is not None else [gamma_nodes(*q) for q in eases(ascent)],
    }
    for (shape, rate), posteriors in pairs.items():
        check_best(
            h,
            [name for name in (shape, rate) if getattr(model, name) == "learn"],
            lambda a, b, q=posteriors: sum(weight @ log_gamma(at, a, b) for at, weight in q),
            (shape, rate),
        )
    z = [normal_nodes(*q) for q in zip(state_of(ascent).z_mean, state_of(ascent).z_precision, strict=True)]
    learned = [name for name in ("mu", "lam") if getattr(model, name) == "learn"]
    check_best(h, learned, lambda mu, lam: sum(weight @ log_normal(at, mu, lam) for at, weight in z), ("mu", "lam"))
    if model.pi == "learn":
        spam = np.bincount(brute.k, brute.weight * (1 - np.array(brute.omega)), h.pi.size)
        np.testing.assert_allclose(h.pi, spam / spam.sum(), rtol=1e-8)
    for name in ("alpha", "beta", "phi", "eta", "mu", "lam"):
        if getattr(model, name) != "learn":
            assert getattr(h, name) == getattr(old, name)


def check_best(hyper, learned, expected, names):
    here = {name: getattr(hyper, name) for name in names}
    for name in learned:
        for factor in (1 - 1e-4, 1 + 1e-4):
            moved = here | {name: here[name] * factor}
            assert expected(*moved.values()) < expected(*here.values())


def every_fifth_is_quick(number):
    name = "-".join(map(str, CONFIGURATIONS[number].values()))
    return pytest.param(number, id=name, marks=[] if number % 5 == 0 else pytest.mark.slow)


@pytest.mark.parametrize("number", [*map(every_fifth_is_quick, range(len(CONFIGURATIONS)))])
def test_pass(number):
    check_pass(ascent_of(number))


REAL = [number for number, options in enumerate(CONFIGURATIONS) if options["link"] == "real" and options["spam"]]


@pytest.mark.parametrize("number", [*map(every_fifth_is_quick, REAL)])
def test_pass_over_ratings_on_no_scale(number):
    check_pass(ascent_of(number, real=True))
