"""L-BFGS by inner products against the two loops of the textbook, for coordinates in one place or in several."""

import numpy as np
import pytest

from truegrade.inference.quasi_newton import Trail, Turn


def two_loops(steps, turns, slope, curvature, free):
    """Nocedal and Wright, algorithm 7.4, uphill and with a diagonal first guess."""
    ahead, taught = np.where(free, slope, 0.0), []
    pairs = [(step * free, turn * free) for step, turn in zip(steps, turns, strict=True)]
    for step, turn in reversed(pairs):
        if step @ turn > 0:
            taught.append((step, turn, step @ ahead / (step @ turn)))
            ahead = ahead - taught[-1][2] * turn
    ahead = ahead / curvature
    for step, turn, share in reversed(taught):
        ahead = ahead + step * (share - turn @ ahead / (step @ turn))
    return ahead


@pytest.mark.parametrize("cuts", [[], [7], [1, 5, 6, 29]])
@pytest.mark.parametrize("pairs", [0, 1, 5])
def test_the_direction_is_that_of_the_two_loops(pairs, cuts):
    rng = np.random.default_rng(pairs)
    curvature, slope, free = rng.uniform(0.5, 2, 30), rng.normal(size=30), rng.random(30) < 0.8
    steps = list(rng.normal(size=(pairs, 30)))
    turns = [step * curvature + 0.3 * rng.normal(size=30) for step in steps]
    if pairs > 2:
        turns[2] = -turns[2]  # one that tells nothing
    pieces = [
        (Trail(np.zeros(at.size), slope[at], curvature[at], [s[at] for s in steps], [t[at] for t in turns]), free[at])
        for at in np.split(np.arange(30), cuts)
    ]
    products = [trail.products(its) for trail, its in pieces]
    blend = sum(products[1:], start=products[0]).blend()
    ahead = np.concatenate([trail.ahead(blend, its) for trail, its in pieces])
    np.testing.assert_allclose(ahead, two_loops(steps, turns, slope, curvature, free), rtol=1e-10, atol=1e-12)


def test_steps_are_remembered_and_forgotten():
    trail = Trail(np.zeros(2), np.array([1.0, 1.0]), np.ones(2))
    for at in range(1, 15):
        there = Trail(np.full(2, float(at)), np.full(2, 1.0 / at), np.ones(2))
        trail.move(there, remember=at % 2 == 0)
    assert len(trail.steps) == 7
    np.testing.assert_array_equal(trail.steps[-1], [1.0, 1.0])
    np.testing.assert_allclose(trail.turns[-1], [1 / 13 - 1 / 14] * 2)
    trail.forget()
    assert trail.steps == trail.turns == []


def test_a_pair_tells_where_the_function_curves_down():
    assert Turn.of(np.array([1.0, 0.0]), np.array([0.5, 3.0])).tells
    assert not Turn.of(np.array([1.0, 0.0]), np.array([-0.5, 3.0])).tells
    halves = Turn.of(np.array([1.0]), np.array([-1.0])) + Turn.of(np.array([1.0]), np.array([3.0]))
    assert halves.tells
