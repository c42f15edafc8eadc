"""Files of any size onto scratch, as shards: two passes over the files, under a budget of memory."""

from __future__ import annotations

import ctypes
import os
import resource
from collections.abc import Callable, Iterator, Sequence
from importlib import import_module
from typing import TYPE_CHECKING, Any

import numpy as np

from truegrade.engines.disk_ratings import DiskRatings
from truegrade.engines.memory import Memory
from truegrade.engines.scratch import Scratch, ScratchFile
from truegrade.engines.stored import Stored
from truegrade.errors import IdError
from truegrade.ingest.assemble import assemble_shard
from truegrade.ingest.claims import CLAIM, claims_of, contradictions, first_rows
from truegrade.ingest.cut import Cut
from truegrade.ingest.split import split
from truegrade.ingest.survey import SURVEYED, Rules, settle, survey
from truegrade.readers.dataset import Dataset
from truegrade.roles import Roles

if TYPE_CHECKING:
    import pyarrow as pa

    from truegrade.ingest.survey import Settled
    from truegrade.ratings import Duplicates, Missing, Ratings
    from truegrade.readers.dataset import Batch
    from truegrade.scale import Scale

__all__ = ["RowsRead", "make_ready", "stream"]

RowsRead = Callable[[str, int], None]  # what is being done, and how many rows of it are done

_MMAP_THRESHOLD = -3  # mallopt's name for the size from which on memory is asked for, and given back, by itself
_OPEN_FILES = 64  # beside those of the shards
_FILES_PER_SHARD = 6  # its rows, ratings, part and states


def stream(  # noqa: PLR0913  one argument per role and rule
    source: str | os.PathLike[str],
    *,
    memory: str,
    scratch: str | os.PathLike[str] = "",
    annotator: str = "",
    instance: str = "",
    rating: str = "",
    category: str = "",
    weight: str = "",
    wide: bool = False,
    scale: Scale | str | Sequence[Any] | None = None,
    drop_values: Sequence[Any] = (),
    missing: Missing = "error",
    duplicates: Duplicates = "keep",
    shards: int | None = None,
    progress: RowsRead | None = None,
) -> DiskRatings:
    """Ratings larger than memory, from a Parquet, Arrow or delimited file or a folder of them.

    memory: a budget for the whole process, like ``"4GB"``. scratch: a folder for temporary files. shards: how many to
    cut into, instead of as many as the budget asks for. progress: called with what is being done and the rows done.
    The other arguments are those of :func:`truegrade.read`.
    """
    make_ready()
    budget, room = Memory.parse(memory), Scratch(scratch)
    dataset = Dataset.open(source, Roles(annotator, instance, rating, category, weight), wide=wide)
    rules = Rules(scale, drop_values, missing, duplicates)
    rows = budget.batch()
    settled = settle(survey(_told(dataset.batches(rows, SURVEYED), "looked at", progress), rules), dataset, rules)
    planned = budget.rows_of_shard(settled) if shards is None else -(-settled.n_kept // shards)
    dealt = _dealt(_told(dataset.batches(rows), "read", progress), settled, Cut.of(settled, planned), room)
    if shards is None:
        budget.check_shard(max(rows for _, rows in dealt), planned, settled)
    return _assembled([file for file, _ in dealt], settled, room, progress)


def make_ready() -> None:
    """Import now what weighs much, so that what is left of the budget is known; give back at once what is freed."""
    for name in ("pyarrow.compute", "pyarrow.csv", "pyarrow.parquet", "scipy.special"):
        import_module(name)
    allocator = ctypes.CDLL(None)
    if hasattr(allocator, "mallopt"):  # else the C library keeps arrays of some size for later ones
        allocator.mallopt(_MMAP_THRESHOLD, 1 << 20)


def _told(batches: Iterator[Batch], what: str, progress: RowsRead | None) -> Iterator[Batch]:
    """The batches, and news of them; what decoding took is given back after each."""
    import pyarrow as pa

    rows = 0
    for batch in batches:
        rows += len(batch.columns.rating)
        yield batch
        del batch
        pa.default_memory_pool().release_unused()
        if progress is not None:
            progress(what, rows)


def _dealt(batches: Iterator[Batch], settled: Settled, cut: Cut, room: Scratch) -> list[tuple[ScratchFile, int]]:
    """The rows of each shard that has some, as messages of Arrow's stream format; and how many."""
    _allow_files(cut.n_shards * _FILES_PER_SHARD + _OPEN_FILES)
    files, rows = [room.file() for _ in range(cut.n_shards)], [0] * cut.n_shards
    for batch in batches:
        for shard, piece in split(batch, settled, cut):
            if not files[shard].size:
                files[shard].append(piece.schema.serialize())
            files[shard].append(piece.serialize())
            rows[shard] += piece.num_rows
    return [(file, held) for file, held in zip(files, rows, strict=True) if held]


def _allow_files(wanted: int) -> None:
    """Let this process have so many files open, as far as it may."""
    now, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    if now < wanted:
        resource.setrlimit(resource.RLIMIT_NOFILE, (min(wanted, most), most))


def _pieces(file: ScratchFile) -> list[pa.RecordBatch]:
    import pyarrow as pa

    with pa.ipc.open_stream(pa.py_buffer(file.mapped().view)) as reader:
        return list(reader)


def _assembled(dealt: list[ScratchFile], settled: Settled, room: Scratch, progress: RowsRead | None) -> DiskRatings:
    """The shards, put in order one by one."""
    import pyarrow as pa

    shared = [settled.annotators, settled.categories, settled.scale]
    claims = _Claims(room, len(dealt)) if settled.categories is not None and len(dealt) > 1 else None
    stored, sizes, counts, weight, whole = [], [], np.zeros(3, dtype=np.int64), 0.0, True
    while dealt:
        file = dealt.pop(0)
        pieces = _pieces(file)
        shard = assemble_shard(pieces, settled)
        del pieces
        file.close()
        pa.default_memory_pool().release_unused()
        if claims is not None:
            claims.add(shard)
        stored.append(Stored.of(shard, room, shared))
        sizes.append(shard.n_instances)
        counts += shard.n_ratings, shard.n_repeats, shard.n_rows
        weight += shard.total_weight
        whole = whole and shard.weight_per_instance().dtype.kind == "i"
        if progress is not None:
            progress("sorted", int(counts[2]))
        del shard
    found = DiskRatings(
        scratch=room,
        stored=tuple(stored),
        whole_weights=whole,
        sizes=tuple(sizes),
        scale=settled.scale,
        annotators=settled.annotators,
        categories=settled.categories,
        n_ratings=int(counts[0]),
        n_repeats=int(counts[1]),
        total_weight=weight,
        n_rows=settled.n_rows,
        n_dropped=settled.n_dropped,
        n_missing=settled.n_missing,
        unobserved=settled.unobserved,
        library="pyarrow",
        where=settled.where,
        columns=settled.names,
    )
    if claims is not None:
        claims.check(found, settled)
    return found


class _Claims:
    """What the shards say of the categories of their instances, dealt out by the hash of the instance."""

    def __init__(self, room: Scratch, files: int) -> None:
        self._files = [room.file() for _ in range(files)]

    def add(self, shard: Ratings) -> None:
        claims = claims_of(shard)
        of = (claims["hash"] % np.uint64(len(self._files))).astype(np.int64)
        claims = claims[np.argsort(of, kind="stable")]
        ends = np.cumsum(np.bincount(of, minlength=len(self._files)))
        for file, its in zip(self._files, np.split(claims, ends[:-1]), strict=True):
            file.append(its.tobytes())

    def check(self, ratings: DiskRatings, settled: Settled) -> None:
        """Refuse an instance in two categories."""
        found = [one for file in self._files for one in contradictions(np.frombuffer(file.mapped().view, dtype=CLAIM))]
        for one in sorted(found, key=lambda contradiction: contradiction.row):
            here, before = _instance_in(one.row, ratings), _instance_in(one.other_row, ratings)
            if here == before and settled.categories is not None:
                now, then = (settled.categories.label_of(code) for code in (one.category, one.other))
                raise IdError(
                    f"{settled.where}: {settled.row_label(one.row)}: instance '{here}' is in category '{now}' here "
                    f"and in '{then}' before; give each instance one category"
                )


def _instance_in(row: int, ratings: DiskRatings) -> str:
    """The id of the instance that first appears in a row."""
    for shard in ratings.shards():
        if (at := np.flatnonzero(first_rows(shard) == row)).size:
            return str(shard.instances.labels[int(at[0])])
    return ""
