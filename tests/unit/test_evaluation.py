"""Evaluation of truth tables, typed and as text."""

from types import SimpleNamespace

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from truegrade.errors import ColumnError, GoldError, IdError, ScaleError
from truegrade.evaluation import evaluate
from truegrade.gold import Gold
from truegrade.models.mean import Mean
from truegrade.ratings import Ratings
from truegrade.scale import Scale

TRUTH = {
    "instance": ["x", "y", "z", "w"],
    "category": ["q", "q", "r", "r"],
    "estimate": [1.2, 2.0, 2.8, None],
    "sd": [0.1, 0.1, None, None],
    "lower": [1.0, 1.8, None, None],
    "upper": [1.4, 2.2, None, None],
    "grade": [1, 2, 3, None],
    "p_1": [0.8, 0.1, None, None],
    "p_2": [0.2, 0.8, None, None],
    "p_3": [0.0, 0.1, None, None],
    "n_ratings": [2, 2, 2, 0],
}
GOLD = {"x": 1, "y": 3, "z": 2, "w": 1, "v": 1}


def without(*names):
    return pa.table({name: column for name, column in TRUTH.items() if name not in names})


def as_text(table, empty=""):
    return pa.table({name: [str(v) if v is not None else empty for v in column] for name, column in table.items()})


def test_by_hand():
    found = evaluate(pa.table(TRUTH), GOLD)
    assert found.mse == pytest.approx((0.04 + 1 + 0.64) / 3)
    assert found.mae == pytest.approx((0.2 + 1 + 0.8) / 3)
    assert found.pearson == pytest.approx(np.corrcoef([1.2, 2.0, 2.8], [1, 3, 2])[0, 1])
    assert found.spearman == pytest.approx(0.5)
    assert found.accuracy == pytest.approx(1 / 3)
    assert found.log_loss == pytest.approx(-(np.log(0.8) + np.log(0.1)) / 2)
    assert found.coverage == 0.5
    assert (found.n_gold, found.n_scored) == (5, 3)
    # category q ranks y before x as gold does, r has one instance
    assert found.ndcg == found.ndcg_exponential == 1.0


@pytest.mark.parametrize("frame", [pd.DataFrame(TRUTH), pl.DataFrame(TRUTH), as_text(TRUTH), as_text(TRUTH, " ")])
def test_every_kind_of_table_says_the_same(frame):
    assert evaluate(frame, GOLD) == evaluate(pa.table(TRUTH), GOLD)


def test_json_has_exactly_these_keys():
    assert list(evaluate(pa.table(TRUTH), GOLD).to_json()) == [
        *("mse", "mae", "pearson", "spearman", "accuracy", "kappa"),
        *("ndcg", "ndcg_exponential", "log_loss", "coverage", "n_gold", "n_scored"),
    ]


def test_notes_count_what_was_left_out():
    gold = Gold.from_frame(pa.table({"item": ["x", "w", "v", "y"], "gold": [1.5, 2, 1, None]}))
    assert evaluate(pa.table(TRUTH), gold).notes == (
        "1 of 3 instances with gold have no ratings",
        "2 of 4 instances in the truth table have no gold",
        "1 of 2 instances with gold have no estimate",
        "1 of 4 rows of gold are blank and were skipped",
        "1 gold values lie between grades; accuracy, kappa and log-loss take the nearest, the lower of two",
    )


def test_gold_between_grades():
    found = evaluate(pa.table(TRUTH), {"x": 1.5, "y": 2})
    assert found.mse == pytest.approx(0.3**2 / 2)
    assert found.accuracy == 1.0  # 1.5 counts as 1


def test_ids_meet_by_text():
    truth = pd.DataFrame({"instance": [1, 2], "estimate": [1.0, 3.0]})
    found = evaluate(truth, {"1": 1, "2": 3}, scale="1..3")
    assert found.n_scored == 2
    assert "joined by their text" in found.notes[0]


def test_without_categories_only_one_list_ranks():
    table = without("category")
    assert evaluate(table, GOLD).ndcg is None
    assert any("--one-list" in note for note in evaluate(table, GOLD).notes)
    assert not any("--one-list" in note for note in evaluate(table, GOLD, one_list=True).notes)
    assert evaluate(table, GOLD).ndcg_exponential is None
    assert evaluate(table, GOLD, one_list=True).ndcg == pytest.approx(
        (2 + 3 + 1 / np.log2(3)) / (3 + 2 + 1 / np.log2(3))
    )
    assert evaluate(pa.table(TRUTH), GOLD, one_list=True) == evaluate(table, GOLD, one_list=True)


def test_empty_categories_are_none():
    assert evaluate(pa.table(TRUTH | {"category": ["", "", " ", ""]}), GOLD).ndcg is None


def test_cutoff():
    rows = {"instance": ["x", "y", "z"], "category": ["q"] * 3, "estimate": [3.0, 2.0, 1.0]}
    gold = {"x": 1, "y": 3, "z": 2}
    assert evaluate(pa.table(rows), gold, scale="1..3", cutoff=1).ndcg == pytest.approx(1 / 3)
    assert evaluate(pa.table(rows), gold, scale="1..3", cutoff=2).ndcg == pytest.approx(4 / 5)


def test_gains_are_positions_on_the_scale():
    rows = {"instance": ["x", "y"], "category": ["q"] * 2, "estimate": [3.0, 2.0]}
    # values 10, 20, 40 at positions 1, 2, 3; 30 stands at 2.5
    found = evaluate(pa.table(rows), {"x": 20, "y": 30}, scale=[10, 20, 40])
    d = 1 / np.log2(3)
    assert found.ndcg_exponential == pytest.approx((3 + (2**2.5 - 1) * d) / ((2**2.5 - 1) + 3 * d))


def test_scale_comes_from_the_argument_then_the_fit_then_the_columns():
    frame = pa.table(TRUTH)
    fit = SimpleNamespace(truth=frame, scale=Scale.of("1..4"))
    assert evaluate(fit, {"x": 4}).n_scored == 1
    with pytest.raises(GoldError, match=r"gold 4 is off the scale 1\.\.3"):
        evaluate(frame, {"x": 4})
    with pytest.raises(GoldError, match=r"gold 4 is off the scale 1\.\.3"):
        evaluate(fit, {"x": 4}, scale="1..3")


def test_columns_of_another_scale_give_no_log_loss():
    found = evaluate(pa.table(TRUTH), GOLD, scale="1..4")
    assert found.log_loss is None
    assert "the p_ columns are not those of the scale 1..4" in found.notes[-1]


def test_names_as_grades():
    truth = {
        "instance": ["x", "y"],
        "estimate": [1.2, 1.9],
        "grade": ["cold", "hot"],
        "p_cold": [0.8, 0.1],
        "p_hot": [0.2, 0.9],
    }
    found = evaluate(pa.table(truth), {"x": "cold", "y": "hot"})
    assert (found.accuracy, found.kappa) == (1.0, 1.0)
    assert "its grades count as 1 to 2" in found.notes[0]


def test_a_frame_with_a_column_called_truth_is_a_frame():
    frame = pd.DataFrame(TRUTH | {"truth": [1, 2, 3, 4], "scale": [0, 0, 0, 0]})
    assert evaluate(frame, GOLD) == evaluate(pd.DataFrame(TRUTH), GOLD)


def test_real_scales_have_errors_and_correlations_alone():
    ratings = Ratings.from_arrays(
        annotator=list("abab"), instance=list("xxyy"), rating=[0.1, 0.3, 7.0, 9.0], scale="real"
    )
    found = evaluate(Mean().fit(ratings), {"x": 0.2, "y": 100.0}, one_list=True)
    assert found.pearson == pytest.approx(1)
    assert (found.accuracy, found.kappa, found.ndcg, found.log_loss) == (None, None, None, None)


def test_one_grade():
    found = evaluate(pa.table({"instance": ["x", "y"], "estimate": [1.0, 1.0], "p_1": [1.0, 1.0]}), {"x": 1, "y": 1})
    assert (found.mse, found.accuracy, found.log_loss) == (0.0, 1.0, 0.0)
    assert (found.pearson, found.spearman, found.kappa) == (None, None, None)


@pytest.mark.parametrize(
    ("truth", "gold", "error", "message"),
    [
        (without("estimate"), GOLD, ColumnError, "no column 'estimate'"),
        (without("instance"), GOLD, ColumnError, "no column 'instance'"),
        (without("p_1", "p_2", "p_3"), GOLD, ScaleError, "pass --scale"),
        (pa.table(TRUTH | {"estimate": ["a", "b", "c", "d"]}), GOLD, ColumnError, "column 'estimate'"),
        (pa.table(TRUTH | {"instance": ["x", "x", "y", "z"]}), GOLD, IdError, "'x' stands in two rows"),
        (pa.table(TRUTH | {"grade": ["1", "2", "9", ""]}), GOLD, ScaleError, "grade '9' is not on the scale"),
        (pa.table(TRUTH), {"other": 1}, GoldError, "none of its instances is in the truth table"),
        (pa.table(TRUTH), {"x": 9}, GoldError, "off the scale"),
        ("truth.csv", GOLD, GoldError, "a str is no truth"),
    ],
)
def test_refused(truth, gold, error, message):
    with pytest.raises(error, match=message):
        evaluate(truth, gold)
