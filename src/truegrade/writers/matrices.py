"""Matrices: Snorkel's, cleanlab's, krippendorff's, and the wide and the grouped data of the R package rater."""

from __future__ import annotations

import io
from collections import Counter
from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from truegrade.errors import RatingError
from truegrade.writers.texts import csv_lines
from truegrade.writers.writer import Writer, require_no_repeats, whole_number

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from truegrade.writers.answer_table import AnswerTable

__all__ = ["CLEANLAB", "KRIPPENDORFF", "RATER_GROUPED", "RATER_WIDE", "SNORKEL"]


def _cells(table: AnswerTable, title: str) -> NDArray[np.int32]:
    """Which rating stands at each instance and annotator (M, N); -1 = none."""
    require_no_repeats(table, title)
    cells = np.full((len(table.instance.labels), len(table.annotator.labels)), -1, dtype=np.int32)
    cells[table.instance.code, table.annotator.code] = table.rating.code
    return cells


def snorkel(table: AnswerTable) -> Iterator[bytes]:
    """Whole numbers, -1 where there is none, as numpy.save writes them."""
    values = [whole_number(table, text, SNORKEL.title) for text in table.rating.labels]
    if min(values) < 0:
        raise RatingError(
            f"{table.where}: a rating is {min(values)}, but in {SNORKEL.title} -1 means that there is none"
        )
    sink = io.BytesIO()
    np.save(sink, np.array([*values, -1])[_cells(table, SNORKEL.title)])
    yield sink.getvalue()


def cleanlab(table: AnswerTable) -> Iterator[str]:
    """A row per instance, named in the first column."""
    cells = _cells(table, CLEANLAB.title)
    texts = [*table.rating.labels, ""]
    rows = ([name, *(texts[cell] for cell in row)] for name, row in zip(table.instance.labels, cells, strict=True))
    yield from csv_lines(["instance", *table.annotator.labels], rows)


def krippendorff(table: AnswerTable) -> Iterator[str]:
    """A row per annotator, named in the first column."""
    cells = _cells(table, KRIPPENDORFF.title).T
    texts = [*table.rating.labels, ""]
    rows = ([name, *(texts[cell] for cell in row)] for name, row in zip(table.annotator.labels, cells, strict=True))
    yield from csv_lines(["annotator", *table.instance.labels], rows)


def rater_wide(table: AnswerTable) -> Iterator[str]:
    """A column per rater."""
    cells = _cells(table, RATER_WIDE.title)
    texts = [*(str(whole_number(table, text, RATER_WIDE.title)) for text in table.rating.labels), "NA"]
    yield from csv_lines(list(table.annotator.labels), ([texts[cell] for cell in row] for row in cells))


def rater_grouped(table: AnswerTable) -> Iterator[str]:
    """Patterns of answers, most frequent first, and how many instances were answered so."""
    cells = _cells(table, RATER_GROUPED.title)
    texts = [*(str(whole_number(table, text, RATER_GROUPED.title)) for text in table.rating.labels), "NA"]
    patterns = Counter(tuple(row) for row in cells.tolist())
    rows = ([*(texts[cell] for cell in pattern), str(count)] for pattern, count in patterns.most_common())
    yield from csv_lines([*table.annotator.labels, "n"], rows)


SNORKEL = Writer("snorkel", "Snorkel's label matrix", snorkel, instances=False, annotators=False)
CLEANLAB = Writer("cleanlab", "a matrix with a row per instance", cleanlab)
KRIPPENDORFF = Writer("krippendorff", "a matrix with a row per annotator", krippendorff)
RATER_WIDE = Writer("rater-wide", "rater's wide data", rater_wide, instances=False)
RATER_GROUPED = Writer("rater-grouped", "rater's grouped data", rater_grouped, instances=False)
