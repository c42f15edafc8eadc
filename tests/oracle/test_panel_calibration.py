"""How often the panel's intervals hold the truth, on ratings drawn from its own model."""

import numpy as np
import pytest
from panel_draws import draw_panel

from truegrade import Mean, OrdinalPanel

LEVELS = (0.5, 0.8, 0.9, 0.95)


def covered(draws, **size):
    """Share of truths inside the intervals of each level, over so many draws; and the mean squared errors."""
    hits, errors = np.zeros((draws, len(LEVELS))), np.zeros((draws, 2))
    for seed in range(draws):
        drawn = draw_panel(seed=seed, **size)
        fit = OrdinalPanel().fit(drawn.ratings)
        for at, level in enumerate(LEVELS):
            lower, upper = fit.posterior.interval(level)
            hits[seed, at] = np.mean((lower <= drawn.truth) & (drawn.truth <= upper))
        plain = Mean().fit(drawn.ratings)
        errors[seed] = [np.mean((f.posterior.estimate - drawn.truth) ** 2) for f in (fit, plain)]
    return hits.mean(axis=0), errors.mean(axis=0)


def test_intervals_hold_what_they_promise():
    share, (panel, mean) = covered(3, annotators=60, per_annotator=100, instances=1200)
    np.testing.assert_allclose(share, LEVELS, atol=0.02)
    assert panel < mean


@pytest.mark.slow
@pytest.mark.parametrize(
    ("size", "within"),
    [
        ({"annotators": 200, "per_annotator": 100, "instances": 4000}, 0.01),
        ({"annotators": 60, "per_annotator": 200, "instances": 1500}, 0.01),
        ({"annotators": 100, "per_annotator": 100, "instances": 1000}, 0.01),
        ({"annotators": 100, "per_annotator": 10, "instances": 200}, 0.03),
    ],
)
def test_intervals_over_twenty_draws(size, within):
    share, (panel, mean) = covered(20, **size)
    np.testing.assert_allclose(share, LEVELS, atol=within)
    assert panel < mean
