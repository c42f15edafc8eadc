"""Ids and numbers as a page shows them: harmless, short, and readable whatever they hold."""

from __future__ import annotations

import math
import re
import unicodedata
from collections import Counter
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray

    from truegrade.ids import IdTable
    from truegrade.scale import Scale

__all__ = ["decimals", "listed", "number", "share", "shown_grades", "shown_id", "shown_ids", "shown_note"]

_LONGEST = 60  # characters of an id


def shown_id(label: object) -> str:
    """An id in at most so many characters, what cannot be seen made visible.

    >>> shown_id("a\\x00b"), len(shown_id("x" * 10_000))
    ('a\\ufffdb', 60)
    """
    text = _visible(str(label)[: _LONGEST + 1])
    return text if len(text) <= _LONGEST else text[: _LONGEST - 1] + "…"


def shown_ids(table: IdTable, codes: NDArray[Any]) -> list[str]:
    """The ids of some codes, as shown."""
    import pyarrow as pa

    different, at = np.unique(codes, return_inverse=True)
    position = np.empty(len(table), dtype=np.int64)
    position[table.code] = np.arange(len(table))
    names = [shown_id(text) for text in table.texts().take(pa.array(position[different])).to_pylist()]
    times = Counter(names)
    # Ids that are cut to the same text stay different.
    names = [name if times[name] == 1 else f"{name} #{code}" for name, code in zip(names, different, strict=True)]
    return [names[i] for i in at]


def shown_grades(scale: Scale) -> list[str]:
    """What the grades are called, as shown: names may be as odd as ids."""
    names = [shown_id(label) for label in scale.labels]
    return [name if names.count(name) == 1 else f"{name} #{k}" for k, name in enumerate(names)]


def shown_note(note: str) -> str:
    """A sentence that may quote ids, with these as harmless and short as elsewhere."""
    return _visible(re.sub(rf"\S{{{_LONGEST},}}", lambda found: shown_id(found[0]), note))


def _visible(text: str) -> str:
    return "".join("\ufffd" if unicodedata.category(c)[0] == "C" else c for c in text)


def decimals(values: NDArray[np.float64]) -> int:
    """How many decimals show these numbers: two, or more where all are small.

    >>> decimals(np.array([0.0, 3.2])), decimals(np.array([0.0017, 0.0003]))
    (2, 4)
    """
    largest = float(np.nanmax(np.abs(values), initial=0.0))
    return 2 if largest >= 0.1 or largest < 1e-6 else 1 - math.floor(math.log10(largest))


def number(value: Any, digits: int = 2) -> str:
    """A number for a table; a dash where it is not known."""
    if value is None or (isinstance(value, float | np.floating) and not math.isfinite(value)):
        return "-"
    return f"{value:,}" if isinstance(value, int | np.integer) else f"{value:,.{digits}f}"


def share(value: float) -> str:
    """A share in percent, never rounded up to all or down to nothing."""
    if 0 < value < 0.01:
        return "under 1 %"
    return "over 99 %" if 0.99 < value < 1 else f"{value:.0%}".replace("%", " %")


def listed(names: Iterable[str]) -> str:
    """Names in a sentence."""
    *most, last = names
    return f"{', '.join(most)} and {last}" if most else last
