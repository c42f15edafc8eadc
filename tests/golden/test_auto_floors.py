"""Auto with its defaults on real ratings: the floors that the default model must hold, one setting for all."""

import pytest

from truegrade import Auto, evaluate, read, read_gold

# MSE at most, correlation at least, log-loss at most; rounded as they are printed.
FLOORS = [
    ("weather_sentiment_amt", 0.100, 0.921, 0.45),
    pytest.param("web_relevance", 0.270, 0.944, 0.60, marks=pytest.mark.slow),
    pytest.param("adult_content2", 0.292, 0.880, 1.00, marks=pytest.mark.slow),
    pytest.param("movie_reviews", 0.430, 0.975, 1.00, marks=pytest.mark.slow),
    pytest.param("trec_rf10", 0.600, 0.440, 1.10, marks=pytest.mark.slow),
]


@pytest.mark.parametrize(("name", "mse", "correlation", "log_loss"), FLOORS)
def test_floors(shared_data, name, mse, correlation, log_loss):
    folder = shared_data(name)
    found = evaluate(Auto().fit(read(str(folder / "ratings.csv"))), read_gold(str(folder / "gold.csv")))
    assert found.mse <= mse
    assert round(found.pearson, 3) >= correlation
    assert found.log_loss <= log_loss
    if found.ndcg is not None:
        assert round(found.ndcg, 3) >= 0.926
