"""Objects made of arrays, kept in scratch files: their arrays come back as views of the file, and nothing is copied.

Pickle's protocol 5 hands the buffers out. A pickle never leaves the process that made it.
"""

from __future__ import annotations

import io
import pickle
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from truegrade.engines.scratch import Mapping, Scratch, ScratchFile

__all__ = ["Open", "Stored"]

Place = tuple[int, int, int]  # of a buffer: which file (0 = the object's own), where it begins there, its length


@dataclass
class Stored:
    """One object on disk; what is around its buffers is in memory."""

    head: bytes
    places: list[Place]
    file: ScratchFile
    shared: Sequence[Any]  # objects that many stored ones refer to, and that stay in memory
    beside: Sequence[ScratchFile]  # files of other stored objects whose buffers this one uses too

    @classmethod
    def of(cls, thing: Any, scratch: Scratch, shared: Sequence[Any] = (), beside: Open | None = None) -> Stored:
        """Write an object down. Buffers that lie in the file `beside` are not written again."""
        head, buffers = _pickled(thing, shared)
        file = scratch.file()
        places = []
        for raw in buffers:
            offset = None if beside is None else beside.maps[0].offset_of(raw)
            if offset is None:
                if raw.nbytes:
                    file.align()
                places.append((0, file.append(raw), raw.nbytes))
            else:
                places.append((1, offset, raw.nbytes))
        return cls(head, places, file, shared, [] if beside is None else [beside.stored.file])

    @contextmanager
    def opened(self, *, writable: bool = False) -> Iterator[Open]:
        """The object, for as long as somebody looks at it. Changes to arrays of a writable one change the file."""
        maps = [file.mapped(writable=writable and file is self.file) for file in (self.file, *self.beside)]
        try:
            yield Open(self, maps)
        finally:
            for one in maps:
                one.forget()

    def copy(self) -> Stored:
        """A second one with a file of its own."""
        return Stored(self.head, self.places, self.file.copy(), self.shared, self.beside)

    def close(self) -> None:
        """Give the room back."""
        self.file.close()


class Open:
    """A stored object that can be looked at."""

    def __init__(self, stored: Stored, maps: Sequence[Mapping]) -> None:
        self.stored = stored
        self.maps = maps
        views = [maps[file].view[begin : begin + length] for file, begin, length in stored.places]
        self.thing: Any = _Unpickler(io.BytesIO(stored.head), stored.shared, views).load()

    def kept(self, scratch: Scratch) -> Stored:
        """The object as it is now, stored: nothing is written where changes went into its own arrays alone."""
        head, buffers = _pickled(self.thing, self.stored.shared)
        offsets = [(self.maps[0].offset_of(raw), raw.nbytes) for raw in buffers]
        before = [(begin if length else None, length) for _, begin, length in self.stored.places]
        if head == self.stored.head and offsets == before:
            return self.stored
        return Stored.of(self.thing, scratch, self.stored.shared)


def _pickled(thing: Any, shared: Sequence[Any]) -> tuple[bytes, list[memoryview]]:
    head = io.BytesIO()
    buffers: list[pickle.PickleBuffer] = []
    _Pickler(head, shared, buffers.append).dump(thing)
    return head.getvalue(), [buffer.raw() for buffer in buffers]


class _Pickler(pickle.Pickler):
    def __init__(self, file: io.BytesIO, shared: Sequence[Any], callback: Any) -> None:
        super().__init__(file, protocol=5, buffer_callback=callback)
        self._number = {id(thing): at for at, thing in enumerate(shared)}

    def persistent_id(self, thing: Any) -> int | None:
        return self._number.get(id(thing))


class _Unpickler(pickle.Unpickler):
    def __init__(self, file: io.BytesIO, shared: Sequence[Any], buffers: list[memoryview]) -> None:
        super().__init__(file, buffers=buffers)
        self._shared = shared

    def persistent_load(self, number: int) -> Any:
        return self._shared[number]
