"""--checkpoint and --resume: a fit that is killed in mid-iteration, in a process of its own, and gone on with."""

import signal
import subprocess
import sys
import time

import pytest

from truegrade import simulate
from truegrade.rating_tables import rating_table
from truegrade.tables import write_table

MODEL = "ordinal-mixture:starts=2:max_iterations=150:tolerance=1e-15"
FIT = ["fit", "ratings.parquet", "--model", MODEL, "--seed", "1"]


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    drawn = simulate(instances=4_000, annotators=50, ratings_per_instance=5, seed=2)
    write_table(rating_table(drawn.ratings), tmp_path / "ratings.parquet")
    return tmp_path


def started(*arguments):
    script = "import sys; from truegrade.cli import main; main(sys.argv[1:])"
    return subprocess.Popen([sys.executable, "-c", script, *arguments], stderr=subprocess.PIPE, text=True)


def files(folder):
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_a_fit_that_is_killed_and_resumed_writes_the_same_files(folder, run):
    path = folder / "kept"
    fit = started(*FIT, "-o", "again", "--checkpoint", "kept", "--checkpoint-every", "1", "--quiet")
    while not path.exists():
        assert fit.poll() is None, fit.stderr.read()
        time.sleep(0.01)
    fit.send_signal(signal.SIGKILL)
    fit.communicate()
    assert fit.returncode == -signal.SIGKILL
    assert not (folder / "again").exists()

    refused = run(*FIT, "-o", "again", "--checkpoint", "kept")
    assert (refused.returncode, refused.stdout) == (2, "")
    assert refused.stderr.startswith("truegrade: error: kept: holds a fit that was begun before; pass --resume")
    other = run("fit", "ratings.parquet", "--model", "glad", "--checkpoint", "kept", "--resume")
    assert (other.returncode, other.stderr.count("\n")) == (2, 1)
    assert "kept: the checkpoint holds a fit of ordinal-mixture, this is one of glad" in other.stderr

    assert run(*FIT, "-o", "again", "--checkpoint", "kept", "--resume", "--quiet").returncode == 0
    assert run(*FIT, "-o", "whole", "--quiet").returncode == 0
    assert files(folder / "again") == files(folder / "whole")
    assert sorted(p.name for p in folder.iterdir()) == ["again", "ratings.parquet", "whole"]  # no checkpoint is left


def test_resume_begins_anew_where_there_is_no_checkpoint_yet(folder, run):
    command = [*FIT, "-o", "out", "--checkpoint", "kept", "--resume", "--quiet"]
    assert run(*command).returncode == 0
    assert not (folder / "kept").exists()


def test_resume_needs_a_checkpoint(run):
    done = run("fit", "ratings.csv", "--resume")
    assert done.returncode == 2
    assert "say which with --checkpoint FILE" in done.stderr
