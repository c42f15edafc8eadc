"""Largest errors of the kernel's special functions against mpmath, by region and instruction set."""

from __future__ import annotations

import mpmath as mp
import numpy as np

from tests.truncated_normal_oracle import FUNCTIONS, Grid, moment_errors, moments_grid
from truegrade import _kernel
from truegrade.instruction_sets import available_isas

TARGET = 1e-10


def truncated_normal(grid: Grid, isa: str) -> np.ndarray:
    """Errors (S, 3)."""
    out = np.empty((3, len(grid.columns)))
    lower, upper, mean, precision = grid.columns.T.copy()
    _kernel.truncated_normal_moments(
        lower, upper, mean, precision, isa=isa, log_mass_out=out[0], mean_out=out[1], spread_out=out[2]
    )
    return moment_errors(out.T, grid)


def regions(grid: Grid) -> dict[str, np.ndarray]:
    """Which points (S,) of the grid are where."""
    lower, upper, mean, precision = grid.columns.T
    root = np.sqrt(precision)
    left, right = (lower - mean) * root, (upper - mean) * root
    width, nearest = right - left, np.maximum(np.maximum(left, -right), 0)
    finite = np.isfinite(width)
    return {
        "two bounds, around the mean": finite & (nearest < 8) & (width >= 0.125),
        "two bounds, 8 to 40 sigma off": finite & (nearest >= 8) & (width >= 0.125),
        "two bounds, width < sigma/8": finite & (width < 0.125),
        "lower bound only": np.isfinite(lower) & ~np.isfinite(upper),
        "upper bound only": ~np.isfinite(lower) & np.isfinite(upper),
        "no bound": ~np.isfinite(lower) & ~np.isfinite(upper),
    }


def gamma_errors(isa: str) -> tuple[int, np.ndarray]:
    """Number of points, and the largest error of digamma and of ln Gamma (2,): both have zeros, so absolute below 1."""
    shape = np.geomspace(1e-6, 1e8, 2000)
    found = np.empty((2, shape.size))
    _kernel.gamma_functions(shape, isa=isa, digamma_out=found[0], log_gamma_out=found[1])
    with mp.workdps(30):
        wanted = np.array([[float(mp.digamma(x)), float(mp.loggamma(x))] for x in shape]).T
    return shape.size, (abs(found - wanted) / np.maximum(abs(wanted), 1)).max(axis=1)


def main() -> None:
    grid, worst = moments_grid(), 0.0
    for isa in available_isas():
        errors = truncated_normal(grid, isa)
        print(f"\n{isa:<32} {'points':>7} " + " ".join(f"{name:>15}" for name in FUNCTIONS))
        for name, where in regions(grid).items():
            largest = errors[where].max(axis=0)
            worst = max(worst, *largest)
            print(f"{name:<32} {where.sum():>7} " + " ".join(f"{error:>15.1e}" for error in largest))
        points, (digamma, log_gamma) = gamma_errors(isa)
        worst = max(worst, digamma, log_gamma)
        print(f"digamma {digamma:.1e}, ln Gamma {log_gamma:.1e} at {points} points of 1e-6 .. 1e8")
    verdict = "met" if worst < TARGET else "MISSED"  # NaN is a miss too
    print(f"\nlargest of all {worst:.1e}, target {TARGET:.0e}: {verdict}")


if __name__ == "__main__":
    main()
