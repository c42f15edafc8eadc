"""q(eps_n): the probability that annotator n rates in earnest, as a point or as a Beta distribution."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

__all__ = ["EarnestPosterior"]

_LONGEST = 8.0  # times the plain step


@dataclass(frozen=True)
class EarnestPosterior:
    """Points eps (N,), or Beta(earnest, spam) (N,) each under a Beta prior."""

    total: Floats  # (N,): weight of each annotator's ratings
    eps: Floats  # (N,): the point, or the posterior mean
    prior: tuple[float, float] | None
    learned: bool
    newton: bool  # long steps, for the exact update only: they need a bound that tells when one was too long
    em_eps: Floats | None = None  # where the plain step would have gone, after a long one

    @classmethod
    def fixed(cls, total: Floats, eps: float) -> EarnestPosterior:
        """The same eps for everyone, never updated."""
        return cls(total, np.full(total.size, float(eps)), None, learned=False, newton=False)

    @property
    def accelerated(self) -> bool:
        """Whether the last step was longer than the plain one."""
        return self.em_eps is not None

    def plain(self) -> EarnestPosterior:
        """Where the plain step would have gone."""
        return self if self.em_eps is None else replace(self, eps=self.em_eps, em_eps=None)

    @property
    def log_mean(self) -> Floats:
        """E ln eps (N,)."""
        return self._log_means()[0]

    @property
    def log1m_mean(self) -> Floats:
        """E ln (1 - eps) (N,)."""
        return self._log_means()[1]

    def _log_means(self) -> tuple[Floats, Floats]:
        if self.prior is None:
            with np.errstate(divide="ignore"):
                return np.log(self.eps), np.log1p(-self.eps)
        from scipy.special import digamma

        a, b = self.counts()
        both = digamma(a + b)
        return digamma(a) - both, digamma(b) - both

    def counts(self) -> tuple[Floats, Floats]:
        """The parameters of q(eps_n) = Beta(a_n, b_n) under the prior."""
        a0, b0 = self.prior or (0.0, 0.0)
        a = self.eps * (self.total + a0 + b0)
        return a, self.total + a0 + b0 - a

    def updated(self, earnest: Floats, wavering: Floats, *, hurry: bool) -> EarnestPosterior:
        """The next q(eps) from the sums of w omega and of w omega (1 - omega)."""
        if not self.learned:
            return self
        if self.prior is not None:
            a0, b0 = self.prior
            return replace(self, eps=(a0 + earnest) / (self.total + a0 + b0))
        em = np.clip(earnest / self.total, 0.0, 1.0)
        if not (self.newton and hurry):
            return replace(self, eps=em, em_eps=None)
        return replace(self, eps=self._long_step(em, wavering), em_eps=em)

    def _long_step(self, em: Floats, wavering: Floats) -> Floats:
        """Newton's step in logit eps: the plain one over 1 - sum w omega(1-omega) / (n eps (1-eps))."""
        inside = (self.eps > 0) & (self.eps < 1) & (em > 0) & (em < 1)
        now, then = np.where(inside, self.eps, 0.5), np.where(inside, em, 0.5)
        rest = 1 - wavering / (self.total * now * (1 - now))
        factor = 1 / np.clip(rest, 1 / _LONGEST, 1.0)
        logit = np.log(now / (1 - now))
        target = logit + factor * (np.log(then / (1 - then)) - logit)
        return np.where(inside, 1 / (1 + np.exp(-target)), em)

    def kl(self) -> float:
        """Sum of KL(q(eps_n) || Beta(a, b)); 0 for points."""
        if self.prior is None:
            return 0.0
        from scipy.special import betaln, digamma

        (a, b), (a0, b0) = self.counts(), self.prior
        kl = betaln(a0, b0) - betaln(a, b) + (a - a0) * digamma(a) + (b - b0) * digamma(b)
        return float(np.sum(kl + (a0 + b0 - a - b) * digamma(a + b)))

    def all_spam_bound(self) -> float:
        """What q(eps) adds to the bound at best if every rating is spam."""
        if self.prior is not None:
            from scipy.special import betaln

            a0, b0 = self.prior
            return float(np.sum(betaln(a0, b0 + self.total) - betaln(a0, b0)))
        if self.learned:  # eps = 0
            return 0.0
        with np.errstate(divide="ignore"):
            return float(self.total @ np.log1p(-self.eps))
