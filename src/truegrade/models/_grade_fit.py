"""The end of a model whose truth is a grade: P(grade) and the annotators' confusion matrices as a Fit."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

import numpy as np

from truegrade.fit import Fit, about_input
from truegrade.inference.confusion import adversaries, confusion_columns
from truegrade.inference.counting import agreement_with_others
from truegrade.models._notes import doubts, name_annotators, not_converged

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from numpy.typing import NDArray

    from truegrade.fit import Status
    from truegrade.models._base import Model
    from truegrade.models._em import Outcome
    from truegrade.posterior import GradePosterior, GridPosterior
    from truegrade.ratings import Ratings

    Floats = NDArray[np.float64]

__all__ = ["grade_fit"]


def grade_fit(  # noqa: PLR0913  one argument per finding
    model: Model,
    ratings: Ratings,
    posterior: GradePosterior | GridPosterior,
    *,
    confusion: Floats,
    counts: Floats | None,
    best: Outcome,
    endings: list[tuple[float, Status]],
    parameters: Mapping[str, NDArray[Any]],
    hyperparameters: Mapping[str, Any],
    columns: Mapping[str, Floats] | None = None,
    notes: Iterable[str] = (),
) -> Fit:
    """Everything the winning start found.

    confusion (N, K, K): P(says j | truth is k). counts (N, K, G): soft counts of ratings and nodes, which tell who
    rates upside down; None for a model that has no up and down. columns: further columns of the annotators' table,
    which win over those made here.
    """
    scale = ratings.scale
    mass = posterior.probabilities(scale).sum(axis=0)
    prevalence = mass / mass.sum()  # as estimated, whatever the model's prior is
    told = list(notes)
    if counts is not None:
        upside_down = np.flatnonzero(adversaries(counts, scale.array, posterior.nodes))
        if upside_down.size:
            who = name_annotators(ratings, upside_down)
            told.append(f"rating against the truth, and read the other way round: {who}")
    options = asdict(model)  # type: ignore[call-overload]
    return Fit(
        model=model.name,
        options=options,
        status=best.status,
        posterior=posterior,
        annotator_columns={
            **confusion_columns(confusion, prevalence, scale),
            "agreement": agreement_with_others(ratings),
            **(columns or {}),
        },
        parameters={"confusion": confusion, **parameters},
        hyperparameters=hyperparameters,
        iterations=len(best.trace),
        trace=np.array(best.trace),
        bounds=tuple(bound for bound, _ in endings),
        seed=options.get("seed"),
        notes=(
            *ratings.notes(),
            *told,
            *not_converged(endings, options["max_iterations"]),
            *doubts(ratings, posterior.estimate),
        ),
        **about_input(ratings),
    )
