"""Frames and arrays of every kind of cell: understood, or refused by a message that helps."""

import datetime as dt
import uuid
from decimal import Decimal

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from truegrade import Fit, Mean, Ratings, evaluate
from truegrade.errors import ColumnError, IdError, OptionError, RatingError, ScaleError, TruegradeError

LONG = {"annotator": ["a", "b", "a"], "instance": ["x", "x", "y"], "rating": [1, 2, 3]}


def fit_of(frame, **options):
    return Mean().fit(Ratings.from_frame(frame, **options))


def arrays(rating, **options):
    return Ratings.from_arrays(annotator=["a", "b"], instance=["x", "x"], rating=rating, **options)


def typed(values, kind):
    """An Arrow column of a type that cannot be written down directly."""
    return pa.array(values).cast(kind)


def typed_cells(column):
    return [(type(cell), cell) for cell in column.tolist()]


ID_COLUMNS = {
    "int": [1, 2, 1],
    "float": [1.0, 2.5, 1.0],
    "bool": [True, False, True],
    "text": [" a", "a", " a"],
    "text that CSV must quote": ["a\nb", 'a\r\n"', ","],
    "text with a null character": ["a\0b", "b", "a\0b"],
    "datetime": [dt.datetime(2020, 1, 1, 2, 3, 4, 5), dt.datetime(2021, 1, 1), dt.datetime(2022, 1, 1)],  # noqa: DTZ001
    "date": [dt.date(2020, 1, 1), dt.date(2021, 1, 1), dt.date(2020, 1, 1)],
    "decimal": [Decimal("1.50"), Decimal("2.00"), Decimal("1.50")],
    "uint64": np.array([2**64 - 1, 1, 2**64 - 1], dtype=np.uint64),
}
PANDAS_ONLY = {
    "mixed": [1, "1", 1.5],
    "bool and int": [True, 1, "1"],
    "category": pd.Categorical([3, 1, 3]),
    "string": pd.array(["a", "b", "a"], dtype="string"),
    "zone": pd.to_datetime(["2020-01-01", "2020-07-01", "2020-01-01"]).tz_localize("Europe/Berlin"),
}
ARROW_ONLY = {
    "float32": pa.array([1.5, 2, 1.5], pa.float32()),
    "view": pa.array(["a", "b", "a"], pa.string_view()),
    "large": pa.array(["a", "b", "a"], pa.large_string()),
    "dictionary": pa.array([7, 8, 7]).dictionary_encode(),
    "wide decimal": pa.array([Decimal("1.5")] * 3, pa.decimal256(50, 2)),
    "moments in UTC": typed([1, 2, 1], pa.timestamp("ns", "UTC")),
}


@pytest.mark.parametrize("format_", ["csv", "parquet"])
@pytest.mark.parametrize(
    ("make", "column"),
    [
        *(pytest.param(pd.DataFrame, column, id=f"pandas {name}") for name, column in ID_COLUMNS.items()),
        *(pytest.param(pl.DataFrame, column, id=f"polars {name}") for name, column in ID_COLUMNS.items()),
        *(pytest.param(pd.DataFrame, column, id=f"pandas {name}") for name, column in PANDAS_ONLY.items()),
        *(pytest.param(pa.table, column, id=f"pyarrow {name}") for name, column in ARROW_ONLY.items()),
    ],
)
@pytest.mark.parametrize("role", ["annotator", "instance", "category"])
def test_ids_keep_their_type_and_survive_a_saved_fit(role, make, column, format_, tmp_path):
    frame = make({**LONG, "instance": list("xyz"), role: column})
    fit = fit_of(frame)
    table = {"annotator": fit.annotators, "instance": fit.truth, "category": fit.categories}[role]
    different = (
        list(dict.fromkeys((type(v), v) for v in make({role: column})[role].tolist())) if make is pd.DataFrame else None
    )
    if different is not None:
        assert [(type(v), v) for v in table[role].tolist()] == different
    elif make is pl.DataFrame:
        assert table[role].dtype == frame[role].dtype
    fit.save(tmp_path, format=format_)
    again = Fit.load(tmp_path)
    for name in ("truth_table", "annotators_table", "categories_table"):
        assert getattr(again, name)().equals(getattr(fit, name)())
    if make is pd.DataFrame:
        found = {"annotator": again.annotators, "instance": again.truth, "category": again.categories}[role]
        assert typed_cells(found[role]) == typed_cells(table[role])


@pytest.mark.parametrize(
    "column",
    [
        [uuid.UUID(int=1), uuid.UUID(int=2), uuid.UUID(int=1)],
        [dt.time(1), dt.time(2), dt.time(1)],
        [dt.timedelta(1), dt.timedelta(2), dt.timedelta(1)],
        [10**30, 1, 10**30],
        [1j, 2j, 1j],
        pd.period_range("2020", periods=3, freq="D"),
        pd.interval_range(0, 3),
    ],
    ids=["uuid", "time", "timedelta", "huge int", "complex", "period", "interval"],
)
def test_ids_that_arrow_has_no_text_for_come_back_as_objects(column, tmp_path):
    fit = fit_of(pd.DataFrame({**LONG, "annotator": column}))
    assert fit.annotators["annotator"].tolist() == list(dict.fromkeys(pd.Series(column).tolist()))
    fit.save(tmp_path)
    texts = Fit.load(tmp_path).annotators_table()["annotator"].to_pylist()
    assert texts == fit.annotators_table()["annotator"].to_pylist()


def test_times_and_objects_in_other_libraries_are_ids_too():
    times = pl.DataFrame({**LONG, "annotator": [dt.time(1), dt.time(2), dt.time(1)]})
    assert fit_of(times).annotators["annotator"].to_list() == ["01:00:00", "02:00:00"]
    mixed = pl.DataFrame({**LONG, "annotator": pl.Series([1, "1", 1], dtype=pl.Object)})
    assert Ratings.from_frame(mixed).annotators.objects == (1, "1")
    parquet = Ratings.from_frame(pa.table({**LONG, "annotator": typed([1, 2, 1], pa.duration("s"))}))
    assert parquet.n_annotators == 2


@pytest.mark.parametrize(
    ("column", "told"),
    [
        ([[1], [2], [1]], "ids must be text or numbers"),
        ([{1}, {2}, {1}], "row 1: {1} cannot be an id"),
        ([1, None, "1"], "row 2: the annotator is blank"),
        ([1, pd.NA, "1"], "row 2: the annotator is blank"),
    ],
)
def test_what_cannot_be_an_id(column, told):
    with pytest.raises(IdError) as caught:
        Ratings.from_frame(pd.DataFrame({**LONG, "annotator": column}))
    assert told in str(caught.value)


def test_half_a_character_cannot_be_an_id():
    with pytest.raises(IdError, match=r"row 2: '\\ud800' cannot be an id"):
        Ratings.from_arrays(annotator=["a", "\ud800"], instance=["x", "x"], rating=[1, 2])


def test_bytes_are_text_where_they_can_be():
    text = pa.table({**LONG, "annotator": pa.array([b"a", b"b", b"a"])})
    assert fit_of(text).annotators["annotator"].to_pylist() == ["a", "b"]
    other = pd.DataFrame({**LONG, "annotator": [b"a", b"\xff", b"a"]})
    assert fit_of(other).annotators["annotator"].tolist() == [b"a", b"\xff"]


def test_names_of_columns_that_are_numbers_or_stand_there_twice():
    numbered = pd.DataFrame([["a", "x", 1], ["b", "x", 2]])
    assert Ratings.from_frame(numbered, annotator="0", instance="1", rating="2").n_annotators == 2
    matrix = pd.DataFrame([["x", 1, 2], ["y", 2, 2]], columns=["item", 1, 2])
    assert Ratings.from_frame(matrix).annotators.texts().to_pylist() == ["1", "2"]
    twice = pd.DataFrame([["a", "x", 1, 2]], columns=[*LONG, "rating"])
    with pytest.raises(ColumnError, match="two columns have the same name"):
        Ratings.from_frame(twice)
    with pytest.raises(ColumnError, match="two columns have the same name"):
        evaluate(pd.DataFrame([[1, 2]], columns=["instance", "instance"]), {"x": 1})


def test_record_batches_and_lazy_frames():
    assert Ratings.from_frame(pa.RecordBatch.from_pydict(LONG)).n_ratings == 3
    with pytest.raises(OptionError, match=r"call its collect\(\) first"):
        Ratings.from_frame(pl.DataFrame(LONG).lazy())


def test_a_column_that_fills_two_roles():
    one = Ratings.from_frame(pd.DataFrame(LONG), category="instance")
    assert one.n_categories == one.n_instances == 2
    with pytest.raises(ColumnError, match="--annotator and --instance both name the column 'annotator'"):
        Ratings.from_frame(pd.DataFrame(LONG), annotator="annotator", instance="annotator")


def ordered(values, categories):
    return pd.DataFrame({**LONG, "rating": pd.Categorical(values, categories=categories, ordered=True)})


def test_ordered_categories_are_the_scale_without_the_codes_to_drop():
    found = Ratings.from_frame(ordered(["lo", "NA", "hi"], ["NA", "lo", "mid", "hi"]), drop_values=["NA"])
    assert (found.scale.names, found.n_dropped) == (("lo", "mid", "hi"), 1)
    assert Ratings.from_frame(ordered([1, 3, 1], [1, 2, 3])).scale.values == (1, 2, 3)
    best_is_1 = Ratings.from_frame(ordered([3, 1, 2], [3, 2, 1]))
    assert best_is_1.scale.names == ("3", "2", "1")
    assert fit_of(ordered([3, 1, 2], [3, 2, 1])).truth["estimate"].tolist() == [2, 2]
    assert Ratings.from_frame(ordered(["b=2", "a=1", "b=2"], ["b=2", "a=1"])).scale.names == ("b=2", "a=1")
    enum = pl.DataFrame(LONG).with_columns(rating=pl.Series(["lo", "hi", "lo"], dtype=pl.Enum(["lo", "mid", "hi"])))
    assert Ratings.from_frame(enum).scale.names == ("lo", "mid", "hi")


@pytest.mark.parametrize("drop", ["3,7", [3, 7], 3, np.array([3]), {"3"}, [3.0], ["3.0"]])
def test_codes_to_drop_as_people_write_them(drop):
    assert Ratings.from_frame(pd.DataFrame(LONG), drop_values=drop).n_dropped == 1


def test_a_text_of_codes_is_no_list_of_characters():
    found = arrays([2, -2], drop_values="-2")
    assert (found.n_dropped, found.values().tolist()) == (1, [2])


@pytest.mark.parametrize("nothing", [None, float("nan")])
def test_empty_cells_can_be_a_code_to_drop(nothing):
    found = arrays([1, None], drop_values=[nothing])
    assert (found.n_dropped, found.n_missing) == (1, 0)


@pytest.mark.parametrize(
    ("rating", "told"),
    [
        (["1,5", "2"], "row 1: rating '1,5' has a decimal comma; write it as 1.5"),
        (["1e400", "2"], "row 1: rating inf is not a finite number"),
        ([1e300, 2], "row 1: rating 1e+300 is larger than any grade can be"),
        (np.array([1j, 2]), "is not a number"),
        ([dt.date(2020, 1, 1)] * 2, "rating '2020-01-01' is not a number; pass --scale"),
        ([[1], [2]], "a number or a name"),
        ([], "there are no ratings"),
        ([None, None], "the rating is missing"),
    ],
)
def test_ratings_that_are_no_grades(rating, told):
    with pytest.raises(TruegradeError) as caught:
        Ratings.from_arrays(annotator=["a", "b"][: len(rating)], instance=["x", "x"][: len(rating)], rating=rating)
    assert told in str(caught.value)


def test_large_whole_numbers_are_numbers():
    assert arrays([2**64 - 1, 2**64 - 1]).scale.n_grades == 1
    assert arrays([1e17, 1e17 + 16]).scale.values == (1e17, 1e17 + 16)
    assert arrays([2**53 - 2, 2**53 - 1]).scale.labels == ("9007199254740990", "9007199254740991")


@pytest.mark.parametrize("scale", [5, {"lo": 1}.keys(), [1e200], []])
def test_what_is_no_scale(scale):
    with pytest.raises((ScaleError, RatingError)):
        arrays([1, 2], scale=scale)


def test_arrays_of_the_wrong_shape():
    with pytest.raises(OptionError, match="rating must be a list or an array of one dimension, not one of 2"):
        arrays(np.ones((2, 2)))
    with pytest.raises(OptionError, match="not a generator"):
        arrays(i for i in (1, 2))


def test_blank_timestamps_are_carried_and_bad_ones_named():
    found = Ratings.from_frame(pd.DataFrame({**LONG, "timestamp": ["2024-01-01", " ", "2024-01-03"]}))
    moments = found.timestamp[np.argsort(found.row)]
    assert moments.astype("M8[D]").astype(str).tolist() == ["2024-01-01", "NaT", "2024-01-03"]
    with pytest.raises(RatingError, match="row 2: timestamp '3/1/24' is neither a moment"):
        Ratings.from_frame(pd.DataFrame({**LONG, "timestamp": ["2024-01-01", "3/1/24", "2024-01-03"]}))


@pytest.mark.parametrize(
    ("weight", "told"),
    [
        (["1", "many", "2"], "row 2: weight 'many' is not a number"),
        ([1, None, "2"], "row 2: the weight is blank"),
        ([1, 2, 1e300], "row 3: weight 1e.300 is out of range"),
        (pd.to_datetime(["2020", "2021", "2022"]), "row 1: weight '2020-01-01"),
    ],
)
def test_weights_that_are_none(weight, told):
    with pytest.raises(RatingError, match=told):
        Ratings.from_frame(pd.DataFrame({**LONG, "weight": weight}))


def test_the_first_repeat_in_the_order_of_the_rows_is_named():
    columns = {"annotator": list("abab"), "instance": list("xyxy"), "rating": [1, 2, 1, 2]}
    with pytest.raises(RatingError, match="row 3: annotator 'a' rated instance 'x' more than once; pass --duplicates"):
        Ratings.from_arrays(**columns, duplicates="error")
