"""A truth table as arrays, whether its cells are typed or, as from CSV, all text."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from truegrade.errors import ColumnError, GoldError, IdError, ScaleError
from truegrade.ids import index_arrow, index_ids
from truegrade.scale import Scale

if TYPE_CHECKING:
    import pyarrow as pa
    from numpy.typing import NDArray

    from truegrade.ids import IndexedIds

__all__ = ["TruthTable", "numbers", "scale_of_columns"]

_WHERE = "the truth table"


@dataclass(frozen=True)
class TruthTable:
    """What a truth table says of its n instances. NaN = not known."""

    ids: IndexedIds
    estimate: NDArray[np.float64]  # (n,)
    lower: NDArray[np.float64]  # (n,)
    upper: NDArray[np.float64]  # (n,)
    category: NDArray[np.int32] | None  # (n,): any numbers that tell categories apart
    cells: dict[str, pa.ChunkedArray]  # the columns that need the scale to be read: grade, p_*

    @classmethod
    def read(cls, frame: Any) -> TruthTable:
        """Take the columns of a pandas, polars or pyarrow table, named as `fit` names them."""
        import narwhals as nw

        from truegrade.frames import arrow_column, id_column

        try:
            table = nw.from_native(frame, eager_only=True)
        except TypeError:
            raise GoldError(f"a {type(frame).__name__} is no truth; pass a Fit or a truth table") from None
        named = {str(name): name for name in table.columns}
        for name in ("instance", "estimate"):
            if name not in named:
                raise ColumnError(f"{_WHERE}: no column '{name}'; pass the truth table that `truegrade fit` writes")
        ids = index_ids(id_column(table[named["instance"]]), "instance", _WHERE)
        if len(ids.labels) < ids.index.size:
            twice = int(np.argmax(np.bincount(ids.index) > 1))
            raise IdError(f"{_WHERE}: instance '{ids.labels[twice]}' stands in two rows; keep one")

        def column(name: str) -> NDArray[np.float64]:
            if name not in named:
                return np.full(ids.index.size, np.nan)
            return numbers(arrow_column(table[named[name]], name), name)

        return cls(
            ids=ids,
            estimate=column("estimate"),
            lower=column("lower"),
            upper=column("upper"),
            category=_groups(arrow_column(table[named["category"]], "category")) if "category" in named else None,
            cells={
                name: arrow_column(table[original], name)
                for name, original in named.items()
                if name == "grade" or name.startswith("p_")
            },
        )

    def posterior(self, scale: Scale) -> NDArray[np.float64] | None:
        """P(grade) (n, K), or None where the table has no column for some grade of the scale."""
        names = [f"p_{label}" for label in scale.labels]
        if not names or any(name not in self.cells for name in names):
            return None
        return np.column_stack([numbers(self.cells[name], name) for name in names])

    def grade(self, scale: Scale) -> NDArray[np.integer]:
        """The grade index (n,): what the table says, else the one nearest to the estimate."""
        nearest = scale.nearest(np.nan_to_num(self.estimate)).astype(np.int16)
        if "grade" not in self.cells:
            return nearest
        labels, index = index_arrow(self.cells["grade"])
        meaning = np.array([*(_grade_index(cell, scale) for cell in labels.to_pylist()), -1], dtype=np.int16)
        said = meaning[index]
        return np.where(said < 0, nearest, said)


def numbers(column: pa.ChunkedArray, name: str) -> NDArray[np.float64]:
    """A column of numbers, or of their texts, as an array; an empty cell is NaN.

    >>> import pyarrow as pa
    >>> numbers(pa.chunked_array([["1.5", ""]]), "sd")
    array([1.5, nan])
    """
    import pyarrow as pa
    import pyarrow.compute as pc

    if pa.types.is_dictionary(column.type):
        column = column.cast(column.type.value_type)
    if _is_text(column):
        column = pc.utf8_trim_whitespace(column)
        column = pc.if_else(pc.equal(column, ""), pa.scalar(None, column.type), column)
    try:
        return np.array(column.cast(pa.float64()).fill_null(np.nan).to_numpy())
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError) as error:
        raise ColumnError(f"{_WHERE}: column '{name}' holds something that is no number ({error})") from None


def scale_of_columns(names: list[str]) -> Scale:
    """The scale that the names of the p_ columns spell.

    >>> scale_of_columns(["grade", "p_1", "p_2", "p_3"]).values
    (1.0, 2.0, 3.0)
    """
    labels = [name.removeprefix("p_") for name in names if name.startswith("p_")]
    if not labels:
        raise ScaleError(f"{_WHERE} has no p_ columns to read the scale from; pass --scale, like --scale 1..5")
    try:
        return Scale.of(labels)
    except ScaleError as error:
        raise ScaleError(f"{_WHERE}: its p_ columns are no scale ({error}); pass --scale") from None


def _is_text(column: pa.ChunkedArray) -> bool:
    import pyarrow as pa

    kind = column.type
    return bool(pa.types.is_string(kind) or pa.types.is_large_string(kind) or pa.types.is_string_view(kind))


def _groups(column: pa.ChunkedArray) -> NDArray[np.int32] | None:
    """A number for each category; None where all cells are empty."""
    labels, index = index_arrow(column)
    empty = [at for at, label in enumerate(labels.to_pylist()) if label is None or not str(label).strip()]
    return None if np.all((index < 0) | np.isin(index, empty)) else index


def _grade_index(cell: Any, scale: Scale) -> int:
    """A cell's place on the scale; -1 for an empty one."""
    if cell is None or not str(cell).strip():
        return -1
    text = str(cell).strip()
    if text in scale.labels:
        return scale.labels.index(text)
    try:
        number = float(text)
    except ValueError:
        number = np.nan
    if np.isnan(number) and not isinstance(cell, str):
        return -1
    if number not in scale.values:
        raise ScaleError(f"{_WHERE}: grade '{text}' is not on the scale {scale}; pass the right one by --scale")
    return scale.values.index(number)
