"""Toloka's TSV of assignments: a row per task and performer."""

from __future__ import annotations

from typing import TYPE_CHECKING

from truegrade.errors import ColumnError
from truegrade.readers.exports.export import Content, Export, Wanted

if TYPE_CHECKING:
    from truegrade.readers.exports.answers import Answers

__all__ = ["TOLOKA"]

_WORKER, _TASK, _STATUS = "ASSIGNMENT:worker_id", "ASSIGNMENT:task_id", "ASSIGNMENT:status"
_VERDICT = "ACCEPT:verdict"
_OUTPUT, _GOLDEN = "OUTPUT:", "GOLDEN:"
_COUNTS = {"", "APPROVED", "ACCEPTED", "SUBMITTED"}


def finds(content: Content) -> bool:
    """The headers of assignments."""
    return _WORKER in content.names and any(name.startswith((_OUTPUT, "INPUT:")) for name in content.names)


def read(content: Content, wanted: Wanted, answers: Answers) -> None:
    """Each output field is a question; a golden field that is filled is the truth of its task."""
    names = content.names
    questions = [name.removeprefix(_OUTPUT) for name in names if name.startswith(_OUTPUT)]
    instance = wanted.instance or _TASK
    if not questions:
        raise ColumnError(
            f"{content.where}: this Toloka file has no column 'OUTPUT:...'; download the results of the pool"
        )
    content.require([_WORKER], "this Toloka file", "download the assignments with all columns")
    content.require([instance], "this Toloka file", "pass --instance COLUMN, such as INPUT:image")
    content.own_field(wanted.category, "category")
    answers.names |= wanted.names(_WORKER, instance)
    fields = [_WORKER, instance, _STATUS, _VERDICT, wanted.category]
    fields += [prefix + question for question in questions for prefix in (_OUTPUT, _GOLDEN)]
    for row in content.records([name for name in dict.fromkeys(fields) if name in names], answers):
        if not any((text or "").strip() for text in row.values()):
            continue  # a row of tabs between two pages of tasks
        status = (row.get(_STATUS) or "").strip().upper()
        for question in questions:
            golden = (row.get(_GOLDEN + question) or "").strip()
            if golden:
                answers.add_gold(row[instance], golden, question)
            if status not in _COUNTS:
                answers.leave_out(status.lower())
            elif (row.get(_VERDICT) or "").strip() == "-":
                answers.leave_out("rejected")
            else:
                value, category = row[_OUTPUT + question], row.get(wanted.category)
                answers.add(row[instance], row[_WORKER], value, question, category)


TOLOKA = Export("toloka", "Toloka assignments", finds, read)
