"""What users meet in crowd-kit 1.4.2 as a crash or a wrong answer, and what our classes do instead."""

import copy
import pickle
import subprocess
import sys
import warnings

import crowdkit_cases as cases
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from truegrade import Fit, Glad, Ratings
from truegrade.compat import crowdkit
from truegrade.compat.crowdkit import GLAD, DawidSkene, MajorityVote, OneCoinDawidSkene
from truegrade.errors import ColumnError, GoldError, IdError, OptionError, RatingError, TruegradeWarning

CLASSES = [MajorityVote, DawidSkene, OneCoinDawidSkene, GLAD]
TABLES = ("labels_", "probas_", "priors_", "errors_", "skills_", "alphas_", "betas_")
every_class = pytest.mark.parametrize("cls", CLASSES)


def words():
    rows, _ = cases.words()
    return pd.DataFrame(rows, columns=["task", "worker", "label"])


def numbers_of(aggregator):
    for name in TABLES:
        if hasattr(aggregator, name) and name != "labels_":
            yield getattr(aggregator, name).to_numpy(dtype=float)


LIKE_TEXT = ("object", "string", "string[pyarrow]", "category")


# Three tasks may well miss a label, and one coin says so.
few_tasks = pytest.mark.filterwarnings("ignore:with a learned prevalence:truegrade.errors.TruegradeWarning")


@few_tasks
@every_class
@pytest.mark.parametrize("odd", cases.odd_frames(pd).keys() - {"no rows", "a task without labels"})
def test_labels_of_every_type_are_counted_and_keep_it(cls, odd):
    frame = cases.odd_frames(pd)[odd]
    found = cls().fit(frame)  # a warning from pandas would be an error here
    assert found.labels_.dtype == frame["label"].dtype
    assert found.probas_.columns.dtype == frame["label"].dtype
    assert found.labels_.index.dtype == frame["task"].dtype
    assert list(found.labels_.index) == list(dict.fromkeys(frame["task"]))
    assert all(np.isfinite(array).all() for array in numbers_of(found))
    np.testing.assert_allclose(found.probas_.sum(axis=1), 1)
    if odd in LIKE_TEXT:
        assert found.labels_.tolist() == ["yes", "yes", "no"]


@few_tasks
@every_class
def test_one_and_its_text_are_two_labels_and_two_tasks(cls):
    frame = pd.DataFrame({"task": [1, 1, "1", "1"], "worker": ["a", "b"] * 2, "label": [1, 1, "1", "1"]})
    found = cls().fit_predict(frame)
    assert [(type(t), type(x)) for t, x in found.items()] == [(int, int), (str, str)]


@few_tasks
@every_class
def test_a_task_without_labels_is_left_out_and_said_so(cls):
    frame = cases.odd_frames(pd)["a task without labels"]
    with pytest.warns(TruegradeWarning, match="3 of 9 rows have no label: left out") as caught:
        found = cls().fit_predict(frame)
    assert found.to_dict() == {"a": "yes", "b": "yes"}
    assert caught[0].filename == __file__


@every_class
@pytest.mark.parametrize("empty", [lambda f: f.iloc[:0], lambda f: f.assign(label=None)], ids=["no rows", "no labels"])
def test_a_frame_without_labels_gives_empty_results_of_the_right_shape(cls, empty):
    frame, found = empty(words()), cls()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", TruegradeWarning)
        labels, full = found.fit_predict(frame), cls().fit(words())
        assert found.fit_predict_proba(frame).empty
    assert (labels.name, labels.index.name, labels.dtype, len(labels)) == ("agg_label", "task", frame["label"].dtype, 0)
    assert found.fit_ is None
    for name in TABLES:
        assert hasattr(found, name) == hasattr(full, name)
        if hasattr(full, name):
            assert getattr(found, name).index.names == getattr(full, name).index.names


@every_class
def test_the_order_of_the_rows_changes_no_bit(cls):
    frame, once = words(), cls().fit(words())
    for seed in range(3):
        again = cls().fit(frame.sample(frac=1, random_state=seed))
        for name in TABLES:
            if hasattr(once, name):
                here, there = getattr(once, name), getattr(again, name)
                there = there.reindex(here.index)
                if isinstance(here, pd.DataFrame):
                    there = there[here.columns]
                assert here.equals(there), name


@every_class
def test_the_names_of_the_labels_change_no_label(cls):
    frame = words().drop_duplicates(["task", "label"])  # hardly any majority
    frame = pd.concat([words(), frame])
    other = {"egg": "c", "ham": "b", "spam": "a"}  # the other way round
    one, two = cls().fit(frame), cls().fit(frame.assign(label=frame["label"].map(other)))
    np.testing.assert_allclose(two.probas_[[other[x] for x in one.probas_.columns]], one.probas_, atol=1e-5)
    clear = np.diff(np.sort(one.probas_, axis=1)[:, -2:], axis=1)[:, 0] > 1e-3
    assert clear.sum() > 15
    assert one.labels_.map(other)[clear].tolist() == two.labels_[clear].tolist()


@every_class
def test_thousands_of_labels_of_a_task_do_not_vanish(cls):
    rng = np.random.default_rng(0)
    truth = np.array(["a", "b", "c"])[np.arange(6000) % 3]
    said = np.where(rng.random(6000) < 0.4, truth, rng.choice(["a", "b", "c"], 6000))
    frame = pd.DataFrame({"task": np.arange(6000) % 3, "worker": np.arange(6000) // 3, "label": said})
    found = cls().fit(frame)
    assert found.labels_.tolist() == ["a", "b", "c"]
    assert all(np.isfinite(array).all() for array in numbers_of(found))


def test_ties_go_to_the_lowest_label_whatever_comes_first():
    for rows in ([("t", "w", "b"), ("t", "v", "a")], [("t", "v", "a"), ("t", "w", "b")]):
        frame = pd.DataFrame(rows, columns=["task", "worker", "label"])
        assert MajorityVote().fit_predict(frame).tolist() == ["a"]
    declared = frame.assign(label=pd.Categorical(frame["label"], categories=["b", "a"]))
    assert MajorityVote().fit_predict(declared).tolist() == ["b"]


@pytest.mark.parametrize("cls", [DawidSkene, OneCoinDawidSkene, GLAD])
def test_the_bound_never_falls_and_the_fit_goes_on_until_it_is_flat(cls):
    found = cls(n_iter=1000).fit(words())
    steps = np.diff(found.loss_history_)
    assert steps.size > 10
    assert steps.min() >= -1e-12
    assert abs(found.loss_history_[-1] - found.loss_history_[-11]) < 1e-5 * abs(found.loss_history_[-1])
    assert found.fit_.status == "CONVERGED"


def test_restarts_begin_at_different_points():
    ratings = Ratings.from_frame(words(), scale="egg,ham,spam")
    assert len(set(Glad(starts=3, max_iterations=2).fit(ratings).bounds)) == 3


def guesses(seed):
    """Workers who mostly guess, one label more often than the others."""
    rng, rows = np.random.default_rng(seed), []
    truth = rng.choice(3, 150, p=[0.4, 0.3, 0.3])
    for worker in range(40):
        skill = rng.uniform(0, 0.3)
        for task in rng.choice(150, 8, replace=False):
            said = truth[task] if rng.random() < skill else rng.choice(3, p=[0.2, 0.2, 0.6])
            rows.append((f"t{task}", f"w{worker}", "abc"[said]))
    return pd.DataFrame(rows, columns=["task", "worker", "label"])


def test_labels_that_run_together_are_noticed():
    with pytest.warns(TruegradeWarning, match="hardly any truth is .*: fitted with a uniform one"):
        found = OneCoinDawidSkene().fit(guesses(1))
    assert found.priors_.tolist() == [1 / 3] * 3
    assert found.probas_.mean().min() > 0.05


def test_one_coin_on_trec_keeps_the_grades_apart(shared_data):
    """crowd-kit's runs into one of the grades, and its labels have nothing to do with gold."""
    folder = shared_data("trec_rf10")
    frame = pd.read_csv(folder / "ratings.csv").rename(
        columns={"instance": "task", "annotator": "worker", "rating": "label"}
    )
    with pytest.warns(TruegradeWarning, match="hardly any truth is .*: fitted with a uniform one"):
        labels = OneCoinDawidSkene().fit_predict(frame[frame["label"] >= 0])
    gold = pd.read_csv(folder / "gold.csv").set_index("instance")["gold"]
    both = pd.concat([labels, gold], axis=1, join="inner").astype(float)
    assert (both["agg_label"] == both["gold"]).mean() > 0.36
    assert both.corr().iloc[0, 1] > 0.12


@every_class
def test_copies_and_clones(cls):
    made = cls() if cls is MajorityVote else cls(n_iter=7)
    fitted = copy.deepcopy(made).fit(words())
    assert cls(**fitted.get_params()) == made
    assert pickle.loads(pickle.dumps(fitted)).labels_.equals(fitted.labels_)
    sklearn = pytest.importorskip("sklearn.base")
    fresh = sklearn.clone(fitted)
    assert fresh == made
    assert not hasattr(fresh, "labels_")


def test_parameters_can_be_set_and_only_those():
    found = GLAD().set_params(n_iter=3, tol=0.5)
    assert (found.n_iter, found.get_params()["tol"]) == (3, 0.5)
    with pytest.raises(OptionError, match="GLAD has no parameter 'labels_'; it has n_iter, tol, silent"):
        found.set_params(labels_=1)
    assert repr(DawidSkene()) == "DawidSkene(n_iter=100, tol=1e-05, initial_error_strategy=None)"


@every_class
def test_the_frame_stays_as_it_is_and_may_have_any_index_and_more_columns(cls):
    frame = words().assign(more=1)
    frame.index = pd.Index(["x", 1] * (len(frame) // 2), dtype=object)
    before = frame.copy()
    found = cls().fit_predict(frame)
    pd.testing.assert_frame_equal(frame, before)
    assert found.equals(cls().fit_predict(words()))


@every_class
def test_frames_of_other_libraries(cls):
    wanted = cls().fit_predict(words())
    columns = words().to_dict("list")
    for frame in (pl.DataFrame(columns), pa.table(columns)):
        assert cls().fit_predict(frame).to_dict() == wanted.to_dict()


def test_the_whole_fit_is_there_too(tmp_path):
    found = DawidSkene().fit(words())
    found.fit_.save(tmp_path)
    again = Fit.load(tmp_path)
    assert again.model == "dawid-skene"
    assert again.truth_table()["grade"].to_pylist() == found.labels_.tolist()
    chances = again.rating_probabilities(annotator=[words()["worker"][0]], instance=[words()["task"][0]])
    assert chances.columns.tolist() == ["annotator", "instance", "p_egg", "p_ham", "p_spam"]


def test_known_labels_stand_and_may_be_new():
    frame = words()
    known = pd.Series({frame["task"][0]: "ox", "elsewhere": "spam", frame["task"][1]: None})
    found = DawidSkene().fit(frame, true_labels=known)
    assert found.labels_[frame["task"][0]] == "ox"
    assert found.probas_.columns.tolist() == [*dict.fromkeys(frame["label"]), "ox"]
    plain, nobody = DawidSkene().fit(frame), DawidSkene().fit(frame, true_labels=pd.Series({"elsewhere": "spam"}))
    assert plain.probas_.equals(nobody.probas_)
    twice = pd.Series(["egg", "ham"], index=[frame["task"][0]] * 2)
    with pytest.raises(GoldError, match=r"true_labels: row 2: instance '.*' has gold 1 and 2; keep one"):
        DawidSkene().fit(frame, true_labels=twice)
    assert OneCoinDawidSkene().fit(frame, true_labels=known).labels_[frame["task"][0]] == "ox"


def test_skills_that_are_missing():
    frame = pd.DataFrame({"task": [1, 1, 2], "worker": ["a", "b", "b"], "label": ["x", "y", "y"]})
    skills = pd.Series({"a": 2.0})
    with pytest.raises(OptionError, match="the skill is missing in 2 labels"):
        MajorityVote().fit(frame, skills)
    with pytest.raises(OptionError, match="1 tasks have no worker with a skill"):
        MajorityVote(on_missing_skill="ignore").fit(frame, skills)
    ignored = MajorityVote(on_missing_skill="ignore").fit(frame.iloc[:2], skills)
    assert ignored.labels_.to_dict() == {1: "x"}
    assert MajorityVote(default_skill=3.0, on_missing_skill="value").fit_predict(frame, skills).tolist() == ["y", "y"]
    for wrong in ({"default_skill": 1.0}, {"on_missing_skill": "value"}):
        with pytest.raises(OptionError, match="go together"):
            MajorityVote(**wrong).fit(frame, skills)
    with pytest.raises(OptionError, match="on_missing_skill='drop': choose"):
        MajorityVote(on_missing_skill="drop").fit(frame, skills)


def errors_of(workers, labels, values):
    index = pd.MultiIndex.from_product([workers, labels], names=["worker", "label"])
    return pd.DataFrame(values, index=index, columns=labels)


def test_what_is_wrong_with_initial_errors():
    frame = words()
    labels = ["egg", "ham", "spam"]
    known = errors_of([frame["worker"][0]], labels, np.ones((3, 3)))
    with pytest.raises(OptionError, match="no rows for 7 of the workers"):
        DawidSkene(initial_error_strategy="assign").fit(frame, initial_error=known)
    with pytest.raises(OptionError, match="initial_error_strategy='add': choose 'assign' or 'addition'"):
        DawidSkene(initial_error_strategy="add").fit(frame, initial_error=known)
    with pytest.raises(OptionError, match=r"indexed by \['who', 'label'\]"):
        DawidSkene(initial_error_strategy="addition").fit(frame, initial_error=known.rename_axis(["who", "label"]))
    with pytest.raises(OptionError, match="no counts or probabilities"):
        DawidSkene(initial_error_strategy="addition").fit(frame, initial_error=-known)
    assert DawidSkene().fit(frame, initial_error=-known).labels_.equals(DawidSkene().fit(frame).labels_)


def test_priors_of_glad():
    frame = words()
    priors = pd.Series({"egg": 0.2, "ham": 0.3, "spam": 0.4, "ox": 0.1})
    found = GLAD(labels_priors=priors).fit(frame)
    assert found.probas_.columns.tolist() == ["egg", "ham", "ox", "spam"]
    pd.testing.assert_series_equal(found.priors_[priors.index], priors)
    with pytest.raises(OptionError, match="a positive number for every label"):
        GLAD(labels_priors=priors[:2]).fit(frame)
    workers = pd.Series(2.0, index=frame["worker"].unique())
    assert GLAD(alphas_priors_mean=workers).fit(frame).alphas_.mean() > GLAD().fit(frame).alphas_.mean()
    workers.iloc[0] = 1.0
    with pytest.raises(OptionError, match="alphas_priors_mean differ; a prior mean must be the same for all"):
        GLAD(alphas_priors_mean=workers).fit(frame)


def test_glad_tells_how_it_goes(capsys):
    GLAD(n_iter=3, silent=False).fit(words())
    assert [line.split(":")[0] for line in capsys.readouterr().err.splitlines()] == [
        f"iteration {i}" for i in (1, 2, 3)
    ]


@pytest.mark.parametrize(
    ("change", "error", "told"),
    [
        (lambda f: f.drop(columns="worker"), ColumnError, r"no column 'worker'; it has \['task', 'label'\]"),
        (lambda f: f.assign(label=[[1]] * len(f)), RatingError, "the labels cannot be told apart"),
        (lambda f: f.assign(label=range(len(f))), RatingError, "there are 150 different labels; at most 101"),
        (lambda f: f.assign(worker=None), IdError, "row 1: the annotator is blank"),
        (lambda f: f.to_dict("list"), OptionError, "a dict is no frame"),
    ],
)
@every_class
def test_frames_that_cannot_be_used(cls, change, error, told):
    with pytest.raises(error, match=told):
        cls().fit(change(words()))


def test_at_least_one_iteration():
    with pytest.raises(OptionError, match="n_iter=0: at least one iteration is needed"):
        DawidSkene(n_iter=0).fit(words())


old_pandas = pytest.mark.skipif(pd.__version__ < "3", reason="pandas 2 cannot tell such a number from others")


@pytest.mark.parametrize("label", ["", float("inf"), pytest.param(10**400, marks=old_pandas), 10**30, -0.0])
def test_labels_that_are_hardly_any(label):
    frame = pd.DataFrame(
        {"task": [1, 1, 1, 2], "worker": list("abca"), "label": [label, label, 5, label]}, dtype=object
    )
    assert MajorityVote().fit_predict(frame).tolist() == [label, label]


def test_numbers_are_grades_and_other_labels_have_no_order():
    rows, _ = cases.grades()
    numbers = MajorityVote().fit(pd.DataFrame(rows, columns=["task", "worker", "label"]))
    assert numbers.fit_.scale.values == (1, 2, 4, 5)
    assert not MajorityVote().fit(words()).fit_.scale.numbered


def test_all_that_is_public_and_nothing_of_others():
    assert sorted(crowdkit.__all__) == sorted(cls.__name__ for cls in CLASSES)
    script = "import sys, truegrade.compat.crowdkit; print(*{name.partition('.')[0] for name in sys.modules})"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert {"pandas", "sklearn", "arviz", "crowdkit"} & set(done.stdout.split()) == set()
