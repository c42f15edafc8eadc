"""Parquet, Arrow and Feather: typed columns, read a row group or a record batch at a time."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from truegrade.readers.sniff import Format
from truegrade.readers.source import reading
from truegrade.readers.tablefile import is_text, text_encoded

if TYPE_CHECKING:
    import pyarrow as pa

    from truegrade.readers.source import Source

__all__ = ["ColumnarFile"]

_ROWS = 1 << 19  # small batches share a dictionary, for in each of their own most ids would stand again


class ColumnarFile:
    """A file with a schema. Ids and ratings keep their types."""

    def __init__(self, source: Source, kind: Format) -> None:
        import pyarrow as pa

        self._source = source
        self._kind = kind
        with reading(source.where, source.called(kind.value)):
            self._schema: pa.Schema = _SCHEMA[kind](source)
            self.names: Sequence[str] = self._schema.names
            self.nested: Mapping[str, str] = {
                field.name: str(field.type) for field in self._schema if pa.types.is_nested(field.type)
            }

    def read(self, columns: Sequence[str]) -> pa.Table:
        """The columns, one part of the file after the other, so that plain text never stands there whole."""
        import pyarrow as pa

        with reading(self._source.where, self._source.called(self._kind.value)):
            encoded, waiting = [], []
            for part in _PARTS[self._kind](self._source, columns):
                waiting.append(_checked(part.select(columns)))
                if sum(piece.num_rows for piece in waiting) >= _ROWS:
                    encoded.append(_encoded(waiting))
                    waiting = []
            if waiting:
                encoded.append(_encoded(waiting))
            if encoded:
                return pa.concat_tables(encoded)
            return pa.schema([self._schema.field(name) for name in columns]).empty_table()


def _checked(part: pa.Table) -> pa.Table:
    """The part, unless it hides what a damaged file may hold: wild offsets, wild indices, text that is not UTF-8.

    The check must see the buffers as they were read. ``pa.table(batch)`` would pass them through an interface
    that takes their sizes from the offsets, and the check would follow wild offsets instead of finding them.
    """
    import pyarrow as pa

    part.validate(full=True)
    # Dictionaries are widened before they are joined, or the indices of the whole may not fit.
    columns = [text_encoded(c) if pa.types.is_dictionary(c.type) else c for c in part.columns]
    return pa.table(columns, names=part.column_names)


def _encoded(parts: Sequence[pa.Table]) -> pa.Table:
    """The parts as one, with a dictionary for each column of text."""
    import pyarrow as pa

    whole = pa.concat_tables(parts).combine_chunks() if len(parts) > 1 else parts[0]
    table = pa.table([text_encoded(column) for column in whole.columns], names=whole.column_names)
    # Else the pool keeps what decoding took, and asks for more beside it.
    pa.default_memory_pool().release_unused()
    return table


def _parquet_schema(source: Source) -> pa.Schema:
    from pyarrow import parquet

    with source.random_access() as raw:
        return parquet.read_schema(raw)


def _parquet_parts(source: Source, columns: Sequence[str]) -> Iterator[pa.Table]:
    from pyarrow import parquet

    # Most files hold text as dictionaries already. Categories come as such anyway, and would lose their order here.
    schema = _parquet_schema(source)
    text = [name for name in columns if is_text(schema.field(name).type)]
    with source.random_access() as raw, parquet.ParquetFile(raw, read_dictionary=text) as file:
        for group in range(file.num_row_groups):
            yield file.read_row_group(group, columns=list(columns))


def _arrow_file_schema(source: Source) -> pa.Schema:
    from pyarrow import ipc

    with source.random_access() as raw:
        return ipc.open_file(raw).schema


def _arrow_file_parts(source: Source, columns: Sequence[str]) -> Iterator[pa.Table]:
    import pyarrow as pa
    from pyarrow import ipc

    with source.random_access() as raw:
        schema = ipc.open_file(raw).schema
        file = ipc.open_file(raw, options=_included(schema, columns))
        for number in range(file.num_record_batches):
            yield pa.Table.from_batches([file.get_batch(number)])


def _arrow_stream_schema(source: Source) -> pa.Schema:
    from pyarrow import ipc

    with source.stream() as raw:
        return ipc.open_stream(raw).schema


def _arrow_stream_parts(source: Source, columns: Sequence[str]) -> Iterator[pa.Table]:
    import pyarrow as pa
    from pyarrow import ipc

    options = _included(_arrow_stream_schema(source), columns)
    with source.stream() as raw:
        for batch in ipc.open_stream(raw, options=options):
            yield pa.Table.from_batches([batch])


def _included(schema: pa.Schema, columns: Sequence[str]) -> pa.ipc.IpcReadOptions:
    from pyarrow import ipc

    return ipc.IpcReadOptions(included_fields=sorted(schema.get_field_index(name) for name in columns))


_SCHEMA: Mapping[Format, Callable[[Source], pa.Schema]] = {
    Format.PARQUET: _parquet_schema,
    Format.ARROW_FILE: _arrow_file_schema,
    Format.ARROW_STREAM: _arrow_stream_schema,
}
_PARTS: Mapping[Format, Callable[[Source, Sequence[str]], Iterator[pa.Table]]] = {
    Format.PARQUET: _parquet_parts,
    Format.ARROW_FILE: _arrow_file_parts,
    Format.ARROW_STREAM: _arrow_stream_parts,
}
