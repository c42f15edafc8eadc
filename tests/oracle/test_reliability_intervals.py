"""Agreement with intervals, against definitions written out."""

import numpy as np
import pytest

from truegrade import Ratings, simulate
from truegrade.reliability import agreement, krippendorff_alpha
from truegrade.reliability_intervals import alpha_interval, icc_interval, kappa_against


@pytest.fixture(scope="module")
def ratings():
    return simulate(instances=80, annotators=9, grades=4, ratings_per_instance=3, seed=5).ratings


@pytest.mark.parametrize("metric", ["nominal", "ordinal", "interval"])
def test_rows_that_occur_several_times_are_so_many_instances(ratings, metric):
    rng = np.random.default_rng(1)
    counts, times = rng.integers(0, 4, (30, 4)).astype(float), rng.integers(0, 5, 30)
    once = krippendorff_alpha(np.repeat(counts, times, axis=0), metric, np.arange(4.0))
    assert krippendorff_alpha(counts, metric, np.arange(4.0), times) == pytest.approx(once, rel=1e-12)


def test_the_bootstrap_agrees_with_drawing_instances_one_by_one(ratings):
    counts = np.zeros((ratings.n_instances, 4))
    np.add.at(counts, (ratings.instance_of(), ratings.grade), 1)
    rng = np.random.default_rng(2)
    drawn = [
        krippendorff_alpha(counts[rng.integers(0, len(counts), len(counts))], "interval", ratings.scale.array)
        for _ in range(2000)
    ]
    found = alpha_interval(ratings, "interval", resamples=2000)
    assert found.estimate == pytest.approx(agreement(ratings).alpha_interval, rel=1e-12)
    np.testing.assert_allclose([found.lower, found.upper], np.quantile(drawn, [0.025, 0.975]), atol=0.02)


def test_icc_by_its_definition(ratings):
    values, instance = ratings.values(), ratings.instance_of()
    groups = [values[instance == m] for m in range(ratings.n_instances)]
    sizes = np.array([len(g) for g in groups])
    between = sum(len(g) * (g.mean() - values.mean()) ** 2 for g in groups) / (len(groups) - 1)
    within = sum(((g - g.mean()) ** 2).sum() for g in groups) / (len(values) - len(groups))
    size = (sizes.sum() - (sizes**2).sum() / sizes.sum()) / (len(groups) - 1)
    found = icc_interval(ratings)
    assert found.estimate == pytest.approx((between - within) / (between + (size - 1) * within), rel=1e-10)
    assert found.lower < found.estimate < found.upper


def test_kappa_by_its_table(ratings):
    truth = np.random.default_rng(0).integers(0, 4, ratings.n_instances).astype(np.uint8)
    found = kappa_against(ratings, truth)
    for n in range(ratings.n_annotators):
        own = ratings.annotator == n
        table = np.zeros((4, 4))
        np.add.at(table, (ratings.grade[own], truth[ratings.instance_of()[own]]), 1)
        distance = np.subtract.outer(ratings.scale.array, ratings.scale.array) ** 2
        chance = np.outer(table.sum(1), table.sum(0)) / table.sum()
        assert found[n] == pytest.approx(1 - (distance * table).sum() / (distance * chance).sum(), rel=1e-10)


def test_none_where_alpha_is_not_defined():
    alike = Ratings.from_arrays(annotator=["a", "b"], instance=["x", "x"], rating=[1, 1], scale="1..3")
    assert alpha_interval(alike, "ordinal") is None
