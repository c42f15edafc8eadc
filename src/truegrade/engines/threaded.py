"""The engine of ratings in memory: parts and states are plain objects, passes run in this process."""

from __future__ import annotations

from dataclasses import dataclass
from functools import reduce
from operator import add
from typing import TYPE_CHECKING, Any, Self, TypeVar

from truegrade.engines.shards import ShardedRatings
from truegrade.threads import default_threads

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from truegrade.ratings import Ratings

__all__ = ["ThreadsEngine"]

T = TypeVar("T")

_LARGE = 1_000_000  # ratings; from here on a pass is cut into pieces instead of running several starts at once


@dataclass(frozen=True)
class ThreadsEngine:
    """Small data: several starts at the same time. Large data: one at a time, each pass on all threads."""

    def place(
        self, ratings: Ratings | ShardedRatings, make: Callable[[Ratings, int], Any], *, starts: int = 1
    ) -> InMemory:
        """See :class:`truegrade.engines.protocol.Engine`. Ratings that are no shards are the only one."""
        threads = default_threads()
        together = min(threads, starts) if ratings.n_ratings < _LARGE else 1
        shards = ratings.shards() if isinstance(ratings, ShardedRatings) else [ratings]
        sizes = ratings.sizes if isinstance(ratings, ShardedRatings) else [ratings.n_instances]
        return InMemory(ratings, sizes, together, [make(shard, threads // together) for shard in shards])


@dataclass(frozen=True)
class InMemory:
    """See :class:`truegrade.engines.protocol.Placed`. States are a list, one per shard."""

    ratings: Ratings | ShardedRatings
    sizes: Sequence[int]
    together: int
    parts: list[Any]

    def begin(self, first: Callable[[Any, Any], Any], messages: Iterable[Any]) -> list[Any]:
        return [first(part, message) for part, message in zip(self.parts, messages, strict=False)]

    def run(
        self, step: Callable[[Any, Any, Any], T], states: list[Any], message: Any, *, keep: bool = False
    ) -> tuple[list[Any], T]:
        after = [state.copy() for state in states] if keep else states
        return after, self.sums(step, after, message)

    def sums(self, look: Callable[[Any, Any, Any], T], states: list[Any] | None, message: Any) -> T:
        found: T = reduce(add, self.each(look, states, message))
        return found

    def each(self, look: Callable[[Any, Any, Any], T], states: list[Any] | None, message: Any) -> Iterator[T]:
        of_shards = [None] * len(self.parts) if states is None else states
        return (look(part, state, message) for part, state in zip(self.parts, of_shards, strict=True))

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *failure: object) -> None:
        return
