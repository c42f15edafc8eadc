"""A file, or a folder of files, that is read batch by batch and never stands in memory whole."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote

import numpy as np

from truegrade.columns import Columns, row_number
from truegrade.errors import ColumnError, FileError, OptionError
from truegrade.readers.assemble import check_names
from truegrade.readers.choose import Chosen, choose
from truegrade.readers.columnar import ColumnarFile
from truegrade.readers.delimited import DelimitedFile
from truegrade.readers.sniff import Format, sniff
from truegrade.readers.source import open_source, reading
from truegrade.readers.wide import is_wide
from truegrade.roles import ALIASES, Roles, resolve_roles

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["Batch", "Dataset", "FileRows"]

_REQUIRED = ("annotator", "instance", "rating")
_NO_PARTITION = "__HIVE_DEFAULT_PARTITION__"  # how a folder says that a value is missing


@dataclass(frozen=True)
class Batch:
    """Some rows of one file."""

    columns: Columns
    file: int  # which of the files
    first: int  # the batch's first row in its file


@dataclass(frozen=True)
class FileRows:
    """How messages name a row of the whole input: by its file, where there are several, and its row there."""

    names: tuple[str, ...]
    ends: tuple[int, ...]  # of the files' rows, laid end to end

    def __call__(self, row: int) -> str:
        """The name of a row."""
        file = int(np.searchsorted(self.ends, row, side="right"))
        told = row_number(row - (self.ends[file - 1] if file else 0))
        return told if len(self.names) == 1 else f"{self.names[file]}: {told}"


@dataclass(frozen=True)
class Dataset:
    """The files, and the column of each role. Columns may be written in the folders' names, as in query=7/."""

    where: str  # how messages begin: the path as given
    files: tuple[str, ...]
    roles: Roles
    kinds: Mapping[str, Any]  # role -> the Arrow type of its column in every batch

    @classmethod
    def open(cls, source: str | os.PathLike[str], given: Roles | None = None, *, wide: bool = False) -> Dataset:
        """Find the files, and the columns in the first one."""
        where = os.fspath(source)
        if where == "-":
            raise OptionError("stdin can be read only once, so it cannot be streamed; save it to a file first")
        files = _files_below(Path(where)) if Path(where).is_dir() else (where,)
        given = given or Roles()
        first, partition = _opened(files[0]), _partition(where, files[0])
        names = [*first.names, *(key for key in partition if key not in first.names)]
        check_names(names, files[0])
        _refuse_exports(files[0], given)
        if wide or is_wide(names, given):
            raise OptionError(
                f"{files[0]}: a wide matrix cannot be streamed; write one row per rating, or leave out --memory"
            )
        roles = resolve_roles(names, given, files[0], _REQUIRED)
        found = {role: name for role, name in roles.columns().items() if role != "timestamp"}
        return cls(where, files, Roles(**found), _kinds(where, files, found))

    def batches(
        self, rows: int, roles: Sequence[str] | None = None, files: Sequence[int] | None = None
    ) -> Iterator[Batch]:
        """The rows of all files, or of some, at most so many at a time; all roles, or some."""
        wanted = {role: name for role, name in self.roles.columns().items() if roles is None or role in roles}
        for number in range(len(self.files)) if files is None else files:
            path = self.files[number]
            file = _File(path, _opened(path), _partition(self.where, path), wanted)
            self._refuse_late(file)
            first = 0
            for found in file.batches(rows):
                columns = {role: self._alike(column, role, path) for role, column in found.items()}
                size = len(next(iter(columns.values())))
                label = _RowsFrom(first)
                absent: Any = dict.fromkeys(set(_REQUIRED) - set(columns))
                yield Batch(Columns(path, **columns, **absent, row_label=label, names=wanted), number, first)
                first += size

    def _refuse_late(self, file: _File) -> None:
        """Refuse a column that the first file does not have, where leaving it out would change the answer."""
        filled = self.roles.columns()
        for role in ("category", "weight"):
            late = [c for c in file.names if c.strip().lower() in ALIASES[role] and c not in filled.values()]
            if role not in filled and late:
                told = f"column '{late[0]}' ({role}) is not in {self.files[0]}; give it to all files, or to none"
                raise ColumnError(f"{file.path}: {told}")

    def _alike(self, column: pa.ChunkedArray, role: str, path: str) -> pa.ChunkedArray:
        """A column in the type that it has in the first file."""
        import pyarrow as pa

        kind = self.kinds[role]
        if column.type == kind:
            return column
        try:
            if not (pa.types.is_dictionary(kind) or pa.types.is_dictionary(column.type)):
                return column.cast(kind)
        except pa.ArrowException:
            pass
        raise ColumnError(
            f"{path}: column '{self.roles.columns()[role]}' holds {_told(column.type)}, but {_told(kind)} in "
            f"{self.files[0]}; write all files with the same types"
        )


@dataclass(frozen=True)
class _RowsFrom:
    first: int

    def __call__(self, index: int) -> str:
        return row_number(self.first + index)


@dataclass(frozen=True)
class _File:
    """One file, with the columns that its folders' names spell."""

    path: str
    content: ColumnarFile | DelimitedFile
    partition: Mapping[str, str | None]
    columns: Mapping[str, str]  # role -> column

    def __post_init__(self) -> None:
        for name in self.columns.values():
            if name in self.content.nested:
                raise ColumnError(f"{self.path}: column '{name}' holds lists or objects, not single values")
            if name not in self.content.names and name not in self.partition:
                raise ColumnError(f"{self.path}: no column '{name}', which other files have; give it to all files")

    def kinds(self) -> dict[str, Any]:
        stored = self.content.kinds(self._stored())
        return {role: stored[name] if name in stored else _text_kind() for role, name in self.columns.items()}

    @property
    def names(self) -> list[str]:
        """All columns, those of the folders too."""
        return [*self.content.names, *(key for key in self.partition if key not in self.content.names)]

    def batches(self, rows: int) -> Iterator[dict[str, pa.ChunkedArray]]:
        # Without a stored column nothing would say how many rows there are.
        stored = self._stored() or list(self.content.names[:1])
        for table in self.content.batches(stored, rows):
            yield {
                role: table[name] if name in stored else _repeated(self.partition[name], table.num_rows)
                for role, name in self.columns.items()
            }

    def _stored(self) -> list[str]:
        return list(dict.fromkeys(name for name in self.columns.values() if name in self.content.names))


def _kinds(where: str, files: Sequence[str], columns: Mapping[str, str]) -> dict[str, Any]:
    """The Arrow type of each role's column: that of the first file that says one, as columns without cells do not."""
    import pyarrow as pa

    known: dict[str, Any] = {}
    for path in files:
        for role, kind in _File(path, _opened(path), _partition(where, path), columns).kinds().items():
            if pa.types.is_null(known.get(role, pa.null())):
                known[role] = kind
        if not any(map(pa.types.is_null, known.values())):
            break
    return known


def _files_below(folder: Path) -> tuple[str, ...]:
    """The files of a folder and its folders, by name; those that begin with a dot or a low line are no data."""
    with reading(str(folder), "folder"):
        paths = sorted(path for path in folder.rglob("*") if path.is_file())
    found = [path for path in paths if not any(part.startswith((".", "_")) for part in path.relative_to(folder).parts)]
    if not found:
        raise FileError(f"{folder}: holds no files of ratings; give a folder of Parquet, Arrow or CSV files")
    return tuple(map(str, found))


def _opened(path: str) -> ColumnarFile | DelimitedFile:
    source = open_source(path)
    with reading(source.where, source.called("file")):
        found = sniff(source)
    if found in {Format.JSON_LINES, Format.JSON_ARRAY, Format.NUMPY}:
        told = "a NumPy array" if found is Format.NUMPY else "JSON"
        raise OptionError(f"{path}: {told} cannot be streamed; write it as Parquet, or leave out --memory")
    if found is Format.DELIMITED:
        return DelimitedFile(source)
    if source.compression:
        raise OptionError(f"{path}: a {source.called(found.value)} cannot be streamed; decompress it first")
    return ColumnarFile(source, found)


def _refuse_exports(path: str, given: Roles) -> None:
    chosen = choose(open_source(path), given, wide=False, from_="", question="")
    if isinstance(chosen, Chosen):
        raise OptionError(
            f"{path}: an export of {chosen.export.title} cannot be streamed; write its ratings as Parquet, "
            "or leave out --memory"
        )


def _partition(where: str, path: str) -> dict[str, str | None]:
    """The columns that the names of the folders spell, as text: category=a%20b/ is category 'a b'."""
    below = Path(path).relative_to(where).parts[:-1] if path != where else ()
    pairs = [part.split("=", 1) for part in below if "=" in part]
    return {unquote(key): None if value == _NO_PARTITION else unquote(value) for key, value in pairs}


def _repeated(value: str | None, rows: int) -> pa.ChunkedArray:
    import pyarrow as pa

    index = pa.array(np.zeros(rows, dtype=np.int32), mask=np.full(rows, value is None))
    labels = pa.array([] if value is None else [value], pa.string())
    return pa.chunked_array([pa.DictionaryArray.from_arrays(index, labels)])


def _text_kind() -> pa.DataType:
    import pyarrow as pa

    return pa.dictionary(pa.int32(), pa.string())


def _told(kind: pa.DataType) -> str:
    import pyarrow as pa

    return "text" if pa.types.is_dictionary(kind) and kind == _text_kind() else str(kind)
