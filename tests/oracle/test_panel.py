"""The panel against sums over everything that is hidden, and its rows against counting by hand."""

import math
from dataclasses import replace
from itertools import product

import numpy as np
import pytest

from truegrade import OrdinalPanel, Ratings
from truegrade.models._panel_grid import TruthGrid
from truegrade.models._panel_population import Population
from truegrade.models._panel_problem import PanelProblem, place_panel
from truegrade.models._panel_rows import RefinedRows, TypeRows
from truegrade.models._panel_types import TypeGrid, TypeParts

KAPPAS = (1.5, 5.0, 20.0, 100.0)


@pytest.fixture
def population():
    return Population.of(TypeGrid.of(np.array([0.2, 0.5, 0.3]), TypeParts()), strength=30.0)


def polya(counts, pseudo):
    """ln of the probability of a row of counts whose shares are Dirichlet(pseudo)."""
    whole = math.lgamma(sum(pseudo)) - math.lgamma(sum(pseudo) + sum(counts))
    return whole + sum(math.lgamma(a + c) - math.lgamma(a) for a, c in zip(pseudo, counts, strict=True))


def random_counts(annotators=3, grades=3, seed=1):
    return np.random.default_rng(seed).gamma(0.7, 3.0, (annotators, grades, grades))


def test_responses_are_the_integral_of_a_gaussian_between_thresholds():
    grid = TypeGrid.of(np.array([0.2, 0.5, 0.3]), TypeParts())
    h = 100
    zbar = 0.5 + 0.6
    centre = zbar + grid.bias[h] + grid.stretch[h] * (0 - zbar)
    draws = np.random.default_rng(0).normal(centre, grid.noise[h], 400_000)
    spam = max(grid.spam[h], 1e-3)
    share = np.bincount(np.clip(np.round(draws), 0, 2).astype(int), minlength=3) / draws.size
    expected = (1 - spam) * share + spam * (0.5 * np.array([0.2, 0.5, 0.3]) + 0.5 / 3)
    np.testing.assert_allclose(grid.p[h, 0], expected, atol=4e-3)
    np.testing.assert_allclose(grid.p.sum(axis=2), 1)
    assert grid.base.sum() == pytest.approx(1)


def test_evidence_of_refined_rows_is_the_polya_mixture(population):
    counts = random_counts()
    rows = RefinedRows.of(counts, population)
    for n in range(3):
        terms = [
            population.log_w[0, h]
            - math.log(4)
            + sum(polya(counts[n, r], kappa * population.grid.p[h, r]) for r in range(3))
            for h in rows.kept[n]
            for kappa in KAPPAS
        ]
        top = max(terms)
        assert rows.log_norm[n] == pytest.approx(top + math.log(sum(math.exp(t - top) for t in terms)), rel=1e-10)


def test_log_p_of_refined_rows_is_what_draws_average(population):
    rows = RefinedRows.of(random_counts(annotators=1), population)
    rng = np.random.default_rng(0)
    j = rng.choice(rows.q.shape[1], 40_000, p=rows.q[0])
    gammas = rng.standard_gamma((rows.pseudo + rows.counts[:, None])[0][j])
    phi = gammas / gammas.sum(axis=2, keepdims=True)
    np.testing.assert_allclose(phi.mean(axis=0), rows.mean[0], atol=5e-3)
    likely = rows.mean[0] > 0.05
    np.testing.assert_allclose(np.log(phi).mean(axis=0)[likely], rows.log_p[0][likely], atol=0.03)


@pytest.mark.parametrize("kind", [TypeRows, RefinedRows])
def test_a_rating_is_taken_out_as_if_it_had_never_been(population, kind):
    counts = random_counts()
    own = np.array([0.2, 0.0, 0.7])
    counts[1, :, 2] += own
    rows = kind.of(counts, population)
    fewer = counts.copy()
    fewer[1, 0, 2] -= 0.2
    fewer[1, 2, 2] -= 0.7
    found = rows.without(np.array([1]), np.array([2]), own[None])
    if kind is TypeRows:
        expected = TypeRows.of(fewer, population).mean[1, :, 2]
    else:
        # The Polya evidence of a part of a rating differs from a factor per row by little; whole ratings are exact.
        expected = RefinedRows.on(fewer, population, rows.kept).mean[1, :, 2]
    np.testing.assert_allclose(found[0], expected, rtol=1e-9 if kind is TypeRows else 0.03)


def test_a_whole_rating_is_taken_out_exactly(population):
    counts = random_counts()
    counts[1, 2, 0] += 1
    rows = RefinedRows.of(counts, population)
    fewer = counts.copy()
    fewer[1, 2, 0] -= 1
    found = rows.without(np.array([1]), np.array([0]), np.array([[0.0, 0.0, 1.0]]))
    np.testing.assert_allclose(found[0], RefinedRows.on(fewer, population, rows.kept).mean[1, :, 0], rtol=1e-9)


@pytest.mark.parametrize(("grades", "per_grade", "ambiguity"), [(1, 2, (0.0,)), (2, 2, (0.0,)), (4, 3, (0.0, 0.25))])
def test_nodes_blend_the_rows_of_grades(grades, per_grade, ambiguity):
    grid = TruthGrid.of(grades, per_grade, ambiguity)
    assert grid.nodes == ((grades - 1) * per_grade + 1) * len(ambiguity)
    np.testing.assert_allclose(grid.blend.sum(axis=1), 1)
    np.testing.assert_allclose(grid.blend @ np.arange(grades), np.tile(grid.position, grid.levels), atol=0.26)
    rng = np.random.default_rng(0)
    p = rng.dirichlet(np.ones(grades), (2, grades))  # (N, R, K)
    table = grid.table(np.log(p))
    np.testing.assert_allclose(np.exp(table), np.einsum("gr,nrk->nkg", grid.blend, p), rtol=1e-12)
    counts = rng.random((2, grades, grid.nodes))
    expected = np.zeros((2, grades, grades))
    for n, k, g in product(range(2), range(grades), range(grid.nodes)):
        share = grid.blend[g] * p[n, :, k]
        expected[n, :, k] += counts[n, k, g] * share / share.sum()
    np.testing.assert_allclose(grid.rows(counts, table, np.log(p)), expected, rtol=1e-12)
    for position in (0.0, (grades - 1) / 3, grades - 1.0):
        weights = grid.weights(position)
        assert weights[: grid.position.size] @ grid.position == pytest.approx(position)


def enumerate_everything(problem, rows, prior):
    """ln P(ratings) and P(node | ratings) (M, G): over all nodes, and what they pass for in each rating."""
    r, grid = problem.placed.ratings, problem.grid
    instance, grades = r.instance_of(), r.scale.n_grades
    combinations = [
        (h, v, rows.population.log_w[0, h] - math.log(4))
        for h in range(rows.population.log_w.shape[1])
        for v in range(4)
    ]
    total, mass = 0.0, np.zeros((r.n_instances, grid.nodes))
    for nodes in product(range(grid.nodes), repeat=r.n_instances):
        p_nodes = math.prod(prior[0, g] for g in nodes)
        for passed in product(range(grades), repeat=r.n_ratings):
            p = p_nodes * math.prod(grid.blend[nodes[instance[i]], c] for i, c in enumerate(passed))
            if p == 0:
                continue
            for n in range(r.n_annotators):
                counts = np.zeros((grades, grades))
                for i in np.flatnonzero(r.annotator == n):
                    counts[passed[i], r.grade[i]] += 1
                p *= sum(
                    math.exp(
                        log_prior
                        + sum(polya(counts[c], KAPPAS[v] * rows.population.grid.p[h, c]) for c in range(grades))
                    )
                    for h, v, log_prior in combinations
                    if h in rows.kept[n]
                )
            total += p
            for m, g in enumerate(nodes):
                mass[m, g] += p
    return math.log(total), mass / total


def test_bound_and_truth_against_enumeration():
    ratings = Ratings.from_arrays(
        annotator=["a", "b", "a", "b"], instance=["x", "x", "y", "y"], rating=[1, 1, 2, 1], scale="1..2"
    )
    model = OrdinalPanel(
        bias=False,
        stretch=False,
        reversed=False,
        spam=False,
        prior="shares",
        learned_population=False,
        dependence=0.0,
        draws=2000,
    )
    fit = model.fit(ratings)
    problem = PanelProblem.of(model, place_panel(model, ratings, None), None)
    rows = RefinedRows.of(fit.parameters["counts"], problem.population())
    exact, posterior = enumerate_everything(problem, rows, fit.parameters["prior"])
    constants = rows.population.log_prior(refined=True) + problem.log_hyperprior(fit.parameters["prior"])
    assert fit.bound - constants <= exact + 1e-9
    assert fit.bound - constants == pytest.approx(exact, abs=0.6)  # the price of factors that are independent
    np.testing.assert_allclose(fit.posterior.p, posterior, atol=0.01)  # 4 x 2,000 draws
    by_formula = replace(model, draws=0).fit(ratings)
    np.testing.assert_allclose(by_formula.posterior.p, posterior, atol=0.06)
