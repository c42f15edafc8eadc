"""Section 4 of the paper, whole: Table 1, the spam figure and the ablation, on the data there is."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from truegrade.datasets import load
from truegrade.errors import DataError
from truegrade.experiments.ablation import ABLATION, VARIANTS
from truegrade.experiments.comparison import comparison_table, comparison_trials
from truegrade.experiments.lineup import Candidate, line_up
from truegrade.experiments.measures import PAPER_MEASURES
from truegrade.experiments.paper import PRINTED
from truegrade.experiments.running import run
from truegrade.experiments.study import Study
from truegrade.experiments.sweep import FAKES, SEEDS, Point, sweep_points, sweep_table, sweep_trials
from truegrade.models import MODEL_NAMES

if TYPE_CHECKING:
    import pyarrow as pa

    from truegrade.experiments.running import Work
    from truegrade.experiments.trial import Result, Trial

__all__ = ["DATA", "FULL", "QUICK", "Reproduction", "Scope", "reproduce"]

# What each data set is to the paper.
DATA = {
    "trec-rf10": "the paper's data",
    "web-relevance": "real data with 5 grades, as the paper's other set has; not the paper's; one list for NDCG",
    "yandex-like": "simulated from the ordinal mixture, in the shape of the paper's other set",
}


@dataclass(frozen=True)
class Scope:
    """How much to do. Table 1 is always as in the paper: 10 starts."""

    sweep_starts: int
    fakes: tuple[int, ...]
    seeds: tuple[int, ...]
    starts: int = 10

    def draws(self, study: Study) -> tuple[int, ...]:
        """The seeds of the fakes: one where there are many ratings, since each draw then tells more and costs more."""
        return self.seeds if study.ratings.n_ratings < _MANY else self.seeds[:1]

    def points(self, study: Study) -> list[Point]:
        """Of the sweeps."""
        return sweep_points(self.fakes, self.draws(study))


_MANY = 50_000  # ratings
FULL = Scope(sweep_starts=1, fakes=FAKES, seeds=SEEDS)
QUICK = Scope(sweep_starts=1, fakes=(0, 3, 9), seeds=(0,))


@dataclass(frozen=True)
class Reproduction:
    """The three tables; data that is not here has one row in each, with the reason."""

    scope: Scope
    studies: Mapping[str, Study]
    absent: Mapping[str, str]  # why, by name
    table1: pa.Table
    spam: pa.Table
    ablation: pa.Table


def reproduce(scope: Scope, source: str | None = None, work: Work | None = None) -> Reproduction:
    """Load the data, fit everything, and make the tables.

    source: a folder that holds the data; by default as for :func:`truegrade.datasets.load`.
    """
    studies, absent = _studies(source)
    plans = [plan for study in studies.values() for plan in _plans(study, scope)]
    trials = [(plan.study.name, trial) for plan in plans for trial in plan.trials]
    results = iter(run(trials, studies, work))
    tables: dict[str, list[pa.Table]] = {"table1": [], "spam": [], "ablation": []}
    for plan in plans:
        found = [next(results) for _ in plan.trials]
        tables[plan.table].append(_filled(plan, scope, found))
    return Reproduction(scope, studies, absent, **{name: _joined(parts, absent) for name, parts in tables.items()})


@dataclass(frozen=True)
class _Plan:
    """The trials behind one table's rows of one data set."""

    table: str
    study: Study
    candidates: Sequence[Candidate]
    trials: Sequence[Trial]


def _studies(source: str | None) -> tuple[dict[str, Study], dict[str, str]]:
    studies, absent = {}, {}
    for name in DATA:
        try:
            data = load(name, source or None)
        except DataError as error:
            absent[name] = str(error)
            continue
        if data.gold is not None:
            studies[name] = Study(name, data.ratings, data.gold, one_list=not data.ratings.n_categories)
    return studies, absent


def _plans(study: Study, scope: Scope) -> list[_Plan]:
    categories = study.ratings.n_categories > 0
    every = line_up(categories=categories, starts=scope.starts)
    sweeping = line_up(categories=categories, starts=scope.sweep_starts)
    variants = line_up(ABLATION, starts=scope.sweep_starts)
    points = scope.points(study)
    known = {candidate.model for candidate in every}
    every += [
        candidate
        for candidate in printed(scope.starts).values()
        if candidate.model not in known and (categories or candidate.difficulty != "category")
    ]
    return [
        _Plan("table1", study, every, comparison_trials(every)),
        _Plan("spam", study, sweeping, sweep_trials(sweeping, points)),
        _Plan("ablation", study, variants, sweep_trials(variants, points)),
    ]


def printed(starts: int) -> dict[str, Candidate]:
    """Our models for the paper's rows, by what the paper calls them; those that this version has."""
    return {
        row.name: line_up([row.model], starts=starts)[0] for row in PRINTED if row.model.split(":")[0] in MODEL_NAMES
    }


def _filled(plan: _Plan, scope: Scope, results: Sequence[Result]) -> pa.Table:
    if plan.table == "table1":
        return _beside_the_paper(comparison_table(plan.study, plan.candidates, results), plan, scope)
    extra = VARIANTS if plan.table == "ablation" else None
    return sweep_table(plan.study, plan.candidates, scope.points(plan.study), results, extra)


def _beside_the_paper(table: pa.Table, plan: _Plan, scope: Scope) -> pa.Table:
    """With the paper's figures in the rows that are the paper's."""
    import pyarrow as pa

    names = {candidate.model: name for name, candidate in printed(scope.starts).items()}
    theirs = {row.name: row for row in PRINTED}
    on_trec = plan.study.name == "trec-rf10"
    rows = [theirs.get(names.get(candidate.model, "")) if on_trec else None for candidate in plan.candidates]
    table = table.append_column("paper_system", pa.array([row and row.name for row in rows], pa.string()))
    for name in PAPER_MEASURES:
        figures = [None if row is None else getattr(row, name) for row in rows]
        table = table.append_column(f"paper_{name}", pa.array(figures, pa.float64()))
    return table


def _joined(parts: Sequence[pa.Table], absent: Mapping[str, str]) -> pa.Table:
    """The tables of all data sets, and a row for each that is not here."""
    import pyarrow as pa

    whole = pa.concat_tables(parts)
    nothing = dict.fromkeys(whole.column_names)
    rows = [{**nothing, "data": name, "status": "not available", "reason": reason} for name, reason in absent.items()]
    return pa.concat_tables([whole, pa.Table.from_pylist(rows, schema=whole.schema)])
