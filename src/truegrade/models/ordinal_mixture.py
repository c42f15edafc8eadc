"""Lakshminarayanan and Teh's ordinal-discrete-mixture: a latent truth, spam, expertise and difficulty.

    z_m ~ N(mu, 1/lambda)                    the truth of instance m
    tau_n ~ G(alpha, beta)                   the expertise of annotator n
    delta_c ~ G(phi, eta)                    the ease of category c
    y_nm ~ Bernoulli(eps_n)                  whether the annotator rates in earnest
    x_nm ~ N(z_m, 1/(tau_n delta_c(m)))      what the annotator perceives
    r_nm = k where b_(k-1) <= x_nm < b_k     if y_nm = 1, else r_nm ~ pi

Inference is variational; every pass makes one exact coordinate step per factor (section 2.3 of the paper).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Literal

from truegrade.errors import OptionError
from truegrade.models._base import checked_inputs
from truegrade.models._em import StopRule, ascend_all
from truegrade.models._journal import journal_of
from truegrade.models._mixture_problem import MixtureProblem, place_mixture
from truegrade.models._mixture_tables import mixture_fit
from truegrade.models._options import check_choices, check_finite, check_positive

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from truegrade.engines import Engine, ShardedRatings
    from truegrade.fit import Fit
    from truegrade.models._base import Progress
    from truegrade.models._journal import Keeper
    from truegrade.ratings import Ratings
    from truegrade.ratings_facts import RatingsFacts

__all__ = ["OrdinalMixture"]

Learned = float | Literal["learn"]


@dataclass(frozen=True, kw_only=True)
class OrdinalMixture:
    """The paper's model with every option it leaves open. The defaults are the paper's, and its best predictor.

    difficulty: what shares an ease delta: nothing ("none", the paper's c(m)=1), a category, or each instance alone.
    link: "ordinal" thresholds a perceived value; "real" takes the rating itself as perceived.
    spam: whether ratings may come from the spam component.
    thresholds: "finite" (outer ones half a step out, as in the paper), "infinite", or all K+1 of them.
    responsibility: the update of q(y). "printed" is the paper's, "exact" the optimum of the bound. The printed one
        predicts better on real data; only the exact one raises the bound in every pass.
    alpha, beta, phi, eta, mu, lam, epsilon, pi: a number or "learn" (mu: None is the middle of the scale;
        lam: None is .1 in units of the grades' distance; pi: "uniform", "learn" or K shares).
    epsilon_prior: (a, b) of a Beta prior on every epsilon. Without it maximum likelihood can drive an epsilon to 0,
        from where it never returns; (1, 1) is enough to prevent that.
    ease: a number fixes delta, so that difficulty plays no part.
    starts, seed, stop, tolerance, max_iterations: see docs/models/ordinal-mixture.md.
    """

    name: ClassVar[str] = "ordinal-mixture"
    difficulty: Literal["none", "category", "instance"] = "none"
    link: Literal["ordinal", "real"] = "ordinal"
    spam: bool = True
    thresholds: Literal["finite", "infinite"] | tuple[float, ...] = "finite"
    responsibility: Literal["printed", "exact"] = "printed"
    alpha: Learned = "learn"
    beta: Learned = "learn"
    phi: Learned = 10.0
    eta: Learned = 5.0
    mu: Learned | None = None
    lam: Learned | None = None
    epsilon: Learned = "learn"
    epsilon_prior: tuple[float, ...] | None = None
    pi: Literal["uniform", "learn"] | tuple[float, ...] = "uniform"
    ease: float | None = None
    starts: int = 10
    seed: int = 0
    stop: Literal["relative", "paper"] = "relative"
    tolerance: float = 1e-6
    max_iterations: int = 1000

    def __post_init__(self) -> None:
        check_choices(self)
        check_positive(self, ("alpha", "beta", "phi", "eta", "lam", "ease", "starts", "tolerance", "max_iterations"))
        check_finite(self, ("mu",))
        if self.epsilon != "learn" and not 0 <= self.epsilon <= 1:
            raise OptionError(f"epsilon={self.epsilon}: is a probability; choose 0 to 1, or learn")
        if self.epsilon_prior is not None and (
            len(self.epsilon_prior) != 2 or not all(0 < count < float("inf") for count in self.epsilon_prior)
        ):
            raise OptionError(f"epsilon_prior={self.epsilon_prior}: give two positive numbers, as in 1,1")
        if self.epsilon_prior is not None and (self.epsilon != "learn" or not self.spam):
            raise OptionError("epsilon_prior needs spam=true and epsilon=learn")
        if self.ease is not None and self.difficulty != "none":
            raise OptionError(f"ease={self.ease} fixes the only delta; it goes with difficulty=none")
        if self.difficulty == "none" and "learn" in (self.phi, self.eta):
            raise OptionError(
                "phi and eta cannot be learned from a single delta; choose difficulty category or instance"
            )

    def fit(
        self,
        ratings: Ratings | ShardedRatings,
        gold: Any = None,
        start: Fit | None = None,
        progress: Progress | None = None,
        *,
        engine: Engine | None = None,
        checkpoint: Keeper = None,
    ) -> Fit:
        """Infer truths, expertise, spam and difficulty.

        gold: truths that are known and stay as they are; the others profit from what they tell about annotators.
        start: an earlier fit to begin from, instead of several starts; ids that it does not know begin afresh.
        progress: called after every pass with (iteration, bound, change); raise to stop.
        engine: where the passes run; None: where the ratings are.
        checkpoint: keeps how far the fit has come in a file.
        """
        gold = checked_inputs(ratings, gold)
        journal = journal_of(checkpoint, self, ratings, gold, start)
        starts = self.starts if start is None else 1
        with place_mixture(self, ratings, gold, starts=starts, engine=engine) as placed:
            problem = MixtureProblem.of(self, placed, gold)
            best, endings = ascend_all(
                lambda index: problem.start(index, start),
                starts,
                self.stop_rule(ratings),
                monotone=self.responsibility == "exact",
                workers=placed.together,
                progress=progress,
                journal=journal,
            )
            return mixture_fit(self, problem, best, endings)

    def predict(self, fit: Fit, ratings: Ratings | ShardedRatings) -> Fit:
        """The truth of new instances, rated by annotators of an earlier fit, who stay as that fit found them."""
        with place_mixture(self, ratings, None) as placed:
            problem = MixtureProblem.of(self, placed, None).given(fit)
            best, endings = ascend_all(
                lambda index: problem.start(index, fit, learn_annotators=False),
                1,
                self.stop_rule(ratings),
                monotone=self.responsibility == "exact",
                workers=1,
                progress=None,
            )
            return mixture_fit(self, problem, best, endings)

    def responsibilities(self, fit: Fit, ratings: Ratings) -> NDArray[np.float64]:
        """How likely each of the ratings that a fit was made from was given in earnest (L,)."""
        from truegrade.models._mixture_answers import responsibilities

        return responsibilities(self, fit, ratings)

    def rating_probabilities(
        self, fit: Fit, annotator: NDArray[np.int64], instance: NDArray[np.int64]
    ) -> NDArray[np.float64]:
        """The chance of each grade for pairs of codes of a fit (P, K); code -1 is unknown."""
        from truegrade.models._mixture_answers import rating_probabilities

        return rating_probabilities(self, fit, annotator, instance)

    def stop_rule(self, ratings: RatingsFacts) -> StopRule:
        """The paper's rule, or one that sees past plateaus."""
        if self.stop == "paper":
            return StopRule(0.1, passes=1, relative=False, max_iterations=self.max_iterations)
        return StopRule(self.tolerance, max_iterations=self.max_iterations, floor=ratings.total_weight)
