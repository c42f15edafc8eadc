"""Sums over ratings that go block by block, against plain loops."""

from types import SimpleNamespace

import numpy as np
import pytest

from truegrade import Ratings
from truegrade.engines import ThreadsEngine, cut
from truegrade.models import _summary
from truegrade.models._input import distinct_values, scale_middle_and_step
from truegrade.models._summary import Moments, annotator_weights, correlation, instance_weights, mean_ratings


def parts_of(ratings):
    return ThreadsEngine().place(ratings, lambda shard, _: SimpleNamespace(ratings=shard))


@pytest.fixture(params=[1, 2, 7, 1000])
def block(request, monkeypatch):
    monkeypatch.setattr(_summary, "_BLOCK", request.param)


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("real", [False, True])
@pytest.mark.usefixtures("block")
def test_ratings_against_loops(weighted, real):
    rng = np.random.default_rng(0)
    size = 60
    ratings = Ratings.from_arrays(
        annotator=rng.integers(0, 9, size),
        instance=np.minimum(rng.integers(0, 30, size), 20),  # one instance larger than a block
        rating=rng.normal(0, 1, size) if real else rng.integers(1, 6, size),
        weight=rng.choice([0.5, 1.0, 3.0], size) if weighted else None,
        **({"scale": "real"} if real else {}),
    )
    weight, value = np.ones(size) if ratings.weight is None else ratings.weight, ratings.values()
    pieces = [slice(*ends) for ends in zip(ratings.instance_ptr, ratings.instance_ptr[1:], strict=False)]
    np.testing.assert_allclose(instance_weights(ratings), [weight[piece].sum() for piece in pieces])
    means = [np.average(value[piece], weights=weight[piece]) for piece in pieces]
    np.testing.assert_allclose(mean_ratings(ratings), means, rtol=1e-13, atol=1e-15)
    of_annotator = [weight[ratings.annotator == n].sum() for n in range(ratings.n_annotators)]
    np.testing.assert_allclose(annotator_weights(ratings), of_annotator)


@pytest.mark.usefixtures("block")
def test_correlation():
    one, two = np.random.default_rng(1).normal(1e6, 1, (2, 50))
    assert correlation(one, two) == pytest.approx(np.corrcoef(one, two)[0, 1], rel=1e-9)
    assert correlation(one, -2 * one) == pytest.approx(-1)
    assert correlation(one, np.full(50, 2.0)) == 0


def test_equal_real_ratings_have_a_step_of_one():
    """The mean of three times .1 is not .1: a step made of the difference would be 1e-17."""
    ratings = Ratings.from_arrays(annotator=list("abc"), instance=["x"] * 3, rating=[0.1] * 3, scale="real")
    assert np.std(ratings.real) > 0
    assert scale_middle_and_step(parts_of(ratings))[1] == 1.0
    assert scale_middle_and_step(parts_of(cut(ratings, 1)))[1] == 1.0


@pytest.mark.parametrize("shards", [1, 2, 7])
def test_the_real_scale_of_shards(shards):
    rng = np.random.default_rng(3)
    value, weight = rng.normal(5, 2, 40).round(1), rng.choice([0.5, 1.0, 3.0], 40)
    ratings = Ratings.from_arrays(
        annotator=np.arange(40) % 4, instance=np.arange(40) // 4, rating=value, weight=weight, scale="real"
    )
    placed = parts_of(cut(ratings, shards))
    mean = np.average(value, weights=weight)
    sd = np.sqrt(np.average((value - mean) ** 2, weights=weight))
    assert scale_middle_and_step(placed) == pytest.approx((mean, sd), rel=1e-13)
    assert distinct_values(placed) == np.unique(value).size


@pytest.mark.parametrize("cuts", [[], [1], [3, 4, 20]])
def test_moments_can_be_added(cuts):
    one, two = np.random.default_rng(1).normal(1e6, 1, (2, 50))
    pieces = [Moments.of(*pair) for pair in zip(np.split(one, cuts), np.split(two, cuts), strict=True)]
    assert sum(pieces[1:], start=pieces[0]).correlation == pytest.approx(np.corrcoef(one, two)[0, 1], rel=1e-9)
    flat = [Moments.of(piece, np.full(piece.size, 2.0)) for piece in np.split(one, cuts)]
    assert sum(flat[1:], start=flat[0]).correlation == 0
