"""Random inputs for a pass of the ordinal mixture, of every configuration."""

from __future__ import annotations

from dataclasses import replace
from itertools import product
from typing import NamedTuple

import numpy as np

from truegrade.inference.mixture_sweep import (
    MixtureOptions,
    MixtureParameters,
    MixturePlan,
    MixtureRatings,
    MixtureState,
    MixtureSums,
)

CONFIGURATIONS = [
    MixtureOptions(link=link, responsibility=responsibility, difficulty=difficulty)
    for link, responsibility, difficulty in product(
        ("ordinal", "real"), ("printed", "exact"), ("none", "category", "instance")
    )
]


class Problem(NamedTuple):
    ratings: MixtureRatings
    options: MixtureOptions
    parameters: MixtureParameters
    state: MixtureState

    @property
    def annotators(self) -> int:
        return len(self.parameters.tau_mean)

    def run(self, sweep, passes: int = 2, threads: int = 1, isa: str = "auto") -> dict[str, np.ndarray]:
        """All outputs after some passes, each from the state the last one left."""
        state = self.state.copy()
        sums = MixtureSums.empty(self.annotators, len(self.parameters.grade_value), len(self.ratings.annotator))
        plan = MixturePlan.build(self.ratings, self.options, self.annotators, threads)
        for _ in range(passes):
            sweep(self.ratings, plan, self.options, self.parameters, state, sums, threads, isa)
        arrays = {
            **{name: getattr(state, name) for name in MixtureState.__slots__},
            **{name: getattr(sums, name) for name in MixtureSums.__slots__},
        }
        return {name: array for name, array in arrays.items() if array is not None}


def make_problem(
    options: MixtureOptions,
    degrees: np.ndarray,
    *,
    annotators: int = 7,
    grades: int = 5,
    weighted: bool = False,
    clamped: bool = False,
    infinite: bool = False,
    certain: bool = False,
    on_scale: bool = True,
    seed: int = 0,
) -> Problem:
    rng = np.random.default_rng(seed)
    instances, ratings = len(degrees), int(degrees.sum())
    deltas = {"none": None, "category": 1 + instances // 6, "instance": instances}[options.difficulty]
    inner = np.sort(rng.integers(0, instances + 1, instances // 6))  # some categories are empty
    mask = (rng.random(instances) < 0.3).astype(np.uint8) if clamped else None
    data = MixtureRatings(
        instance_ptr=np.concatenate([[0], np.cumsum(degrees)]).astype(np.int64),
        annotator=rng.integers(0, annotators, ratings).astype(np.int32),
        grade=rng.integers(0, grades, ratings).astype(np.uint8) if on_scale else None,
        value=None if on_scale else rng.normal(3, 2, ratings),
        weight=rng.choice([0.0, 0.3, 1.0, 2.5], ratings) if weighted else None,
        category_ptr=np.concatenate([[0], inner, [instances]]).astype(np.int64),
        clamped=mask,
    )
    eps = rng.uniform(0.3, 0.97, annotators)
    if certain:
        eps[0], eps[-1] = 0.0, 1.0
    tau = rng.gamma(1.5, 1, annotators) + 0.001
    rows = grades if on_scale else 1
    bounds = np.arange(rows + 1) + 0.5
    if infinite:
        bounds[[0, -1]] = -np.inf, np.inf
    with np.errstate(divide="ignore"):
        parameters = MixtureParameters(
            tau_mean=tau,
            tau_log_mean=np.log(tau) - rng.uniform(0, 0.5, annotators),
            eps_log_mean=np.log(eps),
            eps_log1m_mean=np.log1p(-eps),
            bounds=bounds,
            grade_value=np.arange(rows) + 1.0,
            log_spam=np.log(rng.dirichlet(np.full(rows, 5.0))) - 0.2,
            z_prior_mean=3.0,
            z_prior_precision=0.1,
            delta_prior_shape=10.0,
            delta_prior_rate=5.0,
            delta_mean=1.7,
            delta_log_mean=0.4,
        )
    precision = rng.gamma(2, 1, instances) + 0.1
    if mask is not None:
        precision[mask == 1] = np.inf
    state = MixtureState(
        rng.normal(3, 1.5, instances),
        precision,
        None if deltas is None else rng.gamma(20, 0.5, deltas),
        None if deltas is None else rng.gamma(20, 0.25, deltas) + 0.1,
    )
    return Problem(data, options, parameters, state)


def repeat_ratings(problem: Problem, times: np.ndarray) -> Problem:
    """Each rating as often as `times` says, without weights."""
    data = problem.ratings
    starts = np.concatenate([[0], np.cumsum(times)])[data.instance_ptr]
    repeated = {
        name: None if getattr(data, name) is None else np.repeat(getattr(data, name), times)
        for name in ("annotator", "grade", "value")
    }
    return problem._replace(ratings=replace(data, instance_ptr=starts, weight=None, **repeated))
