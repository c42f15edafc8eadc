"""What the ratings of an instance are worth if their errors are a little alike, and beliefs that allow for it.

No rating shows an error that all annotators make. So every member is told that errors on an instance correlate by rho:
n ratings are then worth n / (1 + rho (n - 1)) independent ones, as in a cluster sample. n counts ratings that tell
something: it is (sum a)^2 / sum a^2, a being what the annotator's ratings tell about truths, so that fake ratings do
not make the real ones count less.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from truegrade.models._auto_rule import RULE
from truegrade.posterior import GaussianPosterior, GradePosterior, GridPosterior, VotePosterior

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from truegrade.fit import Fit
    from truegrade.posterior import Posterior
    from truegrade.ratings import Ratings
    from truegrade.scale import Scale

    Floats = NDArray[np.float64]

__all__ = ["beliefs_of", "flattened", "information", "worth"]

_TINY = 1e-300
_POINT = 1e-9  # the spread of a known truth


def information(confusion: Floats, prevalence: Floats) -> Floats:
    """What one rating by each annotator tells about a truth, in nats (N,): their mutual information.

    confusion (N, K, K): truth, said. prevalence (K,).
    """
    said = np.einsum("k,nkj->nj", prevalence, confusion)
    ratio = np.log(np.maximum(confusion, _TINY)) - np.log(np.maximum(said, _TINY))[:, None]
    told: Floats = np.einsum("k,nkj,nkj->n", prevalence, confusion, ratio)
    return np.maximum(told, 0.0)


def worth(ratings: Ratings, told: Floats, rho: float) -> Floats:
    """What each instance's evidence counts, as a share of what it would if errors were independent (M,).

    told (N,): what a rating by each annotator tells.
    """
    a = told[ratings.annotator]
    weight = np.ones(a.size) if ratings.weight is None else ratings.weight
    begins = ratings.instance_ptr[:-1]
    total, squares = np.add.reduceat(weight * a, begins), np.add.reduceat(weight * a**2, begins)
    n = np.divide(total**2, squares, out=np.ones(total.size), where=squares > 0)
    share: Floats = 1 / (1 + rho * np.maximum(n - 1, 0))
    return share


def beliefs_of(
    ratings: Ratings, fits: Sequence[Fit], voice: Floats | None = None, rho: float = RULE.shared
) -> list[Posterior]:
    """What members believe, all told that errors on an instance correlate. The leader, fitted last, knows annotators.

    voice (N,): 0 for annotators whose ratings are left out, 1 for others.
    """
    lead = fits[-1]
    if "confusion" not in lead.parameters:
        return [fit.posterior for fit in fits]
    mass = lead.posterior.probabilities(ratings.scale).sum(axis=0)
    told = information(lead.parameters["confusion"], mass / mass.sum())
    share = worth(ratings, told if voice is None else told * voice, rho)
    beliefs = [flattened(fit, share) for fit in fits]
    if voice is None or voice.all():
        return beliefs
    unheard = np.add.reduceat(voice[ratings.annotator], ratings.instance_ptr[:-1]) == 0
    return [_or_else(belief, beliefs[-1], unheard, ratings.scale) for belief in beliefs]


def _or_else(belief: Posterior, lead: Posterior, unheard: NDArray[np.bool_], scale: Scale) -> Posterior:
    """The leader's belief about instances of which nobody is heard (M,): only the leader knows that nobody is."""

    def choose(one: NDArray[Any], other: NDArray[Any]) -> NDArray[Any]:
        return np.where(unheard.reshape(-1, *[1] * (one.ndim - 1)), other, one)

    return VotePosterior(
        choose(belief.estimate, lead.estimate),
        choose(belief.sd, lead.sd),
        choose(belief.probabilities(scale), lead.probabilities(scale)),
        choose(belief.grade(scale), lead.grade(scale)),
    )


def flattened(fit: Fit, share: Floats) -> Posterior:
    """The belief of a fit if its evidence counts only so much (M,): likelihood^share times the prior."""
    posterior, parameters = fit.posterior, fit.parameters
    if isinstance(posterior, GridPosterior):
        prior = parameters["prior"] * np.exp(parameters["shift"])  # as known truths have it
        return replace(posterior, p=_tempered(posterior.p, prior, fit, share))
    if isinstance(posterior, GradePosterior):
        return replace(posterior, p=_tempered(posterior.p, parameters["prevalence"][None], fit, share))
    if isinstance(posterior, GaussianPosterior):
        return _widened(posterior, fit.hyperparameters["mu"], fit.hyperparameters["lam"], share)
    return posterior


def _tempered(p: Floats, prior: Floats, fit: Fit, share: Floats) -> Floats:
    """p (M, G) and the prior of each group of instances (groups, G)."""
    group: Any = fit.category if len(prior) > 1 else np.zeros(len(p), dtype=np.intp)
    log_prior = np.log(np.maximum(prior, _TINY))[group]
    log_p = log_prior + share[:, None] * (np.log(np.maximum(p, _TINY)) - log_prior)
    found = np.exp(log_p - log_p.max(axis=1, keepdims=True))
    whole: Floats = found / found.sum(axis=1, keepdims=True)
    return whole


def _widened(posterior: GaussianPosterior, mu: float, lam: float, share: Floats) -> GaussianPosterior:
    """The same for N(mu, 1/lam) as the prior."""
    precision = 1 / np.maximum(posterior.sd, _POINT) ** 2
    kept = lam + share * np.maximum(precision - lam, 0.0)
    return GaussianPosterior(mu + share * precision * (posterior.estimate - mu) / kept, 1 / np.sqrt(kept))
