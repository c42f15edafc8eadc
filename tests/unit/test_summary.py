"""Sums over ratings that go block by block, against plain loops."""

import numpy as np
import pytest

from truegrade import Ratings
from truegrade.models import _summary
from truegrade.models._summary import annotator_weights, correlation, instance_weights, mean_ratings, scale_step


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
    assert scale_step(ratings) == 1.0
