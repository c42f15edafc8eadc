"""Fits from disk find what fits in memory find, on real ratings and on two million simulated ones."""

import numpy as np
import pyarrow as pa
import pytest
from pyarrow import parquet

import truegrade as tg

MODELS = {
    "dawid-skene": tg.DawidSkene(starts=1, max_iterations=20),
    "ordinal-mixture": tg.OrdinalMixture(starts=1, max_iterations=20),
    "by-category": tg.OrdinalMixture(starts=1, max_iterations=20, difficulty="category"),
}


def same_fit(whole, found, folder):
    """Whether a fit from disk, saved and loaded, is the one in memory up to 1e-9."""
    found.save(folder)
    loaded = tg.Fit.load(folder)
    assert loaded.input_digest == whole.input_digest
    assert loaded.instance_ids.labels.equals(whole.instance_ids.labels.cast(loaded.instance_ids.labels.type))
    np.testing.assert_array_equal(loaded.instance_ids.code, whole.instance_ids.code)
    np.testing.assert_allclose(loaded.trace, whole.trace, rtol=1e-9)
    for name in ("estimate", "sd"):
        one, other = (getattr(fit.posterior, name) for fit in (loaded, whole))
        np.testing.assert_allclose(one, other, rtol=1e-9, atol=1e-9)
    for name, column in whole.annotator_columns.items():
        np.testing.assert_allclose(loaded.annotator_columns[name], column, rtol=1e-9, atol=1e-9, err_msg=name)


@pytest.mark.parametrize("shards", [1, 2, 7])
@pytest.mark.parametrize("model", MODELS)
def test_trec(shared_data, tmp_path, model, shards):
    path = str(shared_data("trec_rf10") / "ratings.csv")
    rules = {"drop_values": [-2]}
    whole = MODELS[model].fit(tg.read(path, **rules))
    found = MODELS[model].fit(tg.stream(path, memory="8GB", shards=shards, **rules))
    same_fit(whole, found, tmp_path / "fit")


@pytest.mark.slow
@pytest.mark.parametrize("shards", [1, 2, 7])
@pytest.mark.parametrize("model", ["dawid-skene", "ordinal-mixture"])
def test_two_million_simulated_ratings(tmp_path, model, shards):
    ratings = tg.simulate(instances=500_000, annotators=1000, n_ratings=2_000_000, seed=5).ratings
    columns = {
        "annotator": ratings.annotators.labels_of(ratings.annotator),
        "instance": ratings.instances.labels_of(ratings.instance_of()),
        "rating": pa.array(ratings.values().astype(np.int8)),
    }
    parquet.write_table(pa.table(columns), tmp_path / "ratings.parquet")
    whole = MODELS[model].fit(tg.read(tmp_path / "ratings.parquet"))
    found = MODELS[model].fit(tg.stream(tmp_path / "ratings.parquet", memory="8GB", shards=shards))
    same_fit(whole, found, tmp_path / "fit")
