"""What the spam experiment and the ablation show, in tables and in sentences that are made from the figures."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from truegrade.experiments.sweep import over_seeds
from truegrade.report.comparison_text import markdown_rows
from truegrade.report.reproduction_text import rows_of, short

if TYPE_CHECKING:
    from truegrade.experiments.reproduction import Reproduction

__all__ = ["ablation_section", "spam_section"]

Ends = tuple[float, float]  # mean correlation without fakes, and with the most
_WEIGHS_NOBODY = ("mean", "median", "majority")
_KNOWS_SPAM = ("ordinal-mixture", "ordinal-panel")


def spam_section(found: Reproduction) -> list[str]:
    """Every model with no and with the most fakes."""
    most = max(found.scope.fakes)
    meaning = (
        "Every instance gets fake ratings from fake annotators who grade at random and are as busy as the average real "
        "one. In the figures, lines are means over the draws of the fakes, bands their range. The tables give the "
        "correlation."
    )
    parts = ["## Fake ratings", meaning]
    for name in found.studies:
        rows = rows_of(found.spam, name).to_pylist()
        systems = {row["model"]: row["system"] for row in rows}
        ends = _ends(rows, most)
        lines = [[model, short(a), short(b), f"{b - a:+.3f}"] for model, (a, b) in ends.items()]
        change = {model: after - before for model, (before, after) in ends.items()}
        simple = _range([change[model] for model in change if systems[model] in _WEIGHS_NOBODY])
        knowing = _range([change[model] for model in change if systems[model] in _KNOWS_SPAM])
        parts += [
            f"### {name}",
            markdown_rows(["model", "no fakes", f"{most} fakes", "change"], lines),
            f"Change of mean, median and majority: {simple}; of the models with a spam component: {knowing}.",
            f"![Fake ratings on {name}](spam-{name}.png)",
        ]
    return parts


def ablation_section(found: Reproduction) -> list[str]:
    """The four variants of the mixture with no and with the most fakes."""
    most = max(found.scope.fakes)
    meaning = (
        "The ordinal mixture without difficulty, with the ordinal or the real-valued link, with or without the spam "
        "component, under the same fakes. The tables give the correlation."
    )
    parts = ["## The link and the spam component", meaning]
    for name in found.studies:
        rows = rows_of(found.ablation, name).to_pylist()
        places = {row["model"]: (row["link"], row["spam"]) for row in rows}
        ends = {places[model]: change for model, change in _ends(rows, most).items()}
        lines = [
            [link, "yes" if spam == "true" else "no", *map(short, change)] for (link, spam), change in ends.items()
        ]
        parts += [
            f"### The ablation on {name}",
            markdown_rows(["link", "spam component", "no fakes", f"{most} fakes"], lines, left=2),
            *([_what_matters(ends, most)] if len(ends) == 4 else []),
            f"![The ablation on {name}](ablation-{name}.png)",
        ]
    return parts


def _ends(rows: Sequence[Mapping[str, Any]], most: int) -> dict[str, Ends]:
    """By model, where both are known."""
    values = over_seeds(rows, "correlation", lambda row: str(row["model"]))
    means = {place: sum(found) / len(found) for place, found in values.items()}
    models = dict.fromkeys(model for model, _ in means)
    return {m: (means[m, 0], means[m, most]) for m in models if (m, 0) in means and (m, most) in means}


def _what_matters(ends: Mapping[tuple[str, str], Ends], most: int) -> str:
    """What each part is worth, in correlation."""
    spam = [ends[link, "true"][1] - ends[link, "false"][1] for link in ("ordinal", "real")]
    link = {spam: [ends["ordinal", spam][at] - ends["real", spam][at] for at in (0, 1)] for spam in ("true", "false")}
    with_spam, without = link["true"], link["false"]
    return (
        f"With {most} fakes the spam component is worth {spam[0]:+.3f} with the ordinal link and {spam[1]:+.3f} with "
        f"the real one. With the spam component the ordinal link is worth {with_spam[0]:+.3f} without fakes and "
        f"{with_spam[1]:+.3f} with {most}; without it {without[0]:+.3f} and {without[1]:+.3f}."
    )


def _range(changes: Sequence[float]) -> str:
    """The least and the greatest."""
    return f"{min(changes):+.3f} to {max(changes):+.3f}" if changes else "not known"
