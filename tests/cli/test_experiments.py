"""truegrade compare and truegrade experiment on the command line."""

import csv
import json

import pytest

from truegrade import Gold, simulate
from truegrade.datasets import CATALOGUE, Dataset, load
from truegrade.experiments import reproduction


@pytest.fixture
def data(run, tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    run("simulate", "-o", "sim", "--instances", 40, "--annotators", 8, "--categories", 4)
    return ["sim/ratings.csv", "sim/gold.csv"]


def test_compare(run, data, tmp_path):
    done = run("compare", *data, "--models", "mean,ordinal-mixture:difficulty=category", "--starts", 1, "-o", "out")
    assert done.returncode == 0
    assert done.stdout.split("\n")[2].split()[:4] == ["model", "MSE", "correlation", "NDCG"]
    assert "ordinal-mixture (category)" in done.stdout
    files = sorted(path.name for path in (tmp_path / "out").iterdir())
    assert files == ["comparison.csv", "comparison.md", "comparison.png", "comparison.tex"]
    with (tmp_path / "out" / "comparison.csv").open() as file:
        rows = list(csv.DictReader(file))
    assert [row["difficulty"] for row in rows] == ["", "category"]
    again = run("compare", *data, "--models", "mean", "--json")
    assert again.stderr == ""
    record = json.loads(again.stdout)
    assert record["models"][0]["mse"] == pytest.approx(float(rows[0]["mse"]))
    assert (record["models"][0]["data"], record["files"]) == ("ratings.csv", [])
    told = run("compare", *data, "--models", "mean").stderr
    assert told.startswith("truegrade: note: 1 of 1 fits were finished before (in ")


def test_spam_and_ablation(run, data, tmp_path):
    done = run("experiment", "spam", *data, "--models", "mean", "--fakes", "0..2", "--seeds", 2, "--json", "-o", "out")
    record = json.loads(done.stdout)
    assert [(row["fakes"], row["seed"]) for row in record["rows"]] == [(0, 0), (1, 0), (1, 1), (2, 0), (2, 1)]
    assert record["files"] == ["out/spam.csv", "out/spam.png"]
    done = run("experiment", "ablation", *data, "--fakes", "0,3", "--seeds", 1, "--starts", 1)
    assert done.stdout.count("ordinal-mixture (link=real, spam=false)") == 2


def test_no_categories_no_ndcg(run, data):
    plain = ["--drop-values", "", "--category", "category"]
    assert json.loads(run("compare", *data, *plain, "--models", "mean", "--json").stdout)["models"][0]["ndcg"]
    found = json.loads(run("compare", *data, "--models", "mean", "--one-list", "--json").stdout)["models"][0]
    assert (found["ndcg"] is None, found["ndcg_lower"]) == (False, None)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["compare", "--models", "mean,moan"], "no model 'moan'; choose one of mean, "),
        (["experiment", "spam", "--fakes", "0..x"], "--fakes 0..x: write whole numbers, as in 0..9 or 0,3,9"),
        (["experiment", "spam", "--fakes=-1"], "give at least one number of fakes"),
        (["experiment", "ablation", "--models", "mean"], "the ablation has models of its own"),
        (["experiment", "spim"], "'spim' is not one of 'spam', 'ablation'"),
    ],
)
def test_bad_options(run, data, arguments, message):
    done = run(*arguments, *data)
    assert done.returncode == 2
    assert message in done.stderr
    assert done.stderr.count("\n") == 1


def test_gold_that_does_not_meet_the_ratings(run, data, tmp_path):
    (tmp_path / "other.csv").write_text("instance,gold\nnobody,1\n")
    done = run("compare", data[0], "other.csv", "--models", "mean")
    assert done.returncode == 2
    assert "none of its instances is rated" in done.stderr


def test_reproduce_without_data(run, tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setattr(reproduction, "QUICK", reproduction.Scope(1, (0, 1), (0,), starts=1))

    def load_small(name, source):
        if name != "yandex-like":
            return load(name, source)
        drawn = simulate(instances=40, annotators=8, categories=4)
        return Dataset(CATALOGUE[name], drawn.ratings, Gold.from_frame(drawn.gold()))

    monkeypatch.setattr(reproduction, "load", load_small)
    (tmp_path / "empty").mkdir()
    done = run("reproduce", "--quick", "--from", "empty", "-o", "out", "--json")
    assert done.returncode == 0
    absent = json.loads(done.stdout)["not_available"]
    assert absent["trec-rf10"].startswith("empty: trec-rf10 is not here")
    with (tmp_path / "out" / "table1.csv").open() as file:
        rows = [row for row in csv.DictReader(file) if row["status"] == "not available"]
    assert [(row["data"], row["reason"]) for row in rows] == list(absent.items())
    assert "not available: empty: web-relevance is not here" in (tmp_path / "out" / "README.md").read_text()
    done = run("reproduce", "--quick", "--from", "nowhere")
    assert (done.returncode, done.stderr) == (2, "truegrade: error: nowhere: no such file or folder\n")
