"""What known truths say about the others: how far errors correlate, and how often each node really comes up.

Known truths taught the annotators, but their own ratings are taken out of what speaks for them; and each is told by the
shares of the others. So what is learned here is what would have told them best, had they not been known. Their shares
stand for all instances only where those that are known were drawn at random.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from truegrade.models._panel_truth import PanelTruth

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from truegrade.engines import States
    from truegrade.models._panel_ascent import PanelAscent
    from truegrade.models._panel_part import PanelPart

    Floats = NDArray[np.float64]

__all__ = ["RHOS", "WORTHS", "Calibration", "learned_calibration"]

RHOS = (0.0, 0.02, 0.05, 0.1, 0.15, 0.2, 0.3, 0.4, 0.6, 0.8, 1.0)
WORTHS = (5.0, 20.0, 80.0, 320.0, 1e9)  # known truths that the shares of the fit may count for
_TINY = 1e-300


@dataclass(frozen=True)
class Calibration:
    """How sure to be of the truths."""

    rho: float  # the correlation of errors on an instance
    shift: Floats  # (G,): added to the logarithm of the prior


@dataclass(frozen=True)
class _Shares:
    """What the known truths are told by."""

    log_prior: Floats  # (groups, G)
    known: Floats  # (G,): known truths at each node
    count: float
    common: Floats  # (G,): the prior, averaged over the known truths

    def mixed(self, worth: float, without: Floats | float = 0.0) -> Floats:
        """Shares of the nodes (.., G), those of the fit being worth so many known truths; of all of them but one."""
        out = 0.0 if np.ndim(without) == 0 else 1.0
        shares: Floats = (self.known - without + worth * self.common) / (self.count - out + worth)
        return shares


def learned_calibration(ascent: PanelAscent, truths: States) -> Calibration:
    """The rho that makes the known truths most probable, each by its ratings and the shares of the others.

    How much the fit's own shares are worth beside theirs is averaged over: a few known truths do not tell.
    """
    placed, log_prior = ascent.problem.placed, np.log(ascent.prior)
    sums = placed.sums(_shares, truths, log_prior)
    nodes = log_prior.shape[1]
    shares = _Shares(log_prior, sums[:nodes], sums[-1], sums[nodes:-1] / sums[-1])
    told = placed.sums(_told, truths, shares)  # (worths, rhos)
    weight = np.exp(told - told.max())
    rho = int(np.argmax(weight.sum(axis=0)))
    mixed = weight[:, rho] @ np.array([shares.mixed(worth) for worth in WORTHS]) / weight[:, rho].sum()
    return Calibration(RHOS[rho], np.log(mixed) - np.log(shares.common))


# What engines run.


def _shares(part: PanelPart, _: PanelTruth, log_prior: Floats) -> Floats:
    """Known truths at each node, their priors added up, and their number (2 G + 1,)."""
    at, group, weights = _known(part)
    prior = np.exp(log_prior[group]).sum(axis=0)
    return np.concatenate([weights.sum(axis=0) / part.grid.levels, prior, [float(at.size)]])


def _told(part: PanelPart, truth: PanelTruth, shares: _Shares) -> Floats:
    """ln P(known truths) for each worth and rho to choose from (worths, rhos)."""
    at, group, weights = _known(part)
    told = np.zeros((len(WORTHS), len(RHOS)))
    for i, worth in enumerate(WORTHS if at.size else ()):
        shift = np.log(shares.mixed(worth, weights / part.grid.levels)) - np.log(shares.common)
        ignorant = PanelTruth(shares.log_prior[group] + shift, truth.evidence[at], truth.size[at])
        told[i] = [np.log((ignorant.posterior(rho) * weights).sum(axis=1) + _TINY).sum() for rho in RHOS]
    return told


def _known(part: PanelPart) -> tuple[NDArray[np.intp], NDArray[np.intp], Floats]:
    """A shard's known truths: which instances, of which groups, and how each is spread over the nodes (gold, G)."""
    at = np.empty(0, dtype=np.intp) if part.known is None else np.flatnonzero(~np.isnan(part.known))
    category = part.ratings.category
    group = np.zeros(at.size, dtype=np.intp)
    if part.groups > 1 and category is not None:
        group = category[at].astype(np.intp)
    places = np.empty(0) if part.known is None else part.known[at]
    return at, group, np.array([part.grid.weights(place) for place in places]).reshape(at.size, part.grid.nodes)
