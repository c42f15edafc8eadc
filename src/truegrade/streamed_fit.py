"""The fit of ratings on disk: its answers come shard by shard, wait on scratch, and are saved as any fit is."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from truegrade.errors import OptionError
from truegrade.fit import Fit, about_instances, about_whole
from truegrade.fit_files import arrays_of, publish, record_of, write_parts
from truegrade.ids import IdTable
from truegrade.ingest.claims import first_rows
from truegrade.posterior import GRID, POSTERIORS
from truegrade.tables import TableWriter

if TYPE_CHECKING:
    import pyarrow as pa
    from numpy.typing import NDArray

    from truegrade.engines.disk_ratings import DiskRatings
    from truegrade.engines.scratch import ScratchFile
    from truegrade.fit_parts import Answer, Head
    from truegrade.ratings import Ratings

__all__ = ["StreamedFit"]

_ROWS = 1 << 14  # of the truth table, made and written at once
_HELD = 1 << 16  # of the rows that go into them, over all shards
_BINS = 1 << 12  # of the input's rows, by which the truth table is put in order
_ON_DISK = ("posterior", "instance_ids", "category", "ratings_per_instance", "instance_columns")
_FIRST, _CODE = "\0first row", "\0code"  # columns that go along with the truth table; nobody's names


class StreamedFit(Fit):
    """A fit that may be larger than memory: :meth:`save` writes what any fit writes, and ``Fit.load`` reads it.

    What belongs to instances is on disk. ``truth`` and ``truth_table`` bring it all into memory; ``truth_tables``
    hands it out a few rows at a time.
    """

    _sample: Fit
    _runs: list[_Run]
    _columns: Mapping[str, _Column]
    _found: _Found

    def __init__(self, sample: Fit, runs: list[_Run], columns: Mapping[str, _Column], found: _Found) -> None:
        """`sample` is the fit of the first shard, with everything else as it is of the whole."""
        self.__dict__.update({name: value for name, value in vars(sample).items() if name not in _ON_DISK})
        self.__dict__.update(_sample=sample, _runs=runs, _columns=columns, _found=found)

    @classmethod
    def of(cls, ratings: DiskRatings, head: Head, answers: Iterable[Answer]) -> StreamedFit:
        """Take the answers about every shard, in order."""
        about = about_whole(ratings)
        runs: list[_Run] = []
        columns: dict[str, _Column] = {}
        found, sample = _Found(ratings.n_rows, 0, np.zeros(ratings.n_categories, dtype=np.int64)), None
        for shard, answer, start in zip(ratings.shards(), answers, ratings.offsets[:-1], strict=False):
            fit = _fit_of(shard, head, answer, about, whole=ratings.whole_weights)
            runs.append(_Run.of(fit, shard, int(start), ratings))
            for name, array in _instance_arrays(fit, answer).items():
                columns.setdefault(name, _Column(ratings.scratch.file(), array.dtype, array.shape[1:])).append(array)
            found.n_off_scale += fit.n_off_scale
            if shard.category is not None:
                found.per_category += np.bincount(shard.category, minlength=ratings.n_categories)
            sample = sample or _taken(fit, fit.instance_ids.code[:1], fit.instance_ids.labels[:1])
        assert sample is not None  # noqa: S101  there is a shard
        return cls(sample, runs, columns, found)

    def __getattr__(self, name: str) -> Any:
        if name in _ON_DISK:
            raise OptionError(f"this fit's {name} is on disk; save the fit, and Fit.load it where memory allows")
        raise AttributeError(name)

    def __repr__(self) -> str:
        return f"StreamedFit({self.model}: {self.status}, {self.counts['instances']} instances on disk)"

    @property
    def n_off_scale(self) -> int:
        """How many estimates lie below the lowest or above the highest grade; they are never clipped."""
        return self._found.n_off_scale

    @property
    def truth(self) -> Any:
        """The whole truth table, in memory."""
        return self.truth_table()

    def truth_table(self) -> pa.Table:
        """The whole truth table, in memory."""
        import pyarrow as pa

        return pa.concat_tables(self.truth_tables())

    def truth_head(self) -> pa.Table:
        """At least the first rows of the truth table."""
        return next(self.truth_tables())

    def categories_table(self) -> pa.Table:
        """The categories' table as Arrow."""
        import pyarrow as pa

        table = self._sample.categories_table()
        if self.category_ids is None:
            return table
        return table.set_column(1, "n_instances", pa.array(self._found.per_category[self.category_ids.code]))

    def truth_tables(self) -> Iterator[pa.Table]:
        """The truth table in order of first appearance, a few rows at a time."""
        return (table.drop_columns([_FIRST, _CODE]) for table in self._in_order())

    def changed(self, **fields: Any) -> StreamedFit:
        """The same fit with other fields; none of those that have an entry per instance."""
        return StreamedFit(replace(self._sample, **fields), self._runs, self._columns, self._found)

    def _in_order(self) -> Iterator[pa.Table]:
        """The runs by the row in which instances first appear: some bins of rows at a time, sorted in memory."""
        import pyarrow as pa

        before = np.sum([run.before for run in self._runs], axis=0)  # (bins+1,): instances before each edge
        at = 0
        while at < _BINS:
            to = max(int(np.searchsorted(before, before[at] + _ROWS, side="right")) - 1, at + 1)
            if before[to] > before[at]:
                whole = pa.concat_tables([run.between(at, to) for run in self._runs])
                yield whole.take(pa.array(np.argsort(whole[_FIRST].to_numpy())))
            at = to

    def save(self, directory: str | os.PathLike[str], *, format: str = "csv") -> None:  # noqa: A002
        """Write the tables, fit.json and the arrays into a directory; a fit that is there is replaced as a whole."""
        publish(Path(directory), format, partial(self._write, format_=format))

    def _write(self, folder: Path, format_: str) -> None:
        tables = {"annotators": self.annotators_table(), "categories": self.categories_table()}
        arrays = {name: array for name, array in arrays_of(self._sample).items() if name not in self._columns}
        del arrays["codes.instance"]
        write_parts(folder, record_of(self._sample, format_), tables, arrays)
        for name, column in self._columns.items():
            column.write(folder / "arrays" / f"{name}.npy")
        with (folder / "arrays" / "codes.instance.npy").open("wb") as codes:
            _npy_header(codes, np.dtype(np.int32), (self.counts["instances"],))
            with TableWriter(folder / f"truth.{format_}") as truth:
                for table in self._in_order():
                    codes.write(table[_CODE].to_numpy().astype(np.int32).tobytes())
                    truth.write(table.drop_columns([_FIRST, _CODE]))


@dataclass
class _Found:
    n_rows: int  # of the input
    n_off_scale: int
    per_category: NDArray[np.int64]  # (C,): instances


def _fit_of(shard: Ratings, head: Head, answer: Answer, about: dict[str, Any], *, whole: bool) -> Fit:
    """The fit as if a shard were everything."""
    its = about_instances(shard)
    its["ratings_per_instance"] = its["ratings_per_instance"].astype(np.int64 if whole else np.float64)
    return Fit(**vars(head), posterior=answer.posterior, instance_columns=answer.columns, **about, **its)


def _instance_arrays(fit: Fit, answer: Answer) -> dict[str, NDArray[Any]]:
    """The arrays of a saved fit that have a row per instance."""
    arrays = {name: array for name, array in fit.posterior.arrays().items() if name not in GRID}
    found = {f"truth.{name}": array for name, array in arrays.items()}
    found |= {f"instance.{name}": array for name, array in fit.instance_columns.items()}
    found |= {f"parameter.{name}": array for name, array in answer.parameters.items()}
    found["ratings_per_instance"] = fit.ratings_per_instance
    if fit.category is not None:
        found["category_of_instance"] = fit.category
    return found


@dataclass(frozen=True)
class _Run:
    """The truth table of one shard on scratch, by the row in which each instance first appears."""

    file: ScratchFile
    schema: pa.Schema
    rows: int  # of every batch but the last
    offsets: list[int]  # where every batch begins, and where the last one ends
    before: NDArray[np.intp]  # (bins+1,): how many instances first appear before each edge of the bins

    @classmethod
    def of(cls, fit: Fit, shard: Ratings, start: int, ratings: DiskRatings) -> _Run:
        import pyarrow as pa

        file, offsets, ids = ratings.scratch.file(), [0], fit.instance_ids
        rows = 1 << min(max(_HELD // len(ratings.sizes), 1).bit_length() - 1, _ROWS.bit_length() - 1)  # divides _ROWS
        first = first_rows(shard)
        for begin in range(0, first.size, _ROWS):
            code = ids.code[begin : begin + _ROWS]
            table = _taken(fit, code, ids.labels.slice(begin, _ROWS)).truth_table()
            table = table.append_column(_FIRST, pa.array(first[begin : begin + _ROWS].astype(np.uint64)))
            table = table.append_column(_CODE, pa.array(code.astype(np.int64) + start))
            for batch in table.combine_chunks().to_batches(rows):
                file.append(batch.serialize())
                offsets.append(file.size)
        edges = np.linspace(0, ratings.n_rows, _BINS + 1).astype(first.dtype)
        return cls(file, table.schema, rows, offsets, np.searchsorted(first, edges))

    def between(self, begin: int, end: int) -> pa.Table:
        """The instances that first appear in these bins. Only the batches that hold some are read."""
        import pyarrow as pa

        at, to = int(self.before[begin]), int(self.before[end])
        found = []
        for number in range(at // self.rows, -(-to // self.rows)):
            begins, ends = self.offsets[number : number + 2]
            batch = pa.ipc.read_record_batch(pa.py_buffer(self.file.read(begins, ends - begins)), self.schema)
            skip = max(at - number * self.rows, 0)
            found.append(batch.slice(skip, to - number * self.rows - skip))
        return pa.Table.from_batches(found, self.schema)


def _taken(fit: Fit, code: NDArray[np.int32], labels: pa.Array) -> Fit:
    """The fit of a few of its instances alone."""
    arrays = {name: array if name in GRID else array[code] for name, array in fit.posterior.arrays().items()}
    return replace(
        fit,
        posterior=POSTERIORS[fit.posterior.kind](**arrays),
        instance_ids=IdTable(labels, np.arange(code.size, dtype=np.int32)),
        category=None if fit.category is None else fit.category[code],
        ratings_per_instance=fit.ratings_per_instance[code],
        instance_columns={name: array[code] for name, array in fit.instance_columns.items()},
    )


@dataclass
class _Column:
    """An array that grows shard by shard."""

    file: ScratchFile
    dtype: np.dtype[Any]
    shape: tuple[int, ...]  # of an entry
    size: int = field(default=0)

    def append(self, array: NDArray[Any]) -> None:
        self.file.append(np.ascontiguousarray(array, dtype=self.dtype).data)
        self.size += len(array)

    def write(self, path: Path) -> None:
        with path.open("wb") as file:
            _npy_header(file, self.dtype, (self.size, *self.shape))
            for chunk in self.file.chunks():
                file.write(chunk)


def _npy_header(file: Any, dtype: np.dtype[Any], shape: tuple[int, ...]) -> None:
    header = {"descr": np.lib.format.dtype_to_descr(dtype), "fortran_order": False, "shape": shape}
    np.lib.format.write_array_header_1_0(file, header)
