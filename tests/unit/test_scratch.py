"""Objects on scratch: their arrays are the file's, what is shared stays shared, and nothing is written twice."""

import os
from dataclasses import dataclass, field

import numpy as np
import pyarrow as pa
import pytest

from truegrade.engines.memory import Memory
from truegrade.engines.scratch import Scratch
from truegrade.engines.stored import Stored
from truegrade.errors import OptionError, OutputError


@dataclass
class State:
    """Like the state of a model."""

    z: np.ndarray
    none: np.ndarray = field(default_factory=lambda: np.empty(0))
    table: object = None
    count: int = 0


@pytest.fixture
def scratch(tmp_path):
    return Scratch(tmp_path)


def test_changes_go_into_the_file_and_nothing_is_written_again(scratch):
    stored = Stored.of(State(np.arange(1000.0), table=np.ones((3, 4), order="F")), scratch)
    written = scratch.written
    with stored.opened(writable=True) as opened:
        opened.thing.z[5] = -1
        assert opened.kept(scratch) is stored
    assert scratch.written == written
    with stored.opened() as opened:
        assert opened.thing.z[5] == -1
        assert opened.thing.table.flags.f_contiguous
        with pytest.raises(ValueError, match="read-only"):
            opened.thing.z[5] = 0


@pytest.mark.parametrize("change", [{"z": np.ones(7)}, {"count": 3}, {"z": np.arange(1000.0)}, {"none": np.ones(2)}])
def test_what_was_replaced_is_written(scratch, change):
    stored = Stored.of(State(np.arange(1000.0)), scratch)
    with stored.opened(writable=True) as opened:
        for name, value in change.items():
            setattr(opened.thing, name, value)
        kept = opened.kept(scratch)
    assert kept is not stored
    with kept.opened() as opened:
        for name, value in change.items():
            np.testing.assert_array_equal(getattr(opened.thing, name), value)


def test_a_copy_leaves_the_first_as_it_is(scratch):
    stored = Stored.of(State(np.zeros(100)), scratch)
    with stored.copy().opened(writable=True) as opened:
        opened.thing.z += 1
    with stored.opened() as opened:
        assert not opened.thing.z.any()


def test_what_others_hold_is_not_written_again(scratch):
    labels = pa.array(["a", "b"])
    first = Stored.of(State(np.arange(10_000.0), table=labels), scratch, [labels])
    written = scratch.written
    with first.opened() as opened:
        assert opened.thing.table is labels
        second = Stored.of(State(opened.thing.z[100:200], table=labels), scratch, [labels], opened)
    assert scratch.written == written
    with second.opened() as opened:
        np.testing.assert_array_equal(opened.thing.z, np.arange(100.0, 200))
        assert opened.thing.table is labels


def test_views_outlive_their_mapping(scratch):
    stored = Stored.of(State(np.arange(5000.0)), scratch)
    with stored.opened() as opened:
        z = opened.thing.z
    stored.close()
    assert z[-1] == 4999


def test_files_have_no_names(scratch, tmp_path):
    file = scratch.file()
    file.append(b"some bytes")
    assert (file.read(5, 5), list(tmp_path.iterdir())) == (b"bytes", [])
    assert b"".join(file.copy().chunks()) == b"some bytes"


def test_a_folder_that_takes_no_files_is_told(scratch, tmp_path, monkeypatch):
    with pytest.raises(OutputError, match="is no folder for scratch files"):
        Scratch(tmp_path / "nowhere")

    def full(*_):
        raise OSError(28, os.strerror(28))

    file = scratch.file()
    monkeypatch.setattr(os, "write", full)
    with pytest.raises(OutputError, match=r"cannot hold more scratch files \(No space left on device; 0 MB were"):
        file.append(b"x")


@pytest.mark.parametrize(
    ("text", "total"), [("512MB", 512e6), ("4 gb", 4e9), ("1.5GiB", 1.5 * 2**30), ("2000000", 2e6), (".5T", 5e11)]
)
def test_sizes_are_read(text, total):
    assert Memory.parse(text).total == total


@pytest.mark.parametrize("text", ["", "GB", "-1GB", "4 giga", "4PB", "1,5GB", "nan"])
def test_what_is_no_size_is_refused(text):
    with pytest.raises(OptionError, match="is no size; write it like 512MB or 4GB"):
        Memory.parse(text)
