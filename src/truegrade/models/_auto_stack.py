"""The weights of Auto's members, and their estimates as one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from truegrade.fit import Status
from truegrade.models._summary import correlation, mean_ratings
from truegrade.posterior import VotePosterior

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from truegrade.fit import Fit
    from truegrade.models._auto_members import Member
    from truegrade.models._auto_score import Scores
    from truegrade.ratings import Ratings

    Floats = NDArray[np.float64]

__all__ = ["Stack", "is_sound", "stack", "weigh"]

_LEAN = 2.0  # a member that tells ratings no better than their shares do keeps exp(-2) of its weight
_THIN = 10.0  # ratings per annotator at which the mean's extra weight has fallen to 1/e
_EXTRA = 12.0  # weight of the mean beyond its prior weight where annotators gave next to nothing


@dataclass(frozen=True)
class Stack:
    """The members as one."""

    posterior: VotePosterior
    weights: Floats  # one per member, summing to 1
    disagreement: float  # how far the members' P(grade) lie from the stack's, on average: 0 .. 1


def is_sound(fit: Fit, ratings: Ratings) -> bool:
    """Whether a fit neither collapsed nor overflowed nor runs against the ratings."""
    broken = fit.status in (Status.SPAM_COLLAPSE, Status.NOT_FINITE, Status.BOUND_DECREASED)
    return not broken and correlation(fit.posterior.estimate, mean_ratings(ratings)) >= 0


def weigh(members: Sequence[Member], sound: NDArray[np.bool_], scores: Scores, ratings: Ratings) -> Floats:
    """Prior weight, times a factor that falls with the score; the mean gains as the data thin out.

    sound (members,): whether a member's fit may be used at all.
    """
    weights = np.array([member.weight for member in members]) * sound
    if scores.known:
        weights *= np.exp(_LEAN * (scores.gain - 1))
    weights[0] += _EXTRA * np.exp(-ratings.total_weight / ratings.n_annotators / _THIN)
    shares: Floats = weights / weights.sum()
    return shares


def stack(ratings: Ratings, fits: Sequence[Fit], weights: Floats, known: Floats | None) -> Stack:
    """Estimates, spreads and P(grade), all averaged; P(grade) is softened where the members disagree.

    Members that contradict each other cannot all be as sure as they say. So P(grade) keeps 1 - d of its mass, d the
    instance's average distance between a member and the stack, and spreads d like the ratings.
    """
    scale = ratings.scale
    estimates = np.array([fit.posterior.estimate for fit in fits])  # (members, M)
    spreads = np.array([np.nan_to_num(fit.posterior.sd) for fit in fits])
    estimate = weights @ estimates
    variance = weights @ (spreads**2 + (estimates - estimate) ** 2)
    p = np.empty((estimate.size, scale.n_grades))
    chosen, disagreement = np.zeros(estimate.size, dtype=np.uint8), np.zeros(estimate.size)
    if scale.n_grades:
        each = np.array([fit.posterior.probabilities(scale) for fit in fits])
        p = np.einsum("i,imk->mk", weights, each)
        disagreement = np.einsum("i,imk->m", weights, np.abs(each - p)) / 2
        weight = np.ones(ratings.n_ratings) if ratings.weight is None else ratings.weight
        share = np.bincount(ratings.grade, weight, scale.n_grades) / weight.sum()
        variance = (1 - disagreement) * variance + disagreement * ((scale.array - estimate[:, None]) ** 2 @ share)
        p = (1 - disagreement[:, None]) * p + disagreement[:, None] * share
        chosen = np.argmax(p, axis=1).astype(np.uint8)
    sd = np.sqrt(variance)
    if known is not None:
        at = np.flatnonzero(~np.isnan(known))
        estimate[at], sd[at] = known[at], 0.0
        if scale.n_grades:
            chosen[at] = scale.nearest(known[at])
            p[at] = np.eye(scale.n_grades)[chosen[at]]
    return Stack(VotePosterior(estimate, sd, p, chosen), weights, float(disagreement.mean()))
