"""Warm starts: an earlier fit's parameters for the ids that it knows."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from truegrade.models._mixture_part import EarlierTruths
from truegrade.models._warm import check_start, meeting

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from truegrade.fit import Fit
    from truegrade.models._mixture_ascent import Hyper, MixtureAscent
    from truegrade.models._mixture_problem import MixtureProblem

    Floats = NDArray[np.float64]

__all__ = ["check_earlier", "earlier_truths", "first_eases", "resume"]


def check_earlier(problem: MixtureProblem, earlier: Fit) -> None:
    """Refuse an earlier fit of another model, or on another scale."""
    check_start(problem.model.name, problem.placed.ratings, earlier)


def first_eases(problem: MixtureProblem, hyper: Hyper, earlier: Fit | None) -> tuple[Floats, Floats]:
    """Shape and rate of q(delta) to begin with: of each category (C,), or one for all (1,)."""
    ratings = problem.placed.ratings
    if problem.model.difficulty != "category" or ratings.categories is None:
        return np.array([hyper.phi]), np.array([hyper.eta])
    shape, rate = np.full(ratings.n_categories, hyper.phi), np.full(ratings.n_categories, hyper.eta)
    if earlier is not None and earlier.category_ids is not None and _same_eases(problem, earlier):
        here, there = meeting(ratings.categories, earlier.category_ids)
        old = earlier.parameters
        shape[here], rate[here] = old["delta_shape"][there], old["delta_rate"][there]
    return shape, rate


def earlier_truths(problem: MixtureProblem, earlier: Fit) -> EarlierTruths:
    """What an earlier fit found about instances."""
    old, delta = earlier.parameters, None
    if problem.model.difficulty == "instance" and _same_eases(problem, earlier):
        delta = old["delta_shape"], old["delta_rate"]
    return EarlierTruths(earlier.instance_ids, old["z_mean"], old["z_precision"], delta)


def _same_eases(problem: MixtureProblem, earlier: Fit) -> bool:
    """Whether the same things have an ease there: those of categories are none of instances."""
    same = earlier.options["difficulty"] == problem.model.difficulty
    return same and "delta_shape" in earlier.parameters


def resume(ascent: MixtureAscent, earlier: Fit) -> None:
    """Move the annotators and hyperparameters of a fresh start to where an earlier fit ended."""
    ratings, old = ascent.problem.placed.ratings, earlier.parameters
    _resume_hyper(ascent, earlier)
    here, there = meeting(ratings.annotators, earlier.annotator_ids)
    # Annotators that the earlier fit does not know are drawn from its population.
    ascent.tau_shape = np.full(ratings.n_annotators, ascent.hyper.alpha)
    ascent.tau_rate = np.full(ratings.n_annotators, ascent.hyper.beta)
    ascent.tau_shape[here], ascent.tau_rate[here] = old["tau_shape"][there], old["tau_rate"][there]
    if ascent.earnest.learned:
        _resume_earnest(ascent, earlier, here, there)


def _resume_hyper(ascent: MixtureAscent, earlier: Fit) -> None:
    model, hyper = ascent.problem.model, earlier.hyperparameters
    for name in ("alpha", "beta", "phi", "eta", "mu", "lam"):
        # Defaults may follow from the ratings, so a prediction takes what the fit had; a special case has not all.
        if getattr(model, name) == "learn" or (not ascent.learn_annotators and name in hyper):
            setattr(ascent.hyper, name, hyper[name])
    if model.pi == "learn":
        ascent.hyper.pi = np.array(hyper["pi"])
    if model.difficulty == "none" and "delta" in earlier.parameters:
        shape, rate = earlier.parameters["delta"]
        ascent.delta = (float(shape), float(rate))


def _resume_earnest(ascent: MixtureAscent, earlier: Fit, here: NDArray[np.intp], there: NDArray[np.intp]) -> None:
    old, total = earlier.parameters["eps"], ascent.earnest.total
    eps = np.full(total.size, np.average(old, weights=earlier.ratings_per_annotator))
    eps[here] = old[there]
    if ascent.earnest.prior is not None:  # a point may be 0 or 1, which no Beta posterior has for its mean
        a, b = ascent.earnest.prior
        eps = np.clip(eps, a / (total + a + b), (total + a) / (total + a + b))
    if not ascent.learn_annotators:  # q(eps) under a Beta prior is as sure as the earlier ratings made it
        total = np.zeros(total.size)
        total[here] = earlier.ratings_per_annotator[there]
    ascent.earnest = replace(ascent.earnest, eps=eps, total=total)
