"""The end of GLAD: its state as a Fit, with the warnings that help."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from truegrade.models._grade_fit import grade_fit
from truegrade.models._notes import about_grades, name_annotators
from truegrade.posterior import GradePosterior

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from truegrade.fit import Fit, Status
    from truegrade.models._em import Outcome
    from truegrade.models._glad_ascent import GladAscent
    from truegrade.models._glad_problem import GladProblem

    Floats = NDArray[np.float64]

__all__ = ["glad_fit"]


def glad_fit(problem: GladProblem, best: Outcome, endings: list[tuple[float, Status]]) -> Fit:
    """Everything the winning start found."""
    ascent: GladAscent = best.state  # type: ignore[assignment]
    model, ratings, here = problem.model, problem.ratings, ascent.here
    alpha, log_beta = here.theta[: problem.n_annotators], here.theta[problem.n_annotators :]
    beta = np.exp(log_beta)
    right = _chance_to_be_right(problem, alpha, beta)
    told = about_grades(ratings, here.class_prior, problem.rounded, "; try class_prior=uniform")
    fit = grade_fit(
        model,
        ratings,
        GradePosterior.on_grades(here.sums.truth, ratings.scale),
        confusion=_confusion(right, ratings.scale.n_grades),
        counts=None,
        best=best,
        endings=endings,
        parameters={"alpha": alpha, "log_beta": log_beta, "class_prior": here.class_prior},
        hyperparameters={"class_prior": here.class_prior.tolist()},
        columns={"ability": alpha},
        notes=[*told, *_adversaries(problem, right)],
    )
    own_ease = {"ease": beta, "difficulty": 1 / beta} if model.difficulty == "instance" else {}
    return replace(fit, category_columns=_category_columns(problem, beta), instance_columns=own_ease)


def _chance_to_be_right(problem: GladProblem, alpha: Floats, beta: Floats) -> Floats:
    """The chance that a rating of each annotator is right, averaged over those that it gave (N,)."""
    ratings = problem.ratings
    x = alpha[ratings.annotator] * beta[problem.group][ratings.instance_of()]
    right = 1 / (1 + np.exp(np.clip(-x, -700, 700)))
    weight = np.ones(right.size) if ratings.weight is None else ratings.weight
    sums, totals = (np.bincount(ratings.annotator, w, alpha.size) for w in (weight * right, weight))
    return sums / totals


def _confusion(right: Floats, grades: int) -> Floats:
    """P(says j | truth is k) (N, K, K): all wrong grades are equally likely."""
    if grades == 1:
        return np.ones((right.size, 1, 1))
    wrong = (1 - right) / (grades - 1)
    confusion = np.repeat(wrong, grades**2).reshape(right.size, grades, grades)
    confusion[:, np.arange(grades), np.arange(grades)] = right[:, None]
    return confusion


def _category_columns(problem: GladProblem, beta: Floats) -> dict[str, Floats]:
    """Ease and difficulty per category; with an ease per instance, their average over the category's instances."""
    ratings, difficulty = problem.ratings, problem.model.difficulty
    if ratings.category is None or difficulty == "none":
        return {}
    if difficulty == "instance":
        beta = np.bincount(ratings.category, beta, ratings.n_categories) / np.bincount(ratings.category)
    return {"ease": beta, "difficulty": 1 / beta}


def _adversaries(problem: GladProblem, right: Floats) -> list[str]:
    """Who is right less often than by chance; and a warning where most are."""
    worse = np.flatnonzero(right < 1 / problem.ratings.scale.n_grades)
    if not worse.size:
        return []
    notes = [f"right less often than by chance: {name_annotators(problem.ratings, worse)}"]
    if 2 * worse.size > right.size:
        notes.append("most annotators come out adversarial, so the fit has turned round; choose adversarial=false")
    return notes
