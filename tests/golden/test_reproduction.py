"""The figures in docs/reproduction are those of this version: its cheap rows against a fresh run."""

import csv
from pathlib import Path

import pytest

from truegrade import evaluate
from truegrade.datasets import load
from truegrade.models import make_model

TABLE = Path(__file__).parents[2] / "docs" / "reproduction" / "table1.csv"
FOLDERS = {"trec-rf10": "trec_rf10", "web-relevance": "web_relevance", "yandex-like": None}


@pytest.mark.parametrize("model", ["mean", "median", "majority"])
@pytest.mark.parametrize("name", FOLDERS)
def test_cheap_rows(name, model, shared_data):
    source = shared_data(FOLDERS[name]) if FOLDERS[name] else None
    data = load(name, source)
    found = evaluate(make_model(model).fit(data.ratings), data.gold, one_list=not data.ratings.n_categories)
    with TABLE.open() as file:
        (row,) = (row for row in csv.DictReader(file) if (row["data"], row["model"]) == (name, model))
    for column, figure in (
        ("mse", found.mse),
        ("correlation", found.pearson),
        ("ndcg", found.ndcg),
        ("log_loss", found.log_loss),
        ("coverage", found.coverage),
    ):
        assert (float(row[column]) if row[column] else None) == (figure and pytest.approx(figure, rel=1e-9)), column
    if row["paper_mse"]:
        assert found.mse == pytest.approx(float(row["paper_mse"]), abs=1e-3)
        assert found.pearson == pytest.approx(float(row["paper_correlation"]), abs=1e-3)
        assert found.ndcg == pytest.approx(float(row["paper_ndcg"]), abs=3e-3)


def test_every_data_set_is_in_the_committed_tables():
    with TABLE.open() as file:
        rows = list(csv.DictReader(file))
    assert {row["data"] for row in rows} == set(FOLDERS)
    assert all(row["mse"] for row in rows if row["status"] != "not available")
    assert sum(1 for row in rows if row["paper_mse"]) >= 7
