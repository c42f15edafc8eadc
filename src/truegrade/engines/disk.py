"""The engine of ratings on disk: parts and states are on scratch, and one shard at a time is in memory."""

from __future__ import annotations

from contextlib import ExitStack
from dataclasses import dataclass
from functools import reduce
from operator import add
from typing import TYPE_CHECKING, Any, Self, TypeVar

from truegrade.engines.disk_ratings import DiskRatings
from truegrade.engines.stored import Stored
from truegrade.errors import OptionError
from truegrade.threads import default_threads

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from truegrade.engines.scratch import Scratch
    from truegrade.engines.shards import ShardedRatings
    from truegrade.ratings import Ratings

__all__ = ["DiskEngine"]

T = TypeVar("T")


@dataclass(frozen=True)
class DiskEngine:
    """Passes run in this process on all threads, shard by shard."""

    def place(
        self, ratings: Ratings | ShardedRatings, make: Callable[[Ratings, int], Any], *, starts: int = 1
    ) -> OnDisk:
        """See :class:`truegrade.engines.protocol.Engine`."""
        if not isinstance(ratings, DiskRatings):
            raise OptionError(f"a {type(ratings).__name__} is not on disk; pass truegrade.stream(path, memory='1GB')")
        parts = []
        for stored in ratings.stored:
            with stored.opened() as shard:
                part = make(shard.thing, default_threads())
                parts.append(Stored.of(part, ratings.scratch, stored.shared, shard))
                del part
        return OnDisk(ratings, parts, ratings.scratch)


@dataclass(frozen=True)
class OnDisk:
    """See :class:`truegrade.engines.protocol.Placed`. States are a list of stored ones, one per shard."""

    ratings: DiskRatings
    parts: list[Stored]
    scratch: Scratch
    together: int = 1  # starts: each would need memory for a shard of its own

    @property
    def sizes(self) -> Sequence[int]:
        return self.ratings.sizes

    def begin(self, first: Callable[[Any, Any], Any], messages: Iterable[Any]) -> list[Stored]:
        states = []
        for part, message in zip(self.parts, messages, strict=False):
            with part.opened() as opened:
                states.append(Stored.of(first(opened.thing, message), self.scratch, part.shared))
        return states

    def run(
        self, step: Callable[[Any, Any, Any], T], states: list[Stored], message: Any, *, keep: bool = False
    ) -> tuple[list[Stored], T]:
        after: list[Stored] = []

        def passed() -> Iterator[T]:
            for part, state in zip(self.parts, states, strict=True):
                own = state.copy() if keep else state
                with part.opened() as its, own.opened(writable=True) as changing:
                    sums = step(its.thing, changing.thing, message)
                    after.append(changing.kept(self.scratch))
                yield sums

        found: T = reduce(add, passed())
        return after, found

    def sums(self, look: Callable[[Any, Any, Any], T], states: list[Stored] | None, message: Any) -> T:
        found: T = reduce(add, self.each(look, states, message))
        return found

    def each(self, look: Callable[[Any, Any, Any], T], states: list[Stored] | None, message: Any) -> Iterator[T]:
        of_shards: Sequence[Stored | None] = [None] * len(self.parts) if states is None else states
        for part, state in zip(self.parts, of_shards, strict=True):
            with ExitStack() as open_files:
                its = open_files.enter_context(part.opened()).thing
                own = None if state is None else open_files.enter_context(state.opened()).thing
                yield look(its, own, message)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *failure: object) -> None:
        for part in self.parts:
            part.close()
