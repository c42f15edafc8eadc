"""Fits on two real Dask workers find what fits in memory find, on real ratings and on two million drawn."""

import numpy as np
import pytest

import truegrade as tg
from truegrade.engines import cut
from truegrade.engines.cluster import local_client
from truegrade.engines.dask import DaskEngine

pytestmark = pytest.mark.slow

MODELS = {
    "dawid-skene": tg.DawidSkene(starts=1, max_iterations=20),
    "ordinal-mixture": tg.OrdinalMixture(starts=1, max_iterations=20),
    "by-category": tg.OrdinalMixture(starts=1, max_iterations=20, difficulty="category"),
}


@pytest.fixture(scope="module")
def client():
    with local_client() as client:
        yield client


@pytest.fixture(scope="module")
def drawn():
    return tg.simulate(instances=500_000, annotators=1000, n_ratings=2_000_000, seed=5).ratings


def same_fit(whole, found):
    np.testing.assert_allclose(found.trace, whole.trace, rtol=1e-9)
    assert found.instance_ids.labels.equals(whole.instance_ids.labels)
    for name in ("estimate", "sd"):
        one, other = (getattr(fit.posterior, name) for fit in (found, whole))
        np.testing.assert_allclose(one, other, rtol=1e-9, atol=1e-9)
    for name, column in whole.annotator_columns.items():
        np.testing.assert_allclose(found.annotator_columns[name], column, rtol=1e-9, atol=1e-9, err_msg=name)


@pytest.mark.parametrize("shards", [1, 2, 7])
@pytest.mark.parametrize("model", MODELS)
def test_trec(shared_data, client, model, shards):
    path = str(shared_data("trec_rf10") / "ratings.csv")
    engine, ratings = DaskEngine(client, shards=shards), tg.read(path, drop_values=[-2])
    whole = MODELS[model].fit(ratings)
    same_fit(whole, MODELS[model].fit(cut(ratings, shards), engine=engine))
    read = engine.read(path, drop_values=[-2])
    assert len(read.sizes) >= shards
    same_fit(whole, MODELS[model].fit(read))


@pytest.mark.parametrize("shards", [1, 2, 7])
@pytest.mark.parametrize("model", ["dawid-skene", "ordinal-mixture"])
def test_two_million_simulated_ratings(client, drawn, model, shards):
    same_fit(MODELS[model].fit(drawn), MODELS[model].fit(drawn, engine=DaskEngine(client, shards=shards)))
