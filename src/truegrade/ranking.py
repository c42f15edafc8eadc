"""NDCG: how well estimates rank the instances of each category, in the two conventions that users know."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from truegrade.errors import OptionError
from truegrade.ties import run_starts

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Reals = NDArray[np.float64]

__all__ = ["ndcg", "ndcg_of_groups"]


def ndcg(
    estimates: Reals,
    gold_index: Reals,
    groups: NDArray[np.integer] | None = None,
    *,
    exponential: bool = False,
    cutoff: int | None = None,
    span: float = 0.0,
) -> float | None:
    """Normalised discounted cumulative gain, per group, averaged over groups.

    By default the gain is the index of the gold grade, 1 .. K (in between for gold between grades), and the
    discount 1 / max(1, log2 rank), so that ranks 1 and 2 count alike. With `exponential` the gain is
    2^index - 1 and the discount 1 / log2(1 + rank).

    Tied estimates count by expectation over all their orders, exactly, at the cut-off too: each rank of a
    tied run gets the run's average gain. What is a tie: :func:`truegrade.ties.run_starts`.

    A group whose gains are all 0 has no better and no worse order, so it is left out of the average: counted
    as 1 or as 0, it would move the figure without saying anything about the ranking. Indices from 1 on never
    come to that.

    Args:
        estimates: (n,), the higher the better.
        gold_index: (n,), positions on the scale, 1 .. K.
        groups: (n,), any integers; None for one list.
        exponential: which convention.
        cutoff: only the first so many ranks count, in the ideal order as well.
        span: width of the scale, for ties.

    >>> round(ndcg(np.array([0.9, 0.8, 0.1]), np.array([3.0, 1.0, 2.0])), 4)
    0.9345
    >>> round(ndcg(np.array([0.9, 0.8, 0.1]), np.array([3.0, 1.0, 2.0]), exponential=True), 4)
    0.9721
    """
    if cutoff is not None and cutoff < 1:
        raise OptionError(f"the NDCG cut-off must be at least 1, not {cutoff}")
    if gold_index.size == 0:
        return None
    found = ndcg_of_groups(estimates, gold_index, groups, exponential=exponential, cutoff=cutoff, span=span)
    return float(np.mean(found)) if found.size else None


def ndcg_of_groups(
    estimates: Reals,
    gold_index: Reals,
    groups: NDArray[np.integer] | None = None,
    *,
    exponential: bool = False,
    cutoff: int | None = None,
    span: float = 0.0,
) -> Reals:
    """What :func:`ndcg` averages: one figure per group that has a better and a worse order, by ascending group."""
    code = np.zeros(gold_index.size, dtype=np.int64) if groups is None else groups
    gain = np.exp2(gold_index) - 1 if exponential else gold_index

    # Gains are a further sort key, so that the sums inside a tied run do not depend on the order of the rows.
    order = np.lexsort((gain, -estimates, code))
    group_start, rank = _ranks(code[order])
    discount = _discount(rank, exponential, cutoff)

    new_run = run_starts(estimates[order], span)
    new_run[group_start] = True
    run_start = np.flatnonzero(new_run)
    run_length = np.diff(np.append(run_start, order.size))
    expected = np.add.reduceat(gain[order], run_start) / run_length * np.add.reduceat(discount, run_start)
    dcg = np.add.reduceat(expected, np.searchsorted(run_start, group_start))

    best = np.lexsort((-gain, code))  # the groups lie as before, so ranks and discounts do too
    ideal = np.add.reduceat(gain[best] * discount, group_start)
    useful = ideal > 0
    return np.asarray(dcg[useful] / ideal[useful])


def _ranks(code: NDArray[np.integer]) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Where each group of the sorted codes begins (G,), and each row's rank 1, 2, .. in its group (n,)."""
    start = np.flatnonzero(np.concatenate([[True], code[1:] != code[:-1]]))
    size = np.diff(np.append(start, code.size))
    return start, np.arange(1, code.size + 1) - np.repeat(start, size)


def _discount(rank: NDArray[np.intp], exponential: bool, cutoff: int | None) -> Reals:
    """What a gain at each rank is worth."""
    ranks = np.arange(1, rank.max() + 1)
    worth = 1 / np.log2(1 + ranks) if exponential else 1 / np.maximum(1, np.log2(ranks))
    if cutoff is not None:
        worth[cutoff:] = 0
    return worth[rank - 1]
