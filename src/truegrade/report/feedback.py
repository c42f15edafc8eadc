"""Feedback to send out: a page for one annotator, or a table with a row for each."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from truegrade.errors import OptionError
from truegrade.reliability_intervals import kappa_against
from truegrade.report.annotator_charts import confusion
from truegrade.report.material import Material
from truegrade.report.page import page
from truegrade.report.parts import Cell, Column, Figure, Section, Table
from truegrade.report.text import number, share, shown_id, shown_ids

if TYPE_CHECKING:
    import pyarrow as pa

    from truegrade.fit import Fit
    from truegrade.ratings import Ratings

__all__ = ["feedback_page", "feedback_table"]

_EXAMPLES = 20  # ratings furthest from the others' that an annotator is shown


def feedback_table(fit: Fit, ratings: Ratings | None) -> pa.Table:
    """What to tell every annotator, a row each in order of first appearance: numbers, advice and its reason."""
    import pyarrow as pa

    material = _checked(fit, ratings)
    at = fit.annotator_ids.code
    advice, found = material.advice, material.screening
    columns: dict[str, Any] = {
        "annotator": fit.annotator_ids.labels,
        "n_ratings": pa.array(fit.ratings_per_annotator[at]),
        "advice": pa.array([advice[n].action for n in at]),
        "reason": pa.array([advice[n].reason for n in at]),
    }
    for name, array in (
        ("p_spammer", found.spammer),
        ("earnestness", found.earnestness),
        ("bias", found.bias),
        ("correlation", found.correlation),
        ("kappa", kappa_against(material.ratings, fit.posterior.grade(fit.scale))),
    ):
        columns[name] = pa.array(array[at], from_pandas=True)
    return pa.table(columns)


def feedback_page(fit: Fit, ratings: Ratings | None, annotator: str) -> str:
    """A page for one annotator: how its ratings compare, what it says for each grade, and the ratings to look at."""
    material = _checked(fit, ratings)
    code = fit.annotator_ids.code_of(annotator, "annotator")
    name = shown_id(annotator)
    own = np.flatnonzero(material.ratings.annotator == code)
    found, given = material.screening, material.ratings.values()[own]
    kappa = float(kappa_against(material.ratings, fit.posterior.grade(fit.scale))[code])
    words = [
        f"{number(int(own.size))} ratings. {share(float(found.earnestness[code]))} of them fit what the others said.",
        f"On average they are {_above(float(found.bias[code]))} what the others lead to expect.",
        f"Kappa with the estimated grade is {number(kappa)} (1 is perfect, 0 is chance).",
    ]
    says = "How often each grade was given where the truth is estimated to be each grade."
    figure = Figure("confusion", confusion(fit, material.ratings, annotator), says)
    order = np.argsort(-np.abs(given - found.expected[own]), kind="stable")[:_EXAMPLES]
    instance = material.ratings.instance_of()[own][order]
    rows = [
        [Cell.of(what), Cell.of_rating(material.ratings, own[i]), Cell.of(float(found.expected[own[i]]))]
        for what, i in zip(shown_ids(fit.instance_ids, instance), order, strict=True)
    ]
    columns = [Column("instance", is_number=False), Column("rating"), Column("expected by the others")]
    table = Table("furthest", columns, rows, "The ratings furthest from what the others lead to expect.")
    return page(f"Feedback for {name}", [Section("feedback", "Your ratings", words, [figure], [table])])


def _checked(fit: Fit, ratings: Ratings | None) -> Any:
    material = Material(fit, ratings)
    if ratings is None:
        raise OptionError("feedback needs the ratings that the fit was made from; pass --ratings FILE")
    if material.screening is None:
        raise OptionError("feedback needs a scale with at least two grades")
    return material


def _above(bias: float) -> str:
    return f"{abs(bias):.2f} {'above' if bias > 0 else 'below'}"
