"""Files of ratings become :class:`~truegrade.ratings.Ratings`, whatever their format."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from truegrade.roles import Roles

if TYPE_CHECKING:
    import pyarrow as pa

    from truegrade.columns import Columns
    from truegrade.ratings import Duplicates, Missing, Ratings
    from truegrade.readers.source import Source
    from truegrade.readers.tablefile import TableFile
    from truegrade.scale import Scale

__all__ = ["read", "read_columns", "read_table"]


def read(  # noqa: PLR0913  one argument per role and rule
    source: str | os.PathLike[str],
    *,
    annotator: str = "",
    instance: str = "",
    rating: str = "",
    category: str = "",
    weight: str = "",
    timestamp: str = "",
    wide: bool = False,
    scale: Scale | str | Sequence[Any] | None = None,
    drop_values: Sequence[Any] = (),
    missing: Missing = "error",
    duplicates: Duplicates = "keep",
) -> Ratings:
    """Ratings from a file, or from standard input if the source is ``-``.

    CSV and other delimited text, JSON lines, Parquet, Arrow and Feather, plain or compressed with gzip or zstd:
    the content decides, not the file's name. Columns are found by their usual names, or as told.
    """
    from truegrade.encode import encode

    roles = Roles(annotator, instance, rating, category, weight, timestamp)
    columns = read_columns(source, roles, wide=wide)
    return encode(columns, scale=scale, drop_values=drop_values, missing=missing, duplicates=duplicates)


def read_columns(source: str | os.PathLike[str], roles: Roles | None = None, *, wide: bool = False) -> Columns:
    """The columns of a file of ratings by role, not yet encoded."""
    import pyarrow as pa

    from truegrade.readers.assemble import assemble
    from truegrade.readers.source import open_source

    opened = open_source(source)
    columns = assemble(_table_file(opened), roles or Roles(), opened.where, wide=wide)
    pa.default_memory_pool().release_unused()  # else the pool keeps what decoding took
    return columns


def read_table(source: str | os.PathLike[str]) -> pa.Table:
    """All columns of any table, such as gold; the cells of text files are text. Lists and objects are left out."""
    from truegrade.readers.assemble import plain_table
    from truegrade.readers.source import open_source

    opened = open_source(source)
    return plain_table(_table_file(opened), opened.where)


def _table_file(source: Source) -> TableFile:
    from truegrade.readers.columnar import ColumnarFile
    from truegrade.readers.delimited import DelimitedFile
    from truegrade.readers.jsonlines import JsonLinesFile
    from truegrade.readers.sniff import Format, sniff
    from truegrade.readers.source import reading

    with reading(source.where, source.called("file")):
        found = sniff(source)
    if found is Format.DELIMITED:
        return DelimitedFile(source)
    if found is Format.JSON_LINES:
        return JsonLinesFile(source)
    return ColumnarFile(source, found)
