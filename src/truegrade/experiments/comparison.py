"""Every model on one data set: the paper's Table 1 on any ratings with gold."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from truegrade.experiments.bootstrap import interval
from truegrade.experiments.lineup import Candidate, line_up
from truegrade.experiments.measures import MEASURES, Measure
from truegrade.experiments.rows import as_table, how_it_went, who
from truegrade.experiments.running import Work, run
from truegrade.experiments.study import Study
from truegrade.experiments.trial import Trial
from truegrade.frames import frame_of

if TYPE_CHECKING:
    import pyarrow as pa

    from truegrade.experiments.trial import Result
    from truegrade.ratings import Ratings

__all__ = ["DRAWS", "NOTES_APART", "compare", "comparison_table", "comparison_trials"]

DRAWS = 1000  # resampled data sets behind an interval
NOTES_APART = " | "


def compare(
    ratings: Ratings,
    gold: Any,
    models: str | Iterable[str] | None = None,
    *,
    starts: int = 10,
    seed: int = 0,
    one_list: bool = False,
    work: Work | None = None,
) -> Any:
    """Fit every model and measure it against gold; one row per model, in a frame of the ratings' library.

    Each figure comes with the interval that holds 95 % of it when the instances that have gold (for NDCG the
    queries) are drawn again with replacement. `<figure>_mark` is "best" for the best model, and "tied" for those
    whose difference to it, over the same draws, has an interval that holds 0.

    Args:
        ratings: what to fit.
        gold: Gold, a frame or a mapping from instance to value.
        models: names with options, as in "mean,ordinal-mixture:difficulty=category"; by default every model.
        starts: of the models that have several by themselves.
        seed: fixes every random draw.
        one_list: NDCG over all instances as one list; without it, and without categories, there is none.
        work: how many processes, and where finished fits are kept.
    """
    study = Study.of(ratings, gold, one_list=one_list)
    candidates = line_up(models, categories=ratings.n_categories > 0, starts=starts, seed=seed)
    results = run([(study.name, trial) for trial in comparison_trials(candidates)], {study.name: study}, work)
    return frame_of(comparison_table(study, candidates, results), ratings.library)


def comparison_trials(candidates: Sequence[Candidate], draws: int = DRAWS) -> list[Trial]:
    """What has to be done for a table."""
    return [Trial(candidate.model, draws=draws) for candidate in candidates]


def comparison_table(study: Study, candidates: Sequence[Candidate], results: Sequence[Result]) -> pa.Table:
    """The table, from the results in the order of the candidates."""
    marks = {name: _marks(measure, results) for name, measure in MEASURES.items()}
    rows = []
    for at, (candidate, result) in enumerate(zip(candidates, results, strict=True)):
        figures: dict[str, Any] = {}
        for name in MEASURES:
            bounds = interval(np.asarray(result.draws[name])) if name in result.draws else (None, None)
            figures[name] = result.figures.get(name)
            figures[f"{name}_lower"], figures[f"{name}_upper"] = bounds
            figures[f"{name}_mark"] = marks[name][at]
        notes = {"notes": NOTES_APART.join(result.notes) or None}
        rows.append(who(study, candidate) | figures | how_it_went(result) | notes)
    return as_table(rows)


def _marks(measure: Measure, results: Sequence[Result]) -> list[str | None]:
    """For each model: best, tied with the best, or nothing."""
    losses = {
        row: measure.loss(value)
        for row, result in enumerate(results)
        if (value := result.figures.get(measure.name)) is not None
    }
    if not losses:
        return [None] * len(results)
    least = min(losses, key=lambda row: losses[row])
    best = results[least].draws
    marks: list[str | None] = []
    for row, result in enumerate(results):
        if row in losses and losses[row] == losses[least]:
            marks.append("best")
        elif measure.name in result.draws and measure.name in best:
            marks.append("tied" if _tied(measure, result.draws, best) else None)
        else:
            marks.append(None)
    return marks


def _tied(measure: Measure, draws: Mapping[str, list[float]], best: Mapping[str, list[float]]) -> bool:
    """Whether the same draws of the gold do not tell a model from the best, which it can only be worse than."""
    behind = measure.loss(np.asarray(draws[measure.name])) - measure.loss(np.asarray(best[measure.name]))
    return interval(behind)[0] <= 0
