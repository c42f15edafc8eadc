"""GLAD on TREC: the default is sane, and the paper's configuration is the paper's row, with its warnings."""

import pytest

from truegrade import Glad, evaluate, read, read_gold


@pytest.fixture
def trec(shared_data):
    folder = shared_data("trec_rf10")
    return read(str(folder / "ratings.csv"), drop_values=[-2]), read_gold(str(folder / "gold.csv"))


def figures(fit, gold):
    found = evaluate(fit, gold)
    assert fit.status == "CONVERGED"
    return found.mse, found.pearson, found.ndcg


def test_the_default_correlates_with_the_gold(trec):
    ratings, gold = trec
    fit = Glad(starts=2).fit(ratings)
    assert figures(fit, gold) == pytest.approx((0.6585, 0.3735, 0.9133), abs=1e-3)
    assert not any("distrust" in note for note in fit.notes)


def test_the_papers_configuration_is_the_papers_row_and_flagged(trec):
    ratings, gold = trec
    fit = Glad(class_prior="learned", adversarial=True, starts=1).fit(ratings)
    assert figures(fit, gold) == pytest.approx((0.736, -0.045, 0.854), abs=0.03)
    told = " ".join(fit.notes)
    assert "hardly any truths are 0, 2: distrust the estimates; try class_prior=uniform" in told
    assert "most annotators come out adversarial, so the fit has turned round" in told


@pytest.mark.slow
@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ({}, (0.6585, 0.3736, 0.9134)),
        ({"difficulty": "category"}, (0.6640, 0.3631, 0.9072)),
        ({"difficulty": "none"}, (0.6594, 0.3626, 0.9123)),
        ({"class_prior": "learned", "adversarial": True}, (0.7365, -0.0467, 0.8604)),
    ],
)
def test_with_all_starts(trec, options, expected):
    ratings, gold = trec
    assert figures(Glad(**options).fit(ratings), gold) == pytest.approx(expected, abs=2e-3)
