"""A fit that is killed and resumed ends where it would have ended, bit for bit; what does not fit is refused."""

import json
import os
import signal
import sys
import time
import zipfile
from collections import deque
from dataclasses import dataclass

import numpy as np
import pytest

from truegrade import Checkpoint, Status, checkpoint, simulate
from truegrade.checkpoint import Book
from truegrade.checkpoint_files import read_record, write_checkpoint
from truegrade.engines import ThreadsEngine, cut
from truegrade.errors import CheckpointError, OptionError, OutputError
from truegrade.models import make_model
from truegrade.models._em import StopRule, ascend_all
from truegrade.models._journal import Journal
from truegrade.models._summary import mean_ratings
from truegrade.packing import Packer, Unpacker

ITERATIVE = [
    "dawid-skene:pooled=true:starts=3:max_iterations=25",
    "dawid-skene:errors=alike",
    "ord-binary",
    "ordinal-mixture:starts=3:max_iterations=25",
    "ordinal-mixture:starts=2:max_iterations=25:difficulty=category:responsibility=exact:pi=learn",
    "ordinal-mixture:starts=2:max_iterations=25:difficulty=instance:epsilon_prior=1,1:phi=learn",
    "ordinal-mixture:link=real:starts=2:max_iterations=25",
    "ordinal-panel:starts=2",
    "ordinal-panel:refined=false:difficulty=category",
    "glad:starts=2",
    "glad:difficulty=category:class_prior=learned:starts=2",
    "continuous:starts=2",
    "continuous:method=ml:starts=2",
    "auto",
]


@pytest.fixture(autouse=True)
def no_rest(monkeypatch):
    monkeypatch.setattr(checkpoint, "_REST", 0.0)


@pytest.fixture(scope="module")
def ratings():
    return simulate(instances=60, annotators=8, ratings_per_instance=4, categories=4, seed=3).ratings


class KilledError(Exception):
    """Stands for the end of a process."""


def killed_after(monkeypatch, writes):
    """The process ends as soon as so many checkpoints are written."""
    left = iter(range(writes - 1, -1, -1))

    def write_and_die(path, fill):
        written = write_checkpoint(path, fill)
        if next(left) == 0:
            raise KilledError
        return written

    monkeypatch.setattr(checkpoint, "write_checkpoint", write_and_die)


def everything(fit):
    """All numbers of a fit, as bytes."""
    arrays = {**fit.posterior.arrays(), **fit.parameters, **fit.annotator_columns, **fit.instance_columns}
    return {
        **{name: np.ascontiguousarray(array).tobytes() for name, array in arrays.items()},
        "trace": fit.trace.tobytes(),
        "rest": (fit.status, fit.bounds, fit.notes, fit.iterations, repr(fit.hyperparameters)),
    }


def counted(monkeypatch):
    """How many checkpoints are written."""
    written = []
    monkeypatch.setattr(checkpoint, "write_checkpoint", lambda *a: written.append(1) or write_checkpoint(*a))
    return written


@pytest.mark.parametrize("name", ITERATIVE)
def test_a_resumed_fit_ends_as_the_whole_one(name, ratings, tmp_path, monkeypatch):
    model, path, every = make_model(name), tmp_path / "kept", 200 if name == "auto" else 7
    with monkeypatch.context() as patch:
        written = counted(patch)
        whole = model.fit(ratings, checkpoint=Checkpoint(tmp_path / "whole", every=every))
    assert everything(whole) == everything(model.fit(ratings))
    with monkeypatch.context() as patch:
        killed_after(patch, 2 * len(written) // 3)
        with pytest.raises(KilledError):
            model.fit(ratings, checkpoint=Checkpoint(path, every=every))
    with monkeypatch.context() as patch:
        rest = counted(patch)
        again = model.fit(ratings, checkpoint=Checkpoint(path, every=every, resume=True))
    assert everything(again) == everything(whole)
    assert 0 < len(rest) < len(written)
    monkeypatch.setattr(checkpoint, "write_checkpoint", None)  # it is all there
    assert everything(model.fit(ratings, checkpoint=Checkpoint(path, resume=True))) == everything(whole)


def stop_after(passes):
    """Ctrl-C in the main thread, as soon as so many passes are done."""
    left = iter(range(passes - 1, -1, -1))

    def progress(iteration, bound, change):
        if next(left, -1) == 0:
            time.sleep(0.1)  # until the main thread waits for this one
            os.kill(os.getpid(), signal.SIGINT)
            time.sleep(0.2)  # the pass that it comes in

    return progress


@pytest.mark.parametrize("name", ["ordinal-mixture:starts=3:max_iterations=25", "auto:held_out=0"])
def test_an_interrupted_fit_can_be_resumed(name, ratings, tmp_path):
    model, path = make_model(name), tmp_path / "kept"
    stopped = model.fit(ratings, progress=stop_after(7), checkpoint=Checkpoint(path, every=1000))
    assert stopped.status is Status.INTERRUPTED
    again = model.fit(ratings, checkpoint=Checkpoint(path, resume=True))
    assert everything(again) == everything(model.fit(ratings))


def test_known_truths_and_warm_starts_are_resumed(ratings, tmp_path, monkeypatch):
    gold = dict.fromkeys(ratings.instances.labels.to_pylist()[:5], 2)
    for name in ("dawid-skene", "ordinal-mixture:max_iterations=20", "ordinal-panel"):
        model, path = make_model(name), tmp_path / name.partition(":")[0]
        start = model.fit(ratings)
        whole = model.fit(ratings, gold, start)
        with monkeypatch.context() as patch:
            killed_after(patch, 2)
            with pytest.raises(KilledError):
                model.fit(ratings, gold, start, checkpoint=Checkpoint(path, every=1))
        with pytest.raises(CheckpointError, match="was made with other known truths"):
            model.fit(ratings, None, start, checkpoint=Checkpoint(path, resume=True))
        with pytest.raises(CheckpointError, match="was made from another earlier fit"):
            model.fit(ratings, gold, checkpoint=Checkpoint(path, resume=True))
        assert everything(model.fit(ratings, gold, start, checkpoint=Checkpoint(path, resume=True))) == everything(
            whole
        )


@pytest.fixture
def kept(ratings, tmp_path):
    """A checkpoint of a fit of `MODEL`."""
    path = tmp_path / "kept"
    MODEL.fit(ratings, checkpoint=Checkpoint(path))
    return path


MODEL = make_model("dawid-skene:pooled=true:starts=2:max_iterations=12")


def refused(model, ratings, path):
    with pytest.raises(CheckpointError) as caught:
        model.fit(ratings, checkpoint=Checkpoint(path, resume=True))
    assert "\n" not in str(caught.value)
    return str(caught.value).removeprefix(f"{path}: ")


def test_the_checkpoint_of_another_fit_is_refused(ratings, kept, monkeypatch):
    assert refused(make_model("glad"), ratings, kept).startswith(
        "the checkpoint holds a fit of dawid-skene, this is one of glad; "
    )
    assert refused(make_model("dawid-skene:pooled=true:starts=5:max_iterations=12"), ratings, kept).startswith(
        "the checkpoint was made with starts=2, here 5; "
    )
    others = simulate(instances=60, annotators=8, ratings_per_instance=4, categories=4, seed=4).ratings
    assert refused(MODEL, others, kept).startswith("the checkpoint was made from other ratings; ")
    monkeypatch.setattr("truegrade.__version__", "9.9")
    assert refused(MODEL, ratings, kept).startswith("the checkpoint was written by truegrade 0.1.0, this is 9.9; ")


def test_a_damaged_checkpoint_is_refused(ratings, kept):
    whole = kept.read_bytes()
    for size in (0, 3, 10, len(whole) // 2, len(whole) - 1):
        kept.write_bytes(whole[:size])
        assert refused(MODEL, ratings, kept).startswith("the checkpoint is damaged: ")
    at = whole.index(b"\x93NUMPY") + 150  # inside the first array
    kept.write_bytes(whole[:at] + bytes([whole[at] ^ 1]) + whole[at + 1 :])
    assert refused(MODEL, ratings, kept).startswith("the checkpoint is damaged: ")
    at = whole.index(b'"endings"')  # inside the record
    kept.write_bytes(whole[:at] + b"'" + whole[at + 1 :])
    assert refused(MODEL, ratings, kept).startswith("the checkpoint is damaged: ")


def test_a_record_that_was_changed_is_refused(ratings, kept):
    with zipfile.ZipFile(kept) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    members["record.json"] = (
        members["record.json"].replace(b"CONVERGED", b"MAX_ITER_").replace(b"MAX_ITER", b"MAXIITER")
    )
    with zipfile.ZipFile(kept, "w") as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    assert refused(MODEL, ratings, kept) == (
        "the checkpoint is damaged: the checksum of its record is wrong; delete it and begin anew"
    )


def test_what_is_no_checkpoint_is_refused_and_left_alone(ratings, tmp_path):
    path = tmp_path / "notes"
    path.write_text("my notes")
    assert refused(MODEL, ratings, path) == "is no checkpoint of truegrade; choose another file"
    np.savez(tmp_path / "arrays", x=np.arange(3))
    assert refused(MODEL, ratings, tmp_path / "arrays.npz") == "is no checkpoint of truegrade; choose another file"
    with pytest.raises(CheckpointError, match="is no checkpoint"):
        MODEL.fit(ratings, checkpoint=Checkpoint(path))
    assert path.read_text() == "my notes"


def test_a_checkpoint_of_an_older_format_is_refused(ratings, kept):
    record = read_record(kept)
    write_checkpoint(kept, lambda put: {**record, "format_version": 0})
    assert refused(MODEL, ratings, kept) == (
        "is a checkpoint of format 0, this version of truegrade reads 1; delete it and begin anew"
    )


def test_an_old_checkpoint_is_not_written_over(ratings, kept):
    with pytest.raises(CheckpointError, match=r"holds a fit that was begun before; pass --resume"):
        MODEL.fit(ratings, checkpoint=Checkpoint(kept))


def test_anyone_can_open_it_and_nothing_in_it_runs(kept):
    with np.load(kept, allow_pickle=False) as arrays:
        assert all(
            arrays[name].dtype.kind in "biuf" for name in arrays.files if name not in ("record.json", "checksum.txt")
        )
    assert read_record(kept)["of"]["options"]["starts"] == 2


def test_writing_takes_a_small_part_of_the_time(ratings, tmp_path, monkeypatch):
    monkeypatch.setattr(checkpoint, "_REST", 1e9)
    written = counted(monkeypatch)
    MODEL.fit(ratings, checkpoint=Checkpoint(tmp_path / "kept", every=1))
    assert len(written) == 2  # the first pass, and the end


def test_options_of_checkpoints_are_checked(tmp_path):
    with pytest.raises(OptionError, match="every=0"):
        Checkpoint(tmp_path / "kept", every=0)
    (tmp_path / "file").touch()
    with pytest.raises(OutputError, match="is a file"):
        Checkpoint(tmp_path / "file" / "kept").check()


def test_a_full_disk_leaves_the_checkpoint_before(ratings, kept, monkeypatch):
    before = kept.read_bytes()

    def full(*arguments):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("os.fsync", full)
    with pytest.raises(OutputError, match=r"cannot be written: No space left on device; the one before is whole"):
        write_checkpoint(kept, lambda put: {})
    assert kept.read_bytes() == before
    assert [path.name for path in kept.parent.iterdir()] == ["kept"]


def test_models_without_iterations_leave_no_file(ratings, tmp_path):
    for name in ("mean", "median", "majority"):
        make_model(name).fit(ratings, checkpoint=Checkpoint(tmp_path / "kept"))
    assert list(tmp_path.iterdir()) == []


def packed(value):
    """What is left of a value that was packed, written as JSON and unpacked."""
    arrays = {}
    text = json.dumps(Packer(arrays.__setitem__).pack(value, "x"), allow_nan=False)
    return Unpacker(arrays.__getitem__).unpack(json.loads(text))


def test_what_is_packed_comes_back():
    pairs = deque([(np.arange(3.0), 2)], maxlen=4)
    value = (None, True, 3, 0.1, -np.inf, "text", [1, [2]], {7: (1.5, np.float64(2))}, Status.CONVERGED)
    assert packed(value) == value
    again = packed(pairs)
    assert again.maxlen == 4
    np.testing.assert_array_equal(again[0][0], pairs[0][0])
    assert packed(StopRule(0.5)) == StopRule(0.5)


def test_the_axes_of_an_array_keep_their_order_in_memory():
    array = np.arange(24.0).reshape(2, 3, 4).transpose(2, 0, 1)
    again = packed(array)
    assert again.strides == array.strides
    assert np.array_equal(again, array)


def test_what_cannot_be_packed_is_a_bug():
    with pytest.raises(TypeError, match="x: a object cannot be packed"):
        packed(object())


@pytest.mark.parametrize(
    "name", ["os:system", "truegrade.files:write_whole", "truegrade.packing:Path", "subprocess:Popen"]
)
def test_nothing_but_our_dataclasses_is_unpacked(name):
    with pytest.raises((TypeError, AttributeError)):
        Unpacker({}.get).unpack({"class": name, "fields": {}})


@dataclass
class Halves:
    """A start whose state is beside the shards: every pass goes half of the way to the mean rating."""

    placed: object
    states: object
    last: float = 0.0

    def step(self):
        self.states, self.last = self.placed.run(halved, self.states, None)
        return -self.last

    def collapsed(self):
        return False

    mirrored = collapsed


@dataclass
class Far:
    z: object

    def copy(self):
        return Far(self.z.copy())


Halves.__module__ = Far.__module__ = "truegrade.halves"  # where packing looks for classes


def halved(part, state, message):
    state.z += (part - state.z) / 2
    return float(np.abs(part - state.z).sum())


@pytest.mark.parametrize("shards", [1, 3])
def test_states_beside_the_shards_are_kept(ratings, tmp_path, monkeypatch, shards):
    monkeypatch.setitem(sys.modules, "truegrade.halves", sys.modules[__name__])
    placed = ThreadsEngine().place(cut(ratings, shards), lambda shard, threads: mean_ratings(shard))

    def start(index):
        first = (np.full(size, float(index)) for size in placed.sizes)
        return Halves(placed, placed.begin(lambda part, z: Far(z), first))

    def climb(resume):
        book = Journal(Book.open(Checkpoint(tmp_path / "kept", 1, resume), MODEL, ratings, None, None))
        rule = StopRule(1e-9, max_iterations=30)
        return ascend_all(start, 3, rule, monotone=True, workers=1, progress=None, journal=book)

    with monkeypatch.context() as patch:
        killed_after(patch, 40)
        with pytest.raises(KilledError):
            climb(False)
    here = placed
    placed = ThreadsEngine().place(cut(ratings, 2), lambda shard, threads: mean_ratings(shard))
    with pytest.raises(CheckpointError, match=rf"was made with {shards} shards, here the ratings are cut into 2 or"):
        climb(True)
    placed = here
    best, endings = climb(True)
    (tmp_path / "kept").unlink()
    whole, all_endings = climb(False)
    assert (best.index, best.trace, endings) == (whole.index, whole.trace, all_endings)
    for one, other in zip(best.state.states, whole.state.states, strict=True):
        np.testing.assert_array_equal(one.z, other.z)


def test_after_an_error_no_other_start_writes_over_the_checkpoint(ratings, tmp_path):
    model, path = make_model("dawid-skene:pooled=true:starts=3:max_iterations=9"), tmp_path / "kept"

    def progress(iteration, bound, change):
        if iteration == 5:
            raise KilledError

    for _ in range(5):  # the next start would begin before the main thread hears of it, though not every time
        path.unlink(missing_ok=True)
        with pytest.raises(KilledError):
            model.fit(ratings, progress=progress, checkpoint=Checkpoint(path, every=1))
        running = read_record(path)["legs"]["1"]["running"]["fields"]
        assert (running["index"], len(running["trace"])) == (0, 4)
