"""Rows of results as a table: what all experiments share."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pyarrow as pa

    from truegrade.experiments.lineup import Candidate
    from truegrade.experiments.study import Study
    from truegrade.experiments.trial import Result

__all__ = ["as_table", "how_it_went", "who"]

_TEXT = {"data", "model", "system", "difficulty", "options", "link", "spam", "status", "reason", "notes"}
_WHOLE = {"fakes", "seed", "iterations"}


def who(study: Study, candidate: Candidate) -> dict[str, str | None]:
    """The first columns: the data, what the model is called, and its options."""
    return {
        "data": study.name,
        "model": candidate.label,
        "system": candidate.system,
        "difficulty": candidate.difficulty,
        "options": candidate.options,
    }


def how_it_went(result: Result) -> dict[str, Any]:
    """The last columns."""
    return {
        "seconds": result.seconds,
        "iterations": result.iterations,
        "status": result.status or "not available",
        "reason": result.error,
    }


def as_table(rows: Sequence[dict[str, Any]]) -> pa.Table:
    """Rows with the same columns, at least one. A column has the same type whatever is in it: most hold numbers."""
    import pyarrow as pa

    def kind(name: str) -> pa.DataType:
        if name in _TEXT or name.endswith("_mark"):
            return pa.string()
        return pa.int64() if name in _WHOLE else pa.float64()

    return pa.table({name: pa.array([row[name] for row in rows], kind(name)) for name in rows[0]})
