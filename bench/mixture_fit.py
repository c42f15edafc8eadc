"""Time whole fits of the ordinal mixture, ten starts each, and count the passes that long steps for eps save.

The TREC 2010 relevance feedback ratings are used where they are (TRUEGRADE_DATA), else a simulation of their size.
Times are seconds of this machine: look at them on two idle cores.
"""

from __future__ import annotations

from dataclasses import replace
from statistics import median
from time import perf_counter

from bench._targets import Line, print_lines
from truegrade import OrdinalMixture, Ratings, Status, simulate
from truegrade.errors import TruegradeError
from truegrade.models._em import Outcome, ascend
from truegrade.models._mixture_problem import MixtureProblem, place_mixture

ROUNDS = 2
TREC = {"instances": 20_026, "annotators": 762, "categories": 100, "grades": 3, "n_ratings": 91_783}
PAPER = {"instances": 10_462, "annotators": 51, "categories": 601, "n_ratings": 40_340, "spammers": 0.15}


def trec() -> tuple[str, Ratings]:
    from truegrade.datasets import load

    try:
        return "TREC", load("trec-rf10").ratings
    except TruegradeError:
        return "TREC's size", simulate(**TREC).ratings


def seconds(model: OrdinalMixture, ratings: Ratings) -> float:
    times = []
    for _ in range(ROUNDS):
        start = perf_counter()
        model.fit(ratings)
        times.append(perf_counter() - start)
    return min(times)


def passes(ratings: Ratings, difficulty: str, *, long_steps: bool) -> int:
    """How many passes the first start takes until it stops."""
    import threading

    model = OrdinalMixture(responsibility="exact", difficulty=difficulty)
    start = MixtureProblem.of(model, place_mixture(model, ratings, None), None).start(0, None)
    start.earnest = replace(start.earnest, newton=long_steps)
    rule, begun = model.stop_rule(ratings), Outcome(0, start, Status.MAX_ITER)
    kept = {"stopped": threading.Event(), "progress": None, "keep": lambda *_: None}
    return len(ascend(begun, rule, monotone=True, **kept).trace)


def main() -> None:
    name, ratings = trec()
    lines = [
        Line(f"ten starts on {name}, {text}", seconds(OrdinalMixture(**options), ratings), "s", 3.0)
        for text, options in (
            ("difficulty none", {}),
            ("difficulty category", {"difficulty": "category"}),
            ("difficulty instance", {"difficulty": "instance"}),
            ("exact", {"responsibility": "exact"}),
        )
    ]
    ratios = []
    for difficulty in ("none", "category", "instance"):
        for seed in range(3):
            drawn = simulate(**PAPER, difficulty=difficulty, seed=seed).ratings
            plain, long = (passes(drawn, difficulty, long_steps=wanted) for wanted in (False, True))
            ratios.append(long / plain)
    lines.append(Line("passes with long steps / with plain ones (exact), median of 9", median(ratios), "x", 0.5))
    lines.append(Line("... the best and", min(ratios), "x"))
    lines.append(Line("... the worst of them", max(ratios), "x"))
    print_lines(lines)


if __name__ == "__main__":
    main()
