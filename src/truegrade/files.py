"""Files that are whole or not there, one by one or several together."""

from __future__ import annotations

import errno
import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from truegrade.errors import OutputError

__all__ = ["check_directory", "move_in", "scratch_folder", "user_cache", "write_whole"]

_ELSEWHERE = {errno.EACCES, errno.EEXIST, errno.ENOENT, errno.ENOTDIR, errno.EPERM, errno.EROFS}


def user_cache() -> Path:
    """Where this user's data is kept that can be had again: in XDG_CACHE_HOME or ~/.cache."""
    base = os.environ.get("XDG_CACHE_HOME")
    return (Path(base) if base else Path.home() / ".cache") / "truegrade"


def write_whole(path: Path, content: bytes | str) -> None:
    """Write a file beside its place and move it there, so that nobody ever reads half of it."""
    data = content.encode() if isinstance(content, str) else content
    with scratch_folder(path.parent, path) as scratch:
        (scratch / "whole").write_bytes(data)
        (scratch / "whole").replace(path)


@contextmanager
def scratch_folder(directory: Path, told: Path | None = None) -> Iterator[Path]:
    """A folder inside a directory, to write files in before they are moved in.

    The directory is made if it is not there, and does not stay behind if the work fails. `told` is the path that
    messages name instead of the directory.
    """
    made = [folder for folder in (directory, *directory.parents) if not _exists(folder)]
    try:
        directory.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(prefix=".truegrade-", dir=directory) as scratch:
            yield Path(scratch)
    except BaseException as error:
        for folder in made:
            with suppress(OSError):
                folder.rmdir()
        if isinstance(error, OSError):
            raise OutputError(f"{told or directory}: cannot be written: {_told(error)}") from None
        raise


def move_in(scratch: Path, names: list[str], directory: Path) -> None:
    """Move files from the scratch folder into the directory: all of them, or none if that fails or is interrupted.

    Each replaces what has its name there in one step; the last of `names` comes last.
    """
    with tempfile.TemporaryDirectory(dir=scratch) as folder:
        old = Path(folder)
        moved: list[str] = []
        made: list[Path] = []
        try:
            for name in names:
                place = directory / name
                if not place.parent.exists():
                    place.parent.mkdir()
                    made.append(place.parent)
                (old / name).parent.mkdir(parents=True, exist_ok=True)
                with suppress(FileNotFoundError):
                    _keep(place, old / name)
                moved.append(name)
                (scratch / name).replace(place)
        except BaseException:
            for name in reversed(moved):
                if (old / name).exists():
                    (old / name).replace(directory / name)
                elif not (scratch / name).exists():
                    (directory / name).unlink()
            for empty in made:
                empty.rmdir()
            raise


def check_directory(directory: Path) -> None:
    """Refuse early a directory that cannot be written into, before long work is done."""
    try:
        existing = directory
        while not existing.exists():
            existing = existing.parent
    except (OSError, ValueError) as error:
        raise OutputError(f"{str(directory)[:80]!r}: is no place for files: {_reason(error)}; choose another") from None
    if not existing.is_dir():
        raise OutputError(f"{existing}: is a file; choose another directory")
    if not os.access(existing, os.W_OK | os.X_OK):
        raise OutputError(f"{directory}: no permission to write into {existing}; choose another directory")


def _keep(path: Path, copy: Path) -> None:
    """A second name for the file's content, or a copy where the file system has no such thing."""
    try:
        os.link(path, copy)
    except FileNotFoundError:
        raise
    except OSError:
        shutil.copy2(path, copy)


def _exists(path: Path) -> bool:
    try:
        return path.exists()
    except (OSError, ValueError):
        return False


def _told(error: OSError) -> str:
    remedy = "choose another place" if error.errno in _ELSEWHERE else "free some space, or choose another place"
    return f"{_reason(error)}; nothing was changed; {remedy}"


def _reason(error: Exception) -> str:
    return getattr(error, "strerror", None) or " ".join(str(error).split())
