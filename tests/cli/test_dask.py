"""--engine dask: two workers on this machine, which end with the command however that ends."""

import signal
import subprocess
import sys
import time

import psutil
import pytest
from dask_clusters import cluster, wait_until_gone
from pyarrow import parquet

from truegrade import simulate
from truegrade.rating_tables import rating_table

MODEL = "dawid-skene:pooled=true:max_iterations=10"


@pytest.fixture
def table(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    drawn = simulate(instances=300, annotators=12, ratings_per_instance=4, seed=2)
    table = rating_table(drawn.ratings).drop_columns("row")
    parquet.write_table(table, tmp_path / "ratings.parquet")
    (tmp_path / "parts").mkdir()
    for number in range(3):
        parquet.write_table(table.slice(number * 400, 400), tmp_path / "parts" / f"{number}.parquet")
    return table


def alike(one, other):
    """Whether two truth tables agree to 1e-9."""
    return one["instance"].equals(other["instance"]) and one["estimate"].to_numpy() == pytest.approx(
        other["estimate"].to_numpy(), abs=1e-9
    )


def truth(folder):
    return parquet.read_table(folder / "truth.parquet")


def test_the_workers_find_what_this_process_finds(run, table, tmp_path):
    common = ("--model", MODEL, "--format", "parquet")
    assert run("fit", "ratings.parquet", *common, "-o", "here").returncode == 0
    with cluster(tmp_path) as (address, _):
        there = ("--engine", "dask", "--scheduler", address)
        sent = run("fit", "ratings.parquet", *common, *there, "-o", "sent")
        read = run("fit", "parts", *common, *there, "-o", "read")
        refused = run("fit", "parts", *common, *there, "-o", "refused", "--report")
    assert (sent.returncode, read.returncode, refused.returncode) == (0, 0, 2), sent.stderr + read.stderr
    assert "Dask, 2 workers: a pass sent 4.42 kB to all of them and brought 2.41 kB back" in read.stderr
    assert "--report needs all ratings in this process" in refused.stderr
    assert alike(truth(tmp_path / "sent"), truth(tmp_path / "here"))
    assert alike(truth(tmp_path / "read"), truth(tmp_path / "here"))


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["--scheduler", "tcp://127.0.0.1:9"], "--scheduler is that of --engine dask"),
        (["--engine", "dask", "--memory", "1GB"], "--memory needs all ratings in this process"),
    ],
)
def test_what_does_not_go_together_is_refused(run, table, arguments, told):
    done = run("fit", "ratings.parquet", "--model", "dawid-skene", *arguments)
    assert (done.returncode, done.stdout) == (2, "")
    assert told in done.stderr


def test_without_dask_the_command_says_how_to_get_it(run, table, monkeypatch):
    monkeypatch.setitem(sys.modules, "distributed", None)
    done = run("fit", "ratings.parquet", "--model", "dawid-skene", "--engine", "dask")
    assert done.returncode == 2
    assert done.stderr == "truegrade: error: the engine dask needs Dask: pip install 'truegrade[dask]'\n"


def test_no_worker_outlives_a_command_that_is_killed(table):
    script = "import sys; from truegrade.cli import main; main(sys.argv[1:])"
    endless = "dawid-skene:max_iterations=100000:tolerance=1e-300"
    fit = subprocess.Popen(
        [sys.executable, "-c", script, "fit", "ratings.parquet", "--model", endless, "--engine", "dask", "-q"]
    )
    workers = []
    while len(workers) < 2:
        assert fit.poll() is None
        time.sleep(0.1)
        children = psutil.Process(fit.pid).children(recursive=True)
        workers = [one.pid for one in children if "spawn_main" in " ".join(one.cmdline())]
    fit.send_signal(signal.SIGKILL)
    fit.wait()
    assert wait_until_gone(workers) == []


@pytest.mark.slow
def test_one_cluster_after_the_other(tmp_path):
    script = "from truegrade.engines.dask import DaskEngine\nfor _ in range(2):\n    DaskEngine().close()"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
