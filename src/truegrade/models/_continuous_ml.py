"""Continuous-ML: truths and variances that maximise the likelihood, one after the other until it stands still."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from truegrade.engines import engine_for
from truegrade.fit import Fit, Status
from truegrade.fit_parts import Answer, Head, whole_fit
from truegrade.inference.adding import Sums
from truegrade.inference.counting import AgreementSums
from truegrade.models._base import check_met
from truegrade.models._em import Outcome, ascend_all
from truegrade.models._input import scale_middle_and_step
from truegrade.models._notes import doubts, name_annotators, not_converged
from truegrade.models._summary import Moments, annotator_weights, known_truths, mean_ratings
from truegrade.models._warm import check_start, meeting
from truegrade.posterior import GaussianPosterior

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray

    from truegrade.engines import Engine, Placed, ShardedRatings
    from truegrade.gold import Gold
    from truegrade.models._base import Progress
    from truegrade.models._journal import Journal
    from truegrade.models.continuous import Continuous
    from truegrade.ratings import Ratings

    Floats = NDArray[np.float64]

__all__ = ["fit_likelihood", "predict_likelihood"]


@dataclass(frozen=True)
class LikelihoodFacts(Sums):
    """What the ratings are, and how many known truths there are."""

    total: Floats  # (N,): weight of each annotator's ratings
    met: int


@dataclass(frozen=True)
class LikelihoodPart:
    """The constants of one shard."""

    ratings: Ratings
    value: Floats  # (L,)
    instance: NDArray[np.int32]  # (L,)
    known: Floats | None  # (M,): known truths, NaN elsewhere

    @classmethod
    def of(cls, ratings: Ratings, _: int, gold: Gold | None) -> LikelihoodPart:
        """Prepare the passes."""
        return cls(ratings, ratings.values(), ratings.instance_of(), known_truths(ratings, gold, shard=True))

    def truths(self, variance: Floats) -> tuple[Floats, Floats]:
        """The best z_m for given variances (N,), and its precision: (M,) each; infinite where z is known."""
        begins = self.ratings.instance_ptr[:-1]
        pull = 1 / variance[self.ratings.annotator]  # (L,)
        if self.ratings.weight is not None:
            pull *= self.ratings.weight
        precision = np.add.reduceat(pull, begins)
        z = np.add.reduceat(pull * self.value, begins) / precision
        if self.known is not None:
            fixed = ~np.isnan(self.known)
            z[fixed], precision[fixed] = self.known[fixed], np.inf
        return z, precision

    # What engines run: each takes the part, no state, and the variances (N,) that truths follow from.

    def residues(self, _: None, variance: Floats) -> Floats:
        """Sum of w (r - z)^2 of each annotator (N,)."""
        z, _precision = self.truths(variance)
        square = (self.value - z[self.instance]) ** 2
        if self.ratings.weight is not None:
            square *= self.ratings.weight
        return np.bincount(self.ratings.annotator, square, variance.size).astype(np.float64, copy=False)

    def moments(self, _: None, variance: Floats) -> Moments:
        """How the truths go with the means of the ratings."""
        return Moments.of(self.truths(variance)[0], mean_ratings(self.ratings))

    def answer(self, _: None, variance: Floats) -> Answer:
        """What the truths are."""
        z, precision = self.truths(variance)
        return Answer(GaussianPosterior(z, 1 / np.sqrt(precision)))

    def facts(self, _: None, __: None) -> LikelihoodFacts:
        """Weights, and how much gold there is."""
        met = 0 if self.known is None else int(np.count_nonzero(~np.isnan(self.known)))
        return LikelihoodFacts(annotator_weights(self.ratings), met)

    def agreement(self, _: None, __: None) -> AgreementSums:
        """How much annotators agree."""
        return AgreementSums.of(self.ratings)


@dataclass(frozen=True)
class LikelihoodProblem:
    """What all starts share."""

    placed: Placed
    total: Floats  # (N,): weight of each annotator's ratings
    floor: float  # of every variance

    @classmethod
    def of(cls, model: Continuous, placed: Placed, gold: Gold | None) -> LikelihoodProblem:
        """What the ratings that were placed say."""
        facts = placed.sums(LikelihoodPart.facts, None, None)
        check_met(gold, facts.met, placed.ratings)
        return cls(placed, facts.total, model.variance_floor * scale_middle_and_step(placed)[1] ** 2)

    def log_likelihood(self, residues: Floats, variance: Floats) -> float:
        """ln p(R | z, tau)."""
        return float(-(self.total * np.log(2 * np.pi * variance) + residues / variance).sum() / 2)


@dataclass
class LikelihoodAscent:
    """One start: the variances, and those that its truths go with, which are one step behind."""

    problem: LikelihoodProblem
    variance: Floats  # (N,)
    of_truths: Floats = field(default_factory=lambda: np.empty(0))  # (N,) after the first step

    @classmethod
    def fresh(cls, problem: LikelihoodProblem, index: int, seed: int) -> LikelihoodAscent:
        """Start 0 trusts all alike, so begins at the mean; the others trust by exponential draws."""
        trust = np.ones(problem.total.size)
        if index > 0:
            trust = np.random.default_rng((seed, index)).exponential(size=trust.size) + 1e-3
        return cls(problem, 1 / trust)

    def step(self) -> float:
        """The truths given the variances, then the variances given the truths: neither lowers the likelihood."""
        p, residues = self.problem, self.residues()
        self.variance = np.maximum(residues / p.total, p.floor)
        return p.log_likelihood(residues, self.variance)

    def residues(self) -> Floats:
        """Of the truths given the variances."""
        self.of_truths = self.variance
        found: Floats = self.problem.placed.sums(LikelihoodPart.residues, None, self.variance)
        return found

    def collapsed(self) -> bool:
        """Every maximum is as good as its likelihood."""
        return False

    def moments(self) -> Moments:
        """How the truths go with the means of the ratings."""
        found: Moments = self.problem.placed.sums(LikelihoodPart.moments, None, self.of_truths)
        return found

    def mirrored(self) -> bool:
        """Whether the truths run against the mean of the ratings."""
        return self.moments().correlation < 0

    def resume(self, earlier: Fit) -> None:
        """Trust annotators as an earlier fit did; those that it does not know, as its average one."""
        variance = earlier.parameters["variance"]
        self.variance = np.full(self.variance.size, np.average(variance, weights=earlier.ratings_per_annotator))
        here, there = meeting(self.problem.placed.ratings.annotators, earlier.annotator_ids)
        self.variance[here] = variance[there]


def fit_likelihood(
    model: Continuous,
    ratings: Ratings | ShardedRatings,
    gold: Gold | None,
    start: Fit | None,
    progress: Progress | None,
    engine: Engine | None,
    journal: Journal | None,
) -> Fit:
    """The best of the starts, or what an earlier fit leads to."""
    starts = model.starts if start is None else 1
    with engine_for(ratings, engine).place(ratings, partial(LikelihoodPart.of, gold=gold), starts=starts) as placed:
        problem = LikelihoodProblem.of(model, placed, gold)

        def make_start(index: int) -> LikelihoodAscent:
            ascent = LikelihoodAscent.fresh(problem, index, model.seed)
            if start is not None:
                check_start(model.name, ratings, start)
                ascent.resume(start)
            return ascent

        rule, workers = model.stop_rule(), placed.together
        best, endings = ascend_all(
            make_start, starts, rule, monotone=True, workers=workers, progress=progress, journal=journal
        )
        return _fit(model, problem, best, endings)


def predict_likelihood(model: Continuous, fit: Fit, ratings: Ratings | ShardedRatings) -> Fit:
    """New truths by known variances: one step, which is exact."""
    check_start(model.name, ratings, fit)
    with engine_for(ratings, None).place(ratings, partial(LikelihoodPart.of, gold=None)) as placed:
        problem = LikelihoodProblem.of(model, placed, None)
        ascent = LikelihoodAscent.fresh(problem, 0, model.seed)
        ascent.resume(fit)
        bound = problem.log_likelihood(ascent.residues(), ascent.variance)
        return _fit(model, problem, Outcome(0, ascent, Status.CONVERGED, [bound]), [(bound, Status.CONVERGED)])


def _fit(model: Continuous, problem: LikelihoodProblem, best: Outcome, endings: list[tuple[float, Status]]) -> Fit:
    """Everything the winning start found."""
    ascent: LikelihoodAscent = best.state  # type: ignore[assignment]
    placed, ratings = problem.placed, problem.placed.ratings
    columns = {"expertise": 1 / ascent.variance}
    if not ratings.scale.is_real:
        columns["agreement"] = placed.sums(LikelihoodPart.agreement, None, None).share
    head = Head(
        model=model.name,
        options=asdict(model),
        status=best.status,
        annotator_columns=columns,
        parameters={"variance": ascent.variance},
        hyperparameters={"variance_floor": problem.floor},
        iterations=len(best.trace),
        trace=np.array(best.trace),
        bounds=tuple(bound for bound, _ in endings),
        seed=model.seed,
        notes=(*ratings.notes(), *_notes(model, problem, ascent, endings)),
    )
    return whole_fit(ratings, head, placed.each(LikelihoodPart.answer, None, ascent.of_truths))


def _notes(
    model: Continuous, problem: LikelihoodProblem, ascent: LikelihoodAscent, endings: Iterable[tuple[float, Status]]
) -> list[str]:
    ratings = problem.placed.ratings
    notes = not_converged(list(endings), model.max_iterations)
    floored = np.flatnonzero(ascent.variance <= problem.floor)
    if floored.size:
        notes.append(
            f"the likelihood has no maximum: the variance of {name_annotators(ratings, floored)} went down to "
            f"its floor of {problem.floor:.3g}, and their ratings decide alone; method=bayes has no such limit"
        )
    return notes + doubts(ratings, ascent.moments().correlation)
