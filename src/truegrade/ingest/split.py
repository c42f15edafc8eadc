"""The second look at an input: rows become codes and are dealt out to the shards. Instances keep their ids."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from truegrade.encode import read_weights
from truegrade.ids import IndexedIds, hash_ids, index_ids

if TYPE_CHECKING:
    import pyarrow as pa
    from numpy.typing import NDArray

    from truegrade.columns import Columns
    from truegrade.ids import IdTable
    from truegrade.ingest.cut import Cut
    from truegrade.ingest.id_numbers import IdNumbers
    from truegrade.ingest.survey import Settled
    from truegrade.readers.dataset import Batch

__all__ = ["split"]


def split(batch: Batch, settled: Settled, cut: Cut) -> list[tuple[int, pa.RecordBatch]]:
    """The rows of a batch that hold a rating, by shard, in the order of the input.

    Columns: row (of the whole input), annotator, rating, [category,] [weight,] all as codes; instance as it came.
    """
    import pyarrow as pa

    columns = batch.columns
    weight = read_weights(columns)
    cells = settled.rules.cells(columns, weight)
    rows = cells.rows
    kept = np.arange(cells.index.size) if rows is None else np.flatnonzero(rows)
    if not kept.size:
        return []
    instance = index_ids(columns.take("instance"), "instance", columns.where, rows, columns.row_label)
    category = None
    if settled.categories is not None:
        category = _codes(columns, "category", rows, settled.category_numbers, settled.categories)
    shard = cut.shard_of(hash_ids(instance.labels)[instance.index], category)
    order = np.argsort(shard.astype(np.min_scalar_type(cut.n_shards)), kind="stable")
    row = kept + (settled.first_row(batch.file) + batch.first)
    row = row.astype(np.uint32 if settled.n_rows < 2**32 else np.uint64)
    arrays: dict[str, Any] = {
        "row": row[order],
        "annotator": _codes(columns, "annotator", rows, settled.annotator_numbers, settled.annotators)[order],
        "rating": cells.on(settled.scale)[order],
    }
    if category is not None:
        arrays["category"] = category[order]
    if weight is not None:
        arrays["weight"] = weight[kept[order]]
    arrays["instance"] = instance.labels.take(pa.array(instance.index[order]))
    dealt = pa.RecordBatch.from_pydict(arrays)
    ends = np.cumsum(np.bincount(shard, minlength=cut.n_shards))
    begins = np.concatenate([[0], ends[:-1]])
    return [(int(s), dealt.slice(begins[s], ends[s] - begins[s])) for s in np.flatnonzero(ends > begins)]


def _codes(
    columns: Columns, role: str, rows: NDArray[np.bool_] | None, numbers: IdNumbers, table: IdTable
) -> NDArray[np.int32]:
    """The global code of each kept row (kept rows,)."""
    found: IndexedIds = index_ids(columns.take(role), role, columns.where, rows, columns.row_label)
    return table.code[numbers.of(found.labels)][found.index]
