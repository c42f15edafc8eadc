"""The truth averaged over draws of all else: a Gibbs chain that begins where the ascent ended.

The ascent's factors are independent: it takes the soft counts of an annotator for counted, and the population and the
prior for known. So its truths are too sure. A draw from the exact posterior moves in turn

    z_m        from its posterior given the annotators' phi and the prior,
    c_i        the grade that the instance passed for in each rating, given z and phi,
    h, kappa   of each annotator given its counts (phi integrated out), then phi,
    w, v, p    given the types, the kappas and the nodes.

What is reported is the average of P(z_m | h, kappa, p, the counts without the rating's own). That has the same
expectation as the share of draws at a node, varies less, and lets no rating vouch for itself where dependence is
allowed for. All that one draw hands to the next about truths is whole numbers, so rounding does not pile up; random
numbers belong to instances, ratings and annotators in the order of codes, whichever shard these are in.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import accumulate
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from truegrade.inference.adding import Sums
from truegrade.models._panel_population import log_dirichlet
from truegrade.models._panel_rows import chosen
from truegrade.models._panel_truth import PanelTruth, normalised, worth_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from truegrade.engines import States
    from truegrade.models._panel_ascent import PanelAscent
    from truegrade.models._panel_gold import Calibration
    from truegrade.models._panel_part import PanelMessage, PanelPart
    from truegrade.models._panel_rows import RefinedRows
    from truegrade.models._panel_truth import PanelEnd

    Floats = NDArray[np.float64]
    Codes = NDArray[np.intp]

__all__ = ["Chain", "begin_chains", "drawn_truth", "ratings_told"]

_SETTLING = 16  # draws before the first that counts: the chain leaves the ascent's optimum
_EVERY = 2  # draws apart are those that are looked at: neighbours are alike
_MORE = 4  # times as many draws at most, where ratings are fewer than
_MANY_RATINGS = 20_000
_BLOCK = 1 << 15  # ratings at a time


def begin_chains(ascent: PanelAscent, end: PanelEnd) -> tuple[States, int]:
    """The truths of all shards, ready for draws; and how many ratings tell about truths."""
    placed = ascent.problem.placed
    told = list(placed.each(ratings_told, None, None))
    before = accumulate(told[:-1], initial=0)
    return placed.begin(_begun, zip(end.at_shards(placed.sizes), before, strict=True)), sum(told)


def drawn_truth(
    ascent: PanelAscent, rows: RefinedRows, calibration: Calibration, told: int, states: States
) -> tuple[States, int, bool]:
    """Add up beside the shards what draws say, so calibrated.

    told: how many ratings tell about truths. Gives the states, how many draws were added, and whether the user cut the
    chain short.
    """
    problem, prior, phi, seen = ascent.problem, ascent.prior, rows.mean, 0
    placed, draws = problem.placed, problem.model.draws
    draws = round(draws * min(max(_MANY_RATINGS / told, 1.0), _MORE))
    try:
        for draw in range(_SETTLING + draws):
            message = problem.message(problem.grid.table(np.log(phi)), prior)
            states, sums = placed.run(_draw, states, _Draw(message, phi, problem.model.seed, draw))
            of_rows = np.random.default_rng((problem.model.seed, draw, 2))
            rows, alpha = rows.drawn(sums.counts, of_rows)
            if draw >= _SETTLING and (draw - _SETTLING) % _EVERY == 0:
                states, _ = placed.run(
                    _add, states, _Add(alpha, message.log_prior + calibration.shift, calibration.rho)
                )
                seen += 1
            phi = np.exp(log_dirichlet(of_rows, alpha))
            prior = problem.drawn_prior(sums.mass, prior, of_rows)
    except KeyboardInterrupt:
        return states, seen, True
    return states, seen, False


@dataclass(frozen=True)
class _Draw:
    """What a draw takes as given."""

    sweep: PanelMessage
    phi: Floats  # (N, R, K)
    seed: int
    draw: int

    def rng(self, stream: int, before: int) -> np.random.Generator:
        """Random numbers of this draw, without those of the shards before."""
        bits = np.random.PCG64(np.random.SeedSequence((self.seed, self.draw, stream)))
        return np.random.Generator(bits.advance(before))


@dataclass(frozen=True)
class _Add:
    """What the posterior of a draw is made of."""

    alpha: Floats  # (N, R, K)
    log_prior: Floats  # (P, G)
    rho: float


@dataclass(frozen=True)
class _Drawn(Sums):
    """What a draw hands back."""

    counts: Floats  # (N, R, K): grades said, per grade that the instance passed for
    mass: NDArray[np.int64]  # (groups, G): instances at each node


@dataclass
class Chain:
    """Draws of a shard's truths: the ratings that tell about them, where the chain is, and the sum of what it saw."""

    counted: Counted
    before: int  # of these ratings, in the shards before
    total: Floats  # (M, G)
    passed: _Passed | None = None

    def copy(self) -> Chain:
        """One of its own."""
        return replace(self, total=self.total.copy())


# What engines run.


def ratings_told(part: PanelPart, _: None, __: None) -> int:
    """How many ratings of a shard tell about truths, repeated ones once."""
    return Counted.of(part).weight.size


def _begun(part: PanelPart, message: tuple[PanelEnd, int]) -> PanelTruth:
    truth = PanelTruth.begin(part, message[0])
    truth.chain = Chain(Counted.of(part), message[1], np.zeros_like(truth.evidence))
    return truth


def _draw(part: PanelPart, truth: PanelTruth, message: _Draw) -> _Drawn:
    chain = _chain(truth)
    q = part.posterior(message.sweep)
    node = chosen(q, message.rng(0, truth.before).random(len(q)))
    chain.passed = chain.counted.passed(node, message.phi, message.rng(1, chain.before))
    group = part.ratings.category if part.groups > 1 and part.ratings.category is not None else 0
    mass = np.bincount(group * part.grid.nodes + node, minlength=part.groups * part.grid.nodes)
    return _Drawn(chain.passed.sum(message.phi.shape), mass.reshape(part.groups, -1))


def _add(part: PanelPart, truth: PanelTruth, message: _Add) -> int:
    chain = _chain(truth)
    assert chain.passed is not None  # noqa: S101  there was a draw
    chain.total += chain.counted.posterior(part, chain.passed, message)
    return 0


def _chain(truth: PanelTruth) -> Chain:
    assert truth.chain is not None  # noqa: S101  begun with one
    return truth.chain


@dataclass(frozen=True)
class Counted:
    """Ratings that tell about truths (b of them), equal ones of an annotator about an instance taken together."""

    instance: Codes  # (b,): ascends
    annotator: Codes  # (b,)
    grade: Codes  # (b,)
    weight: Floats  # (b,)
    at: Codes  # (G, S): grades that a node passes for, S at most
    often: Floats  # (G, S): how often it does; 0 where it passes for fewer

    @classmethod
    def of(cls, part: PanelPart) -> Counted:
        """A weight means repeated ratings, whichever way they are written down."""
        r = part.ratings
        use = np.flatnonzero(part.weight > 0)
        key = np.stack([r.instance_of()[use], r.annotator[use], r.grade[use]]).astype(np.intp)
        order = np.lexsort(key[::-1])
        key = key[:, order]
        first = np.flatnonzero(np.append(True, np.any(key[:, 1:] != key[:, :-1], axis=0))[: use.size])
        weight = np.add.reduceat(part.weight[use][order], first)
        blend = part.grid.blend
        most = int((blend > 0).sum(axis=1).max())
        at = np.argsort(-blend, axis=1, kind="stable")[:, :most]
        instance, annotator, grade = key[:, first]
        return cls(instance, annotator, grade, weight, at, np.take_along_axis(blend, at, axis=1))

    def passed(self, node: Codes, phi: Floats, rng: np.random.Generator) -> _Passed:
        """What the instances passed for in each rating, given their nodes (M,) and phi (N, R, K): a draw."""
        grades, node = phi.shape[2], node[self.instance]
        grade = self.at[node]  # (b, S)
        cell = (self.annotator[:, None] * grades + grade) * grades + self.grade[:, None]
        if cell.shape[1] == 1:
            return _Passed(grade, cell, self.weight[:, None])
        share = np.cumsum(self.often[node] * phi.ravel()[cell], axis=1)
        share *= (self.weight / share[:, -1])[:, None]
        share[:, -1] = self.weight
        share = np.floor(share + rng.random(len(share))[:, None])
        share[:, 1:] -= share[:, :-1].copy()
        return _Passed(grade, cell, share)

    def posterior(self, part: PanelPart, passed: _Passed, drawn: _Add) -> Floats:
        """P(node) (M, G), given what is known of phi, each rating taken out of it."""
        alpha, size = drawn.alpha, drawn.alpha.sum(axis=2)
        rest = np.empty((self.weight.size, part.grid.nodes))
        for first in range(0, self.weight.size, _BLOCK):
            some = slice(first, first + _BLOCK)
            n, k = self.annotator[some], self.grade[some]
            own = np.zeros((n.size, alpha.shape[1]))
            np.put_along_axis(own, passed.grade[some], passed.copies[some], axis=1)
            p = (alpha[n, :, k] - own) / (size[n] - own)
            rest[some] = np.log(p @ part.grid.blend.T) * self.weight[some, None]
        begins = np.flatnonzero(np.append(True, np.diff(self.instance) > 0)[: self.instance.size])
        rated = self.instance[begins]
        log_q = drawn.log_prior[part.rows_of_prior()]
        worth = worth_of(np.add.reduceat(self.weight, begins), drawn.rho)
        log_q[rated] += worth[:, None] * np.add.reduceat(rest, begins, axis=0)
        return normalised(log_q)


class _Passed(NamedTuple):
    """How many copies of each rating were given when the instance passed for which grade.

    Each grade gets its share of the copies on average, and a whole number of them unless it is the only one.
    """

    grade: Codes  # (b, S)
    cell: Codes  # (b, S): where in (N, R, K) that is
    copies: Floats  # (b, S)

    def sum(self, shape: tuple[int, ...]) -> Floats:
        """Grades said, per grade that the instance passed for (N, R, K)."""
        counts = np.bincount(self.cell.ravel(), self.copies.ravel(), int(np.prod(shape)))
        return counts.astype(np.float64).reshape(shape)
