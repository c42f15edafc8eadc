"""One start of GLAD on its way up: EM first, then uphill on the objective itself.

EM's first steps decide which maximum is reached: truths stay as believed until abilities and eases suit them. Later it
crawls, for all abilities up and all eases down by the same factor hardly changes anything. Since its slope is that of
the objective where the E-step was made, L-BFGS takes over there, with the truths summed out anew in every step.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import repeat
from typing import TYPE_CHECKING

import numpy as np

from truegrade.inference.quasi_newton import Trail
from truegrade.models._glad_part import GladPart, GladStart, Move
from truegrade.models._warm import check_start, meeting

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from truegrade.engines import States
    from truegrade.fit import Fit
    from truegrade.inference.quasi_newton import Blend
    from truegrade.models._glad_part import GladPass
    from truegrade.models._glad_problem import GladProblem

    Floats = NDArray[np.float64]

__all__ = ["GladAscent"]

_ENOUGH = 1e-4  # of the gain that the slope promises: what a step must bring
_HALVINGS = 30
_INNER = 25  # steps of an M-step, at most
_SETTLED = 1e-3  # of what the M-step has gained: a smaller step ends it
_ROUGH = 1e-3  # of the objective: a smaller gain ends EM


@dataclass
class _Point:
    """Abilities, shared eases and class prior, and the objective there; eases of instances are beside the shards."""

    trail: Trail  # (N+G,)
    class_prior: Floats  # (K,)
    objective: float = -np.inf  # ln p(ratings, alpha, ln beta), or its bound with settled truths
    mass: Floats = field(default_factory=lambda: np.empty(0))  # (K,): instances of each true grade

    def prevalence(self) -> Floats:
        """The share of each grade among the truths (K,): no class prior makes the ratings likelier."""
        share: Floats = self.mass / self.mass.sum()
        return share


@dataclass
class GladAscent:
    """Where one start is."""

    problem: GladProblem
    states: States
    here: _Point
    fixed: NDArray[np.bool_]  # (N+G,): what is not to be learned
    learn_prior: bool
    begun: bool = False
    rough: bool = True  # EM is still on
    still: bool = False  # no step raises the objective: it is flat to the last digits

    @classmethod
    def fresh(cls, problem: GladProblem, index: int) -> GladAscent:
        """Start number `index`."""
        theta, prior = problem.first_theta(index), problem.first_prior()
        nothing = np.zeros(theta.size, dtype=bool)
        return cls.at(problem, theta, GladStart(), prior, nothing, problem.model.class_prior == "learned")

    @classmethod
    def resumed(cls, problem: GladProblem, earlier: Fit, *, learn: bool) -> GladAscent:
        """Where an earlier fit ended; ids that it does not know begin at the priors' mode.

        Unless `learn`, what the earlier fit knows stays as it is.
        """
        ratings, model = problem.placed.ratings, problem.model
        check_start(model.name, ratings, earlier)
        theta, start = problem.first_theta(0), GladStart()
        known = np.zeros(theta.size, dtype=bool)
        here, there = meeting(ratings.annotators, earlier.annotator_ids)
        theta[here], known[here] = earlier.parameters["alpha"][there], True
        if earlier.options.get("difficulty") == model.difficulty:
            log_beta = earlier.parameters["log_beta"]
            if model.difficulty == "instance":
                start = GladStart(earlier.instance_ids, log_beta, fixed=not learn)
            elif model.difficulty == "none":
                theta[-1:], known[-1:] = log_beta, True
            elif ratings.categories is not None and earlier.category_ids is not None:
                here, there = meeting(ratings.categories, earlier.category_ids)
                theta[here + ratings.n_annotators], known[here + ratings.n_annotators] = log_beta[there], True
        learned = learn and model.class_prior == "learned"
        prior = problem.first_prior() if learn and not learned else earlier.parameters["class_prior"]
        return cls.at(problem, problem.legal(theta), start, prior, known & (not learn), learned)

    @classmethod
    def at(
        cls,
        problem: GladProblem,
        theta: Floats,
        start: GladStart,
        prior: Floats,
        fixed: NDArray[np.bool_],
        learn_prior: bool,
    ) -> GladAscent:
        """A start at this point (N+G,), and its eases of instances."""
        states = problem.placed.begin(GladPart.begin, repeat(start))
        nothing = Trail(theta, np.zeros(theta.size), np.ones(theta.size))
        ascent = cls(problem, states, _Point(nothing, prior), fixed, learn_prior)
        found, _ = ascent._attempt(ascent.here, theta, prior)
        ascent._move(found, inner=False, remember=False)
        return ascent

    def step(self) -> float:
        """One step of EM, or one uphill; and the class prior that suits the truths. Returns the objective."""
        if not self.begun:
            self.begun = True
        elif self.rough:
            self._em_step()
        elif not self.still:
            self._step_uphill()
        return self.here.objective

    def _em_step(self) -> None:
        """Abilities and eases that suit the truths as they are believed now, then new truths."""
        best = self._m_step()
        found, _ = self._attempt(best, best.trail.theta, self._class_prior(), inner=True)
        gain = found.objective - self.here.objective
        if gain >= 0:  # below 0 is rounding
            self._move(found, inner=False, remember=False)
        self.rough = gain > _ROUGH * abs(found.objective)

    def _m_step(self) -> _Point:
        problem = self.problem
        self.states, _ = problem.placed.run(GladPart.settle, self.states, None)
        here, gained = self.here, 0.0
        here, _ = self._attempt(here, here.trail.theta, here.class_prior, inner=True, settled=True)
        self._step_to(inner=True, remember=False)
        for _ in range(_INNER):
            before = here.objective
            if not self._climb(here, here.class_prior, inner=True):
                break
            gain = here.objective - before
            gained += gain
            if gain <= _SETTLED * gained:
                break
        return here

    def _step_uphill(self) -> None:
        if not self._climb(self.here, self._class_prior(), inner=False):
            self.still = not self.here.trail.steps
            self.here.trail.forget()
            self.states, _ = self.problem.placed.run(GladPart.forget, self.states, None)

    def _class_prior(self) -> Floats:
        return self.here.prevalence() if self.learn_prior else self.here.class_prior

    def collapsed(self) -> bool:
        """No degenerate end is worth less than its objective; the notes tell of them."""
        return False

    def mirrored(self) -> bool:
        """Whether the truths run against the mean of the ratings."""
        return bool(self.problem.placed.sums(GladPart.truths, self.states, None).moments.correlation < 0)

    def _climb(self, here: _Point, class_prior: Floats, *, inner: bool) -> bool:
        """Go the first of ever shorter steps that brings enough; whether one does. inner: with settled truths."""
        problem, trail = self.problem, here.trail
        free = problem.movable(trail) & ~self.fixed
        products = trail.products(free) + problem.placed.sums(GladPart.products, self.states, inner)
        blend = products.blend()
        ahead = trail.ahead(blend, free)
        for halving in range(_HALVINGS):
            share = 0.5**halving
            theta = problem.legal(trail.theta + ahead * share)
            found, sums = self._attempt(here, theta, class_prior, inner=inner, settled=inner, blend=blend, share=share)
            promised = max(float((trail.slope * (theta - trail.theta)).sum()) + sums.promised, 0.0)
            if found.objective >= here.objective + _ENOUGH * promised:
                tells = (trail.turn(found.trail) + sums.turn).tells
                trail.move(found.trail, remember=tells)
                here.class_prior, here.objective, here.mass = class_prior, found.objective, found.mass
                self._step_to(inner=inner, remember=tells)
                return True
        return False

    def _attempt(
        self,
        here: _Point,
        theta: Floats,
        class_prior: Floats,
        *,
        inner: bool = False,
        settled: bool = False,
        blend: Blend | None = None,
        share: float = 1.0,
    ) -> tuple[_Point, GladPass]:
        """Look at the objective at a point; the shards keep their part of it."""
        problem = self.problem
        message = problem.attempt(theta, class_prior, inner=inner, settled=settled, blend=blend, share=share)
        self.states, sums = problem.placed.run(GladPart.attempt, self.states, message)
        trail = Trail(theta, *problem.gradient(theta, sums))
        return _Point(trail, class_prior, problem.objective(theta, sums), sums.mass), sums

    def _move(self, found: _Point, *, inner: bool, remember: bool) -> None:
        """Let the last attempt be where the start is."""
        self.here = found
        self._step_to(inner=inner, remember=remember)

    def _step_to(self, *, inner: bool, remember: bool) -> None:
        self.states, _ = self.problem.placed.run(GladPart.move, self.states, Move(inner, remember))
