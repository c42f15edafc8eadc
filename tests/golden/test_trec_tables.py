"""Dawid-Skene and Ord-Binary on public ratings, converged: the figures that a build must reach."""

import pytest

from truegrade import DawidSkene, OrdBinary, evaluate, read, read_gold

TIGHT = {"tolerance": 1e-10, "starts": 1}


def scores(shared_data, name, model, **options):
    folder = shared_data(name)
    fit = model.fit(read(str(folder / "ratings.csv"), **options))
    assert fit.status == "CONVERGED"
    return evaluate(fit, read_gold(str(folder / "gold.csv")))


def test_dawid_skene_on_trec(shared_data):
    found = scores(shared_data, "trec_rf10", DawidSkene(**TIGHT), drop_values=[-2])
    assert (found.mse, found.pearson, found.ndcg) == pytest.approx((0.692, 0.422, 0.925), abs=2e-3)


def test_pooling_helps_dawid_skene_on_trec(shared_data):
    found = scores(shared_data, "trec_rf10", DawidSkene(pooled=True, **TIGHT), drop_values=[-2])
    assert found.mse <= 0.677
    assert round(found.pearson, 3) >= 0.435


def test_ord_binary_on_trec(shared_data):
    found = scores(shared_data, "trec_rf10", OrdBinary(**TIGHT), drop_values=[-2])
    assert found.mse <= 0.890
    assert round(found.pearson, 3) >= 0.422
    assert round(found.ndcg, 3) >= 0.926


def test_dawid_skene_on_web_relevance(shared_data):
    found = scores(shared_data, "web_relevance", DawidSkene(**TIGHT))
    assert found.mse <= 0.185
    assert found.pearson >= 0.95
