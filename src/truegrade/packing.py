"""Objects as plain JSON beside named arrays, and back: for files that anyone may open, since nothing in them runs."""

from __future__ import annotations

import enum
import math
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, fields, is_dataclass
from importlib import import_module
from typing import Any

import numpy as np

__all__ = ["Packer", "Unpacker"]

_STATES = "states"  # the field of a start that only an engine can look into
_OURS = __name__.partition(".")[0]


def _given(states: Any) -> Any:
    return states


@dataclass
class Packer:
    """Packs numbers, texts, arrays, lists, tuples, deques, dicts with whole numbers for keys, and our dataclasses.

    >>> arrays = {}
    >>> Packer(arrays.__setitem__).pack((2, -math.inf, np.arange(3)), "x")
    {'tuple': [2, {'float': '-inf'}, {'array': 'x.2', 'axes': [0]}]}
    >>> arrays
    {'x.2': array([0, 1, 2])}
    """

    put: Callable[[str, Any], object]  # is given every array, and a name for it
    shared: frozenset[str] = frozenset()  # fields to leave out, besides private ones: those can be worked out again
    states: Callable[[Any], Iterable[Any]] = _given  # what fields of that name hold, one after the other

    def pack(self, value: Any, name: str) -> Any:
        """The value as JSON can hold it; its arrays get names that begin with `name`."""
        if isinstance(value, np.generic):
            value = value.item()
        if isinstance(value, enum.Enum):
            return {"enum": _named(type(value)), "value": value.value}
        if value is None or isinstance(value, bool | int | str):
            return value
        if isinstance(value, float):
            return value if math.isfinite(value) else {"float": str(value)}
        if isinstance(value, np.ndarray) and value.dtype.kind in "biuf":
            # The order of the axes in memory decides in which order sums are taken, so their last bits.
            axes = sorted(range(value.ndim), key=lambda axis: (-abs(value.strides[axis]), axis))
            self.put(name, value.transpose(axes))
            return {"array": name, "axes": axes}
        return self._pack_many(value, name)

    def _pack_many(self, value: Any, name: str) -> Any:
        if isinstance(value, list | tuple | deque):
            packed = [self.pack(item, f"{name}.{i}") for i, item in enumerate(value)]
            if isinstance(value, deque):
                return {"deque": packed, "maxlen": value.maxlen}
            return packed if isinstance(value, list) else {"tuple": packed}
        if isinstance(value, Mapping) and all(isinstance(key, int) for key in value):
            return {"dict": [[key, self.pack(item, f"{name}.{key}")] for key, item in value.items()]}
        if is_dataclass(value) and not isinstance(value, type) and type(value).__module__.startswith(f"{_OURS}."):
            held = [f.name for f in fields(value) if f.name not in self.shared and not f.name.startswith("_")]
            held = [one for one in held if hasattr(value, one)]  # one that `__init__` leaves out may not be there yet
            return {"class": _named(type(value)), "fields": {one: self._field(value, one, name) for one in held}}
        raise TypeError(f"{name}: a {type(value).__name__} cannot be packed")

    def _field(self, value: Any, key: str, name: str) -> Any:
        held, name = getattr(value, key), f"{name}.{key}"
        if key != _STATES or held is None:
            return self.pack(held, name)
        return {_STATES: [self.pack(one, f"{name}.{i}") for i, one in enumerate(self.states(held))]}


@dataclass
class Unpacker:
    """Gives back what was packed. Of classes it knows the dataclasses and enumerations of this package.

    >>> Unpacker({}.get).unpack({"tuple": [2, {"float": "-inf"}]})
    (2, -inf)
    """

    array: Callable[[str], Any]  # an array by its name
    shared: Mapping[str, Any] = field(default_factory=dict)  # the fields that were left out
    states: Callable[[Iterator[Any]], Any] = list  # puts states back where they belong

    def unpack(self, packed: Any) -> Any:
        """The value that was packed."""
        if not isinstance(packed, Mapping):
            return [self.unpack(item) for item in packed] if isinstance(packed, list) else packed
        kind, inside = next(iter(packed.items()))
        if kind == "array":
            return np.transpose(self.array(inside), np.argsort(packed["axes"]))
        if kind == "float":
            return float(inside)
        if kind == "enum":
            return _class(inside)(packed["value"])
        if kind == "class":
            return self._object(_class(inside), packed["fields"])
        return self._many(kind, packed)

    def _many(self, kind: str, packed: Mapping[str, Any]) -> Any:
        if kind == "dict":
            return {key: self.unpack(item) for key, item in packed[kind]}
        items = (self.unpack(item) for item in packed[kind])
        if kind == "states":
            return self.states(items)
        if kind == "deque":
            return deque(items, maxlen=packed["maxlen"])
        if kind == "tuple":
            return tuple(items)
        raise TypeError(f"{kind}: nothing that was packed")

    def _object(self, kind: Any, packed: Mapping[str, Any]) -> Any:
        """An object with these fields. Its `__init__` need not run: it has once."""
        made = object.__new__(kind)
        for f in fields(kind):
            if f.name in packed:
                object.__setattr__(made, f.name, self.unpack(packed[f.name]))
            elif f.name.startswith("_"):
                object.__setattr__(made, f.name, f.default)
            elif f.name in self.shared:
                object.__setattr__(made, f.name, self.shared[f.name])
        return made


def _named(kind: type) -> str:
    return f"{kind.__module__}:{kind.__qualname__}"


def _class(named: str) -> Any:
    """A class of this package, and no other."""
    module, _, name = named.partition(":")
    found = getattr(import_module(module), name) if module.startswith(f"{_OURS}.") else None
    if not isinstance(found, type) or not (is_dataclass(found) or issubclass(found, enum.Enum)):
        raise TypeError(f"{named}: no class that is packed")
    return found
