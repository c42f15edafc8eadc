"""The file of a checkpoint: an .npz archive of plain arrays and one JSON record, each with a checksum.

A new one is written beside the old one, brought to the disk and moved over it, so that whatever ends the process there
is a whole one. numpy.load opens it; nothing in it is ever executed.
"""

from __future__ import annotations

import json
import os
import zipfile
from collections.abc import Callable, Mapping
from contextlib import suppress
from hashlib import blake2b
from pathlib import Path
from typing import Any

import numpy as np

from truegrade.errors import CheckpointError, OutputError

__all__ = ["FORMAT_VERSION", "Put", "read_array", "read_record", "write_checkpoint"]

FORMAT_VERSION = 1
Put = Callable[[str, Any], None]  # takes an array and its name
_FORMAT = "truegrade-checkpoint"
_RECORD, _CHECKSUM = "record.json", "checksum.txt"  # the record holds the checksums of the arrays
_ARCHIVE = b"PK\3\4"  # how every .npz file begins
_DAMAGE = (OSError, ValueError, LookupError, TypeError, AttributeError, EOFError, zipfile.BadZipFile, RuntimeError)


def read_array(path: Path, name: str, checksum: str) -> Any:
    """One array of a checkpoint."""
    try:
        with zipfile.ZipFile(path) as archive, archive.open(f"{name}.npy") as member:
            array = np.lib.format.read_array(member, allow_pickle=False)
        if _checksum(array) != checksum:
            raise ValueError(f"the checksum of {name} is wrong")
    except _DAMAGE as error:
        raise _damaged(path, _one_line(error)) from None
    return array


def write_checkpoint(path: Path, fill: Callable[[Put], Mapping[str, Any]]) -> dict[str, str]:
    """Replace the file as a whole; returns the checksums of the arrays.

    fill: puts in the arrays one by one, so that they need not all be in memory, and returns the record.
    """
    beside = path.with_name(f"{path.name}.new")  # the same each time: what a killed process left is written over
    try:
        with beside.open("wb") as file:
            checksums = _write(file, fill)
            file.flush()
            os.fsync(file.fileno())
        beside.replace(path)
        _sync_folder(path.parent)
    except OSError as error:
        with suppress(OSError):
            beside.unlink()
        kept = "; the one before is whole" if path.exists() else ""
        raise OutputError(
            f"{path}: the checkpoint cannot be written: {error.strerror or error}{kept}; free some space, or choose "
            "another place"
        ) from None
    return checksums


def _write(file: Any, fill: Callable[[Put], Mapping[str, Any]]) -> dict[str, str]:
    checksums = {}
    with zipfile.ZipFile(file, "w", zipfile.ZIP_STORED) as archive:

        def put(name: str, array: Any) -> None:
            checksums[name] = _checksum(array)
            with archive.open(f"{name}.npy", "w", force_zip64=True) as member:
                np.lib.format.write_array(member, np.ascontiguousarray(array), allow_pickle=False)

        whole = {"format": _FORMAT, "format_version": FORMAT_VERSION, **fill(put), "checksums": checksums}
        text = json.dumps(whole, ensure_ascii=False, allow_nan=False).encode()
        archive.writestr(_RECORD, text)
        archive.writestr(_CHECKSUM, blake2b(text).hexdigest())
    return checksums


def read_record(path: Path) -> dict[str, Any]:
    """What stands beside the arrays; what is damaged, of another format or no checkpoint is refused."""
    try:
        with path.open("rb") as file:
            begin = file.read(len(_ARCHIVE))
        if not _ARCHIVE.startswith(begin):
            raise CheckpointError(f"{path}: is no checkpoint of truegrade; choose another file")
        with zipfile.ZipFile(path) as archive:
            if _RECORD not in archive.namelist():
                raise CheckpointError(f"{path}: is no checkpoint of truegrade; choose another file")
            text = archive.read(_RECORD)
            if blake2b(text).hexdigest() != archive.read(_CHECKSUM).decode():
                raise ValueError("the checksum of its record is wrong")
        record: dict[str, Any] = json.loads(text)
        found = (record["format"], record["format_version"])
    except _DAMAGE as error:
        raise _damaged(path, _one_line(error)) from None
    if found != (_FORMAT, FORMAT_VERSION):
        raise CheckpointError(
            f"{path}: is a checkpoint of format {found[1]}, this version of truegrade reads {FORMAT_VERSION}; "
            "delete it and begin anew"
        )
    return record


def _checksum(array: Any) -> str:
    return blake2b(np.ascontiguousarray(array).data, digest_size=16).hexdigest()


def _damaged(path: Path, reason: str) -> CheckpointError:
    return CheckpointError(f"{path}: the checkpoint is damaged: {reason}; delete it and begin anew")


def _one_line(error: Exception) -> str:
    return " ".join(str(error).split()) or type(error).__name__


def _sync_folder(folder: Path) -> None:
    """Bring the new name to the disk too, where folders can be opened."""
    with suppress(OSError):
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)
