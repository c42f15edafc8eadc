"""What starting costs: `import truegrade` and `truegrade --help` beside `import numpy`, each in a fresh process.

The time of a bare interpreter is taken off, so that the ratios speak of the imports alone.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from time import perf_counter

from bench._targets import Line, print_lines

ROUNDS = 15
COMMANDS = {
    "bare": [sys.executable, "-c", "pass"],
    "numpy": [sys.executable, "-c", "import numpy"],
    "truegrade": [sys.executable, "-c", "import truegrade"],
    "help": [str(Path(sys.executable).with_name("truegrade")), "--help"],
}


def seconds(command: list[str]) -> float:
    start = perf_counter()
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    return perf_counter() - start


def main() -> None:
    rounds = [{name: seconds(command) for name, command in COMMANDS.items()} for _ in range(ROUNDS)]
    best = {name: min(times[name] for times in rounds) for name in COMMANDS}
    taken = {name: time - best["bare"] for name, time in best.items()}
    print_lines(
        [
            Line("a bare interpreter", 1000 * best["bare"], "ms"),
            Line("import numpy, beyond it", 1000 * taken["numpy"], "ms"),
            Line("import truegrade / import numpy", taken["truegrade"] / taken["numpy"], "x", 1.3),
            Line("truegrade --help / import numpy", taken["help"] / taken["numpy"], "x", 4),
            Line("truegrade --help / import numpy, whole processes", best["help"] / best["numpy"], "x"),
        ]
    )


if __name__ == "__main__":
    main()
