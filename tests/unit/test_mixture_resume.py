"""Starts of the ordinal mixture from fits with other options."""

from dataclasses import replace

import numpy as np
import pytest

from truegrade import OrdinalMixture, Status, simulate


@pytest.fixture(scope="module")
def ratings():
    return simulate(instances=60, annotators=6, categories=4, ratings_per_instance=4, seed=3).ratings


@pytest.mark.parametrize(("before", "after"), [("category", "instance"), ("instance", "category")])
def test_eases_of_another_kind_begin_afresh(ratings, before, after):
    earlier = OrdinalMixture(difficulty=before, starts=1).fit(ratings)
    easier = replace(earlier, parameters={**earlier.parameters, "delta_shape": 9 * earlier.parameters["delta_shape"]})
    model = OrdinalMixture(difficulty=after, max_iterations=3)
    fit = model.fit(ratings, start=earlier)
    assert np.isfinite(fit.bound)
    np.testing.assert_array_equal(fit.trace, model.fit(ratings, start=easier).trace)


@pytest.mark.parametrize("point", [0.0, 1.0])
def test_a_prior_on_epsilon_takes_over_certainty(ratings, point):
    """Under Beta(1, 1) an annotator of n ratings has a mean between 1/(n+2) and (n+1)/(n+2)."""
    certain = OrdinalMixture(epsilon=point, starts=1).fit(ratings)
    fit = OrdinalMixture(epsilon_prior=(1, 1)).fit(ratings, start=certain)
    assert fit.status is not Status.NOT_FINITE
    n = fit.ratings_per_annotator
    assert (fit.parameters["eps"] >= 1 / (n + 2) - 1e-12).all()
    assert (fit.parameters["eps"] <= (n + 1) / (n + 2) + 1e-12).all()
    assert np.isfinite(fit.trace).all()
