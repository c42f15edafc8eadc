"""What every model is: frozen options and a fit method."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, ClassVar, Protocol

from truegrade.engines import ShardedRatings, require_ratings
from truegrade.errors import OptionError
from truegrade.gold import Gold

if TYPE_CHECKING:
    from truegrade.fit import Fit
    from truegrade.models._journal import Keeper
    from truegrade.ratings import Ratings

__all__ = ["Model", "Progress", "check_met", "checked_inputs", "require_whole"]

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
        *,
        checkpoint: Keeper = None,
    ) -> Fit:
        """Infer the truth. No argument is changed.

        gold: truths that are known: Gold, a frame with a gold column, or a mapping from instance to value.
        start: an earlier fit to begin from. progress: called once per iteration.
        checkpoint: a :class:`truegrade.Checkpoint`; what does not iterate needs none, and leaves it alone.
        """


def checked_inputs(ratings: Ratings | ShardedRatings, gold: Any) -> Gold | None:
    """The known truths as Gold, on the ratings' scale; ratings must be Ratings already."""
    require_ratings(ratings)
    return None if gold is None else Gold.of(gold, scale=ratings.scale)


def require_whole(name: str, ratings: Ratings | ShardedRatings) -> None:
    """Refuse shards for a model that looks at all ratings at once."""
    if isinstance(ratings, ShardedRatings):
        raise OptionError(
            f"{name} needs all ratings in memory, and these are in shards; choose ordinal-panel, ordinal-mixture, "
            "dawid-skene, ord-binary, continuous, glad, mean, median or majority"
        )


def check_met(gold: Gold | None, met: int, ratings: Ratings | ShardedRatings) -> None:
    """Refuse gold of which no instance was met in the ratings."""
    if gold is not None and not met:
        raise gold.strange(ratings.shard(0) if isinstance(ratings, ShardedRatings) else ratings)
