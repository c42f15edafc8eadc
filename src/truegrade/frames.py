"""Frames in and out: pandas, polars and pyarrow through narwhals, and plain arrays."""

from __future__ import annotations

from collections.abc import Sized
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from truegrade.columns import Columns, ObjectIds
from truegrade.errors import ColumnError, OptionError, RatingError
from truegrade.ids import is_id_type
from truegrade.readers.wide import is_wide, melt
from truegrade.roles import Roles, resolve_roles

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import pyarrow as pa

__all__ = [
    "array_columns",
    "arrow_column",
    "frame_columns",
    "frame_of",
    "frame_series",
    "frame_table",
    "id_column",
    "matrix_columns",
]

_WHERE = "the frame"
_ID_ROLES = ("annotator", "instance", "category")


def frame_columns(frame: Any, roles: Roles, *, wide: bool = False) -> Columns:
    """The columns of a frame by role."""
    try:
        series, library = frame_series(frame, _WHERE)
    except TypeError:
        hint = "call its collect() first" if hasattr(frame, "collect") else "use Ratings.from_arrays"
        raise OptionError(
            f"a {type(frame).__name__} is no frame; pass a pandas, polars or pyarrow one, or {hint}"
        ) from None
    if wide or is_wide(list(series), roles):
        return melt(_table_of(series), roles, _WHERE, library=library)
    found = resolve_roles(list(series), roles, _WHERE, ["annotator", "instance", "rating"])
    columns: dict[str, Any] = {}
    for role, name in found.columns().items():
        columns[role] = id_column(series[name]) if role in _ID_ROLES else arrow_column(series[name], name)
    return Columns(_WHERE, **columns, library=library, names=found.columns())


def frame_series(frame: Any, where: str) -> tuple[dict[str, Any], str]:
    """The columns of a frame by the text of their names, and the library it is of; TypeError if it is no frame."""
    import narwhals as nw
    import pyarrow as pa

    twice = ColumnError(f"{where}: two columns have the same name; rename one")
    try:
        table = nw.from_native(pa.table(frame) if isinstance(frame, pa.RecordBatch) else frame, eager_only=True)
        # By position: a name that is a whole number would choose a row.
        named = [(str(name), column) for name, column in zip(table.columns, table.iter_columns(), strict=True)]
    except nw.exceptions.DuplicateError:
        raise twice from None
    series = dict(named)
    if len(series) < len(named):
        raise twice
    return series, table.implementation.name.lower()


def frame_table(frame: Any) -> pa.Table:
    """A whole frame as an Arrow table; columns of mixed types become text."""
    return _table_of(frame_series(frame, _WHERE)[0])


def _table_of(series: Mapping[str, Any]) -> pa.Table:
    import pyarrow as pa

    return pa.table({name: arrow_column(column, name) for name, column in series.items()})


def array_columns(**arrays: Any) -> Columns:
    """Columns from lists and arrays, one per role."""
    import pyarrow as pa

    given = {role: array for role, array in arrays.items() if array is not None}
    for role, array in given.items():
        if not isinstance(array, Sized) or getattr(array, "ndim", 1) != 1:
            raise OptionError(f"{role} must be a list or an array of one dimension, not {_kind_of(array)}")
    lengths = {role: len(array) for role, array in given.items()}
    if len(set(lengths.values())) > 1:
        told = ", ".join(f"{role} {length}" for role, length in lengths.items())
        raise OptionError(f"the arrays must be equally long, not {told}")
    columns: dict[str, Any] = {}
    for role, array in given.items():
        try:
            column = pa.array(array, from_pandas=True)
        except (pa.ArrowException, OverflowError, UnicodeError, TypeError):
            column = ObjectIds.of(list(array), role) if role in _ID_ROLES else _texts(array, role)
        columns[role] = column if isinstance(column, pa.ChunkedArray | ObjectIds) else pa.chunked_array([column])
    return Columns("the arrays", **columns)


def matrix_columns(matrix: Any, *, rows: str, absent: Any, instances: Any, annotators: Any) -> Columns:
    """Columns from a matrix of ratings; what is absent, None or NaN is no rating."""
    if rows not in ("instances", "annotators"):
        raise OptionError(f"rows='{rows}': say whether the rows of the matrix are 'instances' or 'annotators'")
    cells = np.asarray(matrix)
    if cells.ndim != 2:
        raise OptionError(f"a matrix of ratings has two dimensions, not {cells.ndim}")
    roles = ("instances", "annotators") if rows == "instances" else ("annotators", "instances")
    given = {"instances": instances, "annotators": annotators}
    # A frame of pandas names its rows and columns.
    of_frame: Sequence[Any] = [matrix.index, matrix.columns] if hasattr(matrix, "columns") else []
    names: dict[str, list[Any]] = {}
    for role, size, default in zip(roles, cells.shape, of_frame or map(range, cells.shape), strict=True):
        names[role] = list(default if given[role] is None else given[role])
        if len(names[role]) != size:
            raise OptionError(f"{len(names[role])} {role} are named, but the matrix has {size}")
    first, second = (names[role] for role in roles)
    rated = [
        (first[i], second[j], cell)
        for i, row in enumerate(cells.tolist())
        for j, cell in enumerate(row)
        if not (_is_nothing(cell) or (absent is not None and cell == absent))
    ]
    if not rated:
        raise RatingError("the matrix holds no ratings; give at least one")
    one, other, rating = map(list, zip(*rated, strict=True))
    instance, annotator = (one, other) if rows == "instances" else (other, one)
    found = array_columns(instance=instance, annotator=annotator, rating=rating)
    return replace(found, where="the matrix", library="pandas" if of_frame else "pyarrow")


def _is_nothing(cell: Any) -> bool:
    try:
        return cell is None or bool(cell != cell)  # noqa: PLR0124  NaN alone differs from itself
    except TypeError:  # pandas' NA has no opinion
        return True


def _kind_of(array: Any) -> str:
    dimensions = getattr(array, "ndim", None)
    return f"one of {dimensions}" if dimensions is not None else f"a {type(array).__name__}"


def frame_of(table: pa.Table, library: str, objects: Mapping[str, Sequence[Any]] | None = None) -> Any:
    """An Arrow table as a frame of the user's library; `objects` are columns of ids of mixed types."""
    if library == "polars":
        import polars as pl

        return pl.from_arrow(table)
    if library != "pandas":
        return table
    frame = table.to_pandas()
    for name, column in (objects or {}).items():
        frame[name] = frame[name].astype(object)
        frame[name] = list(column)
    return frame


def id_column(series: Any) -> pa.ChunkedArray | ObjectIds:
    """A column of ids: as Arrow, or as Python objects where their types are mixed or Arrow has no text for them."""
    import narwhals as nw
    import pyarrow as pa

    try:
        if series.dtype != nw.Object or series.implementation.is_pandas():  # polars would give away their addresses
            column = series.to_arrow()
            if pa.types.is_binary(column.type) or pa.types.is_large_binary(column.type):
                column = column.cast(pa.string())  # older writers mean text
            if is_id_type(column.type):
                return column if isinstance(column, pa.ChunkedArray) else pa.chunked_array([column])
    except (pa.ArrowException, OverflowError, UnicodeError, TypeError):
        pass
    return ObjectIds.of(series.to_list(), series.name)


def arrow_column(series: Any, name: str) -> pa.ChunkedArray:
    """A column as Arrow; mixed types become text. `name` is for messages."""
    import narwhals as nw
    import pyarrow as pa

    try:
        if series.dtype == nw.Object and not series.implementation.is_pandas():
            column = pa.array(series.to_list(), from_pandas=True)  # polars would give away addresses
        else:
            column = series.to_arrow()
    except (pa.ArrowException, OverflowError, UnicodeError, TypeError):
        column = _texts(series.to_list(), name)
    whole = column if isinstance(column, pa.ChunkedArray) else pa.chunked_array([column])
    if isinstance(series.dtype, nw.Enum) and pa.types.is_dictionary(whole.type) and not whole.type.ordered:
        parts = (pa.DictionaryArray.from_arrays(c.indices, c.dictionary, ordered=True) for c in whole.chunks)
        whole = pa.chunked_array(parts, type=pa.dictionary(whole.type.index_type, whole.type.value_type, ordered=True))
    return whole  # polars before 2 forgets the order of an Enum on the way


def _texts(values: Any, name: str) -> pa.Array:
    """Cells of mixed types as text; nothing stays nothing."""
    import pyarrow as pa

    try:
        return pa.array([None if v is None or v != v else str(v) for v in values], pa.string())  # noqa: PLR0124
    except (UnicodeError, TypeError, ValueError) as error:
        raise ColumnError(f"column '{name}' cannot be read as text: {error}; clean it first") from None
