"""Arrow tables as files, written whole or not at all."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from truegrade.errors import OptionError, OutputError

if TYPE_CHECKING:
    from collections.abc import Mapping

    import pyarrow as pa

__all__ = ["FORMATS", "write_table", "write_tables"]

FORMATS = ("csv", "parquet")


def write_table(table: pa.Table, path: Path) -> None:
    """One table in the format that the file's ending says."""
    if path.suffix == ".parquet":
        import pyarrow.parquet as pq

        pq.write_table(table, path)
    else:
        import pyarrow.csv as pc

        pc.write_csv(table, path, pc.WriteOptions(quoting_style="needed"))


def write_tables(tables: Mapping[str, pa.Table], directory: Path, format_: str) -> list[Path]:
    """Several tables into one directory, each moved into place when all are written."""
    if format_ not in FORMATS:
        raise OptionError(f"format '{format_}': choose {' or '.join(FORMATS)}")
    paths = [directory / f"{name}.{format_}" for name in tables]
    try:
        directory.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(prefix=".truegrade-", dir=directory) as scratch:
            for path, table in zip(paths, tables.values(), strict=True):
                write_table(table, Path(scratch) / path.name)
            for path in paths:
                (Path(scratch) / path.name).replace(path)
    except OSError as error:
        raise OutputError(f"{directory}: cannot be written: {error.strerror or error}; nothing was changed") from None
    return paths
