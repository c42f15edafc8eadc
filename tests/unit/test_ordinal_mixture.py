"""OrdinalMixture as a user meets it: options, gold, warm starts, progress, interruption, statuses."""

from __future__ import annotations

import numpy as np
import pytest
from mixture_fits import noted, problem_of, ratings_of, state_of

from truegrade import Fit, Gold, OrdinalMixture, Ratings, Status, simulate
from truegrade.errors import OptionError
from truegrade.models import make_model
from truegrade.models._mixture_ascent import MixtureAscent


@pytest.fixture(scope="module")
def drawn():
    return simulate(instances=120, annotators=10, categories=6, seed=2, ratings_per_instance=5)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"difficulty": "query"}, "difficulty=query: choose one of none, category, instance"),
        ({"alpha": -1.0}, "alpha=-1.0: must be a positive number"),
        ({"epsilon": 1.5}, "epsilon=1.5: is a probability"),
        ({"epsilon_prior": (1.0,)}, "give two positive numbers"),
        ({"epsilon_prior": (1.0, 1.0), "epsilon": 0.5}, "epsilon_prior needs"),
        ({"ease": 1.0, "difficulty": "instance"}, "it goes with difficulty=none"),
        ({"phi": "learn"}, "cannot be learned from a single delta"),
        ({"starts": 0}, "starts=0: must be a positive number"),
    ],
    ids=str,
)
def test_options_that_make_no_sense(options, message):
    with pytest.raises(OptionError, match=message):
        OrdinalMixture(**options)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"difficulty": "category"}, "no categories; pass --category"),
        ({"thresholds": (0.0, 1.0)}, "needs 4 ascending numbers"),
        ({"thresholds": (0.0, 2.0, 1.0, 3.0)}, "needs 4 ascending numbers"),
        ({"pi": (0.5, 0.5)}, "needs 3 positive shares"),
        ({"pi": (0.5, 0.5, 0.5)}, "needs 3 positive shares"),
    ],
    ids=str,
)
def test_options_that_do_not_go_with_the_ratings(options, message):
    with pytest.raises(OptionError, match=message):
        OrdinalMixture(**options).fit(ratings_of([("a", "x", 1), ("b", "x", 3)]))


def test_a_real_scale_needs_the_real_link():
    with pytest.raises(OptionError, match="choose link=real"):
        OrdinalMixture().fit(ratings_of([("a", "x", 1.2), ("b", "x", 3.7)], scale="real"))


def test_options_as_text():
    model = make_model("ordinal-mixture:alpha=2:beta=learn:epsilon_prior=1,1:pi=0.5,0.25,0.25:ease=1:spam=true:mu=none")
    assert model == OrdinalMixture(
        alpha=2.0, beta="learn", epsilon_prior=(1.0, 1.0), pi=(0.5, 0.25, 0.25), ease=1.0, spam=True
    )


def test_hyperparameters_end_as_fixed_or_learned(drawn, tmp_path):
    fixed = {"alpha": 2.0, "beta": 1.5, "phi": 7.0, "eta": 4.0, "mu": 2.5, "lam": 0.3}
    fit = OrdinalMixture(**fixed, difficulty="category", starts=1).fit(drawn.ratings)
    assert {name: fit.hyperparameters[name] for name in fixed} == fixed
    learn = dict.fromkeys((*fixed, "pi"), "learn")
    fit = OrdinalMixture(**learn, difficulty="category", starts=1, epsilon_prior=(1.0, 1.0)).fit(drawn.ratings)
    assert all(fit.hyperparameters[name] != fixed[name] for name in fixed)
    assert sum(fit.hyperparameters["pi"]) == pytest.approx(1)
    assert len(set(fit.hyperparameters["pi"])) == 5
    fit.save(tmp_path / "fit")
    assert Fit.load(tmp_path / "fit").hyperparameters == fit.hyperparameters
    defaults = OrdinalMixture(starts=1).fit(drawn.ratings).hyperparameters
    assert (defaults["phi"], defaults["eta"], defaults["mu"], defaults["lam"]) == (10, 5, 3, 0.1)


def test_tables(drawn):
    fit = OrdinalMixture(starts=1, difficulty="category").fit(drawn.ratings)
    annotators = fit.annotators.to_pydict()
    np.testing.assert_allclose(np.add(annotators["spamminess"], annotators["earnestness"]), 1)
    p = fit.parameters
    at = fit.annotator_ids.code
    np.testing.assert_allclose(annotators["expertise"], (p["tau_shape"] / p["tau_rate"])[at])
    np.testing.assert_allclose(annotators["expertise_sd"], (np.sqrt(p["tau_shape"]) / p["tau_rate"])[at])
    categories = fit.categories.to_pydict()
    at = fit.category_ids.code
    np.testing.assert_allclose(categories["ease"], (p["delta_shape"] / p["delta_rate"])[at])
    np.testing.assert_allclose(categories["difficulty"], 1 / np.array(categories["ease"]))
    np.testing.assert_allclose(categories["ease_sd"], (np.sqrt(p["delta_shape"]) / p["delta_rate"])[at])
    truth = fit.truth.to_pydict()
    z, sd = p["z_mean"][fit.instance_ids.code], p["z_precision"][fit.instance_ids.code] ** -0.5
    np.testing.assert_allclose(truth["estimate"], z)
    np.testing.assert_allclose(truth["lower"], z - 1.959964 * sd, rtol=1e-6)
    np.testing.assert_allclose(truth["upper"], z + 1.959964 * sd, rtol=1e-6)
    assert len(fit.trace) == fit.iterations


def test_each_instance_shows_its_ease(drawn, tmp_path):
    fit = OrdinalMixture(starts=1, difficulty="instance").fit(drawn.ratings)
    p, truth = fit.parameters, fit.truth.to_pydict()
    ease = (p["delta_shape"] / p["delta_rate"])[fit.instance_ids.code]
    np.testing.assert_allclose(truth["ease"], ease)
    np.testing.assert_allclose(truth["difficulty"], 1 / ease)
    fit.save(tmp_path / "fit")
    assert Fit.load(tmp_path / "fit").truth.select(fit.truth.column_names).equals(fit.truth)
    of_category = fit.categories.to_pydict()
    for name, found in zip(of_category["category"], of_category["ease"], strict=True):
        inside = [e for e, c in zip(ease, truth["category"], strict=True) if c == name]
        assert found == pytest.approx(np.mean(inside))


def test_expected_agreement_counted_out(drawn):
    """How often draws of an annotator hit the truth's grade, truths spread as estimated, with tau as estimated."""
    fit = OrdinalMixture(starts=1, epsilon_prior=(1.0, 1.0)).fit(drawn.ratings)
    rng, p, n = np.random.default_rng(0), fit.parameters, 3
    truth = rng.choice(np.clip(np.rint(p["z_mean"]), 1, 5), 400_000)
    precision = p["tau_shape"][n] / p["tau_rate"][n] * p["delta"][0] / p["delta"][1]
    perceived = np.clip(np.rint(rng.normal(truth, precision**-0.5)), 1, 5)
    rating = np.where(rng.random(truth.size) < p["eps"][n], perceived, rng.integers(1, 6, truth.size))
    assert fit.annotator_columns["expected_agreement"][n] == pytest.approx(np.mean(rating == truth), abs=4e-3)


@pytest.mark.parametrize("difficulty", ["none", "category", "instance"])
def test_gold_stays(drawn, difficulty):
    known = {f"i{i}": 1 + i % 9 / 2 for i in range(1, 81)}
    fit = OrdinalMixture(starts=2, difficulty=difficulty).fit(drawn.ratings, gold=Gold.of(known))
    for row in fit.truth.to_pylist():
        if row["instance"] in known:
            assert (row["estimate"], row["sd"]) == (known[row["instance"]], 0)
        else:
            assert row["sd"] > 0


def test_gold_tells_about_the_annotators():
    """Earnestness is nearer to what it was drawn as, over eight draws."""
    model, error = OrdinalMixture(starts=1), {"with": 0.0, "without": 0.0}
    for seed in range(8):
        drawn = simulate(instances=120, annotators=10, seed=seed, ratings_per_instance=5)
        ids = drawn.ratings.instances
        truth = drawn.truth[ids.code[:80]].clip(1, 5)
        gold = Gold.of(dict(zip(ids.labels.to_pylist(), truth.tolist(), strict=False)))
        for name, given in (("with", gold), ("without", None)):
            fit = model.fit(drawn.ratings, gold=given)
            error[name] += float(np.abs(fit.parameters["eps"] - drawn.earnestness).mean()) / 8
    assert error["with"] < error["without"] - 0.05


def test_a_warm_start_goes_on_where_the_fit_ended(drawn):
    model = OrdinalMixture(starts=1, responsibility="exact", max_iterations=30)
    first = model.fit(drawn.ratings)
    on = model.fit(drawn.ratings, start=first)
    whole = OrdinalMixture(starts=1, responsibility="exact", max_iterations=60).fit(drawn.ratings)
    assert on.trace[0] >= first.trace[-1]
    assert on.trace[-1] == pytest.approx(whole.trace[-1], abs=0.5)
    converged = OrdinalMixture(starts=1).fit(drawn.ratings)
    again = OrdinalMixture().fit(drawn.ratings, start=converged)
    assert (again.iterations, len(again.bounds)) == (11, 1)  # as few as the stop rule can see
    np.testing.assert_allclose(again.posterior.estimate, converged.posterior.estimate, atol=0.02)


def test_a_warm_start_serves_new_ids(drawn):
    """Half of the data first, then all of it."""
    rows = drawn.rows().to_pylist()
    half = ratings_of([(r["annotator"], r["instance"], r["rating"]) for r in rows[:300]], scale="1..5")
    first = OrdinalMixture(starts=2).fit(half)
    fit = OrdinalMixture().fit(drawn.ratings, start=first)
    cold = OrdinalMixture().fit(drawn.ratings)
    assert fit.bound == pytest.approx(cold.bound, rel=0.02)


def test_a_warm_start_on_a_real_scale_may_meet_another_range():
    rng = np.random.default_rng(0)
    rows = [(f"a{n}", f"i{m}", rng.normal(m % 7, 0.3 + n / 5)) for m in range(60) for n in range(5)]
    first = OrdinalMixture(link="real", starts=1).fit(ratings_of(rows[:200], scale="real"))
    ratings = ratings_of([*rows, ("a0", "far", 40.0)], scale="real")
    warm, cold = OrdinalMixture(link="real").fit(ratings, start=first), OrdinalMixture(link="real").fit(ratings)
    assert warm.bound == pytest.approx(cold.bound, rel=1e-3)


def test_a_warm_start_must_fit(drawn):
    from truegrade import Mean

    with pytest.raises(OptionError, match="a fit of mean cannot start ordinal-mixture"):
        OrdinalMixture().fit(drawn.ratings, start=Mean().fit(drawn.ratings))
    other = ratings_of([("a", "x", 1), ("b", "x", 3)])
    with pytest.raises(OptionError, match=r"the earlier fit has the scale 1\.\.3, these ratings have 1\.\.5"):
        OrdinalMixture().fit(drawn.ratings, start=OrdinalMixture(starts=1).fit(other))


def test_progress_hears_of_every_pass(drawn):
    heard = []
    fit = OrdinalMixture(starts=1).fit(drawn.ratings, progress=lambda *news: heard.append(news))
    assert [news[0] for news in heard] == list(range(1, fit.iterations + 1))
    assert [news[1] for news in heard] == list(fit.trace)
    np.testing.assert_allclose([news[2] for news in heard[1:]], np.diff(fit.trace))


def test_an_error_in_progress_ends_the_fit(drawn):
    def fail(iteration, bound, change):
        raise RuntimeError("enough")

    with pytest.raises(RuntimeError, match="enough"):
        OrdinalMixture().fit(drawn.ratings, progress=fail)


def test_ctrl_c_gives_the_best_so_far(drawn, monkeypatch):
    """The interrupt comes to the thread that waits for the starts, as a signal does."""
    from concurrent.futures import Future

    from truegrade.models import _em

    result, interrupted = Future.result, []

    def interrupting(future, timeout=None):
        if not interrupted:
            interrupted.append(True)
            seen.wait(10)
            raise KeyboardInterrupt
        return result(future, timeout)

    seen = _em.threading.Event()
    monkeypatch.setattr(Future, "result", interrupting)
    model = OrdinalMixture(starts=4, tolerance=1e-300, max_iterations=10**6)
    fit = model.fit(drawn.ratings, progress=lambda iteration, bound, change: seen.set() if iteration > 5 else None)
    assert fit.status is Status.INTERRUPTED
    assert fit.iterations > 5
    assert np.isfinite(fit.posterior.estimate).all()
    assert len(fit.bounds) == 4


def test_ctrl_c_while_the_starts_are_handed_out(drawn, monkeypatch):
    """One start may be on its way before the last is submitted: what it found counts."""
    from concurrent.futures import ThreadPoolExecutor

    from truegrade.models import _em

    submit, submitted = ThreadPoolExecutor.submit, []

    def interrupting(pool, *arguments):
        if len(submitted) == 2:
            seen.wait(10)
            raise KeyboardInterrupt
        submitted.append(submit(pool, *arguments))
        return submitted[-1]

    seen = _em.threading.Event()
    monkeypatch.setattr(ThreadPoolExecutor, "submit", interrupting)
    model = OrdinalMixture(starts=4, tolerance=1e-300, max_iterations=3000)
    fit = model.fit(drawn.ratings, progress=lambda iteration, bound, change: seen.set() if iteration > 5 else None)
    assert fit.status is Status.INTERRUPTED
    assert 5 < fit.iterations < 3000
    assert len(fit.bounds) == 4


def test_a_start_stopped_before_its_first_pass_makes_one(drawn):
    """An interrupt between two starts: without a pass a start has neither bound nor sums."""
    from truegrade.models import _em

    stopped = _em.threading.Event()
    stopped.set()
    problem = problem_of(OrdinalMixture(), drawn.ratings)
    rule = _em.StopRule()
    begun = _em.Outcome(0, problem.start(0, None), Status.MAX_ITER)
    outcome = _em.ascend(begun, rule, monotone=False, stopped=stopped, progress=None, keep=lambda *_: None)
    assert outcome.status is Status.INTERRUPTED
    assert len(outcome.trace) == 1


def test_starts_and_their_bounds(drawn):
    fit = OrdinalMixture(starts=4, seed=5).fit(drawn.ratings)
    assert len(fit.bounds) == 4
    assert len(set(fit.bounds)) > 1
    assert fit.bound == max(fit.bounds)
    again = OrdinalMixture(starts=4, seed=5).fit(drawn.ratings)
    assert again.bounds == fit.bounds
    np.testing.assert_array_equal(again.posterior.estimate, fit.posterior.estimate)
    other = OrdinalMixture(starts=4, seed=6).fit(drawn.ratings)
    assert other.bounds[0] == fit.bounds[0]  # start 0 has no jitter
    assert other.bounds[1:] != fit.bounds[1:]


def collapse(monkeypatch, which):
    """These starts begin with every epsilon at 0, from where they cannot leave."""
    fresh = MixtureAscent.fresh.__func__

    def collapsed(cls, problem, index, learn_annotators):
        ascent = fresh(cls, problem, index, learn_annotators)
        if index in which:
            ascent.earnest.eps[:] = 0
        return ascent

    monkeypatch.setattr(MixtureAscent, "fresh", classmethod(collapsed))


def test_a_collapsed_start_never_wins(monkeypatch):
    collapse(monkeypatch, {1})
    spam_heavy = simulate(instances=60, annotators=8, seed=1, ratings_per_instance=3).ratings
    fit = OrdinalMixture(starts=2).fit(spam_heavy)
    assert fit.bounds[1] == pytest.approx(fit.all_spam_bound, rel=1e-3)
    assert fit.bounds[1] > fit.bounds[0]
    assert fit.bound == fit.bounds[0]
    assert fit.status is not Status.SPAM_COLLAPSE


def test_everything_spam_is_told(drawn, monkeypatch):
    collapse(monkeypatch, {0, 1})
    fit = OrdinalMixture(starts=2).fit(drawn.ratings)
    assert fit.status is Status.SPAM_COLLAPSE
    assert noted(fit, "every start ended by calling nearly all ratings spam: do not use this fit")


@pytest.mark.parametrize(
    "options", [{}, {"epsilon_prior": (2.0, 3.0)}, {"epsilon": 0.6, "pi": (0.1, 0.2, 0.3, 0.2, 0.2)}]
)
def test_all_spam_bound_is_the_bound_of_calling_all_spam(drawn, options):
    """Spam made free of choice: a rating in earnest is made impossible by perceptions far off the scale."""
    ratings = drawn.ratings
    model = OrdinalMixture(alpha=2.0, beta=1.0, responsibility="exact", **options)
    problem = problem_of(model, ratings, Gold.of({"i1": 2.0}))
    ascent = problem.start(0, None)
    state = state_of(ascent)
    far = np.isfinite(state.z_precision)
    state.z_mean[far] = 1e6
    state.z_mean[~far] = -1e6  # a known truth that no rating can be near to
    for _ in range(2):
        state.z_mean[far] = 1e6
        ascent.step()
    assert ascent.sums.annotator[:, 0].sum() == 0
    state.z_mean[far] = ascent.hyper.mu
    state.z_precision[far] = ascent.hyper.lam
    ratings_part = ascent.sums.totals[0]
    kl = ascent.kl_tau() + ascent.earnest.kl()
    assert ascent.all_spam_bound() == pytest.approx(ratings_part - kl + ascent.log_known(), rel=1e-9)


def test_a_learned_spread_of_a_single_known_truth_has_a_least_value():
    ratings = Ratings.from_arrays(annotator=["a", "b"], instance=["x", "x"], rating=[1, 2], scale=(1, 2, 3))
    fit = OrdinalMixture(mu="learn", lam="learn", starts=1).fit(ratings, gold=Gold.of({"x": 2.0}))
    assert fit.hyperparameters["lam"] == 1e6
    assert np.isfinite(fit.bound)
    assert noted(fit, "the learned prior of the truth ran to its limit")


def test_infinite_thresholds_given_one_by_one_survive_a_file(drawn, tmp_path):
    fit = OrdinalMixture(thresholds=(-np.inf, 1.5, 2.5, 3.5, 4.5, np.inf), starts=1).fit(drawn.ratings)
    fit.save(tmp_path / "fit")
    loaded = Fit.load(tmp_path / "fit")
    assert loaded.responsibilities(drawn.ratings).equals(fit.responsibilities(drawn.ratings))


def test_the_stop_rules(drawn):
    paper = OrdinalMixture(starts=1, stop="paper").fit(drawn.ratings)
    assert abs(paper.trace[-1] - paper.trace[-2]) < 0.1
    assert (np.abs(np.diff(paper.trace[:-1])) >= 0.1).all()
    fit = OrdinalMixture(starts=1).fit(drawn.ratings)
    assert abs(fit.trace[-1] - fit.trace[-11]) < 1e-6 * abs(fit.trace[-1])
    assert abs(fit.trace[-2] - fit.trace[-12]) >= 1e-6 * abs(fit.trace[-2])
    assert fit.iterations > paper.iterations


def test_the_stop_rule_of_a_bound_near_zero():
    """In some unit the bound of real-valued ratings is 0; the fit must not go on for ever there."""
    rng = np.random.default_rng(0)
    truth, n = rng.normal(0, 1, 100), np.tile(np.arange(5), 100)
    value = np.repeat(truth, 5) + rng.normal(0, 0.2 + 0.2 * n)
    model = OrdinalMixture(link="real", starts=1)

    def fit(unit):
        return model.fit(
            Ratings.from_arrays(annotator=n, instance=np.repeat(np.arange(100), 5), rating=unit * value, scale="real")
        )

    plain = fit(1.0)
    at_zero = fit(np.exp(plain.bound / 500))
    assert abs(at_zero.bound) < 1
    assert at_zero.status is Status.CONVERGED
    assert at_zero.iterations < 1.5 * plain.iterations
