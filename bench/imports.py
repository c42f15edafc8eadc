"""What starting costs: `import truegrade` and `truegrade --help` beside `import numpy`, each in a fresh process.

Imports are timed inside the process. Of `--help`, the time of a bare interpreter is taken off.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from time import perf_counter

from bench._targets import Line, print_lines

ROUNDS = 15
BARE = [sys.executable, "-c", "pass"]
HELP = [str(Path(sys.executable).with_name("truegrade")), "--help"]


def process_seconds(command: list[str]) -> float:
    start = perf_counter()
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    return perf_counter() - start


def import_seconds(name: str) -> float:
    script = f"from time import perf_counter as now; start = now(); import {name}; print(now() - start)"
    return float(subprocess.run([sys.executable, "-c", script], check=True, capture_output=True).stdout)


def main() -> None:
    rounds = [
        (import_seconds("numpy"), import_seconds("truegrade"), process_seconds(BARE), process_seconds(HELP))
        for _ in range(ROUNDS)
    ]
    numpy, truegrade, bare, with_help = map(min, zip(*rounds, strict=True))
    print_lines(
        [
            Line("import numpy", 1000 * numpy, "ms"),
            Line("import truegrade / import numpy", truegrade / numpy, "x", 1.3),
            Line("truegrade --help / import numpy", (with_help - bare) / numpy, "x", 4),
        ]
    )


if __name__ == "__main__":
    main()
