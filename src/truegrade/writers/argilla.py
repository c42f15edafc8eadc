"""Argilla's records: of version 2, flattened or not, and of version 1."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from truegrade.writers.label_studio import by_annotation
from truegrade.writers.texts import json_list, json_value
from truegrade.writers.writer import Writer

if TYPE_CHECKING:
    from truegrade.writers.answer_table import AnswerTable, Item

__all__ = ["ARGILLA", "ARGILLA_1", "ARGILLA_FLAT", "record"]


def record(item: Item, **parts: Any) -> dict[str, Any]:
    """A record of version 2 with these parts."""
    whole = {"id": item.instance, "fields": {"item": item.instance}, "metadata": _metadata(item), "suggestions": {}}
    return {**whole, "responses": {}, "vectors": {}, "status": "pending", **parts}


def _metadata(item: Item) -> dict[str, str]:
    return {} if item.category is None else {"category": item.category}


def nested(table: AnswerTable) -> Iterator[str]:
    """As to_json writes them."""
    yield from json_list(record(item, responses=_responses(item)) for item in table.items())


def _responses(item: Item) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for answer in item.answers:
        response = {"value": json_value(answer.rating), "user_id": answer.annotator}
        found.setdefault(answer.question, []).append(response)
    return found


def flat(table: AnswerTable) -> Iterator[str]:
    """As to_list(flatten=True) gives them."""
    yield from json_list(_flat(item, table) for item in table.items())


def _flat(item: Item, table: AnswerTable) -> dict[str, Any]:
    whole: dict[str, Any] = {"id": item.instance, "status": "completed", "item": item.instance, **_metadata(item)}
    for question in table.questions:
        given = [answer for answer in item.answers if answer.question == question]
        whole[f"{question}.responses"] = [json_value(answer.rating) for answer in given]
        whole[f"{question}.responses.users"] = [answer.annotator for answer in given]
        whole[f"{question}.responses.status"] = ["submitted"] * len(given)
    return whole


def first(table: AnswerTable) -> Iterator[str]:
    """The records of version 1."""
    yield from json_list(
        {
            "fields": {"item": item.instance},
            "external_id": item.instance,
            "metadata": _metadata(item),
            "responses": [
                {
                    "user_id": annotator,
                    "values": {question: {"value": json_value(text)} for question, text in given.items()},
                    "status": "submitted",
                }
                for annotator, given in by_annotation(item.answers)
            ],
        }
        for item in table.items()
    )


ARGILLA = Writer("argilla", "Argilla 2 JSON", nested, questions=True, category=True)
ARGILLA_FLAT = Writer("argilla-flat", "flattened Argilla 2 records", flat, questions=True, category=True)
ARGILLA_1 = Writer("argilla-1", "Argilla 1 records", first, questions=True, category=True)
