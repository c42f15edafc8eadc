"""GLAD on 40,000 ratings beside crowd-kit's: the time to the same value of the same objective, and the accuracy.

Both have alpha ~ N(1, 1), ln beta ~ N(1, 1), a uniform class prior and abilities of any sign, and begin at alpha = 1,
ln beta = 1. crowd-kit runs from its frame to its own stop. Our objective then values its abilities and eases, and ours
runs from the same frame, encoding included, until it has that value.
"""

from __future__ import annotations

import json
import subprocess
import tempfile
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np
import pandas as pd

import truegrade
from bench import crowdkit
from bench._targets import Line, print_lines
from truegrade.models._glad_ascent import GladAscent
from truegrade.models._glad_part import GladStart
from truegrade.models._glad_problem import GladProblem, place_glad

RATINGS, INSTANCES, ANNOTATORS, ROUNDS = 40_000, 8_000, 300, 5
PEER = Path(__file__).with_name("_crowdkit_glad.py")
FASTER = 500  # times: the target
MODEL = truegrade.Glad(adversarial=True, starts=1)


class ReachedError(Exception):
    """The objective is as high as wanted."""


def by_crowd_kit(frame: pd.DataFrame) -> dict[str, Any]:
    with tempfile.TemporaryDirectory() as folder:
        ratings, output = Path(folder) / "ratings.csv", Path(folder) / "found.json"
        frame.to_csv(ratings, index=False)
        # -P: this folder has a crowdkit of its own.
        subprocess.run([crowdkit.HOME / "bin" / "python", "-P", PEER, ratings, output], check=True)
        return json.loads(output.read_text())


def value_of(found: dict[str, Any], ratings: truegrade.Ratings) -> float:
    """Our objective at crowd-kit's abilities and eases."""
    problem = GladProblem.of(MODEL, place_glad(MODEL, ratings, None), None)
    alpha = np.array([found["alpha"][ratings.annotators.label_of(n)] for n in range(ratings.n_annotators)])
    log_beta = np.empty(ratings.n_instances)
    log_beta[ratings.instances.code] = pd.Series(found["log_beta"])[ratings.instances.labels.to_pylist()].to_numpy()
    start, nothing = GladStart(ratings.instances, log_beta), np.zeros(alpha.size, dtype=bool)
    return GladAscent.at(problem, alpha, start, problem.first_prior(), nothing, False).here.objective


def seconds_to(value: float, frame: pd.DataFrame) -> tuple[float, int]:
    steps = 0

    def watch(iteration: int, bound: float, _change: float) -> None:
        nonlocal steps
        steps = iteration
        if bound >= value:
            raise ReachedError

    start = perf_counter()
    try:
        MODEL.fit(truegrade.Ratings.from_frame(frame), progress=watch)
    except ReachedError:
        return perf_counter() - start, steps
    raise SystemExit(f"our GLAD converged below crowd-kit's {value}")


def accuracy(grades: pd.Series, truth: pd.Series) -> float:
    return float((grades[truth.index] == truth).mean())


def main() -> None:
    wrong = crowdkit.install()
    if wrong:
        print(f"skipped: {crowdkit.PACKAGE} cannot be installed here: {wrong}")
        return
    drawn = truegrade.simulate(instances=INSTANCES, annotators=ANNOTATORS, n_ratings=RATINGS, seed=1)
    frame, gold = drawn.rows().to_pandas(), drawn.gold().to_pandas()
    truth = gold.set_index("instance")["gold"]
    ratings = truegrade.Ratings.from_frame(frame)
    theirs = by_crowd_kit(frame)
    value = value_of(theirs, ratings)
    ours, steps = min(seconds_to(value, frame) for _ in range(ROUNDS))
    start = perf_counter()
    fit = MODEL.fit(ratings)
    whole = perf_counter() - start
    default = truegrade.Glad().fit(ratings)
    print(f"crowd-kit: {theirs['seconds']:.1f} s, {theirs['iterations']} EM iterations, objective {value:.1f}")
    print(f"truegrade: {ours * 1e3:.1f} ms, {steps} steps to the same")
    print(f"truegrade converged: {whole:.2f} s, objective {fit.bound:.1f}")
    by_model = {"crowd-kit": pd.Series(theirs["grade"])}
    for name, found in (("truegrade", fit), ("truegrade, default", default)):
        by_model[name] = found.truth_table().to_pandas().set_index("instance")["grade"]
    shares = ", ".join(f"{name} {accuracy(grades, truth):.4f}" for name, grades in by_model.items())
    print(f"grades right: {shares}")
    print_lines([Line("our time over crowd-kit's, to the same objective", ours / theirs["seconds"], "x", 1 / FASTER)])


if __name__ == "__main__":
    main()
