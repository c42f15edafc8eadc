"""Arrow tables as files, written whole or not at all."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from truegrade.errors import OptionError
from truegrade.files import check_directory, move_in, scratch_folder

if TYPE_CHECKING:
    from collections.abc import Mapping

    import pyarrow as pa

__all__ = ["FORMATS", "TableWriter", "csv_text", "write_table", "write_tables"]

FORMATS = ("csv", "parquet")


def write_table(table: pa.Table, path: Path) -> None:
    """One table in the format that the file's ending says."""
    if path.suffix == ".parquet":
        import pyarrow.parquet as pq

        pq.write_table(table, path)
    else:
        import pyarrow.csv as pc

        pc.write_csv(table, path, pc.WriteOptions(quoting_style="needed"))


class TableWriter:
    """One table in the format that the file's ending says, a few rows at a time."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._writer: Any = None

    def write(self, rows: pa.Table) -> None:
        """Append some rows."""
        if self._writer is None:
            self._writer = self._opened(rows.schema)
        self._writer.write_table(rows)

    def _opened(self, schema: pa.Schema) -> Any:
        if self._path.suffix == ".parquet":
            import pyarrow.parquet as pq

            return pq.ParquetWriter(self._path, schema)
        import pyarrow.csv as pc

        return pc.CSVWriter(self._path, schema, write_options=pc.WriteOptions(quoting_style="needed"))

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *failure: object) -> None:
        if self._writer is not None:
            self._writer.close()


def csv_text(table: pa.Table) -> bytes:
    """A table as the content of a CSV file."""
    import pyarrow as pa
    import pyarrow.csv as pc

    sink = pa.BufferOutputStream()
    pc.write_csv(table, sink, pc.WriteOptions(quoting_style="needed"))
    content: bytes = sink.getvalue().to_pybytes()
    return content


def write_tables(tables: Mapping[str, pa.Table], directory: Path, format_: str) -> list[Path]:
    """Several tables into one directory, moved into place when all are written."""
    if format_ not in FORMATS:
        raise OptionError(f"format '{format_}': choose {' or '.join(FORMATS)}")
    check_directory(directory)
    names = [f"{name}.{format_}" for name in tables]
    with scratch_folder(directory) as scratch:
        for name, table in zip(names, tables.values(), strict=True):
            write_table(table, scratch / name)
        move_in(scratch, names, directory)
    return [directory / name for name in names]
