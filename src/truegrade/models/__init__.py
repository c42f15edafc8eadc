"""The models by name. Each file holds one: its options, and how it turns statistics into parameters."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from truegrade.errors import OptionError

if TYPE_CHECKING:
    from truegrade.fit import Fit
    from truegrade.models._base import Model

__all__ = ["MODEL_NAMES", "check_ability", "fitted_model", "make_model", "model_class"]

# Name on the command line -> (module, class).
_HOMES = {
    "mean": ("mean", "Mean"),
    "median": ("median", "Median"),
    "majority": ("majority", "Majority"),
    "continuous": ("continuous", "Continuous"),
    "glad": ("glad", "Glad"),
    "ordinal-mixture": ("ordinal_mixture", "OrdinalMixture"),
    "ordinal-panel": ("ordinal_panel", "OrdinalPanel"),
    "auto": ("auto", "Auto"),
    "dawid-skene": ("dawid_skene", "DawidSkene"),
    "ord-binary": ("ord_binary", "OrdBinary"),
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


def check_ability(model: type[Model], ability: str) -> None:
    """Refuse a model that lacks a method, and name those that have it."""
    if not hasattr(model, ability):
        able = ", ".join(name for name in MODEL_NAMES if hasattr(model_class(name), ability))
        raise OptionError(f"{model.name} has no {ability.replace('_', ' ')}; choose one of {able}")


def fitted_model(fit: Fit, ability: str) -> Any:
    """The model that made a fit, with its options; `ability` is the method that it must have."""
    cls = model_class(fit.model)
    check_ability(cls, ability)
    return cls(**{key: _revived(value) for key, value in fit.options.items()})


def _revived(value: Any) -> Any:
    """An option as it was before fit.json, where lists stand for tuples, and texts for infinite numbers."""
    if not isinstance(value, list):
        return value
    numbers = any(isinstance(part, float | int) for part in value)
    return tuple(map(float, value)) if numbers else tuple(value)
