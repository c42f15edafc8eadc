"""truegrade beside crowd-kit on the same simulated ratings in the same run.

crowd-kit gets a virtual environment of its own, made on first use; where that fails this benchmark is skipped. Every
fit is a process of its own. Peaks are of resident memory beyond what the imports took, reading included. Both do a
fixed number of iterations; seconds are of the fit alone.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from pathlib import Path
from time import perf_counter, process_time
from typing import NamedTuple

import numpy as np

from bench._targets import Line, print_lines
from bench.reading import megabytes

PACKAGE = "crowd-kit==1.4.2"
HOME = Path(sys.prefix) / "crowd-kit"
PEER = Path(__file__).with_name("_crowdkit_peer.py")
ROUNDS = 3


class Contest(NamedTuple):
    """One method of both, and how much faster and smaller truegrade must be."""

    method: str  # in the peer's METHODS
    model: str  # truegrade's, without its number of iterations
    ratings: int
    instances: int
    annotators: int
    iterations: int
    faster: float
    smaller: float


CONTESTS = (Contest("dawid-skene", "dawid-skene:starts=1:tolerance=1e-300", 1_200_000, 240_000, 1_200, 100, 50, 3),)


def install() -> str:
    """Make the environment where there is none; returns what is wrong, or nothing."""
    if (HOME / "installed").exists():
        return ""
    python = HOME / "bin" / "python"
    for command in ([sys.executable, "-m", "venv", HOME], [python, "-m", "pip", "install", "--quiet", PACKAGE]):
        done = subprocess.run(command, check=False, capture_output=True, text=True)
        if done.returncode:
            return done.stderr.strip().splitlines()[-1] if done.stderr.strip() else "no message"
    (HOME / "installed").touch()
    return ""


def draw(contest: Contest, folder: Path) -> np.ndarray:
    """Write ratings.parquet; returns the true grade of every task."""
    import pyarrow as pa
    from pyarrow import parquet

    import truegrade

    drawn = truegrade.simulate(
        instances=contest.instances, annotators=contest.annotators, n_ratings=contest.ratings, grades=5, seed=0
    )
    r = drawn.ratings
    columns = {"task": r.instance_of(), "worker": r.annotator, "label": r.grade.astype(np.int64) + 1}
    table = pa.table(columns).take(np.random.default_rng(0).permutation(r.n_ratings))
    parquet.write_table(table, folder / "ratings.parquet")
    return drawn.truth_grade.astype(np.int64) + 1


def fit_here(model: str, folder: str, iterations: str) -> None:
    """In a process of its own: what the peer's script does."""
    import pandas as pd  # noqa: F401  pyarrow takes it in, where it is installed; crowd-kit's is not counted either
    import pyarrow as pa
    import pyarrow.compute
    from pyarrow import parquet

    import truegrade
    from truegrade import readers  # noqa: F401
    from truegrade.models import make_model
    from truegrade.models.dawid_skene import DawidSkene  # noqa: F401

    before = megabytes("VmRSS")
    ratings = truegrade.read(str(Path(folder, "ratings.parquet")))
    start, cpu = perf_counter(), process_time()
    fit = make_model(model, {"max_iterations": int(iterations)}).fit(ratings)
    taken = {"seconds": perf_counter() - start, "cpu": process_time() - cpu}
    peak = megabytes("VmHWM") - before
    assert fit.iterations == int(iterations)
    p = fit.posterior
    columns = {"task": fit.instance_ids.labels, "label": p.grade(fit.scale)[fit.instance_ids.code] + 1}
    columns["expected"] = p.estimate[fit.instance_ids.code]
    parquet.write_table(pa.table(columns), Path(folder, "answers.parquet"))
    print(json.dumps({**taken, "peak": peak}))


def measure(command: list[str], folder: Path, truth: np.ndarray) -> dict[str, float]:
    """What one run took, and how right its answers are."""
    from pyarrow import parquet

    done = subprocess.run([str(part) for part in command], check=True, stdout=subprocess.PIPE, text=True)
    answers = parquet.read_table(folder / "answers.parquet", columns=["task", "label", "expected"])
    wanted = truth[answers["task"].to_numpy()]
    return {
        **json.loads(done.stdout.splitlines()[-1]),
        "accuracy": float(np.mean(answers["label"].to_numpy() == wanted)),
        "mse": float(np.mean((answers["expected"].to_numpy() - wanted) ** 2)),
    }


def report(contest: Contest, folder: Path) -> None:
    truth = draw(contest, folder)
    print(f"\n{contest.method}: {contest.ratings} ratings, {contest.annotators} annotators, 5 grades")
    # -P: this folder has a crowdkit of its own.
    peer = [HOME / "bin" / "python", "-P", PEER, contest.method, folder, contest.iterations]
    theirs = measure(peer, folder, truth)
    command = [sys.executable, "-m", "bench.crowdkit", contest.model, folder, contest.iterations]
    runs = [measure(command, folder, truth) for _ in range(ROUNDS)]
    ours = {key: min(run[key] for run in runs) for key in runs[0]}
    each = 1000 / contest.iterations
    lines = [
        Line(f"{name}, {what}", run[key] * factor, unit)
        for what, key, factor, unit in (
            ("an iteration", "seconds", each, "ms"),
            ("processor time of an iteration", "cpu", each, "ms"),
            ("peak memory", "peak", 1, "MB"),
            ("accuracy", "accuracy", 100, "%"),
            ("MSE of the expected grade", "mse", 1, ""),
        )
        for name, run in (("crowd-kit", theirs), ("truegrade", ours))
    ]
    for what, key, least in (
        ("time", "seconds", contest.faster),
        ("processor time", "cpu", None),
        ("peak memory", "peak", contest.smaller),
    ):
        target = None if least is None else 1 / least
        lines.append(Line(f"{what}, truegrade / crowd-kit", ours[key] / theirs[key], "x", target))
    print_lines(lines)


def main() -> None:
    wrong = install()
    if wrong:
        print(f"skipped: {PACKAGE} cannot be installed here: {wrong}")
        return
    for contest in CONTESTS:
        with tempfile.TemporaryDirectory() as folder:
            report(contest, Path(folder))


if __name__ == "__main__":
    fit_here(*sys.argv[1:]) if len(sys.argv) > 1 else main()
