"""The truths of a fit, in the forms that labelling tools and crowd-kit take in."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from truegrade.writers.answer_table import Item
from truegrade.writers.argilla import record
from truegrade.writers.label_studio import kind_of, result
from truegrade.writers.texts import csv_lines, json_list, json_value

if TYPE_CHECKING:
    from truegrade.fit import Fit

__all__ = ["TRUTH_WRITERS"]


def _predictions(fit: Fit, question: str) -> Iterator[str]:
    """Label Studio: a task per instance with the grade as a prediction, scored by its probability."""
    rows = list(_truths(fit))
    kind = kind_of({text for *_, text, _ in rows})

    def task(instance: str, category: str | None, text: str, probability: float | None) -> dict[str, Any]:
        prediction: dict[str, Any] = {
            "model_version": f"truegrade {fit.model}",
            "result": [result(question, kind, text)],
        }
        prediction |= {} if probability is None else {"score": probability}
        data = {"item": instance} | ({} if category is None else {"category": category})
        return {"id": json_value(instance), "data": data, "predictions": [prediction]}

    yield from json_list(task(*row) for row in rows)


def _suggestions(fit: Fit, question: str) -> Iterator[str]:
    """Argilla: records whose suggestion is the grade, scored by its probability."""

    def suggested(instance: str, category: str | None, text: str, probability: float | None) -> dict[str, Any]:
        suggestion = {"value": json_value(text), "score": probability, "agent": f"truegrade {fit.model}"}
        return record(Item(instance, category, [], {}), suggestions={question: suggestion})

    yield from json_list(suggested(*row) for row in _truths(fit))


def _series(fit: Fit, _question: str) -> Iterator[str]:
    """crowd-kit: task and agg_label, as its series is written."""
    yield from csv_lines(["task", "agg_label"], ([instance, text] for instance, _, text, _ in _truths(fit)))


def _truths(fit: Fit) -> Iterator[tuple[str, str | None, str, float | None]]:
    """Instance, category, grade, and how probable that grade is; on a real scale the estimate."""
    table = fit.truth_table()
    named = "grade" if not fit.scale.is_real else "estimate"
    for row in table.to_pylist():
        text = _grade_text(row[named])
        category = row.get("category")
        probability = row.get(f"p_{text}")
        yield str(row["instance"]), None if category is None else str(category), text, probability


def _grade_text(value: Any) -> str:
    from truegrade.scale import shortest_text

    return shortest_text(value) if isinstance(value, float) else str(value)


TRUTH_WRITERS: Mapping[str, Any] = {
    "label-studio": _predictions,
    "argilla": _suggestions,
    "crowd-kit": _series,
}
