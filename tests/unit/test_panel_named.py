"""Annotators known by name: groups that each have a population, and those who are trusted."""

import numpy as np
import pytest

from truegrade import Fit, OrdinalPanel, Ratings
from truegrade.errors import OptionError
from truegrade.models import make_model

GRADES = 5
QUICK = {"draws": 0, "max_iterations": 40}


def crowd(rng, *, bias, noise, names, instances, truth, per_instance):
    """Names, instances and grades of annotators who are off by about so much."""
    m = np.repeat(np.arange(instances), per_instance)
    n = np.concatenate([rng.choice(len(names), per_instance, replace=False) for _ in range(instances)])
    said = np.clip(np.round(truth[m] + bias[n] + rng.normal(0, noise[n])), 0, GRADES - 1).astype(int)
    return [names[i] for i in n], m, said


def joined(*parts):
    names, instances, grades = zip(*parts, strict=True)
    return Ratings.from_arrays(
        annotator=[name for part in names for name in part],
        instance=np.concatenate(instances),
        rating=np.concatenate(grades),
        scale="0..4",
    )


def error(fit, truth):
    """Mean squared error, the truth being in the order of instances."""
    estimate = fit.posterior.estimate[fit.instance_ids.code]
    labels = np.array(fit.instance_ids.labels.to_pylist())
    return np.mean((estimate - truth[labels]) ** 2)


def people_and_machines(seed):
    """A hundred people with little to say, and a hundred machines that are exact but harsh; three ratings by each."""
    rng = np.random.default_rng(seed)
    truth = rng.uniform(-0.4, 4.4, 150)
    people, machines = ([f"{kind}{i}" for i in range(100)] for kind in "pm")
    size = {"instances": 150, "truth": truth, "per_instance": 2}
    ratings = joined(
        crowd(rng, bias=np.zeros(100), noise=np.full(100, 1.6), names=people, **size),
        crowd(rng, bias=np.full(100, -0.7), noise=np.full(100, 0.4), names=machines, **size),
    )
    kind = {"p": "people", "m": "machines"}
    return ratings, truth, {name: kind[name[0]] for name in ratings.annotators.labels.to_pylist()}


def test_groups_that_differ_are_told_apart_and_help():
    for seed in range(2):
        ratings, truth, groups = people_and_machines(seed)
        fits = [OrdinalPanel(groups=known, **QUICK).fit(ratings) for known in ({}, groups)]
        alone, grouped = (error(fit, truth) for fit in fits)
        assert grouped < 0.85 * alone
    notes = [note for note in fits[1].notes if note.startswith("group")]
    assert [note.split()[1] for note in notes] == ["machines", "people"]
    off = {note.split()[1]: float(note.split("ratings ")[1].split()[0]) for note in notes}
    assert off["machines"] < off["people"] - 0.5
    spread = {note.split()[1]: float(note.rsplit(" ", 1)[1]) for note in notes}
    assert spread["people"] > spread["machines"]


def one_expert(seed):
    """Eight who all rate a grade too high, and an expert who rated every sixth instance."""
    rng = np.random.default_rng(seed)
    truth = rng.uniform(-0.4, 3.4, 300)
    names = [f"w{i}" for i in range(8)]
    biased = crowd(
        rng, bias=np.full(8, 1.0), noise=np.full(8, 0.6), names=names, instances=300, truth=truth, per_instance=4
    )
    expert = crowd(
        rng, bias=np.zeros(1), noise=np.full(1, 0.2), names=["expert"], instances=50, truth=truth, per_instance=1
    )
    return joined(biased, expert), truth


def test_a_trusted_annotator_sets_a_biased_crowd_right():
    for seed in range(2):
        ratings, truth = one_expert(seed)
        alone, trusting = (OrdinalPanel(trusted=names, **QUICK).fit(ratings) for names in ((), ("expert",)))
        assert error(trusting, truth) < 0.5 * error(alone, truth)
    table = {row["annotator"]: row for row in trusting.annotators_table().to_pylist()}
    assert abs(table["expert"]["bias"]) < 0.2
    assert table["w0"]["bias"] > 0.35


def test_what_is_known_travels_with_the_fit(tmp_path):
    ratings, _, groups = people_and_machines(0)
    model = OrdinalPanel(groups=groups, trusted=("m0",), excluded=("p0",), **QUICK)
    fit = model.fit(ratings)
    fit.save(tmp_path)
    loaded = Fit.load(tmp_path)
    np.testing.assert_array_equal(loaded.predict(ratings).posterior.p, fit.predict(ratings).posterior.p)
    stranger = Ratings.from_arrays(
        annotator=["p1", "new", "m0"], instance=["x", "x", "y"], rating=[1, 2, 3], scale="0..4"
    )
    assert np.isfinite(loaded.predict(stranger).posterior.estimate).all()
    assert model.fit(ratings, start=loaded).iterations <= fit.iterations
    with pytest.raises(OptionError, match="other options"):
        OrdinalPanel(groups={"p1": "a"}).fit(ratings, start=loaded)


@pytest.mark.parametrize("options", [{"refined": False}, {"learned_population": False}, {"starts": 2}], ids=str)
def test_the_bound_rises_with_groups_and_trust(options):
    ratings, _, groups = people_and_machines(1)
    fit = OrdinalPanel(groups=groups, trusted=("m0", "p3"), tolerance=1e-12, **{**QUICK, **options}).fit(ratings)
    assert np.all(np.diff(fit.trace) >= -1e-9 * abs(fit.bound))


def test_names_must_be_known_and_words_well_formed():
    ratings, _, _ = people_and_machines(0)
    assert make_model("ordinal-panel", {"groups": "p1:people, a:b:machines"}).groups == {
        "p1": "people",
        "a:b": "machines",
    }
    assert make_model("ordinal-panel", {"trusted": "p1,p2"}).trusted == ("p1", "p2")
    for options, words in (
        ({"groups": {"bob": "people"}}, "groups=bob: no annotator has this name; '"),
        ({"trusted": ("bob",)}, "trusted=bob: no annotator has this name; '"),
        ({"trusted": ("p1",), "excluded": ("p1",)}, "trusted=p1: is excluded too"),
    ):
        with pytest.raises(OptionError, match=words):
            OrdinalPanel(**options).fit(ratings)
    for groups in ({"p1": 3}, "p1"):
        with pytest.raises(OptionError, match="name:value pairs with commas"):
            OrdinalPanel(groups=groups)
    with pytest.raises(OptionError, match="name:value pairs with commas"):
        make_model("ordinal-panel", {"groups": "p1,p2"})
