"""Columns of every type that pandas 2 and 3, polars and pyarrow have, in every role, for ratings, gold and results.

`make pandas2` runs this, and the other tests of frames, under pandas 2.
"""

from decimal import Decimal

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from truegrade import Fit, Mean, Median, Ratings, agreement, evaluate
from truegrade.errors import ColumnError, GoldError, RatingError

WHO, WHAT = ["a", "b", "a", "b", "a"], ["x", "x", "y", "y", "z"]
GRADES = [1, 2, 2, 3, 1]
YES = [True, False, True, True, False]

PANDAS = {
    **{kind: pd.array(GRADES, kind) for kind in ("int8", "uint8", "int64", "uint64", "float32", "float64", "object")},
    **{kind: pd.array(GRADES, kind) for kind in ("Int8", "UInt16", "Int64", "Float32", "Float64")},
    **{kind: pd.array(list(map(str, GRADES)), kind) for kind in ("string", "string[pyarrow]")},
    "str": pd.Series(list(map(str, GRADES))),
    "category of numbers": pd.Categorical(GRADES),
    "category of fractions": pd.Categorical(list(map(float, GRADES))),
    "category of text": pd.Categorical(list(map(str, GRADES))),
    "ordered category": pd.Categorical(GRADES, categories=[1, 2, 3], ordered=True),
    **{
        str(kind): pd.array(GRADES, pd.ArrowDtype(kind))
        for kind in (pa.int8(), pa.int64(), pa.uint32(), pa.float32(), pa.float64())
    },
    "arrow text": pd.array(list(map(str, GRADES)), pd.ArrowDtype(pa.string())),
    "arrow large text": pd.array(list(map(str, GRADES)), pd.ArrowDtype(pa.large_string())),
    "arrow decimal": pd.array(list(map(Decimal, GRADES)), pd.ArrowDtype(pa.decimal128(5, 2))),
    "decimals": list(map(Decimal, GRADES)),
    "numpy numbers as objects": np.array([np.int16(g) for g in GRADES], dtype=object),
    "mixed": [1, "2", 2.0, np.int8(3), "1"],
}
POLARS = {
    **{str(kind): pl.Series(GRADES, dtype=kind) for kind in (pl.Int8, pl.UInt64, pl.Float32, pl.Float64)},
    "text": pl.Series(list(map(str, GRADES))),
    "categorical": pl.Series(list(map(str, GRADES)), dtype=pl.Categorical),
    "enum": pl.Series(list(map(str, GRADES)), dtype=pl.Enum(["1", "2", "3"])),
    "decimal": pl.Series(list(map(Decimal, GRADES)), dtype=pl.Decimal(5, 2)),
    "object": pl.Series(GRADES, dtype=pl.Object),
}
ARROW = {
    **{str(kind): pa.array(GRADES, kind) for kind in (pa.int8(), pa.uint64(), pa.float64())},
    "half floats": pa.array(np.array(GRADES, dtype=np.float16)),
    "text": pa.array(list(map(str, GRADES))),
    "large text": pa.array(list(map(str, GRADES)), pa.large_string()),
    "text view": pa.array(list(map(str, GRADES)), pa.string_view()),
    "dictionary": pa.array(GRADES).dictionary_encode(),
    "dictionary of text": pa.array(list(map(str, GRADES))).dictionary_encode(),
    "decimal": pa.array(list(map(Decimal, GRADES)), pa.decimal128(5, 2)),
    "in chunks": pa.chunked_array([GRADES[:2], GRADES[2:]]),
}
RATINGS = [
    *(pytest.param(pd.DataFrame, column, id=f"pandas {name}") for name, column in PANDAS.items()),
    *(pytest.param(pl.DataFrame, column, id=f"polars {name}") for name, column in POLARS.items()),
    *(pytest.param(pa.table, column, id=f"pyarrow {name}") for name, column in ARROW.items()),
]


def values_of(ratings):
    return ratings.values()[np.argsort(ratings.row)].tolist()


@pytest.mark.parametrize(("make", "column"), RATINGS)
def test_ratings_of_every_type_are_the_same_grades(make, column):
    found = Ratings.from_frame(make({"annotator": WHO, "instance": WHAT, "rating": column}))
    assert found.scale.labels == ("1", "2", "3")
    assert values_of(found) == GRADES
    plain = Ratings.from_arrays(annotator=WHO, instance=WHAT, rating=GRADES)
    assert [found.annotators.texts().to_pylist(), found.instances.texts().to_pylist()] == [["a", "b"], ["x", "y", "z"]]
    if found.scale == plain.scale:
        assert found.digest == plain.digest
    truth = Mean().fit(found).truth
    assert type(truth).__module__.partition(".")[0] == make.__module__.partition(".")[0] or make is pa.table
    estimate = truth["estimate"].to_pylist() if make is pa.table else list(truth["estimate"])
    assert estimate == [1.5, 2.5, 1]


TRUTH_VALUES = [
    *(
        pytest.param(pd.DataFrame, column, id=f"pandas {name}")
        for name, column in {
            "bool": pd.array(YES, "bool"),
            "boolean": pd.array(YES, "boolean"),
            "object": pd.Series(YES, dtype=object),
            "category": pd.Categorical(YES),
            "arrow": pd.array(YES, pd.ArrowDtype(pa.bool_())),
        }.items()
    ),
    pytest.param(pl.DataFrame, YES, id="polars"),
    pytest.param(pl.DataFrame, pl.Series(YES, dtype=pl.Object), id="polars object"),
    pytest.param(pa.table, pa.array(YES), id="pyarrow"),
    pytest.param(pa.table, pa.array(YES).dictionary_encode(), id="pyarrow dictionary"),
]


@pytest.mark.parametrize(("make", "column"), TRUTH_VALUES)
def test_truth_values_are_0_and_1(make, column):
    frame = make({"annotator": WHO, "instance": WHAT, "rating": column})
    found = Ratings.from_frame(frame)
    assert (found.scale.values, values_of(found)) == ((0, 1), list(map(int, YES)))
    gold = make({"instance": ["x", "y", "z"], "gold": column[:3]})
    assert evaluate(Median().fit(found), gold).n_scored == 3


def missing_columns():
    holed = [1, None, 2, 3, 1]
    yield "pandas float", pd.DataFrame, np.array([1, np.nan, 2, 3, 1])
    yield "pandas object", pd.DataFrame, pd.Series(holed, dtype=object)
    yield "pandas NA as object", pd.DataFrame, pd.Series([1, pd.NA, 2, 3, 1], dtype=object)
    yield "pandas NaT as object", pd.DataFrame, pd.Series([1, pd.NaT, 2, 3, 1], dtype=object)
    for kind in ("Int64", "Float64"):
        yield f"pandas {kind}", pd.DataFrame, pd.array(holed, kind)
    for kind in ("string", "string[pyarrow]", "object", "category"):
        yield f"pandas {kind} of text", pd.DataFrame, pd.Series(["1", None, "2", "3", "1"], dtype=kind)
    yield "pandas category", pd.DataFrame, pd.Categorical(holed)
    yield "pandas arrow", pd.DataFrame, pd.array(holed, pd.ArrowDtype(pa.int64()))
    yield "polars", pl.DataFrame, holed
    yield "polars NaN", pl.DataFrame, [1.0, float("nan"), 2.0, 3.0, 1.0]
    yield "polars text", pl.DataFrame, ["1", None, "2", "3", "1"]
    yield "polars categorical", pl.DataFrame, pl.Series(["1", None, "2", "3", "1"], dtype=pl.Categorical)
    yield "pyarrow", pa.table, pa.array(holed)
    yield "pyarrow NaN", pa.table, pa.array([1.0, float("nan"), 2.0, 3.0, 1.0])
    yield "pyarrow dictionary", pa.table, pa.array(holed).dictionary_encode()
    yield "pyarrow null type", pa.table, pa.array([None] * 5)


HOLED = list(missing_columns())


@pytest.mark.parametrize(("name", "make", "column"), HOLED, ids=[name for name, *_ in HOLED])
def test_cells_without_a_rating_are_found_in_every_type(name, make, column):
    frame = make({"annotator": WHO, "instance": WHAT, "rating": column})
    nothing = name == "pyarrow null type"
    with pytest.raises(RatingError, match=f"row {1 if nothing else 2}: the rating is missing"):
        Ratings.from_frame(frame)
    if nothing:
        with pytest.raises(RatingError, match="no ratings are left"):
            Ratings.from_frame(frame, missing="drop")
        return
    found = Ratings.from_frame(frame, missing="drop")
    assert (found.n_missing, values_of(found)) == (1, [1, 2, 3, 1])
    gold = make({"instance": WHAT, "gold": column})
    with pytest.raises(GoldError, match="instance 'y' has gold 2 and 3"):
        evaluate(Mean().fit(found), gold)
    first = gold.iloc[:3] if make is pd.DataFrame else gold[:3]
    assert evaluate(Mean().fit(found), first).n_scored == 2


ID_TYPES = {
    "int and Int": (pd.array([1, 2, 3], "int64"), pd.array([1, 2, 3], "Int32")),
    "int and text": (pd.array([1, 2, 3], "int64"), pd.Series(["1", "2", "3"])),
    "text and string": (pd.Series(["1", "2", "3"], dtype=object), pd.array(["1", "2", "3"], "string")),
    "pyarrow and category": (pd.array(["1", "2", "3"], "string[pyarrow]"), pd.Categorical(["1", "2", "3"])),
    "category and Categorical of numbers": (pd.Categorical([1, 2, 3]), pd.array([1, 2, 3], "int8")),
    "arrow and object": (pd.array([1, 2, 3], pd.ArrowDtype(pa.int64())), pd.Series([1, 2, 3], dtype=object)),
    "bool and boolean": (pd.array([True, False, True], "bool"), pd.array([True, False, True], "boolean")),
}


@pytest.mark.parametrize(("one", "other"), ID_TYPES.values(), ids=ID_TYPES)
@pytest.mark.parametrize("swap", [False, True])
def test_ids_of_gold_meet_those_of_ratings_whatever_their_types(one, other, swap):
    one, other = (other, one) if swap else (one, other)
    frame = pd.DataFrame({"annotator": ["a", "b", "c"], "instance": one, "rating": [1, 2, 3]})
    gold = pd.DataFrame({"instance": other, "gold": [1, 2, 1 if len(set(other)) == 2 else 3]})
    found = evaluate(Mean().fit(Ratings.from_frame(frame)), gold)
    assert found.n_scored == len(set(other))


@pytest.mark.parametrize(
    "index", [[5, 5, 5, 5, 5], list("vwxyz"), [1, "1", 2.5, None, (1, 2)], [4, 3, 2, 1, 0]], ids=str
)
def test_the_index_of_a_pandas_frame_plays_no_part(index):
    frame = pd.DataFrame({"annotator": WHO, "instance": WHAT, "rating": GRADES})
    moved = frame.set_axis(pd.Index(index, dtype=object), axis=0)
    assert Ratings.from_frame(moved).digest == Ratings.from_frame(frame).digest
    truth = Mean().fit(Ratings.from_frame(moved)).truth
    assert truth.index.tolist() == [0, 1, 2]
    levels = frame.set_index(["annotator", "instance"], drop=False)
    levels.index.names = ["one", "two"]
    assert Ratings.from_frame(levels).digest == Ratings.from_frame(frame).digest
    gold = pd.DataFrame({"instance": ["x", "y", "z"], "gold": [1, 2, 1]}, index=[7, 7, 7])
    assert evaluate(Mean().fit(Ratings.from_frame(frame)), gold).n_scored == 3


@pytest.mark.parametrize("make", [pd.DataFrame, pl.DataFrame, pa.table])
def test_frames_without_rows(make):
    texts, numbers = pa.array([], pa.string()), pa.array([], pa.int64())
    table = pa.table({"annotator": texts, "instance": texts, "rating": numbers})
    gold = pa.table({"instance": texts, "gold": numbers})
    matrix = pa.table({"instance": texts, "ann": numbers, "bob": numbers})
    as_made = {pd.DataFrame: lambda t: t.to_pandas(), pl.DataFrame: pl.from_arrow, pa.table: lambda t: t}[make]
    with pytest.raises(RatingError, match="the frame: there are no ratings; give at least one"):
        Ratings.from_frame(as_made(table))
    with pytest.raises(RatingError, match="there are no ratings"):
        Ratings.from_frame(as_made(matrix))
    fit = Mean().fit(Ratings.from_arrays(annotator=WHO, instance=WHAT, rating=GRADES))
    with pytest.raises(GoldError):
        evaluate(fit, as_made(gold))
    with pytest.raises((ColumnError, RatingError)):
        Ratings.from_frame(make({}))


@pytest.mark.parametrize("make", [pd.DataFrame, pl.DataFrame, pa.table])
def test_truth_tables_can_be_evaluated_and_come_back_the_same(make, tmp_path):
    frame = make({"annotator": WHO, "instance": WHAT, "rating": GRADES})
    fit = Mean().fit(Ratings.from_frame(frame))
    gold = make({"item": ["z", "x"], "true_label": [1, 2]})
    direct, by_table = evaluate(fit, gold), evaluate(fit.truth, gold)
    assert (direct.mse, direct.n_scored) == (by_table.mse, by_table.n_scored) == (0.125, 2)
    fit.save(tmp_path)
    assert evaluate(Fit.load(tmp_path), gold).mse == 0.125
    assert agreement(Ratings.from_frame(frame)).alpha_ordinal is not None


@pytest.mark.parametrize("kind", ["string", "string[pyarrow]", "category", "object", "Int64"])
@pytest.mark.parametrize("role", ["annotator", "instance", "category"])
def test_ids_of_every_type_come_back_in_order(kind, role):
    ids = [3, 1, 3, 1, 2] if kind == "Int64" else ["c", "a", "c", "a", "b"]
    columns = {"annotator": WHO, "instance": list("vwxyz"), "category": ["q"] * 5, "rating": GRADES}
    fit = Mean().fit(Ratings.from_frame(pd.DataFrame({**columns, role: pd.Series(ids, dtype=kind)})))
    table = {"annotator": fit.annotators, "instance": fit.truth, "category": fit.categories}[role]
    assert table[role].tolist() == list(dict.fromkeys(ids))
