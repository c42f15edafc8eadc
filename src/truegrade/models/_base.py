"""What every model is: frozen options and a fit method."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, ClassVar, Protocol

from truegrade.gold import Gold
from truegrade.ratings import Ratings

if TYPE_CHECKING:
    from truegrade.fit import Fit

__all__ = ["Model", "Progress", "checked_inputs"]

Progress = Callable[[int, float, float], None]  # iteration, bound, change of the bound


class Model(Protocol):
    """A frozen dataclass of keyword-only options with one method."""

    name: ClassVar[str]

    def fit(
        self,
        ratings: Ratings,
        gold: Any = None,
        start: Fit | None = None,
        progress: Progress | None = None,
    ) -> Fit:
        """Infer the truth. No argument is changed.

        gold: truths that are known: Gold, a frame with a gold column, or a mapping from instance to value.
        start: an earlier fit to begin from. progress: called once per iteration.
        """


def checked_inputs(ratings: Ratings, gold: Any) -> Gold | None:
    """The known truths as Gold, on the ratings' scale; ratings must be Ratings already."""
    Ratings.require(ratings)
    return None if gold is None else Gold.of(gold, scale=ratings.scale)
