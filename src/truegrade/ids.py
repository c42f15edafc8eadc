"""Ids become codes. Codes follow a hash of the id, so the order of the rows can change no result."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from truegrade.columns import ObjectIds, row_number
from truegrade.errors import IdError

if TYPE_CHECKING:
    from collections.abc import Callable

    import pyarrow as pa
    from numpy.typing import NDArray

__all__ = ["IdTable", "IndexedIds", "id_texts", "index_arrow", "index_ids", "is_id_type"]


@dataclass(frozen=True)
class IdTable:
    """The ids of one role. Labels stand in order of first appearance, arrays in the order of the codes."""

    labels: pa.Array  # (S,): the ids as they came, in order of first appearance
    code: NDArray[np.int32]  # (S,): the code of each label
    objects: tuple[Any, ...] | None = None  # the labels as Python objects, where their types are mixed

    def __len__(self) -> int:
        return len(self.code)

    def texts(self) -> pa.Array:
        """The labels as text, in order of first appearance."""
        return id_texts(self.labels)

    def labels_of(self, codes: NDArray[Any]) -> pa.Array:
        """The ids with these codes."""
        import pyarrow as pa

        return self.labels.take(pa.array(np.argsort(self.code)[codes]))

    def label_of(self, code: int) -> str:
        """The id with this code, for messages."""
        return str(self.texts()[int(np.flatnonzero(self.code == code)[0])].as_py())

    def code_of(self, label: str, role: str) -> int:
        """The code of an id given as text."""
        texts = self.texts().to_pylist()
        if label not in texts:
            raise IdError(f"no {role} '{label}'; there are {len(texts)}, such as '{texts[0]}'")
        return int(self.code[texts.index(label)])


@dataclass(frozen=True)
class IndexedIds:
    """A column as positions in a dictionary of its different ids, in order of first appearance."""

    labels: pa.Array  # (S,)
    index: NDArray[np.int32]  # (L,): position in labels; -1 = no id
    objects: tuple[Any, ...] | None = None

    def kept(self, rows: NDArray[np.bool_] | None, in_order: bool) -> IndexedIds:
        """Only some rows, with the ids that occur there numbered anew in order of first appearance."""
        if rows is None and in_order:
            return self
        index = self.index if rows is None else self.index[rows]
        first = np.full(len(self.labels), index.size, dtype=np.int64)
        present = index >= 0
        # Written back to front, so that the first appearance is what stays.
        first[index[present][::-1]] = np.flatnonzero(present)[::-1]
        order = np.argsort(first, kind="stable")[: np.count_nonzero(first < index.size)]
        position = np.full(len(self.labels) + 1, -1, dtype=np.int32)  # the last one serves index -1
        position[order] = np.arange(order.size, dtype=np.int32)
        objects = None if self.objects is None else tuple(self.objects[i] for i in order)
        return IndexedIds(self.labels.take(order), position[index], objects)

    def table(self, major: NDArray[np.int32] | None = None) -> IdTable:
        """Hand out codes by the hash of the id; `major` (S,) comes before the hash where it is given."""
        hashes = _hashes(id_texts(self.labels))
        order = np.argsort(hashes) if major is None else np.lexsort((hashes, major))
        ranked = hashes[order]
        if np.any(ranked[1:] == ranked[:-1]):
            order = self._order_with_ties(hashes, major)
        code = np.empty(order.size, dtype=np.int32)
        code[order] = np.arange(order.size, dtype=np.int32)
        return IdTable(self.labels, code, self.objects)

    def _order_with_ties(self, hashes: NDArray[np.uint64], major: NDArray[np.int32] | None) -> NDArray[np.intp]:
        texts = id_texts(self.labels).to_pylist()
        kinds = [type(o).__name__ for o in self.objects or [""] * len(texts)]
        majors = np.zeros(len(texts), dtype=np.int32) if major is None else major
        keys = [(int(majors[i]), int(hashes[i]), texts[i], kinds[i]) for i in range(len(texts))]
        return np.array(sorted(range(len(keys)), key=keys.__getitem__), dtype=np.intp)


def index_ids(
    column: pa.ChunkedArray | ObjectIds,
    role: str,
    where: str,
    rows: NDArray[np.bool_] | None = None,
    row_label: Callable[[int], str] = row_number,
) -> IndexedIds:
    """Number the ids of a column; only the kept `rows` count. A blank id is an error."""
    if isinstance(column, ObjectIds):
        import pyarrow as pa

        texts = pa.array([str(o) for o in column.objects], pa.large_string())
        indexed, in_order = IndexedIds(texts, column.index, tuple(column.objects)), True
    else:
        indexed, in_order = _index_column(column, role, where)
    blank = _blank(indexed.labels)
    bad = (indexed.index < 0) | (blank[indexed.index] if blank.any() else False)
    if rows is not None:
        bad &= rows
    if bad.any():
        row = int(np.argmax(bad))
        raise IdError(f"{where}: {row_label(row)}: the {role} is blank; give it an id or delete the row")
    return indexed.kept(rows, in_order)


def _index_column(column: pa.ChunkedArray, role: str, where: str) -> tuple[IndexedIds, bool]:
    import pyarrow as pa
    import pyarrow.compute as pc

    if not is_id_type(column.type):
        column = _as_text(column, f"{where}: the {role} column")
    if pa.types.is_floating(column.type):  # NaN is no id
        column = pc.if_else(pc.is_nan(column), pa.scalar(None, column.type), column)
    return IndexedIds(*index_arrow(column)), not pa.types.is_dictionary(column.type)


def is_id_type(kind: pa.DataType) -> bool:
    """Whether ids keep this type; those of others become text. All of these can be read back from text."""
    from pyarrow import types

    if types.is_dictionary(kind):
        kind = kind.value_type
    kept = ("integer", "floating", "boolean", "string", "large_string", "date", "timestamp", "decimal")
    return any(getattr(types, f"is_{name}")(kind) for name in kept)


def _as_text(column: pa.ChunkedArray, told: str) -> pa.ChunkedArray:
    """A column of times, durations, bytes and so on as text; lists and objects are no ids."""
    import pyarrow as pa

    try:
        if pa.types.is_nested(column.type):
            raise pa.ArrowNotImplementedError
        if pa.types.is_fixed_size_binary(column.type):
            column = column.cast(pa.binary())
        return column.cast(pa.string())
    except pa.ArrowException:
        raise IdError(f"{told} holds {column.type} that is no text; ids must be text or numbers") from None


def index_arrow(column: pa.ChunkedArray) -> tuple[pa.Array, NDArray[np.int32]]:
    """The different values of a column, and which of them stands in each row (-1 = null)."""
    import pyarrow as pa
    import pyarrow.compute as pc

    given = pa.types.is_dictionary(column.type)
    encoded = column.unify_dictionaries() if given else pc.dictionary_encode(column)
    if encoded.num_chunks == 0:
        return pa.array([], column.type.value_type if given else column.type), np.empty(0, dtype=np.int32)
    index = np.empty(len(encoded), dtype=np.int32)
    start = 0
    for chunk in encoded.chunks:
        codes = chunk.indices
        if codes.null_count:
            codes = pc.fill_null(codes.cast(pa.int32()), -1)
        index[start : start + len(chunk)] = codes.to_numpy(zero_copy_only=False)
        start += len(chunk)
    return encoded.chunk(0).dictionary, index


def id_texts(labels: pa.Array) -> pa.Array:
    """Ids as text with 64-bit offsets: what is hashed, and how ids of different types meet."""
    import pyarrow as pa

    return labels if labels.type == pa.large_string() else labels.cast(pa.large_string())


def _blank(labels: pa.Array) -> NDArray[np.bool_]:
    import pyarrow as pa
    import pyarrow.compute as pc

    if not (pa.types.is_string(labels.type) or pa.types.is_large_string(labels.type)):
        return np.zeros(len(labels), dtype=bool)
    blank = pc.equal(pc.utf8_trim_whitespace(labels), "")
    flags: NDArray[np.bool_] = pc.fill_null(blank, True).to_numpy(zero_copy_only=False).astype(bool)
    return flags


def _hashes(texts: pa.Array) -> NDArray[np.uint64]:
    from truegrade import _kernel
    from truegrade.threads import default_threads

    hashes = np.empty(len(texts), dtype=np.uint64)
    if len(texts):
        _, offsets, data = texts.buffers()
        offset = np.frombuffer(offsets, dtype=np.int64)[texts.offset : texts.offset + len(texts) + 1]
        content = np.frombuffer(data, dtype=np.uint8) if data else np.empty(0, dtype=np.uint8)
        _kernel.hash_texts(offset, content, threads=default_threads(), hash_out=hashes)
    return hashes
