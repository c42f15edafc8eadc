"""The labels of a frame, which are any hashable things, as grades; and codes back as pandas' indices."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from truegrade.errors import ColumnError, OptionError, RatingError, TruegradeWarning
from truegrade.gold import Gold
from truegrade.ratings import Ratings
from truegrade.scale import LARGEST, MAX_GRADES, Scale, read_number

if TYPE_CHECKING:
    import pandas as pd
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]
    Codes = NDArray[np.intp]

__all__ = ["LabelledTasks", "encode", "index_of", "sorted_where_possible", "task_frame"]

_COLUMNS = ["task", "worker", "label"]


@dataclass(frozen=True)
class LabelledTasks:
    """The ratings of a frame, and the way back to its tasks, workers and labels.

    Tables that models return are in the order of the codes; ``*_order`` puts them in order of first appearance.
    """

    ratings: Ratings
    gold: Gold | None
    labels: pd.Index  # (K,): in order of first appearance
    grade: Codes  # (K,): the grade that stands for each of them
    tasks: pd.Index  # (M,): in order of first appearance
    task_order: Codes  # (M,): their codes
    workers: pd.Index  # (N,)
    worker_order: Codes  # (N,)

    def by_task(self, p: Floats) -> pd.DataFrame:
        """P(grade) (M, K) by task and label, both in order of first appearance."""
        import pandas as pd

        return pd.DataFrame(p[self.task_order][:, self.grade], index=self.tasks, columns=self.labels)

    def labels_of(self, grade: NDArray[Any]) -> pd.Series[Any]:
        """The label that each instance's grade (M,) stands for, by task."""
        import pandas as pd

        label = self.labels.take(np.argsort(self.grade)[grade[self.task_order]])
        return pd.Series(label.array, index=self.tasks, name="agg_label", dtype=label.dtype)

    def by_worker(self, array: Floats, name: str) -> pd.Series[Any]:
        """A number per annotator (N,) by worker."""
        import pandas as pd

        return pd.Series(array[self.worker_order], index=self.workers, name=name)

    def by_label(self, array: Floats, name: str | None) -> pd.Series[Any]:
        """A number per grade (K,) by label."""
        import pandas as pd

        return pd.Series(array[self.grade], index=self.labels, name=name)

    def by_worker_and_label(self, confusion: Floats) -> pd.DataFrame:
        """P(says j | truth is k) (N, K, K) with a row per worker and label that it gave, and a column per truth."""
        import pandas as pd

        r, grades = self.ratings, self.ratings.scale.n_grades
        rows = np.argsort(r.row)
        pair = (r.annotator.astype(np.int64) * grades + r.grade)[rows]
        _, first = np.unique(pair, return_index=True)
        annotator, said = np.divmod(pair[np.sort(first)], grades)
        worker, label = np.argsort(self.worker_order)[annotator], np.argsort(self.grade)[said]
        index = pd.MultiIndex.from_arrays(
            [self.workers.take(worker), self.labels.take(label)], names=["worker", "label"]
        )
        return pd.DataFrame(confusion[annotator, :, said][:, self.grade], index=index, columns=self.labels.rename(None))


def task_frame(data: Any) -> pd.DataFrame:
    """The three columns as a pandas frame, its rows numbered from 0."""
    import pandas as pd

    if not isinstance(data, pd.DataFrame):
        from truegrade.frames import frame_table

        try:
            data = frame_table(data).to_pandas()
        except TypeError:
            raise OptionError(f"a {type(data).__name__} is no frame; pass one with {', '.join(_COLUMNS)}") from None
    missing = [name for name in _COLUMNS if name not in data.columns]
    if missing:
        raise ColumnError(f"the frame: no column {', '.join(map(repr, missing))}; it has {list(data.columns)}")
    return data[_COLUMNS].reset_index(drop=True)


def encode(
    frame: pd.DataFrame, weight: Floats | None = None, true_labels: Any = None, also: pd.Index | None = None
) -> LabelledTasks | None:
    """The rows that have a label, as ratings; None where there are none.

    weight (rows,): of the ratings. true_labels: by task. also: labels that count even if nobody gave them.
    """
    import pandas as pd

    code, labels = _factorized(frame["label"], "label")
    left_out = int(np.count_nonzero(code < 0))
    if left_out:
        warnings.warn(f"{left_out} of {code.size} rows have no label: left out", TruegradeWarning, stacklevel=4)
        kept = code >= 0
        frame, code = frame[kept].reset_index(drop=True), code[kept]
        weight = None if weight is None else weight[kept]
    if not code.size:
        return None
    known = None if true_labels is None else _rated(true_labels, frame["task"])
    for more in (also, None if known is None else pd.Index(known.unique())):
        if more is not None:
            labels = labels.append(more.difference(labels, sort=False))
    grade, scale = _graded(labels)
    columns = {"annotator": frame["worker"], "instance": frame["task"], "rating": scale.array[grade[code]]}
    named = None if scale.names is None else np.array(scale.names, dtype=object)
    if named is not None:
        columns["rating"] = named[grade[code]]
    if weight is not None:
        columns["weight"] = weight
    r = Ratings.from_frame(pd.DataFrame(columns), scale=scale)
    first_task = np.minimum.reduceat(r.row, r.instance_ptr[:-1])
    first_worker = np.full(r.n_annotators, len(frame))
    np.minimum.at(first_worker, r.annotator, r.row)
    return LabelledTasks(
        ratings=r,
        gold=None if known is None or known.empty else _gold(known, labels, grade, scale),
        labels=labels.rename("label"),
        grade=grade,
        tasks=index_of(frame["task"].iloc[np.sort(first_task)]),
        task_order=np.argsort(first_task),
        workers=index_of(frame["worker"].iloc[np.sort(first_worker)]),
        worker_order=np.argsort(first_worker),
    )


def index_of(column: pd.Series[Any]) -> pd.Index:
    """A column as an index of its name and type; pandas would guess at a type for objects."""
    import pandas as pd

    return pd.Index(column, dtype=column.dtype)


def sorted_where_possible(index: pd.Index) -> NDArray[np.intp]:
    """The positions of the entries in ascending order; as they stand where they do not compare."""
    try:
        order: NDArray[np.intp] = index.argsort()
    except TypeError:
        return np.arange(len(index))
    return order


def _factorized(column: pd.Series[Any], name: str) -> tuple[Codes, pd.Index]:
    """Each different cell once, in order of first appearance, and which stands in each row; -1 = none."""
    import pandas as pd

    try:
        code, _ = pd.factorize(column)
    except (TypeError, OverflowError) as error:
        raise RatingError(f"the {name}s cannot be told apart: {error}; pass texts, numbers or truth values") from None
    _, first = np.unique(code[code >= 0], return_index=True)
    return code, index_of(column[code >= 0].iloc[first])  # factorize itself may lose the column's type


def _rated(true_labels: Any, tasks: pd.Series[Any]) -> pd.Series[Any]:
    """The true labels of tasks that somebody labelled."""
    import pandas as pd

    known = pd.Series(true_labels)
    return known[known.index.isin(tasks) & known.notna().to_numpy()]


def _graded(labels: pd.Index) -> tuple[Codes, Scale]:
    """The grade of each label, and their scale: numbers are what they are, other labels are names without an order.

    Grades follow the labels and never the rows: categories as declared, all else sorted.
    """
    import pandas as pd

    if len(labels) > MAX_GRADES:
        raise RatingError(f"there are {len(labels)} different labels; at most {MAX_GRADES} are possible")
    if isinstance(labels, pd.CategoricalIndex):
        order = np.argsort(labels.codes, kind="stable")
    else:
        order = np.array(sorted(range(len(labels)), key=lambda i: _sort_key(labels[i])), dtype=np.intp)
    grade = np.argsort(order)
    values = [labels[i] for i in order]
    places = [read_number(value) if _is_number(value) else None for value in values]
    found = [place for place in places if place is not None and abs(place) <= LARGEST]
    if len(found) == len(values) and all(a < b for a, b in pairwise(found)):
        return grade, Scale(tuple(found))
    texts = [str(value).strip() for value in values]
    if len(set(texts)) < len(texts) or not all(texts):
        texts = [f"{value!r} ({type(value).__name__})" for value in values]
    return grade, Scale.named(texts)


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float | np.integer | np.floating) and not isinstance(value, bool)


def _sort_key(value: Any) -> tuple[bool, Any, str, str]:
    """Numbers and truth values by size, then the rest by type and text."""
    if _is_number(value) or isinstance(value, bool | np.bool_):
        return False, value, "", ""
    return True, 0, type(value).__name__, str(value)


def _gold(known: pd.Series[Any], labels: pd.Index, grade: Codes, scale: Scale) -> Gold:
    import pandas as pd

    value = scale.array[grade[labels.get_indexer(pd.Index(known))]]
    return Gold.from_frame(pd.DataFrame({"instance": known.index, "gold": value}), where="true_labels")
