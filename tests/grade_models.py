"""Ratings that are hard on a model of grades, and habits that all such models must share.

Add a model to MODELS in tests/unit/test_grade_models.py and it is held to all of them.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

import truegrade as tg


class Drawn(NamedTuple):
    ratings: tg.Ratings
    truth: np.ndarray  # (M,) values on the scale, in the order of the instances' codes


def confused(
    grades: int, *, instances: int, annotators: int, each: int, right: np.ndarray | float, seed: int = 0
) -> Drawn:
    """Truths that are uniform on 1..K; annotator n is right with probability right[n], else any grade at random."""
    rng = np.random.default_rng(seed)
    truth = rng.integers(1, grades + 1, instances)
    seats = np.argsort(rng.random((instances, annotators)), axis=1)[:, :each]
    skill = np.broadcast_to(right, annotators)[seats]
    said = np.where(rng.random(seats.shape) < skill, truth[:, None], rng.integers(1, grades + 1, seats.shape))
    return gather(seats.ravel(), np.repeat(np.arange(instances), each), said.ravel(), truth, grades)


def gather(annotator: np.ndarray, instance: np.ndarray, said: np.ndarray, truth: np.ndarray, grades: int) -> Drawn:
    ratings = tg.Ratings.from_arrays(annotator=annotator, instance=instance, rating=said, scale=f"1..{grades}")
    by_code = np.empty(ratings.n_instances)
    by_code[ratings.instances.code] = truth[ratings.instances.labels.to_numpy()]
    return Drawn(ratings, by_code.astype(float))


def crowded() -> Drawn:
    """2,000 and 3,000 ratings on two instances, one or two on others."""
    rng = np.random.default_rng(1)
    instance = np.concatenate([np.zeros(2000, int), np.ones(3000, int), np.repeat(np.arange(2, 40), 2)])
    annotator = np.concatenate([np.arange(2000), np.arange(3000), rng.integers(0, 3000, 76)])
    truth = rng.integers(1, 6, 40)
    said = np.clip(truth[instance] + rng.choice([-1, 0, 0, 1], instance.size), 1, 5)
    return gather(annotator, instance, said, truth, 5)


def single_ratings() -> Drawn:
    """Every annotator gives one rating."""
    rng = np.random.default_rng(2)
    instance = np.repeat(np.arange(80), 5)
    truth = rng.integers(1, 6, 80)
    said = np.clip(truth[instance] + rng.choice([-1, 0, 0, 1], instance.size), 1, 5)
    return gather(np.arange(instance.size), instance, said, truth, 5)


def stubborn() -> Drawn:
    """Annotator 0 rates everything, always with a 3."""
    found = confused(5, instances=200, annotators=8, each=4, right=0.8, seed=3)
    r = found.ratings
    annotator = r.annotators.labels.to_numpy()[np.argsort(r.annotators.code)][r.annotator] + 1
    instance = r.instances.labels.to_numpy()[np.argsort(r.instances.code)][r.instance_of()]
    truth = np.empty(200)
    truth[r.instances.labels.to_numpy()] = found.truth[r.instances.code]
    return gather(
        np.concatenate([np.zeros(200, int), annotator]),
        np.concatenate([np.arange(200), instance]),
        np.concatenate([np.full(200, 3), r.grade + 1]),
        truth,
        5,
    )


def sizes(grades: int) -> Drawn:
    """Annotators who copy the truth with a probability from 0 or .2 to .95, and else guess.

    101 grades take many ratings: a confusion matrix has 10,201 cells.
    """
    if grades == 2:
        return confused(2, instances=300, annotators=15, each=5, right=np.linspace(0, 0.95, 15), seed=4)
    if grades == 11:
        return confused(11, instances=600, annotators=12, each=5, right=np.linspace(0, 0.95, 12), seed=5)
    return confused(101, instances=12_000, annotators=5, each=4, right=np.linspace(0.2, 0.95, 5), seed=6)


def assert_sound(fit: tg.Fit) -> None:
    """No NaN and nothing infinite; probabilities that are some; a bound that never fell."""
    assert fit.status in ("CONVERGED", "MAX_ITER")
    for array in (fit.posterior.estimate, fit.posterior.sd, *fit.posterior.interval(), fit.trace):
        assert np.isfinite(array).all()
    p = fit.posterior.probabilities(fit.scale)
    assert p.min() >= 0
    np.testing.assert_allclose(p.sum(axis=1), 1)
    for name, array in fit.parameters.items():
        assert np.isfinite(array).all(), name
    drop = np.diff(fit.trace)
    assert drop.min(initial=0) >= -1e-9 * np.abs(fit.trace).max(initial=1)
    for table in (fit.truth_table(), fit.annotators_table()):
        for column in table.columns:
            assert not any(isinstance(cell, float) and np.isnan(cell) for cell in column.to_pylist())


def squared_error(fit: tg.Fit, drawn: Drawn) -> float:
    return float(np.mean((fit.posterior.estimate - drawn.truth) ** 2))
