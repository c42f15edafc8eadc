"""The weights of Auto's members, and their estimates as one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from truegrade.fit import Status
from truegrade.models._auto_rule import RULE, Rule
from truegrade.models._summary import correlation, mean_ratings
from truegrade.posterior import VotePosterior

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from truegrade.fit import Fit
    from truegrade.models._auto_members import Member
    from truegrade.models._auto_score import Scores
    from truegrade.posterior import Posterior
    from truegrade.ratings import Ratings

    Floats = NDArray[np.float64]

__all__ = ["Stack", "is_sound", "stack", "weigh"]


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


def weigh(
    members: Sequence[Member], sound: NDArray[np.bool_], scores: Scores, ratings: Ratings, rule: Rule = RULE
) -> Floats:
    """Prior weight, times a factor that falls with the score; the mean gains where there are next to no ratings.

    sound (members,): whether a member's fit may be used at all.
    """
    weights = np.array([float(getattr(rule, member.column)) for member in members]) * sound
    if scores.known:
        weights *= np.exp(-rule.slope * scores.behind(rule.doubt))
    weights[0] += weights.sum() * (rule.few / ratings.total_weight) ** 2
    shares: Floats = weights / weights.sum()
    return shares


def stack(
    ratings: Ratings, beliefs: Sequence[Posterior], weights: Floats, known: Floats | None, rule: Rule = RULE
) -> Stack:
    """Estimates, spreads and P(grade), all averaged; P(grade) is softened where the members disagree.

    Members that contradict each other cannot all be as sure as they say, and some instances mislead them all. With d
    the average distance of an instance's members from the stack, misled + softening d of P(grade) is spread evenly.
    """
    scale = ratings.scale
    estimates = np.array([belief.estimate for belief in beliefs])  # (members, M)
    spreads = np.array([np.nan_to_num(belief.sd) for belief in beliefs])
    estimate = weights @ estimates
    variance = weights @ (spreads**2 + (estimates - estimate) ** 2)
    p = np.empty((estimate.size, scale.n_grades))
    chosen, disagreement = np.zeros(estimate.size, dtype=np.uint8), np.zeros(estimate.size)
    if scale.n_grades:
        each = np.array([belief.probabilities(scale) for belief in beliefs])
        p = np.einsum("i,imk->mk", weights, each)
        disagreement = np.einsum("i,imk->m", weights, np.abs(each - p)) / 2
        spread = np.minimum(rule.misled + rule.softening * disagreement, 1.0)
        variance = (1 - spread) * variance + spread * ((scale.array - estimate[:, None]) ** 2).mean(axis=1)
        p = (1 - spread[:, None]) * p + spread[:, None] / scale.n_grades
        chosen = np.argmax(p, axis=1).astype(np.uint8)
    sd = np.sqrt(variance)
    if known is not None:
        at = np.flatnonzero(~np.isnan(known))
        estimate[at], sd[at] = known[at], 0.0
        if scale.n_grades:
            chosen[at] = scale.nearest(known[at])
            p[at] = np.eye(scale.n_grades)[chosen[at]]
    return Stack(VotePosterior(estimate, sd, p, chosen), weights, float(disagreement.mean()))
