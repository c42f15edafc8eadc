"""Ratings made of some of the ratings: those that were not held back, those of a made-up instance, or with less say."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from truegrade.ratings import Ratings

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

__all__ = ["muted", "some_of", "voices"]

_WHISPER = 1e-6  # the weight of a rating that shall tell nothing; a rating of weight 0 would not be one


def some_of(ratings: Ratings, chosen: NDArray[Any], instance: NDArray[Any]) -> Ratings:
    """The chosen ratings, by annotators of the same names, of instances that are numbers."""
    scale = ratings.scale
    return Ratings.from_arrays(
        annotator=ratings.annotators.labels_of(ratings.annotator[chosen]),
        instance=instance,
        rating=ratings.values()[chosen] if scale.names is None else np.array(scale.names)[ratings.grade[chosen]],
        weight=None if ratings.weight is None else ratings.weight[chosen],
        scale=scale,
    )


def voices(ratings: Ratings, excluded: Sequence[str]) -> Floats:
    """Whose ratings count (N,): 1, or 0 for annotators that are left out."""
    labels = ratings.annotators.labels_of(np.arange(ratings.n_annotators)).to_pylist()
    out = {str(name) for name in excluded}
    return np.array([float(str(label) not in out) for label in labels])


def muted(ratings: Ratings, voice: Floats) -> Ratings:
    """The same ratings, those of annotators without a voice (N,) having next to no weight."""
    if voice.all():
        return ratings
    weight = np.ones(ratings.n_ratings) if ratings.weight is None else ratings.weight
    return replace(ratings, weight=weight * np.maximum(voice[ratings.annotator], _WHISPER))
