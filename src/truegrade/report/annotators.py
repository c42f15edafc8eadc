"""The sections on annotators and on single ratings: who to keep, who to drop, and which ratings look wrong."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

import numpy as np

from truegrade.fit import ANNOTATOR_COLUMNS
from truegrade.reliability_intervals import icc_interval, kappa_against
from truegrade.report.annotator_charts import annotator_map, bias_stretch, learning
from truegrade.report.parts import Cell, Column, Figure, Section, Table
from truegrade.report.text import decimals, number, shown_ids

if TYPE_CHECKING:
    from truegrade.report.material import Material

__all__ = ["annotators", "suspicious"]

_MANY = 1000  # rows of the table of annotators
_DOUBTED = 100  # suspicious ratings that are listed, at most
_URGENCY = {"drop": 0, "retrain": 1, "review": 2, "keep": 3}


def annotators(material: Material) -> Section:
    """The map of annotators, what each says, how they use the scale, and advice about each."""
    fit, ratings, advice = material.fit, material.ratings, material.advice
    actions = None if advice is None else [a.action for a in advice]
    says = "Each dot is an annotator, larger with more ratings. Pick one to see what it says for each estimated grade."
    figures = [Figure("annotator-map", annotator_map(fit, ratings, actions=actions), says)]
    if "bias" in fit.annotator_columns and "stretch" in fit.annotator_columns:
        says = "Right of 0 rates too high; above 1 uses more of the scale than the others."
        figures.append(Figure("bias-stretch", bias_stretch(fit), says))
    if ratings is not None and ratings.timestamp is not None and ratings.ratings_per_annotator().max() >= 20:
        says = "Falling: annotators learn. Rising: they tire."
        figures.append(Figure("learning", learning(fit, ratings), says))
    words = []
    if actions is not None and ratings is not None:
        counts: Counter[str] = Counter(actions)
        told = ", ".join(f"{action} {number(counts[action])}" for action in _URGENCY if counts[action])
        words.append(
            f"Advice: {told}. It rests on a check of each annotator against the others' ratings, whatever the model; "
            "nobody is dropped for fewer than 11 ratings."
        )
        found = icc_interval(ratings) if ratings.scale.n_grades > 1 else None
        if found is not None:
            words.append(
                f"A single rating's reliability (intraclass correlation) is {found.estimate:.2f} "
                f"(95 % interval {found.lower:.2f} to {found.upper:.2f})."
            )
    else:
        words.append("Advice about annotators needs the ratings: pass them with --ratings FILE.")
    return Section("annotators", "Annotators", words, figures, [_ranked(material)])


def _ranked(material: Material) -> Table:
    """The annotators that need something done first, the busiest first among equals."""
    fit, advice = material.fit, material.advice
    order = np.argsort(-fit.ratings_per_annotator, kind="stable")
    columns = [Column("annotator", is_number=False), Column("ratings")]
    if advice is not None:
        urgency = np.array([_URGENCY[a.action] for a in advice])
        order = order[np.argsort(urgency[order], kind="stable")]
        columns += [Column("advice", is_number=False), Column("reason", is_number=False)]
    known = {name: fit.annotator_columns[name] for name in ANNOTATOR_COLUMNS if name in fit.annotator_columns}
    if material.ratings is not None and material.screening is not None:
        known["kappa"] = kappa_against(material.ratings, fit.posterior.grade(fit.scale))
        known["P(spammer)"] = material.screening.spammer
    known = {name: array for name, array in known.items() if np.isfinite(array).any()}
    columns += [Column(name) for name in known]
    digits = {name: decimals(array) if name == "expertise" else 2 for name, array in known.items()}
    shown = order[:_MANY]
    rows = []
    for who, code in zip(shown_ids(fit.annotator_ids, shown), shown, strict=True):
        cells = [Cell.of(who), Cell.of(fit.ratings_per_annotator[code].item(), 1)]
        if advice is not None:
            cells += [Cell.of(advice[code].action), Cell.of(advice[code].reason)]
        rows.append([*cells, *(Cell.of(float(known[name][code]), digits[name]) for name in known)])
    note = "kappa: agreement with the estimated grade, weighted by squared distance." if "kappa" in known else ""
    if order.size > _MANY:
        note = f"The first {number(_MANY)} of {number(order.size)} annotators. {note}"
    return Table("annotators-table", columns, rows, note, searchable=True)


def suspicious(material: Material) -> Section | None:
    """The single ratings most likely spam or mistakes."""
    ratings, found = material.ratings, material.screening
    if ratings is None or found is None:
        return None
    wanted = min(_DOUBTED, max(ratings.n_ratings // 100, 10), ratings.n_ratings)
    first = np.argpartition(-found.suspicion, wanted - 1)[:wanted]
    order = first[np.lexsort((ratings.row[first], -found.suspicion[first]))]
    names = zip(
        shown_ids(ratings.instances, ratings.instance_of()[order]),
        shown_ids(ratings.annotators, ratings.annotator[order]),
        order,
        strict=True,
    )
    rows = [
        [
            Cell.of(what),
            Cell.of(who),
            Cell.of_rating(ratings, at),
            Cell.of(float(found.expected[at])),
            Cell.of(float(found.suspicion[at])),
        ]
        for what, who, at in names
    ]
    columns = [
        Column("instance", is_number=False),
        Column("annotator", is_number=False),
        Column("rating"),
        Column("expected by the others"),
        Column("P(spam or mistake)"),
    ]
    words = ["The ratings that fit worst with what the others said of the same instance and with their annotator."]
    table = Table("suspicious-ratings", columns, rows, f"The first {wanted}.", searchable=True)
    return Section("suspicious", "Suspicious ratings", words, tables=[table])
