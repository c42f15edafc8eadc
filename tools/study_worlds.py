"""Worlds to draw ratings from, with their truth: eleven families that differ in what a truth is and how annotators err.

Each is a function of a random generator; sizes, scales and how good annotators are differ from draw to draw. None is
fitted to real data. One thing is taken from experience with graded data: some instances mislead everybody. So in three
draws of four up to 30 % of the instances pass for another grade than theirs with all annotators alike.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

import truegrade as tg
from truegrade.simulation.seating import deal, spread, zipf

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["WORLDS", "World", "draw"]


@dataclass
class World:
    """L ratings of M instances on grades 0 .. K-1, and the truths."""

    annotator: np.ndarray  # (L,)
    instance: np.ndarray  # (L,)
    grade: np.ndarray  # (L,)
    truth: np.ndarray  # (M,): a place on 0 .. K-1, by the number of the instance
    grades: int
    misleading: float | None = None  # share of the instances that pass for another grade; None: drawn

    def ratings(self) -> tg.Ratings:
        """As a model takes them."""
        columns = {"annotator": self.annotator, "instance": self.instance, "rating": self.grade}
        return tg.Ratings.from_arrays(**columns, scale=f"0..{self.grades - 1}")

    def truth_of(self, ratings: tg.Ratings) -> np.ndarray:
        """The truths in the order of the ratings' codes (M,)."""
        truth = np.empty(len(self.truth))
        truth[ratings.instances.code] = self.truth[ratings.instances.labels.to_numpy()]
        return truth


def draw(family: str, seed: int) -> World:
    """Number `seed` of a family."""
    rng = np.random.default_rng((seed, *family.encode()))
    world = WORLDS[family](rng)
    share = world.misleading
    if share is None:
        share = rng.uniform(0, 0.3) if rng.random() < 0.75 else 0.0
    # Ratings were drawn from what instances pass for; some of these are something else.
    step = np.maximum(np.rint(rng.uniform(0.1, 0.5, world.truth.size) * (world.grades - 1)), 1)
    step *= rng.choice([-1.0, 1.0], world.truth.size) * (rng.random(world.truth.size) < share)
    world.truth = np.clip(world.truth + step, 0, world.grades - 1)
    return world


def _between(rng, low: float, high: float) -> float:
    """Even on the logarithm."""
    return float(np.exp(rng.uniform(np.log(low), np.log(high))))


def _many(rng) -> int:
    """Instances: one draw in four is large."""
    return round(_between(rng, 600, 3000) if rng.random() < 1 / 4 else _between(rng, 80, 600))


def _seats(rng, instances=None, annotators=None, per_instance=None):
    """Who rates what: (annotator, instance), N, M. About 5 to 150 ratings per annotator."""
    m = instances or _many(rng)
    each = per_instance or _between(rng, 2, 12)
    n = annotators or max(round(m * each / _between(rng, 5, 150)), round(each) + 2)
    count = spread(round(m * each), m, n, rng)
    annotator = deal(count, zipf(n, rng.uniform(0, 1), rng), rng)
    return annotator, np.repeat(np.arange(m), count), n, m


def _grades(rng) -> int:
    return int(rng.choice([2, 3, 4, 5, 5, 6, 7, 11]))


def _prevalence(rng, grades: int) -> np.ndarray:
    return rng.dirichlet(np.full(grades, rng.choice([1.0, 3.0, 10.0])))


def _matrices(rng, n: int, grades: int) -> np.ndarray:
    """Confusion matrices (N, K, K) around a common one, of annotators who are right with chances of their own."""
    far = np.abs(np.subtract.outer(np.arange(grades), np.arange(grades)))
    near = np.exp(-_between(rng, 0.5, 2.5) * far) * (far > 0) + 1e-3
    near /= near.sum(axis=1, keepdims=True)
    right = rng.beta(_between(rng, 1.5, 10), 2, n)[:, None, None]
    rows = right * np.eye(grades) + (1 - right) * near
    size = _between(rng, 3, 60) * grades
    drawn = rng.gamma(np.maximum(rows * size, 0.02))
    return (drawn + 1e-9) / (drawn + 1e-9).sum(axis=2, keepdims=True)


def _say(rng, chances: np.ndarray) -> np.ndarray:
    """A grade from each row of chances (L, K)."""
    return np.minimum((chances.cumsum(axis=1) < rng.random(len(chances))[:, None]).sum(axis=1), chances.shape[1] - 1)


def paper(rng) -> World:
    """The paper's mixture: expertise, spam, adversaries, ease."""
    grades = _grades(rng)
    m, each = _many(rng), _between(rng, 2, 12)
    drawn = tg.simulate(
        instances=m,
        annotators=max(round(m * each / _between(rng, 5, 150)), round(each) + 2),
        grades=grades,
        ratings_per_instance=each,
        spammers=rng.uniform(0, 0.4),
        adversaries=float(rng.choice([0.0, 0.0, 0.05])),
        difficulty=str(rng.choice(["none", "instance"])),
        alpha=2.0,
        beta=2.0 * (grades / 5) ** 2 * _between(rng, 0.5, 4),
        seed=int(rng.integers(1 << 30)),
    )
    r = drawn.ratings
    truth = np.empty(r.n_instances)
    at = {label: i for i, label in enumerate(r.instances.labels.to_pylist())}
    for row in drawn.gold().to_pylist():
        truth[r.instances.code[at[row["instance"]]]] = row["gold"] - 1
    return World(r.annotator, r.instance_of(), r.grade.astype(np.int64), truth, grades)


def tables(rng, **sizes) -> World:
    """Dawid and Skene's: a true grade, a confusion matrix per annotator."""
    annotator, instance, n, m = _seats(rng, **sizes)
    grades = _grades(rng)
    truth = rng.choice(grades, m, p=_prevalence(rng, grades))
    grade = _say(rng, _matrices(rng, n, grades)[annotator, truth[instance]])
    return World(annotator, instance, grade, truth.astype(float), grades)


def types(rng, **sizes) -> World:
    """Annotators with bias, stretch, noise and slips; truths on grades and half way between them."""
    annotator, instance, n, m = _seats(rng, **sizes)
    grades = _grades(rng)
    reach = grades - 1
    halves = rng.random() < 0.5
    truth = rng.choice(grades, m, p=_prevalence(rng, grades)).astype(float)
    if halves:
        truth = np.clip(truth + rng.choice([-0.5, 0, 0, 0.5], m), 0, reach)
    bias = rng.normal(0, rng.uniform(0.02, 0.15) * reach + 0.05, n)
    stretch = np.exp(rng.normal(0, rng.uniform(0.02, 0.35), n))
    noise = np.exp(rng.normal(np.log(_between(rng, 0.1, 0.45) * reach + 0.1), 0.5, n))
    slips = rng.beta(0.5, _between(rng, 1, 20), n)
    centre = reach / 2 + bias[annotator] + stretch[annotator] * (truth[instance] - reach / 2)
    grade = np.clip(np.rint(centre + noise[annotator] * rng.normal(size=annotator.size)), 0, reach).astype(int)
    grade = np.where(rng.random(grade.size) < slips[annotator], rng.integers(0, grades, grade.size), grade)
    return World(annotator, instance, grade, truth, grades)


def continuous(rng, **sizes) -> World:
    """A truth anywhere on the scale, seen with noise that differs by annotator, and rounded."""
    annotator, instance, n, m = _seats(rng, **sizes)
    grades = _grades(rng)
    reach = grades - 1
    truth = np.clip(rng.normal(rng.uniform(0.35, 0.65) * reach, _between(rng, 0.15, 0.4) * reach, m), 0, reach)
    common = _between(rng, 0.05, 0.2) * reach * rng.integers(2)
    seen = truth + common * rng.normal(size=m)
    noise = _between(rng, 0.1, 0.5) * reach / np.sqrt(rng.gamma(2, 0.5, n) + 0.05)
    bias = rng.choice([0.0, 0.1 * reach]) * rng.normal(size=n)
    said = seen[instance] + bias[annotator] + noise[annotator] * rng.normal(size=annotator.size)
    return World(annotator, instance, np.clip(np.rint(said), 0, reach).astype(int), truth, grades)


def shared(rng) -> World:
    """A third of the instances or so mislead everybody."""
    drawn = (tables, types, continuous)[rng.integers(3)](rng)
    drawn.misleading = rng.uniform(0.2, 0.5)
    return drawn


def aspects(rng) -> World:
    """Annotators look at a second thing too, some more than others, which is not what is asked for."""
    annotator, instance, n, m = _seats(rng)
    grades = _grades(rng)
    reach = grades - 1
    truth = rng.choice(grades, m, p=_prevalence(rng, grades)).astype(float)
    other = rng.normal(0, 0.3 * reach, m)
    heed = rng.beta(1, _between(rng, 1, 4), n)[annotator]
    noise = _between(rng, 0.1, 0.4) * reach / np.sqrt(rng.gamma(2, 0.5, n) + 0.05)
    said = (1 - heed) * truth[instance] + heed * (reach / 2 + other[instance])
    said = said + noise[annotator] * rng.normal(size=annotator.size)
    return World(annotator, instance, np.clip(np.rint(said), 0, reach).astype(int), truth, grades)


def flood(rng) -> World:
    """Fake ratings beside real ones: evenly spread, or with the habits of spammers; few or many per spammer."""
    real = (tables, types, continuous)[rng.integers(3)](rng)
    m, grades = real.truth.size, real.grades
    fakes = int(rng.integers(1, 10))
    n_real = real.annotator.max() + 1
    n = max(round(n_real * fakes * m / real.grade.size * _between(rng, 0.3, 2)), fakes)
    instance = np.repeat(np.arange(m), fakes)
    annotator = deal(np.full(m, fakes), np.full(n, 1 / n), rng)
    habits = np.full((n, grades), 1 / grades) if rng.random() < 0.5 else rng.dirichlet(np.full(grades, 0.7), n)
    return World(
        np.concatenate([real.annotator, annotator + n_real]),
        np.concatenate([real.instance, instance]),
        np.concatenate([real.grade, _say(rng, habits[annotator])]),
        real.truth,
        grades,
    )


def small(rng) -> World:
    """Little data, much noise."""
    base = (types, continuous)[rng.integers(2)]
    m, each = round(_between(rng, 5, 200)), _between(rng, 2, 12)
    annotators = max(round(m * each / _between(rng, 3, 15)), round(each) + 2)
    drawn = base(rng, instances=m, per_instance=each, annotators=annotators)
    lost = rng.random(drawn.grade.size) < rng.uniform(0.1, 0.6)
    drawn.grade = np.where(lost, rng.integers(0, drawn.grades, drawn.grade.size), drawn.grade)
    return drawn


def judges(rng) -> World:
    """Three to nine judges who rate everything; relatives among them see the same thing in an instance."""
    n, m = int(rng.integers(3, 10)), round(_between(rng, 80, 400))
    grades = int(rng.choice([2, 3, 5, 5, 7, 10]))
    reach = grades - 1
    truth = rng.choice(grades, m, p=_prevalence(rng, grades)).astype(float)
    family = rng.integers(0, rng.integers(1, n + 1), n)
    seen = truth + _between(rng, 0.05, 0.2) * reach * rng.normal(size=m)
    seen = seen + _between(rng, 0.03, 0.25) * reach * rng.normal(size=(n, m))[family]  # (N, M)
    said = seen + _between(rng, 0.05, 0.3) * reach * rng.normal(size=(n, m))
    said = reach / 2 + np.exp(rng.normal(0, 0.25, (n, 1))) * (said - reach / 2) + rng.normal(0, 0.1 * reach, (n, 1))
    grade = np.clip(np.rint(said), 0, reach).astype(int)
    skipped = rng.random((m, n)) < rng.uniform(0, 0.3)
    skipped[skipped.all(axis=1), 0] = False
    instance, annotator = np.nonzero(~skipped)
    return World(annotator, instance, grade[annotator, instance], truth, grades)


def uneven(rng) -> World:
    """Some instances are easy, some hopeless."""
    annotator, instance, n, m = _seats(rng)
    grades = _grades(rng)
    reach = grades - 1
    truth = rng.choice(grades, m, p=_prevalence(rng, grades)).astype(float)
    ease = np.exp(rng.normal(0, rng.uniform(0.4, 1.0), m))
    noise = np.exp(rng.normal(np.log(_between(rng, 0.1, 0.4) * reach + 0.1), 0.5, n))
    said = truth[instance] + noise[annotator] / ease[instance] * rng.normal(size=annotator.size)
    return World(annotator, instance, np.clip(np.rint(said), 0, reach).astype(int), truth, grades)


def lazy(rng) -> World:
    """One grade is common, and those who do not look name it."""
    annotator, instance, n, m = _seats(rng)
    grades = _grades(rng)
    common = int(rng.integers(grades))
    prevalence = _prevalence(rng, grades) * rng.uniform(0.2, 0.5)
    prevalence[common] += 1 - prevalence.sum()
    truth = rng.choice(grades, m, p=prevalence)
    grade = _say(rng, _matrices(rng, n, grades)[annotator, truth[instance]])
    idle = rng.beta(0.6, rng.uniform(1, 3), n)
    grade = np.where(rng.random(grade.size) < idle[annotator], common, grade)
    return World(annotator, instance, grade, truth.astype(float), grades)


WORLDS: dict[str, Callable[[np.random.Generator], World]] = {
    world.__name__: world  # type: ignore[attr-defined]
    for world in (paper, tables, types, continuous, shared, aspects, flood, small, judges, uneven, lazy)
}
