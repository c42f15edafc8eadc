"""Fits on a local Dask cluster of 1, 2 and 4 workers: time, processor time and bytes. make bench-dask, or SIZES="1".

Workers are processes of one thread each, that talk over loopback. With more workers than cores the wall clock says
little; what a rating costs the processors, and what travels, is the same everywhere.
"""

from __future__ import annotations

import os
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import psutil
import pyarrow as pa
from pyarrow import parquet

import truegrade
from bench._large_data import ANNOTATORS, GRADES, write_ratings
from bench._targets import Line, print_lines
from truegrade.engines.cluster import local_client
from truegrade.engines.dask import DaskEngine

PASSES, FILES = 10, 8
ENDLESS = {"starts": 1, "max_iterations": PASSES, "tolerance": 1e-300}
MODELS = {
    "ordinal-mixture": truegrade.OrdinalMixture(**ENDLESS),
    "dawid-skene": truegrade.DawidSkene(**ENDLESS),
}


def write_files(folder: Path, ratings: int) -> None:
    """The ratings of bench-large, as several files."""
    with tempfile.TemporaryDirectory() as scratch:
        whole = Path(scratch, "ratings.parquet")
        write_ratings(whole, ratings)
        for number, batch in enumerate(parquet.ParquetFile(whole).iter_batches(-(-ratings // FILES))):
            parquet.write_table(pa.Table.from_batches([batch]), folder / f"part-{number}.parquet")


def processor(client: Any) -> float:
    """Seconds of processor time of all workers."""
    times = [psutil.Process(pid).cpu_times() for pid in client.run(os.getpid).values()]
    return sum(t.user + t.system for t in times)


def between_workers(client: Any) -> int:
    """Bytes that workers have fetched from one another."""
    logs = client.run(lambda dask_worker: [entry["total"] for entry in dask_worker.transfer_incoming_log])
    return sum(map(sum, logs.values()))


def measure(folder: Path, size: int, workers: int) -> None:
    with local_client(workers) as client:
        engine = DaskEngine(client)
        begun, used = time.perf_counter(), processor(client)
        ratings = engine.read(folder)
        each = 1e9 / size
        print(f"\n{size:,} ratings by {ANNOTATORS:,} annotators, {workers} workers, {len(ratings.sizes)} shards")
        told = [
            Line("reading: wall", (time.perf_counter() - begun) * each, "ns"),
            Line("  processors", (processor(client) - used) * each, "ns"),
        ]
        for name, model in MODELS.items():
            told += lines(name, model, ratings, engine, client)
        print_lines(told)


def lines(name: str, model: Any, ratings: Any, engine: DaskEngine, client: Any) -> list[Line]:
    """What ten passes cost; the first, which also makes the parts, is not counted."""
    seen: list[tuple[float, float, int, int, int]] = []

    def look(*_: object) -> None:
        t = engine.traffic
        seen.append((time.perf_counter(), processor(client), between_workers(client), t.message_bytes, t.sums_bytes))

    model.fit(ratings, progress=look, engine=engine)
    wall, used, fetched, out, back = (
        (last - first) / (len(seen) - 1) for first, last in zip(seen[0], seen[-1], strict=True)
    )
    each = 1e9 / ratings.n_ratings
    return [
        Line(f"{name}, a pass: wall", wall * each, "ns"),
        Line("  processors", used * each, "ns"),
        Line("  messages to all shards", out / ANNOTATORS, "B per annotator"),
        Line("  sums back", back / ANNOTATORS, "B per annotator"),
        Line("  between workers", fetched / ANNOTATORS, "B per annotator"),
    ]


def main() -> None:
    sizes = [int(size) * 10**6 for size in sys.argv[1:]] or [10**6, 10**7]
    print(f"tables of {GRADES} grades; {os.cpu_count()} cores")
    for size in sizes:
        with tempfile.TemporaryDirectory() as folder:
            write_files(Path(folder), size)
            for workers in (1, 2, 4):
                measure(Path(folder), size, workers)


if __name__ == "__main__":
    main()
