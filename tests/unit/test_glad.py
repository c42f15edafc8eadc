"""Glad: its options, known truths, warm starts, predictions, extreme shapes, and the warnings."""

import numpy as np
import pytest
from glad_points import problem_of

from truegrade import Fit, Glad, Gold, Majority, Mean, Ratings, Status, simulate
from truegrade.errors import OptionError
from truegrade.models import make_model
from truegrade.models._glad_ascent import GladAscent


def nominal(*, grades=4, instances=150, annotators=12, each=6, right=(0.5, 0.95), seed=0, categories=5):
    """Ratings that are right or any other grade, and the true grades by instance."""
    rng = np.random.default_rng(seed)
    skill = rng.uniform(*right, annotators)
    truth = rng.integers(1, grades + 1, instances)
    rows = []
    for m in range(instances):
        for n in rng.choice(annotators, each, replace=False):
            wrong = rng.choice([k for k in range(1, grades + 1) if k != truth[m]])
            rows.append((f"a{n}", f"i{m}", truth[m] if rng.random() < skill[n] else wrong, f"c{m % categories}"))
    who, what, grade, group = zip(*rows, strict=True)
    ratings = Ratings.from_arrays(annotator=who, instance=what, rating=grade, category=group, scale=f"1..{grades}")
    return ratings, {f"i{m}": int(truth[m]) for m in range(instances)}, skill


def share_right(fit, truth):
    rows = fit.truth_table().to_pylist()
    return np.mean([row["grade"] == truth[row["instance"]] for row in rows])


def column(fit, name):
    rows = fit.annotators_table().to_pylist()
    return {row["annotator"]: row[name] for row in rows}


@pytest.mark.parametrize("difficulty", ["none", "category", "instance"])
def test_it_finds_more_true_grades_than_the_majority_and_who_is_able(difficulty):
    ratings, truth, skill = nominal(instances=400, right=(0.3, 0.95))
    fit = Glad(difficulty=difficulty, starts=3).fit(ratings)
    assert fit.status is Status.CONVERGED
    assert share_right(fit, truth) > share_right(Majority().fit(ratings), truth)
    ability = column(fit, "ability")
    assert np.corrcoef([ability[f"a{n}"] for n in range(12)], skill)[0, 1] > 0.9
    assert all(value >= 0 for value in ability.values())
    confusion = fit.parameters["confusion"]
    np.testing.assert_allclose(confusion.sum(axis=2), 1)
    np.testing.assert_allclose(confusion[:, 0, 1], confusion[:, 3, 0])


def test_a_class_prior_may_be_given():
    ratings, _, _ = nominal(instances=40, each=2)
    given = Glad(class_prior=(4, 2, 1, 1), starts=1).fit(ratings)
    assert given.parameters["class_prior"].tolist() == [0.5, 0.25, 0.125, 0.125]
    even, plain = (Glad(class_prior=prior, starts=1).fit(ratings) for prior in ((2.0,) * 4, "uniform"))
    assert even.posterior.p.tobytes() == plain.posterior.p.tobytes()
    shares = [fit.posterior.p.mean(axis=0) for fit in (given, plain)]
    assert shares[0][0] > shares[1][0] + 0.05
    again = Glad(class_prior=(4, 2, 1, 1), starts=1).fit(ratings, start=given)
    assert again.parameters["class_prior"].tolist() == given.parameters["class_prior"].tolist()
    assert make_model("glad:class_prior=4,2,1,1").class_prior == (4, 2, 1, 1)
    with pytest.raises(OptionError, match=r"class_prior has 3 numbers; the scale 1\.\.4 has 4"):
        Glad(class_prior=(1, 1, 1)).fit(ratings)
    with pytest.raises(OptionError, match=r"class_prior=\(0, 1\): give a positive number for each grade"):
        Glad(class_prior=(0, 1))


def test_ease_stands_in_the_tables():
    ratings, _, _ = nominal(instances=40)
    for difficulty, has_instances, has_categories in (
        ("none", False, False),
        ("category", False, True),
        ("instance", True, True),
    ):
        fit = Glad(difficulty=difficulty, starts=1).fit(ratings)
        assert ("ease" in fit.truth_table().column_names) == has_instances
        assert ("ease" in fit.categories_table().column_names) == has_categories
        if has_instances:
            table = fit.truth_table()
            product = np.array(table["ease"]) * np.array(table["difficulty"])
            np.testing.assert_allclose(product, 1)


def test_known_truths_stay_and_teach():
    ratings, truth, _ = nominal(right=(0.2, 0.9))
    known = {name: truth[name] for name in list(truth)[:100]}
    blind, taught = Glad(starts=2).fit(ratings), Glad(starts=2).fit(ratings, gold=Gold.of(known))
    rows = {row["instance"]: row for row in taught.truth_table().to_pylist()}
    for name, grade in known.items():
        assert rows[name]["estimate"] == grade
        assert rows[name]["sd"] == 0
    assert share_right(taught, truth) > share_right(blind, truth)
    between = Glad(starts=1).fit(ratings, gold=Gold.of({"i0": 2.5, "i1": 3}))
    assert "1 known truths lie between grades: taken as the nearest one" in between.notes


def test_an_adversary_is_named_and_helps():
    ratings, truth, _ = nominal(grades=2, right=(0.6, 0.9), seed=3)
    rows = {"annotator": [], "instance": [], "rating": []}
    for name, grade in truth.items():
        for column_name, value in zip(rows, ("liar", name, 3 - grade), strict=True):
            rows[column_name].append(value)
    at = ratings.instance_of()
    label = {
        kind: [ids.label_of(code) for code in range(len(ids))]
        for kind, ids in (("annotator", ratings.annotators), ("instance", ratings.instances))
    }
    everyone = Ratings.from_arrays(
        annotator=[*(label["annotator"][n] for n in ratings.annotator), *rows["annotator"]],
        instance=[*(label["instance"][m] for m in at), *rows["instance"]],
        rating=[*(int(g) + 1 for g in ratings.grade), *rows["rating"]],
    )
    fit = Glad(adversarial=True, starts=3).fit(everyone)
    assert column(fit, "ability")["liar"] < -0.5
    assert "right less often than by chance: 1 annotator ('liar')" in fit.notes
    assert share_right(fit, truth) > 0.98  # who always lies is as good as an oracle
    tame = Glad(starts=3).fit(everyone)
    assert column(tame, "ability")["liar"] == 0
    assert not any("chance" in note for note in tame.notes)


def test_a_learned_prior_that_swallows_all_truths_is_told():
    rng = np.random.default_rng(0)  # nobody knows anything: one grade for all is the likeliest story
    ratings = Ratings.from_arrays(
        annotator=rng.integers(0, 40, 900),
        instance=rng.integers(0, 150, 900),
        rating=rng.choice([1, 2, 3], 900, p=[0.15, 0.7, 0.15]),
    )
    fit = Glad(class_prior="learned", adversarial=True, starts=2).fit(ratings)
    assert any("hardly any truths are 1, 3: distrust" in note for note in fit.notes)
    assert sum(fit.hyperparameters["class_prior"]) == pytest.approx(1)
    assert Glad(starts=2).fit(ratings).hyperparameters["class_prior"] == [1 / 3] * 3


@pytest.mark.parametrize("difficulty", ["none", "category", "instance"])
def test_a_warm_start_ends_where_the_fit_did(difficulty):
    ratings, _, _ = nominal()
    model = Glad(difficulty=difficulty, starts=2, class_prior="learned")
    fit = model.fit(ratings)
    again = model.fit(ratings, start=fit)
    assert again.iterations < fit.iterations
    assert again.bound >= fit.bound
    np.testing.assert_allclose(again.posterior.estimate, fit.posterior.estimate, atol=0.01)
    assert len(again.bounds) == 1


@pytest.mark.parametrize("difficulty", ["none", "category", "instance"])
def test_predict_keeps_what_is_known(difficulty):
    ratings, _, _ = nominal()
    model = Glad(difficulty=difficulty, starts=2, class_prior="learned")
    fit = model.fit(ratings)
    new = Ratings.from_arrays(
        annotator=["a0", "a1", "a2", "stranger"],
        instance=["p", "p", "q", "q"],
        rating=[1, 1, 2, 3],
        category=["c0", "c0", "new", "new"],
        scale="1..4",
    )
    told = model.predict(fit, new)
    before, after = column(fit, "ability"), column(told, "ability")
    assert all(after[name] == before[name] for name in ("a0", "a1", "a2"))
    assert told.hyperparameters == fit.hyperparameters
    if difficulty == "category":
        ease = {row["category"]: row["ease"] for row in fit.categories_table().to_pylist()}
        assert told.categories_table().to_pylist()[0]["ease"] == ease["c0"]
    assert told.truth_table()["grade"].to_pylist()[0] == 1
    np.testing.assert_allclose(fit.predict(new).posterior.estimate, told.posterior.estimate)


def test_eases_of_another_difficulty_are_not_taken_over():
    ratings, _, _ = nominal(instances=20)
    fit = Glad(starts=1).fit(ratings)
    problem = problem_of(Glad(difficulty="none"), ratings)
    ascent = GladAscent.resumed(problem, fit, learn=True)
    np.testing.assert_array_equal(ascent.here.trail.theta, [*fit.parameters["alpha"], 1.0])


def test_a_uniform_class_prior_is_uniform_whatever_a_warm_start_had():
    ratings, *_ = nominal(instances=40)
    learned = Glad(starts=1, class_prior="learned").fit(ratings)
    again = Glad(starts=1).fit(ratings, start=learned)
    np.testing.assert_array_equal(again.parameters["class_prior"], np.full(4, 1 / 4))
    assert again.bound == pytest.approx(Glad(starts=1).fit(ratings).bound, rel=1e-8)


def test_a_mirrored_end_is_known():
    ratings, _, _ = nominal(instances=20)
    ascent = GladAscent.fresh(problem_of(Glad(), ratings), 0)
    assert not ascent.mirrored()
    (state,) = ascent.states
    state.truth = state.truth[:, ::-1]
    assert ascent.mirrored()


def test_a_fit_of_something_else_starts_nothing():
    ratings, _, _ = nominal(instances=20)
    with pytest.raises(OptionError, match="a fit of mean cannot start glad"):
        Glad().fit(ratings, start=Mean().fit(ratings))
    other, _, _ = nominal(instances=20, grades=3)
    with pytest.raises(OptionError, match="the earlier fit has the scale"):
        Glad().fit(ratings, start=Glad(starts=1).fit(other))


def test_extreme_shapes_give_finite_tables():
    rng = np.random.default_rng(0)
    crowd = Ratings.from_arrays(annotator=np.arange(2000), instance=["x"] * 2000, rating=rng.integers(1, 6, 2000))
    percent = Ratings.from_arrays(
        annotator=rng.integers(0, 7, 300),
        instance=rng.integers(0, 60, 300),
        rating=rng.integers(0, 101, 300),
        scale="0..100",
    )
    threes = simulate(instances=60, annotators=6, seed=1).rows().to_pydict()
    who = threes["annotator"]
    threes["rating"] = [3 if a == who[0] else r for a, r in zip(who, threes["rating"], strict=True)]
    alike = {"annotator": [1, 2, 1, 2], "instance": [1, 1, 2, 2], "rating": [4, 4, 4, 4]}
    for ratings in (crowd, percent, Ratings.from_arrays(**threes), Ratings.from_arrays(**alike)):
        for model in (Glad(starts=2), Glad(starts=2, class_prior="learned", adversarial=True)):
            fit = model.fit(ratings)
            assert fit.status is Status.CONVERGED
            assert np.all(np.diff(fit.trace) >= 0)
            for array in (fit.posterior.estimate, fit.posterior.sd, fit.posterior.probabilities(ratings.scale)):
                assert np.all(np.isfinite(array))
            for name, array in fit.annotator_columns.items():
                # Where all truths are alike, agreement beyond chance and stretch are not defined.
                assert np.all(np.isfinite(array)) or name in ("spamminess", "stretch", "agreement")


@pytest.mark.parametrize("grades", [2, 11, 101])
def test_no_worse_than_the_mean_on_ratings_drawn_from_it(grades):
    ratings, truth, _ = nominal(grades=grades, instances=300, right=(0.4, 0.9), seed=grades)
    values = np.array([truth[ratings.instances.label_of(m)] for m in range(300)])
    glad, mean = Glad(starts=2).fit(ratings), Mean().fit(ratings)
    errors = [np.mean((fit.posterior.estimate - values) ** 2) for fit in (glad, mean)]
    assert errors[0] <= errors[1]


def test_threads_change_no_bit(monkeypatch):
    ratings, _, _ = nominal(instances=3000)
    found = []
    for threads in ("1", "3"):
        monkeypatch.setenv("TRUEGRADE_THREADS", threads)
        found.append(Glad(starts=2, max_iterations=15).fit(ratings))
    np.testing.assert_array_equal(found[0].posterior.p, found[1].posterior.p)
    assert found[0].bounds == found[1].bounds


def test_the_order_of_the_grades_plays_no_part():
    ratings, _, _ = nominal()
    turned = Ratings.from_arrays(
        annotator=[ratings.annotators.label_of(n) for n in ratings.annotator],
        instance=[ratings.instances.label_of(m) for m in ratings.instance_of()],
        rating=[[3, 1, 4, 2][g] for g in ratings.grade],
    )
    tables = (Glad(starts=1).fit(r).truth_table().to_pylist() for r in (ratings, turned))
    one, two = ({row["instance"]: row for row in table} for table in tables)
    for name, row in one.items():
        found = [two[name][f"p_{k}"] for k in (3, 1, 4, 2)]
        assert found == pytest.approx([row[f"p_{k}"] for k in (1, 2, 3, 4)], abs=1e-6)


def test_starts_differ_and_the_best_wins():
    ratings, _, _ = nominal(instances=30, right=(0.2, 0.6))
    fit = Glad(starts=4, max_iterations=5).fit(ratings)
    assert len(set(fit.bounds)) == 4
    assert fit.bound == max(fit.bounds)


def test_saved_loaded_and_predicting(tmp_path):
    ratings, _, _ = nominal(instances=40)
    fit = Glad(starts=1, alpha_prior=(1.0, 0.5)).fit(ratings)
    fit.save(tmp_path)
    loaded = Fit.load(tmp_path)
    np.testing.assert_array_equal(loaded.posterior.p, fit.posterior.p)
    np.testing.assert_array_equal(loaded.predict(ratings).posterior.p, fit.predict(ratings).posterior.p)


def test_options_are_checked_and_read_from_text():
    assert make_model("glad:difficulty=category:adversarial=true:alpha_prior=1,0.5") == Glad(
        difficulty="category", adversarial=True, alpha_prior=(1.0, 0.5)
    )
    with pytest.raises(OptionError, match="class_prior=flat: choose one of uniform, learned"):
        Glad(class_prior="flat")
    with pytest.raises(OptionError, match="give a mean and a positive sd"):
        Glad(beta_prior=(1.0, 0.0))
    with pytest.raises(OptionError, match="give a mean and a positive sd"):
        Glad(alpha_prior=(float("nan"), 1.0))
    real = Ratings.from_arrays(annotator=[1, 2], instance=[1, 1], rating=[0.1, 0.7], scale="real")
    with pytest.raises(OptionError, match="glad needs grades; for ratings on a real scale choose continuous"):
        Glad().fit(real)
    plain = Ratings.from_arrays(annotator=[1, 2], instance=[1, 1], rating=[1, 2])
    with pytest.raises(OptionError, match="have no categories"):
        Glad(difficulty="category").fit(plain)
