"""Matrices of ratings, and gold as a series."""

import numpy as np
import pandas as pd
import pytest

from truegrade import Gold, Ratings
from truegrade.errors import OptionError, RatingError

MATRIX = np.array([[1, np.nan, 3], [np.nan, 2, 2]])


def rows(ratings):
    """(instance, annotator, value) of each rating, ids as text."""
    annotator = [ratings.annotators.label_of(int(code)) for code in ratings.annotator]
    instance = [ratings.instances.label_of(int(code)) for code in ratings.instance_of()]
    return set(zip(instance, annotator, ratings.values().tolist(), strict=True))


def test_rows_are_instances_or_annotators():
    expected = {("0", "0", 1), ("0", "2", 3), ("1", "1", 2), ("1", "2", 2)}
    assert rows(Ratings.from_matrix(MATRIX)) == expected
    assert rows(Ratings.from_matrix(MATRIX, rows="annotators")) == {(m, n, grade) for n, m, grade in expected}


def test_absent_values_are_no_ratings():
    snorkel = np.array([[0, -1], [-1, 1], [1, 1]])
    assert rows(Ratings.from_matrix(snorkel, absent=-1)) == {("0", "0", 0), ("1", "1", 1), ("2", "0", 1), ("2", "1", 1)}
    assert Ratings.from_matrix(snorkel).n_ratings == 6


def test_names_are_given_or_those_of_a_frame():
    frame = pd.DataFrame(MATRIX, index=["x", "y"], columns=["ann", "bob", "cy"])
    expected = {("x", "ann", 1), ("x", "cy", 3), ("y", "bob", 2), ("y", "cy", 2)}
    assert rows(Ratings.from_matrix(frame)) == expected
    assert rows(Ratings.from_matrix(MATRIX, instances=["x", "y"], annotators=["ann", "bob", "cy"])) == expected
    assert rows(Ratings.from_matrix(frame.T, rows="annotators")) == expected
    assert Ratings.from_matrix(frame).library == "pandas"
    missing = pd.DataFrame({"ann": pd.array([1, None], dtype="Int64"), "bob": pd.array([2, 2], dtype="Int64")})
    assert Ratings.from_matrix(missing).n_ratings == 3


def test_grades_may_have_names():
    ratings = Ratings.from_matrix([["good", None], ["bad", "good"]], scale="bad,good")
    assert sorted(ratings.values().tolist()) == [1, 2, 2]


@pytest.mark.parametrize(
    ("matrix", "options", "error", "told"),
    [
        ([1, 2], {}, OptionError, "has two dimensions, not 1"),
        ([[1]], {"rows": "columns"}, OptionError, "say whether the rows of the matrix are 'instances' or 'annotators'"),
        ([[1]], {"annotators": ["a", "b"]}, OptionError, "2 annotators are named, but the matrix has 1"),
        ([[None, np.nan]], {}, RatingError, "the matrix holds no ratings"),
    ],
)
def test_what_is_no_matrix(matrix, options, error, told):
    with pytest.raises(error, match=told):
        Ratings.from_matrix(matrix, **options)


def test_gold_as_a_series():
    series = pd.Series([1, 3], index=pd.Index(["x", "y"], name="task"), name="true_label")
    gold = Gold.of(series)
    assert gold.instances.to_pylist() == ["x", "y"]
    assert gold.values.tolist() == [1, 3]
