"""What the writers of exports are given: every answer with its ids as text, by row or by instance."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from truegrade.errors import IdError, RatingError
from truegrade.grades import MISSING_TEXTS
from truegrade.ids import index_arrow

if TYPE_CHECKING:
    import pyarrow as pa
    from numpy.typing import NDArray

    from truegrade.columns import Columns

__all__ = ["DEFAULT_QUESTION", "Answer", "AnswerTable", "Item"]

DEFAULT_QUESTION = "rating"  # where a file names none


class Answer(NamedTuple):
    """One answer of one annotator."""

    annotator: str
    rating: str
    question: str


@dataclass(frozen=True)
class Item:
    """An instance with all its answers."""

    instance: str
    category: str | None
    answers: Sequence[Answer]
    gold: Mapping[str, str]  # question -> truth


@dataclass(frozen=True)
class _Coded:
    labels: list[str]
    code: NDArray[np.int32]  # (L,)

    def __getitem__(self, row: int) -> str:
        return self.labels[int(self.code[row])]


@dataclass(frozen=True)
class AnswerTable:
    """L answers in the order of their file."""

    where: str
    instance: _Coded
    annotator: _Coded
    rating: _Coded
    question: _Coded
    category: _Coded | None
    gold: Mapping[tuple[str, str], str]  # (instance, question) -> truth
    n_blank: int  # rows of the file without a rating
    questions: Sequence[str]  # in order of first appearance
    extra: Mapping[str, pa.ChunkedArray]  # weight and timestamp, where the file has them

    @classmethod
    def of(cls, columns: Columns) -> AnswerTable:
        """From what a reader gave; rows without a rating are left out."""
        import pyarrow as pa

        rating, code = _texts(columns.rating)
        blank = np.array([text.strip().lower() in MISSING_TEXTS for text in rating] + [True])
        kept = ~blank[code]
        if not kept.any():
            raise RatingError(f"{columns.where}: there are no ratings; give at least one")

        def coded(role: str) -> _Coded:
            labels, index = _texts(getattr(columns, role))
            bad = kept & np.array([not text.strip() for text in labels] + [True])[index]
            if bad.any():
                row = columns.row_label(int(np.argmax(bad)))
                raise IdError(f"{columns.where}: {row}: the {role} is blank; give each rating one")
            return _Coded(labels, index[kept])

        question = _asked(columns, kept)
        gold = _gold(columns, question.labels[0])
        return cls(
            columns.where,
            coded("instance"),
            coded("annotator"),
            _Coded(rating, code[kept]),
            question,
            None if columns.category is None else coded("category"),
            gold,
            int(np.count_nonzero(~kept)),
            list(dict.fromkeys([*question.labels, *(asked for _, asked in gold)])),
            {name: column.filter(pa.array(kept)) for name, column in _extra(columns).items()},
        )

    def __len__(self) -> int:
        return self.rating.code.size

    def rows(self) -> Iterator[tuple[str, str | None, Answer]]:
        """Instance, category and answer, in the order of the file."""
        for row in range(len(self)):
            yield self.instance[row], self.category[row] if self.category else None, self._answer(row)

    def items(self) -> Iterator[Item]:
        """The instances in order of first appearance; those with gold alone at the end."""
        order = np.argsort(self.instance.code, kind="stable")
        starts = np.flatnonzero(np.diff(self.instance.code[order], prepend=-1))
        seen = set()
        for rows in np.split(order, starts[1:]):
            instance = self.instance[rows[0]]
            seen.add(instance)
            category = self.category[rows[0]] if self.category else None
            yield Item(instance, category, [self._answer(row) for row in rows], self._gold_of(instance))
        for instance in dict.fromkeys(instance for instance, _ in self.gold if instance not in seen):
            yield Item(instance, None, [], self._gold_of(instance))

    def n_repeats(self) -> int:
        """Answers beyond the first of an annotator to a question on an instance."""
        keys = np.stack([self.instance.code, self.annotator.code, self.question.code])
        return len(self) - int(np.unique(keys, axis=1).shape[1])

    def _answer(self, row: Any) -> Answer:
        return Answer(self.annotator[row], self.rating[row], self.question[row])

    def _gold_of(self, instance: str) -> dict[str, str]:
        return {q: self.gold[instance, q] for q in self.questions if (instance, q) in self.gold}


def _texts(column: pa.ChunkedArray) -> tuple[list[str], NDArray[np.int32]]:
    """The different values as text, and which stands in each row (-1 = none)."""
    import pyarrow as pa

    labels, index = index_arrow(column)
    return labels.cast(pa.string()).to_pylist(), index


def _extra(columns: Columns) -> dict[str, pa.ChunkedArray]:
    found = {"weight": columns.weight, "timestamp": columns.timestamp}
    return {name: column for name, column in found.items() if column is not None}


def _asked(columns: Columns, kept: NDArray[np.bool_]) -> _Coded:
    if columns.question is None:
        return _Coded([DEFAULT_QUESTION], np.zeros(int(np.count_nonzero(kept)), dtype=np.int32))
    labels, index = _texts(columns.question)
    return _Coded([label or DEFAULT_QUESTION for label in labels], index[kept])


def _gold(columns: Columns, question: str) -> dict[tuple[str, str], str]:
    known = columns.known
    if known is None:
        return {}
    instances, index = _texts(known.instance)
    values, value = _texts(known.gold)
    asked, which = ([question], np.zeros_like(index)) if known.question is None else _texts(known.question)
    gold: dict[tuple[str, str], str] = {}
    for i, v, q in zip(index, value, which, strict=True):
        if i >= 0 and v >= 0 and values[v].strip().lower() not in MISSING_TEXTS:
            truth = gold.setdefault((instances[i], asked[q] or question), values[v])
            if truth != values[v]:
                raise RatingError(
                    f"{columns.where}: instance '{instances[i]}' has gold {truth} and {values[v]}; keep one"
                )
    return gold
