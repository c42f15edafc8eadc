"""Gold: the instances whose truth is known."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from truegrade.columns import row_number
from truegrade.errors import GoldError
from truegrade.grades import MISSING_TEXTS
from truegrade.ids import index_arrow, index_ids
from truegrade.joining import join
from truegrade.roles import resolve_gold
from truegrade.scale import read_number, shortest_text

if TYPE_CHECKING:
    import pyarrow as pa
    from numpy.typing import NDArray

    from truegrade.columns import ObjectIds
    from truegrade.engines import ShardedRatings
    from truegrade.ids import IndexedIds
    from truegrade.joining import Joined
    from truegrade.ratings import Ratings
    from truegrade.scale import Scale

__all__ = ["Gold", "read_gold"]


@dataclass(frozen=True)
class Gold:
    """The true values of G instances.

    >>> gold = Gold.of({"x": 1, "y": 2.5, "z": None})
    >>> gold
    Gold(2 instances, 1 blank)
    >>> gold.values
    array([1. , 2.5])
    """

    instances: pa.Array  # (G,): ids as they came, each once, in order of first appearance
    values: NDArray[np.float64]  # (G,): finite, on the scale's values
    objects: tuple[Any, ...] | None = None  # the ids as Python objects, where their types are mixed
    n_blank: int = 0  # rows skipped because their gold cell is blank
    where: str = "the gold"  # what messages call the source
    rows: NDArray[np.int64] | None = None  # (G,): where each instance first stands there; None where rows mean nothing

    def __repr__(self) -> str:
        return f"Gold({len(self)} instances" + (f", {self.n_blank} blank)" if self.n_blank else ")")

    def __len__(self) -> int:
        return self.values.size

    @classmethod
    def of(cls, source: Any, *, scale: Scale | None = None) -> Gold:
        """Gold from whatever holds it: Gold itself, a frame, a pandas Series, or a mapping from instance to value.

        A Series has the instances as its index, as crowd-kit's ``true_label`` has.
        """
        if isinstance(source, Gold):
            return source
        if isinstance(source, Mapping):
            return cls.from_mapping(source, scale=scale)
        if hasattr(source, "to_frame") and hasattr(source, "index"):
            source = source.rename_axis("instance").rename("gold").reset_index()
        return cls.from_frame(source, scale=scale)

    @classmethod
    def from_mapping(cls, values: Mapping[Any, Any], *, scale: Scale | None = None) -> Gold:
        """Gold from instance -> value; `scale` is needed where values are names of grades."""
        from truegrade.frames import array_columns

        keys = list(values)  # array_columns knows how ids of mixed types are kept apart
        columns = array_columns(instance=keys, annotator=keys, rating=list(values.values()))
        found = cls.of_columns(columns.instance, columns.rating, scale, "the gold")
        return replace(found, rows=None)

    @classmethod
    def from_frame(
        cls, frame: Any, *, scale: Scale | None = None, instance: str = "", gold: str = "", where: str = "the gold"
    ) -> Gold:
        """Gold from a pandas, polars or pyarrow table; columns are found by their usual names, or as told.

        Rows without gold are skipped and counted. An instance may stand in several rows if they agree.
        """
        from truegrade.frames import arrow_column, frame_series, id_column

        try:
            series, _ = frame_series(frame, where)
        except TypeError:
            raise GoldError(f"a {type(frame).__name__} holds no gold; pass a frame, or instance -> value") from None
        instance, gold = resolve_gold(list(series), where, instance, gold)
        return cls.of_columns(id_column(series[instance]), arrow_column(series[gold], gold), scale, where)

    @classmethod
    def of_columns(
        cls, instance: pa.ChunkedArray | ObjectIds, gold: pa.ChunkedArray, scale: Scale | None, where: str
    ) -> Gold:
        """Gold from two columns of the same length."""
        labels, index = index_arrow(gold)
        cells = [*labels.to_pylist(), None]  # the last one serves index -1
        meaning = np.array([_value(cell, scale) for cell in cells])
        values = meaning[index]  # (rows,): NaN = blank
        known = ~np.isnan(values)
        ids = index_ids(instance, "instance", where, None if known.all() else known)
        values, rows = values[known], np.flatnonzero(known)
        bad = np.isinf(values)
        if bad.any():
            at = int(np.argmax(bad))
            raise GoldError(
                f"{where}: {row_number(int(rows[at]))}: instance '{ids.labels[int(ids.index[at])]}': gold "
                f"'{cells[index[rows[at]]]}' is no finite number"
                + (f" and no grade of the scale {scale}" if scale else "")
                + "; correct it, or pass --scale with the names of the grades"
            )
        if not values.size:
            raise GoldError(f"{where}: there is no gold in it; give at least one instance a value")
        agreed, first = _agreed(ids, values, rows, where)
        agreed.flags.writeable = False
        return cls(ids.labels, agreed, ids.objects, int(np.count_nonzero(~known)), where, first)

    def check(self, scale: Scale) -> None:
        """Refuse gold that lies off the scale."""
        off = (self.values < scale.low) | (self.values > scale.high)
        if off.any() and not scale.is_real:  # a real scale is only the range of what was seen
            at = int(np.argmax(off if self.rows is None else np.where(off, -self.rows, -np.inf)))
            row = "" if self.rows is None else f"{row_number(int(self.rows[at]))}: "
            raise GoldError(
                f"{self.where}: {row}instance '{self.instances[at]}': gold {shortest_text(self.values[at])} is off the "
                f"scale {scale}; correct it, leave it blank, or pass --scale with a scale that reaches it"
            )

    def notes(self, ratings: Ratings | ShardedRatings) -> list[str]:
        """What became of the gold when it met the ratings, in plain sentences."""
        met, by_text = np.zeros(len(self), dtype=bool), False
        for shard in ratings.shards():
            joined = self._join(shard)
            met |= joined.position >= 0
            by_text |= joined.by_text
        missed = int(np.count_nonzero(~met))
        notes = [f"{missed} of {len(self)} instances with gold have no ratings"] if missed else []
        if self.n_blank:
            notes.append(f"{self.n_blank} of {len(self) + self.n_blank} rows of gold are blank and were skipped")
        if by_text:
            notes.append("the ids of gold and ratings differ in type and were joined by their text")
        return notes

    def _join(self, ratings: Ratings) -> Joined:
        return join(self.instances, ratings.instances.labels, self.objects, ratings.instances.objects)

    def on(self, ratings: Ratings) -> tuple[NDArray[np.int32], NDArray[np.float64]]:
        """The codes of the rated instances that have gold, and their values."""
        at, values = self.within(ratings)
        if not at.size:
            raise self.strange(ratings)
        return at, values

    def within(self, shard: Ratings) -> tuple[NDArray[np.int32], NDArray[np.float64]]:
        """The same of a part of the ratings, in which there may be none."""
        self.check(shard.scale)
        position = self._join(shard).position
        met = position >= 0
        return shard.instances.code[position[met]], self.values[met]

    def strange(self, ratings: Ratings) -> GoldError:
        """What to say where no instance with gold is rated."""
        return GoldError(
            f"{self.where}: none of its instances is rated: it has '{self.instances[0]}', "
            f"the ratings have '{ratings.instances.labels[0]}'; make the ids match"
        )


def read_gold(source: str, *, scale: Scale | None = None, instance: str = "", gold: str = "") -> Gold:
    """Gold from a file of any format that :func:`truegrade.read` knows, or from stdin ("-")."""
    from truegrade.readers import read_table

    where = "stdin" if source == "-" else source
    return Gold.from_frame(read_table(source), scale=scale, instance=instance, gold=gold, where=where)


def _value(cell: Any, scale: Scale | None) -> float:
    """A gold cell as a number; NaN = blank, infinity = not to be read."""
    text = str(cell).strip()
    if scale is not None and scale.names is not None and text in scale.names:
        return scale.values[scale.names.index(text)]
    if cell is None or text.lower() in MISSING_TEXTS:
        return np.nan
    number = read_number(cell)
    return np.inf if number is None else number


def _agreed(
    ids: IndexedIds, values: NDArray[np.float64], rows: NDArray[np.int64], where: str
) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """The one value of each instance (G,) and its first row (G,); rows that contradict each other are an error."""
    first = np.full(len(ids.labels), values.size, dtype=np.int64)
    np.minimum.at(first, ids.index, np.arange(values.size))
    agreed = values[first]
    other = values != agreed[ids.index]
    if other.any():
        at = int(np.argmax(other))
        instance = int(ids.index[at])
        raise GoldError(
            f"{where}: {row_number(int(rows[at]))}: instance '{ids.labels[instance]}' has gold "
            f"{shortest_text(agreed[instance])} and {shortest_text(values[at])}; keep one"
        )
    return agreed, rows[first]
