"""The whole of section 4, on small data that stands in for the named sets."""

import csv

import pytest

from truegrade import simulate
from truegrade.datasets import CATALOGUE, Dataset
from truegrade.errors import DataError
from truegrade.experiments import reproduction
from truegrade.experiments.paper import PRINTED
from truegrade.experiments.reproduction import FULL, QUICK, Scope, reproduce
from truegrade.gold import Gold
from truegrade.report.reproduction_files import write_reproduction
from truegrade.report.reproduction_page import page

SMALL = Scope(sweep_starts=1, fakes=(0, 2), seeds=(0, 1), starts=1)


@pytest.fixture
def small(monkeypatch):
    """web-relevance is not here; the others are small simulations."""

    def load(name, source):
        assert source == "folder"
        if name == "web-relevance":
            raise DataError("web-relevance: cannot be | fetched")
        drawn = simulate(instances=40, annotators=8, categories=4, scale="1..3", seed=len(name))
        return Dataset(CATALOGUE[name], drawn.ratings, Gold.from_frame(drawn.gold()))

    monkeypatch.setattr(reproduction, "load", load)
    return reproduce(SMALL, "folder")


def test_tables(small):
    assert set(small.absent) == {"web-relevance"}
    for table in (small.table1, small.spam, small.ablation):
        rows = [row for row in table.to_pylist() if row["data"] == "web-relevance"]
        assert [(row["status"], row["mse"]) for row in rows] == [("not available", None)]
        assert rows[0]["reason"].startswith("web-relevance: cannot be")
    trec = {row["paper_system"]: row for row in small.table1.to_pylist() if row["paper_system"]}
    assert trec["Ord-Continuous-ML"]["model"] == "continuous (method=ml)"
    query = trec["Ordinal-discrete-mixture (query)"]
    assert (query["data"], query["difficulty"]) == ("trec-rf10", "category")
    assert (query["paper_mse"], query["paper_correlation"], query["paper_ndcg"]) == (0.616, 0.399, 0.919)
    points = {(row["fakes"], row["seed"]) for row in small.spam.to_pylist() if row["status"] == "CONVERGED"}
    assert points == {(0, 0), (2, 0), (2, 1)}
    variants = {(row["link"], row["spam"]) for row in small.ablation.to_pylist() if row["link"]}
    assert len(variants) == 4


def test_files(small, tmp_path):
    names = {path.name for path in write_reproduction(small, tmp_path)}
    figures = {f"{kind}-{data}.png" for kind in ("table1", "spam", "ablation") for data in ("trec-rf10", "yandex-like")}
    assert names == {"table1.csv", "spam.csv", "ablation.csv", "README.md"} | figures
    assert names == {path.name for path in tmp_path.iterdir()}
    with (tmp_path / "table1.csv").open() as file:
        columns = next(csv.reader(file))
    assert columns[:5] == ["data", "model", "system", "difficulty", "options"]
    assert {"mse", "correlation", "ndcg", "paper_mse", "paper_correlation", "paper_ndcg"} < set(columns)
    for figure in figures:
        assert f"({figure})" in (tmp_path / "README.md").read_text()


def test_page(small):
    text = page(small)
    assert "Written by `truegrade reproduce --quick`" in text
    assert "| web-relevance | not available: web-relevance: cannot be \\| fetched |" in text
    mean = next(row for row in small.table1.to_pylist() if row["model"] == "mean")
    assert f"| Mean | {mean['mse']:.3f}".replace("0.", ".") in text
    assert "the ordinal link is worth" in text
    assert "nan" not in text


def test_verdicts():
    mean = next(row for row in PRINTED if row.name == "Mean")
    assert mean.verdict({"mse": 0.6495, "correlation": 0.3591, "ndcg": 0.9135}) == dict.fromkeys(
        ("mse", "correlation", "ndcg"), "equal"
    )
    assert mean.verdict({"mse": 0.651, "correlation": 0.35, "ndcg": 0.915}) == {
        "mse": "worse",
        "correlation": "worse",
        "ndcg": "better",
    }
    skene = PRINTED[0]
    assert set(skene.verdict({"mse": 0.679, "correlation": 0.405, "ndcg": None}).values()) == {"equal"}
    assert skene.verdict({"mse": 0.6, "correlation": 0.3, "ndcg": 0.95}) == {
        "mse": "better",
        "correlation": "worse",
        "ndcg": "better",
    }


def test_scopes(small, monkeypatch):
    study = small.studies["trec-rf10"]
    assert len(FULL.points(study)) == 1 + 9 * 3
    assert QUICK.points(study) == [(0, 0), (3, 0), (9, 0)]
    monkeypatch.setattr(reproduction, "_MANY", study.ratings.n_ratings)
    assert len(FULL.points(study)) == 1 + 9
    assert FULL.starts == QUICK.starts == 10
