"""Text with a delimiter: comma, tab, semicolon or bar; quoted or not."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from truegrade.columns import row_number
from truegrade.errors import FileError
from truegrade.readers.sniff import Format
from truegrade.readers.source import reading
from truegrade.readers.tablefile import ColumnParts, text_encoded
from truegrade.readers.utf8 import check_utf8

if TYPE_CHECKING:
    import pyarrow as pa
    from pyarrow import csv as arrow_csv
    from pyarrow.csv import InvalidRow

    from truegrade.readers.source import Source

__all__ = ["DelimitedFile"]

_DELIMITERS = (",", "\t", ";", "|")
_KIND = Format.DELIMITED.value
_BLOCK = 1 << 22
_CAREFUL_BLOCK = 1 << 28  # holds rows and headers of any sensible length


class DelimitedFile:
    """CSV and its relatives. Every cell is text, blank or not."""

    nested: Mapping[str, str] = {}

    def __init__(self, source: Source) -> None:
        self._source = source
        self.delimiter, self.names, self._has_rows = _header(source)

    def kinds(self, columns: Sequence[str]) -> dict[str, pa.DataType]:
        """The types of the columns as :meth:`batches` hands them out."""
        import pyarrow as pa

        return {name: ColumnParts(pa.string()).column().type for name in columns}

    def batches(self, columns: Sequence[str], rows: int) -> Iterator[pa.Table]:
        """The columns, at most so many rows at a time. Rows of spaces alone are skipped."""
        import pyarrow as pa
        from pyarrow import csv as arrow_csv

        if not self._has_rows:
            return
        check = _RowCheck()
        with reading(self._source.where, self._source.called(_KIND)):
            try:
                with self._source.stream() as stream:
                    for batch in arrow_csv.open_csv(stream, *self._options(columns, pa.string(), check, _BLOCK)):
                        for begin in range(0, batch.num_rows, rows):
                            found = pa.table(batch.slice(begin, rows))
                            yield pa.table([text_encoded(column) for column in found.columns], names=list(columns))
            except pa.ArrowInvalid:
                check_utf8(self._source)
                if check.broken is None:
                    raise
                raise FileError(f"{self._source.where}: {_described(check.broken)}") from None
            self._check_quotes()

    def read(self, columns: Sequence[str]) -> pa.Table:
        """The columns as dictionaries of strings. Rows of spaces alone are skipped."""
        import pyarrow as pa

        if not self._has_rows:  # Arrow wants a line break after the header
            return pa.table({name: ColumnParts(pa.string()).column() for name in columns})
        with reading(self._source.where, self._source.called(_KIND)):
            try:
                table = self._read_by_blocks(columns)
            except (pa.ArrowInvalid, UnicodeError):
                table = self._read_carefully(columns)
            self._check_quotes()
            return table

    def _read_by_blocks(self, columns: Sequence[str]) -> pa.Table:
        """Block by block, so that the text never stands there whole."""
        import pyarrow as pa
        from pyarrow import csv as arrow_csv

        found = {name: ColumnParts(pa.string()) for name in columns}
        with self._source.stream() as stream:
            for batch in arrow_csv.open_csv(stream, *self._options(columns, pa.string())):
                for name, parts in found.items():
                    parts.add(batch[name])
        return pa.table({name: parts.column() for name, parts in found.items()})

    def _read_carefully(self, columns: Sequence[str]) -> pa.Table:
        """Read again in a way that numbers the rows, and in blocks that hold any row."""
        import pyarrow as pa

        check_utf8(self._source)  # also because Arrow cannot hand over a broken row that is not UTF-8
        check = _RowCheck()
        try:
            table = self._parse(columns, pa.string(), check)
        except pa.ArrowInvalid:
            if check.broken is None:
                raise
            raise FileError(f"{self._source.where}: {_described(check.broken)}") from None
        return pa.table([text_encoded(column) for column in table.columns], names=table.column_names)

    def _check_quotes(self) -> None:
        """Find a quote that swallowed the rest of the file: Arrow ends the last field there and says nothing."""
        import pyarrow as pa

        quotes = 0
        with self._source.stream() as stream:
            while block := stream.read(_BLOCK):
                quotes += block.count(b'"')
        if quotes % 2 == 0:
            return  # most files; an odd one may also hold a size in inches
        last = self._parse(self.names[-1:], pa.binary(), _RowCheck())[0]
        if len(last) and b"\n" in last[-1].as_py():
            raise FileError(
                f"{self._source.where}: {row_number(len(last) - 1)}: a quote is never closed, so that the rest of the "
                "file became one field; close it, or write it twice if it is part of the text"
            )

    def _parse(self, columns: Sequence[str], kind: pa.DataType, check: _RowCheck) -> pa.Table:
        """The columns as this type, with a check of the rows."""
        from pyarrow import csv as arrow_csv

        with self._source.stream() as stream:
            return arrow_csv.read_csv(stream, *self._options(columns, kind, check))

    def _options(
        self, columns: Sequence[str], kind: pa.DataType, check: _RowCheck | None = None, block: int = 0
    ) -> tuple[arrow_csv.ReadOptions, arrow_csv.ParseOptions, arrow_csv.ConvertOptions]:
        from pyarrow import csv as arrow_csv

        careful = check is not None  # rows are numbered by one thread only
        return (
            arrow_csv.ReadOptions(use_threads=not careful, block_size=block or (_CAREFUL_BLOCK if careful else _BLOCK)),
            arrow_csv.ParseOptions(delimiter=self.delimiter, newlines_in_values=True, invalid_row_handler=check),
            arrow_csv.ConvertOptions(
                include_columns=list(columns),
                column_types=dict.fromkeys(columns, kind),
                strings_can_be_null=False,
            ),
        )


class _RowCheck:
    """Skips rows of spaces and remembers the first row with too few or too many fields."""

    def __init__(self) -> None:
        self.broken: InvalidRow | None = None

    def __call__(self, row: InvalidRow) -> str:
        if not row.text.strip():
            return "skip"
        self.broken = self.broken or row
        return "error"


def _described(row: InvalidRow) -> str:
    number = row.number - 1  # Arrow counts the header
    fields = "1 field" if row.actual_columns == 1 else f"{row.actual_columns} fields"
    remedy = "complete the row" if row.actual_columns < row.expected_columns else "quote a field that holds one"
    return f"row {number} has {fields} where the header has {row.expected_columns}; mend the delimiters: {remedy}"


def _header(source: Source) -> tuple[str, list[str], bool]:
    """The delimiter that splits the header into most columns, their names, and whether rows follow."""
    splits = {delimiter: _first_row(source, delimiter) for delimiter in _DELIMITERS}
    delimiter = max(splits, key=lambda d: len(splits[d][0]))
    names, has_rows = splits[delimiter]
    if not names:
        raise FileError(f"{source.where}: has no header; is a quote in its first row not closed?")
    return delimiter, names, has_rows


def _first_row(source: Source, delimiter: str) -> tuple[list[str], bool]:
    """The first row that is not blank, and whether anything follows it."""
    with reading(source.where, source.called(_KIND)), source.stream() as stream:
        text = io.TextIOWrapper(stream, encoding="utf-8-sig", errors="surrogateescape", newline="")
        try:
            names = next((row for row in csv.reader(text, delimiter=delimiter) if row), [])
        except csv.Error:  # a field too long to be a name
            return [], False
        if any("\udc80" <= char <= "\udcff" for name in names for char in name):
            check_utf8(source)
        return names, any(line.strip() for line in text)
