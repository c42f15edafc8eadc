"""With parts switched off the panel is a model that is known, written down here anew."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from scipy.stats import norm

from truegrade import DawidSkene, OrdinalPanel, simulate
from truegrade.models import _panel_population, _panel_rows, _panel_types

PLAIN = {
    "bias": False,
    "stretch": False,
    "spam": False,
    "reversed": False,
    "uncertain": False,
    "dependence": 0.0,
    "tolerance": 1e-15,
    "max_iterations": 3000,
}
NOISES = np.exp(np.linspace(np.log(0.25), np.log(0.9 * 4), 6))  # grades; five of them


@pytest.fixture(scope="module")
def ratings():
    return simulate(instances=60, annotators=8, ratings_per_instance=4, seed=5).ratings


def responses(ratings, noise):
    """P(says k | truth is r) of an ordinal probit between grades' mid-points; one answer in 1000 is a slip."""
    grades = ratings.scale.n_grades
    bounds = np.concatenate([[-np.inf], np.arange(grades - 1) + 0.5, [np.inf]])
    share = np.bincount(ratings.grade, minlength=grades) / ratings.n_ratings
    probit = np.diff(norm.cdf((bounds - np.arange(grades)[:, None]) / noise), axis=1)
    return 0.999 * probit + 0.001 * (share + 1 / grades) / 2


def between(p, places):
    """P(says k | place) of the grades and the places half way between two."""
    grades = np.arange(len(p))
    return np.array([[np.interp(z, grades, p[:, k]) for k in grades] for z in places])


def anchored(ratings, places):
    """What the prior is drawn to: the shares of the ratings, and a fiftieth."""
    grades = ratings.scale.n_grades
    share = np.bincount(ratings.grade, minlength=grades) / ratings.n_ratings
    anchor = np.interp(places, np.arange(grades), share) + 0.02
    return anchor / anchor.sum()


def truth_given(ratings, prior, log_p):
    """P(place) of every instance (M, Z) and ln of its evidence, log_p (N, Z, K) being what annotators say."""
    log_q = np.tile(np.log(prior), (ratings.n_instances, 1))
    for m, n, k in zip(ratings.instance_of(), ratings.annotator, ratings.grade, strict=True):
        log_q[m] += log_p[n, :, k]
    log_z = np.logaddexp.reduce(log_q, axis=1)
    return np.exp(log_q - log_z[:, None]), log_z


@pytest.mark.parametrize("per_grade", [1, 2])
@pytest.mark.parametrize("prior", ["shares", "learned"])
def test_one_type_is_the_plain_ordinal_response(monkeypatch, ratings, per_grade, prior):
    """One type, kept to by all: nothing is unknown but the truths and their prior, and every sum is exact."""
    monkeypatch.setattr(_panel_types, "_NOISES", 1)
    monkeypatch.setattr(_panel_types, "_FINEST", 0.8)
    places = np.arange(4 * per_grade + 1) / per_grade
    p = between(responses(ratings, 0.8), places)
    anchor = anchored(ratings, places)
    expected = anchor
    for _ in range(2000 if prior == "learned" else 0):
        q, _ = truth_given(ratings, expected, np.log(np.tile(p, (8, 1, 1))))
        moved = (q.sum(axis=0) + ratings.n_instances * anchor) / (2 * ratings.n_instances)
        if np.abs(moved - expected).max() < 1e-13:
            break
        expected = moved
    q, log_z = truth_given(ratings, expected, np.log(np.tile(p, (8, 1, 1))))
    fit = OrdinalPanel(refined=False, nodes=per_grade, prior=prior, **PLAIN).fit(ratings)
    np.testing.assert_allclose(fit.parameters["prior"][0], expected, atol=1e-7)  # where the stop rule ends it
    np.testing.assert_allclose(fit.posterior.p, q, atol=1e-7)
    hyperprior = ratings.n_instances * anchor @ np.log(expected) if prior == "learned" else 0.0
    assert fit.bound == pytest.approx(log_z.sum() + hyperprior, abs=1e-6)


def test_noise_alone_is_a_mixture_of_ordinal_responses(ratings):
    """Six noises under a learned population, annotators keeping to them: the mean-field steps, one by one."""
    places, grades = np.arange(5.0), 5
    log_types = np.log(np.array([responses(ratings, noise) for noise in NOISES]))  # (H, R, K)
    base = np.exp(-0.5 * ((np.log(NOISES) - np.log(0.25 * 4 + 0.3)) / 0.7) ** 2)
    base /= base.sum()
    anchor = anchored(ratings, places)
    w, prior, q_type = base, anchor, np.tile(base, (8, 1))
    for _ in range(3000):
        q, _ = truth_given(ratings, prior, np.einsum("nh,hrk->nrk", q_type, log_types))
        counts = np.zeros((8, grades, grades))
        for m, n, k in zip(ratings.instance_of(), ratings.annotator, ratings.grade, strict=True):
            counts[n, :, k] += q[m]
        log_q = np.einsum("nrk,hrk->nh", counts, log_types) + np.log(w)
        before, q_type = q_type, np.exp(log_q - np.logaddexp.reduce(log_q, axis=1)[:, None])
        w = (q_type.sum(axis=0) + 30 * base) / 38
        prior = (q.sum(axis=0) + ratings.n_instances * anchor) / (2 * ratings.n_instances)
        if np.abs(q_type - before).max() < 1e-12:
            break
    fit = OrdinalPanel(refined=False, nodes=1, **PLAIN).fit(ratings)
    np.testing.assert_allclose(np.exp(fit.parameters["log_w"][0]), w, atol=1e-5)
    np.testing.assert_allclose(fit.posterior.p, q, atol=1e-5)
    np.testing.assert_allclose(
        fit.parameters["confusion"], np.einsum("nh,hrk->nrk", q_type, np.exp(log_types)), atol=1e-5
    )


def test_a_kappa_beyond_all_counts_ties_annotators_to_their_types(monkeypatch, ratings):
    """Departures of the order of ratings over kappa are all that is left."""
    for module in (_panel_rows, _panel_population):
        monkeypatch.setattr(module, "KAPPAS", np.array([1e7]))
    bound, loose = (OrdinalPanel(refined=refined, nodes=1, **PLAIN).fit(ratings) for refined in (False, True))
    np.testing.assert_allclose(loose.posterior.p, bound.posterior.p, atol=1e-4)
    np.testing.assert_allclose(loose.parameters["confusion"], bound.parameters["confusion"], atol=1e-4)


@pytest.mark.parametrize("size", [4.0, 20.0])
def test_one_type_and_one_kappa_are_pooled_dawid_and_skene(monkeypatch, size):
    """The panel's type is set to the population that Dawid-Skene learned; it cannot learn one outside its grid.

    Then both hold the same beliefs about truths and annotators. The panel's prior is left all but free (anchor 1e-9).
    """
    ratings = simulate(instances=150, annotators=8, ratings_per_instance=5, seed=5, scale="1..3").ratings
    known = DawidSkene(pooled=True, concentration=size, class_prior="learned", starts=1, tolerance=1e-15).fit(ratings)
    population = known.parameters["population"]
    real = _panel_types.TypeGrid.of

    def one_type(share, parts):
        one = np.zeros(1)
        grid = real(share, parts)
        return replace(
            grid, bias=one, stretch=one + 1, noise=one + 1, spam=one, base=one + 1, p=population[None] / size
        )

    monkeypatch.setattr(_panel_types.TypeGrid, "of", one_type)
    for module in (_panel_rows, _panel_population):
        monkeypatch.setattr(module, "KAPPAS", np.array([size]))
    fit = OrdinalPanel(nodes=1, anchor=1e-9, **PLAIN).fit(ratings)
    np.testing.assert_allclose(fit.posterior.p, known.posterior.p, atol=1e-4)
    np.testing.assert_allclose(fit.parameters["confusion"], known.parameters["confusion"], atol=1e-4)
    np.testing.assert_allclose(fit.parameters["prior"][0], known.parameters["prevalence"], atol=1e-4)
