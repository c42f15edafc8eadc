"""Label Studio's JSON-MIN and CSV: a flat row per annotation."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from truegrade.errors import ColumnError
from truegrade.readers.exports.export import Content, Export, Wanted
from truegrade.readers.exports.label_studio import control_value
from truegrade.roles import ALIASES

if TYPE_CHECKING:
    from truegrade.readers.exports.answers import Answers

__all__ = ["LABEL_STUDIO_FLAT"]

_OWN = ("annotator", "annotation_id", "lead_time")  # stand in every row
_ALSO = ("id", "created_at", "updated_at", "agreement")


def finds(content: Content) -> bool:
    """The columns of an annotation are there."""
    return set(_OWN) <= set(content.names)


def read(content: Content, wanted: Wanted, answers: Answers) -> None:
    """A control of type Rating or Number keeps its list, [{"rating": 4}]; one choice stands there as plain text.

    Plain text may be data as well, so a question of that kind is found only if it is named, or named as ratings are.
    """
    instance = wanted.instance or "id"
    content.own_field(instance, "instance")
    content.own_field(wanted.category, "category")
    answers.names |= wanted.names("annotator", instance)
    questions: list[str] = []
    for row in content.records(answers=answers):
        for name in _controls(content, wanted, row, questions):
            value = _several(row.get(name))
            listed = _listed(value)
            if listed is None:
                answers.add(row.get(instance), row.get("annotator"), value, name, row.get(wanted.category))
                continue
            for part in listed:
                if len(part) > 1:  # beside the grade stands where the region lies, but nothing that names it
                    answers.leave_out("of a region")
                    continue
                answers.add(
                    row.get(instance), row.get("annotator"), control_value(part), name, row.get(wanted.category)
                )
    if not questions:
        others = [name for name in content.names if name not in (*_OWN, *_ALSO)]
        raise ColumnError(
            f'{content.where}: no column holds ratings as Label Studio writes them, [{{"rating": 4}}]; if one of '
            f"{', '.join(others) or 'none'} holds choices, pass --question with its name"
        )


def _controls(content: Content, wanted: Wanted, row: Mapping[str, Any], known: list[str]) -> list[str]:
    """The questions met so far; those of this row are added."""
    if not known and wanted.question and wanted.question in content.names:
        known.append(wanted.question)
    for name, value in row.items():
        if name not in known and _listed(value) is not None:
            known.append(name)
    if not known:
        plain = [name for name in content.names if name.strip().lower() in ALIASES["rating"]]
        known += plain if len(plain) == 1 else []
    return known


def _several(value: Any) -> Any:
    """The choices as a list where there are several, which stand there as {"choices": [...]}; else the value."""
    if isinstance(value, str) and value.startswith('{"choices"'):
        try:
            value = json.loads(value)
        except (ValueError, RecursionError):
            return value
    return value["choices"] if isinstance(value, dict) and isinstance(value.get("choices"), list) else value


def _listed(value: Any) -> list[dict[str, Any]] | None:
    """The list that a control writes, from JSON or from the text of a cell; None if it is something else."""
    if isinstance(value, str):
        if not value.startswith('[{"'):
            return None
        try:
            value = json.loads(value)
        except (ValueError, RecursionError):
            return None
    if not isinstance(value, list) or not value or not all(isinstance(part, dict) for part in value):
        return None
    return value if any(control_value(part) is not None for part in value) else None


LABEL_STUDIO_FLAT = Export("label-studio-min", "Label Studio JSON-MIN or CSV", finds, read)
