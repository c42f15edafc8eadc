"""JSON that every reader understands."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from typing import Any

import numpy as np

__all__ = ["json_text"]


def json_text(record: Mapping[str, Any]) -> str:
    """An object as JSON. What JSON cannot hold stands there as text: inf, -inf, nan, moments.

    >>> json_text({"bound": -np.inf, "pi": np.array([0.5, 0.5])})
    '{\\n "bound": "-inf",\\n "pi": [\\n  0.5,\\n  0.5\\n ]\\n}\\n'
    """
    return json.dumps(_plain(record), indent=1, ensure_ascii=False, allow_nan=False) + "\n"


def _plain(value: Any) -> Any:
    if isinstance(value, np.generic | np.ndarray):
        value = value.tolist()
    elif hasattr(value, "to_json"):
        value = value.to_json()
    if isinstance(value, Mapping):
        return {str(key): _plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)
    return value if value is None or isinstance(value, str | int | float) else str(value)
