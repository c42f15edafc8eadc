"""The R package rater: a column per rater without a column of items, or patterns of answers with their number."""

from __future__ import annotations

from typing import TYPE_CHECKING

from truegrade.errors import RatingError
from truegrade.grades import MISSING_TEXTS
from truegrade.readers.exports.export import Content, Export, Wanted
from truegrade.roles import ALIASES
from truegrade.scale import read_number

if TYPE_CHECKING:
    from truegrade.readers.exports.answers import Answers

__all__ = ["RATER_GROUPED", "RATER_WIDE"]

_COUNT = "n"
_LARGEST = 10**7  # instances of one pattern


def finds_grouped(content: Content) -> bool:
    """A table whose last column counts, and which names no role."""
    names = [name.strip().lower() for name in content.names]
    roles = {alias for role in ("annotator", "instance", "rating") for alias in ALIASES[role]}
    return content.file is not None and len(names) > 1 and names[-1] == _COUNT and not roles & set(names)


def is_table(content: Content) -> bool:
    """Whether there are columns."""
    return content.file is not None


def read_grouped(content: Content, _wanted: Wanted, answers: Answers) -> None:
    """As many instances as the last column says, each with the answers of the row; numbered from 1."""
    raters = [name for name in content.names[:-1] if name.strip()]
    answers.names |= {"annotator": f"{len(raters)} columns", "instance": "rows, counted", "rating": "cells"}
    instance = 0
    for row in content.records([*raters, content.names[-1]], answers):
        count = read_number(row[content.names[-1]])
        if count is None or not 0 <= count <= _LARGEST or count != int(count):
            raise RatingError(
                f"{content.where}: row {answers.record}: n is '{row[content.names[-1]]}'; give how many instances were "
                "answered so, or pass --from plain if the column means something else"
            )
        for _ in range(int(count)):
            instance += 1
            _add_row(row, raters, str(instance), answers)


def read_wide(content: Content, _wanted: Wanted, answers: Answers) -> None:
    """Every row is an instance, numbered from 1; row names of R are not read."""
    raters = [name for name in content.names if name.strip()]
    answers.names |= {"annotator": f"{len(raters)} columns", "instance": "rows", "rating": "cells"}
    for row in content.records(raters, answers):
        _add_row(row, raters, str(answers.record), answers)


def _add_row(row: dict[str, str | None], raters: list[str], instance: str, answers: Answers) -> None:
    for rater in raters:
        cell = row[rater]
        if cell is not None and str(cell).strip().lower() not in MISSING_TEXTS:
            answers.add(instance, rater, cell)


RATER_GROUPED = Export("rater-grouped", "rater's grouped data", finds_grouped, read_grouped, fields=frozenset())
RATER_WIDE = Export("rater-wide", "rater's wide data", is_table, read_wide, fields=frozenset(), by_name_only=True)
