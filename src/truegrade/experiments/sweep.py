"""Models under a growing number of fake ratings: what the spam experiment and the ablation share."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from truegrade.errors import OptionError
from truegrade.experiments.measures import PAPER_MEASURES
from truegrade.experiments.rows import as_table, how_it_went, who
from truegrade.experiments.running import run
from truegrade.experiments.trial import Trial
from truegrade.frames import frame_of

if TYPE_CHECKING:
    import pyarrow as pa

    from truegrade.experiments.lineup import Candidate
    from truegrade.experiments.running import Work
    from truegrade.experiments.study import Study
    from truegrade.experiments.trial import Result

__all__ = ["FAKES", "SEEDS", "Point", "means", "over_seeds", "sweep", "sweep_points", "sweep_table", "sweep_trials"]

FAKES = tuple(range(10))  # fake ratings per instance, as in the paper
SEEDS = (0, 1, 2)  # of the fakes

Point = tuple[int, int]  # fakes per instance, seed of the fakes


def sweep_points(fakes: Sequence[int], seeds: Sequence[int]) -> list[Point]:
    """Every number of fakes with every seed; without fakes the seeds are all the same.

    >>> sweep_points((0, 3), (1, 2))
    [(0, 1), (3, 1), (3, 2)]
    """
    if not fakes or not seeds or min(*fakes, *seeds) < 0:
        raise OptionError("give at least one number of fakes and one seed, none of them negative")
    return [(count, seed) for count in fakes for seed in (seeds if count else seeds[:1])]


def sweep_trials(candidates: Sequence[Candidate], points: Sequence[Point]) -> list[Trial]:
    """What has to be done: every candidate at every point."""
    return [Trial(candidate.model, fakes, seed) for candidate in candidates for fakes, seed in points]


def sweep_table(
    study: Study,
    candidates: Sequence[Candidate],
    points: Sequence[Point],
    results: Sequence[Result],
    extra: Sequence[Mapping[str, str]] | None = None,
) -> pa.Table:
    """One row per trial, from the results in the order of `sweep_trials`; `extra`: further columns of a candidate."""
    rows = []
    for at, result in enumerate(results):
        row, (fakes, seed) = at // len(points), points[at % len(points)]
        further = extra[row] if extra is not None else {}
        figures = {name: result.figures.get(name) for name in PAPER_MEASURES}
        rows.append(
            {**who(study, candidates[row]), **further, "fakes": fakes, "seed": seed, **figures, **how_it_went(result)}
        )
    return as_table(rows)


def sweep(
    study: Study,
    candidates: Sequence[Candidate],
    points: Sequence[Point],
    work: Work | None,
    extra: Sequence[Mapping[str, str]] | None = None,
) -> Any:
    """Carry out the trials; the table as a frame of the library that the ratings came from."""
    results = run([(study.name, trial) for trial in sweep_trials(candidates, points)], {study.name: study}, work)
    return frame_of(sweep_table(study, candidates, points, results, extra), study.ratings.library)


def over_seeds(
    rows: Iterable[Mapping[str, Any]], name: str, line: Callable[[Mapping[str, Any]], str]
) -> dict[tuple[str, int], list[float]]:
    """The values of a measure at each line and number of fakes, in the order of the rows; one per seed."""
    values: dict[tuple[str, int], list[float]] = {}
    for row in rows:
        if row[name] is not None:
            values.setdefault((line(row), row["fakes"]), []).append(row[name])
    return values


def means(table: pa.Table) -> pa.Table:
    """Each measure averaged over the seeds: one row per model and number of fakes."""
    rows = table.to_pylist()
    columns = {name: over_seeds(rows, name, lambda row: str(row["model"])) for name in PAPER_MEASURES}
    places = dict.fromkeys((row["model"], row["fakes"]) for row in rows)
    return as_table(
        [
            {
                "model": model,
                "fakes": fakes,
                **{
                    name: sum(found) / len(found) if (found := values.get((model, fakes))) else None
                    for name, values in columns.items()
                },
            }
            for model, fakes in places
        ]
    )
