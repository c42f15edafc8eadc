"""What the writer of an export is."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from truegrade.errors import RatingError

if TYPE_CHECKING:
    from truegrade.writers.answer_table import AnswerTable

__all__ = ["Writer", "require_no_repeats", "whole_number"]


@dataclass(frozen=True)
class Writer:
    """A format to write, and what it has room for."""

    name: str  # of --to
    title: str  # in messages
    write: Callable[[AnswerTable], Iterator[str | bytes]]
    questions: bool = False  # several in one file
    gold: bool = False
    category: bool = False
    instances: bool = True  # their ids
    annotators: bool = True
    extra: bool = False  # weights and timestamps


def require_no_repeats(table: AnswerTable, title: str) -> None:
    """Refuse answers that a format with one place for each cannot hold."""
    repeats = table.n_repeats()
    if repeats:
        raise RatingError(
            f"{table.where}: {repeats} answers repeat an annotator's answer on the same instance, and {title} has one "
            "place for each; take them out, or choose another format"
        )


def whole_number(table: AnswerTable, rating: str, title: str) -> int:
    """A rating for formats that hold nothing but whole numbers."""
    try:
        return int(rating)
    except ValueError:
        raise RatingError(
            f"{table.where}: rating '{rating[:40]}' is no whole number, and {title} holds nothing else; "
            "choose another format"
        ) from None
