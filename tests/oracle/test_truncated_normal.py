"""The kernel's truncated normal against 60 digits."""

from __future__ import annotations

from functools import cache

import mpmath as mp
import numpy as np
import pytest

from truegrade import _kernel
from truegrade.inference.mixture_twin import truncated_normal

ISAS = ("base", "avx2", "avx512")
RTOL = 2e-11  # seen: 4e-12 in E(x-mu)^2, in bins an eighth of a sigma wide around the mean; 2e-14 elsewhere


def available_isas() -> list[str]:
    return list(ISAS[: ISAS.index(_kernel.best_isa()) + 1])


def positive_half(low: mp.mpf, high: mp.mpf) -> tuple[mp.mpf, mp.mpf, mp.mpf]:
    """Mass, E t and E t^2 of the standard normal on [low, high), by its tails on the side of low."""
    mass = (mp.erfc(low / mp.sqrt(2)) - mp.erfc(high / mp.sqrt(2))) / 2
    at_low, at_high = (mp.npdf(end) if mp.isfinite(end) else mp.mpf(0) for end in (low, high))
    end_low, end_high = (end if mp.isfinite(end) else mp.mpf(0) for end in (low, high))
    return mass, (at_low - at_high) / mass, 1 + (end_low * at_low - end_high * at_high) / mass


def exact_moments(lower: float, upper: float, mean: float, precision: float) -> tuple[float, float, float]:
    root = mp.sqrt(mp.mpf(precision))
    low, high = ((mp.mpf(end) - mp.mpf(mean)) * root for end in (lower, upper))
    mirrored = low + high < 0
    mass, first, second = positive_half(-high, -low) if mirrored else positive_half(low, high)
    return (
        float(mp.log(mass)),
        float(mean + (-first if mirrored else first) / root),
        float(second / precision),
    )


@cache
def oracle() -> tuple[np.ndarray, np.ndarray]:
    """Columns lower, upper, mean, precision; and log mass, E x, E(x-mean)^2."""
    rows = []
    for sigma in np.geomspace(1e-3, 1e3, 25):
        for position in np.concatenate([np.linspace(-40, 40, 33), [-0.3, 0.01, 0.7]]):
            for lower, upper in ((2.5, 3.5), (-np.inf, 1.5), (4.5, np.inf), (-np.inf, np.inf)):
                edge = lower if np.isfinite(lower) else upper if np.isfinite(upper) else 0.0
                rows.append((lower, upper, edge + position * sigma, 1 / sigma**2))
    with mp.workdps(60):
        return np.array(rows), np.array([exact_moments(*row) for row in rows])


def kernel_moments(columns: np.ndarray, isa: str) -> np.ndarray:
    out = np.empty((3, len(columns)))
    lower, upper, mean, precision = columns.T.copy()
    _kernel.truncated_normal_moments(
        lower, upper, mean, precision, isa=isa, log_mass_out=out[0], mean_out=out[1], spread_out=out[2]
    )
    return out


def assert_close(found: np.ndarray, columns: np.ndarray, wanted: np.ndarray) -> None:
    assert np.isfinite(found).all()
    log_mass, mean, spread = wanted.T
    sigma = 1 / np.sqrt(columns[:, 3])
    np.testing.assert_array_less(abs(found[0] - log_mass), RTOL * np.maximum(abs(log_mass), 1))
    np.testing.assert_array_less(abs(found[1] - mean), RTOL * np.maximum(abs(mean), sigma))
    np.testing.assert_array_less(abs(found[2] - spread), RTOL * spread)


@pytest.mark.parametrize("isa", available_isas())
def test_kernel_against_mpmath(isa: str) -> None:
    columns, wanted = oracle()
    assert_close(kernel_moments(columns, isa), columns, wanted)


def test_twin_against_mpmath() -> None:
    columns, wanted = oracle()
    x = truncated_normal(*columns.T)
    assert_close(np.array([x.log_mass, columns[:, 2] + x.shift, x.spread]), columns, wanted)


@pytest.mark.parametrize("isa", available_isas())
def test_widths_around_the_switch_to_quadrature(isa: str) -> None:
    rows = [
        (left, left + width, 0.0, 1.0)
        for width in (0.01, 0.03, 0.0624, 0.0626, 0.08, 0.12)
        for left in np.concatenate([np.linspace(-20, 20, 41), [-width / 2, 1e-9]])
    ]
    with mp.workdps(60):
        wanted = np.array([exact_moments(*row) for row in rows])
    assert_close(kernel_moments(np.array(rows), isa), np.array(rows), wanted)


def test_unknown_instruction_set_is_refused() -> None:
    with pytest.raises(ValueError, match="no such instruction set here: sse9"):
        kernel_moments(np.ones((1, 4)), "sse9")
