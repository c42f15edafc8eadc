"""What is known of ratings as a whole, wherever the single ones are: in memory, on disk, with workers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from truegrade.ids import IdTable
    from truegrade.scale import Scale

__all__ = ["RatingsFacts", "notes_about"]


class RatingsFacts(Protocol):
    """What a model may ask of its input beside the passes that an engine runs. See :class:`truegrade.Ratings`."""

    @property
    def scale(self) -> Scale:
        """The grades, or the real numbers."""

    @property
    def annotators(self) -> IdTable:
        """The ids of all annotators."""

    @property
    def categories(self) -> IdTable | None:
        """Those of the categories."""

    @property
    def n_ratings(self) -> int:
        """L, of rows."""

    @property
    def n_instances(self) -> int:
        """M."""

    @property
    def n_annotators(self) -> int:
        """N."""

    @property
    def n_categories(self) -> int:
        """C, or 0."""

    @property
    def split_categories(self) -> tuple[int, ...]:
        """The categories that several shards share, ascending."""

    @property
    def total_weight(self) -> float:
        """The number of ratings, weights added up."""

    @property
    def n_rows(self) -> int:
        """Of the input."""

    @property
    def n_dropped(self) -> int:
        """Rows left out for their code or weight."""

    @property
    def n_missing(self) -> int:
        """Rows without a rating."""

    @property
    def n_repeats(self) -> int:
        """Ratings beyond the first of an annotator on an instance."""

    @property
    def unobserved(self) -> tuple[str, ...]:
        """Grades of an inferred scale that nobody gave."""

    @property
    def library(self) -> str:
        """Of the frames that results come back in."""

    @property
    def where(self) -> str:
        """What messages call the input."""

    @property
    def digest(self) -> str:
        """A fingerprint of the content."""

    def notes(self) -> list[str]:
        """What the user should know about the input."""

    def ratings_per_annotator(self) -> NDArray[np.int64]:
        """(N,)."""

    def weight_per_annotator(self) -> NDArray[Any]:
        """(N,): whole numbers where all are."""

    def weight_per_grade(self) -> NDArray[Any]:
        """(K,)."""


def notes_about(facts: RatingsFacts) -> list[str]:
    """What the user should know about the input, in plain sentences."""
    notes = []
    if facts.n_dropped:
        notes.append(f"{facts.n_dropped} rows hold a code that is no grade, or have weight 0: left out")
    if facts.n_missing:
        notes.append(f"{facts.n_missing} rows without a rating: left out")
    if facts.n_repeats:
        left_out = facts.n_rows - facts.n_dropped - facts.n_missing > facts.n_ratings
        notes.append(
            f"{facts.n_repeats} ratings repeat an annotator's rating of the same instance"
            + (": one of each is kept" if left_out else "")
        )
    if facts.unobserved:
        notes.append(f"nobody gave the grades {', '.join(facts.unobserved)} of the inferred scale {facts.scale}")
    if facts.scale.n_grades == 1:
        notes.append(f"all ratings are {facts.scale.labels[0]}: there is nothing to tell apart")
    if facts.n_annotators == 1:
        notes.append("there is one annotator: no model can tell skill from truth")
    if facts.n_instances == 1:
        notes.append("there is one instance")
    return notes
