"""Simulating 1M ratings, and encoding them, in seconds."""

from __future__ import annotations

from time import perf_counter

import truegrade
from bench._targets import Line, print_lines

RATINGS, INSTANCES, ROUNDS = 1_000_000, 250_000, 3


def seconds() -> float:
    start = perf_counter()
    drawn = truegrade.simulate(instances=INSTANCES, annotators=1000, n_ratings=RATINGS, seed=1)
    taken = perf_counter() - start
    assert drawn.ratings.n_ratings == RATINGS
    return taken


def main() -> None:
    print_lines([Line("simulate 1M ratings", min(seconds() for _ in range(ROUNDS)), "s", 2)])


if __name__ == "__main__":
    main()
