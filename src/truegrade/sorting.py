"""Codes of ratings put in order, and ratings that repeat others found."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from truegrade import _kernel
from truegrade.errors import RatingError
from truegrade.threads import default_threads

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from truegrade.ids import IdTable
    from truegrade.ratings import Duplicates

__all__ = ["csr_sorted", "find_repeats", "only", "repeated"]


def csr_sorted(
    instance: NDArray[np.int32],
    annotator: NDArray[np.int32],
    rating: NDArray[Any],
    weight: NDArray[np.float64] | None,
    n_instances: int,
) -> dict[str, Any]:
    """Ratings in the order of instance, annotator and grade: instance_ptr (M+1,); row, annotator, rating (L,)."""
    arrays: dict[str, Any] = {
        "instance_ptr": np.empty(n_instances + 1, dtype=np.int64),
        "row": np.empty(instance.size, dtype=np.uint32),
        "annotator": np.empty_like(annotator),
        "rating": np.empty_like(rating),
    }
    out = {f"{name}_out": array for name, array in arrays.items()}
    _kernel.csr_sort(instance, annotator, rating, weight, threads=default_threads(), **out)
    return arrays


def find_repeats(arrays: dict[str, Any], duplicates: Duplicates) -> tuple[int, NDArray[np.bool_]]:
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


def repeated(
    arrays: dict[str, Any],
    kept: NDArray[np.bool_],
    row_of: NDArray[Any] | None,
    where: str,
    row_label: Callable[[int], str],
    annotators: IdTable,
    instances: IdTable,
) -> RatingError:
    """The error that names the first row whose annotator has rated its instance before; row_of (L,): input rows."""
    again = np.flatnonzero(~kept)
    at = int(again[np.argmin(arrays["row"][again])])
    row = int(arrays["row"][at] if row_of is None else row_of[arrays["row"][at]])
    annotator = annotators.label_of(arrays["annotator"][at])
    instance = instances.label_of(int(np.searchsorted(arrays["instance_ptr"], at, side="right")) - 1)
    return RatingError(
        f"{where}: {row_label(row)}: annotator '{annotator}' rated instance '{instance}' "
        "more than once; pass --duplicates keep, first or last"
    )


def only(arrays: dict[str, Any], kept: NDArray[np.bool_]) -> dict[str, Any]:
    """The sorted arrays of the kept ratings (L,)."""
    before = np.concatenate([[0], np.cumsum(kept)])
    return {
        "instance_ptr": before[arrays["instance_ptr"]],
        **{name: arrays[name][kept] for name in ("row", "annotator", "rating")},
    }
