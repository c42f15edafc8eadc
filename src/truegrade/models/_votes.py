"""What mean, median and majority share: the votes, and a Fit that needs no iteration."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

import numpy as np

from truegrade.fit import Fit, Status, about_input
from truegrade.inference.counting import agreement_with_others, grade_counts
from truegrade.posterior import VotePosterior

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from truegrade.gold import Gold
    from truegrade.models._base import Model
    from truegrade.ratings import Ratings

__all__ = ["vote_fit", "votes"]


def votes(ratings: Ratings) -> NDArray[np.float64]:
    """Weight of each grade per instance (M, K); (M, 0) on a real scale."""
    return np.empty((ratings.n_instances, 0)) if ratings.scale.is_real else grade_counts(ratings)


def vote_fit(
    model: Model,
    ratings: Ratings,
    gold: Gold | None,
    counts: NDArray[np.float64],
    estimate: NDArray[np.float64],
    *,
    sd: NDArray[np.float64] | None = None,
    grade: NDArray[np.uint8] | None = None,
) -> Fit:
    """The Fit of an estimator that looks at each instance alone. `grade` is the nearest one where none is given."""
    scale = ratings.scale
    sd = np.full(estimate.size, np.nan) if sd is None else sd
    if grade is None:
        grade = scale.nearest(estimate) if scale.n_grades else np.zeros(estimate.size, dtype=np.uint8)
    shares = counts + 0.5 / max(scale.n_grades, 1)
    shares /= shares.sum(axis=1, keepdims=True)
    if gold is not None:
        at, known = gold.on(ratings)
        estimate, sd, grade = estimate.copy(), sd.copy(), grade.copy()
        estimate[at], sd[at] = known, 0.0
        if scale.n_grades:
            grade[at] = scale.nearest(known)
            shares[at] = np.eye(scale.n_grades)[grade[at]]
    columns: dict[str, Any] = {} if scale.is_real else {"agreement": agreement_with_others(ratings)}
    return Fit(
        model=model.name,
        options=asdict(model),  # type: ignore[call-overload]
        status=Status.CONVERGED,
        posterior=VotePosterior(estimate, sd, shares, grade),
        annotator_columns=columns,
        notes=tuple(ratings.notes()),
        **about_input(ratings),
    )
