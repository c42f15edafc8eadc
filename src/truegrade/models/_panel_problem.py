"""What all starts of one fit of the panel share: where its parts are, the grids, the known truths, the priors."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from truegrade.engines import engine_for
from truegrade.errors import OptionError
from truegrade.models._base import check_met
from truegrade.models._panel_named import TRUSTED, group_names, group_of
from truegrade.models._panel_part import MANY_GRADES, PanelMessage, PanelPart, grids, known_places
from truegrade.models._panel_population import Population, log_dirichlet
from truegrade.models._panel_types import TypeGrid, TypeParts

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from truegrade.engines import Engine, Placed, ShardedRatings
    from truegrade.gold import Gold
    from truegrade.models._panel_grid import TruthGrid
    from truegrade.models._panel_part import PanelFacts
    from truegrade.models.ordinal_panel import OrdinalPanel
    from truegrade.ratings import Ratings

    Floats = NDArray[np.float64]

__all__ = ["PanelProblem", "place_panel"]

_ANCHOR_FLOOR = 0.02  # of the anchor: no node is impossible
_TINY = 1e-12


def place_panel(
    model: OrdinalPanel,
    ratings: Ratings | ShardedRatings,
    gold: Gold | None,
    *,
    fresh: bool = True,
    starts: int = 1,
    engine: Engine | None = None,
) -> Placed:
    """Check that model and ratings go together, and prepare the sweeps. fresh: not where an earlier fit ended."""
    scale = ratings.scale
    if scale.is_real:
        raise OptionError(f"{model.name} needs grades; on a real scale choose continuous or the mean")
    settles = fresh and (_refined(model, scale.n_grades) or not grids(model, scale.n_grades)[0].on_grades)
    make = partial(PanelPart.of, model=model, gold=gold, settles=settles)
    return engine_for(ratings, engine).place(ratings, make, starts=starts)


def _refined(model: OrdinalPanel, grades: int) -> bool:
    return model.refined and grades <= MANY_GRADES


@dataclass(frozen=True)
class PanelProblem:
    """The constants of one fit."""

    model: OrdinalPanel
    placed: Placed
    facts: PanelFacts
    share: Floats  # (K,): of the ratings, per grade
    grid: TruthGrid
    coarse: bool  # these nodes are the grades alone, where a start settles the types
    anchor: Floats  # (Z,): the shares of the ratings (of those trusted, where there are any), spread over the places
    pull: float  # how many instances the anchor is worth
    known: Floats  # (V,): where known truths lie, each place once

    @classmethod
    def of(cls, model: OrdinalPanel, placed: Placed, gold: Gold | None) -> PanelProblem:
        """What the ratings that were placed say."""
        ratings, scale = placed.ratings, placed.ratings.scale
        facts: PanelFacts = placed.sums(PanelPart.facts, None, None)
        if not facts.weight:
            raise OptionError(f"{ratings.where}: no ratings are left without the annotators of excluded=; name fewer")
        check_met(gold, facts.met, ratings)
        grid, _ = grids(model, scale.n_grades)
        tied, weight = facts.of_grade, facts.weight
        if facts.trusted:
            tied, weight = facts.trusted_of_grade, facts.trusted
        anchor = np.interp(grid.position, np.arange(scale.n_grades), tied / weight) + _ANCHOR_FLOOR
        pull = model.anchor * min(ratings.n_instances, weight)
        if model.prior == "uniform":
            anchor = np.ones(grid.position.size)
        share, known = facts.of_grade / facts.weight, known_places(gold, scale)
        return cls(model, placed, facts, share, grid, False, anchor / anchor.sum(), pull, known)

    def population(self) -> Population:
        """Before anything is known about the annotators."""
        model, names = self.model, group_names(self.model)
        grid = TypeGrid.of(self.share, TypeParts(model.bias, model.stretch, model.spam, model.reversed))
        population = Population.of(grid, model.strength, len(names), learned=model.learned_population)
        if names[-1] == TRUSTED and model.trusted:
            population = population.with_trusted()
        return replace(population, group=group_of(model, self.placed.ratings))

    @property
    def refined(self) -> bool:
        """Whether annotators may depart from their types."""
        return _refined(self.model, self.placed.ratings.scale.n_grades)

    def on_grades(self) -> PanelProblem:
        """The same with nodes at the grades alone: where a start settles the types."""
        _, grid = grids(self.model, self.placed.ratings.scale.n_grades)
        anchor = np.interp(grid.position, self.grid.position, self.anchor)
        return replace(self, grid=grid, coarse=True, anchor=anchor / anchor.sum())

    @property
    def groups(self) -> int:
        """How many priors of ambiguity there are: one, or one per category."""
        return self.placed.ratings.n_categories if self.model.difficulty == "category" else 1

    def first_prior(self) -> Floats:
        """The anchor, at any ambiguity alike (groups, G)."""
        row = np.tile(self.anchor / self.grid.levels, self.grid.levels)
        return np.tile(row, (self.groups, 1))

    def log_prior(self, prior: Floats) -> Floats:
        """One row per group; then, per group, one for every distinct known truth (P, G)."""
        log_prior = np.log(prior)
        if not self.known.size:
            return log_prior
        with np.errstate(divide="ignore"):
            known = np.log([self.grid.weights(place) for place in self.known])  # (V, G)
        rows = [np.concatenate([row[None], row + known]) for row in log_prior]
        return np.concatenate(rows)

    def message(self, table: Floats, prior: Floats) -> PanelMessage:
        """For a sweep."""
        return PanelMessage(table, self.log_prior(prior), self.coarse)

    def updated_prior(self, mass: Floats) -> Floats:
        """The most probable prior of the nodes: places common to all, ambiguity per group."""
        model, grid = self.model, self.grid
        by_level = mass.reshape(len(mass), grid.levels, -1)
        place = self.anchor.copy()
        if model.prior == "learned":
            place = by_level.sum(axis=(0, 1)) + self.pull * self.anchor
            place /= place.sum()
        level = by_level.sum(axis=2) + model.ambiguity_count / grid.levels  # (groups, D)
        level /= level.sum(axis=1, keepdims=True)
        prior: Floats = np.maximum(level[:, :, None] * place, _TINY).reshape(len(mass), -1)
        return prior

    def drawn_prior(self, mass: NDArray[np.int64], prior: Floats, rng: np.random.Generator) -> Floats:
        """The prior of the nodes, drawn given how many instances are at each (groups, G); as it is, if not learned."""
        model, grid = self.model, self.grid
        by_level = mass.reshape(self.groups, grid.levels, -1)
        place = prior.reshape(by_level.shape).sum(axis=1)[:1]  # (1, Z): common to all groups
        if model.prior == "learned":
            place = np.exp(log_dirichlet(rng, by_level.sum(axis=(0, 1)) + self.pull * self.anchor))
        level = np.exp(log_dirichlet(rng, by_level.sum(axis=2) + model.ambiguity_count / grid.levels))
        drawn: Floats = np.maximum(level[:, :, None] * place, _TINY).reshape(prior.shape)
        return drawn

    def log_hyperprior(self, prior: Floats) -> float:
        """Of the prior of the nodes, constants left out."""
        model, grid = self.model, self.grid
        by_level = prior.reshape(len(prior), grid.levels, -1)
        places = 0.0
        if model.prior == "learned":
            places = self.pull * float(self.anchor @ np.log(by_level[0].sum(axis=0)))
        return places + model.ambiguity_count / grid.levels * float(np.log(by_level.sum(axis=2)).sum())
