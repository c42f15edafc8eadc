"""truegrade fit --memory: ratings from disk, and nothing left there whatever happens."""

import json
import resource
import signal
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from pyarrow import parquet

COMMAND = [sys.executable, "-c", "from truegrade.cli import main; main()"]


def write_ratings(path, rows, instances, annotators=20, seed=0):
    """Ratings of uniform truths by annotators of different noise, a few at a time."""
    rng, schema = np.random.default_rng(seed), None
    for at in range(0, rows, 1 << 20):
        size = min(rows - at, 1 << 20)
        item, worker = rng.integers(0, instances, size), rng.integers(0, annotators, size)
        grade = np.clip(np.round(1 + item * 7919 % 5 + rng.normal(size=size) * (0.3 + worker % 7 / 5)), 1, 5)
        table = pa.table({"worker": worker, "item": item, "rating": grade.astype(np.int8)})
        if schema is None:
            schema, writer = table.schema, parquet.ParquetWriter(path, table.schema)
        writer.write_table(table)
    writer.close()


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A folder of three files."""
    folder = tmp_path_factory.mktemp("ratings")
    for part in range(3):
        write_ratings(folder / f"part-{part}.parquet", 20_000, 6000, seed=part)
    return folder


def run(*arguments, **options):
    return subprocess.run([*COMMAND, *map(str, arguments)], capture_output=True, text=True, check=False, **options)


def test_a_folder_is_fitted_within_a_budget(folder, tmp_path):
    chosen = ("--model", "dawid-skene", "--set", "max_iterations=5", "--set", "starts=1", "--memory", "1GB")
    done = run("fit", folder, *chosen, "-o", tmp_path / "fit", "--json")
    record = json.loads(done.stdout)
    assert (done.returncode, record["iterations"], record["counts"]["ratings"]) == (0, 5, 60_000)
    assert {path.name for path in (tmp_path / "fit").iterdir()} == {"truth.csv", "annotators.csv", "fit.json", "arrays"}
    shown = run("fit", folder, *chosen).stdout
    assert f"... and {record['counts']['instances'] - 10} more" in shown


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (("--memory", "much"), "--memory much: is no size; write it like 512MB or 4GB"),
        (("--memory", "20MB"), "--memory 20MB is too little for this input; pass at least"),
        (("--memory", "1GB", "--report", "-o", "x"), "--report needs everything in memory"),
        (("--memory", "1GB", "--responsibilities"), "--responsibilities needs everything in memory"),
        (("--memory", "1GB", "--json"), "--json without -o needs everything in memory"),
        (("--memory", "1GB", "--model", "auto"), "auto needs everything in memory; pass another --model"),
        (("--memory", "1GB", "--wide"), "a wide matrix cannot be streamed"),
        (("--memory", "1GB", "--from", "toloka"), "--from is for exports, which cannot be streamed"),
        (("--memory", "1GB", "--scratch", "/nowhere"), "/nowhere: is no folder for scratch files"),
        (("--scratch", "/nowhere"), "--scratch is for the temporary files of --memory"),
    ],
)
def test_what_does_not_go_with_it_is_said_in_one_line(folder, arguments, told):
    done = run("fit", folder, "--model", "dawid-skene", *arguments)
    assert done.returncode == 2
    assert told in done.stderr
    assert done.stderr.count("\n") == 1


def test_the_least_budget_that_is_named_works(folder):
    told = run("fit", folder, "--model", "dawid-skene", "--memory", "20MB").stderr
    least = told.split("at least ")[1].split()[0]
    assert run("fit", folder, "--model", "dawid-skene", "--memory", least).returncode == 0


def test_a_full_disk_is_told_and_nothing_is_left(folder, tmp_path):
    def full():
        resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, 100_000))

    scratch = tmp_path / "scratch"
    scratch.mkdir()
    done = run("fit", folder, "--model", "dawid-skene", "--memory", "1GB", "--scratch", scratch, preexec_fn=full)
    assert done.returncode == 2
    assert f"{scratch}: cannot hold more scratch files (File too large" in done.stderr
    assert done.stderr.count("\n") == 1
    assert list(scratch.iterdir()) == []


def test_a_killed_fit_leaves_nothing(folder, tmp_path):
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    endless = ("--set", "pooled=true", "--set", "starts=100000")
    command = [*COMMAND, "fit", str(folder), "--model", "dawid-skene", *endless, "--memory", "1GB"]
    process = subprocess.Popen([*command, "--scratch", str(scratch), "-o", str(tmp_path / "fit")])
    end = time.monotonic() + 60
    while not in_use(process.pid, scratch) and time.monotonic() < end:
        time.sleep(0.05)
    assert in_use(process.pid, scratch)
    process.send_signal(signal.SIGKILL)
    process.wait()
    assert list(scratch.iterdir()) == []
    assert not (tmp_path / "fit").exists()


def in_use(process, folder):
    """How many files in a folder, named or not, a process has open."""
    found = 0
    for entry in Path(f"/proc/{process}/fd").iterdir():
        with suppress(FileNotFoundError):
            found += str(entry.readlink()).startswith(str(folder))
    return found


@pytest.mark.slow
@pytest.mark.parametrize("memory", [300, 500])
def test_the_process_keeps_to_its_budget(tmp_path, memory):
    write_ratings(tmp_path / "r.parquet", 8_000_000, 2_000_000, annotators=5000)
    script = (
        "import resource, sys; from truegrade.cli import run; code = run(sys.argv[1:]);"
        "print(code, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)"
    )
    chosen = ["--model", "dawid-skene", "--set", "max_iterations=3", "--memory", f"{memory}MB", "-q"]
    command = [sys.executable, "-c", script, "fit", str(tmp_path / "r.parquet"), *chosen, "-o", str(tmp_path / "fit")]
    code, peak = map(int, subprocess.run(command, capture_output=True, text=True, check=True).stdout.split())
    assert code == 0
    assert peak * 1024 <= memory * 1.1e6
