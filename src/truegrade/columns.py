"""Ratings as they came: one Arrow column per role, ids and grades still the user's own."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from truegrade.errors import IdError

if TYPE_CHECKING:
    import pyarrow as pa
    from numpy.typing import NDArray

__all__ = ["Columns", "Known", "ObjectIds", "row_number"]


def row_number(index: int) -> str:
    """How messages name a row: counted from 1, the header not counted."""
    return f"row {index + 1}"


@dataclass(frozen=True)
class ObjectIds:
    """A column of Python objects of mixed types, where 1 and "1" are two ids."""

    objects: list[Any]  # each different id once, in order of first appearance
    index: NDArray[np.int32]  # (L,): which of them stands in each row; -1 = none

    @classmethod
    def of(cls, column: list[Any], name: str) -> ObjectIds:
        """Number the objects of a column; None, NaN and their like are no ids."""
        seen: dict[tuple[type, Any], int] = {}
        index = np.empty(len(column), dtype=np.int32)
        for row, value in enumerate(column):
            try:
                absent = value is None or not value == value  # noqa: PLR0124, SIM201  NaN and NaT differ from themselves
            except TypeError:  # pandas' NA has no opinion
                absent = True
            try:
                index[row] = -1 if absent else seen.setdefault((type(value), value), len(seen))
                if index[row] == len(seen) - 1:
                    str(value).encode()
            except (TypeError, UnicodeEncodeError):
                raise IdError(
                    f"column '{name}': {row_number(row)}: {value!r} cannot be an id; ids must be text or numbers"
                ) from None
        return cls([value for _, value in seen], index)


@dataclass(frozen=True)
class Known:
    """Truths that stand in a file of ratings: not ratings, but gold."""

    instance: pa.ChunkedArray
    gold: pa.ChunkedArray  # of the same length
    question: pa.ChunkedArray | None = None  # likewise, where instances do not tell it


@dataclass
class Columns:
    """What every reader returns. Encoding takes the columns out one by one, to free each early."""

    where: str  # the file's name, or "the frame": how messages begin
    annotator: pa.ChunkedArray | ObjectIds
    instance: pa.ChunkedArray | ObjectIds
    rating: pa.ChunkedArray  # text, numbers or a dictionary of either
    category: pa.ChunkedArray | ObjectIds | None = None
    weight: pa.ChunkedArray | None = None
    timestamp: pa.ChunkedArray | None = None
    library: str = "pyarrow"  # of the frames that results come back in: pyarrow, pandas or polars
    row_label: Callable[[int], str] = row_number
    names: Mapping[str, str] = field(default_factory=dict)  # role -> the column that fills it, where columns have names
    question: pa.ChunkedArray | None = None  # which question a rating answers, where the file names them
    known: Known | None = None
    notes: tuple[str, ...] = ()  # what reading left out or decided, in plain sentences

    def take(self, role: str) -> Any:
        """The column of a role; this object lets go of it, so that the caller can free it."""
        column = getattr(self, role)
        setattr(self, role, None)
        return column
