"""Argilla's records: of version 2, flattened or not, and of version 1."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from truegrade.errors import ColumnError
from truegrade.readers.exports.export import Content, Export, Wanted, object_in, objects_in

if TYPE_CHECKING:
    from truegrade.readers.exports.answers import Answers

__all__ = ["ARGILLA", "ARGILLA_1", "ARGILLA_FLAT"]

_SUBMITTED = ("submitted", "ResponseStatus.submitted", "")  # records that are not flattened tell no status
_RESPONSES, _USERS, _STATUS = ".responses", ".responses.users", ".responses.status"


def finds_nested(content: Content) -> bool:
    """Responses of version 2 by question, beside the record's fields."""
    return _all_have(content, dict)


def finds_first(content: Content) -> bool:
    """Version 1: responses of one user each, or a column per question that holds such."""
    return _all_have(content, list) or bool(_question_lists(content))


def finds_flat(content: Content) -> bool:
    """A column of responses per question, and one of users."""
    return any(name.endswith(_RESPONSES) for name in content.names)


def _all_have(content: Content, kind: type) -> bool:
    return bool(content.first) and all(
        "fields" in record and isinstance(record.get("responses"), kind) for record in content.first
    )


def read_nested(content: Content, wanted: Wanted, answers: Answers) -> None:
    """``responses: {question: [{"value", "user_id"}]}``."""
    answers.names |= wanted.names("user_id", "id")
    for record in content.records(answers=answers):
        place = _place(content, record, wanted, answers)
        responses = object_in(record, "responses", content.at(answers))
        for question in responses:
            for response in objects_in(responses, question, content.at(answers)):
                _add(answers, place, question, response)


def read_first(content: Content, wanted: Wanted, answers: Answers) -> None:
    """``responses: [{"user_id", "values": {question: {"value"}}, "status"}]``, or the same per question."""
    answers.names |= wanted.names("user_id", "id")
    lists = _question_lists(content)
    for record in content.records(answers=answers):
        place = _place(content, record, wanted, answers)
        for response in objects_in(record, "responses", content.at(answers)):
            values = object_in(response, "values", content.at(answers))
            if not _submitted(response.get("status")):
                answers.leave_out(_status(response["status"]))
                continue
            for question in values:
                given = object_in(values, question, content.at(answers))
                _add(answers, place, question, {**given, "user_id": response.get("user_id")})
        for question in lists:
            for response in objects_in({question: _as_list(record.get(question))}, question, content.at(answers)):
                _add(answers, place, question, response)


def read_flat(content: Content, wanted: Wanted, answers: Answers) -> None:
    """Three lists side by side: values, users, status."""
    answers.names |= wanted.names("users", "id")
    names = content.names
    questions = [name.removesuffix(_RESPONSES) for name in names if name.endswith(_RESPONSES)]
    for question in questions:
        content.require(
            [question + _USERS], "these Argilla records", "without it nobody knows who answered; export them whole"
        )
    content.own_field(wanted.instance, "instance")
    content.own_field(wanted.category, "category")
    parts = (_RESPONSES, _USERS, _STATUS)
    needed = [f"{question}{part}" for question in questions for part in parts]
    fields = ["id", "external_id", "_server_id", wanted.instance, wanted.category]
    for record in content.records([name for name in (*fields, *needed) if name in names], answers):
        place = _place(content, record, wanted, answers)
        for question in questions:
            values, users, status = (_list(record, question + part, content, answers) for part in parts)
            status = status or [None] * len(values)
            if not len(values) == len(users) == len(status):
                raise ColumnError(
                    f"{content.where}: {content.row} {answers.record}: '{question}' has {len(values)} responses, "
                    f"{len(users)} users and {len(status)} statuses; export the records again"
                )
            for value, user, state in zip(values, users, status, strict=True):
                _add(answers, place, question, {"value": value, "user_id": user, "status": state})


def _list(record: Mapping[str, Any], key: str, content: Content, answers: Answers) -> list[Any]:
    found = record.get(key)
    if found is not None and not isinstance(found, list):
        raise ColumnError(
            f"{content.at(answers)}: '{key}' holds {str(found)[:40]!r} instead of a list; export it again"
        )
    return found or []


def _add(answers: Answers, place: tuple[Any, Any], question: str, response: Mapping[str, Any]) -> None:
    if not _submitted(response.get("status")):
        answers.leave_out(_status(response["status"]))
    else:
        instance, category = place
        answers.add(instance, response.get("user_id"), response.get("value"), question, category)


def _submitted(status: Any) -> bool:
    return status is None or status in _SUBMITTED


def _status(status: Any) -> str:
    return str(status).rpartition(".")[2]


def _place(content: Content, record: Mapping[str, Any], wanted: Wanted, answers: Answers) -> tuple[Any, Any]:
    """The instance and the category of a record."""
    fields = dict(_fields(record))
    own = [wanted.instance] if wanted.instance else ["id", "external_id", "_server_id"]
    instance = next((fields[name] for name in own if fields.get(name) is not None), None)
    if instance is None:
        raise ColumnError(
            f"{content.where}: record {answers.record} has no '{own[0]}'; pass --instance KEY with a field or a "
            "metadata property that tells the records apart"
        )
    return instance, fields.get(wanted.category) if wanted.category else None


def _fields(record: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    """All that a record says about itself: its fields and metadata, then its own keys."""
    for part in ("fields", "metadata"):
        if isinstance(record.get(part), dict):
            yield from record[part].items()
    yield from record.items()


def _question_lists(content: Content) -> list[str]:
    """The columns that hold responses with user and value: how version 1 gave records to Hugging Face."""
    if content.file:
        return [name for name, kind in content.file.nested.items() if "user_id" in kind and "value" in kind]
    found = {
        key: None
        for record in content.first
        for key, value in record.items()
        if isinstance(value, list)
        and value
        and all(isinstance(r, dict) and {"user_id", "value"} <= set(r) for r in value)
    }
    return list(found)


def _as_list(responses: Any) -> Any:
    """A list of responses, also where a data set holds an object of lists."""
    if not isinstance(responses, dict) or not all(isinstance(part, list) for part in responses.values()):
        return responses
    return [dict(zip(responses, parts, strict=True)) for parts in zip(*responses.values(), strict=False)]


ARGILLA = Export("argilla", "Argilla 2 JSON", finds_nested, read_nested)
ARGILLA_FLAT = Export("argilla-flat", "flattened Argilla 2 records", finds_flat, read_flat)
ARGILLA_1 = Export("argilla-1", "Argilla 1 records", finds_first, read_first)
