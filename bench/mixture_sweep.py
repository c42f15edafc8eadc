"""The mixture's sweep beside its NumPy twin, scalar C++ on libm and the machine's limits, all in one run.

Times are of the best of several passes, in ns per rating. Simulated data: 5 grades, 3.82 ratings per instance.
"""

from __future__ import annotations

import ctypes
import os
import subprocess
import tempfile
from pathlib import Path

import numpy as np

from bench._mixture_data import DEGREE, GRADES, Data, best, simulate, time_sweep
from bench._targets import Line, print_lines
from truegrade.inference.mixture_sweep import (
    MixtureOptions,
    MixturePlan,
    MixtureSums,
    mixture_sweep,
)
from truegrade.inference.mixture_twin import mixture_sweep_numpy
from truegrade.instruction_sets import available_isas

ISAS = available_isas()
PAPER = MixtureOptions()  # ordinal, printed, difficulty none: what the scalar code does
# Of the ordinal link with printed responsibilities, counted in the code.
MULTIPLY_ADDS = 160  # additions, multiplications and fused ones per rating
BYTES = 5 + (4 + 8 + 16 + 16) / DEGREE  # annotator, grade; order, pointer, q(z) read and written


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
    return best(lambda: native.scalar_sweep(*arguments))[1] / len(ratings.annotator) * 1e9


def measure_machine(native: ctypes.CDLL) -> tuple[float, float]:
    """Bytes per ns of STREAM's triad, and multiply-adds on doubles per ns, on one thread."""
    size = 8_000_000
    a, b, c = (np.ones(size) for _ in range(3))
    triad, _ = best(lambda: native.triad(*pointers(a, b, c, size, 2)))
    native.multiply_adds.restype = ctypes.c_double
    steps = 200_000
    adds, _ = best(lambda: native.multiply_adds(ctypes.c_int64(steps)))
    return 2 * 24 * size / triad / 1e9, 128 * steps / adds / 1e9


def measure_sizes(native: ctypes.CDLL) -> dict[str, float]:
    """Print times by size and instruction set; return the worst over 51 and 1,000 annotators at 1M ratings."""
    print("\nordinal, printed, difficulty none, on 1 and on 2 threads")
    print("ns per rating by the clock (of processor time per thread)")
    print(f"{'ratings':>9} {'annotators':>10}" + "".join(f"{f'{isa}/{t}':>16}" for isa in ISAS for t in (1, 2)), end="")
    print(f"{'numpy twin':>12}{'scalar libm':>13}")
    worst: dict[str, float] = {}
    for size, annotators in ((40_000, 51), (40_000, 1000), (1_000_000, 51), (1_000_000, 1000)):
        data = simulate(size, annotators)
        times = {f"{isa}/{threads}": time_sweep(data, PAPER, isa, threads) for isa in ISAS for threads in (1, 2)}
        one = times[f"{ISAS[-1]}/1"]
        numpy, scalar = time_sweep(data, PAPER, sweep=mixture_sweep_numpy).cpu, time_scalar(native, data)
        cells = "".join(f"{f'{time.wall:.1f} ({time.cpu:.1f})':>16}" for time in times.values())
        print(f"{size:>9} {annotators:>10}{cells}{numpy:>12.0f}{scalar:>13.1f}", flush=True)
        if size == 1_000_000:
            figures = {f"{name} by the clock": time.wall for name, time in times.items()}
            figures |= {f"{name} of processor time per thread": time.cpu for name, time in times.items()}
            figures |= {"numpy": -numpy / one.cpu, "scalar": -scalar / one.cpu}
            worst = {name: max(figure, worst.get(name, -np.inf)) for name, figure in figures.items()}
    return worst


def measure_variants() -> float:
    """Print the times of all variants; return how much longer instances with an ease of their own take."""
    print("\n1M ratings, 1000 annotators, one thread: processor ns per rating, by difficulty")
    print(f"{'link':>10} {'responsibility':>15} " + " ".join(f"{d:>10}" for d in ("none", "category", "instance")))
    data, ratios = simulate(1_000_000, 1000), []
    for link in ("ordinal", "real"):
        for responsibility in ("printed", "exact"):
            times = [
                time_sweep(data, MixtureOptions(link=link, responsibility=responsibility, difficulty=difficulty)).cpu
                for difficulty in ("none", "category", "instance")
            ]
            print(f"{link:>10} {responsibility:>15} " + " ".join(f"{time:10.1f}" for time in times), flush=True)
            ratios.append(times[2] / times[0])
    return ratios[0]


def measure_many_annotators() -> None:
    data = simulate(4_000_000, 1_000_000)
    times = [time_sweep(data, PAPER, threads=threads) for threads in (1, 2)]
    one, two = (f"{time.wall:.1f} ({time.cpu:.1f})" for time in times)
    print(f"\n4M ratings, 1M annotators: {one} ns on one thread, {two} on two")


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        native = build_native(folder)
        print(f"load of this machine: {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores")
        bandwidth, adds = measure_machine(native)
        by_memory, by_arithmetic = BYTES / bandwidth, MULTIPLY_ADDS / adds
        print(f"one thread here: triad {bandwidth:.1f} GB/s, {adds:.1f} G multiply-adds on doubles per s")
        print(
            f"so a rating ({BYTES:.1f} B, {MULTIPLY_ADDS} multiply-adds) takes at least "
            f"{by_memory:.1f} ns by memory and {by_arithmetic:.1f} ns by arithmetic"
        )
        worst = measure_sizes(native)
    instance = measure_variants()
    measure_many_annotators()
    targets = {("avx512", 1): 12, ("avx512", 2): 7, ("avx2", 1): 16}
    lines = [
        Line(f"{isa} on {threads}, {how}", worst[name], "ns", target)
        for (isa, threads), target in targets.items()
        for how in ("by the clock", "of processor time per thread")
        if (name := f"{isa}/{threads} {how}") in worst
    ]
    fastest = worst[f"{ISAS[-1]}/1 of processor time per thread"]
    print("\n1M ratings, the worse of 51 and 1,000 annotators")
    print_lines(
        [
            *lines,
            Line("NumPy twin / kernel", -worst["numpy"], "x", 20, at_least=True),
            Line("scalar libm / kernel", -worst["scalar"], "x", 4, at_least=True),
            Line("instance difficulty / none", instance, "x", 1.5),
            Line("kernel / limit by arithmetic", fastest / by_arithmetic, "x"),
        ]
    )


if __name__ == "__main__":
    main()
