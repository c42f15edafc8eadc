"""What all starts of one fit of the ordinal mixture share: the data as the kernel wants it, priors, first guesses."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from truegrade.errors import OptionError
from truegrade.inference.mixture_sweep import MixtureOptions, MixturePlan, MixtureRatings
from truegrade.models._mixture_ascent import MixtureAscent
from truegrade.models._summary import annotator_weights, known_truths, mean_ratings, scale_middle_and_step

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from truegrade.fit import Fit
    from truegrade.gold import Gold
    from truegrade.models.ordinal_mixture import OrdinalMixture
    from truegrade.ratings import Ratings

    Floats = NDArray[np.float64]

__all__ = ["MixtureProblem"]


@dataclass(frozen=True)
class MixtureProblem:
    """The constants of one fit."""

    model: OrdinalMixture
    ratings: Ratings
    data: MixtureRatings
    options: MixtureOptions
    plan: MixturePlan
    thresholds: Floats  # (K+1,)
    values: Floats  # (K,)
    widths: Floats  # (K,): of the bins that the spam density is spread over; ones for the ordinal link
    gold: Floats | None  # (M,): known truths, NaN elsewhere
    weight_of_annotator: Floats  # (N,)
    step: float  # the typical distance of two grades: what "one unit" means on this scale
    middle: float  # of the scale
    log_unit: float  # makes the printed omega's density one per grade; added to E ln eps, taken off the bound
    threads: int

    @classmethod
    def of(cls, model: OrdinalMixture, ratings: Ratings, gold: Gold | None, threads: int) -> MixtureProblem:
        """Check that model and ratings go together, and prepare the passes."""
        scale = ratings.scale
        if scale.is_real and model.link != "real":
            raise OptionError("ratings on a real scale have no thresholds; choose link=real")
        thresholds, widths = _thresholds(model, ratings)
        known = known_truths(ratings, gold)
        data = MixtureRatings(
            instance_ptr=ratings.instance_ptr,
            annotator=ratings.annotator,
            grade=None if scale.is_real else ratings.grade,
            value=ratings.real if scale.is_real else None,
            weight=ratings.weight,
            category_ptr=ratings.category_ptr() if model.difficulty == "category" else None,
            clamped=None if known is None else (~np.isnan(known)).astype(np.uint8),
        )
        options = MixtureOptions(link=model.link, responsibility=model.responsibility, difficulty=model.difficulty)
        middle, step = scale_middle_and_step(ratings)
        return cls(
            model=model,
            ratings=ratings,
            data=data,
            options=options,
            plan=MixturePlan.build(data, options, ratings.n_annotators, threads=threads),
            thresholds=thresholds,
            values=np.zeros(1) if scale.is_real else scale.array,
            widths=widths,
            gold=known,
            weight_of_annotator=annotator_weights(ratings),
            step=step,
            middle=middle,
            log_unit=float(np.log(step)) if (model.responsibility, model.link) == ("printed", "ordinal") else 0.0,
            threads=threads,
        )

    @property
    def mean_rating(self) -> Floats:
        """The mean of each instance's ratings (M,): worked out when needed, which is seldom, to keep memory small."""
        return mean_ratings(self.ratings)

    def given(self, earlier: Fit) -> MixtureProblem:
        """The same problem with the spam of an earlier fit, whose range on a real scale is that of its own ratings."""
        if "spam_range" not in earlier.hyperparameters:  # grades, or a model without spam
            return self
        bounds = np.array(earlier.hyperparameters["spam_range"])
        return replace(self, thresholds=bounds, widths=np.diff(bounds))

    def start(self, index: int, earlier: Fit | None, *, learn_annotators: bool = True) -> MixtureAscent:
        """Start number `index`, jittered by the seed; or where an earlier fit ended."""
        ascent = MixtureAscent.fresh(self, index, learn_annotators)
        if earlier is not None:
            ascent.resume(earlier)
        return ascent


def _thresholds(model: OrdinalMixture, ratings: Ratings) -> tuple[Floats, Floats]:
    """b_0 .. b_K, and the widths that turn spam shares into a density where the link is real."""
    scale = ratings.scale
    if scale.is_real:
        # One more step of the typical gap: as K grades cover K steps though they span K - 1.
        span = scale.high - scale.low
        reach = span / max(np.unique(ratings.real).size - 1, 1) / 2 or 0.5
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
