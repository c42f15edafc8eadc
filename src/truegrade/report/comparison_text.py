"""A comparison as text: Markdown and LaTeX, the best figures in bold and those tied with them marked."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from truegrade.experiments.measures import MEASURES
from truegrade.frames import frame_table

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

__all__ = ["LEGEND", "cell", "latex", "markdown", "markdown_rows"]

LEGEND = (
    "Bold: the best. ≈: the gold does not tell it from the best. In brackets: 95 % of the figures on resampled gold "
    "(instances; queries for NDCG)."
)
_SPECIAL = {"\\": r"\textbackslash{}", "^": r"\textasciicircum{}", "~": r"\textasciitilde{}"}
_SPECIAL |= {character: f"\\{character}" for character in "&%$#_{}"}


def markdown(table: Any) -> str:
    """A table of `experiments.compare` in Markdown."""
    rows = [
        [str(row["model"]), *(cell(row, name, "**{}**", "{}≈") for name in MEASURES), _seconds(row)]
        for row in frame_table(table).to_pylist()
    ]
    return f"{markdown_rows(_head(), rows)}\n\n{LEGEND}\n"


def markdown_rows(head: Sequence[str], rows: Iterable[Sequence[str]], *, left: int = 1) -> str:
    """Cells as a Markdown table, the first `left` columns aligned to the left.

    >>> print(markdown_rows(["a", "b"], [["x|y", "1"]]))
    | a | b |
    | --- | ---: |
    | x\\|y | 1 |
    """
    rule = ["---"] * left + ["---:"] * (len(head) - left)
    lines = [head, rule, *([text.replace("|", "\\|") for text in row] for row in rows)]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def latex(table: Any) -> str:
    """A table of `experiments.compare` as a LaTeX tabular."""
    head = _head()
    lines = [r"\begin{tabular}{l" + "r" * (len(head) - 1) + "}", r"\hline", " & ".join(head) + r" \\", r"\hline"]
    for row in frame_table(table).to_pylist():
        model = "".join(_SPECIAL.get(character, character) for character in row["model"])
        cells = [cell(row, name, r"\textbf{{{}}}", r"{}$\approx$") for name in MEASURES]
        lines.append(" & ".join([model, *cells, _seconds(row)]) + r" \\")
    return "\n".join([*lines, r"\hline", r"\end{tabular}"]) + "\n"


def cell(row: Mapping[str, Any], name: str, best: str, tied: str, *, with_interval: bool = True) -> str:
    """A figure with its mark and its interval; a dash where it is not defined.

    >>> cell({"mse": 0.5, "mse_lower": 0.4, "mse_upper": 0.6, "mse_mark": "best"}, "mse", "*{}*", "{}=")
    '*0.500* [0.400, 0.600]'
    """
    if row[name] is None:
        return "-"
    text = {"best": best, "tied": tied}.get(row[f"{name}_mark"] or "", "{}").format(f"{row[name]:.3f}")
    if not with_interval or row[f"{name}_lower"] is None:
        return text
    return f"{text} [{row[f'{name}_lower']:.3f}, {row[f'{name}_upper']:.3f}]"


def _head() -> list[str]:
    return ["model", *(measure.title for measure in MEASURES.values()), "seconds"]


def _seconds(row: Mapping[str, Any]) -> str:
    return "-" if row["seconds"] is None else f"{row['seconds']:.2f}"
