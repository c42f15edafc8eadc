"""What every model says about its result where it gives reason to doubt: plain sentences for ``Fit.notes``."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from truegrade.fit import Status

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from truegrade.ratings_facts import RatingsFacts

__all__ = ["about_grades", "doubts", "lost_grades", "name_annotators", "not_converged"]

_FEW_RATINGS = 5.0  # per annotator (median); below this annotators can hardly be told apart
_NAMED = 5
_COMMON, _LOST = 0.05, 0.02  # a grade in so many ratings whose prevalence is so small a part of that is lost


def about_grades(ratings: RatingsFacts, prevalence: NDArray[np.float64], rounded: int, advice: str = "") -> list[str]:
    """Where true grades were moved, and where their prevalence (K,) does not go with the ratings.

    rounded: how many known truths lay between grades. advice: what to do about grades that are lost.
    """
    notes = []
    if rounded:
        notes.append(f"{rounded} known truths lie between grades: taken as the nearest one")
    if lost := lost_grades(ratings, prevalence):
        notes.append(f"many ratings but hardly any truths are {', '.join(lost)}: distrust the estimates{advice}")
    return notes


def lost_grades(ratings: RatingsFacts, prevalence: NDArray[np.float64]) -> list[str]:
    """The grades that many ratings say but hardly any truth has: the truths have run together."""
    said = ratings.weight_per_grade() / ratings.total_weight
    lost = np.flatnonzero((prevalence < _LOST * said) & (said > _COMMON))
    return [ratings.scale.labels[k] for k in lost]


def doubts(ratings: RatingsFacts, found: float) -> list[str]:
    """Reasons that lie in the ratings, and in how the estimates correlate with their means."""
    notes = []
    if np.median(ratings.ratings_per_annotator()) < _FEW_RATINGS:
        notes.append("half of the annotators gave fewer than 5 ratings: they can hardly be told apart")
    if found < 0:
        notes.append(f"the estimates run against the mean of the ratings (correlation {found:.2f}): distrust them")
    if not ratings.scale.numbered:
        notes.append(f"the grades have no numbers, so {ratings.scale} count as 1 to {ratings.scale.n_grades}")
    return notes


def name_annotators(ratings: RatingsFacts, codes: NDArray[np.intp]) -> str:
    """How many annotators these codes are, and who: ``2 annotators ('ann', 'bob')``."""
    named = ", ".join(f"'{ratings.annotators.label_of(int(n))}'" for n in codes[:_NAMED])
    more = f" and {codes.size - _NAMED} more" if codes.size > _NAMED else ""
    return f"{codes.size} annotator{'s' if codes.size > 1 else ''} ({named}{more})"


def not_converged(endings: Sequence[tuple[float, Status]], max_iterations: int) -> list[str]:
    """What to do where the iterations ran out for every start."""
    if all(status is Status.MAX_ITER for _, status in endings):
        return [f"no start converged in {max_iterations} iterations; raise max_iterations"]
    return []
