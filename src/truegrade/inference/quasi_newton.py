"""Limited-memory quasi-Newton directions (L-BFGS), uphill, for coordinates that lie in several places.

The recursion needs nothing of the vectors but their inner products. So every place adds up those of its own
coordinates, the sums give the shares in which steps and turns are mixed, and every place mixes its own.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from math import sqrt
from typing import TYPE_CHECKING

import numpy as np

from truegrade.inference.adding import Sums

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

__all__ = ["Blend", "Products", "Trail", "Turn"]

_PAIRS = 10
_TURNED = 1e-10  # cosine below which a pair tells nothing about the curvature


@dataclass(frozen=True)
class Blend:
    """The direction is (slope - sum of turns[i] turn_i) / curvature + sum of steps[i] step_i."""

    steps: Floats  # (P,)
    turns: Floats  # (P,)


@dataclass(frozen=True)
class Products(Sums):
    """Inner products, over free coordinates, of the last P steps s, the slope's turns y along them, and the slope g.

    D is the curvature.
    """

    step_slope: Floats  # (P,): s_i . g
    step_turn: Floats  # (P, P): s_i . y_j for j >= i
    turn_slope: Floats  # (P,): y_i . g / D
    turn_turn: Floats  # (P, P): y_i . y_j / D

    def blend(self) -> Blend:
        """The two loops of the recursion. Pairs along which the slope turned the wrong way are left out."""
        pairs = self.step_slope.size
        used = [i for i in range(pairs) if self.step_turn[i, i] > 0]
        steps, turns = np.zeros(pairs), np.zeros(pairs)
        for i in reversed(used):
            turns[i] = (self.step_slope[i] - turns[i + 1 :] @ self.step_turn[i, i + 1 :]) / self.step_turn[i, i]
        for i in used:
            ahead = self.turn_slope[i] - turns @ self.turn_turn[i] + steps[:i] @ self.step_turn[:i, i]
            steps[i] = turns[i] - ahead / self.step_turn[i, i]
        return Blend(steps, turns)


@dataclass(frozen=True)
class Turn(Sums):
    """How the slope turned along one step: inner products."""

    step_turn: float
    step_step: float
    turn_turn: float

    @classmethod
    def of(cls, step: Floats, turn: Floats) -> Turn:
        """The slope before the step less the slope after it."""
        return cls(_dot(step, turn), _dot(step, step), _dot(turn, turn))

    @property
    def tells(self) -> bool:
        """Whether the function curves down along the step, so that the pair is worth remembering."""
        return self.step_turn > _TURNED * sqrt(self.step_step * self.turn_turn)


@dataclass
class Trail:
    """Some of the coordinates of a point on its way up, and the last steps to it."""

    theta: Floats  # (n,)
    slope: Floats  # (n,)
    curvature: Floats  # (n,): > 0
    steps: list[Floats] = field(default_factory=list)  # P of them, the last one last
    turns: list[Floats] = field(default_factory=list)

    def products(self, free: NDArray[np.bool_]) -> Products:
        """Of these coordinates; those that are not free count for nothing."""
        slope = np.where(free, self.slope, 0.0)
        whole = bool(free.all())
        turns = self.turns if whole else [turn * free for turn in self.turns]
        steps = self.steps
        pairs = range(len(steps))
        step_turn, turn_turn = np.zeros((2, len(steps), len(steps)))
        turn_slope = np.empty(len(steps))
        for j in pairs:
            over = turns[j] / self.curvature
            turn_slope[j] = _dot(over, slope)
            for i in range(j + 1):
                step_turn[i, j] = _dot(steps[i], turns[j])
                turn_turn[i, j] = turn_turn[j, i] = _dot(turns[i], over)
        return Products(np.array([_dot(step, slope) for step in steps]), step_turn, turn_slope, turn_turn)

    def ahead(self, blend: Blend, free: NDArray[np.bool_]) -> Floats:
        """Where to go from here (n,): always uphill, and 0 where a coordinate is not free."""
        ahead = np.where(free, self.slope, 0.0)
        for share, turn in zip(blend.turns, self.turns, strict=True):
            ahead -= share * turn
        ahead /= self.curvature
        for share, step in zip(blend.steps, self.steps, strict=True):
            ahead += share * step
        return np.where(free, ahead, 0.0)

    def move(self, to: Trail, *, remember: bool) -> None:
        """Go to another point; remember how."""
        if remember:
            self.steps = [*self.steps, to.theta - self.theta][-_PAIRS:]
            self.turns = [*self.turns, self.slope - to.slope][-_PAIRS:]
        self.theta, self.slope, self.curvature = to.theta, to.slope, to.curvature

    def turn(self, to: Trail) -> Turn:
        """How the slope turns on the way there."""
        return Turn.of(to.theta - self.theta, self.slope - to.slope)

    def forget(self) -> None:
        """Begin again with the curvature alone."""
        self.steps, self.turns = [], []


def _dot(one: Floats, two: Floats) -> float:
    """By NumPy's own loop: the threads of a linear algebra library would show in the last bits."""
    return float(np.einsum("i,i->", one, two))
