"""Predictive checks pass on data from the fitted story, and say what is wrong where it is not."""

import numpy as np
import pytest

from truegrade import Auto, DawidSkene, Mean, OrdinalPanel, Ratings, simulate
from truegrade.checks import predictive_checks
from truegrade.errors import OptionError


def by_name(fit, ratings):
    return {check.name: check for check in predictive_checks(fit, ratings)}


def grades(copies=0, seed=0):
    """Eight annotators with one confusion matrix; `copies` more who repeat the first one's ratings."""
    rng = np.random.default_rng(seed)
    truth = rng.integers(0, 4, 300)
    rows = 0.55 * np.eye(4) + 0.45 / 4
    said = (rng.random((300, 8))[:, :, None] > np.cumsum(rows, axis=1)[truth][:, None]).sum(axis=2)
    said = np.concatenate([said, np.repeat(said[:, :1], copies, axis=1)], axis=1)
    n, m = np.meshgrid(np.arange(said.shape[1]), np.arange(300))
    return Ratings.from_arrays(annotator=n.ravel(), instance=m.ravel(), rating=said.ravel(), scale="0..3")


@pytest.mark.parametrize("model", [DawidSkene(starts=1), OrdinalPanel(nodes=1)], ids=lambda m: m.name)
def test_a_fit_of_the_right_model_passes(model):
    ratings = grades()
    checks = by_name(model.fit(ratings), ratings)
    assert all(check.passed for check in checks.values()), checks


def test_a_fit_that_trusts_too_much_is_told():
    ratings = grades(seed=1)
    fit = DawidSkene(starts=1, errors="alike").fit(ratings)
    fit.parameters["confusion"][:] = 0.9 * np.eye(4) + 0.1 / 4
    agreement = by_name(fit, ratings)["pairwise agreement"]
    assert agreement.observed < agreement.low
    assert "trusts them too much" in agreement.verdict


def test_observed_figures_are_counted_by_hand():
    ratings = Ratings.from_arrays(annotator=list("abcab"), instance=list("xxxyy"), rating=[1, 1, 2, 3, 1], scale="1..3")
    checks = by_name(Mean().fit(ratings), ratings)
    assert checks["pairwise agreement"].observed == pytest.approx(1 / 4)  # of xx: 1 of 3 pairs, of yy: 0 of 1
    assert checks["spread inside instances"].observed == pytest.approx((1 / 3 * 2 + 2 * 1) / 3)


@pytest.mark.parametrize("model", [Mean(), Auto(held_out=0.0)], ids=lambda m: m.name)
def test_every_model_can_be_checked(model):
    drawn = simulate(instances=60, annotators=8, seed=2)
    for check in predictive_checks(model.fit(drawn.ratings), drawn.ratings, draws=5):
        assert np.isfinite([check.observed, check.expected, check.low, check.high]).all()


def test_other_ratings_are_refused():
    one, two = grades(seed=0), grades(seed=1)
    with pytest.raises(OptionError, match="not the ratings"):
        predictive_checks(Mean().fit(one), two)
