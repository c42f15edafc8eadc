"""Texts as the values that formats with types want, so that reading them gives the same texts."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from truegrade.scale import read_number, shortest_text

__all__ = ["csv_lines", "json_line", "json_list", "json_value"]

_LARGEST = 2**53  # whole numbers beyond it are no JSON number everywhere


def json_value(text: str) -> Any:
    """A number where the text is the shortest one of a number, else the text.

    >>> json_value("4"), json_value("2.5"), json_value("007"), json_value("4 - good")
    (4, 2.5, '007', '4 - good')
    """
    number = read_number(text)
    if number is None or not abs(number) < _LARGEST or shortest_text(number) != text:
        return text
    return int(number) if number.is_integer() else number


def json_line(record: Any) -> str:
    """A record on a line of its own."""
    return json.dumps(record, ensure_ascii=False) + "\n"


def json_list(records: Iterable[Any]) -> Iterator[str]:
    """A JSON array, a record at a time."""
    before = "[\n"
    for record in records:
        yield before + json.dumps(record, ensure_ascii=False)
        before = ",\n"
    yield "\n]\n" if before.startswith(",") else "[]\n"


def csv_lines(header: Sequence[str], rows: Iterable[Sequence[str | None]], delimiter: str = ",") -> Iterator[str]:
    """Delimited text, a row at a time."""
    line = io.StringIO()
    writer = csv.writer(line, delimiter=delimiter, lineterminator="\n")
    # A name that holds another delimiter must not look like two names.
    careful = any(mark in name for name in header for mark in ",;|\t")
    quoted = csv.writer(line, delimiter=delimiter, lineterminator="\n", quoting=csv.QUOTE_ALL)
    (quoted if careful else writer).writerow(header)
    yield line.getvalue()
    for row in rows:
        line.seek(0)
        line.truncate()
        writer.writerow(["" if cell is None else cell for cell in row])
        yield line.getvalue()
