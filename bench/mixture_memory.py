"""What a fit of the ordinal mixture keeps in memory at 10M ratings: the growth of the process over all starts.

Each row is a fresh process that holds the encoded ratings before it begins to measure. The starts end after a few
passes: a pass more keeps nothing more.
"""

from __future__ import annotations

import gc
import os
import subprocess
import sys
import threading
from pathlib import Path

import truegrade
from bench._targets import Line, print_lines

RATINGS, INSTANCES, STARTS, PASSES = 10_000_000, 2_618_000, 10, 2
TARGETS = {"responsibility=printed": 20, "responsibility=exact": 20, "difficulty=instance": None}
# The C library would keep what arrays leave behind, here before the measurement and there after it.
RETURN_MEMORY = {"MALLOC_MMAP_THRESHOLD_": "1000000"}


def resident() -> int:
    """Bytes of this process that are in memory."""
    return int(Path("/proc/self/statm").read_text().split()[1]) * 4096


def measure(option: str) -> tuple[float, float]:
    """Bytes per rating: of the encoded ratings without ids, and what the starts of a fit add at their peak."""
    from truegrade.models import ordinal_mixture

    ratings = truegrade.simulate(instances=INSTANCES, annotators=1000, n_ratings=RATINGS, seed=1).ratings
    key, value = option.split("=")
    model = truegrade.OrdinalMixture(starts=STARTS, max_iterations=PASSES, **{key: value})
    small = truegrade.simulate(instances=20, annotators=5, n_ratings=100, seed=1).ratings
    model.fit(small)  # imports what a fit imports

    peak, done = [0.0], threading.Event()
    gc.collect()
    before = resident()

    def watch() -> None:
        while not done.wait(0.001):
            peak[0] = max(peak[0], resident())

    def stop(*_: object) -> None:
        done.set()
        raise KeyboardInterrupt  # the tables of the result are not what is measured here

    ordinal_mixture.mixture_fit = stop
    watcher = threading.Thread(target=watch)
    watcher.start()
    try:
        model.fit(ratings)
    except KeyboardInterrupt:
        watcher.join()
    encoded = ratings.annotator.nbytes + ratings.grade.nbytes + ratings.instance_ptr.nbytes
    return encoded / RATINGS, (peak[0] - before) / RATINGS


def main() -> None:
    if len(sys.argv) > 1:
        print(*measure(sys.argv[1]))
        return
    lines = []
    for option, target in TARGETS.items():
        command = [sys.executable, "-m", "bench.mixture_memory", option]
        result = subprocess.run(command, check=True, capture_output=True, text=True, env=os.environ | RETURN_MEMORY)
        encoded, added = map(float, result.stdout.split())
        lines += [
            Line(f"{STARTS} starts, {option}", added, "B", target),
            Line("  with the encoded ratings, without ids", added + encoded, "B"),
        ]
    print(f"bytes per rating at {RATINGS:,} ratings")
    print_lines(lines)


if __name__ == "__main__":
    main()
