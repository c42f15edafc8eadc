"""How well ratings that a fit has not seen are foretold."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from truegrade.inference.counted import counted_confusion
from truegrade.joining import codes_in
from truegrade.ratings import Ratings

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from truegrade.fit import Fit

    Floats = NDArray[np.float64]

__all__ = ["Habits", "told_by_others", "told_by_the_fit"]

_FLOOR = 1e-12  # as in the log-loss


@dataclass(frozen=True)
class Habits:
    """Confusion matrices counted from the truths that a model believes in, for models that have none of their own."""

    chances: Floats  # (N+1, K, K): annotator, truth, said; the last stands for anyone unknown
    prevalence: Floats  # (K,)

    @classmethod
    def of(cls, fit: Fit, ratings: Ratings) -> Habits | None:
        """Soft counts, drawn to those of all annotators; None on a real scale."""
        if fit.scale.is_real:
            return None
        p = fit.posterior.probabilities(fit.scale)
        return cls(counted_confusion(ratings, p), p.mean(axis=0))

    def told(self, p: Floats, annotator: NDArray[np.int64], grade: NDArray[np.uint8]) -> Floats:
        """P(grade[i]) by annotator[i] (-1 = unknown) on a truth that is believed to be p[i] (K,)."""
        told: Floats = np.einsum("ik,ik->i", p, self.chances[annotator, :, grade])
        return told


def told_by_the_fit(fit: Fit, ratings: Ratings, habits: Habits | None) -> float:
    """The mean of ln P(rating), given its annotator and its instance as the fit knows them."""
    annotator = codes_in(ratings.annotators, fit.annotator_ids)[ratings.annotator]
    instance = codes_in(ratings.instances, fit.instance_ids)[ratings.instance_of()]
    return _mean_told(fit, fit, ratings, annotator, instance, habits)


def told_by_others(
    fit: Fit, predicted: Callable[[Fit, Ratings], Fit], ratings: Ratings, habits: Habits | None
) -> float:
    """The mean of ln P(rating), each told from the other ratings of its instance."""
    r, instance = ratings, ratings.instance_of()
    size = np.diff(r.instance_ptr)[instance]  # (L,)
    left_out = np.repeat(np.arange(r.n_ratings), size)
    place = np.arange(left_out.size) - np.repeat(np.cumsum(size) - size, size)
    used = r.instance_ptr[instance][left_out] + place
    others = used != left_out
    annotator = codes_in(r.annotators, fit.annotator_ids)[r.annotator]
    told_of = np.full(r.n_ratings, -1)
    seen = fit
    if others.any():
        values = r.values() if r.scale.names is None else np.array(r.scale.names)[r.grade]
        without = Ratings.from_arrays(
            annotator=r.annotators.labels_of(r.annotator[used[others]]),
            instance=left_out[others],
            rating=values[used[others]],
            scale=r.scale,
        )
        seen = predicted(fit, without)
        told_of[without.instances.labels.to_numpy()] = without.instances.code
    return _mean_told(fit, seen, r, annotator, told_of, habits)


def _mean_told(
    fit: Fit,
    seen: Fit,
    ratings: Ratings,
    annotator: NDArray[np.int64],
    instance: NDArray[np.int64],
    habits: Habits | None,
) -> float:
    """annotator (L,) by the codes of `fit`, instance (L,) by those of `seen`; -1 = not known."""
    r, scale = ratings, fit.scale
    if scale.is_real:
        estimate = np.append(seen.posterior.estimate, fit.posterior.estimate.mean())  # the last serves -1
        return -float(np.average((r.real - estimate[instance]) ** 2, weights=r.weight))
    if habits is not None:
        p = np.concatenate([seen.posterior.probabilities(scale), habits.prevalence[None, :]])
        told = habits.told(p[instance], annotator, r.grade)
    else:
        told = _told_by_model(fit, seen, annotator, instance)[np.arange(r.n_ratings), r.grade]
    return float(np.average(np.log(np.maximum(told, _FLOOR)), weights=r.weight))


def _told_by_model(fit: Fit, seen: Fit, annotator: NDArray[np.int64], instance: NDArray[np.int64]) -> Floats:
    """P(answer) (L, K) by the model's own account."""
    from truegrade.models import fitted_model

    if seen is not fit:  # its annotators have codes of their own
        code = codes_in(fit.annotator_ids, seen.annotator_ids)
        annotator = np.append(code, -1)[annotator]
    chances: Floats = fitted_model(seen, "rating_probabilities").rating_probabilities(seen, annotator, instance)
    return chances
