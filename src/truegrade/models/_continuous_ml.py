"""Continuous-ML: truths and variances that maximise the likelihood, one after the other until it stands still."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from truegrade.fit import Fit, Status, about_input
from truegrade.inference.counting import agreement_with_others
from truegrade.models._em import Outcome, ascend_all
from truegrade.models._notes import doubts, name_annotators, not_converged
from truegrade.models._summary import annotator_weights, correlation, known_truths, mean_ratings, scale_step
from truegrade.models._warm import check_start, meeting
from truegrade.posterior import GaussianPosterior
from truegrade.threads import default_threads

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from truegrade.gold import Gold
    from truegrade.models._base import Progress
    from truegrade.models._journal import Journal
    from truegrade.models.continuous import Continuous
    from truegrade.ratings import Ratings

    Floats = NDArray[np.float64]

__all__ = ["fit_likelihood", "predict_likelihood"]


@dataclass(frozen=True)
class LikelihoodProblem:
    """What all starts share."""

    ratings: Ratings
    value: Floats  # (L,)
    instance: NDArray[np.int32]  # (L,)
    total: Floats  # (N,): weight of each annotator's ratings
    known: Floats | None  # (M,): known truths, NaN elsewhere
    floor: float  # of every variance

    @classmethod
    def of(cls, model: Continuous, ratings: Ratings, gold: Gold | None) -> LikelihoodProblem:
        """Prepare the passes."""
        return cls(
            ratings=ratings,
            value=ratings.values(),
            instance=ratings.instance_of(),
            total=annotator_weights(ratings),
            known=known_truths(ratings, gold),
            floor=model.variance_floor * scale_step(ratings) ** 2,
        )

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

    def residues(self, z: Floats) -> Floats:
        """Sum of w (r - z)^2 of each annotator (N,)."""
        square = (self.value - z[self.instance]) ** 2
        if self.ratings.weight is not None:
            square *= self.ratings.weight
        return np.bincount(self.ratings.annotator, square, self.total.size).astype(np.float64, copy=False)

    def log_likelihood(self, residues: Floats, variance: Floats) -> float:
        """ln p(R | z, tau)."""
        return float(-(self.total * np.log(2 * np.pi * variance) + residues / variance).sum() / 2)


@dataclass
class LikelihoodAscent:
    """One start: the variances, and the truths that go with them."""

    problem: LikelihoodProblem
    variance: Floats  # (N,)
    z: Floats = field(default_factory=lambda: np.empty(0))  # (M,) after the first step
    precision: Floats = field(default_factory=lambda: np.empty(0))  # (M,)

    @classmethod
    def fresh(cls, problem: LikelihoodProblem, index: int, seed: int) -> LikelihoodAscent:
        """Start 0 trusts all alike, so begins at the mean; the others trust by exponential draws."""
        trust = np.ones(problem.total.size)
        if index > 0:
            trust = np.random.default_rng((seed, index)).exponential(size=trust.size) + 1e-3
        return cls(problem, 1 / trust)

    def step(self) -> float:
        """The truths given the variances, then the variances given the truths: neither lowers the likelihood."""
        p = self.problem
        self.z, self.precision = p.truths(self.variance)
        residues = p.residues(self.z)
        self.variance = np.maximum(residues / p.total, p.floor)
        return p.log_likelihood(residues, self.variance)

    def collapsed(self) -> bool:
        """Every maximum is as good as its likelihood."""
        return False

    def mirrored(self) -> bool:
        """Whether the truths run against the mean of the ratings."""
        return correlation(self.z, mean_ratings(self.problem.ratings)) < 0

    def resume(self, earlier: Fit) -> None:
        """Trust annotators as an earlier fit did; those that it does not know, as its average one."""
        ratings = self.problem.ratings
        variance = earlier.parameters["variance"]
        self.variance = np.full(self.variance.size, np.average(variance, weights=earlier.ratings_per_annotator))
        here, there = meeting(ratings.annotators, earlier.annotator_ids)
        self.variance[here] = variance[there]


def fit_likelihood(
    model: Continuous,
    ratings: Ratings,
    gold: Gold | None,
    start: Fit | None,
    progress: Progress | None,
    journal: Journal | None,
) -> Fit:
    """The best of the starts, or what an earlier fit leads to."""
    problem = LikelihoodProblem.of(model, ratings, gold)

    def make_start(index: int) -> LikelihoodAscent:
        ascent = LikelihoodAscent.fresh(problem, index, model.seed)
        if start is not None:
            check_start(model.name, ratings, start)
            ascent.resume(start)
        return ascent

    starts = model.starts if start is None else 1
    rule, workers = model.stop_rule(), default_threads()
    best, endings = ascend_all(
        make_start, starts, rule, monotone=True, workers=workers, progress=progress, journal=journal
    )
    return _fit(model, problem, best, endings)


def predict_likelihood(model: Continuous, fit: Fit, ratings: Ratings) -> Fit:
    """New truths by known variances: one step, which is exact."""
    problem = LikelihoodProblem.of(model, ratings, None)
    check_start(model.name, ratings, fit)
    ascent = LikelihoodAscent.fresh(problem, 0, model.seed)
    ascent.resume(fit)
    ascent.z, ascent.precision = problem.truths(ascent.variance)
    bound = problem.log_likelihood(problem.residues(ascent.z), ascent.variance)
    return _fit(model, problem, Outcome(0, ascent, Status.CONVERGED, [bound]), [(bound, Status.CONVERGED)])


def _fit(model: Continuous, problem: LikelihoodProblem, best: Outcome, endings: list[tuple[float, Status]]) -> Fit:
    """Everything the winning start found."""
    ascent: LikelihoodAscent = best.state  # type: ignore[assignment]
    ratings = problem.ratings
    columns = {"expertise": 1 / ascent.variance}
    if not ratings.scale.is_real:
        columns["agreement"] = agreement_with_others(ratings)
    return Fit(
        model=model.name,
        options=asdict(model),
        status=best.status,
        posterior=GaussianPosterior(ascent.z, 1 / np.sqrt(ascent.precision)),
        annotator_columns=columns,
        parameters={"variance": ascent.variance},
        hyperparameters={"variance_floor": problem.floor},
        iterations=len(best.trace),
        trace=np.array(best.trace),
        bounds=tuple(bound for bound, _ in endings),
        seed=model.seed,
        notes=(*ratings.notes(), *_notes(model, problem, ascent, endings)),
        **about_input(ratings),
    )


def _notes(
    model: Continuous, problem: LikelihoodProblem, ascent: LikelihoodAscent, endings: list[tuple[float, Status]]
) -> list[str]:
    notes = not_converged(endings, model.max_iterations)
    floored = np.flatnonzero(ascent.variance <= problem.floor)
    if floored.size:
        notes.append(
            f"the likelihood has no maximum: the variance of {name_annotators(problem.ratings, floored)} went down to "
            f"its floor of {problem.floor:.3g}, and their ratings decide alone; method=bayes has no such limit"
        )
    return notes + doubts(problem.ratings, correlation(ascent.z, mean_ratings(problem.ratings)))
