"""Prodigy's JSON lines (db-out): an object per answer."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from truegrade.errors import ColumnError
from truegrade.readers.exports.export import Content, Export, Wanted

if TYPE_CHECKING:
    from truegrade.readers.exports.answers import Answers

__all__ = ["PRODIGY"]

_ANNOTATOR = ("_annotator_id", "_session_id")
_BINARY = {"accept": 1, "reject": 0}


def finds(content: Content) -> bool:
    """Hashes and an answer, as no other tool writes them."""
    return bool(content.first) and all("answer" in r and "_input_hash" in r for r in content.first)


def read(content: Content, wanted: Wanted, answers: Answers) -> None:
    """Of a choice the accepted option; of a yes or no to a label 1 or 0; --question names another key."""
    instance = wanted.instance or "_input_hash"
    answers.names |= wanted.names(_ANNOTATOR[0], instance)
    for record in content.records(answers=answers):
        if "_input_hash" not in record or "answer" not in record:
            missing = "answer" if "_input_hash" in record else "_input_hash"
            raise ColumnError(f"{content.where}: record {answers.record} has no '{missing}'; export with db-out")
        if record.get(instance) is None:
            raise ColumnError(
                f"{content.where}: record {answers.record} has no '{instance}' (--instance); name another key"
            )
        _read_answer(content, record, record[instance], wanted, answers)


def _read_answer(content: Content, record: Mapping[str, Any], instance: Any, wanted: Wanted, answers: Answers) -> None:
    given = record["answer"]
    if given == "ignore":
        answers.leave_out("ignored")
        return
    by = next((record[key] for key in _ANNOTATOR if record.get(key) is not None), None)
    if by is None:
        raise ColumnError(
            f"{content.where}: record {answers.record} does not say who answered (no _annotator_id, no _session_id); "
            "annotate in named sessions (?session=NAME)"
        )
    category = record.get(wanted.category) if wanted.category else None
    if wanted.question in record and wanted.question not in {"accept", "label"}:
        question, value = wanted.question, record[wanted.question]
    elif "accept" in record or "options" in record:
        question, value = "accept", record.get("accept")
    else:
        answers.add(instance, by, _BINARY.get(str(given)), str(record.get("label", "answer")), category)
        return
    if given == "reject":
        answers.leave_out("rejected")
    else:
        answers.add(instance, by, value, question, category)


PRODIGY = Export("prodigy", "Prodigy JSON lines", finds, read)
