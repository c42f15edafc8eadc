"""What the shards hand back: numbers and arrays that can be added."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Self

__all__ = ["Sums"]


@dataclass(frozen=True)
class Sums:
    """Base of frozen dataclasses that are added field by field; None stays None.

    >>> @dataclass(frozen=True)
    ... class Counts(Sums):
    ...     ratings: int
    ...     gold: int | None = None
    >>> Counts(3) + Counts(4)
    Counts(ratings=7, gold=None)
    """

    def __add__(self, other: Self) -> Self:
        pairs = ((getattr(self, f.name), getattr(other, f.name)) for f in fields(self))
        return type(self)(*(None if one is None else one + two for one, two in pairs))
