"""Parameters that made the ratings are found again, and spam does the harm that the paper shows."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import spearmanr

from truegrade import OrdinalMixture, Ratings, Scale, simulate, with_spam

ANNOTATORS, RATINGS_EACH, PER_INSTANCE, GRADES = 40, 500, 20, 9

CONFIGURATIONS = [
    (difficulty, link, responsibility, thresholds, real)
    for difficulty in ("none", "category", "instance")
    for link, thresholds, real in (
        ("ordinal", "finite", 0),
        ("ordinal", "infinite", 0),
        ("real", "finite", 0),
        ("real", "finite", 1),
    )
    for responsibility in ("printed", "exact")
    if (responsibility, thresholds) != ("printed", "infinite")  # known to fail, and the fit says so
]


def draw(difficulty, real):
    """Ratings from the model, with tau (N,) and eps (N,) in the order of the codes."""
    rng = np.random.default_rng(0)
    instances = ANNOTATORS * RATINGS_EACH // PER_INSTANCE
    truth = rng.normal(5, 1.3, instances).clip(1, GRADES)
    tau, eps = rng.gamma(2, 1.5, ANNOTATORS), rng.uniform(0.5, 1, ANNOTATORS)
    category = np.arange(instances) % 40
    of = {"none": None, "category": category, "instance": np.arange(instances)}[difficulty]
    ease = np.ones(instances) if of is None else rng.gamma(10, 0.1, of.max() + 1)[of]
    m = np.repeat(np.arange(instances), PER_INSTANCE)
    n = np.concatenate([rng.permutation(ANNOTATORS)[:PER_INSTANCE] for _ in range(instances)])
    x = rng.normal(truth[m], (tau[n] * ease[m]) ** -0.5)
    earnest = rng.random(m.size) < eps[n]
    grade = np.where(earnest, np.rint(x).clip(1, GRADES), rng.integers(1, GRADES + 1, m.size))
    value = np.where(earnest, x, rng.uniform(0.5, GRADES + 0.5, m.size))
    ratings = Ratings.from_arrays(
        annotator=n,
        instance=m,
        rating=value if real else grade,
        category=category[m],
        scale=Scale.real(0.5, GRADES + 0.5) if real else f"1..{GRADES}",
    )
    order = np.argsort(ratings.annotators.code)
    who = ratings.annotators.labels.to_numpy()[order]
    return ratings, tau[who], eps[who]


@pytest.mark.parametrize(("difficulty", "link", "responsibility", "thresholds", "real"), CONFIGURATIONS)
def test_expertise_and_earnestness_are_found(difficulty, link, responsibility, thresholds, real):
    ratings, tau, eps = draw(difficulty, real)
    fit = OrdinalMixture(
        difficulty=difficulty, link=link, responsibility=responsibility, thresholds=thresholds, starts=1
    ).fit(ratings)
    p = fit.parameters
    assert spearmanr(p["tau_shape"] / p["tau_rate"], tau).statistic >= 0.9
    assert np.mean(np.abs(p["eps"] - eps) <= 0.1) >= 0.9


def test_the_spam_component_survives_spam_and_the_ordinal_link_is_the_better_one_with_it():
    """The paper's section 4.6 on simulated data: squared error without and with six fake ratings per instance."""
    drawn = simulate(instances=1500, annotators=25, seed=1)
    ids = drawn.ratings.instances
    truth = dict(zip(ids.labels.to_pylist(), drawn.truth[ids.code], strict=True))
    spammed, error = with_spam(drawn.ratings, 6), {}
    for link in ("ordinal", "real"):
        for spam in (True, False):
            for name, ratings in (("clean", drawn.ratings), ("spammed", spammed)):
                table = OrdinalMixture(link=link, spam=spam, starts=1).fit(ratings).truth
                wanted = np.array([truth[i] for i in table["instance"].to_pylist()])
                error[link, spam, name] = np.mean((table["estimate"].to_numpy() - wanted) ** 2)
    for link in ("ordinal", "real"):
        assert error[link, True, "spammed"] < 1.1 * error[link, True, "clean"]
        assert error[link, False, "spammed"] > 1.4 * error[link, False, "clean"]
    best, second, *others = sorted(
        (value, link, spam) for (link, spam, name), value in error.items() if name == "spammed"
    )
    assert (best[1:], second[1:]) == (("ordinal", True), ("real", True))
    assert best[0] < 0.95 * second[0] < 0.95**2 * others[0][0]
