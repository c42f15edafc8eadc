"""GLAD's kernel against its NumPy twin, on every shape; and the same bits for any number of threads."""

from dataclasses import fields, replace

import numpy as np
import pytest

from truegrade.inference import glad_pass as fast
from truegrade.inference import glad_twin as plain
from truegrade.inference.glad_pass import GladRatings, GladSums

SHAPES = {  # ratings of each instance
    "one": [1],
    "few": [3, 1, 4, 1, 5, 9, 2, 6],
    "crowd": [2000],
    "many": np.random.default_rng(0).integers(1, 12, 3000),
}


def make_problem(degrees, *, annotators=9, grades=4, weighted=False, gold=False, spread=1.0, seed=0):
    rng = np.random.default_rng(seed)
    ptr = np.concatenate([[0], np.cumsum(degrees)]).astype(np.int64)
    instances, ratings = len(degrees), int(ptr[-1])
    known = np.where(rng.random(instances) < 0.3, rng.integers(0, grades, instances), -1).astype(np.int32)
    with np.errstate(divide="ignore"):
        log_prior = np.log(rng.dirichlet(np.ones(grades)))
    return (
        GladRatings(
            ptr,
            rng.integers(0, annotators, ratings).astype(np.int32),
            rng.integers(0, grades, ratings).astype(np.uint8),
            rng.choice([0.5, 1.0, 3.0], ratings) if weighted else None,
            known if gold else None,
        ),
        spread * rng.normal(1, 1, annotators),
        np.exp(rng.normal(1, 1, instances)),
        log_prior,
    )


def run(module, problem, threads=1, *, settled=False):
    ratings, alpha, beta, log_prior = problem
    sums = GladSums.empty(alpha.size, beta.size, log_prior.size)
    sums.truth[:] = np.random.default_rng(5).dirichlet(np.ones(log_prior.size), beta.size)
    module.glad_pass(ratings, alpha, beta, log_prior, sums, settled=settled, threads=threads)
    return {f.name: getattr(sums, f.name) for f in fields(sums)}


@pytest.mark.parametrize(("gold", "settled"), [(False, False), (True, False), (False, True)])
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("grades", [1, 2, 5, 101])
@pytest.mark.parametrize("shape", SHAPES)
def test_the_kernel_equals_its_twin(shape, grades, weighted, gold, settled):
    # A large spread makes ratings all but certain: exp(-x) is 0 there, and a sum of them must not be lost.
    for spread in (0.0, 1.0, 300.0):
        problem = make_problem(SHAPES[shape], grades=grades, weighted=weighted, gold=gold, spread=spread)
        one, two = (run(module, problem, settled=settled) for module in (fast, plain))
        for name, found in one.items():
            near = 1e-9 * np.abs(two[name]).max() + 1e-13  # ln of nearly 1 by the kernel is a difference
            np.testing.assert_allclose(found, two[name], rtol=1e-9, atol=near, err_msg=name)


@pytest.mark.parametrize("annotators", [9, 700])
def test_threads_change_no_bit(annotators):
    problem = make_problem(SHAPES["many"], annotators=annotators, weighted=True)
    assert int(problem[0].instance_ptr[-1]) > 3 * 4096  # else there would be one piece
    one = run(fast, problem)
    for threads in (2, 3, 8):
        for name, found in run(fast, problem, threads).items():
            np.testing.assert_array_equal(found, one[name], err_msg=name)


def test_a_grade_without_prior_is_never_true():
    ratings, alpha, beta, _ = make_problem(SHAPES["few"], grades=3)
    with np.errstate(divide="ignore"):
        log_prior = np.log([0.0, 0.25, 0.75])
    found = run(fast, (ratings, alpha, beta, log_prior))
    assert np.all(found["truth"][:, 0] == 0)
    np.testing.assert_allclose(found["truth"].sum(axis=1), 1)


def test_a_weight_is_so_many_ratings():
    ratings, *rest = make_problem(SHAPES["few"], weighted=True)
    times = np.arange(ratings.grade.size) % 3 + 1
    repeated = replace(
        ratings,
        instance_ptr=np.concatenate([[0], np.cumsum(times)])[ratings.instance_ptr],
        annotator=np.repeat(ratings.annotator, times),
        grade=np.repeat(ratings.grade, times),
        weight=None,
    )
    one, two = (run(fast, (r, *rest)) for r in (replace(ratings, weight=times.astype(float)), repeated))
    for name, found in one.items():
        np.testing.assert_allclose(found, two[name], rtol=1e-12, err_msg=name)
