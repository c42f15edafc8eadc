"""Where Dawid-Skene begins when the user knows the workers' errors from before."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from truegrade.errors import OptionError
from truegrade.inference.counting import grade_counts
from truegrade.models.majority import Majority

if TYPE_CHECKING:
    import pandas as pd

    from truegrade.compat.crowdkit._labels import LabelledTasks
    from truegrade.fit import Fit

__all__ = ["start_from_errors"]


def start_from_errors(tasks: LabelledTasks, initial_error: pd.DataFrame, strategy: str) -> Fit:
    """A fit whose confusion matrices are the user's, or what the votes say with the user's counts added."""
    if strategy not in ("assign", "addition"):
        raise OptionError(f"initial_error_strategy='{strategy}': choose 'assign' or 'addition'")
    given, known = _counts(tasks, initial_error)
    r, grades = tasks.ratings, tasks.ratings.scale.n_grades
    votes = grade_counts(r)
    votes /= votes.sum(axis=1, keepdims=True)
    if tasks.gold is not None:
        at, value = tasks.gold.on(r)
        votes[at] = np.eye(grades)[r.scale.nearest(value)]
    if strategy == "addition":
        pair = r.annotator.astype(np.int64) * grades + r.grade
        for k in range(grades):
            of_truth = np.bincount(pair, votes[r.instance_of(), k], r.n_annotators * grades)
            given[:, k, :] += of_truth.reshape(-1, grades)
    elif not known.all():
        raise OptionError(
            f"initial_error has no rows for {np.count_nonzero(~known)} of the workers; give all of them, "
            "or choose 'addition'"
        )
    parameters = {"counts": given, "prevalence": votes.mean(axis=0)}
    return replace(Majority().fit(r), model="dawid-skene", parameters=parameters)


def _counts(tasks: LabelledTasks, initial_error: pd.DataFrame) -> tuple[Any, Any]:
    """The matrices as counts of (worker, truth, label) (N, K, K), and which workers have one (N,)."""
    if list(initial_error.index.names) != ["worker", "label"]:
        raise OptionError(
            f"initial_error is indexed by {list(initial_error.index.names)}; index it by worker and label"
        )
    worker = tasks.workers.get_indexer(initial_error.index.get_level_values("worker"))
    label = tasks.labels.get_indexer(initial_error.index.get_level_values("label"))
    truth = tasks.labels.get_indexer(initial_error.columns)
    rows, columns = np.flatnonzero((worker >= 0) & (label >= 0)), np.flatnonzero(truth >= 0)
    values = initial_error.to_numpy(dtype=np.float64)[np.ix_(rows, columns)]
    if not np.all(values >= 0) or not np.all(np.isfinite(values)):
        raise OptionError("initial_error holds numbers that are no counts or probabilities; give finite ones from 0 up")
    counts = np.zeros((len(tasks.workers), len(tasks.labels), len(tasks.labels)))
    annotator = tasks.worker_order[worker[rows]]
    counts[annotator[:, None], tasks.grade[truth[columns]][None, :], tasks.grade[label[rows]][:, None]] = values
    known = np.zeros(len(tasks.workers), dtype=bool)
    known[annotator] = True
    return counts, known
