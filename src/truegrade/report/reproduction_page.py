"""The page that goes with a reproduction: our figures beside the paper's, and what the figures show."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from truegrade.experiments.measures import MEASURES, PAPER_MEASURES
from truegrade.experiments.paper import PRINTED
from truegrade.experiments.reproduction import DATA, FULL
from truegrade.report.comparison_text import markdown, markdown_rows
from truegrade.report.reproduction_reasons import REASONS, REMARKS
from truegrade.report.reproduction_sweeps import ablation_section, spam_section
from truegrade.report.reproduction_text import listed, rows_of, short

if TYPE_CHECKING:
    from truegrade.experiments.reproduction import Reproduction

__all__ = ["page"]

Row = Mapping[str, Any]


def page(found: Reproduction) -> str:
    """The whole page in Markdown."""
    parts = [
        *_head(found),
        *_data(found),
        *(_table1(found) if "trec-rf10" in found.studies else ()),
        *(part for name in found.studies if name != "trec-rf10" for part in _other(found, name)),
        *spam_section(found),
        *ablation_section(found),
        *_endings(found),
    ]
    return "\n\n".join(parts) + "\n"


def _head(found: Reproduction) -> list[str]:
    scope = found.scope
    command = "truegrade reproduce" if scope == FULL else "truegrade reproduce --quick"
    drawn = [f"{name} {len(scope.draws(study))}" for name, study in found.studies.items()]
    told = (
        f"Written by `{command}`; do not edit. Table 1: {scope.starts} starts of the models that have several. Sweeps: "
        f"{scope.sweep_starts}; fake ratings per instance: {listed(scope.fakes)}; draws of the fakes: {listed(drawn)}. "
        "The tables are in `table1.csv`, `spam.csv` and `ablation.csv`. Seconds are of one fit on one thread, beside "
        "whatever else the machine did."
    )
    return ["# Section 4 of the paper, run again", told]


def _data(found: Reproduction) -> list[str]:
    rows = []
    for name, what in DATA.items():
        if name in found.absent:
            rows.append([name, f"not available: {found.absent[name]}", *[""] * 5])
            continue
        ratings, gold = found.studies[name].ratings, found.studies[name].gold
        counts = (ratings.n_ratings, ratings.n_annotators, ratings.n_instances, ratings.n_categories or "-", len(gold))
        rows.append([name, what, *map(str, counts)])
    head = ["data", "what it is", "ratings", "annotators", "instances", "queries", "gold"]
    unpublished = (
        "The paper's other set (40,340 ratings of Yandex search results) was never published, so its half of Table 1 "
        "and its two figures cannot be checked. The other two sets stand in for it."
    )
    return ["## Data", markdown_rows(head, rows, left=2), unpublished]


def _table1(found: Reproduction) -> list[str]:
    table = rows_of(found.table1, "trec-rf10")
    ours = {row["paper_system"]: row for row in table.to_pylist() if row["paper_system"]}
    rows, reasons = [], []
    for printed in PRINTED:
        row = ours.get(printed.name)
        if row is None or row["mse"] is None:
            rows.append([printed.name, "-", "-", "-", "not available"])
            continue
        verdict = printed.verdict(row)
        cells = [f"{short(row[name])} ({short(getattr(printed, name))})" for name in PAPER_MEASURES]
        others = [f"{MEASURES[name].title} {word}" for name, word in verdict.items() if word != "equal"]
        rows.append([printed.name, *cells, ", ".join(others) or "equal"])
        if others and printed.name in REASONS:
            reasons.append(f"- **{printed.name}.** {REASONS[printed.name]}")
    head = ["system", *(MEASURES[name].title for name in PAPER_MEASURES), "ours are"]
    meaning = (
        "Ours (the paper's). Equal: to the printed digit for the rows without parameters (NDCG within .003, since the "
        "paper does not say how it breaks ties), within .02 for the others."
    )
    return [
        "## Table 1, TREC",
        markdown_rows(head, rows),
        meaning,
        *(["\n".join(reasons)] if reasons else []),
        _against_the_best(table.to_pylist()),
        "All models on it, those that the paper does not have too:",
        markdown(table).strip(),
        "![Table 1 on TREC](table1-trec-rf10.png)",
    ]


def _against_the_best(rows: Sequence[Row]) -> str:
    """Which of our models beat the best figures of all the paper's rows."""
    best = {name: min((getattr(row, name) for row in PRINTED), key=MEASURES[name].loss) for name in PAPER_MEASURES}
    told = ", ".join(f"{MEASURES[name].title} {short(value)}" for name, value in best.items())
    ahead = [row for row in rows if _beats(row, best)]
    if not ahead:
        partly = [row["model"] for row in rows if _beats(row, {name: best[name] for name in ("mse", "correlation")})]
        return (
            f"No model beats the best of the paper's rows in all three measures ({told}); these do in MSE and "
            f"correlation: {listed(partly) or 'none'}."
        )
    figures = [
        f"{row['model']} ({short(row['mse'])}, {short(row['correlation'])}, {short(row['ndcg'], 4)})" for row in ahead
    ]
    return f"Better than the best of the paper's rows in all three measures ({told}): {listed(figures)}."


def _beats(row: Row, best: Mapping[str, float]) -> bool:
    return all(
        row[name] is not None and MEASURES[name].loss(row[name]) < MEASURES[name].loss(value)
        for name, value in best.items()
    )


def _other(found: Reproduction, name: str) -> list[str]:
    return [
        f"## {name}",
        f"This is {DATA[name]}.",
        markdown(rows_of(found.table1, name)).strip(),
        *([REMARKS[name]] if name in REMARKS else []),
        f"![Table 1 on {name}](table1-{name}.png)",
    ]


def _endings(found: Reproduction) -> list[str]:
    """What did not converge, since its figures mean less."""
    counts: dict[tuple[str, str, str], int] = {}
    for table in (found.table1, found.spam, found.ablation):
        for row in table.to_pylist():
            if row["model"] is not None and row["status"] != "CONVERGED":
                place = (row["data"], row["model"], row["status"])
                counts[place] = counts.get(place, 0) + 1
    if not counts:
        return ["## How fits ended", "All converged."]
    return [
        "## How fits ended",
        "All converged but these:",
        markdown_rows(["data", "model", "ended", "fits"], [[*place, str(n)] for place, n in counts.items()], left=3),
    ]
