"""Formats with an object or a row per answer: Prodigy, judges, crowd-kit, rater; and peerannot's one object."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from truegrade.writers.answer_table import DEFAULT_QUESTION
from truegrade.writers.texts import csv_lines, json_line, json_value
from truegrade.writers.writer import Writer, require_no_repeats, whole_number

if TYPE_CHECKING:
    from truegrade.writers.answer_table import AnswerTable

__all__ = ["CROWD_KIT", "JUDGES", "PEERANNOT", "PRODIGY", "RATER"]


def prodigy(table: AnswerTable) -> Iterator[str]:
    """Accepted options of choices, as db-out writes them."""
    for instance, category, answer in table.rows():
        record = {"text": instance, "_input_hash": json_value(instance), "accept": [json_value(answer.rating)]}
        record |= {} if category is None else {"category": category}
        yield json_line({**record, "answer": "accept", "_view_id": "choice", "_annotator_id": answer.annotator})


def judges(table: AnswerTable) -> Iterator[str]:
    """item, judge and score; where questions have names, an object of scores."""
    named = list(table.questions) != [DEFAULT_QUESTION]
    for instance, category, answer in table.rows():
        record: dict[str, Any] = {"item": instance, "judge": answer.annotator}
        value = json_value(answer.rating)
        record |= {"scores": {answer.question: value}} if named else {"score": value}
        yield json_line(record | ({} if category is None else {"category": category}))


def peerannot(table: AnswerTable) -> Iterator[str]:
    """{task: {worker: label}}."""
    require_no_repeats(table, PEERANNOT.title)
    before = "{"
    for item in table.items():
        given = {answer.annotator: whole_number(table, answer.rating, PEERANNOT.title) for answer in item.answers}
        if given:
            yield f"{before}{json.dumps(item.instance, ensure_ascii=False)}: {json.dumps(given, ensure_ascii=False)}"
            before = ",\n"
    yield "}\n"


def crowd_kit(table: AnswerTable) -> Iterator[str]:
    """task, worker, label; known truths as true_label."""
    gold = {instance: value for (instance, _), value in table.gold.items()}
    header = ["task", "worker", "label"] + ["true_label"] * bool(gold)
    rows = (
        [instance, answer.annotator, answer.rating, *([gold.get(instance)] if gold else [])]
        for instance, _, answer in table.rows()
    )
    yield from csv_lines(header, rows)


def rater(table: AnswerTable) -> Iterator[str]:
    """item, rater, rating."""
    rows = ([instance, answer.annotator, answer.rating] for instance, _, answer in table.rows())
    yield from csv_lines(["item", "rater", "rating"], rows)


PRODIGY = Writer("prodigy", "Prodigy JSON lines", prodigy, category=True)
JUDGES = Writer("judges", "JSON lines of judges", judges, questions=True, category=True)
PEERANNOT = Writer("peerannot", "peerannot's answers.json", peerannot)
CROWD_KIT = Writer("crowd-kit", "crowd-kit's table", crowd_kit, gold=True)
RATER = Writer("rater", "rater's long data", rater)
