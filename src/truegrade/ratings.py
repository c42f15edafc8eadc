"""Ratings: encoded once, sorted by (category, instance), and the only place where the user's ids live."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from hashlib import blake2b
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from truegrade.errors import OptionError
from truegrade.ratings_facts import notes_about

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from truegrade.gold import Gold
    from truegrade.ids import IdTable
    from truegrade.scale import Scale

__all__ = ["Duplicates", "Missing", "Ratings", "texts_and_zeros", "whole_numbers"]

Duplicates = Literal["keep", "first", "last", "error"]
Missing = Literal["error", "drop"]


@dataclass(frozen=True)
class Ratings:
    """L ratings of M instances by N annotators on one scale.

    Ratings are sorted by instance, instances by category, both in the order of their codes; inside an instance by
    annotator, then grade. All arrays are read-only.

    >>> ratings = Ratings.from_arrays(annotator=["ann", "bob", "ann"], instance=["x", "x", "y"], rating=[1, 2, 2])
    >>> ratings
    Ratings(3 ratings of 2 instances by 2 annotators on 1,2)
    """

    scale: Scale
    instance_ptr: NDArray[np.int64]  # (M+1,): instance m owns ratings instance_ptr[m] .. instance_ptr[m+1]
    annotator: NDArray[np.int32]  # (L,)
    grade: NDArray[np.uint8]  # (L,): 0 .. K-1; empty on a real scale
    real: NDArray[np.float64]  # (L,): the ratings of a real scale; empty otherwise
    row: NDArray[np.uint32]  # (L,): which input row (of those kept) the rating stood in
    weight: NDArray[np.float64] | None  # (L,)
    timestamp: NDArray[Any] | None  # (L,): datetime64[us] or float64, as given
    category: NDArray[np.int32] | None  # (M,): ascends
    annotators: IdTable
    instances: IdTable
    categories: IdTable | None
    n_rows: int  # of the input
    n_dropped: int  # rows left out because their code is no grade, or their weight is 0
    n_missing: int  # rows left out because they hold no rating
    n_repeats: int  # ratings beyond the first of an annotator on an instance
    unobserved: tuple[str, ...]  # grades of the inferred scale that nobody gave
    library: str  # of the frames that results come back in
    where: str  # what messages call the input
    columns: Mapping[str, str] = field(default_factory=dict)  # role -> the input's column, where columns have names
    known: Gold | None = None  # truths that stood in the input beside the ratings; no model uses them unless told
    told: tuple[str, ...] = ()  # what reading left out or decided, in plain sentences

    def __repr__(self) -> str:
        counts = f"{self.n_ratings} ratings of {self.n_instances} instances by {self.n_annotators} annotators"
        return f"Ratings({counts} on {self.scale})"

    @staticmethod
    def require(given: object) -> None:
        """Refuse what is not Ratings, such as the frame they should be made from."""
        if not isinstance(given, Ratings):
            raise OptionError(
                f"a {type(given).__name__} is no Ratings; pass Ratings.from_frame(frame) or read(path) instead"
            )

    def shards(self) -> Iterator[Ratings]:
        """What is in memory at a time: these ratings, all of them."""
        yield self

    @property
    def n_ratings(self) -> int:
        """L, the number of ratings (of rows; see :attr:`total_weight` for weighted ones)."""
        return self.annotator.size

    @property
    def n_instances(self) -> int:
        """M, the number of instances."""
        return self.instance_ptr.size - 1

    @property
    def n_annotators(self) -> int:
        """N, the number of annotators."""
        return len(self.annotators)

    @property
    def n_categories(self) -> int:
        """C, the number of categories; 0 where the input names none."""
        return 0 if self.categories is None else len(self.categories)

    @property
    def total_weight(self) -> float:
        """The number of ratings, each counted as often as its weight says."""
        return float(self.n_ratings if self.weight is None else self.weight.sum())

    def values(self) -> NDArray[np.float64]:
        """The ratings as numbers on the scale (L,)."""
        return self.real if self.scale.is_real else self.scale.array[self.grade]

    def instance_of(self) -> NDArray[np.int32]:
        """The instance of each rating (L,)."""
        return np.repeat(np.arange(self.n_instances, dtype=np.int32), np.diff(self.instance_ptr))

    def category_ptr(self) -> NDArray[np.int64]:
        """Category c owns the instances category_ptr[c] .. category_ptr[c+1] (C+1,)."""
        if self.category is None:
            raise OptionError(f"{self.where}: these ratings have no categories; pass --category COLUMN")
        return np.searchsorted(self.category, np.arange(self.n_categories + 1)).astype(np.int64)

    @property
    def split_categories(self) -> tuple[int, ...]:
        """The categories that several shards share: none, for these are all ratings."""
        return ()

    def weight_per_instance(self) -> NDArray[Any]:
        """How many ratings each instance has, weights added up (M,); whole numbers where all are."""
        if self.weight is None:
            return np.diff(self.instance_ptr)
        return whole_numbers(np.add.reduceat(self.weight, self.instance_ptr[:-1]))

    def weight_per_annotator(self) -> NDArray[Any]:
        """How many ratings each annotator gave, weights added up (N,); whole numbers where all are."""
        if self.weight is None:
            return self.ratings_per_annotator()
        return whole_numbers(np.bincount(self.annotator, self.weight, self.n_annotators))

    def ratings_per_annotator(self) -> NDArray[np.int64]:
        """How many ratings each annotator gave (N,)."""
        return np.bincount(self.annotator, minlength=self.n_annotators)

    def weight_per_grade(self) -> NDArray[Any]:
        """How often each grade was given, weights added up (K,)."""
        return np.bincount(self.grade, self.weight, self.scale.n_grades)

    def notes(self) -> list[str]:
        """What the user should know about the input, in plain sentences."""
        return [*self.told, *notes_about(self)]

    @cached_property
    def digest(self) -> str:
        """A fingerprint of the content, whatever order the rows came in."""
        digest = blake2b(digest_size=16)
        digest.update(repr(self.scale).encode())
        for array in (self.instance_ptr, self.annotator, self.grade, self.real, self.weight, self.category):
            if array is not None:
                digest.update(np.ascontiguousarray(array).data)
        for table in (self.annotators, self.instances, self.categories):
            if table is not None:
                digest.update(texts_and_zeros(table))
        return digest.hexdigest()

    @classmethod
    def from_frame(  # noqa: PLR0913  one argument per role and rule
        cls,
        frame: Any,
        *,
        annotator: str = "",
        instance: str = "",
        rating: str = "",
        category: str = "",
        weight: str = "",
        timestamp: str = "",
        wide: bool = False,
        scale: Scale | str | Sequence[Any] | None = None,
        drop_values: Sequence[Any] = (),
        missing: Missing = "error",
        duplicates: Duplicates = "keep",
    ) -> Ratings:
        """Ratings from a pandas, polars or pyarrow frame. Columns are found by their usual names, or as told."""
        from truegrade.encode import encode
        from truegrade.frames import frame_columns
        from truegrade.roles import Roles

        roles = Roles(annotator, instance, rating, category, weight, timestamp)
        columns = frame_columns(frame, roles, wide=wide)
        return encode(columns, scale=scale, drop_values=drop_values, missing=missing, duplicates=duplicates)

    @classmethod
    def from_arrays(  # noqa: PLR0913  one argument per role and rule
        cls,
        *,
        annotator: Sequence[Any] | NDArray[Any],
        instance: Sequence[Any] | NDArray[Any],
        rating: Sequence[Any] | NDArray[Any],
        category: Sequence[Any] | NDArray[Any] | None = None,
        weight: Sequence[float] | NDArray[Any] | None = None,
        timestamp: Sequence[Any] | NDArray[Any] | None = None,
        scale: Scale | str | Sequence[Any] | None = None,
        drop_values: Sequence[Any] = (),
        missing: Missing = "error",
        duplicates: Duplicates = "keep",
    ) -> Ratings:
        """Ratings from columns: lists or arrays of equal length."""
        from truegrade.encode import encode
        from truegrade.frames import array_columns

        columns = array_columns(
            annotator=annotator,
            instance=instance,
            rating=rating,
            category=category,
            weight=weight,
            timestamp=timestamp,
        )
        return encode(columns, scale=scale, drop_values=drop_values, missing=missing, duplicates=duplicates)

    @classmethod
    def from_matrix(
        cls,
        matrix: Any,
        *,
        rows: Literal["instances", "annotators"] = "instances",
        absent: Any = None,
        instances: Sequence[Any] | None = None,
        annotators: Sequence[Any] | None = None,
        scale: Scale | str | Sequence[Any] | None = None,
    ) -> Ratings:
        """Ratings from a matrix: instances by annotators as cleanlab and Snorkel have it, or the other way round.

        None and NaN are no ratings, nor is `absent` (-1 in Snorkel). Without names rows and columns are numbered from
        0; a pandas frame names them itself.

        >>> Ratings.from_matrix([[1, -1], [2, 2]], absent=-1)
        Ratings(3 ratings of 2 instances by 2 annotators on 1,2)
        """
        from truegrade.encode import encode
        from truegrade.frames import matrix_columns

        columns = matrix_columns(matrix, rows=rows, absent=absent, instances=instances, annotators=annotators)
        return encode(columns, scale=scale)


def whole_numbers(weights: NDArray[Any]) -> NDArray[Any]:
    """Weights as integers where all of them are."""
    return weights.astype(np.int64) if np.array_equal(weights, np.round(weights)) else weights


def texts_and_zeros(table: IdTable) -> memoryview:
    """The ids in the order of their codes, each with a zero byte behind it."""
    import pyarrow as pa
    import pyarrow.compute as pc

    nothing, zero = (pa.scalar(text, pa.large_string()) for text in ("", "\0"))
    joined = pc.binary_join_element_wise(table.texts().take(pa.array(np.argsort(table.code))), nothing, zero)
    _, offsets, data = joined.buffers()
    ends = np.frombuffer(offsets, dtype=np.int64)[joined.offset : joined.offset + len(joined) + 1]
    return memoryview(data)[ends[0] : ends[-1]]
