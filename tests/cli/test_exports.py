"""Exports of labelling tools on the command line."""

import json
from pathlib import Path

EXPORTS = Path(__file__).parents[1] / "exports"


def test_fit_uses_the_gold_of_the_file_and_tells_what_it_left_out(run):
    done = run("fit", EXPORTS / "toloka.tsv", "--model", "dawid-skene", "--json")
    assert done.returncode == 0
    assert "3 answers are left out: 2 rejected, 1 skipped" in done.stderr
    assert "the file knows the truth of 1 instances: used as gold" in done.stderr
    truth = {row["instance"]: row["estimate"] for row in json.loads(done.stdout)["truth"]}
    assert truth["t2"] == 5


def test_a_question_is_asked_for_and_taken(run):
    done = run("describe", EXPORTS / "label_studio.json")
    assert done.returncode == 2
    assert "it holds 2 questions: quality, tone; pass --question NAME" in done.stderr
    assert run("describe", EXPORTS / "label_studio.json", "--question", "quality").returncode == 0
    assert run("describe", EXPORTS / "label_studio.json", "--question", "all", "--from", "label-studio").returncode == 0
    wrong = run("describe", EXPORTS / "label_studio.json", "--question", "quality", "--rating", "tone")
    assert wrong.returncode == 2
    assert "--question NAME chooses what was asked" in wrong.stderr


def test_gold_of_ones_own_comes_first(run):
    Path("gold.csv").write_text("instance,gold\nt1,3\n")
    done = run("fit", EXPORTS / "toloka.tsv", "--model", "dawid-skene", "--gold", "gold.csv", "--json")
    assert "used as gold" not in done.stderr
    truth = {row["instance"]: row["estimate"] for row in json.loads(done.stdout)["truth"]}
    assert truth["t1"] == 3
