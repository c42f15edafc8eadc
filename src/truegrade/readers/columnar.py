"""Parquet, Arrow and Feather: typed columns, read a row group or a record batch at a time."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from truegrade.readers.sniff import Format
from truegrade.readers.source import reading
from truegrade.readers.tablefile import ColumnParts
from truegrade.texts import is_text

if TYPE_CHECKING:
    import pyarrow as pa
    from pyarrow.parquet import FileMetaData

    from truegrade.readers.source import Source

__all__ = ["ColumnarFile"]

_BUFFER = 1 << 20  # bytes of a column that are fetched at once
_ROWS = 1 << 20  # of a Parquet file, decoded at once


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

    def kinds(self, columns: Sequence[str]) -> dict[str, pa.DataType]:
        """The types of the columns as :meth:`batches` hands them out."""
        return {name: ColumnParts(self._schema.field(name).type).column().type for name in columns}

    def batches(self, columns: Sequence[str], rows: int) -> Iterator[pa.Table]:
        """The columns, at most so many rows at a time; Arrow files come by the batches that they consist of."""
        import pyarrow as pa

        with reading(self._source.where, self._source.called(self._kind.value)):
            for part in _PARTS[self._kind](self._source, columns, rows):
                part.validate(full=True)
                for begin in range(0, part.num_rows, rows):
                    found = {name: ColumnParts(self._schema.field(name).type) for name in columns}
                    for name, parts in found.items():
                        parts.add(part[name].slice(begin, rows))
                    yield pa.table({name: parts.column() for name, parts in found.items()})

    def read(self, columns: Sequence[str]) -> pa.Table:
        """The columns, one part of the file after the other, so that plain text never stands there whole."""
        import pyarrow as pa

        found = {name: ColumnParts(self._schema.field(name).type) for name in columns}
        with reading(self._source.where, self._source.called(self._kind.value)):
            for part in _PARTS[self._kind](self._source, columns, _ROWS):
                # Finds what a damaged file may hold: wild offsets, wild indices, text that is not UTF-8. It must see
                # the buffers as they were read: pa.table(batch) would pass them through an interface that takes their
                # sizes from the offsets, and the check would follow wild offsets instead of finding them.
                part.validate(full=True)
                for name, parts in found.items():
                    parts.add(part[name])
                # Else the pool keeps what decoding took, and asks for more beside it.
                pa.default_memory_pool().release_unused()
            return pa.table({name: parts.column() for name, parts in found.items()})


def _parquet_schema(source: Source) -> pa.Schema:
    from pyarrow import parquet

    with source.random_access() as raw:
        return parquet.read_schema(raw)


def _parquet_parts(source: Source, columns: Sequence[str], rows: int) -> Iterator[pa.RecordBatch]:
    from pyarrow import parquet

    with source.random_access() as raw:
        metadata = parquet.read_metadata(raw)
    with source.random_access() as raw:
        # By default the whole file is fetched ahead, and row groups of any size at once.
        file = parquet.ParquetFile(
            raw,
            metadata=metadata,
            read_dictionary=_coded_texts(metadata, columns),
            pre_buffer=False,
            buffer_size=_BUFFER,
        )
        yield from file.iter_batches(rows, columns=list(columns))


def _coded_texts(metadata: FileMetaData, columns: Sequence[str]) -> list[str]:
    """The columns of text that the file holds as dictionaries.

    Categories come as dictionaries anyway, and would lose their order here.
    """
    schema = metadata.schema.to_arrow_schema()
    size, values = Counter[str](), Counter[str]()
    for group in map(metadata.row_group, range(metadata.num_row_groups)):
        for chunk in map(group.column, range(metadata.num_columns)):
            size[chunk.path_in_schema] += chunk.total_uncompressed_size
            values[chunk.path_in_schema] += chunk.num_values
    # Plain text takes 4 bytes for the length of each value alone.
    return [name for name in columns if is_text(schema.field(name).type) and size[name] < 4 * values[name]]


def _arrow_file_schema(source: Source) -> pa.Schema:
    from pyarrow import ipc

    with source.random_access() as raw:
        return ipc.open_file(raw).schema


def _arrow_file_parts(source: Source, columns: Sequence[str], _rows: int) -> Iterator[pa.RecordBatch]:
    from pyarrow import ipc

    with source.random_access() as raw:
        schema = ipc.open_file(raw).schema
        file = ipc.open_file(raw, options=_included(schema, columns))
        for number in range(file.num_record_batches):
            yield file.get_batch(number)


def _arrow_stream_schema(source: Source) -> pa.Schema:
    from pyarrow import ipc

    with source.stream() as raw:
        return ipc.open_stream(raw).schema


def _arrow_stream_parts(source: Source, columns: Sequence[str], _rows: int) -> Iterator[pa.RecordBatch]:
    from pyarrow import ipc

    options = _included(_arrow_stream_schema(source), columns)
    with source.stream() as raw:
        yield from ipc.open_stream(raw, options=options)


def _included(schema: pa.Schema, columns: Sequence[str]) -> pa.ipc.IpcReadOptions:
    from pyarrow import ipc

    return ipc.IpcReadOptions(included_fields=sorted(schema.get_field_index(name) for name in columns))


_SCHEMA: Mapping[Format, Callable[[Source], pa.Schema]] = {
    Format.PARQUET: _parquet_schema,
    Format.ARROW_FILE: _arrow_file_schema,
    Format.ARROW_STREAM: _arrow_stream_schema,
}
_PARTS: Mapping[Format, Callable[[Source, Sequence[str], int], Iterator[pa.RecordBatch]]] = {
    Format.PARQUET: _parquet_parts,
    Format.ARROW_FILE: _arrow_file_parts,
    Format.ARROW_STREAM: _arrow_stream_parts,
}
