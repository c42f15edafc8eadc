"""The kernel's sums, allocated and called."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from truegrade import _kernel
from truegrade.inference.adding import Sums
from truegrade.threads import default_threads

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from truegrade.ratings import Ratings

__all__ = ["AgreementSums", "agreement_with_others", "grade_counts"]


def grade_counts(ratings: Ratings, weight: NDArray[np.float64] | None = None) -> NDArray[np.float64]:
    """Weight of the ratings of each grade, per instance (M, K); `weight` (L,) counts instead of their own."""
    counts = np.empty((ratings.n_instances, ratings.scale.n_grades))
    _kernel.grade_counts(
        ratings.instance_ptr,
        ratings.grade,
        ratings.weight if weight is None else weight,
        threads=default_threads(),
        counts_out=counts,
    )
    return counts


@dataclass(frozen=True)
class AgreementSums(Sums):
    """How much each annotator agrees with the others who rated the same instances."""

    agree: NDArray[np.float64]  # (N,): weight of its ratings, each times the share of the others' that say the same
    paired: NDArray[np.float64]  # (N,): weight of its ratings of instances that others rated too

    @classmethod
    def of(cls, ratings: Ratings) -> AgreementSums:
        """One pass over the ratings."""
        sums = cls(np.empty(ratings.n_annotators), np.empty(ratings.n_annotators))
        _kernel.agreement_sums(
            ratings.instance_ptr,
            ratings.annotator,
            ratings.grade,
            ratings.weight,
            grades=ratings.scale.n_grades,
            threads=default_threads(),
            agree_out=sums.agree,
            paired_out=sums.paired,
        )
        return sums

    @property
    def share(self) -> NDArray[np.float64]:
        """Share of the others' ratings of the same instances that say the same (N,); NaN without any."""
        share = np.full(self.agree.size, np.nan)
        np.divide(self.agree, self.paired, out=share, where=self.paired > 0)
        return share


def agreement_with_others(ratings: Ratings) -> NDArray[np.float64]:
    """Share of the others' ratings of the same instances that say the same, per annotator (N,); NaN without any."""
    return AgreementSums.of(ratings).share
