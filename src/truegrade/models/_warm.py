"""Warm starts: what an earlier fit and new ratings have in common."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from truegrade.errors import OptionError
from truegrade.joining import join

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from truegrade.fit import Fit
    from truegrade.ids import IdTable
    from truegrade.ratings_facts import RatingsFacts

__all__ = ["check_start", "meeting"]


def check_start(name: str, ratings: RatingsFacts, earlier: Fit) -> None:
    """Refuse an earlier fit of another model, or on another scale."""
    if earlier.model != name:
        raise OptionError(f"a fit of {earlier.model} cannot start {name}; pass one of the same model")
    if earlier.scale != ratings.scale and not (earlier.scale.is_real and ratings.scale.is_real):
        raise OptionError(f"the earlier fit has the scale {earlier.scale}, these ratings have {ratings.scale}")


def meeting(new: IdTable, old: IdTable) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """The codes of the ids that both have: in the new ratings, and in the earlier fit."""
    position = join(new.labels, old.labels, new.objects, old.objects).position
    met = position >= 0
    return new.code[met].astype(np.intp), old.code[position[met]].astype(np.intp)
