"""The first look at an input: who rates, on which scale, in which categories, and how many rows count.

A survey is made of batches in the order of the rows; surveys of neighbouring parts of an input are joined in order.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from truegrade.encode import read_weights
from truegrade.errors import OptionError, ScaleError
from truegrade.grades import RatingCells, asks_for_real, no_ratings, settled_scale
from truegrade.ids import index_ids
from truegrade.ingest.id_numbers import IdNumbers
from truegrade.readers.dataset import FileRows

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from numpy.typing import NDArray

    from truegrade.columns import Columns
    from truegrade.engines.dask_reading import FrameSource
    from truegrade.ids import IdTable
    from truegrade.ratings import Duplicates, Missing
    from truegrade.readers.dataset import Batch, Dataset
    from truegrade.scale import Scale

    Floats = NDArray[np.float64]

__all__ = ["SURVEYED", "Rules", "Settled", "Survey", "settle", "survey"]

SURVEYED = ("annotator", "rating", "category", "weight")  # the roles that a survey looks at
_MANY = 4096  # different ratings; so many make no scale, and only the ends of a real one matter


@dataclass(frozen=True)
class Rules:
    """How cells are understood: the arguments of :func:`truegrade.read`."""

    scale: Any = None
    drop_values: Sequence[Any] = ()
    missing: Missing = "error"
    duplicates: Duplicates = "keep"

    def __post_init__(self) -> None:
        if self.duplicates not in ("keep", "first", "last", "error"):
            raise OptionError(f"duplicates='{self.duplicates}': choose 'keep', 'first', 'last' or 'error'")

    def cells(self, columns: Columns, weight: Floats | None) -> RatingCells:
        """The rating column, cell by cell."""
        return RatingCells.read(
            columns.take("rating"),
            scale=self.scale,
            drop_values=self.drop_values,
            missing=self.missing,
            where=columns.where,
            row_label=columns.row_label,
            weight=weight,
        )


@dataclass
class Survey:
    """What is known of the rows looked at so far."""

    rows_of_file: dict[int, int] = field(default_factory=dict)
    n_kept: int = 0
    n_dropped: int = 0
    n_missing: int = 0
    total_weight: float = 0.0
    seen: Floats = field(default_factory=lambda: np.empty(0))  # values of ratings, each once; not all of very many
    declared: Scale | None = None
    annotators: IdNumbers = field(default_factory=IdNumbers)
    categories: IdNumbers = field(default_factory=IdNumbers)
    of_category: NDArray[np.int64] = field(default_factory=lambda: np.empty(0, dtype=np.int64))  # rows that count

    @property
    def n_rows(self) -> int:
        """All rows, those that hold no rating too."""
        return sum(self.rows_of_file.values())

    def add(self, batch: Batch, rules: Rules) -> None:
        """Look at the next rows."""
        columns = batch.columns
        weight = read_weights(columns)
        cells = rules.cells(columns, weight)
        rows = cells.rows
        n_kept = cells.index.size if rows is None else int(np.count_nonzero(rows))
        self.rows_of_file[batch.file] = batch.first + cells.index.size
        self.n_kept += n_kept
        self.n_dropped += cells.n_dropped
        self.n_missing += cells.n_missing
        self.total_weight += n_kept if weight is None else float(weight.sum() if rows is None else weight[rows].sum())
        if not n_kept:
            return
        self._see(cells.seen(), cells.declared, columns.where)
        where, label = columns.where, columns.row_label
        self.annotators.of(index_ids(columns.take("annotator"), "annotator", where, rows, label).labels)
        if columns.category is not None:
            found = index_ids(columns.take("category"), "category", where, rows, label)
            self._count(self.categories.of(found.labels), np.bincount(found.index, minlength=len(found.labels)))

    def join(self, other: Survey) -> None:
        """Add what was found in the rows that follow."""
        self.rows_of_file |= other.rows_of_file
        self.n_kept += other.n_kept
        self.n_dropped += other.n_dropped
        self.n_missing += other.n_missing
        self.total_weight += other.total_weight
        if not other.n_kept:
            return
        self._see(other.seen, other.declared, "the ratings")
        self.annotators.of(other.annotators.labels())
        if len(other.categories):
            self._count(self.categories.of(other.categories.labels()), other.of_category)

    def _see(self, values: Floats, declared: Scale | None, where: str) -> None:
        if self.seen.size and declared != self.declared:
            raise ScaleError(f"{where}: its ordered categories differ from those of other rows; pass --scale")
        self.declared = declared
        seen = np.union1d(self.seen, values)
        self.seen = seen if seen.size <= _MANY else np.concatenate([seen[: _MANY // 2], seen[-_MANY // 2 :]])

    def _count(self, number: NDArray[np.int32], rows: NDArray[np.int64]) -> None:
        counts = np.zeros(len(self.categories), dtype=np.int64)
        counts[: self.of_category.size] = self.of_category
        counts[number] += rows
        self.of_category = counts


@dataclass(frozen=True)
class Settled:
    """What a survey settles before ratings are encoded: everything but the instances."""

    where: str
    names: dict[str, str]  # role -> column
    rules: Rules
    scale: Scale
    unobserved: tuple[str, ...]
    annotators: IdTable
    annotator_numbers: IdNumbers
    categories: IdTable | None
    category_numbers: IdNumbers
    rows_of_category: NDArray[np.int64] | None  # (C,): rows that count
    row_label: FileRows
    n_rows: int
    n_kept: int
    n_dropped: int
    n_missing: int
    total_weight: float

    def first_row(self, file: int) -> int:
        """Which row of the whole input a file begins with."""
        return self.row_label.ends[file - 1] if file else 0


def survey(batches: Iterable[Batch], rules: Rules) -> Survey:
    """Look at some batches, in the order of their rows."""
    found = Survey()
    for batch in batches:
        found.add(batch, rules)
    return found


def settle(found: Survey, dataset: Dataset | FrameSource, rules: Rules) -> Settled:
    """Find the scale and hand out the codes of annotators and categories."""
    if not found.n_kept:
        raise no_ratings(dataset.where, found.n_rows, found.n_dropped, found.n_missing)
    scale, unobserved = settled_scale(found.declared, found.seen, dataset.where, real=asks_for_real(rules.scale))
    sizes = [found.rows_of_file.get(file, 0) for file in range(len(dataset.files))]
    categories = found.categories.table() if len(found.categories) else None
    rows_of_category = None
    if categories is not None:
        rows_of_category = np.empty_like(found.of_category)
        rows_of_category[categories.code] = found.of_category
    return Settled(
        where=dataset.where,
        names=dataset.roles.columns(),
        rules=rules,
        scale=scale,
        unobserved=unobserved,
        annotators=found.annotators.table(),
        annotator_numbers=found.annotators,
        categories=categories,
        category_numbers=found.categories,
        rows_of_category=rows_of_category,
        row_label=FileRows(dataset.files, tuple(np.cumsum(sizes).tolist())),
        n_rows=found.n_rows,
        n_kept=found.n_kept,
        n_dropped=found.n_dropped,
        n_missing=found.n_missing,
        total_weight=found.total_weight,
    )
