"""What the loop tells a checkpoint, and gets back from it. A fit is made of legs: the climbs that it asks `_em` for."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from truegrade.checkpoint import Book, Checkpoint
from truegrade.errors import CheckpointError
from truegrade.packing import Packer, Unpacker

if TYPE_CHECKING:
    from truegrade.checkpoint_files import Put
    from truegrade.engines import Placed, ShardedRatings
    from truegrade.fit import Fit, Status
    from truegrade.gold import Gold
    from truegrade.models._em import Outcome
    from truegrade.ratings import Ratings

__all__ = ["Journal", "Keeper", "Leg", "journal_of"]

_SHARED = frozenset({"placed", "problem"})  # fields of a start that are the same in all of them


@dataclass
class Journal:
    """The legs of one model, in the order in which they are climbed; a model made of others has a part for each."""

    book: Book
    part: str = ""
    legs: int = 0

    def within(self, part: str) -> Journal:
        """The journal of a model inside this one."""
        return Journal(self.book, f"{self.part}{part}/")

    def next_leg(self) -> Leg:
        """The leg that is climbed now."""
        self.legs += 1
        return Leg(self.book, f"{self.part}{self.legs}")


Keeper = Checkpoint | Journal | None  # what a model's `fit` is given as its checkpoint


def journal_of(
    keeper: Keeper, model: Any, ratings: Ratings | ShardedRatings, gold: Gold | None, start: Fit | None
) -> Journal | None:
    """The journal of a fit, if it is to have one; a model around this one has it already."""
    if not isinstance(keeper, Checkpoint):
        return keeper
    return Journal(Book.open(keeper, model, ratings, gold, start))


@dataclass
class Leg:
    """One climb of several starts."""

    book: Book
    name: str

    @property
    def every(self) -> int:
        """After how many passes a start is kept."""
        return self.book.every

    def close(self) -> None:
        """Keep no more."""
        self.book.close()

    @property
    def found(self) -> dict[str, Any]:
        """What the checkpoint knows of it."""
        found: dict[str, Any] = self.book.legs.get(self.name, {})
        return found

    def endings(self) -> list[tuple[float, Status] | None]:
        """Bound and status of every start that is done, None of the others; nothing where none was kept."""
        found: list[Any] = self._unpacked(self.found.get("endings", []), Unpacker(self.book.array))
        return found

    def outcome(self, which: str, begin: Callable[[int], Outcome]) -> Outcome | None:
        """The "best" start so far, or the "running" one, as it was kept; `begin` makes such starts."""
        packed = self.found.get(which)
        if packed is None:
            return None
        like = begin(packed["fields"]["index"]).state
        shared = {name: getattr(like, name) for name in _SHARED if hasattr(like, name)}
        placed = _placed(like)
        states = list if placed is None else lambda found: self._put_back(placed, found)
        outcome: Outcome = self._unpacked(packed, Unpacker(self.book.array, shared, states))
        return outcome

    def _put_back(self, placed: Placed, states: Iterator[Any]) -> Any:
        """The states beside their shards, which must be those that they were kept from."""
        sizes = self.found["sizes"]
        if list(placed.sizes) != sizes:
            raise CheckpointError(
                f"{self.book.path}: the checkpoint was made with {len(sizes)} shards, here the ratings are cut into "
                f"{len(placed.sizes)} or elsewhere; pass the same --engine and --memory, with as many workers, or "
                "delete it and begin anew"
            )
        return placed.begin(_as_it_was, states)

    def _unpacked(self, packed: Any, unpacker: Unpacker) -> Any:
        try:
            return unpacker.unpack(packed)
        except (LookupError, TypeError, ValueError, AttributeError, ImportError) as error:
            raise CheckpointError(
                f"{self.book.path}: the checkpoint does not hold what this model keeps ({error}); delete it and begin "
                "anew"
            ) from None

    def keep(self, endings: list[Any], best: Outcome | None, running: Outcome | None) -> None:
        """Write down where the climb is. endings: bound and status of the starts that are done, None of the others."""

        def fill(put: Put) -> dict[str, Any]:
            record = {"endings": Packer(put).pack(endings, f"{self.name}:endings")}
            for which, outcome in (("best", best), ("running", running)):
                record[which] = None if outcome is None else self._packed(outcome, which, put)
                placed = None if outcome is None else _placed(outcome.state)
                if placed is not None:
                    record["sizes"] = list(map(int, placed.sizes))
            return record

        self.book.write(self.name, fill)

    def _packed(self, outcome: Outcome, which: str, put: Put) -> Any:
        placed = _placed(outcome.state)
        states = list if placed is None else lambda held: placed.each(_state, held, None)
        return Packer(put, _SHARED, states).pack(outcome, f"{self.name}:{which}")


def _placed(start: Any) -> Any:
    """Where the parts of a start are, if it has any."""
    found = getattr(start, "placed", None)
    return getattr(getattr(start, "problem", None), "placed", None) if found is None else found


# What engines run beside a shard, to take its state out and put it back.


def _state(_: Any, state: Any, __: Any) -> Any:
    return state


def _as_it_was(_: Any, state: Any) -> Any:
    return state
