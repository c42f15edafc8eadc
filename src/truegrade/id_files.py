"""Ids in the tables of a saved fit: which type they had, and how they get it back."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable

    import pyarrow as pa

    from truegrade.ids import IdTable

__all__ = ["id_type", "read_ids"]

_KINDS: dict[str, Callable[[str], Any]] = {"int": int, "float": float, "str": str, "bool": "True".__eq__}


def id_type(ids: IdTable) -> str | list[str]:
    """The type of all ids, or, where types are mixed, the name of each one's own."""
    return str(ids.labels.type) if ids.objects is None else [type(value).__name__ for value in ids.objects]


def read_ids(path: Path, kind: str | list[str]) -> tuple[pa.Array, tuple[Any, ...] | None]:
    """The first column of a table in the type that the ids had; the objects too where types were mixed.

    Objects of types other than numbers and text come back as text.
    """
    import pyarrow as pa

    column = _first_column(path)
    if isinstance(kind, str):
        return _cast(column, _type_called(kind)), None
    labels = _cast(column, pa.large_string())
    if len(labels) != len(kind):
        raise ValueError(f"{path.name} has {len(labels)} rows, not the ones it was written with")
    pairs = zip(labels.to_pylist(), kind, strict=True)
    return labels, tuple(_KINDS.get(name, str)(text) for text, name in pairs)


def _first_column(path: Path) -> pa.ChunkedArray:
    """Without a look at the content, which may hold characters that no other text file does."""
    from pyarrow import parquet

    from truegrade.readers.delimited import DelimitedFile
    from truegrade.readers.source import open_source

    if path.suffix == ".parquet":
        with parquet.ParquetFile(path) as columnar:
            return columnar.read(columnar.schema_arrow.names[:1]).column(0)
    file = DelimitedFile(open_source(path))
    return file.read(file.names[:1]).column(0)


def _cast(column: pa.ChunkedArray, wanted: pa.DataType) -> pa.Array:
    import pyarrow as pa

    if pa.types.is_dictionary(column.type):
        column = column.cast(column.type.value_type)
    if pa.types.is_timestamp(wanted) and wanted.tz and not pa.types.is_timestamp(column.type):
        column = column.cast(pa.timestamp(wanted.unit, "UTC"))
    column = column if column.type == wanted else column.cast(wanted)
    return column.combine_chunks()


def _type_called(name: str) -> pa.DataType:
    """An Arrow type by its name: those that an id can have."""
    import pyarrow as pa

    if found := re.fullmatch(r"decimal(128|256)\((\d+), (-?\d+)\)", name):
        make = pa.decimal128 if found[1] == "128" else pa.decimal256
        return make(int(found[2]), int(found[3]))
    if found := re.fullmatch(r"timestamp\[(s|ms|us|ns), tz=(.+)\]", name):
        return pa.timestamp(found[1], found[2])
    return pa.type_for_alias(name)
