"""What a fit of the ordinal mixture tells its user: each note where it belongs, and not where it does not."""

from __future__ import annotations

import numpy as np
import pytest
from mixture_fits import noted, ratings_of

from truegrade import Gold, OrdinalMixture, Status, simulate


@pytest.fixture(scope="module")
def drawn():
    return simulate(instances=120, annotators=10, seed=2, ratings_per_instance=5)


def test_no_start_converged(drawn):
    fit = OrdinalMixture(starts=3, max_iterations=5).fit(drawn.ratings)
    assert (fit.status, fit.iterations) == (Status.MAX_ITER, 5)
    assert noted(fit, "no start converged in 5 iterations; raise max_iterations")
    assert not noted(OrdinalMixture(starts=3).fit(drawn.ratings), "no start converged")


def test_an_annotator_who_only_spams_is_named(drawn):
    rng = np.random.default_rng(1)
    rows = [(r["annotator"], r["instance"], r["rating"]) for r in drawn.rows().to_pylist()]
    rows += [("robot", f"i{i}", int(rng.integers(1, 6))) for i in range(1, 121)]
    fit = OrdinalMixture(starts=2).fit(ratings_of(rows, scale="1..5"))
    assert "'robot'" in noted(fit, "all ratings judged spam")[0]
    assert not noted(OrdinalMixture(starts=2, spam=False).fit(drawn.ratings), "judged spam")


def test_a_prior_that_becomes_a_point_is_told(drawn):
    """Annotators who are exactly alike."""
    alike = simulate(instances=300, annotators=6, spammers=0.0, alpha=1e6, seed=1, ratings_per_instance=6).ratings
    fit = OrdinalMixture(starts=1, spam=False).fit(alike)
    assert fit.hyperparameters["alpha"] > 400
    assert noted(fit, "the learned prior of expertise ran to its limit, a point")
    assert not noted(OrdinalMixture(starts=1, spam=False, alpha=2.0).fit(alike), "ran to its limit")


def test_other_priors_that_become_points_are_told():
    """Categories that are exactly alike; and truths that are, so that ratings differ by noise alone."""
    drawn = simulate(instances=400, annotators=8, categories=6, spammers=0.0, seed=1, ratings_per_instance=6)
    model = OrdinalMixture(difficulty="category", phi="learn", eta="learn", spam=False, starts=1)
    assert noted(model.fit(drawn.ratings), "the learned prior of ease ran to its limit, a point (phi = ")
    rng = np.random.default_rng(0)
    rows = [(n, m, int(np.rint(rng.normal(3, 0.8)).clip(1, 5))) for m in range(100) for n in range(6)]
    model = OrdinalMixture(mu="learn", lam="learn", responsibility="exact", spam=False, starts=1)
    assert noted(model.fit(ratings_of(rows)), "the learned prior of the truth ran to its limit, a point (lam = ")


def test_few_ratings_per_annotator_are_told():
    few = simulate(instances=50, annotators=60, seed=1, ratings_per_instance=4).ratings
    assert noted(OrdinalMixture(starts=1).fit(few), "fewer than 5 ratings")
    many = simulate(instances=50, annotators=10, seed=1, ratings_per_instance=4).ratings
    assert not noted(OrdinalMixture(starts=1).fit(many), "fewer than 5 ratings")


def test_estimates_against_the_mean_of_the_ratings_are_told():
    """Gold that says the opposite of nearly every rating."""
    rows = [(f"a{n}", f"i{m}", 1 + m % 5) for m in range(40) for n in range(4)]
    gold = Gold.of({f"i{m}": 5.0 - m % 5 for m in range(40)})
    fit = OrdinalMixture(starts=1, spam=False).fit(ratings_of(rows), gold=gold)
    assert noted(fit, "the estimates run against the mean of the ratings (correlation -1.00): distrust them")


def test_printed_with_infinite_thresholds_is_told(drawn):
    told = "the printed update with infinite thresholds is known to fail"
    assert noted(OrdinalMixture(starts=1, thresholds="infinite").fit(drawn.ratings), told)
    for options in (
        {},
        {"thresholds": "infinite", "responsibility": "exact"},
        {"thresholds": "infinite", "link": "real"},
    ):
        assert not noted(OrdinalMixture(starts=1, **options).fit(drawn.ratings), told)


def test_an_annotator_who_counts_for_all_ends_in_numbers():
    """Without an end to expertise the bound of a real link rises until a number overflows."""
    rng = np.random.default_rng(0)
    rows = [(f"a{n}", f"i{m}", int(rng.integers(1, 5)) if n else 1 + m % 4) for m in range(30) for n in range(3)]
    heavy = ratings_of(rows, weight=[1 if n else 5 for m in range(30) for n in range(3)])
    model = OrdinalMixture(link="real", responsibility="exact", spam=False, ease=1.0, starts=1)
    fit = model.fit(heavy)
    assert fit.status is Status.CONVERGED
    assert fit.hyperparameters["beta"] == 1e-6
    truth = dict(zip(fit.truth["instance"].to_pylist(), fit.truth["estimate"].to_pylist(), strict=True))
    assert [truth[f"i{m}"] for m in range(30)] == pytest.approx([1 + m % 4 for m in range(30)], abs=1e-3)
