"""A Fit as a directory: tables anyone can open, fit.json, and plain .npy arrays. Nothing in it is ever executed."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from truegrade.errors import FitError, OptionError, OutputError, ScaleError, TruegradeError
from truegrade.files import check_directory, move_in, scratch_folder
from truegrade.fit import Fit, Status
from truegrade.id_files import id_type, read_ids
from truegrade.ids import IdTable
from truegrade.jsonable import json_text
from truegrade.posterior import GRID, POSTERIORS
from truegrade.scale import Scale
from truegrade.tables import FORMATS, write_table

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = [
    "FORMAT_VERSION",
    "arrays_of",
    "check_target",
    "load",
    "publish",
    "record_of",
    "save",
    "saved_scale",
    "write_parts",
]

FORMAT_VERSION = 1
_FORMAT = "truegrade-fit"
_TABLES = ("truth", "annotators", "categories", "responsibilities")
_ROLES = {"instance": "truth", "annotator": "annotators", "category": "categories"}
_REASON_LENGTH = 160  # a message stays one line of readable length
_DAMAGE = (OSError, ValueError, LookupError, TypeError, AttributeError, EOFError, MemoryError)
_OWNED = ("fit.json", "report.html", *(f"{table}.{format_}" for table in _TABLES for format_ in FORMATS))
_PLAIN = (
    "model",
    "options",
    "hyperparameters",
    "all_spam_bound",
    "iterations",
    "bounds",
    "seed",
    "counts",
    "notes",
    "library",
    "input_digest",
    "versions",
)


def save(fit: Fit, directory: str | os.PathLike[str], format_: str) -> None:
    """Write a fit that is in memory."""
    publish(Path(directory), format_, partial(_write, fit, format_))


def publish(target: Path, format_: str, write: Callable[[Path], None]) -> None:
    """Write everything beside its place, then move it there: a crash leaves the old files or the new ones."""
    check_target(target, format_)
    with scratch_folder(target) as scratch:
        write(scratch)
        written = [str(path.relative_to(scratch)) for path in sorted(scratch.rglob("*")) if path.is_file()]
        stale = [path for path in _owned(target) if str(path.relative_to(target)) not in written]
        # fit.json comes last: a directory without a whole fit is never taken for one.
        move_in(scratch, sorted(written, key="fit.json".__eq__), target)
        for path in stale:
            path.unlink()


def check_target(target: Path, format_: str) -> None:
    """Refuse early what would fail after a long fit, and never overwrite what is not ours."""
    if format_ not in FORMATS:
        raise OptionError(f"format '{format_}': choose {' or '.join(FORMATS)}")
    check_directory(target)
    strangers = _owned(target)
    if strangers and not _is_fit(target):
        raise OutputError(
            f"{target}: holds a {strangers[0].relative_to(target)} that is not from a fit; choose another directory"
        )


def _owned(target: Path) -> list[Path]:
    """The files in a directory that a fit would replace."""
    return [*(target / name for name in _OWNED if (target / name).exists()), *sorted(target.glob("arrays/*.npy"))]


def _is_fit(directory: Path) -> bool:
    try:
        return bool(json.loads((directory / "fit.json").read_text("utf-8")).get("format") == _FORMAT)
    except (OSError, ValueError, AttributeError):
        return False


def _write(fit: Fit, format_: str, folder: Path) -> None:
    tables = {
        "truth": fit.truth_table(),
        "annotators": fit.annotators_table(),
        "categories": fit.categories_table(),
    }
    write_parts(folder, record_of(fit, format_), tables, arrays_of(fit))


def write_parts(folder: Path, record: dict[str, Any], tables: dict[str, pa.Table], arrays: dict[str, Any]) -> None:
    """Tables, arrays and fit.json; categories only where there are some."""
    for name, table in tables.items():
        if table.num_rows or name != "categories":
            write_table(table, folder / f"{name}.{record['tables']}")
    (folder / "arrays").mkdir()
    for name, array in arrays.items():
        np.save(folder / "arrays" / f"{name}.npy", array, allow_pickle=False)
    (folder / "fit.json").write_text(json_text(record), "utf-8")


def record_of(fit: Fit, format_: str) -> dict[str, Any]:
    """What fit.json says."""
    ids = {"truth": fit.instance_ids, "annotators": fit.annotator_ids, "categories": fit.category_ids}
    return {
        "format": _FORMAT,
        "format_version": FORMAT_VERSION,
        "tables": format_,
        "posterior": fit.posterior.kind,
        "status": str(fit.status),
        "bound": fit.bound,
        "scale": fit.scale.to_json(),
        "id_types": {name: id_type(table) for name, table in ids.items() if table is not None},
        "columns": {role: list(getattr(fit, f"{role}_columns")) for role in _ROLES},
        **{name: getattr(fit, name) for name in _PLAIN},
    }


def arrays_of(fit: Fit) -> dict[str, Any]:
    """What is saved as arrays, by name."""
    arrays: dict[str, Any] = {f"truth.{name}": array for name, array in fit.posterior.arrays().items()}
    arrays |= {f"annotator.{name}": array for name, array in fit.annotator_columns.items()}
    arrays |= {f"category.{name}": array for name, array in fit.category_columns.items()}
    arrays |= {f"instance.{name}": array for name, array in fit.instance_columns.items()}
    arrays |= {f"parameter.{name}": array for name, array in fit.parameters.items()}
    arrays |= {
        "codes.instance": fit.instance_ids.code,
        "codes.annotator": fit.annotator_ids.code,
        "ratings_per_instance": fit.ratings_per_instance,
        "ratings_per_annotator": fit.ratings_per_annotator,
        "trace": fit.trace,
    }
    if fit.category_ids is not None and fit.category is not None:
        arrays |= {"codes.category": fit.category_ids.code, "category_of_instance": fit.category}
    return arrays


def load(directory: str | os.PathLike[str]) -> Fit:
    """Read a saved fit; refuse what is damaged or too new, and say why."""
    target = Path(directory)
    record = _record(target)
    try:
        return _restored(target, record)
    except (*_DAMAGE, TruegradeError) as error:
        raise FitError(f"{target}: the saved fit is damaged: {_one_line(error)}; fit again") from None


def saved_scale(directory: Path) -> Scale:
    """The scale of a saved fit, whatever else of it is there."""
    try:
        return Scale.from_json(_record(directory)["scale"])
    except (LookupError, TypeError, ValueError, ScaleError) as error:
        raise FitError(f"{directory}/fit.json: its scale is damaged: {_one_line(error)}; pass --scale") from None


def _record(target: Path) -> dict[str, Any]:
    """fit.json, once it is known to be one that can be read."""
    try:
        record: Any = json.loads((target / "fit.json").read_text("utf-8"))
    except FileNotFoundError:
        raise FitError(f"{target}: no fit.json here; pass a directory that truegrade fit -o wrote") from None
    except (OSError, ValueError, RecursionError) as error:
        raise FitError(f"{target}/fit.json: cannot be read: {error}; fit again") from None
    if not isinstance(record, dict) or record.get("format") != _FORMAT:
        raise FitError(f"{target}/fit.json: is not a truegrade fit; pass a directory that truegrade fit -o wrote")
    if record.get("format_version") != FORMAT_VERSION:
        raise FitError(
            f"{target}: format version {record.get('format_version')}, but this truegrade reads version "
            f"{FORMAT_VERSION}; fit again, or use the truegrade that wrote it"
        )
    found: dict[str, Any] = record
    return found


def _one_line(error: Exception) -> str:
    reason = " ".join(str(error).split())[:_REASON_LENGTH]
    return f"{reason} is missing" if isinstance(error, KeyError) else reason


def _restored(target: Path, record: dict[str, Any]) -> Fit:
    if record["tables"] not in FORMATS:
        raise ValueError(f"tables as {record['tables']}")
    tables = {name: read_ids(target / f"{name}.{record['tables']}", kind) for name, kind in record["id_types"].items()}
    sizes = {role: len(tables[name][0]) for role, name in _ROLES.items() if name in tables}
    arrays = {path.stem: _array(path) for path in sorted((target / "arrays").glob("*.npy"))}
    for name, array in arrays.items():
        _check_array(name, array, sizes)
        array.flags.writeable = False

    def group(prefix: str) -> dict[str, Any]:
        return {name[len(prefix) :]: array for name, array in arrays.items() if name.startswith(prefix)}

    def columns(role: str) -> dict[str, Any]:
        return {name: arrays[f"{role}.{name}"] for name in record["columns"][role]}

    def ids(role: str) -> IdTable:
        labels, objects = tables[_ROLES[role]]
        return IdTable(labels, arrays[f"codes.{role}"], objects)

    plain: dict[str, Any] = {
        name: tuple(record[name]) if isinstance(record[name], list) else record[name] for name in _PLAIN
    }
    return Fit(
        **plain | {"bounds": tuple(map(float, record["bounds"]))},
        status=Status(record["status"]),
        scale=Scale.from_json(record["scale"]),
        posterior=POSTERIORS[record["posterior"]](**group("truth.")),
        instance_ids=ids("instance"),
        annotator_ids=ids("annotator"),
        category_ids=ids("category") if "category" in sizes else None,
        category=arrays["category_of_instance"] if "category" in sizes else None,
        annotator_columns=columns("annotator"),
        category_columns=columns("category"),
        instance_columns=columns("instance"),
        parameters=group("parameter."),
        **{name: arrays[name] for name in ("ratings_per_instance", "ratings_per_annotator", "trace")},
    )


def _array(path: Path) -> Any:
    """An array from a file that may hold nothing else: np.load would open archives and, told so, pickles."""
    with path.open("rb") as file:
        return np.lib.format.read_array(file, allow_pickle=False)


# How many entries an array has, by how its name begins; parameters are the model's own affair.
_LENGTHS = {
    **{f"truth.{name}": None for name in GRID},  # as many as the posterior's grid has
    "truth.": "instance",
    "annotator.": "annotator",
    "category.": "category",
    "instance.": "instance",
    "ratings_per_instance": "instance",
    "ratings_per_annotator": "annotator",
    "category_of_instance": "instance",
}


def _check_array(name: str, array: Any, sizes: dict[str, int]) -> None:
    """Refuse an array that would fail, or mislead, only when the tables are made."""
    if array.dtype.kind not in "biuf":
        raise ValueError(f"arrays/{name}.npy holds {array.dtype}, not numbers")
    role = next((role for start, role in _LENGTHS.items() if name.startswith(start)), None)
    if role is not None and array.shape[:1] != (sizes[role],):
        raise ValueError(f"arrays/{name}.npy is for {array.shape[:1]}, not {sizes[role]}, of the table {_ROLES[role]}")
    if name.startswith("codes."):
        size = sizes[name.removeprefix("codes.")]
        if array.ndim != 1 or not np.array_equal(np.sort(array), np.arange(size)):
            raise ValueError(f"arrays/{name}.npy is no numbering of the {size} rows of its table")
    if name == "category_of_instance" and not np.all((array >= 0) & (array < sizes["category"])):
        raise ValueError(f"arrays/{name}.npy names categories that are not in the table")
