"""Metrics against figures worked out by hand, and what is not defined."""

import numpy as np
import pytest

from truegrade import metrics
from truegrade.ties import average_ranks, run_starts

NONE = np.empty(0)
NO_GRADES = np.empty(0, dtype=np.int64)


def test_errors():
    estimates, gold = np.array([1.0, 2.5, 4.0]), np.array([2.0, 2.5, 1.0])
    assert metrics.mse(estimates, gold) == pytest.approx(10 / 3, rel=1e-15)
    assert metrics.mae(estimates, gold) == pytest.approx(4 / 3, rel=1e-15)


def test_pearson_by_hand():
    # deviations (-1, 0, 1) and (-1, 1, 0): 1 / sqrt(2 * 2)
    assert metrics.pearson(np.array([1.0, 2, 3]), np.array([1.0, 3, 2])) == pytest.approx(0.5, rel=1e-15)


@pytest.mark.parametrize("scale", [1e-200, 1e-3, 1e200])
def test_pearson_does_not_depend_on_units(scale):
    x = np.array([1.0, 2, 4, 8])
    assert metrics.pearson(scale * x, 5 - x) == pytest.approx(-1, rel=1e-14)


def test_spearman_shares_ranks_among_ties():
    # ranks (1.5, 1.5, 3) against (1, 2, 3): deviations (-.5, -.5, 1) and (-1, 0, 1)
    value = metrics.spearman(np.array([7.0, 7, 9]), np.array([1.0, 2, 3]))
    assert value == pytest.approx(1.5 / np.sqrt(1.5 * 2), rel=1e-15)


def test_kappa_by_hand():
    # pairs (0,0) (1,1) (2,0) on values 0, 1, 10: observed 100 / 3
    # expected: margins grade (1,1,1)/3, gold (2,1,0)/3 -> (0*2 + 1*1 + 1*2 + 0*1 + 100*2 + 81*1) / 9
    value = metrics.kappa(np.array([0, 1, 2]), np.array([0, 1, 0]), np.array([0.0, 1, 10]))
    assert value == pytest.approx(1 - (100 / 3) / (284 / 9), rel=1e-14)


def test_kappa_of_bytes_does_not_wrap():
    grade = np.array([100, 3], dtype=np.uint8)
    assert metrics.kappa(grade, grade, np.arange(101.0)) == 1.0


def test_log_loss_has_a_floor():
    assert metrics.log_loss(np.array([[0.0, 1.0]]), np.array([0])) == pytest.approx(-np.log(1e-12), rel=1e-15)
    value = metrics.log_loss(np.array([[0.25, 0.75], [0.5, 0.5]]), np.array([0, 1]))
    assert value == pytest.approx((np.log(4) + np.log(2)) / 2, rel=1e-15)


def test_coverage_counts_both_ends():
    gold = np.array([1.0, 2.0, 3.0, 3.1])
    assert metrics.coverage(np.full(4, 1.0), np.full(4, 3.0), gold) == 0.75


@pytest.mark.parametrize(
    "value",
    [
        metrics.mse(NONE, NONE),
        metrics.mae(NONE, NONE),
        metrics.pearson(np.array([1.0]), np.array([2.0])),
        metrics.pearson(np.array([1.0, 1.0]), np.array([2.0, 3.0])),
        metrics.pearson(np.array([1.0, 2.0]), np.array([3.0, 3.0])),
        metrics.pearson(np.array([0.3, 0.1 + 0.2]), np.array([2.0, 3.0])),
        metrics.spearman(np.array([1.0]), np.array([2.0])),
        metrics.spearman(np.array([1.0, 1.0]), np.array([2.0, 3.0])),
        metrics.accuracy(NO_GRADES, NO_GRADES),
        metrics.kappa(NO_GRADES, NO_GRADES, np.arange(3.0)),
        metrics.kappa(np.array([1, 1]), np.array([1, 1]), np.arange(3.0)),
        metrics.kappa(np.array([0]), np.array([0]), np.arange(1.0)),
        metrics.log_loss(np.empty((0, 3)), NO_GRADES),
        metrics.coverage(NONE, NONE, NONE),
    ],
)
def test_what_is_not_defined_is_none(value):
    assert value is None


def test_a_run_ends_at_a_gap_wider_than_the_tolerance():
    ordered = np.array([0.0, 0.9e-9, 1.8e-9, 4e-9])
    assert run_starts(ordered, span=1.0).tolist() == [True, False, False, True]
    assert run_starts(ordered[::-1].copy(), span=1.0).tolist() == [True, True, False, False]


def test_rounding_of_large_values_is_a_tie_on_a_narrow_scale():
    assert run_starts(np.array([1e6, np.nextafter(1e6, 2e6)]), span=1e-3).tolist() == [True, False]


def test_one_runaway_value_ties_no_others():
    assert run_starts(np.array([1.0, 1.5, 1e15]), span=4.0).all()


def test_rounding_is_a_tie():
    third = 1 / 3
    assert average_ranks(np.array([third + third + third - third, 2 / 3, 1.0, 0.1 * 3 / 0.3])).tolist() == [
        1.5,
        1.5,
        3.5,
        3.5,
    ]
