"""An explanation adds up to the estimate, and names who moved it."""

import numpy as np
import pytest

from truegrade import Auto, Mean, OrdinalPanel, Ratings, simulate
from truegrade.errors import IdError, OptionError


@pytest.fixture(scope="module")
def drawn():
    return simulate(instances=80, annotators=12, ratings_per_instance=5, categories=2, spammers=0.3, seed=5)


def test_pull_is_the_difference_that_a_rating_makes(drawn):
    fit = OrdinalPanel(max_iterations=40).fit(drawn.ratings)
    for row in fit.truth_table().to_pylist()[:4]:
        why = fit.explain(drawn.ratings, row["instance"]).to_pylist()
        assert len(why) == row["n_ratings"]
        for rating in why:
            assert rating["estimate_without"] + rating["pull"] == pytest.approx(row["estimate"], abs=1e-9)


def test_who_rates_blindly_moves_little():
    rng = np.random.default_rng(0)
    truth = rng.integers(1, 6, 200)
    said = np.column_stack([truth] * 4 + [rng.integers(1, 6, 200)])
    n, m = np.meshgrid(["a", "b", "c", "d", "blind"], np.arange(200))
    ratings = Ratings.from_arrays(annotator=n.ravel(), instance=m.ravel(), rating=said.ravel(), scale="1..5")
    fit = OrdinalPanel().fit(ratings)
    pulls = {"a": 0.0, "blind": 0.0}
    for instance in range(20):
        for row in fit.explain(ratings, instance).to_pylist():
            if row["annotator"] in pulls:
                pulls[row["annotator"]] += abs(row["points_to"] - 3)
    assert pulls["blind"] < 0.5 * pulls["a"]


def test_auto_explains_by_its_panel_and_others_do_not(drawn):
    name = drawn.ratings.instances.labels[0].as_py()
    assert Auto(held_out=0.0).fit(drawn.ratings).explain(drawn.ratings, name).num_rows > 0
    with pytest.raises(OptionError, match="no explain"):
        Mean().fit(drawn.ratings).explain(drawn.ratings, name)


def test_strangers_are_refused(drawn):
    fit = OrdinalPanel(max_iterations=5).fit(drawn.ratings)
    with pytest.raises(IdError, match="no instance 'nothing'"):
        fit.explain(drawn.ratings, "nothing")
    with pytest.raises(OptionError, match="not the ratings"):
        fit.explain(simulate(instances=20, annotators=5, seed=1).ratings, "nothing")
