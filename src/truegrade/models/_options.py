"""Options as text: ``--set key=value`` becomes the frozen fields of a model."""

from __future__ import annotations

from dataclasses import fields
from math import isfinite
from numbers import Integral, Real
from types import UnionType
from typing import TYPE_CHECKING, Any, Literal, TypeVar, Union, get_args, get_origin, get_type_hints

import numpy as np

from truegrade.errors import OptionError
from truegrade.seeds import check_seed

if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = ["check_choices", "check_finite", "check_positive", "parse_settings", "with_options"]

M = TypeVar("M")


def parse_settings(pairs: Iterable[str]) -> dict[str, str]:
    """``["a=1", "b=x"]`` as a dictionary."""
    settings = {}
    for pair in pairs:
        key, equals, value = pair.partition("=")
        if not equals or not key:
            raise OptionError(f"setting '{pair}': write it as key=value")
        settings[key.strip()] = value.strip()
    return settings


def with_options(model: type[M], settings: dict[str, Any]) -> M:
    """A model with these settings; text is read as the field's type."""
    kinds = get_type_hints(model)
    keys = {f.name for f in fields(model)}  # type: ignore[arg-type]
    unknown = [key for key in settings if key not in keys]
    if unknown:
        name = getattr(model, "name", model.__name__)
        raise OptionError(f"{name} has no option '{unknown[0]}'; it has {', '.join(sorted(keys)) or 'none'}")
    return model(**{key: _read(key, value, kinds[key]) for key, value in settings.items()})


def check_choices(model: object) -> None:
    """Refuse a value that is none of what its field may hold, and a seed that is none; lists become tuples."""
    kinds = get_type_hints(type(model))
    for f in fields(model):  # type: ignore[arg-type]
        value = getattr(model, f.name)
        if f.name == "seed":
            check_seed(value)
            continue
        if isinstance(value, list | np.ndarray):
            value = tuple(value)
            object.__setattr__(model, f.name, value)
        of_field = _alternatives(kinds[f.name])
        if not any(_holds(kind, value) for kind in of_field):
            raise OptionError(f"{f.name}={value}: {_wanted(of_field)}")


def _alternatives(kind: Any) -> tuple[Any, ...]:
    return get_args(kind) if get_origin(kind) in (Union, UnionType) else (kind,)


def _holds(kind: Any, value: Any) -> bool:
    """Whether a value is of one kind: a Literal, a tuple, a dict of text, float, int, bool or None."""
    if get_origin(kind) is Literal:
        return isinstance(value, str) and value in get_args(kind)
    if get_origin(kind) is tuple:
        part_kind = str if str in get_args(kind) else Real
        return isinstance(value, tuple) and all(isinstance(part, part_kind) for part in value)
    if get_origin(kind) is dict:
        return isinstance(value, dict) and all(isinstance(part, str) for pair in value.items() for part in pair)
    if kind in (int, float):
        return isinstance(value, Integral if kind is int else Real) and not isinstance(value, bool)
    return isinstance(value, kind)


def check_positive(model: object, names: Iterable[str]) -> None:
    """Refuse numbers that are not positive and finite; text and None pass."""
    for name in names:
        value = getattr(model, name)
        if isinstance(value, int | float) and not 0 < value < float("inf"):
            raise OptionError(f"{name}={value}: must be a positive number")


def check_finite(model: object, names: Iterable[str]) -> None:
    """Refuse infinity and what is no number; text and None pass."""
    for name in names:
        value = getattr(model, name)
        if isinstance(value, int | float) and not isfinite(value):
            raise OptionError(f"{name}={value}: must be a finite number")


def _read(key: str, value: Any, kind: Any) -> Any:
    """Text as the first of a field's types that can read it; anything else stays as it is."""
    if not isinstance(value, str):
        return value
    kinds = _alternatives(kind)
    if any(get_origin(k) is tuple and str in get_args(k) for k in kinds):
        return tuple(part.strip() for part in value.split(",") if part.strip())
    if any(get_origin(k) is dict for k in kinds):
        return _read_pairs(key, value)
    for reader in (_read_word, _read_numbers):
        found = reader(value, kinds)
        if found is not _UNREAD:
            return found
    raise OptionError(f"{key}={value}: {_wanted(kinds)}")


_UNREAD = object()


def _read_word(value: str, kinds: tuple[Any, ...]) -> Any:
    if bool in kinds and value.lower() in ("true", "false"):
        return value.lower() == "true"
    if type(None) in kinds and value.lower() == "none":
        return None
    chosen = any(kind is str or (get_origin(kind) is Literal and value in get_args(kind)) for kind in kinds)
    return value if chosen else _UNREAD


def _read_numbers(value: str, kinds: tuple[Any, ...]) -> Any:
    try:
        if any(get_origin(kind) is tuple for kind in kinds) and "," in value:
            return tuple(float(part) for part in value.split(","))
        if float in kinds or int in kinds:
            return float(value) if float in kinds else int(value)
    except ValueError:
        pass
    return _UNREAD


def _read_pairs(key: str, value: str) -> dict[str, str]:
    """``a:x,b:y`` as a dictionary; the last colon of each pair divides it."""
    pairs = [part.strip().rpartition(":") for part in value.split(",") if part.strip()]
    for name, colon, of_name in pairs:
        if not (name and colon and of_name):
            raise OptionError(f"{key}={value}: {_PAIRS}")
    return {name: of_name for name, _, of_name in pairs}


_PAIRS = "choose name:value pairs with commas, as in w1:people,m1:machines"


def _wanted(kinds: tuple[Any, ...]) -> str:
    if any(get_origin(k) is tuple and str in get_args(k) for k in kinds):
        return "choose names with commas"
    if any(get_origin(k) is dict for k in kinds):
        return _PAIRS
    kinds = tuple(tuple if get_origin(k) is tuple else k for k in kinds)
    names = {
        tuple: "numbers with commas",
        bool: "true or false",
        int: "a whole number",
        float: "a number",
        type(None): "none",
    }
    told = [_choices(get_args(k)) if get_origin(k) is Literal else names.get(k, "text") for k in kinds]
    return "choose " + " or ".join(told)


def _choices(words: tuple[str, ...]) -> str:
    return "one of " + ", ".join(words) if len(words) > 1 else words[0]
