"""What annotators are drawn from: the shares of types and of kappas, in each group of annotators.

Each group learns its own, with Dirichlet priors: w near the grid's base shares, as if `strength` annotators had been
seen before; v near nothing, one annotator of each kappa. Who is trusted is of a group whose first guess leaves only
types that hardly ever err, and habits that hardly matter.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from truegrade.models._panel_types import TypeGrid

    Floats = NDArray[np.float64]

__all__ = ["KAPPAS", "Population", "log_dirichlet"]

KAPPAS = np.array([1.5, 5.0, 20.0, 100.0])
_TINY = 1e-12
_NEVER = 1e-30  # the share of types that trusted annotators are not of


@dataclass(frozen=True)
class Population:
    """The shares of types w and of kappas v, in each of P groups."""

    grid: TypeGrid
    base: Floats  # (P, H): shares of the types before anything is known
    base_v: Floats  # (P, 4): annotators of each kappa, as if seen before
    strength: float  # how many annotators the base shares are worth
    log_w: Floats  # (P, H)
    log_v: Floats  # (P, 4)
    learned: bool = True
    group: NDArray[np.intp] = field(default_factory=lambda: np.zeros(1, dtype=np.intp))  # (N,), or (1,): all alike

    @classmethod
    def of(cls, grid: TypeGrid, strength: float, groups: int = 1, *, learned: bool = True) -> Population:
        """Before anything is known."""
        base, base_v = np.tile(grid.base, (groups, 1)), np.ones((groups, KAPPAS.size))
        return cls(grid, base, base_v, strength, np.log(base), np.log(base_v / KAPPAS.size), learned)

    def with_trusted(self) -> Population:
        """The same, but the last group are annotators who hardly ever err."""
        grid, base, base_v = self.grid, self.base.copy(), self.base_v.copy()
        base[-1] = np.where(grid.is_exact, grid.base, 0) / grid.base[grid.is_exact].sum() + _NEVER
        base_v[-1] = _NEVER
        base_v[-1, -1] = self.strength
        log_v = np.log(base_v / base_v.sum(axis=1, keepdims=True))
        return replace(self, base=base, base_v=base_v, log_w=np.log(base), log_v=log_v)

    def log_w_of(self, annotators: int) -> Floats:
        """ln w of every annotator (N, H)."""
        return self.log_w[np.broadcast_to(self.group, annotators)]

    def updated(self, types: Floats, kappas: Floats | None = None) -> Population:
        """The most probable shares, given how many annotators are of each type (P, H) and kappa (P, 4)."""
        if not self.learned:
            return self
        w = types + self.strength * self.base
        v = np.exp(self.log_v) if kappas is None else kappas + self.base_v
        return replace(self, log_w=_log_shares(w), log_v=_log_shares(v))

    def drawn(self, rng: np.random.Generator, types: Floats, kappas: Floats) -> Population:
        """Shares drawn, given the same."""
        if not self.learned:
            return self
        log_w = log_dirichlet(rng, types + self.strength * self.base)
        return replace(self, log_w=log_w, log_v=log_dirichlet(rng, kappas + self.base_v))

    def log_prior(self, *, refined: bool) -> float:
        """Of the shares, constants left out."""
        types = self.strength * float(np.vdot(self.base, self.log_w))
        return types + float(np.vdot(self.base_v, self.log_v)) if refined else types


def _log_shares(numbers: Floats) -> Floats:
    log_shares: Floats = np.log(numbers / numbers.sum(axis=1, keepdims=True))
    return log_shares


def log_dirichlet(rng: np.random.Generator, pseudo: Floats) -> Floats:
    """The logarithm of a draw."""
    draw = np.maximum(rng.standard_gamma(pseudo), _TINY)  # no alternative is impossible
    log_share: Floats = np.log(draw / draw.sum(axis=-1, keepdims=True))
    return log_share
