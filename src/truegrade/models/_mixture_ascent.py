"""One start of the ordinal mixture on its way up: how a pass's sums become parameters."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from truegrade.inference.earnest import EarnestPosterior
from truegrade.inference.gamma import gamma_kl, gamma_log_mean, gamma_mle, rate_mle, shape_mle
from truegrade.inference.mixture_sweep import MixtureParameters, MixtureState, MixtureSums, mixture_sweep
from truegrade.models._summary import correlation, instance_weights

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from truegrade.fit import Fit
    from truegrade.models._mixture_problem import MixtureProblem

    Floats = NDArray[np.float64]

__all__ = ["Hyper", "MixtureAscent"]

_EARNEST = 0.9
_SLOW = 2e-3  # nats per rating and pass: where the bound moves by less, steps for eps may be long
# In squared steps: rate of a learned prior of tau and variance of a learned prior of z, which ratings that agree
# exactly, or a single known truth, would take to 0.
_LEAST_SQUARE = 1e-6
_COLLAPSED = 0.2  # mean responsibility below which nearly everything is called spam


@dataclass
class Hyper:
    """The hyperparameters in force; those that are learned change from pass to pass."""

    alpha: float
    beta: float
    phi: float
    eta: float
    mu: float
    lam: float
    pi: Floats  # (K,)


@dataclass
class MixtureAscent:
    """The variational state of one start."""

    problem: MixtureProblem
    state: MixtureState  # q(z), and q(delta) where there are several
    sums: MixtureSums
    tau_shape: Floats  # (N,)
    tau_rate: Floats  # (N,)
    earnest: EarnestPosterior  # q(eps) (N,)
    delta: tuple[float, float]  # shape and rate of the one delta of difficulty "none"
    hyper: Hyper
    learn_annotators: bool
    last_bound: float = -np.inf

    @classmethod
    def fresh(cls, problem: MixtureProblem, index: int, learn_annotators: bool) -> MixtureAscent:
        """eps = .9, z = the mean of the ratings, everyone alike; the jitter alone differs between starts.

        Start 0 has none. The jitter of eps is one draw for all annotators: drawn for each alone it decides by chance
        who is held to be a spammer in the end.
        """
        jitter = _Jitter(np.random.default_rng((problem.model.seed, index)), on=index > 0)
        model, ratings = problem.model, problem.ratings
        hyper = _first_hyper(problem)
        ease = model.ease or hyper.phi / hyper.eta
        tau = np.exp(0.1 * jitter.draw(ratings.n_annotators)) / (ease * problem.step**2)
        earnest = _first_earnest(problem, jitter)
        shape = hyper.alpha + problem.weight_of_annotator / 2
        z, precision = problem.mean_rating, instance_weights(ratings)
        z += jitter.draw(ratings.n_instances, 0.3 * problem.step)
        precision /= problem.step**2
        precision += hyper.lam
        if problem.gold is not None:
            known = ~np.isnan(problem.gold)
            z[known], precision[known] = problem.gold[known], np.inf
        eases = {"none": 0, "category": ratings.n_categories, "instance": ratings.n_instances}[model.difficulty]
        many = eases > 0
        return cls(
            problem=problem,
            state=MixtureState(
                z,
                precision,
                np.full(eases, hyper.phi) if many else None,
                np.full(eases, hyper.eta) if many else None,
            ),
            sums=MixtureSums.empty(ratings.n_annotators, problem.values.size),
            tau_shape=shape,
            tau_rate=shape / tau,
            earnest=earnest,
            delta=(hyper.phi, hyper.eta),
            hyper=hyper,
            learn_annotators=learn_annotators,
        )

    def parameters(self) -> MixtureParameters:
        """What a pass takes as given."""
        h, ease = self.hyper, self.problem.model.ease
        delta_mean = self.delta[0] / self.delta[1] if ease is None else ease
        return MixtureParameters(
            tau_mean=self.tau_shape / self.tau_rate,
            tau_log_mean=gamma_log_mean(self.tau_shape, self.tau_rate),
            eps_log_mean=self.earnest.log_mean + self.problem.log_unit,
            eps_log1m_mean=self.earnest.log1m_mean,
            bounds=self.problem.thresholds,
            grade_value=self.problem.values,
            log_spam=np.log(h.pi) - np.log(self.problem.widths),
            z_prior_mean=h.mu,
            z_prior_precision=h.lam,
            delta_prior_shape=h.phi,
            delta_prior_rate=h.eta,
            delta_mean=delta_mean,
            delta_log_mean=float(gamma_log_mean(*self.delta)) if ease is None else float(np.log(ease)),
        )

    def step(self) -> float:
        """One pass and the updates that follow it; the bound is the one right after q(x, y)."""
        guarded = self.earnest.accelerated
        unbounded = self.problem.model.link == "real"  # an annotator may come to know the truth, with precision inf
        before = self.state.copy() if guarded or unbounded else None
        self._sweep()
        bound = self.bound()
        if unbounded and before is not None and not (np.isfinite(bound) and np.all(np.isfinite(self.state.z_mean))):
            self.state = before  # the last finite one is what the tables show
            return np.nan
        if guarded and before is not None and bound < self.last_bound:
            # The long step for eps overshot: take the plain one, which cannot.
            self.state = before
            self.earnest = self.earnest.plain()
            self._sweep()
            bound = self.bound()
        # Long steps early on would call half the annotators spammers before anything is known about them.
        hurry = bound - self.last_bound < _SLOW * self.problem.weight_of_annotator.sum()
        self.last_bound = bound
        self._update(hurry=hurry)
        return bound

    def _sweep(self) -> None:
        p = self.problem
        mixture_sweep(p.data, p.plan, p.options, self.parameters(), self.state, self.sums, threads=p.threads)

    def bound(self) -> float:
        """F(q) <= ln p(R, known truths): their expected logs, less each factor's divergence from its prior."""
        ratings, kl_z, kl_delta = self.sums.totals
        ratings -= self.problem.log_unit * self.sums.annotator[:, 0].sum()
        kl = kl_z + kl_delta + self.kl_tau() + self.kl_one_delta() + self.earnest.kl()
        return float(ratings - kl) + self.log_known()

    def log_known(self) -> float:
        """Sum of ln p(z_m) of the truths that are known: they are observations, like the ratings."""
        if self.problem.gold is None:
            return 0.0
        h, z = self.hyper, self.problem.gold[~np.isnan(self.problem.gold)]
        return float(np.sum(np.log(h.lam / (2 * np.pi)) - h.lam * (z - h.mu) ** 2) / 2)

    def kl_tau(self) -> float:
        """Sum of KL(q(tau_n) || G(alpha, beta))."""
        return float(gamma_kl(self.tau_shape, self.tau_rate, self.hyper.alpha, self.hyper.beta).sum())

    def kl_one_delta(self) -> float:
        """KL(q(delta) || G(phi, eta)) of difficulty "none"; the kernel sums it up for many deltas."""
        model = self.problem.model
        if model.difficulty != "none" or model.ease is not None:
            return 0.0
        return float(gamma_kl(*self.delta, self.hyper.phi, self.hyper.eta))

    def _update(self, *, hurry: bool) -> None:
        earnest, distance, wavering = self.sums.annotator.T  # (N,) each; see MixtureSums
        model, h = self.problem.model, self.hyper
        if model.difficulty == "none":
            if model.ease is None and self.learn_annotators:
                tau = self.tau_shape / self.tau_rate
                self.delta = (h.phi + earnest.sum() / 2, h.eta + float(tau @ distance) / 2)
            distance = distance * (self.delta[0] / self.delta[1] if model.ease is None else model.ease)
        if self.learn_annotators:
            self.tau_shape = h.alpha + earnest / 2
            self.tau_rate = h.beta + distance / 2
            self.earnest = self.earnest.updated(earnest, wavering, hurry=hurry)
            self._learn()

    def _learn(self) -> None:
        """Type-II maximum likelihood of the hyperparameters that are to be learned."""
        model, h = self.problem.model, self.hyper
        now, lowest = (h.alpha, h.beta), _LEAST_SQUARE * self.problem.step**2
        h.alpha, h.beta = _gamma_prior(model.alpha, model.beta, self.tau_shape, self.tau_rate, now, lowest)
        shape, rate = self.state.delta_shape, self.state.delta_rate
        if shape is not None and rate is not None:
            h.phi, h.eta = _gamma_prior(model.phi, model.eta, shape, rate, (h.phi, h.eta))
        if model.pi == "learn" and self.sums.spam_weight.sum() > 0:
            h.pi = np.maximum(self.sums.spam_weight / self.sums.spam_weight.sum(), 1e-12)
        if model.mu == "learn":
            h.mu = float(self.state.z_mean.mean())
        if model.lam == "learn":
            variance = float(np.mean((self.state.z_mean - h.mu) ** 2 + 1 / self.state.z_precision))
            h.lam = 1 / max(variance, lowest)

    def mean_responsibility(self) -> float:
        """The share of the ratings that are held to be in earnest."""
        return float(self.sums.annotator[:, 0].sum() / self.problem.weight_of_annotator.sum())

    def collapsed(self) -> bool:
        """Whether nearly everything is called spam: a degenerate optimum of a high bound."""
        return self.earnest.learned and self.mean_responsibility() < _COLLAPSED

    def mirrored(self) -> bool:
        """Whether the estimates run against the mean of the ratings."""
        return correlation(self.state.z_mean, self.problem.mean_rating) < 0

    def all_spam_bound(self) -> float:
        """The bound of calling every rating spam: sum of ln pi_r, what eps adds and the known truths."""
        p = self.problem
        log_spam = np.log(self.hyper.pi) - np.log(p.widths)
        grade = np.zeros(p.ratings.n_ratings, dtype=np.uint8) if p.data.grade is None else p.data.grade
        spam = float(np.bincount(grade, p.ratings.weight, log_spam.size) @ log_spam)
        return spam + self.earnest.all_spam_bound() + self.log_known()

    def resume(self, earlier: Fit) -> None:
        """Begin where an earlier fit ended; ids that it does not know keep their fresh start."""
        from truegrade.models._mixture_resume import resume

        resume(self, earlier)


def _first_hyper(problem: MixtureProblem) -> Hyper:
    model = problem.model

    def first(value: float | str | None, guess: float) -> float:
        return guess if value is None or isinstance(value, str) else value

    phi, eta = first(model.phi, 10.0), first(model.eta, 5.0)
    alpha = first(model.alpha, 2.0)
    expected = 1 / ((model.ease or phi / eta) * problem.step**2)
    k = problem.values.size
    pi = np.full(k, 1 / k) if isinstance(model.pi, str) else np.array(model.pi, dtype=np.float64)
    if pi.size != k or np.any(pi <= 0) or not np.isclose(pi.sum(), 1):
        from truegrade.errors import OptionError

        raise OptionError(f"pi: the scale {problem.ratings.scale} needs {k} positive shares that add up to 1")
    return Hyper(
        alpha=alpha,
        beta=first(model.beta, alpha / expected),
        phi=phi,
        eta=eta,
        mu=first(model.mu, problem.middle),
        lam=first(model.lam, 0.1 / problem.step**2),
        pi=pi,
    )


@dataclass(frozen=True)
class _Jitter:
    """Standard normal draws, or zeros."""

    rng: np.random.Generator
    on: bool

    def draw(self, size: int, sd: float = 1.0) -> Floats:
        drawn = self.rng.standard_normal(size) if self.on else np.zeros(size)
        drawn *= sd
        return drawn


def _first_earnest(problem: MixtureProblem, jitter: _Jitter) -> EarnestPosterior:
    """eps = .9 for everyone but for the jitter: starts below one half end with everything called spam."""
    model, total = problem.model, problem.weight_of_annotator
    if not model.spam or not isinstance(model.epsilon, str):
        return EarnestPosterior.fixed(total, 1.0 if not model.spam else float(model.epsilon))
    eps = np.full(total.size, np.clip(_EARNEST + 0.02 * jitter.draw(1), 0.8, 0.98))
    prior = None if model.epsilon_prior is None else (model.epsilon_prior[0], model.epsilon_prior[1])
    newton = model.responsibility == "exact" and prior is None
    return EarnestPosterior(total, eps, prior, learned=True, newton=newton)


def _gamma_prior(
    shape: float | str,
    rate: float | str,
    shapes: Floats,
    rates: Floats,
    now: tuple[float, float],
    lowest: float = 0.0,
) -> tuple[float, float]:
    """The prior of gammas that are G(shapes, rates): learned, half learned or fixed; no rate under `lowest`."""
    if shape != "learn" and rate != "learn":
        return now
    mean = float(np.mean(shapes / rates))
    if shape != "learn":
        return now[0], max(rate_mle(now[0], mean), lowest)
    log_mean = float(np.mean(gamma_log_mean(shapes, rates)))
    if rate != "learn":
        return shape_mle(now[1], log_mean), now[1]
    best = gamma_mle(mean, log_mean)
    return best if best[1] >= lowest else (shape_mle(lowest, log_mean), lowest)
