"""Frames in and out: pandas, polars and pyarrow through narwhals, and plain arrays."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from truegrade.columns import Columns, ObjectIds
from truegrade.errors import ColumnError, OptionError
from truegrade.roles import Roles, resolve_roles

if TYPE_CHECKING:
    from collections.abc import Mapping

    import pyarrow as pa

    from truegrade.ids import IdTable

__all__ = ["array_columns", "arrow_column", "frame_columns", "frame_of", "frame_table", "id_column"]

_WHERE = "the frame"


def frame_columns(frame: Any, roles: Roles, *, wide: bool = False) -> Columns:
    """The columns of a frame by role."""
    import narwhals as nw

    from truegrade.readers.wide import is_wide, melt

    try:
        table = nw.from_native(frame, eager_only=True)
    except TypeError:
        raise OptionError(
            f"a {type(frame).__name__} is no frame; pass a pandas, polars or pyarrow one, or use Ratings.from_arrays"
        ) from None
    names = [str(name) for name in table.columns]
    library = table.implementation.name.lower()
    if wide or is_wide(names, roles):
        return melt(frame_table(frame), roles, _WHERE, library=library)
    found = resolve_roles(names, roles, _WHERE, ["annotator", "instance", "rating"])
    original = dict(zip(names, table.columns, strict=True))
    columns: dict[str, Any] = {}
    for role, name in found.columns().items():
        series = table[original[name]]
        ids = role in ("annotator", "instance", "category")
        columns[role] = id_column(series) if ids else arrow_column(series, name)
    return Columns(_WHERE, **columns, library=library)


def array_columns(**arrays: Any) -> Columns:
    """Columns from lists and arrays, one per role."""
    import pyarrow as pa

    lengths = {role: len(array) for role, array in arrays.items() if array is not None}
    if len(set(lengths.values())) > 1:
        told = ", ".join(f"{role} {length}" for role, length in lengths.items())
        raise OptionError(f"the arrays must be equally long, not {told}")
    columns: dict[str, Any] = {}
    for role, array in arrays.items():
        if array is None:
            continue
        try:
            column = pa.array(array, from_pandas=True)
        except (pa.ArrowInvalid, pa.ArrowTypeError):
            column = ObjectIds.of(list(array)) if role in ("annotator", "instance", "category") else _texts(array)
        columns[role] = column if isinstance(column, pa.ChunkedArray | ObjectIds) else pa.chunked_array([column])
    return Columns("the arrays", **columns)


def frame_table(frame: Any) -> pa.Table:
    """A whole frame as an Arrow table; columns of mixed types become text."""
    import narwhals as nw
    import pyarrow as pa

    table = nw.from_native(frame, eager_only=True)
    names = [str(name) for name in table.columns]
    if len(set(names)) < len(names):
        raise ColumnError(f"{_WHERE}: two columns have the same name")
    return pa.table([arrow_column(table[name], str(name)) for name in table.columns], names=names)


def frame_of(table: pa.Table, library: str, ids: Mapping[str, IdTable] | None = None) -> Any:
    """An Arrow table as a frame of the user's library; ids of mixed types come back as the objects they were."""
    if library == "polars":
        import polars as pl

        return pl.from_arrow(table)
    if library != "pandas":
        return table
    frame = table.to_pandas()
    for name, id_table in (ids or {}).items():
        if id_table.objects is not None:
            frame[name] = frame[name].astype(object)
            frame[name] = list(id_table.objects)
    return frame


def id_column(series: Any) -> pa.ChunkedArray | ObjectIds:
    """A column of ids: as Arrow, or as Python objects where their types are mixed."""
    import pyarrow as pa

    try:
        column = series.to_arrow()
    except (pa.ArrowInvalid, pa.ArrowTypeError, pa.ArrowNotImplementedError):
        return ObjectIds.of(series.to_list())
    return column if isinstance(column, pa.ChunkedArray) else pa.chunked_array([column])


def arrow_column(series: Any, name: str) -> pa.ChunkedArray:
    """A column as Arrow; mixed types become text. `name` is for messages."""
    import pyarrow as pa

    try:
        column = series.to_arrow()
    except (pa.ArrowInvalid, pa.ArrowTypeError):
        column = _texts(series.to_list())
    except pa.ArrowNotImplementedError as error:
        raise ColumnError(f"{_WHERE}: column '{name}' cannot be read: {error}") from None
    return column if isinstance(column, pa.ChunkedArray) else pa.chunked_array([column])


def _texts(values: Any) -> pa.Array:
    """Cells of mixed types as text; nothing stays nothing."""
    import pyarrow as pa

    return pa.array([None if v is None or v != v else str(v) for v in values], pa.string())  # noqa: PLR0124
