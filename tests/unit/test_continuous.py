"""Continuous: the likelihood against SciPy, the Bayesian version against the mixture, and every way to use them."""

from dataclasses import asdict

import numpy as np
import pytest
from scipy.stats import norm

from truegrade import Continuous, Fit, Gold, Mean, OrdinalMixture, Ratings, Status, simulate
from truegrade.errors import OptionError

BOTH = [Continuous(starts=3), Continuous(method="ml", starts=3)]


@pytest.fixture(scope="module")
def drawn():
    return simulate(instances=120, annotators=15, ratings_per_instance=5, spammers=0.0, seed=3)


def random_ratings(seed, *, real=False, weighted=False):
    rng = np.random.default_rng(seed)
    size = int(rng.integers(2, 90))
    value = rng.normal(0, 10, size) if real else rng.integers(1, 6, size)
    return Ratings.from_arrays(
        annotator=rng.integers(0, 8, size),
        instance=rng.integers(0, 12, size),
        rating=value,
        weight=rng.choice([0.5, 1, 3], size) if weighted else None,
        scale="real" if real else "1..5",
    )


def test_the_bayesian_version_is_the_mixture_without_thresholds_spam_and_difficulty(drawn):
    found = Continuous(starts=2).fit(drawn.ratings)
    same = OrdinalMixture(link="real", spam=False, ease=1.0, starts=2).fit(drawn.ratings)
    np.testing.assert_allclose(found.posterior.estimate, same.posterior.estimate, rtol=1e-12)
    np.testing.assert_allclose(found.posterior.sd, same.posterior.sd, rtol=1e-12)
    np.testing.assert_allclose(found.annotator_columns["expertise"], same.annotator_columns["expertise"], rtol=1e-12)
    assert found.model == "continuous"
    assert found.options == asdict(Continuous(starts=2))
    assert set(found.annotator_columns) == {"expertise", "expertise_sd", "agreement", "expected_agreement"}
    assert {"alpha", "beta", "mu", "lam"} <= set(found.hyperparameters)


@pytest.mark.parametrize("seed", range(12))
def test_the_likelihood_is_scipys_never_falls_and_cannot_be_raised_nearby(seed):
    ratings = random_ratings(seed, real=seed % 2 == 0, weighted=seed % 3 == 0)
    found = Continuous(method="ml", starts=2, tolerance=1e-13, max_iterations=3000).fit(ratings)
    weight = np.ones(ratings.n_ratings) if ratings.weight is None else ratings.weight
    floor = found.hyperparameters["variance_floor"]

    def likelihood(z, variance):
        spread = np.sqrt(variance)[ratings.annotator]
        return weight @ norm.logpdf(ratings.values(), z[ratings.instance_of()], spread)

    z, variance = found.posterior.estimate, found.parameters["variance"]
    best = likelihood(z, variance)
    assert found.bound == pytest.approx(best, rel=1e-12)
    assert found.status is Status.CONVERGED
    assert np.all(np.diff(found.trace) >= -1e-9 * np.abs(found.trace[1:]))
    rng = np.random.default_rng(seed)
    for size in (1e-3, 1e-2):  # of the smallest spread: a maximum is flat, and falls off on all sides
        step = size * np.sqrt(variance.min()) * rng.standard_normal(z.size)
        stretch = np.exp(size * rng.standard_normal(variance.size))
        assert likelihood(z + step, np.maximum(variance * stretch, floor)) <= best + 1e-6 * abs(best)


def test_an_annotator_whose_variance_runs_to_the_floor_is_named():
    ratings = Ratings.from_arrays(  # bob and cy rated only x: it can follow one of them at no cost to the other
        annotator=["ann", "ann", "ann", "bob", "cy"], instance=["x", "y", "z", "x", "x"], rating=[1, 2, 3, 2, 5]
    )
    found = Continuous(method="ml").fit(ratings)
    named = [note for note in found.notes if "went down to its floor of 0.001" in note]
    assert len(named) == 1
    assert "1 annotator ('bob')" in named[0]
    assert np.all(found.parameters["variance"] >= 1e-3)
    assert not any("floor" in note for note in Continuous().fit(ratings).notes)


@pytest.mark.parametrize("method", ["bayes", "ml"])
def test_the_unit_of_the_scale_is_no_matter(method):
    model = Continuous(method=method, starts=1, tolerance=1e-13, max_iterations=3000)
    rng = np.random.default_rng(1)
    columns = {"annotator": rng.integers(0, 6, 80), "instance": rng.integers(0, 20, 80)}
    value = rng.integers(1, 6, 80)
    plain, tens = (
        model.fit(Ratings.from_arrays(**columns, rating=value * k, scale=[k * v for v in range(1, 6)])) for k in (1, 10)
    )
    np.testing.assert_allclose(tens.posterior.estimate, 10 * plain.posterior.estimate, rtol=1e-8)
    np.testing.assert_allclose(tens.posterior.sd, 10 * plain.posterior.sd, rtol=1e-8)
    if method == "ml":
        floors = [fit.hyperparameters["variance_floor"] for fit in (plain, tens)]
        assert floors == pytest.approx([1e-3, 1e-1])


@pytest.mark.parametrize("model", BOTH, ids=lambda m: m.method)
def test_known_truths_stay_and_teach(drawn, model):
    table = drawn.gold().slice(0, 60)
    known = dict(zip(table["instance"].to_pylist(), table["gold"].to_pylist(), strict=True))
    found = model.fit(drawn.ratings, gold=Gold.of(known))
    rows = {row["instance"]: row for row in found.truth_table().to_pylist()}
    for name, value in known.items():
        assert rows[name]["estimate"] == value
        assert rows[name]["sd"] == 0
    rest = [at for at in range(120) if drawn.ratings.instances.label_of(at) not in known]
    blind = model.fit(drawn.ratings).posterior.estimate[rest]
    assert not np.array_equal(found.posterior.estimate[rest], blind)


@pytest.mark.parametrize("model", BOTH, ids=lambda m: m.method)
def test_a_warm_start_ends_where_the_fit_did(drawn, model):
    found = model.fit(drawn.ratings)
    again = model.fit(drawn.ratings, start=found)
    assert again.iterations <= found.iterations
    np.testing.assert_allclose(again.posterior.estimate, found.posterior.estimate, atol=0.01)


def test_a_fit_by_one_method_does_not_start_the_other(drawn):
    bayes, ml = (model.fit(drawn.ratings) for model in BOTH)
    with pytest.raises(OptionError, match="method=ml cannot start method=bayes"):
        BOTH[0].fit(drawn.ratings, start=ml)
    with pytest.raises(OptionError, match="method=bayes cannot start method=ml"):
        BOTH[1].predict(bayes, drawn.ratings)
    with pytest.raises(OptionError, match="a fit of mean cannot start"):
        BOTH[1].fit(drawn.ratings, start=Mean().fit(drawn.ratings))


@pytest.mark.parametrize("model", BOTH, ids=lambda m: m.method)
def test_predict_keeps_the_annotators(drawn, model):
    found = model.fit(drawn.ratings)
    expertise = dict(zip(*(found.annotators_table()[c].to_pylist() for c in ("annotator", "expertise")), strict=True))
    names = list(expertise)
    new = Ratings.from_arrays(
        annotator=[names[0], names[1], names[2], names[3]],
        instance=["p", "p", "q", "q"],
        rating=[1, 4, 2, 5],
        scale="1..5",
    )
    told = model.predict(found, new)
    for row in told.annotators_table().to_pylist():
        assert row["expertise"] == pytest.approx(expertise[row["annotator"]], rel=1e-12)
    rows = {row["instance"]: row for row in told.truth_table().to_pylist()}
    one, two = expertise[names[0]], expertise[names[1]]
    lam, mu = (0.0, 0.0) if model.method == "ml" else (found.hyperparameters["lam"], found.hyperparameters["mu"])
    assert rows["p"]["estimate"] == pytest.approx((one * 1 + two * 4 + lam * mu) / (one + two + lam), rel=1e-6)
    assert rows["p"]["sd"] == pytest.approx((one + two + lam) ** -0.5, rel=1e-6)


@pytest.mark.parametrize("model", BOTH, ids=lambda m: m.method)
def test_predict_on_no_scale(model):
    found = model.fit(random_ratings(5, real=True))
    told = found.predict(random_ratings(6, real=True))
    assert told.status is Status.CONVERGED
    assert np.all(np.isfinite(told.posterior.estimate))


@pytest.mark.parametrize("model", BOTH, ids=lambda m: m.method)
def test_ratings_on_no_scale(model):
    found = model.fit(random_ratings(5, real=True))
    assert found.status is Status.CONVERGED
    assert found.truth_table()["grade"].null_count == found.truth_table().num_rows
    assert np.all(np.isfinite(found.posterior.estimate))
    one = Ratings.from_arrays(annotator=["0"], instance=["new"], rating=[2000.0], scale="real")
    assert model.predict(found, one).posterior.estimate[0] > 100  # far outside of what was seen


@pytest.mark.parametrize("model", BOTH, ids=lambda m: m.method)
@pytest.mark.parametrize("grades", [2, 11, 101])
def test_no_worse_than_the_mean_on_simulated_ratings(model, grades):
    drawn = simulate(
        instances=1500, annotators=20, ratings_per_instance=8, grades=grades, alpha=1.0, spammers=0.0, seed=grades
    )
    found, mean = model.fit(drawn.ratings), Mean().fit(drawn.ratings)
    errors = [np.mean((fit.posterior.estimate - drawn.truth) ** 2) for fit in (found, mean)]
    assert errors[0] <= errors[1]


@pytest.mark.parametrize("model", BOTH, ids=lambda m: m.method)
def test_extreme_shapes_give_finite_tables(model):
    rng = np.random.default_rng(0)
    crowd = Ratings.from_arrays(annotator=np.arange(2000), instance=["x"] * 2000, rating=rng.integers(1, 6, 2000))
    threes = simulate(instances=60, annotators=6, seed=1).rows().to_pydict()
    who = threes["annotator"]
    threes["rating"] = [3 if a == who[0] else r for a, r in zip(who, threes["rating"], strict=True)]
    alike = {"annotator": [1, 2, 1, 2], "instance": [1, 1, 2, 2], "rating": [4, 4, 4, 4]}
    for ratings in (crowd, Ratings.from_arrays(**threes), Ratings.from_arrays(**alike)):
        found = model.fit(ratings)
        assert found.status in (Status.CONVERGED, Status.MAX_ITER)
        for array in (found.posterior.estimate, found.posterior.sd, found.annotator_columns["expertise"]):
            assert np.all(np.isfinite(array))


def test_starts_differ_and_the_best_wins(drawn):
    found = Continuous(method="ml", starts=4).fit(drawn.ratings)
    assert len(set(found.bounds)) > 1
    assert found.bound == max(found.bounds)


def test_saved_and_loaded(drawn, tmp_path):
    found = BOTH[1].fit(drawn.ratings)
    found.save(tmp_path)
    again = BOTH[1].fit(drawn.ratings, start=Fit.load(tmp_path))
    assert again.bound == pytest.approx(found.bound, rel=1e-3)


@pytest.mark.parametrize("grades", [2, 5, 101])
def test_ratings_that_agree_exactly_end_in_numbers(grades):
    """The likelihood has no maximum here: expertise grows as long as the passes go on, and the result says so."""
    rng = np.random.default_rng(0)
    annotator = np.concatenate([rng.choice(6, 3, replace=False) for _ in range(30)])
    truth = np.append(rng.integers(1, grades + 1, 28), [1, grades]).repeat(3)
    ratings = Ratings.from_arrays(annotator=annotator, instance=np.arange(90) // 3, rating=truth, scale=f"1..{grades}")
    with np.errstate(all="raise", under="ignore"):
        fit = Continuous(starts=2).fit(ratings)
    assert fit.status is Status.MAX_ITER
    assert any("all annotators count alike" in note for note in fit.notes)
    mean = Mean().fit(ratings)
    np.testing.assert_allclose(fit.posterior.estimate, mean.posterior.estimate, atol=0.01)
    assert np.all(np.isfinite(fit.posterior.sd))


def test_a_learned_spread_of_truths_that_are_all_known_and_alike_is_finite():
    ratings = Ratings.from_arrays(annotator=["a", "b"] * 2, instance=["x", "x", "y", "y"], rating=[1, 2, 2, 3])
    with np.errstate(all="raise", under="ignore"):
        fit = Continuous(mu="learn", lam="learn", starts=1).fit(ratings, gold=Gold.of({"x": 2, "y": 2}))
    assert np.isfinite(fit.hyperparameters["lam"])
    np.testing.assert_array_equal(fit.posterior.estimate, [2, 2])


def test_options_are_checked():
    for mu in (np.nan, np.inf):
        with pytest.raises(OptionError, match=f"mu={mu}: must be a finite number"):
            Continuous(mu=mu)
    with pytest.raises(OptionError, match="method=map: choose one of bayes, ml"):
        Continuous(method="map")
    with pytest.raises(OptionError, match="variance_floor=0: must be a positive number"):
        Continuous(variance_floor=0)
