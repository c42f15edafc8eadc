"""Gold from every kind of source, and what is refused."""

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from truegrade.errors import ColumnError, GoldError, IdError
from truegrade.gold import Gold
from truegrade.joining import join
from truegrade.ratings import Ratings
from truegrade.scale import Scale

ROWS = {"item": ["b", "a", "b", "c"], "gold": [2.0, 1.5, 2.0, None]}


@pytest.mark.parametrize("library", [pd.DataFrame, pl.DataFrame, pa.table])
def test_frames(library):
    gold = Gold.from_frame(library(ROWS))
    assert gold.instances.to_pylist() == ["b", "a"]
    assert gold.values.tolist() == [2.0, 1.5]
    assert gold.n_blank == 1


def test_text_cells():
    gold = Gold.from_frame(pa.table({"id": ["x", "y", "z"], "truth": [" 2", "", "0.5"]}))
    assert gold.instances.to_pylist() == ["x", "z"]
    assert gold.values.tolist() == [2.0, 0.5]


def test_chosen_columns():
    frame = pd.DataFrame({"id": [1, 2], "doc": [3, 4], "expert": [0, 1]})
    gold = Gold.from_frame(frame, instance="doc", gold="expert")
    assert (gold.instances.to_pylist(), gold.values.tolist()) == ([3, 4], [0.0, 1.0])
    with pytest.raises(ColumnError, match="could each be the instance"):
        Gold.from_frame(frame, gold="expert")


def test_names_of_grades():
    scale = Scale.of("cold=1,hot=4")
    assert Gold.of({"x": "hot", "y": "cold", "z": 2.5}, scale=scale).values.tolist() == [4.0, 1.0, 2.5]


def test_categorical_cells():
    frame = pd.DataFrame({"item": ["x", "y"], "gold": pd.Categorical(["hot", None])})
    gold = Gold.from_frame(frame, scale=Scale.of("cold,hot"))
    assert (gold.values.tolist(), gold.n_blank) == ([2.0], 1)


def test_ids_of_mixed_types_stay_apart():
    gold = Gold.of({1: 2, "1": 3})
    ratings = Ratings.from_arrays(annotator=["a", "b"], instance=[1, "1"], rating=[1, 3], scale="1..3")
    code, value = gold.on(ratings)
    labels = dict(zip(ratings.instances.objects, ratings.instances.code, strict=True))
    assert dict(zip(code, value, strict=True)) == {labels[1]: 2.0, labels["1"]: 3.0}


@pytest.mark.parametrize(
    ("source", "error", "message"),
    [
        ({"x": "hot"}, GoldError, "instance 'x': gold 'hot' is no finite number"),
        ({"x": float("inf")}, GoldError, "no finite number"),
        ({}, GoldError, "there is no gold"),
        ({"x": None}, GoldError, "there is no gold"),
        ({" ": 1}, IdError, "row 1: the instance is blank"),
        (7, GoldError, "a int holds no gold"),
        (pa.table({"item": ["x", "y", "x"], "gold": [1, 2, 2]}), GoldError, "instance 'x' has gold 1 and 2"),
        (pa.table({"item": ["x"], "gold": [1], "truth": [1]}), ColumnError, "could each be gold"),
        (pa.table({"item": ["x"], "rating": [1]}), ColumnError, "no column for gold"),
    ],
)
def test_refused(source, error, message):
    with pytest.raises(error, match=message):
        Gold.of(source)


def test_a_blank_id_without_gold_does_no_harm():
    gold = Gold.from_frame(pa.table({"item": ["x", None], "gold": [1, None]}))
    assert len(gold) == 1


def test_off_the_scale():
    gold = Gold.of({"x": 1, "y": 5})
    gold.check(Scale.of("1..5"))
    gold.check(Scale.real(2.0, 3.0))
    with pytest.raises(GoldError, match=r"instance 'y': gold 5 is off the scale 1\.\.3"):
        gold.check(Scale.of("1..3"))


def test_gold_of_other_instances():
    ratings = Ratings.from_arrays(annotator=["a"], instance=["x"], rating=[1])
    with pytest.raises(GoldError, match="none of its instances is rated"):
        Gold.of({"y": 1}).on(ratings)


def test_values_are_read_only():
    with pytest.raises(ValueError, match="read-only"):
        Gold.of({"x": 1}).values[0] = 2


@pytest.mark.parametrize(
    ("left", "right", "position", "by_text"),
    [
        (pa.array([1, 2], pa.int32()), pa.array([2, 3], pa.int64()), [-1, 0], False),
        (pa.array(["1"], pa.string()), pa.array(["1"], pa.large_string()), [0], False),
        (pa.array(["007", "7"]), pa.array([7]), [-1, 0], True),
        (pa.array([1.0, 2.5]), pa.array([1]), [0, -1], True),
        (pa.array(["x"]), pa.array([7]), [-1], False),
    ],
)
def test_join(left, right, position, by_text):
    joined = join(left, right)
    assert (joined.position.tolist(), joined.by_text) == (position, by_text)


def test_join_of_mixed_types_goes_by_id_then_by_text():
    right = (1, "1", 2)
    assert join(pa.array(["1", "2"]), pa.array(["1", "1", "2"]), None, right).position.tolist() == [1, 2]
    assert join(pa.array(["1", "1"]), pa.array([1]), (np.int64(1), "1"), None).position.tolist() == [0, -1]


class Odd:
    """An id that equals no other but reads like them."""

    def __str__(self):
        return "odd"


def test_join_by_an_ambiguous_text():
    with pytest.raises(GoldError, match="'odd' is the text of two ids"):
        join(pa.array(["odd"]), pa.array(["odd", "odd"]), None, (Odd(), Odd()))
    with pytest.raises(GoldError, match="'odd' is the text of two ids"):
        join(pa.array(["odd", "odd"]), pa.array(["odd"]), (Odd(), Odd()), None)


@pytest.mark.parametrize("blank", ["", " ", "NA", "n/a", "NaN", "null", "None"])
def test_the_ways_to_say_nothing_are_those_of_ratings(blank):
    gold = Gold.from_frame(pa.table({"item": ["x", "y"], "gold": ["1", blank]}))
    assert (gold.values.tolist(), gold.n_blank) == ([1.0], 1)


@pytest.mark.parametrize(
    ("cells", "told"),
    [
        (["1", "", "9", "7"], "row 3: instance 'c': gold 9 is off the scale 1..3"),
        (["1", "", "high", "x"], "row 3: instance 'c': gold 'high' is no finite number"),
        (["1", "", "1_0", "2"], "row 3: instance 'c': gold '1_0' is no finite number"),
    ],
)
def test_the_row_of_bad_gold_is_named(cells, told):
    with pytest.raises(GoldError) as caught:
        Gold.from_frame(pa.table({"item": list("abcd"), "gold": cells})).check(Scale.of("1..3"))
    assert told in str(caught.value)
    with pytest.raises(GoldError, match="row 3: instance 'a' has gold 1 and 2; keep one"):
        Gold.from_frame(pa.table({"item": ["a", "b", "a"], "gold": [1, None, 2]}))
    with pytest.raises(GoldError, match=r"^the gold: instance 'a': gold 9 is off"):
        Gold.of({"a": 9}).check(Scale.of("1..3"))


def test_what_became_of_the_gold_is_told():
    ratings = Ratings.from_arrays(annotator=["a", "b"], instance=["1", "2"], rating=[1, 3])
    gold = Gold.from_frame(pa.table({"item": [1, 7, 2], "gold": [1, 2, None]}))
    assert gold.notes(ratings) == [
        "1 of 2 instances with gold have no ratings",
        "1 of 3 rows of gold are blank and were skipped",
        "the ids of gold and ratings differ in type and were joined by their text",
    ]
    assert Gold.of({"1": 1}).notes(ratings) == []
