"""Wide matrices: a row per instance, a column per annotator."""

import datetime as dt

import pyarrow as pa
import pytest
import sample_files

from truegrade import read
from truegrade.errors import ColumnError, IdError, OptionError, RatingError
from truegrade.readers import read_columns
from truegrade.readers.wide import melt
from truegrade.roles import Roles


@pytest.fixture
def write(tmp_path):
    def written(content):
        (tmp_path / "matrix").write_bytes(content)
        return tmp_path / "matrix"

    return written


def rows_of(columns):
    found = (columns.instance, columns.annotator, columns.rating)
    return list(zip(*(column.to_pylist() for column in found), strict=True))


MATRIX = pa.table({"item": ["x", "y", "z"], "ann": [1, None, None], "bob": [2, 3, None]})
LONG = [("x", "ann", 1), ("x", "bob", 2), ("y", "bob", 3)]


@pytest.mark.parametrize("kind", ["csv", "json lines"])
def test_text_becomes_one_row_per_filled_cell(kind, write):
    assert rows_of(read_columns(write(sample_files.WRITERS[kind](MATRIX)))) == [(i, a, str(r)) for i, a, r in LONG]


@pytest.mark.parametrize("kind", ["parquet", "arrow stream"])
def test_typed_matrices_keep_their_numbers(kind, write):
    columns = read_columns(write(sample_files.WRITERS[kind](MATRIX)))
    assert rows_of(columns) == LONG
    assert columns.rating.type == pa.int64()


def test_blank_cells_are_no_ratings(write):
    columns = read_columns(write(b"item,ann,bob\nx,,1\ny, \t,2\nz,3,\n"))
    assert rows_of(columns) == [("x", "bob", "1"), ("y", "bob", "2"), ("z", "ann", "3")]
    floats = pa.table({"item": ["x", "y"], "ann": [float("nan"), 1.0], "bob": pa.array([2.0, None])})
    assert rows_of(melt(floats, Roles(), "m")) == [("x", "bob", 2.0), ("y", "ann", 1.0)]


def test_category_gold_and_timestamp_are_no_annotators(write):
    matrix = b"task,topic,ann,bob,Gold,truth,timestamp\nx,t1,1,2,9,9,9\n"
    columns = read_columns(write(matrix))
    assert rows_of(columns) == [("x", "ann", "1"), ("x", "bob", "2")]
    assert columns.category.to_pylist() == ["t1", "t1"]


def test_an_annotator_may_be_called_judge_if_the_matrix_is_declared(write):
    path = write(b"item,judge,score\nx,1,2\n")
    assert rows_of(read_columns(path, wide=True)) == [("x", "judge", "1"), ("x", "score", "2")]
    path = write(b"item,Judge,score\nx,1,2\n")
    assert rows_of(read_columns(path, Roles(instance="Judge"), wide=True)) == [
        ("1", "item", "x"),
        ("1", "score", "2"),
    ]


def test_one_role_by_name_means_that_the_file_is_long(write):
    with pytest.raises(ColumnError, match="no column for the annotator"):
        read_columns(write(b"item,score,bob\nx,1,2\n"))
    with pytest.raises(ColumnError, match="no column for the rating"):
        read_columns(write(b"item,ann,bob\nx,1,2\n"), Roles(annotator="ann"))


def test_numbers_of_different_types_meet_as_floats_and_other_types_as_text():
    table = pa.table({"item": ["x"], "ann": [1], "bob": [2.5], "cid": pa.nulls(1)})
    assert rows_of(melt(table, Roles(), "m")) == [("x", "ann", 1.0), ("x", "bob", 2.5)]
    table = pa.table({"item": ["x"], "ann": [1], "bob": ["hot"]})
    assert rows_of(melt(table, Roles(), "m")) == [("x", "ann", "1"), ("x", "bob", "hot")]


def test_ordered_categories_stay_ordered():
    kind = pa.DictionaryArray.from_arrays(pa.array([1, None]), ["cold", "hot"], ordered=True)
    other = pa.DictionaryArray.from_arrays(pa.array([0, 0]), ["cold", "hot"], ordered=True)
    same = melt(pa.table({"item": ["x", "y"], "ann": kind, "bob": other}), Roles(), "m")
    assert same.rating.type.ordered
    assert rows_of(same) == [("x", "ann", "hot"), ("x", "bob", "cold"), ("y", "bob", "cold")]
    reverse = pa.DictionaryArray.from_arrays(pa.array([0, 0]), ["hot", "cold"], ordered=True)
    mixed = melt(pa.table({"item": ["x", "y"], "ann": kind, "bob": reverse}), Roles(), "m")
    assert mixed.rating.type == pa.string()
    assert rows_of(mixed) == [("x", "ann", "hot"), ("x", "bob", "hot"), ("y", "bob", "hot")]


def test_ids_keep_their_type_and_the_library_is_carried():
    table = pa.table({"id": [dt.date(2020, 1, 1)], "ann": [1]})
    columns = melt(table, Roles(), "m", library="pandas")
    assert rows_of(columns) == [(dt.date(2020, 1, 1), "ann", 1)]
    assert columns.library == "pandas"


def test_messages_name_the_cell(write):
    with pytest.raises(RatingError, match="matrix: row 2, column 'bob': rating 'oops'"):
        read(write(b"item,ann,bob\nx,1,\ny,2,oops\n"))
    with pytest.raises(IdError, match="row 1, column 'ann': the instance is blank"):
        read(write(b"item,ann,bob\n,1,\ny,2,3\n"))


@pytest.mark.parametrize("role", ["annotator", "rating", "weight", "timestamp"])
def test_roles_that_a_matrix_does_not_have_are_refused(role, write):
    with pytest.raises(OptionError, match=f"--{role} ann does not go with a wide matrix"):
        read(write(b"item,ann,bob\nx,1,2\n"), wide=True, **{role: "ann"})


@pytest.mark.parametrize(
    ("content", "error", "message"),
    [
        (b"item,ann,weight\nx,1,2\n", OptionError, "column 'weight' cannot weigh"),
        (b"thing,ann\nx,1\n", ColumnError, "pass --instance NAME"),
        (b"item,topic,gold\nx,1,2\n", ColumnError, "no column of an annotator beside 'item'"),
        (b"item,ann,\nx,1,2\n", ColumnError, "column 3 has no name"),
        (b"item,ann,ann\nx,1,2\n", ColumnError, "2 columns are called 'ann'"),
        (b"item,ann,bob\nx,,\n", RatingError, "no ratings"),
    ],
)
def test_matrices_that_cannot_be_read(content, error, message, write):
    with pytest.raises(error, match=message):
        read(write(content), wide=True)


def test_lists_in_a_matrix_are_refused(write):
    table = pa.table({"item": ["x"], "ann": [[1]]})
    with pytest.raises(ColumnError, match="column 'ann' holds lists"):
        read(write(sample_files.parquet(table)))
    with pytest.raises(ColumnError, match="holds list"):
        melt(table, Roles(), "m")


def test_ratings_come_row_by_row_and_in_the_order_of_the_columns():
    names = [f"a{n}" for n in range(40)]
    matrix = pa.table({"item": list(range(50)), **{name: [n] * 50 for n, name in enumerate(names)}})
    assert rows_of(melt(matrix, Roles(), "m")) == [(i, a, n) for i in range(50) for n, a in enumerate(names)]
