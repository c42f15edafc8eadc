"""Ratings as many as one likes, drawn a million at a time into a Parquet file: nothing larger is ever in memory."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
from pyarrow import parquet

if TYPE_CHECKING:
    from pathlib import Path

    from numpy.typing import NDArray

ANNOTATORS, PER_INSTANCE, GRADES = 10_000, 4, 5
_CHUNK = 1 << 20


def write_ratings(path: Path, ratings: int) -> None:
    """Everyone rates anything; annotators differ in their noise, and one in ten answers by chance."""
    rng, schema = (
        np.random.default_rng(0),
        pa.schema([("annotator", "int32"), ("instance", "int64"), ("rating", "int8")]),
    )
    instances = ratings // PER_INSTANCE
    with parquet.ParquetWriter(path, schema) as writer:
        for begin in range(0, ratings, _CHUNK):
            size = min(_CHUNK, ratings - begin)
            instance = rng.integers(0, instances, size)
            annotator = rng.integers(0, ANNOTATORS, size, dtype=np.int32)
            seen = _truth(instance) + rng.normal(size=size) * (0.3 + (annotator % 8) / 8)
            said = np.where(annotator % 10 == 0, rng.integers(1, GRADES + 1, size), np.round(seen))
            columns = [annotator, instance, np.clip(said, 1, GRADES).astype(np.int8)]
            writer.write_table(pa.table([pa.array(column) for column in columns], schema=schema))


def _truth(instance: NDArray[np.int64]) -> NDArray[np.float64]:
    """A truth of 1 to 5 that every instance has by its number, so that none need be remembered."""
    mixed = (instance.astype(np.uint64) * np.uint64(0x9E3779B97F4A7C15)) >> np.uint64(40)
    return 0.6 + 4.8 * mixed.astype(np.float64) / (1 << 24)
