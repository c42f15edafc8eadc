"""One table per benchmark: what was measured, the figure, its target and whether it is met."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Sequence


class Line(NamedTuple):
    what: str
    figure: float
    unit: str  # s, MB, x (times)
    target: float | None = None  # at most this; None = reported only
    at_least: bool = False  # the target is a floor


def print_lines(lines: Sequence[Line]) -> None:
    width = max(len(line.what) for line in lines)
    print(f"{'what':<{width}}  {'figure':>9}  {'target':>9}")
    for what, figure, unit, target, at_least in lines:
        found = f"{figure:.0f}" if figure >= 100 else f"{figure:.3g}"
        wanted = "" if target is None else f"{'>= ' if at_least else ''}{target:.4g} {unit}"
        met = target is None or (figure >= target if at_least else figure <= target)
        verdict = "" if target is None else "met" if met else "MISSED"
        print(f"{what:<{width}}  {f'{found} {unit}':>9}  {wanted:>9}  {verdict}".rstrip())
