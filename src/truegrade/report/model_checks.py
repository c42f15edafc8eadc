"""The sections that say whether to believe the model: difficulty, checks, and the method itself."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

import truegrade
from truegrade.report.fit_charts import calibration, difficulty, trace
from truegrade.report.parts import Cell, Column, Figure, Section, Table
from truegrade.report.text import number

if TYPE_CHECKING:
    from truegrade.checks import Check
    from truegrade.report.material import Material

__all__ = ["checks", "hard_categories", "method"]

_CITATION = (
    "The mixture model is that of B. Lakshminarayanan and Y. W. Teh (2013), Inferring ground truth from "
    "multi-annotator ordinal data: a probabilistic approach."
)


def hard_categories(material: Material) -> Section | None:
    """Which categories are hard, where the model knows."""
    fit = material.fit
    if "difficulty" not in fit.category_columns:
        return None
    says = "The hardest categories first: there annotators are least exact."
    return Section("difficulty", "Difficulty", figures=[Figure("difficulty", difficulty(fit), says)])


def checks(material: Material) -> Section:
    """The bound and the starts, the simple estimators beside the model, and gold where there is some."""
    fit, figures, tables, words = material.fit, [], [], []
    if fit.trace.size > 1:
        says = "The bound should rise and then level off."
        figures.append(Figure("trace", trace(fit), says))
    if len(fit.bounds) > 1:
        words.append(
            f"{len(fit.bounds)} starts ended with bounds from {number(min(fit.bounds))} to {number(max(fit.bounds))}; "
            "the best one is reported."
        )
    if material.predictive is not None:
        tables.append(_predictive(material.predictive))
    elif material.ratings is None:
        words.append("Checks against drawn ratings need the ratings: pass them with --ratings FILE.")
    else:
        words.append("No ratings were drawn from this fit to check it: there are too few grades, or too many ratings.")
    if material.ratings is not None:
        tables.append(_beside_simple(material))
    if material.gold is not None and material.ratings is not None and fit.scale.n_grades:
        says = "Dots on the diagonal mean that the probabilities can be taken at their word."
        figures.append(Figure("calibration", calibration(fit, material.gold, material.ratings), says))
    return Section("checks", "Model checks", words, figures, tables)


def _predictive(checks: list[Check]) -> Table:
    """What the ratings look like, what those drawn from the fit look like, and what a difference means."""
    columns = [Column("property", is_number=False), *map(Column, ("these ratings", "drawn ones", "lower", "upper"))]
    columns.append(Column("verdict", is_number=False))
    rows = [
        [
            Cell.of(check.name),
            *(Cell.of(value, 3) for value in (check.observed, check.expected, check.low, check.high)),
            Cell.of(check.verdict),
        ]
        for check in checks
    ]
    note = "These ratings beside ratings drawn from the fit; 95 % of the draws lie between lower and upper."
    return Table("predictive-checks", columns, rows, note)


def _beside_simple(material: Material) -> Table:
    """Mean, median and majority beside the model: how close, and against gold where there is some."""
    from truegrade.evaluation import evaluate
    from truegrade.models import make_model

    ratings, fit = material.ratings, material.fit
    assert ratings is not None  # noqa: S101  the caller looked
    columns = [Column("model", is_number=False), Column("correlation with this fit"), Column("mean distance from it")]
    if material.gold is not None:
        columns += [Column("MSE against gold"), Column("correlation with gold")]
    others = [name for name in ("mean", "median", "majority") if name != fit.model and not ratings.scale.is_real]
    rows = []
    for one in (fit, *(make_model(name).fit(ratings) for name in others)):
        estimate = one.posterior.estimate
        varied = np.ptp(estimate) > 0 and np.ptp(fit.posterior.estimate) > 0
        correlation = float(np.corrcoef(estimate, fit.posterior.estimate)[0, 1]) if varied else None
        cells = [
            Cell.of(one.model),
            Cell.of(correlation, 3),
            Cell.of(float(np.mean(np.abs(estimate - fit.posterior.estimate))), 3),
        ]
        if material.gold is not None:
            found = evaluate(one, material.gold)
            cells += [Cell.of(found.mse, 3), Cell.of(found.pearson, 3)]
        rows.append(cells)
    return Table("simple-models", columns, rows, "The simple estimators beside this fit.")


def method(material: Material) -> Section:
    """Options, versions and how to cite."""
    fit = material.fit
    options = ", ".join(f"{key}={value}" for key, value in fit.options.items()) or "none"
    versions = ", ".join(f"{name} {version}" for name, version in fit.versions.items())
    words = [
        f"Model {fit.model}, options: {options}.",
        f"Status {fit.status} after {number(fit.iterations)} iterations; seed {fit.seed}; input {fit.input_digest}.",
        f"Made by truegrade {truegrade.__version__}; fitted with {versions}.",
        _CITATION,
    ]
    return Section("method", "Method", words)
