"""Masses on nodes as a density: intervals, grades, and truths that are known."""

import numpy as np
import pytest

from truegrade import Scale
from truegrade.posterior import GridPosterior

NODES = np.array([1.0, 1.5, 2.0, 2.5, 3.0])
UNKNOWN = np.full(200, np.nan)


@pytest.fixture
def posterior():
    return GridPosterior(np.random.default_rng(0).dirichlet(np.full(5, 0.5), 200), NODES, UNKNOWN)


def draws(posterior, row, count=100_000):
    rng = np.random.default_rng(row)
    return NODES[rng.choice(5, count, p=posterior.p[row])] + rng.uniform(-0.25, 0.25, count)


def test_moments_and_quantiles_are_those_of_draws(posterior):
    lower, upper = posterior.interval(0.8)
    p = posterior.probabilities(Scale((1, 2, 3)))
    for row in (0, 7, 42):
        x = draws(posterior, row)
        assert posterior.estimate[row] == pytest.approx(x.mean(), abs=0.01)
        assert posterior.sd[row] == pytest.approx(x.std(), abs=0.01)
        assert np.mean((lower[row] <= x) & (x <= upper[row])) == pytest.approx(0.8, abs=0.01)
        assert np.mean(x < lower[row]) == pytest.approx(0.1, abs=0.01)
        share = np.bincount(np.digitize(x, [1.5, 2.5]), minlength=3) / x.size
        np.testing.assert_allclose(p[row], share, atol=0.01)


def test_a_certain_truth_keeps_to_its_cell():
    sure = GridPosterior(np.eye(5), NODES, UNKNOWN[:5])
    lower, upper = sure.interval()
    np.testing.assert_allclose(upper - lower, 0.5 * 0.95)
    np.testing.assert_allclose((upper + lower) / 2, NODES)
    np.testing.assert_array_equal(sure.grade(Scale((1, 2, 3))), [0, 0, 1, 1, 2])


def test_known_truths_stand(posterior):
    known = UNKNOWN.copy()
    known[3] = 2.2
    settled = GridPosterior(posterior.p, NODES, known)
    assert (settled.estimate[3], settled.sd[3]) == (2.2, 0.0)
    assert [bound[3] for bound in settled.interval()] == [2.2, 2.2]
    np.testing.assert_array_equal(settled.probabilities(Scale((1, 2, 3)))[3], [0, 1, 0])


def test_one_node_is_one_grade():
    alone = GridPosterior(np.ones((2, 1)), np.array([4.0]), UNKNOWN[:2])
    np.testing.assert_array_equal(alone.probabilities(Scale((4,))), [[1], [1]])
    assert (alone.estimate[0], alone.sd[0]) == (4.0, 0.0)
