"""Continuous-ML on TREC against the paper's Table 1, and the Bayesian version."""

import pytest

from truegrade import Continuous, evaluate


def test_maximum_likelihood_is_the_papers_row(trec):
    ratings, gold = trec
    fit = Continuous(method="ml", tolerance=1e-10).fit(ratings)
    found = evaluate(fit, gold)
    assert fit.status == "CONVERGED"
    assert (found.mse, found.pearson, found.ndcg) == pytest.approx((0.685, 0.278, 0.901), abs=0.02)
    assert any("the variance of 83 annotators" in note for note in fit.notes)


def test_the_prior_helps(trec):
    ratings, gold = trec
    found = evaluate(Continuous().fit(ratings), gold)
    assert (found.mse, found.pearson, found.ndcg) == pytest.approx((0.6505, 0.3291, 0.9095), abs=5e-4)
