import json
import os
import stat
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from truegrade import Fit, Majority, Mean, Median, Ratings
from truegrade.errors import FitError, OptionError, OutputError

FRAME = pd.DataFrame(
    {"worker": [7, 8, 7], "item": ["x, y", 'a "q"\nb', "x, y"], "score": [1, 2, 4], "topic": ["t", "u", "t"]}
)


def change_record(directory, **changes):
    record = json.loads((directory / "fit.json").read_text())
    (directory / "fit.json").write_text(json.dumps(record | changes))


def content_of(directory):
    return {str(p.relative_to(directory)): p.read_bytes() for p in directory.rglob("*") if p.is_file()}


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
        (lambda d: (d / "arrays" / "trace.npy").write_bytes(b""), "damaged"),
        (lambda d: (d / "arrays" / "trace.npy").unlink(), "'trace' is missing"),
        (
            lambda d: np.savez(d / "x.npz", a=np.zeros(1)) or (d / "x.npz").replace(d / "arrays" / "trace.npy"),
            "damaged",
        ),
        (lambda d: np.save(d / "arrays" / "trace.npy", np.array(["x"])), "holds <U1, not numbers"),
        (lambda d: np.save(d / "arrays" / "codes.instance.npy", np.array([0, 0])), "is no numbering of the 2 rows"),
        (lambda d: np.save(d / "arrays" / "truth.sd.npy", np.zeros(3)), "is for .3,., not 2, of the table truth"),
        (lambda d: np.save(d / "arrays" / "annotator.agreement.npy", np.zeros(())), "of the table annotators"),
        (
            lambda d: np.save(d / "arrays" / "category_of_instance.npy", np.array([0, 2])),
            "names categories that are not",
        ),
        (lambda d: np.save(d / "arrays" / "truth.more.npy", np.zeros(2)), "unexpected keyword argument 'more'"),
        (lambda d: (d / "truth.csv").write_bytes(b"instance\n\xff\n\xfe\n"), "not UTF-8"),
        (lambda d: (d / "truth.csv").write_text("instance\n1\n2\n1,2\n"), "damaged"),
        (lambda d: (d / "annotators.csv").write_text("annotator\nseven\neight\n"), "damaged"),
        (lambda d: (d / "fit.json").write_bytes(b"\xff"), "cannot be read"),
        (lambda d: (d / "fit.json").write_text("[" * 100_000), "cannot be read"),
        (lambda d: change_record(d, scale={"values": [2, 1]}), "must ascend"),
        (lambda d: change_record(d, status="FINE"), "'FINE' is not a valid Status"),
        (lambda d: change_record(d, posterior="pickle"), "'pickle' is missing"),
        (lambda d: change_record(d, tables="/../../truth"), "tables as"),
        (lambda d: change_record(d, id_types={"truth": "list<int>"}), "damaged"),
        (lambda d: change_record(d, id_types={"truth": ["int"]}), "not the ones it was written with"),
        (lambda d: change_record(d, bounds=["a"]), "could not convert"),
    ],
)
def test_a_damaged_fit_is_refused(fit, tmp_path, change, message):
    fit.save(tmp_path)
    change(tmp_path)
    with pytest.raises(FitError, match=message):
        Fit.load(tmp_path)


@pytest.mark.parametrize("version", [0, 99, None, "1"])
def test_another_format_is_refused_with_the_reason(fit, tmp_path, version):
    fit.save(tmp_path)
    change_record(tmp_path, format_version=version)
    with pytest.raises(FitError, match=f"format version {version}, but this truegrade reads version 1; fit again"):
        Fit.load(tmp_path)


def test_arrays_hold_no_pickles(fit, tmp_path):
    fit.save(tmp_path)
    np.save(tmp_path / "arrays" / "trace.npy", np.array([object()]), allow_pickle=True)
    with pytest.raises(FitError, match="damaged"):
        Fit.load(tmp_path)


@pytest.mark.parametrize("error", [OSError(28, "No space left on device"), KeyboardInterrupt()])
@pytest.mark.parametrize("moves", range(8))
def test_an_end_amid_the_moves_leaves_the_old_fit(fit, tmp_path, monkeypatch, error, moves):
    fit.save(tmp_path)
    (tmp_path / "arrays" / "notes.txt").write_text("mine")
    before = content_of(tmp_path)
    replace, done = Path.replace, []

    def failing(path, target):
        done.append(path)
        if len(done) == moves + 1:
            raise error
        return replace(path, target)

    monkeypatch.setattr(Path, "replace", failing)
    other = Median().fit(Ratings.from_frame(FRAME.assign(score=[1, 4, 2])))
    with pytest.raises((OutputError, KeyboardInterrupt)):
        other.save(tmp_path)
    assert content_of(tmp_path) == before
    monkeypatch.undo()
    other.save(tmp_path)
    assert Fit.load(tmp_path).model == "median"
    assert (tmp_path / "arrays" / "notes.txt").read_text() == "mine"


@pytest.mark.parametrize("moves", [0, 3])
def test_an_end_amid_the_moves_leaves_no_new_directory(fit, tmp_path, monkeypatch, moves):
    replace, done = Path.replace, []

    def failing(path, target):
        done.append(path)
        if len(done) == moves + 1:
            raise OSError(28, "No space left on device")
        return replace(path, target)

    monkeypatch.setattr(Path, "replace", failing)
    with pytest.raises(OutputError, match="No space left on device; nothing was changed; free some space"):
        fit.save(tmp_path / "new" / "fit")
    assert list(tmp_path.iterdir()) == []


def test_a_file_system_without_links(fit, tmp_path, monkeypatch):
    def link(*arguments, **options):
        raise OSError(1, "Operation not permitted")

    monkeypatch.setattr(os, "link", link)
    fit.save(tmp_path)
    Median().fit(Ratings.from_frame(FRAME)).save(tmp_path)
    assert Fit.load(tmp_path).model == "median"


@pytest.mark.parametrize(
    ("place", "told"), [("x" * 5000, "is no place for files"), ("file/x", "is a file"), ("file", "is a file")]
)
def test_places_that_hold_no_directory(fit, tmp_path, place, told):
    (tmp_path / "file").write_text("mine")
    with pytest.raises(OutputError, match=told):
        fit.save(tmp_path / place)


def test_arrays_that_are_not_ours(fit, tmp_path):
    (tmp_path / "arrays").mkdir()
    np.save(tmp_path / "arrays" / "trace.npy", np.ones(3))
    with pytest.raises(OutputError, match=r"holds a arrays/trace\.npy that is not from a fit"):
        fit.save(tmp_path)


def test_numbers_that_json_cannot_hold(fit, tmp_path):
    odd = replace(fit, bounds=(-np.inf, 1.0), hyperparameters={"thresholds": (-np.inf, 0.5, np.inf), "x": np.nan})
    odd.save(tmp_path)
    json.loads((tmp_path / "fit.json").read_text(), parse_constant=pytest.fail)
    assert Fit.load(tmp_path).bounds == (-np.inf, 1.0)


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write anywhere")
def test_no_permission(fit, tmp_path):
    tmp_path.chmod(stat.S_IRUSR | stat.S_IXUSR)
    with pytest.raises(OutputError, match="no permission"):
        fit.save(tmp_path / "out")
