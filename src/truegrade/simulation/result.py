"""Simulation: ratings together with everything that made them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    import pyarrow as pa
    from numpy.typing import NDArray

    from truegrade.ratings import Ratings

    Reals = NDArray[np.float64]

__all__ = ["Simulation"]


@dataclass(frozen=True)
class Simulation:
    """Ratings and the truth behind them. Arrays are read-only and in the order of the codes of `ratings`.

    Annotators without a rating do not occur; there are such only where ratings are fewer than annotators.
    """

    ratings: Ratings
    truth: Reals  # z (M,), between the outer thresholds
    truth_grade: NDArray[np.uint8]  # (M,): index 0 .. K-1 of the grade nearest to z
    earnestness: Reals  # eps (N,)
    expertise: Reals  # tau (N,)
    adversary: NDArray[np.bool_]  # (N,): rates the mirror image of the truth
    ease: Reals  # delta: (C,), or (M,) with difficulty="instance"
    y: NDArray[np.bool_]  # (L,): rated in earnest

    def __post_init__(self) -> None:
        for array in (
            self.truth,
            self.truth_grade,
            self.earnestness,
            self.expertise,
            self.adversary,
            self.ease,
            self.y,
        ):
            array.flags.writeable = False

    def rows(self) -> pa.Table:
        """The raw rows: annotator, instance, category where there are several, rating."""
        import pyarrow as pa

        ratings, order = self.ratings, np.argsort(self.ratings.row)
        instance = ratings.instance_of()[order]
        columns = {
            "annotator": ratings.annotators.labels_of(ratings.annotator[order]),
            "instance": ratings.instances.labels_of(instance),
        }
        if ratings.categories is not None and ratings.category is not None:
            columns["category"] = ratings.categories.labels_of(ratings.category[instance])
        columns["rating"] = ratings.scale.cells(ratings.grade[order])
        return pa.table(columns)

    def gold(self) -> pa.Table:
        """The truth: instance, gold (the true grade) and z, which may lie beyond the outer grades' values."""
        import pyarrow as pa

        ids = self.ratings.instances
        grade = self.ratings.scale.cells(self.truth_grade[ids.code])
        return pa.table({"instance": ids.labels, "gold": grade, "z": self.truth[ids.code]})

    def annotators(self) -> pa.Table:
        """Who the annotators are: annotator, n_ratings, spamminess, expertise, adversary."""
        import pyarrow as pa

        ids, ratings = self.ratings.annotators, self.ratings.ratings_per_annotator()
        return pa.table(
            {
                "annotator": ids.labels,
                "n_ratings": ratings[ids.code],
                "spamminess": 1 - self.earnestness[ids.code],
                "expertise": self.expertise[ids.code],
                "adversary": self.adversary[ids.code],
            }
        )
