from hashlib import blake2b

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from truegrade import Ratings
from truegrade.errors import ColumnError, IdError, OptionError, RatingError, ScaleError


def ratings(rating=(1, 2, 3), annotator=("a", "b", "a"), instance=("x", "x", "y"), **options):
    return Ratings.from_arrays(annotator=list(annotator), instance=list(instance), rating=list(rating), **options)


def labelled(data):
    """The ratings as a set of (annotator, instance, value) whatever the codes are."""
    annotators = dict(zip(data.annotators.code.tolist(), data.annotators.texts().to_pylist(), strict=True))
    instances = dict(zip(data.instances.code.tolist(), data.instances.texts().to_pylist(), strict=True))
    rows = zip(data.annotator.tolist(), data.instance_of().tolist(), data.values().tolist(), strict=True)
    return sorted((annotators[n], instances[m], value) for n, m, value in rows)


def test_every_rating_is_where_it_belongs():
    data = ratings()
    assert labelled(data) == [("a", "x", 1.0), ("a", "y", 3.0), ("b", "x", 2.0)]
    np.testing.assert_array_equal(np.diff(data.instance_ptr)[data.instances.code], [2, 1])
    np.testing.assert_array_equal(np.sort(data.row), [0, 1, 2])


def test_arrays_are_read_only():
    with pytest.raises(ValueError, match="read-only"):
        ratings().grade[0] = 1


def test_memory_per_rating():
    n_ratings, n_instances = 100_000, 25_000
    instance = np.arange(n_ratings) % n_instances
    data = Ratings.from_arrays(
        annotator=np.arange(n_ratings) % 40,
        instance=instance,
        category=instance % 100,
        rating=np.ones(n_ratings),
        weight=np.ones(n_ratings),
    )
    beside = ("weight", "timestamp")  # and what the id tables hold
    arrays = [a for name, a in vars(data).items() if isinstance(a, np.ndarray) and name not in beside]
    assert len(arrays) == 6
    assert sum(array.nbytes for array in arrays) <= 12 * n_ratings + 8


def test_ids_of_different_types_are_different_ids():
    data = ratings(annotator=[1, "1", 1])
    assert data.n_annotators == 2
    frame = pd.DataFrame({"worker": [1, "1", 1.5], "item": ["x", "x", "y"], "score": [1, 2, 2]})
    assert Ratings.from_frame(frame).annotators.objects == (1, "1", 1.5)


@pytest.mark.parametrize("name", ["worker", "label", "", " a ", "007", "🙂", "x" * 10_000])
def test_any_text_is_an_id(name):
    if name:
        assert labelled(ratings(instance=[name, "y", name]))[0][1] in (name, "y")
    else:
        with pytest.raises(IdError, match="row 1: the instance is blank"):
            ratings(instance=[name, "y", "z"])


@pytest.mark.parametrize("blank", [None, "  ", float("nan")])
def test_blank_ids(blank):
    with pytest.raises(IdError, match="row 2: the annotator is blank"):
        ratings(annotator=["a", blank, "b"])


@pytest.mark.parametrize(
    ("rating", "options", "message"),
    [
        ([1, None, 2], {}, "row 2: the rating is missing"),
        ([1, 2, float("nan")], {}, "row 3: the rating is missing"),
        ([1, 2, float("inf")], {}, "row 3: rating inf is not a finite number"),
        ([1, 2, 7], {"scale": "1..5"}, "row 3: rating 7 is not on the scale 1..5; pass --scale 1,2,3,4,5,7"),
        (["1", "2", "good"], {}, "row 3: rating 'good' is not a number"),
        (
            ["low", "high", "mid"],
            {"scale": "low,high"},
            "row 3: rating mid is not on the scale low,high; pass --scale low,",
        ),
        (
            [1, 2, "good"],
            {"scale": "1..5"},
            "row 3: rating good is not on the scale 1..5; pass --scale with the names of",
        ),
        (["1", "1_0", "2"], {}, "row 2: rating '1_0' is not a number"),
        ([None, None, None], {"missing": "drop"}, "no ratings are left"),
    ],
)
def test_bad_ratings(rating, options, message):
    with pytest.raises(RatingError, match=message.replace("(", r"\(")):
        ratings(rating=rating, **options)


def test_missing_and_dropped_rows_are_counted():
    data = ratings(rating=["1", "", "NA"], missing="drop")
    assert (data.n_ratings, data.n_missing, data.n_instances) == (1, 2, 1)
    data = ratings(rating=[1, -2, 2], drop_values=[-2])
    assert (data.n_ratings, data.n_dropped, data.n_annotators) == (2, 1, 1)
    assert data.scale.values == (1, 2)
    data = ratings(rating=["1", "NA", "2.0"], drop_values=["NA", "2"])
    assert (data.n_ratings, data.n_dropped) == (1, 2)


def test_rows_count_from_the_input_after_dropping():
    data = ratings(rating=[None, 2, 1], missing="drop")
    assert sorted(data.row.tolist()) == [1, 2]


def test_scale_names_and_ordered_categories():
    named = ratings(rating=["warm", "cold", "hot"], scale="cold,warm,hot")
    assert labelled(named) == [("a", "x", 2.0), ("a", "y", 3.0), ("b", "x", 1.0)]
    grades = pd.Categorical(["lo", "hi", "lo"], categories=["lo", "hi"], ordered=True)
    frame = pd.DataFrame({"annotator": list("aba"), "instance": list("xxy"), "rating": grades})
    assert Ratings.from_frame(frame).scale.names == ("lo", "hi")


def test_a_scale_of_too_many_values_asks_for_one():
    with pytest.raises(ScaleError, match="--scale real"):
        ratings(rating=[0, 500, 1])
    assert ratings(rating=[0, 500, 1], scale="real").scale.bounds == (0, 500)


def test_unobserved_grades_are_told():
    assert ratings(rating=[1, 4, 4]).unobserved == ("2", "3")


def test_duplicates():
    columns = {"annotator": ["a", "a", "b"], "instance": ["x", "x", "x"], "rating": [3, 1, 2]}
    assert ratings(**columns).n_repeats == 1
    assert ratings(**columns).n_ratings == 3
    assert labelled(ratings(**columns, duplicates="first")) == [("a", "x", 3.0), ("b", "x", 2.0)]
    assert labelled(ratings(**columns, duplicates="last")) == [("a", "x", 1.0), ("b", "x", 2.0)]
    assert ratings(**columns).notes()[0] == "1 ratings repeat an annotator's rating of the same instance"
    assert ratings(**columns, duplicates="last").notes()[0].endswith("same instance: one of each is kept")
    with pytest.raises(RatingError, match="annotator 'a' rated instance 'x' more than once"):
        ratings(**columns, duplicates="error")
    with pytest.raises(OptionError):
        ratings(duplicates="maybe")


def test_weights():
    data = ratings(weight=[1, 2.5, 0])
    assert (data.n_ratings, data.n_dropped, data.total_weight) == (2, 1, 3.5)
    with pytest.raises(RatingError, match="row 2: weight -1"):
        ratings(weight=[1, -1, 1])
    with pytest.raises(RatingError, match="row 3: the weight is blank"):
        ratings(weight=[1, 1, None])


def test_timestamps_are_carried():
    moments = ["2024-01-03", "2024-01-01", "2024-01-02"]
    data = ratings(timestamp=moments)
    assert data.timestamp[np.argsort(data.row)].astype("M8[D]").astype(str).tolist() == moments
    assert ratings(timestamp=[3, 1, 2]).timestamp.dtype == np.float64
    with pytest.raises(RatingError, match="timestamp"):
        ratings(timestamp=["yesterday", "today", "now"])


def test_categories_must_agree_within_an_instance():
    data = ratings(category=["q", "q", "p"])
    assert data.category.tolist() == sorted(data.category.tolist())
    assert data.category_ptr().tolist() == [0, 1, 2]
    with pytest.raises(IdError, match="row 2: instance 'x' is in category 'p' here and in 'q' before"):
        ratings(category=["q", "p", "p"])


def test_arrays_of_different_lengths():
    with pytest.raises(OptionError, match="equally long"):
        ratings(rating=[1, 2])


LONG = {"worker": ["a", "b", "a"], "item": ["x", "x", "y"], "label": [1, 2, 3], "topic": ["t", "t", "u"]}


@pytest.mark.parametrize(
    "frame",
    [
        pd.DataFrame(LONG),
        pd.DataFrame(LONG).astype({"worker": "category", "item": "string", "label": "Int64"}),
        pd.DataFrame(LONG).convert_dtypes(dtype_backend="pyarrow"),
        pl.DataFrame(LONG),
        pl.DataFrame(LONG).with_columns(pl.col("worker").cast(pl.Categorical)),
        pa.table(LONG),
        pa.table(LONG).cast(
            pa.schema(
                {"worker": pa.large_string(), "item": pa.string_view(), "label": pa.float32(), "topic": pa.string()}
            )
        ),
    ],
    ids=["pandas", "nullable", "arrow-backed", "polars", "categorical", "pyarrow", "views"],
)  # fmt: skip
def test_frames(frame):
    data = Ratings.from_frame(frame)
    assert labelled(data) == [("a", "x", 1.0), ("a", "y", 3.0), ("b", "x", 2.0)]
    assert data.n_categories == 2
    assert type(frame).__module__.startswith(data.library)


def test_categorical_ids_keep_only_what_occurs():
    frame = pd.DataFrame({**LONG, "worker": pd.Categorical(["b", "c", "b"], categories=["a", "b", "c"])})
    assert Ratings.from_frame(frame).annotators.texts().to_pylist() == ["b", "c"]


def test_bool_ratings_are_0_and_1():
    assert ratings(rating=[True, False, True]).scale.values == (0, 1)


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        ({"worker": [1], "rater": [1], "item": [1], "label": [1]}, "'worker', 'rater' could each be the annotator"),
        ({"worker": [1], "item": [1]}, "no column for the rating"),
        ({"item": [1], "label": [1]}, "no column for the annotator"),
    ],
)
def test_roles_that_cannot_be_told(columns, message):
    with pytest.raises(ColumnError, match=message):
        Ratings.from_frame(pd.DataFrame(columns))


def test_no_frame():
    with pytest.raises(OptionError, match="no frame"):
        Ratings.from_frame([1, 2, 3])


def test_a_million_long_ids():
    ids = pa.array(np.arange(1_000_000)).cast(pa.string())
    padded = pa.compute.utf8_lpad(ids, 200, "0")
    data = Ratings.from_arrays(annotator=np.zeros(1_000_000, dtype=int), instance=padded, rating=np.ones(1_000_000))
    assert data.n_instances == 1_000_000


def test_the_digest_is_of_the_ids_in_the_order_of_their_codes():
    ids = [*(f"thing {i}" for i in range(50)), "ünï"]
    ratings = Ratings.from_arrays(annotator=["a"] * 51, instance=ids, rating=[1, 2, 3] * 17, scale="1..3")
    wanted = blake2b(digest_size=16)
    wanted.update(repr(ratings.scale).encode())
    for array in (ratings.instance_ptr, ratings.annotator, ratings.grade, ratings.real):
        wanted.update(array.tobytes())
    for table in (ratings.annotators, ratings.instances):
        for text in table.texts().take(np.argsort(table.code)).to_pylist():
            wanted.update(text.encode() + b"\0")
    assert ratings.digest == wanted.hexdigest()
