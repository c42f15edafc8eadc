"""crowd-kit's DawidSkene and OneCoinDawidSkene over :class:`truegrade.DawidSkene`."""

from __future__ import annotations

import warnings
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Literal, Self

from truegrade.compat.crowdkit._aggregator import Iterated
from truegrade.compat.crowdkit._labels import encode, index_of, task_frame
from truegrade.compat.crowdkit._starts import start_from_errors
from truegrade.errors import TruegradeWarning
from truegrade.models.dawid_skene import DawidSkene as Model

if TYPE_CHECKING:
    import pandas as pd

    from truegrade.compat.crowdkit._labels import LabelledTasks
    from truegrade.fit import Fit

__all__ = ["DawidSkene", "OneCoinDawidSkene"]


@dataclass
class DawidSkene(Iterated):
    """A confusion matrix per worker, by maximum likelihood from the shares of the votes.

    initial_error_strategy: what becomes of initial_error at the start. "assign" takes it in place of what the votes
        say, "addition" adds it to that as counts.

    It finds `labels_` and `probas_` by task; `priors_`, how common each label is; `errors_`, P(label | truth), with a
    row for each label that a worker gave and a column per truth; and `loss_history_`.
    """

    initial_error_strategy: Literal["assign", "addition"] | None = None
    priors_: pd.Series[Any] = field(init=False, repr=False, compare=False)
    errors_: pd.DataFrame = field(init=False, repr=False, compare=False)

    def fit(
        self, data: Any, true_labels: pd.Series[Any] | None = None, initial_error: pd.DataFrame | None = None
    ) -> Self:
        """Infer labels and confusion matrices.

        true_labels: the labels of tasks where they are known. initial_error: a matrix per worker to begin with, laid
        out like errors_.
        """
        frame = task_frame(data)
        tasks = encode(frame, true_labels=true_labels)
        if tasks is None:
            self._take_nothing(frame)
            return self
        start = None
        if initial_error is not None and self.initial_error_strategy is not None:
            start = start_from_errors(tasks, initial_error, self.initial_error_strategy)
        self._take(tasks, self._model().fit(tasks.ratings, tasks.gold, start))
        return self

    def fit_predict_proba(
        self, data: Any, true_labels: pd.Series[Any] | None = None, initial_error: pd.DataFrame | None = None
    ) -> pd.DataFrame:
        """The probability of each label, by task."""
        return self.fit(data, true_labels, initial_error).probas_

    def fit_predict(
        self, data: Any, true_labels: pd.Series[Any] | None = None, initial_error: pd.DataFrame | None = None
    ) -> pd.Series[Any]:
        """The label of each task."""
        return self.fit(data, true_labels, initial_error).labels_

    def _model(self) -> Model:
        return Model(prior=0.0, starts=1, class_prior="learned", **self._stop())

    def _take(self, tasks: LabelledTasks, fit: Fit) -> None:
        super()._take(tasks, fit)
        self.priors_ = tasks.by_label(fit.parameters["prevalence"], "prior")
        self.errors_ = tasks.by_worker_and_label(fit.parameters["confusion"])

    def _take_nothing(self, frame: pd.DataFrame) -> None:
        import pandas as pd

        super()._take_nothing(frame)
        self.priors_ = pd.Series(dtype=float, index=self.probas_.columns, name="prior")
        index = pd.MultiIndex.from_frame(frame[["worker", "label"]].iloc[:0])
        self.errors_ = pd.DataFrame(index=index, columns=self.probas_.columns.rename(None), dtype=float)


@dataclass
class OneCoinDawidSkene(DawidSkene):
    """One coin per worker: right with one probability whatever the truth, and all wrong labels equally likely.

    Where the truths run together into fewer labels than were given, priors are equal instead of learned, and a warning
    says so. It finds what DawidSkene does, and `skills_`, the probability that a worker is right.
    """

    skills_: pd.Series[Any] = field(init=False, repr=False, compare=False)

    def _model(self) -> Model:
        return replace(super()._model(), errors="alike", class_prior="auto")

    def _take(self, tasks: LabelledTasks, fit: Fit) -> None:
        super()._take(tasks, fit)
        for note in fit.notes:
            if "fitted with a uniform one" in note:
                warnings.warn(note, TruegradeWarning, stacklevel=4)
        self.skills_ = tasks.by_worker(fit.parameters["confusion"][:, 0, 0], "skill")

    def _take_nothing(self, frame: pd.DataFrame) -> None:
        import pandas as pd

        super()._take_nothing(frame)
        self.skills_ = pd.Series(dtype=float, index=index_of(frame["worker"].iloc[:0]), name="skill")
