"""Where the passes of a fit run. Models speak to an :class:`Engine` alone and do not know which one it is.

A fit never sees all ratings at once. It sees parts, one per shard, and sums that come back.
"""

from __future__ import annotations

from truegrade.engines.protocol import Engine, Placed, States
from truegrade.engines.shards import MemoryShards, ShardedRatings, cut, require_ratings
from truegrade.engines.threaded import ThreadsEngine

__all__ = [
    "Engine",
    "MemoryShards",
    "Placed",
    "ShardedRatings",
    "States",
    "ThreadsEngine",
    "cut",
    "engine_for",
    "require_ratings",
]


def engine_for(ratings: object, engine: Engine | None) -> Engine:
    """The engine that was asked for, or the one that ratings of this kind belong to."""
    if engine is not None:
        return engine
    return ratings.engine() if isinstance(ratings, ShardedRatings) else ThreadsEngine()
