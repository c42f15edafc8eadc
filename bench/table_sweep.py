"""The sweep over tables: ns per rating for grids of 5 and 32 nodes, and how many times longer NumPy takes.

The prototype's figures (float32, 32 nodes, AVX-512, one thread) are 16 ns with 51 annotators, 28 with 1,000 and 140
with 20,000, whose tables do not fit a cache. They come from another machine at another time: for orientation only.
"""

from __future__ import annotations

from collections.abc import Callable
from time import perf_counter
from typing import NamedTuple

import numpy as np

from truegrade.inference.table_sweep import TablePlan, TableRatings, TableSums, table_sweep
from truegrade.inference.table_twin import table_sweep_numpy
from truegrade.instruction_sets import available_isas

GRADES, PER_INSTANCE = 5, 3.82
SIZES = ((40_000, 51, "16"), (1_000_000, 1_000, "28"), (10_000_000, 20_000, "140"))
TWIN_RATINGS = 1_000_000  # the twin's temporaries take 8 B per node and rating
ISAS = available_isas()


class Data(NamedTuple):
    ratings: TableRatings
    table: np.ndarray
    log_prior: np.ndarray
    sums: TableSums


def draw(ratings: int, annotators: int, nodes: int, dtype: type) -> Data:
    rng = np.random.default_rng(0)
    instances = round(ratings / PER_INSTANCE)
    degree = 1 + np.bincount(rng.integers(0, instances, ratings - instances), minlength=instances)
    data = TableRatings(
        instance_ptr=np.concatenate([[0], np.cumsum(degree)]).astype(np.int64),
        annotator=rng.integers(0, annotators, ratings).astype(np.int32),
        grade=rng.integers(0, GRADES, ratings).astype(np.uint8),
    )
    table = np.log(rng.dirichlet(np.ones(GRADES), (annotators, nodes)).transpose(0, 2, 1))
    sums = TableSums.empty(annotators, GRADES, nodes, instances)
    return Data(data, np.ascontiguousarray(table, dtype), np.full((1, nodes), -np.log(nodes)), sums)


def best(run: Callable[[], None], rounds: int = 5) -> float:
    run()
    times = []
    for _ in range(rounds):
        start = perf_counter()
        run()
        times.append(perf_counter() - start)
    return min(times)


def report(ratings: int, annotators: int, prototype: str) -> None:
    for nodes in (5, 32):
        for dtype in (np.float32, np.float64):
            data = draw(ratings, annotators, nodes, dtype)
            start = perf_counter()
            plan = TablePlan.build(data.ratings, annotators, GRADES, nodes)
            planned = (perf_counter() - start) / ratings * 1e9

            def sweep(threads: int, isa: str, data: Data = data, plan: TablePlan = plan) -> float:
                arguments = data.ratings, data.table, data.log_prior, data.sums
                return best(lambda: table_sweep(*arguments, plan=plan, threads=threads, isa=isa)) / ratings * 1e9

            times = [sweep(threads, isa) for isa in ISAS for threads in (1, 2)]
            print(f"{ratings:>10} {annotators:>10} {nodes:>5} {dtype.__name__:>7} ", end="")
            print(" ".join(f"{time:9.1f}" for time in times) + f" {planned:6.0f}", end="")
            if ratings <= TWIN_RATINGS:
                arguments = data.ratings, data.table, data.log_prior, data.sums
                twin = best(lambda a=arguments: table_sweep_numpy(*a), 1) / ratings * 1e9
                print(f" {twin:7.0f} {twin / times[-2]:4.0f}x", end="")
            else:
                print(f" {'':7} {'':5}", end="")
            print(f" {prototype if nodes == 32 and dtype is np.float32 else '':>10}", flush=True)


def main() -> None:
    columns = " ".join(f"{f'{isa}/{threads}':>9}" for isa in ISAS for threads in (1, 2))
    print("ns per rating (/1, /2: threads), of the plan once, and of the twin; x: twin over best set on one thread")
    print(
        f"{'ratings':>10} {'annotators':>10} {'nodes':>5} {'table':>7}  {columns} {'plan':>6} {'numpy':>13} prototype"
    )
    for ratings, annotators, prototype in SIZES:
        report(ratings, annotators, prototype)


if __name__ == "__main__":
    main()
