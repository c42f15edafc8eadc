"""Rows of probabilities learned from counts: one row per annotator and thing that it may see, J answers each.

Counts are (N, R, J): of annotator n, in situation r, how often it answered j.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Protocol

import numpy as np

from truegrade.inference.gamma import digamma_log_gamma

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

__all__ = ["PooledRows", "Rows", "SmoothedRows"]

_TINY = 1e-300  # stands for a probability of 0: its logarithm is finite
_CONCENTRATIONS = (1e-2, 1e6)  # of a learned population row
_FAR = 100  # times as many ratings as any annotator gave: they count for little beside the population
_LEAST = 1e-6  # of a population's shares: an answer that nobody gave stays possible
_POOL_STEPS = 5


class Rows(Protocol):
    """What is believed about the rows of all annotators."""

    @property
    def counts(self) -> Floats:
        """The counts that it rests on (N, R, J)."""

    @property
    def log_p(self) -> Floats:
        """What a rating adds to the log likelihood (N, R, J)."""

    @property
    def mean(self) -> Floats:
        """The rows themselves (N, R, J)."""

    def log_prior(self) -> float:
        """The prior's part of the bound."""

    def updated(self, counts: Floats) -> Rows:
        """The same after an exact coordinate step, given new counts."""


@dataclass(frozen=True)
class SmoothedRows:
    """The maximum of likelihood times prior: `added` more counts in every cell; 0 is maximum likelihood.

    The prior is a Dirichlet(1 + added) on every row, its constant left out.
    """

    counts: Floats  # (N, R, J)
    added: Floats  # (J,)

    @property
    def mean(self) -> Floats:
        """Shares of the counts; equal ones where there is nothing to count."""
        total = self.counts + self.added
        sums = total.sum(axis=2, keepdims=True)
        shares: Floats = np.divide(total, sums, out=np.full_like(total, 1 / total.shape[2]), where=sums > 0)
        return shares

    @cached_property
    def log_p(self) -> Floats:
        """Their logarithms, those of 0 cut off."""
        logs: Floats = np.log(np.maximum(self.mean, _TINY))
        return logs

    def log_prior(self) -> float:
        """Sum of added * ln p."""
        return float((self.log_p.sum(axis=(0, 1)) * self.added).sum()) if self.added.any() else 0.0

    def updated(self, counts: Floats) -> SmoothedRows:
        """Count anew."""
        return replace(self, counts=counts)


@dataclass(frozen=True)
class PooledRows:
    """q(row) = Dirichlet(counts + population): annotators are drawn from a population that is learned with them.

    population (R, J) holds pseudo-counts: its shares are what an annotator nobody knows would do, its sum over J how
    many ratings that is worth. It is learned by maximum likelihood on the bound, or keeps a fixed concentration.
    """

    counts: Floats  # (N, R, J)
    population: Floats  # (R, J)
    concentration: float | None  # None: learned

    @property
    def mean(self) -> Floats:
        """The means of the Dirichlets."""
        total = self.counts + self.population
        shares: Floats = total / total.sum(axis=2, keepdims=True)
        return shares

    @cached_property
    def _moments(self) -> tuple[Floats, Floats]:
        """E ln p (N, R, J), and the logarithms of the Dirichlets' constants (N, R)."""
        total = self.counts + self.population
        digamma, log_gamma = digamma_log_gamma(total)
        of_sum = digamma_log_gamma(total.sum(axis=2))
        return digamma - of_sum[0][:, :, None], of_sum[1] - log_gamma.sum(axis=2)

    @property
    def log_p(self) -> Floats:
        """E ln p."""
        return self._moments[0]

    def log_prior(self) -> float:
        """Minus the divergence of all rows from the population."""
        log_p, constant = self._moments
        of_sum, each = (digamma_log_gamma(a)[1] for a in (self.population.sum(axis=1), self.population))
        prior = of_sum - each.sum(axis=1)
        return -float((constant - prior + np.einsum("nrj,nrj->nr", self.counts, log_p)).sum())

    def outweighs(self, ratings: float) -> bool:
        """Whether the population was learned to be worth far more than so many ratings of one annotator."""
        sizes = self.population.sum(axis=1)  # (R,); ord-binary has no row where there is one grade
        return self.concentration is None and sizes.size > 0 and bool(np.all(sizes > _FAR * ratings))

    def updated(self, counts: Floats) -> PooledRows:
        """New counts, and the population that makes them most probable.

        Counts of a Dirichlet's row have a Polya distribution. Each step raises its likelihood (Minka's fixed point).
        """
        a, drawn_sizes = self.population, counts.sum(axis=2)
        for _ in range(_POOL_STEPS):
            size = a.sum(axis=1)  # (R,)
            drawn = (_digamma(drawn_sizes + size) - _digamma(size)).sum(axis=0)  # (R,)
            met = a * (_digamma(counts + a) - _digamma(a)).sum(axis=0)  # (R, J)
            seen = (met.sum(axis=1) > 0) & (drawn > 0)  # a row that (nearly) nobody has met stays as it is
            if self.concentration is None:
                size[seen] = np.clip(met[seen].sum(axis=1) / drawn[seen], *_CONCENTRATIONS)
            a = a.copy()
            a[seen] = size[seen, None] * _shares(met[seen])
        return replace(self, counts=counts, population=a)


def _digamma(x: Floats) -> Floats:
    return digamma_log_gamma(x)[0]


def _shares(weight: Floats) -> Floats:
    """The shares (R, J), none under the least, that maximise sum of weight * ln share."""
    low = np.zeros(weight.shape, dtype=bool)
    while True:
        free = np.where(low, 0.0, weight)
        room = 1 - _LEAST * low.sum(axis=1, keepdims=True)
        shares: Floats = np.where(low, _LEAST, free * room / free.sum(axis=1, keepdims=True))
        lower = low | (shares < _LEAST)
        if np.array_equal(lower, low):
            return shares
        low = lower
