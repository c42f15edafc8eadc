"""The panel's contract: a bound that rises, options, gold, predictions, weak data, scales of every size."""

import numpy as np
import pytest

from truegrade import Auto, Fit, Mean, OrdinalPanel, Ratings, Status, evaluate, simulate
from truegrade.errors import OptionError
from truegrade.gold import Gold
from truegrade.models._panel_rows import RefinedRows

QUICK = {"max_iterations": 40}


@pytest.fixture(scope="module")
def drawn():
    return simulate(instances=150, annotators=25, ratings_per_instance=6, categories=3, spammers=0.2, seed=3)


def known(drawn):
    return Gold.of(drawn.gold())


PARTS = [
    {},
    {"bias": False, "stretch": False},
    {"spam": False, "reversed": False},
    {"refined": False},
    {"prior": "shares"},
    {"prior": "uniform", "nodes": 1},
    {"difficulty": "instance"},
    {"difficulty": "category"},
    {"nodes": 4, "strength": 3.0, "anchor": 0.1},
    {"learned_population": False},
    {"uncertain": False, "dependence": 0.2},
    {"draws": 0},
]


@pytest.mark.parametrize("options", PARTS, ids=str)
def test_bound_never_falls(drawn, options):
    fit = OrdinalPanel(tolerance=1e-15, max_iterations=60, **options).fit(drawn.ratings)
    assert fit.status is not Status.BOUND_DECREASED
    assert np.all(np.diff(fit.trace) >= -1e-9 * abs(fit.bound))
    table = fit.truth_table()
    p = np.column_stack([table[f"p_{k}"] for k in range(1, 6)])
    np.testing.assert_allclose(p.sum(axis=1), 1)
    assert np.all(np.isfinite(np.column_stack([table[name] for name in ("estimate", "sd", "lower", "upper")])))


def test_starts_are_seeded_and_the_best_wins(drawn):
    one, two = (OrdinalPanel(starts=3, seed=4, **QUICK).fit(drawn.ratings) for _ in range(2))
    assert one.bounds == two.bounds
    assert len(set(one.bounds)) == 3
    assert one.bound == max(one.bounds)


def test_it_beats_the_mean_and_tells_spammers(drawn):
    fit, mean = OrdinalPanel().fit(drawn.ratings), Mean().fit(drawn.ratings)
    assert evaluate(fit, drawn.gold()).mse < 0.9 * evaluate(mean, drawn.gold()).mse
    table = {row["annotator"]: row for row in fit.annotators_table().to_pylist()}
    truth = {row["annotator"]: row for row in drawn.annotators().to_pylist()}
    spammer = np.array([truth[name]["spamminess"] > 0.5 for name in table])
    found = np.array([row["spamminess"] for row in table.values()])
    assert found[spammer].mean() > found[~spammer].mean() + 0.2


def test_gold_stays_and_teaches(drawn):
    instances, values = known(drawn).instances[:40], known(drawn).values[:40]
    gold = Gold.from_mapping(dict(zip(instances.to_pylist(), values, strict=True)))
    fit = OrdinalPanel(**QUICK).fit(drawn.ratings, gold)
    rows = {row["instance"]: row for row in fit.truth_table().to_pylist()}
    for name, value in zip(instances.to_pylist(), values, strict=True):
        row = rows[name]
        assert (row["estimate"], row["lower"], row["upper"]) == pytest.approx((value, value, value))
        assert row["sd"] == 0
    assert np.all(np.diff(fit.trace) >= -1e-9 * abs(fit.bound))


def test_gold_between_nodes_and_of_each_category(drawn):
    gold = Gold.from_mapping(dict.fromkeys(known(drawn).instances[:5].to_pylist(), 2.3))
    fit = OrdinalPanel(difficulty="category", **QUICK).fit(drawn.ratings, gold)
    assert np.all(np.diff(fit.trace) >= -1e-9 * abs(fit.bound))
    rows = {row["instance"]: row["estimate"] for row in fit.truth_table().to_pylist()}
    assert all(rows[name] == pytest.approx(2.3) for name in known(drawn).instances[:5].to_pylist())


def test_weights_are_repeated_ratings():
    rng = np.random.default_rng(0)
    n, m, k = rng.integers(0, 6, 80), rng.integers(0, 15, 80), rng.integers(1, 5, 80)
    w = rng.integers(1, 4, 80)
    weighted = Ratings.from_arrays(annotator=n, instance=m, rating=k, weight=w, scale="1..4")
    repeated = Ratings.from_arrays(
        annotator=np.repeat(n, w), instance=np.repeat(m, w), rating=np.repeat(k, w), scale="1..4"
    )
    one, two = (OrdinalPanel(**QUICK).fit(r) for r in (weighted, repeated))
    np.testing.assert_allclose(one.trace, two.trace, rtol=1e-10)
    a, b = ({row["instance"]: row["estimate"] for row in f.truth_table().to_pylist()} for f in (one, two))
    assert a == {name: pytest.approx(value, rel=1e-8) for name, value in b.items()}


def test_save_load_predict_and_warm_start(drawn, tmp_path):
    fit = OrdinalPanel().fit(drawn.ratings)
    fit.save(tmp_path)
    again = Fit.load(tmp_path)
    np.testing.assert_array_equal(again.posterior.p, fit.posterior.p)
    predicted = again.predict(drawn.ratings)
    a, b = np.array(predicted.posterior.estimate), np.array(fit.posterior.estimate)
    assert np.corrcoef(a, b)[0, 1] > 0.97
    assert predicted.hyperparameters["dependence"] == fit.hyperparameters["dependence"]
    warm = OrdinalPanel().fit(drawn.ratings, start=fit)
    assert warm.iterations < fit.iterations
    assert warm.bound == pytest.approx(fit.bound, rel=1e-3)  # it may go on to better types


def test_strangers_are_drawn_from_the_population(drawn):
    fit = OrdinalPanel().fit(drawn.ratings)
    new = Ratings.from_arrays(annotator=["nobody", "noone"], instance=["x", "x"], rating=[5, 4], scale="1..5")
    estimate = fit.predict(new).truth_table()["estimate"][0].as_py()
    assert 3 < estimate < 5


@pytest.mark.parametrize("grades", [1, 2, 3, 5, 11, 25])
def test_scales_of_every_size(grades):
    drawn = simulate(instances=120, annotators=12, ratings_per_instance=6, scale=f"1..{max(grades, 2)}", seed=1)
    ratings = drawn.ratings
    if grades == 1:
        ratings = Ratings.from_arrays(annotator=["a", "b"], instance=["x", "y"], rating=[3, 3])
    fit = OrdinalPanel(**QUICK).fit(ratings)
    assert np.all(np.isfinite(fit.posterior.estimate))
    if grades > 1:
        mean = evaluate(Mean().fit(ratings), drawn.gold()).mse
        assert evaluate(fit, drawn.gold()).mse < mean


def test_ten_ratings_give_almost_the_mean():
    ratings = Ratings.from_arrays(
        annotator=list("abcabcabca"), instance=list("uuuvvvwwwx"), rating=[4, 5, 4, 2, 1, 2, 3, 3, 4, 5], scale="1..5"
    )
    fit, auto, mean = (model.fit(ratings) for model in (OrdinalPanel(), Auto(), Mean()))
    assert np.max(np.abs(auto.posterior.estimate - mean.posterior.estimate)) < 0.5
    apart = np.abs(fit.posterior.estimate - mean.posterior.estimate)
    once = ratings.weight_per_instance() == 1
    assert apart[~once].max() < 0.4
    assert apart[once] < 0.9  # drawn to the others
    assert np.corrcoef(fit.posterior.estimate, mean.posterior.estimate)[0, 1] > 0.95


def test_errors_that_are_shared_are_measured():
    rng = np.random.default_rng(0)
    truth = rng.integers(0, 5, 300)
    shift = rng.choice([-1, 0, 1], 300, p=[0.2, 0.6, 0.2])
    n = np.tile(np.arange(12), 300)
    m = np.repeat(np.arange(300), 12)

    def fitted(shared):
        said = truth[m] + (shift[m] if shared else 0) + np.round(rng.normal(0, 0.7, n.size)).astype(int)
        r = Ratings.from_arrays(annotator=n, instance=m, rating=np.clip(said, 0, 4), scale="0..4")
        return OrdinalPanel(nodes=1, **QUICK).fit(r).hyperparameters["dependence"]

    assert fitted(False) < 0.02


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"dependence": 2.0}, "choose 0 to 1"),
        ({"prior": "flat"}, "one of learned"),
        ({"nodes": 0}, "positive"),
        ({"draws": -1}, "0 or more"),
    ],
)
def test_impossible_options(options, words):
    with pytest.raises(OptionError, match=words):
        OrdinalPanel(**options)


def test_real_scale_and_missing_categories_are_refused(drawn):
    real = Ratings.from_arrays(annotator=["a"], instance=["x"], rating=[1.5], scale="real")
    with pytest.raises(OptionError, match="needs grades"):
        OrdinalPanel().fit(real)
    bare = Ratings.from_arrays(annotator=["a"], instance=["x"], rating=[1], scale="1..2")
    with pytest.raises(OptionError, match="no categories"):
        OrdinalPanel(difficulty="category").fit(bare)


def test_known_truths_tell_how_far_errors_are_shared():
    rng = np.random.default_rng(0)
    truth = rng.integers(0, 5, 200)
    shift = rng.choice([-1, 0, 1], 200, p=[0.3, 0.4, 0.3])
    n, m = np.tile(np.arange(8), 200), np.repeat(np.arange(200), 8)

    def learned(shared):
        said = truth[m] + (shift[m] if shared else 0) + np.round(rng.normal(0, 0.6, n.size)).astype(int)
        r = Ratings.from_arrays(annotator=n, instance=m, rating=np.clip(said, 0, 4), scale="0..4")
        fit = OrdinalPanel(**QUICK).fit(r, Gold.of({i: float(truth[i]) for i in range(60)}))
        assert any(note.startswith("known truths say") for note in fit.notes)
        return fit.hyperparameters["dependence"]

    assert learned(True) >= 0.3
    assert learned(False) <= 0.2


def test_a_fit_that_is_stopped_while_drawing_is_whole(drawn, monkeypatch):
    whole = OrdinalPanel().fit(drawn.ratings)
    drawing = RefinedRows.drawn
    for patience in (5, 60):
        calls = []

        def drawn_until(rows, *given, calls=calls, patience=patience):
            calls.append(1)
            if len(calls) > patience:
                raise KeyboardInterrupt
            return drawing(rows, *given)

        monkeypatch.setattr(RefinedRows, "drawn", drawn_until)
        fit = OrdinalPanel().fit(drawn.ratings)
        assert fit.status is Status.INTERRUPTED
        assert np.corrcoef(fit.posterior.estimate, whole.posterior.estimate)[0, 1] > 0.97
