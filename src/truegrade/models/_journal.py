"""What the loop tells a checkpoint, and gets back from it. A fit is made of legs: the climbs that it asks `_em` for."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from truegrade.checkpoint import Book, Checkpoint
from truegrade.errors import CheckpointError
from truegrade.packing import pack, unpack

if TYPE_CHECKING:
    from truegrade.engines import ShardedRatings
    from truegrade.fit import Fit
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

    def outcome(self, which: str, begin: Callable[[int], Outcome]) -> Outcome | None:
        """The "best" start so far, or the "running" one, as it was kept; `begin` makes starts to be filled."""
        packed = self.found.get(which)
        if packed is None:
            return None
        try:
            like = begin(packed["fields"]["index"])
            outcome: Outcome = unpack(packed, self.array, like)
        except (LookupError, TypeError, ValueError, AttributeError) as error:
            raise CheckpointError(
                f"{self.book.path}: the checkpoint does not hold what this model keeps ({error}); delete it and begin "
                "anew"
            ) from None
        return outcome

    def array(self, name: str) -> Any:
        """An array of this leg."""
        return self.book.array(self.name, name)

    def endings(self) -> list[Any]:
        """Bound and status of every start that is done, None of the others; nothing where none was kept."""
        found: list[Any] = unpack(self.found.get("endings", []), self.array)
        return found

    def keep(self, endings: list[Any], best: Outcome | None, running: Outcome | None) -> None:
        """Write down where the climb is. endings: bound and status of the starts that are done, None of the others."""
        arrays: dict[str, Any] = {}
        record = {"endings": pack(endings, arrays, f"{self.name}:endings")}
        for which, outcome in (("best", best), ("running", running)):
            record[which] = pack(outcome, arrays, f"{self.name}:{which}", shared=_SHARED)
        self.book.write(self.name, record, arrays)
