"""Ids become codes. Codes follow a hash of the id, so the order of the rows can change no result."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from truegrade.columns import ObjectIds, row_number
from truegrade.errors import IdError
from truegrade.texts import TextNumbers, dictionary_index, is_text, number_codes, text_buffers

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    import pyarrow as pa
    from numpy.typing import NDArray

__all__ = ["IdTable", "IndexedIds", "hash_ids", "id_texts", "index_arrow", "index_ids", "is_id_type"]


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

    def kept(self, rows: NDArray[np.bool_] | None) -> IndexedIds:
        """Only some rows, with the ids that occur there numbered anew in order of first appearance."""
        if rows is None:
            return self
        index, used = number_codes(self.index, len(self.labels), rows)
        objects = None if self.objects is None else tuple(self.objects[i] for i in used)
        return IndexedIds(self.labels.take(used), index, objects)

    def table(self, major: NDArray[np.int32] | None = None) -> IdTable:
        """Hand out codes by the hash of the id; `major` (S,) comes before the hash where it is given."""
        hashes = hash_ids(self.labels)
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
        indexed = IndexedIds(texts, column.index, tuple(column.objects))
    else:
        indexed = _index_column(column, role, where)
    blank = _blank(indexed.labels)
    bad = (indexed.index < 0) | (blank[indexed.index] if blank.any() else False)
    if rows is not None:
        bad &= rows
    if bad.any():
        row = int(np.argmax(bad))
        raise IdError(f"{where}: {row_label(row)}: the {role} is blank; give it an id or delete the row")
    return indexed.kept(rows)


def _index_column(column: pa.ChunkedArray, role: str, where: str) -> IndexedIds:
    import pyarrow as pa
    import pyarrow.compute as pc

    if not is_id_type(column.type):
        column = _as_text(column, f"{where}: the {role} column")
    if pa.types.is_floating(column.type):  # NaN is no id
        column = pc.if_else(pc.is_nan(column), pa.scalar(None, column.type), column)
    return IndexedIds(*index_arrow(column))


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

    refused = IdError(f"{told} holds {column.type} that is no text; ids must be text or numbers")
    if pa.types.is_nested(column.type):
        raise refused
    try:
        if pa.types.is_fixed_size_binary(column.type):
            column = column.cast(pa.binary())
        return column.cast(pa.string())
    except pa.ArrowException:
        raise refused from None


def index_arrow(column: pa.ChunkedArray) -> tuple[pa.Array, NDArray[np.int32]]:
    """The values of a column, each once, in order of first appearance; and which stands in each row (-1 = null)."""
    import pyarrow as pa
    import pyarrow.compute as pc

    given = pa.types.is_dictionary(column.type)
    kind = column.type.value_type if given else column.type
    index = np.empty(len(column), dtype=np.int32)
    if is_text(kind):
        if given and column.num_chunks == 1 and _distinct(id_texts(column.chunk(0).dictionary)):
            return _in_order_of_rows(column.chunk(0).dictionary, dictionary_index(column.chunk(0)))
        numbers = TextNumbers()
        _fill(index, map(numbers.of, column.chunks))
        labels = numbers.labels()
        return labels.cast(kind) if pa.types.is_large_string(kind) else labels, index
    encoded = column.unify_dictionaries() if given else pc.dictionary_encode(column)
    if encoded.num_chunks == 0:
        return pa.array([], kind), index
    _fill(index, map(dictionary_index, encoded.chunks))
    labels = encoded.chunk(0).dictionary
    return _in_order_of_rows(labels, index) if given else (labels, index)


def _distinct(texts: pa.LargeStringArray) -> bool:
    """Whether every text stands there once; sometimes False where it does, and never True where not."""
    hashes = np.sort(hash_ids(texts))
    return texts.null_count == 0 and not np.any(hashes[1:] == hashes[:-1])


def _in_order_of_rows(labels: pa.Array, index: NDArray[np.int32]) -> tuple[pa.Array, NDArray[np.int32]]:
    """A dictionary without what no row holds, in order of first appearance."""
    number, used = number_codes(index, len(labels))
    if used.size == len(labels) and np.array_equal(used, np.arange(used.size)):
        return labels, number
    return labels.take(used), number


def _fill(whole: NDArray[np.int32], parts: Iterable[NDArray[np.int32]]) -> None:
    start = 0
    for part in parts:
        whole[start : start + part.size] = part
        start += part.size


def id_texts(labels: pa.Array) -> pa.Array:
    """Ids as text with 64-bit offsets: what is hashed, and how ids of different types meet."""
    import pyarrow as pa

    return labels if labels.type == pa.large_string() else labels.cast(pa.large_string())


def _blank(labels: pa.Array) -> NDArray[np.bool_]:
    import pyarrow.compute as pc

    if not is_text(labels.type):
        return np.zeros(len(labels), dtype=bool)
    blank = pc.or_(pc.utf8_is_space(labels), pc.equal(pc.binary_length(labels), 0))
    flags: NDArray[np.bool_] = pc.fill_null(blank, True).to_numpy(zero_copy_only=False).astype(bool)
    return flags


def hash_ids(labels: pa.Array) -> NDArray[np.uint64]:
    """The hash that codes follow, of each id (S,)."""
    from truegrade import _kernel
    from truegrade.threads import default_threads

    texts = id_texts(labels)
    hashes = np.empty(len(texts), dtype=np.uint64)
    _kernel.hash_texts(*text_buffers(texts), threads=default_threads(), hash_out=hashes)
    return hashes
