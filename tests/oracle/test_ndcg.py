"""NDCG against its definition, spelled out over every order that ties allow."""

from itertools import pairwise, permutations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from truegrade.errors import OptionError
from truegrade.ranking import ndcg


def discount(rank, exponential):
    return 1 / np.log2(1 + rank) if exponential else 1 / max(1, np.log2(rank))


def gain(index, exponential):
    return 2.0**index - 1 if exponential else index


def dcg(gold, exponential, cutoff):
    ranked = enumerate(gold[:cutoff], start=1)
    return sum(gain(index, exponential) * discount(rank, exponential) for rank, index in ranked)


def ndcg_of_group(estimates, gold, exponential, cutoff):
    """The mean DCG over all permutations that descend in the estimates, divided by the best DCG."""
    orders = [
        [gold[i] for i in order]
        for order in permutations(range(len(gold)))
        if all(estimates[a] >= estimates[b] for a, b in pairwise(order))
    ]
    best = dcg(sorted(gold, reverse=True), exponential, cutoff)
    return np.mean([dcg(order, exponential, cutoff) for order in orders]) / best


rows = st.tuples(st.integers(0, 2), st.sampled_from([1.0, 2, 2.5, 4]), st.sampled_from([1.0, 2, 3, 3.5]))


@settings(max_examples=150, deadline=None)
@given(
    rows=st.lists(rows, min_size=1, max_size=12),
    exponential=st.booleans(),
    cutoff=st.none() | st.integers(1, 5),
)
def test_every_order_of_ties(rows, exponential, cutoff):
    rows = [row for g in range(3) for row in [r for r in rows if r[0] == g][:5]]  # at most 5! orders
    groups, estimates, gold = (np.array(column) for column in zip(*rows, strict=True))
    wanted = [ndcg_of_group(estimates[groups == g], gold[groups == g], exponential, cutoff) for g in np.unique(groups)]
    found = ndcg(estimates, gold, groups, exponential=exponential, cutoff=cutoff)
    assert found == pytest.approx(np.mean(wanted), rel=1e-12)


@given(rows=st.lists(rows, min_size=10, max_size=40), seed=st.integers(0, 99))
def test_row_order_changes_no_bit(rows, seed):
    order = np.random.default_rng(seed).permutation(len(rows))
    groups, estimates, gold = (np.array(column) for column in zip(*rows, strict=True))
    gold = gold / 3  # whole gains would add up exactly in any order
    assert ndcg(estimates, gold, groups) == ndcg(estimates[order], gold[order], groups[order])


def test_ranks_one_and_two_count_alike_in_the_linear_convention():
    assert ndcg(np.array([2.0, 1.0]), np.array([1.0, 3.0])) == 1.0
    assert ndcg(np.array([2.0, 1.0]), np.array([1.0, 3.0]), exponential=True) < 1.0


def test_rounding_is_a_tie():
    gold = np.array([1.0, 2.0, 5.0])
    apart = ndcg(np.array([0.1 + 0.2, 0.3, 0.0]), gold, exponential=True)
    assert apart == pytest.approx(ndcg(np.array([0.3, 0.3, 0.0]), gold, exponential=True), rel=1e-15)


def test_a_group_without_gain_says_nothing():
    estimates, gold, groups = np.array([1.0, 2, 3, 4]), np.array([0.0, 0, 1, 3]), np.array([0, 0, 1, 1])
    assert ndcg(estimates, gold, groups, exponential=True) == 1.0
    assert ndcg(estimates[:2], gold[:2], groups[:2]) is None


def test_nothing_to_rank():
    assert ndcg(np.empty(0), np.empty(0)) is None


def test_groups_need_not_be_sorted_or_dense():
    estimates, gold = np.array([1.0, 2, 3, 1]), np.array([1.0, 1, 3, 2])
    assert ndcg(estimates, gold, np.array([7, -2, 7, -2])) == ndcg(
        estimates[[1, 3, 0, 2]], gold[[1, 3, 0, 2]], np.array([0, 0, 1, 1])
    )


def test_cutoff_must_be_positive():
    with pytest.raises(OptionError, match="at least 1"):
        ndcg(np.array([1.0]), np.array([1.0]), cutoff=0)
