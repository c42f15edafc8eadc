"""Time the mixture's sweep beside its NumPy twin, scalar C++ on libm and the machine's limits in one run.

    python bench/mixture_sweep.py [--ten-million]

Times are the best of several passes, in ns per rating. Simulated data: 5 grades, 3.82 ratings per instance.
"""

from __future__ import annotations

import argparse
import ctypes
import os
import subprocess
import tempfile
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from truegrade import _kernel
from truegrade.inference.mixture_sweep import (
    MixtureOptions,
    MixtureParameters,
    MixturePlan,
    MixtureRatings,
    MixtureState,
    MixtureSums,
    mixture_sweep,
)
from truegrade.inference.mixture_twin import mixture_sweep_numpy

if TYPE_CHECKING:
    from collections.abc import Callable

GRADES, DEGREE, INSTANCES_PER_CATEGORY = 5, 3.82, 17
ISAS = ("base", "avx2", "avx512")[: ("base", "avx2", "avx512").index(_kernel.best_isa()) + 1]
PAPER = MixtureOptions()  # ordinal, printed, difficulty none: what the scalar code does
# Of the ordinal link with printed responsibilities, counted in the code.
MULTIPLY_ADDS = 160  # additions, multiplications and fused ones per rating
BYTES = 5 + (4 + 8 + 16 + 16) / DEGREE  # annotator, grade; order, pointer, q(z) read and written


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


def best(run: Callable[[], object], seconds: float = 0.5) -> float:
    """The shortest time of a run, of as many as fit into `seconds` and at least two."""
    times: list[float] = []
    while len(times) < 2 or sum(times) < seconds:
        start = perf_counter()
        run()
        times.append(perf_counter() - start)
    return min(times)


def time_sweep(data: Data, options: MixtureOptions, isa: str, threads: int, sweep=mixture_sweep) -> float:
    """Best ns per rating of one pass, warm."""
    deltas = {
        "none": None,
        "category": len(data.ratings.category_ptr) - 1,
        "instance": len(data.state.z_mean),
    }
    state = data.state.copy()
    if options.difficulty != "none":
        count = deltas[options.difficulty]
        state = MixtureState(state.z_mean, state.z_precision, np.full(count, 20.0), np.full(count, 15.0))
    annotators = len(data.parameters.tau_mean)
    sums = MixtureSums.empty(annotators, GRADES)
    plan = MixturePlan.build(data.ratings, options, annotators, threads)
    arguments = data.ratings, plan, options, data.parameters, state, sums, threads, isa
    return best(lambda: sweep(*arguments)) / len(data.ratings.annotator) * 1e9


def build_native(folder: str) -> ctypes.CDLL:
    library = Path(folder) / "native.so"
    source = Path(__file__).with_name("native.cpp")
    compiler = os.environ.get("CXX", "c++")
    subprocess.run(
        [
            compiler,
            "-O3",
            "-march=native",
            "-mprefer-vector-width=512",
            "-shared",
            "-fPIC",
            source,
            "-o",
            library,
        ],
        check=True,
    )
    return ctypes.CDLL(str(library))


def pointers(*values: np.ndarray | float) -> list[object]:
    return [
        value.ctypes.data_as(ctypes.c_void_p)
        if isinstance(value, np.ndarray)
        else (ctypes.c_int64 if isinstance(value, int) else ctypes.c_double)(value)
        for value in values
    ]


def time_scalar(native: ctypes.CDLL, data: Data) -> float:
    """ns per rating of the scalar pass, after a check that it does the same."""
    ratings, parameters, annotators = data.ratings, data.parameters, len(data.parameters.tau_mean)
    scalar, wanted = data.state.copy(), data.state.copy()
    sums, wanted_sums = (MixtureSums.empty(annotators, GRADES) for _ in range(2))
    totals, instances = np.zeros(2), len(scalar.z_mean)
    sums.spam_weight[:] = 0
    arguments = pointers(
        ratings.instance_ptr, ratings.annotator, ratings.grade, instances, annotators, parameters.tau_mean,
        parameters.tau_log_mean, parameters.eps_log_mean, parameters.eps_log1m_mean, parameters.bounds,
        parameters.log_spam, parameters.z_prior_mean, parameters.z_prior_precision, scalar.z_mean,
        scalar.z_precision, sums.annotator, sums.spam_weight, totals,
    )  # fmt: skip
    native.scalar_sweep(*arguments)
    plan = MixturePlan.build(ratings, PAPER, annotators)
    mixture_sweep(ratings, plan, PAPER, parameters, wanted, wanted_sums)
    np.testing.assert_allclose(scalar.z_mean, wanted.z_mean, rtol=1e-8)
    np.testing.assert_allclose(sums.annotator, wanted_sums.annotator, rtol=1e-7)
    np.testing.assert_allclose(sums.spam_weight, wanted_sums.spam_weight, rtol=1e-7)
    np.testing.assert_allclose(totals, wanted_sums.totals[:2], rtol=1e-8)
    return best(lambda: native.scalar_sweep(*arguments)) / len(ratings.annotator) * 1e9


def measure_machine(native: ctypes.CDLL) -> tuple[float, float]:
    """Bytes per ns of STREAM's triad, and multiply-adds on doubles per ns, on one thread."""
    size = 8_000_000
    a, b, c = (np.ones(size) for _ in range(3))
    triad = best(lambda: native.triad(*pointers(a, b, c, size, 2)))
    native.multiply_adds.restype = ctypes.c_double
    steps = 200_000
    adds = best(lambda: native.multiply_adds(ctypes.c_int64(steps)))
    return 2 * 24 * size / triad / 1e9, 128 * steps / adds / 1e9


def report_sizes(native: ctypes.CDLL, sizes: list[int]) -> None:
    print("\nordinal, printed, difficulty none: ns per rating, and how many times longer the others take")
    columns = [f"{isa}/{threads}" for isa in ISAS for threads in (1, 2)]
    print(f"{'ratings':>10} {'annotators':>10} " + " ".join(f"{name:>9}" for name in columns), end="")
    print(f" {'numpy':>14} {'scalar libm':>14}   (/1, /2: threads)")
    for size in sizes:
        for annotators in (51, 1000):
            data = simulate(size, annotators)
            times = [time_sweep(data, PAPER, isa, threads) for isa in ISAS for threads in (1, 2)]
            numpy = time_sweep(data, PAPER, "auto", 1, mixture_sweep_numpy)
            scalar = time_scalar(native, data)
            print(f"{size:>10} {annotators:>10} " + " ".join(f"{time:9.1f}" for time in times), end="")
            print(
                f" {numpy:7.0f} {numpy / times[-2]:5.0f}x {scalar:7.1f} {scalar / times[-2]:5.1f}x",
                flush=True,
            )


def report_variants() -> None:
    print("\n1M ratings, 1000 annotators, one thread: ns per rating")
    print(f"{'link':>10} {'responsibility':>15} " + " ".join(f"{d:>10}" for d in ("none", "category", "instance")))
    data = simulate(1_000_000, 1000)
    for link in ("ordinal", "real"):
        for responsibility in ("printed", "exact"):
            times = [
                time_sweep(
                    data,
                    MixtureOptions(link=link, responsibility=responsibility, difficulty=difficulty),
                    "auto",
                    1,
                )
                for difficulty in ("none", "category", "instance")
            ]
            print(f"{link:>10} {responsibility:>15} " + " ".join(f"{time:10.1f}" for time in times), flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--ten-million", action="store_true")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        native = build_native(folder)
        bandwidth, adds = measure_machine(native)
        print(f"one thread here: triad {bandwidth:.1f} GB/s, {adds:.1f} G multiply-adds on doubles per s")
        print(
            f"so a rating ({BYTES:.1f} B, {MULTIPLY_ADDS} multiply-adds) takes at least "
            f"{BYTES / bandwidth:.1f} ns by memory and {MULTIPLY_ADDS / adds:.1f} ns by arithmetic"
        )
        report_sizes(native, [40_000, 1_000_000] + [10_000_000] * arguments.ten_million)
        report_variants()


if __name__ == "__main__":
    main()
