"""What must not change a result: the order of the rows, names, which annotator is which; and reversing the grades."""

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from truegrade import DawidSkene, Majority, Mean, Median, OrdBinary, OrdinalPanel, Ratings

VOTES = [Mean(), Median(), Majority(), Majority(ties="random"), Majority(ties="expected")]
SHORT = {"starts": 2, "max_iterations": 15}
MODELS = [*VOTES, DawidSkene(**SHORT), DawidSkene(pooled=True, **SHORT), OrdBinary(**SHORT), OrdinalPanel(**SHORT)]

tables = st.lists(
    st.tuples(st.integers(0, 6), st.integers(0, 8), st.integers(1, 5), st.sampled_from([0.5, 1, 2, 3])),
    min_size=1,
    max_size=60,
)


def ratings_of(rows, annotator="a{}", instance="i{}", **options):
    n, m, grade, weight = zip(*rows, strict=True)
    return Ratings.from_arrays(
        annotator=[annotator.format(i) for i in n],
        instance=[instance.format(i) for i in m],
        rating=list(grade),
        weight=list(weight),
        scale="1..5",
        **options,
    )


def by_instance(fit):
    """instance -> its row, an empty cell as NaN."""
    columns = fit.truth_table().drop_columns(["n_ratings"]).to_pylist()
    return {row.pop("instance"): {k: np.nan if v is None else v for k, v in row.items()} for row in columns}


def same_bits(one, two):
    """Whether two results are equal to the last bit, NaN equal to NaN."""
    return one.keys() == two.keys() and all(
        np.array_equal(list(one[i].values()), list(two[i].values()), equal_nan=True) for i in one
    )


@pytest.mark.parametrize("model", MODELS, ids=str)
@given(rows=tables, seed=st.integers(0, 2**32))
@example(rows=[(0, 2, 1, 3), (1, 2, 2, 2)], seed=0)  # a row of a table that next to nobody has met
def test_row_order_changes_no_bit(model, rows, seed):
    shuffled = [rows[i] for i in np.random.default_rng(seed).permutation(len(rows))]
    one, two = ratings_of(rows), ratings_of(shuffled)
    for name in ("instance_ptr", "annotator", "grade", "weight"):
        np.testing.assert_array_equal(getattr(one, name), getattr(two, name))
    assert one.digest == two.digest
    assert same_bits(by_instance(model.fit(one)), by_instance(model.fit(two)))


@pytest.mark.parametrize("model", [m for m in VOTES if m != Majority(ties="random")], ids=str)
@given(rows=tables)
def test_names_change_nothing(model, rows):
    plain = by_instance(model.fit(ratings_of(rows)))
    renamed = by_instance(model.fit(ratings_of(rows, annotator="{} says", instance="thing {}")))
    assert {name.removeprefix("thing "): row for name, row in renamed.items()} == {
        name.removeprefix("i"): pytest.approx(row, rel=1e-12, nan_ok=True) for name, row in plain.items()
    }


@given(rows=tables)
def test_reversing_the_grades_reverses_the_estimates(rows):
    turned = [(n, m, 6 - grade, weight) for n, m, grade, weight in rows]
    for model in (Mean(), Median(), Majority(ties="expected")):
        plain, reverse = (by_instance(model.fit(ratings_of(r))) for r in (rows, turned))
        for instance, row in plain.items():
            assert reverse[instance]["estimate"] == pytest.approx(6 - row["estimate"])
            assert reverse[instance]["p_2"] == pytest.approx(row["p_4"])


@given(rows=tables)
def test_a_weight_is_so_many_ratings(rows):
    whole = [(n, m, grade, round(weight + 0.5)) for n, m, grade, weight in rows]
    repeated = [(n, m, grade, 1) for n, m, grade, weight in whole for _ in range(weight)]
    for model in (Mean(), Median(), Majority()):
        weighted, plain = (model.fit(ratings_of(r)) for r in (whole, repeated))
        assert by_instance(weighted) == {k: pytest.approx(v, nan_ok=True) for k, v in by_instance(plain).items()}
        for name in ("n_ratings", "agreement"):
            columns = (f.annotators_table()[name].to_pylist() for f in (weighted, plain))
            assert next(columns) == [v if v is None else pytest.approx(v) for v in next(columns)]
