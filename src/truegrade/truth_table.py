"""A truth table as arrays, whether its cells are typed or, as from CSV, all text."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from truegrade.cells import BadCellError, as_numbers
from truegrade.columns import row_number
from truegrade.errors import ColumnError, GoldError, IdError, ScaleError
from truegrade.ids import IndexedIds, index_arrow, index_ids
from truegrade.scale import Scale, read_number

if TYPE_CHECKING:
    import pyarrow as pa
    from numpy.typing import NDArray


__all__ = ["TruthTable", "scale_of_columns"]

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
        from truegrade.frames import arrow_column, frame_series, id_column

        try:
            series, _ = frame_series(frame, _WHERE)
        except TypeError:
            raise GoldError(f"a {type(frame).__name__} is no truth; pass a Fit or a truth table") from None
        for name in ("instance", "estimate"):
            if name not in series:
                raise ColumnError(f"{_WHERE}: no column '{name}'; pass the truth table that `truegrade fit` writes")
        ids = index_ids(id_column(series["instance"]), "instance", _WHERE)
        if len(ids.labels) < ids.index.size:
            twice = int(np.argmax(np.bincount(ids.index) > 1))
            raise IdError(f"{_WHERE}: instance '{ids.labels[twice]}' stands in two rows; keep one")

        def column(name: str) -> NDArray[np.float64]:
            if name not in series:
                return np.full(ids.index.size, np.nan)
            return _numbers(arrow_column(series[name], name), name)

        return cls(
            ids=ids,
            estimate=column("estimate"),
            lower=column("lower"),
            upper=column("upper"),
            category=_groups(arrow_column(series["category"], "category")) if "category" in series else None,
            cells={
                name: arrow_column(column, name)
                for name, column in series.items()
                if name == "grade" or name.startswith("p_")
            },
        )

    def posterior(self, scale: Scale) -> NDArray[np.float64] | None:
        """P(grade) (n, K), or None where the table has no column for some grade of the scale."""
        names = [f"p_{label}" for label in scale.labels]
        if not names or any(name not in self.cells for name in names):
            return None
        return np.column_stack([_numbers(self.cells[name], name) for name in names])

    def grade(self, scale: Scale) -> NDArray[np.integer]:
        """The grade index (n,): what the table says, else the one nearest to the estimate."""
        nearest = scale.nearest(np.nan_to_num(self.estimate)).astype(np.int16)
        if "grade" not in self.cells:
            return nearest
        labels, index = index_arrow(self.cells["grade"])
        meaning = np.array([*(_grade_index(cell, scale) for cell in labels.to_pylist()), -1], dtype=np.int16)
        said = meaning[index]
        return np.where(said < 0, nearest, said)


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


def _numbers(column: pa.ChunkedArray, name: str) -> NDArray[np.float64]:
    try:
        return as_numbers(column)
    except BadCellError as bad:
        raise ColumnError(
            f"{_WHERE}: {row_number(bad.row)}: '{bad.cell}' in column '{name}' is not a number; correct it"
        ) from None


def _groups(column: pa.ChunkedArray) -> NDArray[np.int32] | None:
    """A number for each category; None where all cells are empty."""
    labels, index = index_arrow(column)
    empty = [at for at, label in enumerate(labels.to_pylist()) if label is None or not str(label).strip()]
    if np.all((index < 0) | np.isin(index, empty)):
        return None
    code = np.append(IndexedIds(labels, index).table().code, np.int32(-1))  # the last one serves index -1
    return code[index]  # not by first appearance, so that the order of the rows changes no bit of an average


def _grade_index(cell: Any, scale: Scale) -> int:
    """A cell's place on the scale; -1 for an empty one."""
    if cell is None or not str(cell).strip():
        return -1
    text = str(cell).strip()
    if text in scale.labels:
        return scale.labels.index(text)
    number = read_number(text)
    if number is not None and np.isnan(number) and not isinstance(cell, str):
        return -1
    if number is None or number not in scale.values:
        raise ScaleError(f"{_WHERE}: grade '{text}' is not on the scale {scale}; pass the right one by --scale")
    return scale.values.index(number)
