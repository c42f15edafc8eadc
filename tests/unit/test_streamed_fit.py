"""A fit from disk writes what a fit in memory does, keeps to few bytes, and leaves nothing behind."""

import json
import os

import numpy as np
import pyarrow as pa
import pytest
from pyarrow import compute as pc
from pyarrow import csv, parquet

import truegrade as tg
from truegrade import streamed_fit
from truegrade.engines.disk import DiskEngine
from truegrade.engines.streaming import stream
from truegrade.errors import ColumnError, FitError, GoldError, IdError, OptionError, OutputError
from truegrade.readers import read

MODELS = {
    "mean": tg.Mean(),
    "dawid-skene": tg.DawidSkene(max_iterations=30),
    "ord-binary": tg.OrdBinary(max_iterations=30),
    "mixture": tg.OrdinalMixture(starts=2, max_iterations=10, responsibility="exact"),
    "mixture-category": tg.OrdinalMixture(starts=1, max_iterations=10, difficulty="category"),
    "mixture-instance": tg.OrdinalMixture(starts=1, max_iterations=10, difficulty="instance"),
    "continuous": tg.Continuous(starts=1, max_iterations=10),
}


@pytest.fixture
def path(tmp_path):
    """Ratings of 300 instances in 6 categories; instances have text ids, and first appear in no order."""
    drawn = tg.simulate(instances=300, annotators=12, n_ratings=1500, seed=4, categories=6)
    parquet.write_table(table_of(drawn.ratings), tmp_path / "ratings.parquet", row_group_size=400)
    return tmp_path / "ratings.parquet"


def table_of(ratings):
    instance = ratings.instance_of()
    columns = {
        "annotator": ratings.annotators.labels_of(ratings.annotator),
        "instance": ratings.instances.labels_of(instance),
        "rating": pa.array(ratings.values().astype(int)),
    }
    if ratings.category is not None:
        columns["category"] = ratings.categories.labels_of(ratings.category[instance])
    return pa.table(columns).take(np.random.default_rng(2).permutation(ratings.n_ratings))


def same_files(one, other):
    """Whether two saved fits hold the same, numbers up to 1e-9."""
    assert sorted(p.name for p in one.rglob("*")) == sorted(p.name for p in other.rglob("*"))
    for file in one.rglob("*.npy"):
        a, b = np.load(file), np.load(other / file.relative_to(one))
        assert a.dtype == b.dtype, file.name
        np.testing.assert_allclose(a, b, rtol=1e-9, atol=1e-9, err_msg=file.name)
    for name in ("truth", "annotators", "categories"):
        if (one / f"{name}.csv").exists():
            a, b = (csv.read_csv(folder / f"{name}.csv") for folder in (one, other))
            same_tables(a, b)
    a, b = (json.loads((folder / "fit.json").read_text()) for folder in (one, other))
    for record in (a, b):
        for key in ("bound", "bounds", "hyperparameters"):
            record.pop(key)
    assert a == b


def same_tables(a, b):
    assert a.schema == b.schema
    for name in a.column_names:
        if pa.types.is_floating(a[name].type):
            assert a[name].is_valid().equals(b[name].is_valid())
            np.testing.assert_allclose(*(pc.fill_null(t[name], 0).to_numpy() for t in (a, b)), rtol=1e-9, atol=1e-9)
        else:
            assert a[name].equals(b[name]), name


@pytest.mark.parametrize("shards", [1, 2, 7])
@pytest.mark.parametrize("model", MODELS)
def test_a_fit_from_disk_saves_what_one_in_memory_does(tmp_path, path, model, shards, monkeypatch):
    monkeypatch.setattr(streamed_fit, "_ROWS", 64)  # several batches of the truth table
    monkeypatch.setattr(streamed_fit, "_HELD", 100)
    whole, found = read(path), stream(path, memory="8GB", shards=shards)
    assert found.digest == whole.digest
    assert found.n_ratings == whole.n_ratings
    assert found.scratch.written > 0
    MODELS[model].fit(whole).save(tmp_path / "memory")
    fit = MODELS[model].fit(found)
    fit.save(tmp_path / "disk")
    same_files(tmp_path / "memory", tmp_path / "disk")
    loaded = tg.Fit.load(tmp_path / "disk")
    same_tables(loaded.truth_table(), fit.truth_table())
    assert loaded.n_off_scale == fit.n_off_scale


def test_weights_gold_and_parquet_tables(tmp_path):
    drawn = tg.simulate(instances=100, annotators=8, n_ratings=500, seed=1)
    weight = np.random.default_rng(0).integers(1, 4, 500) / 2
    parquet.write_table(table_of(drawn.ratings).append_column("weight", pa.array(weight)), tmp_path / "r.parquet")
    gold = dict.fromkeys(drawn.ratings.instances.labels.to_pylist()[:20], 2)
    fits = [
        tg.DawidSkene().fit(ratings, gold=gold)
        for ratings in (read(tmp_path / "r.parquet"), stream(tmp_path / "r.parquet", memory="8GB", shards=3))
    ]
    for fit, name in zip(fits, "ab", strict=True):
        fit.save(tmp_path / name, format="parquet")
    same_tables(*(parquet.read_table(tmp_path / name / "truth.parquet") for name in "ab"))
    with pytest.raises(GoldError, match="none of its instances is rated"):
        tg.DawidSkene().fit(stream(tmp_path / "r.parquet", memory="8GB", shards=3), gold={"nobody": 1})


def test_one_instance_and_shards_without_any(tmp_path):
    table = pa.table({"annotator": ["a", "b", "c"] * 40, "instance": ["x"] * 120, "rating": [1, 2, 2] * 40})
    parquet.write_table(table, tmp_path / "one.parquet")
    found = stream(tmp_path / "one.parquet", memory="8GB", shards=7)
    assert found.sizes == (1,)
    fit = tg.DawidSkene().fit(found)
    expected = tg.DawidSkene().fit(read(tmp_path / "one.parquet"))
    same_tables(fit.truth_table(), expected.truth_table())


def test_the_last_of_several_ratings_leaves_instances_in_order_of_their_first_row(tmp_path):
    table = pa.table({"annotator": ["a", "b", "a", "a"], "instance": ["x", "y", "z", "x"], "rating": [1, 2, 2, 1]})
    parquet.write_table(table, tmp_path / "r.parquet")
    found = stream(tmp_path / "r.parquet", memory="8GB", shards=2, duplicates="last")
    assert found.instances.labels.to_pylist() == ["x", "y", "z"]
    expected = tg.Mean().fit(read(tmp_path / "r.parquet", duplicates="last"))
    same_tables(tg.Mean().fit(found).truth_table(), expected.truth_table())


def test_a_real_scale_has_no_probabilities_to_write(tmp_path):
    table = pa.table({"annotator": ["a", "b", "a"], "instance": ["x", "x", "y"], "rating": [0.5, 2.25, 2.0]})
    parquet.write_table(table, tmp_path / "r.parquet")
    tg.Median().fit(stream(tmp_path / "r.parquet", memory="8GB", scale="real")).save(tmp_path / "disk")
    tg.Median().fit(read(tmp_path / "r.parquet", scale="real")).save(tmp_path / "memory")
    same_files(tmp_path / "memory", tmp_path / "disk")


NAMES = ("annotator", "instance", "rating")


def test_a_first_file_without_cells_says_no_types(tmp_path):
    parquet.write_table(pa.table({name: pa.nulls(0) for name in NAMES}), tmp_path / "0.parquet")
    parquet.write_table(pa.table({"annotator": ["a"], "instance": ["x"], "rating": [2]}), tmp_path / "1.parquet")
    assert stream(tmp_path, memory="8GB").n_ratings == 1


@pytest.mark.parametrize(("role", "cell"), [("weight", 2.0), ("category", "c")])
def test_weights_and_categories_that_only_later_files_have_are_refused(tmp_path, role, cell):
    table = pa.table({"annotator": ["a"], "instance": ["x"], "rating": [2]})
    parquet.write_table(table, tmp_path / "0.parquet")
    parquet.write_table(table.append_column(role, pa.array([cell])), tmp_path / "1.parquet")
    with pytest.raises(
        ColumnError, match=rf"1\.parquet: column '{role}' \({role}\) is not in .*0\.parquet; give it to"
    ):
        stream(tmp_path, memory="8GB")


def test_instances_alone_in_their_shards(tmp_path):
    names = [f"i{n}" for n in range(5)]
    table = pa.table({"annotator": ["a", "b"] * 5, "instance": names * 2, "rating": [1, 2, 3, 3, 1, 1, 2, 3, 2, 1]})
    parquet.write_table(table, tmp_path / "few.parquet")
    found = stream(tmp_path / "few.parquet", memory="8GB", shards=50)
    assert 1 in found.sizes
    expected = tg.DawidSkene().fit(read(tmp_path / "few.parquet"))
    same_tables(tg.DawidSkene().fit(found).truth_table(), expected.truth_table())


def test_ids_and_categories_are_there_for_those_who_ask(path):
    whole, found = read(path), stream(path, memory="8GB", shards=4)
    assert found.instances.labels.equals(whole.instances.labels)
    np.testing.assert_array_equal(found.instances.code, whole.instances.code)
    np.testing.assert_array_equal(found.category, whole.category)
    np.testing.assert_array_equal(found.weight_per_instance(), whole.weight_per_instance())


def test_an_instance_in_two_categories_is_named_wherever_its_shards_lie(tmp_path):
    rng = np.random.default_rng(0)
    item = rng.integers(0, 100, 400)
    category = np.array([f"c{n % 9}" for n in item])
    category[300] = f"c{(item[300] + 1) % 9}"
    table = pa.table({"worker": rng.integers(0, 5, 400), "item": item, "rating": item % 3, "query": category})
    parquet.write_table(table, tmp_path / "r.parquet")
    told = []
    for reading in (read, lambda path: stream(path, memory="8GB", shards=9)):
        with pytest.raises(IdError) as caught:
            reading(tmp_path / "r.parquet")
        told.append(str(caught.value))
    assert told[0] == told[1]


def test_a_fit_from_disk_is_resumed_bit_for_bit(tmp_path, path, monkeypatch):
    model = tg.OrdinalMixture(starts=2, max_iterations=12, difficulty="instance")
    monkeypatch.setattr(tg.checkpoint, "_REST", 0.0)
    model.fit(stream(path, memory="8GB", shards=3)).save(tmp_path / "whole")

    def stop(iteration, *_):
        if iteration == 9:
            raise RuntimeError

    keeper = tg.Checkpoint(tmp_path / "fit.ckpt", every=2, resume=True)
    with pytest.raises(RuntimeError):
        model.fit(stream(path, memory="8GB", shards=3), progress=stop, checkpoint=keeper)
    model.fit(stream(path, memory="8GB", shards=3), checkpoint=keeper).save(tmp_path / "resumed")
    for name in ("truth.csv", "annotators.csv", "fit.json"):
        assert (tmp_path / "resumed" / name).read_bytes() == (tmp_path / "whole" / name).read_bytes()


def at_zero(part, _):
    return np.zeros(part.n_instances)


def count_up(part, state, by):
    state += by
    return state.sum()


def look(part, state, _):
    return [state.copy()]


def itself(shard, threads):
    return shard


def test_states_from_before_stay_where_they_are_asked_for(path):
    with DiskEngine().place(stream(path, memory="8GB", shards=3), itself) as placed:
        before = placed.begin(at_zero, [None] * len(placed.sizes))
        after, total = placed.run(count_up, before, 1, keep=True)
        assert total == sum(placed.sizes) == 300
        assert [state[0] for state in placed.sums(look, before, None)] == [0.0] * len(placed.sizes)
        assert [state[0] for state in placed.sums(look, after, None)] == [1.0] * len(placed.sizes)
        again, _ = placed.run(count_up, after, 1)
        assert [state[-1] for state in placed.each(look, again, None) for state in state] == [2.0] * len(placed.sizes)


def test_estimates_off_the_scale_are_counted_over_all_shards(tmp_path):
    item = np.repeat(np.arange(50), 6)
    grade = np.where(item % 2, 5, np.random.default_rng(0).integers(1, 6, item.size))
    table = pa.table({"worker": np.tile(np.arange(6), 50), "item": item, "rating": grade})
    parquet.write_table(table, tmp_path / "r.parquet")
    model = tg.OrdinalMixture(starts=1, max_iterations=5, thresholds="infinite")
    whole = model.fit(read(tmp_path / "r.parquet"))
    assert whole.n_off_scale > 5
    assert model.fit(stream(tmp_path / "r.parquet", memory="8GB", shards=4)).n_off_scale == whole.n_off_scale


def test_what_belongs_to_instances_is_not_at_hand(path):
    fit = tg.DawidSkene(max_iterations=3).fit(stream(path, memory="8GB", shards=2))
    with pytest.raises(OptionError, match="this fit's posterior is on disk; save the fit"):
        _ = fit.posterior
    assert fit.with_notes(["more"]).notes[-1] == "more"
    assert fit.truth.num_rows == 300
    with pytest.raises(OptionError, match="is not on disk"):
        tg.DawidSkene().fit(read(path), engine=DiskEngine())


def test_a_save_that_fails_leaves_the_old_fit(tmp_path, path, monkeypatch):
    fit = tg.DawidSkene(max_iterations=3).fit(stream(path, memory="8GB", shards=2))
    fit.save(tmp_path / "fit")
    before = (tmp_path / "fit" / "truth.csv").read_bytes()
    kept = {p.name for p in (tmp_path / "fit").iterdir()}

    def full(*_):
        raise OSError(28, os.strerror(28))

    monkeypatch.setattr(streamed_fit.TableWriter, "write", full)
    with pytest.raises(OutputError, match="No space left"):
        fit.save(tmp_path / "fit")
    assert (tmp_path / "fit" / "truth.csv").read_bytes() == before
    assert {p.name for p in (tmp_path / "fit").iterdir()} == kept
    (tmp_path / "fit" / "fit.json").unlink()
    with pytest.raises(FitError):
        tg.Fit.load(tmp_path / "fit")
