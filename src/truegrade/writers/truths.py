"""The truths of a fit, in the forms that labelling tools and crowd-kit take in."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from truegrade.errors import FileError, OptionError
from truegrade.readers.exports import read_export
from truegrade.readers.exports.argilla import ARGILLA
from truegrade.readers.exports.export import Wanted
from truegrade.readers.exports.label_studio import LABEL_STUDIO
from truegrade.readers.jsonvalue import value_text
from truegrade.scale import leading_number, shortest_text
from truegrade.writers.answer_table import DEFAULT_QUESTION, Item
from truegrade.writers.argilla import record
from truegrade.writers.label_studio import kind_of, result
from truegrade.writers.texts import csv_lines, json_list, json_value

if TYPE_CHECKING:
    from truegrade.fit import Fit
    from truegrade.readers.exports.export import Content, Export

__all__ = ["TRUTH_FORMATS", "Truth", "truths_for", "truths_of"]

TRUTH_FORMATS = ("label-studio", "argilla", "crowd-kit")


@dataclass(frozen=True)
class Truth:
    """What a fit says of one instance, as other tools have it."""

    instance: str
    category: str | None
    grade: str  # on a real scale the estimate
    probability: float | None  # of that grade


def truths_of(fit: Fit) -> list[Truth]:
    """One per instance, in order of first appearance."""
    named = "estimate" if fit.scale.is_real else "grade"

    def truth(row: Mapping[str, Any]) -> Truth:
        grade = shortest_text(row[named]) if isinstance(row[named], float) else str(row[named])
        category = row.get("category")
        return Truth(str(row["instance"]), None if category is None else str(category), grade, row.get(f"p_{grade}"))

    return [truth(row) for row in fit.truth_table().to_pylist()]


def truths_for(tool: str, fit: Fit, question: str, original: Content | None) -> Iterator[str]:
    """The truths for a tool; put into the records of its own export if that is given."""
    if tool not in TRUTH_FORMATS:
        raise OptionError(f"--to {tool or '(none)'}: truths are written for {', '.join(TRUTH_FORMATS)}; choose one")
    truths = truths_of(fit)
    agent = f"truegrade {fit.model}"
    if tool == "crowd-kit":
        if original:
            raise OptionError(
                "--with puts truths into an export of Label Studio or Argilla; leave it out for crowd-kit"
            )
        return csv_lines(["task", "agg_label"], ([truth.instance, truth.grade] for truth in truths))
    if original:
        export = LABEL_STUDIO if tool == "label-studio" else ARGILLA
        if not export.finds(original):
            raise FileError(f"{original.where}: does not look like {export.title} (--with); give what {tool} exported")
        question, words = _asked(export, original, question)
        truths = [replace(truth, grade=words.get(truth.grade, truth.grade)) for truth in truths]
    question = question or DEFAULT_QUESTION
    if tool == "label-studio":
        kind = kind_of({truth.grade for truth in truths})
        tasks = _matched(original, truths) if original else ((_task(truth), truth) for truth in truths)
        return json_list(_predicted(task, truth, question, kind, agent) for task, truth in tasks)
    records = _matched(original, truths) if original else ((_record(truth), truth) for truth in truths)
    return json_list(_suggested(found, truth, question, agent) for found, truth in records)


def _asked(export: Export, original: Content, question: str) -> tuple[str, dict[str, str]]:
    """The question of an export, and the choice that each number stands for: "4" for "4 - good"."""
    columns = read_export(export, original, Wanted(question=question))
    choices = columns.rating.chunk(0).dictionary.to_pylist()
    numbers = {choice: leading_number(choice) for choice in choices}
    return columns.names["rating"], {
        shortest_text(float(number)): choice for choice, number in numbers.items() if number is not None
    }


def _matched(original: Content, truths: Iterable[Truth]) -> Iterator[tuple[dict[str, Any], Truth | None]]:
    """Each record of an export and the truth of its id."""
    by_id = {truth.instance: truth for truth in truths}
    if not any(value_text(record.get("id")) in by_id for record in original.records()):
        raise FileError(
            f"{original.where}: none of its ids is in the fit, which has '{next(iter(by_id))}'; "
            "give the export that the ratings came from"
        )
    for found in original.records():
        yield found, by_id.get(value_text(found.get("id")) or "")


def _task(truth: Truth) -> dict[str, Any]:
    data = {"item": truth.instance} | ({} if truth.category is None else {"category": truth.category})
    return {"id": json_value(truth.instance), "data": data}


def _record(truth: Truth) -> dict[str, Any]:
    return record(Item(truth.instance, truth.category, [], {}))


def _predicted(task: dict[str, Any], truth: Truth | None, question: str, kind: str, agent: str) -> dict[str, Any]:
    """The task with one more prediction, scored by the probability of its grade."""
    if truth is None:
        return task
    given = [r for a in task.get("annotations") or () for r in a.get("result") or () if r.get("from_name") == question]
    like = given[0] if given else {}
    answer = result(question, like.get("type", kind), truth.grade)
    answer["to_name"] = like.get("to_name", answer["to_name"])
    prediction: dict[str, Any] = {"model_version": agent, "result": [answer]}
    if truth.probability is not None:
        prediction["score"] = truth.probability
    return {**task, "predictions": [*(task.get("predictions") or ()), prediction]}


def _suggested(found: dict[str, Any], truth: Truth | None, question: str, agent: str) -> dict[str, Any]:
    """The record with a suggestion, scored likewise."""
    if truth is None:
        return found
    suggestion = {"value": json_value(truth.grade), "score": truth.probability, "agent": agent}
    return {**found, "suggestions": {**(found.get("suggestions") or {}), question: suggestion}}
