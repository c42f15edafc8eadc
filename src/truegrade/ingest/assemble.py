"""The rows of one shard become Ratings whose annotators and categories have the codes of the whole input."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from truegrade.encode import category_of, finished
from truegrade.ids import IndexedIds, index_arrow
from truegrade.ingest.claims import ShardRatings
from truegrade.sorting import csr_sorted, find_repeats, only, repeated

if TYPE_CHECKING:
    from collections.abc import Sequence

    import pyarrow as pa

    from truegrade.ingest.survey import Settled
    from truegrade.ratings import Ratings

__all__ = ["assemble_shard"]


def assemble_shard(pieces: Sequence[pa.RecordBatch], settled: Settled) -> Ratings:
    """What :func:`~truegrade.ingest.split.split` dealt out to one shard, in the order of the input, as Ratings.

    Shards laid end to end are the Ratings of the whole input: in the same order, with the same codes, but for those of
    instances, which begin at 0 in every shard.
    """
    import pyarrow as pa

    dealt = pa.Table.from_batches(pieces)
    columns = {name: dealt[name].to_numpy() for name in dealt.column_names if name != "instance"}
    instance = IndexedIds(*index_arrow(dealt["instance"]))
    del dealt
    category = None
    if settled.categories is not None:
        category = category_of(
            instance, columns.pop("category"), settled.categories, columns["row"], settled.where, settled.row_label
        )
    instances = instance.table(category)
    first_row = np.empty(len(instances), dtype=columns["row"].dtype)
    first_row[instance.index[::-1]] = columns["row"][::-1]  # of several rows the first one is written last
    code, weight, rating = instances.code[instance.index], columns.get("weight"), columns.pop("rating")
    del instance
    arrays = csr_sorted(code, columns.pop("annotator"), rating, weight, len(instances))
    del code, rating
    n_repeats, kept = find_repeats(arrays, settled.rules.duplicates)
    if settled.rules.duplicates == "error" and n_repeats:
        where, label = settled.where, settled.row_label
        raise repeated(arrays, kept, columns["row"], where, label, settled.annotators, instances)
    if settled.rules.duplicates != "keep" and n_repeats:
        arrays = only(arrays, kept)
    arrays["category"] = None if category is None else np.sort(category)
    done: dict[str, Any] = finished(arrays, columns["row"], weight, None, real=settled.scale.is_real)
    return ShardRatings(
        first_row=first_row,
        scale=settled.scale,
        **done,
        annotators=settled.annotators,
        instances=instances,
        categories=settled.categories,
        n_rows=columns["row"].size,
        n_dropped=0,
        n_missing=0,
        n_repeats=n_repeats,
        unobserved=(),
        library="pyarrow",
        where=settled.where,
        columns=settled.names,
    )
