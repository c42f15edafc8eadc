"""Moments of truncated normals in 60 digits, over all that a rating can ask for."""

from __future__ import annotations

from functools import cache
from typing import NamedTuple

import mpmath as mp
import numpy as np

FUNCTIONS = ("log mass", "E x", "E (x - mean)^2")
_BINS = ((2.5, 3.5), (-np.inf, 1.5), (4.5, np.inf), (-np.inf, np.inf))
_POSITIONS = np.concatenate([np.linspace(-40, 40, 33), [-0.3, 0.01, 0.7]])  # of an edge from the mean, in sigma
_NARROW = (0.001, 0.01, 0.05, 0.124, 0.126, 0.16, 0.2)  # widths in sigma, around the switch to a quadrature


class Grid(NamedTuple):
    columns: np.ndarray  # (S, 4): lower, upper, mean, precision
    wanted: np.ndarray  # (S, 3): ln mass, E x, E (x - mean)^2


def _positive_half(low: mp.mpf, high: mp.mpf) -> tuple[mp.mpf, mp.mpf, mp.mpf]:
    """Mass, E t and E t^2 of the standard normal on [low, high), by its tails on the side of low."""
    mass = (mp.erfc(low / mp.sqrt(2)) - mp.erfc(high / mp.sqrt(2))) / 2
    at_low, at_high = (mp.npdf(end) if mp.isfinite(end) else mp.mpf(0) for end in (low, high))
    end_low, end_high = (end if mp.isfinite(end) else mp.mpf(0) for end in (low, high))
    return mass, (at_low - at_high) / mass, 1 + (end_low * at_low - end_high * at_high) / mass


def _exact_moments(lower: float, upper: float, mean: float, precision: float) -> tuple[float, float, float]:
    root = mp.sqrt(mp.mpf(precision))
    low, high = ((mp.mpf(end) - mp.mpf(mean)) * root for end in (lower, upper))
    mirrored = low + high < 0
    mass, first, second = _positive_half(-high, -low) if mirrored else _positive_half(low, high)
    return (
        float(mp.log(mass)),
        float(mean + (-first if mirrored else first) / root),
        float(second / precision),
    )


@cache
def moments_grid() -> Grid:
    """Bins a grade wide, half open and open, sigma 1e-3 .. 1e3; and narrow bins. Position -40 .. 40."""
    rows = []
    for sigma in np.geomspace(1e-3, 1e3, 25):
        for lower, upper in _BINS:
            edge = lower if np.isfinite(lower) else upper if np.isfinite(upper) else 0.0
            rows += [(lower, upper, edge + position * sigma, 1 / sigma**2) for position in _POSITIONS]
    for width in _NARROW:
        lefts = (*np.linspace(-40, 40, 41), -width / 2, -width / 3, -1e-3, 1e-9)
        rows += [(left, left + width, 0.0, 1.0) for left in lefts]
    with mp.workdps(60):
        return Grid(np.array(rows), np.array([_exact_moments(*row) for row in rows]))


def moment_errors(found: np.ndarray, grid: Grid) -> np.ndarray:
    """Errors (S, 3) of found (S, 3): relative, for ln mass and E x above 1 and sigma, below those to these."""
    scale = abs(grid.wanted)
    scale[:, 0] = np.maximum(scale[:, 0], 1)
    scale[:, 1] = np.maximum(scale[:, 1], 1 / np.sqrt(grid.columns[:, 3]))
    return abs(found - grid.wanted) / scale
