"""A JSON value as the text that stands for it in a table."""

from __future__ import annotations

from typing import Any

from truegrade.scale import shortest_text

__all__ = ["value_text"]


def value_text(value: Any) -> str | None:
    """The text of a single value; None where there is none, or a list or an object.

    >>> value_text(4), value_text(4.0), value_text("4"), value_text(True), value_text([4])
    ('4', '4', '4', 'true', None)
    """
    match value:
        case str():
            return value
        case None | list() | dict():
            return None
        case bool():
            return "true" if value else "false"
        case float():
            return None if value != value else shortest_text(value)  # noqa: PLR0124  NaN alone differs
        case _:
            return str(value)
