"""What all starts of one fit of the ordinal mixture share: where its parts are, priors, thresholds."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from truegrade.engines import engine_for
from truegrade.errors import OptionError
from truegrade.inference.mixture_sweep import MixtureOptions
from truegrade.models._base import check_met
from truegrade.models._input import distinct_values, scale_middle_and_step
from truegrade.models._mixture_ascent import MixtureAscent
from truegrade.models._mixture_part import MixturePart

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from truegrade.engines import Engine, Placed, ShardedRatings
    from truegrade.fit import Fit
    from truegrade.gold import Gold
    from truegrade.models.ordinal_mixture import OrdinalMixture
    from truegrade.ratings import Ratings

    Floats = NDArray[np.float64]

__all__ = ["MixtureProblem", "place_mixture"]


def place_mixture(
    model: OrdinalMixture,
    ratings: Ratings | ShardedRatings,
    gold: Gold | None,
    *,
    starts: int = 1,
    engine: Engine | None = None,
) -> Placed:
    """Check that model and ratings go together, and prepare the passes."""
    if ratings.scale.is_real and model.link != "real":
        raise OptionError("ratings on a real scale have no thresholds; choose link=real")
    options = MixtureOptions(link=model.link, responsibility=model.responsibility, difficulty=model.difficulty)
    split = ratings.split_categories if model.difficulty == "category" else ()
    make = partial(MixturePart.of, gold=gold, options=options, split=split)
    return engine_for(ratings, engine).place(ratings, make, starts=starts)


@dataclass(frozen=True)
class MixtureProblem:
    """The constants of one fit."""

    model: OrdinalMixture
    placed: Placed
    thresholds: Floats  # (K+1,)
    values: Floats  # (K,)
    widths: Floats  # (K,): of the bins that the spam density is spread over; ones for the ordinal link
    known: Floats | None  # (g,): the known truths
    weight_of_annotator: Floats  # (N,)
    weight_of_grade: Floats  # (K,)
    step: float  # the typical distance of two grades: what "one unit" means on this scale
    middle: float  # of the scale
    log_unit: float  # makes the printed omega's density one per grade; added to E ln eps, taken off the bound

    @classmethod
    def of(cls, model: OrdinalMixture, placed: Placed, gold: Gold | None) -> MixtureProblem:
        """What the ratings that were placed say."""
        ratings, scale = placed.ratings, placed.ratings.scale
        thresholds, widths = _thresholds(model, placed)
        values = np.zeros(1) if scale.is_real else scale.array
        facts = placed.sums(MixturePart.facts, None, values.size)
        check_met(gold, facts.met, ratings)
        middle, step = scale_middle_and_step(placed)
        return cls(
            model=model,
            placed=placed,
            thresholds=thresholds,
            values=values,
            widths=widths,
            known=None if gold is None else np.concatenate(list(placed.each(MixturePart.known, None, None))),
            weight_of_annotator=facts.weight_of_annotator,
            weight_of_grade=facts.weight_of_grade,
            step=step,
            middle=middle,
            log_unit=float(np.log(step)) if (model.responsibility, model.link) == ("printed", "ordinal") else 0.0,
        )

    def given(self, earlier: Fit) -> MixtureProblem:
        """The same problem with the spam of an earlier fit, whose range on a real scale is that of its own ratings."""
        if "spam_range" not in earlier.hyperparameters:  # grades, or a model without spam
            return self
        bounds = np.array(earlier.hyperparameters["spam_range"])
        return replace(self, thresholds=bounds, widths=np.diff(bounds))

    def start(self, index: int, earlier: Fit | None, *, learn_annotators: bool = True) -> MixtureAscent:
        """Start number `index`, jittered by the seed; or where an earlier fit ended."""
        if earlier is None:
            return MixtureAscent.fresh(self, index, learn_annotators)
        return MixtureAscent.resumed(self, earlier, learn_annotators)


def _thresholds(model: OrdinalMixture, placed: Placed) -> tuple[Floats, Floats]:
    """b_0 .. b_K, and the widths that turn spam shares into a density where the link is real."""
    scale = placed.ratings.scale
    if scale.is_real:
        # One more step of the typical gap: as K grades cover K steps though they span K - 1.
        span = scale.high - scale.low
        reach = span / max(distinct_values(placed) - 1, 1) / 2 or 0.5
        bounds = np.array([scale.low - reach, scale.high + reach])
        return bounds, np.diff(bounds)
    if isinstance(model.thresholds, tuple):
        bounds = np.array(model.thresholds, dtype=np.float64)
        if bounds.size != scale.n_grades + 1 or not np.all(np.diff(bounds) > 0):
            raise OptionError(f"thresholds: the scale {scale} needs {scale.n_grades + 1} ascending numbers")
    else:
        bounds = scale.thresholds_with(model.thresholds)
    if model.link == "ordinal":
        return bounds, np.ones(scale.n_grades)
    widths = np.diff(bounds)
    return bounds, np.where(np.isfinite(widths), widths, np.diff(scale.thresholds))
