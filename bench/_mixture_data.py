"""Simulated ratings as the mixture's sweep takes them, and the time of a pass over them."""

from __future__ import annotations

from time import perf_counter, process_time
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from truegrade.inference.mixture_sweep import (
    MixtureOptions,
    MixtureParameters,
    MixturePlan,
    MixtureRatings,
    MixtureState,
    MixtureSums,
    mixture_sweep,
)

if TYPE_CHECKING:
    from collections.abc import Callable

GRADES, DEGREE, INSTANCES_PER_CATEGORY = 5, 3.82, 17


class Data(NamedTuple):
    ratings: MixtureRatings
    parameters: MixtureParameters
    state: MixtureState


def simulate(ratings: int, annotators: int) -> Data:
    rng = np.random.default_rng(0)
    degrees = rng.poisson(DEGREE - 1, round(ratings / DEGREE)) + 1
    instances, total = len(degrees), int(degrees.sum())
    truth = np.repeat(rng.normal(3, 1, instances), degrees)
    annotator = rng.integers(0, annotators, total).astype(np.int32)
    tau = rng.gamma(4, 0.5, annotators)
    earnest = rng.random(total) < 0.85
    noisy = truth + rng.normal(0, 1, total) / np.sqrt(tau[annotator])
    grade = np.where(earnest, np.clip(np.rint(noisy), 1, GRADES) - 1, rng.integers(0, GRADES, total))
    data = MixtureRatings(
        instance_ptr=np.concatenate([[0], np.cumsum(degrees)]).astype(np.int64),
        annotator=annotator,
        grade=grade.astype(np.uint8),
        category_ptr=np.append(np.arange(0, instances, INSTANCES_PER_CATEGORY), instances).astype(np.int64),
    )
    eps = rng.uniform(0.7, 0.95, annotators)
    parameters = MixtureParameters(
        tau_mean=tau,
        tau_log_mean=np.log(tau) - 0.01,
        eps_log_mean=np.log(eps),
        eps_log1m_mean=np.log1p(-eps),
        bounds=np.arange(GRADES + 1) + 0.5,
        grade_value=np.arange(GRADES) + 1.0,
        log_spam=np.full(GRADES, -np.log(GRADES)),
        z_prior_mean=3.0,
        z_prior_precision=0.1,
        delta_prior_shape=10.0,
        delta_prior_rate=5.0,
    )
    state = MixtureState(rng.normal(3, 1, instances), np.full(instances, 2.0))
    return Data(data, parameters, state)


class Nanoseconds(NamedTuple):
    """Per rating, of the shortest pass: by the clock, and of processor time per thread (what an idle machine takes)."""

    wall: float
    cpu: float


def best(run: Callable[[], object], seconds: float = 1.0) -> tuple[float, float]:
    """The shortest times of a run, by the clock and of the processor; as many runs as fit in, and at least two."""
    walls: list[float] = []
    cpus: list[float] = []
    while len(walls) < 2 or sum(walls) < seconds:
        wall, cpu = perf_counter(), process_time()
        run()
        walls.append(perf_counter() - wall)
        cpus.append(process_time() - cpu)
    return min(walls), min(cpus)


def time_sweep(
    data: Data, options: MixtureOptions, isa: str = "auto", threads: int = 1, sweep: Callable[..., None] = mixture_sweep
) -> Nanoseconds:
    """One pass, warm."""
    state, categories = data.state.copy(), data.ratings.category_ptr
    if options.difficulty != "none":
        count = len(categories) - 1 if options.difficulty == "category" else len(state.z_mean)
        state = MixtureState(state.z_mean, state.z_precision, np.full(count, 20.0), np.full(count, 15.0))
    annotators = len(data.parameters.tau_mean)
    plan = MixturePlan.build(data.ratings, options, annotators, threads)
    sums = MixtureSums.empty(annotators, GRADES)
    arguments = data.ratings, plan, options, data.parameters, state, sums, threads, isa
    wall, cpu = best(lambda: sweep(*arguments))
    scale = 1e9 / len(data.ratings.annotator)
    return Nanoseconds(wall * scale, cpu * scale / threads)
