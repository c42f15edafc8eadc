"""What every model owes its users, whatever it does inside: the tables, ids, weights, gold, order, saved fits."""

import numpy as np
import pyarrow as pa
import pytest

from truegrade import Fit, Ratings, Status
from truegrade.errors import OptionError
from truegrade.gold import Gold
from truegrade.models import MODEL_NAMES, make_model

QUICK = {"ordinal-mixture": ":starts=2", "continuous": ":starts=2"}
MODELS = [*(name + QUICK.get(name, "") for name in MODEL_NAMES), "continuous:method=ml"]


def rows(seed=0, instances=60, annotators=6, grades=4):
    """Annotator, instance, category, rating, weight: three ratings of each instance, near a truth of its own."""
    rng = np.random.default_rng(seed)
    truth = rng.integers(1, grades + 1, instances)
    table = []
    for m in range(instances):
        for n in rng.choice(annotators, 3, replace=False):
            grade = int(np.clip(truth[m] + rng.choice([-2, -1, -1, 0, 0, 1, 1, 2]), 1, grades))
            table.append((f"a{n}", f"i{m}", f"c{m % 3}", grade, int(rng.integers(1, 4))))
    return table


def ratings_of(table, **options):
    annotator, instance, category, rating, weight = (list(column) for column in zip(*table, strict=True))
    options = {"category": category, "weight": weight, "scale": "1..4"} | options
    return Ratings.from_arrays(annotator=annotator, instance=instance, rating=rating, **options)


@pytest.fixture(params=MODELS)
def model(request):
    return make_model(request.param)


def cells(table):
    """Every number of an Arrow table that need not be whole."""
    floats = [c.drop_null().to_numpy() for c in table.columns if pa.types.is_floating(c.type)]
    return np.concatenate([np.empty(0), *floats])


def test_the_tables_have_their_columns_and_no_nan(model):
    fit = model.fit(ratings_of(rows()))
    truth, annotators, categories = fit.truth_table(), fit.annotators_table(), fit.categories_table()
    assert truth.column_names[:11] == [
        *("instance", "category", "estimate", "sd", "lower", "upper", "grade"),
        *("p_1", "p_2", "p_3", "p_4"),
    ]
    assert truth.column_names[11] == "n_ratings"
    assert annotators.column_names[:7] == [
        *("annotator", "n_ratings", "spamminess", "expertise", "bias", "stretch", "agreement"),
    ]
    assert categories.column_names[:2] == ["category", "n_instances"]
    for table in (truth, annotators, categories):
        assert np.all(np.isfinite(cells(table)))
    p = np.column_stack([truth[f"p_{k}"] for k in range(1, 5)])
    assert p.sum(axis=1) == pytest.approx(np.ones(len(p)), abs=1e-9)
    assert np.all(p >= 0)
    assert set(truth["grade"].to_pylist()) <= {1, 2, 3, 4}
    known = truth.filter(truth["sd"].is_valid())
    if known.num_rows:
        assert np.all(known["lower"].to_numpy() <= known["upper"].to_numpy())
    assert truth["n_ratings"].to_pylist() == weights_of("i", truth["instance"].to_pylist())
    assert annotators["n_ratings"].to_pylist() == weights_of("a", annotators["annotator"].to_pylist())
    assert fit.status in set(Status)


def weights_of(prefix, ids):
    column = {"i": 1, "a": 0}[prefix]
    return [sum(row[4] for row in rows() if row[column] == one) for one in ids]


def approximately(cell):
    return cell if isinstance(cell, str | None) else pytest.approx(cell, rel=1e-5, abs=1e-7)


def by_id(table):
    return {row[table.column_names[0]]: row for row in table.to_pylist()}


def test_the_order_of_the_rows_changes_no_bit(model):
    table = rows()
    shuffled = [table[i] for i in np.random.default_rng(1).permutation(len(table))]
    one, two = (model.fit(ratings_of(t)) for t in (table, shuffled))
    for name in ("truth_table", "annotators_table", "categories_table"):
        assert by_id(getattr(one, name)()) == by_id(getattr(two, name)())
    assert one.bound == two.bound


def test_a_weight_is_so_many_rows(model):
    table = rows()
    repeated = [(*row[:4], 1) for row in table for _ in range(row[4])]
    one, two = (model.fit(ratings_of(t)) for t in (table, repeated))
    for name in ("truth_table", "annotators_table"):
        here, there = by_id(getattr(one, name)()), by_id(getattr(two, name)())
        assert here.keys() == there.keys()
        for key, row in here.items():
            assert [*row.values()][1:] == [approximately(cell) for cell in [*there[key].values()][1:]]


def test_a_saved_fit_comes_back_whole(model, tmp_path):
    fit = model.fit(ratings_of(rows()))
    for format_ in ("csv", "parquet"):
        fit.save(tmp_path / format_, format=format_)
        again = Fit.load(tmp_path / format_)
        for name in ("truth_table", "annotators_table", "categories_table"):
            assert getattr(again, name)().equals(getattr(fit, name)())
        assert (again.status, again.bound, again.bounds, again.seed) == (fit.status, fit.bound, fit.bounds, fit.seed)
        assert (again.notes, dict(again.counts)) == (fit.notes, dict(fit.counts))
        assert again.parameters.keys() == fit.parameters.keys()


def test_gold_stands_as_it_is(model):
    ratings = ratings_of(rows())
    known = Gold.of({"i0": 4, "i7": 1, "nobody": 2})
    truth = by_id(model.fit(ratings, gold=known).truth_table())
    assert (truth["i0"]["estimate"], truth["i7"]["estimate"]) == (pytest.approx(4), pytest.approx(1))
    assert (truth["i0"]["grade"], truth["i7"]["grade"]) == (4, 1)
    assert truth["i0"]["p_4"] == pytest.approx(1)


def test_known_truths_may_be_a_mapping_or_a_frame(model):
    ratings = ratings_of(rows())
    known = {"i0": 4, "i1": 2}
    table = model.fit(ratings, gold=Gold.of(known)).truth_table()
    assert model.fit(ratings, gold=known).truth_table().equals(table)
    frame = pa.table({"item": list(known), "gold": list(known.values())})
    assert model.fit(ratings, gold=frame).truth_table().equals(table)


def test_a_frame_in_place_of_ratings_is_told_what_to_do(model):
    with pytest.raises(OptionError, match=r"a Table is no Ratings; pass Ratings\.from_frame\(frame\)"):
        model.fit(pa.table({"annotator": ["a"], "instance": ["x"], "rating": [1]}))


@pytest.mark.parametrize(
    "columns",
    [
        {"annotator": ["a"], "instance": ["x"], "rating": [3]},
        {"annotator": ["a", "b", "c"], "instance": ["x", "x", "y"], "rating": [2, 2, 2]},
        {"annotator": ["a", "a", "a"], "instance": ["x", "y", "z"], "rating": [1, 2, 3]},
        {"annotator": ["a", "b", "c"], "instance": ["x", "x", "x"], "rating": [1, 2, 3]},
        {"annotator": ["worker", "label"], "instance": ["rating", "rating"], "rating": [1, 2]},
        {"annotator": [1, "1", 1], "instance": ["x", "x", "y"], "rating": [1, 2, 2]},
        {"annotator": ["a", "b"], "instance": ["x", "y"], "rating": [0.1, 1000], "scale": [0.1, 5, 1000]},
        {"annotator": ["a", "b"], "instance": ["x", "x"], "rating": ["lo", "hi"], "scale": "lo,mid,hi"},
        {"annotator": ["a", "b"], "instance": ["x", "x"], "rating": [1, 2], "weight": [1e-9, 1e9]},
    ],
    ids=[
        "one rating",
        "one grade",
        "one annotator",
        "one instance",
        "roles as ids",
        "types",
        "uneven",
        "names",
        "weights",
    ],
)
def test_the_least_that_one_can_rate(model, columns):
    fit = model.fit(Ratings.from_arrays(**columns))
    for table in (fit.truth_table(), fit.annotators_table()):
        assert np.all(np.isfinite(cells(table)))
    assert fit.truth_table()["estimate"].null_count == 0
    assert fit.status is not Status.NOT_FINITE


def test_real_scales_are_fitted_or_refused(model):
    table = [(*row[:3], row[3] + 0.25 * (row[4] - 2), row[4]) for row in rows()]
    try:
        fit = model.fit(ratings_of(table, scale="real"))
    except OptionError:
        return
    truth = fit.truth_table()
    assert truth.column_names[:8] == [
        *("instance", "category", "estimate", "sd", "lower", "upper", "grade", "n_ratings"),
    ]
    assert truth["grade"].null_count == truth.num_rows
    assert np.all(np.isfinite(cells(truth)))


def test_a_fit_that_overflows_shows_its_last_finite_state(monkeypatch):
    """One annotator is never far from the truth, so that without a limit their precision grows without end."""
    monkeypatch.setattr("truegrade.models._mixture_ascent._LEAST_SQUARE", 0.0)
    rng = np.random.default_rng(0)
    truth = rng.integers(1, 5, 30)
    raters = np.array([rng.choice(6, 3, replace=False) for _ in range(30)])
    rating = np.clip(truth[:, None] + rng.choice([-1, 0, 0, 0, 1], (30, 3)), 1, 4)
    columns = {"annotator": raters.ravel(), "instance": np.repeat(np.arange(30), 3), "rating": rating.ravel()}
    fit = make_model("continuous").fit(Ratings.from_arrays(**columns, weight=[3] * 90))
    assert fit.status is Status.NOT_FINITE
    assert fit.truth_table()["estimate"].null_count == 0
    assert np.all(np.isfinite(cells(fit.truth_table())))
