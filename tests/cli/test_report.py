"""truegrade report, and fit --report."""

import json

import pytest


@pytest.fixture
def simulated(run, tmp_path):
    assert run("simulate", "-o", "sim", "--instances", 60, "--annotators", 8).returncode == 0
    return tmp_path


def test_from_ratings_and_from_a_fit(run, simulated):
    done = run("report", "sim/ratings.csv", "--model", "mean", "-o", "page.html")
    assert (done.returncode, done.stdout) == (0, "page.html\n")
    assert "<h1>Truth by mean</h1>" in (simulated / "page.html").read_text()
    assert json.loads(run("report", "sim/ratings.csv", "--model", "mean", "--json").stdout) == {
        "model": "mean",
        "status": "CONVERGED",
        "output": "report.html",
    }
    assert run("fit", "sim/ratings.csv", "--model", "ordinal-mixture", "-o", "fit", "--report").returncode == 0
    assert (simulated / "fit" / "report.html").exists()
    assert run("report", "fit", "--ratings", "sim/ratings.csv", "--gold", "sim/gold.csv").returncode == 0
    assert "Calibration against gold" in (simulated / "report.html").read_text()


def test_feedback_and_comparison(run, simulated):
    run("fit", "sim/ratings.csv", "--model", "mean", "-o", "one", "-q")
    run("fit", "sim/ratings.csv", "--model", "median", "-o", "two", "-q")
    assert run("report", "one", "--against", "two").returncode == 0
    assert "mean and median" in (simulated / "comparison.html").read_text()
    assert run("report", "one", "--ratings", "sim/ratings.csv", "--annotator", "all").returncode == 0
    lines = (simulated / "feedback.csv").read_text().splitlines()
    assert len(lines) == 9
    name = lines[1].split(",")[0].strip('"')
    assert run("report", "one", "--ratings", "sim/ratings.csv", "--annotator", name).returncode == 0
    assert f"Feedback for {name}" in (simulated / f"feedback-{name}.html").read_text()


def test_an_id_does_not_choose_the_folder(run, tmp_path):
    rows = "".join(f"../up/{who},{what},{what % 3 + 1}\n" for who in "ab" for what in range(6))
    (tmp_path / "ratings.csv").write_text("annotator,instance,rating\n" + rows)
    done = run("report", "ratings.csv", "--model", "mean", "--annotator", "../up/a")
    assert (done.returncode, done.stdout) == (0, "feedback-.._up_a.html\n")
    assert (tmp_path / "feedback-.._up_a.html").exists()


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["report", "nothere"], "nothere: no such file"),
        (["report", "sim"], "no fit.json here"),
        (["report", "sim/ratings.csv", "--ratings", "x"], "--ratings goes with a saved fit"),
        (["report", "one", "--model", "mean"], "--model goes with a file of ratings"),
        (["report", "one", "--ratings", "other.csv"], "not the ratings that the fit was made from"),
        (["report", "one", "--annotator", "all"], "pass --ratings FILE"),
        (["report", "one", "--ratings", "sim/ratings.csv", "--annotator", "nobody"], "no annotator 'nobody'"),
        (["report", "one", "--against", "one", "--annotator", "all"], "no use for --annotator"),
        (["report", "one", "--against", "one", "--gold", "sim/gold.csv"], "no use for --gold"),
        (["fit", "sim/ratings.csv", "--report"], "-o DIR"),
        (["report", "one", "-o", "/proc/report.html"], "cannot be written"),
    ],
)
def test_bad_input(run, simulated, arguments, says):
    run("fit", "sim/ratings.csv", "--model", "mean", "-o", "one", "-q")
    (simulated / "other.csv").write_text("annotator,instance,rating\na,x,1\nb,x,5\n")
    done = run(*arguments)
    assert done.returncode == 2
    assert says in done.stderr
    assert len(done.stderr.splitlines()) == 1
