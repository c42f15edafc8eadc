"""Objects as plain JSON beside named arrays, and back: for files that anyone may open, since nothing in them runs."""

from __future__ import annotations

import enum
import math
from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import Field, fields, is_dataclass, replace
from typing import Any

import numpy as np

__all__ = ["pack", "unpack"]


def pack(value: Any, arrays: dict[str, Any], name: str, *, shared: frozenset[str] = frozenset()) -> Any:
    """The value as JSON can hold it; its arrays are put into `arrays` under names that begin with `name`.

    Fields of dataclasses that are called as one of `shared` are left out, and private ones, which hold what can be
    worked out again. What is no number, text, array, list, tuple, deque or dataclass is refused.

    >>> arrays = {}
    >>> pack((2, -math.inf, np.arange(3)), arrays, "x")
    {'tuple': [2, {'float': '-inf'}, {'array': 'x.2', 'axes': [0]}]}
    >>> arrays
    {'x.2': array([0, 1, 2])}
    """
    if isinstance(value, np.generic):
        value = value.item()
    if value is None or isinstance(value, bool | int | str):
        return str(value) if isinstance(value, str) else value  # a text enumeration is its text
    if isinstance(value, float):
        return value if math.isfinite(value) else {"float": str(value)}
    if isinstance(value, np.ndarray) and value.dtype.kind in "biuf":
        # The order of the axes in memory decides in which order sums are taken, so their last bits.
        axes = sorted(range(value.ndim), key=lambda axis: (-abs(value.strides[axis]), axis))
        arrays[name] = value.transpose(axes)
        return {"array": name, "axes": axes}
    if isinstance(value, list | tuple | deque):
        packed = [pack(item, arrays, f"{name}.{i}", shared=shared) for i, item in enumerate(value)]
        return packed if isinstance(value, list) else {type(value).__name__: packed}
    if is_dataclass(value) and not isinstance(value, type):
        held = {f.name: getattr(value, f.name) for f in fields(value) if f.name not in shared and not _private(f)}
        return {"fields": {key: pack(held[key], arrays, f"{name}.{key}", shared=shared) for key in held}}
    raise TypeError(f"{name}: a {type(value).__name__} cannot be packed")


def unpack(packed: Any, array: Callable[[str], Any], like: Any = None) -> Any:
    """What was packed; `array` gives back an array by its name.

    Dataclasses, with the shared fields, and enumerations are those of `like`; private fields begin afresh.

    >>> unpack({"tuple": [2, {"float": "-inf"}]}, {}.get)
    (2, -inf)
    """
    if isinstance(packed, list):
        return [unpack(item, array) for item in packed]
    if not isinstance(packed, Mapping):
        return type(like)(packed) if isinstance(like, enum.Enum) else packed
    ((kind, inside), *rest) = packed.items()
    found: Any
    match kind:
        case "array":
            found = np.transpose(array(inside), np.argsort(rest[0][1]))
        case "fields":
            fresh = {f.name: f.default for f in fields(like) if _private(f)}
            kept = {key: unpack(item, array, getattr(like, key)) for key, item in inside.items()}
            found = replace(like, **fresh, **kept)
        case "tuple":
            found = tuple(unpack(item, array) for item in inside)
        case "deque":
            found = deque((unpack(item, array) for item in inside), maxlen=like.maxlen)
        case "float":
            found = float(inside)
        case _:
            raise TypeError(f"{kind}: nothing that was packed")
    return found


def _private(of: Field[Any]) -> bool:
    return of.name.startswith("_")
