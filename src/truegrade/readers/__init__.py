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
    from truegrade.scale import Scale

__all__ = ["read", "read_columns", "read_table"]


def read(  # noqa: PLR0913  one argument per role and rule
    source: str | os.PathLike[str],
    *,
    from_: str = "",
    question: str = "",
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

    CSV and other delimited text, JSON, JSON lines, Parquet, Arrow and Feather, plain or compressed with gzip or zstd,
    and the exports of labelling tools (docs/reference/formats.md): the content decides, not the file's name, unless
    `from_` names the format. Columns are found by their usual names, or as told. Of an export with several questions
    `question` chooses one, or "all". Truths that an export knows are in ``Ratings.known``.

    Args:
        source: a path, or ``-``.
        from_: the format by name, as ``--from`` on the command line.
        question: of an export with several questions.
        annotator: its column or key; likewise `instance`, `rating`, `category`, `weight` and `timestamp`.
        wide: one row per instance and one column per annotator.
        scale: the grades, low to high: ``"1..5"``, ``"bad,fair,good"``, ``"real"``; by default as found.
        drop_values: codes that are no grades. Rows with them are left out and counted.
        missing: ``"drop"`` leaves rows without a rating out; they are an error otherwise.
        duplicates: which of an annotator's ratings of one instance to use.
    """
    from truegrade.encode import encode

    roles = Roles(annotator, instance, rating, category, weight, timestamp)
    columns = read_columns(source, roles, wide=wide, from_=from_, question=question)
    return encode(columns, scale=scale, drop_values=drop_values, missing=missing, duplicates=duplicates)


def read_columns(
    source: str | os.PathLike[str],
    roles: Roles | None = None,
    *,
    wide: bool = False,
    from_: str = "",
    question: str = "",
    apart: bool = False,
    with_gold: bool = False,
) -> Columns:
    """The columns of a file of ratings by role, not yet encoded.

    `apart` leaves the questions of an export apart; `with_gold` also reads a plain table's column of gold.
    """
    import pyarrow as pa

    from truegrade.readers.assemble import assemble, gold_beside
    from truegrade.readers.choose import Chosen, choose
    from truegrade.readers.source import open_source

    opened = open_source(source)
    chosen = choose(opened, roles or Roles(), wide=wide, from_=from_, question=question)
    if isinstance(chosen, Chosen):
        columns = chosen.columns(apart=apart)
    else:
        columns = assemble(chosen, roles or Roles(), opened.where, wide=wide)
        if with_gold:
            columns.known = gold_beside(chosen, columns)
    pa.default_memory_pool().release_unused()  # else the pool keeps what decoding took
    return columns


def read_table(source: str | os.PathLike[str]) -> pa.Table:
    """All columns of any table, such as gold; the cells of text files are text. Lists and objects are left out."""
    from truegrade.readers.assemble import plain_table
    from truegrade.readers.choose import table_file
    from truegrade.readers.source import open_source

    opened = open_source(source)
    return plain_table(table_file(opened), opened.where)
