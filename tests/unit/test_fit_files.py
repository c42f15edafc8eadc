import json
import os
import stat

import numpy as np
import pandas as pd
import pytest

from truegrade import Fit, Majority, Mean, Median, Ratings
from truegrade.errors import FitError, OptionError, OutputError

FRAME = pd.DataFrame(
    {"worker": [7, 8, 7], "item": ["x, y", 'a "q"\nb', "x, y"], "score": [1, 2, 4], "topic": ["t", "u", "t"]}
)


@pytest.fixture
def fit():
    return Mean().fit(Ratings.from_frame(FRAME))


@pytest.mark.parametrize("format_", ["csv", "parquet"])
def test_round_trip(fit, tmp_path, format_):
    fit.save(tmp_path / "out", format=format_)
    again = Fit.load(tmp_path / "out")
    for table in ("truth_table", "annotators_table", "categories_table"):
        assert getattr(again, table)().equals(getattr(fit, table)())
    assert (again.model, again.status, again.scale, again.notes) == (fit.model, fit.status, fit.scale, fit.notes)
    assert again.counts == fit.counts
    again.save(tmp_path / "twice", format=format_)
    same = [(tmp_path / d / "fit.json").read_text() for d in ("out", "twice")]
    assert same[0] == same[1]


def test_frames_come_back_in_the_users_library(fit):
    assert isinstance(fit.truth, pd.DataFrame)
    assert fit.annotators["annotator"].tolist() == [7, 8]
    mixed = Mean().fit(Ratings.from_frame(FRAME.assign(worker=[1, "1", 1])))
    assert mixed.annotators["annotator"].tolist() == [1, "1"]


def test_saving_again_replaces_the_fit_and_nothing_else(fit, tmp_path):
    (tmp_path / "notes.txt").write_text("mine")
    fit.save(tmp_path, format="parquet")
    Median().fit(Ratings.from_arrays(annotator=["a"], instance=["x"], rating=[1])).save(tmp_path)
    assert sorted(p.name for p in tmp_path.iterdir()) == [
        "annotators.csv", "arrays", "fit.json", "notes.txt", "truth.csv",
    ]  # fmt: skip
    assert Fit.load(tmp_path).model == "median"
    assert not (tmp_path / "arrays" / "codes.category.npy").exists()


def test_unknown_cells_are_empty(tmp_path):
    Majority().fit(Ratings.from_frame(FRAME)).save(tmp_path)
    assert "nan" not in (tmp_path / "truth.csv").read_text().lower()


def test_what_is_not_ours_is_not_overwritten(fit, tmp_path):
    (tmp_path / "truth.csv").write_text("mine")
    with pytest.raises(OutputError, match=r"holds a truth\.csv that is not from a fit"):
        fit.save(tmp_path)
    with pytest.raises(OutputError, match="is a file"):
        fit.save(tmp_path / "truth.csv")
    assert (tmp_path / "truth.csv").read_text() == "mine"
    with pytest.raises(OptionError):
        fit.save(tmp_path / "new", format="xlsx")


def test_a_full_disk_leaves_the_old_fit(fit, tmp_path, monkeypatch):
    fit.save(tmp_path)
    before = (tmp_path / "fit.json").read_text()

    def full(*args, **kwargs):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(np, "save", full)
    with pytest.raises(OutputError, match="No space left on device; nothing was changed"):
        Median().fit(Ratings.from_frame(FRAME)).save(tmp_path)
    assert (tmp_path / "fit.json").read_text() == before
    assert not [p for p in tmp_path.iterdir() if p.name.startswith(".truegrade")]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda d: (d / "fit.json").unlink(), "no fit.json"),
        (lambda d: (d / "fit.json").write_text("{"), "cannot be read"),
        (lambda d: (d / "fit.json").write_text("{}"), "not a truegrade fit"),
        (lambda d: (d / "arrays" / "codes.instance.npy").unlink(), "damaged"),
        (lambda d: (d / "truth.csv").write_text("instance\nx\n"), "damaged"),
        (lambda d: (d / "arrays" / "trace.npy").write_bytes(b"\x93NUMPY junk"), "damaged"),
    ],
)
def test_a_damaged_fit_is_refused(fit, tmp_path, change, message):
    fit.save(tmp_path)
    change(tmp_path)
    with pytest.raises(FitError, match=message):
        Fit.load(tmp_path)


def test_a_newer_format_is_refused(fit, tmp_path):
    fit.save(tmp_path)
    record = json.loads((tmp_path / "fit.json").read_text())
    (tmp_path / "fit.json").write_text(json.dumps(record | {"format_version": 99}))
    with pytest.raises(FitError, match="format version 99"):
        Fit.load(tmp_path)


def test_arrays_hold_no_pickles(fit, tmp_path):
    fit.save(tmp_path)
    np.save(tmp_path / "arrays" / "trace.npy", np.array([object()]), allow_pickle=True)
    with pytest.raises(FitError, match="damaged"):
        Fit.load(tmp_path)


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write anywhere")
def test_no_permission(fit, tmp_path):
    tmp_path.chmod(stat.S_IRUSR | stat.S_IXUSR)
    with pytest.raises(OutputError, match="no permission"):
        fit.save(tmp_path / "out")
