"""Colours and sizes that all figures share; the colours stay apart for the colour-blind."""

from __future__ import annotations

__all__ = ["ACTION_COLOURS", "BLUE", "HEIGHT", "WIDTH"]

BLUE = "#4477aa"
ACTION_COLOURS = {"keep": BLUE, "retrain": "#bb8800", "review": "#888888", "drop": "#cc3344"}
WIDTH, HEIGHT = 420, 300
