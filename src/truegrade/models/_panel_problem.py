"""What all starts of one fit of the panel share: the data, the grids, the known truths, the priors."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from truegrade.errors import OptionError
from truegrade.inference.table_sweep import TablePlan, TableRatings, TableSums, table_sweep
from truegrade.models._panel_grid import TruthGrid
from truegrade.models._panel_named import TRUSTED, excluded_ratings, group_names, group_of, trusted_ratings
from truegrade.models._panel_population import Population, log_dirichlet
from truegrade.models._panel_types import TypeGrid, TypeParts
from truegrade.models._summary import known_truths

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from truegrade.gold import Gold
    from truegrade.models.ordinal_panel import OrdinalPanel
    from truegrade.ratings import Ratings

    Floats = NDArray[np.float64]

__all__ = ["MANY_GRADES", "PanelProblem"]

MANY_GRADES = 15  # from here on nodes lie on the grades alone, and annotators keep to their types
_AMBIGUITY = 0.25
_ANCHOR_FLOOR = 0.02  # of the anchor: no node is impossible
_TINY = 1e-12


@dataclass(frozen=True)
class PanelProblem:
    """The constants of one fit."""

    model: OrdinalPanel
    ratings: Ratings
    share: Floats  # (K,): of the ratings, per grade
    weight: Floats  # (L,)
    grid: TruthGrid
    anchor: Floats  # (Z,): the shares of the ratings (of those trusted, where there are any), spread over the places
    pull: float  # how many instances the anchor is worth
    known: Floats | None  # (M,): known truths as positions, NaN elsewhere
    known_rows: Floats  # (P, G): how each distinct known truth is spread over the nodes
    known_row: NDArray[np.int32] | None  # (M,): which of them, 0 = not known

    @classmethod
    def of(cls, model: OrdinalPanel, ratings: Ratings, gold: Gold | None) -> PanelProblem:
        """Check that model and ratings go together."""
        scale = ratings.scale
        if scale.is_real:
            raise OptionError(f"{model.name} needs grades; on a real scale choose continuous or the mean")
        if model.difficulty == "category":
            ratings.category_ptr()  # says so where there are none
        weight = np.ones(ratings.n_ratings) if ratings.weight is None else ratings.weight
        weight = weight * ~excluded_ratings(model, ratings)
        if not weight.any():
            raise OptionError(f"{ratings.where}: no ratings are left without the annotators of excluded=; name fewer")
        share = np.bincount(ratings.grade, weight, scale.n_grades) / weight.sum()
        per_grade = 1 if scale.n_grades > MANY_GRADES else model.nodes
        grid = TruthGrid.of(scale.n_grades, per_grade, (0.0,) if model.difficulty == "none" else (0.0, _AMBIGUITY))
        scale_of = weight * trusted_ratings(model, ratings) if model.trusted else weight
        scale_of = scale_of if scale_of.any() else weight
        tied = np.bincount(ratings.grade, scale_of, scale.n_grades) / scale_of.sum()
        anchor = np.interp(grid.position, np.arange(scale.n_grades), tied) + _ANCHOR_FLOOR
        pull = model.anchor * min(ratings.n_instances, scale_of.sum())
        if model.prior == "uniform":
            anchor = np.ones(grid.position.size)
        known = known_truths(ratings, gold)
        rows, row = np.empty((0, grid.nodes)), None
        if known is not None:
            known = np.where(np.isnan(known), np.nan, np.interp(known, scale.array, np.arange(scale.n_grades)))
            values, index = np.unique(known[~np.isnan(known)], return_inverse=True)
            rows = np.array([grid.weights(value) for value in values])
            row = np.zeros(known.size, dtype=np.int32)
            row[~np.isnan(known)] = index + 1
        return cls(model, ratings, share, weight, grid, anchor / anchor.sum(), pull, known, rows, row)

    def population(self) -> Population:
        """Before anything is known about the annotators."""
        model, names = self.model, group_names(self.model)
        grid = TypeGrid.of(self.share, TypeParts(model.bias, model.stretch, model.spam, model.reversed))
        population = Population.of(grid, model.strength, len(names), learned=model.learned_population)
        if names[-1] == TRUSTED and model.trusted:
            population = population.with_trusted()
        return replace(population, group=group_of(model, self.ratings))

    def on_grades(self) -> PanelProblem:
        """The same with nodes at the grades alone: where a start settles the types."""
        return PanelProblem.of_grid(self, TruthGrid.of(self.ratings.scale.n_grades, 1, (0.0,)))

    @staticmethod
    def of_grid(problem: PanelProblem, grid: TruthGrid) -> PanelProblem:
        """The same on another grid."""
        anchor = np.interp(grid.position, problem.grid.position, problem.anchor)
        rows = np.empty((0, grid.nodes))
        if problem.known is not None:
            values = np.unique(problem.known[~np.isnan(problem.known)])
            rows = np.array([grid.weights(value) for value in values])
        return PanelProblem(
            problem.model,
            problem.ratings,
            problem.share,
            problem.weight,
            grid,
            anchor / anchor.sum(),
            problem.pull,
            problem.known,
            rows,
            problem.known_row,
        )

    @property
    def groups(self) -> int:
        """How many priors of ambiguity there are: one, or one per category."""
        return self.ratings.n_categories if self.model.difficulty == "category" else 1

    def first_prior(self) -> Floats:
        """The anchor, at any ambiguity alike (groups, G)."""
        row = np.tile(self.anchor / self.grid.levels, self.grid.levels)
        return np.tile(row, (self.groups, 1))

    def log_prior(self, prior: Floats) -> Floats:
        """One row per group; then, per group, one for every distinct known truth (P, G)."""
        log_prior = np.log(prior)
        if self.known_row is None:
            return log_prior
        with np.errstate(divide="ignore"):
            known = np.log(self.known_rows)  # (V, G)
        rows = [np.concatenate([row[None], row + known]) for row in log_prior]
        return np.concatenate(rows)

    def prior_row(self) -> NDArray[np.int32] | None:
        """Which row of :meth:`log_prior` each instance has (M,)."""
        category = self.ratings.category if self.groups > 1 else None
        if self.known_row is None:
            return category
        if category is None:
            return self.known_row
        rows: NDArray[np.int32] = (category * (1 + len(self.known_rows)) + self.known_row).astype(np.int32)
        return rows

    @cached_property
    def data(self) -> TableRatings:
        """The ratings as the sweep wants them."""
        data = TableRatings.of(self.ratings, self.prior_row())
        return replace(data, weight=self.weight) if self.model.excluded else data

    @cached_property
    def plan(self) -> TablePlan:
        """The order in which they are counted."""
        return TablePlan.build(self.data, self.ratings.n_annotators, self.ratings.scale.n_grades, self.grid.nodes)

    def empty_sums(self, *, posterior: bool) -> TableSums:
        """Room for a sweep's sums."""
        r = self.ratings
        return TableSums.empty(
            r.n_annotators, r.scale.n_grades, self.grid.nodes, r.n_instances, posterior=posterior or self.groups > 1
        )

    def sweep(self, table: Floats, prior: Floats, sums_out: TableSums) -> None:
        """One E-step."""
        table_sweep(self.data, table, self.log_prior(prior), sums_out, plan=self.plan)

    def mass(self, sums: TableSums) -> Floats:
        """Instances per node, in each group (groups, G)."""
        if self.groups == 1 or sums.posterior is None:
            return sums.node_counts[None]
        mass: Floats = np.add.reduceat(sums.posterior, self.ratings.category_ptr()[:-1], axis=0)
        return mass

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

    def drawn_prior(self, node: NDArray[np.intp], prior: Floats, rng: np.random.Generator) -> Floats:
        """The prior of the nodes, drawn given the node of every instance (M,); `prior` where it is not learned."""
        model, grid = self.model, self.grid
        group = self.ratings.category if self.groups > 1 and self.ratings.category is not None else 0
        mass = np.bincount(group * grid.nodes + node, minlength=self.groups * grid.nodes)
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
