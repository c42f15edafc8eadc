"""Fit: what a model found, how it ended and where it came from. Frozen; the user's ids are back in its tables."""

from __future__ import annotations

import enum
import sys
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

import truegrade
from truegrade.engines import require_ratings
from truegrade.frames import frame_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from os import PathLike

    import pyarrow as pa
    from numpy.typing import NDArray

    from truegrade.engines import ShardedRatings
    from truegrade.ids import IdTable
    from truegrade.posterior import Posterior
    from truegrade.ratings import Ratings
    from truegrade.scale import Scale

__all__ = ["ANNOTATOR_COLUMNS", "Fit", "Status"]


class Status(enum.StrEnum):
    """How a fit ended."""

    CONVERGED = "CONVERGED"  # the stop rule was met, or there was nothing to iterate
    MAX_ITER = "MAX_ITER"  # the iterations ran out first
    BOUND_DECREASED = "BOUND_DECREASED"  # an exact update lowered the bound: a bug, or numbers out of range
    SPAM_COLLAPSE = "SPAM_COLLAPSE"  # every start ended by calling nearly all ratings spam
    INTERRUPTED = "INTERRUPTED"  # the user stopped it; the tables hold the best so far
    NOT_FINITE = "NOT_FINITE"  # a number overflowed; the tables hold the last finite state


# Columns of the annotators' table after the id and the count. What a model does not have stays empty.
ANNOTATOR_COLUMNS = ("spamminess", "expertise", "bias", "stretch", "agreement")


@dataclass(frozen=True)
class Fit:
    """A model's result. ``truth``, ``annotators`` and ``categories`` are frames of the user's own library."""

    model: str  # the model's name on the command line
    options: Mapping[str, Any]
    status: Status
    scale: Scale
    posterior: Posterior
    instance_ids: IdTable
    annotator_ids: IdTable
    category_ids: IdTable | None
    category: NDArray[np.int32] | None  # (M,)
    ratings_per_instance: NDArray[Any]  # (M,): weights added up; whole numbers where they are
    ratings_per_annotator: NDArray[Any]  # (N,)
    annotator_columns: Mapping[str, NDArray[np.float64]]  # (N,) each; NaN = not known
    category_columns: Mapping[str, NDArray[np.float64]] = field(default_factory=dict)  # (C,) each
    instance_columns: Mapping[str, NDArray[np.float64]] = field(default_factory=dict)  # (M,) each, beyond the truth
    parameters: Mapping[str, NDArray[Any]] = field(default_factory=dict)  # for warm starts and predictions
    hyperparameters: Mapping[str, Any] = field(default_factory=dict)  # as fixed or learned
    all_spam_bound: float | None = None  # of the degenerate optimum that calls every rating spam
    iterations: int = 0
    trace: NDArray[np.float64] = field(default_factory=lambda: np.empty(0))  # the bound after each iteration
    bounds: tuple[float, ...] = ()  # of all starts
    seed: int | None = None
    counts: Mapping[str, int] = field(default_factory=dict)
    notes: tuple[str, ...] = ()  # what the user should know, in plain sentences
    library: str = "pyarrow"
    input_digest: str = ""
    versions: Mapping[str, str] = field(default_factory=dict)

    def __repr__(self) -> str:
        counts = f"{len(self.instance_ids)} instances, {len(self.annotator_ids)} annotators"
        return f"Fit({self.model}: {self.status}, {counts})"

    def _repr_html_(self) -> str:
        """What a notebook shows: the counts and the first rows of the truth."""
        from truegrade.report.notebook import notebook_html

        return notebook_html(self)

    @property
    def bound(self) -> float | None:
        """The bound at the end, where the model has one."""
        return float(self.trace[-1]) if self.trace.size else None

    @property
    def n_off_scale(self) -> int:
        """How many estimates lie below the lowest or above the highest grade; they are never clipped."""
        if self.scale.is_real:
            return 0
        estimate = self.posterior.estimate
        return int(np.count_nonzero((estimate < self.scale.low) | (estimate > self.scale.high)))

    @cached_property
    def truth(self) -> Any:
        """One row per instance, in order of first appearance."""
        objects = _objects(instance=self.instance_ids)
        if self.category_ids is not None and self.category_ids.objects is not None and self.category is not None:
            at = np.argsort(self.category_ids.code)[self.category[self.instance_ids.code]]
            objects["category"] = [self.category_ids.objects[i] for i in at]
        return frame_of(self.truth_table(), self.library, objects)

    @cached_property
    def annotators(self) -> Any:
        """One row per annotator, in order of first appearance."""
        return frame_of(self.annotators_table(), self.library, _objects(annotator=self.annotator_ids))

    @cached_property
    def categories(self) -> Any:
        """One row per category, in order of first appearance; no rows where there are none."""
        return frame_of(self.categories_table(), self.library, _objects(category=self.category_ids))

    def truth_table(self) -> pa.Table:
        """The truth table as Arrow, with the columns that docs/reference/tables.md lists."""
        import pyarrow as pa

        at = self.instance_ids.code
        lower, upper = self.posterior.interval()
        columns: dict[str, Any] = {"instance": self.instance_ids.labels}
        if self.category_ids is not None and self.category is not None:
            columns["category"] = self.category_ids.labels_of(self.category[at])
        for name, array in (
            ("estimate", self.posterior.estimate),
            ("sd", self.posterior.sd),
            ("lower", lower),
            ("upper", upper),
        ):
            columns[name] = _known(array[at])
        if self.scale.is_real:
            columns["grade"] = pa.nulls(at.size, pa.float64())
        else:
            columns["grade"] = self.scale.cells(self.posterior.grade(self.scale)[at])
            p = self.posterior.probabilities(self.scale)
            columns |= {f"p_{label}": _known(p[at, k]) for k, label in enumerate(self.scale.labels)}
        columns["n_ratings"] = pa.array(self.ratings_per_instance[at])
        columns |= {name: _known(array[at]) for name, array in self.instance_columns.items()}
        return pa.table(columns)

    def truth_head(self) -> pa.Table:
        """At least the first rows of the truth table."""
        return self.truth_table()

    def changed(self, **fields: Any) -> Fit:
        """The same fit with other fields; none of those that have an entry per instance."""
        return replace(self, **fields)

    def with_notes(self, notes: Sequence[str]) -> Fit:
        """The same fit with more to know about it."""
        return self.changed(notes=(*self.notes, *notes))

    def annotators_table(self) -> pa.Table:
        """The annotators' table as Arrow."""
        import pyarrow as pa

        at = self.annotator_ids.code
        columns: dict[str, Any] = {
            "annotator": self.annotator_ids.labels,
            "n_ratings": pa.array(self.ratings_per_annotator[at]),
        }
        nothing = np.full(at.size, np.nan)
        names = dict.fromkeys((*ANNOTATOR_COLUMNS, *self.annotator_columns))
        columns |= {name: _known(self.annotator_columns.get(name, nothing)[at]) for name in names}
        return pa.table(columns)

    def categories_table(self) -> pa.Table:
        """The categories' table as Arrow."""
        import pyarrow as pa

        if self.category_ids is None or self.category is None:
            return pa.table({"category": pa.array([], pa.string()), "n_instances": pa.array([], pa.int64())})
        at = self.category_ids.code
        counts = np.bincount(self.category, minlength=at.size)
        columns = {"category": self.category_ids.labels, "n_instances": pa.array(counts[at])}
        columns |= {name: _known(array[at]) for name, array in self.category_columns.items()}
        return pa.table(columns)

    def at_least(self, grade: Any) -> Any:
        """How likely each truth is this grade or a higher one: instance, p_at_least."""
        from truegrade.truth_questions import at_least_table

        return frame_of(at_least_table(self, grade), self.library)

    def better(self, one: Sequence[Any], other: Sequence[Any]) -> Any:
        """How likely the truth of one[i] lies above that of other[i]: one, other, p_better. Equal truths count half."""
        from truegrade.truth_questions import better_table

        return frame_of(better_table(self, one, other), self.library)

    def explain(self, ratings: Ratings, instance: Any) -> Any:
        """Why an instance's estimate is what it is: one row per rating, and what each moves."""
        from truegrade.models import fitted_model

        return frame_of(fitted_model(self, "explain").explain(self, ratings, instance), self.library)

    def predict(self, ratings: Ratings | ShardedRatings) -> Fit:
        """The truth of new instances by annotators whom this fit knows; nothing about them is learned anew.

        Annotators it does not know count as drawn from the same population.
        """
        from truegrade.models import fitted_model

        require_ratings(ratings)
        predicted: Fit = fitted_model(self, "predict").predict(self, ratings)
        return predicted

    def confusion(self, *annotators: Any) -> Any:
        """What annotators answer to each true grade: one row per annotator and truth, P(answer) in columns p_<grade>.

        All annotators where none is named. Only models of grades have confusion matrices.
        """
        from truegrade.confusion_table import confusion_table

        return frame_of(confusion_table(self, list(annotators) or None), self.library)

    def responsibilities(self, ratings: Ratings) -> Any:
        """How likely each of the ratings that this fit was made from was given in earnest: one row per input row.

        Columns: row (of the input, from 0), annotator, instance, rating, responsibility.
        """
        return frame_of(self.responsibilities_table(ratings), self.library)

    def responsibilities_table(self, ratings: Ratings) -> pa.Table:
        """:meth:`responsibilities` as Arrow."""
        from truegrade.models import fitted_model
        from truegrade.rating_tables import rating_table

        model = fitted_model(self, "responsibilities")
        return rating_table(ratings, responsibility=model.responsibilities(self, ratings))

    def rating_probabilities(self, *, annotator: Sequence[Any], instance: Sequence[Any]) -> Any:
        """The chance of each grade, should annotator[i] rate instance[i]: one row per pair, in columns p_<grade>.

        Ids that this fit does not know stand for anyone, or anything, of the same population.
        """
        from truegrade.models import fitted_model
        from truegrade.rating_tables import Pairs

        pairs = Pairs.of(annotator, instance, self.annotator_ids, self.instance_ids)
        chances = fitted_model(self, "rating_probabilities").rating_probabilities(self, pairs.annotator, pairs.instance)
        return frame_of(
            pairs.table({f"p_{label}": chances[:, k] for k, label in enumerate(self.scale.labels)}), self.library
        )

    def to_arviz(self, ratings: Ratings | None = None, *, draws: int = 250, chains: int = 4, seed: int = 0) -> Any:
        """What this fit believes as draws, for ArviZ: truths by instance, and what annotators are like.

        ratings: those that the fit was made from, to go along as observed data. Needs truegrade[arviz].
        """
        from truegrade.compat.arviz import to_arviz

        return to_arviz(self, ratings, draws=draws, chains=chains, seed=seed)

    def save(self, directory: str | PathLike[str], *, format: str = "csv") -> None:  # noqa: A002
        """Write the tables, fit.json and the arrays into a directory; a fit that is there is replaced as a whole."""
        from truegrade.fit_files import save

        save(self, directory, format)

    @staticmethod
    def load(directory: str | PathLike[str]) -> Fit:
        """Read what :meth:`save` wrote."""
        from truegrade.fit_files import load

        return load(directory)


def _objects(**tables: IdTable | None) -> dict[str, Sequence[Any]]:
    """The ids of mixed types, by column."""
    return {name: table.objects for name, table in tables.items() if table is not None and table.objects is not None}


def _known(array: NDArray[np.float64]) -> pa.Array:
    """NaN says 'not known' inside; in a table that is an empty cell."""
    import pyarrow as pa

    return pa.array(array, from_pandas=True)


def about_input(ratings: Ratings | ShardedRatings) -> dict[str, Any]:
    """The fields of a Fit that describe its ratings."""
    return about_instances(ratings) | about_whole(ratings)


def about_instances(ratings: Ratings | ShardedRatings) -> dict[str, Any]:
    """Those that have an entry per instance."""
    return {
        "instance_ids": ratings.instances,
        "category": ratings.category,
        "ratings_per_instance": ratings.weight_per_instance(),
    }


def about_whole(ratings: Ratings | ShardedRatings) -> dict[str, Any]:
    """Those that have none."""
    counts = {
        "ratings": ratings.n_ratings,
        "instances": ratings.n_instances,
        "annotators": ratings.n_annotators,
        "categories": ratings.n_categories,
        "rows": ratings.n_rows,
        "dropped": ratings.n_dropped,
        "missing": ratings.n_missing,
        "repeats": ratings.n_repeats,
    }
    return {
        "scale": ratings.scale,
        "annotator_ids": ratings.annotators,
        "category_ids": ratings.categories,
        "ratings_per_annotator": ratings.weight_per_annotator(),
        "counts": counts,
        "library": ratings.library,
        "input_digest": ratings.digest,
        "versions": {
            "truegrade": truegrade.__version__,
            "numpy": np.__version__,
            "python": ".".join(map(str, sys.version_info[:3])),
        },
    }
