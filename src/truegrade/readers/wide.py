"""Wide matrices: a row per instance, a column per annotator, a rating in each cell that is not blank."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from truegrade.columns import Columns, row_number
from truegrade.errors import ColumnError, OptionError
from truegrade.roles import ALIASES, GOLD_NAMES, Roles, resolve_roles

if TYPE_CHECKING:
    import pyarrow as pa
    from numpy.typing import NDArray

__all__ = ["annotator_columns", "is_wide", "melt", "wide_roles"]


def is_wide(names: Sequence[str], given: Roles) -> bool:
    """Whether the columns look like a matrix: an instance, but neither an annotator nor a rating."""

    def has(role: str) -> bool:
        return bool(getattr(given, role)) or any(_plain(name) in ALIASES[role] for name in names)

    return has("instance") and not has("annotator") and not has("rating")


def wide_roles(names: Sequence[str], given: Roles, where: str) -> Roles:
    """The roles in a matrix: the instance and perhaps a category; all else is annotators."""
    for role in ("annotator", "rating", "weight", "timestamp"):
        if getattr(given, role):
            raise OptionError(
                f"{where}: --{role} {getattr(given, role)} does not go with a wide matrix, "
                f"where every column is an annotator; leave it out, or give one row per rating"
            )
    # An annotator may be called "judge" or "score".
    usual = {*ALIASES["annotator"], *ALIASES["rating"]}
    told = given.columns().values()
    roles = resolve_roles([n for n in names if n in told or _plain(n) not in usual], given, where, ["instance"])
    if roles.weight:
        raise OptionError(
            f"{where}: column '{roles.weight}' cannot weigh the ratings of a wide matrix; "
            "take it out, or give one row per rating"
        )
    if not annotator_columns(names, roles):
        raise ColumnError(f"{where}: no column of an annotator beside '{roles.instance}'; add a column for each")
    if "" in names:
        raise ColumnError(f"{where}: column {names.index('') + 1} has no name; name its annotator, or take it out")
    return roles


def annotator_columns(names: Sequence[str], roles: Roles) -> list[str]:
    """The columns of a matrix that hold ratings."""
    taken = set(roles.columns().values())
    return [name for name in names if name not in taken and _plain(name) not in GOLD_NAMES]


def melt(table: pa.Table, given: Roles, where: str, *, library: str = "pyarrow") -> Columns:
    """One row per rating from a matrix, row after row. Blank cells are no ratings."""
    import pyarrow as pa

    roles = wide_roles(table.column_names, given, where)
    annotators = annotator_columns(table.column_names, roles)
    cells = _of_one_type([table[name] for name in annotators], where)
    rated = [np.flatnonzero(_filled(column)) for column in cells]
    rows = np.concatenate(rated)
    codes = np.repeat(np.arange(len(annotators), dtype=np.int32), [len(r) for r in rated])
    order = np.argsort(rows, kind="stable")  # by row; in a row the columns keep their order
    rows, codes = rows[order], codes[order]
    kept = [column.take(pa.array(r)) for column, r in zip(cells, rated, strict=True)]
    ratings = pa.chunked_array([chunk for column in kept for chunk in column.chunks], type=cells[0].type)
    return Columns(
        where,
        annotator=pa.chunked_array([pa.DictionaryArray.from_arrays(codes, pa.array(annotators, pa.string()))]),
        instance=table[roles.instance].take(pa.array(rows)),
        rating=ratings.take(pa.array(order)),
        category=table[roles.category].take(pa.array(rows)) if roles.category else None,
        library=library,
        row_label=_CellLabel(rows, codes, annotators),
        names={**roles.columns(), "annotator": f"{len(annotators)} columns"},
    )


class _CellLabel:
    """Names the cell of the matrix that a rating comes from."""

    def __init__(self, rows: NDArray[np.int64], codes: NDArray[np.int32], annotators: Sequence[str]) -> None:
        self._rows, self._codes, self._annotators = rows, codes, annotators

    def __call__(self, index: int) -> str:
        return f"{row_number(int(self._rows[index]))}, column '{self._annotators[self._codes[index]]}'"


def _filled(column: pa.ChunkedArray) -> NDArray[np.bool_]:
    """Which cells hold something: not null, NaN, empty or spaces."""
    import pyarrow as pa
    from pyarrow import compute

    blank = compute.is_null(column, nan_is_null=True)
    if pa.types.is_string(column.type):
        empty = compute.equal(compute.utf8_trim_whitespace(column), "")
        blank = compute.or_(blank, empty.fill_null(True))
    filled: NDArray[np.bool_] = ~blank.to_numpy()
    return filled


def _of_one_type(columns: Sequence[pa.ChunkedArray], where: str) -> Sequence[pa.ChunkedArray]:
    """The columns in a type that holds them all: their own, float64 for numbers, otherwise text."""
    import pyarrow as pa

    kinds = {column.type for column in columns if not pa.types.is_null(column.type)}
    for kind in kinds:
        if pa.types.is_nested(kind):
            raise ColumnError(f"{where}: a column of the matrix holds {kind}; ratings are numbers or names")
    if len(kinds) == 1 and _keeps_its_type(columns):
        (common,) = kinds
    elif kinds and all(pa.types.is_integer(kind) or pa.types.is_floating(kind) for kind in kinds):
        common = pa.float64()
    else:
        common = pa.string()
    return [column.cast(common) for column in columns]


def _keeps_its_type(columns: Sequence[pa.ChunkedArray]) -> bool:
    """Numbers do; categories do if they are ordered and the same everywhere, for then they are the scale."""
    import pyarrow as pa

    if any(pa.types.is_primitive(column.type) for column in columns):
        return True  # beside columns without any value
    if not all(pa.types.is_dictionary(column.type) and column.type.ordered for column in columns):
        return False
    dictionaries = [chunk.dictionary for column in columns for chunk in column.chunks]
    return all(dictionary.equals(dictionaries[0]) for dictionary in dictionaries)


def _plain(name: str) -> str:
    return name.strip().lower()
