"""Two fits side by side: one model and another, or before and after some annotators were dropped."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from truegrade.errors import OptionError
from truegrade.joining import join
from truegrade.report.charts import span
from truegrade.report.page import page
from truegrade.report.parts import Cell, Column, Figure, Section, Table
from truegrade.report.style import BLUE, HEIGHT
from truegrade.report.text import number, shown_ids

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from truegrade.fit import Fit

    Codes = NDArray[np.int32]

__all__ = ["compare_fits"]

_FEW = 50  # instances that moved most
_BINS = 40


def compare_fits(one: Fit, other: Fit) -> str:
    """A page on what changes between two fits: the estimates, the grades, and the annotators' standing."""
    mine, theirs = _shared(one.instance_ids, other.instance_ids)
    if not mine.size:
        raise OptionError("the two fits have no instance in common; compare fits of the same ratings")
    names = _titles(one, other)
    sections = [_summary(one, other, mine, theirs, names), _moved(one, other, mine, theirs, names)]
    return page(f"{names[0]} and {names[1]}", [*sections, _annotators(one, other, names)])


def _shared(mine: Any, theirs: Any) -> tuple[Codes, Codes]:
    """The codes of the ids that both have."""
    position = join(mine.labels, theirs.labels, mine.objects, theirs.objects).position
    met = position >= 0
    return mine.code[met.nonzero()[0]], theirs.code[position[met]]


def _titles(one: Fit, other: Fit) -> tuple[str, str]:
    if one.model != other.model:
        return one.model, other.model
    return f"first {one.model}", f"second {other.model}"


def _summary(one: Fit, other: Fit, mine: Codes, theirs: Codes, names: tuple[str, str]) -> Section:
    a, b = one.posterior.estimate[mine], other.posterior.estimate[theirs]
    correlation = f", with a correlation of {np.corrcoef(a, b)[0, 1]:.3f}" if np.ptp(a) > 0 and np.ptp(b) > 0 else ""
    words = [
        f"{number(int(mine.size))} instances stand in both fits.",
        f"The first has {number(len(one.instance_ids))}, the second {number(len(other.instance_ids))}.",
        f"The estimates are {number(float(np.mean(np.abs(a - b))))} apart on average{correlation}.",
    ]
    if one.scale == other.scale and one.scale.n_grades:
        changed = one.posterior.grade(one.scale)[mine] != other.posterior.grade(other.scale)[theirs]
        words.append(f"The grade differs for {number(int(changed.sum()))} of them.")
    says = "Instances by their two estimates; on the diagonal nothing changes."
    return Section("summary", "Summary", words, [Figure("estimates", _estimates(a, b, names), says)])


def _estimates(a: NDArray[np.float64], b: NDArray[np.float64], names: tuple[str, str]) -> Any:
    import altair as alt
    import pyarrow as pa

    counts, x, y = np.histogram2d(a, b, bins=_BINS, range=(span(a), span(b)))
    at, up = np.nonzero(counts)
    cells = pa.table({"left": x[at], "right": x[at + 1], "low": y[up], "high": y[up + 1], "instances": counts[at, up]})
    return (
        alt.Chart(cells, width=HEIGHT, height=HEIGHT, title="Two estimates of each instance")
        .mark_rect(color=BLUE)
        .encode(
            x=alt.X("left:Q", title=names[0]).bin("binned"),
            x2="right:Q",
            y=alt.Y("low:Q", title=names[1]).bin("binned"),
            y2="high:Q",
            color=alt.Color("instances:Q", scale=alt.Scale(scheme="blues", type="symlog")),
            tooltip=["instances:Q"],
        )
    )


def _moved(one: Fit, other: Fit, mine: Codes, theirs: Codes, names: tuple[str, str]) -> Section:
    a, b = one.posterior.estimate[mine], other.posterior.estimate[theirs]
    order = np.argsort(-np.abs(a - b), kind="stable")[:_FEW]
    rows = [
        [Cell.of(name), Cell.of(float(a[i])), Cell.of(float(b[i])), Cell.of(float(b[i] - a[i]))]
        for name, i in zip(shown_ids(one.instance_ids, mine[order]), order, strict=True)
    ]
    columns = [Column("instance", is_number=False), *map(Column, names), Column("change")]
    table = Table("moved", columns, rows, "The instances whose estimate changes most.", searchable=True)
    return Section("instances", "Instances", tables=[table])


def _annotators(one: Fit, other: Fit, names: tuple[str, str]) -> Section:
    mine, theirs = _shared(one.annotator_ids, other.annotator_ids)
    gone, new = len(one.annotator_ids) - mine.size, len(other.annotator_ids) - theirs.size
    words = [f"{number(int(gone))} annotators stand only in the first fit, {number(int(new))} only in the second."]
    tables = []
    for column in ("spamminess", "expertise", "bias", "stretch"):
        a, b = one.annotator_columns.get(column), other.annotator_columns.get(column)
        if a is None or b is None or not mine.size:
            continue
        order = np.argsort(-np.abs(np.nan_to_num(a[mine] - b[theirs])), kind="stable")[:_FEW]
        rows = [
            [Cell.of(name), Cell.of(float(a[mine[i]])), Cell.of(float(b[theirs[i]]))]
            for name, i in zip(shown_ids(one.annotator_ids, mine[order]), order, strict=True)
        ]
        columns = [Column("annotator", is_number=False), *map(Column, names)]
        tables.append(Table(column, columns, rows, f"Where {column} changes most."))
    return Section("annotators", "Annotators", words, tables=tables)
