"""GradePosterior against plain sums over its nodes."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from truegrade import Scale
from truegrade.posterior import GradePosterior

SCALE = Scale((1, 2, 4))


def fine_grid(p):
    """Seven nodes: two of grade 1, three of grade 2, two of grade 4."""
    nodes = np.array([0.75, 1.25, 1.6, 2.0, 2.5, 3.5, 4.5])
    return GradePosterior(np.array(p), nodes, np.array([0, 0, 1, 1, 1, 2, 2], dtype=np.uint8))


def test_moments_and_grades_of_a_fine_grid():
    p = [[0.1, 0.2, 0.05, 0.15, 0.1, 0.25, 0.15], [0.25, 0.25, 0.2, 0.2, 0.1, 0, 0]]
    found = fine_grid(p)
    for row, mean, sd in zip(p, found.estimate, found.sd, strict=True):
        wanted = sum(q * v for q, v in zip(row, found.nodes, strict=True))
        assert mean == pytest.approx(wanted)
        assert sd == pytest.approx(sum(q * (v - wanted) ** 2 for q, v in zip(row, found.nodes, strict=True)) ** 0.5)
    np.testing.assert_allclose(found.probabilities(SCALE), [[0.3, 0.3, 0.4], [0.5, 0.5, 0]])
    np.testing.assert_array_equal(found.grade(SCALE), [2, 0])  # a tie goes to the lower grade


def test_the_grades_are_a_grid_too():
    p = np.array([[0.2, 0.5, 0.3]])
    found = GradePosterior.on_grades(p, SCALE)
    np.testing.assert_array_equal(found.probabilities(SCALE), p)
    assert found.estimate == pytest.approx([0.2 + 1 + 1.2])


def test_a_known_truth_has_no_spread():
    found = GradePosterior(np.array([[0.0, 1.0, 0.0]]), np.array([1e6, 1e6 + 1, 1e6 + 2]), np.arange(3, dtype=np.uint8))
    assert found.sd == 0
    assert found.interval() == ([1e6 + 1], [1e6 + 1])


@given(st.lists(st.floats(0, 1), min_size=7, max_size=7).filter(lambda p: sum(p) > 0.01), st.floats(0.05, 0.99))
def test_interval_is_the_shortest_that_leaves_no_more_out_on_either_side(p, level):
    p = np.array(p) / sum(p)
    found = fine_grid([p])
    (lower,), (upper,) = found.interval(level)
    tail, nodes = (1 - level) / 2, found.nodes
    assert p[nodes < lower].sum() <= tail + 1e-9 < p[nodes <= lower].sum() + 2e-9
    assert p[nodes > upper].sum() <= tail + 1e-9 < p[nodes >= upper].sum() + 2e-9
    turned = GradePosterior(found.p[:, ::-1], -nodes[::-1], found.grade_of_node)
    assert turned.interval(level) == ([-upper], [-lower])


def test_shares_that_miss_the_tail_by_rounding_count_as_the_tail():
    found = GradePosterior(np.array([[0.025 + 1e-15, 0.95, 0.025]]), np.arange(3.0), np.arange(3, dtype=np.uint8))
    assert found.interval() == ([1], [1])
