"""What Tab offers. Each function imports what it needs when the shell asks, so commands start no slower.

Typer finds the arguments by their names: ctx is the command so far, incomplete the word being typed.
"""

from __future__ import annotations

from dataclasses import MISSING, fields
from types import UnionType
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

import typer  # noqa: TC002  its own reading of the signatures evaluates them

__all__ = ["data_names", "export_names", "list_of_models", "model_names", "model_settings", "writer_names"]


def model_names(incomplete: str) -> list[str]:
    """Models by name."""
    from truegrade.models import MODEL_NAMES

    return _that_begin(incomplete, MODEL_NAMES)


def list_of_models(incomplete: str) -> list[str]:
    """Models after the last comma of a list."""
    before, comma, last = incomplete.rpartition(",")
    return [before + comma + name for name in model_names(last)]


def model_settings(ctx: typer.Context, incomplete: str) -> list[str]:
    """Options of the model that the command names, each with the values that words can say, else with its default."""
    from truegrade.errors import OptionError
    from truegrade.models import model_class

    try:
        model = model_class(str(ctx.params.get("model") or "auto").partition(":")[0])
    except OptionError:
        return []
    kinds = get_type_hints(model)
    offered = [
        f"{field.name}={word}"
        for field in fields(model)  # type: ignore[arg-type]
        if field.default is not MISSING  # names that only the user knows, such as groups
        for word in dict.fromkeys([_as_text(field.default), *_words(kinds[field.name])])
    ]
    return _that_begin(incomplete, offered)


def data_names(incomplete: str) -> list[str]:
    """Named public data."""
    from truegrade.datasets import CATALOGUE

    return _that_begin(incomplete, CATALOGUE)


def export_names(incomplete: str) -> list[str]:
    """Tools whose files can be read."""
    from truegrade.readers.exports import EXPORTS, PLAIN

    return _that_begin(incomplete, [PLAIN, *(export.name for export in EXPORTS)])


def writer_names(incomplete: str) -> list[str]:
    """Formats that can be written."""
    from truegrade.writers.converting import WRITERS

    return _that_begin(incomplete, WRITERS)


def _that_begin(incomplete: str, names: Any) -> list[str]:
    return [name for name in names if name.startswith(incomplete)]


def _words(kind: Any) -> list[str]:
    """The words that a field of this type takes."""
    if get_origin(kind) in (Union, UnionType):
        return [word for part in get_args(kind) for word in _words(part)]
    if get_origin(kind) is Literal:
        return list(get_args(kind))
    return {bool: ["true", "false"], type(None): ["none"]}.get(kind, [])


def _as_text(value: Any) -> str:
    """A default as --set takes it."""
    if value is MISSING:  # it is made anew each time: an empty dictionary, so far
        return ""
    if isinstance(value, tuple):
        return ",".join(map(str, value))
    return str(value).lower() if value is None or isinstance(value, bool) else str(value)
