"""The models that Auto stacks, and how far each is trusted before any rating was looked at."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from truegrade.models.continuous import Continuous
from truegrade.models.dawid_skene import DawidSkene
from truegrade.models.mean import Mean
from truegrade.models.ordinal_mixture import OrdinalMixture
from truegrade.models.ordinal_panel import OrdinalPanel

if TYPE_CHECKING:
    from truegrade.models._base import Model
    from truegrade.ratings import Ratings

__all__ = ["Member", "members_for"]

_SHARED = 0.1  # of the errors on an instance are taken to be common to all: no measurement shows them
_STARTS, _PASSES = 2, 200  # of the mixture


@dataclass(frozen=True)
class Member:
    """A model, its weight before the score, and whether it leads: annotators, predictions and warm starts are its."""

    model: Model
    weight: float
    leads: bool = False

    @property
    def name(self) -> str:
        """As on the command line."""
        return self.model.name

    @property
    def column(self) -> str:
        """As part of a column's name."""
        return self.name.replace("-", "_")

    def begun(self) -> Model:
        """The model with one pass, for a user who has stopped the fit of another."""
        return replace(self.model, max_iterations=1) if hasattr(self.model, "max_iterations") else self.model  # type: ignore[type-var]


def members_for(ratings: Ratings, seed: int) -> list[Member]:
    """The mean first, the leader last."""
    if ratings.scale.is_real:
        return [Member(Mean(), 1.0), Member(Continuous(), 1.0)]
    return [
        Member(Mean(), 1.0),
        Member(Continuous(), 0.5),
        Member(DawidSkene(pooled=True, starts=1, seed=seed, tolerance=1e-6), 1.0),
        Member(OrdinalMixture(starts=_STARTS, seed=seed, max_iterations=_PASSES), 2.0),
        Member(OrdinalPanel(assumed=_SHARED, seed=seed), 8.0, leads=True),
    ]
