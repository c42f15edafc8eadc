"""What an experiment is run on: ratings, their gold, and how a ranking is measured."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from hashlib import blake2b
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from truegrade.gold import Gold

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from truegrade.ratings import Ratings

__all__ = ["Study"]


@dataclass(frozen=True)
class Study:
    """Ratings whose truth is known for some instances."""

    name: str
    ratings: Ratings
    gold: Gold
    one_list: bool = False  # rank all instances together, where there are no categories to rank within

    @classmethod
    def of(cls, ratings: Ratings, gold: Any, *, one_list: bool) -> Study:
        """Of what a user passes; the file the ratings came from gives the name."""
        return cls(Path(ratings.where).name, ratings, Gold.of(gold, scale=ratings.scale), one_list)

    @cached_property
    def digest(self) -> str:
        """A fingerprint of all that a result depends on, whatever order the rows came in."""
        at, values = self.truths
        digest = blake2b(digest_size=16)
        digest.update(self.ratings.digest.encode())
        digest.update(np.int64(at).data)
        digest.update(values.data)
        digest.update(bytes([self.one_list]))
        return digest.hexdigest()

    @cached_property
    def truths(self) -> tuple[NDArray[np.int32], NDArray[np.float64]]:
        """The codes of the rated instances that have gold (G,), ascending, and their gold (G,)."""
        at, values = self.gold.on(self.ratings)
        order = np.argsort(at)
        return at[order], values[order]

    @property
    def groups(self) -> NDArray[np.int32] | None:
        """In which list each instance of `truths` is ranked (G,); None where there is nothing to rank within."""
        at, _ = self.truths
        if self.one_list:
            return np.zeros(at.size, dtype=np.int32)
        return None if self.ratings.category is None else self.ratings.category[at]
