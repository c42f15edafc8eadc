"""truegrade infers the true grade of things from many noisy graders."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from truegrade.checkpoint import Checkpoint as Checkpoint
    from truegrade.description import describe as describe
    from truegrade.engines.dask import DaskEngine as DaskEngine
    from truegrade.engines.streaming import stream as stream
    from truegrade.evaluation import evaluate as evaluate
    from truegrade.fit import Fit as Fit
    from truegrade.fit import Status as Status
    from truegrade.gold import Gold as Gold
    from truegrade.gold import read_gold as read_gold
    from truegrade.models.auto import Auto as Auto
    from truegrade.models.continuous import Continuous as Continuous
    from truegrade.models.dawid_skene import DawidSkene as DawidSkene
    from truegrade.models.glad import Glad as Glad
    from truegrade.models.majority import Majority as Majority
    from truegrade.models.mean import Mean as Mean
    from truegrade.models.median import Median as Median
    from truegrade.models.ord_binary import OrdBinary as OrdBinary
    from truegrade.models.ordinal_mixture import OrdinalMixture as OrdinalMixture
    from truegrade.models.ordinal_panel import OrdinalPanel as OrdinalPanel
    from truegrade.ratings import Ratings as Ratings
    from truegrade.readers import read as read
    from truegrade.reliability import agreement as agreement
    from truegrade.scale import Scale as Scale
    from truegrade.simulation import simulate as simulate
    from truegrade.simulation import with_spam as with_spam
    from truegrade.writers.converting import convert as convert

__version__ = "0.1.0"

# Where each public name lives. Loaded on first use, so that `import truegrade` costs next to nothing. No home is
# called like a name in it: Python binds a module to its name in the package as soon as anything imports it.
_HOMES = {
    "Auto": "models.auto",
    "Checkpoint": "checkpoint",
    "Continuous": "models.continuous",
    "DaskEngine": "engines.dask",
    "DawidSkene": "models.dawid_skene",
    "Fit": "fit",
    "Glad": "models.glad",
    "Gold": "gold",
    "Majority": "models.majority",
    "Mean": "models.mean",
    "Median": "models.median",
    "OrdBinary": "models.ord_binary",
    "OrdinalMixture": "models.ordinal_mixture",
    "OrdinalPanel": "models.ordinal_panel",
    "Ratings": "ratings",
    "Scale": "scale",
    "Status": "fit",
    "agreement": "reliability",
    "convert": "writers.converting",
    "describe": "description",
    "evaluate": "evaluation",
    "read": "readers",
    "read_gold": "gold",
    "simulate": "simulation",
    "stream": "engines.streaming",
    "with_spam": "simulation",
}

__all__ = [
    "Auto",
    "Checkpoint",
    "Continuous",
    "DaskEngine",
    "DawidSkene",
    "Fit",
    "Glad",
    "Gold",
    "Majority",
    "Mean",
    "Median",
    "OrdBinary",
    "OrdinalMixture",
    "OrdinalPanel",
    "Ratings",
    "Scale",
    "Status",
    "__version__",
    "agreement",
    "convert",
    "describe",
    "evaluate",
    "read",
    "read_gold",
    "simulate",
    "stream",
    "with_spam",
]


def __getattr__(name: str) -> Any:
    if name in _HOMES:
        return getattr(import_module(f"truegrade.{_HOMES[name]}"), name)
    raise AttributeError(f"module 'truegrade' has no attribute '{name}'")


def __dir__() -> list[str]:
    return __all__
