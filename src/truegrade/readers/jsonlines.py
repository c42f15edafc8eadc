"""JSON lines: an object per line; keys may be missing."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING

from truegrade.readers.jsonscan import Scan, scan, text_keys
from truegrade.readers.sniff import Format
from truegrade.readers.source import reading
from truegrade.readers.tablefile import text_encoded

if TYPE_CHECKING:
    import pyarrow as pa

    from truegrade.readers.source import Source

__all__ = ["JsonLinesFile"]

_KIND = Format.JSON_LINES.value
_BLOCK = 1 << 24
_EXACT = 1e15  # below it a float is written as the number that stands in the file


class JsonLinesFile:
    """Objects, one per line. Every value is text, as in the other text formats; a missing key is null.

    Arrow parses the file. Where it cannot, or would change an id on the way, Python reads it line by line:
    slowly, but every line is understood or named.
    """

    def __init__(self, source: Source) -> None:
        import pyarrow as pa

        self._source = source
        self._table = self._parsed()
        if self._table is None:
            self.names: Sequence[str] = list(self._scan.columns)
            self.nested: Mapping[str, str] = self._scan.nested
        else:
            self.names = self._table.column_names
            self.nested = {f.name: str(f.type) for f in self._table.schema if pa.types.is_nested(f.type)}

    def read(self, columns: Sequence[str]) -> pa.Table:
        """The values of these keys as dictionaries of strings."""
        import pyarrow as pa

        if self._table is not None:
            parsed = {name: _as_text(self._table[name]) for name in columns}
            found = {name: column for name, column in parsed.items() if column is not None}
            if len(found) == len(parsed):
                return pa.table(found)
        return pa.table({name: _from_list(self._scan.columns[name]) for name in columns})

    def _parsed(self) -> pa.Table | None:
        """What Arrow makes of the file; None if it does not understand it."""
        import pyarrow as pa
        from pyarrow import json

        with reading(self._source.where, self._source.called(_KIND)), self._source.stream() as stream:
            # Where the type is left open, "2020-01-01" becomes a timestamp, and an id its number of seconds.
            text = pa.schema([(key, pa.string()) for key in text_keys(self._source)])
            options = json.ParseOptions(explicit_schema=text, unexpected_field_behavior="infer")
            try:
                table = json.read_json(stream, json.ReadOptions(block_size=_BLOCK), options)
                table.validate(full=True)  # Arrow lets bytes pass that are not UTF-8
                return table.rename_columns(table.column_names)  # names likewise
            except (pa.ArrowInvalid, pa.ArrowNotImplementedError, UnicodeError):
                return None

    @cached_property
    def _scan(self) -> Scan:
        with reading(self._source.where, self._source.called(_KIND)):
            return scan(self._source)


def _as_text(column: pa.ChunkedArray) -> pa.ChunkedArray | None:
    """The column as it would read in the file; None if it no longer can be told."""
    import pyarrow as pa
    from pyarrow import compute, types

    kind = column.type
    if types.is_floating(kind):
        column = compute.if_else(compute.is_nan(column), None, column)
        largest = compute.max(compute.abs(column)).as_py()
        if largest is not None and largest >= _EXACT:
            return None  # perhaps a whole number too long for 64 bits
    elif not any(same(kind) for same in (types.is_string, types.is_integer, types.is_boolean, types.is_null)):
        return None  # a time that stood there as text
    return text_encoded(column.cast(pa.string()))


def _from_list(cells: list[str | None]) -> pa.ChunkedArray:
    import pyarrow as pa

    return text_encoded(pa.chunked_array([pa.array(cells, pa.string())]))
