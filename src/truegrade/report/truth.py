"""The section on the truth: how it is spread, how sure it is, and the instances that deserve a look."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from truegrade.report.charts import truth_distribution
from truegrade.report.fit_charts import truth_uncertainty
from truegrade.report.parts import Cell, Column, Figure, Section, Table
from truegrade.report.text import number, shown_grades, shown_ids

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from truegrade.report.material import Material

__all__ = ["truth"]

_FEW = 10  # rows of the short tables
_MANY = 1000  # rows of the table to search in


def truth(material: Material) -> Section:
    """The distribution of the truth, the most and the least certain instances, and a table to search in."""
    fit = material.fit
    figures = [Figure("truth-distribution", truth_distribution(fit), "How the estimated truths are spread.")]
    tables = []
    sure = np.isfinite(fit.posterior.sd)
    if sure.any():
        says = "Instances by estimate and standard deviation; darker cells hold more instances."
        figures.append(Figure("truth-uncertainty", truth_uncertainty(fit), says))
        order = np.argsort(np.where(sure, fit.posterior.sd, np.inf), kind="stable")[: int(sure.sum())]
        tables += [
            _table(material, "least-certain", order[::-1][:_FEW], "The least certain instances."),
            _table(material, "most-certain", order[:_FEW], "The most certain instances."),
        ]
    if material.plain_mean is not None:
        apart = np.argsort(-np.abs(fit.posterior.estimate - material.plain_mean), kind="stable")[:_FEW]
        says = "Where the model and the plain mean of the ratings differ most."
        tables.append(_table(material, "unlike-mean", apart, says))
    total = fit.posterior.estimate.size
    chosen = fit.instance_ids.code if total <= _MANY else _sample(material, total)
    sampled = f"A sample of {number(_MANY)} of the {number(total)} instances, the least certain among them."
    note = "All instances." if total <= _MANY else sampled
    tables.append(_table(material, "instances", chosen, note, searchable=True))
    return Section("truth", "Truth", figures=figures, tables=tables)


def _sample(material: Material, total: int) -> NDArray[np.intp]:
    """Half the least certain, half drawn evenly from the rest."""
    order = np.argsort(-np.nan_to_num(material.fit.posterior.sd), kind="stable")
    half = _MANY // 2
    rest = np.linspace(half, total - 1, _MANY - half).astype(np.int64)
    return np.concatenate([order[:half], order[rest]])


def _table(material: Material, name: str, codes: NDArray[Any], note: str, *, searchable: bool = False) -> Table:
    fit = material.fit
    lower, upper = fit.posterior.interval()
    columns = [Column("instance", is_number=False), *map(Column, ("estimate", "sd", "lower", "upper"))]
    series = [fit.posterior.estimate, fit.posterior.sd, lower, upper]
    if material.plain_mean is not None:
        columns.append(Column("plain mean"))
        series.append(material.plain_mean)
    rows = [
        [Cell.of(label), *(Cell.of(float(array[code])) for array in series)]
        for label, code in zip(shown_ids(fit.instance_ids, codes), codes, strict=True)
    ]
    if fit.scale.n_grades:
        columns += [Column("grade"), Column("P(grade)")]
        names = shown_grades(fit.scale)
        grades, p = fit.posterior.grade(fit.scale)[codes], fit.posterior.probabilities(fit.scale)[codes]
        for row, grade, chances in zip(rows, grades, p, strict=True):
            row += [Cell(names[grade], float(grade)), Cell.of(float(chances[grade]))]
    columns.append(Column("ratings"))
    for row, code in zip(rows, codes, strict=True):
        row.append(Cell.of(fit.ratings_per_instance[code].item(), 1))
    return Table(name, columns, rows, note, searchable)
