"""GLAD for several grades (Whitehill et al. 2009; appendix A.2 of the paper): ability times ease.

    z_m ~ class prior                            the true grade of instance m
    alpha_n ~ N(1, 1)                            the ability of annotator n
    ln beta_m ~ N(1, 1)                          the ease of instance m, or of its category
    r_nm = z_m with probability s(alpha_n beta_m), s the logistic function; else any other grade, all equally likely

The objective is ln p(R, alpha, ln beta): the truths are summed out, abilities and eases are points.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Literal

import numpy as np

from truegrade.errors import OptionError
from truegrade.models._base import checked_inputs
from truegrade.models._em import StopRule, ascend_all
from truegrade.models._glad_ascent import GladAscent
from truegrade.models._glad_problem import GladProblem, place_glad
from truegrade.models._glad_tables import glad_fit
from truegrade.models._journal import journal_of
from truegrade.models._options import check_choices, check_positive

if TYPE_CHECKING:
    from truegrade.engines import Engine, ShardedRatings
    from truegrade.fit import Fit
    from truegrade.models._base import Progress
    from truegrade.models._journal import Keeper
    from truegrade.ratings import Ratings

__all__ = ["Glad"]


@dataclass(frozen=True, kw_only=True)
class Glad:
    """Right or wrong, by the annotator's ability and the instance's ease; the order of the grades plays no part.

    difficulty: what shares an ease beta: nothing has its own ("none"), a category, or each instance alone.
    class_prior: of the true grades; "learned" is the paper's. It can end at a single grade for all instances.
        Numbers, one for each grade from low to high, are taken as shares.
    adversarial: whether abilities below 0 are possible, which the paper allows. They let annotators who disagree with
        the others be right: the fit may turn round.
    alpha_prior, beta_prior: mean and sd of the normal priors of alpha and of ln beta.
    starts, seed: start 0 begins at the votes, the others weigh annotators by random draws; the best objective wins.
    tolerance: stop when ten steps moved the objective by less than this share of it.
    """

    name: ClassVar[str] = "glad"
    difficulty: Literal["none", "category", "instance"] = "instance"
    class_prior: Literal["uniform", "learned"] | tuple[float, ...] = "uniform"
    adversarial: bool = False
    alpha_prior: tuple[float, ...] = (1.0, 1.0)
    beta_prior: tuple[float, ...] = (1.0, 1.0)
    starts: int = 10
    seed: int = 0
    tolerance: float = 1e-10
    max_iterations: int = 1000

    def __post_init__(self) -> None:
        check_choices(self)
        check_positive(self, ("starts", "tolerance", "max_iterations"))
        for name in ("alpha_prior", "beta_prior"):
            prior = getattr(self, name)
            if len(prior) != 2 or not np.all(np.isfinite(prior)) or prior[1] <= 0:
                raise OptionError(f"{name}={prior}: give a mean and a positive sd, as in 1,1")
        if isinstance(self.class_prior, tuple) and not all(0 < share < np.inf for share in self.class_prior):
            raise OptionError(f"class_prior={self.class_prior}: give a positive number for each grade")

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
        """Infer true grades, abilities and eases.

        gold: truths that are known; they stand at their nearest grade, and tell about annotators.
        start: an earlier fit to begin from, instead of several starts; ids that it does not know begin afresh.
        progress: called after every step with (iteration, objective, change); raise to stop.
        engine: where the passes run; None: where the ratings are.
        checkpoint: keeps how far the fit has come in a file.
        """
        gold = checked_inputs(ratings, gold)
        journal = journal_of(checkpoint, self, ratings, gold, start)
        starts = self.starts if start is None else 1
        with place_glad(self, ratings, gold, starts=starts, engine=engine) as placed:
            problem = GladProblem.of(self, placed, gold)

            def begin(index: int) -> GladAscent:
                if start is None:
                    return GladAscent.fresh(problem, index)
                return GladAscent.resumed(problem, start, learn=True)

            best, endings = ascend_all(
                begin,
                starts,
                self.stop_rule(),
                monotone=True,
                workers=placed.together,
                progress=progress,
                journal=journal,
            )
            return glad_fit(problem, best, endings)

    def predict(self, fit: Fit, ratings: Ratings | ShardedRatings) -> Fit:
        """The truth of new instances; abilities, eases and class prior stay as an earlier fit found them."""
        with place_glad(self, ratings, None) as placed:
            problem = GladProblem.of(self, placed, None)
            best, endings = ascend_all(
                lambda _: GladAscent.resumed(problem, fit, learn=False),
                1,
                self.stop_rule(),
                monotone=True,
                workers=1,
                progress=None,
            )
            return glad_fit(problem, best, endings)

    def stop_rule(self) -> StopRule:
        """When a start ends."""
        return StopRule(self.tolerance, max_iterations=self.max_iterations)
