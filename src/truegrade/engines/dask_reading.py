"""Files, or a Dask DataFrame, become shards on the workers; this process sees ids of annotators and counts alone.

Each file, or partition, is looked at by one task and dealt out by another; a shard is made of what it was dealt.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from truegrade.engines.dask_ratings import DaskRatings
from truegrade.engines.held import Held
from truegrade.errors import IdError
from truegrade.ingest.assemble import assemble_shard
from truegrade.ingest.claims import claims_of, contradictions
from truegrade.ingest.cut import Cut
from truegrade.ingest.split import split
from truegrade.ingest.survey import SURVEYED, Rules, Survey, settle, survey
from truegrade.readers.dataset import Batch, Dataset

if TYPE_CHECKING:
    import pyarrow as pa

    from truegrade.engines.cluster import Cluster
    from truegrade.ingest.survey import Settled
    from truegrade.ratings import Ratings
    from truegrade.roles import Roles

__all__ = ["FilePartition", "FramePartition", "FrameSource", "Partition", "read_partitions"]

_ROWS = 1 << 18  # that are read at once
_SHARD = 1 << 26  # rows of a shard, at most: half a gigabyte


@dataclass(frozen=True)
class FilePartition:
    """One file of a dataset that all workers can open."""

    dataset: Dataset
    file: int

    def batches(self, given: None, roles: tuple[str, ...] | None) -> Iterator[Batch]:
        """Its rows."""
        return self.dataset.batches(_ROWS, roles, [self.file])


@dataclass(frozen=True)
class FramePartition:
    """One partition of a Dask DataFrame."""

    roles: Roles
    file: int

    def batches(self, given: Any, roles: tuple[str, ...] | None) -> Iterator[Batch]:
        """Its rows: those of the frame that is given."""
        from truegrade.frames import frame_columns

        yield Batch(frame_columns(given, self.roles), self.file, 0)


Partition = FilePartition | FramePartition


@dataclass(frozen=True)
class FrameSource:
    """What a Dataset is for files."""

    roles: Roles
    frame: Any
    where: str = "the frame"

    @property
    def files(self) -> tuple[str, ...]:
        """What messages call the partitions."""
        return tuple(f"partition {number + 1}" for number in range(self.frame.npartitions))


def read_partitions(
    cluster: Cluster,
    partitions: list[tuple[Partition, Any]],
    source: Dataset | FrameSource,
    rules: Rules,
    shards: int,
    library: str,
) -> DaskRatings:
    """Shards of all partitions, so many at least. Each partition comes with the future of its frame, or None."""
    found = Survey()
    for part in cluster.results([cluster.submit(_surveyed, p, given, rules) for p, given in partitions]):
        found.join(part)
    settled = settle(found, source, rules)
    rows = max(min(-(-settled.n_kept // shards), _SHARD), 1)
    cut = Cut.of(settled, rows)
    plan = cluster.submit(_plan, Held((settled, cut)))
    dealt = [cluster.submit(_dealt, partition, given, plan) for partition, given in partitions]
    pieces = [[cluster.submit(_piece, deal, shard) for deal in dealt] for shard in range(cut.n_shards)]
    held = cluster.spread(_assembled, [(plan, *its) for its in pieces])
    del dealt, pieces
    facts = list(cluster.results([cluster.submit(_facts, shard) for shard in held]))
    held = [shard for shard, fact in zip(held, facts, strict=True) if fact is not None]
    counts = np.array([fact for fact in facts if fact is not None])  # (shards, 4)
    if settled.categories is not None and len(held) > 1:
        told = cluster.result(cluster.submit(_contradiction, plan, *(cluster.submit(claims_of, one) for one in held)))
        if told:
            raise IdError(told)
    return DaskRatings(
        cluster=cluster,
        held=tuple(held),
        sizes=tuple(int(size) for size in counts[:, 0]),
        scale=settled.scale,
        annotators=settled.annotators,
        categories=settled.categories,
        n_ratings=int(counts[:, 1].sum()),
        n_repeats=int(counts[:, 2].sum()),
        total_weight=float(counts[:, 3].sum()),
        n_rows=settled.n_rows,
        n_dropped=settled.n_dropped,
        n_missing=settled.n_missing,
        unobserved=settled.unobserved,
        library=library,
        where=settled.where,
        columns=settled.names,
    )


# What runs on the workers.


def _surveyed(partition: Partition, given: Any, rules: Rules) -> Survey:
    return survey(partition.batches(given, SURVEYED), rules)


def _dealt(partition: Partition, given: Any, plan: tuple[Settled, Cut]) -> dict[int, list[bytes]]:
    """The rows of each shard, as Arrow's messages: slices of a batch would travel as the whole of it."""
    settled, cut = plan
    found: dict[int, list[bytes]] = {}
    for batch in partition.batches(given, None):
        for shard, piece in split(batch, settled, cut):
            found.setdefault(shard, []).append(_message(piece))
    return found


def _plan(plan: tuple[Settled, Cut]) -> tuple[Settled, Cut]:
    return plan


def _piece(dealt: dict[int, list[bytes]], shard: int) -> list[bytes]:
    return dealt.get(shard, [])


def _assembled(plan: tuple[Settled, Cut], *pieces: list[bytes]) -> Ratings | None:
    batches = [batch for piece in pieces for message in piece for batch in _batches(message)]
    return assemble_shard(batches, plan[0]) if batches else None


def _facts(shard: Ratings | None) -> tuple[float, ...] | None:
    return None if shard is None else (shard.n_instances, shard.n_ratings, shard.n_repeats, shard.total_weight)


def _contradiction(plan: tuple[Settled, Cut], *claims: Any) -> str:
    """What is wrong about the first instance that stands in two categories, if any does."""
    settled = plan[0]
    found = contradictions(np.concatenate(claims))
    if not found or settled.categories is None:
        return ""
    now, then = (settled.categories.label_of(code) for code in (found[0].category, found[0].other))
    return (
        f"{settled.where}: {settled.row_label(found[0].row)}: its instance is in category '{now}' here and in '{then}' "
        f"in {settled.row_label(found[0].other_row)}; give each instance one category"
    )


def _message(batch: pa.RecordBatch) -> bytes:
    import pyarrow as pa

    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, batch.schema) as writer:
        writer.write_batch(batch)
    message: bytes = sink.getvalue().to_pybytes()
    return message


def _batches(message: bytes) -> list[pa.RecordBatch]:
    import pyarrow as pa

    with pa.ipc.open_stream(message) as reader:
        return list(reader)
