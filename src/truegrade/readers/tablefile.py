"""What every format offers: the names of its columns, then the columns that are needed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["TableFile", "is_text", "text_encoded"]


class TableFile(Protocol):
    """A file whose header is known and whose rows are not read yet."""

    @property
    def names(self) -> Sequence[str]:
        """The columns in the order of the file."""
        ...

    @property
    def nested(self) -> Mapping[str, str]:
        """The columns of lists or objects, which can fill no role, and what they hold."""
        ...

    def read(self, columns: Sequence[str]) -> pa.Table:
        """The columns of these names, each once; text as dictionaries of strings with int32 indices."""
        ...


def is_text(kind: pa.DataType) -> bool:
    """Whether a column of this type holds text, or bytes that older writers of Parquet mean as text."""
    from pyarrow import types

    kinds = (types.is_string, types.is_large_string, types.is_string_view, types.is_binary, types.is_large_binary)
    return any(is_kind(kind) for is_kind in kinds)


def text_encoded(column: pa.ChunkedArray) -> pa.ChunkedArray:
    """Text of every Arrow kind as dictionaries of strings, chunk by chunk; other columns as they are.

    Ids repeat, so a dictionary per chunk takes a fraction of the memory of the text.
    """
    import pyarrow as pa

    chunks = [_encoded(chunk) for chunk in column.chunks]
    return pa.chunked_array(chunks, type=chunks[0].type if chunks else column.type)


def _encoded(chunk: pa.Array) -> pa.Array:
    import pyarrow as pa

    if isinstance(chunk, pa.ExtensionArray):
        chunk = chunk.storage
    if pa.types.is_dictionary(chunk.type):
        values = _as_string(chunk.dictionary)
        # Small indices overflow when the dictionaries of several chunks become one.
        return pa.DictionaryArray.from_arrays(chunk.indices.cast(pa.int32()), values, ordered=chunk.type.ordered)
    values = _as_string(chunk)
    return values.dictionary_encode() if pa.types.is_string(values.type) else values


def _as_string(values: pa.Array) -> pa.Array:
    import pyarrow as pa

    return values.cast(pa.string()) if is_text(values.type) else values
