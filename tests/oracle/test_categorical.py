"""Rows learned from counts: SciPy's Dirichlets, the direct likelihood, and optima that no neighbour beats."""

import numpy as np
import pytest
from scipy.special import gammaln
from scipy.stats import dirichlet, dirichlet_multinomial

from truegrade.inference.categorical import PooledRows, SmoothedRows


def draw_counts(seed=0, annotators=40):
    rng = np.random.default_rng(seed)
    rows = [rng.dirichlet(a, annotators) for a in ([6, 3, 1], [1, 1, 4])]
    sizes = rng.integers(0, 30, (annotators, 2))
    return np.stack([rng.multinomial(sizes[:, r], rows[r]) for r in range(2)], axis=1).astype(float)


def test_smoothed_rows_are_shares_with_the_prior_added():
    rows = SmoothedRows(np.array([[[3.0, 1.0], [0.0, 0.0]]]), np.ones(2))
    np.testing.assert_allclose(rows.mean, [[[4 / 6, 2 / 6], [0.5, 0.5]]])
    assert rows.log_prior() == pytest.approx(np.log([4 / 6, 2 / 6, 0.5, 0.5]).sum())


def test_maximum_likelihood_has_finite_logarithms_and_no_prior():
    rows = SmoothedRows(np.array([[[3.0, 0.0], [0.0, 0.0]]]), np.zeros(2))
    np.testing.assert_allclose(rows.mean, [[[1, 0], [0.5, 0.5]]])
    assert np.isfinite(rows.log_p).all()
    assert rows.log_prior() == 0


def test_pooled_rows_against_direct_formulas():
    counts = draw_counts()[:3]
    rows = PooledRows(counts, np.array([[2.0, 1.0, 0.5], [0.3, 0.3, 3.0]]), None)
    divergence = 0.0
    for n in range(3):
        for r in range(2):
            q, p = counts[n, r] + rows.population[r], rows.population[r]
            np.testing.assert_allclose(rows.mean[n, r], dirichlet.mean(q))
            draws = np.random.default_rng(0).dirichlet(q, 200_000)
            np.testing.assert_allclose(rows.log_p[n, r], np.log(draws).mean(axis=0), atol=0.05)
            log_b = [gammaln(a).sum() - gammaln(a.sum()) for a in (q, p)]
            divergence += log_b[1] - log_b[0] + ((q - p) * rows.log_p[n, r]).sum()
    assert rows.log_prior() == pytest.approx(-divergence)


def likelihood(counts, population):
    """Of the counts when every annotator's rows are drawn from the population; a row without counts is certain."""
    total = 0.0
    for r, row in enumerate(population):
        seen = counts[:, r][counts[:, r].sum(axis=1) > 0].astype(int)
        total += dirichlet_multinomial.logpmf(seen, row, seen.sum(axis=1)).sum()
    return total


def test_learning_the_population_climbs_its_likelihood_to_the_top():
    counts = draw_counts()
    rows = PooledRows(counts, np.ones((2, 3)), None)
    trace = [likelihood(counts, rows.population)]
    for _ in range(200):
        rows = rows.updated(counts)
        trace.append(likelihood(counts, rows.population))
    assert np.all(np.diff(trace) > -1e-9)
    for r in range(2):
        for j in range(3):
            for factor in (0.98, 1.02):
                moved = rows.population.copy()
                moved[r, j] *= factor
                assert likelihood(counts, moved) < trace[-1]


def test_a_fixed_concentration_stays_and_its_shares_are_the_best():
    counts = draw_counts(1)
    rows = PooledRows(counts, np.full((2, 3), 5 / 3), 5.0)
    for _ in range(200):
        rows = rows.updated(counts)
    np.testing.assert_allclose(rows.population.sum(axis=1), 5)
    best = likelihood(counts, rows.population)
    for r in range(2):
        for j in range(3):
            moved = rows.population.copy()
            moved[r, j] *= 1.02
            moved[r] *= 5 / moved[r].sum()
            assert likelihood(counts, moved) < best


def test_what_nobody_does_stays_possible_and_unmet_rows_stay():
    counts = np.zeros((4, 2, 3))
    counts[:, 0, 0] = 50.0
    before = np.array([[1.0, 1.0, 1.0], [0.2, 0.3, 0.4]])
    rows = PooledRows(counts, before, None).updated(counts)
    assert np.all(rows.population > 0)
    np.testing.assert_array_equal(rows.population[1], before[1])
    shares = rows.population[0] / rows.population[0].sum()
    np.testing.assert_allclose(shares[1:], 1e-6)


def test_annotators_who_are_all_alike_end_at_a_finite_population():
    counts = np.tile([[[30.0, 60.0, 10.0]]], (20, 1, 1))
    rows = PooledRows(counts, np.ones((1, 3)), None)
    for _ in range(300):
        rows = rows.updated(counts)
    assert np.isfinite(rows.population).all()
    np.testing.assert_allclose(rows.mean[0, 0], [0.3, 0.6, 0.1], atol=1e-3)  # the climb is slow
