"""Agreement against Krippendorff's definition over all pairs of ratings, and published figures."""

from itertools import permutations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from truegrade.ratings import Ratings
from truegrade.reliability import agreement, krippendorff_alpha, percent_agreement

VALUES = np.array([0.0, 1.0, 5.0])


def distance(metric, a, b, totals):
    """The squared distance of grades a and b as Krippendorff writes it."""
    if metric == "nominal":
        return float(a != b)
    if metric == "interval":
        return (VALUES[a] - VALUES[b]) ** 2
    low, high = min(a, b), max(a, b)
    return (sum(totals[low : high + 1]) - (totals[a] + totals[b]) / 2) ** 2


def alpha_by_pairs(units, metric):
    """1 - observed / expected disagreement, over all ordered pairs of single ratings: quadratic."""
    units = [unit for unit in units if len(unit) > 1]
    everything = [grade for unit in units for grade in unit]
    totals = [everything.count(grade) for grade in range(3)]
    n = len(everything)
    expected = sum(distance(metric, a, b, totals) for a, b in permutations(everything, 2)) / (n * (n - 1) or 1)
    if expected == 0:
        return None
    observed = sum(distance(metric, a, b, totals) / (len(unit) - 1) for unit in units for a, b in permutations(unit, 2))
    return 1 - observed / n / expected


def counts_of(units):
    return np.array([[unit.count(grade) for grade in range(3)] for unit in units], dtype=np.float64)


unit_lists = st.lists(st.lists(st.integers(0, 2), max_size=5), min_size=1, max_size=8)


@settings(deadline=None)
@given(units=unit_lists, metric=st.sampled_from(["nominal", "ordinal", "interval"]))
def test_alpha(units, metric):
    wanted = alpha_by_pairs(units, metric)
    found = krippendorff_alpha(counts_of(units), metric, VALUES)
    assert (found is None) == (wanted is None)
    if wanted is not None:
        # atol: alpha near 0 is a difference of numbers near 1
        assert found == pytest.approx(wanted, rel=1e-12, abs=1e-12)


@settings(deadline=None)
@given(units=unit_lists)
def test_percent(units):
    pairs = [a == b for unit in units for a, b in permutations(unit, 2)]
    assert percent_agreement(counts_of(units)) == (pytest.approx(np.mean(pairs)) if pairs else None)


def test_alpha_of_krippendorffs_example():
    """The 12 units with 4 observers and 5 grades of 'Computing Krippendorff's Alpha-Reliability' (2011)."""
    rows = {
        1: [1, 2, 3, 3, 2, 1, 4, 1, 2, 0, 0, 0],
        2: [1, 2, 3, 3, 2, 2, 4, 1, 2, 5, 0, 3],
        3: [0, 3, 3, 3, 2, 3, 4, 2, 2, 5, 1, 0],
        4: [1, 2, 3, 3, 2, 4, 4, 1, 2, 5, 1, 0],
    }
    counts = np.array([[sum(row[u] == k for row in rows.values()) for k in range(1, 6)] for u in range(12)], float)
    for metric, wanted in (("nominal", 0.743), ("ordinal", 0.815), ("interval", 0.849)):
        assert krippendorff_alpha(counts, metric, np.arange(1.0, 6)) == pytest.approx(wanted, abs=5e-4)


def rest_by_pairs(rows, name):
    """Mean over the annotator's ratings of the share of others' ratings that equal it: quadratic."""
    shares = []
    for annotator, instance, grade in rows:
        others = [g for a, i, g in rows if i == instance and a != annotator]
        if annotator == name and others:
            shares.append(np.mean([g == grade for g in others]))
    return np.mean(shares) if shares else None


@settings(deadline=None, max_examples=60)
@given(
    rows=st.lists(
        st.tuples(st.sampled_from("abcd"), st.sampled_from("xyz"), st.integers(1, 3)), min_size=1, max_size=25
    )
)
def test_each_annotator_against_the_rest(rows):
    annotator, instance, rating = zip(*rows, strict=True)
    ratings = Ratings.from_arrays(annotator=annotator, instance=instance, rating=rating, scale="1..3")
    found = agreement(ratings)
    names = ratings.annotators.labels.to_pylist()
    for name, code in zip(names, ratings.annotators.code, strict=True):
        wanted = rest_by_pairs(rows, name)
        assert found.overlap[code] == (wanted is not None)
        assert found.per_annotator[code] == pytest.approx(wanted or 0.0, abs=1e-13)


@settings(deadline=None, max_examples=60)
@given(
    rows=st.lists(
        st.tuples(st.sampled_from("abcd"), st.sampled_from("xyz"), st.integers(1, 3), st.integers(1, 3)),
        min_size=1,
        max_size=12,
    )
)
def test_whole_weights_equal_repeated_rows(rows):
    annotator, instance, rating, weight = (list(column) for column in zip(*rows, strict=True))
    repeated = [[value for row in rows for value in [row[at]] * row[3]] for at in range(3)]
    one = agreement(
        Ratings.from_arrays(annotator=annotator, instance=instance, rating=rating, weight=weight, scale="1..3")
    )
    two = agreement(Ratings.from_arrays(annotator=repeated[0], instance=repeated[1], rating=repeated[2], scale="1..3"))
    for name in ("alpha_nominal", "alpha_ordinal", "alpha_interval", "percent"):
        wanted = getattr(two, name)
        assert getattr(one, name) == (None if wanted is None else pytest.approx(wanted, rel=1e-12, abs=1e-12))
    np.testing.assert_allclose(one.per_annotator, two.per_annotator, rtol=1e-12, atol=1e-13)
    assert one.n_pairable == two.n_pairable


def test_reals_have_the_interval_alpha_alone():
    rows = {"annotator": list("abab"), "instance": list("xxyy"), "rating": [0.0, 1.0, 5.0, 5.0]}
    real = agreement(Ratings.from_arrays(**rows, scale="real"))
    graded = agreement(Ratings.from_arrays(**rows, scale=[0, 1, 5]))
    assert real.alpha_interval == pytest.approx(graded.alpha_interval, rel=1e-13)
    assert (real.alpha_nominal, real.alpha_ordinal, real.percent) == (None, None, None)
    assert not real.overlap.any()


def test_names_have_no_interval_alpha():
    rows = {"annotator": list("abab"), "instance": list("xxyy"), "rating": ["low", "low", "mid", "high"]}
    found = agreement(Ratings.from_arrays(**rows, scale="low,mid,high"))
    assert found.alpha_interval is None
    assert found.alpha_ordinal is not None


@pytest.mark.parametrize(
    "rows",
    [
        {"annotator": list("abab"), "instance": list("xxyy"), "rating": [2, 2, 2, 2]},
        {"annotator": list("abab"), "instance": list("wxyz"), "rating": [1, 2, 2, 2]},
    ],
)
def test_alpha_is_not_defined_without_variety_or_pairs(rows):
    found = agreement(Ratings.from_arrays(**rows))
    assert (found.alpha_nominal, found.alpha_ordinal, found.alpha_interval) == (None, None, None)


def test_fractional_weights_stay_shares():
    assert percent_agreement(np.array([[0.6, 0.6]])) == 0.0
    assert percent_agreement(np.array([[0.5, 0.5], [0.4, 0.0]])) is None
