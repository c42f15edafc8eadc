"""What all starts of one fit of GLAD share: where its parts are, the priors, and the objective at any point."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from math import log, pi, sqrt
from statistics import NormalDist
from typing import TYPE_CHECKING

import numpy as np

from truegrade.engines import engine_for
from truegrade.errors import OptionError
from truegrade.models._base import check_met
from truegrade.models._glad_part import Attempt, GladPart

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from truegrade.engines import Engine, Placed, ShardedRatings
    from truegrade.gold import Gold
    from truegrade.inference.quasi_newton import Blend, Trail
    from truegrade.models._glad_part import GladPass
    from truegrade.models.glad import Glad
    from truegrade.ratings import Ratings

    Floats = NDArray[np.float64]

__all__ = ["GladProblem", "place_glad"]


def place_glad(
    model: Glad,
    ratings: Ratings | ShardedRatings,
    gold: Gold | None,
    *,
    starts: int = 1,
    engine: Engine | None = None,
) -> Placed:
    """Check that model and ratings go together, and prepare the passes."""
    if ratings.scale.is_real:
        raise OptionError("glad needs grades; for ratings on a real scale choose continuous")
    return engine_for(ratings, engine).place(ratings, partial(GladPart.of, model=model, gold=gold), starts=starts)


@dataclass(frozen=True)
class GladProblem:
    """The constants of one fit. theta is alpha, then ln beta of the eases that instances share (N+G,)."""

    model: Glad
    placed: Placed
    rounded: int  # how many known truths lay between grades
    n_shared: int  # G; 0 where each instance has an ease of its own

    @classmethod
    def of(cls, model: Glad, placed: Placed, gold: Gold | None) -> GladProblem:
        """What the ratings that were placed say."""
        found = placed.sums(GladPart.gold, None, None)
        check_met(gold, found.met, placed.ratings)
        shared = {"none": 1, "category": placed.ratings.n_categories, "instance": 0}[model.difficulty]
        return cls(model, placed, found.rounded, shared)

    @property
    def n_annotators(self) -> int:
        """N: where in theta alpha ends and ln beta begins."""
        return self.placed.ratings.n_annotators

    def legal(self, theta: Floats) -> Floats:
        """The nearest legal point: without adversaries no ability is negative."""
        if self.model.adversarial:
            return theta
        return np.concatenate([np.maximum(theta[: self.n_annotators], 0.0), theta[self.n_annotators :]])

    def movable(self, here: Trail) -> NDArray[np.bool_]:
        """Which coordinates are not held by that limit (N+G,)."""
        held = np.zeros(here.theta.size, dtype=bool)
        if not self.model.adversarial:
            at = slice(self.n_annotators)
            held[at] = (here.theta[at] <= 0) & (here.slope[at] <= 0)
        return ~held

    def attempt(
        self,
        theta: Floats,
        class_prior: Floats,
        *,
        inner: bool = False,
        settled: bool = False,
        blend: Blend | None = None,
        share: float = 1.0,
    ) -> Attempt:
        """The message that looks there."""
        with np.errstate(divide="ignore"):
            log_prior = np.log(class_prior)
        alpha, log_beta = theta[: self.n_annotators], theta[self.n_annotators :]
        return Attempt(alpha, log_beta, log_prior, inner=inner, settled=settled, blend=blend, share=share)

    def gradient(self, theta: Floats, found: GladPass) -> tuple[Floats, Floats]:
        """Slope and curvature of the objective in theta (N+G,)."""
        mean, sd = self._priors()
        slope, curvature = np.concatenate([found.annotator, found.ease]).T
        return slope - (theta - mean) / sd**2, curvature + sd**-2

    def objective(self, theta: Floats, found: GladPass) -> float:
        """ln p(ratings, alpha, ln beta)."""
        mean, sd = self._priors()
        off = float((((theta - mean) / sd) ** 2).sum()) + found.off
        return found.log_likelihood - off / 2 + self._log_constant()

    def first_prior(self) -> Floats:
        """The class prior as given, or a uniform one (K,)."""
        scale, given = self.placed.ratings.scale, self.model.class_prior
        if isinstance(given, str):
            return np.full(scale.n_grades, 1 / scale.n_grades)
        if len(given) != scale.n_grades:
            raise OptionError(f"class_prior has {len(given)} numbers; the scale {scale} has {scale.n_grades}")
        return np.array(given, dtype=np.float64) / sum(given)

    def first_theta(self, index: int) -> Floats:
        """Start 0 at the mode of the priors: at the votes. The others weigh the votes by exponential draws."""
        mean, _ = self._priors()
        theta = self.legal(mean.copy())
        if index > 0:
            trust = np.random.default_rng((self.model.seed, index)).exponential(size=self.n_annotators)
            theta[: self.n_annotators] = trust
        return theta

    def _priors(self) -> tuple[Floats, Floats]:
        """Mean and sd of the prior of each coordinate (N+G,)."""
        sizes = [self.n_annotators, self.n_shared]
        pairs = zip(self.model.alpha_prior, self.model.beta_prior, strict=True)
        mean, sd = (np.repeat(np.array(pair, dtype=np.float64), sizes) for pair in pairs)
        return mean, sd

    def _log_constant(self) -> float:
        """What makes the priors densities."""
        (alpha, alpha_sd), (_, beta_sd) = self.model.alpha_prior, self.model.beta_prior
        each = log(alpha_sd) + log(sqrt(2 * pi))
        if not self.model.adversarial:
            each += log(NormalDist().cdf(alpha / alpha_sd))
        eases = self.n_shared or self.placed.ratings.n_instances
        return -self.n_annotators * each - eases * (log(beta_sd) + log(sqrt(2 * pi)))
