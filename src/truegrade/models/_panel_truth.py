"""The truth that users see: annotators' uncertainty in it, no rating vouching for itself, dependence allowed for.

The fitting step weighs a rating by E ln phi, which takes annotators for known; and an annotator's own rating has a say
in what is believed about that annotator. Here a rating counts as P(k | g) averaged over what its annotator's other
ratings leave open.

Ratings of one instance are then assumed to err together, with correlation rho: n of them are worth n / (1 + rho (n-1))
independent ones, as in a cluster sample. rho is measured: the average product of two annotators' standardised
residuals, which is 0 where the model is right about their independence.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import accumulate
from typing import TYPE_CHECKING

import numpy as np

from truegrade.inference.adding import Sums

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    from truegrade.models._panel_draws import Chain
    from truegrade.models._panel_part import PanelMessage, PanelPart
    from truegrade.models._panel_rows import PanelRows

    Floats = NDArray[np.float64]

__all__ = [
    "Dependence",
    "PanelEnd",
    "PanelTruth",
    "log_predictive",
    "measured_dependence",
    "miss_of_annotators",
    "normalised",
    "worth_of",
]

_TINY = 1e-300
_BLOCK = 8192  # ratings whose rows are in memory at a time


@dataclass(frozen=True)
class PanelEnd:
    """Where an ascent ended, and where a shard stands."""

    rows: PanelRows
    sweep: PanelMessage
    counted: bool  # the annotators' counts hold these very ratings
    before: int = 0  # instances of the shards before

    def at_shards(self, sizes: Sequence[int]) -> Iterator[PanelEnd]:
        """The same for each shard, of so many instances."""
        return (replace(self, before=before) for before in accumulate(sizes[:-1], initial=0))


@dataclass(frozen=True)
class Dependence(Sums):
    """Products of two annotators' residuals on one instance."""

    met: float
    expected: float  # if they were the same but for their size

    @property
    def rho(self) -> float:
        """How far residuals agree; 0 at least."""
        return max(self.met / self.expected, 0.0) if self.expected > 0 else 0.0


@dataclass
class PanelTruth:
    """What is known of a shard's instances at the end: the evidence about each, before dependence is allowed for."""

    log_prior: Floats  # (M, G)
    evidence: Floats  # (M, G): sum over an instance's ratings of ln P(rating | node)
    size: Floats  # (M,): its number of ratings
    before: int = 0  # instances of the shards before
    chain: Chain | None = None  # of draws that the truth is averaged over

    def copy(self) -> PanelTruth:
        """One whose draws go their own way; the evidence stays as it is."""
        return replace(self, chain=None if self.chain is None else self.chain.copy())

    @classmethod
    def begin(cls, part: PanelPart, message: PanelEnd) -> PanelTruth:
        """From the end of an ascent."""
        r, grid = part.ratings, part.grid
        evidence = np.empty((r.n_instances, grid.nodes))
        q = part.posterior(message.sweep) if part.model.uncertain and message.counted else None
        for first, last, ratings in _blocks(r.instance_ptr):
            if part.model.uncertain:
                log_p = np.log(_predictive(part, message.rows, q, ratings))
            else:  # as the fitting step sees it
                log_p = message.sweep.table[r.annotator[ratings], r.grade[ratings]]
            begins = r.instance_ptr[first:last] - ratings.start
            evidence[first:last] = np.add.reduceat(log_p * part.weight[ratings, None], begins, axis=0)
        size = np.add.reduceat(part.weight, r.instance_ptr[:-1])
        return cls(message.sweep.log_prior[part.rows_of_prior()], evidence, size, message.before)

    def posterior(self, rho: float, shift: Floats | float = 0.0) -> Floats:
        """P(node) (M, G), errors on an instance being correlated by rho; shift (G,): of the logarithm of the prior."""
        return normalised(self.log_prior + shift + worth_of(self.size, rho)[:, None] * self.evidence)


def worth_of(size: Floats, rho: float) -> Floats:
    """What a rating counts beside size - 1 others whose errors correlate with its own."""
    worth: Floats = 1 / (1 + rho * np.maximum(size - 1, 0))
    return worth


def normalised(log_q: Floats) -> Floats:
    """Shares along each row."""
    q: Floats = np.exp(log_q - log_q.max(axis=1, keepdims=True))
    q /= q.sum(axis=1, keepdims=True)
    return q


def miss_of_annotators(mean: Floats, blend: Floats) -> tuple[Floats, Floats]:
    """Mean and spread of what each annotator says, in grades, at each node (N, G), from E phi (N, R, K)."""
    grade = np.arange(mean.shape[2])
    said = mean @ np.stack([grade, grade**2], axis=1)
    centre, square = said[..., 0] @ blend.T, said[..., 1] @ blend.T
    return centre, np.sqrt(np.maximum(square - centre**2, 0.0))


def measured_dependence(part: PanelPart, truth: PanelTruth, said: tuple[Floats, Floats]) -> Dependence:
    """How far the residuals of two annotators on one instance agree, given the instance's node.

    said: of :func:`miss_of_annotators`.
    """
    r, q, (mean, sd) = part.ratings, truth.posterior(0.0), said
    met = expected = 0.0
    for first, last, ratings in _blocks(r.instance_ptr):
        annotator, weight = r.annotator[ratings], part.weight[ratings, None]
        begins = r.instance_ptr[first:last] - ratings.start
        miss = r.grade[ratings, None] - mean[annotator]
        met += float(np.vdot(q[first:last], _pairs(miss, weight, begins)))
        expected += float(np.vdot(q[first:last], _pairs(sd[annotator], weight, begins)))
    return Dependence(met, expected)


def _pairs(x: Floats, weight: Floats, begins: NDArray[np.int64]) -> Floats:
    """Sum of x_i x_j over the pairs of each instance's ratings (m, G)."""
    whole = np.add.reduceat(x * weight, begins, axis=0)
    pairs: Floats = (whole**2 - np.add.reduceat(x**2 * weight, begins, axis=0)) / 2
    return pairs


def _predictive(part: PanelPart, rows: PanelRows, q: Floats | None, ratings: slice) -> Floats:
    """P(rating | node) (b, G).

    q (M, G): of the nodes, where the annotators' counts hold these ratings; every rating is then taken out of them.
    """
    r, grid = part.ratings, part.grid
    annotator, grade = r.annotator[ratings].astype(np.intp), r.grade[ratings].astype(np.intp)
    if q is None:
        said: Floats = rows.mean[annotator, :, grade] @ grid.blend.T
        return said
    instance = np.searchsorted(r.instance_ptr, np.arange(ratings.start, ratings.stop), side="right") - 1
    own = q[instance]
    if not grid.on_grades:
        own = _own(own, rows.log_p[annotator, :, grade], grid.blend)
    own = own * np.minimum(part.weight[ratings], 1.0)[:, None]
    found: Floats = rows.without(annotator, grade, own) @ grid.blend.T
    return found


def log_predictive(part: PanelPart, end: PanelEnd, ratings: slice) -> Floats:
    """What each of these ratings adds to the log likelihood of the nodes (b, G)."""
    return np.asarray(np.log(_predictive(part, end.rows, part.posterior(end.sweep), ratings)))


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
