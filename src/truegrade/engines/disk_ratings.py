"""Ratings whose shards are on scratch, mapped into memory while somebody looks at them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from hashlib import blake2b
from typing import TYPE_CHECKING, Any

import numpy as np

from truegrade.engines.shards import ShardedRatings, joined_ids
from truegrade.ingest.claims import first_rows
from truegrade.ratings import texts_and_zeros, whole_numbers

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from truegrade.engines.protocol import Engine
    from truegrade.engines.scratch import Scratch
    from truegrade.engines.stored import Stored
    from truegrade.ids import IdTable
    from truegrade.ratings import Ratings

__all__ = ["DiskRatings"]


@dataclass(frozen=True, kw_only=True)
class DiskRatings(ShardedRatings):
    """What :func:`truegrade.stream` makes. The scratch files go when this goes."""

    scratch: Scratch
    stored: tuple[Stored, ...]  # one Ratings each
    whole_weights: bool  # every instance has a whole number of ratings, weights added up

    def __repr__(self) -> str:
        counts = f"{self.n_ratings} ratings of {self.n_instances} instances by {self.n_annotators} annotators"
        return f"DiskRatings({counts} on {self.scale}, {len(self.stored)} shards)"

    def shard(self, index: int) -> Ratings:
        """One of the shards, which stays mapped as long as its arrays are in use."""
        with self.stored[index].opened() as opened:
            found: Ratings = opened.thing
            return found

    def shards(self) -> Iterator[Ratings]:
        """All of them, in order; each is out of memory before the next comes in."""
        for stored in self.stored:
            with stored.opened() as opened:
                yield opened.thing

    def engine(self) -> Engine:
        """They are fitted from where they are."""
        from truegrade.engines.disk import DiskEngine

        return DiskEngine()

    @property
    def offsets(self) -> NDArray[np.int64]:
        """The code of the first instance of each shard, and M at the end."""
        return np.concatenate([[0], np.cumsum(self.sizes)])

    @cached_property
    def digest(self) -> str:
        """A fingerprint of the content, whatever order the rows came in: that of the same ratings in memory."""
        digest, start = blake2b(digest_size=16), 0
        digest.update(repr(self.scale).encode())
        digest.update(np.zeros(1, dtype=np.int64).data)
        for shard in self.shards():
            digest.update((shard.instance_ptr[1:] + start).data)
            start += shard.n_ratings
        for name in ("annotator", "grade", "real", "weight", "category"):
            for shard in self.shards():
                if (array := getattr(shard, name)) is not None:
                    digest.update(array.data)
        digest.update(texts_and_zeros(self.annotators))
        for shard in self.shards():
            digest.update(texts_and_zeros(shard.instances))
        if self.categories is not None:
            digest.update(texts_and_zeros(self.categories))
        return digest.hexdigest()

    @property
    def instances(self) -> IdTable:
        """The ids of all instances, in memory."""
        return joined_ids([(first_rows(s), s.instances.labels, s.instances.code) for s in self.shards()])

    @property
    def category(self) -> NDArray[np.int32] | None:
        """The category of every instance (M,), in memory."""
        parts = [shard.category for shard in self.shards()]
        return None if self.categories is None else np.concatenate([part for part in parts if part is not None])

    def weight_per_instance(self) -> NDArray[Any]:
        """How many ratings each instance has (M,), in memory; whole numbers where all are."""
        parts = [shard.weight_per_instance() for shard in self.shards()]
        return whole_numbers(np.concatenate(parts))
