"""What every model says about its result where it gives reason to doubt: plain sentences for ``Fit.notes``."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from truegrade.fit import Status
from truegrade.models._summary import correlation, mean_ratings

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from truegrade.ratings import Ratings

__all__ = ["doubts", "name_annotators", "not_converged"]

_FEW_RATINGS = 5.0  # per annotator (median); below this annotators can hardly be told apart
_NAMED = 5


def doubts(ratings: Ratings, estimate: NDArray[np.float64]) -> list[str]:
    """Reasons that lie in the ratings, and in how the estimates (M,) compare with their means."""
    notes = []
    if np.median(ratings.ratings_per_annotator()) < _FEW_RATINGS:
        notes.append("half of the annotators gave fewer than 5 ratings: they can hardly be told apart")
    found = correlation(estimate, mean_ratings(ratings))
    if found < 0:
        notes.append(f"the estimates run against the mean of the ratings (correlation {found:.2f}): distrust them")
    if not ratings.scale.numbered:
        notes.append(f"the grades have no numbers, so {ratings.scale} count as 1 to {ratings.scale.n_grades}")
    return notes


def name_annotators(ratings: Ratings, codes: NDArray[np.intp]) -> str:
    """How many annotators these codes are, and who: ``2 annotators ('ann', 'bob')``."""
    named = ", ".join(f"'{ratings.annotators.label_of(int(n))}'" for n in codes[:_NAMED])
    more = f" and {codes.size - _NAMED} more" if codes.size > _NAMED else ""
    return f"{codes.size} annotator{'s' if codes.size > 1 else ''} ({named}{more})"


def not_converged(endings: Sequence[tuple[float, Status]], max_iterations: int) -> list[str]:
    """What to do where the iterations ran out for every start."""
    if all(status is Status.MAX_ITER for _, status in endings):
        return [f"no start converged in {max_iterations} iterations; raise max_iterations"]
    return []
