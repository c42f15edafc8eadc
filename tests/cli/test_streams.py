"""Outputs that are full, closed or read no further, and the Ctrl-C of a user in a hurry."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from truegrade import simulate

CALL = f"{sys.executable} -c 'import truegrade.cli; truegrade.cli.main()'"
GOOD = "annotator,instance,rating\na,x,1\nb,x,2\na,y,3\nb,y,3\n"

needs_dev_full = pytest.mark.skipif(not Path("/dev/full").exists(), reason="this system has no /dev/full")


@pytest.fixture
def shell(tmp_path):
    """Run a line of bash in a folder with good.csv; every $T in it is the command."""
    (tmp_path / "good.csv").write_text(GOOD)

    def call(line, **options):
        line = line.replace("$T", CALL)
        command = ["bash", "-o", "pipefail", "-c", line]
        return subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False, **options)

    return call


@needs_dev_full
@pytest.mark.parametrize(
    "arguments", ["fit good.csv --model mean", "fit good.csv --model mean --json", "describe good.csv", "--help"]
)
def test_a_full_output_is_one_line_and_no_bug(shell, arguments):
    done = shell(f"$T {arguments} > /dev/full")
    assert done.returncode == 2
    assert done.stderr == (
        "truegrade: error: standard output: No space left on device; free some space, or choose another place\n"
    )


@pytest.mark.parametrize(
    "line",
    [
        "$T fit good.csv --model mean >&-",
        "$T fit good.csv --model mean -o out >&-",
        "$T fit good.csv --model mean 2>&-",
    ],
)
def test_closed_streams_are_no_error(shell, line, tmp_path):
    done = shell(line)
    assert (done.returncode, done.stderr) == (0, "")
    assert (tmp_path / "out").exists() == ("-o" in line)


@pytest.mark.parametrize("line", ["$T fit nowhere.csv 2>&-", "$T fit nowhere.csv 2>/dev/full", "$T fit - <&-"])
def test_an_error_keeps_its_code_where_nobody_can_be_told(shell, line):
    if "/dev/full" in line and not Path("/dev/full").exists():
        pytest.skip("this system has no /dev/full")
    assert shell(line).returncode == 2


@pytest.mark.parametrize(
    "line",
    ["$T fit good.csv --model mean | head -1", "$T --help | head -1", "$T fit good.csv --model mean --json | true"],
)
def test_a_reader_that_stops_early_is_no_error(shell, line):
    # Unbuffered: every line meets the closed pipe by itself.
    done = shell(line, env={**os.environ, "PYTHONUNBUFFERED": "1"})
    assert (done.returncode, done.stderr) == (0, "")


def test_without_arguments_the_help_is_told(shell):
    done = shell("$T")
    assert done.returncode == 2
    assert done.stderr.startswith("Usage: truegrade")
    assert "\n  describe " in done.stderr


INTERRUPT_TWICE = """
import os, signal, sys, threading
from truegrade import cli
from truegrade.models import _em

step, told = _em.ascend, threading.Event()

def slow(*arguments, **options):
    # The first Ctrl-C comes in the first pass, the second while the passes end.
    if not told.is_set():
        told.set()
        os.kill(os.getpid(), signal.SIGINT)
        for more in (0.3, 0.6, 0.9):  # a user in a hurry
            threading.Timer(more, os.kill, (os.getpid(), signal.SIGINT)).start()
        threading.Event().wait(1.0)
    return step(*arguments, **options)

_em.ascend = slow
cli.main(sys.argv[1:])
"""


def test_a_second_ctrl_c_writes_nothing(tmp_path):
    pq.write_table(simulate(instances=200, annotators=20).rows(), tmp_path / "ratings.parquet")
    command = [sys.executable, "-c", INTERRUPT_TWICE, "fit", "ratings.parquet", "-o", "out"]
    command += ["--model", "ordinal-mixture:starts=1"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=60, check=False)
    assert (done.returncode, done.stdout) == (130, "")
    assert done.stderr == "truegrade: interrupted\n"
    assert not (tmp_path / "out").exists()


INTERRUPT_WHILE_SAVING = """
import os, signal, sys
from truegrade import cli, fit_files

def write(*arguments):
    os.kill(os.getpid(), signal.SIGINT)

fit_files.write_table = write
cli.main(sys.argv[1:])
"""


def test_ctrl_c_while_saving_leaves_the_old_fit(tmp_path, shell):
    assert shell("$T fit good.csv --model mean -o out").returncode == 0
    before = {p: p.read_bytes() for p in (tmp_path / "out").rglob("*") if p.is_file()}
    command = [sys.executable, "-c", INTERRUPT_WHILE_SAVING, "fit", "good.csv", "-o", "out", "--model", "median"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=60, check=False)
    assert (done.returncode, done.stderr) == (130, "truegrade: interrupted\n")
    assert {p: p.read_bytes() for p in (tmp_path / "out").rglob("*") if p.is_file()} == before
    assert json.loads((tmp_path / "out" / "fit.json").read_text())["model"] == "mean"
