"""Matrices without roles in their header: Snorkel's, cleanlab's and krippendorff's, as text or saved by NumPy."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Iterator, Sequence
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

_ABSTAIN = "-1"


def finds_snorkel(content: Content) -> bool:
    """Whole numbers saved by NumPy, with -1 for those who abstained. The others look all alike."""
    matrix = content.file.matrix if isinstance(content.file, NumpyFile) else None
    return matrix is not None and matrix.dtype.kind == "i" and bool(np.any(matrix == -1)) and bool(np.all(matrix >= -1))


def is_table(content: Content) -> bool:
    """Whether there can be rows and columns."""
    return isinstance(content.file, NumpyFile | DelimitedFile)


def _reader(rows_are: str, columns_are: str, absent: frozenset[str]) -> Callable[[Content, Wanted, Answers], None]:
    def read(content: Content, _wanted: Wanted, answers: Answers) -> None:
        answers.names |= {rows_are: "rows", columns_are: "columns", "rating": "cells"}
        for number, (row, columns, cells) in enumerate(matrix_rows(content, rows_are), 1):
            answers.record = number
            for column, cell in zip(columns, cells, strict=True):
                if cell is None or cell.strip().lower() in MISSING_TEXTS or cell.strip() in absent:
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
        delimiter = content.file.delimiter if isinstance(content.file, DelimitedFile) else ","
        lines = _lines(csv.reader(text, delimiter=delimiter), content.where)
        first = next(lines, [])
        has_header = any(cell.strip().lower() not in MISSING_TEXTS and read_number(cell) is None for cell in first)
        has_header = has_header or first[1:] in ([str(n + start) for n in range(len(first) - 1)] for start in (0, 1))
        named = has_header and first[0].strip().lower() in ("", *ALIASES[rows_are])
        names = first[named:] if has_header else list(map(str, range(len(first))))
        for number, line in enumerate(lines if has_header else _chain(first, lines)):
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


def _chain(first: list[str], rest: Iterator[list[str]]) -> Iterator[list[str]]:
    yield first
    yield from rest


def _matrix(name: str, title: str, finds: Callable[[Content], bool], rows_are: str, **options: Any) -> Export:
    columns_are = "annotator" if rows_are == "instance" else "instance"
    absent = frozenset({_ABSTAIN}) if name == "snorkel" else frozenset()
    return Export(name, title, finds, _reader(rows_are, columns_are, absent), fields=frozenset(), **options)


SNORKEL = _matrix("snorkel", "Snorkel's label matrix", finds_snorkel, "instance", also=is_table)
CLEANLAB = _matrix("cleanlab", "a matrix with a row per instance", is_table, "instance", by_name_only=True)
KRIPPENDORFF = _matrix("krippendorff", "a matrix with a row per annotator", is_table, "annotator", by_name_only=True)
