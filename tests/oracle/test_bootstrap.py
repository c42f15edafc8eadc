"""Resampled figures against explicitly repeated rows, and against what theory says of their scatter."""

import numpy as np
import pytest

from truegrade import metrics
from truegrade.experiments.bootstrap import Scored, interval, resample

SIZE, QUERIES = 300, 40


@pytest.fixture
def scored():
    rng = np.random.default_rng(5)
    gold = rng.integers(1, 6, SIZE).astype(float)
    inside = rng.random(SIZE) < 0.8
    estimate = gold + rng.normal(0, 0.7, SIZE)
    return Scored(estimate, gold, rng.exponential(1, SIZE), inside.astype(float), rng.beta(9, 1, QUERIES))


def test_draws_are_figures_of_repeated_rows(scored):
    found = resample(scored, 5, seed=3)
    of_instances, of_queries = np.random.default_rng([3, 0]), np.random.default_rng([3, 1])
    for draw in range(5):
        rows = of_instances.integers(0, SIZE, SIZE)
        estimate, gold = scored.estimate[rows], scored.gold[rows]
        assert found["mse"][draw] == pytest.approx(metrics.mse(estimate, gold), rel=1e-12)
        assert found["correlation"][draw] == pytest.approx(metrics.pearson(estimate, gold), rel=1e-12)
        assert found["log_loss"][draw] == pytest.approx(scored.log_loss[rows].mean(), rel=1e-12)
        assert found["coverage"][draw] == pytest.approx(scored.inside[rows].mean(), rel=1e-12)
        queries = of_queries.integers(0, QUERIES, QUERIES)
        assert found["ndcg"][draw] == pytest.approx(scored.ndcg[queries].mean(), rel=1e-12)


def test_intervals_have_the_width_of_theory(scored):
    found = resample(scored, 2000)
    error = (scored.estimate - scored.gold) ** 2
    r = metrics.pearson(scored.estimate, scored.gold)
    for name, mean, sd in (
        ("mse", error.mean(), error.std() / np.sqrt(SIZE)),
        ("ndcg", scored.ndcg.mean(), scored.ndcg.std() / np.sqrt(QUERIES)),
        ("coverage", scored.inside.mean(), scored.inside.std() / np.sqrt(SIZE)),
    ):
        # The percentiles themselves scatter by about 5 % of the sd with 2000 draws; skew adds to that.
        assert interval(found[name]) == pytest.approx((mean - 1.96 * sd, mean + 1.96 * sd), abs=0.25 * sd)
    lower, upper = np.tanh(np.arctanh(r) + np.array([-1.96, 1.96]) / np.sqrt(SIZE - 3))  # Fisher; normal pairs
    assert interval(found["correlation"]) == pytest.approx((lower, upper), abs=0.01)


def test_draws_do_not_depend_on_the_model(scored):
    shifted = Scored(scored.estimate + 1, scored.gold, scored.log_loss, scored.inside, scored.ndcg)
    one, two = resample(scored, 20), resample(shifted, 20)
    bias = 2 * (one["mse"] * 0 + 1)  # mse of (e + 1) = mse + 2 mean e + 1, so differences stay small and paired
    assert np.all(np.abs(two["mse"] - one["mse"] - 1) < bias)
    np.testing.assert_allclose(two["correlation"], one["correlation"], rtol=1e-12)


def test_what_is_not_defined_is_left_out(scored):
    nothing = np.full(SIZE, np.nan)
    found = resample(Scored(scored.gold * 0 + 3, scored.gold, nothing, nothing, scored.ndcg[:1]), 10)
    assert sorted(found) == ["mse"]
