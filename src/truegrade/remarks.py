"""What looks wrong in ratings, or deserves a look before they are trusted: one plain sentence each."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from truegrade.scale_check import nominal_note

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from truegrade.ids import IdTable
    from truegrade.ratings import Ratings
    from truegrade.reliability import Agreement

__all__ = ["remarks"]

_FEW = 10  # ratings; below this nothing is said about an annotator
_FEW_EACH = 3  # ratings per instance on average; below this graders can hardly be compared
_CUSTOMARY = 2 / 3  # the alpha from which on Krippendorff draws tentative conclusions
_MOSTLY = 0.9  # a share of all ratings, or annotators, that makes the others exceptions
_MANY_GRADES = 20
_NAMED = 5  # ids that a remark lists


def remarks(ratings: Ratings, found: Agreement) -> list[str]:
    """All that can be said without a model; `found` is the agreement of the ratings."""
    told = [*_about_columns(ratings), *_about_design(ratings, found)]
    if not ratings.scale.is_real:
        told += [*_about_grades(ratings), *_about_annotators(ratings, found)]
    return told


def _about_columns(ratings: Ratings) -> Iterator[str]:
    """What the input holds beside ratings, and signs that a column plays a role that is not its own."""
    if ratings.known is not None:
        yield f"the truth of {len(ratings.known)} of the instances stands in the input: fit uses it as gold"
    annotators, instances = ratings.n_annotators, ratings.n_instances
    once = np.count_nonzero(ratings.ratings_per_annotator() == 1)
    if annotators > max(instances, _FEW):
        yield (
            f"there are more annotators ({annotators}) than instances ({instances}): are the two columns swapped? "
            "name them by --annotator and --instance"
        )
    elif annotators > _FEW and once >= _MOSTLY * annotators:
        yield f"{once} of {annotators} annotators gave one rating: is the annotator column a number of the row?"
    if ratings.n_categories == instances > _FEW:
        yield "every instance has a category of its own: is the category column another id of it?"
    if ratings.scale.n_grades > _MANY_GRADES and ratings.unobserved:
        yield (
            f"the inferred scale has {ratings.scale.n_grades} grades, {len(ratings.unobserved)} of them never given: "
            "is the rating column right? name it by --rating, or take --scale real for measurements"
        )


def _about_design(ratings: Ratings, found: Agreement) -> Iterator[str]:
    """Who rated what, and how much that can tell."""
    per_instance, per_annotator = ratings.weight_per_instance(), ratings.weight_per_annotator()
    if conflicts := _conflicts(ratings):
        yield f"{conflicts} times an annotator gave one instance different grades"
    single = int(np.count_nonzero(per_instance <= 1))
    if found.n_pairable == 0:
        yield "no instance was rated twice: agreement cannot be measured, and nobody can be told from a spammer"
        return
    if single:
        yield f"{single} of {ratings.n_instances} instances have a single rating"
    if per_instance.mean() < _FEW_EACH:
        yield f"instances have {per_instance.mean():.1f} ratings on average: graders can hardly be compared"
    rare = int(np.count_nonzero(per_annotator < _FEW))
    if rare:
        yield f"{rare} of {ratings.n_annotators} annotators gave fewer than {_FEW} ratings"
    groups, largest = _groups(ratings)
    if groups > 1:
        yield (
            f"the ratings fall into {groups} groups that share neither annotators nor instances (the largest has "
            f"{largest} of {ratings.n_annotators} annotators): nothing ties their grades together"
        )
    alpha = found.alpha_interval if ratings.scale.is_real else found.alpha_ordinal
    if alpha is not None and alpha < _CUSTOMARY:
        yield f"agreement is low: alpha is {alpha:.2f}, {_CUSTOMARY:.2f} is what is customarily asked for"


def _about_grades(ratings: Ratings) -> Iterator[str]:
    shares = np.bincount(ratings.grade, ratings.weight, ratings.scale.n_grades) / ratings.total_weight
    if shares.size > 1 and shares.max() >= _MOSTLY:
        yield f"{shares.max():.0%} of the ratings are {ratings.scale.labels[int(shares.argmax())]}"
    unused = [label for label, share in zip(ratings.scale.labels, shares, strict=True) if share == 0]
    if unused and not ratings.unobserved:  # else the notes on the input say so
        yield f"nobody gave the grades {', '.join(unused)}"
    if note := nominal_note(ratings):
        yield note


def _about_annotators(ratings: Ratings, found: Agreement) -> Iterator[str]:
    if ratings.scale.n_grades < 2:
        return
    enough = ratings.weight_per_annotator() >= _FEW
    one_grade = (_grades_used(ratings) == 1) & enough
    if one_grade.any():
        yield f"always the same grade ({_FEW} ratings or more): {_named(ratings.annotators, one_grade)}"
    by_chance = _chance_agreement(ratings)
    low = enough & found.overlap & (found.per_annotator <= by_chance)
    if low.any():
        named = _named(ratings.annotators, low)
        yield f"agree with the others no more than chance ({by_chance:.2f}): {named}"


def _conflicts(ratings: Ratings) -> int:
    """How many pairs of annotator and instance have ratings that differ."""
    values = ratings.real if ratings.scale.is_real else ratings.grade
    new = np.ones(values.size, dtype=bool)
    new[1:] = ratings.annotator[1:] != ratings.annotator[:-1]
    new[ratings.instance_ptr[:-1]] = True
    begins = np.flatnonzero(new)  # the ratings of a pair stand side by side
    return int(np.count_nonzero(np.minimum.reduceat(values, begins) != np.maximum.reduceat(values, begins)))


def _groups(ratings: Ratings) -> tuple[int, int]:
    """Into how many parts the graph of annotators and instances falls, and the annotators in the largest."""
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    size = ratings.n_annotators + ratings.n_instances
    edges = (ratings.annotator, ratings.n_annotators + ratings.instance_of())
    graph = coo_array((np.ones(ratings.n_ratings, dtype=np.int8), edges), shape=(size, size))
    groups, of_node = connected_components(graph, directed=False)
    return int(groups), int(np.bincount(of_node[: ratings.n_annotators]).max())


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
