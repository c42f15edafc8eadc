"""What must not change the mixture's result: row order, threads, names, and the units and direction of the scale."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from truegrade import OrdinalMixture, Ratings

CONFIGURATIONS = [
    {"difficulty": difficulty, "link": link, "responsibility": responsibility}
    for difficulty in ("none", "category", "instance")
    for link in ("ordinal", "real")
    for responsibility in ("printed", "exact")
]
configurations = st.sampled_from(CONFIGURATIONS)
tables = st.lists(
    st.tuples(st.integers(0, 4), st.integers(0, 8), st.integers(1, 5), st.sampled_from([0.5, 1, 2, 3])),
    min_size=4,
    max_size=50,
)


def ratings_of(rows, names=("a{}", "i{}", "c{}"), values=(1, 2, 3, 4, 5), scale=None, **options):
    n, m, grade, weight = zip(*rows, strict=True)
    return Ratings.from_arrays(
        annotator=[names[0].format(i) for i in n],
        instance=[names[1].format(i) for i in m],
        category=[names[2].format(i % 3) for i in m],
        rating=[values[k - 1] for k in grade],
        weight=list(weight),
        scale=scale or list(values),
        **options,
    )


def found(fit):
    """By the ids, in order: estimate and sd of the truths, expertise and spamminess of the annotators."""
    truth, annotators = fit.truth_table().to_pylist(), fit.annotators_table().to_pylist()
    truth.sort(key=lambda row: row["instance"])
    annotators.sort(key=lambda row: row["annotator"])
    return {
        "estimate": np.array([row["estimate"] for row in truth]),
        "sd": np.array([row["sd"] for row in truth]),
        "expertise": np.array([row["expertise"] for row in annotators]),
        "spamminess": np.array([row["spamminess"] for row in annotators]),
    }


def model(options, **more):
    return OrdinalMixture(**{"starts": 1, "max_iterations": 15, "tolerance": 1e-300} | options | more)


@given(options=configurations, rows=tables, seed=st.integers(0, 2**32))
def test_row_order_changes_no_bit(options, rows, seed):
    shuffled = [rows[i] for i in np.random.default_rng(seed).permutation(len(rows))]
    one, two = (model(options, starts=3).fit(ratings_of(r)) for r in (rows, shuffled))
    assert one.bounds == two.bounds
    assert one.trace.tobytes() == two.trace.tobytes()
    for name, array in found(one).items():
        assert array.tobytes() == found(two)[name].tobytes(), name


@pytest.mark.parametrize("options", CONFIGURATIONS, ids=lambda o: "-".join(o.values()))
def test_threads_change_no_bit(options, monkeypatch):
    rng = np.random.default_rng(0)
    rows = [(rng.integers(20), rng.integers(3000), rng.integers(1, 6), 1) for _ in range(9000)]
    ratings, fits = ratings_of(rows), []
    for threads in ("1", "2", "3"):
        monkeypatch.setenv("TRUEGRADE_THREADS", threads)
        fits.append(model(options, starts=3, max_iterations=5).fit(ratings))
    for other in fits[1:]:
        assert fits[0].bounds == other.bounds
        for name, array in fits[0].parameters.items():
            assert array.tobytes() == other.parameters[name].tobytes(), name


@given(options=configurations, rows=tables)
def test_names_change_nothing(options, rows):
    plain = found(model(options).fit(ratings_of(rows)))
    renamed = found(model(options).fit(ratings_of(rows, names=("{} says", "thing {}", "group {}"))))
    for name, array in plain.items():
        np.testing.assert_allclose(renamed[name], array, rtol=1e-6, atol=1e-9)


@given(options=configurations, rows=tables)
def test_a_weight_is_so_many_ratings(options, rows):
    whole = [(n, m, grade, round(weight + 0.5)) for n, m, grade, weight in rows]
    repeated = [(n, m, grade, 1) for n, m, grade, weight in whole for _ in range(weight)]
    one, two = (model(options, starts=2).fit(ratings_of(r)) for r in (whole, repeated))
    assert one.bounds == pytest.approx(two.bounds, rel=1e-9)
    assert one.all_spam_bound == pytest.approx(two.all_spam_bound)
    for name, array in found(one).items():
        np.testing.assert_allclose(found(two)[name], array, rtol=1e-6, atol=1e-9)


@given(
    options=configurations,
    rows=tables,
    factor=st.sampled_from([0.01, 0.5, 7.0, 1000.0]),
    shift=st.sampled_from([-40.0, 0.0, 3.0]),
    real=st.booleans(),
)
@settings(max_examples=120)
def test_units_change_nothing(options, rows, factor, shift, real):
    """v -> factor v + shift moves the estimates alike; tau goes with factor^-2, epsilon stays."""
    real = real and options["link"] == "real"
    if real and len({grade for _, _, grade, _ in rows}) == 1:
        return  # ratings that are all alike have no unit
    values = (1.0, 2.0, 3.0, 4.0, 5.0)
    moved = tuple(factor * v + shift for v in values)
    one, two = (model(options).fit(ratings_of(rows, values=v, scale="real" if real else None)) for v in (values, moved))
    assert two.trace - two.all_spam_bound == pytest.approx(one.trace - one.all_spam_bound, rel=1e-5, abs=1e-6)
    a, b = found(one), found(two)
    np.testing.assert_allclose((b["estimate"] - shift) / factor, a["estimate"], rtol=1e-5)
    np.testing.assert_allclose(b["sd"] / factor, a["sd"], rtol=1e-5)
    np.testing.assert_allclose(b["expertise"] * factor**2, a["expertise"], rtol=1e-5)
    np.testing.assert_allclose(b["spamminess"], a["spamminess"], rtol=1e-5, atol=1e-6)


@given(options=configurations, rows=tables)
def test_reversing_the_grades_reverses_the_estimates(options, rows):
    turned = [(n, m, 6 - grade, weight) for n, m, grade, weight in rows]
    one, two = (found(model(options).fit(ratings_of(r))) for r in (rows, turned))
    np.testing.assert_allclose(6 - two["estimate"], one["estimate"], rtol=1e-6)
    np.testing.assert_allclose(two["sd"], one["sd"], rtol=1e-6)
    np.testing.assert_allclose(two["expertise"], one["expertise"], rtol=1e-6)
