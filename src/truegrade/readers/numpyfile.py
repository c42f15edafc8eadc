"""Arrays that NumPy saved (.npy): a matrix, or a table whose columns have names."""

from __future__ import annotations

import io
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from truegrade.errors import FileError
from truegrade.readers.source import reading
from truegrade.readers.tablefile import text_encoded

if TYPE_CHECKING:
    import pyarrow as pa
    from numpy.typing import NDArray

    from truegrade.readers.source import Source

__all__ = ["NumpyFile"]


class NumpyFile:
    """An array of numbers or texts; nothing in the file is ever run."""

    nested: Mapping[str, str] = {}

    def __init__(self, source: Source) -> None:
        with reading(source.where, source.called("NumPy array")), source.stream() as stream:
            try:
                self._array: NDArray[Any] = np.load(io.BytesIO(stream.read()), allow_pickle=False)
            except Exception as error:  # a damaged header raises whatever the parser in NumPy met
                raise FileError(
                    f"{source.where}: this NumPy array cannot be read ({' '.join(str(error).split())[:80]}); "
                    "save plain numbers or texts with numpy.save"
                ) from None
        fields = self._array.dtype.names
        if self._array.ndim != (1 if fields else 2) or (not fields and self._array.dtype.kind not in "biufU"):
            raise FileError(
                f"{source.where}: holds an array of {self._array.ndim} dimensions and type {self._array.dtype}; save a "
                "matrix of numbers, or a table with named columns"
            )
        self.names: Sequence[str] = list(fields) if fields else list(map(str, range(self._array.shape[1])))
        self.matrix = None if fields else self._array  # (rows, columns); None for a table

    def read(self, columns: Sequence[str]) -> pa.Table:
        """The columns of these names."""
        import pyarrow as pa

        found = {name: self._array[name] if self.matrix is None else self.matrix[:, int(name)] for name in columns}
        return pa.table({name: text_encoded(pa.chunked_array([pa.array(part)])) for name, part in found.items()})
