"""How well a member tells ratings that were held back.

Members speak about truths in different ways, and some not about ratings at all. So all are asked the same: given the
member's P(grade) from the other ratings, a confusion matrix per annotator is counted (drawn to that of all annotators)
and tells the held-back ratings. What differs between members is the truth they believe in, and how surely.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from truegrade.fit import Status
from truegrade.models._auto_subset import some_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from truegrade.models._base import Model
    from truegrade.models._journal import Journal
    from truegrade.ratings import Ratings

    Floats = NDArray[np.float64]

__all__ = ["HoldOut", "Scores"]

_LEAST = 30  # held-back ratings below which a score says nothing
_POOLED = 5.0  # how many ratings the matrix of all annotators is worth, per true grade
_ADDED = 0.5


@dataclass(frozen=True)
class Scores:
    """How surely each model told each rating that was held back."""

    told: Floats  # (models, held): ln P; no columns where too few ratings could be held back
    weight: Floats  # (held,)
    baseline: float = -np.inf  # per rating, of knowing nothing but how often each grade is given

    @classmethod
    def none(cls, models: int) -> Scores:
        """Where nothing was held back."""
        return cls(np.empty((models, 0)), np.empty(0))

    @property
    def known(self) -> bool:
        """Whether there are any."""
        return self.weight.size > 0

    @property
    def mean(self) -> Floats:
        """Per rating (models,)."""
        mean: Floats = np.average(self.told, axis=1, weights=self.weight)
        return mean

    def behind(self, doubt: float) -> Floats:
        """How far each model lies below the best, in spreads (models,).

        The spread of a difference is its standard error, and on top, since telling ratings is not knowing truths,
        `doubt` of what the best gains over the baseline.
        """
        mean = self.mean
        best = int(np.argmax(mean))
        gap = self.told[best] - self.told  # (models, held)
        error = np.average((gap - (mean[best] - mean)[:, None]) ** 2, axis=1, weights=self.weight) / self.weight.sum()
        gain = max(mean[best] - self.baseline, 0.0) if self.baseline > -np.inf else 0.0
        spread = np.sqrt(error + (doubt * gain) ** 2)
        below: Floats = np.divide(mean[best] - mean, spread, out=np.zeros(mean.size), where=spread > 0)
        return below

    def worse(self, one: int, other: int) -> float:
        """By how many standard errors the first model lies below the second."""
        gap = self.told[other] - self.told[one]
        mean = np.average(gap, weights=self.weight)
        spread = np.sqrt(np.average((gap - mean) ** 2, weights=self.weight) / self.weight.sum())
        return float(mean / spread) if spread > 0 else 0.0


@dataclass(frozen=True)
class HoldOut:
    """Some ratings held back, from instances that keep at least one."""

    ratings: Ratings
    held: NDArray[np.bool_]  # (L,)

    @classmethod
    def of(cls, ratings: Ratings, share: float, seed: int, voice: Floats | None = None) -> HoldOut:
        """Whether a rating is held back follows from who rated what, so that repeated rows stay together.

        voice (N,): 0 for annotators whose ratings need not be told.
        """
        instance = ratings.instance_of()
        held = _uniform(ratings.annotator, instance, seed) < share
        if voice is not None:
            held &= voice[ratings.annotator] > 0
        keeps = np.bincount(instance[~held], minlength=ratings.n_instances) > 0
        held &= keeps[instance]
        if ratings.scale.n_grades < 2:
            held[:] = False
        return cls(ratings, held)

    def scores(self, models: Sequence[Model], journal: Journal | None = None) -> Scores:
        """Fit every model to the other ratings, and let it tell those that were held back. An interrupt ends it all."""
        if np.count_nonzero(self.held) < _LEAST:
            return Scores.none(len(models))
        r, kept = self.ratings, ~self.held
        instance = r.instance_of()
        others = some_of(r, np.flatnonzero(kept), instance[kept])
        code = others.instances.labels.to_numpy()  # of r
        told = []
        for model in models:
            part = None if journal is None else journal.within(f"held out/{model.name}")
            fit = model.fit(others, checkpoint=part)
            if fit.status is Status.INTERRUPTED:
                raise KeyboardInterrupt
            p = np.zeros((r.n_instances, r.scale.n_grades))
            p[code] = fit.posterior.probabilities(r.scale)[others.instances.code]
            told.append(self._told(p, instance))
        weight = np.ones(r.n_ratings) if r.weight is None else r.weight
        share = np.bincount(r.grade[kept], weight[kept], r.scale.n_grades) / weight[kept].sum()
        nothing = self._told(np.tile(share, (r.n_instances, 1)), instance)
        return Scores(np.array(told), weight[self.held], float(np.average(nothing, weights=weight[self.held])))

    def _told(self, p: Floats, instance: NDArray[np.int32]) -> Floats:
        r, held, kept = self.ratings, self.held, ~self.held
        grades = r.scale.n_grades
        weight = np.ones(r.n_ratings) if r.weight is None else r.weight
        cell = r.annotator[kept].astype(np.int64) * grades + r.grade[kept]
        counts = np.empty((grades, r.n_annotators, grades))  # truth, annotator, said
        for k in range(grades):
            mass = np.bincount(cell, weight[kept] * p[instance[kept], k], r.n_annotators * grades)
            counts[k] = mass.reshape(-1, grades)
        pooled = counts.sum(axis=1) + _ADDED
        counts += _POOLED * (pooled / pooled.sum(axis=1, keepdims=True))[:, None]
        counts /= counts.sum(axis=2, keepdims=True)
        chance = counts[:, r.annotator[held], r.grade[held]]  # (K, held)
        told: Floats = np.log(np.einsum("ik,ki->i", p[instance[held]], chance))
        return told


def _uniform(annotator: NDArray[np.int32], instance: NDArray[np.int32], seed: int) -> Floats:
    """A number in [0, 1) for every pair, the same wherever the pair stands."""
    mask = np.uint64(2**64 - 1)
    x = (instance.astype(np.uint64) << np.uint64(32)) ^ annotator.astype(np.uint64)
    x = (x + np.uint64((seed * 0x9E3779B97F4A7C15 + 0x9E3779B97F4A7C15) % 2**64)) & mask
    for shift, factor in ((30, 0xBF58476D1CE4E5B9), (27, 0x94D049BB133111EB)):
        x = ((x ^ (x >> np.uint64(shift))) * np.uint64(factor)) & mask
    x ^= x >> np.uint64(31)
    return np.asarray((x >> np.uint64(11)).astype(np.float64) / 2**53)
