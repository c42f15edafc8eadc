"""The rating column becomes grade indices 0 .. K-1, or real values where the scale is real."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from truegrade.errors import OptionError, RatingError, ScaleError
from truegrade.scale import LARGEST, Scale, leading_number, read_number, shortest_text

if TYPE_CHECKING:
    import pyarrow as pa
    from numpy.typing import NDArray

    from truegrade.ratings import Missing

__all__ = [
    "MISSING_TEXTS",
    "Grades",
    "RatingCells",
    "asks_for_real",
    "no_ratings",
    "read_grades",
    "settled_scale",
    "without_words",
]

# How a cell without a rating is spelled, in lower case. A scale may still use one of these as a name.
MISSING_TEXTS = frozenset({"", "nan", "na", "n/a", "null", "none"})

_DROPPED, _MISSING, _BAD = -1, -2, -3  # in place of a grade's index


@dataclass(frozen=True)
class Grades:
    """The rating column, understood."""

    scale: Scale
    rating: NDArray[np.uint8] | NDArray[np.float64]  # (kept rows,): grade index, or value on a real scale
    rows: NDArray[np.bool_] | None  # (L,): the rows that hold a rating; None = all
    n_dropped: int
    n_missing: int
    unobserved: tuple[str, ...]  # grades of an inferred scale that nobody gave
    worded: str = ""  # a choice that was read as the number it begins with

    @property
    def notes(self) -> tuple[str, ...]:
        """How texts were understood."""
        told = f"ratings such as '{self.worded[:40]}' are read as the numbers that they begin with"
        return (told,) if self.worded else ()


def read_grades(
    column: pa.ChunkedArray,
    *,
    scale: Scale | str | Sequence[Any] | None,
    drop_values: Sequence[Any],
    missing: Missing,
    where: str,
    row_label: Callable[[int], str],
    weight: NDArray[np.float64] | None = None,
) -> Grades:
    """Find the scale, drop the codes that are no grades, and turn each rating into an index.

    Rows of weight 0 count as dropped: no rating stands there.
    """
    cells = RatingCells.read(
        column,
        scale=scale,
        drop_values=drop_values,
        missing=missing,
        where=where,
        row_label=row_label,
        weight=weight,
        worded=True,
    )
    if not np.any(cells.kinds == 0):
        raise no_ratings(where, cells.kinds.size, cells.n_dropped, cells.n_missing)
    found, unobserved = settled_scale(cells.declared, cells.seen(), where, real=asks_for_real(scale))
    return Grades(found, cells.on(found), cells.rows, cells.n_dropped, cells.n_missing, unobserved, cells.worded)


@dataclass(frozen=True)
class RatingCells:
    """The rating column cell by cell, before an inferred scale is known."""

    values: NDArray[np.float64]  # (S+1,): of the different cells; NaN = no rating; the last one serves index -1
    index: NDArray[np.int32]  # (L,): which of them stands in each row
    kinds: NDArray[np.int8]  # (L,): 0 = a rating, else why it is none
    declared: Scale | None  # as given, or as an ordered categorical declares it
    worded: str = ""

    @classmethod
    def read(
        cls,
        column: pa.ChunkedArray,
        *,
        scale: Scale | str | Sequence[Any] | None,
        drop_values: Sequence[Any],
        missing: Missing,
        where: str,
        row_label: Callable[[int], str],
        weight: NDArray[np.float64] | None = None,
        worded: bool = False,
    ) -> RatingCells:
        """Say of each row whether it holds a rating, and which; raise for the first that cannot be used.

        `worded`: these are all cells, so that choices such as "4 - good" can be told from names.
        """
        if missing not in ("error", "drop"):
            raise OptionError(f"missing='{missing}': choose 'error' or 'drop'")
        cells, index = _different_cells(column)
        dropped = _dropped_texts(drop_values)
        real = asks_for_real(scale)
        wanted = None if scale is None or real else Scale.of(scale)
        if wanted is None and not real:
            wanted = _ordered_categories(column, dropped)
        cells, example = _numbered(cells, dropped, wanted) if worded else (cells, "")
        meaning = [_meaning(cell, dropped, wanted) for cell in [*cells, None]]
        kind_of_cell = np.array([0 if isinstance(m, float) else m for m in meaning], dtype=np.int8)
        kinds = kind_of_cell[index]
        _refuse(kinds, cells, index, wanted, missing, where, row_label)
        if weight is not None:
            kinds[weight == 0] = _DROPPED
        return cls(np.array([m if isinstance(m, float) else np.nan for m in meaning]), index, kinds, wanted, example)

    @property
    def n_dropped(self) -> int:
        """Rows that hold a code that is no grade, or have weight 0."""
        return int(np.sum(self.kinds == _DROPPED))

    @property
    def n_missing(self) -> int:
        """Rows without a rating."""
        return int(np.sum(self.kinds == _MISSING))

    @cached_property
    def rows(self) -> NDArray[np.bool_] | None:
        """The rows that hold a rating (L,); None = all."""
        keep = self.kinds == 0
        return None if keep.all() else keep

    def seen(self) -> NDArray[np.float64]:
        """The values of the ratings, each once, ascending."""
        return np.unique(self.values[np.unique(self._used())])

    def on(self, scale: Scale) -> NDArray[np.uint8] | NDArray[np.float64]:
        """The ratings on their scale (kept rows,): grade indices, or values where it is real."""
        if scale.is_real:
            return self.values[self._used()]
        return scale.index_of(self.values)[self._used()].astype(np.uint8)

    def _used(self) -> NDArray[np.int32]:
        return self.index if self.rows is None else self.index[self.rows]


def asks_for_real(scale: Scale | str | Sequence[Any] | None) -> bool:
    """Whether ``scale=`` says that ratings are any numbers."""
    return isinstance(scale, str) and scale.strip().lower() == "real"


def settled_scale(
    declared: Scale | None, seen: NDArray[np.float64], where: str, *, real: bool
) -> tuple[Scale, tuple[str, ...]]:
    """The scale of ratings with these values, and those grades of an inferred one that nobody gave."""
    if declared is not None:
        return declared, ()
    if real:
        return Scale.real(seen.min(), seen.max()), ()
    try:
        found = Scale.infer(seen)
    except ScaleError as error:
        raise ScaleError(f"{where}: {error}") from None
    given = set(found.index_of(seen).tolist())
    return found, tuple(label for index, label in enumerate(found.labels) if index not in given)


def no_ratings(where: str, n_rows: int, n_dropped: int, n_missing: int) -> RatingError:
    """The error for an input in which no row holds a rating."""
    return RatingError(
        f"{where}: no ratings are left: {n_dropped} rows hold codes to drop or have weight 0, "
        f"{n_missing} are blank; drop fewer codes, or give ratings"
        if n_rows
        else f"{where}: there are no ratings; give at least one"
    )


def _different_cells(column: pa.ChunkedArray) -> tuple[list[Any], NDArray[np.int32]]:
    """The different cells as Python values, and which of them stands in each row (-1 = null)."""
    import pyarrow as pa
    import pyarrow.compute as pc

    from truegrade.ids import index_arrow

    if pa.types.is_nested(column.type):
        raise RatingError(f"a rating must be a number or a name, not {column.type}")
    if pa.types.is_boolean(column.type):
        column = pc.cast(column, pa.int8())
    labels, index = index_arrow(column)
    return labels.to_pylist(), index


def _dropped_texts(drop_values: Any) -> set[str | None]:
    """The codes that are no grades, as :func:`_cell_text` gives cells; None stands for empty cells."""
    if isinstance(drop_values, str):
        drop_values = drop_values.split(",")
    elif not isinstance(drop_values, Iterable):
        drop_values = (drop_values,)
    return {None if value is None or value != value else _cell_text(value) for value in drop_values}  # noqa: PLR0124


def _ordered_categories(column: pa.ChunkedArray, dropped: set[str | None]) -> Scale | None:
    """The scale that an ordered categorical declares, without the codes that are no grades."""
    import pyarrow as pa

    if not (pa.types.is_dictionary(column.type) and column.type.ordered and column.num_chunks):
        return None
    listed = column.unify_dictionaries().chunk(0).dictionary.to_pylist()
    grades = [grade for grade in listed if _cell_text(grade) not in dropped]
    numbers = [read_number(grade) for grade in grades]
    ascending = None not in numbers and numbers == sorted(set(numbers), key=float)  # type: ignore[arg-type]
    return Scale(tuple(numbers)) if ascending else Scale.named(grades)  # type: ignore[arg-type]


def _numbered(cells: list[Any], dropped: set[str | None], scale: Scale | None) -> tuple[list[Any], str]:
    """Choices such as "4 - good" as their numbers: if all have one, no two the same, and no scale names them.

    Returns the cells and an example; the cells as they are and an empty text if that cannot be done.
    """
    texts = [str(cell) for cell in cells if cell is not None and _cell_text(cell) not in dropped]
    texts = [text for text in texts if text.strip().lower() not in MISSING_TEXTS]
    worded = [text for text in texts if read_number(text) is None]
    if not worded or (scale is not None and scale.names is not None):
        return cells, ""
    number = {text: leading_number(text) for text in texts}
    if None in number.values() or len({float(number[text] or 0) for text in worded}) < len(worded):
        return cells, ""
    return [number.get(str(cell), cell) for cell in cells], worded[0].strip()


def without_words(column: pa.ChunkedArray) -> pa.ChunkedArray:
    """A column of choices as the numbers that they begin with, where they do."""
    import pyarrow as pa

    texts = [None if cell is None else leading_number(str(cell)) or str(cell) for cell in column.to_pylist()]
    return pa.chunked_array([pa.array(texts, pa.string())])


def _cell_text(cell: Any) -> str:
    number = read_number(cell)
    return str(cell).strip() if number is None else shortest_text(number)


def _meaning(cell: Any, dropped: set[str | None], scale: Scale | None) -> float | int:
    """A rating's value, or one of the codes for cells that hold none."""
    text = _cell_text(cell)
    if (None if cell is None or cell != cell else text) in dropped:  # noqa: PLR0124  NaN alone differs from itself
        return _DROPPED
    if scale is not None and scale.names is not None and str(cell).strip() in scale.names:
        return scale.values[scale.names.index(str(cell).strip())]
    if cell is None or text.lower() in MISSING_TEXTS:
        return _MISSING
    number = read_number(cell)
    if number is None or not abs(number) <= LARGEST:
        return _BAD
    if scale is not None and not scale.is_real and (number not in scale.values or not scale.numbered):
        return _BAD
    return number


def _refuse(
    kinds: NDArray[np.int8],
    cells: list[Any],
    index: NDArray[np.int32],
    scale: Scale | None,
    missing: Missing,
    where: str,
    row_label: Callable[[int], str],
) -> None:
    """Raise for the first row that cannot be used, if there is one."""
    wrong = kinds == _BAD
    if missing == "error":
        wrong |= kinds == _MISSING
    if not wrong.any():
        return
    row = int(np.argmax(wrong))
    at = f"{where}: {row_label(row)}"
    cell = cells[index[row]] if index[row] >= 0 else None
    if kinds[row] == _MISSING:
        raise RatingError(f"{at}: the rating is missing; pass --missing drop to leave such rows out")
    text = _cell_text(cell)
    if read_number(text) is None and read_number(text.replace(",", ".")) is not None:
        raise RatingError(f"{at}: rating '{text}' has a decimal comma; write it as {text.replace(',', '.')}")
    if scale is None and read_number(cell) is None:
        raise RatingError(
            f"{at}: rating '{text}' is not a number; pass --scale with the grades' names, low to high, "
            f"or --drop-values '{text}' if it is no grade"
        )
    if scale is None or scale.is_real:
        raise RatingError(f"{at}: rating {text} is {_out_of_reach(cell)}; correct it or pass --drop-values {text}")
    number = read_number(cell)
    if scale.names is None and number is not None and np.isfinite(number):
        wider = ",".join(map(shortest_text, sorted({*scale.values, number})))
    else:
        wider = f"{scale},{text}" if scale.names else "with the names of all grades, low to high,"
    raise RatingError(
        f"{at}: rating {text} is not on the scale {scale}; pass --scale {wider} if it is, "
        f"or --drop-values {text} if it is no grade"
    )


def _out_of_reach(cell: Any) -> str:
    number = read_number(cell)
    if number is None or not np.isfinite(number):
        return "not a finite number"
    return f"larger than any grade can be ({LARGEST:g})"
