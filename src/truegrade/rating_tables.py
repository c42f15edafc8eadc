"""Tables with one row per rating, or per pair of an annotator and an instance, with the user's ids."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from truegrade.frames import array_columns
from truegrade.ids import index_ids
from truegrade.joining import join

if TYPE_CHECKING:
    from collections.abc import Sequence

    import pyarrow as pa
    from numpy.typing import NDArray

    from truegrade.ids import IdTable
    from truegrade.ratings import Ratings

__all__ = ["Pairs", "rating_table"]


def rating_table(ratings: Ratings, **columns: NDArray[np.float64]) -> pa.Table:
    """The ratings as they came, in the order of the input's rows, with columns (L,) in the order of `ratings`."""
    import pyarrow as pa

    order = np.argsort(ratings.row)
    table: dict[str, Any] = {
        "row": pa.array(ratings.row[order]),
        "annotator": ratings.annotators.labels_of(ratings.annotator[order]),
        "instance": ratings.instances.labels_of(ratings.instance_of()[order]),
        "rating": pa.array(ratings.real[order]) if ratings.scale.is_real else ratings.scale.cells(ratings.grade[order]),
    }
    return pa.table(table | {name: pa.array(column[order]) for name, column in columns.items()})


@dataclass(frozen=True)
class Pairs:
    """P pairs of an annotator and an instance, as given and as codes."""

    annotator_ids: pa.Array  # (P,)
    instance_ids: pa.Array  # (P,)
    annotator: NDArray[np.int64]  # (P,): -1 = not known
    instance: NDArray[np.int64]  # (P,)

    @classmethod
    def of(cls, annotator: Sequence[Any], instance: Sequence[Any], annotators: IdTable, instances: IdTable) -> Pairs:
        """Find the ids of each pair among those of a fit."""
        columns = array_columns(annotator=annotator, instance=instance, rating=[0] * len(annotator))
        found = [
            _found(columns.take(role), role, ids) for role, ids in (("annotator", annotators), ("instance", instances))
        ]
        return cls(found[0][0], found[1][0], found[0][1], found[1][1])

    def table(self, columns: dict[str, NDArray[np.float64]]) -> pa.Table:
        """One row per pair, with columns (P,)."""
        import pyarrow as pa

        ids = {"annotator": self.annotator_ids, "instance": self.instance_ids}
        return pa.table(ids | {name: pa.array(column) for name, column in columns.items()})


def _found(column: Any, role: str, known: IdTable) -> tuple[pa.Array, NDArray[np.int64]]:
    indexed = index_ids(column, role, "the pairs")
    position = join(indexed.labels, known.labels, indexed.objects, known.objects).position
    code = np.where(position < 0, -1, known.code[position])
    return indexed.labels.take(indexed.index), code[indexed.index]
