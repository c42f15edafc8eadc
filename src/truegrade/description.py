"""A first look at ratings, before any model: counts, agreement, and what looks wrong."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from truegrade.reliability import agreement
from truegrade.remarks import remarks

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from truegrade.ratings import Ratings

__all__ = ["Description", "describe"]


@dataclass(frozen=True)
class Description:
    """What :func:`describe` found. ``to_json`` has the same keys."""

    ratings: float  # weights added up
    instances: int
    annotators: int
    categories: int
    columns: dict[str, str]  # role -> the column that fills it; empty where columns have no names
    scale: str
    share_of_grade: dict[str, float]  # empty on a real scale
    ratings_per_instance: dict[str, float]  # min, median, mean, max
    ratings_per_annotator: dict[str, float]
    alpha_nominal: float | None
    alpha_ordinal: float | None
    alpha_interval: float | None
    percent_agreement: float | None
    remarks: tuple[str, ...]  # what looks wrong, or deserves a look

    def to_json(self) -> dict[str, Any]:
        """A form for machines."""
        return {**asdict(self), "remarks": list(self.remarks)}


def describe(ratings: Ratings) -> Description:
    """Count, measure agreement, and say what looks wrong.

    >>> from truegrade import Ratings
    >>> found = describe(Ratings.from_arrays(annotator=["a", "b"], instance=["x", "x"], rating=[1, 2]))
    >>> found.instances, found.ratings_per_instance["mean"]
    (1, 2.0)
    """
    found = agreement(ratings)
    per_instance = ratings.weight_per_instance()
    shares = np.bincount(ratings.grade, ratings.weight, ratings.scale.n_grades) / ratings.total_weight
    return Description(
        ratings=per_instance.sum().item(),
        instances=ratings.n_instances,
        annotators=ratings.n_annotators,
        categories=ratings.n_categories,
        columns=dict(ratings.columns),
        scale=str(ratings.scale),
        share_of_grade=dict(zip(ratings.scale.labels, shares.tolist(), strict=True)),
        ratings_per_instance=_spread(per_instance),
        ratings_per_annotator=_spread(ratings.weight_per_annotator()),
        alpha_nominal=found.alpha_nominal,
        alpha_ordinal=found.alpha_ordinal,
        alpha_interval=found.alpha_interval,
        percent_agreement=found.percent,
        remarks=(*ratings.notes(), *remarks(ratings, found)),
    )


def _spread(counts: NDArray[Any]) -> dict[str, float]:
    return {
        "min": counts.min().item(),
        "median": float(np.median(counts)),
        "mean": float(counts.mean()),
        "max": counts.max().item(),
    }
