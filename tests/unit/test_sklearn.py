"""The scikit-learn estimator: scikit-learn's own checks, parameters, searches, and scores against slow loops."""

import pickle
import subprocess
import sys

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, GroupKFold, KFold, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.utils.estimator_checks import parametrize_with_checks

from truegrade import Auto, DawidSkene, Mean, OrdBinary, OrdinalMixture, Ratings, simulate
from truegrade.compat.sklearn import TruthEstimator
from truegrade.errors import OptionError, RatingError

SMALL = simulate(instances=60, annotators=8, n_ratings=360, grades=4, seed=3)


def long():
    r = SMALL.ratings
    names = np.array([f"w{n}" for n in r.annotator])
    return pd.DataFrame({"judge": names, "item": r.instance_of(), "score": r.grade + 1}).sample(frac=1, random_state=0)


def matrix():
    r = SMALL.ratings
    found = np.full((r.n_instances, r.n_annotators), np.nan)
    found[r.instance_of(), r.annotator] = r.grade + 1
    return found[~np.isnan(found).all(axis=1)]


# What scikit-learn's checks feed is real numbers, so the models of grades are not asked. The rest passes, but for:
EXPECTED = {
    "continuous:max_iterations=30": {},
    "mean": {"check_methods_subset_invariance": "its sd pools the spread of all the instances that it is shown"},
}


@parametrize_with_checks(
    [TruthEstimator(model, scale="real", wide=True) for model in EXPECTED],
    expected_failed_checks=lambda estimator: EXPECTED[estimator.model],
)
def test_scikit_learns_checks(estimator, check):
    check(estimator)


@pytest.mark.parametrize("model", ["dawid-skene", "ordinal-mixture:starts=1", "majority", "ordinal-panel", "median"])
@pytest.mark.parametrize("wide", [False, True])
def test_every_row_gets_the_truth_it_is_about(model, wide):
    x = matrix() if wide else long()
    estimator = TruthEstimator(model, scale="1..4", wide=wide)
    p = estimator.fit_transform(x)
    estimate = estimator.predict(x)
    assert (p.shape, estimate.shape) == ((len(x), 4), (len(x),))
    assert estimator.get_feature_names_out().tolist() == ["p_1", "p_2", "p_3", "p_4"]
    np.testing.assert_allclose(p.sum(axis=1), 1)
    if not wide:
        truth = estimator.fit_.truth.set_index("instance")["estimate"]
        if model != "ordinal-panel":  # it measures on the ratings at hand how far errors are shared
            np.testing.assert_allclose(estimate, truth[x["item"]], atol=0.02)
        assert np.corrcoef(estimate, truth[x["item"]])[0, 1] > 0.99
        one = x[x["item"] == x["item"].iloc[0]]
        np.testing.assert_allclose(estimator.predict(one), estimate[0], atol=0.02)
    some = slice(10, 30) if wide else x["item"].isin(x["item"].unique()[:5]).to_numpy()
    alone = 0.1 if model == "ordinal-panel" else 1e-6
    np.testing.assert_allclose(estimator.transform(x[some]), estimator.transform(x)[some], atol=alone)


def test_long_tables_of_every_kind_are_the_same_to_it():
    frame = long()
    wanted = TruthEstimator("dawid-skene").fit(frame).predict(frame)
    columns = frame.to_dict("list")
    for x in (pl.DataFrame(columns), frame.to_numpy(), frame.to_numpy().tolist(), frame.astype(str).to_numpy()):
        assert TruthEstimator("dawid-skene").fit(x).predict(x).tolist() == wanted.tolist()
    assert TruthEstimator("dawid-skene").fit(frame).n_features_in_ == 3


def test_parameters_of_the_model_are_parameters():
    estimator = TruthEstimator(DawidSkene(prior=2.0))
    assert estimator.get_params()["model__prior"] == 2.0
    assert set(estimator.get_params(deep=False)) == {"model", "scale", "wide"}
    estimator.set_params(model__prior=3, model__pooled=True)
    assert estimator.model == DawidSkene(prior=3, pooled=True)
    assert clone(estimator).model == estimator.model
    named = TruthEstimator("glad:starts=2").set_params(model__tolerance=1e-3, wide=True)
    assert (named.model.starts, named.model.tolerance, named.wide) == (2, 1e-3, True)
    with pytest.raises(OptionError, match="dawid-skene has no option 'priors'"):
        estimator.set_params(model__priors=1)
    with pytest.raises(ValueError, match="Invalid parameter 'modle'"):
        estimator.set_params(modle=1)
    assert repr(TruthEstimator(Mean())) == "TruthEstimator(model=Mean())"
    again = pickle.loads(pickle.dumps(TruthEstimator(Mean()).fit(long())))
    assert again.predict(long()).tolist() == TruthEstimator(Mean()).fit(long()).predict(long()).tolist()


def test_a_grid_search_over_options_and_over_models():
    x = long()
    search = GridSearchCV(
        TruthEstimator(DawidSkene(), scale="1..4"),
        {"model__prior": [0.0, 1.0, 1e9]},
        cv=KFold(4, shuffle=True, random_state=0),
    ).fit(x)
    scores = search.cv_results_["mean_test_score"]
    assert search.best_params_ == {"model__prior": 1.0}
    assert np.log(1e-12) < scores.min()
    assert scores.max() > scores[2] == pytest.approx(np.log(1 / 4))  # where all answers are alike
    assert search.predict(x).shape == (len(x),)
    models = [DawidSkene(), OrdBinary(), Mean(), OrdinalMixture(starts=1)]
    over_models = GridSearchCV(TruthEstimator(scale="1..4"), {"model": models}, cv=3).fit(x)
    assert np.isfinite(over_models.cv_results_["mean_test_score"]).all()


def test_instances_that_are_new_are_scored_too():
    x = long()
    by_item = cross_val_score(
        TruthEstimator(DawidSkene(), scale="1..4"), x, groups=x["item"], cv=GroupKFold(3), error_score="raise"
    )
    by_row = cross_val_score(TruthEstimator(DawidSkene(), scale="1..4"), x, cv=3, error_score="raise")
    wide = cross_val_score(TruthEstimator(DawidSkene(), scale="1..4", wide=True), matrix(), cv=3, error_score="raise")
    assert by_item.mean() < by_row.mean()  # nothing is known about them, but who rates
    assert by_item.mean() < wide.mean()


def test_a_step_of_a_pipeline():
    x = matrix()
    high = np.nan_to_num(x).max(axis=1) > 3
    pipeline = make_pipeline(TruthEstimator(OrdinalMixture(starts=1), scale="1..4", wide=True), LogisticRegression())
    assert pipeline.fit(x, high).score(x, high) > 0.7
    named = (
        TruthEstimator("mean", scale="1..4", wide=True).set_output(transform="pandas").fit_transform(pd.DataFrame(x))
    )
    assert named.columns.tolist() == ["p_1", "p_2", "p_3", "p_4"]


def split():
    x = long()
    return x.iloc[60:], pd.concat([x.iloc[:60], pd.DataFrame({"judge": ["new"], "item": [999], "score": [2]})])


@pytest.mark.parametrize("model", [DawidSkene(), OrdinalMixture(starts=1)])
def test_the_score_is_the_models_own_probability(model):
    train, test = split()
    estimator = TruthEstimator(model, scale="1..4").fit(train)
    table = estimator.fit_.rating_probabilities(annotator=test["judge"], instance=test["item"])
    wanted = np.mean([np.log(table[f"p_{grade}"].iloc[i]) for i, grade in enumerate(test["score"])])
    assert estimator.score(test) == pytest.approx(wanted, rel=1e-12)


def test_the_score_of_a_model_without_matrices_is_counted():
    train, test = split()
    estimator = TruthEstimator("mean", scale="1..4").fit(train)
    p = estimator.fit_.truth.set_index("instance")[["p_1", "p_2", "p_3", "p_4"]]
    pooled, own = np.full((4, 4), 0.5), {}
    for row in train.itertuples():
        counts = own.setdefault(row.judge, np.zeros((4, 4)))
        for k in range(4):
            counts[k, row.score - 1] += p.loc[row.item].iloc[k]
            pooled[k, row.score - 1] += p.loc[row.item].iloc[k]
    pooled /= pooled.sum(axis=1, keepdims=True)
    told = []
    for row in test.itertuples():
        chances = own.get(row.judge, 0) + 5 * pooled
        chances = chances / chances.sum(axis=1, keepdims=True)
        truth = p.loc[row.item] if row.item in p.index else p.mean()
        told.append(np.log(truth.to_numpy() @ chances[:, row.score - 1]))
    assert estimator.score(test) == pytest.approx(np.mean(told), rel=1e-9)


@pytest.mark.parametrize("model", [DawidSkene(), OrdinalMixture(starts=1), Mean()])
def test_the_score_of_a_matrix_leaves_each_rating_out_in_turn(model):
    x = matrix()
    train, test = x[15:], x[:15].copy()
    test[3, :] = np.nan
    test[3, 1] = 2  # the only rating of its row
    estimator = TruthEstimator(model, scale="1..4", wide=True).fit(train)
    told = []
    for i, n in zip(*np.nonzero(~np.isnan(test)), strict=True):
        row = test[i].copy()
        grade, row[n] = int(row[n]), np.nan
        if np.isnan(row).all():
            told.append(estimator.score(test[i : i + 1]))
            continue
        others = np.flatnonzero(~np.isnan(row))
        ratings = Ratings.from_arrays(
            annotator=others, instance=[0] * others.size, rating=row[others], scale=estimator.fit_.scale
        )
        if isinstance(model, Mean):
            p = model.fit(ratings).posterior.probabilities(ratings.scale)
            told.append(np.log(estimator._habits.told(p, codes_of(estimator, [n]), np.array([grade - 1]))[0]))
            continue
        # One more rating, by the one who is left out: its own truth is told by itself and stays aside.
        extra = Ratings.from_arrays(
            annotator=[*others, n], instance=[0] * others.size + [1], rating=[*row[others], 1], scale=ratings.scale
        )
        seen = estimator.fit_.predict(extra)
        told.append(np.log(seen.rating_probabilities(annotator=[n], instance=[0])[f"p_{grade}"][0].as_py()))
    assert estimator.score(test) == pytest.approx(np.mean(told), rel=1e-4)  # the mixture's predictions iterate


def codes_of(estimator, annotators):
    ids = estimator.fit_.annotator_ids
    return np.array([ids.code_of(str(n), "annotator") for n in annotators])


def test_the_score_on_a_real_scale_is_a_squared_distance():
    x = long().assign(score=lambda f: f["score"] + 0.25)
    train, test = x.iloc[60:], x.iloc[:60]
    estimator = TruthEstimator("continuous", scale="real").fit(train)
    truth = estimator.fit_.truth.set_index("instance")["estimate"]
    known = truth.reindex(test["item"]).fillna(truth.mean())
    assert estimator.score(test) == pytest.approx(-np.mean((test["score"].to_numpy() - known.to_numpy()) ** 2))
    assert estimator.get_feature_names_out().tolist() == ["estimate", "sd"]


@pytest.mark.parametrize(
    ("make", "told"),
    [
        (lambda: TruthEstimator().fit(np.ones((3, 2))), r"X has the shape \(3, 2\); give a row of annotator"),
        (lambda: TruthEstimator(wide=True, scale="1..2").fit([[1, 2], [np.nan, np.nan]]), "row 1 of X has no rating"),
        (
            lambda: TruthEstimator(wide=True).fit(np.random.default_rng(0).random((200, 2))),
            r"X: .*more than 101 grades",
        ),
    ],
)
def test_what_it_refuses(make, told):
    with pytest.raises(RatingError, match=told):
        make()


@pytest.mark.parametrize("model", [3, "dawid", DawidSkene])
def test_what_is_no_model(model):
    estimator = TruthEstimator(model)
    assert estimator.get_params()["model"] is model
    with pytest.raises(OptionError, match=r"no model 'dawid'|pass a model such as truegrade\.Auto\(\)"):
        estimator.fit(long())


def test_auto_is_what_it_begins_with():
    assert TruthEstimator().fit(long()).fit_.model == Auto.name


def test_nothing_else_imports_scikit_learn():
    script = "import sys, truegrade.compat.crowdkit, truegrade.fit; print('sklearn' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"
