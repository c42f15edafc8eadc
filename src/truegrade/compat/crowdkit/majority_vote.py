"""crowd-kit's MajorityVote over :class:`truegrade.Majority`."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from truegrade.compat.crowdkit._aggregator import Aggregator
from truegrade.compat.crowdkit._labels import encode, index_of, sorted_where_possible, task_frame
from truegrade.errors import OptionError
from truegrade.inference.counting import grade_counts
from truegrade.models.majority import Majority

if TYPE_CHECKING:
    import pandas as pd
    from numpy.typing import NDArray

__all__ = ["MajorityVote"]


@dataclass
class MajorityVote(Aggregator):
    """The label that most workers gave, each counted once or by its skill; ties go to the lowest label.

    default_skill: what a label counts by a worker without a skill, with on_missing_skill="value".
    on_missing_skill: "error" refuses labels of workers without a skill, "ignore" leaves them out, "value" counts them
        by default_skill.

    It finds `labels_` and `probas_` by task; `skills_`, the share of each worker's labels that are the majority's.
    """

    default_skill: float | None = None
    on_missing_skill: str = "error"
    skills_: pd.Series[Any] = field(init=False, repr=False, compare=False)

    def fit(self, data: Any, skills: pd.Series[Any] | None = None) -> Self:
        """Count the votes. skills: a weight per worker."""
        frame = task_frame(data)
        weight = None
        if skills is not None:
            frame, weight = self._weighted(frame, skills)
        tasks = encode(frame, weight)
        if tasks is None:
            self._take_nothing(frame)
            self.skills_ = _no_skills(frame)
            return self
        r = tasks.ratings
        fit = Majority(ties="lower").fit(r)
        self._take(tasks, fit)
        counts = grade_counts(r)
        self.probas_ = tasks.by_task(counts / counts.sum(axis=1, keepdims=True))  # the shares themselves
        right = r.grade == fit.posterior.grade(fit.scale)[r.instance_of()]
        share = np.bincount(r.annotator, right, r.n_annotators) / r.ratings_per_annotator()
        found = tasks.by_worker(share, "skill")
        self.skills_ = found.iloc[sorted_where_possible(found.index)]
        if skills is not None:  # crowd-kit sorts here, and not above
            self._sort()
        return self

    def fit_predict_proba(self, data: Any, skills: pd.Series[Any] | None = None) -> pd.DataFrame:
        """The share of each label in the votes, by task."""
        return self.fit(data, skills).probas_

    def fit_predict(self, data: Any, skills: pd.Series[Any] | None = None) -> pd.Series[Any]:
        """The label of each task."""
        return self.fit(data, skills).labels_

    def _weighted(self, frame: pd.DataFrame, skills: Any) -> tuple[pd.DataFrame, NDArray[np.float64]]:
        """The rows that count, and the weight of each."""
        import pandas as pd

        if self.on_missing_skill not in ("error", "ignore", "value"):
            raise OptionError(f"on_missing_skill='{self.on_missing_skill}': choose 'error', 'ignore' or 'value'")
        if (self.default_skill is None) == (self.on_missing_skill == "value"):
            raise OptionError("default_skill and on_missing_skill='value' go together; pass both or neither")
        skill = pd.Series(skills).reindex(pd.Index(frame["worker"])).to_numpy(dtype=np.float64, na_value=np.nan)
        missing = np.isnan(skill)
        if self.on_missing_skill == "value":
            skill = np.where(missing, self.default_skill, skill)
        elif self.on_missing_skill == "error" and missing.any():
            raise OptionError(
                f"the skill is missing in {missing.sum()} labels; give every worker one, or set on_missing_skill"
            )
        elif missing.any():
            lost = set(frame["task"]) - set(frame["task"][~missing])
            if lost:
                raise OptionError(
                    f"{len(lost)} tasks have no worker with a skill; give each at least one, or a default_skill"
                )
            frame, skill = frame[~missing].reset_index(drop=True), skill[~missing]
        return frame, skill


def _no_skills(frame: pd.DataFrame) -> pd.Series[Any]:
    import pandas as pd

    return pd.Series(dtype=float, index=index_of(frame["worker"].iloc[:0]), name="skill")
