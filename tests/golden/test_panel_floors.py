"""The panel with its defaults on real ratings: figures it must not fall behind."""

import pytest

from truegrade import OrdinalPanel, evaluate, read, read_gold

# MSE at most, correlation at least, log-loss at most: what was seen, with a little room.
FLOORS = {
    "trec_rf10": (0.630, 0.440, 1.40),
    "web_relevance": (0.220, 0.943, 0.53),
    "adult_content2": (0.300, 0.880, 0.92),
    "movie_reviews": (0.290, 0.975, 0.80),
    "weather_sentiment_amt": (0.100, 0.921, 0.30),
}


@pytest.mark.parametrize("name", FLOORS)
def test_figures(shared_data, name):
    folder = shared_data(name)
    fit = OrdinalPanel().fit(read(str(folder / "ratings.csv")))
    found = evaluate(fit, read_gold(str(folder / "gold.csv")))
    mse, correlation, log_loss = FLOORS[name]
    assert found.mse < mse
    assert found.pearson > correlation
    assert found.log_loss < log_loss
