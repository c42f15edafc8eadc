"""Label Studio's JSON and JSON-MIN."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from truegrade.writers.texts import csv_lines, json_line, json_list, json_value
from truegrade.writers.writer import Writer

if TYPE_CHECKING:
    from truegrade.writers.answer_table import Answer, AnswerTable, Item

__all__ = [
    "LABEL_STUDIO",
    "LABEL_STUDIO_CSV",
    "LABEL_STUDIO_MIN",
    "by_annotation",
    "kind_of",
    "result",
]

_FIELD = "item"  # of the data, and what the controls refer to


def tasks(table: AnswerTable) -> Iterator[str]:
    """A task per instance; truths are annotations with ground_truth."""
    kinds = control_kinds(table)
    yield from json_list(_task(item, kinds) for item in table.items())


def control_kinds(table: AnswerTable) -> dict[str, str]:
    """Question -> rating for whole numbers from 0, number for other numbers, else choices."""
    texts: dict[str, set[str]] = {question: set() for question in table.questions}
    for _, _, answer in table.rows():
        texts[answer.question].add(answer.rating)
    for (_, question), value in table.gold.items():
        texts[question].add(value)
    return {question: kind_of(found) for question, found in texts.items()}


def result(question: str, kind: str, text: str) -> dict[str, Any]:
    """One answer, as Label Studio keeps it."""
    value = [text] if kind == "choices" else json_value(text)
    return {"from_name": question, "to_name": _FIELD, "type": kind, "value": {kind: value}}


def kind_of(texts: set[str]) -> str:
    """The control that holds these grades."""
    values = [json_value(text) for text in texts]
    if any(isinstance(value, str) for value in values):
        return "choices"
    return "rating" if all(isinstance(value, int) and value >= 0 for value in values) else "number"


def _task(item: Item, kinds: Mapping[str, str]) -> dict[str, Any]:
    annotations = [
        {
            "completed_by": _user(annotator),
            "was_cancelled": False,
            "ground_truth": False,
            "result": [result(question, kinds[question], text) for question, text in given.items()],
        }
        for annotator, given in by_annotation(item.answers)
    ]
    if item.gold:
        results = [result(question, kinds[question], text) for question, text in item.gold.items()]
        annotations.append({"was_cancelled": False, "ground_truth": True, "result": results})
    data = {_FIELD: item.instance} | ({} if item.category is None else {"category": item.category})
    return {"id": json_value(item.instance), "data": data, "annotations": annotations, "predictions": []}


def by_annotation(answers: Sequence[Answer]) -> Iterator[tuple[str, dict[str, str]]]:
    """The answers of one sitting: an annotator, and a grade for each question. A repeat opens another one."""
    sittings: dict[str, list[dict[str, str]]] = {}
    found: list[tuple[str, dict[str, str]]] = []
    for answer in answers:
        own = sittings.setdefault(answer.annotator, [])
        given = next((sitting for sitting in own if answer.question not in sitting), None)
        if given is None:
            given = {}
            own.append(given)
            found.append((answer.annotator, given))
        given[answer.question] = answer.rating
    yield from found


def _user(annotator: str) -> Any:
    value = json_value(annotator)
    return value if isinstance(value, int) else {"email": annotator}


def _flat_rows(table: AnswerTable) -> Iterator[dict[str, Any]]:
    """A row per annotation, with the grades of Rating and Number in their lists."""
    kinds = control_kinds(table)
    number = 0
    for item in table.items():
        for annotator, given in by_annotation(item.answers):
            number += 1
            row: dict[str, Any] = {_FIELD: item.instance, "id": json_value(item.instance)}
            if item.category is not None:
                row["category"] = item.category
            for question, text in given.items():
                kind = kinds[question]
                row[question] = text if kind == "choices" else [{kind: json_value(text)}]
            yield row | {"annotator": json_value(annotator), "annotation_id": number, "lead_time": None}


def minimal(table: AnswerTable) -> Iterator[str]:
    """JSON-MIN."""
    yield from json_list(_flat_rows(table))


def as_csv(table: AnswerTable) -> Iterator[str]:
    """The same rows, with a sorted header and lists as JSON."""
    names = {_FIELD, "id", "annotator", "annotation_id", "lead_time", *table.questions}
    header = sorted(names | ({"category"} if table.category else set()))
    yield from csv_lines(header, ([_cell(row.get(name)) for name in header] for row in _flat_rows(table)))


def _cell(value: Any) -> str | None:
    return json_line(value).strip() if isinstance(value, list) else None if value is None else str(value)


LABEL_STUDIO = Writer("label-studio", "Label Studio JSON", tasks, questions=True, gold=True, category=True)
LABEL_STUDIO_MIN = Writer("label-studio-min", "Label Studio JSON-MIN", minimal, questions=True, category=True)
LABEL_STUDIO_CSV = Writer("label-studio-csv", "Label Studio CSV", as_csv, questions=True, category=True)
