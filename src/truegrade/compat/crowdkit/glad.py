"""crowd-kit's GLAD over :class:`truegrade.Glad`."""

from __future__ import annotations

import sys
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal, Self

import numpy as np

from truegrade.compat.crowdkit._aggregator import Iterated
from truegrade.compat.crowdkit._labels import encode, index_of, task_frame
from truegrade.errors import OptionError
from truegrade.models.glad import Glad

if TYPE_CHECKING:
    import pandas as pd

    from truegrade.compat.crowdkit._labels import LabelledTasks
    from truegrade.fit import Fit

__all__ = ["GLAD"]


@dataclass
class GLAD(Iterated):
    """Ability times ease: a label is right with probability 1 / (1 + exp(-alpha exp(beta))).

    silent: False tells of every iteration on stderr.
    labels_priors: by label; it may name labels that nobody gave.
    alphas_priors_mean, betas_priors_mean: the same for all workers, and for all tasks.
    m_step_max_iter, m_step_tol: taken and not used, for there is no inner loop to stop.

    It finds `labels_`, `probas_` and `betas_` by task, `alphas_` by worker, `priors_` by label; and `loss_history_`.
    """

    silent: bool = True
    labels_priors: pd.Series[Any] | None = None
    alphas_priors_mean: pd.Series[Any] | None = None
    betas_priors_mean: pd.Series[Any] | None = None
    m_step_max_iter: int = 25
    m_step_tol: float = 1e-2
    priors_: pd.Series[Any] = field(init=False, repr=False, compare=False)
    alphas_: pd.Series[Any] = field(init=False, repr=False, compare=False)
    betas_: pd.Series[Any] = field(init=False, repr=False, compare=False)

    def fit(self, data: Any) -> Self:
        """Infer labels, abilities and eases."""
        frame = task_frame(data)
        tasks = encode(frame, also=None if self.labels_priors is None else self.labels_priors.index)
        if tasks is None:
            self._take_nothing(frame)
            return self
        model = Glad(
            class_prior=_shares(self.labels_priors, tasks),
            adversarial=True,
            starts=1,
            alpha_prior=(_the_same(self.alphas_priors_mean, "alphas_priors_mean"), 1.0),
            beta_prior=(_the_same(self.betas_priors_mean, "betas_priors_mean"), 1.0),
            **self._stop(),
        )
        self._take(tasks, model.fit(tasks.ratings, progress=None if self.silent else _tell))
        return self

    def fit_predict_proba(self, data: Any) -> pd.DataFrame:
        """The probability of each label, by task."""
        return self.fit(data).probas_

    def fit_predict(self, data: Any) -> pd.Series[Any]:
        """The label of each task."""
        return self.fit(data).labels_

    def _take(self, tasks: LabelledTasks, fit: Fit) -> None:
        import pandas as pd

        super()._take(tasks, fit)
        self._sort()
        self.probas_ = self.probas_.rename_axis(columns="variable")
        self.priors_ = tasks.by_label(fit.parameters["class_prior"], None).rename_axis(None)
        self.alphas_ = tasks.by_worker(fit.parameters["alpha"], "alpha")
        self.betas_ = pd.Series(fit.parameters["log_beta"][tasks.task_order], index=tasks.tasks, name="beta")

    def _take_nothing(self, frame: pd.DataFrame) -> None:
        import pandas as pd

        super()._take_nothing(frame)
        self.probas_ = self.probas_.rename_axis(columns="variable")
        self.priors_ = pd.Series(dtype=float, index=self.probas_.columns.rename(None))
        workers = index_of(frame["worker"].iloc[:0])
        self.alphas_ = pd.Series(dtype=float, index=workers, name="alpha")
        self.betas_ = pd.Series(dtype=float, index=self.probas_.index, name="beta")


def _shares(priors: pd.Series[Any] | None, tasks: LabelledTasks) -> tuple[float, ...] | Literal["uniform"]:
    """The prior of each grade, low to high."""
    if priors is None:
        return "uniform"
    share = priors.reindex(tasks.labels).to_numpy(dtype=np.float64)[np.argsort(tasks.grade)]
    if not np.all(share > 0):
        raise OptionError("labels_priors must hold a positive number for every label of the frame")
    return tuple(share.tolist())


def _the_same(means: Any, name: str) -> float:
    """The one prior mean of everybody; 1 where none is given."""
    if means is None:
        return 1.0
    values = np.unique(np.asarray(means, dtype=np.float64))
    if values.size != 1:
        raise OptionError(f"{name} differ; a prior mean must be the same for all")
    return float(values[0])


def _tell(iteration: int, bound: float, change: float) -> None:
    sys.stderr.write(f"iteration {iteration}: {bound:.6g} ({change:+.2g})\n")
