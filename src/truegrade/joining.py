"""How the ids of two tables meet: by id, and by text where their types differ."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from truegrade.errors import GoldError
from truegrade.ids import id_texts

if TYPE_CHECKING:
    import pyarrow as pa
    from numpy.typing import NDArray

    from truegrade.ids import IdTable

__all__ = ["Joined", "codes_in", "join"]


@dataclass(frozen=True)
class Joined:
    """Where each label of the left table stands in the right one."""

    position: NDArray[np.int64]  # (S_left,): -1 = nowhere
    by_text: bool  # some pair has different types and met by its text


def join(
    left: pa.Array,
    right: pa.Array,
    left_objects: tuple[Any, ...] | None = None,
    right_objects: tuple[Any, ...] | None = None,
) -> Joined:
    """Match the ids of two tables, each of which has every id once; `objects` stand for labels of mixed types.

    >>> import pyarrow as pa
    >>> join(pa.array(["7", "x"]), pa.array([9, 7]))
    Joined(position=array([ 1, -1]), by_text=True)
    """
    if left_objects is not None or right_objects is not None:
        return _join_objects(left_objects or tuple(left.to_pylist()), right_objects or tuple(right.to_pylist()))
    import pyarrow.compute as pc

    # Inside one type different ids have different texts, so joining by text is joining by id.
    found = pc.fill_null(pc.index_in(id_texts(left), value_set=id_texts(right)), -1)
    position = found.to_numpy(zero_copy_only=False).astype(np.int64)
    return Joined(position, by_text=_kind(left.type) != _kind(right.type) and bool(np.any(position >= 0)))


def codes_in(ids: IdTable, other: IdTable) -> NDArray[np.int64]:
    """For each code of `ids` the code that the same id has in `other`; -1 = none."""
    position = join(ids.labels, other.labels, ids.objects, other.objects).position
    codes = np.empty(position.size, dtype=np.int64)
    codes[ids.code] = np.where(position < 0, -1, other.code[position])
    return codes


def _kind(kind: pa.DataType) -> str:
    """A type without its width."""
    import pyarrow as pa

    if pa.types.is_integer(kind):
        return "integers"
    if pa.types.is_string(kind) or pa.types.is_large_string(kind) or pa.types.is_string_view(kind):
        return "text"
    return str(kind)


def _join_objects(left: tuple[Any, ...], right: tuple[Any, ...]) -> Joined:
    """By type and value first, then by text for what is left over."""
    by_id = {_typed(value): at for at, value in enumerate(right)}
    position = np.array([by_id.get(_typed(value), -1) for value in left], dtype=np.int64)
    taken = set(position[position >= 0].tolist())
    by_text: dict[str, int] = {}
    for at, value in enumerate(right):
        if at not in taken and by_text.setdefault(str(value), at) != at:
            by_text[str(value)] = -2  # two ids with this text
    found = False
    for at, value in enumerate(left):
        if position[at] >= 0 or str(value) not in by_text:
            continue
        if by_text[str(value)] == -2 or by_text[str(value)] in taken:
            raise GoldError(
                f"'{value}' is the text of two ids of different types; give the ids of both tables one type"
            )
        position[at] = by_text[str(value)]
        taken.add(int(position[at]))
        found = True
    return Joined(position, found)


def _typed(value: Any) -> tuple[str, Any]:
    plain = value.item() if isinstance(value, np.generic) else value
    return type(plain).__name__, plain
