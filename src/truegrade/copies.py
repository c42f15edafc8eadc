"""Pairs of annotators who agree far beyond what a fit expects: they copy, or err together.

If b copies a share c of a's ratings, the pair's ratings of an instance are 1 - c + c [they agree] / P(b's | truth)
times as likely as those of two who work alone. Where nobody copies and the fit is right, the product of these ratios
over the instances that both rated has mean 1 at most; so it exceeds x with probability 1/x at most, however few the
instances are. That is the evidence here, and its limit allows for the number of pairs looked at.

An agreement that others on the instance join in says little about the pair: an instance may be odd, and mislead all
alike. So P(b's rating) is never taken for less than that rating's share among the others, with two made up as the fit
expects.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    from truegrade.ratings import Ratings
    from truegrade.ratings_facts import RatingsFacts

    Floats = NDArray[np.float64]

__all__ = ["Copies", "Sampled", "about_copies", "copies_among", "find_copies"]

_COPIED = (0.1, 0.3, 0.6)  # c: any of these, equally likely
_FALSE_ALARM = 0.01  # in all pairs together
_BEYOND = 2  # spreads of a count: surprising agreements must also be many
_MOST = 2_000_000  # pairs of ratings that are looked at; beyond, a part of the instances stands for all
_CHUNK = 500_000  # pairs of ratings in memory at a time
_LEAST = 1e-3  # of a probability
_NAMED = 3


class Copies(NamedTuple):
    """Q suspicious pairs, the strongest evidence first."""

    one: NDArray[np.int64]  # (Q,): codes of annotators
    other: NDArray[np.int64]  # (Q,)
    shared: NDArray[np.int64]  # (Q,): instances that both rated
    agreed: NDArray[np.int64]  # (Q,): of these
    expected: Floats  # (Q,): agreements, if they worked alone
    evidence: Floats  # (Q,): ln of the likelihood ratio


@dataclass(frozen=True)
class Sampled:
    """Instances with pairs of ratings, in the order in which they are looked at, and what a fit says of them."""

    key: Floats  # (m,): a place in that order, which spreads over all instances
    pairs: NDArray[np.int64]  # (m,)
    size: NDArray[np.int64]  # (m,): ratings of each
    annotator: NDArray[np.int32]  # (l,): of their ratings
    grade: NDArray[np.uint8]  # (l,)
    p: Floats  # (m, K): P(grade)

    @classmethod
    def of(cls, ratings: Ratings, p: Floats, before: int = 0) -> Sampled:
        """As many as may be looked at. before: how many instances stand before these ratings."""
        size = np.diff(ratings.instance_ptr)
        pairs = size * (size - 1) // 2
        key: Floats = np.asarray((np.arange(before, before + size.size) * 0.6180339887498949) % 1, dtype=np.float64)
        order = _first(key, pairs)
        sizes = size[order]
        begins = np.repeat(ratings.instance_ptr[order] - np.cumsum(sizes) + sizes, sizes)
        at = begins + np.arange(begins.size)
        return cls(key[order], pairs[order], sizes, ratings.annotator[at], ratings.grade[at], p[order])

    @classmethod
    def joined(cls, parts: Sequence[Sampled]) -> Sampled:
        """Those of several runs of instances, and again no more than may be looked at."""
        if len(parts) == 1:
            return parts[0]
        columns = (np.concatenate([getattr(part, f.name) for part in parts]) for f in fields(cls))
        key, pairs, size, annotator, grade, p = columns
        order = _first(key, pairs)
        sizes = size[order]
        begins = np.repeat((np.cumsum(size) - size)[order] - np.cumsum(sizes) + sizes, sizes)
        at = begins + np.arange(begins.size)
        return cls(key[order], pairs[order], sizes, annotator[at], grade[at], p[order])

    @property
    def instance(self) -> NDArray[np.int64]:
        """The instance of each rating (l,)."""
        return np.repeat(np.arange(self.size.size), self.size)


def _first(key: Floats, pairs: NDArray[np.int64]) -> NDArray[np.int64]:
    """The instances that come first, until there are enough pairs."""
    order = np.argsort(key, kind="stable")
    order = order[(pairs[order] > 0) & (pairs[order] <= _MOST)]
    first: NDArray[np.int64] = order[np.cumsum(pairs[order]) <= _MOST]
    return first


def find_copies(ratings: Ratings, p: Floats, confusion: Floats) -> Copies:
    """The pairs whose agreement a fit with P(grade) p (M, K) and confusion matrices (N, K, K) does not explain."""
    return copies_among(Sampled.of(ratings, p), confusion)


def copies_among(ratings: Sampled, confusion: Floats) -> Copies:
    """The same of ratings that were chosen."""
    surprise = _surprise(ratings, confusion)
    annotators, instance = len(confusion), ratings.instance
    keys, sums = np.empty(0, dtype=np.int64), np.empty((0, len(_COPIED)))
    for i, j in _pairs_of_ratings(ratings):
        odds = (ratings.grade[i] == ratings.grade[j]) * (surprise[i] + surprise[j]) / 2
        terms = np.stack([np.log(1 - c + c * odds) for c in _COPIED], axis=1)
        keys, sums = _added(keys, sums, _key(ratings, annotators, i, j), terms)
    evidence = np.logaddexp.reduce(sums, axis=1) - np.log(len(_COPIED))
    found = np.flatnonzero(evidence > np.log(max(keys.size, 1) / _FALSE_ALARM))
    keys, evidence = keys[found], evidence[found]
    about = np.zeros((keys.size, 3))  # shared, agreed, expected
    for i, j in _pairs_of_ratings(ratings) if keys.size else ():
        of = np.isin(_key(ratings, annotators, i, j), keys)
        i, j = i[of], j[of]  # noqa: PLW2901  those of the pairs found
        truth, one, other = ratings.p[instance[i]], confusion[ratings.annotator[i]], confusion[ratings.annotator[j]]
        chance = np.einsum("bk,bkj,bkj->b", truth, one, other)
        terms = np.column_stack([np.ones(i.size), ratings.grade[i] == ratings.grade[j], chance])
        about = _added(keys, about, _key(ratings, annotators, i, j), terms)[1]
    beyond = about[:, 1] - about[:, 2] > _BEYOND * np.sqrt(about[:, 2])
    order = np.argsort(-evidence, kind="stable")
    order = order[beyond[order]]
    shared, agreed, expected = about[order].T
    first, second = keys[order] // annotators, keys[order] % annotators
    return Copies(first, second, shared.astype(np.int64), agreed.astype(np.int64), expected, evidence[order])


def about_copies(ratings: RatingsFacts, copies: Copies) -> list[str]:
    """A sentence about the pairs, if there are any."""
    if not copies.one.size:
        return []
    label = ratings.annotators.label_of
    named = "; ".join(
        f"'{label(int(one))}' and '{label(int(other))}' agree on {agreed} of {shared} instances, not {expected:.0f}"
        for one, other, shared, agreed, expected, _ in list(zip(*copies, strict=True))[:_NAMED]
    )
    more = f"; and {copies.one.size - _NAMED} more pairs" if copies.one.size > _NAMED else ""
    return [f"copied ratings, or annotators that err together: {named}{more}"]


def _surprise(ratings: Sampled, confusion: Floats) -> Floats:
    """1 / P(rating | truth), averaged over the truth (l,): what an agreement on it is worth."""
    instance, grades = ratings.instance, confusion.shape[2]
    chance = np.maximum(confusion[ratings.annotator, :, ratings.grade], _LEAST)  # (l, K)
    truth = ratings.p[instance]
    cell = instance * grades + ratings.grade
    alike = np.bincount(cell, minlength=ratings.size.size * grades)[cell]
    # n ratings, alike of them this one; the pair's own two are replaced by two that say what the fit expects.
    share = (np.maximum(alike - 2, 0) + 2 * (truth * chance).sum(axis=1)) / ratings.size[instance]
    surprise: Floats = np.minimum((truth / chance).sum(axis=1), 1 / share)
    return surprise


def _key(ratings: Sampled, annotators: int, i: NDArray[np.int64], j: NDArray[np.int64]) -> NDArray[np.int64]:
    """A number for the pair of annotators of each pair of ratings."""
    return ratings.annotator[i].astype(np.int64) * annotators + ratings.annotator[j]


def _added(
    keys: NDArray[np.int64], sums: Floats, key: NDArray[np.int64], terms: Floats
) -> tuple[NDArray[np.int64], Floats]:
    """Sums per key (Q, C), with the terms (b, C) of these keys added."""
    found, index = np.unique(np.concatenate([keys, key]), return_inverse=True)
    columns = np.concatenate([sums, terms]).T
    return found, np.stack([np.bincount(index, column, found.size) for column in columns], axis=1)


def _pairs_of_ratings(ratings: Sampled) -> Iterator[tuple[NDArray[np.int64], NDArray[np.int64]]]:
    """Pairs of ratings of one instance by two annotators, the lower code first: chunks of (i, j)."""
    size, ends = ratings.size, np.cumsum(ratings.size)
    cuts = np.flatnonzero(np.diff(np.cumsum(ratings.pairs) // _CHUNK)) + 1
    for some in np.split(np.arange(size.size), cuts):
        first = np.repeat(np.arange(some.size), size[some])  # which of them each rating belongs to
        place = np.arange(first.size) - np.repeat(np.cumsum(size[some]) - size[some], size[some])
        after = size[some][first] - 1 - place  # how many ratings of the instance follow
        i = np.repeat((ends - size)[some][first] + place, after)
        j = i + 1 + np.arange(i.size) - np.repeat(np.cumsum(after) - after, after)
        two = ratings.annotator[i] != ratings.annotator[j]
        yield i[two], j[two]
