"""Annotators' confusion matrices as a table with the user's ids."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from truegrade.errors import IdError, OptionError
from truegrade.frames import array_columns
from truegrade.ids import index_ids
from truegrade.joining import join

if TYPE_CHECKING:
    import pyarrow as pa

    from truegrade.fit import Fit

__all__ = ["confusion_table"]


def confusion_table(fit: Fit, annotators: list[Any] | None = None) -> pa.Table:
    """One row per annotator and true grade: annotator, truth, and p_<grade>, the chance of each answer."""
    import pyarrow as pa

    if "confusion" not in fit.parameters:
        raise OptionError(f"{fit.model} has no confusion matrices; choose dawid-skene, ord-binary or glad")
    ids, grades = fit.annotator_ids, fit.scale.n_grades
    if annotators is None:
        codes = ids.code.astype(np.int64)
    else:
        asked = index_ids(
            array_columns(annotator=annotators, instance=annotators, rating=[0]).annotator, "annotator", ""
        )
        position = join(asked.labels, ids.labels, asked.objects, ids.objects).position
        if np.any(position < 0):
            stranger = asked.labels[int(np.argmax(position < 0))].as_py()
            raise IdError(f"this fit knows no annotator '{stranger}'; choose one of its annotators' table")
        codes = ids.code[position[asked.index]].astype(np.int64)
    matrices = fit.parameters["confusion"][codes].reshape(-1, grades)
    columns: dict[str, Any] = {
        "annotator": ids.labels_of(np.repeat(codes, grades)),
        "truth": fit.scale.cells(np.tile(np.arange(grades, dtype=np.uint8), codes.size)),
    }
    columns |= {f"p_{label}": matrices[:, k] for k, label in enumerate(fit.scale.labels)}
    return pa.table(columns)
