"""Annotators that are left out say nothing about the truth, whatever they say."""

import numpy as np
import pytest

from truegrade import OrdinalPanel, Ratings, simulate
from truegrade.errors import OptionError
from truegrade.models import make_model


def with_ratings(ratings, shift):
    """The same, the first annotator's ratings moved around the scale; a last instance is rated by it alone."""
    grade = (ratings.grade + shift * (ratings.annotator == 0)) % ratings.scale.n_grades
    return Ratings.from_arrays(
        annotator=[*(f"w{n}" for n in ratings.annotator), "w0"],
        instance=[*ratings.instance_of(), 10_000],
        rating=[*ratings.scale.array[grade], 1 + shift],
        scale=ratings.scale,
    )


@pytest.mark.parametrize("options", [{}, {"refined": False}, {"uncertain": False}], ids=str)
def test_what_an_excluded_annotator_says_changes_nothing(options):
    ratings = simulate(instances=100, annotators=8, ratings_per_instance=4, seed=2).ratings
    one, other = (with_ratings(ratings, shift) for shift in (0, 2))
    model = OrdinalPanel(excluded=("w0",), **options)
    fits = [model.fit(each) for each in (one, other)]
    np.testing.assert_allclose(fits[0].posterior.p, fits[1].posterior.p, rtol=1e-9, atol=1e-12)
    assert not np.allclose(OrdinalPanel(**options).fit(one).posterior.p, OrdinalPanel(**options).fit(other).posterior.p)
    notes = [note for note in fits[0].notes if "left out of the truth" in note]
    assert notes == ["left out of the truth, as told: w0; instances that nobody else rated, left at the prior: 1"]
    told = {row["instance"]: row["estimate"] for row in fits[0].truth_table().to_pylist()}
    assert np.isfinite(list(told.values())).all()
    again = [fits[0].predict(each).posterior.p for each in (one, other)]
    np.testing.assert_allclose(again[0], again[1], rtol=1e-9, atol=1e-12)


def test_names_come_from_the_command_line_and_must_be_known():
    ratings = with_ratings(simulate(instances=20, annotators=4, seed=1).ratings, 0)
    assert make_model("ordinal-panel", {"excluded": "w0, w2"}).excluded == ("w0", "w2")
    with pytest.raises(OptionError, match="excluded=bob: no annotator has this name"):
        OrdinalPanel(excluded=("w0", "bob")).fit(ratings)
    with pytest.raises(OptionError, match="no ratings are left"):
        OrdinalPanel(excluded=("w0", "w1", "w2", "w3")).fit(ratings)
    with pytest.raises(OptionError, match="names with commas"):
        OrdinalPanel(excluded=(1,))
