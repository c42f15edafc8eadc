"""Draws for ArviZ: their moments are those of the tables, their coordinates the user's ids."""

import subprocess
import sys

import numpy as np
import pandas as pd
import pytest

from truegrade import (
    Auto,
    Continuous,
    DawidSkene,
    Fit,
    Glad,
    Majority,
    Mean,
    OrdBinary,
    OrdinalMixture,
    OrdinalPanel,
    Ratings,
    simulate,
)
from truegrade.errors import OptionError

SOME = simulate(instances=24, annotators=6, n_ratings=120, grades=4, categories=3, seed=1).ratings
DRAWS = {"draws": 4000, "chains": 2}
ERROR = 5 / np.sqrt(8000)  # five standard errors of the mean of so many draws, in sd


def moments(variable):
    values = variable.to_numpy().reshape(-1, *variable.shape[2:])
    return values.mean(axis=0), values.std(axis=0)


@pytest.mark.parametrize(
    "model",
    [
        Mean(),
        OrdinalMixture(starts=1),
        DawidSkene(),
        OrdBinary(pooled=True, starts=1, max_iterations=20),
        OrdinalPanel(),
        Glad(starts=1),
        Auto(),
        Continuous(),
    ],
    ids=lambda model: model.name,
)
def test_truths_have_the_moments_of_the_table(model):
    fit = model.fit(SOME, gold={SOME.instances.labels[0].as_py(): 2})
    truth = fit.to_arviz(**DRAWS)["posterior"]["truth"]
    table = fit.truth_table().to_pydict()
    assert truth.dims == ("chain", "draw", "instance")
    assert truth.shape == (2, 4000, 24)
    assert truth.coords["instance"].to_numpy().tolist() == table["instance"]
    mean, sd = moments(truth)
    known, wide = np.array(table["estimate"]), np.array(table["sd"])
    assert known[0] == mean[0] == 2
    assert sd[0] == 0
    assert np.all(np.abs(mean - known) <= ERROR * wide + 1e-12)
    np.testing.assert_allclose(sd, wide, rtol=0.15, atol=0.02)


@pytest.mark.parametrize("difficulty", ["none", "category", "instance"])
def test_what_the_mixture_believes_about_annotators_and_eases(difficulty):
    fit = OrdinalMixture(difficulty=difficulty, epsilon_prior=(2, 1), starts=1).fit(SOME)
    posterior = fit.to_arviz(**DRAWS)["posterior"]
    annotators = fit.annotators_table().to_pydict()
    for name in ("expertise", "earnestness"):
        mean, sd = moments(posterior[name])
        assert posterior[name].coords["annotator"].to_numpy().tolist() == annotators["annotator"]
        assert np.all(np.abs(mean - annotators[name]) <= ERROR * sd)
    np.testing.assert_allclose(moments(posterior["expertise"])[1], annotators["expertise_sd"], rtol=0.1)
    # Beta(a, b) with the mean that the table shows, and a + b = ratings + prior.
    e, total = np.array(annotators["earnestness"]), np.array(annotators["n_ratings"]) + 3
    np.testing.assert_allclose(moments(posterior["earnestness"])[1], np.sqrt(e * (1 - e) / (total + 1)), rtol=0.1)
    mean, sd = moments(posterior["ease"])
    if difficulty == "none":
        shape, rate = fit.parameters["delta"]
        wanted = shape / rate
    else:
        table = fit.categories_table() if difficulty == "category" else fit.truth_table()
        assert posterior["ease"].coords[difficulty].to_numpy().tolist() == table[difficulty].to_pylist()
        wanted = table["ease"].to_numpy()
    assert np.all(np.abs(mean - wanted) <= ERROR * sd)


def test_pooled_confusion_matrices_are_drawn():
    fit = DawidSkene(pooled=True, starts=1, max_iterations=20).fit(SOME)
    confusion = fit.to_arviz(**DRAWS)["posterior"]["confusion"]
    assert confusion.dims[2:] == ("annotator", "true_grade", "said_grade")
    assert confusion.coords["true_grade"].to_numpy().tolist() == [1, 2, 3, 4]
    mean, sd = moments(confusion)
    table = fit.confusion().to_pandas()
    wanted = table[["p_1", "p_2", "p_3", "p_4"]].to_numpy().reshape(6, 4, 4)
    assert table["annotator"].tolist()[::4] == confusion.coords["annotator"].to_numpy().tolist()
    assert np.all(np.abs(mean - wanted) <= ERROR * sd + 1e-12)
    np.testing.assert_allclose(confusion.sum("said_grade"), 1)
    size = (fit.parameters["counts"] + fit.parameters["population"]).sum(axis=2)[fit.annotator_ids.code]
    np.testing.assert_allclose(sd, np.sqrt(wanted * (1 - wanted) / (size[:, :, None] + 1)), rtol=0.15, atol=1e-4)


@pytest.mark.parametrize(
    ("model", "known"),
    [
        (OrdinalMixture(starts=1), {"earnestness"}),
        (DawidSkene(), {"confusion"}),
        (OrdinalPanel(), {"confusion"}),
        (Glad(starts=1), {"confusion", "ability", "ease"}),
        (Continuous(method="ml"), {"expertise"}),
    ],
    ids=lambda given: getattr(given, "name", ""),
)
def test_points_are_no_draws(model, known):
    fit = model.fit(SOME)
    found = fit.to_arviz(draws=2)
    points = found["constant_data"]
    assert set(points.data_vars) == known
    annotators = fit.annotators_table().to_pydict()
    for name in known & {"earnestness", "ability", "expertise"}:
        np.testing.assert_allclose(points[name], annotators[name])
    if "confusion" in known:
        matrix = fit.confusion().to_pandas()[["p_1", "p_2", "p_3", "p_4"]].to_numpy()
        np.testing.assert_allclose(points["confusion"].to_numpy().reshape(-1, 4), matrix)


def test_ratings_go_along():
    frame = pd.DataFrame({"annotator": ["b", "a", "b"], "instance": [7, 7, 3], "rating": [2, 1, 3]})
    ratings = Ratings.from_frame(frame)
    found = Mean().fit(ratings).to_arviz(ratings, draws=2)
    observed = found["observed_data"]
    assert observed["rating"].to_numpy().tolist() == [2, 1, 3]
    assert observed["rated_by"].to_numpy().tolist() == ["b", "a", "b"]
    assert observed["rated_instance"].to_numpy().tolist() == [7, 7, 3]
    assert found["posterior"].coords["instance"].to_numpy().tolist() == [7, 3]
    assert "observed_data" not in Mean().fit(ratings).to_arviz(draws=2).groups()
    with pytest.raises(OptionError, match="not the ratings that the fit was made from"):
        Mean().fit(ratings).to_arviz(SOME)


def test_ids_of_mixed_types_become_text():
    ratings = Ratings.from_frame(pd.DataFrame({"annotator": [1, "1"], "instance": ["x", 2.5], "rating": [1, 2]}))
    found = OrdinalMixture(starts=1).fit(ratings).to_arviz(ratings, draws=2)
    assert found["posterior"].coords["annotator"].to_numpy().tolist() == ["1", "1"]
    assert found["posterior"].coords["instance"].to_numpy().tolist() == ["x", "2.5"]


def test_a_seed_fixes_the_draws_and_a_saved_fit_gives_the_same(tmp_path):
    fit = OrdinalMixture(epsilon_prior=(1, 1), starts=1).fit(SOME)
    fit.save(tmp_path)
    one, two, other = fit.to_arviz(draws=3), Fit.load(tmp_path).to_arviz(draws=3), fit.to_arviz(draws=3, seed=1)
    assert one["posterior"].equals(two["posterior"])
    assert not np.any(one["posterior"]["truth"] == other["posterior"]["truth"])
    assert one["posterior"].attrs["inference_library"] == "truegrade"
    assert one["posterior"].attrs["model"] == "ordinal-mixture"


def test_arviz_takes_them():
    arviz = pytest.importorskip("arviz")
    fit = OrdinalMixture(starts=1).fit(SOME)
    table = arviz.summary(fit.to_arviz(SOME), var_names=["truth"])
    np.testing.assert_allclose(table["mean"], fit.truth_table()["estimate"].to_numpy(), atol=0.2)
    assert table["r_hat"].max() < 1.05


def test_a_tree_where_arviz_has_no_inference_data(monkeypatch):
    monkeypatch.setitem(sys.modules, "arviz", None)
    tree = Mean().fit(SOME).to_arviz(SOME, draws=5)
    assert type(tree).__name__ == "DataTree"
    assert set(tree.children) == {"posterior", "observed_data"}
    assert tree["posterior"]["truth"].shape == (4, 5, 24)


def test_what_cannot_be_had(monkeypatch):
    with pytest.raises(OptionError, match="majority does not say how sure it is"):
        Majority().fit(SOME).to_arviz()
    with pytest.raises(OptionError, match="draws=0, chains=4: at least one of each"):
        Mean().fit(SOME).to_arviz(draws=0)
    with pytest.raises(OptionError, match="seed=-1"):
        Mean().fit(SOME).to_arviz(seed=-1)
    monkeypatch.setitem(sys.modules, "xarray", None)
    with pytest.raises(OptionError, match=r"pip install 'truegrade\[arviz\]'"):
        Mean().fit(SOME).to_arviz()


def test_nothing_else_imports_arviz():
    script = "import sys, truegrade.fit, truegrade.compat.crowdkit; print({'arviz', 'xarray'} & set(sys.modules))"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "set()"
