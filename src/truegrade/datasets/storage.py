"""Cleaned data as files: ratings.csv and gold.csv, in the user's cache, always checked before they are used."""

from __future__ import annotations

from hashlib import sha256
from pathlib import Path

from truegrade.datasets.entry import Entry, Tables
from truegrade.errors import DataError
from truegrade.files import user_cache, write_whole

__all__ = ["cache_folder", "check", "paths_in", "read_cleaned", "store"]

_NAMES = ("ratings", "gold")


def cache_folder(entry: Entry) -> Path:
    """Where this data set is kept: XDG_CACHE_HOME or ~/.cache."""
    return user_cache() / "data" / entry.name


def paths_in(folder: Path, entry: Entry) -> list[Path]:
    """What the cleaned files are called in a folder."""
    return [folder / f"{name}.csv" for name in _NAMES[: 2 if entry.shape.gold else 1]]


def read_cleaned(folder: Path, entry: Entry) -> Tables | None:
    """The cleaned tables in a folder; None where they are not, or are not the ones of the checksums."""
    from truegrade.readers import read_table

    paths = paths_in(folder, entry)
    if entry.built_in or not all(path.is_file() for path in paths):
        return None
    if tuple(_digest(path.read_bytes()) for path in paths) != entry.sha256:
        return None
    ratings, gold = (read_table(path) for path in paths)
    return Tables(ratings, gold)


def check(tables: Tables, entry: Entry, where: str) -> None:
    """Refuse tables that are not the ones of the checksums."""
    found = tuple(_digest(content) for content in _csv(tables))
    if entry.sha256 and found != entry.sha256:
        raise DataError(
            f"{where}: cleaned, this is not the published {entry.name} (sha256 {found[0][:12]}, not "
            f"{entry.sha256[0][:12]}); the file is damaged or another version: fetch it anew"
        )


def store(tables: Tables, entry: Entry, folder: Path) -> list[Path]:
    """Write the cleaned tables into a folder."""
    paths = paths_in(folder, entry)
    for path, content in zip(paths, _csv(tables), strict=True):
        write_whole(path, content)
    return paths


def _digest(content: bytes) -> str:
    return sha256(content.replace(b"\r\n", b"\n")).hexdigest()


def _csv(tables: Tables) -> list[bytes]:
    """The tables as plain CSV; no cell holds a comma or a quote."""
    written = []
    for table in (tables.ratings, tables.gold):
        if table is not None:
            rows = zip(*(column.to_pylist() for column in table.columns), strict=True)
            lines = [",".join(table.column_names), *(",".join(map(str, row)) for row in rows)]
            written.append(("\n".join(lines) + "\n").encode())
    return written
