"""From columns to Ratings: codes handed out, categories checked, a counting sort. Runs once per input."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from truegrade.cells import BadCellError, as_numbers, cast
from truegrade.errors import IdError, OptionError, RatingError
from truegrade.grades import read_grades, without_words
from truegrade.ids import index_ids
from truegrade.ratings import Ratings
from truegrade.scale import LARGEST
from truegrade.sorting import csr_sorted, find_repeats, only, repeated

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from truegrade.columns import Columns, Known
    from truegrade.gold import Gold
    from truegrade.grades import Grades
    from truegrade.ids import IdTable, IndexedIds
    from truegrade.ratings import Duplicates, Missing
    from truegrade.scale import Scale

__all__ = ["category_of", "encode", "finished", "read_weights"]

_MAX_RATINGS = 2**32 - 1  # rows are remembered in 32 bits


def encode(
    columns: Columns,
    *,
    scale: Scale | str | Sequence[Any] | None = None,
    drop_values: Sequence[Any] = (),
    missing: Missing = "error",
    duplicates: Duplicates = "keep",
) -> Ratings:
    """Turn columns into sorted codes. The columns are taken out of `columns` as they are used up."""
    import pyarrow as pa

    if duplicates not in ("keep", "first", "last", "error"):
        raise OptionError(f"duplicates='{duplicates}': choose 'keep', 'first', 'last' or 'error'")
    n_rows = len(columns.rating)
    known = columns.take("known")
    if n_rows > _MAX_RATINGS:
        raise RatingError(f"{columns.where}: {n_rows} rows; at most {_MAX_RATINGS} fit into one Ratings")
    weight = read_weights(columns)
    grades = read_grades(
        columns.take("rating"),
        scale=scale,
        drop_values=drop_values,
        missing=missing,
        where=columns.where,
        row_label=columns.row_label,
        weight=weight,
    )
    rows = grades.rows
    gold = _gold(known, grades, columns.where)
    annotators, annotator_code = _coded(_indexed(columns, "annotator", rows))
    indexed = _indexed(columns, "instance", rows)
    category, categories = _categories(columns, indexed, rows)
    instances, instance_code = _coded(indexed, category)
    del indexed
    pa.default_memory_pool().release_unused()  # else the pool keeps what the columns took
    weight = weight if weight is None or rows is None else weight[rows]
    timestamp = _timestamps(columns, rows)
    arrays = csr_sorted(instance_code, annotator_code, grades.rating, weight, len(instances))
    del instance_code, annotator_code
    n_repeats, kept = find_repeats(arrays, duplicates)
    row_of = None if rows is None else np.flatnonzero(rows).astype(np.uint32)
    if duplicates == "error" and n_repeats:
        raise repeated(arrays, kept, row_of, columns.where, columns.row_label, annotators, instances)
    if duplicates != "keep" and n_repeats:
        arrays = only(arrays, kept)
    arrays["category"] = None if category is None else np.sort(category)
    return Ratings(
        scale=grades.scale,
        **finished(arrays, row_of, weight, timestamp, real=grades.scale.is_real),
        annotators=annotators,
        instances=instances,
        categories=categories,
        n_rows=n_rows,
        n_dropped=grades.n_dropped,
        n_missing=grades.n_missing,
        n_repeats=n_repeats,
        unobserved=grades.unobserved,
        library=columns.library,
        where=columns.where,
        columns=columns.names,
        known=gold,
        told=(*columns.notes, *grades.notes),
    )


def finished(
    arrays: dict[str, Any],
    row_of: NDArray[np.uint32] | None,
    weight: NDArray[np.float64] | None,
    timestamp: NDArray[Any] | None,
    *,
    real: bool,
) -> dict[str, Any]:
    """The arrays of Ratings, read-only; `weight`, `timestamp`, `row_of` (kept rows,) come in the order of the input."""
    rating, row = arrays.pop("rating"), arrays["row"]
    empty: NDArray[Any] = np.empty(0, dtype=np.uint8 if real else np.float64)
    arrays |= {
        "row": row if row_of is None else row_of[row],
        "weight": None if weight is None else weight[row],
        "timestamp": None if timestamp is None else timestamp[row],
        "grade": empty if real else rating,
        "real": rating if real else empty,
    }
    for array in arrays.values():
        if array is not None:
            array.flags.writeable = False
    return arrays


def _gold(known: Known | None, grades: Grades, where: str) -> Gold | None:
    """The truths that stand in the file, on its scale; None if there are none."""
    from truegrade.gold import Gold

    if known is None:
        return None
    gold = without_words(known.gold) if grades.worded else known.gold
    return Gold.of_columns(known.instance, gold, grades.scale, f"{where}: its gold")


def _indexed(columns: Columns, role: str, rows: NDArray[np.bool_] | None) -> IndexedIds:
    return index_ids(columns.take(role), role, columns.where, rows, columns.row_label)


def _coded(indexed: IndexedIds, major: NDArray[np.int32] | None = None) -> tuple[IdTable, NDArray[np.int32]]:
    table = indexed.table(major)
    return table, table.code[indexed.index]


def _categories(
    columns: Columns, instance: IndexedIds, rows: NDArray[np.bool_] | None
) -> tuple[NDArray[np.int32] | None, IdTable | None]:
    """The category of each instance, in the order of the instances' labels (M,)."""
    if columns.category is None:
        return None, None
    table, code = _coded(_indexed(columns, "category", rows))
    row_of = None if rows is None else np.flatnonzero(rows)
    return category_of(instance, code, table, row_of, columns.where, columns.row_label), table


def category_of(
    instance: IndexedIds,
    code: NDArray[np.int32],
    table: IdTable,
    row_of: NDArray[Any] | None,
    where: str,
    row_label: Callable[[int], str],
) -> NDArray[np.int32]:
    """The category of each instance, in the order of the instances' labels (M,); code (L,): of each rating."""
    of_instance = np.empty(len(instance.labels), dtype=np.int32)
    of_instance[instance.index[::-1]] = code[::-1]  # back to front: the first row decides
    other = of_instance[instance.index] != code
    if other.any():
        at = int(np.argmax(other))
        row = at if row_of is None else int(row_of[at])
        here, before = (table.label_of(int(c)) for c in (code[at], of_instance[instance.index[at]]))
        raise IdError(
            f"{where}: {row_label(row)}: instance '{instance.labels[int(instance.index[at])]}' is in "
            f"category '{here}' here and in '{before}' before; give each instance one category"
        )
    return of_instance


def read_weights(columns: Columns) -> NDArray[np.float64] | None:
    """The weight of each row (L,), None where none is given; refuse those that are no weights."""
    if columns.weight is None:
        return None
    try:
        weight = as_numbers(columns.take("weight"))
    except BadCellError as bad:
        raise RatingError(
            f"{columns.where}: {columns.row_label(bad.row)}: weight '{bad.cell}' is not a number; correct it"
        ) from None
    wrong = ~((weight >= 0) & (weight <= LARGEST))
    if wrong.any():
        row = int(np.argmax(wrong))
        told = "the weight is blank" if np.isnan(weight[row]) else f"weight {weight[row]:g} is out of range"
        raise RatingError(f"{columns.where}: {columns.row_label(row)}: {told}; give a number from 0 to {LARGEST:g}")
    return weight


def _timestamps(columns: Columns, rows: NDArray[np.bool_] | None) -> NDArray[Any] | None:
    """Moments as datetime64[us], or plain numbers as they are; NaT or NaN where a cell is blank."""
    import pyarrow as pa

    if columns.timestamp is None:
        return None
    column = columns.take("timestamp")
    wanted = [pa.float64()] if pa.types.is_integer(column.type) or pa.types.is_floating(column.type) else []
    try:
        kinds = [*wanted, pa.timestamp("us"), pa.timestamp("us", "UTC"), pa.float64()]
        moments: NDArray[Any] = cast(column, kinds).to_numpy()
    except BadCellError as bad:
        raise RatingError(
            f"{columns.where}: {columns.row_label(bad.row)}: timestamp '{bad.cell}' is neither a moment like the "
            "others (ISO 8601, as in 2024-12-31T23:59) nor a number; correct it, or rename the column to leave it out"
        ) from None
    return moments if rows is None else moments[rows]
