"""Matrices without roles in their header: Snorkel's, cleanlab's and krippendorff's, as text or saved by NumPy."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import chain, islice
from typing import TYPE_CHECKING, Any

import numpy as np

from truegrade.columns import row_number
from truegrade.errors import FileError
from truegrade.grades import MISSING_TEXTS
from truegrade.readers.delimited import DelimitedFile
from truegrade.readers.exports.export import Content, Export, Wanted
from truegrade.readers.jsonvalue import value_text
from truegrade.readers.numpyfile import NumpyFile
from truegrade.readers.source import reading
from truegrade.roles import ALIASES
from truegrade.scale import read_number

if TYPE_CHECKING:
    from truegrade.readers.exports.answers import Answers

__all__ = ["CLEANLAB", "KRIPPENDORFF", "SNORKEL", "matrix_rows"]

_ABSTAIN = -1
_PEEKED = 100  # rows that tell whether the first is a header
_LONG = 7  # columns; a row of so many grades does not count 0, 1, 2, ... by chance


def finds_snorkel(content: Content) -> bool:
    """Whole numbers saved by NumPy, with -1 for those who abstained. The others look all alike."""
    matrix = content.file.matrix if isinstance(content.file, NumpyFile) else None
    return matrix is not None and matrix.dtype.kind == "i" and bool(np.any(matrix == -1)) and bool(np.all(matrix >= -1))


def is_table(content: Content) -> bool:
    """Whether there can be rows and columns."""
    return isinstance(content.file, NumpyFile | DelimitedFile)


def _reader(rows_are: str, columns_are: str, absent: float | None) -> Callable[[Content, Wanted, Answers], None]:
    def read(content: Content, _wanted: Wanted, answers: Answers) -> None:
        answers.names |= {rows_are: "rows", columns_are: "columns", "rating": "cells"}
        for number, (row, columns, cells) in enumerate(matrix_rows(content, rows_are), 1):
            answers.record = number
            for column, cell in zip(columns, cells, strict=True):
                if cell is None or cell.strip().lower() in MISSING_TEXTS:
                    continue
                if absent is not None and read_number(cell) == absent:  # -1.0 as well, as floats are written
                    continue
                place = {rows_are: row, columns_are: column}
                answers.add(place["instance"], place["annotator"], cell)

    return read


def matrix_rows(content: Content, rows_are: str) -> Iterator[tuple[str, Sequence[str], Sequence[str | None]]]:
    """Each row's name, the columns' names, and the cells.

    Text has a header if anything in its first row is no number, or if it counts the columns. The first column names the
    rows if it has no name, as R and pandas write it, or a usual one. What has no name is numbered from 0.
    """
    if isinstance(content.file, NumpyFile):
        for number, line in enumerate(content.file.read(content.names).to_pylist()):
            yield str(number), content.names, [value_text(cell) for cell in line.values()]
        return
    with reading(content.where, content.source.called("matrix")), content.source.stream() as stream:
        text = io.TextIOWrapper(stream, encoding="utf-8-sig", newline="")
        lines = _lines(_cells(content, text), content.where)
        first, peeked = next(lines, []), list(islice(lines, _PEEKED))
        lines = chain(peeked, lines)
        has_header = _is_header(first, peeked, content.where)
        named = has_header and first[0].strip().lower() in ("", *ALIASES[rows_are])
        names = first[named:] if has_header else list(map(str, range(len(first))))
        for number, line in enumerate(lines if has_header else chain([first], lines)):
            if len(line) != len(names) + named:
                raise FileError(
                    f"{content.where}: {row_number(number)} has {len(line)} cells where the first has {len(first)}; "
                    "give every row as many"
                )
            yield line[0] if named else str(number), names, line[named:]


def _lines(rows: Iterator[list[str]], where: str) -> Iterator[list[str]]:
    """The rows that are not blank."""
    try:
        yield from (row for row in rows if row)
    except csv.Error as error:
        raise FileError(f"{where}: no matrix ({error}); is a quote not closed?") from None


def _cells(content: Content, text: Iterable[str]) -> Iterator[list[str]]:
    """The cells of each row; NumPy's savetxt sets them apart by spaces."""
    if len(content.names) == 1 and len(content.names[0].split()) > 1:
        return (line.split() for line in text)
    return csv.reader(text, delimiter=content.file.delimiter if isinstance(content.file, DelimitedFile) else ",")


def _is_header(first: Sequence[str], later: Sequence[Sequence[str]], where: str) -> bool:
    """Whether the first row holds names. Where names and grades would look alike, it is an error to guess."""
    cells = [cell.strip() for cell in first]
    if any(cell.lower() not in MISSING_TEXTS and read_number(cell) is None for cell in cells):
        return True
    if cells and not cells[0] and _counts(cells[1:]):  # pandas; the names of the rows differ, where grades come again
        names = [row[0] for row in later]
        return len(set(names)) == len(names)
    if len(cells) > 1 and _counts(cells):
        if len(cells) < _LONG:
            raise FileError(
                f"{where}: its first row, {', '.join(cells)}, may be names or ratings; write names that are no numbers "
                "above it, or instead of it"
            )
        return True
    return False


def _counts(cells: Sequence[str]) -> bool:
    """Whether these are 0, 1, 2, ... or 1, 2, 3, ..."""
    return any(list(cells) == [str(n + start) for n in range(len(cells))] for start in (0, 1))


def _matrix(name: str, title: str, finds: Callable[[Content], bool], rows_are: str, **options: Any) -> Export:
    columns_are = "annotator" if rows_are == "instance" else "instance"
    absent = _ABSTAIN if name == "snorkel" else None
    return Export(name, title, finds, _reader(rows_are, columns_are, absent), fields=frozenset(), **options)


SNORKEL = _matrix("snorkel", "Snorkel's label matrix", finds_snorkel, "instance", also=is_table)
CLEANLAB = _matrix("cleanlab", "a matrix with a row per instance", is_table, "instance", by_name_only=True)
KRIPPENDORFF = _matrix("krippendorff", "a matrix with a row per annotator", is_table, "annotator", by_name_only=True)
