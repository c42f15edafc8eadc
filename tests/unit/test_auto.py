"""Auto: what it stacks, what it says, and where it leans to the mean."""

from dataclasses import replace

import numpy as np
import pytest

from truegrade import Auto, Continuous, Fit, Gold, Mean, OrdinalPanel, Ratings, Status, evaluate, simulate
from truegrade.errors import OptionError
from truegrade.models._auto_members import members_for
from truegrade.models._auto_rule import Rule
from truegrade.models._auto_score import HoldOut, Scores
from truegrade.models._auto_stack import stack, weigh


@pytest.fixture(scope="module")
def drawn():
    return simulate(instances=150, annotators=20, ratings_per_instance=6, spammers=0.2, seed=3)


@pytest.fixture(scope="module")
def fit(drawn):
    return Auto().fit(drawn.ratings)


def test_stack_is_the_weighted_mean_of_its_members(drawn, fit):
    weights = fit.hyperparameters["weights"]
    assert list(weights) == ["mean", "continuous", "dawid-skene", "ordinal-mixture", "ordinal-panel"]
    assert sum(weights.values()) == pytest.approx(1)
    table = fit.truth_table()
    expected = sum(share * table[f"estimate_{name.replace('-', '_')}"].to_numpy() for name, share in weights.items())
    np.testing.assert_allclose(table["estimate"].to_numpy(), expected, rtol=1e-12)
    p = np.column_stack([table[f"p_{k}"] for k in range(1, 6)])
    np.testing.assert_allclose(p.sum(axis=1), 1)
    assert any(note.startswith("stacked: ordinal-panel") for note in fit.notes)
    assert any("held-back ratings best" in note for note in fit.notes)
    assert evaluate(fit, drawn.gold()).mse < evaluate(Mean().fit(drawn.ratings), drawn.gold()).mse


def test_score_is_the_log_of_a_plain_prediction(drawn):
    r = drawn.ratings
    holdout = HoldOut.of(r, 0.2, 0)
    scores = holdout.scores([Mean()])
    instance, held = r.instance_of(), holdout.held
    kept = [i for i in range(r.n_ratings) if not held[i]]
    p = {}
    for m in set(instance[kept].tolist()):
        said = [int(r.grade[i]) for i in kept if instance[i] == m]
        p[m] = (np.bincount(said, minlength=5) + 0.1) / (len(said) + 0.5)
    counts = np.zeros((r.n_annotators, 5, 5))
    for i in kept:
        counts[r.annotator[i], :, r.grade[i]] += p[instance[i]]
    pooled = counts.sum(axis=0) + 0.5
    rows = counts + 5 * pooled / pooled.sum(axis=1, keepdims=True)
    rows /= rows.sum(axis=2, keepdims=True)
    expected = [np.log(p[instance[i]] @ rows[r.annotator[i], :, r.grade[i]]) for i in np.flatnonzero(held)]
    np.testing.assert_allclose(scores.told[0], expected, rtol=1e-10)


def test_holding_back_leaves_every_instance_a_rating(drawn):
    holdout = HoldOut.of(drawn.ratings, 0.5, 1)
    kept = np.bincount(drawn.ratings.instance_of()[~holdout.held], minlength=150)
    assert kept.min() >= 1
    assert 0.3 < holdout.held.mean() < 0.6


def test_weights_follow_the_score_and_lean_to_the_mean(drawn):
    members = members_for(drawn.ratings, 0)
    rule = Rule(slope=0.5, doubt=0.25, few=4.0)
    told = np.full((5, 50), -1.0)
    worse = told - 0.1 * (np.arange(5) == 2)[:, None]
    sound = np.ones(5, dtype=bool)
    plain, leaning = (weigh(members, sound, Scores(s, np.ones(50), -1.4), drawn.ratings, rule) for s in (told, worse))
    # .1 of a gain of .4 is lost by all ratings alike, and .25 of the gain is one spread.
    assert leaning[2] / leaning[3] == pytest.approx(np.exp(-0.5 * 0.1 / 0.1) * plain[2] / plain[3])
    assert plain[4] / plain[3] == pytest.approx(rule.ordinal_panel / rule.ordinal_mixture)
    few = Ratings.from_arrays(annotator=list("abcdefgh"), instance=list("xxyyzzww"), rating=[1, 2, 3, 4, 5, 4, 2, 1])
    thin = weigh(members, sound, Scores.none(5), few, rule)
    assert thin[0] / thin[4] == pytest.approx((1 + 0.25 * 11) / rule.ordinal_panel)  # (4 / 8 ratings)^2 of all
    broken = weigh(members, np.arange(5) != 3, Scores(told, np.ones(50)), drawn.ratings)
    assert broken[3] == 0
    assert broken.sum() == pytest.approx(1)


def test_being_behind_is_counted_in_standard_errors_and_doubts():
    rng = np.random.default_rng(0)
    told = np.array([[-1.0], [-1.3]]) + 0.2 * rng.normal(size=(2, 400))
    scores = Scores(told, np.ones(400), -2.0)
    gap = told[0] - told[1]
    error = gap.std() / 20
    assert scores.behind(0.0) == pytest.approx([0, gap.mean() / error])
    gain = told[0].mean() + 2
    assert scores.behind(0.1)[1] == pytest.approx(gap.mean() / np.hypot(error, 0.1 * gain))
    assert Scores(told, np.ones(400)).behind(0.1) == pytest.approx(scores.behind(0.0))  # without a baseline
    same = Scores(np.full((2, 40), -1.0), np.ones(40), -1.0)
    assert same.behind(0.1) == pytest.approx([0, 0])


def test_disagreement_softens_the_probabilities():
    r = Ratings.from_arrays(annotator=list("abab"), instance=list("xxyy"), rating=[1, 2, 2, 2], scale="1..2")
    one, two = Mean().fit(r).posterior, Mean().fit(r, Gold.of({"x": 2})).posterior
    assert stack(r, [one, one], np.array([0.3, 0.7]), None).disagreement == pytest.approx(0)
    stacked = stack(r, [one, two], np.array([0.5, 0.5]), None, Rule(softening=1.0, misled=0.0))
    half = stack(r, [one, two], np.array([0.5, 0.5]), None, Rule(softening=0.4, misled=0.025))
    x = r.instances.code[r.instances.labels.to_pylist().index("x")]
    # P(2) is .5 and 1: .75 on average, from which either lies .25 away.
    np.testing.assert_allclose(stacked.posterior.shares[x], [0.75 * 0.25 + 0.25 / 2, 0.75 * 0.75 + 0.25 / 2])
    np.testing.assert_allclose(half.posterior.shares[x, 1], 0.875 * 0.75 + 0.125 / 2)


def test_gold_save_predict_and_warm_start(drawn, fit, tmp_path):
    gold = {drawn.gold()["instance"][0].as_py(): 2.0}
    settled = Auto(held_out=0.0).fit(drawn.ratings, Gold.of(gold))
    row = next(r for r in settled.truth_table().to_pylist() if r["instance"] in gold)
    assert (row["estimate"], row["sd"], row["grade"]) == (2.0, 0.0, 2)
    fit.save(tmp_path)
    again = Fit.load(tmp_path)
    predicted = again.predict(drawn.ratings)
    assert np.corrcoef(predicted.posterior.estimate, fit.posterior.estimate)[0, 1] > 0.95
    warm = Auto(held_out=0.0).fit(drawn.ratings, start=again)
    assert warm.iterations <= fit.iterations


def test_ten_ratings_are_almost_the_mean():
    r = Ratings.from_arrays(
        annotator=list("abcabcabca"), instance=list("uuuvvvwwwx"), rating=[4, 5, 4, 2, 1, 2, 3, 3, 4, 5], scale="1..5"
    )
    found, mean = Auto().fit(r), Mean().fit(r)
    assert np.max(np.abs(found.posterior.estimate - mean.posterior.estimate)) < 0.4
    assert any("no ratings were held back" in note for note in found.notes)


@pytest.mark.parametrize("rating", [[1.5, 2.25, 3.0, 1.0], [2, 2, 2, 2]])
def test_real_and_constant_scales(rating):
    scale = "real" if 1.5 in rating else None
    r = Ratings.from_arrays(annotator=list("abab"), instance=list("xxyy"), rating=rating, scale=scale)
    assert np.all(np.isfinite(Auto().fit(r).posterior.estimate))


@pytest.mark.parametrize("scale", ["cold,warm,hot", "cold=1,warm=2,hot=3"])
def test_names_as_grades(scale):
    given = simulate(instances=60, annotators=8, grades=3, seed=2).ratings
    rows = {
        "annotator": given.annotators.labels.take(given.annotator),
        "instance": given.instances.labels.take(given.instance_of()),
    }
    names = np.array(["cold", "warm", "hot"])[given.grade]
    named = Auto().fit(Ratings.from_arrays(**rows, rating=names, scale=scale))
    numbered = Auto().fit(Ratings.from_arrays(**rows, rating=given.values()))
    np.testing.assert_array_equal(named.posterior.estimate, numbered.posterior.estimate)


def test_a_share_to_hold_back_is_a_share():
    with pytest.raises(OptionError, match=r"0 to 0\.5"):
        Auto(held_out=0.9)


def test_weights_are_repeated_ratings(drawn):
    r = drawn.ratings
    rng = np.random.default_rng(0)
    w = rng.integers(1, 3, r.n_ratings)
    columns = {"annotator": r.annotator, "instance": r.instance_of(), "rating": r.grade}
    weighted = Ratings.from_arrays(**columns, weight=w, scale="0..4")
    repeated = Ratings.from_arrays(**{k: np.repeat(v, w) for k, v in columns.items()}, scale="0..4")
    one, two = (HoldOut.of(r, 0.2, 0).scores([Mean()]) for r in (weighted, repeated))
    assert one.mean[0] == pytest.approx(two.mean[0], rel=1e-12)


def test_a_leader_that_tells_ratings_worse_than_the_mean_is_told():
    told = np.array([np.full(100, -1.0), np.full(100, -1.2) + 0.01 * np.arange(100) % 0.05])
    assert Scores(told, np.ones(100)).worse(1, 0) > 1.5
    assert Scores(told, np.ones(100)).worse(0, 1) < 0


def lazy_ratings():
    """Two of three ratings tell next to nothing: annotators guess, or name the common grade without looking."""
    rng = np.random.default_rng(28)
    truth, idle = rng.choice(3, 120, p=[0.8, 0.1, 0.1]), rng.beta(0.6, 1.0, 13)
    instance = np.repeat(np.arange(120), 8)
    annotator = np.concatenate([rng.choice(13, 8, replace=False) for _ in range(120)])
    grade = np.where(rng.random(960) < 0.55, truth[instance], rng.integers(0, 3, 960))
    grade = np.where(rng.random(960) < idle[annotator], 0, grade)
    return Ratings.from_arrays(annotator=annotator, instance=instance, rating=grade, scale="0..2")


def test_a_panel_that_tells_ratings_worse_than_the_mean_is_not_handed_over_silently(drawn, fit):
    found = Auto().fit(lazy_ratings())
    assert found.hyperparameters["scores"]["ordinal-panel"] < found.hyperparameters["scores"]["mean"]
    assert any("tells held-back ratings worse than the plain mean" in note for note in found.notes)
    assert not any("worse than the plain mean" in note for note in fit.notes)


@pytest.mark.parametrize(
    ("member", "scoring", "passes"),
    [
        pytest.param(OrdinalPanel, False, None, id="leader"),
        pytest.param(Continuous, False, 1, id="before the leader"),
        pytest.param(Mean, True, None, id="scoring"),
    ],
)
def test_an_interrupt_of_one_member_ends_the_fit(drawn, monkeypatch, member, scoring, passes):
    """Whole tables, nothing scored, and only a first pass of what had not begun."""
    whole = member.fit

    def fit(model, ratings, *rest, **kept):
        found = whole(model, ratings, *rest, **kept)
        return replace(found, status=Status.INTERRUPTED) if scoring == (ratings is not drawn.ratings) else found

    monkeypatch.setattr(member, "fit", fit)
    found = Auto().fit(drawn.ratings)
    assert found.status is Status.INTERRUPTED
    assert np.isfinite(found.truth["estimate"].to_numpy()).all()
    assert found.hyperparameters["scores"] == {}
    assert not any("max_iterations" in note for note in found.notes)  # an option that auto does not have
    assert found.iterations == passes if passes else found.iterations > 1
