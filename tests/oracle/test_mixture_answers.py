"""What a fit says about single ratings, against sums and draws made here from its published parameters alone."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.special import digamma, ndtr
from scipy.stats import norm

from truegrade import Fit, Gold, Mean, OrdinalMixture, Ratings, simulate
from truegrade.errors import OptionError


@pytest.fixture(scope="module")
def drawn():
    return simulate(instances=60, annotators=8, categories=4, grades=4, seed=3, ratings_per_instance=5)


def fitted(drawn, **options):
    return OrdinalMixture(**{"starts": 1, "responsibility": "exact", "epsilon_prior": (2.0, 1.0), **options}).fit(
        drawn.ratings
    )


def ease_moments(fit, instance):
    """E delta, E ln delta for each instance of an array of codes."""
    p = fit.parameters
    if "delta" in p:
        shape, rate = (np.full(instance.size, v) for v in p["delta"])
    else:
        of = fit.category[instance] if fit.options["difficulty"] == "category" else instance
        shape, rate = p["delta_shape"][of], p["delta_rate"][of]
    return shape / rate, digamma(shape) - np.log(rate)


@pytest.mark.parametrize("difficulty", ["none", "category", "instance"])
@pytest.mark.parametrize("link", ["ordinal", "real"])
def test_responsibilities(drawn, link, difficulty):
    """omega = odds / (1 + odds), with the odds of model.md's finding 4, one rating at a time."""
    fit, ratings = fitted(drawn, link=link, difficulty=difficulty), drawn.ratings
    table = fit.responsibilities(ratings)
    assert table.column_names == ["row", "annotator", "instance", "rating", "responsibility"]
    assert table.select(["annotator", "instance", "rating"]).equals(
        drawn.rows().select(["annotator", "instance", "rating"])
    )
    assert table["row"].to_pylist() == list(range(ratings.n_ratings))

    p, n, m = fit.parameters, ratings.annotator, ratings.instance_of()
    total = np.bincount(n)[n]
    a = p["eps"][n] * (total + 3)  # q(eps) = Beta(a, b) under Beta(2, 1)
    log_odds_eps = digamma(a) - digamma(total + 3 - a)
    delta, log_delta = ease_moments(fit, m)
    tau = (p["tau_shape"] / p["tau_rate"])[n]
    log_rho = digamma(p["tau_shape"])[n] - np.log(p["tau_rate"])[n] + log_delta
    rho, mu, variance = tau * delta, p["z_mean"][m], 1 / p["z_precision"][m]
    if link == "ordinal":
        low, high = (ndtr((ratings.grade + k + 0.5 - mu) * np.sqrt(rho)) for k in (0, 1))
        log_a = np.log(high - low) + (log_rho - np.log(rho)) / 2 - rho * variance / 2
    else:
        log_a = (log_rho - np.log(2 * np.pi)) / 2 - rho / 2 * ((ratings.grade + 1 - mu) ** 2 + variance)
    odds = np.exp(log_odds_eps + log_a - np.log(1 / 4))
    wanted = (odds / (1 + odds))[np.argsort(ratings.row)]
    np.testing.assert_allclose(table["responsibility"].to_numpy(), wanted, rtol=1e-7)


def test_responsibilities_know_the_gold(drawn):
    """The printed odds of one rating of an instance whose truth is 4 for sure."""
    ids = drawn.ratings.annotators
    fit = OrdinalMixture(starts=1).fit(drawn.ratings, gold=Gold.of({"i1": 4.0, "i2": 1.0}))
    row = next(row for row in fit.responsibilities(drawn.ratings).to_pylist() if row["instance"] == "i1")
    p, n = fit.parameters, ids.code[ids.labels.to_pylist().index(row["annotator"])]
    rho = p["tau_shape"][n] / p["tau_rate"][n] * p["delta"][0] / p["delta"][1]
    a, b = (row["rating"] + np.array([-0.5, 0.5]) - 4.0) * np.sqrt(rho)
    spread = (1 - (b * norm.pdf(b) - a * norm.pdf(a)) / (norm.cdf(b) - norm.cdf(a))) / rho  # E(x - 4)^2
    odds = p["eps"][n] / (1 - p["eps"][n]) * np.sqrt(rho / 2 / np.pi) * np.exp(-rho / 2 * spread) * 4
    assert row["responsibility"] == pytest.approx(odds / (1 + odds), rel=1e-7)


def test_responsibilities_of_strangers_are_refused(drawn):
    fit = fitted(drawn)
    other = Ratings.from_arrays(annotator=["a1"], instance=["new"], rating=[2], scale="1..4")
    with pytest.raises(OptionError, match="instance 'new' is not in this fit; pass the ratings"):
        fit.responsibilities(other)
    with pytest.raises(OptionError, match="mean has no responsibilities; choose one of ordinal-mixture"):
        Mean().fit(drawn.ratings).responsibilities(drawn.ratings)


def test_spam_false_has_responsibilities_of_one(drawn):
    fit = OrdinalMixture(spam=False, starts=1).fit(drawn.ratings)
    assert set(fit.responsibilities(drawn.ratings)["responsibility"].to_pylist()) == {1.0}


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"difficulty": "category"},
        {"difficulty": "instance"},
        {"ease": 1.5},
        {"link": "real"},
        {"thresholds": (0.0, 1.2, 2.6, 3.1, 5.0)},
        {"pi": (0.4, 0.3, 0.2, 0.1), "epsilon_prior": None, "epsilon": 0.7},
    ],
    ids=str,
)
def test_chances_of_a_rating(drawn, options):
    """A million draws from q for each pair: eps, tau, delta, z, then y, x and the rating."""
    fit = fitted(drawn, **options)
    pairs = {"annotator": ["a1", "a2", "new"], "instance": ["i7", "new", "i1"]}
    table = fit.rating_probabilities(**pairs)
    assert table.column_names == ["annotator", "instance", "p_1", "p_2", "p_3", "p_4"]
    found = np.column_stack([table[f"p_{k}"].to_numpy() for k in (1, 2, 3, 4)])
    np.testing.assert_allclose(found.sum(axis=1), 1, rtol=1e-12)
    assert table.select(["annotator", "instance"]).to_pydict() == pairs
    for row in range(3):
        wanted = draw_ratings(fit, pairs["annotator"][row], pairs["instance"][row])
        np.testing.assert_allclose(found[row], wanted, atol=4e-3)


def draw_ratings(fit, annotator, instance, size=200_000):
    rng = np.random.default_rng(1)
    p, h, options = fit.parameters, fit.hyperparameters, fit.options

    def code(ids, label):
        labels = ids.labels.to_pylist()
        return ids.code[labels.index(label)] if label in labels else None

    n, m = code(fit.annotator_ids, annotator), code(fit.instance_ids, instance)
    shape, rate = (h["alpha"], h["beta"]) if n is None else (p["tau_shape"][n], p["tau_rate"][n])
    tau = rng.gamma(shape, 1 / rate, size)
    eps = np.average(p["eps"], weights=fit.ratings_per_annotator) if n is None else p["eps"][n]
    if options["ease"]:
        delta = np.full(size, options["ease"])
    elif "delta" in p:
        delta = rng.gamma(p["delta"][0], 1 / p["delta"][1], size)
    elif m is None:
        delta = rng.gamma(h["phi"], 1 / h["eta"], size)
    else:
        c = fit.category[m] if options["difficulty"] == "category" else m
        delta = rng.gamma(p["delta_shape"][c], 1 / p["delta_rate"][c], size)
    mean, precision = (h["mu"], h["lam"]) if m is None else (p["z_mean"][m], p["z_precision"][m])
    x = rng.normal(rng.normal(mean, precision**-0.5, size), (tau * delta) ** -0.5)
    inner = options["thresholds"][1:-1] if isinstance(options["thresholds"], tuple) else (1.5, 2.5, 3.5)
    earnest = np.searchsorted(inner, x, side="right")
    spam = rng.choice(4, p=h["pi"], size=size)
    return np.bincount(np.where(rng.random(size) < eps, earnest, spam), minlength=4) / size


def test_answers_survive_the_files(drawn, tmp_path):
    fit = fitted(drawn, difficulty="category")
    fit.save(tmp_path / "fit")
    loaded = Fit.load(tmp_path / "fit")
    pairs = {"annotator": ["a1", "nobody"], "instance": ["i1", "i2"]}
    assert loaded.rating_probabilities(**pairs).equals(fit.rating_probabilities(**pairs))
    assert loaded.responsibilities(drawn.ratings).equals(fit.responsibilities(drawn.ratings))
    assert loaded.predict(drawn.ratings).truth.equals(fit.predict(drawn.ratings).truth)


@pytest.mark.parametrize("scale", ["1..4", "real"])
def test_prediction_for_a_new_instance(drawn, scale):
    """q(z) of one new instance by known annotators: ascent of q(y) and q(z) alone, link real, written down anew."""
    rows, real = drawn.rows().to_pydict(), scale == "real"
    ids = {"annotator": rows["annotator"], "instance": rows["instance"]}
    ratings = Ratings.from_arrays(**ids, rating=rows["rating"], scale=scale)
    fit = OrdinalMixture(link="real", responsibility="exact", epsilon=0.8, ease=1.0, starts=1).fit(ratings)
    given = {"annotator": ["a1", "a2", "a3"], "instance": ["new"] * 3, "rating": [1, 2, 2.5 if real else 4]}
    predicted = fit.predict(Ratings.from_arrays(**given, scale=scale))
    codes = [fit.annotator_ids.code[fit.annotator_ids.labels.to_pylist().index(a)] for a in ("a1", "a2", "a3")]
    shape, rate = fit.parameters["tau_shape"][codes], fit.parameters["tau_rate"][codes]
    tau, log_tau = shape / rate, digamma(shape) - np.log(rate)
    # Spam: a quarter per grade, each one wide; or uniform over the range of the ratings that were fitted, 1 to 4, and
    # half of one of its three steps on either side.
    mu, lam = (np.mean(rows["rating"]), 0.1 / np.var(rows["rating"])) if real else (2.5, 0.1)
    r, mean, precision = np.array(given["rating"]), 2.0, 1.0
    for _ in range(2000):
        log_a = (log_tau - np.log(2 * np.pi)) / 2 - tau / 2 * ((r - mean) ** 2 + 1 / precision)
        odds = 0.8 / 0.2 * np.exp(log_a) * 4
        pull = tau * odds / (1 + odds)
        precision = lam + pull.sum()
        mean = (lam * mu + pull @ r) / precision
    assert predicted.truth["estimate"][0].as_py() == pytest.approx(mean, abs=1e-3)
    assert predicted.truth["sd"][0].as_py() == pytest.approx(precision**-0.5, abs=1e-3)
    # What is known about the annotators stays.
    table = predicted.annotators.to_pydict()
    assert table["expertise"] == pytest.approx([*tau])
    assert table["earnestness"] == pytest.approx([0.8] * 3)
