"""What every model of grades must stand, whatever is in the ratings."""

from dataclasses import dataclass, replace

import grade_models
import numpy as np
import pytest
from grade_models import assert_sound, confused, crowded, single_ratings, sizes, squared_error, stubborn

from truegrade import DawidSkene, Fit, Glad, Mean, OrdBinary, Ratings
from truegrade.errors import OptionError
from truegrade.models._em import StopRule, ascend_all

QUICK = {"starts": 1, "max_iterations": 60}
MODELS = {
    "dawid-skene": DawidSkene(**QUICK),
    "maximum-likelihood": DawidSkene(prior=0, **QUICK),
    "pooled": DawidSkene(pooled=True, **QUICK),
    "one-coin": DawidSkene(errors="alike", **QUICK),
    "ord-binary": OrdBinary(**QUICK),
    "ord-binary-pooled": OrdBinary(pooled=True, **QUICK),
    "glad": Glad(**QUICK),
    "glad-paper": Glad(class_prior="learned", adversarial=True, **QUICK),
}
SPARSE = {"crowded": crowded, "single-ratings": single_ratings}
DENSE = {"stubborn": stubborn, **{f"{k}-grades": (lambda k=k: sizes(k)) for k in (2, 11, 101)}}

every_model = pytest.mark.parametrize("model", MODELS.values(), ids=MODELS)


@pytest.fixture(scope="module")
def drawn():
    """Each set of ratings once."""
    made = {}
    return lambda name: made.setdefault(name, ({**SPARSE, **DENSE}[name])())


@every_model
@pytest.mark.parametrize("case", DENSE)
def test_hard_ratings_leave_a_sound_fit_that_beats_the_mean(model, case, drawn):
    fit = model.fit(drawn(case).ratings)
    assert_sound(fit)
    assert squared_error(fit, drawn(case)) <= squared_error(Mean().fit(drawn(case).ratings), drawn(case))


@every_model
@pytest.mark.parametrize("case", SPARSE)
def test_hardly_any_ratings_of_each_annotator_leave_a_sound_fit_that_says_so(model, case, drawn):
    fit = model.fit(drawn(case).ratings)
    assert_sound(fit)
    assert any("fewer than 5 ratings" in note for note in fit.notes)


@every_model
def test_the_bound_never_falls_to_the_very_end(model, drawn):
    fit = replace(model, tolerance=1e-12, max_iterations=400).fit(drawn("stubborn").ratings)
    assert_sound(fit)
    assert fit.iterations > 15


@every_model
def test_one_grade_one_annotator_one_instance(model):
    for rating, scale in ((["x"], "x"), ([2], "1..3")):
        fit = model.fit(Ratings.from_arrays(annotator=["a"], instance=["i"], rating=rating, scale=scale))
        assert_sound(fit)


@every_model
def test_a_weight_is_so_many_ratings(model):
    rng = np.random.default_rng(0)
    n, m, k = rng.integers(0, 6, 120), rng.integers(0, 30, 120), rng.integers(1, 4, 120)
    w = rng.integers(1, 4, 120)
    one = model.fit(Ratings.from_arrays(annotator=n, instance=m, rating=k, weight=w))
    two = model.fit(Ratings.from_arrays(annotator=np.repeat(n, w), instance=np.repeat(m, w), rating=np.repeat(k, w)))
    np.testing.assert_allclose(by_id(one), by_id(two), rtol=1e-7, atol=1e-10)


def by_id(fit: Fit) -> np.ndarray:
    return fit.posterior.p[fit.instance_ids.code[np.argsort(fit.instance_ids.labels.to_numpy())]]


@every_model
def test_names_change_nothing(model):
    found = confused(3, instances=60, annotators=6, each=4, right=0.7).ratings
    n, m = found.annotator, found.instance_of()
    plain, renamed = (
        model.fit(Ratings.from_arrays(annotator=[f"{word}{i}" for i in n], instance=m, rating=found.grade + 1))
        for word in ("", "annotator number ")
    )
    np.testing.assert_allclose(by_id(plain), by_id(renamed), rtol=1e-6, atol=1e-9)


@every_model
def test_exchanging_all_grades_exchanges_the_truths(model):
    found = confused(4, instances=80, annotators=6, each=4, right=0.7).ratings
    columns = {"annotator": found.annotator, "instance": found.instance_of(), "scale": "1..4"}
    plain = model.fit(Ratings.from_arrays(rating=found.grade + 1, **columns))
    turned = model.fit(Ratings.from_arrays(rating=4 - found.grade, **columns))
    np.testing.assert_allclose(plain.posterior.p, turned.posterior.p[:, ::-1], rtol=1e-5, atol=1e-8)
    np.testing.assert_allclose(plain.annotator_columns["stretch"], turned.annotator_columns["stretch"], rtol=1e-5)
    np.testing.assert_allclose(plain.annotator_columns["bias"], -turned.annotator_columns["bias"], atol=1e-6)


@every_model
def test_known_truths_stay_and_teach_about_annotators(model):
    """Half the annotators say the opposite; without gold they cannot be told from the others."""
    rng = np.random.default_rng(7)
    truth = rng.integers(1, 4, 150)
    said = np.where(np.arange(6) % 2 == 0, truth[:, None], 4 - truth[:, None])
    flip = rng.random(said.shape) < 0.2
    said = np.where(flip, rng.integers(1, 4, said.shape), said)
    drawn = grade_models.gather(np.tile(np.arange(6), 150), np.repeat(np.arange(150), 6), said.ravel(), truth, grades=3)
    gold = {int(i): int(truth[i]) for i in range(60)}
    fit = replace(model, max_iterations=200).fit(drawn.ratings, gold=tg_gold(gold))
    by_label = dict(
        zip(fit.instance_ids.labels.to_pylist(), fit.posterior.estimate[fit.instance_ids.code], strict=True)
    )
    assert all(by_label[i] == value for i, value in gold.items())
    one_number = isinstance(model, Glad) or (isinstance(model, DawidSkene) and model.errors != "any")
    if not one_number:  # which cannot say "the opposite"
        assert squared_error(fit, drawn) < 0.3
        assert any("other way round: 3 annotators" in note for note in fit.notes)


def tg_gold(values):
    from truegrade import Gold

    return Gold.of(values)


@every_model
def test_a_fit_predicts_new_instances_as_if_they_had_been_there(model):
    drawn = confused(4, instances=300, annotators=6, each=4, right=0.7)
    fit = model.fit(drawn.ratings)
    again = fit.predict(drawn.ratings)
    np.testing.assert_allclose(again.posterior.p, fit.posterior.p, rtol=1e-9)
    one = fit.predict(
        Ratings.from_arrays(annotator=[0, 1, "stranger"], instance=["new"] * 3, rating=[2, 2, 2], scale="1..4")
    )
    assert_sound(one)
    assert one.posterior.grade(one.scale) == [1]


@every_model
def test_a_warm_start_goes_on_where_the_fit_ended(model, tmp_path):
    ratings = confused(4, instances=200, annotators=6, each=4, right=0.7).ratings
    first = replace(model, max_iterations=15).fit(ratings)
    first.save(tmp_path)
    second = replace(model, max_iterations=15).fit(ratings, start=Fit.load(tmp_path))
    whole = replace(model, max_iterations=30).fit(ratings)
    if whole.iterations == 30:
        assert second.bound == pytest.approx(whole.bound, rel=1e-10)
    np.testing.assert_allclose(second.posterior.p, whole.posterior.p, rtol=1e-3, atol=1e-4)


def test_starts_differ_and_the_best_bound_wins(drawn):
    fit = DawidSkene(starts=5, max_iterations=3).fit(drawn("stubborn").ratings)
    assert len(set(fit.bounds)) == 5
    assert fit.bound == max(fit.bounds)


@dataclass
class Climber:
    """A start with a bound that it keeps."""

    bound: float
    turned: bool

    def step(self):
        return self.bound

    def collapsed(self):
        return False

    def mirrored(self):
        return self.turned


@pytest.mark.parametrize(("turned", "winner"), [([False, True, False], 2), ([True, True, True], 1)])
def test_a_mirrored_start_wins_only_where_all_are(turned, winner):
    climbers = [Climber(bound, t) for bound, t in zip([-3.0, -1.0, -2.0], turned, strict=True)]
    rule = StopRule(max_iterations=2)
    best, _ = ascend_all(climbers.__getitem__, 3, rule, monotone=True, workers=1, progress=None)
    assert best.index == winner


def test_a_warm_start_that_leads_upside_down_is_begun_anew():
    ratings = confused(3, instances=200, annotators=6, each=4, right=0.8).ratings
    fit = DawidSkene(**QUICK).fit(ratings)
    turned = {**fit.parameters, "counts": fit.parameters["counts"][:, ::-1].copy()}
    found = DawidSkene(**QUICK).fit(ratings, start=replace(fit, parameters=turned))
    assert any("begun anew" in note for note in found.notes)
    np.testing.assert_allclose(found.posterior.p, fit.posterior.p, atol=1e-6)


def test_a_population_without_end_is_told():
    """Ratings by chance tell nobody from anybody, those of good and bad annotators do."""
    rng = np.random.default_rng(0)
    chance = Ratings.from_arrays(
        annotator=np.arange(90) % 6, instance=np.arange(90) % 31, rating=rng.integers(1, 4, 90), scale="1..3"
    )
    skill = np.array([0.2, 0.4, 0.7, 0.9, 0.95, 1.0])
    drawn = confused(3, instances=200, annotators=6, each=4, right=skill).ratings
    model = DawidSkene(pooled=True, starts=1)
    told = [any("cannot be told apart" in note for note in model.fit(ratings).notes) for ratings in (chance, drawn)]
    assert told == [True, False]
    one_grade = Ratings.from_arrays(annotator=[0, 1], instance=[0, 0], rating=[3, 3])
    assert not any("told apart: the" in note for note in OrdBinary(pooled=True, starts=1).fit(one_grade).notes)
    fixed = DawidSkene(pooled=True, starts=1, concentration=10.0).fit(chance)
    assert not any("cannot be told apart" in note for note in fixed.notes)


def test_one_coin_on_one_grade():
    ratings = Ratings.from_arrays(annotator=["a", "b"] * 2, instance=["x", "x", "y", "y"], rating=[3] * 4)
    with np.errstate(all="raise", under="ignore"):
        fit = DawidSkene(errors="alike", pooled=True, starts=1).fit(ratings)
    np.testing.assert_array_equal(fit.posterior.p, np.ones((2, 1)))


def test_truths_that_run_together_are_caught():
    """One coin on ratings without a pattern: the likelihood is best where all truths are one grade."""
    rng = np.random.default_rng(3)
    ratings = Ratings.from_arrays(
        annotator=rng.integers(0, 40, 400), instance=np.arange(400) % 150, rating=rng.choice([1, 2, 2, 3], 400)
    )
    lost = DawidSkene(errors="alike", class_prior="learned", **QUICK).fit(ratings)
    assert any("hardly any truths are 1, 3" in note for note in lost.notes)
    caught = DawidSkene(errors="alike", **QUICK).fit(ratings)
    assert any("fitted with a uniform one" in note for note in caught.notes)
    assert np.bincount(caught.posterior.grade(caught.scale), minlength=3).min() > 0


@pytest.mark.parametrize("model", [DawidSkene(), OrdBinary()], ids=["dawid-skene", "ord-binary"])
def test_a_warm_start_keeps_the_prevalence_that_the_earlier_fit_fell_back_to(model):
    """Ratings by chance on eleven grades: learned, the prevalence loses some of them."""
    rng = np.random.default_rng(0)
    columns = {"annotator": np.arange(90) % 6, "instance": np.arange(90) % 31, "rating": rng.integers(1, 12, 90)}
    ratings = Ratings.from_arrays(**columns, scale="1..11")
    fit = model.fit(ratings)
    assert any("fitted with a uniform one" in note for note in fit.notes)
    again = model.fit(ratings, start=fit)
    np.testing.assert_allclose(again.posterior.p, fit.posterior.p, atol=1e-3)
    assert again.bound == pytest.approx(fit.bound, rel=1e-6)
    assert np.ptp(again.parameters["prevalence"]) == 0


def test_a_uniform_prevalence_is_uniform_whatever_a_warm_start_had():
    ratings = confused(3, instances=60, annotators=5, each=3, right=0.7).ratings
    learned = DawidSkene(class_prior="learned", **QUICK).fit(ratings)
    again = DawidSkene(class_prior="uniform", **QUICK).fit(ratings, start=learned)
    np.testing.assert_array_equal(again.parameters["prevalence"], np.full(3, 1 / 3))


def test_confusion_matrices_as_a_table():
    ratings = Ratings.from_arrays(
        annotator=["ann", "bob"] * 40, instance=np.repeat(np.arange(40), 2), rating=["lo", "hi"] * 40, scale="lo,hi"
    )
    fit = DawidSkene(**QUICK).fit(ratings)
    rows = fit.confusion("bob").to_pylist()
    assert [(row["annotator"], row["truth"]) for row in rows] == [("bob", "lo"), ("bob", "hi")]
    assert all(row["p_lo"] + row["p_hi"] == pytest.approx(1) for row in rows)
    assert fit.confusion()["annotator"].to_pylist() == ["ann", "ann", "bob", "bob"]
    assert fit.confusion()["truth"].to_pylist() == ["lo", "hi", "lo", "hi"]
    with pytest.raises(Exception, match="no annotator 'carl'"):
        fit.confusion("carl")
    with pytest.raises(OptionError, match="mean has no confusion matrices"):
        Mean().fit(ratings).confusion()


def test_chances_of_a_rating_are_those_of_its_truths():
    ratings = confused(3, instances=50, annotators=5, each=4, right=0.7).ratings
    for model in (DawidSkene(**QUICK), OrdBinary(pooled=True, **QUICK)):
        fit = model.fit(ratings)
        found = fit.rating_probabilities(annotator=[0, "nobody", 3], instance=[7, 7, "nowhere"]).to_pylist()
        code = {role: dict(zip(t.labels.to_pylist(), t.code, strict=True)) for role, t in
                (("n", fit.annotator_ids), ("m", fit.instance_ids))}  # fmt: skip
        confusion, p = fit.parameters["confusion"], fit.posterior.p
        wanted = p[code["m"][7]] @ confusion[code["n"][0]]
        np.testing.assert_allclose([found[0][f"p_{k}"] for k in (1, 2, 3)], wanted)
        wanted = fit.parameters["prevalence"] @ confusion[code["n"][3]]
        np.testing.assert_allclose([found[2][f"p_{k}"] for k in (1, 2, 3)], wanted)
        assert sum(found[1][f"p_{k}"] for k in (1, 2, 3)) == pytest.approx(1)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"prior": -1}, "0 or a positive number"),
        ({"prior": float("nan")}, "0 or a positive number"),
        ({"concentration": 3.0}, "goes with pooled"),
        ({"starts": 0}, "positive"),
        ({"errors": "few"}, "choose one of any, alike"),
    ],
)
def test_options_that_make_no_sense(options, message):
    with pytest.raises(OptionError, match=message):
        DawidSkene(**options)


def test_a_fit_with_other_rows_cannot_serve():
    ratings = confused(3, instances=20, annotators=4, each=3, right=0.7).ratings
    with pytest.raises(OptionError, match="other errors"):
        DawidSkene(**QUICK).fit(ratings, start=DawidSkene(errors="alike", **QUICK).fit(ratings))
    with pytest.raises(OptionError, match="cannot start"):
        OrdBinary(**QUICK).fit(ratings, start=DawidSkene(**QUICK).fit(ratings))
