"""Files with a row per assignment: Toloka's and Mechanical Turk's."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from truegrade.writers.label_studio import by_annotation
from truegrade.writers.texts import csv_lines
from truegrade.writers.writer import Writer

if TYPE_CHECKING:
    from truegrade.writers.answer_table import AnswerTable, Item

__all__ = ["MTURK", "TOLOKA"]


def toloka(table: AnswerTable) -> Iterator[str]:
    """INPUT, OUTPUT and GOLDEN fields, and the assignment."""
    questions = table.questions
    inputs = ["INPUT:item", "INPUT:category"] if table.category else ["INPUT:item"]
    header = [*inputs, *(f"OUTPUT:{q}" for q in questions), *(f"GOLDEN:{q}" for q in questions)]
    header += [f"ASSIGNMENT:{name}" for name in ("assignment_id", "task_id", "worker_id", "status")]

    def rows() -> Iterator[list[str | None]]:
        for number, (item, annotator, given) in enumerate(_assignments(table), 1):
            inputs = [item.instance, item.category] if table.category else [item.instance]
            yield [
                *inputs,
                *(given.get(q) for q in questions),
                *(item.gold.get(q) for q in questions),
                *(f"a{number}", item.instance, annotator, "APPROVED"),
            ]

    yield from csv_lines(header, rows(), delimiter="\t")


def mturk(table: AnswerTable) -> Iterator[str]:
    """The columns of a batch that say who answered what."""
    header = ["HITId", "AssignmentId", "WorkerId", "AssignmentStatus", "Input.item"]
    header += ["Input.category"] * (table.category is not None)
    header += [f"Answer.{question}" for question in table.questions]

    def rows() -> Iterator[list[str | None]]:
        for number, (item, annotator, given) in enumerate(_assignments(table), 1):
            start = [item.instance, f"A{number}", annotator, "Approved", item.instance]
            yield [*start, *([item.category] if table.category else []), *(given.get(q) for q in table.questions)]

    yield from csv_lines(header, rows())


def _assignments(table: AnswerTable) -> Iterator[tuple[Item, str, dict[str, str]]]:
    for item in table.items():
        for annotator, given in by_annotation(item.answers):
            yield item, annotator, given


TOLOKA = Writer("toloka", "Toloka assignments", toloka, questions=True, gold=True, category=True)
MTURK = Writer("mturk", "an MTurk batch", mturk, questions=True, category=True)
