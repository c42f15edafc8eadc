"""The end of a panel: its state as a Fit."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from truegrade.copies import Sampled, about_copies, copies_among
from truegrade.fit import Status
from truegrade.fit_parts import Answer, whole_fit
from truegrade.models._grade_fit import TruthSums, grade_head
from truegrade.models._panel_draws import begin_chains, drawn_truth
from truegrade.models._panel_gold import Calibration, learned_calibration
from truegrade.models._panel_named import group_names
from truegrade.models._panel_part import PanelPart
from truegrade.models._panel_rows import RefinedRows
from truegrade.models._panel_truth import (
    PanelEnd,
    PanelTruth,
    measured_dependence,
    miss_of_annotators,
)
from truegrade.models._summary import mean_ratings
from truegrade.posterior import GridPosterior

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from truegrade.engines import States
    from truegrade.fit import Fit
    from truegrade.models._em import Outcome
    from truegrade.models._panel_ascent import PanelAscent
    from truegrade.models._panel_grid import TruthGrid
    from truegrade.models._panel_problem import PanelProblem
    from truegrade.scale import Scale

    Floats = NDArray[np.float64]

__all__ = ["panel_fit"]

_ENOUGH_GOLD = 10  # known truths from which the dependence is learned
_NOTABLE = 0.02  # a dependence that is worth a sentence


@dataclass(frozen=True)
class _Wanted:
    """Which truths the answers are."""

    calibration: Calibration
    seen: int  # how many draws they are averaged over; 0: none


def panel_fit(
    problem: PanelProblem, best: Outcome, endings: list[tuple[float, Status]], earlier: Fit | None = None
) -> Fit:
    """Everything the winning start found."""
    state: PanelAscent = best.state  # type: ignore[assignment]
    model, grid, placed, rows = problem.model, problem.grid, problem.placed, state.rows
    end = PanelEnd(rows, state.message, counted=earlier is None)
    status, seen, told = best.status, 0, 0
    drawing = earlier is None and model.uncertain and model.draws > 0 and status is not Status.INTERRUPTED
    if drawing and isinstance(rows, RefinedRows):
        states, told = begin_chains(state, end)
    else:
        states = placed.begin(PanelTruth.begin, end.at_shards(placed.sizes))
    calibration, notes = _calibration(state, states, earlier)
    if told and isinstance(rows, RefinedRows):
        states, seen, stopped = drawn_truth(state, rows, calibration, told, states)
        status = Status.INTERRUPTED if stopped else status
    wanted = _Wanted(calibration, seen)
    if earlier is None:
        notes += _about_excluded(problem) + _about_groups(state)
        if not model.excluded:  # whose confusion matrices nobody learned
            sample = Sampled.joined(list(placed.each(_sampled, states, wanted)))
            notes += about_copies(placed.ratings, copies_among(sample, rows.mean))
    hyperparameters: dict[str, Any] = {"dependence": calibration.rho, "kappa_shares": _kappa_shares(state)}
    if grid.levels > 1:
        hyperparameters["ambiguous"] = float(state.prior.reshape(len(state.prior), grid.levels, -1)[:, 1].mean())
    head = grade_head(
        model,
        placed.ratings,
        placed.sums(_truths, states, wanted),
        placed.sums(PanelPart.agreement, None, None),
        confusion=rows.mean,
        counts=_at_places(problem, rows.counts),
        nodes=_nodes(grid, placed.ratings.scale),
        best=replace(best, status=status),
        endings=endings,
        parameters={
            **({"kept": rows.kept} if isinstance(rows, RefinedRows) else {}),
            "counts": rows.counts,
            "prior": state.prior,
            "shift": calibration.shift,
            "log_w": rows.population.log_w,
            "log_v": rows.population.log_v,
        },
        hyperparameters=hyperparameters,
        notes=notes,
    )
    return whole_fit(placed.ratings, head, placed.each(_answer, states, wanted))


# What engines run.


def _truths(part: PanelPart, truth: PanelTruth, wanted: _Wanted) -> TruthSums:
    return TruthSums.of(_posterior(part, truth, wanted), mean_ratings(part.ratings), part.ratings)


def _sampled(part: PanelPart, truth: PanelTruth, wanted: _Wanted) -> Sampled:
    p = _posterior(part, truth, wanted).probabilities(part.ratings.scale)
    return Sampled.of(part.ratings, p, truth.before)


def _answer(part: PanelPart, truth: PanelTruth, wanted: _Wanted) -> Answer:
    return Answer(_posterior(part, truth, wanted))


def _posterior(part: PanelPart, truth: PanelTruth, wanted: _Wanted) -> GridPosterior:
    """P(place) of a shard's instances."""
    scale = part.ratings.scale
    q = truth.posterior(wanted.calibration.rho, wanted.calibration.shift)
    if truth.chain is not None and wanted.seen:
        q = truth.chain.total / wanted.seen
    at = np.arange(scale.n_grades, dtype=np.float64)
    known = np.full(len(q), np.nan) if part.known is None else np.interp(part.known, at, scale.array)
    return GridPosterior(part.grid.places(q), _nodes(part.grid, scale), known)


def _nodes(grid: TruthGrid, scale: Scale) -> Floats:
    """Where on the scale the places lie (Z,)."""
    return np.interp(grid.position, np.arange(scale.n_grades, dtype=np.float64), scale.array)


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
    at = np.arange(problem.placed.ratings.scale.n_grades)
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
    if not problem.model.excluded:
        return []
    unrated = problem.facts.unrated
    also = f"; instances that nobody else rated, left at the prior: {unrated}" if unrated else ""
    return [f"left out of the truth, as told: {', '.join(problem.model.excluded)}{also}"]


def _calibration(state: PanelAscent, truths: States, earlier: Fit | None) -> tuple[Calibration, list[str]]:
    """How far errors on an instance are taken to be correlated, what known truths add, and a sentence about it."""
    problem, model = state.problem, state.problem.model
    nothing = np.zeros(problem.grid.nodes)
    if earlier is not None:
        return Calibration(float(earlier.hyperparameters["dependence"]), earlier.parameters.get("shift", nothing)), []
    if model.dependence != "measured":
        return Calibration(min(model.dependence + model.assumed, 1.0), nothing), []
    if problem.facts.met >= _ENOUGH_GOLD:
        learned = learned_calibration(state, truths)
        return learned, [f"known truths say that annotators' errors on an instance correlate by {learned.rho:.2f}"]
    said = miss_of_annotators(state.rows.mean, problem.grid.blend)
    measured = problem.placed.sums(measured_dependence, truths, said).rho
    notes = []
    if measured > _NOTABLE:
        notes.append(
            f"annotators err together (correlation {measured:.2f} of their errors on an instance): "
            "many ratings count less than independent ones would"
        )
    return Calibration(min(measured + model.assumed, 1.0), nothing), notes


def _at_places(problem: PanelProblem, counts: Floats) -> Floats:
    """Counts of grades said, per place (N, K, Z): those of a true grade (N, R, K) at the place it stands on."""
    spread = np.zeros((len(counts), counts.shape[2], problem.grid.position.size))
    spread[:, :, np.flatnonzero(problem.grid.position % 1 == 0)] = counts.transpose(0, 2, 1)
    return spread
