"""The end of GLAD: its state as a Fit, with the warnings that help."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from truegrade.fit_parts import whole_fit
from truegrade.models._glad_part import GladPart
from truegrade.models._grade_fit import grade_head
from truegrade.models._notes import about_grades, name_annotators

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from truegrade.fit import Fit, Status
    from truegrade.models._em import Outcome
    from truegrade.models._glad_ascent import GladAscent
    from truegrade.models._glad_part import GladEnd
    from truegrade.models._glad_problem import GladProblem

    Floats = NDArray[np.float64]

__all__ = ["glad_fit"]


def glad_fit(problem: GladProblem, best: Outcome, endings: list[tuple[float, Status]]) -> Fit:
    """Everything the winning start found."""
    ascent: GladAscent = best.state  # type: ignore[assignment]
    ratings, placed, here = problem.placed.ratings, problem.placed, ascent.here
    message = problem.attempt(here.trail.theta, here.class_prior)
    end = placed.sums(GladPart.end, ascent.states, message)
    right = end.right / end.weight  # the chance that a rating of each annotator is right, averaged over those it gave
    told = about_grades(ratings, here.class_prior, problem.rounded, "; try class_prior=uniform")
    shared = {"log_beta": message.log_beta} if problem.n_shared else {}  # others come with the answers
    head = grade_head(
        problem.model,
        ratings,
        end.truths,
        end.agreement,
        confusion=_confusion(right, ratings.scale.n_grades),
        counts=None,
        nodes=ratings.scale.array,
        best=best,
        endings=endings,
        parameters={"alpha": message.alpha, "class_prior": here.class_prior, **shared},
        hyperparameters={"class_prior": here.class_prior.tolist()},
        columns={"ability": message.alpha},
        category_columns=_category_columns(problem, end, message.log_beta),
        notes=[*told, *_adversaries(problem, right)],
    )
    return whole_fit(ratings, head, placed.each(GladPart.answer, ascent.states, None))


def _confusion(right: Floats, grades: int) -> Floats:
    """P(says j | truth is k) (N, K, K): all wrong grades are equally likely."""
    if grades == 1:
        return np.ones((right.size, 1, 1))
    wrong = (1 - right) / (grades - 1)
    confusion = np.repeat(wrong, grades**2).reshape(right.size, grades, grades)
    confusion[:, np.arange(grades), np.arange(grades)] = right[:, None]
    return confusion


def _category_columns(problem: GladProblem, end: GladEnd, log_beta: Floats) -> dict[str, Floats]:
    """Ease and difficulty per category; with an ease per instance, their average over the category's instances."""
    difficulty = problem.model.difficulty
    if problem.placed.ratings.categories is None or difficulty == "none":
        return {}
    own = difficulty == "instance"
    ease = end.ease_of_category / end.instances_of_category if own else np.exp(log_beta)
    return {"ease": ease, "difficulty": 1 / ease}


def _adversaries(problem: GladProblem, right: Floats) -> list[str]:
    """Who is right less often than by chance; and a warning where most are."""
    worse = np.flatnonzero(right < 1 / problem.placed.ratings.scale.n_grades)
    if not worse.size:
        return []
    notes = [f"right less often than by chance: {name_annotators(problem.placed.ratings, worse)}"]
    if 2 * worse.size > right.size:
        notes.append("most annotators come out adversarial, so the fit has turned round; choose adversarial=false")
    return notes
