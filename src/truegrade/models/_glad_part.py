"""What GLAD does beside one shard: passes, and the eases of its instances where each has its own."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from truegrade.fit_parts import Answer
from truegrade.inference.adding import Sums
from truegrade.inference.counting import AgreementSums
from truegrade.inference.glad_pass import GladRatings, GladSums, glad_pass
from truegrade.inference.quasi_newton import Trail, Turn
from truegrade.models._grade_fit import GoldCount, TruthSums
from truegrade.models._summary import known_grades, mean_ratings
from truegrade.models._warm import meeting
from truegrade.posterior import GradePosterior

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from truegrade.gold import Gold
    from truegrade.ids import IdTable
    from truegrade.inference.quasi_newton import Blend, Products
    from truegrade.models.glad import Glad
    from truegrade.ratings import Ratings

    Floats = NDArray[np.float64]

__all__ = ["Attempt", "GladEnd", "GladPart", "GladPass", "GladStart", "GladState", "Move"]

_LARGEST = 500.0  # of ln beta: a step that goes farther is refused for its bound, not for its overflow


@dataclass(frozen=True)
class GladStart:
    """Where the eases of instances begin: at the prior's mean, or where an earlier fit has them."""

    ids: IdTable | None = None
    log_beta: Floats | None = None
    fixed: bool = False  # what the earlier fit knows stays as it is


@dataclass(frozen=True)
class Attempt:
    """Where to look at the objective next. The rest of the point, and the truths, are beside the shards."""

    alpha: Floats  # (N,)
    log_beta: Floats  # (G,): eases that instances share; () where each has its own
    log_prior: Floats  # (K,)
    inner: bool  # from the point of the M-step
    settled: bool  # with the truths as believed now, as EM's M-step takes them
    blend: Blend | None = None  # which way, and how far
    share: float = 1.0


@dataclass(frozen=True)
class Move:
    """Go where the last attempt was."""

    inner: bool  # in the M-step
    remember: bool


@dataclass(frozen=True)
class GladPass(Sums):
    """What a pass finds."""

    annotator: Floats  # (N, 2): slope and curvature of the log likelihood in alpha
    ease: Floats  # (G, 2): in ln beta, of eases that instances share
    log_likelihood: float
    off: float  # sum of ((ln beta - mean) / sd)^2 over eases beside the shard
    promised: float  # what the slope promises of the step, of these eases
    turn: Turn  # and how it turned
    mass: Floats  # (K,): instances of each true grade


@dataclass(frozen=True)
class GladEnd(Sums):
    """What truths, annotators and eases look like as a whole."""

    truths: TruthSums
    agreement: AgreementSums
    right: Floats  # (N,): weight of each annotator's ratings, times the chance that they are right
    weight: Floats  # (N,)
    ease_of_category: Floats  # (C,): the eases of its instances, added up
    instances_of_category: Floats  # (C,)


@dataclass
class GladState:
    """Truths and eases of a shard. The trails have no coordinates where instances share eases."""

    truth: Floats  # (M, K): P(z = k) at the point of `climb`
    fixed: NDArray[np.bool_]  # (e,): eases that are not to be learned
    climb: Trail  # (e,) on the objective
    inner: Trail | None = None  # of the M-step under way
    trial: Trail | None = None  # the last attempt
    trial_truth: Floats | None = None

    def copy(self) -> GladState:
        """One that goes its own way; no step writes into an array."""
        inner = None if self.inner is None else replace(self.inner)
        return replace(self, climb=replace(self.climb), inner=inner)

    def trail(self, *, inner: bool) -> Trail:
        """The point to go on from."""
        return self.inner if inner and self.inner is not None else self.climb


@dataclass(frozen=True)
class GladPart:
    """The constants of one shard."""

    ratings: Ratings
    data: GladRatings
    rounded: int  # how many known truths lay between grades
    group: NDArray[np.int32]  # (M,): which ease each instance has, of those shared; its own number otherwise
    own: bool  # each instance has an ease of its own
    beta_prior: tuple[float, ...]  # mean and sd of ln beta
    threads: int

    @classmethod
    def of(cls, ratings: Ratings, threads: int, model: Glad, gold: Gold | None) -> GladPart:
        """Prepare the passes."""
        known, rounded = known_grades(ratings, gold, shard=True)
        data = GladRatings(
            instance_ptr=ratings.instance_ptr,
            annotator=ratings.annotator,
            grade=ratings.grade,
            weight=ratings.weight,
            known=None if gold is None else known,
        )
        own = model.difficulty == "instance"
        group = np.arange(ratings.n_instances, dtype=np.int32) if own else np.zeros(ratings.n_instances, dtype=np.int32)
        if model.difficulty == "category":
            ratings.category_ptr()  # says so where there are none
            group = group if ratings.category is None else ratings.category
        return cls(ratings, data, rounded, group, own, model.beta_prior, threads)

    # What engines run: each takes the part, a state and a message.

    def begin(self, start: GladStart) -> GladState:
        """Eases to begin with; the truths follow from the first attempt."""
        r, size = self.ratings, self.ratings.n_instances if self.own else 0
        log_beta, fixed = np.full(size, float(self.beta_prior[0])), np.zeros(size, dtype=bool)
        if self.own and start.ids is not None and start.log_beta is not None:
            here, there = meeting(r.instances, start.ids)
            log_beta[here], fixed[here] = start.log_beta[there], start.fixed
        trail = Trail(log_beta, np.zeros(size), np.ones(size))
        return GladState(np.empty((r.n_instances, r.scale.n_grades)), fixed, trail)

    def attempt(self, state: GladState, message: Attempt) -> GladPass:
        """One pass; the point is kept as the trial."""
        here = state.trail(inner=message.inner)
        log_beta = here.theta
        if message.blend is not None:
            log_beta = here.theta + here.ahead(message.blend, ~state.fixed) * message.share
        beta = np.exp(np.minimum(log_beta if self.own else message.log_beta, _LARGEST))[self.group]
        r = self.ratings
        sums = GladSums.empty(r.n_annotators, r.n_instances, r.scale.n_grades)
        if message.settled:
            sums.truth = state.truth
        glad_pass(
            self.data, message.alpha, beta, message.log_prior, sums, settled=message.settled, threads=self.threads
        )
        mean, sd = self.beta_prior
        off = (log_beta - mean) / sd
        ease = np.zeros((message.log_beta.size, 2))
        state.trial = Trail(log_beta, np.empty(0), np.empty(0))
        if self.own:
            state.trial = Trail(log_beta, sums.instance[:, 0] - off / sd, sums.instance[:, 1] + sd**-2)
        else:
            for column in range(2):
                ease[:, column] = np.bincount(self.group, sums.instance[:, column], len(ease))
        state.trial_truth = None if message.settled else sums.truth
        promised = float((here.slope * (log_beta - here.theta)).sum())
        likelihood, mass = float(sums.log_likelihood[0]), sums.truth.sum(axis=0)
        off_squares = float((off**2).sum())
        return GladPass(sums.annotator, ease, likelihood, off_squares, promised, here.turn(state.trial), mass)

    def move(self, state: GladState, message: Move) -> int:
        """Go to the trial."""
        if state.trial is not None:
            state.trail(inner=message.inner).move(state.trial, remember=message.remember)
        if not message.inner:
            state.inner = None
            state.truth = state.truth if state.trial_truth is None else state.trial_truth
        state.trial = state.trial_truth = None
        return 0

    def settle(self, state: GladState, _: None) -> int:
        """Begin an M-step where the climb is."""
        state.inner = Trail(state.climb.theta, state.climb.slope, state.climb.curvature)
        return 0

    def forget(self, state: GladState, _: None) -> int:
        """Forget the last steps."""
        state.climb.forget()
        return 0

    def products(self, state: GladState, inner: bool) -> Products:
        """For the direction of the next step."""
        return state.trail(inner=inner).products(~state.fixed)

    def gold(self, _: None, __: None) -> GoldCount:
        """How much gold there is."""
        known = self.data.known
        return GoldCount(0 if known is None else int(np.count_nonzero(known >= 0)), self.rounded)

    def truths(self, state: GladState, _: None) -> TruthSums:
        """How the truths look."""
        return TruthSums.of(self._posterior(state), mean_ratings(self.ratings), self.ratings)

    def end(self, state: GladState, message: Attempt) -> GladEnd:
        """What everything looks like at the end, with the abilities and eases in force."""
        r = self.ratings
        beta = np.exp(state.climb.theta if self.own else message.log_beta)
        x = message.alpha[r.annotator] * beta[self.group][r.instance_of()]
        right = 1 / (1 + np.exp(np.clip(-x, -700, 700)))
        weight = np.ones(right.size) if r.weight is None else r.weight
        each = (np.bincount(r.annotator, w, message.alpha.size) for w in (weight * right, weight))
        sums, totals = (found.astype(np.float64) for found in each)
        eases = counts = np.zeros(r.n_categories)
        if self.own and r.category is not None:
            eases = np.bincount(r.category, beta, r.n_categories).astype(np.float64)
            counts = np.bincount(r.category, minlength=r.n_categories).astype(np.float64)
        return GladEnd(self.truths(state, None), AgreementSums.of(r), sums, totals, eases, counts)

    def answer(self, state: GladState, _: None) -> Answer:
        """What the instances' truths are, and their eases."""
        if not self.own:
            return Answer(self._posterior(state))
        beta = np.exp(state.climb.theta)
        return Answer(self._posterior(state), {"ease": beta, "difficulty": 1 / beta}, {"log_beta": state.climb.theta})

    def _posterior(self, state: GladState) -> GradePosterior:
        return GradePosterior.on_grades(state.truth, self.ratings.scale)
