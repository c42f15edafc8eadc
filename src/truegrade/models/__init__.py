"""The models by name. Each file holds one: its options, and how it turns statistics into parameters."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from truegrade.errors import OptionError

if TYPE_CHECKING:
    from truegrade.models._base import Model

__all__ = ["MODEL_NAMES", "make_model", "model_class"]

# Name on the command line -> (module, class).
_HOMES = {
    "mean": ("mean", "Mean"),
    "median": ("median", "Median"),
    "majority": ("majority", "Majority"),
    "ordinal-mixture": ("ordinal_mixture", "OrdinalMixture"),
}
MODEL_NAMES = tuple(_HOMES)


def model_class(name: str) -> type[Model]:
    """The class of a model by its name on the command line."""
    if name not in _HOMES:
        raise OptionError(f"no model '{name}'; choose one of {', '.join(MODEL_NAMES)}")
    module, cls = _HOMES[name]
    found: type[Model] = getattr(import_module(f"truegrade.models.{module}"), cls)
    return found


def make_model(text: str, settings: dict[str, Any] | None = None) -> Model:
    """A model from ``name`` or ``name:option=value:option=value``, and more settings.

    >>> make_model("majority:ties=upper")
    Majority(ties='upper', seed=0)
    """
    from truegrade.models._options import parse_settings, with_options

    name, *pairs = text.split(":")
    return with_options(model_class(name), {**parse_settings(pairs), **(settings or {})})
