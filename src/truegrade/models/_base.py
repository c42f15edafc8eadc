"""What every model is: frozen options and a fit method."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, ClassVar, Protocol

if TYPE_CHECKING:
    from truegrade.fit import Fit
    from truegrade.gold import Gold
    from truegrade.ratings import Ratings

__all__ = ["Model", "Progress"]

Progress = Callable[[int, float, float], None]  # iteration, bound, change of the bound


class Model(Protocol):
    """A frozen dataclass of keyword-only options with one method."""

    name: ClassVar[str]

    def fit(
        self,
        ratings: Ratings,
        gold: Gold | None = None,
        start: Fit | None = None,
        progress: Progress | None = None,
    ) -> Fit:
        """Infer the truth. No argument is changed.

        gold: truths that are known. start: an earlier fit to begin from. progress: called once per iteration.
        """
