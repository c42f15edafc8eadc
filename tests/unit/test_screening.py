"""The check of annotators and ratings against the others, on ratings whose spammers are known."""

import numpy as np
import pytest

from truegrade import Ratings, simulate
from truegrade.advice import FEW, advise
from truegrade.screening import screen

NOISE_SD = 0.7


def drawn(seed, **options):
    """Five grades, noise sd .7, four ratings per instance, 15 % spammers."""
    precision = {"alpha": 1e4, "beta": 1e4 * NOISE_SD**2}
    design = {"instances": 2500, "annotators": 200, "grades": 5, "ratings_per_instance": 4, "spammers": 0.15}
    return simulate(seed=seed, **design, **precision, **{"earnest": (1, 1), "spam": (0, 0), **options})


def test_drop_finds_the_spammers_and_spares_the_honest():
    found = {"many": np.zeros(4), "some": np.zeros(4)}  # spammers, dropped ones; honest, dropped ones
    precision = []
    for seed in range(20):
        simulation = drawn(seed)
        ratings = simulation.ratings
        given, spammer = ratings.ratings_per_annotator(), simulation.earnestness < 0.5
        screening = screen(ratings)
        actions = np.array([advice.action for advice in advise(ratings, screening)])
        drop = actions == "drop"
        for name, group in (("many", given >= 30), ("some", (given >= FEW) & (given < 30))):
            found[name] += [
                (group & s & d).sum() for s, d in ((spammer, True), (spammer, drop), (~spammer, True), (~spammer, drop))
            ]
        assert set(actions[given < FEW]) <= {"review"}
        first = np.argsort(-screening.suspicion)[: ratings.n_ratings // 100]
        precision.append(np.mean(~simulation.y[first]))
    spammers, dropped, honest, wronged = found["many"]
    assert dropped / spammers >= 0.95
    assert wronged / honest < 0.05
    assert found["some"][3] / found["some"][2] < 0.05
    assert np.mean(precision) >= 0.8


@pytest.mark.parametrize("options", [{"pi": [0.05, 0.1, 0.3, 0.4, 0.15]}, {"pi": [0, 0, 1, 0, 0]}])
def test_spam_need_not_be_uniform(options):
    simulation = drawn(3, **options)
    given, spammer = simulation.ratings.ratings_per_annotator(), simulation.earnestness < 0.5
    drop = np.array([advice.action == "drop" for advice in advise(simulation.ratings)])
    many = given >= 30
    assert drop[many & spammer].mean() >= 0.9
    assert drop[many & ~spammer].mean() < 0.05


def test_a_reversed_annotator_is_retrained_not_dropped():
    simulation = simulate(
        instances=600, annotators=20, ratings_per_instance=5, spammers=0, adversaries=0.1, beta=0.5, earnest=(1, 1)
    )
    actions = [advice.action for advice in advise(simulation.ratings)]
    assert {actions[n] for n in np.flatnonzero(simulation.adversary)} == {"retrain"}
    assert "drop" not in actions


def test_a_biased_annotator_is_retrained():
    rng = np.random.default_rng(0)
    truth = rng.integers(2, 5, 300)
    rows = [
        (f"a{n}", m, int(np.clip(truth[m] + (n == 0) + rng.integers(-1, 2) * (rng.random() < 0.2), 1, 5)))
        for m in range(300)
        for n in range(6)
    ]
    annotator, instance, rating = zip(*rows, strict=True)
    ratings = Ratings.from_arrays(annotator=annotator, instance=instance, rating=rating, scale="1..5")
    advice = advise(ratings)
    named = {ratings.annotators.label_of(n): advice[n] for n in range(6)}
    assert named["a0"].action == "retrain"
    assert "above the others" in named["a0"].reason
    assert {named[f"a{n}"].action for n in range(1, 6)} == {"keep"}


def test_what_is_said_of_a_rating_leaves_it_out():
    """Two annotators, one instance: each is expected what the other says, drawn towards the common grades."""
    ratings = Ratings.from_arrays(annotator=["a", "b"], instance=["x", "x"], rating=[1, 5], scale="1..5")
    expected = screen(ratings).expected[np.argsort(ratings.row)]
    assert expected[0] > 3 > expected[1]


def test_a_weight_is_so_many_ratings():
    rows = {"annotator": ["a", "b", "c", "a", "b"], "instance": ["x", "x", "x", "y", "y"], "rating": [1, 2, 2, 3, 3]}
    weighted = screen(Ratings.from_arrays(**rows, weight=[2, 1, 3, 1, 2]))
    times = np.repeat(np.arange(5), [2, 1, 3, 1, 2])
    repeated = screen(Ratings.from_arrays(**{name: [column[i] for i in times] for name, column in rows.items()}))
    np.testing.assert_allclose(weighted.earnestness, repeated.earnestness, rtol=0.15)


@pytest.mark.parametrize("grades", [2, 11, 101])
def test_any_scale(grades):
    simulation = simulate(instances=300, annotators=20, grades=grades, seed=1)
    found = screen(simulation.ratings)
    for array in (found.earnestness, found.spammer, found.suspicion, found.expected, found.bias):
        assert np.isfinite(array).all()
    assert ((found.suspicion >= 0) & (found.suspicion <= 1)).all()


def test_nothing_to_say_without_two_grades():
    real = Ratings.from_arrays(annotator=["a", "b"], instance=["x", "x"], rating=[0.13, 0.7], scale="real")
    assert screen(real) is None
    assert {advice.action for advice in advise(real)} == {"review"}
