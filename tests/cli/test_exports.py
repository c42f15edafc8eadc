"""Exports of labelling tools on the command line."""

import json
from pathlib import Path

EXPORTS = Path(__file__).parents[1] / "exports"


def test_fit_uses_the_gold_of_the_file_and_tells_what_it_left_out(run):
    done = run("fit", EXPORTS / "toloka.tsv", "--model", "dawid-skene", "--json")
    assert done.returncode == 0
    assert "3 answers left out: 2 rejected, 1 skipped" in done.stderr
    assert "the file knows the truth of 1 of the instances: used as gold" in done.stderr
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


def test_convert_writes_by_ending_and_says_what_has_no_place(run):
    toloka = EXPORTS / "toloka.tsv"
    done = run("convert", toloka, "out/long.csv", "--json")
    assert done.returncode == 0
    assert json.loads(done.stdout)["rows"] == 3
    text = Path("out/long.csv").read_text()
    assert text.splitlines()[:3] == ["annotator,instance,rating,gold", "wA,t1,4,", "wA,t2,5,5"]
    again = run("convert", "out/long.csv", "-", "--to", "toloka")
    assert "GOLDEN:rating" in again.stdout
    lost = run("convert", toloka, "m.csv", "--to", "mturk", "-q")
    assert (lost.stdout, lost.stderr) == ("", "")
    lost = run("convert", toloka, "m.csv", "--to", "mturk")
    assert "1 known truth left out: an MTurk batch has no place for that" in lost.stderr
    for ending, start in (("parquet", b"PAR1"), ("jsonl", b'{"annotator"'), ("tsv", b"annotator\t")):
        assert run("convert", toloka, f"long.{ending}").returncode == 0
        assert Path(f"long.{ending}").read_bytes().startswith(start)
        assert run("describe", f"long.{ending}").returncode == 0


def test_convert_refuses_what_does_not_fit(run):
    Path("w.csv").write_text("annotator,instance,rating,weight\na,x,1,2\n")
    weights = run("convert", "w.csv", "out.json", "--to", "label-studio")
    assert weights.returncode == 2
    assert "its ratings have weights, which have no place in Label Studio JSON" in weights.stderr
    assert run("convert", "w.csv", "out.csv").returncode == 0
    assert "weight" in Path("out.csv").read_text()
    Path("r.csv").write_text("annotator,instance,rating\na,x,1\na,x,2\n")
    repeats = run("convert", "r.csv", "out.json", "--to", "peerannot")
    assert repeats.returncode == 2
    assert "1 answers repeat an annotator's answer" in repeats.stderr
    assert not Path("out.json").exists()
    assert "choose long, label-studio" in run("convert", "r.csv", "o", "--to", "paper").stderr
    Path("n.csv").write_text("annotator,instance,rating\na,x,good\n")
    assert "'good' is no whole number, and Snorkel" in run("convert", "n.csv", "o", "--to", "snorkel").stderr
    Path("folder").mkdir()
    assert run("convert", "r.csv", "folder").returncode == 2


def test_the_truths_of_a_fit_go_back_to_the_tools(run):
    assert run("fit", EXPORTS / "argilla_flat.json", "--model", "dawid-skene", "-o", "fit", "-q").returncode == 0
    assert run("convert", "fit", "p.json", "--to", "label-studio", "--question", "quality").returncode == 0
    task = json.loads(Path("p.json").read_text())[1]
    prediction = task["predictions"][0]
    assert prediction["result"][0] == {
        "from_name": "quality",
        "to_name": "item",
        "type": "rating",
        "value": {"rating": 5},
    }
    assert 0 < prediction["score"] <= 1
    assert run("convert", "fit", "s.json", "--to", "argilla", "--question", "quality").returncode == 0
    record = json.loads(Path("s.json").read_text())[1]
    assert record["id"] == "r2"
    assert record["suggestions"]["quality"]["value"] == 5
    assert run("convert", "fit", "-", "--to", "crowd-kit").stdout.splitlines()[::2] == ["task,agg_label", "r2,5"]
    wrong = run("convert", "fit", "x", "--to", "toloka")
    assert wrong.returncode == 2
    assert "truths are written for label-studio, argilla, crowd-kit" in wrong.stderr


def test_truths_go_into_the_export_that_the_ratings_came_from(run):
    export = EXPORTS / "label_studio.json"
    told = ("--model", "dawid-skene", "-o", "fit", "-q", "--question", "tone")
    assert run("fit", export, *told).returncode == 0
    to = ("convert", "fit", "new.json", "--to")
    assert run(*to, "label-studio", "--with", export, "--question", "tone").returncode == 0
    old, new = json.loads(export.read_text()), json.loads(Path("new.json").read_text())
    answers = [task["predictions"][0]["result"][0] for task in new]
    assert [answer["value"] for answer in answers] == [{"choices": ["3 - polite"]}, {"choices": ["1 - rude"]}]
    assert {answer["to_name"] for answer in answers} == {"text"}
    assert [{**task, "predictions": []} for task in new] == old
    asked = run(*to, "label-studio", "--with", export)
    assert "it holds 2 questions" in asked.stderr
    other = run(*to, "label-studio", "--with", EXPORTS / "argilla.json")
    assert "does not look like Label Studio JSON (--with)" in other.stderr
    strange = run(*to, "argilla", "--with", EXPORTS / "argilla.json", "--question", "quality")
    assert "none of its ids is in the fit, which has '101'" in strange.stderr
    assert "--with goes with a saved fit" in run("convert", export, "x", "--with", export).stderr
