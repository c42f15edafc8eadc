"""Posterior predictive checks: would a fit's own story make ratings like these? For every model, in plain words.

Truths are drawn from the fit's P(grade), ratings from its annotators' confusion matrices (counted from P(grade) where
the model has none). What the drawn ratings look like is compared with what the real ones do.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from truegrade.copies import find_copies
from truegrade.errors import OptionError
from truegrade.inference.counted import counted_confusion

if TYPE_CHECKING:
    import pyarrow as pa
    from numpy.typing import NDArray

    from truegrade.fit import Fit
    from truegrade.ratings import Ratings

    Floats = NDArray[np.float64]

__all__ = ["Check", "copied_ratings", "predictive_checks"]

_TAIL = 0.025
_NEAR = 0.05  # share of the expectation within which a difference is too small to matter


@dataclass(frozen=True)
class Check:
    """One property of the ratings: what it is, what the fit expects of it, and what that means."""

    name: str
    observed: float
    expected: float  # mean over the draws
    low: float  # 95 % of the draws lie between low and high
    high: float
    verdict: str

    @property
    def passed(self) -> bool:
        """Whether the ratings look as the fit says they should."""
        return self.verdict.startswith("as expected")


def predictive_checks(fit: Fit, ratings: Ratings, *, draws: int = 40, seed: int = 0) -> list[Check]:
    """Compare the ratings that a fit was made from with ratings drawn from it.

    >>> import truegrade as tg
    >>> drawn = tg.simulate(instances=200, annotators=10, seed=1)
    >>> [check.name for check in predictive_checks(tg.DawidSkene().fit(drawn.ratings), drawn.ratings)]
    ['pairwise agreement', 'spread inside instances', 'difference between instances', 'grades per annotator']
    """
    if ratings.scale.n_grades < 2 or not draws >= 2:
        raise OptionError("predictive checks need at least two grades and two draws")
    p, rows = _truth_and_rows(fit, ratings)
    rng = np.random.default_rng(seed)
    above, said_above = np.cumsum(p, axis=1), np.cumsum(rows, axis=2)
    instance = ratings.instance_of()
    expected_counts = _expected_counts(ratings, p, rows)
    replicas = []
    for _ in range(draws):
        truth = np.minimum((rng.random(len(p))[:, None] > above).sum(axis=1), p.shape[1] - 1)
        chance = said_above[ratings.annotator, truth[instance]]
        said = np.minimum((rng.random(instance.size)[:, None] > chance).sum(axis=1), p.shape[1] - 1)
        replicas.append(_statistics(ratings, said, expected_counts))
    observed = _statistics(ratings, ratings.grade, expected_counts)
    return [_check(name, observed[i], np.array([r[i] for r in replicas])) for i, name in enumerate(_MEANINGS)]


def copied_ratings(fit: Fit, ratings: Ratings) -> pa.Table:
    """Pairs of annotators who agree far beyond what a fit expects: they copy, or err together.

    One row per pair, the strongest evidence first: annotator, other, shared (instances that both rated), agreed (on how
    many), expected (by the fit, if they worked alone), evidence (ln of how much likelier copying makes their ratings).

    >>> import truegrade as tg
    >>> drawn = tg.simulate(instances=200, annotators=10, seed=1)
    >>> copied_ratings(tg.DawidSkene().fit(drawn.ratings), drawn.ratings).num_rows
    0
    """
    import pyarrow as pa

    if ratings.scale.n_grades < 2:
        raise OptionError("copied ratings can only be told on a scale of at least two grades")
    copies = find_copies(ratings, *_truth_and_rows(fit, ratings))
    labels = ratings.annotators.labels_of
    about = {name: getattr(copies, name) for name in ("shared", "agreed", "expected", "evidence")}
    return pa.table({"annotator": labels(copies.one), "other": labels(copies.other), **about})


def _truth_and_rows(fit: Fit, ratings: Ratings) -> tuple[Floats, Floats]:
    """P(grade) (M, K) and confusion matrices (N, K, K), counted where the model has none."""
    if fit.input_digest != ratings.digest:
        raise OptionError("these are not the ratings that the fit was made from; pass those")
    p = fit.posterior.probabilities(ratings.scale)
    rows = fit.parameters.get("confusion")
    return p, counted_confusion(ratings, p)[:-1] if rows is None or rows.shape[1:] != (p.shape[1],) * 2 else rows


# What it means when a property is larger, or smaller, than the fit expects.
_MEANINGS = {
    "pairwise agreement": (
        "annotators agree more than this fit explains: they may copy, or err together",
        "annotators agree less than this fit explains: it trusts them too much",
    ),
    "spread inside instances": (
        "ratings of an instance lie further apart than this fit explains",
        "ratings of an instance lie closer together than this fit explains: they may copy, or err together",
    ),
    "difference between instances": (
        "instances differ in how far apart their ratings lie more than this fit explains: some are harder",
        "instances are more alike in how far apart their ratings lie than this fit explains",
    ),
    "grades per annotator": (
        "some annotators use the grades in a way that this fit does not explain",
        "as expected",  # a fit follows the counts that it was made from
    ),
}


def _statistics(ratings: Ratings, grade: NDArray[np.integer], expected: Floats) -> list[float]:
    """The four properties, of ratings with these grades (L,)."""
    weight = np.ones(grade.size) if ratings.weight is None else ratings.weight
    grades, instance = ratings.scale.n_grades, ratings.instance_of()
    cell = instance.astype(np.int64) * grades + grade
    counts = np.bincount(cell, weight, ratings.n_instances * grades).reshape(-1, grades)
    n = counts.sum(axis=1)
    pairs, alike = n * (n - 1) / 2, (counts * (counts - 1) / 2).sum(axis=1)
    v = ratings.scale.array
    variance = (counts @ v**2) / n - (counts @ v / n) ** 2
    several = n > 1
    spread = variance[several] * n[several] / (n[several] - 1)
    by_annotator = np.bincount(
        ratings.annotator.astype(np.int64) * grades + grade, weight, ratings.n_annotators * grades
    ).reshape(-1, grades)
    misfit = ((by_annotator - expected) ** 2 / np.maximum(expected, 0.5)).sum(axis=1)
    return [
        float(alike.sum() / max(pairs.sum(), 1e-300)),
        float(np.average(spread, weights=n[several] - 1)) if several.any() else 0.0,
        float(spread.std()) if several.any() else 0.0,
        float(misfit.mean()),
    ]


def _check(name: str, observed: float, drawn: Floats) -> Check:
    low, high = np.quantile(drawn, [_TAIL, 1 - _TAIL])
    expected = float(drawn.mean())
    more, less = _MEANINGS[name]
    close = abs(observed - expected) <= _NEAR * max(abs(expected), 1e-12)
    verdict = more if observed > expected else less
    if close or low <= observed <= high:
        verdict = "as expected"
    return Check(name, observed, expected, float(low), float(high), verdict)


def _expected_counts(ratings: Ratings, p: Floats, rows: Floats) -> Floats:
    """How often each annotator should give each grade (N, K)."""
    weight = np.ones(ratings.n_ratings) if ratings.weight is None else ratings.weight
    mass = weight[:, None] * p[ratings.instance_of()]
    met = np.stack(
        [np.bincount(ratings.annotator, mass[:, k], ratings.n_annotators) for k in range(p.shape[1])], axis=1
    )
    expected: Floats = np.einsum("nr,nrk->nk", met, rows)
    return expected
