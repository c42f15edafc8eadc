"""What is believed about an annotator of the panel: which type it is of, and how it departs from that type.

    h_n ~ w                                     the type of annotator n; w is learned, near the grid's base shares
    kappa_n ~ v                                 how closely it keeps to its type, in ratings per grade
    phi_nr ~ Dirichlet(kappa_n p[h_n, r])       what it says when the truth is grade r

:class:`TypeRows` leaves phi at the type (kappa infinite); :class:`RefinedRows` integrates phi out. Both make exact
coordinate steps, so that the bound never falls. Rows are (N, R, K): annotator, true grade, grade said.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Protocol

import numpy as np

from truegrade.inference.gamma import digamma_log_gamma
from truegrade.models._panel_population import KAPPAS, Population

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

__all__ = ["PanelRows", "RefinedRows", "TypeRows", "chosen"]

_KEPT = 12  # types per annotator that are refined; with ten ratings, six do not hold the mass
_LEAST = 1e-3  # of a count that its own rating is taken out of


def chosen(p: Floats, u: Floats) -> NDArray[np.intp]:
    """One of each row's alternatives (b,): their shares p (b, J), and a number from 0 to 1 for each row (b,)."""
    below = np.cumsum(p, axis=1)
    found: NDArray[np.intp] = np.minimum((below < u[:, None] * below[:, -1:]).sum(axis=1), p.shape[1] - 1)
    return found


def _by_group(population: Population, mass: Floats) -> Floats:
    """The sum over each group's annotators (P, ..) of masses (N, ..)."""
    member = np.arange(len(population.log_w))[:, None] == np.broadcast_to(population.group, len(mass))
    total: Floats = member.astype(np.float64) @ mass
    return total


class PanelRows(Protocol):
    """Either kind of rows."""

    @property
    def counts(self) -> Floats:
        """Of grades said, for each true grade (N, R, K)."""

    @property
    def population(self) -> Population:
        """What the annotators are drawn from."""

    @property
    def log_p(self) -> Floats:
        """What a rating adds to the log likelihood of each grade (N, R, K): E ln phi."""

    @property
    def mean(self) -> Floats:
        """E phi (N, R, K)."""

    def log_prior(self) -> float:
        """Minus the divergence of what is believed from the prior, and the prior of the population."""

    def updated(self, counts: Floats) -> PanelRows:
        """The same after exact coordinate steps: the population, then the annotators, given new counts."""

    def without(self, annotator: NDArray[np.intp], grade: NDArray[np.intp], own: Floats) -> Floats:
        """P(says what it said | truth is grade r) (b, R) of b ratings, each taken out of its annotator's counts.

        own (b, R): how far the rating was counted under each grade.
        """


def _softmax(log_weight: Floats) -> tuple[Floats, Floats]:
    """Shares along the last axis, and the logarithm of what they were divided by."""
    top = log_weight.max(axis=-1, keepdims=True)
    weight = np.exp(log_weight - top)
    total = weight.sum(axis=-1, keepdims=True)
    return weight / total, (top + np.log(total))[..., 0]


@dataclass(frozen=True)
class TypeRows:
    """q(h): every annotator keeps to its type."""

    counts: Floats  # (N, R, K)
    population: Population
    q: Floats  # (N, H)
    log_norm: Floats  # (N,): ln of the sum over h of w_h P(counts | h)

    @classmethod
    def of(cls, counts: Floats, population: Population) -> TypeRows:
        """The best q(h), given counts."""
        flat = counts.reshape(len(counts), -1)
        log_p = np.log(population.grid.p).reshape(len(population.grid.p), -1)
        q, log_norm = _softmax(flat @ log_p.T + population.log_w_of(len(counts)))
        return cls(counts, population, q, log_norm)

    @cached_property
    def log_p(self) -> Floats:
        """E ln p over the types."""
        p = self.population.grid.p
        log_p: Floats = (self.q @ np.log(p).reshape(len(p), -1)).reshape(len(self.q), *p.shape[1:])
        return log_p

    @cached_property
    def mean(self) -> Floats:
        """E p over the types."""
        p = self.population.grid.p
        mean: Floats = (self.q @ p.reshape(len(p), -1)).reshape(len(self.q), *p.shape[1:])
        return mean

    def log_prior(self) -> float:
        """See :class:`PanelRows`."""
        return float(self.log_norm.sum() - np.vdot(self.counts, self.log_p)) + self.population.log_prior(refined=False)

    def updated(self, counts: Floats) -> TypeRows:
        """See :class:`PanelRows`."""
        return TypeRows.of(counts, self.population.updated(_by_group(self.population, self.q)))

    def without(self, annotator: NDArray[np.intp], grade: NDArray[np.intp], own: Floats) -> Floats:
        """See :class:`PanelRows`."""
        p = self.population.grid.p
        found = np.empty((annotator.size, p.shape[1]))
        for k in np.unique(grade):
            at = np.flatnonzero(grade == k)
            log_q = np.log(np.maximum(self.q[annotator[at]], 1e-300)) - own[at] @ np.log(p[:, :, k]).T
            found[at] = _softmax(log_q)[0] @ p[:, :, k]
        return found


@dataclass(frozen=True)
class RefinedRows:
    """q(h, kappa, phi) over the types that were left in the race: J combinations of type and kappa per annotator."""

    counts: Floats  # (N, R, K)
    population: Population
    kept: NDArray[np.intp]  # (N, kept types)
    pseudo: Floats  # (N, J, R, K): kappa p[h], the Dirichlets' parameters
    size: Floats  # (N, J, R): their sums
    constant: Floats  # (N, J): ln of the Dirichlets' normalisers
    q: Floats  # (N, J)
    log_norm: Floats  # (N,)
    log_p: Floats  # (N, R, K)

    @classmethod
    def of(cls, counts: Floats, population: Population) -> RefinedRows:
        """Keep the types that explain the counts best."""
        grid = population.grid
        fit = counts.reshape(len(counts), -1) @ np.log(grid.p).reshape(len(grid.p), -1).T
        fit += population.log_w_of(len(counts))
        kept = np.argsort(-fit, axis=1, kind="stable")[:, :_KEPT]
        return cls.on(counts, population, kept)

    @classmethod
    def on(cls, counts: Floats, population: Population, kept: NDArray[np.intp]) -> RefinedRows:
        """With these types kept (N, kept types)."""
        pseudo = (population.grid.p[kept][:, :, None] * KAPPAS[:, None, None]).reshape(
            len(counts), -1, *counts.shape[1:]
        )
        log_gamma = digamma_log_gamma(pseudo)[1].sum(axis=(2, 3))
        size = pseudo.sum(axis=3)
        constant = digamma_log_gamma(size)[1].sum(axis=2) - log_gamma
        nothing = np.empty(0)
        return cls(counts, population, kept, pseudo, size, constant, nothing, nothing, nothing).believing(counts)

    def believing(self, counts: Floats) -> RefinedRows:
        """The best q, given counts and the population."""
        total = self.pseudo + counts[:, None]
        digamma, log_gamma = digamma_log_gamma(total)
        digamma_sum, log_gamma_sum = digamma_log_gamma(self.size + counts.sum(axis=2)[:, None])  # (N, J, R)
        evidence = log_gamma.sum(axis=(2, 3)) - log_gamma_sum.sum(axis=2) + self.constant
        q, log_norm = _softmax(evidence + self._log_prior_of_kept())
        digamma -= digamma_sum[..., None]
        log_p = np.matmul(q[:, None], digamma.reshape(*q.shape, -1)).reshape(counts.shape)
        return replace(self, counts=counts, q=q, log_norm=log_norm, log_p=log_p)

    def _types(self, type_: NDArray[np.intp], mass: Floats) -> Floats:
        """Mass per group and type (P, H), from that of some types of each annotator (N, ..)."""
        shape = self.population.log_w.shape
        cell = self.population.group[:, None] * shape[1] + type_
        return np.bincount(cell.ravel(), mass.ravel(), shape[0] * shape[1]).astype(np.float64).reshape(shape)

    def _log_prior_of_kept(self) -> Floats:
        """ln w v of the combinations (N, J)."""
        population = self.population
        log_w = population.log_w[population.group[:, None], self.kept]  # (N, kept types)
        log_v = population.log_v[population.group]
        return (log_w[:, :, None] + log_v[:, None]).reshape(len(self.kept), -1)

    @cached_property
    def mean(self) -> Floats:
        """E phi."""
        total = self.pseudo + self.counts[:, None]
        mean: Floats = np.einsum("nj,njrk->nrk", self.q, total / total.sum(axis=3, keepdims=True))
        return mean

    def log_prior(self) -> float:
        """See :class:`PanelRows`."""
        return float(self.log_norm.sum() - np.vdot(self.counts, self.log_p)) + self.population.log_prior(refined=True)

    def updated(self, counts: Floats) -> RefinedRows:
        """See :class:`PanelRows`."""
        q = self.q.reshape(len(self.q), -1, KAPPAS.size)
        types = self._types(self.kept, q.sum(axis=2))
        population = self.population.updated(types, _by_group(self.population, q.sum(axis=1)))
        return replace(self, population=population).believing(counts)

    def drawn(self, counts: Floats, rng: np.random.Generator) -> tuple[RefinedRows, Floats]:
        """Given counts of whole ratings: the rows with a population drawn, and what is known of phi then.

        That is a Dirichlet's parameters (N, R, K): those of the type and kappa that were drawn, and the counts.
        """
        evidence = digamma_log_gamma(self.pseudo + counts[:, None])[1].sum(axis=(2, 3)) + self.constant
        evidence -= digamma_log_gamma(self.size + counts.sum(axis=2)[:, None])[1].sum(axis=2)
        j = chosen(_softmax(evidence + self._log_prior_of_kept())[0], rng.random(len(counts)))
        at = np.arange(len(counts))
        types = self._types(self.kept[at, j // KAPPAS.size][:, None], np.ones((len(counts), 1)))
        kappas = _by_group(self.population, np.eye(KAPPAS.size)[j % KAPPAS.size])
        population = self.population.drawn(rng, types, kappas)
        return replace(self, population=population), self.pseudo[at, j] + counts

    def without(self, annotator: NDArray[np.intp], grade: NDArray[np.intp], own: Floats) -> Floats:
        """See :class:`PanelRows`."""
        counted = self.counts[annotator, :, grade] - own  # (b, R)
        whole = self.counts.sum(axis=2)[annotator] - own
        pseudo = self.pseudo[annotator, :, :, grade]  # (b, J, R)
        size = self.size[annotator]
        floor = np.minimum(pseudo, _LEAST)
        p = np.maximum(pseudo + counted[:, None], floor) / (size + np.maximum(whole, 0)[:, None])
        log_q = np.log(np.maximum(self.q[annotator], 1e-300)) - np.einsum("br,bjr->bj", own, np.log(p))
        found: Floats = np.einsum("bj,bjr->br", _softmax(log_q)[0], p)
        return found
