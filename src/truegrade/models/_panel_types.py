"""The types that annotators of the panel may be of: a grid of bias, stretch, noise and spam.

Positions are counted in grades: 0 .. K-1, zbar the mean of the ratings. An annotator of type h perceives an instance of
grade r at f_h(r) = zbar + bias_h + stretch_h (r - zbar), give or take noise_h, and names the grade in whose bounds that
falls; or, with probability spam_h, any grade.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

__all__ = ["TypeGrid", "TypeParts"]

_LAPSE = 1e-3  # everybody slips now and then: no grade is impossible
_WIDEST = 0.4  # of the scale: the largest bias
_FINEST = 0.25  # grades: the least noise
_EXACT = 2.0  # times that: still a noise that hardly errs
_BIASES, _NOISES = 7, 6
_STRETCHES = (0.5, 0.75, 1.0, 1.4)
_SPAMS = (0.0, 0.1, 0.4)
_ONLY_SPAM = 0.95
_BLIND = 0.5  # of a spammer's ratings follow the shares of all ratings, the rest are spread evenly
_REVERSED_SHARE = 0.01


@dataclass(frozen=True)
class TypeParts:
    """Which parts of the grid are in use."""

    bias: bool = True
    stretch: bool = True
    spam: bool = True
    reversed: bool = True


@dataclass(frozen=True)
class TypeGrid:
    """H types, and what each would say."""

    bias: Floats  # (H,) in grades, as are the other columns
    stretch: Floats  # (H,)
    noise: Floats  # (H,)
    spam: Floats  # (H,)
    p: Floats  # (H, R, K): P(says k | truth is grade r), R = K
    base: Floats  # (H,): shares of the types before anything is known; they favour unbiased, earnest ones

    @property
    def is_exact(self) -> NDArray[np.bool_]:
        """Which types name the grade they are shown, but for the finest noise (H,)."""
        exact: NDArray[np.bool_] = (
            (self.bias == 0) & (self.stretch == 1) & (self.spam == 0) & (self.noise < _EXACT * self.noise.min())
        )
        return exact

    @classmethod
    def of(cls, share: Floats, parts: TypeParts) -> TypeGrid:
        """The grid for a scale on which the grades are given with these shares (K,)."""
        grades = share.size
        bias, stretch, noise, spam = _columns(grades, parts).T
        zbar = float(share @ np.arange(grades))
        blind = _BLIND * share + (1 - _BLIND) / grades
        slip = np.maximum(spam, _LAPSE)[:, None, None]
        p = (1 - slip) * _perceived(grades, zbar, bias, stretch, noise) + slip * blind
        return cls(bias, stretch, noise, spam, p, _base(grades, bias, stretch, noise, spam))


def _columns(grades: int, parts: TypeParts) -> Floats:
    """Bias, stretch, noise and spam of every type (H, 4)."""
    reach = grades - 1
    biases = np.linspace(-_WIDEST * reach, _WIDEST * reach, _BIASES) if parts.bias and reach else np.zeros(1)
    stretches = _STRETCHES if parts.stretch else (1.0,)
    noises = np.exp(np.linspace(np.log(_FINEST), np.log(0.9 * max(reach, 2)), _NOISES))
    spams = _SPAMS if parts.spam else (0.0,)
    types = list(product(biases, stretches, noises, spams))
    if parts.spam:
        types.append((0.0, 1.0, 1.0, _ONLY_SPAM))
    if parts.reversed:
        types += [(0.0, turn, noise, 0.0) for turn in (-1.0, -0.5) for noise in noises[1:4]]
    return np.array(types)


def _perceived(grades: int, zbar: float, bias: Floats, stretch: Floats, noise: Floats) -> Floats:
    """P(perceives grade k | truth is grade r) (H, R, K)."""
    from scipy.special import ndtr

    bounds = np.concatenate([[-np.inf], np.arange(grades - 1) + 0.5, [np.inf]])
    centre = zbar + bias[:, None] + stretch[:, None] * (np.arange(grades) - zbar)  # (H, R)
    below = ndtr((bounds - centre[:, :, None]) / noise[:, None, None])
    mass: Floats = np.diff(below, axis=2)
    return mass


def _base(grades: int, bias: Floats, stretch: Floats, noise: Floats, spam: Floats) -> Floats:
    reach = grades - 1
    log_share = (
        -0.5 * (bias / (0.15 * reach + 0.1)) ** 2
        - 0.5 * (np.log(np.abs(stretch)) / 0.35) ** 2
        - 0.5 * ((np.log(noise) - np.log(0.25 * reach + 0.3)) / 0.7) ** 2
        - 3 * spam
    )
    share = np.exp(log_share) * np.where(stretch < 0, _REVERSED_SHARE, 1.0)
    base: Floats = share / share.sum()
    return base
