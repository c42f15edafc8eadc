"""Which instance stands in which category, when no shard sees all of it: instances in two categories are found."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from truegrade.ids import hash_ids
from truegrade.ratings import Ratings

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["CLAIM", "Contradiction", "ShardRatings", "claims_of", "contradictions", "first_rows"]

CLAIM = np.dtype([("hash", "<u8"), ("row", "<u8"), ("category", "<i4")])


@dataclass(frozen=True, kw_only=True)
class ShardRatings(Ratings):
    """The ratings of one shard. With ``duplicates="last"`` an instance's first row may not be among them."""

    first_row: NDArray[Any]  # (S,): of the whole input, in the order of the labels


@dataclass(frozen=True)
class Contradiction:
    """Two claims about ids of the same hash."""

    row: int  # of the input, where the second category first appears
    category: int
    other_row: int
    other: int


def first_rows(shard: Ratings) -> NDArray[Any]:
    """The row in which each instance first appears, in the order of the labels (S,)."""
    if isinstance(shard, ShardRatings):
        return shard.first_row
    first: NDArray[Any] = np.minimum.reduceat(shard.row, shard.instance_ptr[:-1])[shard.instances.code]
    return first


def claims_of(shard: Ratings) -> NDArray[Any]:
    """One claim per instance of a shard (S,), as CLAIM."""
    claims = np.empty(shard.n_instances, dtype=CLAIM)
    claims["hash"] = hash_ids(shard.instances.labels)
    claims["row"] = first_rows(shard)
    claims["category"] = 0 if shard.category is None else shard.category[shard.instances.code]
    return claims


def contradictions(claims: NDArray[Any]) -> list[Contradiction]:
    """Claims about one hash that differ, by the row of the later one; the ids may differ too, though hardly ever."""
    claims = claims[np.lexsort((claims["row"], claims["hash"]))]
    new = np.concatenate([[True], claims["hash"][1:] != claims["hash"][:-1]])
    first = np.maximum.accumulate(np.where(new, np.arange(claims.size), 0))
    at = np.flatnonzero(claims["category"] != claims["category"][first])
    pairs = ((claims[one], claims[two]) for one, two in zip(at, first[at], strict=True))
    found = [Contradiction(int(a["row"]), int(a["category"]), int(b["row"]), int(b["category"])) for a, b in pairs]
    return sorted(found, key=lambda contradiction: contradiction.row)
