"""What a finished fit of the ordinal mixture says about single ratings: those it was made from, and possible ones."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from truegrade.errors import OptionError
from truegrade.gold import Gold
from truegrade.joining import codes_in
from truegrade.models._mixture_part import MixturePart
from truegrade.models._mixture_problem import MixtureProblem, place_mixture

if TYPE_CHECKING:
    import pyarrow as pa
    from numpy.typing import NDArray

    from truegrade.fit import Fit
    from truegrade.ids import IdTable
    from truegrade.models.ordinal_mixture import OrdinalMixture
    from truegrade.ratings import Ratings

    Floats = NDArray[np.float64]

__all__ = ["rating_probabilities", "responsibilities"]

_NODES = 16  # per gamma; the chances are then good to 1e-4
_PAIRS = 4096  # at a time


def responsibilities(model: OrdinalMixture, fit: Fit, ratings: Ratings) -> Floats:
    """omega of each rating (L,): q(y = 1) given all else that the fit found."""
    _check_known(ratings.annotators, fit.annotator_ids, "annotator")
    _check_known(ratings.instances, fit.instance_ids, "instance")
    gold = _gold_of(fit, ratings)
    with place_mixture(model, ratings, gold) as placed:
        problem = MixtureProblem.of(model, placed, gold).given(fit)
        ascent = problem.start(0, fit, learn_annotators=False)
        return np.concatenate(list(placed.each(MixturePart.responsibilities, ascent.states, ascent.message())))


def _check_known(ids: IdTable, known: IdTable, role: str) -> None:
    strange = np.flatnonzero(codes_in(ids, known) < 0)
    if strange.size:
        raise OptionError(
            f"{role} '{ids.label_of(int(strange[0]))}' is not in this fit; pass the ratings that it was made from"
        )


def _gold_of(fit: Fit, ratings: Ratings) -> Gold | None:
    """The truths that the fit was given, of those instances that are rated here."""
    codes = codes_in(ratings.instances, fit.instance_ids)
    rated = np.zeros(len(fit.instance_ids), dtype=bool)
    rated[codes] = True
    given = np.flatnonzero((rated & np.isinf(fit.parameters["z_precision"]))[fit.instance_ids.code])
    if not given.size:
        return None
    ids = fit.instance_ids
    objects = None if ids.objects is None else tuple(ids.objects[i] for i in given)
    labels: pa.Array = ids.labels.take(given)
    return Gold(labels, fit.parameters["z_mean"][ids.code[given]], objects)


def rating_probabilities(
    model: OrdinalMixture, fit: Fit, annotator: NDArray[np.int64], instance: NDArray[np.int64]
) -> Floats:
    """P(r = k) for each pair of codes (P,), over all that q leaves open (P, K); code -1 is anyone of the population.

    P(r = k) = E[eps] P(b_(k-1) <= x < b_k) + (1 - E[eps]) pi_k with x ~ N(mu_m, 1/lambda_m + 1/(tau delta)). The outer
    grades take the tails.
    """
    scale = fit.scale
    if scale.is_real:
        raise OptionError("ratings on a real scale have no grades, so there are no probabilities of them")
    eps, pi = _earnestness(fit), np.array(fit.hyperparameters["pi"])
    inner = np.array(model.thresholds[1:-1]) if isinstance(model.thresholds, tuple) else scale.thresholds[1:-1]
    found = np.empty((annotator.size, scale.n_grades))
    for begin in range(0, annotator.size, _PAIRS):
        part = slice(begin, begin + _PAIRS)
        n, m = annotator[part], instance[part]
        chances = _perceived(model, fit, n, m, inner)
        earnest = eps[n][:, None]  # the last entry, at -1, is the population's
        found[part] = earnest * chances + (1 - earnest) * pi
    return found


def _earnestness(fit: Fit) -> Floats:
    """E eps of each annotator, and of the population at the end (N+1,)."""
    eps = fit.parameters["eps"]
    return np.append(eps, np.average(eps, weights=fit.ratings_per_annotator))


def _perceived(model: OrdinalMixture, fit: Fit, n: NDArray[np.int64], m: NDArray[np.int64], inner: Floats) -> Floats:
    """P(b_(k-1) <= x < b_k) (P, K), averaged over q(tau), q(delta) and q(z)."""
    from scipy.special import ndtr

    p, h = fit.parameters, fit.hyperparameters
    mean, variance = np.append(p["z_mean"], h["mu"])[m], np.append(1 / p["z_precision"], 1 / h["lam"])[m]
    tau, tau_weight = _gamma_nodes(np.append(p["tau_shape"], h["alpha"])[n], np.append(p["tau_rate"], h["beta"])[n])
    delta, delta_weight = _ease_nodes(model, fit, m)
    precision = (tau[:, :, None] * delta[:, None, :]).reshape(n.size, -1)
    sd = np.sqrt(variance[:, None] + 1 / precision)
    weight = np.outer(tau_weight, delta_weight).ravel()
    below = np.zeros((n.size, inner.size + 2))
    below[:, -1] = 1
    for k, bound in enumerate(inner):
        below[:, k + 1] = ndtr((bound - mean)[:, None] / sd) @ weight
    return np.diff(below, axis=1)


def _ease_nodes(model: OrdinalMixture, fit: Fit, m: NDArray[np.int64]) -> tuple[Floats, Floats]:
    if model.ease is not None:
        return np.full((m.size, 1), model.ease), np.ones(1)
    p, h = fit.parameters, fit.hyperparameters
    if "delta" in p:
        shape, rate = (np.full(m.size, value) for value in p["delta"])
        return _gamma_nodes(shape, rate)
    of = m
    if model.difficulty == "category" and fit.category is not None:
        of = np.append(fit.category, -1)[m]
    return _gamma_nodes(np.append(p["delta_shape"], h["phi"])[of], np.append(p["delta_rate"], h["eta"])[of])


def _gamma_nodes(shape: Floats, rate: Floats) -> tuple[Floats, Floats]:
    """Nodes (P, nodes) and weights (nodes,) of an integral over G(shape, rate): Gauss-Legendre in its quantiles."""
    from scipy.special import gammaincinv

    at, weight = np.polynomial.legendre.leggauss(_NODES)
    quantile = gammaincinv(shape[:, None], (at + 1) / 2) / rate[:, None]
    return np.maximum(quantile, np.finfo(float).tiny), weight / 2
