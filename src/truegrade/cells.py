"""Cells of any type, text among them, as numbers or moments; the first one that is neither is named."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    import pyarrow as pa
    from numpy.typing import NDArray

__all__ = ["BadCellError", "as_numbers", "cast", "decoded"]


class BadCellError(ValueError):
    """The first cell that cannot be understood; whoever called knows which file and column it stands in."""

    def __init__(self, row: int, cell: str) -> None:
        super().__init__(f"'{cell}'")
        self.row = row
        self.cell = cell


def as_numbers(column: pa.ChunkedArray) -> NDArray[np.float64]:
    """A column as an array of its own (L,); a blank cell is NaN.

    >>> import pyarrow as pa
    >>> as_numbers(pa.chunked_array([["1.5", " ", None]]))
    array([1.5, nan, nan])
    """
    import pyarrow as pa

    return np.array(cast(column, [pa.float64()]).fill_null(np.nan).to_numpy())


def cast(column: pa.ChunkedArray, kinds: Sequence[pa.DataType]) -> pa.ChunkedArray:
    """The column as the first of some types that holds all of it; blank text is null.

    Where none does, the first cell decides which type was meant, and the first cell without a place in it is named.
    """
    import pyarrow as pa

    column = _blanks_as_null(decoded(column))
    for kind in kinds:
        if _fits(column, kind):
            return column.cast(kind)
    filled = column.drop_null()
    meant = next((kind for kind in kinds if _fits(filled.slice(0, 1), kind)), kinds[-1])
    row = _first_that_fails(column, meant)
    raise BadCellError(row, str(column[row].cast(pa.string(), safe=False)))


def decoded(column: pa.ChunkedArray) -> pa.ChunkedArray:
    """The column itself instead of a dictionary and indices."""
    import pyarrow as pa

    return column.cast(column.type.value_type) if pa.types.is_dictionary(column.type) else column


def _blanks_as_null(column: pa.ChunkedArray) -> pa.ChunkedArray:
    import pyarrow as pa
    from pyarrow import compute

    if pa.types.is_string_view(column.type):
        column = column.cast(pa.string())
    if not (pa.types.is_string(column.type) or pa.types.is_large_string(column.type)):
        return column
    trimmed = compute.utf8_trim_whitespace(column)
    return compute.if_else(compute.equal(trimmed, ""), pa.scalar(None, trimmed.type), trimmed)


def _fits(column: pa.ChunkedArray, kind: pa.DataType) -> bool:
    import pyarrow as pa

    try:
        column.cast(kind)
    except pa.ArrowException:
        return False
    return True


def _first_that_fails(column: pa.ChunkedArray, kind: pa.DataType) -> int:
    """By halving: one cast of a part is much cheaper than many of one row."""
    start, length = 0, len(column)
    while length > 1:
        half = length // 2
        if _fits(column.slice(start, half), kind):
            start, length = start + half, length - half
        else:
            length = half
    return start
