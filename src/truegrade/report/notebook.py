"""What a notebook shows of a fit."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

from truegrade.report.text import number, shown_id

if TYPE_CHECKING:
    from truegrade.fit import Fit

__all__ = ["notebook_html"]

_ROWS = 8


def notebook_html(fit: Fit) -> str:
    """The counts and the first rows of the truth as a small table."""
    counts = fit.counts
    head = (
        f"{fit.model}: {fit.status}, {number(counts['ratings'])} ratings of {number(counts['instances'])} instances "
        f"by {number(counts['annotators'])} annotators"
    )
    table = fit.truth_table().slice(0, _ROWS)
    names = "".join(f"<th>{escape(name)}</th>" for name in table.column_names)
    rows = "".join(f"<tr>{''.join(_cell(value) for value in row.values())}</tr>" for row in table.to_pylist())
    more = counts["instances"] - table.num_rows
    rest = f"<p>and {number(more)} more: fit.truth</p>" if more > 0 else ""
    return f"<p><b>{escape(head)}</b></p><table><thead><tr>{names}</tr></thead><tbody>{rows}</tbody></table>{rest}"


def _cell(value: object) -> str:
    text = number(value) if value is None or isinstance(value, float) else shown_id(value)
    return f"<td>{escape(text)}</td>"
