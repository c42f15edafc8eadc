"""Figures without any freedom on the TREC 2010 relevance feedback ratings: counts, and three simple estimators."""

import pytest

from truegrade import Majority, Mean, Median, evaluate


def test_counts(trec):
    ratings, gold = trec
    assert (ratings.n_ratings, ratings.n_annotators) == (91_783, 762)
    assert (ratings.n_categories, ratings.n_instances) == (100, 20_026)
    assert len(gold) == 3_277


# The sum of the majority's squared errors is the whole number 2797 over 3275 instances, .85405.
@pytest.mark.parametrize(
    ("model", "mse", "pearson", "ndcg"),
    [
        (Mean(), 0.6495, 0.3591, 0.9112),
        (Median(), 0.7463, 0.3361, 0.9049),
        (Majority(ties="lower"), 2797 / 3275, 0.3177, 0.9045),
    ],
)
def test_mse_correlation_ndcg(trec, model, mse, pearson, ndcg):
    ratings, gold = trec
    found = evaluate(model.fit(ratings), gold)
    assert found.n_scored == 3_275
    assert (found.mse, found.pearson, found.ndcg) == pytest.approx((mse, pearson, ndcg), abs=5e-5)
