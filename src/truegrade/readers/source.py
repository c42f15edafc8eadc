"""Where the bytes come from: a file or standard input, plain or compressed."""

from __future__ import annotations

import os
import stat
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from truegrade.errors import FileError, TruegradeError

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["Source", "open_source", "reading"]

_COMPRESSIONS = {b"\x1f\x8b": "gzip", b"\x28\xb5\x2f\xfd": "zstd"}
_REASON_LENGTH = 160  # a message stays one line of readable length


@dataclass(frozen=True)
class Source:
    """Bytes that can be read from the start as often as needed."""

    where: str  # how messages begin: the path as given, or "stdin"
    content: str | pa.Buffer  # a path, or the bytes themselves where they come only once
    compression: str | None

    def stream(self) -> pa.NativeFile:
        """The decompressed bytes, front to back."""
        import pyarrow as pa

        raw = _raw(self.content)
        return pa.CompressedInputStream(raw, self.compression) if self.compression else raw

    def random_access(self) -> pa.NativeFile:
        """The decompressed bytes, for formats that are read from the end; held in memory if compressed."""
        import pyarrow as pa

        if self.compression is None:
            return _raw(self.content)
        with self.stream() as stream:
            return pa.BufferReader(stream.read())

    def head(self, size: int) -> bytes:
        """The first decompressed bytes, fewer if there are fewer."""
        with self.stream() as stream:
            return bytes(stream.read(size))

    def called(self, kind: str) -> str:
        """How messages name the file: Parquet file, gzip-compressed Parquet file."""
        return f"{self.compression}-compressed {kind}" if self.compression else kind


def open_source(source: str | os.PathLike[str]) -> Source:
    """Find the file, or read standard input if the source is ``-``."""
    import pyarrow as pa

    content: str | pa.Buffer
    if source == "-":
        where, content = "stdin", pa.py_buffer(sys.stdin.buffer.read())
    else:
        where, content = os.fspath(source), _located(os.fspath(source))
    with reading(where, "file"), _raw(content) as raw:
        start = bytes(raw.read(4))
    return Source(where, content, next((c for magic, c in _COMPRESSIONS.items() if start.startswith(magic)), None))


@contextmanager
def reading(where: str, kind: str) -> Iterator[None]:
    """Turn whatever goes wrong while reading into one line that a user can act on."""
    import pyarrow as pa

    try:
        yield
    except TruegradeError:
        raise
    except (pa.ArrowException, OSError, EOFError, UnicodeError, OverflowError, MemoryError) as error:
        reason = " ".join(str(error).split())[:_REASON_LENGTH] or type(error).__name__
        raise FileError(
            f"{where}: this {kind} cannot be read ({reason}); it looks damaged or cut short, write or copy it again"
        ) from error


def _located(path: str) -> str | pa.Buffer:
    """The path of a regular file; the bytes of a pipe, which can be read only once."""
    import pyarrow as pa

    try:
        mode = Path(path).stat().st_mode
        if stat.S_ISDIR(mode):
            raise FileError(f"{path}: is a folder; give the file in it, or stream all of it with fit --memory")
        with Path(path).open("rb") as file:
            return path if stat.S_ISREG(mode) else pa.py_buffer(file.read())
    except FileNotFoundError:
        raise FileError(f"{path}: no such file; check the path") from None
    except PermissionError:
        raise FileError(f"{path}: no permission to read it; change its mode or its owner") from None
    except (OSError, ValueError) as error:  # too long, a null byte in the path, a broken disk
        raise FileError(f"{path!r}: cannot be opened ({error}); check the path") from error


def _raw(content: str | pa.Buffer) -> pa.NativeFile:
    import pyarrow as pa

    # Never pa.input_stream: it would decompress by the file's extension, and here the content decides.
    return pa.OSFile(content) if isinstance(content, str) else pa.BufferReader(content)
