"""Reading and encoding 10M ratings of 2.5M instances, beside pyarrow and pandas on the same file in the same run.

Text ids, rows in no order. Every run is a process of its own: seconds without imports, and the peak of resident
memory above what the imports took. Rounds alternate between the libraries; the best of each counts.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np

from bench._targets import Line, print_lines

RATINGS, INSTANCES, ANNOTATORS, GRADES = 10_000_000, 2_500_000, 5_000, 5
ROUNDS = 3
COLUMNS = ["annotator", "instance", "rating"]


def write_files(folder: Path) -> int:
    """Write ratings.parquet and ratings.csv; returns the bytes of the Arrow table that they hold."""
    import pyarrow as pa
    from pyarrow import csv, parquet

    rng = np.random.default_rng(0)
    annotators = pa.array([f"annotator-{i:04d}" for i in range(ANNOTATORS)])
    instances = pa.array([f"document-{i:07d}" for i in range(INSTANCES)])
    table = pa.table(
        {
            "annotator": annotators.take(pa.array(rng.integers(0, ANNOTATORS, RATINGS))),
            "instance": instances.take(pa.array(rng.permutation(np.arange(RATINGS) % INSTANCES))),
            "rating": rng.integers(1, GRADES + 1, RATINGS, dtype=np.int8),
        }
    )
    parquet.write_table(table, folder / "ratings.parquet")
    csv.write_csv(table, folder / "ratings.csv")
    return table.nbytes


def by_truegrade(path: str) -> Any:
    import truegrade

    return truegrade.read(path)


def by_pyarrow(path: str) -> Any:
    from pyarrow import csv, parquet

    table = parquet.read_table(path, columns=COLUMNS) if path.endswith("parquet") else csv.read_csv(path)
    return [table[name].dictionary_encode() for name in COLUMNS[:2]], table["rating"]


def by_pandas(path: str) -> Any:
    import pandas as pd

    frame = pd.read_parquet(path, columns=COLUMNS) if path.endswith("parquet") else pd.read_csv(path)
    return [pd.factorize(frame[name]) for name in COLUMNS[:2]], frame["rating"]


READERS = {"truegrade": by_truegrade, "pyarrow": by_pyarrow, "pandas": by_pandas}
IMPORTS = {
    "truegrade": ["pyarrow.parquet", "pyarrow.csv", "pyarrow.compute", "truegrade.encode", "truegrade.readers"],
    "pyarrow": ["pyarrow.parquet", "pyarrow.csv"],
    "pandas": ["pandas", "pyarrow.parquet"],
}


def megabytes(field: str) -> float:
    """A field of /proc/self/status; VmHWM is the peak of VmRSS."""
    status = Path("/proc/self/status").read_text()
    return next(int(line.split()[1]) for line in status.splitlines() if line.startswith(field)) / 1000


def measure_here(reader: str, path: str) -> None:
    """In a process of its own: print seconds, and MB beyond the imports."""
    from importlib import import_module

    for name in IMPORTS[reader]:
        import_module(name)
    before = megabytes("VmRSS")
    start = perf_counter()
    kept = READERS[reader](path)
    seconds = perf_counter() - start
    print(json.dumps({"seconds": seconds, "peak": megabytes("VmHWM") - before}))
    del kept


def measure(reader: str, path: Path) -> dict[str, float]:
    command = [sys.executable, "-m", "bench.reading", reader, str(path)]
    return json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)


def best_of_rounds(path: Path) -> dict[str, dict[str, float]]:
    """The least seconds and the least peak of each library."""
    runs = [{reader: measure(reader, path) for reader in READERS} for _ in range(ROUNDS)]
    return {reader: {key: min(run[reader][key] for run in runs) for key in ("seconds", "peak")} for reader in READERS}


def report(kind: str, best: dict[str, dict[str, float]], table: float) -> list[Line]:
    """The lines of one format; only Parquet has targets. `table` is the size of the Arrow table in MB."""
    ours = best["truegrade"]["seconds"]
    limit = table + 12 * RATINGS / 1e6
    lines = [
        *(Line(reader, best[reader]["seconds"], "s") for reader in READERS),
        Line("truegrade / pyarrow read + dictionary_encode", ours / best["pyarrow"]["seconds"], "x", 1.5),
        Line("truegrade / pandas read + factorize", ours / best["pandas"]["seconds"], "x", 1),
        Line("peak memory of truegrade", best["truegrade"]["peak"], "MB", limit),
        *(Line(f"peak memory of {reader}", best[reader]["peak"], "MB") for reader in ("pyarrow", "pandas")),
    ]
    return [
        line._replace(what=f"{kind}: {line.what}", target=line.target if kind == "parquet" else None) for line in lines
    ]


def main() -> None:
    with tempfile.TemporaryDirectory() as name:
        table = write_files(Path(name)) / 1e6
        print(f"the Arrow table takes {table:.0f} MB; the target for memory is that and 12 B per rating")
        lines = [
            line
            for kind in ("parquet", "csv")
            for line in report(kind, best_of_rounds(Path(name, f"ratings.{kind}")), table)
        ]
        print_lines(lines)


if __name__ == "__main__":
    measure_here(*sys.argv[1:]) if len(sys.argv) > 1 else main()
