"""Mean, median and majority against what one computes by hand."""

import numpy as np
import pytest

from truegrade import Majority, Mean, Median, Ratings, Status
from truegrade.errors import OptionError

ROWS = {"annotator": list("abcdab"), "instance": list("xxxxyy"), "rating": [1, 1, 3, 3, 2, 5]}


def fit(model, **columns):
    return model.fit(Ratings.from_arrays(**(ROWS | columns)))


def column(result, name):
    return result.truth_table()[name].to_pylist()


def test_mean():
    result = fit(Mean())
    assert column(result, "estimate") == [2, 3.5]
    pooled = np.sqrt((4 * 1 + 2 * 1.5**2) / 4)  # deviations 1,1,1,1 and 1.5,1.5 with 6 - 2 degrees of freedom
    assert column(result, "sd") == pytest.approx([pooled / 2, pooled / np.sqrt(2)])
    assert column(result, "upper") == pytest.approx([2 + 1.959964 * pooled / 2, 3.5 + 1.959964 * pooled / np.sqrt(2)])
    assert column(result, "grade") == [2, 3]
    assert column(result, "p_1") == pytest.approx([2.1 / 4.5, 0.1 / 2.5])
    assert result.status is Status.CONVERGED


def test_mean_without_repeats_has_no_spread():
    result = fit(Mean(), annotator=["a", "b"], instance=["x", "y"], rating=[1, 2])
    assert column(result, "sd") == [None, None]
    assert column(result, "lower") == [None, None]


def test_the_spread_keeps_its_digits_far_from_zero():
    plain, shifted = (fit(Mean(), rating=[r + far for r in ROWS["rating"]]) for far in (0, 10**12))
    assert column(shifted, "sd") == column(plain, "sd")
    real = fit(Mean(), rating=[r + 10**12 for r in ROWS["rating"]], scale="real")
    assert column(real, "sd") == pytest.approx(column(plain, "sd"))


def test_median():
    result = fit(Median())
    assert column(result, "estimate") == [2, 3.5]
    assert column(result, "sd") == [None, None]
    assert column(fit(Median(), rating=[1, 1, 1, 3, 2, 5]), "estimate") == [1, 3.5]


def test_median_of_real_values_equals_numpy():
    rng = np.random.default_rng(0)
    instance, value = rng.integers(0, 50, 400), rng.normal(size=400)
    data = Ratings.from_arrays(annotator=np.arange(400) % 9, instance=instance, rating=value, scale="real")
    table = Median().fit(data).truth_table()
    expected = [np.median(value[instance == m]) for m in table["instance"].to_pylist()]
    assert table["estimate"].to_pylist() == pytest.approx(expected)
    assert Mean().fit(data).truth_table()["estimate"].to_pylist() == pytest.approx(
        [np.mean(value[instance == m]) for m in table["instance"].to_pylist()]
    )
    assert table.column_names == ["instance", "estimate", "sd", "lower", "upper", "grade", "n_ratings"]
    assert table["grade"].null_count == 50


@pytest.mark.parametrize(("ties", "estimate", "grade"), [("lower", 1, 1), ("upper", 3, 3), ("expected", 2, 1)])
def test_majority_ties(ties, estimate, grade):
    result = fit(Majority(ties=ties))
    assert column(result, "estimate")[0] == estimate
    assert column(result, "grade")[0] == grade
    assert result.options["ties"] == ties


def test_majority_random_ties_follow_the_seed():
    rows = {"annotator": ["a", "b"] * 200, "instance": np.repeat(np.arange(200), 2), "rating": [1, 3] * 200}
    draws = [column(fit(Majority(ties="random", seed=seed), **rows), "estimate") for seed in (0, 0, 1)]
    assert draws[0] == draws[1] != draws[2]
    assert 60 < draws[0].count(1.0) < 140
    assert set(draws[0]) == {1.0, 3.0}


def test_majority_needs_grades():
    with pytest.raises(OptionError, match="needs grades"):
        fit(Majority(), scale="real")
    with pytest.raises(OptionError, match="choose one of lower, upper"):
        Majority(ties="middle")


def test_agreement_column_leaves_out_own_repeats():
    result = fit(Mean(), annotator=list("aab"), instance=list("xxx"), rating=[1, 1, 2])
    assert result.annotators_table()["agreement"].to_pylist() == [0, 0]
    result = fit(Mean(), annotator=list("abc"), instance=list("xxx"), rating=[1, 1, 2])
    assert result.annotators_table()["agreement"].to_pylist() == [0.5, 0.5, 0]


def test_one_grade_one_annotator_one_instance():
    result = fit(Mean(), annotator=["a"], instance=["x"], rating=[3])
    assert column(result, "estimate") == [3]
    assert column(result, "p_3") == [1]
    assert len(result.notes) == 3
