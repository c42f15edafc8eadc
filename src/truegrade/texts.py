"""Texts become numbers, in order of first appearance: a part at a time, so that a file need not stand there whole."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from truegrade import _kernel

if TYPE_CHECKING:
    import pyarrow as pa
    from numpy.typing import NDArray

__all__ = ["TextNumbers", "dictionary_index", "is_text", "number_codes", "text_buffers"]

_SLOTS, _BYTES = 1 << 12, 1 << 16  # at first; doubled when full
_LOAD = 0.75  # of the slots; with more the searches grow long
_STRING_BYTES = 2**31 - 1  # more do not fit into pa.string()


class TextNumbers:
    """Holds each different text once.

    >>> import pyarrow as pa
    >>> numbers = TextNumbers()
    >>> numbers.of(pa.array(["b", "a", "b"])), numbers.of(pa.array(["c", None, "a"]))
    (array([0, 1, 0], dtype=int32), array([ 2, -1,  1], dtype=int32))
    >>> numbers.labels().to_pylist()
    ['b', 'a', 'c']
    """

    def __init__(self) -> None:
        self._known = 0
        self._slots = np.zeros(_SLOTS, dtype=np.uint64)
        self._offsets = np.zeros(int(_LOAD * _SLOTS) + 1, dtype=np.int64)
        self._data = np.empty(_BYTES, dtype=np.uint8)

    def of(self, part: pa.Array) -> NDArray[np.int32]:
        """The number of each text of an array, plain or as a dictionary; -1 where there is none."""
        import pyarrow as pa

        if pa.types.is_dictionary(part.type):
            index, used = number_codes(dictionary_index(part), len(part.dictionary))
            number = self.of(part.dictionary.cast(pa.large_string()).take(pa.array(used)))
            return np.append(number, np.int32(-1))[index]  # the last one serves index -1
        texts = part.cast(pa.large_string())
        if not texts.null_count:
            return self._numbers(texts)
        number = np.full(len(part), -1, dtype=np.int32)
        number[part.is_valid().to_numpy(zero_copy_only=False)] = self._numbers(texts.drop_null())
        return number

    def labels(self) -> pa.Array:
        """The different texts, in the order of their numbers; as large strings where they need it."""
        import pyarrow as pa

        offsets = self._offsets[: self._known + 1]
        size = int(offsets[-1])
        kind = pa.string() if size <= _STRING_BYTES else pa.large_string()
        if kind == pa.string():
            offsets = offsets.astype(np.int32)
        buffers = [None, pa.py_buffer(offsets), pa.py_buffer(self._data[:size])]
        return pa.Array.from_buffers(kind, self._known, buffers)

    def _numbers(self, texts: pa.LargeStringArray) -> NDArray[np.int32]:
        offsets, data = text_buffers(texts)
        number = np.empty(len(texts), dtype=np.int32)
        done = self._read(offsets, data, number)
        while done < number.size:
            size = int(offsets[done + 1] - offsets[done])
            if self._offsets[self._known] + size > self._data.size:
                self._data = _longer(self._data, size)
            else:
                self._double_slots()
            done += self._read(offsets[done:], data, number[done:])
        return number

    def _read(self, offsets: NDArray[np.int64], data: NDArray[np.uint8], number: NDArray[np.int32]) -> int:
        """Number texts as long as there is room; returns how many."""
        read, self._known = _kernel.number_texts(
            offsets,
            data,
            known=self._known,
            slots=self._slots,
            store_offsets=self._offsets,
            store_data=self._data,
            number_out=number,
        )
        return read

    def _double_slots(self) -> None:
        offsets, known = self._offsets, self._known
        self._slots = np.zeros(2 * self._slots.size, dtype=np.uint64)
        self._offsets = np.zeros(int(_LOAD * self._slots.size) + 1, dtype=np.int64)
        self._known = 0
        # What is there already is appended where it stands.
        self._read(offsets[: known + 1], self._data, np.empty(known, dtype=np.int32))


def dictionary_index(part: pa.DictionaryArray) -> NDArray[np.int32]:
    """Which value of its dictionary stands in each row; -1 = null."""
    import pyarrow as pa

    index: NDArray[np.int32] = part.indices.cast(pa.int32()).fill_null(-1).to_numpy()
    return index


def _longer(data: NDArray[np.uint8], size: int) -> NDArray[np.uint8]:
    """At least twice as long, and longer by `size`."""
    longer = np.empty(max(2 * data.size, data.size + size), dtype=np.uint8)
    longer[: data.size] = data
    return longer


def number_codes(
    code: NDArray[np.int32], codes: int, kept: NDArray[np.bool_] | None = None
) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """The codes (below `codes`, -1 = none) of the kept rows, numbered in order of first appearance.

    Returns the numbers (kept rows,), and the code of each number.

    >>> number_codes(np.array([4, 2, -1, 4], dtype=np.int32), 5)
    (array([ 0,  1, -1,  0], dtype=int32), array([4, 2], dtype=int32))
    """
    number = np.empty(code.size if kept is None else np.count_nonzero(kept), dtype=np.int32)
    code_of = np.empty(codes, dtype=np.int32)
    used = _kernel.number_codes(code, kept, number_out=number, code_out=code_of)
    return number, code_of[:used]


def is_text(kind: pa.DataType) -> bool:
    """Whether a type is one of Arrow's strings."""
    from pyarrow import types

    return bool(types.is_string(kind) or types.is_large_string(kind) or types.is_string_view(kind))


def text_buffers(texts: pa.LargeStringArray) -> tuple[NDArray[np.int64], NDArray[np.uint8]]:
    """Where each text begins (S+1,), and the bytes."""
    _, offsets, data = texts.buffers()
    if not len(texts):
        return np.zeros(1, dtype=np.int64), np.empty(0, dtype=np.uint8)
    begin = np.frombuffer(offsets, dtype=np.int64)[texts.offset : texts.offset + len(texts) + 1]
    return begin, np.frombuffer(data, dtype=np.uint8) if data else np.empty(0, dtype=np.uint8)
