"""What a stack says about new instances, single ratings, and its reasons."""

import numpy as np
import pytest

from truegrade import Auto, Continuous, DawidSkene, Fit, Mean, OrdinalMixture, OrdinalPanel, Ratings, simulate
from truegrade.errors import IdError, OptionError
from truegrade.models._auto_answers import lent
from truegrade.models._auto_evidence import beliefs_of
from truegrade.models._auto_members import members_for
from truegrade.simulation import with_spam


@pytest.fixture(scope="module")
def drawn():
    return simulate(instances=120, annotators=15, ratings_per_instance=6, seed=3)


@pytest.fixture(scope="module")
def fit(drawn):
    return Auto().fit(drawn.ratings)


@pytest.fixture(scope="module")
def new():
    rng = np.random.default_rng(1)
    annotator, rating = rng.integers(0, 25, 60), rng.integers(1, 6, 60)
    return Ratings.from_arrays(annotator=annotator, instance=np.repeat(np.arange(20), 3), rating=rating, scale="1..5")


def own_fits(ratings):
    """Every member fitted by itself, with the options that auto gives it."""
    return [member.model.fit(ratings) for member in members_for(ratings, 0)]


def test_a_member_can_be_taken_out_of_a_stack(drawn, fit, tmp_path):
    fit.save(tmp_path)
    for member, own in zip(members_for(drawn.ratings, 0), own_fits(drawn.ratings), strict=True):
        found = lent(Fit.load(tmp_path), member)
        assert found.model == own.model
        assert found.parameters.keys() == own.parameters.keys()
        for name, array in own.parameters.items():
            np.testing.assert_array_equal(found.parameters[name], array)
        assert found.hyperparameters.keys() == own.hyperparameters.keys()


def test_predictions_are_the_members_own_stacked(drawn, fit, new):
    predicted = fit.predict(new)
    fits = own_fits(drawn.ratings)
    each = [Mean().fit(new)]
    for own, kind in zip(fits[1:], (Continuous, DawidSkene, OrdinalMixture, OrdinalPanel), strict=True):
        each.append(kind(**own.options).predict(own, new))
    weights = np.array(list(fit.hyperparameters["weights"].values()))
    expected = weights @ [belief.estimate for belief in beliefs_of(new, each)]
    np.testing.assert_allclose(predicted.posterior.estimate, expected, rtol=1e-9)
    assert predicted.model == "auto"
    assert np.isfinite(predicted.truth_table()["p_3"].to_numpy()).all()
    again = fit.predict(drawn.ratings)
    assert np.corrcoef(again.posterior.estimate, fit.posterior.estimate)[0, 1] > 0.99


def test_an_explanation_adds_up_to_the_estimate(drawn, fit):
    r = drawn.ratings
    for m in range(3):
        label = r.instances.label_of(m)
        label = next(id_ for id_ in r.instances.labels.to_pylist() if str(id_) == label)
        why = fit.explain(r, label).to_pandas()
        np.testing.assert_allclose(why["estimate_without"] + why["pull"], fit.posterior.estimate[m])
        assert len(why) == r.instance_ptr[m + 1] - r.instance_ptr[m]
        assert why["points_to"].corr(why["rating"]) > 0
        assert why.loc[why["rating"].idxmax(), "pull"] >= why.loc[why["rating"].idxmin(), "pull"]
    with pytest.raises(IdError, match="no instance"):
        fit.explain(r, "nobody")
    with pytest.raises(OptionError, match="not the ratings"):
        fit.explain(simulate(instances=20, seed=9).ratings, 0)


def test_the_only_rating_of_an_instance_pulls_from_what_ratings_are_like():
    r = Ratings.from_arrays(
        annotator=list("abcabcabca"), instance=list("uuuvvvwwwx"), rating=[4, 5, 4, 2, 1, 2, 3, 3, 4, 5], scale="1..5"
    )
    why = Auto().fit(r).explain(r, "x").to_pylist()
    assert len(why) == 1
    assert why[0]["rating"] == 5
    assert why[0]["pull"] > 0


def test_chances_of_ratings_come_from_truth_and_annotator(drawn, fit):
    r = drawn.ratings
    annotators, instances = r.annotators.labels.to_pylist(), r.instances.labels.to_pylist()
    found = fit.rating_probabilities(annotator=[annotators[2], "stranger"], instance=[instances[4], instances[4]])
    n, m = r.annotators.code[2], r.instances.code[4]
    p, confusion = fit.posterior.shares, fit.parameters["confusion"]
    anyone = np.average(confusion, axis=0, weights=fit.ratings_per_annotator)
    for row, rows in zip(found.to_pylist(), (confusion[n], anyone), strict=True):
        expected = [sum(p[m, k] * rows[k, j] for k in range(5)) for j in range(5)]
        assert [row[f"p_{j + 1}"] for j in range(5)] == pytest.approx(expected)


def test_excluded_annotators_tell_no_member_anything(drawn):
    r = drawn.ratings
    spammed = with_spam(r, 6, seed=2)
    fakes = [label for label in spammed.annotators.labels.to_pylist() if str(label).startswith("fake")]
    clean, with_fakes = Auto(held_out=0).fit(r), Auto(held_out=0).fit(spammed)
    without = Auto(held_out=0, excluded=tuple(fakes)).fit(spammed)

    def by_id(found, column="estimate"):
        table = found.truth_table()
        return dict(zip(map(str, table["instance"].to_pylist()), table[column].to_pylist(), strict=True))

    for column in ("estimate", *(f"estimate_{m.column}" for m in members_for(r, 0))):
        one, two, three = (by_id(found, column) for found in (clean, without, with_fakes))
        gap = [abs(one[key] - two[key]) for key in one]
        assert np.max(gap) < 0.3  # the draws of the panel differ
        if column in ("estimate", "estimate_mean"):
            assert np.mean(gap) < np.mean([abs(one[key] - three[key]) for key in one]) / 3
    assert without.annotators_table().num_rows == spammed.n_annotators
    scored = Auto(excluded=tuple(fakes)).fit(spammed)
    assert any("left out of the truth" in note for note in scored.notes)


def test_the_panel_is_told_of_trusted_annotators_and_groups(drawn):
    r = drawn.ratings
    names = [str(label) for label in r.annotators.labels.to_pylist()]
    known = {"trusted": (names[0],), "groups": {names[1]: "machines", names[2]: "machines"}}
    found = Auto(held_out=0, **known).fit(r)
    told = next(m.model for m in Auto(**known).members(r) if m.leads)
    assert told == OrdinalPanel(**known)
    np.testing.assert_array_equal(
        lent(found, Auto(**known).members(r)[-1]).parameters["counts"], told.fit(r).parameters["counts"]
    )
    assert Auto(**known).fit(r).hyperparameters["scores"]  # names do not disturb those who are held back
    with pytest.raises(OptionError, match="no annotator has this name"):
        Auto(trusted=("nobody",)).fit(r)


def test_an_instance_of_excluded_annotators_alone_is_left_to_the_panel():
    rng = np.random.default_rng(0)
    annotator = [*rng.integers(0, 6, 90).tolist(), 6, 6]
    instance, rating = [*np.repeat(np.arange(30), 3).tolist(), 0, 99], [*rng.integers(1, 4, 90).tolist(), 3, 3]
    r = Ratings.from_arrays(annotator=annotator, instance=instance, rating=rating, scale="1..3")
    found = Auto(held_out=0, excluded=("6",)).fit(r).truth_table().to_pylist()
    row = next(row for row in found if row["instance"] == 99)
    for member in members_for(r, 0):
        assert row[f"estimate_{member.column}"] == pytest.approx(row["estimate"])
    assert row["estimate"] == pytest.approx(np.mean(rating[:90]), abs=0.3)  # not 3


def test_a_prediction_is_no_start(drawn, fit, new):
    predicted = fit.predict(new)
    assert predicted.rating_probabilities(annotator=[0], instance=[0]).num_rows == 1
    with pytest.raises(OptionError, match="is a prediction"):
        Auto().fit(drawn.ratings, start=predicted)
