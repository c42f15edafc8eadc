"""Auto against the mean on simulations of all kinds of scales, and the probabilities it gives with it."""

import numpy as np
import pytest

from truegrade import Auto, Mean, evaluate, simulate


@pytest.mark.parametrize("grades", [2, 3, 5, 11, pytest.param(101, marks=pytest.mark.slow)])
def test_no_scale_is_too_short_or_too_long(grades):
    """MSE at most the mean's, over three draws: in a single one of so few instances chance has a say."""
    auto = mean = 0.0
    for seed in range(3):
        drawn = simulate(instances=100, annotators=10, ratings_per_instance=5, grades=grades, seed=seed)
        auto += evaluate(Auto().fit(drawn.ratings), drawn.gold()).mse
        mean += evaluate(Mean().fit(drawn.ratings), drawn.gold()).mse
    assert auto <= mean


def test_ten_ratings_give_almost_the_mean():
    """The largest of all differences, in grades, averaged over five draws of ten ratings."""
    gaps = []
    for seed in range(5):
        ratings = simulate(instances=4, annotators=3, n_ratings=10, seed=seed).ratings
        gap = Auto().fit(ratings).posterior.estimate - Mean().fit(ratings).posterior.estimate
        gaps.append(np.abs(gap).max())
    assert np.mean(gaps) < 0.15
    assert np.max(gaps) < 0.5


@pytest.mark.slow
def test_small_noisy_sets_end_near_the_mean():
    """Correlation at most .03 below the plain mean's, on each of 20 draws."""
    design = {"instances": 180, "annotators": 200, "ratings_per_instance": 10, "scale": "1..6", "alpha": 4.0}
    for seed in range(20):
        drawn = simulate(**design, beta=40.0, seed=seed)
        auto, mean = (evaluate(model.fit(drawn.ratings), drawn.gold()).pearson for model in (Auto(), Mean()))
        assert auto >= mean - 0.03
