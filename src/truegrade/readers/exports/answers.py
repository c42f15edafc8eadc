"""What the readers of exports fill: answers as they come, coded at once, and what was left out of them."""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from truegrade.columns import Columns, Known
from truegrade.errors import FileError, OptionError
from truegrade.readers.jsonvalue import value_text
from truegrade.readers.tablefile import ColumnParts

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["ALL", "NO_ANSWER", "SEVERAL", "Answers", "counted"]

ALL = "all"  # instead of one question
NO_ANSWER = "without an answer"
SEVERAL = "with several choices"
_NO_VALUE = "with an object instead of a value"
_BATCH = 1 << 15  # answers that wait as Python objects
_ROLES = ("instance", "annotator", "rating", "question", "category")


class Answers:
    """Instance, annotator, rating and question of each answer, as text.

    Every different text is held once, so that the answers of a large export fit where the export does not.
    `question` keeps one question and only counts the others; empty or "all" keeps them all.
    """

    def __init__(self, where: str, question: str = "", row: str = "record") -> None:
        self.where = where
        self.names: dict[str, str] = {}  # role -> what fills it, where it has a name
        self.record = 0  # the number of the record that is read, from 1
        self.questions: dict[str, int] = {}  # question -> its answers
        self.left_out: Counter[str] = Counter()  # reason -> answers
        self._wanted = "" if question == ALL else question
        self._every = question == ALL
        self._row = row
        self._waiting: dict[str, list[str | None]] = {role: [] for role in _ROLES}
        self._parts = {role: _text_parts() for role in _ROLES}
        self._records = array("q")
        self._gold: dict[str, list[tuple[str | None, str]]] = {}

    def add(self, instance: Any, annotator: Any, value: Any, question: str = "", category: Any = None) -> None:
        """One answer. A value that is no single grade is left out and counted."""
        text, reason = grade_text(value)
        if text is None:
            self.left_out[reason] += 1
            return
        self.questions[question] = self.questions.get(question, 0) + 1
        if self._wanted and question != self._wanted:
            return
        waiting = self._waiting
        waiting["instance"].append(value_text(instance))
        waiting["annotator"].append(value_text(annotator))
        waiting["rating"].append(text)
        waiting["question"].append(question)
        waiting["category"].append(value_text(category))
        self._records.append(self.record)
        if len(waiting["rating"]) == _BATCH:
            self._code()

    def add_gold(self, instance: Any, value: Any, question: str = "") -> None:
        """A truth that the file knows."""
        text, _ = grade_text(value)
        self.questions.setdefault(question, 0)
        if text is not None and not (self._wanted and question != self._wanted):
            self._gold.setdefault(question, []).append((value_text(instance), text))

    def leave_out(self, reason: str) -> None:
        """One answer that does not count."""
        self.left_out[reason] += 1

    def columns(self, *, apart: bool = False) -> Columns:
        """The answers of the wanted question, or of all, by role; the gold beside them.

        Several questions make an instance of each item and question; `apart` leaves them apart.
        """
        asked = self._asked(apart=apart)
        together = len(asked) > 1 and not apart
        self._code()
        columns = {role: parts.column() for role, parts in self._parts.items()}
        if not len(self._records):
            told = _reasons(self.left_out)
            raise FileError(
                f"{self.where}: no ratings"
                + (f": all answers are left out ({told})" if told else "; give at least one")
            )
        category = columns["category"] if len(columns["category"].chunk(0).dictionary) else None
        instance = columns["instance"]
        if together:
            instance = _joined(instance, columns["question"])
            category = columns["question"] if category is None else category
            self.names["instance"] = f"{self.names.get('instance', 'instance')} and question"
            self.names.setdefault("category", "question")
        self.names.setdefault("rating", ", ".join(asked) or "rating")
        label = _RecordLabel(self._row, np.frombuffer(self._records, dtype=np.int64))
        return Columns(
            self.where,
            annotator=columns["annotator"],
            instance=instance,
            rating=columns["rating"],
            category=category,
            question=columns["question"] if any(asked) else None,
            known=self._known(asked, together=together),
            row_label=label,
            names=self.names,
            notes=self._notes(asked, together=together),
        )

    def _asked(self, *, apart: bool) -> list[str]:
        """The questions that are kept; an error if it is not clear which."""
        found = list(self.questions)
        named = ", ".join(found[:12]) + (f" and {len(found) - 12} more" if len(found) > 12 else "")
        if self._wanted and self._wanted not in self.questions:
            raise OptionError(f"{self.where}: no question '{self._wanted}'; it has {named or 'none'}")
        if self._wanted:
            return [self._wanted]
        if len(found) > 1 and not (self._every or apart):
            raise OptionError(
                f"{self.where}: it holds {len(found)} questions: {named}; "
                "pass --question NAME for one of them, or --question all"
            )
        return found

    def _known(self, asked: list[str], *, together: bool) -> Known | None:
        import pyarrow as pa

        rows = [
            (f"{instance}/{question}" if together else instance, text, question)
            for question in asked
            for instance, text in self._gold.get(question, [])
        ]
        if not rows:
            return None
        return Known(*(pa.chunked_array([pa.array(column, pa.string())]) for column in zip(*rows, strict=True)))

    def _notes(self, asked: list[str], *, together: bool) -> tuple[str, ...]:
        notes = []
        others = sum(count for question, count in self.questions.items() if question not in asked)
        if others:
            notes.append(f"{counted(others, 'answer')} to other questions: not read")
        if self.left_out:
            notes.append(f"{counted(self.left_out.total(), 'answer')} left out: {_reasons(self.left_out)}")
        if together:
            notes.append(
                f"{len(asked)} questions are rated together: an instance is an item and a question (item/question)"
            )
        return tuple(notes)

    def _code(self) -> None:
        """Number the texts that wait."""
        import pyarrow as pa

        for role, texts in self._waiting.items():
            self._parts[role].add(pa.array(texts, pa.string()))
            texts.clear()


class _RecordLabel:
    """Names the record of the export that a rating comes from."""

    def __init__(self, row: str, records: Any) -> None:
        self._row, self._records = row, records

    def __call__(self, index: int) -> str:
        return f"{self._row} {self._records[index]}"


def grade_text(value: Any) -> tuple[str | None, str]:
    """An answer as text, or why it is none."""
    if isinstance(value, list):
        if len(value) > 1:
            return None, SEVERAL
        value = value[0] if value else None
    if isinstance(value, list | dict):
        return None, _NO_VALUE
    text = value_text(value)
    return (text, "") if text is not None and text.strip() else (None, NO_ANSWER)


def _text_parts() -> ColumnParts:
    import pyarrow as pa

    return ColumnParts(pa.string())


def _joined(instance: pa.ChunkedArray, question: pa.ChunkedArray) -> pa.ChunkedArray:
    """Instances named item/question, each different one held once."""
    import pyarrow as pa
    from pyarrow import compute

    joined = _text_parts()
    items, questions = instance.chunk(0), question.chunk(0)
    for start in range(0, len(items), _BATCH):
        texts = [part.slice(start, _BATCH).cast(pa.string()) for part in (items, questions)]
        joined.add(compute.binary_join_element_wise(*texts, pa.scalar("/", pa.string())))
    return joined.column()


def counted(number: int, what: str) -> str:
    """A number of things, in plain English."""
    return f"{number} {what}{'' if number == 1 else 's'}"


def _reasons(reasons: Mapping[str, int]) -> str:
    return ", ".join(f"{count} {reason}" for reason, count in sorted(reasons.items(), key=lambda pair: -pair[1]))
