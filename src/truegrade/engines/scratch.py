"""Room on disk for what does not fit into memory: files without names, of which nothing is left however we end."""

from __future__ import annotations

import mmap
import os
import tempfile
import weakref
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from truegrade.errors import OutputError

if TYPE_CHECKING:
    from typing_extensions import Buffer

__all__ = ["Mapping", "Scratch", "ScratchFile"]

_ALIGNED = 64  # bytes; where arrays begin
_CHUNK = 1 << 24  # bytes that are copied at once


class Scratch:
    """A folder for such files, and how much was written into them."""

    def __init__(self, folder: str | os.PathLike[str] = "") -> None:
        self.folder = Path(folder or tempfile.gettempdir())
        self.written = 0
        if not self.folder.is_dir():
            raise OutputError(f"{self.folder}: is no folder for scratch files; choose another by --scratch DIR")
        self.file().close()  # a folder that takes none is told before the work, not in it

    def file(self) -> ScratchFile:
        """A new file."""
        with self.told(), tempfile.TemporaryFile(dir=self.folder, buffering=0) as file:
            return ScratchFile(self, os.dup(file.fileno()))

    @contextmanager
    def told(self) -> Iterator[None]:
        """Turn a disk that is full, or not ours, into one line that a user can act on."""
        try:
            yield
        except OSError as error:
            raise OutputError(
                f"{self.folder}: cannot hold more scratch files ({error.strerror or error}; "
                f"{self.written / 1e6:.0f} MB were written); free some space, or choose another by --scratch DIR"
            ) from None


class ScratchFile:
    """Bytes that are appended, then mapped into memory for as long as somebody looks at them."""

    def __init__(self, scratch: Scratch, descriptor: int) -> None:
        self._scratch = scratch
        self._descriptor = descriptor
        self.size = 0
        self.close = weakref.finalize(self, os.close, descriptor)  # gives the room back, at the latest with this object

    def append(self, data: Buffer) -> int:
        """Write at the end; returns where the bytes begin."""
        begin, left = self.size, memoryview(data)
        left = left.cast("B") if left.nbytes else memoryview(b"")  # a shape with a zero in it cannot be cast
        with self._scratch.told():
            while left.nbytes:
                done = os.write(self._descriptor, left)
                self.size += done
                self._scratch.written += done
                left = left[done:]
        return begin

    def align(self) -> None:
        """Let the next bytes begin where arrays like to."""
        self.append(bytes(-self.size % _ALIGNED))

    def mapped(self, *, writable: bool = False) -> Mapping:
        """The bytes as memory. What is written there is in the file."""
        with self._scratch.told():
            return Mapping(self._descriptor, self.size, writable=writable)

    def read(self, begin: int, size: int) -> bytes:
        """Some of the bytes."""
        return os.pread(self._descriptor, size, begin)

    def chunks(self) -> Iterator[bytes]:
        """All bytes, a few at a time."""
        for begin in range(0, self.size, _CHUNK):
            yield self.read(begin, _CHUNK)

    def copy(self) -> ScratchFile:
        """A second file with the same bytes."""
        copy = self._scratch.file()
        for chunk in self.chunks():
            copy.append(chunk)
        return copy


class Mapping:
    """A file in memory. Pages come when they are touched, and :meth:`forget` lets go of them."""

    def __init__(self, descriptor: int, size: int, *, writable: bool) -> None:
        access = mmap.ACCESS_WRITE if writable else mmap.ACCESS_READ
        self._map = mmap.mmap(descriptor, size, access=access) if size else None
        self.view = memoryview(self._map) if self._map is not None else memoryview(b"")
        self._address = _address(self.view)

    def offset_of(self, raw: memoryview) -> int | None:
        """Where some bytes lie in this file, if they do."""
        offset = _address(raw) - self._address
        return offset if raw.nbytes and 0 <= offset <= self.view.nbytes - raw.nbytes else None

    def forget(self) -> None:
        """Let go of the pages; they come back from the file if somebody looks again."""
        if self._map is not None:
            with suppress(OSError):
                self._map.madvise(mmap.MADV_DONTNEED)


def _address(raw: memoryview) -> int:
    return np.frombuffer(raw, dtype=np.uint8).ctypes.data if raw.nbytes else 0
