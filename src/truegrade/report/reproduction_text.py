"""Small things that the parts of a reproduction's page share."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["listed", "rows_of", "short"]


def rows_of(table: pa.Table, name: str) -> pa.Table:
    """The rows of one data set."""
    import pyarrow.compute as pc

    return table.filter(pc.equal(table["data"], name))


def short(value: float, digits: int = 3) -> str:
    """As the paper prints figures: without the zero before the point.

    >>> short(0.6494), short(-0.045), short(1.2), short(0.92344, 4)
    ('.649', '-.045', '1.200', '.9234')
    """
    text = f"{value:.{digits}f}"
    return text.replace("0.", ".", 1) if abs(float(text)) < 1 else text


def listed(names: Iterable[Any]) -> str:
    """With commas."""
    return ", ".join(map(str, names))
