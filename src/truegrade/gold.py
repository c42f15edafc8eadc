"""Gold: the instances whose truth is known."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from truegrade.errors import GoldError
from truegrade.ids import index_arrow, index_ids
from truegrade.joining import join
from truegrade.roles import resolve_gold
from truegrade.scale import shortest_text

if TYPE_CHECKING:
    import pyarrow as pa
    from numpy.typing import NDArray

    from truegrade.columns import ObjectIds
    from truegrade.ids import IndexedIds
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

    def __repr__(self) -> str:
        return f"Gold({len(self)} instances" + (f", {self.n_blank} blank)" if self.n_blank else ")")

    def __len__(self) -> int:
        return self.values.size

    @classmethod
    def of(cls, source: Any, *, scale: Scale | None = None) -> Gold:
        """Gold from whatever holds it: Gold itself, a frame, or a mapping from instance to value."""
        if isinstance(source, Gold):
            return source
        if isinstance(source, Mapping):
            return cls.from_mapping(source, scale=scale)
        return cls.from_frame(source, scale=scale)

    @classmethod
    def from_mapping(cls, values: Mapping[Any, Any], *, scale: Scale | None = None) -> Gold:
        """Gold from instance -> value; `scale` is needed where values are names of grades."""
        from truegrade.frames import array_columns

        keys = list(values)  # array_columns knows how ids of mixed types are kept apart
        columns = array_columns(instance=keys, annotator=keys, rating=list(values.values()))
        return cls._from_columns(columns.instance, columns.rating, scale, "the gold")

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
        return cls._from_columns(id_column(series[instance]), arrow_column(series[gold], gold), scale, where)

    @classmethod
    def _from_columns(
        cls, instance: pa.ChunkedArray | ObjectIds, gold: pa.ChunkedArray, scale: Scale | None, where: str
    ) -> Gold:
        labels, index = index_arrow(gold)
        cells = [*labels.to_pylist(), None]  # the last one serves index -1
        meaning = np.array([_value(cell, scale) for cell in cells])
        values = meaning[index]  # (rows,): NaN = blank
        known = ~np.isnan(values)
        ids = index_ids(instance, "instance", where, None if known.all() else known)
        values = values[known]
        bad = np.isinf(values)
        if bad.any():
            row = int(np.argmax(bad))
            raise GoldError(
                f"{where}: instance '{_label(ids, row)}': gold '{cells[index[known][row]]}' is no finite number"
                + (f" and no grade of the scale {scale}" if scale else "")
                + "; correct it, or pass --scale with the names of the grades"
            )
        if not values.size:
            raise GoldError(f"{where}: there is no gold in it; give at least one instance a value")
        agreed = _agreed(ids, values, where)
        agreed.flags.writeable = False
        return cls(ids.labels, agreed, ids.objects, int(np.count_nonzero(~known)), where)

    def check(self, scale: Scale) -> None:
        """Refuse gold that lies off the scale."""
        off = (self.values < scale.low) | (self.values > scale.high)
        if off.any() and not scale.is_real:  # a real scale is only the range of what was seen
            at = int(np.argmax(off))
            found = shortest_text(self.values[at])
            raise GoldError(
                f"{self.where}: instance '{self.instances[at]}': gold {found} is off the scale {scale}; "
                "correct it, leave it blank, or pass --scale with a scale that reaches it"
            )

    def on(self, ratings: Ratings) -> tuple[NDArray[np.int32], NDArray[np.float64]]:
        """The codes of the rated instances that have gold, and their values."""
        self.check(ratings.scale)
        ids = ratings.instances
        position = join(self.instances, ids.labels, self.objects, ids.objects).position
        met = position >= 0
        if not met.any():
            raise GoldError(
                f"{self.where}: none of its instances is rated: it has '{self.instances[0]}', "
                f"the ratings have '{ids.labels[0]}'; make the ids match"
            )
        return ids.code[position[met]], self.values[met]


def read_gold(source: str, *, scale: Scale | None = None, instance: str = "", gold: str = "") -> Gold:
    """Gold from a file of any format that :func:`truegrade.read` knows, or from stdin ("-")."""
    from truegrade.readers import read_table

    where = "stdin" if source == "-" else source
    return Gold.from_frame(read_table(source), scale=scale, instance=instance, gold=gold, where=where)


def _value(cell: Any, scale: Scale | None) -> float:
    """A gold cell as a number; NaN = blank, infinity = not to be read."""
    if scale is not None and scale.names is not None and str(cell).strip() in scale.names:
        return scale.values[scale.names.index(str(cell).strip())]
    if cell is None or not str(cell).strip():
        return np.nan
    try:
        return float(cell)
    except (TypeError, ValueError):
        return np.inf


def _agreed(ids: IndexedIds, values: NDArray[np.float64], where: str) -> NDArray[np.float64]:
    """The one value of each instance (G,); rows that contradict each other are an error."""
    low, high = np.full(len(ids.labels), np.inf), np.full(len(ids.labels), -np.inf)
    np.minimum.at(low, ids.index, values)
    np.maximum.at(high, ids.index, values)
    if np.any(low != high):
        at = int(np.argmax(low != high))
        raise GoldError(
            f"{where}: instance '{ids.labels[at]}' has gold {shortest_text(low[at])} and {shortest_text(high[at])}; "
            "keep one"
        )
    return low


def _label(ids: IndexedIds, row: int) -> str:
    return str(ids.labels[int(ids.index[row])])
