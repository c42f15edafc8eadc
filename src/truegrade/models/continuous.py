"""Raykar et al.'s model of real-valued ratings: every annotator adds Gaussian noise to the truth.

    r_nm ~ N(z_m, 1/tau_n)       tau_n: the expertise of annotator n

By maximum likelihood as in section 3 of the paper, or with the mixture's priors z_m ~ N(mu, 1/lambda) and
tau_n ~ G(alpha, beta): then it is the ordinal mixture without thresholds, spam and difficulty, and its code is used.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING, Any, ClassVar, Literal

from truegrade.errors import OptionError
from truegrade.models._base import checked_inputs
from truegrade.models._continuous_ml import fit_likelihood, predict_likelihood
from truegrade.models._em import StopRule
from truegrade.models._journal import journal_of
from truegrade.models._options import check_choices, check_finite, check_positive
from truegrade.models.ordinal_mixture import OrdinalMixture

if TYPE_CHECKING:
    from truegrade.engines import Engine, ShardedRatings
    from truegrade.fit import Fit
    from truegrade.models._base import Progress
    from truegrade.models._journal import Keeper
    from truegrade.ratings import Ratings
    from truegrade.ratings_facts import RatingsFacts
    from truegrade.scale import Scale

__all__ = ["Continuous"]

Learned = float | Literal["learn"]

_SHARED = ("alpha", "beta", "mu", "starts", "seed", "tolerance", "max_iterations")


@dataclass(frozen=True, kw_only=True)
class Continuous:
    """Ratings are the truth plus noise; annotators differ in how much.

    method: "bayes" believes in a distribution of expertise; "ml" is the paper's Continuous-ML.
    alpha, beta, mu, lam: of the priors, a number or "learn"; not used by "ml". None: mu is the middle of the scale,
        and lam makes the prior as wide for any scale as the paper's 0.1 is for five grades.
    variance_floor: of "ml", in squared steps of the scale. Without it the likelihood has no maximum: an annotator's
        variance goes to 0 as soon as the truths follow his ratings.
    starts, seed, tolerance, max_iterations: as for all models that iterate.
    """

    name: ClassVar[str] = "continuous"
    method: Literal["bayes", "ml"] = "bayes"
    alpha: Learned = "learn"
    beta: Learned = "learn"
    mu: Learned | None = None
    lam: Learned | None = None
    variance_floor: float = 1e-3
    starts: int = 10
    seed: int = 0
    tolerance: float = 1e-6
    max_iterations: int = 1000

    def __post_init__(self) -> None:
        check_choices(self)
        check_positive(self, ("alpha", "beta", "lam", "variance_floor", "starts", "tolerance", "max_iterations"))
        check_finite(self, ("mu",))

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
        """Infer truths and expertise.

        gold: truths that are known and stay as they are; the others profit from what they tell about annotators.
        start: an earlier fit to begin from, instead of several starts; ids that it does not know begin afresh.
        progress: called after every pass with (iteration, bound, change); raise to stop.
        engine: where the passes run; None: where the ratings are.
        checkpoint: keeps how far the fit has come in a file.
        """
        gold = checked_inputs(ratings, gold)
        journal = journal_of(checkpoint, self, ratings, gold, start)
        if start is not None:
            self._check_method(start)
        if self.method == "ml":
            return fit_likelihood(self, ratings, gold, start, progress, engine, journal)
        lent = None if start is None else _lent(start, ratings)
        found = self._mixture(ratings.scale).fit(ratings, gold, lent, progress, engine=engine, checkpoint=journal)
        return self._own(found)

    def predict(self, fit: Fit, ratings: Ratings | ShardedRatings) -> Fit:
        """The truth of new instances, rated by annotators of an earlier fit, who stay as that fit found them."""
        self._check_method(fit)
        if self.method == "ml":
            return predict_likelihood(self, fit, ratings)
        mixture = replace(self._mixture(fit.scale), mu=fit.hyperparameters["mu"], lam=fit.hyperparameters["lam"])
        return self._own(mixture.predict(_lent(fit, ratings), ratings))

    def stop_rule(self) -> StopRule:
        """When a start ends."""
        return StopRule(self.tolerance, max_iterations=self.max_iterations)

    def _check_method(self, earlier: Fit) -> None:
        found = earlier.options.get("method", self.method)
        if earlier.model == self.name and found != self.method:
            raise OptionError(f"a fit with method={found} cannot start method={self.method}; fit it again with that")

    def _mixture(self, scale: Scale) -> OrdinalMixture:
        """The same model as a special case: no thresholds, everyone in earnest, all instances equally easy."""
        shared = {name: getattr(self, name) for name in _SHARED}
        lam = _weak(scale) if self.lam is None else self.lam
        return OrdinalMixture(link="real", spam=False, ease=1.0, responsibility="exact", lam=lam, **shared)

    def _own(self, found: Fit) -> Fit:
        """The mixture's result without what only a mixture has."""
        columns = {k: v for k, v in found.annotator_columns.items() if k not in ("spamminess", "earnestness")}
        parameters = {k: v for k, v in found.parameters.items() if k not in ("eps", "delta")}
        hyperparameters = {k: v for k, v in found.hyperparameters.items() if k != "mean_responsibility"}
        return found.changed(
            model=self.name,
            options=asdict(self),
            annotator_columns=columns,
            parameters=parameters,
            hyperparameters=hyperparameters,
        )


def _weak(scale: Scale) -> float:
    """The precision of a prior as wide, by the width of its scale, as 0.1 on five grades."""
    width = scale.high - scale.low if scale.is_real else float(scale.thresholds[-1] - scale.thresholds[0])
    return 0.1 * (5 / width) ** 2 if width > 0 else 0.1


def _lent(fit: Fit, ratings: RatingsFacts) -> Fit:
    """An earlier fit as the mixture knows it; one of another model stays as it is, to be refused."""
    if fit.model != Continuous.name:
        return fit
    # A real scale is only the range of what was seen, so it need not be the same.
    scale = ratings.scale if fit.scale.is_real and ratings.scale.is_real else fit.scale
    return replace(fit, model=OrdinalMixture.name, scale=scale)
