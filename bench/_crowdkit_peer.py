"""Run by the peer's own Python, which has neither truegrade nor this package: python _crowdkit_peer.py METHOD FOLDER N.

Reads ratings.parquet, fits, writes answers.parquet (task, label, expected) and prints what it took as JSON.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from time import perf_counter, process_time

import pandas as pd
from crowdkit.aggregation import DawidSkene


def megabytes(field: str) -> float:
    status = Path("/proc/self/status").read_text()
    return next(int(line.split()[1]) for line in status.splitlines() if line.startswith(field)) / 1000


def dawid_skene(frame: pd.DataFrame, iterations: int) -> pd.DataFrame:
    model = DawidSkene(n_iter=iterations, tol=-1e300)  # so that nothing stops it before
    model.fit_predict_proba(frame)
    if len(model.loss_history_) != iterations:
        raise SystemExit(f"crowd-kit stopped after {len(model.loss_history_)} of {iterations} iterations")
    return model.probas_


METHODS = {"dawid-skene": dawid_skene}


def main(method: str, folder: str, iterations: str) -> None:
    before = megabytes("VmRSS")
    frame = pd.read_parquet(Path(folder, "ratings.parquet"))
    start, cpu = perf_counter(), process_time()
    probabilities = METHODS[method](frame, int(iterations))
    taken = {"seconds": perf_counter() - start, "cpu": process_time() - cpu}
    peak = megabytes("VmHWM") - before
    answers = {
        "task": probabilities.index,
        "label": probabilities.columns.to_numpy()[probabilities.to_numpy().argmax(axis=1)],
        "expected": probabilities.to_numpy() @ probabilities.columns.to_numpy(),
    }
    pd.DataFrame(answers).to_parquet(Path(folder, "answers.parquet"))
    print(json.dumps({**taken, "peak": peak}))


if __name__ == "__main__":
    main(*sys.argv[1:])
