"""What the reader of an export is, and what it is given to look at."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import TYPE_CHECKING, Any

from truegrade.errors import ColumnError, FileError
from truegrade.readers.jsonstream import JsonShape, json_items, json_records
from truegrade.readers.source import reading
from truegrade.roles import Roles

if TYPE_CHECKING:
    from truegrade.readers.exports.answers import Answers
    from truegrade.readers.source import Source
    from truegrade.readers.tablefile import TableFile

__all__ = ["Content", "Export", "Wanted", "object_in", "objects_in"]

_SAMPLE = 20  # records that show what a file holds
_ROWS = 1 << 14  # of a table, as Python objects at the same time


@dataclass(frozen=True)
class Wanted(Roles):
    """What the user said of the export: fields to use instead of the tool's own, and the question."""

    question: str = ""

    def names(self, annotator: str, instance: str) -> dict[str, str]:
        """The field of each role, where the tool's own are these."""
        category = {"category": self.category} if self.category else {}
        return {"annotator": annotator, "instance": self.instance or instance, **category}


@dataclass
class Content:
    """A file whose kind is known: a table with a header, or JSON of one shape."""

    source: Source
    shape: JsonShape | None  # None: a table
    file: TableFile | None  # the table
    first: Sequence[Mapping[str, Any]] = field(default_factory=list)  # records of JSON

    @classmethod
    def of_table(cls, source: Source, file: TableFile) -> Content:
        """A table, of which the columns are known."""
        return cls(source, None, file)

    @classmethod
    def of_json(cls, source: Source, shape: JsonShape) -> Content:
        """JSON, of which the first records are looked at."""
        with reading(source.where, source.called(shape.value)):
            return cls(source, shape, None, list(islice(json_records(source, shape), _SAMPLE)))

    @property
    def where(self) -> str:
        """How messages call the file."""
        return self.source.where

    def at(self, answers: Answers) -> str:
        """How messages name the record that is being read."""
        return f"{self.where}: {self.row} {answers.record}"

    @property
    def names(self) -> Sequence[str]:
        """The columns, or the keys of the first records."""
        return self.file.names if self.file else list(dict.fromkeys(key for record in self.first for key in record))

    @property
    def row(self) -> str:
        """What messages call a record."""
        return "row" if self.file else "record"

    def records(self, names: Sequence[str] | None = None, answers: Answers | None = None) -> Iterator[dict[str, Any]]:
        """The records one by one, counted in `answers`; of a table the columns of these names."""
        kind = self.source.called(self.shape.value if self.shape else "table")
        with reading(self.where, kind):
            for number, record in enumerate(self._rows(names) if self.file else self._json(), 1):
                if answers is not None:
                    answers.record = number
                yield record

    def items(self, answers: Answers) -> Iterator[tuple[str, Any]]:
        """The keys and values of a file that is one JSON object."""
        with reading(self.where, self.source.called(JsonShape.OBJECT.value)):
            for number, item in enumerate(json_items(self.source), 1):
                answers.record = number
                yield item

    def _json(self) -> Iterator[dict[str, Any]]:
        assert self.shape is not None  # noqa: S101  for the type checker: there is no table
        yield from json_records(self.source, self.shape)

    def _rows(self, names: Sequence[str] | None) -> Iterator[dict[str, Any]]:
        assert self.file is not None  # noqa: S101  as above
        for name in self.file.names:
            if names is not None and name in names and list(self.file.names).count(name) > 1:
                raise ColumnError(f"{self.where}: several columns are called '{name}'; rename all but one")
        table = self.file.read(list(dict.fromkeys(self.file.names if names is None else names)))
        if table.num_rows == 0:
            raise FileError(f"{self.where}: no ratings, only the header; add a row for each")
        for start in range(0, table.num_rows, _ROWS):
            yield from table.slice(start, _ROWS).to_pylist()

    def require(self, names: Sequence[str], what: str, remedy: str) -> None:
        """Refuse a file that lacks one of the keys or columns of an export."""
        for name in names:
            if name not in self.names:
                raise ColumnError(f"{self.where}: {what} has no '{name}'; {remedy}")

    def own_field(self, name: str, flag: str) -> None:
        """Refuse a field that the user names and no record has."""
        if name and name not in self.names:
            listed = ", ".join(f"'{n}'" for n in self.names[:12]) or "none"
            raise ColumnError(f"{self.where}: no '{name}' (--{flag}); it has {listed}")


def objects_in(record: Mapping[str, Any], key: str, where: str) -> list[dict[str, Any]]:
    """The list of objects below a key, empty where there is none; anything else is an error."""
    found = record.get(key)
    if found is None:
        return []
    if not isinstance(found, list) or not all(isinstance(part, dict) for part in found):
        raise FileError(f"{where}: '{key}' holds {str(found)[:40]!r} instead of a list of objects; export it again")
    return found


def object_in(record: Mapping[str, Any], key: str, where: str) -> dict[str, Any]:
    """The object below a key, empty where there is none; anything else is an error."""
    found = record.get(key)
    if found is None:
        return {}
    if not isinstance(found, dict):
        raise FileError(f"{where}: '{key}' holds {str(found)[:40]!r} instead of an object; export it again")
    return found


@dataclass(frozen=True)
class Export:
    """A tool's way to write ratings down."""

    name: str  # of --from
    title: str  # in messages
    finds: Callable[[Content], bool]
    read: Callable[[Content, Wanted, Answers], None]
    fields: frozenset[str] = frozenset({"instance", "category"})  # that the user may choose
    by_name_only: bool = False  # nothing in the content gives it away
    also: Callable[[Content], bool] | None = None  # content that it can read when it is named, beside what it finds
