"""Ratings in shards: each a Ratings of its own that holds a run of instances, with the codes of the whole input.

A shard's annotators, categories and scale are those of all ratings; its instances are its own, numbered from 0. So the
shards laid end to end are the whole.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, fields, replace
from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from truegrade.ids import IdTable
from truegrade.ratings import Ratings, whole_numbers
from truegrade.ratings_facts import notes_about

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from numpy.typing import NDArray

    from truegrade.engines.protocol import Engine
    from truegrade.scale import Scale

__all__ = ["MemoryShards", "ShardedRatings", "cut", "joined_ids", "require_ratings"]


@dataclass(frozen=True, kw_only=True)
class ShardedRatings(ABC):
    """Ratings of which no more than a shard need be in memory at a time. Names are those of :class:`Ratings`."""

    scale: Scale
    annotators: IdTable
    categories: IdTable | None
    sizes: tuple[int, ...]  # how many instances each shard has, in order
    n_ratings: int
    total_weight: float
    n_rows: int
    n_dropped: int
    n_missing: int
    n_repeats: int
    unobserved: tuple[str, ...]
    library: str
    where: str
    columns: Mapping[str, str]

    @abstractmethod
    def shard(self, index: int) -> Ratings:
        """One of the shards."""

    @abstractmethod
    def engine(self) -> Engine:
        """Where they are fitted unless one says otherwise."""

    @property
    @abstractmethod
    def digest(self) -> str:
        """A fingerprint of the content."""

    @property
    @abstractmethod
    def instances(self) -> IdTable:
        """The ids of all instances; and two more of their size, which only a Fit that is whole asks for."""

    @property
    @abstractmethod
    def category(self) -> NDArray[np.int32] | None:
        """The category of every instance (M,)."""

    @abstractmethod
    def weight_per_instance(self) -> NDArray[Any]:
        """How many ratings each instance has (M,)."""

    def shards(self) -> Iterator[Ratings]:
        """All of them, in order."""
        return (self.shard(index) for index in range(len(self.sizes)))

    def each(self, look: Callable[[Ratings], Any]) -> Iterator[Any]:
        """What look(shard), a function of a module, finds shard by shard."""
        return map(look, self.shards())

    @property
    def n_instances(self) -> int:
        """M."""
        return sum(self.sizes)

    @property
    def n_annotators(self) -> int:
        """N."""
        return len(self.annotators)

    @property
    def n_categories(self) -> int:
        """C, 0 where the input names no categories."""
        return 0 if self.categories is None else len(self.categories)

    @cached_property
    def split_categories(self) -> tuple[int, ...]:
        """The categories that several shards share, ascending."""
        ends = [found for found in self.each(_ends) if found is not None]
        return tuple(sorted({last for (_, last), (first, _) in pairwise(ends) if first == last}))

    def notes(self) -> list[str]:
        """What the user should know about the input, in plain sentences."""
        return notes_about(self)

    def ratings_per_annotator(self) -> NDArray[np.int64]:
        """How many ratings each annotator gave (N,)."""
        return self._counted[0]

    def weight_per_annotator(self) -> NDArray[Any]:
        """How many ratings each annotator gave, weights added up (N,); whole numbers where all are."""
        return whole_numbers(self._counted[1])

    def weight_per_grade(self) -> NDArray[Any]:
        """The weight of the ratings of each grade (K,)."""
        return self._counted[2]

    @cached_property
    def _counted(self) -> tuple[NDArray[Any], NDArray[Any], NDArray[Any]]:
        """All three in one look at every shard."""
        ratings, weight, grades = (sum(part[1:], start=part[0]) for part in zip(*self.each(_counts), strict=True))
        return ratings, weight, grades


@dataclass(frozen=True, kw_only=True)
class MemoryShards(ShardedRatings):
    """Ratings in memory, seen shard by shard: what other engines do, without their trouble."""

    whole: Ratings

    def shard(self, index: int) -> Ratings:
        """A view; nothing but the ids is copied."""
        whole, first = self.whole, sum(self.sizes[:index])
        last = first + self.sizes[index]
        ptr = whole.instance_ptr[first : last + 1]
        its = slice(ptr[0], ptr[-1])
        ids = whole.instances
        here = np.flatnonzero((ids.code >= first) & (ids.code < last))
        objects = None if ids.objects is None else tuple(ids.objects[i] for i in here)
        return replace(
            whole,
            instance_ptr=ptr - ptr[0],
            annotator=whole.annotator[its],
            grade=whole.grade[its],
            real=whole.real[its],
            row=whole.row[its],
            weight=None if whole.weight is None else whole.weight[its],
            timestamp=None if whole.timestamp is None else whole.timestamp[its],
            category=None if whole.category is None else whole.category[first:last],
            instances=IdTable(ids.labels.take(here), ids.code[here] - np.int32(first), objects),
        )

    def engine(self) -> Engine:
        """They are in memory."""
        from truegrade.engines.threaded import ThreadsEngine

        return ThreadsEngine()

    @property
    def digest(self) -> str:
        """That of the whole."""
        return self.whole.digest

    @property
    def instances(self) -> IdTable:
        """The ids of all instances."""
        return self.whole.instances

    @property
    def category(self) -> NDArray[np.int32] | None:
        """The category of every instance (M,)."""
        return self.whole.category

    def weight_per_instance(self) -> NDArray[Any]:
        """How many ratings each instance has (M,)."""
        return self.whole.weight_per_instance()


def _ends(shard: Ratings) -> tuple[int, int] | None:
    """The first category and the last."""
    return None if shard.category is None else (int(shard.category[0]), int(shard.category[-1]))


def _counts(shard: Ratings) -> tuple[NDArray[Any], NDArray[Any], NDArray[Any]]:
    """Of each annotator the ratings and their weight, and the weight of each grade."""
    return shard.ratings_per_annotator(), shard.weight_per_annotator(), shard.weight_per_grade()


def joined_ids(found: Sequence[tuple[NDArray[Any], Any, NDArray[np.int32]]]) -> IdTable:
    """The ids of all instances, from the first row, the label and the code inside its shard of each, shard by shard."""
    import pyarrow as pa

    first, labels, codes = zip(*found, strict=True)
    offsets = np.cumsum([0, *map(len, codes)])
    order = np.argsort(np.concatenate(first))
    code = np.concatenate([code + start for code, start in zip(codes, offsets[:-1], strict=True)])
    return IdTable(pa.concat_arrays(labels).take(pa.array(order)), code[order].astype(np.int32))


_SHARED = [f.name for f in fields(ShardedRatings) if f.name != "sizes"]


def cut(ratings: Ratings, shards: int, *, at: Sequence[int] | None = None) -> MemoryShards:
    """So many shards of about as many instances each, or with these instances being the first of the others."""
    inner = np.linspace(0, ratings.n_instances, shards + 1).round().astype(int)[1:-1].tolist() if at is None else at
    sizes = np.diff([0, *inner, ratings.n_instances]).tolist()
    return MemoryShards(**{name: getattr(ratings, name) for name in _SHARED}, sizes=tuple(sizes), whole=ratings)


def require_ratings(given: object) -> None:
    """Refuse what is neither Ratings nor shards of them."""
    if not isinstance(given, ShardedRatings):
        Ratings.require(given)
