"""Where the ratings are cut into shards: at ranges of (category, hash of the instance), the order of the codes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from truegrade.ingest.survey import Settled

__all__ = ["Cut"]

_HIGH = np.uint64(32)  # the upper half of a hash times a number of parts still fits into 64 bits


@dataclass(frozen=True)
class Cut:
    """Categories share a shard, have one of their own, or, where they are too big for one, several."""

    first: NDArray[np.int64]  # (C,): the shard in which each category begins; C = 1 without categories
    parts: NDArray[np.int64]  # (C,): how many shards it is cut into, by equal ranges of the instances' hashes
    n_shards: int

    @classmethod
    def of(cls, settled: Settled, rows: int) -> Cut:
        """Cut so that a shard holds about so many rows, at most."""
        sizes = settled.rows_of_category
        counts = [settled.n_kept] if sizes is None else sizes.tolist()
        first, parts = np.zeros(len(counts), dtype=np.int64), np.ones(len(counts), dtype=np.int64)
        shard, held = 0, 0
        for category, count in enumerate(counts):
            if held and held + count > rows:
                shard, held = shard + 1, 0
            first[category] = shard
            parts[category] = max(-(-count // rows), 1)
            shard += int(parts[category]) - 1
            held = rows if parts[category] > 1 else held + count
        return cls(first, parts, shard + 1)

    def shard_of(self, hashes: NDArray[np.uint64], category: NDArray[np.int32] | None) -> NDArray[np.int32]:
        """The shard of each rating (L,), from the hash of its instance and its category."""
        of = np.zeros(1, dtype=np.int32) if category is None else category
        part = (hashes >> _HIGH) * self.parts[of].astype(np.uint64) >> _HIGH
        return (self.first[of] + part.astype(np.int64)).astype(np.int32)
