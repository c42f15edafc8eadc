"""The nodes that a truth may lie on: grades, places between two of them, and how ambiguous the instance is.

A node g is a blend of grades: it is met as grade r with probability blend[g, r]. A truth half way between 3 and 4 is
taken for a 3 by half of the annotators and for a 4 by the others; an ambiguous one also for the grades beside it. So
nodes ask nothing new of annotators: their rows are about the K grades alone.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

__all__ = ["TruthGrid"]


@dataclass(frozen=True)
class TruthGrid:
    """Z places on the scale times D levels of ambiguity: G = D Z nodes, the places of level 0 first."""

    position: Floats  # (Z,): in grades, 0 .. K-1
    levels: int  # D
    blend: Floats  # (G, R): rows sum to 1

    @classmethod
    def of(cls, grades: int, per_grade: int, ambiguity: tuple[float, ...]) -> TruthGrid:
        """`per_grade` nodes per step of the scale; with ambiguity a an instance passes for either neighbour."""
        places = (grades - 1) * per_grade + 1
        position = np.arange(places) / per_grade
        low = np.minimum(position.astype(np.intp), max(grades - 2, 0))
        between = np.zeros((places, grades))
        between[np.arange(places), low] = 1 - (position - low)
        between[np.arange(places), np.minimum(low + 1, grades - 1)] += position - low
        beside = np.zeros((grades, grades))
        for k in range(grades):
            beside[k, max(k - 1, 0)] += 0.5
            beside[k, min(k + 1, grades - 1)] += 0.5
        blends = [between @ ((1 - 2 * a) * np.eye(grades) + 2 * a * beside) for a in ambiguity]
        return cls(position, len(ambiguity), np.concatenate(blends))

    @property
    def nodes(self) -> int:
        """G."""
        return len(self.blend)

    @cached_property
    def on_grades(self) -> bool:
        """Whether the nodes are the grades themselves."""
        return self.nodes == self.blend.shape[1] and bool(np.all(np.diag(self.blend) == 1))

    @cached_property
    def _layers(self) -> list[tuple[NDArray[np.intp], NDArray[np.intp], Floats]]:
        """Node, grade and ln blend of every node's first grade, of the second where there is one, and so on."""
        rank = np.cumsum(self.blend > 0, axis=1) * (self.blend > 0)
        layers = []
        for s in range(1, int(rank.max()) + 1):
            node, grade = np.nonzero(rank == s)
            layers.append((node, grade, np.log(self.blend[node, grade])))
        return layers

    def table(self, log_p: Floats) -> Floats:
        """What a rating adds to the log likelihood of each node (N, K, G), from what it adds per grade (N, R, K)."""
        (_, grade, log_blend), *more = self._layers
        table = log_p[:, grade] + log_blend[:, None]  # (N, G, K)
        for node, grade, log_blend in more:
            table[:, node] = np.logaddexp(table[:, node], log_p[:, grade] + log_blend[:, None])
        return np.ascontiguousarray(table.transpose(0, 2, 1))

    def rows(self, counts: Floats, table: Floats, log_p: Floats) -> Floats:
        """Soft counts per grade (N, R, K) from those per node (N, K, G), given the table that led to them."""
        by_node, log_node = counts.transpose(0, 2, 1), table.transpose(0, 2, 1)  # (N, G, K)
        rows = np.zeros_like(log_p)
        for node, grade, log_blend in self._layers:
            part = by_node[:, node] * np.exp(log_p[:, grade] + log_blend[:, None] - log_node[:, node])
            for r in np.unique(grade):
                rows[:, r] += part[:, grade == r].sum(axis=1)
        return rows

    def places(self, mass: Floats) -> Floats:
        """Mass per place (.., Z), from mass per node (.., G)."""
        whole: Floats = mass.reshape(*mass.shape[:-1], self.levels, self.position.size).sum(axis=-2)
        return whole

    def weights(self, position: float) -> Floats:
        """How a known truth is spread over the nodes (G,): over the two places around it, at any ambiguity."""
        at = min(int(np.searchsorted(self.position, position, side="right")) - 1, max(self.position.size - 2, 0))
        place = np.zeros(self.position.size)
        if self.position.size == 1:
            place[0] = 1.0
        else:
            share = (position - self.position[at]) / (self.position[at + 1] - self.position[at])
            place[at], place[at + 1] = 1 - share, share
        return np.tile(place, self.levels)
