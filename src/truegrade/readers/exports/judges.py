"""Records of LLM judges, or of anything else: {item, judge, score} under any keys, flat or nested."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from truegrade.errors import ColumnError
from truegrade.readers.exports.export import Content, Export, Wanted
from truegrade.readers.jsonstream import JsonShape
from truegrade.roles import ALIASES

if TYPE_CHECKING:
    from truegrade.readers.exports.answers import Answers

__all__ = ["JUDGES", "judge_keys"]

# Beside the usual names of the roles, which come first.
_ALSO = {
    "annotator": ("model", "evaluator", "grader", "reviewer", "assessor", "judge_model", "annotated_by"),
    "instance": ("example", "sample", "prompt", "document", "record", "response", "key", "idx", "index", "uid", "uuid"),
    "rating": ("verdict", "judgment", "judgement", "scores", "ratings", "grades", "labels", "evaluation"),
    "category": (),
}
_ENDINGS = ("_id", "_name", "_uid")
_WITHIN = ("score", "rating", "grade", "value", "label", "verdict")  # of an object that explains its grade
_WHO = ("name", "model", "id", "email")  # of an object that describes a judge


def finds(content: Content) -> bool:
    """Any records: JSON lines are taken as such only if the usual names do not do (see ``choose``)."""
    return content.shape in {JsonShape.ARRAY, JsonShape.LINES} and bool(content.first)


def read(content: Content, wanted: Wanted, answers: Answers) -> None:
    """One answer per record, or one per key of an object of scores: each of these is a question."""
    keys = _chosen(content, wanted)
    answers.names |= {role: key for role, key in keys.items() if key}
    for whole in content.records(answers=answers):
        for record in _parts(whole):
            values = {role: _at(record, key) for role, key in keys.items() if key}
            who = values["annotator"]
            if isinstance(who, dict):
                who = next((who[key] for key in _WHO if who.get(key) is not None), None)
            for question, grade in _grades(values["rating"]):
                answers.add(values["instance"], who, grade, question, values.get("category"))


def judge_keys(records: Sequence[Mapping[str, Any]], wanted: Wanted) -> dict[str, str]:
    """Role -> key; empty where several keys, or none, could fill it."""
    names = list(dict.fromkeys(key for whole in records for record in _parts(whole) for key in record))
    keys = {role: getattr(wanted, role) for role in _ALSO}
    for role in _ALSO:
        if not keys[role]:
            found = _candidates(role, [name for name in names if name not in keys.values()])
            keys[role] = found[0] if len(found) == 1 else ""
    if not keys["category"]:
        keys.pop("category")
    return keys


def _chosen(content: Content, wanted: Wanted) -> dict[str, str]:
    """The key of each role; what is missing or ambiguous is an error."""
    names = list(dict.fromkeys(key for whole in content.first for record in _parts(whole) for key in record))
    keys = judge_keys(content.first, wanted)
    listed = ", ".join(f"'{name}'" for name in names[:12]) or "no keys"
    weights = [name for name in names if name.strip().lower() in ALIASES["weight"] and name not in keys.values()]
    if weights:
        raise ColumnError(
            f"{content.where}: the key '{weights[0]}' cannot weigh ratings here; write flat JSON lines with the keys "
            "annotator, instance and rating, or rename it"
        )
    for role, key in keys.items():
        if key and all(_at(record, key) is None for whole in content.first for record in _parts(whole)):
            raise ColumnError(f"{content.where}: no key '{key}' (--{role}); the records have {listed}")
        if not key:
            found = _candidates(role, [name for name in names if name not in keys.values()])
            told = f"keys {', '.join(map(repr, found))} could each be" if found else "no key for"
            raise ColumnError(
                f"{content.where}: {told} the {role}; the records have {listed}; pass --{role} KEY (a.b for b inside a)"
            )
    return keys


def _candidates(role: str, names: Sequence[str]) -> list[str]:
    """The keys that could fill a role, by the surest names of which there is any."""
    usual = ALIASES[role]
    for known in (usual, _ended(usual), (*_ALSO[role], *_ended(_ALSO[role]))):
        found = [name for name in names if name.strip().lower().replace("-", "_").replace(" ", "_") in known]
        if found:
            return found
    return []


def _ended(names: Sequence[str]) -> tuple[str, ...]:
    return tuple(name + ending for name in names for ending in _ENDINGS)


def _parts(record: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    """The record; or, where it holds one list of objects, each of these with what the record says beside it."""
    lists = [key for key, value in record.items() if isinstance(value, list) and value and isinstance(value[0], dict)]
    if len(lists) != 1:
        yield record
        return
    around = {key: value for key, value in record.items() if key != lists[0]}
    for inner in record[lists[0]]:
        yield {**around, **inner} if isinstance(inner, dict) else around


def _at(record: Mapping[str, Any], path: str) -> Any:
    """The value of a key, or of a path of keys with dots between them."""
    if path in record:
        return record[path]
    value: Any = record
    for key in path.split("."):
        value = value.get(key) if isinstance(value, dict) else None
    return value


def _grades(value: Any) -> Iterator[tuple[str, Any]]:
    """The questions and their grades."""
    if not isinstance(value, dict):
        yield "", value
        return
    within = next((key for key in _WITHIN if key in value), None)
    if within is not None:
        yield "", value[within]
        return
    for question, grade in value.items():
        inner = next((grade[key] for key in _WITHIN if key in grade), None) if isinstance(grade, dict) else grade
        yield question, inner


JUDGES = Export(
    "judges", "records of judges", finds, read, fields=frozenset({"annotator", "instance", "rating", "category"})
)
