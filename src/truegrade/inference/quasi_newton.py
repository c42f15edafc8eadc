"""Limited-memory quasi-Newton directions (L-BFGS), uphill, where some coordinates may not move."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

__all__ = ["Memory"]

_PAIRS = 10
_TURNED = 1e-10  # cosine below which a pair tells nothing about the curvature


@dataclass
class Memory:
    """The last steps, and how the slope turned along each.

    Sums are taken by NumPy itself: the threads of a linear algebra library would show in the last bits.
    """

    pairs: deque[tuple[Floats, Floats]] = field(default_factory=lambda: deque(maxlen=_PAIRS))

    def remember(self, step: Floats, turn: Floats) -> None:
        """A step and the slope before it less the slope after it; kept where the function curves down along it."""
        if _dot(step, turn) > _TURNED * np.sqrt(_dot(step, step) * _dot(turn, turn)):
            self.pairs.append((step, turn))

    def forget(self) -> None:
        """Begin again with the curvature alone."""
        self.pairs.clear()

    def direction(self, slope: Floats, curvature: Floats, free: NDArray[np.bool_]) -> Floats:
        """Where to go from here: slope over curvature (both (P,)), turned by what the last steps taught.

        It always points uphill, and is 0 where a coordinate is not free.
        """
        ahead = np.where(free, slope, 0.0)
        taught = []
        for step, turn in reversed(self.pairs):
            masked_step, masked_turn = step * free, turn * free
            along = _dot(masked_step, masked_turn)
            if along > 0:
                share = _dot(masked_step, ahead) / along
                ahead = ahead - share * masked_turn
                taught.append((masked_step, masked_turn, along, share))
        ahead = ahead / curvature
        for step, turn, along, share in reversed(taught):
            ahead = ahead + step * (share - _dot(turn, ahead) / along)
        return ahead


def _dot(one: Floats, two: Floats) -> float:
    return float((one * two).sum())
