"""The command line as a user meets it: outputs, exit codes, one clear line for bad input, nothing half-written."""

import gzip
import json
import os
import resource
import signal
import subprocess
import sys
import time
from dataclasses import replace

import numpy as np
import pyarrow as pa
import pyarrow.csv as pc
import pyarrow.parquet as pq
import pytest

from truegrade import Mean, OrdinalMixture, Ratings, simulate
from truegrade.cli.fit import show_fit
from truegrade.posterior import GaussianPosterior

GOOD = "annotator,instance,rating\na,x,1\nb,x,2\na,y,3\nb,y,3\n"


COMMAND = [sys.executable, "-c", "import truegrade.cli; truegrade.cli.main()"]


@pytest.fixture
def ratings(tmp_path):
    path = tmp_path / "ratings.csv"
    path.write_text(GOOD)
    return path


def test_fit_writes_the_tables(run, ratings, tmp_path):
    done = run("fit", ratings, "--model", "mean", "-o", "out")
    assert (done.returncode, done.stderr) == (0, "")
    assert sorted(p.name for p in (tmp_path / "out").iterdir()) == ["annotators.csv", "arrays", "fit.json", "truth.csv"]
    truth = pc.read_csv(tmp_path / "out" / "truth.csv")
    assert truth.column_names == [
        "instance", "estimate", "sd", "lower", "upper", "grade", "p_1", "p_2", "p_3", "n_ratings",
    ]  # fmt: skip
    assert truth["instance"].to_pylist() == ["x", "y"]
    assert truth["estimate"].to_pylist() == [1.5, 3]
    record = json.loads((tmp_path / "out" / "fit.json").read_text())
    assert (record["model"], record["status"], record["counts"]["ratings"]) == ("mean", "CONVERGED", 4)


def test_fit_to_parquet(run, ratings, tmp_path):
    assert run("fit", ratings, "-o", "out", "--format", "parquet").returncode == 0
    assert pq.read_table(tmp_path / "out" / "truth.parquet").num_rows == 2


@pytest.mark.parametrize("model", ["mean", "median", "majority", "majority:ties=random", "ordinal-mixture:starts=2"])
def test_every_model_prints_a_summary(run, ratings, model):
    done = run("fit", ratings, "--model", model)
    assert done.returncode == 0
    assert "truth\ninstance" in done.stdout
    assert "annotators, busiest first" in done.stdout
    assert "\x1b" not in done.stdout


def test_fit_tells_of_each_rating_how_likely_it_is_spam(run, ratings, tmp_path):
    model = ("--model", "ordinal-mixture:starts=1", "--responsibilities")
    done = run("fit", ratings, *model)
    assert "; calling everything spam has -4.39" in done.stdout  # four ratings on three grades
    assert "ratings, likeliest spam first\nrow" in done.stdout
    rows = json.loads(run("fit", ratings, *model, "--json").stdout)["responsibilities"]
    assert [(row["annotator"], row["instance"], row["rating"]) for row in rows] == [
        ("a", "x", 1), ("b", "x", 2), ("a", "y", 3), ("b", "y", 3),
    ]  # fmt: skip
    assert run("fit", ratings, *model, "-o", "out").returncode == 0
    table = pc.read_csv(tmp_path / "out" / "responsibilities.csv")
    assert table["responsibility"].to_pylist() == pytest.approx([row["responsibility"] for row in rows])
    run("fit", ratings, "-o", "out")
    assert not (tmp_path / "out" / "responsibilities.csv").exists()
    done = run("fit", ratings, "--responsibilities")
    assert (done.returncode, done.stdout) == (2, "")
    assert "auto has no responsibilities" in done.stderr


def test_fit_json(run, ratings):
    record = json.loads(run("fit", ratings, "--model", "mean", "--json").stdout)
    assert [row["estimate"] for row in record["truth"]] == [1.5, 3]
    assert record["status"] == "CONVERGED"
    saved = json.loads(run("fit", ratings, "--model", "mean", "--json", "-o", "out").stdout)
    assert "truth" not in saved
    assert saved["output"] == "out"


def test_ids_that_json_does_not_know(run, tmp_path):
    moments = pa.array([0, 1], pa.timestamp("s"))
    pq.write_table(pa.table({"annotator": ["a", "b"], "instance": moments, "rating": [1, 2]}), tmp_path / "r")
    truth = json.loads(run("fit", "r", "--json").stdout)["truth"]
    assert [row["instance"] for row in truth] == ["1970-01-01 00:00:00", "1970-01-01 00:00:01"]


def test_estimates_off_the_scale_are_counted(capsys):
    fit = Mean().fit(Ratings.from_arrays(annotator=list("aab"), instance=list("xyz"), rating=[1, 2, 2]))
    far = replace(fit, posterior=GaussianPosterior(np.array([0.9, 1.5, 2.1]), np.ones(3)))
    assert (fit.n_off_scale, far.n_off_scale) == (0, 2)
    show_fit(fit, "", json=False)
    assert "off the scale" not in capsys.readouterr().out
    show_fit(far, "", json=False)
    assert "off the scale  2 of 3 estimates" in capsys.readouterr().out
    show_fit(far, "", json=True)
    assert json.loads(capsys.readouterr().out)["off_scale"] == 2


def test_a_fit_without_a_bound_is_shown(capsys):
    """Numbers may overflow in the very first pass."""
    fit = OrdinalMixture(starts=1).fit(
        Ratings.from_arrays(annotator=list("aab"), instance=list("xyx"), rating=[1, 2, 2])
    )
    show_fit(fit, "", json=False)
    assert "calling everything spam" in capsys.readouterr().out
    show_fit(replace(fit, trace=np.empty(0)), "", json=False)
    assert "calling everything spam" not in capsys.readouterr().out


def test_stdin_and_gzip(run, tmp_path):
    done = run("fit", "-", "--json", stdin=GOOD)
    assert json.loads(done.stdout)["counts"]["instances"] == 2
    (tmp_path / "odd.name").write_bytes(gzip.compress(GOOD.encode()))
    assert run("describe", "odd.name").returncode == 0


def test_evaluate(run, ratings, tmp_path):
    run("fit", ratings, "--model", "mean", "-o", "out")
    (tmp_path / "gold.csv").write_text("instance,gold\nx,1\ny,3\nz,2\n")
    done = run("evaluate", "out", "gold.csv", "--json")
    found = json.loads(done.stdout)
    assert list(found) == [
        "mse", "mae", "pearson", "spearman", "accuracy", "kappa", "ndcg", "ndcg_exponential", "log_loss", "coverage",
        "n_gold", "n_scored",
    ]  # fmt: skip
    assert (found["mse"], found["n_gold"], found["n_scored"], found["ndcg"]) == (0.125, 3, 2, None)
    assert "1 of 3 instances with gold have no ratings" in done.stderr
    same = json.loads(run("evaluate", "out/truth.csv", "gold.csv", "--json").stdout)
    assert same == found
    assert json.loads(run("evaluate", "out", "gold.csv", "--one-list", "--json").stdout)["ndcg"] == 1


def test_evaluate_needs_but_the_scale_of_the_fit_beside_a_truth_table(run, ratings, tmp_path):
    run("fit", ratings, "--model", "mean", "-o", "out", "--scale", "1..5")
    (tmp_path / "gold.csv").write_text("instance,gold\nx,5\n")
    (tmp_path / "out" / "arrays" / "trace.npy").unlink()
    assert json.loads(run("evaluate", "out/truth.csv", "gold.csv", "--json").stdout)["mse"] == 3.5**2
    (tmp_path / "out" / "fit.json").write_text('{"format": "truegrade-fit", "format_version": 1}')
    done = run("evaluate", "out/truth.csv", "gold.csv")
    assert (done.returncode, done.stderr.count("\n")) == (2, 1)
    assert "its scale is damaged: 'scale' is missing; pass --scale" in done.stderr


def test_gold_clamps(run, ratings, tmp_path):
    (tmp_path / "gold.csv").write_text("item,truth\nx,1\n")
    truth = json.loads(run("fit", ratings, "--gold", "gold.csv", "--json").stdout)["truth"]
    assert (truth[0]["estimate"], truth[0]["sd"]) == (1, 0)


def test_gold_that_is_not_rated_is_told(run, ratings, tmp_path):
    (tmp_path / "gold.csv").write_text("item,truth\nx,1\nnobody,2\ny,\n")
    done = run("fit", ratings, "--gold", "gold.csv", "-o", "out")
    assert "note: 1 of 2 instances with gold have no ratings" in done.stderr
    assert "note: 1 of 3 rows of gold are blank" in done.stderr
    assert (
        "1 of 2 instances with gold have no ratings" in json.loads((tmp_path / "out" / "fit.json").read_text())["notes"]
    )


def test_describe(run, ratings):
    found = json.loads(run("describe", ratings, "--json").stdout)
    assert found["ratings_per_instance"]["mean"] == 2
    assert set(found) >= {"alpha_nominal", "alpha_ordinal", "alpha_interval", "percent_agreement", "remarks"}
    assert "Krippendorff" in run("describe", ratings).stdout


def test_simulate_and_its_seed(run, tmp_path):
    for name, seed in (("a", 1), ("b", 1), ("c", 2)):
        done = run("simulate", "-o", name, "--instances", 50, "--annotators", 5, "--seed", seed, "--scale", "0..2")
        assert done.returncode == 0
    a, b, c = ((tmp_path / name / "ratings.csv").read_text() for name in "abc")
    assert a == b != c
    assert run("fit", "a/ratings.csv", "-o", "fit").returncode == 0
    assert run("evaluate", "fit", "a/gold.csv").returncode == 0


def test_a_seed_of_the_models_own_comes_before_the_commands(run, ratings):
    for flags in (("--model", "majority:seed=7"), ("--model", "majority", "--set", "seed=7")):
        assert json.loads(run("fit", ratings, "--json", *flags).stdout)["options"]["seed"] == 7
    assert json.loads(run("fit", ratings, "--json", "--model", "majority", "--seed", 3).stdout)["options"]["seed"] == 3


@pytest.mark.parametrize(
    ("flags", "message"),
    [
        (("--scale", "real"), "needs a scale with grades"),
        (("--ratings-per-instance", "inf"), "more than 1e+09 ratings"),
        (("--ratings-per-instance", "1e30"), "more than 1e+09 ratings"),
        (("--seed", "-1"), "--seed"),
        (("--categories", "2000"), "need at least as many instances"),
    ],
)
def test_what_cannot_be_simulated(run, flags, message, tmp_path):
    done = run("simulate", "-o", "out", *flags)
    assert (done.returncode, done.stderr.count("\n")) == (2, 1)
    assert message in done.stderr
    assert not (tmp_path / "out").exists()


def test_demo(run, tmp_path):
    done = run("demo")
    assert done.returncode == 0
    for line in ("demo-output/fit/truth.csv", "demo-output/truth.png"):
        assert line in done.stdout
        assert (tmp_path / line).stat().st_size > 0
    assert run("demo").returncode == 0


def bad(text, message, *flags):
    return pytest.param(text, flags, message, id=message[:40])


@pytest.mark.parametrize(
    ("text", "flags", "message"),
    [
        bad("", "empty"),
        bad("annotator,instance,rating\n", "no ratings"),
        bad("annotator,instance\na,x\n", "no column for the rating"),
        bad("annotator,worker,instance,rating\na,a,x,1\n", "pass --annotator"),
        bad("annotator,instance,rating\na,x,1\nb,x\n", "row 2"),
        bad("annotator,instance,rating\na,x,1\n ,x,1\n", "row 2: the annotator is blank"),
        bad("annotator,instance,rating\na,x,1\nb,,1\n", "row 2: the instance is blank"),
        bad("annotator,instance,rating\na,x,1\nb,x,\n", "row 2: the rating is missing; pass --missing drop"),
        bad("annotator,instance,rating\na,x,1\nb,x,9\n", "row 2: rating 9 is not on the scale 1..5", "--scale", "1..5"),
        bad("annotator,instance,rating\na,x,inf\n", "row 1: rating inf"),
        bad("annotator,instance,rating\na,x,1\nb,x,999\n", "in.csv: ratings from 1 to 999 need more than 101 grades"),
        bad("annotator,instance,rating\na,x,good\n", "row 1: rating 'good' is not a number; pass --scale"),
        bad("annotator,instance,query,rating\na,x,q,1\nb,x,p,2\n", "row 2: instance 'x' is in category 'p'"),
        bad("annotator,instance,rating\na,x,1\na,x,2\n", "more than once", "--duplicates", "error"),
        bad(GOOD, "no column 'who'", "--annotator", "who"),
        bad(GOOD, "has no option 'x'", "--set", "x=1"),
        bad(GOOD, "write it as key=value", "--set", "x"),
        bad(GOOD, "choose one of lower, upper", "--model", "majority", "--set", "ties=never"),
        bad(GOOD, "no model 'mode'", "--model", "mode"),
        bad(GOOD, "no such file", "--gold", "nowhere.csv"),
        bad(GOOD, "for '--format': 'xls' is not one of 'csv', 'parquet'", "--format", "xls"),
        bad(GOOD, "Invalid value for '--seed'", "--seed", "-1"),
        bad(GOOD, "seed=-1: choose a whole number", "--model", "majority:seed=-1"),
        bad("annotator,instance,rating\na,x,1\nb,x,2\na,x,1\n", "row 3: annotator 'a' rated", "--duplicates", "error"),
        bad('annotator;instance;rating\na;x;"1,5"\n', "row 1: rating '1,5' has a decimal comma; write it as 1.5"),
        bad("annotator,instance,rating,weight\na,x,1,heavy\n", "row 1: weight 'heavy' is not a number"),
        bad("annotator,instance,rating,timestamp\na,x,1,2024-01-01\na,y,1,noon\n", "row 2: timestamp 'noon'"),
        bad(GOOD, "both name the column 'rating'", "--rating", "rating", "--annotator", "rating"),
    ],
)
def test_bad_input_is_one_line(run, tmp_path, text, flags, message):
    (tmp_path / "in.csv").write_text(text)
    done = run("fit", "in.csv", "-o", "out", *flags)
    assert done.returncode == 2
    assert message in done.stderr
    assert done.stderr.startswith("truegrade: error: ")
    assert done.stderr.count("\n") == 1
    assert done.stdout == ""
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize(
    "content", [b"\x00\x01\x02" * 50, b"\xff\xfea\x00,\x00", "größe,é\n".encode("latin-1"), b"PAR1junk"]
)
def test_what_is_no_table(run, tmp_path, content):
    (tmp_path / "in").write_bytes(content)
    done = run("describe", "in")
    assert done.returncode == 2
    assert done.stderr.count("\n") == 1


def test_gold_off_the_scale(run, ratings, tmp_path):
    run("fit", ratings, "-o", "out")
    (tmp_path / "gold.csv").write_text("instance,gold\nx,9\n")
    done = run("evaluate", "out", "gold.csv")
    assert done.returncode == 2
    assert "instance 'x': gold 9 is off the scale 1..3" in done.stderr


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write anywhere")
def test_no_permission(run, ratings, tmp_path):
    (tmp_path / "locked").mkdir(mode=0o500)
    done = run("fit", ratings, "-o", "locked/out")
    assert done.returncode == 2
    assert "no permission" in done.stderr


def test_an_output_that_is_a_file(run, ratings):
    done = run("fit", ratings, "-o", ratings)
    assert (done.returncode, done.stderr.count("\n")) == (2, 1)
    assert "is a file" in done.stderr


def test_a_full_disk(run, ratings, tmp_path):
    """Files may not grow past 100 bytes here, which fails as a full disk does."""
    run("fit", ratings, "-o", "out")
    before = {p: p.read_bytes() for p in (tmp_path / "out").rglob("*") if p.is_file()}

    def limit():
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (100, 100))

    command = [*COMMAND, "fit", ratings, "-o", tmp_path / "out", "--model", "median"]
    done = subprocess.run(command, capture_output=True, text=True, preexec_fn=limit, check=False)
    assert done.returncode == 2
    assert "cannot be written" in done.stderr
    assert done.stderr.count("\n") == 1
    assert {p: p.read_bytes() for p in (tmp_path / "out").rglob("*") if p.is_file()} == before


def test_a_reader_that_has_seen_enough(ratings):
    rows = "".join(f"a{i % 9},i{i},{i % 5}\n" for i in range(20_000))
    ratings.write_text("annotator,instance,rating\n" + rows)
    main = f"{sys.executable} -c 'import truegrade.cli; truegrade.cli.main()'"
    command = f"{main} fit {ratings} --model mean --json | head -c 10"
    done = subprocess.run(["bash", "-c", command], capture_output=True, text=True, check=True)
    assert done.stderr == ""


INTERRUPT_DURING_THE_FIT = """
import os, signal, sys, threading
from truegrade import cli
from truegrade.models import ordinal_mixture

ascend_all = ordinal_mixture.ascend_all

def interrupted(*arguments, **options):
    threading.Timer(0.5, os.kill, (os.getpid(), signal.SIGINT)).start()
    return ascend_all(*arguments, **options)

ordinal_mixture.ascend_all = interrupted
cli.main(sys.argv[1:])
"""


def test_ctrl_c_keeps_the_best_so_far(tmp_path):
    pq.write_table(simulate(instances=50_000, annotators=900).rows(), tmp_path / "big.parquet")
    command = [sys.executable, "-c", INTERRUPT_DURING_THE_FIT, "fit", "big.parquet", "-o", "out"]
    command += ["--model", "ordinal-mixture:tolerance=1e-300:max_iterations=100000"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 130
    assert "Traceback" not in done.stderr
    record = json.loads((tmp_path / "out" / "fit.json").read_text())
    assert record["status"] == "INTERRUPTED"


def test_ctrl_c_while_reading_writes_nothing(tmp_path):
    command = [*COMMAND, "fit", "-", "-o", "out"]
    process = subprocess.Popen(command, cwd=tmp_path, stdin=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    time.sleep(2)  # it waits for stdin
    process.send_signal(signal.SIGINT)
    _, errors = process.communicate(timeout=60)
    assert process.returncode == 130
    assert "Traceback" not in errors
    assert not (tmp_path / "out").exists()
