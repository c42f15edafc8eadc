"""The truth that users see: annotators' uncertainty in it, no rating vouching for itself, dependence allowed for.

The fitting step weighs a rating by E ln phi, which takes annotators for known; and an annotator's own rating has a say
in what is believed about that annotator. Here a rating counts as P(k | g) averaged over what its annotator's other
ratings leave open.

Ratings of one instance are then assumed to err together, with correlation rho: n of them are worth n / (1 + rho (n-1))
independent ones, as in a cluster sample. rho is measured: the average product of two annotators' standardised
residuals, which is 0 where the model is right about their independence.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from truegrade.models._panel_ascent import PanelAscent

    Floats = NDArray[np.float64]

__all__ = ["PanelTruth", "learned_dependence", "log_predictive", "measured_dependence", "normalised", "worth_of"]

_RHOS = (0.0, 0.02, 0.05, 0.1, 0.15, 0.2, 0.3, 0.4, 0.6, 0.8, 1.0)  # that known truths may choose from
_TINY = 1e-300
_BLOCK = 8192  # ratings whose rows are in memory at a time


@dataclass(frozen=True)
class PanelTruth:
    """The evidence about every instance, before dependence is allowed for."""

    log_prior: Floats  # (M, G)
    evidence: Floats  # (M, G): sum over an instance's ratings of ln P(rating | node)
    size: Floats  # (M,): its number of ratings

    @classmethod
    def of(cls, ascent: PanelAscent, *, counted: bool = True) -> PanelTruth:
        """From the end of an ascent. counted: whether its annotators' counts hold these very ratings."""
        problem, r = ascent.problem, ascent.problem.ratings
        log_prior = problem.log_prior(ascent.prior)
        row = problem.prior_row()
        evidence = np.empty((r.n_instances, problem.grid.nodes))
        table = None if problem.model.uncertain else problem.grid.table(ascent.rows.log_p)
        for first, last, ratings in _blocks(r.instance_ptr):
            if table is None:
                log_p = np.log(_predictive(ascent, ratings, counted=counted))
            else:  # as the fitting step sees it
                log_p = table[r.annotator[ratings], r.grade[ratings]]
            begins = r.instance_ptr[first:last] - ratings.start
            evidence[first:last] = np.add.reduceat(log_p * problem.weight[ratings, None], begins, axis=0)
        size = np.add.reduceat(problem.weight, r.instance_ptr[:-1])
        rows = np.zeros(r.n_instances, dtype=np.int32) if row is None else row
        return cls(log_prior[rows], evidence, size)

    def posterior(self, rho: float) -> Floats:
        """P(node) (M, G)."""
        return normalised(self.log_prior + worth_of(self.size, rho)[:, None] * self.evidence)


def worth_of(size: Floats, rho: float) -> Floats:
    """What a rating counts beside size - 1 others whose errors correlate with its own."""
    worth: Floats = 1 / (1 + rho * np.maximum(size - 1, 0))
    return worth


def normalised(log_q: Floats) -> Floats:
    """Shares along each row."""
    q: Floats = np.exp(log_q - log_q.max(axis=1, keepdims=True))
    q /= q.sum(axis=1, keepdims=True)
    return q


def measured_dependence(ascent: PanelAscent, q: Floats) -> float:
    """rho: how far the residuals of two annotators on one instance agree, given the instance's node; 0 at least."""
    problem, r = ascent.problem, ascent.problem.ratings
    said = ascent.rows.mean @ np.stack([np.arange(r.scale.n_grades), np.arange(r.scale.n_grades) ** 2], axis=1)
    blend = problem.grid.blend
    mean, square = said[..., 0] @ blend.T, said[..., 1] @ blend.T  # (N, G)
    sd = np.sqrt(np.maximum(square - mean**2, 0.0))
    met = expected = 0.0
    for first, last, ratings in _blocks(r.instance_ptr):
        annotator, weight = r.annotator[ratings], problem.weight[ratings, None]
        begins = r.instance_ptr[first:last] - ratings.start
        miss = r.grade[ratings, None] - mean[annotator]
        met += float(np.vdot(q[first:last], _pairs(miss, weight, begins)))
        expected += float(np.vdot(q[first:last], _pairs(sd[annotator], weight, begins)))
    return max(met / expected, 0.0) if expected > 0 else 0.0


def learned_dependence(ascent: PanelAscent, truth: PanelTruth) -> float:
    """rho: what makes the known truths most probable, had they not been known.

    Known instances taught the annotators, but their own ratings are taken out of what speaks for them.
    """
    problem = ascent.problem
    assert problem.known is not None  # noqa: S101  asked for with known truths alone
    at = np.flatnonzero(~np.isnan(problem.known))
    group = problem.ratings.category[at] if problem.groups > 1 and problem.ratings.category is not None else 0
    ignorant = PanelTruth(np.log(ascent.prior)[np.broadcast_to(group, at.shape)], truth.evidence[at], truth.size[at])
    weights = np.array([problem.grid.weights(value) for value in problem.known[at]])  # (gold, G)
    return max(_RHOS, key=lambda rho: float(np.log((ignorant.posterior(rho) * weights).sum(axis=1) + _TINY).sum()))


def _pairs(x: Floats, weight: Floats, begins: NDArray[np.int64]) -> Floats:
    """Sum of x_i x_j over the pairs of each instance's ratings (m, G)."""
    whole = np.add.reduceat(x * weight, begins, axis=0)
    pairs: Floats = (whole**2 - np.add.reduceat(x**2 * weight, begins, axis=0)) / 2
    return pairs


def _predictive(ascent: PanelAscent, ratings: slice, *, counted: bool) -> Floats:
    """P(rating | node) (b, G); where it is counted, every rating is taken out of its annotator's counts."""
    problem, rows, grid = ascent.problem, ascent.rows, ascent.problem.grid
    r = problem.ratings
    annotator, grade = r.annotator[ratings].astype(np.intp), r.grade[ratings].astype(np.intp)
    if not counted:
        said: Floats = rows.mean[annotator, :, grade] @ grid.blend.T
        return said
    instance = np.searchsorted(r.instance_ptr, np.arange(ratings.start, ratings.stop), side="right") - 1
    q = ascent.posterior()[instance]
    own = q if grid.on_grades else _own(q, rows.log_p[annotator, :, grade], grid.blend)
    own = own * np.minimum(problem.weight[ratings], 1.0)[:, None]
    found: Floats = rows.without(annotator, grade, own) @ grid.blend.T
    return found


def log_predictive(ascent: PanelAscent, ratings: slice) -> Floats:
    """What each of these ratings adds to the log likelihood of the nodes (b, G)."""
    return np.asarray(np.log(_predictive(ascent, ratings, counted=True)))


def _own(q: Floats, log_p: Floats, blend: Floats) -> Floats:
    """How far a rating is counted under each true grade (b, R), given its instance's nodes q (b, G)."""
    odds = np.where(blend > 0, log_p[:, None, :] + np.log(np.maximum(blend, _TINY)), -np.inf)  # (b, G, R)
    odds = np.exp(odds - odds.max(axis=2, keepdims=True))
    odds /= odds.sum(axis=2, keepdims=True)
    own: Floats = np.einsum("bg,bgr->br", q, odds)
    return own


def _blocks(instance_ptr: NDArray[np.int64]) -> Iterator[tuple[int, int, slice]]:
    """Runs of whole instances: first, last, and their ratings."""
    first = 0
    while first < instance_ptr.size - 1:
        last = int(np.searchsorted(instance_ptr, instance_ptr[first] + _BLOCK, side="right")) - 1
        last = max(last, first + 1)
        yield first, last, slice(int(instance_ptr[first]), int(instance_ptr[last]))
        first = last
