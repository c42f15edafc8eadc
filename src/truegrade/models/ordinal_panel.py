"""OrdinalPanel: a truth between grades, judged by annotators of unknown types.

    z_m ~ p                                  the node of instance m: a place on the scale, clear or ambiguous
    c_i | z_m ~ blend[z_m]                   the grade that the instance passes for in rating i
    h_n ~ w, kappa_n ~ v                     the type of annotator n, and how closely it keeps to it
    phi_nr ~ Dirichlet(kappa_n p[h_n, r])    what it says of an instance that passes for grade r
    r_i ~ phi[n_i, c_i]                      the rating

p is learned near the shares of the ratings, w and v from all annotators. docs/models/ordinal-panel.md has the rest.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar, Literal

import numpy as np

from truegrade.errors import OptionError
from truegrade.fit import Status
from truegrade.models._base import checked_inputs
from truegrade.models._em import Outcome, StopRule, ascend_all
from truegrade.models._journal import journal_of
from truegrade.models._options import check_choices, check_positive
from truegrade.models._panel_ascent import PanelAscent
from truegrade.models._panel_fit import panel_fit
from truegrade.models._panel_named import check_names
from truegrade.models._panel_problem import PanelProblem, place_panel
from truegrade.models._panel_resume import resumed

if TYPE_CHECKING:
    import pyarrow as pa

    from truegrade.engines import Engine, ShardedRatings
    from truegrade.fit import Fit
    from truegrade.models._base import Progress
    from truegrade.models._journal import Keeper
    from truegrade.ratings import Ratings

__all__ = ["OrdinalPanel"]


@dataclass(frozen=True, kw_only=True)
class OrdinalPanel:
    """Annotators with bias, stretch, noise, spam and habits of their own; every part can be switched off.

    bias, stretch, spam, reversed: whether types differ in it.
    refined: whether an annotator may depart from its type: a confusion matrix of its own, near the type's.
    learned_population: whether the shares of types and kappas are learned, or stay at the first guess.
    uncertain: whether the truth allows for not knowing annotators; else it is the fitting step's.
    draws: of annotators, population and prior that the truth is averaged over (up to four times as many where ratings
        are few); 0 saves their time by a formula that takes all but an annotator's own type and habits for known.
    prior: of the truths: "learned" near the shares of the ratings, those "shares" themselves, or "uniform".
    difficulty: whether instances may be ambiguous, as often everywhere ("instance") or in each category ("category").
    dependence: the correlation of annotators' errors on an instance: "measured", or a number; 0 trusts independence.
    assumed: a correlation that no measurement can see, since all annotators share it; adds to `dependence`.
    excluded: annotators whose ratings tell nothing about the truth; they stay in the tables.
    trusted: annotators who are taken to err hardly ever: their first guess is not that of the others.
    groups: annotator -> group, such as people and machines. Each learns what its members are like; those that are not
        named are a group of their own.
    nodes: places per grade step that a truth may lie on.
    anchor: how many instances the shares of the ratings are worth in the prior, per instance.
    ambiguity_count: how many instances the first guess about ambiguity, half of them, is worth.
    strength: how many annotators the first guess about the population is worth.
    starts, seed: start 0 begins at the average annotator, the others near it; the best bound wins.
    tolerance: stop when ten passes moved the bound by less than this share of it.
    """

    name: ClassVar[str] = "ordinal-panel"
    bias: bool = True
    stretch: bool = True
    spam: bool = True
    reversed: bool = True
    refined: bool = True
    learned_population: bool = True
    uncertain: bool = True
    draws: int = 48
    prior: Literal["learned", "shares", "uniform"] = "learned"
    difficulty: Literal["none", "category", "instance"] = "none"
    dependence: float | Literal["measured"] = "measured"
    assumed: float = 0.0
    excluded: tuple[str, ...] = ()
    trusted: tuple[str, ...] = ()
    groups: dict[str, str] = field(default_factory=dict, hash=False)  # a dictionary has no hash; == looks at it
    nodes: int = 2
    anchor: float = 1.0
    ambiguity_count: float = 5.0
    strength: float = 30.0
    starts: int = 1
    seed: int = 0
    tolerance: float = 3e-6
    max_iterations: int = 500

    def __post_init__(self) -> None:
        check_choices(self)
        check_positive(self, ("nodes", "anchor", "strength", "ambiguity_count"))
        check_positive(self, ("starts", "tolerance", "max_iterations"))
        if self.draws < 0:
            raise OptionError(f"draws={self.draws}: choose 0 or more")
        for name in ("dependence", "assumed"):
            value = getattr(self, name)
            if value != "measured" and not 0 <= value <= 1:
                raise OptionError(f"{name}={value}: is a correlation; choose 0 to 1")

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
        """Infer truths and annotators.

        gold: truths that are known; they stay as they are and tell about annotators.
        start: an earlier fit to begin from; annotators that it does not know are drawn from its population.
        progress: called after every pass with (iteration, bound, change); raise to stop.
        engine: where the passes run; None: where the ratings are.
        checkpoint: keeps how far the fit has come in a file.
        """
        gold = checked_inputs(ratings, gold)
        check_names(self, ratings)
        journal = journal_of(checkpoint, self, ratings, gold, start)
        starts = self.starts if start is None else 1
        with place_panel(self, ratings, gold, fresh=start is None, starts=starts, engine=engine) as placed:
            problem = PanelProblem.of(self, placed, gold)

            def begin(index: int) -> PanelAscent:
                return PanelAscent.fresh(problem, index) if start is None else resumed(problem, start)

            best, endings = ascend_all(
                begin,
                starts,
                StopRule(self.tolerance, max_iterations=self.max_iterations),
                monotone=True,
                workers=placed.together,
                progress=progress,
                journal=journal,
            )
            return panel_fit(problem, best, endings)

    def predict(self, fit: Fit, ratings: Ratings | ShardedRatings) -> Fit:
        """The truth of new instances, rated by annotators of an earlier fit, who stay as that fit found them."""
        with place_panel(self, ratings, None, fresh=False) as placed:
            problem = PanelProblem.of(self, placed, None)
            best = Outcome(0, resumed(problem, fit), Status.CONVERGED, [])
            return panel_fit(problem, best, [(-np.inf, Status.CONVERGED)], earlier=fit)

    def explain(self, fit: Fit, ratings: Ratings, instance: Any) -> pa.Table:
        """What each rating of an instance tells: see :func:`truegrade.models._panel_explain.explanation`."""
        from truegrade.models._panel_explain import explanation

        return explanation(self, fit, ratings, instance)
