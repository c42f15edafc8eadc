"""Ids of any type become numbers in order of first appearance, part by part; text is told apart by TextNumbers."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from truegrade.ids import IndexedIds, id_texts
from truegrade.texts import TextNumbers

if TYPE_CHECKING:
    import pyarrow as pa
    from numpy.typing import NDArray

    from truegrade.ids import IdTable

__all__ = ["IdNumbers"]


class IdNumbers:
    """Holds each different id once. Inside one type different ids have different texts."""

    def __init__(self) -> None:
        self._numbers = TextNumbers()
        self._labels: list[pa.Array] = []
        self._known = 0

    def __len__(self) -> int:
        return self._known

    def of(self, labels: pa.Array) -> NDArray[np.int32]:
        """The number of each id of an array in which none stands twice."""
        number = self._numbers.of(id_texts(labels))
        new = np.flatnonzero(number >= self._known)
        if new.size:
            self._labels.append(labels.take(new))
            self._known += new.size
        return number

    def labels(self) -> pa.Array:
        """The different ids, in the order of their numbers."""
        import pyarrow as pa

        if len(self._labels) > 1:
            self._labels = [pa.concat_arrays(self._labels)]
        return self._labels[0]

    def table(self) -> IdTable:
        """The ids with their codes."""
        return IndexedIds(self.labels(), np.empty(0, dtype=np.int32)).table()
