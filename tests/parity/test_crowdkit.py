"""Our crowd-kit classes beside crowd-kit's own, where both are meant to agree.

What crowd-kit finds on the small frames of crowdkit_cases.py is on record; `make crowdkit` records it anew.
"""

import inspect
import json
import os
from pathlib import Path

import crowdkit_cases as cases
import numpy as np
import pandas as pd
import pytest

from truegrade.compat import crowdkit

RECORD = Path(__file__).parents[1] / "golden" / "crowdkit-1.4.2.json"
THEIRS = json.loads(Path(os.environ.get("TRUEGRADE_CROWDKIT_RECORD", RECORD)).read_text())
NAMES = ("words", "grades")
CLASSES = [getattr(crowdkit, name) for name in crowdkit.__all__]


def frame_of(name):
    rows, truth = getattr(cases, name)()
    return pd.DataFrame(rows, columns=["task", "worker", "label"]), rows, truth


def assert_same(found, record, atol=0.0):
    """The same index, order, names and types, and numbers within `atol` (or ten digits, which are on record)."""
    assert list(found.index.names) == record["index_names"]
    assert list(found.index) == [tuple(x) if isinstance(x, list) else x for x in record["index"]]
    values = np.array(record["values"])
    if isinstance(found, pd.Series):
        # What is on record was found under pandas 3; before, text was of type object.
        kind = pd.Series(["text"]).dtype if record["dtype"] == "str" else record["dtype"]
        assert (found.name, found.dtype) == (record["name"], kind)
    else:
        assert (list(found.columns), found.columns.name) == (record["columns"], record["columns_name"])
    if values.dtype.kind == "f":
        np.testing.assert_allclose(found.to_numpy(), values, rtol=1e-9, atol=max(atol, 2e-10))
    else:
        assert found.tolist() == values.tolist()


def assert_all_same(aggregator, record, names=None, atol=0.0):
    for name in record if names is None else names:
        assert_same(getattr(aggregator, name), record[name], atol)


@pytest.mark.parametrize("cls", CLASSES)
@pytest.mark.parametrize("method", ["__init__", "fit", "fit_predict", "fit_predict_proba"])
def test_the_same_arguments_with_the_same_defaults(cls, method):
    function = cls if method == "__init__" else getattr(cls, method)
    arguments = inspect.signature(function).parameters.values()
    ours = [[each.name, None if each.default is each.empty else repr(each.default)] for each in arguments]
    theirs = THEIRS["signatures"][cls.__name__][method]
    assert ours[: len(theirs)] == theirs


@pytest.mark.parametrize("name", NAMES)
def test_votes(name):
    frame, rows, _ = frame_of(name)
    record = THEIRS["results"][name]
    plain = crowdkit.MajorityVote().fit(frame)
    assert_all_same(plain, record["votes"], ["probas_"])
    clear = plain.probas_.apply(lambda p: (p == p.max()).sum() == 1, axis=1)  # ties are ours
    theirs = pd.Series(record["votes"]["labels_"]["values"], index=record["votes"]["labels_"]["index"])
    assert clear.sum() > 20
    assert plain.labels_[clear].tolist() == theirs[clear].tolist()
    skills = pd.Series(cases.some_skills(rows))
    assert_all_same(crowdkit.MajorityVote().fit(frame, skills), record["weighted votes"])
    partly = crowdkit.MajorityVote(default_skill=0.5, on_missing_skill="value").fit(frame, skills.iloc[:-1])
    assert_all_same(partly, record["partly weighted votes"])


@pytest.mark.parametrize("passes", [1, 8])
@pytest.mark.parametrize("how", ["DawidSkene", "OneCoinDawidSkene", "known", "assign", "addition"])
@pytest.mark.parametrize("name", NAMES)
def test_dawid_skene_pass_by_pass(name, how, passes):
    frame, rows, truth = frame_of(name)
    options, given = {"n_iter": passes, "tol": 0}, {}
    cls = crowdkit.OneCoinDawidSkene if how == "OneCoinDawidSkene" else crowdkit.DawidSkene
    if how == "known":
        given["true_labels"] = pd.Series(cases.some_truths(truth))
    elif how in ("assign", "addition"):
        options["initial_error_strategy"] = how
        given["initial_error"] = cases.history(pd, rows, tuple(dict.fromkeys(frame["label"])))[how]
    found = cls(**options).fit(frame, **given)
    # crowd-kit takes no probability for less than 1e-10.
    assert_all_same(found, THEIRS["results"][name][f"{how} {passes}"], atol=1e-9)


def test_glad_where_it_converges():
    frame, _, _ = frame_of("words")
    record = THEIRS["results"]["words"]
    assert_all_same(crowdkit.GLAD(n_iter=1000, tol=0).fit(frame), record["GLAD"], atol=1e-4)
    found = crowdkit.GLAD(n_iter=1000, tol=0, labels_priors=pd.Series(cases.PRIORS)).fit(frame)
    assert_all_same(found, record["GLAD by priors"], atol=1e-4)


# Where crowd-kit crashes or finds nothing ours do better, and a task that nobody labelled, or a frame where labels
# say hardly anything, is answered by the rule for ties.
DIFFERENT = {"a task without labels", "one worker", "ids of other types", "mixed"}
ANSWERED = [
    (odd, cls)
    for odd, by_class in THEIRS["odd frames"].items()
    for cls, found in by_class.items()
    if "=" in found and odd not in DIFFERENT
]


@pytest.mark.filterwarnings("ignore:with a learned prevalence:truegrade.errors.TruegradeWarning")
@pytest.mark.parametrize(("odd", "cls"), ANSWERED)
def test_the_same_labels_on_odd_frames(odd, cls):
    found = getattr(crowdkit, cls)().fit_predict(cases.odd_frames(pd)[odd])
    assert "; ".join(f"{task}={label}" for task, label in found.items()) == THEIRS["odd frames"][odd][cls]
