"""The end of a panel: its state as a Fit."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from truegrade.copies import about_copies, find_copies
from truegrade.fit import Status
from truegrade.models._grade_fit import grade_fit
from truegrade.models._panel_draws import drawn_truth
from truegrade.models._panel_named import group_names
from truegrade.models._panel_rows import RefinedRows
from truegrade.models._panel_truth import PanelTruth, learned_dependence, measured_dependence
from truegrade.posterior import GridPosterior

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from truegrade.fit import Fit
    from truegrade.models._em import Outcome
    from truegrade.models._panel_ascent import PanelAscent
    from truegrade.models._panel_problem import PanelProblem

    Floats = NDArray[np.float64]

__all__ = ["panel_fit"]

_ENOUGH_GOLD = 10  # known truths from which the dependence is learned
_NOTABLE = 0.02  # a dependence that is worth a sentence


def panel_fit(
    problem: PanelProblem, best: Outcome, endings: list[tuple[float, Status]], earlier: Fit | None = None
) -> Fit:
    """Everything the winning start found."""
    state: PanelAscent = best.state  # type: ignore[assignment]
    model, grid = problem.model, problem.grid
    truth = PanelTruth.of(state, counted=earlier is None)
    rho, notes = _dependence(state, truth, earlier)
    q, status = truth.posterior(rho), best.status
    drawing = earlier is None and model.uncertain and model.draws > 0 and status is not Status.INTERRUPTED
    if drawing and isinstance(state.rows, RefinedRows):
        drawn, stopped = drawn_truth(state, state.rows, rho, model.draws)
        q, status = q if drawn is None else drawn, Status.INTERRUPTED if stopped else status
    posterior = _posterior(problem, grid.places(q))
    if earlier is None:
        p = posterior.probabilities(problem.ratings.scale)
        notes += _about_excluded(problem) + _about_groups(state)
        if not model.excluded:  # whose confusion matrices nobody learned
            notes += about_copies(problem.ratings, find_copies(problem.ratings, p, state.rows.mean))
    hyperparameters: dict[str, Any] = {"dependence": rho, "kappa_shares": _kappa_shares(state)}
    if grid.levels > 1:
        hyperparameters["ambiguous"] = float(state.prior.reshape(len(state.prior), grid.levels, -1)[:, 1].mean())
    return grade_fit(
        model,
        problem.ratings,
        posterior,
        confusion=state.rows.mean,
        counts=_at_places(problem, state.rows.counts),
        best=replace(best, status=status),
        endings=endings,
        parameters={
            **({"kept": state.rows.kept} if isinstance(state.rows, RefinedRows) else {}),
            "counts": state.rows.counts,
            "prior": state.prior,
            "log_w": state.rows.population.log_w,
            "log_v": state.rows.population.log_v,
        },
        hyperparameters=hyperparameters,
        notes=notes,
    )


def _kappa_shares(state: PanelAscent) -> Any:
    """One list, or one for each group that annotators belong to."""
    shares = np.exp(state.rows.population.log_v).tolist()
    names = group_names(state.problem.model)
    return dict(zip(names, shares, strict=True)) if len(names) > 1 else shares[0]


def _about_groups(state: PanelAscent) -> list[str]:
    """What each group of annotators is like."""
    problem, names = state.problem, group_names(state.problem.model)
    if len(names) == 1:
        return []
    at = np.arange(problem.ratings.scale.n_grades)
    prior = problem.grid.places(state.prior).mean(axis=0) @ problem.grid.blend[: problem.grid.position.size]
    miss = at - at[:, None]  # (R, K)
    mean = np.einsum("r,nrk,rk->n", prior, state.rows.mean, miss)
    square = np.einsum("r,nrk,rk->n", prior, state.rows.mean, miss**2)
    group = state.rows.population.group
    return [
        f"{f'group {name}' if name else 'annotators in no group'} ({np.count_nonzero(group == g)}): "
        f"ratings {mean[group == g].mean():+.2f} grades off on average, "
        f"typically by {np.sqrt(square[group == g].mean()):.2f}"
        for g, name in enumerate(names)
        if np.any(group == g)
    ]


def _about_excluded(problem: PanelProblem) -> list[str]:
    """Who was left out, and how many instances nobody else rated."""
    r = problem.ratings
    if not problem.model.excluded:
        return []
    unrated = np.count_nonzero(np.add.reduceat(problem.weight, r.instance_ptr[:-1]) == 0)
    also = f"; instances that nobody else rated, left at the prior: {unrated}" if unrated else ""
    return [f"left out of the truth, as told: {', '.join(problem.model.excluded)}{also}"]


def _dependence(state: PanelAscent, truth: PanelTruth, earlier: Fit | None) -> tuple[float, list[str]]:
    """How far errors on an instance are taken to be correlated, and a sentence about it."""
    model = state.problem.model
    if earlier is not None:
        return float(earlier.hyperparameters["dependence"]), []
    if model.dependence != "measured":
        return min(model.dependence + model.assumed, 1.0), []
    known = state.problem.known
    if known is not None and np.count_nonzero(~np.isnan(known)) >= _ENOUGH_GOLD:
        learned = learned_dependence(state, truth)
        return learned, [f"known truths say that annotators' errors on an instance correlate by {learned:.2f}"]
    measured = measured_dependence(state, truth.posterior(0.0))
    notes = []
    if measured > _NOTABLE:
        notes.append(
            f"annotators err together (correlation {measured:.2f} of their errors on an instance): "
            "many ratings count less than independent ones would"
        )
    return min(measured + model.assumed, 1.0), notes


def _posterior(problem: PanelProblem, p: Floats) -> GridPosterior:
    scale = problem.ratings.scale
    at = np.arange(scale.n_grades, dtype=np.float64)
    nodes = np.interp(problem.grid.position, at, scale.array)
    known = None if problem.known is None else np.interp(problem.known, at, scale.array)
    return GridPosterior(p, nodes, np.full(len(p), np.nan) if known is None else known)


def _at_places(problem: PanelProblem, counts: Floats) -> Floats:
    """Counts of grades said, per place (N, K, Z): those of a true grade (N, R, K) at the place it stands on."""
    spread = np.zeros((len(counts), counts.shape[2], problem.grid.position.size))
    spread[:, :, np.flatnonzero(problem.grid.position % 1 == 0)] = counts.transpose(0, 2, 1)
    return spread
