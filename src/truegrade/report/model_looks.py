"""One look per model, the same in every figure: colours that the colour-blind can tell apart, and dashes."""

from __future__ import annotations

from collections.abc import Sequence

__all__ = ["colour_of", "dashes_of"]

# Okabe and Ito's colours, which stay apart for the colour-blind. Models that weigh no annotator are all black: greys
# are what their purple and green look like to some.
_COLOURS = {
    "ordinal-mixture": "#0072B2",
    "ordinal-panel": "#D55E00",
    "dawid-skene": "#009E73",
    "glad": "#CC79A7",
    "ord-binary": "#E69F00",
    "continuous": "#56B4E9",
    "mean": "#000000",
    "median": "#000000",
    "majority": "#000000",
}
_OTHER = "#7A4B1E"
_DASHES: tuple[tuple[int, ...], ...] = ((1, 0), (6, 3), (2, 2), (9, 3, 2, 3), (12, 4))


def colour_of(system: str) -> str:
    """The colour of a model, whatever its options."""
    return _COLOURS.get(system, _OTHER)


def dashes_of(systems: Sequence[str]) -> list[tuple[int, ...]]:
    """The line of each model: solid for the first of a colour, dashed for the others.

    >>> dashes_of(["mean", "median", "glad", "glad"])
    [(1, 0), (6, 3), (1, 0), (6, 3)]
    """
    colours = [colour_of(system) for system in systems]
    nth = [colours[:at].count(colour) for at, colour in enumerate(colours)]
    return [_DASHES[min(count, len(_DASHES) - 1)] for count in nth]
