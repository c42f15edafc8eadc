"""What the panel does beside one shard: sweeps, and looks at its truths."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from truegrade.inference.adding import Sums
from truegrade.inference.counting import AgreementSums
from truegrade.inference.table_sweep import TablePlan, TableRatings, TableSums, table_sweep
from truegrade.models._panel_grid import TruthGrid
from truegrade.models._panel_named import excluded_ratings, trusted_ratings
from truegrade.models._summary import Moments, known_truths, mean_ratings

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from truegrade.gold import Gold
    from truegrade.models.ordinal_panel import OrdinalPanel
    from truegrade.ratings import Ratings
    from truegrade.scale import Scale

    Floats = NDArray[np.float64]

__all__ = ["MANY_GRADES", "PanelFacts", "PanelMessage", "PanelPart", "PanelPass", "grids", "known_places", "positions"]

MANY_GRADES = 15  # from here on nodes lie on the grades alone, and annotators keep to their types
_AMBIGUITY = 0.25


def grids(model: OrdinalPanel, grades: int) -> tuple[TruthGrid, TruthGrid]:
    """The nodes of the truth, and those at the grades alone, where a start settles the types."""
    per_grade = 1 if grades > MANY_GRADES else model.nodes
    fine = TruthGrid.of(grades, per_grade, (0.0,) if model.difficulty == "none" else (0.0, _AMBIGUITY))
    return fine, TruthGrid.of(grades, 1, (0.0,))


def positions(truths: Floats, scale: Scale) -> Floats:
    """Truths in grades, 0 .. K-1; NaN stays."""
    return np.where(np.isnan(truths), np.nan, np.interp(truths, scale.array, np.arange(scale.n_grades)))


def known_places(gold: Gold | None, scale: Scale) -> Floats:
    """Where known truths lie, each place once and ascending (V,)."""
    return np.empty(0) if gold is None else np.unique(positions(gold.values, scale))


@dataclass(frozen=True)
class PanelMessage:
    """The parameters in force."""

    table: Floats  # (N, K, G)
    log_prior: Floats  # (P, G): by group, then per distinct known truth
    coarse: bool  # the nodes are the grades alone


@dataclass(frozen=True)
class PanelPass(Sums):
    """What a sweep finds."""

    counts: Floats  # (N, K, G)
    log_z: float
    mass: Floats  # (groups, G): instances per node


@dataclass(frozen=True)
class PanelFacts(Sums):
    """What the ratings are, and how many known truths there are."""

    weight: float  # of the ratings that tell about truths
    of_grade: Floats  # (K,)
    trusted: float  # and of those among them by trusted annotators
    trusted_of_grade: Floats  # (K,)
    unrated: int  # instances that nobody else rated
    met: int


@dataclass(frozen=True)
class PanelPart:
    """The constants of one shard."""

    model: OrdinalPanel
    ratings: Ratings
    weight: Floats  # (L,): 0 of annotators who are left out
    known: Floats | None  # (M,): known truths as positions, NaN elsewhere
    known_row: NDArray[np.int32] | None  # (M,): which of the known places, from 1 on; 0 = not known
    places: int  # V: how many there are
    groups: int  # how many priors of ambiguity there are: one, or one per category
    data: TableRatings
    plan: TablePlan  # on the nodes of the truth
    coarse_plan: TablePlan | None  # on the grades alone, where a start settles there
    threads: int

    @classmethod
    def of(cls, ratings: Ratings, threads: int, model: OrdinalPanel, gold: Gold | None, settles: bool) -> PanelPart:
        """Prepare the sweeps. settles: whether some are on the grades alone."""
        if model.difficulty == "category":
            ratings.category_ptr()  # says so where there are none
        weight = np.ones(ratings.n_ratings) if ratings.weight is None else ratings.weight
        weight = weight * ~excluded_ratings(model, ratings)
        known, row, places = known_truths(ratings, gold, shard=True), None, known_places(gold, ratings.scale)
        if known is not None:
            known = positions(known, ratings.scale)
            at = np.flatnonzero(~np.isnan(known))
            row = np.zeros(known.size, dtype=np.int32)
            row[at] = np.searchsorted(places, known[at]) + 1
        groups = ratings.n_categories if model.difficulty == "category" else 1
        data = TableRatings.of(ratings, _prior_row(ratings, row, places.size, groups))
        if model.excluded:
            data = replace(data, weight=weight)
        grades = ratings.scale.n_grades
        fine, coarse = grids(model, grades)
        plan = TablePlan.build(data, ratings.n_annotators, grades, fine.nodes, threads)
        other = TablePlan.build(data, ratings.n_annotators, grades, coarse.nodes, threads) if settles else None
        return cls(model, ratings, weight, known, row, places.size, groups, data, plan, other, threads)

    @cached_property
    def grid(self) -> TruthGrid:
        """The nodes of the truth."""
        return grids(self.model, self.ratings.scale.n_grades)[0]

    def swept(self, message: PanelMessage, *, posterior: bool) -> TableSums:
        """One E-step."""
        r, plan = self.ratings, self.coarse_plan if message.coarse else self.plan
        annotators, grades, nodes = message.table.shape
        sums = TableSums.empty(annotators, grades, nodes, r.n_instances, posterior=posterior)
        table_sweep(self.data, message.table, message.log_prior, sums, plan=plan, threads=self.threads)
        return sums

    def posterior(self, message: PanelMessage) -> Floats:
        """q of every instance (M, G)."""
        q = self.swept(message, posterior=True).posterior
        assert q is not None  # noqa: S101  it was asked for
        return q

    def rows_of_prior(self) -> NDArray[np.int32]:
        """Which row of the log prior each instance has (M,)."""
        row = self.data.prior_row
        return np.zeros(self.ratings.n_instances, dtype=np.int32) if row is None else row

    def by_group(self, q: Floats) -> Floats:
        """Masses (M, ..) added up in each group (groups, ..)."""
        if self.groups == 1 or self.ratings.category is None:
            total: Floats = q.sum(axis=0)[None]
            return total
        total = np.zeros((self.groups, *q.shape[1:]))
        here = np.unique(self.ratings.category)  # ascends, as the instances do
        total[here] = np.add.reduceat(q, np.searchsorted(self.ratings.category, here), axis=0)
        return total

    # What engines run: each takes the part, no state, and a message.

    def sweep(self, _: None, message: PanelMessage) -> PanelPass:
        """One E-step."""
        sums = self.swept(message, posterior=self.groups > 1)
        mass = sums.node_counts[None] if sums.posterior is None else self.by_group(sums.posterior)
        return PanelPass(sums.counts, float(sums.log_z.sum()), mass)

    def moments(self, _: None, message: PanelMessage) -> Moments:
        """How the estimates go with the means of the ratings."""
        estimate = self.grid.places(self.posterior(message)) @ self.grid.position
        return Moments.of(estimate, mean_ratings(self.ratings))

    def facts(self, _: None, __: None) -> PanelFacts:
        """Weights, and how much gold there is."""
        r, grades = self.ratings, self.ratings.scale.n_grades
        trusted = self.weight * trusted_ratings(self.model, r) if self.model.trusted else np.zeros(r.n_ratings)
        by_grade = [np.bincount(r.grade, weight, grades).astype(np.float64) for weight in (self.weight, trusted)]
        unrated = int(np.count_nonzero(np.add.reduceat(self.weight, r.instance_ptr[:-1]) == 0))
        met = 0 if self.known_row is None else int(np.count_nonzero(self.known_row))
        sums = float(self.weight.sum()), float(trusted.sum())
        return PanelFacts(sums[0], by_grade[0], sums[1], by_grade[1], unrated, met)

    def agreement(self, _: None, __: None) -> AgreementSums:
        """How much annotators agree."""
        return AgreementSums.of(self.ratings)


def _prior_row(
    ratings: Ratings, known_row: NDArray[np.int32] | None, places: int, groups: int
) -> NDArray[np.int32] | None:
    """Which row of the log prior each instance has (M,); None: the first."""
    category = ratings.category if groups > 1 else None
    if known_row is None:
        return category
    if category is None:
        return known_row
    rows: NDArray[np.int32] = (category * (1 + places) + known_row).astype(np.int32)
    return rows
