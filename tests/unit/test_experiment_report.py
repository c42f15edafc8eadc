"""Experiments as text and as figures."""

import itertools

import numpy as np
import pyarrow as pa
import pytest

from truegrade import charts, simulate
from truegrade.errors import OptionError
from truegrade.experiments import ablation_sweep, compare, spam_sweep
from truegrade.models import MODEL_NAMES
from truegrade.report.comparison_text import latex, markdown
from truegrade.report.model_looks import colour_of, dashes_of

FEW = "mean,median,ordinal-mixture:starts=1"


@pytest.fixture(scope="module")
def drawn():
    return simulate(instances=60, annotators=10, categories=6, seed=4)


@pytest.fixture(scope="module")
def table(drawn):
    return compare(drawn.ratings, drawn.gold(), FEW)


def test_markdown(table):
    lines = markdown(table).split("\n")
    assert lines[0] == "| model | MSE | correlation | NDCG | log-loss | coverage | seconds |"
    row = table.to_pylist()[1]
    assert lines[3].startswith(f"| median | {row['mse']:.3f}")
    assert f"[{row['mse_lower']:.3f}, {row['mse_upper']:.3f}]" in lines[3]
    assert lines[3].count(" | - | ") == 1  # the median has no interval
    best = min(table["mse"].to_pylist())
    assert markdown(table).count(f"**{best:.3f}**") == 1


def test_latex(table):
    text = latex(table)
    assert text.count(r" \\") == 1 + len(table)
    assert text.count(r"\textbf{") >= 4
    odd = table.set_column(1, "model", pa.array(["a_b & 50%", "c\\d~^", "{x}"]))
    assert r"a\_b \& 50\%" in latex(odd)
    assert r"c\textbackslash{}d\textasciitilde{}\textasciicircum{}" in latex(odd)
    assert r"\{x\}" in latex(odd)


def test_figures(drawn, table, tmp_path):
    spam = spam_sweep(drawn.ratings, drawn.gold(), "mean,ordinal-mixture:starts=1", fakes=(0, 2), seeds=(0, 1))
    parts = ablation_sweep(drawn.ratings, drawn.gold(), fakes=(0, 2), seeds=(0,), starts=1)
    for name, chart in (
        ("comparison", charts.comparison(table)),
        ("spam", charts.spam_curve(spam)),
        ("ablation", charts.ablation(parts)),
    ):
        charts.save(chart, tmp_path / f"{name}.png")
        assert (tmp_path / f"{name}.png").read_bytes().startswith(b"\x89PNG")
    charts.save(charts.spam_curve(spam.to_pandas()), tmp_path / "spam.svg")
    drawn_text = (tmp_path / "spam.svg").read_text()
    assert drawn_text.count(colour_of("ordinal-mixture")) >= 3
    for words in ("fake ratings per instance", "MSE (lower is better)", "NDCG (higher is better)", "ordinal-mixture"):
        assert words in drawn_text


def test_a_figure_shows_one_data_set(table):
    both = pa.concat_tables([table, table.set_column(0, "data", pa.array(["other"] * len(table)))])
    with pytest.raises(OptionError, match="a figure shows one data set"):
        charts.comparison(both)
    with pytest.raises(OptionError, match="no model in this table has figures"):
        charts.spam_curve(table.slice(0, 0))


# How the two common kinds of colour blindness see linear RGB: Vienot, Brettel and Mollon's projections.
BLINDNESS = {
    "none": np.eye(3),
    "protan": np.array([[0.11238, 0.88762, 0], [0.11238, 0.88762, 0], [0.00401, -0.00401, 1]]),
    "deutan": np.array([[0.29275, 0.70725, 0], [0.29275, 0.70725, 0], [-0.02234, 0.02234, 1]]),
}


@pytest.mark.parametrize("blindness", BLINDNESS)
def test_colours_of_models_stay_apart(blindness):
    assert {colour_of(name) for name in MODEL_NAMES} >= {colour_of("mean"), colour_of("ordinal-mixture")}
    names = ["ordinal-mixture", "ordinal-panel", "dawid-skene", "glad", "ord-binary", "continuous", "mean"]
    codes = [[int(colour_of(name)[i : i + 2], 16) / 255 for i in (1, 3, 5)] for name in names]
    linear = np.power(codes, 2.2) @ BLINDNESS[blindness].T
    seen = np.power(np.clip(linear, 0, 1), 1 / 2.2)
    for (one, a), (two, b) in itertools.combinations(zip(names, seen, strict=True), 2):
        assert np.linalg.norm(a - b) > 0.12, (one, two)


def test_dashes_tell_the_variants_of_a_model_apart():
    assert len(set(dashes_of(["glad"] * 5))) == 5
