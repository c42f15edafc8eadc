"""What all of crowd-kit's aggregators have in common: parameters that can be read, set and cloned, and results."""

from __future__ import annotations

import warnings
from dataclasses import dataclass, field, fields
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from truegrade.compat.crowdkit._labels import index_of, sorted_where_possible
from truegrade.errors import OptionError, TruegradeWarning
from truegrade.fit import Fit, Status

if TYPE_CHECKING:
    import pandas as pd

    from truegrade.compat.crowdkit._labels import LabelledTasks

__all__ = ["Aggregator", "Iterated"]


@dataclass
class Aggregator:
    """An aggregator of labels.

    It finds `labels_`, the label of each task; `probas_`, the probability of each label, by task; `fit_`, what
    truegrade found, with intervals, notes, `save` and `predict`, None where there were no labels.
    """

    labels_: pd.Series[Any] = field(init=False, repr=False, compare=False)
    probas_: pd.DataFrame = field(init=False, repr=False, compare=False)
    fit_: Fit | None = field(init=False, repr=False, compare=False)

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """The arguments that this object was made with; scikit-learn's ``clone`` asks for them."""
        return {each.name: getattr(self, each.name) for each in fields(self) if each.init}

    def set_params(self, **params: Any) -> Self:
        """Change arguments; returns self."""
        known = self.get_params()
        for name, value in params.items():
            if name not in known:
                raise OptionError(f"{type(self).__name__} has no parameter '{name}'; it has {', '.join(known)}")
            setattr(self, name, value)
        return self

    def _take(self, tasks: LabelledTasks, fit: Fit) -> None:
        """Keep what every model finds."""
        self.fit_ = fit
        self.probas_ = tasks.by_task(fit.posterior.probabilities(fit.scale))
        self.labels_ = tasks.labels_of(fit.posterior.grade(fit.scale))

    def _sort(self) -> None:
        """Tasks and labels in ascending order, for those aggregators where crowd-kit has them so."""
        rows, columns = sorted_where_possible(self.probas_.index), sorted_where_possible(self.probas_.columns)
        self.probas_ = self.probas_.iloc[rows, columns]
        self.labels_ = self.labels_.iloc[rows]

    def _take_nothing(self, frame: pd.DataFrame) -> None:
        """The results of a frame without labels."""
        import pandas as pd

        tasks = index_of(frame["task"].iloc[:0])
        self.fit_ = None
        self.probas_ = pd.DataFrame(index=tasks, columns=index_of(frame["label"].iloc[:0]), dtype=float)
        self.labels_ = pd.Series(frame["label"].iloc[:0].array, index=tasks, name="agg_label")


@dataclass
class Iterated(Aggregator):
    """One that goes on until its bound is flat.

    n_iter: at most so many iterations.
    tol: stop when ten of them together moved the bound by less than this share of it; 0 or less: not before n_iter.

    `loss_history_` is the bound per label after each iteration.
    """

    n_iter: int = 100
    tol: float = 1e-5
    loss_history_: list[float] = field(init=False, repr=False, compare=False)

    def _stop(self) -> dict[str, Any]:
        """The same in our models' words."""
        if self.n_iter < 1:
            raise OptionError(f"n_iter={self.n_iter}: at least one iteration is needed")
        return {"max_iterations": self.n_iter, "tolerance": self.tol if self.tol > 0 else np.finfo(float).tiny}

    def _take(self, tasks: LabelledTasks, fit: Fit) -> None:
        super()._take(tasks, fit)
        self.loss_history_ = (fit.trace / tasks.ratings.total_weight).tolist()
        if fit.status is Status.NOT_FINITE:
            warnings.warn("a number overflowed: the results are the last finite ones", TruegradeWarning, stacklevel=4)

    def _take_nothing(self, frame: pd.DataFrame) -> None:
        super()._take_nothing(frame)
        self.loss_history_ = []
