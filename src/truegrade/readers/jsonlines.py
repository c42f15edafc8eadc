"""JSON lines: an object per line; keys may be missing."""

from __future__ import annotations

import codecs
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING

from truegrade.readers.jsonscan import Keys, scan_columns, scan_keys, text_keys
from truegrade.readers.sniff import Format
from truegrade.readers.source import reading
from truegrade.readers.tablefile import ColumnParts, text_encoded

if TYPE_CHECKING:
    import pyarrow as pa

    from truegrade.readers.source import Source

__all__ = ["JsonLinesFile"]

_KIND = Format.JSON_LINES.value
_BLOCK = 1 << 23  # bytes that stand in memory as a table of all keys
_EXACT = 1e15  # below it a float is written as the number that stands in the file


class JsonLinesFile:
    """Objects, one per line. Every value is text, as in the other text formats; a missing key is null.

    Arrow parses the file block by block: once to find the keys, and once more for those that are needed, so that long
    texts beside them never stand there whole. Where it cannot, or would change an id on the way, Python reads the file
    line by line: slowly, but every line is understood or named.
    """

    def __init__(self, source: Source) -> None:
        import pyarrow as pa

        self._source = source
        self._kinds = self._kinds_of_keys()
        if self._kinds is None:
            self.names: Sequence[str] = self._keys.names
            self.nested: Mapping[str, str] = self._keys.nested
        else:
            self.names = list(self._kinds)
            self.nested = {key: str(kind) for key, kind in self._kinds.items() if pa.types.is_nested(kind)}

    def read(self, columns: Sequence[str]) -> pa.Table:
        """The values of these keys as dictionaries of strings."""
        with reading(self._source.where, self._source.called(_KIND)):
            found = None if self._kinds is None else self._read_by_blocks(columns, self._kinds)
            return scan_columns(self._source, columns) if found is None else found

    def _read_by_blocks(self, columns: Sequence[str], kinds: Mapping[str, pa.DataType]) -> pa.Table | None:
        """The columns as text; None if a value no longer can be told."""
        import pyarrow as pa

        wanted = pa.schema([(name, kinds[name]) for name in columns])
        parts = {name: ColumnParts(pa.string()) for name in columns}
        for block in self._blocks():
            table = _parsed(block, wanted, "ignore")
            if table is None:
                return None
            for name, column in parts.items():
                texts = _as_text(table[name])
                if texts is None:
                    return None
                for chunk in texts.chunks:
                    column.add(chunk)
            pa.default_memory_pool().release_unused()  # else the pool keeps what parsing took
        return pa.table({name: column.column() for name, column in parts.items()})

    def _kinds_of_keys(self) -> dict[str, pa.DataType] | None:
        """Each key and the type of its values; None if Arrow does not understand the file."""
        import pyarrow as pa

        kinds: dict[str, pa.DataType] = {}
        with reading(self._source.where, self._source.called(_KIND)):
            # Where the type is left open, "2020-01-01" becomes a timestamp, and an id its number of seconds.
            text = pa.schema([(key, pa.string()) for key in text_keys(self._source)])
            for block in self._blocks():
                table = _parsed(block, text, "infer") if block.lstrip().startswith(b"{") else None
                if table is None:  # Arrow would crash on a null in the place of the bracket
                    return None
                for name, kind in zip(table.column_names, table.schema.types, strict=True):
                    common = _common(kinds.get(name, pa.null()), kind)
                    if common is None:
                        return None
                    kinds[name] = common
                pa.default_memory_pool().release_unused()
        return kinds

    def _blocks(self) -> Iterator[bytes]:
        """The file in parts that end where a line does."""
        rest = b""
        with self._source.stream() as stream:
            mark = codecs.BOM_UTF8
            while part := stream.read(_BLOCK):
                whole = rest + part.removeprefix(mark)
                mark = b""
                end = whole.rfind(b"\n") + 1
                rest = whole[end:]
                if whole[:end].strip():
                    yield whole[:end]
        if rest.strip():
            yield rest

    @cached_property
    def _keys(self) -> Keys:
        with reading(self._source.where, self._source.called(_KIND)):
            return scan_keys(self._source)


def _parsed(block: bytes, schema: pa.Schema, unexpected: str) -> pa.Table | None:
    """A block of lines as a table; None if Arrow does not understand it. `unexpected`: what becomes of other keys."""
    import pyarrow as pa
    from pyarrow import json

    options = json.ParseOptions(explicit_schema=schema, unexpected_field_behavior=unexpected)
    try:
        table = json.read_json(pa.BufferReader(block), json.ReadOptions(block_size=len(block) + 1), options)
        table.validate(full=True)  # Arrow lets bytes pass that are not UTF-8
        _ = table.column_names  # names likewise
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError, UnicodeError):
        return None
    return table


def _common(one: pa.DataType, other: pa.DataType) -> pa.DataType | None:
    """The type of the values of a key that stand in two blocks; None if their texts could not be told."""
    from pyarrow import types

    if types.is_null(one) or types.is_null(other):
        return other if types.is_null(one) else one
    if one == other or (types.is_nested(one) and types.is_nested(other)):
        return one
    numbers = {one, other}
    return next((kind for kind in numbers if types.is_floating(kind)), None) if all(map(_is_number, numbers)) else None


def _is_number(kind: pa.DataType) -> bool:
    from pyarrow import types

    return bool(types.is_floating(kind) or types.is_integer(kind))


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
