"""How much memory a fit from disk may take, and how its shards are sized to keep to it."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from truegrade.errors import OptionError

if TYPE_CHECKING:
    from truegrade.ingest.survey import Settled

__all__ = ["Memory"]

_UNITS = {"": 1, "K": 10**3, "M": 10**6, "G": 10**9, "T": 10**12, "KI": 2**10, "MI": 2**20, "GI": 2**30, "TI": 2**40}
_PER_ROW = 160  # bytes at the peak: while a shard is put in order, or its answers are made
_UNEVEN = 1.25  # shards come out so much larger than planned, at most, unless one instance has very many ratings
_PER_GRADE = 8  # bytes of a number, for each annotator and pair of grades
_TABLES = 14  # so many of them: parameters, sums and what is made on the way from the one to the other
_PER_ANNOTATOR = 400  # bytes: columns, and what an id takes
_FEWEST, _MOST = 1 << 15, 1 << 22  # rows of a shard: fewer only cost time, and more gain none
_BATCH = 1 << 18  # rows that are read at once, at most
_PER_READ = 600  # bytes per row that is read: its cells as they come, and as codes
_SLACK = 25 << 20  # what the allocators keep, and the buffers of files


@dataclass(frozen=True)
class Memory:
    """A budget for the whole process, in bytes."""

    total: int
    base: int = 0  # bytes that the process takes before it begins

    @classmethod
    def parse(cls, text: str) -> Memory:
        """Read ``512MB``, ``4GB``, ``1.5GiB`` or a number of bytes.

        >>> Memory.parse("1.5 GB").total, Memory.parse("2GiB").total
        (1500000000, 2147483648)
        """
        found = re.fullmatch(r"\s*(\d+(?:\.\d*)?|\.\d+)\s*([KMGT]?I?)B?\s*", text.upper())
        if found is None or found[2] not in _UNITS:
            raise OptionError(f"--memory {text}: is no size; write it like 512MB or 4GB")
        return cls(int(float(found[1]) * _UNITS[found[2]]), _process() + _SLACK)

    def batch(self) -> int:
        """How many rows to read at once."""
        free = self._free(0)
        if free < _FEWEST * _PER_READ:
            raise self.too_small(_FEWEST * _PER_READ)
        return int(min(_BATCH, free // _PER_READ))

    def rows_of_shard(self, settled: Settled) -> int:
        """How many rows a shard may hold."""
        resident = self._resident(settled)
        rows = min(self._free(resident) // (_PER_ROW * _UNEVEN), _MOST)
        fewest = min(_FEWEST, settled.n_kept)
        if rows < fewest:
            raise self.too_small(resident + int(fewest * _PER_ROW * _UNEVEN))
        return max(int(rows), 1)

    def check_shard(self, rows: int, planned: int, settled: Settled) -> None:
        """Refuse a shard that came out too big, because one instance has too many ratings to be cut."""
        if rows > _FEWEST and rows > planned * _UNEVEN:
            raise self.too_small(self._resident(settled) + int(rows * _PER_ROW * _UNEVEN))

    def too_small(self, needed: int) -> OptionError:
        """The error that says the least budget that works."""
        least = -(-(needed + self.base) // 10**7) * 10
        return OptionError(f"--memory {self.total / 10**6:.0f}MB is too little for this input; pass at least {least}MB")

    def _resident(self, settled: Settled) -> int:
        """What a fit keeps of every annotator."""
        grades = max(settled.scale.n_grades, 1)
        return len(settled.annotators) * (_PER_ANNOTATOR + _TABLES * _PER_GRADE * grades**2)

    def _free(self, resident: int) -> int:
        return self.total - self.base - resident


def _process() -> int:
    """Bytes of this process that are in memory now."""
    fields = Path("/proc/self/status").read_text("ascii").split("VmRSS:")[1].split()
    return int(fields[0]) * 1024
