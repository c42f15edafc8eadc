"""Which annotators and which single ratings look like spam, judged by what the others said of the same instances.

The same check serves every model, also those that know no spam. It is a small model of its own:

    g_m ~ p                      the true grade of instance m
    y_i ~ Bernoulli(eps_n(i))    whether rating i was given in earnest
    r_i ~ R[g_m(i), .]           if so: one table for all annotators
    r_i ~ pi_n                   if not: the annotator's own habit, whatever the instance

fitted by EM. What is reported of a rating leaves the rating itself out of its instance's posterior.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from truegrade.inference.table_sweep import TablePlan, TableRatings, TableSums, table_sweep

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from truegrade.ratings import Ratings

    Floats = NDArray[np.float64]

__all__ = ["Screening", "screen"]

_MOST_BINS = 11  # finer scales are binned: a check needs no more
_PASSES = 200
_STILL = 1e-4  # the largest change of an earnestness at which the passes end
_EARNEST = 0.8  # where every annotator begins, and what the prior believes
_PRIOR_WEIGHT = 2.0  # ratings' worth of belief in it
_HABIT_WEIGHT = 5.0  # ratings' worth of everybody's habit in an annotator's own
_DECAY = 1.5  # the table begins with e^-1.5 per grade of distance between truth and rating
_EPS = (np.arange(50) + 0.5) / 50  # nodes of the posterior of one annotator's earnestness
_POPULATION_PASSES = 50
_CHUNK = 1 << 17  # instances looked at together, so that memory does not grow with them


@dataclass(frozen=True)
class Screening:
    """What the others' ratings say of each annotator and each rating. Arrays are in the order of the codes."""

    earnestness: Floats  # (N,): posterior mean of the share of ratings given in earnest
    spammer: Floats  # (N,): probability that less than half of an annotator's ratings are in earnest
    correlation: Floats  # (N,): of the ratings with what the others lead to expect; NaN = undefined
    bias: Floats  # (N,): mean distance of the ratings from what the others lead to expect
    bias_sd: Floats  # (N,): its standard error
    suspicion: Floats  # (L,): probability that a rating was not given in earnest
    expected: Floats  # (L,): the value that the others lead to expect


def screen(ratings: Ratings) -> Screening | None:
    """Check annotators and ratings against the others; None where there are no two grades to tell apart."""
    if ratings.scale.n_grades < 2:
        return None
    data, value = _binned(ratings)
    annotators = ratings.n_annotators
    plan = TablePlan.build(data, annotators, value.size, value.size)
    state = _fitted(data, plan, annotators, value.size)
    odds, expected = _left_out(data, plan, state, value)
    spread = np.full(_EPS.size, 1 / _EPS.size)
    likelihood = _eps_likelihood(data, odds, annotators)  # (N, nodes)
    for _ in range(_POPULATION_PASSES):
        belief = likelihood * spread
        belief /= belief.sum(axis=1, keepdims=True)
        spread = (belief.sum(axis=0) + 2 / _EPS.size) / (annotators + 2)
    earnestness = belief @ _EPS
    doubt = 1 / (1 + earnestness[data.annotator] / (1 - earnestness[data.annotator]) * odds)
    correlation, bias, bias_sd = _against_expected(ratings, expected)
    return Screening(earnestness, belief[:, _EPS < 0.5].sum(axis=1), correlation, bias, bias_sd, doubt, expected)


@dataclass
class _State:
    eps: Floats  # (N,)
    response: Floats  # R (G, G): truth, rating
    prior: Floats  # p (G,)
    habit: Floats  # pi (N, G)

    def parts(self) -> tuple[Floats, Floats]:
        """P(rating and earnest | truth) and P(rating and not) of every annotator (N, K, G)."""
        eps = self.eps[:, None, None]
        return eps * self.response.T, (1 - eps) * self.habit[:, :, None]

    def table(self) -> Floats:
        """ln P(rating | truth) of every annotator (N, K, G)."""
        earnest, not_earnest = self.parts()
        table: Floats = np.log(earnest + not_earnest)
        return table


def _binned(ratings: Ratings) -> tuple[TableRatings, Floats]:
    """The ratings on at most so many grades, and the value of each of these."""
    scale = ratings.scale
    n_bins = min(scale.n_grades, _MOST_BINS)
    bin_of = np.arange(scale.n_grades) * n_bins // scale.n_grades
    value = np.bincount(bin_of, scale.array) / np.bincount(bin_of)
    return replace(TableRatings.of(ratings), grade=bin_of.astype(np.uint8)[ratings.grade]), value


def _fitted(data: TableRatings, plan: TablePlan, annotators: int, n_bins: int) -> _State:
    distance = np.abs(np.subtract.outer(np.arange(n_bins), np.arange(n_bins)))
    anchor = np.exp(-_DECAY * distance)
    anchor /= anchor.sum(axis=1, keepdims=True)
    weight = np.bincount(data.annotator, data.weight, annotators)
    share = np.bincount(data.grade, data.weight, n_bins)
    state = _State(
        eps=np.full(annotators, _EARNEST),
        response=anchor,
        prior=(share + 1) / (share.sum() + n_bins),
        habit=_habits(data, annotators, n_bins),
    )
    swept = TableSums.empty(annotators, n_bins, n_bins, data.instance_ptr.size - 1)
    for _ in range(_PASSES):
        table_sweep(data, state.table(), np.log(state.prior)[None], swept, plan=plan)
        # Soft counts C[n, k, g] split into those given in earnest and the rest.
        earnest, not_earnest = state.parts()
        in_earnest = swept.counts * (earnest / (earnest + not_earnest))
        eps = (in_earnest.sum(axis=(1, 2)) + _PRIOR_WEIGHT * _EARNEST) / (weight + _PRIOR_WEIGHT)
        response = in_earnest.sum(axis=0).T + anchor
        change = np.max(np.abs(eps - state.eps))
        prior = swept.node_counts + 1
        state = _State(eps, response / response.sum(axis=1, keepdims=True), prior / prior.sum(), state.habit)
        if change < _STILL:
            break
    return state


def _habits(data: TableRatings, annotators: int, n_bins: int) -> Floats:
    """The grades that each annotator gives, whatever for (N, G); those of all where it has given few."""
    cell = data.annotator.astype(np.int64) * n_bins + data.grade
    given = np.bincount(cell, data.weight, annotators * n_bins).reshape(annotators, n_bins)
    habit: Floats = given + _HABIT_WEIGHT * (given.sum(axis=0) + 1) / (given.sum() + n_bins)
    habit /= habit.sum(axis=1, keepdims=True)
    return habit


def _left_out(data: TableRatings, plan: TablePlan, state: _State, value: Floats) -> tuple[Floats, Floats]:
    """Odds that a rating comes from R rather than from spam, and the value expected of it, by the others (L,)."""
    table = state.table()
    instances = data.instance_ptr.size - 1
    swept = TableSums.empty(len(table), value.size, value.size, instances, posterior=True)
    table_sweep(data, table, np.log(state.prior)[None], swept, plan=plan)
    posterior = np.log(np.maximum(np.asarray(swept.posterior), 1e-300))
    odds, expected = np.empty(data.annotator.size), np.empty(data.annotator.size)
    for first in range(0, len(posterior), _CHUNK):
        ptr = data.instance_ptr[first : first + _CHUNK + 1]
        at = slice(ptr[0], ptr[-1])
        own = table[data.annotator[at], data.grade[at]]  # (l, G)
        if data.weight is not None:
            own = own * data.weight[at, None]
        log_others = posterior[first : first + _CHUNK].repeat(np.diff(ptr), axis=0) - own
        others = np.exp(log_others - log_others.max(axis=1, keepdims=True))
        others /= others.sum(axis=1, keepdims=True)
        earnest = np.einsum("lg,lg->l", others, state.response.T[data.grade[at]])
        odds[at] = earnest / state.habit[data.annotator[at], data.grade[at]]
        expected[at] = others @ value
    return odds, expected


def _eps_likelihood(data: TableRatings, odds: Floats, annotators: int) -> Floats:
    """Likelihood of each earnestness on the nodes, up to a factor per annotator (N, nodes)."""
    log_likelihood = np.empty((annotators, _EPS.size))
    for node, eps in enumerate(_EPS):
        gain = np.log1p(eps * (odds - 1))
        log_likelihood[:, node] = np.bincount(
            data.annotator, gain if data.weight is None else gain * data.weight, annotators
        )
    likelihood: Floats = np.exp(log_likelihood - log_likelihood.max(axis=1, keepdims=True))
    return likelihood


def _against_expected(ratings: Ratings, expected: Floats) -> tuple[Floats, Floats, Floats]:
    """Per annotator (N,): correlation of ratings and expectation, mean difference and its standard error."""

    def mean(array: Floats) -> Floats:
        weighted = array if ratings.weight is None else array * ratings.weight
        return np.bincount(ratings.annotator, weighted, ratings.n_annotators) / total

    total = np.bincount(ratings.annotator, ratings.weight, ratings.n_annotators)
    given = ratings.values()
    difference = given - expected
    bias = mean(difference)
    spread = np.maximum(mean(difference**2) - bias**2, 0)
    var_given = mean(given**2) - mean(given) ** 2
    var_expected = mean(expected**2) - mean(expected) ** 2
    both = np.sqrt(np.maximum(var_given * var_expected, 0))
    correlation = np.full(bias.size, np.nan)
    np.divide(mean(given * expected) - mean(given) * mean(expected), both, out=correlation, where=both > 1e-12)
    return correlation, bias, np.sqrt(spread / total)
