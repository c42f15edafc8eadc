"""Mechanical Turk's batch results: a row per assignment, a column per field of the form."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from truegrade.errors import ColumnError
from truegrade.readers.exports.export import Content, Export, Wanted

if TYPE_CHECKING:
    from collections.abc import Iterator

    from truegrade.readers.exports.answers import Answers

__all__ = ["MTURK"]

_OWN = ("HITId", "WorkerId", "AssignmentStatus")
_PREFIX = "Answer."
_CROWD = "taskAnswers"  # what forms of crowd elements fill: JSON, all fields of the form in one cell
_TRUE, _FALSE = {"true", "on"}, {"false", "off", ""}


def finds(content: Content) -> bool:
    """The headers that every batch has."""
    return {"HITId", "WorkerId"} <= set(content.names) and any(
        name in content.names or name.startswith(_PREFIX) for name in ("AssignmentId", "AssignmentStatus")
    )


def read(content: Content, wanted: Wanted, answers: Answers) -> None:
    """Each answer field is a question; radio buttons that came as a column per choice are put together."""
    instance = wanted.instance or "HITId"
    columns = [name for name in content.names if name.startswith(_PREFIX)]
    content.require(_OWN, "this MTurk file", "download the results of the batch with all columns")
    if not columns:
        raise ColumnError(
            f"{content.where}: this MTurk file has no column 'Answer....'; download the batch's results, not its input"
        )
    content.own_field(instance, "instance")
    content.own_field(wanted.category, "category")
    answers.names |= wanted.names("WorkerId", instance)
    choices = _choices(content, columns)
    fields = [*_OWN, instance, wanted.category, "Reject", *columns]
    for row in content.records([name for name in dict.fromkeys(fields) if name in content.names], answers):
        rejected = row["AssignmentStatus"] == "Rejected" or (row.get("Reject") or "").strip()
        for question, value in _answers(row, columns, choices):
            if rejected:
                answers.leave_out("rejected")
            else:
                answers.add(row[instance], row["WorkerId"], value, question, row.get(wanted.category))


def _choices(content: Content, columns: Sequence[str]) -> dict[str, list[str]]:
    """Question -> its columns, for questions of which every choice has a column of true and false."""
    groups: dict[str, list[str]] = {}
    for column in columns:
        stem, dot, _ = column.removeprefix(_PREFIX).rpartition(".")
        if dot:
            groups.setdefault(stem, []).append(column)
    several = {stem: group for stem, group in groups.items() if len(group) > 1}
    wanted = [column for group in several.values() for column in group]
    plain: set[str] = set()  # columns that hold something else
    for row in content.records(wanted) if wanted else ():
        plain |= {column for column in wanted if (row[column] or "").strip().lower() not in _TRUE | _FALSE}
    return {stem: group for stem, group in several.items() if not plain & set(group)}


def _answers(
    row: Mapping[str, Any], columns: Sequence[str], choices: Mapping[str, Sequence[str]]
) -> Iterator[tuple[str, Any]]:
    """The questions of an assignment, and what was answered."""
    one_hot = {column for group in choices.values() for column in group}
    for column in columns:
        if column in one_hot:
            continue
        name, cell = column.removeprefix(_PREFIX), row[column]
        if name == _CROWD:
            yield from _crowd_answers(cell)
        else:
            yield name, cell
    for question, group in choices.items():
        chosen = [c.rpartition(".")[2] for c in group if (row[c] or "").strip().lower() in _TRUE]
        yield question, chosen


def _crowd_answers(cell: str | None) -> Iterator[tuple[str, Any]]:
    """``[{"rating": {"1": false, "2": true}}]``, or the value itself, or its label."""
    try:
        parsed = json.loads(cell or "[]")
    except (ValueError, RecursionError):
        yield _CROWD, cell
        return
    for record in parsed if isinstance(parsed, list) else [parsed]:
        for question, value in record.items() if isinstance(record, dict) else ():
            if not isinstance(value, dict):
                yield question, value
            elif set(value) == {"label"}:
                yield question, value["label"]
            else:
                yield question, [choice for choice, chosen in value.items() if chosen is True]


MTURK = Export("mturk", "an MTurk batch", finds, read)
