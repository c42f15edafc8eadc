"""The figures that experiments report, and which way each is good."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

__all__ = ["MEASURES", "PAPER_MEASURES", "Measure"]

_NOMINAL = 0.95  # what the interval [lower, upper] promises


@dataclass(frozen=True)
class Measure:
    """One figure."""

    name: str  # column and JSON key
    title: str
    attribute: str  # of an Evaluation
    good: Literal["low", "high", "nominal"]

    def loss(self, value: Any) -> Any:
        """How bad a value, or an array of them, is: less is better."""
        if self.good == "nominal":
            return abs(value - _NOMINAL)
        return value if self.good == "low" else -value


MEASURES: Mapping[str, Measure] = {
    measure.name: measure
    for measure in (
        Measure("mse", "MSE", "mse", "low"),
        Measure("correlation", "correlation", "pearson", "high"),
        Measure("ndcg", "NDCG", "ndcg", "high"),
        Measure("log_loss", "log-loss", "log_loss", "low"),
        Measure("coverage", "coverage", "coverage", "nominal"),
    )
}
PAPER_MEASURES = ("mse", "correlation", "ndcg")
