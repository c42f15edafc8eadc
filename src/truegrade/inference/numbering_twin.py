"""Plain twins of the kernels that number texts and codes: same signatures, no speed. Tests compare the two."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["number_codes", "number_texts"]


def number_texts(
    offsets: NDArray[np.int64],
    data: NDArray[np.uint8],
    *,
    known: int,
    slots: NDArray[np.uint64],  # noqa: ARG001  the kernel's signature; a dict takes the place of the hash table
    store_offsets: NDArray[np.int64],
    store_data: NDArray[np.uint8],
    number_out: NDArray[np.int32],
) -> tuple[int, int]:
    """Number each text of `data`, appending new ones to the store, until it is full.

    offsets (T+1,), store_offsets (room+1,), number_out (T,). Returns how many were read, and how many are known now.
    """
    number = {store_data[store_offsets[n] : store_offsets[n + 1]].tobytes(): n for n in range(known)}
    for at in range(offsets.size - 1):
        text = data[offsets[at] : offsets[at + 1]].tobytes()
        begin = int(store_offsets[len(number)])
        if len(number) == store_offsets.size - 1 or begin + len(text) > store_data.size:
            return at, len(number)
        if text not in number:
            store_data[begin : begin + len(text)] = np.frombuffer(text, dtype=np.uint8)
            number[text] = len(number)
            store_offsets[len(number)] = begin + len(text)
        number_out[at] = number[text]
    return offsets.size - 1, len(number)


def number_codes(
    code: NDArray[np.int32],
    kept: NDArray[np.bool_] | None,
    *,
    number_out: NDArray[np.int32],
    code_out: NDArray[np.int32],
) -> int:
    """Number the codes of the kept rows in order of first appearance; code (L,), -1 = none, code_out (S,)."""
    used = code if kept is None else code[kept]
    codes, first, number = np.unique(used, return_index=True, return_inverse=True)
    first[codes < 0] = -1
    order = np.argsort(first)
    codes = codes[order]
    number_out[:] = np.argsort(order)[number]
    if codes.size and codes[0] < 0:
        number_out -= 1
        codes = codes[1:]
    code_out[: codes.size] = codes
    return int(codes.size)
