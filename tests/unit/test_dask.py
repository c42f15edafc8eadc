"""The Dask engine on two real workers over TCP: the same answers, whoever dies."""

import os
import signal
import sys
import threading
import time
from dataclasses import replace
from pathlib import Path

import cloudpickle
import dask.dataframe
import numpy as np
import pyarrow as pa
import pytest
from dask_clusters import WITHOUT_PACKAGE, cluster, kill, wait_until_gone, workers_of
from pyarrow import parquet

from truegrade import Checkpoint, Ratings, simulate
from truegrade.engines import cut
from truegrade.engines.cluster import local_client
from truegrade.engines.dask import DaskEngine
from truegrade.errors import ClusterError, IdError, OptionError
from truegrade.models import make_model
from truegrade.rating_tables import rating_table

cloudpickle.register_pickle_by_value(sys.modules[__name__])  # workers cannot import the tests

MODELS = [
    "dawid-skene:pooled=true:starts=2:max_iterations=8",
    "ordinal-mixture:starts=2:max_iterations=8:difficulty=category:responsibility=exact",
    "glad:starts=1:max_iterations=2",
]


@pytest.fixture(scope="module")
def client():
    with local_client() as client:
        yield client


@pytest.fixture(scope="module")
def ratings():
    return simulate(instances=300, annotators=12, ratings_per_instance=4, categories=6, seed=3).ratings


def agree(one, other):
    """The numbers of two fits, to 1e-9."""
    assert (one.status, one.notes, one.input_digest) == (other.status, other.notes, other.input_digest)
    pairs = [(one.trace, other.trace), (one.bounds, other.bounds)]
    for arrays in ("annotator_columns", "instance_columns", "category_columns", "parameters"):
        mine, others = getattr(one, arrays), getattr(other, arrays)
        pairs += [(mine[name], others[name]) for name in mine | others]
    pairs += [(one.posterior.arrays()[name], other.posterior.arrays()[name]) for name in one.posterior.arrays()]
    for mine, others in pairs:
        np.testing.assert_allclose(mine, others, rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize(("name", "shards"), list(zip(MODELS, (1, 7, 2), strict=True)))
def test_the_cluster_finds_what_threads_find(client, ratings, name, shards):
    model, gold = make_model(name), {ratings.instances.labels[0].as_py(): 2}
    agree(model.fit(cut(ratings, shards), gold, engine=DaskEngine(client)), model.fit(ratings, gold))


def test_as_many_shards_as_workers_unless_told(client, ratings):
    placed = DaskEngine(client).place(ratings, lambda shard, threads: shard.n_ratings)
    assert placed.sizes == (150, 150)  # of six categories of fifty instances
    assert DaskEngine(client).place(cut(ratings, 3), lambda shard, threads: None).sizes == (100, 100, 100)
    assert DaskEngine(client, shards=10**6).place(ratings, lambda shard, threads: None).sizes == (50,) * 6
    with pytest.raises(OptionError, match="shards=0"):
        DaskEngine(client, shards=0)


def where(part, state, message):
    return [os.getpid()]


def test_every_worker_has_its_share(client, ratings, tmp_path):
    parquet.write_table(frame_of(ratings), tmp_path / "ratings.parquet")
    for given in (ratings, DaskEngine(client, shards=6).read(tmp_path / "ratings.parquet")):
        client.wait_for_workers(2)
        with DaskEngine(client, shards=6).place(given, first_instance) as placed:
            pids = list(placed.each(where, None, None))
            assert pids == list(placed.each(where, None, None))  # and it stays there
            assert len({pid for (pid,) in pids}) == 2
            assert len(pids) <= 2 * min(map(pids.count, pids)) + 1


def first_instance(shard, threads):
    return np.full(1, float(shard.n_instances))


def taken(part, message):
    return part + message


def doubled(part, state, message):
    state *= 2
    return state + message


def seen(part, state, message):
    return None if state is None else (part.item(), state.item(), message)


def test_states_stay_on_the_workers(client, ratings):
    with DaskEngine(client, shards=3).place(ratings, first_instance) as placed:
        begun = placed.begin(taken, iter([0.0, 1.0, 2.0, 3.0]))  # one too many
        assert list(placed.each(seen, begun, "look")) == [(100, 100, "look"), (100, 101, "look"), (100, 102, "look")]
        once, sums = placed.run(doubled, begun, 0.5, keep=True)
        assert sums == 2 * 303 + 3 * 0.5
        _, sums = placed.run(doubled, begun, 0.5)  # the states from before are as they were
        assert sums == 2 * 303 + 3 * 0.5
        assert [state for _, state, _ in placed.each(seen, placed.run(doubled, once, 0)[0], 0)] == [400, 404, 408]
        assert list(placed.each(seen, None, 0)) == [None, None, None]


def test_a_long_chain_of_passes_is_cut(client, ratings, monkeypatch):
    monkeypatch.setattr("truegrade.engines.dask._PASSES", 3)
    with DaskEngine(client, shards=2).place(ratings, first_instance) as placed:
        states = placed.begin(taken, [0.0, 0.0])
        for _ in range(10):
            states, sums = placed.run(doubled, states, 0)
            assert states.passes <= 3
        assert sums == 300 * 2**10


def tree(part, state, message):
    return [part.item()]


def test_sums_are_added_in_the_order_of_the_shards(client, ratings):
    shards = cut(ratings, 0, at=[1, 3, 6, 10, 15, 21])
    with DaskEngine(client).place(shards, first_instance) as placed:
        assert placed.sums(tree, None, None) == [1, 2, 3, 4, 5, 6, 279]


def test_what_travels_is_as_large_as_the_table_of_annotators(client, ratings):
    engine = DaskEngine(client, shards=4)
    make_model("dawid-skene:max_iterations=10:tolerance=1e-30").fit(ratings, engine=engine)
    table = 12 * 5 * 5 * 8  # annotators, truths, grades
    traffic = engine.traffic
    assert traffic.messages == traffic.sums + 1  # the last one asks for the answers
    assert traffic.message_bytes < 4 * traffic.messages * (table + 100)  # one for every shard
    assert traffic.sums_bytes < traffic.sums * (table + 1000)


def die_once(part, state, message):
    if not Path(message).exists():
        Path(message).touch()
        os.kill(os.getpid(), signal.SIGKILL)
    return state + part


def test_a_worker_that_dies_in_a_pass_is_made_up_for(client, ratings, tmp_path):
    with DaskEngine(client, shards=4).place(ratings, first_instance) as placed:
        states = placed.begin(taken, [1.0, 2.0, 3.0, 4.0])
        for _ in range(3):
            states, _ = placed.run(doubled, states, 0)
        sums = placed.sums(die_once, states, str(tmp_path / "died"))
        assert sums == 8 * (300 + 10) + 300


@pytest.mark.parametrize("name", MODELS[:2])
def test_a_fit_survives_the_death_of_workers(client, ratings, name):
    model = make_model(name)

    def progress(iteration, bound, change):
        if iteration == 4:  # in the middle of the pass that follows
            threading.Timer(0.005, kill, [workers_of(client)[0]]).start()

    client.wait_for_workers(2)
    agree(model.fit(ratings, progress=progress, engine=DaskEngine(client, shards=5)), model.fit(ratings))


def raises(part, state, message):
    raise message


@pytest.mark.parametrize("error", [ZeroDivisionError("0"), FileNotFoundError("gone"), RuntimeError("bad")])
def test_an_error_of_the_task_comes_back_as_it_is(client, ratings, error):
    with pytest.raises(type(error), match=str(error)):
        DaskEngine(client).place(ratings, first_instance).sums(raises, None, error)


def test_a_module_that_a_worker_lacks_is_named(client, ratings):
    with pytest.raises(ClusterError, match="a Dask worker says: No module named 'x'; install there what is"):
        DaskEngine(client).place(ratings, first_instance).sums(raises, None, ModuleNotFoundError("No module named 'x'"))


def test_a_resumed_fit_on_the_cluster_is_the_whole_one_bit_for_bit(client, ratings, tmp_path):
    model, engine = make_model(MODELS[1]), DaskEngine(client, shards=3)
    whole = model.fit(ratings, engine=engine)

    def progress(iteration, bound, change):
        if iteration == 5:
            raise KeyError

    with pytest.raises(KeyError):
        model.fit(ratings, progress=progress, engine=engine, checkpoint=Checkpoint(tmp_path / "kept", every=1))
    passes = []
    again = model.fit(
        ratings,
        progress=lambda *news: passes.append(news),
        engine=engine,
        checkpoint=Checkpoint(tmp_path / "kept", resume=True),
    )
    assert passes[0][0] > 1  # it did not begin anew
    assert again.trace.tobytes() == whole.trace.tobytes()
    assert again.truth_table().equals(whole.truth_table())


def test_the_schedulers_death_is_told_and_the_fit_resumed(ratings, tmp_path, monkeypatch):
    model, keeper = make_model(MODELS[0]), Checkpoint(tmp_path / "kept", every=1)
    monkeypatch.setattr("truegrade.engines.cluster._ANSWER", 5)  # not to wait long for it to come back
    with cluster(tmp_path) as (address, scheduler), DaskEngine(address, shards=3) as engine:

        def progress(iteration, bound, change):
            if iteration == 6:
                scheduler.kill()

        with pytest.raises(ClusterError) as caught:
            model.fit(ratings, progress=progress, engine=engine, checkpoint=keeper)
    assert str(caught.value).startswith(f"the Dask scheduler at {address} is gone (")
    assert "\n" not in str(caught.value)
    resumed = Checkpoint(tmp_path / "kept", resume=True)
    agree(model.fit(ratings, checkpoint=resumed), model.fit(ratings))


def test_a_worker_without_the_package_is_refused(ratings, tmp_path):
    bare, told = cluster(tmp_path, 1, WITHOUT_PACKAGE), r"the Dask worker tcp://\S+ has no truegrade; install truegrade"
    with bare as (address, _), DaskEngine(address) as engine, pytest.raises(ClusterError, match=told):
        make_model("dawid-skene").fit(ratings, engine=engine)


def test_a_worker_with_another_version_is_refused(client, ratings, monkeypatch):
    monkeypatch.setattr("truegrade.__version__", "9.9")
    with pytest.raises(ClusterError, match=r"has truegrade 0\.1\.0, here it is 9\.9"):
        make_model("dawid-skene").fit(ratings, engine=DaskEngine(client))


def test_a_cluster_without_workers_is_told(tmp_path, monkeypatch):
    monkeypatch.setattr("truegrade.engines.cluster._PATIENCE", 0.3)
    told = pytest.raises(ClusterError, match=r"no Dask worker has come to tcp://\S+; start some with")
    with cluster(tmp_path, 0) as (address, _), DaskEngine(address) as engine, told:
        engine.cluster.workers()


def test_an_address_where_nobody_answers(monkeypatch):
    monkeypatch.setattr("truegrade.engines.cluster._ANSWER", 0.5)
    with pytest.raises(ClusterError, match=r"no Dask scheduler answers at tcp://127\.0\.0\.1:9"):
        DaskEngine("tcp://127.0.0.1:9")


def test_without_dask_the_message_says_how_to_get_it(monkeypatch):
    monkeypatch.setitem(sys.modules, "distributed", None)
    with pytest.raises(OptionError, match=r"pip install 'truegrade\[dask\]'"):
        DaskEngine()


@pytest.mark.slow
def test_the_processes_of_a_local_cluster_end_with_it(ratings):
    with DaskEngine() as engine:
        pids = workers_of(engine.cluster.client)
        assert len(pids) == 2
    assert wait_until_gone(pids) == []


def test_without_workers_the_fit_ends_with_a_word(client, ratings, monkeypatch):
    monkeypatch.setattr("truegrade.engines.cluster._LOOK", 0.1)
    monkeypatch.setattr("truegrade.engines.cluster._PATIENCE", 0.5)
    engine = DaskEngine(client)
    monkeypatch.setattr(engine.cluster, "_addresses", list)
    with pytest.raises(ClusterError, match=r"no Dask worker is left at tcp://\S+; start some"):
        engine.cluster.result(engine.cluster.submit(time.sleep, 5))


def frame_of(ratings):
    table = rating_table(ratings).drop_columns("row")
    group = [f"c{int(name[1:]) % 5}" for name in table["instance"].to_pylist()]
    return table.append_column("category", pa.array(group))


@pytest.mark.parametrize("kind", ["files", "frame"])
def test_ratings_are_read_on_the_workers(client, ratings, tmp_path, kind):
    table, engine = frame_of(ratings), DaskEngine(client, shards=3)
    whole = Ratings.from_frame(table if kind == "files" else table.to_pandas())
    if kind == "files":
        for number in range(4):
            parquet.write_table(table.slice(number * 300, 300), tmp_path / f"{number}.parquet")
        read = engine.read(tmp_path)
    else:
        read = engine.from_frame(dask.dataframe.from_pandas(table.to_pandas(), npartitions=4), category="category")
    assert len(read.sizes) >= 3
    for name in ("n_ratings", "n_instances", "n_annotators", "n_categories", "total_weight", "library", "scale"):
        assert getattr(read, name) == getattr(whole, name)
    shards = [read.shard(i) for i in range(len(read.sizes))]
    for name in ("annotator", "grade", "category", "row"):
        np.testing.assert_array_equal(np.concatenate([getattr(s, name) for s in shards]), getattr(whole, name))
    model = make_model(MODELS[1])
    here, there = model.fit(whole), model.fit(read)
    assert there.truth_table().column_names == here.truth_table().column_names
    for mine, others in zip(there.truth_table().columns, here.truth_table().columns, strict=True):
        if pa.types.is_floating(mine.type):
            np.testing.assert_allclose(mine.to_numpy(), others.to_numpy(), rtol=1e-9, atol=1e-9)
        else:
            assert mine.to_pylist() == others.to_pylist()
    np.testing.assert_allclose(there.trace, here.trace, rtol=1e-9)


def test_an_instance_in_two_categories_is_found_across_shards(client, ratings, tmp_path):
    table = frame_of(ratings)
    category = table["category"].to_pylist()
    category[-1] = "c0" if category[-1] != "c0" else "c1"
    parquet.write_table(table.set_column(3, "category", pa.array(category)), tmp_path / "ratings.parquet")
    with pytest.raises(IdError, match=r"row 1200: its instance is in category 'c.' here and in 'c"):
        DaskEngine(client, shards=5).read(tmp_path / "ratings.parquet")


def test_a_worker_that_dies_after_reading_is_made_up_for(client, ratings, tmp_path):
    parquet.write_table(frame_of(ratings), tmp_path / "ratings.parquet")
    read = DaskEngine(client, shards=3).read(tmp_path / "ratings.parquet")
    before = read.digest
    client.wait_for_workers(2)
    kill(workers_of(client)[0])
    again = replace(read)  # that has not looked yet
    assert again.digest == before


EVERY = [
    *("mean", "median", "majority", "ord-binary:max_iterations=4", "continuous:starts=2:max_iterations=4"),
    *("continuous:method=ml:starts=2:max_iterations=4", "ordinal-panel:max_iterations=4"),
    *("glad:difficulty=category:class_prior=learned:starts=1:max_iterations=2", "dawid-skene:errors=alike"),
    "ordinal-mixture:starts=1:max_iterations=4:difficulty=instance:phi=learn",
]


@pytest.mark.slow
@pytest.mark.parametrize("name", EVERY)
def test_every_model_finds_the_same(client, ratings, name):
    model = make_model(name)
    agree(model.fit(ratings, engine=DaskEngine(client, shards=3)), model.fit(ratings))
