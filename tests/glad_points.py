"""The objective of GLAD at any point."""

import numpy as np

from truegrade.models._glad_ascent import GladAscent
from truegrade.models._glad_part import GladStart
from truegrade.models._glad_problem import GladProblem, place_glad


def problem_of(model, ratings, gold=None):
    """What all starts of a fit share."""
    return GladProblem.of(model, place_glad(model, ratings, gold), gold)


def eases_of(problem):
    """How many eases there are."""
    return problem.n_shared or problem.placed.ratings.n_instances


def start_at(problem, theta, prior):
    """A start at abilities and ln eases (N+G,), whichever of these are beside the shards."""
    ratings, n = problem.placed.ratings, problem.n_annotators
    shared, eases = theta[: n + problem.n_shared], theta[n + problem.n_shared :]
    start = GladStart(ratings.instances, eases) if eases.size else GladStart()
    return GladAscent.at(problem, shared, start, prior, np.zeros(shared.size, dtype=bool), False)


def slope_of(ascent):
    """Of the objective (N+G,)."""
    return np.concatenate([ascent.here.trail.slope, *(state.climb.slope for state in ascent.states)])
