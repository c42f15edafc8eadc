"""A first look at ratings, before any model: counts, agreement, and what looks wrong."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from truegrade.reliability import agreement
from truegrade.scale_check import nominal_note

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from truegrade.ids import IdTable
    from truegrade.ratings import Ratings
    from truegrade.reliability import Agreement

__all__ = ["Description", "describe"]

_FEW = 10  # ratings; below this nothing is said about an annotator
_NAMED = 5  # ids that a remark lists


@dataclass(frozen=True)
class Description:
    """What :func:`describe` found. ``to_json`` has the same keys."""

    ratings: int
    instances: int
    annotators: int
    categories: int
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
    per_instance, per_annotator = np.diff(ratings.instance_ptr), ratings.ratings_per_annotator()
    shares = np.bincount(ratings.grade, ratings.weight, ratings.scale.n_grades) / ratings.total_weight
    return Description(
        ratings=ratings.n_ratings,
        instances=ratings.n_instances,
        annotators=ratings.n_annotators,
        categories=ratings.n_categories,
        scale=str(ratings.scale),
        share_of_grade=dict(zip(ratings.scale.labels, shares.tolist(), strict=True)),
        ratings_per_instance=_spread(per_instance),
        ratings_per_annotator=_spread(per_annotator),
        alpha_nominal=found.alpha_nominal,
        alpha_ordinal=found.alpha_ordinal,
        alpha_interval=found.alpha_interval,
        percent_agreement=found.percent,
        remarks=(
            *ratings.notes(),
            *filter(None, [nominal_note(ratings)]),
            *_remarks(ratings, found, per_instance, per_annotator),
        ),
    )


def _spread(counts: NDArray[np.int64]) -> dict[str, float]:
    return {
        "min": int(counts.min()),
        "median": float(np.median(counts)),
        "mean": float(counts.mean()),
        "max": int(counts.max()),
    }


def _remarks(
    ratings: Ratings, found: Agreement, per_instance: NDArray[np.int64], per_annotator: NDArray[np.int64]
) -> list[str]:
    remarks = []
    single = int(np.count_nonzero(per_instance == 1))
    if single:
        remarks.append(f"{single} of {ratings.n_instances} instances have a single rating")
    if found.n_pairable == 0:
        remarks.append("no instance was rated twice: agreement cannot be measured")
    rare = int(np.count_nonzero(per_annotator < _FEW))
    if rare:
        remarks.append(f"{rare} of {ratings.n_annotators} annotators gave fewer than {_FEW} ratings")
    if ratings.scale.is_real:
        return remarks
    enough = per_annotator >= _FEW
    one_grade = _grades_used(ratings) == 1
    if ratings.scale.n_grades > 1 and np.any(one_grade & enough):
        remarks.append(
            f"always the same grade ({_FEW} ratings or more): {_named(ratings.annotators, one_grade & enough)}"
        )
    by_chance = _chance_agreement(ratings)
    low = enough & found.overlap & (found.per_annotator <= by_chance)
    if low.any() and ratings.scale.n_grades > 1:
        named = _named(ratings.annotators, low)
        remarks.append(f"agree with the others no more than chance ({by_chance:.2f}): {named}")
    return remarks


def _grades_used(ratings: Ratings) -> NDArray[np.int64]:
    """How many different grades each annotator gave (N,)."""
    pairs = np.unique(ratings.annotator.astype(np.int64) * ratings.scale.n_grades + ratings.grade)
    return np.bincount(pairs // ratings.scale.n_grades, minlength=ratings.n_annotators)


def _chance_agreement(ratings: Ratings) -> float:
    """How often two ratings of different instances are equal."""
    shares = np.bincount(ratings.grade, ratings.weight, ratings.scale.n_grades) / ratings.total_weight
    return float(shares @ shares)


def _named(table: IdTable, which: NDArray[np.bool_]) -> str:
    """The ids of some codes, the first few by name."""
    chosen = table.texts().filter(_mask(which[table.code]))
    names = ", ".join(f"'{name}'" for name in chosen.slice(0, _NAMED).to_pylist())
    return names + (f" and {len(chosen) - _NAMED} more" if len(chosen) > _NAMED else "")


def _mask(flags: NDArray[np.bool_]) -> Any:
    import pyarrow as pa

    return pa.array(flags)
