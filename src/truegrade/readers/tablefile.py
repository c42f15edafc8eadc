"""What every format offers: the names of its columns, then the columns that are needed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from truegrade.texts import TextNumbers, is_text

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["ColumnParts", "TableFile", "holds_text", "text_encoded"]


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


class ColumnParts:
    """A column whose parts come in one by one. Text is numbered at once: ids repeat, and take a fraction of its memory.

    Other types stay as they are, and ordered categories keep their order.
    """

    def __init__(self, kind: pa.DataType) -> None:
        self._kind = kind
        self._numbers = TextNumbers() if holds_text(kind) else None
        self._parts: list[Any] = []

    def add(self, part: pa.Array) -> None:
        """Append a part."""
        import pyarrow as pa

        plain = part.storage if isinstance(part, pa.ExtensionArray) else part
        self._parts.append(_widened(plain) if self._numbers is None else self._numbers.of(plain))

    def column(self) -> pa.ChunkedArray:
        """The parts as one column; text as one dictionary of strings with int32 indices."""
        import pyarrow as pa

        if self._numbers is None:
            return pa.chunked_array(self._parts, type=None if self._parts else self._kind)
        index = np.concatenate([np.empty(0, dtype=np.int32), *self._parts])
        self._parts = []
        absent = index < 0
        codes = pa.array(index, mask=absent if absent.any() else None)
        return pa.chunked_array([pa.DictionaryArray.from_arrays(codes, self._numbers.labels(), safe=False)])


def text_encoded(column: pa.ChunkedArray) -> pa.ChunkedArray:
    """A column of text as one dictionary of strings; other columns as they are."""
    parts = ColumnParts(column.type)
    for chunk in column.chunks:
        parts.add(chunk)
    return parts.column()


def holds_text(kind: pa.DataType) -> bool:
    """Whether a column of this type holds text, or bytes that older writers of Parquet mean as text."""
    import pyarrow as pa

    if isinstance(kind, pa.BaseExtensionType):
        kind = kind.storage_type
    if pa.types.is_dictionary(kind):
        return not kind.ordered and holds_text(kind.value_type)
    return is_text(kind) or pa.types.is_binary(kind) or pa.types.is_large_binary(kind)


def _widened(part: pa.Array) -> pa.Array:
    """Small indices overflow when the dictionaries of several parts become one."""
    import pyarrow as pa

    if not pa.types.is_dictionary(part.type):
        return part
    values = part.dictionary.cast(pa.string()) if is_text(part.type.value_type) else part.dictionary
    return pa.DictionaryArray.from_arrays(part.indices.cast(pa.int32()), values, ordered=part.type.ordered)
