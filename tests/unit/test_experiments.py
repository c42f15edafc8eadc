"""Comparison, spam and ablation on simulated ratings."""

import numpy as np
import pytest

from truegrade import Ratings, evaluate, simulate, with_spam
from truegrade.errors import OptionError
from truegrade.experiments import ablation_sweep, compare, spam_sweep
from truegrade.experiments.comparison import comparison_table
from truegrade.experiments.lineup import line_up
from truegrade.experiments.measures import MEASURES
from truegrade.experiments.study import Study
from truegrade.experiments.sweep import means, sweep_points
from truegrade.experiments.trial import Result
from truegrade.gold import Gold
from truegrade.models import MODEL_NAMES, make_model

FEW = "mean,majority,ordinal-mixture:difficulty=category"


@pytest.fixture(scope="module")
def drawn():
    return simulate(instances=120, annotators=20, categories=12, ratings_per_instance=5, spammers=0.2, seed=4)


@pytest.fixture(scope="module")
def table(drawn):
    return compare(drawn.ratings, drawn.gold(), FEW, starts=1)


def test_figures_are_those_of_evaluate(drawn, table):
    for row, text in zip(table.to_pylist(), FEW.split(","), strict=True):
        model = make_model(text, {"starts": 1} if "mixture" in text else None)
        found = evaluate(model.fit(drawn.ratings), drawn.gold())
        for name, measure in MEASURES.items():
            assert row[name] == getattr(found, measure.attribute)
        assert row["mse_lower"] < row["mse"] < row["mse_upper"]
        assert row["ndcg_lower"] < row["ndcg"] < row["ndcg_upper"]
    assert table["model"].to_pylist() == ["mean", "majority", "ordinal-mixture (category)"]
    assert table["coverage"].to_pylist()[1] is None


def test_row_order_changes_nothing(drawn, table):
    order = np.random.default_rng(1).permutation(drawn.ratings.n_ratings)
    gold = drawn.gold()
    shuffled = Ratings.from_frame(drawn.rows().take(order), scale=drawn.ratings.scale)
    again = compare(shuffled, gold.take(np.arange(len(gold))[::-1]), FEW, starts=1)
    for name in table.column_names:
        if name not in ("seconds", "data"):
            assert again[name].to_pylist() == table[name].to_pylist(), name


def test_marks():
    ratings = simulate(instances=20, seed=1).ratings
    study = Study("data", ratings, Gold.of({"x": 1}))
    rng = np.random.default_rng(0)
    shared = rng.normal(0, 0.1, 500)  # what the draw of the gold does to every model

    def result(mse, own, **more):
        return Result({"mse": mse, **more}, {"mse": list(mse + shared + rng.normal(0, own, 500))})

    results = [result(0.5, 0), result(0.51, 0.02), result(0.55, 0.001), Result({"mse": None}), result(0.5, 0)]
    candidates = [line_up("mean")[0]] * len(results)
    found = comparison_table(study, candidates, results)
    # .51 scatters too much of its own; .55 does not, though its interval overlaps that of the best.
    assert found["mse_mark"].to_pylist() == ["best", "tied", None, None, "best"]
    assert found["mse_lower"].to_pylist()[2] < found["mse_upper"].to_pylist()[0]
    coverage = [Result({"coverage": value}) for value in (0.99, 0.94, 0.6)]
    found = comparison_table(study, candidates[:3], coverage)
    assert found["coverage_mark"].to_pylist() == [None, "best", None]


def test_a_model_that_cannot_be_fitted_says_why(drawn):
    without = Ratings.from_frame(drawn.rows().drop_columns(["category"]), scale="1..5")
    found = compare(without, drawn.gold(), "mean,ordinal-mixture:difficulty=category", starts=1).to_pylist()
    assert (found[0]["ndcg"], found[0]["status"], found[0]["reason"]) == (None, "CONVERGED", None)
    assert (found[1]["mse"], found[1]["status"]) == (None, "not available")
    assert "have no categories" in found[1]["reason"]


def test_line_up_is_the_registry():
    systems = {candidate.system for candidate in line_up(categories=True)}
    assert systems == set(MODEL_NAMES) - {"auto"}
    granularities = [c.difficulty for c in line_up(categories=True) if c.system == "ordinal-mixture"]
    assert granularities == ["none", "category", "instance"]
    assert "category" not in {candidate.difficulty for candidate in line_up(categories=False)}


def test_line_up_of_texts():
    found = line_up("majority:ties=upper, ordinal-mixture:epsilon_prior=1,1:starts=3,mean", starts=7, seed=5)
    assert [candidate.label for candidate in found] == [
        "majority (ties=upper)",
        "ordinal-mixture (epsilon_prior=1,1, starts=3)",
        "mean",
    ]
    assert (found[1].model.starts, found[1].model.seed, found[1].model.epsilon_prior) == (3, 5, (1.0, 1.0))
    assert [candidate.model.starts for candidate in line_up("ordinal-mixture,ordinal-panel", starts=7)] == [7, 1]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("mean,mean", "'mean' was named twice"),
        ("", "no models were named; choose some of mean, "),
        ("mean,nonsense", "no model 'nonsense'"),
        ("mean:x=1", "mean has no option 'x'"),
    ],
)
def test_bad_line_ups(text, message):
    with pytest.raises(OptionError, match=message):
        line_up(text)


def test_sweep(drawn):
    found = spam_sweep(drawn.ratings, drawn.gold(), "mean,median", fakes=(0, 4), seeds=(0, 1)).to_pylist()
    places = [(row["model"], row["fakes"], row["seed"]) for row in found]
    assert places == [(model, *point) for model in ("mean", "median") for point in ((0, 0), (4, 0), (4, 1))]
    spammed = with_spam(drawn.ratings, 4, seed=1)
    assert found[2]["mse"] == evaluate(make_model("mean").fit(spammed), drawn.gold()).mse
    assert found[1]["mse"] != found[2]["mse"]
    with pytest.raises(OptionError, match="at least one number of fakes and one seed"):
        sweep_points((), (0,))


def test_means_over_seeds(drawn):
    found = spam_sweep(drawn.ratings, drawn.gold(), "mean", fakes=(0, 4), seeds=(0, 1))
    values = found["mse"].to_pylist()
    assert means(found)["fakes"].to_pylist() == [0, 4]
    assert means(found)["mse"].to_pylist() == pytest.approx([values[0], (values[1] + values[2]) / 2])


def test_the_spam_component_is_what_survives_spam():
    drawn = simulate(instances=400, annotators=30, ratings_per_instance=6, spammers=0, seed=2)
    found = ablation_sweep(drawn.ratings, drawn.gold(), fakes=(0, 6), seeds=(0,), starts=1).to_pylist()
    r = {(row["link"], row["spam"], row["fakes"]): row["correlation"] for row in found}
    assert len(r) == 8
    for link in ("ordinal", "real"):
        assert r[link, "false", 0] - r[link, "false", 6] > 0.05
        assert r[link, "true", 0] - r[link, "true", 6] < 0.02
