"""Label Studio's JSON: a list of tasks, each with its annotations."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from truegrade.errors import ColumnError
from truegrade.readers.exports.export import Content, Export, Wanted, objects_in

if TYPE_CHECKING:
    from truegrade.readers.exports.answers import Answers

__all__ = ["LABEL_STUDIO", "control_value"]

_LISTS = ("annotations", "completions")  # the second in exports before 1.0
_ANSWERS = ("rating", "choices", "number")  # what a control that grades writes into its value


def finds(content: Content) -> bool:
    """Tasks hold data, and annotations or at least a place for them."""
    return bool(content.first) and all(
        isinstance(task.get("data"), dict) and any(key in task for key in (*_LISTS, "predictions", "total_annotations"))
        for task in content.first
    )


def read(content: Content, wanted: Wanted, answers: Answers) -> None:
    """Each annotation's results are answers to their controls; ground truth is gold, and no rating."""
    answers.names |= wanted.names("completed_by", "id")
    other: dict[str, str] = {}  # controls that grade nothing -> their type
    listed = False
    for task in content.records(answers=answers):
        data = task.get("data")
        fields = {**task, **(data if isinstance(data, dict) else {})}
        instance = fields.get(wanted.instance) if wanted.instance else task.get("id")
        if instance is None:
            raise ColumnError(
                f"{content.where}: task {answers.record} has no '{wanted.instance or 'id'}'; "
                "pass --instance KEY with a key that the data of every task has"
            )
        category = fields.get(wanted.category) if wanted.category else None
        listed = listed or any(key in task for key in _LISTS)
        at = content.at(answers)
        for annotation in (a for key in _LISTS for a in objects_in(task, key, at)):
            _read_annotation(annotation, (instance, category), answers, other, at)
        for _ in objects_in(task, "drafts", at):
            answers.leave_out("draft")
    if not answers.questions:
        _refuse(content.where, other, listed=listed)


def _read_annotation(
    annotation: Mapping[str, Any], place: tuple[Any, Any], answers: Answers, other: dict[str, str], at: str
) -> None:
    if annotation.get("was_cancelled") or annotation.get("skipped"):
        answers.leave_out("cancelled")
        return
    results = objects_in(annotation, "result", at)
    if not results:
        answers.leave_out("empty")
    instance, category = place
    for result in results:
        question = str(result.get("from_name", ""))
        kind = _answer_key(result)
        if kind is None:
            other[question] = str(result.get("type", "no type"))
            continue
        of = _part(instance, result, kind)
        if annotation.get("ground_truth"):
            answers.add_gold(of, result["value"][kind], question)
        else:
            answers.add(of, _annotator(annotation), result["value"][kind], question, category)


def control_value(cell: Mapping[str, Any]) -> Any:
    """The answer in the value of a control that grades; None if it is another control."""
    return next((cell[key] for key in _ANSWERS if key in cell), None)


def _answer_key(result: Mapping[str, Any]) -> str | None:
    value = result.get("value")
    return next((key for key in _ANSWERS if key in value), None) if isinstance(value, dict) else None


def _part(instance: Any, result: Mapping[str, Any], kind: str) -> Any:
    """The task; or a region of it, or one of its items, if the control is told to grade these."""
    if "item_index" in result:
        return f"{instance}/{result['item_index']}"
    return instance if set(result["value"]) == {kind} else f"{instance}/{result.get('id')}"


def _annotator(annotation: Mapping[str, Any]) -> Any:
    """The user's number, or the address where the export tells it."""
    by = annotation.get("completed_by")
    if isinstance(by, dict):
        return by.get("email") or by.get("username") or by.get("id")
    return by


def _refuse(where: str, other: Mapping[str, str], *, listed: bool) -> None:
    if other:
        told = ", ".join(f"{name} ({kind})" for name, kind in other.items())
        raise ColumnError(
            f"{where}: no control of these tasks grades: {told}; Rating, Choices and Number do, export tasks with one"
        )
    if not listed:
        raise ColumnError(
            f"{where}: these Label Studio tasks have neither 'annotations' nor 'completions'; "
            "export the project after annotation, as JSON"
        )


LABEL_STUDIO = Export("label-studio", "Label Studio JSON", finds, read)
