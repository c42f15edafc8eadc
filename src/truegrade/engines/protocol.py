"""What a model asks of the place where its passes run.

- A *part* is what a model keeps beside one shard: made once, never changed.
- A *state* is what belongs to a shard's instances and changes from pass to pass; it has a method `copy`. None where a
  model has nothing of the kind.
- A *message* goes out to every shard: parameters, as large as the table of annotators at most.
- *Sums* come back: see :class:`truegrade.inference.adding.Sums`. They are added in the order of the shards.

What runs beside the shards is a function of a module, a classmethod, a frozen dataclass that can be called, or a
`functools.partial` of these, so that it can travel to another process. Steps overwrite the state they are given, looks
only read it. No step changes its part or its message.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol, Self, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from truegrade.engines.shards import ShardedRatings
    from truegrade.ratings import Ratings

__all__ = ["Engine", "Placed", "States"]

T = TypeVar("T")

States = Any  # the states of one start, one per shard, wherever they live: only the engine looks inside


class Engine(Protocol):
    """A place where passes over ratings can run."""

    def place(
        self, ratings: Ratings | ShardedRatings, make: Callable[[Ratings, int], Any], *, starts: int = 1
    ) -> Placed:
        """Make a part beside every shard by make(shard, threads); its passes may use so many threads.

        starts: how many starts the fit will take up.
        """


class Placed(Protocol):
    """The parts of one fit. Leaving its `with` block frees whatever they hold."""

    @property
    def ratings(self) -> Ratings | ShardedRatings:
        """What they were made from; ask it for nothing that belongs to single ratings or instances."""

    @property
    def sizes(self) -> Sequence[int]:
        """How many instances each shard has, in order."""

    @property
    def together(self) -> int:
        """How many starts may run at the same time, each from a thread of its own."""

    def begin(self, first: Callable[[Any, Any], Any], messages: Iterable[Any]) -> States:
        """The first states of a start, by first(part, message); every shard takes one of the messages, in order."""

    def run(
        self, step: Callable[[Any, Any, Any], T], states: States, message: Any, *, keep: bool = False
    ) -> tuple[States, T]:
        """One pass: step(part, state, message) of every shard, added up; and the states after it.

        keep: the states from before stay valid, to go back to. Otherwise they are gone.
        """

    def sums(self, look: Callable[[Any, Any, Any], T], states: States, message: Any) -> T:
        """The same with states that stay as they are."""

    def each(self, look: Callable[[Any, Any, Any], T], states: States, message: Any) -> Iterator[T]:
        """What look(part, state, message) finds, shard by shard in order, nothing added up."""

    def __enter__(self) -> Self: ...

    def __exit__(self, *failure: object) -> None: ...
