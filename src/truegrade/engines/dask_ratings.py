"""Ratings whose shards lie on the workers of a Dask cluster; only what is as large as the annotators is fetched."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from hashlib import blake2b
from typing import TYPE_CHECKING, Any

import numpy as np

from truegrade.engines.shards import ShardedRatings, joined_ids
from truegrade.ratings import whole_numbers

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from numpy.typing import NDArray

    from truegrade.engines.cluster import Cluster
    from truegrade.engines.protocol import Engine
    from truegrade.ids import IdTable
    from truegrade.ratings import Ratings

__all__ = ["DaskRatings"]


@dataclass(frozen=True, kw_only=True)
class DaskRatings(ShardedRatings):
    """What `DaskEngine.read` and `DaskEngine.from_frame` make."""

    cluster: Cluster
    held: tuple[Any, ...]  # a future of the Ratings of each shard

    def __repr__(self) -> str:
        counts = f"{self.n_ratings} ratings of {self.n_instances} instances by {self.n_annotators} annotators"
        return f"DaskRatings({counts} on {self.scale}, {len(self.held)} shards)"

    def shard(self, index: int) -> Ratings:
        """One of the shards, fetched."""
        found: Ratings = self.cluster.result(self.held[index])
        return found

    def engine(self) -> Engine:
        """They are fitted where they are."""
        from truegrade.engines.dask import DaskEngine

        return DaskEngine(self.cluster.client)

    def each(self, look: Callable[[Ratings], Any]) -> Iterator[Any]:
        """What look(shard) finds, shard by shard; it runs on the workers."""
        return self.cluster.results([self.cluster.submit(look, held) for held in self.held])

    @cached_property
    def digest(self) -> str:
        """A fingerprint of the content and of the cut, whatever order the rows came in: that of the shards' own."""
        digest = blake2b(digest_size=16)
        for own in self.each(_digest):
            digest.update(own.encode())
        return digest.hexdigest()

    @property
    def instances(self) -> IdTable:
        """The ids of all instances, fetched."""
        return joined_ids(list(self.each(_ids)))

    @property
    def category(self) -> NDArray[np.int32] | None:
        """The category of every instance (M,), fetched."""
        return None if self.categories is None else np.concatenate(list(self.each(_category)))

    def weight_per_instance(self) -> NDArray[Any]:
        """How many ratings each instance has (M,), fetched; whole numbers where all are."""
        return whole_numbers(np.concatenate(list(self.each(_weights))))


def _digest(shard: Ratings) -> str:
    return shard.digest


def _ids(shard: Ratings) -> Any:
    from truegrade.ingest.claims import first_rows

    return first_rows(shard), shard.instances.labels, shard.instances.code


def _category(shard: Ratings) -> Any:
    return shard.category


def _weights(shard: Ratings) -> Any:
    return shard.weight_per_instance()
