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
numbers belong to instances, ratings and annotators in the order of codes.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from truegrade.models._panel_population import log_dirichlet
from truegrade.models._panel_rows import chosen
from truegrade.models._panel_truth import normalised, worth_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from truegrade.models._panel_ascent import PanelAscent
    from truegrade.models._panel_problem import PanelProblem
    from truegrade.models._panel_rows import RefinedRows

    Floats = NDArray[np.float64]
    Codes = NDArray[np.intp]

__all__ = ["drawn_truth"]

_SETTLING = 16  # draws before the first that counts: the chain leaves the ascent's optimum
_EVERY = 2  # draws apart are those that are looked at: neighbours are alike
_MORE = 4  # times as many draws at most, where ratings are fewer than
_MANY_RATINGS = 20_000
_BLOCK = 1 << 15  # ratings at a time


def drawn_truth(ascent: PanelAscent, rows: RefinedRows, rho: float, draws: int) -> tuple[Floats | None, bool]:
    """P(node) (M, G), errors on an instance being correlated by rho; and whether the user cut the chain short.

    None where it was cut short before the first draw that counts.
    """
    problem, prior, phi = ascent.problem, ascent.prior, rows.mean
    counted = _Counted.of(problem)
    draws = round(draws * min(max(_MANY_RATINGS / counted.weight.size, 1.0), _MORE))
    sums = problem.empty_sums(posterior=True)
    total, seen = np.zeros((problem.ratings.n_instances, problem.grid.nodes)), 0
    try:
        for draw in range(_SETTLING + draws):
            of_nodes, of_ratings, of_rows = (np.random.default_rng((problem.model.seed, draw, s)) for s in range(3))
            problem.sweep(problem.grid.table(np.log(phi)), prior, sums)
            assert sums.posterior is not None  # noqa: S101  it was asked for
            node = chosen(sums.posterior, of_nodes.random(len(sums.posterior)))
            passed = counted.passed(node, phi, of_ratings)
            rows, alpha = rows.drawn(passed.sum(phi.shape), of_rows)
            if draw >= _SETTLING and (draw - _SETTLING) % _EVERY == 0:
                total += counted.posterior(passed, alpha, prior, rho)
                seen += 1
            phi = np.exp(log_dirichlet(of_rows, alpha))
            prior = problem.drawn_prior(node, prior, of_rows)
    except KeyboardInterrupt:
        return (total / seen if seen else None), True
    return total / seen, False


@dataclass(frozen=True)
class _Counted:
    """Ratings that tell about truths (b of them), equal ones of an annotator about an instance taken together."""

    problem: PanelProblem
    instance: Codes  # (b,): ascends
    annotator: Codes  # (b,)
    grade: Codes  # (b,)
    weight: Floats  # (b,)
    at: Codes  # (G, S): grades that a node passes for, S at most
    often: Floats  # (G, S): how often it does; 0 where it passes for fewer

    @classmethod
    def of(cls, problem: PanelProblem) -> _Counted:
        """A weight means repeated ratings, whichever way they are written down."""
        r = problem.ratings
        use = np.flatnonzero(problem.weight > 0)
        key = np.stack([r.instance_of()[use], r.annotator[use], r.grade[use]]).astype(np.intp)
        order = np.lexsort(key[::-1])
        key = key[:, order]
        first = np.flatnonzero(np.append(True, np.any(key[:, 1:] != key[:, :-1], axis=0)))
        weight = np.add.reduceat(problem.weight[use][order], first)
        blend = problem.grid.blend
        most = int((blend > 0).sum(axis=1).max())
        at = np.argsort(-blend, axis=1, kind="stable")[:, :most]
        instance, annotator, grade = key[:, first]
        return cls(problem, instance, annotator, grade, weight, at, np.take_along_axis(blend, at, axis=1))

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

    def posterior(self, passed: _Passed, alpha: Floats, prior: Floats, rho: float) -> Floats:
        """P(node) (M, G), given what is known of phi (N, R, K), each rating taken out of it."""
        problem, size = self.problem, alpha.sum(axis=2)
        rest = np.empty((self.weight.size, problem.grid.nodes))
        for first in range(0, self.weight.size, _BLOCK):
            part = slice(first, first + _BLOCK)
            n, k = self.annotator[part], self.grade[part]
            own = np.zeros((n.size, alpha.shape[1]))
            np.put_along_axis(own, passed.grade[part], passed.copies[part], axis=1)
            p = (alpha[n, :, k] - own) / (size[n] - own)
            rest[part] = np.log(p @ problem.grid.blend.T) * self.weight[part, None]
        begins = np.flatnonzero(np.append(True, np.diff(self.instance) > 0))
        rated = self.instance[begins]
        row = problem.prior_row()
        log_prior = problem.log_prior(prior)
        log_q = log_prior[np.zeros(problem.ratings.n_instances, dtype=np.intp) if row is None else row]
        worth = worth_of(np.add.reduceat(self.weight, begins), rho)
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
