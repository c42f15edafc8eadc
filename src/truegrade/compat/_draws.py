"""Draws from what a fit believes, by model. Arrays are in the order of the codes, draws first."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from truegrade.errors import OptionError
from truegrade.models import fitted_model
from truegrade.posterior import GradePosterior, GridPosterior

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.random import Generator
    from numpy.typing import NDArray

    from truegrade.fit import Fit
    from truegrade.models._table_model import TableModel

    Floats = NDArray[np.float64]
    Variables = dict[str, tuple[tuple[str, ...], Floats]]  # name -> dimensions after the draws, and the draws

__all__ = ["annotator_draws", "points", "truth_draws"]

_CONFUSION = ("annotator", "true_grade", "said_grade")


def truth_draws(fit: Fit, size: int, rng: Generator) -> Floats:
    """Truths (size, M)."""
    posterior = fit.posterior
    if isinstance(posterior, GradePosterior | GridPosterior):
        below = np.cumsum(posterior.p, axis=1)
        below /= below[:, -1:]
        node = np.empty((size, len(below)), dtype=np.intp)
        for m, row in enumerate(below):
            node[:, m] = np.searchsorted(row, rng.random(size), side="right")
        if isinstance(posterior, GradePosterior):
            return posterior.nodes[node]
        low, width = posterior.edges[:-1], np.diff(posterior.edges)
        spread = low[node] + width[node] * rng.random(node.shape)
        return np.where(np.isnan(posterior.known), spread, posterior.known)
    if np.isnan(posterior.sd).any():
        raise OptionError(
            f"{fit.model} does not say how sure it is: there is nothing to draw from; choose another model"
        )
    drawn: Floats = rng.normal(posterior.estimate, posterior.sd, (size, posterior.estimate.size))
    return drawn


def annotator_draws(fit: Fit, size: int, rng: Generator) -> Variables:
    """Parameters of annotators, and eases, that the model has a distribution of."""
    p = fit.parameters
    found: Variables = {}
    if "tau_shape" in p:
        found["expertise"] = ("annotator",), _gamma(p["tau_shape"], p["tau_rate"], size, rng)
    if beta := _beta_of_earnestness(fit):
        found["earnestness"] = ("annotator",), rng.beta(*beta, (size, beta[0].size))
    if "delta_shape" in p:
        of = "category" if fit.options.get("difficulty") == "category" else "instance"
        found["ease"] = (of,), _gamma(p["delta_shape"], p["delta_rate"], size, rng)
    elif "delta" in p and fit.options.get("ease") is None:
        found["ease"] = (), _gamma(p["delta"][:1], p["delta"][1:], size, rng)[:, 0]
    if "population" in p:
        found["confusion"] = _CONFUSION, _confusions(fit, size, rng)
    return found


def points(fit: Fit) -> Variables:
    """What the model knows as points only; no draws come first."""
    p = fit.parameters
    found: Variables = {}
    if "eps" in p and not _beta_of_earnestness(fit):
        found["earnestness"] = ("annotator",), p["eps"]
    if "confusion" in p and "population" not in p:
        found["confusion"] = _CONFUSION, p["confusion"]
    if "alpha" in p:
        found["ability"] = ("annotator",), p["alpha"]
    if "log_beta" in p:
        dims = {"instance": ("instance",), "category": ("category",)}.get(str(fit.options["difficulty"]), ())
        found["ease"] = dims, np.exp(p["log_beta"]) if dims else np.exp(p["log_beta"][0])
    if "variance" in p:
        found["expertise"] = ("annotator",), 1 / p["variance"]
    return found


def _gamma(shape: Floats, rate: Floats, size: int, rng: Generator) -> Floats:
    drawn: Floats = rng.gamma(shape, 1 / rate, (size, shape.size))
    return drawn


def _beta_of_earnestness(fit: Fit) -> tuple[Floats, Floats] | None:
    """The parameters of q(eps) (N,), where it is a Beta distribution."""
    prior: Any = fit.options.get("epsilon_prior")
    if "eps" not in fit.parameters or not prior or not fit.options.get("spam", True):
        return None
    eps, total = fit.parameters["eps"], fit.ratings_per_annotator + sum(prior)
    return eps * total, (1 - eps) * total


def _confusions(fit: Fit, size: int, rng: Generator) -> Floats:
    """Confusion matrices (size, N, K, K), their rows from Dirichlet distributions."""
    p: Mapping[str, Any] = fit.parameters
    model: TableModel = fitted_model(fit, "cells")
    cells = model.cells(fit.scale.n_grades)
    drawn = rng.standard_gamma(p["counts"] + p["population"], (size, *p["counts"].shape))
    drawn = np.maximum(drawn, np.finfo(float).tiny)
    drawn /= drawn.sum(axis=-1, keepdims=True)
    return np.array([cells.confusion(rows) for rows in drawn])
