"""JSON lines read one by one: for the files that need it, and to name the line that is broken."""

from __future__ import annotations

import io
import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING, Any

from truegrade.columns import row_number
from truegrade.errors import FileError
from truegrade.readers.jsonvalue import value_text
from truegrade.readers.tablefile import ColumnParts
from truegrade.readers.utf8 import check_utf8

if TYPE_CHECKING:
    import pyarrow as pa

    from truegrade.readers.source import Source

__all__ = ["Keys", "scan_columns", "scan_keys", "text_keys"]

_SAMPLE = 1000
_BATCH = 1 << 14  # lines that wait as Python objects


@dataclass
class Keys:
    """The keys of a file."""

    names: list[str]
    nested: dict[str, str]  # key -> where it first holds a list or an object


def text_keys(source: Source) -> list[str]:
    """The keys whose values are text, by the first lines; none if these are broken."""
    kinds: dict[str, bool] = {}
    try:
        for record in islice(_records(source), _SAMPLE):
            for key, value in record.items():
                if value is not None:
                    kinds[key] = kinds.get(key, True) and isinstance(value, str)
    except FileError:
        return []  # reading on will find the same line
    return [key for key, is_text in kinds.items() if is_text]


def scan_keys(source: Source) -> Keys:
    """Read every line; the first one that is no object raises an error with its number."""
    names: dict[str, None] = {}
    nested: dict[str, str] = {}
    for row, record in enumerate(_records(source)):
        for key, value in record.items():
            names[key] = None
            if isinstance(value, list | dict):
                nested.setdefault(key, f"{row_number(row)}: {json.dumps(value)[:40]}")
    return Keys(list(names), nested)


def scan_columns(source: Source, names: Sequence[str]) -> pa.Table:
    """The values of these keys as dictionaries of strings."""
    import pyarrow as pa

    parts = {name: ColumnParts(pa.string()) for name in names}
    records = _records(source)
    while batch := list(islice(records, _BATCH)):
        for name, column in parts.items():
            column.add(pa.array([value_text(record.get(name)) for record in batch], pa.string()))
    return pa.table({name: column.column() for name, column in parts.items()})


def _records(source: Source) -> Iterator[dict[str, Any]]:
    """The object on each line that is not blank."""
    with source.stream() as stream:
        lines = io.TextIOWrapper(stream, encoding="utf-8-sig", newline="\n")
        row = 0
        try:
            for line in lines:
                if not line.isspace():
                    yield _record(line, f"{source.where}: {row_number(row)}")
                    row += 1
        except UnicodeDecodeError:
            check_utf8(source)
            raise


def _record(line: str, where: str) -> dict[str, Any]:
    try:
        record = json.loads(line, object_pairs_hook=_distinct)
        if "\\ud" in line.lower():  # perhaps half of a pair
            json.dumps(record, ensure_ascii=False).encode()
    except json.JSONDecodeError as error:
        raise FileError(
            f"{where}: not JSON ({error.msg} at character {error.colno}); write one object per line"
        ) from None
    except UnicodeEncodeError:
        raise FileError(f"{where}: a \\u escape stands for half a character; mend the line") from None
    except (ValueError, RecursionError) as error:
        raise FileError(f"{where}: {error}; mend the line") from None
    if not isinstance(record, dict):
        raise FileError(f"{where}: {line.strip()[:40]!r} is no JSON object; write one object per line")
    return record


def _distinct(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    record = dict(pairs)
    if len(record) < len(pairs):
        keys = [key for key, _ in pairs]
        twice = next(key for key in keys if keys.count(key) > 1)
        raise ValueError(f"the key '{twice}' stands there twice")
    return record
