"""Files that are whole or not there."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

from truegrade.errors import OutputError

__all__ = ["user_cache", "write_whole"]


def user_cache() -> Path:
    """Where this user's data is kept that can be had again: in XDG_CACHE_HOME or ~/.cache."""
    base = os.environ.get("XDG_CACHE_HOME")
    return (Path(base) if base else Path.home() / ".cache") / "truegrade"


def write_whole(path: Path, content: bytes | str) -> None:
    """Write a file beside its place and move it there, so that nobody ever reads half of it."""
    data = content.encode() if isinstance(content, str) else content
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.NamedTemporaryFile(dir=path.parent, prefix=".truegrade-", delete=False) as scratch:
            scratch.write(data)
        Path(scratch.name).chmod(0o666 & ~_umask())
        Path(scratch.name).replace(path)
    except OSError as error:
        raise OutputError(f"{path}: cannot be written: {error.strerror or error}") from None


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
