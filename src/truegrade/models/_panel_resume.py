"""The panel's warm starts and predictions: an earlier fit's annotators, population and prior."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from truegrade.errors import OptionError
from truegrade.models._panel_ascent import PanelAscent
from truegrade.models._panel_rows import RefinedRows, TypeRows
from truegrade.models._warm import check_start, meeting

if TYPE_CHECKING:
    from truegrade.fit import Fit
    from truegrade.models._panel_problem import PanelProblem

__all__ = ["resumed"]


def resumed(problem: PanelProblem, earlier: Fit) -> PanelAscent:
    """Where an earlier fit ended; annotators that it does not know have no counts."""
    check_start(problem.model.name, problem.placed.ratings, earlier)
    old, grades = earlier.parameters, problem.placed.ratings.scale.n_grades
    population = problem.population()
    prior = problem.first_prior()
    if old["log_w"].size != population.log_w.size or old["prior"].shape[1] != prior.shape[1]:
        raise OptionError(f"the earlier fit of {earlier.model} has other options; pass one with the same")
    log_w, log_v = old["log_w"].reshape(population.log_w.shape), old["log_v"].reshape(population.log_v.shape)
    population = replace(population, log_w=log_w, log_v=log_v)
    if len(old["prior"]) == len(prior) and problem.groups == 1:
        prior = old["prior"]
    here, there = meeting(problem.placed.ratings.annotators, earlier.annotator_ids)
    counts = np.zeros((problem.placed.ratings.n_annotators, grades, grades))
    counts[here] = old["counts"][there]
    if not problem.refined:
        return PanelAscent.at(problem, TypeRows.of(counts, population), prior)
    kept = RefinedRows.of(counts, population).kept.copy()
    kept[here] = old["kept"][there]
    return PanelAscent.at(problem, RefinedRows.on(counts, population, kept), prior)
