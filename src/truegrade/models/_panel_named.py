"""What is told about annotators by name: who is left out, who is trusted, and who belongs together."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from truegrade.errors import OptionError

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from truegrade.models.ordinal_panel import OrdinalPanel
    from truegrade.ratings import Ratings
    from truegrade.ratings_facts import RatingsFacts

__all__ = ["TRUSTED", "check_names", "excluded_ratings", "group_names", "group_of", "trusted_ratings"]

TRUSTED = "trusted"


def check_names(model: OrdinalPanel, ratings: RatingsFacts) -> None:
    """Refuse names that no annotator has, and annotators that are both left out and trusted."""
    labels = _labels(ratings)
    told = {"excluded": model.excluded, TRUSTED: model.trusted, "groups": tuple(model.groups)}
    for option, names in told.items():
        if unknown := set(names) - set(labels):
            raise OptionError(f"{option}={min(unknown)}: no annotator has this name; '{labels[0]}' is one")
    if both := set(model.excluded) & set(model.trusted):
        raise OptionError(f"trusted={min(both)}: is excluded too; name each annotator in one of them")


def excluded_ratings(model: OrdinalPanel, ratings: Ratings) -> NDArray[np.bool_]:
    """Which ratings are left out (L,), since their annotators are."""
    if not model.excluded:
        return np.zeros(ratings.n_ratings, dtype=bool)
    return _given_by(model.excluded, ratings)


def trusted_ratings(model: OrdinalPanel, ratings: Ratings) -> NDArray[np.bool_]:
    """Which ratings are by trusted annotators (L,)."""
    return _given_by(model.trusted, ratings)


def group_names(model: OrdinalPanel) -> list[str]:
    """The groups that the options speak of: those in no group first, those trusted last."""
    return ["", *sorted(set(model.groups.values())), *([TRUSTED] if model.trusted else [])]


def group_of(model: OrdinalPanel, ratings: RatingsFacts) -> NDArray[np.intp]:
    """The group of every annotator (N,), as its place among :func:`group_names`."""
    names = group_names(model)
    group = np.zeros(ratings.n_annotators, dtype=np.intp)
    if len(names) > 1:
        for n, label in enumerate(_labels(ratings)):
            group[n] = len(names) - 1 if label in model.trusted else names.index(model.groups.get(label, ""))
    return group


def _given_by(names: tuple[str, ...], ratings: Ratings) -> NDArray[np.bool_]:
    given: NDArray[np.bool_] = np.isin(_labels(ratings), names)[ratings.annotator]
    return given


def _labels(ratings: RatingsFacts) -> list[str]:
    """Every annotator's name as text, by code."""
    return [str(label) for label in ratings.annotators.labels_of(np.arange(ratings.n_annotators)).to_pylist()]
