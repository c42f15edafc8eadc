"""From columns to Ratings: codes handed out, categories checked, a counting sort. Runs once per input."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from truegrade import _kernel
from truegrade.cells import BadCellError, as_numbers, cast
from truegrade.errors import IdError, OptionError, RatingError
from truegrade.grades import read_grades
from truegrade.ids import index_ids
from truegrade.ratings import Ratings
from truegrade.scale import LARGEST
from truegrade.threads import default_threads

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from truegrade.columns import Columns
    from truegrade.ids import IdTable, IndexedIds
    from truegrade.ratings import Duplicates, Missing
    from truegrade.scale import Scale

__all__ = ["encode"]

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
    if n_rows > _MAX_RATINGS:
        raise RatingError(f"{columns.where}: {n_rows} rows; at most {_MAX_RATINGS} fit into one Ratings")
    weight = _weights(columns)
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
    annotators, annotator_code = _coded(_indexed(columns, "annotator", rows))
    indexed = _indexed(columns, "instance", rows)
    category, categories = _categories(columns, indexed, rows)
    instances, instance_code = _coded(indexed, category)
    del indexed
    pa.default_memory_pool().release_unused()  # else the pool keeps what the columns took
    weight = weight if weight is None or rows is None else weight[rows]
    timestamp = _timestamps(columns, rows)
    arrays = _sorted(instance_code, annotator_code, grades.rating, weight, len(instances))
    del instance_code, annotator_code
    n_repeats, kept = _repeats(arrays, duplicates)
    if duplicates == "error" and n_repeats:
        raise _repeated(columns, arrays, kept, rows, annotators, instances)
    if duplicates != "keep" and n_repeats:
        arrays = _only(arrays, kept)
    arrays["category"] = None if category is None else np.sort(category)
    return Ratings(
        scale=grades.scale,
        **_finished(arrays, rows, weight, timestamp, real=grades.scale.is_real),
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
    )


def _finished(
    arrays: dict[str, Any],
    rows: NDArray[np.bool_] | None,
    weight: NDArray[np.float64] | None,
    timestamp: NDArray[Any] | None,
    *,
    real: bool,
) -> dict[str, Any]:
    """The arrays of Ratings, read-only; `weight` and `timestamp` (kept rows,) come in the order of the input."""
    rating, row = arrays.pop("rating"), arrays["row"]
    empty: NDArray[Any] = np.empty(0, dtype=np.uint8 if real else np.float64)
    arrays |= {
        "row": row if rows is None else np.flatnonzero(rows)[row].astype(np.uint32),
        "weight": None if weight is None else weight[row],
        "timestamp": None if timestamp is None else timestamp[row],
        "grade": empty if real else rating,
        "real": rating if real else empty,
    }
    for array in arrays.values():
        if array is not None:
            array.flags.writeable = False
    return arrays


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
    of_instance = np.empty(len(instance.labels), dtype=np.int32)
    of_instance[instance.index[::-1]] = code[::-1]  # back to front: the first row decides
    other = of_instance[instance.index] != code
    if other.any():
        at = int(np.argmax(other))
        row = at if rows is None else int(np.flatnonzero(rows)[at])
        here, before = (table.label_of(int(c)) for c in (code[at], of_instance[instance.index[at]]))
        raise IdError(
            f"{columns.where}: {columns.row_label(row)}: instance '{instance.labels[int(instance.index[at])]}' is in "
            f"category '{here}' here and in '{before}' before; give each instance one category"
        )
    return of_instance, table


def _sorted(
    instance: NDArray[np.int32],
    annotator: NDArray[np.int32],
    rating: NDArray[Any],
    weight: NDArray[np.float64] | None,
    n_instances: int,
) -> dict[str, Any]:
    arrays: dict[str, Any] = {
        "instance_ptr": np.empty(n_instances + 1, dtype=np.int64),
        "row": np.empty(instance.size, dtype=np.uint32),
        "annotator": np.empty_like(annotator),
        "rating": np.empty_like(rating),
    }
    out = {f"{name}_out": array for name, array in arrays.items()}
    _kernel.csr_sort(instance, annotator, rating, weight, threads=default_threads(), **out)
    return arrays


def _repeats(arrays: dict[str, Any], duplicates: Duplicates) -> tuple[int, NDArray[np.bool_]]:
    """How many ratings are repeats by the same annotator on the same instance, and which ones to keep (L,)."""
    annotator, row = arrays["annotator"], arrays["row"]
    new = np.ones(annotator.size, dtype=bool)
    new[1:] = annotator[1:] != annotator[:-1]
    new[arrays["instance_ptr"][:-1]] = True
    n_repeats = int(annotator.size - np.count_nonzero(new))
    if n_repeats == 0 or duplicates == "keep":
        return n_repeats, new
    choose = np.maximum if duplicates == "last" else np.minimum
    chosen = choose.reduceat(row, np.flatnonzero(new))
    return n_repeats, row == chosen[np.cumsum(new) - 1]


def _repeated(
    columns: Columns,
    arrays: dict[str, Any],
    kept: NDArray[np.bool_],
    rows: NDArray[np.bool_] | None,
    annotators: IdTable,
    instances: IdTable,
) -> RatingError:
    """The error that names the first row whose annotator has rated its instance before."""
    repeated = np.flatnonzero(~kept)
    at = int(repeated[np.argmin(arrays["row"][repeated])])
    row = int(arrays["row"][at] if rows is None else np.flatnonzero(rows)[arrays["row"][at]])
    annotator = annotators.label_of(arrays["annotator"][at])
    instance = instances.label_of(int(np.searchsorted(arrays["instance_ptr"], at, side="right")) - 1)
    return RatingError(
        f"{columns.where}: {columns.row_label(row)}: annotator '{annotator}' rated instance '{instance}' "
        "more than once; pass --duplicates keep, first or last"
    )


def _only(arrays: dict[str, Any], kept: NDArray[np.bool_]) -> dict[str, Any]:
    before = np.concatenate([[0], np.cumsum(kept)])
    return {
        "instance_ptr": before[arrays["instance_ptr"]],
        **{name: arrays[name][kept] for name in ("row", "annotator", "rating")},
    }


def _weights(columns: Columns) -> NDArray[np.float64] | None:
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
