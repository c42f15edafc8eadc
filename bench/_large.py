"""Fits from disk: memory, scratch and time at 1, 10 and 100 million ratings. make bench-large, or SIZES="1 10".

Each fit is a process of its own, with a budget of 1 GB. Memory is that of the whole process: the interpreter, the
libraries, the pass that numbers the ids, twenty passes of one start, and the saving. Time begins after the imports.
"""

from __future__ import annotations

import json
import resource
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path
from typing import Any

import truegrade
from bench._large_data import ANNOTATORS, write_ratings
from bench._targets import Line, print_lines
from truegrade.engines.streaming import make_ready, stream

PASSES, BUDGET = 20, 1.0e9
ENDLESS = {"starts": 1, "max_iterations": PASSES, "tolerance": 1e-300}
MODELS = {
    "ordinal-mixture": truegrade.OrdinalMixture(**ENDLESS),
    "dawid-skene": truegrade.DawidSkene(**ENDLESS),
}


class Clock:
    """Seconds since the last look: on the wall, and of the processor."""

    def __init__(self) -> None:
        self.now = (time.perf_counter(), time.process_time())

    def lap(self) -> tuple[float, float]:
        before, self.now = self.now, (time.perf_counter(), time.process_time())
        return self.now[0] - before[0], self.now[1] - before[1]


def anonymous() -> int:
    """Bytes of this process that are no file's."""
    return int(Path("/proc/self/status").read_text().split("RssAnon:")[1].split()[0]) * 1024


def measure(path: str, name: str, where: str) -> dict[str, Any]:
    """One fit, in this process."""
    peak, done = [0], threading.Event()

    def watch() -> None:
        while not done.wait(0.02):
            peak[0] = max(peak[0], anonymous())

    threading.Thread(target=watch, daemon=True).start()
    make_ready()
    clock, begun = Clock(), Clock()
    if where == "disk":
        ratings: Any = stream(path, memory=f"{BUDGET:.0f}")
    else:
        ratings = truegrade.read(path)
    ingest = clock.lap()
    passes = []
    fit = MODELS[name].fit(ratings, progress=lambda *_: passes.append(clock.lap()))
    with tempfile.TemporaryDirectory() as folder:
        fit.save(folder)
    end, whole = clock.lap(), begun.lap()
    done.set()
    later = passes[1:]  # the first also makes the parts
    return {
        "ratings": ratings.n_ratings,
        "shards": len(getattr(ratings, "sizes", "1")),
        "scratch": ratings.scratch.written if where == "disk" else 0,
        "peak": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024,
        "anonymous": peak[0],
        "ingest": ingest,
        "pass": [min(lap[0] for lap in later), sum(lap[1] for lap in later) / len(later)],
        "mean pass": sum(lap[0] for lap in later) / len(later),
        "end": end,
        "whole": whole,
        "passes": len(passes),
    }


def run(path: Path, name: str, where: str) -> dict[str, Any]:
    command = [sys.executable, "-m", "bench._large", str(path), name, where]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def main() -> None:
    if len(sys.argv) == 4 and sys.argv[3] in {"disk", "memory"}:
        print(json.dumps(measure(*sys.argv[1:])))
        return
    sizes = [int(size) * 10**6 for size in sys.argv[1:]] or [10**6, 10**7, 10**8]
    processor: dict[str, list[float]] = {name: [] for name in MODELS}
    for size in sizes:
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder, "ratings.parquet")
            write_ratings(path, size)
            for name in MODELS:
                found = run(path, name, "disk")
                memory = run(path, name, "memory") if size <= 10**7 else None
                print(f"\n{size:,} ratings by {ANNOTATORS:,} annotators, {name}, {found['shards']} shards")
                print_lines(lines(found, memory))
                assert found["scratch"] > 0
                assert found["passes"] == PASSES
                processor[name].append(found["whole"][1] / found["ratings"])
    print("\nprocessor time per rating, the most by the least of these sizes")
    print_lines([Line(name, max(each) / min(each), "x", 1.5) for name, each in processor.items()])


def lines(found: dict[str, Any], memory: dict[str, Any] | None) -> list[Line]:
    each = 1e9 / found["ratings"]
    told = [
        Line("peak of the whole process", found["peak"] / 1e6, "MB", 1250),
        Line("  of it anonymous", found["anonymous"] / 1e6, "MB"),
        Line("written to scratch", found["scratch"] / 1e6, "MB"),
        Line("reading, two looks at the file: wall", found["ingest"][0] * each, "ns"),
        Line("  processor", found["ingest"][1] * each, "ns"),
        Line("a pass: wall, the best", found["pass"][0] * each, "ns"),
        Line("  wall, the mean", found["mean pass"] * each, "ns"),
        Line("  processor, the mean", found["pass"][1] * each, "ns"),
        Line("the end, saving included: wall", found["end"][0] * each, "ns"),
        Line("everything: wall", found["whole"][0], "s"),
        Line("  processor", found["whole"][1] * each, "ns"),
    ]
    if memory is not None:
        told += [
            Line("a pass beside one in memory: processor", found["pass"][1] / memory["pass"][1], "x", 2),
            Line("  wall, the best", found["pass"][0] / memory["pass"][0], "x", 2),
            Line("peak of the same in memory", memory["peak"] / 1e6, "MB"),
        ]
    return told


if __name__ == "__main__":
    main()
