"""What all starts of one fit of GLAD share: the data, the priors, and the objective at any point."""

from __future__ import annotations

from dataclasses import dataclass
from math import log, pi, sqrt
from statistics import NormalDist
from typing import TYPE_CHECKING

import numpy as np

from truegrade.errors import OptionError
from truegrade.inference.glad_pass import GladRatings, GladSums, glad_pass
from truegrade.models._summary import known_grades

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from truegrade.gold import Gold
    from truegrade.models.glad import Glad
    from truegrade.ratings import Ratings

    Floats = NDArray[np.float64]

__all__ = ["GladPoint", "GladProblem"]

_LARGEST = 500.0  # of ln beta: a step that goes farther is refused for its bound, not for its overflow


@dataclass
class GladPoint:
    """Parameters, and the objective with its slope and curvature there."""

    theta: Floats  # (N+G,): alpha, then ln beta
    class_prior: Floats  # (K,)
    sums: GladSums
    objective: float  # ln p(ratings, alpha, ln beta)
    slope: Floats  # (N+G,)
    curvature: Floats  # (N+G,): of ratings that are known to be right or wrong; > 0

    def prevalence(self) -> Floats:
        """The share of each grade among the truths (K,): no class prior makes the ratings likelier."""
        mass: Floats = self.sums.truth.sum(axis=0)
        share: Floats = mass / mass.sum()
        return share


@dataclass(frozen=True)
class GladProblem:
    """The constants of one fit."""

    model: Glad
    ratings: Ratings
    data: GladRatings
    rounded: int  # how many known truths lay between grades
    group: NDArray[np.int32]  # (M,): which ease each instance has
    n_eases: int  # G
    threads: int

    @classmethod
    def of(cls, model: Glad, ratings: Ratings, gold: Gold | None, threads: int) -> GladProblem:
        """Check that model and ratings go together."""
        if ratings.scale.is_real:
            raise OptionError("glad needs grades; for ratings on a real scale choose continuous")
        known, rounded = known_grades(ratings, gold)
        data = GladRatings(
            instance_ptr=ratings.instance_ptr,
            annotator=ratings.annotator,
            grade=ratings.grade,
            weight=ratings.weight,
            known=None if gold is None else known,
        )
        group = _groups(model, ratings)
        return cls(model, ratings, data, rounded, group, int(group[-1]) + 1, threads)

    @property
    def n_annotators(self) -> int:
        """N: where in theta alpha ends and ln beta begins."""
        return self.ratings.n_annotators

    def empty_sums(self) -> GladSums:
        """Room for one pass."""
        r = self.ratings
        return GladSums.empty(r.n_annotators, r.n_instances, r.scale.n_grades)

    def legal(self, theta: Floats) -> Floats:
        """The nearest legal point: without adversaries no ability is negative."""
        if self.model.adversarial:
            return theta
        return np.concatenate([np.maximum(theta[: self.n_annotators], 0.0), theta[self.n_annotators :]])

    def movable(self, point: GladPoint) -> NDArray[np.bool_]:
        """Which coordinates are not held by that limit (N+G,)."""
        held = np.zeros(point.theta.size, dtype=bool)
        if not self.model.adversarial:
            at = slice(self.n_annotators)
            held[at] = (point.theta[at] <= 0) & (point.slope[at] <= 0)
        return ~held

    def evaluate(self, theta: Floats, class_prior: Floats, sums: GladSums, *, settled: bool = False) -> GladPoint:
        """One pass over the ratings. settled: with the truths that `sums` holds, as EM's M-step takes them."""
        alpha, log_beta = theta[: self.n_annotators], theta[self.n_annotators :]
        beta = np.exp(np.minimum(log_beta, _LARGEST))[self.group]
        with np.errstate(divide="ignore"):
            log_prior = np.log(class_prior)
        glad_pass(self.data, alpha, beta, log_prior, sums, settled=settled, threads=self.threads)
        mean, sd = self._priors()
        off = (theta - mean) / sd
        slope = np.concatenate([sums.annotator[:, 0], self._by_ease(sums.instance[:, 0])]) - off / sd
        curvature = np.concatenate([sums.annotator[:, 1], self._by_ease(sums.instance[:, 1])]) + sd**-2
        objective = float(sums.log_likelihood[0]) - float((off**2).sum()) / 2 + self._log_constant()
        return GladPoint(theta, class_prior, sums, objective, slope, curvature)

    def first_prior(self) -> Floats:
        """The class prior as given, or a uniform one (K,)."""
        grades, given = self.ratings.scale.n_grades, self.model.class_prior
        if isinstance(given, str):
            return np.full(grades, 1 / grades)
        if len(given) != grades:
            raise OptionError(f"class_prior has {len(given)} numbers; the scale {self.ratings.scale} has {grades}")
        return np.array(given, dtype=np.float64) / sum(given)

    def first_theta(self, index: int) -> Floats:
        """Start 0 at the mode of the priors: at the votes. The others weigh the votes by exponential draws."""
        mean, _ = self._priors()
        theta = self.legal(mean.copy())
        if index > 0:
            trust = np.random.default_rng((self.model.seed, index)).exponential(size=self.n_annotators)
            theta[: self.n_annotators] = trust
        return theta

    def _by_ease(self, of_instance: Floats) -> Floats:
        """Sums over the instances of each ease (G,)."""
        if self.n_eases == of_instance.size:
            return of_instance
        return np.bincount(self.group, of_instance, self.n_eases).astype(np.float64, copy=False)

    def _priors(self) -> tuple[Floats, Floats]:
        """Mean and sd of the prior of each coordinate (N+G,)."""
        sizes = [self.n_annotators, self.n_eases]
        pairs = zip(self.model.alpha_prior, self.model.beta_prior, strict=True)
        mean, sd = (np.repeat(np.array(pair, dtype=np.float64), sizes) for pair in pairs)
        return mean, sd

    def _log_constant(self) -> float:
        """What makes the priors densities."""
        (alpha, alpha_sd), (_, beta_sd) = self.model.alpha_prior, self.model.beta_prior
        each = log(alpha_sd) + log(sqrt(2 * pi))
        if not self.model.adversarial:
            each += log(NormalDist().cdf(alpha / alpha_sd))
        return -self.n_annotators * each - self.n_eases * (log(beta_sd) + log(sqrt(2 * pi)))


def _groups(model: Glad, ratings: Ratings) -> NDArray[np.int32]:
    if model.difficulty == "instance":
        return np.arange(ratings.n_instances, dtype=np.int32)
    if model.difficulty == "category":
        ptr = ratings.category_ptr()
        return np.repeat(np.arange(ratings.n_categories, dtype=np.int32), np.diff(ptr))
    return np.zeros(ratings.n_instances, dtype=np.int32)
