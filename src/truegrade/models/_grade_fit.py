"""The end of a model whose truth is a grade: the annotators' confusion matrices, and what is said about them."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from truegrade.fit_parts import Head
from truegrade.inference.adding import Sums
from truegrade.inference.confusion import adversaries, confusion_columns
from truegrade.models._notes import doubts, name_annotators, not_converged
from truegrade.models._summary import Moments

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from numpy.typing import NDArray

    from truegrade.fit import Status
    from truegrade.inference.counting import AgreementSums
    from truegrade.models._base import Model
    from truegrade.models._em import Outcome
    from truegrade.posterior import GradePosterior, GridPosterior
    from truegrade.ratings_facts import RatingsFacts

    Floats = NDArray[np.float64]

__all__ = ["GoldCount", "TruthSums", "grade_head"]


@dataclass(frozen=True)
class TruthSums(Sums):
    """What the truths look like as a whole."""

    mass: Floats  # (K,): P(grade), added up over the instances
    moments: Moments  # of the estimates and the means of the ratings

    @classmethod
    def of(cls, posterior: GradePosterior | GridPosterior, mean_rating: Floats, ratings: RatingsFacts) -> TruthSums:
        """Of the instances of a shard."""
        mass = posterior.probabilities(ratings.scale).sum(axis=0)
        return cls(mass, Moments.of(posterior.estimate, mean_rating))


@dataclass(frozen=True)
class GoldCount(Sums):
    """How many known truths were met, and how many of them lay between grades."""

    met: int
    rounded: int


def grade_head(  # noqa: PLR0913  one argument per finding
    model: Model,
    ratings: RatingsFacts,
    truths: TruthSums,
    agreement: AgreementSums,
    *,
    confusion: Floats,
    counts: Floats | None,
    nodes: Floats,
    best: Outcome,
    endings: list[tuple[float, Status]],
    parameters: Mapping[str, NDArray[Any]],
    hyperparameters: Mapping[str, Any],
    columns: Mapping[str, Floats] | None = None,
    category_columns: Mapping[str, Floats] | None = None,
    notes: Iterable[str] = (),
) -> Head:
    """Everything the winning start found, but for single instances.

    confusion (N, K, K): P(says j | truth is k). counts (N, K, G): soft counts of ratings and nodes, which tell who
    rates upside down; None for a model that has no up and down. nodes (G,): where on the scale these lie. columns:
    further columns of the annotators' table, which win over those made here.
    """
    scale = ratings.scale
    prevalence = truths.mass / truths.mass.sum()  # as estimated, whatever the model's prior is
    told = list(notes)
    if counts is not None:
        upside_down = np.flatnonzero(adversaries(counts, scale.array, nodes))
        if upside_down.size:
            who = name_annotators(ratings, upside_down)
            told.append(f"rating against the truth, and read the other way round: {who}")
    options = asdict(model)  # type: ignore[call-overload]
    return Head(
        model=model.name,
        options=options,
        status=best.status,
        annotator_columns={
            **confusion_columns(confusion, prevalence, scale),
            "agreement": agreement.share,
            **(columns or {}),
        },
        category_columns=category_columns or {},
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
            *doubts(ratings, truths.moments.correlation),
        ),
    )
