"""What is believed about the truth of each instance. Every model's result holds one of these."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from statistics import NormalDist
from typing import TYPE_CHECKING, Any, ClassVar, Protocol

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from truegrade.scale import Scale

__all__ = [
    "GRID",
    "POSTERIORS",
    "GaussianPosterior",
    "GradePosterior",
    "GridPosterior",
    "Posterior",
    "VotePosterior",
    "joined",
]


class Posterior(Protocol):
    """The belief about M truths on a scale. Arrays are in the order of the instances' codes; NaN = not known."""

    kind: ClassVar[str]

    @property
    def estimate(self) -> NDArray[np.float64]:
        """The posterior mean on the scale's values (M,)."""

    @property
    def sd(self) -> NDArray[np.float64]:
        """The standard deviation of the truth (M,)."""

    def interval(self, level: float = 0.95) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """The equal-tailed interval that holds the truth with this probability: lower (M,), upper (M,)."""

    def probabilities(self, scale: Scale) -> NDArray[np.float64]:
        """P(grade) (M, K)."""

    def grade(self, scale: Scale) -> NDArray[np.uint8]:
        """The index of the grade to report (M,)."""

    def arrays(self) -> dict[str, NDArray[Any]]:
        """What this is made of, by the names of the fields: one row per instance, but for those in GRID."""


GRID = ("nodes", "grade_of_node")  # fields that describe a grid and not its instances


def joined(posteriors: Sequence[Posterior]) -> Posterior:
    """The posteriors of runs of instances as one."""
    if len(posteriors) == 1:
        return posteriors[0]
    each = [posterior.arrays() for posterior in posteriors]
    whole = {
        name: array if name in GRID else np.concatenate([arrays[name] for arrays in each])
        for name, array in each[0].items()
    }
    found: Posterior = POSTERIORS[posteriors[0].kind](**whole)
    return found


def _normal_interval(
    mean: NDArray[np.float64], sd: NDArray[np.float64], level: float
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    reach = NormalDist().inv_cdf(0.5 + level / 2) * sd
    return mean - reach, mean + reach


@dataclass(frozen=True)
class VotePosterior:
    """The simple estimators': a point, the shares of the votes, and for the mean a standard error."""

    kind: ClassVar[str] = "vote"
    estimate: NDArray[np.float64]  # (M,)
    sd: NDArray[np.float64]  # (M,): NaN where there is none
    shares: NDArray[np.float64]  # (M, K)
    chosen: NDArray[np.uint8]  # (M,)

    def interval(self, level: float = 0.95) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """The estimate plus and minus so many standard errors."""
        return _normal_interval(self.estimate, self.sd, level)

    def probabilities(self, scale: Scale) -> NDArray[np.float64]:
        """The shares of the votes, half a count spread over the grades."""
        return self.shares

    def grade(self, scale: Scale) -> NDArray[np.uint8]:
        """The grade that the estimator chose."""
        return self.chosen

    def arrays(self) -> dict[str, NDArray[Any]]:
        """By field."""
        return {"estimate": self.estimate, "sd": self.sd, "shares": self.shares, "chosen": self.chosen}


@dataclass(frozen=True)
class GaussianPosterior:
    """A real-valued truth, N(estimate, sd^2)."""

    kind: ClassVar[str] = "gaussian"
    estimate: NDArray[np.float64]  # (M,)
    sd: NDArray[np.float64]  # (M,): 0 where the truth is known

    def interval(self, level: float = 0.95) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """The central interval of the Gaussian."""
        return _normal_interval(self.estimate, self.sd, level)

    def probabilities(self, scale: Scale) -> NDArray[np.float64]:
        """The mass between neighbouring thresholds; the outer grades take the tails."""
        from scipy.special import ndtr

        inner = scale.thresholds[1:-1] if scale.n_grades else np.empty(0)
        sd = np.maximum(self.sd, 1e-12)[:, None]  # a known truth lies in one grade
        above = ndtr((self.estimate[:, None] - inner) / sd)  # P(z > b_k), exact in the upper tail too
        below = ndtr((inner - self.estimate[:, None]) / sd)
        mass = np.empty((self.estimate.size, scale.n_grades))
        if scale.n_grades == 0:
            return mass
        # Differences of whichever tail is small keep their digits.
        left = np.diff(np.concatenate([np.zeros((len(below), 1)), below, np.ones((len(below), 1))], axis=1), axis=1)
        right = -np.diff(np.concatenate([np.ones((len(above), 1)), above, np.zeros((len(above), 1))], axis=1), axis=1)
        middle = scale.array[None, :] < self.estimate[:, None]
        np.copyto(mass, np.where(middle, left, right))
        mass /= mass.sum(axis=1, keepdims=True)
        return mass

    def grade(self, scale: Scale) -> NDArray[np.uint8]:
        """The most probable grade, ties to the lower."""
        best: NDArray[np.uint8] = np.argmax(self.probabilities(scale), axis=1).astype(np.uint8)
        return best

    def arrays(self) -> dict[str, NDArray[Any]]:
        """By field."""
        return {"estimate": self.estimate, "sd": self.sd}


_ROUNDING = 1e-12  # a tail that misses its share by so little is that share


@dataclass(frozen=True)
class GradePosterior:
    """A truth on a grid of G ascending nodes, each of which belongs to a grade; the grades themselves are one."""

    kind: ClassVar[str] = "grades"
    p: NDArray[np.float64]  # (M, G)
    nodes: NDArray[np.float64]  # (G,): where on the scale each node lies
    grade_of_node: NDArray[np.uint8]  # (G,): ascends from 0 to K-1

    @classmethod
    def on_grades(cls, p: NDArray[np.float64], scale: Scale) -> GradePosterior:
        """From P(grade) (M, K)."""
        return cls(p, scale.array, np.arange(scale.n_grades, dtype=np.uint8))

    @property
    def estimate(self) -> NDArray[np.float64]:
        """The mean over the nodes (M,)."""
        mean: NDArray[np.float64] = self.p @ self.nodes
        return mean

    @property
    def sd(self) -> NDArray[np.float64]:
        """The spread over the nodes (M,); 0 where the truth is known."""
        # About the middle of the grid: the squares of far-off values would cancel.
        middle = (self.nodes[0] + self.nodes[-1]) / 2
        offset = self.nodes - middle
        variance = self.p @ offset**2 - (self.p @ offset) ** 2
        spread: NDArray[np.float64] = np.sqrt(np.maximum(variance, 0.0))
        return spread

    def interval(self, level: float = 0.95) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """The shortest run of nodes that leaves at most (1 - level)/2 out on either side, so it holds `level` or more.

        >>> GradePosterior(np.array([[0.02, 0.93, 0.05]]), np.array([1.0, 2.0, 3.0]), np.arange(3)).interval()
        (array([2.]), array([3.]))
        """
        tail = (1 - level) / 2 + _ROUNDING
        below = np.cumsum(self.p, axis=1)[:, :-1] <= tail  # P(z <= node): that node may be left out
        above = np.cumsum(self.p[:, ::-1], axis=1)[:, :-1] <= tail
        return self.nodes[below.sum(axis=1)], self.nodes[self.nodes.size - 1 - above.sum(axis=1)]

    def probabilities(self, scale: Scale) -> NDArray[np.float64]:
        """The mass of each grade's nodes."""
        if self.nodes.size == scale.n_grades:
            return self.p
        begins = np.searchsorted(self.grade_of_node, np.arange(scale.n_grades))
        mass: NDArray[np.float64] = np.add.reduceat(self.p, begins, axis=1)
        return mass

    def grade(self, scale: Scale) -> NDArray[np.uint8]:
        """The most probable grade, ties to the lower."""
        best: NDArray[np.uint8] = np.argmax(self.probabilities(scale), axis=1).astype(np.uint8)
        return best

    def arrays(self) -> dict[str, NDArray[Any]]:
        """By field."""
        return {"p": self.p, "nodes": self.nodes, "grade_of_node": self.grade_of_node}


@dataclass(frozen=True)
class GridPosterior:
    """A truth anywhere on the scale: masses on nodes, each spread evenly over the cell around its node.

    Cells reach half way to the next node, the outer ones as far outwards, so that the mean of a cell is its node.
    """

    kind: ClassVar[str] = "grid"
    p: NDArray[np.float64]  # (M, G)
    nodes: NDArray[np.float64]  # (G,): ascend
    known: NDArray[np.float64]  # (M,): truths that are known, NaN elsewhere

    @cached_property
    def edges(self) -> NDArray[np.float64]:
        """The ends of the cells (G+1,)."""
        if self.nodes.size == 1:
            return np.array([self.nodes[0] - 0.5, self.nodes[0] + 0.5])
        inner = (self.nodes[1:] + self.nodes[:-1]) / 2
        first, last = 2 * self.nodes[0] - inner[0], 2 * self.nodes[-1] - inner[-1]
        edges: NDArray[np.float64] = np.concatenate([[first], inner, [last]])
        return edges

    @property
    def estimate(self) -> NDArray[np.float64]:
        """The mean over the nodes (M,)."""
        estimate: NDArray[np.float64] = np.where(np.isnan(self.known), self.p @ self.nodes, self.known)
        return estimate

    @property
    def sd(self) -> NDArray[np.float64]:
        """The spread over the nodes and inside the cells (M,); 0 where the truth is known."""
        middle = (self.nodes[0] + self.nodes[-1]) / 2
        offset = self.nodes - middle
        within = np.diff(self.edges) ** 2 / 12 if self.nodes.size > 1 else np.zeros(1)
        variance = self.p @ (offset**2 + within) - (self.p @ offset) ** 2
        sd: NDArray[np.float64] = np.where(np.isnan(self.known), np.sqrt(np.maximum(variance, 0.0)), 0.0)
        return sd

    def interval(self, level: float = 0.95) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """The equal-tailed interval of the spread-out masses."""
        lower, upper = self.quantile((1 - level) / 2), self.quantile((1 + level) / 2)
        return lower, upper

    def quantile(self, share: float) -> NDArray[np.float64]:
        """The value that the truth stays below with this probability (M,)."""
        below = np.cumsum(self.p, axis=1)  # (M, G): mass up to the end of each cell
        cell = np.minimum((below < share * below[:, -1:]).sum(axis=1), self.nodes.size - 1)
        at = np.arange(cell.size)
        mass = self.p[at, cell]
        part = np.divide(
            share * below[:, -1] - (below[at, cell] - mass), mass, out=np.full(cell.size, 0.5), where=mass > 0
        )
        value = self.edges[cell] + np.clip(part, 0, 1) * np.diff(self.edges)[cell]
        found: NDArray[np.float64] = np.where(np.isnan(self.known), value, self.known)
        return found

    def probabilities(self, scale: Scale) -> NDArray[np.float64]:
        """The mass between neighbouring thresholds; the outer grades take what lies beyond."""
        bounds = scale.thresholds_with("infinite")
        low, high = self.edges[:-1, None], self.edges[1:, None]
        share = np.clip(np.minimum(high, bounds[1:]) - np.maximum(low, bounds[:-1]), 0, None) / (high - low)
        mass: NDArray[np.float64] = self.p @ share
        settled = np.flatnonzero(~np.isnan(self.known))
        mass[settled] = np.eye(scale.n_grades)[scale.nearest(self.known[settled])]
        return mass

    def grade(self, scale: Scale) -> NDArray[np.uint8]:
        """The most probable grade, ties to the lower."""
        best: NDArray[np.uint8] = np.argmax(self.probabilities(scale), axis=1).astype(np.uint8)
        return best

    def arrays(self) -> dict[str, NDArray[Any]]:
        """By field."""
        return {"p": self.p, "nodes": self.nodes, "known": self.known}


POSTERIORS: dict[str, Any] = {
    kind.kind: kind for kind in (VotePosterior, GaussianPosterior, GradePosterior, GridPosterior)
}
