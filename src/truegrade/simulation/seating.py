"""Who rates what, when ratings are made up: busy annotators more, nobody twice the same instance."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Reals = NDArray[np.float64]
    Integers = NDArray[np.int64]

__all__ = ["deal", "spread", "zipf"]

_REDRAWS = 20  # of seats that clash, before the few instances left are drawn exactly
_CELLS = 1 << 22  # of the instances x annotators matrix held at once


def zipf(n_annotators: int, exponent: float, rng: np.random.Generator) -> Reals:
    """Shares of the work (N,) that fall with the rank as rank^-exponent, ranks in random order; 0 = equal shares.

    >>> zipf(4, 0.0, np.random.default_rng(0))
    array([0.25, 0.25, 0.25, 0.25])
    """
    share = rng.permutation(np.arange(1.0, n_annotators + 1)) ** -exponent
    return np.asarray(share / share.sum())


def spread(n_ratings: int, n_instances: int, most: int, rng: np.random.Generator) -> Integers:
    """How many ratings each instance gets (M,): at least one, at most `most`, the rest at random.

    >>> spread(6, 2, 3, np.random.default_rng(0))
    array([3, 3])
    """
    extra = np.bincount(rng.integers(0, n_instances, n_ratings - n_instances), minlength=n_instances)
    count = 1 + extra
    while True:
        surplus = int(np.maximum(count - most, 0).sum())
        if not surplus:
            return count
        count = np.minimum(count, most)
        room = np.flatnonzero(count < most)
        count += np.bincount(rng.choice(room, surplus), minlength=n_instances)


def deal(count: Integers, share: Reals, rng: np.random.Generator) -> Integers:
    """An annotator for every seat (L,), instance after instance; each annotator at least once if seats suffice.

    Args:
        count: (M,), seats of each instance.
        share: (N,), chance of each annotator to be drawn; sums to 1.
        rng: where chance comes from.

    Where an instance has more seats than there are annotators, all of them sit there equally often first.
    """
    n_annotators = share.size
    full, rest = np.divmod(count, n_annotators)
    if full.any():
        dealt = deal(rest, share, rng)
        instance = np.concatenate([np.repeat(np.arange(count.size), full * n_annotators), _owners(rest)])
        everyone = np.tile(np.arange(n_annotators), int(full.sum()))
        return np.concatenate([everyone, dealt])[np.argsort(instance, kind="stable")]
    instance = _owners(count)
    annotator = rng.choice(n_annotators, instance.size, p=share)
    settled = np.zeros(instance.size, dtype=bool)
    if instance.size >= n_annotators:
        seat = rng.choice(instance.size, n_annotators, replace=False)
        annotator[seat] = rng.permutation(n_annotators)
        settled[seat] = True
    clashing = _redraw(instance, annotator, settled, share, rng)
    if clashing.size:
        _draw_exactly(instance, annotator, settled, share, clashing, rng)
    return annotator


def _owners(count: Integers) -> Integers:
    """The instance of each seat."""
    return np.repeat(np.arange(count.size), count)


def _redraw(
    instance: Integers, annotator: Integers, settled: NDArray[np.bool_], share: Reals, rng: np.random.Generator
) -> Integers:
    """Draw anew, in place, for seats whose annotator sits at the instance already; the instances that still clash."""
    look = np.arange(instance.size)
    affected = np.zeros(instance.max(initial=-1) + 1, dtype=bool)
    for _ in range(_REDRAWS):
        # A settled seat sorts before the others of its pair, so that it is never the one to give way.
        pair = instance[look] * share.size + annotator[look]
        order = np.argsort(2 * pair + ~settled[look], kind="stable")
        clash = look[order[1:][pair[order[1:]] == pair[order[:-1]]]]
        affected[:] = False
        affected[instance[clash]] = True
        if not clash.size:
            break
        annotator[clash] = rng.choice(share.size, clash.size, p=share)
        look = look[affected[instance[look]]]
    return np.flatnonzero(affected)


def _draw_exactly(
    instance: Integers,
    annotator: Integers,
    settled: NDArray[np.bool_],
    share: Reals,
    instances: Integers,
    rng: np.random.Generator,
) -> None:
    """Draw these instances' annotators without replacement, in place: the first arrivals of a race of rates `share`."""
    start = np.searchsorted(instance, instances)
    count = np.searchsorted(instance, instances, side="right") - start
    step = max(1, _CELLS // share.size)
    for begin in range(0, instances.size, step):
        block = slice(begin, begin + step)
        row = np.repeat(np.arange(count[block].size), count[block])
        place = np.arange(row.size) - np.repeat(np.cumsum(count[block]) - count[block], count[block])
        seat = start[block][row] + place
        arrival = rng.exponential(size=(count[block].size, share.size)) / share
        arrival[row[settled[seat]], annotator[seat[settled[seat]]]] = -1.0
        annotator[seat] = np.argsort(arrival, axis=1)[row, place]
