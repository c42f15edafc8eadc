"""One start of GLAD on its way up: EM first, then uphill on the objective itself.

EM's first steps decide which maximum is reached: truths stay as believed until abilities and eases suit them. Later it
crawls, for all abilities up and all eases down by the same factor hardly changes anything. Since its slope is that of
the objective where the E-step was made, L-BFGS takes over there, with the truths summed out anew in every step.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from truegrade.inference.quasi_newton import Memory
from truegrade.models._summary import correlation, mean_ratings
from truegrade.models._warm import check_start, meeting

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from truegrade.fit import Fit
    from truegrade.inference.glad_pass import GladSums
    from truegrade.models._glad_problem import GladPoint, GladProblem

    Floats = NDArray[np.float64]

__all__ = ["GladAscent"]

_ENOUGH = 1e-4  # of the gain that the slope promises: what a step must bring
_HALVINGS = 30
_INNER = 25  # steps of an M-step, at most
_SETTLED = 1e-3  # of what the M-step has gained: a smaller step ends it
_ROUGH = 1e-3  # of the objective: a smaller gain ends EM


@dataclass
class GladAscent:
    """Where one start is."""

    problem: GladProblem
    here: GladPoint
    spare: GladSums  # room for the next pass
    fixed: NDArray[np.bool_]  # (N+G,): what is not to be learned
    learn_prior: bool
    memory: Memory = field(default_factory=Memory)
    begun: bool = False
    rough: bool = True  # EM is still on
    still: bool = False  # no step raises the objective: it is flat to the last digits

    @classmethod
    def fresh(cls, problem: GladProblem, index: int) -> GladAscent:
        """Start number `index`."""
        theta, prior = problem.first_theta(index), problem.first_prior()
        return cls._at(problem, theta, prior, np.zeros(theta.size, dtype=bool), problem.model.class_prior == "learned")

    @classmethod
    def resumed(cls, problem: GladProblem, earlier: Fit, *, learn: bool) -> GladAscent:
        """Where an earlier fit ended; ids that it does not know begin at the priors' mode.

        Unless `learn`, what the earlier fit knows stays as it is.
        """
        check_start(problem.model.name, problem.ratings, earlier)
        theta = problem.first_theta(0)
        known = np.zeros(theta.size, dtype=bool)
        here, there = meeting(problem.ratings.annotators, earlier.annotator_ids)
        theta[here], known[here] = earlier.parameters["alpha"][there], True
        here, there = _common_eases(problem, earlier)
        theta[here + problem.n_annotators], known[here + problem.n_annotators] = (
            earlier.parameters["log_beta"][there],
            True,
        )
        fixed = known & (not learn)
        learned = learn and problem.model.class_prior == "learned"
        prior = problem.first_prior() if learn and not learned else earlier.parameters["class_prior"]
        return cls._at(problem, problem.legal(theta), prior, fixed, learned)

    @classmethod
    def _at(
        cls, problem: GladProblem, theta: Floats, prior: Floats, fixed: NDArray[np.bool_], learn_prior: bool
    ) -> GladAscent:
        here = problem.evaluate(theta, prior, problem.empty_sums())
        return cls(problem, here, problem.empty_sums(), fixed, learn_prior)

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
        found = self.problem.evaluate(self._m_step(), self._class_prior(), self.spare)
        gain = found.objective - self.here.objective
        if gain >= 0:  # below 0 is rounding
            self.here, self.spare = found, self.here.sums
        self.rough = gain > _ROUGH * abs(found.objective)

    def _m_step(self) -> Floats:
        memory, gained = Memory(), 0.0
        sums, spare = self.here.sums.beside(), self.here.sums.beside()
        here = self.problem.evaluate(self.here.theta, self.here.class_prior, sums, settled=True)
        for _ in range(_INNER):
            found = self._climb(here, memory, here.class_prior, spare, settled=True)
            if found is None:
                break
            gain = found.objective - here.objective
            here, spare = found, here.sums
            gained += gain
            if gain <= _SETTLED * gained:
                break
        return here.theta

    def _step_uphill(self) -> None:
        found = self._climb(self.here, self.memory, self._class_prior(), self.spare, settled=False)
        if found is None:
            self.still = not self.memory.pairs
            self.memory.forget()
        else:
            self.here, self.spare = found, self.here.sums

    def _class_prior(self) -> Floats:
        return self.here.prevalence() if self.learn_prior else self.here.class_prior

    def collapsed(self) -> bool:
        """No degenerate end is worth less than its objective; the notes tell of them."""
        return False

    def mirrored(self) -> bool:
        """Whether the truths run against the mean of the ratings."""
        ratings = self.problem.ratings
        return correlation(self.here.sums.truth @ ratings.scale.array, mean_ratings(ratings)) < 0

    def _climb(
        self, here: GladPoint, memory: Memory, class_prior: Floats, spare: GladSums, *, settled: bool
    ) -> GladPoint | None:
        """The first of ever shorter steps that brings enough; None where none does."""
        ahead = memory.direction(here.slope, here.curvature, self.problem.movable(here) & ~self.fixed)
        for halving in range(_HALVINGS):
            theta = self.problem.legal(here.theta + ahead / 2**halving)
            promised = max(float((here.slope * (theta - here.theta)).sum()), 0.0)
            found = self.problem.evaluate(theta, class_prior, spare, settled=settled)
            if found.objective >= here.objective + _ENOUGH * promised:
                memory.remember(theta - here.theta, here.slope - found.slope)
                return found
        return None


def _common_eases(problem: GladProblem, earlier: Fit) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """The eases that both have, by position: in the new ratings, and in the earlier fit."""
    ratings, difficulty = problem.ratings, problem.model.difficulty
    if earlier.options.get("difficulty") != difficulty:
        nothing = np.zeros(0, dtype=np.intp)
        return nothing, nothing
    if difficulty == "instance":
        return meeting(ratings.instances, earlier.instance_ids)
    if difficulty == "category" and ratings.categories is not None and earlier.category_ids is not None:
        return meeting(ratings.categories, earlier.category_ids)
    one = np.zeros(1, dtype=np.intp)
    return one, one
