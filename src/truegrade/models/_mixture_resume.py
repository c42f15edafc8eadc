"""Warm starts: an earlier fit's parameters for the ids that it knows."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from truegrade.errors import OptionError
from truegrade.joining import codes_in

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from truegrade.fit import Fit
    from truegrade.ids import IdTable
    from truegrade.models._mixture_ascent import MixtureAscent

__all__ = ["resume"]


def resume(ascent: MixtureAscent, earlier: Fit) -> None:
    """Move a fresh start to where an earlier fit ended."""
    problem, old = ascent.problem, earlier.parameters
    if earlier.model != problem.model.name:
        raise OptionError(f"a fit of {earlier.model} cannot start {problem.model.name}; pass one of the same model")
    if earlier.scale != problem.ratings.scale and not (earlier.scale.is_real and problem.ratings.scale.is_real):
        raise OptionError(f"the earlier fit has the scale {earlier.scale}, these ratings have {problem.ratings.scale}")
    _resume_hyper(ascent, earlier)
    here, there = _meeting(problem.ratings.annotators, earlier.annotator_ids)
    # Annotators that the earlier fit does not know are drawn from its population.
    ascent.tau_shape = np.full(len(problem.ratings.annotators), ascent.hyper.alpha)
    ascent.tau_rate = np.full(len(problem.ratings.annotators), ascent.hyper.beta)
    ascent.tau_shape[here], ascent.tau_rate[here] = old["tau_shape"][there], old["tau_rate"][there]
    if ascent.earnest.learned:
        _resume_earnest(ascent, earlier, here, there)
    here, there = _meeting(problem.ratings.instances, earlier.instance_ids)
    free = np.ones(here.size, dtype=bool) if problem.gold is None else np.isnan(problem.gold[here])
    ascent.state.z_mean[here[free]] = old["z_mean"][there[free]]
    finite = free & np.isfinite(old["z_precision"][there])  # what was gold there need not be gold here
    ascent.state.z_precision[here[finite]] = old["z_precision"][there[finite]]
    _resume_ease(ascent, earlier, here, there)


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


def _resume_earnest(ascent: MixtureAscent, earlier: Fit, here: NDArray[np.intp], there: NDArray[np.int64]) -> None:
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


def _resume_ease(ascent: MixtureAscent, earlier: Fit, here: NDArray[np.intp], there: NDArray[np.int64]) -> None:
    state, old = ascent.state, earlier.parameters
    if state.delta_shape is None or state.delta_rate is None or "delta_shape" not in old:
        return
    if earlier.options["difficulty"] != ascent.problem.model.difficulty:  # eases of categories are none of instances
        return
    ratings = ascent.problem.ratings
    if ascent.problem.model.difficulty == "category":
        if ratings.categories is None or earlier.category_ids is None:
            return
        here, there = _meeting(ratings.categories, earlier.category_ids)
    state.delta_shape[here], state.delta_rate[here] = old["delta_shape"][there], old["delta_rate"][there]


def _meeting(new: IdTable, old: IdTable) -> tuple[NDArray[np.intp], NDArray[np.int64]]:
    """The codes of the ids that both have: in the new ratings, and in the earlier fit."""
    codes = codes_in(new, old)
    met = np.flatnonzero(codes >= 0)
    return met, codes[met]
