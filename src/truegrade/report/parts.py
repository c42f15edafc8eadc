"""What a page is made of: sections with words, tables and figures. No HTML here; the template writes that."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from truegrade.report.text import number, shown_id

if TYPE_CHECKING:
    from truegrade.ratings import Ratings

__all__ = ["Cell", "Column", "Figure", "Section", "Table"]


@dataclass(frozen=True)
class Column:
    """A column's heading, and whether it holds numbers."""

    title: str
    is_number: bool = True


@dataclass(frozen=True)
class Cell:
    """What a cell shows, and what it sorts by."""

    text: str
    key: float | str

    @classmethod
    def of(cls, value: Any, digits: int = 2) -> Cell:
        """A cell from a number or a text."""
        if isinstance(value, str):
            return cls(value, value)
        known = value is not None and value == value  # noqa: PLR0124  NaN
        return cls(number(value, digits), float(value) if known else -1e300)

    @classmethod
    def of_rating(cls, ratings: Ratings, at: int) -> Cell:
        """A rating by what its grade is called."""
        if ratings.scale.is_real:
            return cls.of(float(ratings.real[at]))
        return cls(shown_id(ratings.scale.labels[ratings.grade[at]]), float(ratings.grade[at]))


@dataclass(frozen=True)
class Table:
    """Rows under headings; `searchable` ones get a box to search in."""

    name: str
    columns: list[Column]
    rows: list[list[Cell]]
    note: str = ""
    searchable: bool = False


@dataclass(frozen=True)
class Figure:
    """An Altair chart, and what it shows in a sentence for those who cannot see it."""

    name: str
    chart: Any
    says: str


@dataclass(frozen=True)
class Section:
    """A heading with what stands under it, in this order."""

    name: str
    title: str
    words: list[str] = field(default_factory=list)
    figures: list[Figure] = field(default_factory=list)
    tables: list[Table] = field(default_factory=list)
