"""The models that Auto stacks."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from truegrade.models.continuous import Continuous
from truegrade.models.dawid_skene import DawidSkene
from truegrade.models.mean import Mean
from truegrade.models.ordinal_mixture import OrdinalMixture
from truegrade.models.ordinal_panel import OrdinalPanel

if TYPE_CHECKING:
    from truegrade.models._base import Model
    from truegrade.ratings import Ratings

__all__ = ["Member", "members_for"]

_STARTS, _PASSES = 2, 200  # of the mixture, and starts of Continuous


@dataclass(frozen=True)
class Member:
    """A model, and whether it leads: the annotators' table is its."""

    model: Model
    leads: bool = False

    @property
    def name(self) -> str:
        """As on the command line."""
        return self.model.name

    @property
    def column(self) -> str:
        """As part of a column's name."""
        return self.name.replace("-", "_")

    @property
    def learns(self) -> bool:
        """Whether it can begin from an earlier fit."""
        return hasattr(self.model, "predict")

    @property
    def scored(self) -> Model:
        """The model that is fitted to all but the held-back ratings: without draws, nor names that may be missing."""
        if not self.leads:
            return self.model
        return replace(self.model, draws=0, excluded=(), trusted=(), groups={})  # type: ignore[type-var]

    def begun(self) -> Model:
        """The model with one pass, for a user who has stopped the fit of another."""
        return replace(self.model, max_iterations=1) if hasattr(self.model, "max_iterations") else self.model  # type: ignore[type-var]


def members_for(ratings: Ratings, seed: int, known: dict[str, Any] | None = None) -> list[Member]:
    """The mean first, the leader last, who is told what is known about annotators: excluded, trusted, groups."""
    if ratings.scale.is_real:
        return [Member(Mean()), Member(Continuous(starts=_STARTS))]
    return [
        Member(Mean()),
        Member(Continuous(starts=_STARTS)),
        Member(DawidSkene(pooled=True, starts=1, seed=seed, tolerance=1e-6)),
        Member(OrdinalMixture(starts=_STARTS, seed=seed, max_iterations=_PASSES)),
        Member(OrdinalPanel(seed=seed, **(known or {})), leads=True),
    ]
