"""One model on one data set, and what came of it."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from truegrade.errors import TruegradeError
from truegrade.evaluation import evaluate
from truegrade.experiments.bootstrap import Scored, resample
from truegrade.experiments.measures import MEASURES
from truegrade.fit import Status
from truegrade.ranking import ndcg_of_groups
from truegrade.simulation import with_spam

if TYPE_CHECKING:
    from truegrade.experiments.study import Study
    from truegrade.fit import Fit
    from truegrade.models._base import Model

__all__ = ["Result", "Trial", "carry_out"]

_DIGITS = 7  # of a resampled figure: four are ever shown


@dataclass(frozen=True)
class Trial:
    """A model to fit, so many fake ratings on every instance, and how often to draw the gold again."""

    model: Model
    fakes: int = 0
    fake_seed: int = 0
    draws: int = 0

    def weight(self, study: Study) -> float:
        """About how long it takes, in any unit."""
        ratings = study.ratings.n_ratings + self.fakes * study.ratings.n_instances
        return float(ratings * (getattr(self.model, "starts", 0.1) or 1))  # None: as the model likes, mostly one


@dataclass(frozen=True)
class Result:
    """What came of a trial: plain numbers and texts, so that it can be kept as JSON."""

    figures: Mapping[str, float | None] = field(default_factory=dict)  # by measure; None = not defined
    draws: Mapping[str, list[float]] = field(default_factory=dict)  # by measure: of resampled gold
    seconds: float | None = None  # of the fit alone, on one thread
    status: str | None = None
    iterations: int | None = None
    notes: tuple[str, ...] = ()  # the fit's
    error: str | None = None  # why there is no fit


def carry_out(trial: Trial, study: Study) -> Result:
    """Add the fakes, fit the model and measure it. A model that cannot be fitted to these ratings says why."""
    ratings = with_spam(study.ratings, trial.fakes, trial.fake_seed)
    begun = time.perf_counter()
    try:
        fit = trial.model.fit(ratings)
    except TruegradeError as error:
        return Result(error=str(error))
    seconds = time.perf_counter() - begun
    if fit.status is Status.INTERRUPTED:  # what a model found until then must not be taken for its result
        raise KeyboardInterrupt
    found = evaluate(fit, study.gold, one_list=study.one_list)
    draws: dict[str, Any] = resample(_scored(fit, study), trial.draws) if trial.draws else {}
    return Result(
        figures={name: getattr(found, measure.attribute) for name, measure in MEASURES.items()},
        draws={name: [_short(value) for value in values] for name, values in draws.items()},
        seconds=seconds,
        status=str(fit.status),
        iterations=fit.iterations,
        notes=fit.notes,
    )


def _scored(fit: Fit, study: Study) -> Scored:
    """Fakes rate the same instances, so the codes of the instances are those of the study."""
    at, gold = study.truths
    estimate, scale = fit.posterior.estimate[at], fit.scale
    lower, upper = fit.posterior.interval()
    inside = ((lower[at] <= gold) & (gold <= upper[at])).astype(np.float64)
    inside[np.isnan(lower[at] + upper[at])] = np.nan
    log_loss, ndcg = np.full(at.size, np.nan), np.empty(0)
    groups = study.groups
    if not scale.is_real:
        p = fit.posterior.probabilities(scale)[at, scale.nearest(gold)]
        log_loss = -np.log(np.maximum(p, 1e-12))
        rank = np.interp(gold, scale.array, np.arange(1.0, scale.n_grades + 1))
        if groups is not None:
            ndcg = ndcg_of_groups(estimate, rank, groups, span=scale.high - scale.low)
    return Scored(estimate, gold, log_loss, inside, ndcg)


def _short(value: float) -> float:
    return float(f"{value:.{_DIGITS}g}")
