"""GLAD's objective by brute force over all truths, its slope by mpmath, and that no step lowers it."""

from itertools import product
from math import exp, log, pi

import mpmath
import numpy as np
import pytest
from glad_points import eases_of, problem_of, slope_of, start_at

from truegrade import Glad, Gold, Ratings
from truegrade.models._glad_ascent import GladAscent

CONFIGURATIONS = [
    Glad(difficulty=difficulty, class_prior=class_prior, adversarial=adversarial, starts=2)
    for difficulty, class_prior, adversarial in product(
        ("none", "category", "instance"), ("uniform", "learned"), (False, True)
    )
]


def random_ratings(seed, *, grades=3, annotators=5, instances=4, size=14, weighted=False):
    rng = np.random.default_rng(seed)
    instance = np.concatenate([np.arange(instances), rng.integers(0, instances, size - instances)])
    return Ratings.from_arrays(
        annotator=rng.integers(0, annotators, size),
        instance=instance,
        rating=rng.integers(1, grades + 1, size),
        category=[f"c{m // 2}" for m in instance],
        weight=rng.choice([0.5, 1.0, 2.0], size) if weighted else None,
        scale=f"1..{grades}",
    )


def objective(problem, theta, prior):
    """ln p(ratings, alpha, ln beta): every combination of truths, one after the other, with 30 digits."""
    (part,) = problem.placed.parts
    ratings, model = part.ratings, problem.model
    n, grades = problem.n_annotators, ratings.scale.n_grades
    instance, weight = ratings.instance_of(), ratings.weight
    known = part.data.known
    theta = [mpmath.mpf(t) for t in theta]
    total = mpmath.mpf(0)
    for truth in product(range(grades), repeat=ratings.n_instances):
        if known is not None and any(k >= 0 and k != z for k, z in zip(known, truth, strict=True)):
            continue
        p = mpmath.fprod(mpmath.mpf(prior[z]) for z in truth)
        for i in range(ratings.n_ratings):
            m = instance[i]
            x = theta[ratings.annotator[i]] * mpmath.exp(theta[n + part.group[m]])
            right = 1 / (1 + mpmath.exp(-x))
            chance = right if ratings.grade[i] == truth[m] else (1 - right) / (grades - 1)
            p *= chance ** (1 if weight is None else mpmath.mpf(weight[i]))
        total += p
    found = mpmath.log(total)
    for t, (mean, sd) in zip(theta, [model.alpha_prior] * n + [model.beta_prior] * (len(theta) - n), strict=True):
        found += mpmath.log(mpmath.npdf(t, mean, sd))
    if not model.adversarial:  # the prior of alpha is cut at 0
        found -= n * mpmath.log(mpmath.ncdf(model.alpha_prior[0] / model.alpha_prior[1]))
    return found


@pytest.mark.parametrize("model", [*CONFIGURATIONS[::3], Glad(alpha_prior=(0.5, 2.0), beta_prior=(0.2, 0.7))], ids=str)
@pytest.mark.parametrize("gold", [None, Gold.of({0: 2, 3: 1})], ids=["blind", "gold"])
def test_the_objective_and_its_slope(model, gold):
    ratings = random_ratings(1, weighted=gold is None)
    problem = problem_of(model, ratings, gold)
    rng = np.random.default_rng(2)
    theta = problem.legal(rng.normal(0.5, 1, problem.n_annotators + eases_of(problem)))
    prior = rng.dirichlet(np.ones(3))
    found = start_at(problem, theta, prior)
    with mpmath.workdps(30):
        assert found.here.objective == pytest.approx(float(objective(problem, theta, prior)), rel=1e-12)
        for at in range(theta.size):

            def along(t, at=at):
                return objective(problem, [t if i == at else v for i, v in enumerate(theta)], prior)

            step = mpmath.mpf("1e-8")
            slope = (along(theta[at] + step) - along(theta[at] - step)) / (2 * step)
            assert slope_of(found)[at] == pytest.approx(float(slope), rel=1e-10, abs=1e-12)


def test_settled_truths_bound_the_objective_and_touch_it_where_they_were_made():
    """EM: with q the posterior at one point, E_q ln p(R, z, theta) + H(q) is at most the objective, and equal there."""
    ratings = random_ratings(3)
    problem = problem_of(Glad(adversarial=True), ratings)
    rng = np.random.default_rng(0)
    prior = np.array([0.2, 0.5, 0.3])
    theta = rng.normal(1, 1, problem.n_annotators + eases_of(problem))
    here = start_at(problem, theta, prior)
    q = here.states[0].truth.copy()
    entropy_and_prior = (q * (np.log(prior) - np.log(q))).sum()

    def bound(theta):
        other = start_at(problem, theta, prior)
        other.states[0].truth = q
        point, _ = other._attempt(other.here, other.here.trail.theta, prior, settled=True)
        return point.objective + entropy_and_prior

    assert bound(theta) == pytest.approx(here.here.objective, rel=1e-12)
    for _ in range(20):
        other = theta + rng.normal(0, 0.5, theta.size)
        assert bound(other) <= start_at(problem, other, prior).here.objective
    np.testing.assert_array_equal(here.states[0].truth, q)


@pytest.mark.parametrize("model", CONFIGURATIONS, ids=str)
@pytest.mark.parametrize("seed", range(8))
def test_the_objective_never_falls_and_ends_flat(model, seed):
    ratings = random_ratings(seed, grades=2 + seed % 4, annotators=12, instances=30, size=200, weighted=seed % 2 == 0)
    problem = problem_of(model, ratings)
    ascent = GladAscent.fresh(problem, seed % 3)
    trace = [ascent.step() for _ in range(400)]
    assert np.all(np.diff(trace) >= 0)
    assert not ascent.rough  # EM has handed over
    slope, trail = slope_of(ascent), ascent.here.trail
    slope[: trail.theta.size] *= problem.movable(trail)
    assert np.abs(slope).max() < 1e-4
    if model.class_prior == "learned":
        np.testing.assert_allclose(ascent.here.class_prior, ascent.here.prevalence(), atol=1e-4)


def test_the_end_is_the_best_point_of_a_grid():
    """One annotator's ability and one ease, everything else known: the maximum by looking everywhere."""
    ratings = Ratings.from_arrays(annotator=["a"] * 6, instance=range(6), rating=[1, 2, 3, 1, 2, 1], scale="1..3")
    truth = Gold.of({0: 1, 1: 2, 2: 3, 3: 1, 4: 2, 5: 3})  # five right, one wrong
    fit = Glad(difficulty="none", tolerance=1e-14).fit(ratings, gold=truth)

    def at(alpha, log_beta):
        right = 1 / (1 + exp(-alpha * exp(log_beta)))
        prior = -((alpha - 1) ** 2) / 2 - (log_beta - 1) ** 2 / 2 - log(2 * pi) - log(0.8413447460685429)
        return 5 * log(right) + log((1 - right) / 2) + 6 * log(1 / 3) + prior

    grid = np.linspace(0, 2, 401)
    values = np.array([[at(alpha, log_beta) for log_beta in grid] for alpha in grid])
    best = np.unravel_index(values.argmax(), values.shape)
    assert fit.parameters["alpha"][0] == pytest.approx(grid[best[0]], abs=0.005)
    assert fit.parameters["log_beta"][0] == pytest.approx(grid[best[1]], abs=0.005)
    assert values.max() <= fit.bound <= values.max() + 1e-4
