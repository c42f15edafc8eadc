"""Does the scale behave like one? A code such as "link broken" among the grades has no neighbours."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from truegrade.inference.counting import grade_counts

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from truegrade.ratings import Ratings

__all__ = ["nominal_grades", "nominal_note"]

_LIFT = 3.0  # how many times oftener than by chance two annotators meet in a grade that means something of its own
_BLIND = 0.95  # from here on those who disagree with it stand no nearer to it than chance puts them
_ENOUGH = 100  # pairable ratings of a grade; fewer say nothing


def nominal_grades(ratings: Ratings) -> tuple[int, ...]:
    """Indices of the grades that annotators recognise, but that have no neighbours.

    On an ordinal scale those who disagree about an instance are near one another. A grade on which annotators meet
    far oftener than by chance, while the ratings beside it are spread as everywhere, is a code and no grade.
    """
    if ratings.scale.n_grades < 3:
        return ()
    met = _coincidence(grade_counts(ratings))
    total = met.sum(axis=1)
    used = np.flatnonzero(total > 0)
    if used.size < 3:
        return ()
    found = []
    for place, k in enumerate(used):
        lift = met[k, k] * total.sum() / total[k] ** 2
        if total[k] >= _ENOUGH and lift >= _LIFT and _distance_ratio(met[k], total, used, place) >= _BLIND:
            found.append(int(k))
    return tuple(found)


def nominal_note(ratings: Ratings) -> str | None:
    """The warning in one sentence, or nothing."""
    found = [ratings.scale.labels[k] for k in nominal_grades(ratings)]
    if not found:
        return None
    grades = f"grade {found[0]} behaves" if len(found) == 1 else f"grades {', '.join(found)} behave"
    return (
        f"{grades} like a code of its own, not like a place on the scale: those who disagree with it stand no nearer "
        f"to it than chance; if it is no grade, leave it out with --drop-values {','.join(found)}"
    )


def _coincidence(counts: NDArray[np.float64]) -> NDArray[np.float64]:
    """Ordered pairs of ratings of one instance, each instance weighing as its ratings do (K, K)."""
    per_instance = counts.sum(axis=1)
    counts, per_instance = counts[per_instance > 1], per_instance[per_instance > 1]
    share = counts / (per_instance - 1)[:, None]
    met: NDArray[np.float64] = share.T @ counts - np.diag(share.sum(axis=0))
    return met


def _distance_ratio(row: NDArray[np.float64], total: NDArray[np.float64], used: NDArray[np.intp], place: int) -> float:
    """How far those who disagree with a grade stand from it, over how far chance would put them.

    For a grade at an end that is their distance; for one in the middle, chance over what its neighbours get.
    """
    others = np.delete(used, place)
    seen, chance = row[others], total[others]
    if seen.sum() == 0:
        return 0.0
    if place in (0, used.size - 1):
        distance = np.abs(others - used[place])
        return float((seen @ distance / seen.sum()) / (chance @ distance / chance.sum()))
    beside = np.abs(np.arange(others.size) - place + 0.5) < 1  # the grades just below and just above
    if beside.all():
        return 0.0
    return float((chance[beside].sum() / chance.sum()) / max(seen[beside].sum() / seen.sum(), 1e-12))
