"""The end of a fit in two parts: a head, and answers shard by shard, so that nobody need hold all of them at once."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from truegrade.engines.disk_ratings import DiskRatings
from truegrade.fit import Fit, about_input
from truegrade.posterior import joined

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from numpy.typing import NDArray

    from truegrade.engines import ShardedRatings
    from truegrade.fit import Status
    from truegrade.posterior import Posterior
    from truegrade.ratings import Ratings

    Arrays = Mapping[str, NDArray[Any]]

__all__ = ["Answer", "Head", "whole_fit"]


@dataclass(frozen=True, kw_only=True)
class Head:
    """What a model found that belongs to no single instance. Names are those of :class:`Fit`."""

    model: str
    options: Mapping[str, Any]
    status: Status
    annotator_columns: Arrays
    category_columns: Arrays = field(default_factory=dict)
    parameters: Arrays = field(default_factory=dict)
    hyperparameters: Mapping[str, Any] = field(default_factory=dict)
    all_spam_bound: float | None = None
    iterations: int = 0
    trace: NDArray[np.float64] = field(default_factory=lambda: np.empty(0))
    bounds: tuple[float, ...] = ()
    seed: int | None = None
    notes: tuple[str, ...] = ()


@dataclass(frozen=True)
class Answer:
    """What a model says about a run of instances, in the order of their codes."""

    posterior: Posterior
    columns: Arrays = field(default_factory=dict)  # (m,) each: Fit.instance_columns
    parameters: Arrays = field(default_factory=dict)  # (m, ...) each: those of Fit.parameters that instances have

    @classmethod
    def joined(cls, answers: list[Answer]) -> Answer:
        """The answers about all instances as one; of a single one nothing is copied."""
        first = answers[0]
        if len(answers) == 1:
            return first
        return cls(
            joined([answer.posterior for answer in answers]),
            {name: np.concatenate([answer.columns[name] for answer in answers]) for name in first.columns},
            {name: np.concatenate([answer.parameters[name] for answer in answers]) for name in first.parameters},
        )


def whole_fit(ratings: Ratings | ShardedRatings, head: Head, answers: Iterable[Answer]) -> Fit:
    """Everything as one Fit: in memory, but for ratings on disk."""
    if isinstance(ratings, DiskRatings):
        from truegrade.streamed_fit import StreamedFit

        return StreamedFit.of(ratings, head, answers)
    answer = Answer.joined(list(answers))
    parts = vars(head) | {"parameters": {**head.parameters, **answer.parameters}}
    return Fit(**parts, posterior=answer.posterior, instance_columns=answer.columns, **about_input(ratings))
