"""One start of the ordinal mixture on its way up: how a pass's sums become parameters."""

from __future__ import annotations

from copy import deepcopy
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

import numpy as np

from truegrade.inference.earnest import EarnestPosterior
from truegrade.inference.gamma import gamma_kl, gamma_log_mean, gamma_mle, rate_mle, shape_mle
from truegrade.inference.mixture_sweep import MixtureParameters
from truegrade.models._mixture_part import EaseSums, MixtureMessage, MixturePart, MixtureStart

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    from truegrade.engines import States
    from truegrade.fit import Fit
    from truegrade.models._mixture_part import MixturePass
    from truegrade.models._mixture_problem import MixtureProblem
    from truegrade.models._summary import Moments

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
    """The variational state of one start; that of instances, and of the categories inside a shard, is beside them."""

    problem: MixtureProblem
    states: States  # q(z), and q(delta) where there are several
    tau_shape: Floats  # (N,)
    tau_rate: Floats  # (N,)
    earnest: EarnestPosterior  # q(eps) (N,)
    delta: tuple[float, float]  # shape and rate of the one delta of difficulty "none"
    split: dict[int, tuple[float, float]]  # and of categories that several shards share
    hyper: Hyper
    learn_annotators: bool
    sums: MixturePass = field(init=False)  # of the last pass
    last_bound: float = -np.inf

    @classmethod
    def fresh(cls, problem: MixtureProblem, index: int, learn_annotators: bool) -> MixtureAscent:
        """eps = .9, z = the mean of the ratings, everyone alike; the jitter alone differs between starts.

        Start 0 has none. The jitter of eps is one draw for all annotators: drawn for each alone it decides by chance
        who is held to be a spammer in the end.
        """
        rng = np.random.default_rng((problem.model.seed, index)) if index > 0 else None
        return cls._begun(problem, rng, learn_annotators)

    @classmethod
    def resumed(cls, problem: MixtureProblem, earlier: Fit, learn_annotators: bool) -> MixtureAscent:
        """Begin where an earlier fit ended; ids that it does not know keep their fresh start."""
        from truegrade.models._mixture_resume import check_earlier, resume

        check_earlier(problem, earlier)
        ascent = cls._begun(problem, None, learn_annotators, earlier)
        resume(ascent, earlier)
        return ascent

    @classmethod
    def _begun(
        cls,
        problem: MixtureProblem,
        rng: np.random.Generator | None,
        learn_annotators: bool,
        earlier: Fit | None = None,
    ) -> MixtureAscent:
        from truegrade.models._mixture_resume import earlier_truths, first_eases

        model, ratings = problem.model, problem.placed.ratings
        hyper = _first_hyper(problem)
        ease = model.ease or hyper.phi / hyper.eta
        tau = np.exp(0.1 * _draw(rng, ratings.n_annotators)) / (ease * problem.step**2)
        earnest = _first_earnest(problem, rng)
        shape = hyper.alpha + problem.weight_of_annotator / 2
        eases = first_eases(problem, hyper, earlier)
        start = MixtureStart(
            rng=None,
            jitter=0.3 * problem.step,
            unit=problem.step,
            prior_precision=hyper.lam,
            shape=eases[0],
            rate=eases[1],
            earlier=None if earlier is None else earlier_truths(problem, earlier),
        )
        split = ratings.split_categories if model.difficulty == "category" else ()
        return cls(
            problem=problem,
            states=problem.placed.begin(MixturePart.begin, _one_by_one(start, rng, problem.placed.sizes)),
            tau_shape=shape,
            tau_rate=shape / tau,
            earnest=earnest,
            delta=(hyper.phi, hyper.eta),
            split={c: (float(eases[0][c]), float(eases[1][c])) for c in split},
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

    def message(self) -> MixtureMessage:
        """The same for every shard."""
        split = {c: (shape / rate, float(gamma_log_mean(shape, rate))) for c, (shape, rate) in self.split.items()}
        return MixtureMessage(self.parameters(), split)

    def step(self) -> float:
        """One pass and the updates that follow it; the bound is the one right after q(x, y)."""
        guarded = self.earnest.accelerated
        unbounded = self.problem.model.link == "real"  # an annotator may come to know the truth, with precision inf
        before = self.states, self.split
        sums = self._sweep(keep=guarded or unbounded)
        bound = self.bound()
        if unbounded and not (np.isfinite(bound) and not sums.wild):
            self.states, self.split = before  # the last finite one is what the tables show
            return np.nan
        if guarded and bound < self.last_bound:
            # The long step for eps overshot: take the plain one, which cannot.
            self.states, self.split = before
            self.earnest = self.earnest.plain()
            self._sweep()
            bound = self.bound()
        # Long steps early on would call half the annotators spammers before anything is known about them.
        hurry = bound - self.last_bound < _SLOW * self.problem.weight_of_annotator.sum()
        self.last_bound = bound
        self._update(hurry=hurry)
        return bound

    def _sweep(self, *, keep: bool = False) -> MixturePass:
        """One pass of all shards. keep: the states from before stay valid."""
        placed = self.problem.placed
        self.states, sums = placed.run(MixturePart.sweep, self.states, self.message(), keep=keep)
        self.sums = self._with_split(sums) if self.split else sums
        return self.sums

    def _with_split(self, sums: MixturePass) -> MixturePass:
        """Update q(delta) of the categories that shards share, as the kernel does that of others; the sums of all."""
        h, tau = self.hyper, self.tau_shape / self.tau_rate
        annotator, totals = sums.annotator.copy(), sums.totals.copy()
        totals[2] += sum(float(gamma_kl(*delta, h.phi, h.eta)) for delta in self.split.values())
        eases = {}
        for c, its in sums.split.of.items():
            eases[c] = shape, rate = h.phi + its[:, 0].sum() / 2, h.eta + float(tau @ its[:, 1]) / 2
            annotator += its * np.array([1.0, shape / rate, 1.0])
        self.split = eases
        return replace(sums, annotator=annotator, totals=totals)

    def bound(self) -> float:
        """F(q) <= ln p(R, known truths): their expected logs, less each factor's divergence from its prior."""
        ratings, kl_z, kl_delta = self.sums.totals
        ratings -= self.problem.log_unit * self.sums.annotator[:, 0].sum()
        kl = kl_z + kl_delta + self.kl_tau() + self.kl_one_delta() + self.earnest.kl()
        return float(ratings - kl) + self.log_known()

    def log_known(self) -> float:
        """Sum of ln p(z_m) of the truths that are known: they are observations, like the ratings."""
        if self.problem.known is None:
            return 0.0
        h, z = self.hyper, self.problem.known
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
        if "learn" in (model.alpha, model.beta):
            mean = float(np.mean(self.tau_shape / self.tau_rate))
            log_mean = float(np.mean(gamma_log_mean(self.tau_shape, self.tau_rate)))
            h.alpha, h.beta = _gamma_prior(model.alpha, model.beta, mean, log_mean, now, lowest)
        if model.difficulty != "none" and "learn" in (model.phi, model.eta):
            mean, log_mean = self.ease_means()
            h.phi, h.eta = _gamma_prior(model.phi, model.eta, mean, log_mean, (h.phi, h.eta))
        if model.pi == "learn" and self.sums.spam_weight.sum() > 0:
            h.pi = np.maximum(self.sums.spam_weight / self.sums.spam_weight.sum(), 1e-12)
        placed, size = self.problem.placed, self.problem.placed.ratings.n_instances
        if model.mu == "learn":
            h.mu = placed.sums(MixturePart.truth_sum, self.states, None) / size
        if model.lam == "learn":
            variance = placed.sums(MixturePart.truth_squares, self.states, h.mu) / size
            h.lam = 1 / max(variance, lowest)

    def ease_means(self) -> tuple[float, float]:
        """The means of E delta and of E ln delta over all that have an ease of their own."""
        sums = self.problem.placed.sums(MixturePart.eases_here, self.states, None)
        for shape, rate in self.split.values():
            sums += EaseSums(1, shape / rate, float(gamma_log_mean(shape, rate)))
        return sums.mean / sums.count, sums.log_mean / sums.count

    def mean_responsibility(self) -> float:
        """The share of the ratings that are held to be in earnest."""
        return float(self.sums.annotator[:, 0].sum() / self.problem.weight_of_annotator.sum())

    def collapsed(self) -> bool:
        """Whether nearly everything is called spam: a degenerate optimum of a high bound."""
        return self.earnest.learned and self.mean_responsibility() < _COLLAPSED

    def moments(self) -> Moments:
        """How the estimates go with the means of the ratings."""
        found: Moments = self.problem.placed.sums(MixturePart.moments, self.states, None)
        return found

    def mirrored(self) -> bool:
        """Whether the estimates run against the mean of the ratings."""
        return self.moments().correlation < 0

    def all_spam_bound(self) -> float:
        """The bound of calling every rating spam: sum of ln pi_r, what eps adds and the known truths."""
        p = self.problem
        log_spam = np.log(self.hyper.pi) - np.log(p.widths)
        return float(p.weight_of_grade @ log_spam) + self.earnest.all_spam_bound() + self.log_known()


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

        raise OptionError(f"pi: the scale {problem.placed.ratings.scale} needs {k} positive shares that add up to 1")
    return Hyper(
        alpha=alpha,
        beta=first(model.beta, alpha / expected),
        phi=phi,
        eta=eta,
        mu=first(model.mu, problem.middle),
        lam=first(model.lam, 0.1 / problem.step**2),
        pi=pi,
    )


def _draw(rng: np.random.Generator | None, size: int) -> Floats:
    """Standard normal draws, or zeros."""
    return np.zeros(size) if rng is None else rng.standard_normal(size)


def _one_by_one(start: MixtureStart, rng: np.random.Generator | None, sizes: Sequence[int]) -> Iterator[MixtureStart]:
    """The start of each shard; its draws go on where those of the one before end."""
    for size in sizes:
        yield start if rng is None else replace(start, rng=deepcopy(rng))
        _draw(rng, size)


def _first_earnest(problem: MixtureProblem, rng: np.random.Generator | None) -> EarnestPosterior:
    """eps = .9 for everyone but for the jitter: starts below one half end with everything called spam."""
    model, total = problem.model, problem.weight_of_annotator
    if not model.spam or not isinstance(model.epsilon, str):
        return EarnestPosterior.fixed(total, 1.0 if not model.spam else float(model.epsilon))
    eps = np.full(total.size, np.clip(_EARNEST + 0.02 * _draw(rng, 1), 0.8, 0.98))
    prior = None if model.epsilon_prior is None else (model.epsilon_prior[0], model.epsilon_prior[1])
    newton = model.responsibility == "exact" and prior is None
    return EarnestPosterior(total, eps, prior, learned=True, newton=newton)


def _gamma_prior(
    shape: float | str,
    rate: float | str,
    mean: float,
    log_mean: float,
    now: tuple[float, float],
    lowest: float = 0.0,
) -> tuple[float, float]:
    """The prior of gammas with these averages of E and E ln: learned or half learned; no rate under `lowest`."""
    if shape != "learn":
        return now[0], max(rate_mle(now[0], mean), lowest)
    if rate != "learn":
        return shape_mle(now[1], log_mean), now[1]
    best = gamma_mle(mean, log_mean)
    return best if best[1] >= lowest else (shape_mle(lowest, log_mean), lowest)
