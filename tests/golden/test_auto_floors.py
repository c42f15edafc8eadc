"""Auto with its defaults on real ratings: the floors that the default model must hold, one setting for all."""

import pytest

from truegrade import Auto, evaluate, read, read_gold
from truegrade.models._auto_members import members_for

# MSE at most, correlation at least, log-loss at most; rounded as they are printed.
FLOORS = [
    ("weather_sentiment_amt", 0.100, 0.921, 0.45),
    pytest.param("web_relevance", 0.270, 0.944, 0.60, marks=pytest.mark.slow),
    pytest.param("adult_content2", 0.292, 0.880, 1.00, marks=pytest.mark.slow),
    pytest.param("movie_reviews", 0.430, 0.975, 1.00, marks=pytest.mark.slow),
    pytest.param("trec_rf10", 0.600, 0.440, 1.10, marks=pytest.mark.slow),
]
SETS = ("weather_sentiment_amt", "web_relevance", "adult_content2", "movie_reviews", "trec_rf10")


@pytest.mark.parametrize(("name", "mse", "correlation", "log_loss"), FLOORS)
def test_floors(shared_data, name, mse, correlation, log_loss):
    folder = shared_data(name)
    found = evaluate(Auto().fit(read(str(folder / "ratings.csv"))), read_gold(str(folder / "gold.csv")))
    assert found.mse <= mse
    assert round(found.pearson, 3) >= correlation
    assert found.log_loss <= log_loss
    if found.ndcg is not None:
        assert round(found.ndcg, 3) >= 0.926


@pytest.mark.slow
@pytest.mark.parametrize("name", SETS)
def test_near_its_best_member_and_better_calibrated(shared_data, name):
    """Within .03 of the best MSE and .01 of the best correlation; log-loss below Dawid-Skene's and the mixture's."""
    folder = shared_data(name)
    ratings, gold = read(str(folder / "ratings.csv")), read_gold(str(folder / "gold.csv"))
    found = evaluate(Auto().fit(ratings), gold)
    members = {member.name: evaluate(member.model.fit(ratings), gold) for member in members_for(ratings, 0)}
    assert found.mse <= min(member.mse for member in members.values()) + 0.03
    assert found.pearson >= max(member.pearson for member in members.values()) - 0.01
    assert found.mse <= members["mean"].mse
    assert found.log_loss < min(members["dawid-skene"].log_loss, members["ordinal-mixture"].log_loss)
