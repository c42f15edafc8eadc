"""The plain long form: a row per rating, as CSV, TSV, JSON lines or Parquet."""

from __future__ import annotations

import io
from collections.abc import Iterator
from pathlib import PurePath
from typing import TYPE_CHECKING, Any

from truegrade.readers.jsonvalue import value_text
from truegrade.writers.texts import csv_lines, json_line, json_value
from truegrade.writers.writer import Writer

if TYPE_CHECKING:
    import pyarrow as pa

    from truegrade.writers.answer_table import AnswerTable

__all__ = ["LONG", "long_as"]


def long_as(path: str) -> Writer:
    """The long form in the format that the ending of a file's name says; CSV if it says none."""
    match PurePath(path).suffix.lower():
        case ".parquet":
            return _writer(_parquet)
        case ".jsonl" | ".ndjson":
            return _writer(_json_lines)
        case ".tsv":
            return _writer(_tsv)
        case _:
            return LONG


def _table(table: AnswerTable) -> pa.Table:
    """annotator, instance, rating; category, weight, timestamp and gold where there are any."""
    import pyarrow as pa

    def taken(coded: Any) -> pa.Array:
        return pa.array(coded.labels, pa.string()).take(pa.array(coded.code))

    columns = {"annotator": taken(table.annotator), "instance": taken(table.instance)}
    values = [json_value(text) for text in table.rating.labels]
    numbers = not any(isinstance(value, str) for value in values)
    columns["rating"] = pa.array(values).take(pa.array(table.rating.code)) if numbers else taken(table.rating)
    if table.category is not None:
        columns["category"] = taken(table.category)
    columns |= table.extra
    gold = {instance: value for (instance, _), value in table.gold.items()}
    if gold:
        of_instance = pa.array([gold.get(label) for label in table.instance.labels], pa.string())
        columns["gold"] = of_instance.take(pa.array(table.instance.code))
    return pa.table(columns)


def _csv(table: AnswerTable, delimiter: str = ",") -> Iterator[str]:
    plain = _table(table)
    rows = ([value_text(_plain(cell)) for cell in row.values()] for row in _rows(plain))
    yield from csv_lines(plain.column_names, rows, delimiter)


def _tsv(table: AnswerTable) -> Iterator[str]:
    yield from _csv(table, "\t")


def _json_lines(table: AnswerTable) -> Iterator[str]:
    for row in _rows(_table(table)):
        yield json_line({key: _plain(value) for key, value in row.items() if value is not None})


def _rows(table: pa.Table) -> Iterator[dict[str, Any]]:
    for batch in table.to_batches(max_chunksize=1 << 14):
        yield from batch.to_pylist()


def _plain(value: Any) -> Any:
    """A moment as text."""
    return value if value is None or isinstance(value, str | int | float) else str(value)


def _parquet(table: AnswerTable) -> Iterator[bytes]:
    from pyarrow import parquet

    sink = io.BytesIO()
    parquet.write_table(_table(table), sink)
    yield sink.getvalue()


def _writer(write: Any) -> Writer:
    return Writer("long", "a plain table", write, gold=True, category=True, extra=True)


LONG = _writer(_csv)
