"""A Fit as a directory: tables anyone can open, fit.json, and plain .npy arrays. Nothing in it is ever executed."""

from __future__ import annotations

import json
import os
import shutil
import tempfile
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from truegrade.errors import FitError, OptionError, OutputError
from truegrade.fit import Fit, Status
from truegrade.ids import IdTable
from truegrade.posterior import POSTERIORS
from truegrade.scale import Scale
from truegrade.tables import FORMATS, write_table

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["FORMAT_VERSION", "check_target", "load", "save"]

FORMAT_VERSION = 1
_FORMAT = "truegrade-fit"
_TABLES = ("truth", "annotators", "categories", "responsibilities")
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
    """Write everything beside its place, then move it there: a crash leaves the old files or the new ones."""
    target = Path(directory)
    check_target(target, format_)
    try:
        target.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(prefix=".truegrade-", dir=target) as scratch:
            _write(fit, Path(scratch), format_)
            _move_into_place(Path(scratch), target)
    except OSError as error:
        raise OutputError(f"{target}: cannot be written: {error.strerror or error}; nothing was changed") from None


def check_target(target: Path, format_: str) -> None:
    """Refuse early what would fail after a long fit, and never overwrite what is not ours."""
    if format_ not in FORMATS:
        raise OptionError(f"format '{format_}': choose {' or '.join(FORMATS)}")
    if target.exists() and not target.is_dir():
        raise OutputError(f"{target}: is a file; choose another directory")
    strangers = [name for name in _OWNED if (target / name).exists()]
    if strangers and not _is_fit(target):
        raise OutputError(f"{target}: holds a {strangers[0]} that is not from a fit; choose another directory")
    existing = target
    while not existing.exists():
        existing = existing.parent
    if not os.access(existing, os.W_OK | os.X_OK):
        raise OutputError(f"{target}: no permission to write into {existing}; choose another directory")


def _is_fit(directory: Path) -> bool:
    try:
        return bool(json.loads((directory / "fit.json").read_text("utf-8")).get("format") == _FORMAT)
    except (OSError, ValueError, AttributeError):
        return False


def _write(fit: Fit, scratch: Path, format_: str) -> None:
    tables = {
        "truth": fit.truth_table(),
        "annotators": fit.annotators_table(),
        "categories": fit.categories_table(),
    }
    if not tables["categories"].num_rows:
        del tables["categories"]
    for name, table in tables.items():
        write_table(table, scratch / f"{name}.{format_}")
    arrays = scratch / "arrays"
    arrays.mkdir()
    for name, array in _arrays(fit).items():
        np.save(arrays / f"{name}.npy", array, allow_pickle=False)
    record = {
        "format": _FORMAT,
        "format_version": FORMAT_VERSION,
        "tables": format_,
        "posterior": fit.posterior.kind,
        "status": str(fit.status),
        "bound": fit.bound,
        "scale": fit.scale.to_json(),
        "id_types": {name: str(tables[name].schema.field(0).type) for name in tables},
        **{name: getattr(fit, name) for name in _PLAIN},
    }
    text = json.dumps(record, indent=1, ensure_ascii=False, default=_plain)
    (scratch / "fit.json").write_text(text + "\n", "utf-8")


def _plain(value: Any) -> Any:
    if isinstance(value, np.generic | np.ndarray):
        return value.tolist()
    if isinstance(value, Scale):
        return value.to_json()
    raise TypeError(f"fit.json cannot hold a {type(value).__name__}")


def _move_into_place(scratch: Path, target: Path) -> None:
    """fit.json comes last: a directory without a whole fit is never taken for one."""
    stale = [target / name for name in _OWNED if (target / name).exists() and not (scratch / name).exists()]
    old_arrays = scratch / "old-arrays"
    with suppress(FileNotFoundError):
        (target / "arrays").rename(old_arrays)
    (scratch / "arrays").rename(target / "arrays")
    for name in (*(name for name in _OWNED if name != "fit.json"), "fit.json"):
        with suppress(FileNotFoundError):
            (scratch / name).replace(target / name)
    for path in stale:
        path.unlink()
    shutil.rmtree(old_arrays, ignore_errors=True)


def _arrays(fit: Fit) -> dict[str, Any]:
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
    try:
        record = json.loads((target / "fit.json").read_text("utf-8"))
    except FileNotFoundError:
        raise FitError(f"{target}: no fit.json here; pass a directory that truegrade fit -o wrote") from None
    except (OSError, ValueError) as error:
        raise FitError(f"{target}/fit.json: cannot be read: {error}") from None
    if not isinstance(record, dict) or record.get("format") != _FORMAT:
        raise FitError(f"{target}/fit.json: is not a truegrade fit")
    if record.get("format_version") != FORMAT_VERSION:
        raise FitError(
            f"{target}: format version {record.get('format_version')}, but this truegrade reads version "
            f"{FORMAT_VERSION}; fit again, or use the truegrade that wrote it"
        )
    try:
        return _restored(target, record)
    except (OSError, ValueError, KeyError, TypeError, IndexError) as error:
        raise FitError(f"{target}: the saved fit is damaged: {error}; fit again") from None


def _restored(target: Path, record: dict[str, Any]) -> Fit:
    arrays = {path.stem: np.load(path, allow_pickle=False) for path in sorted((target / "arrays").glob("*.npy"))}
    for array in arrays.values():
        array.flags.writeable = False

    def group(prefix: str) -> dict[str, Any]:
        return {name[len(prefix) :]: array for name, array in arrays.items() if name.startswith(prefix)}

    def ids(table: str, role: str) -> IdTable:
        labels = _id_column(target / f"{table}.{record['tables']}", record["id_types"][table])
        if len(labels) != arrays[f"codes.{role}"].size:
            raise ValueError(f"{table}.{record['tables']} has {len(labels)} rows, not the ones it was written with")
        return IdTable(labels, arrays[f"codes.{role}"])

    plain: dict[str, Any] = {
        name: tuple(record[name]) if isinstance(record[name], list) else record[name] for name in _PLAIN
    }
    return Fit(
        **plain,
        status=Status(record["status"]),
        scale=Scale.from_json(record["scale"]),
        posterior=POSTERIORS[record["posterior"]](**group("truth.")),
        instance_ids=ids("truth", "instance"),
        annotator_ids=ids("annotators", "annotator"),
        category_ids=ids("categories", "category") if "codes.category" in arrays else None,
        category=arrays.get("category_of_instance"),
        annotator_columns=group("annotator."),
        category_columns=group("category."),
        instance_columns=group("instance."),
        parameters=group("parameter."),
        **{name: arrays[name] for name in ("ratings_per_instance", "ratings_per_annotator", "trace")},
    )


def _id_column(path: Path, type_name: str) -> pa.Array:
    """The first column of a table, in the type that the ids had."""
    import pyarrow as pa

    from truegrade.readers import read_table

    column = read_table(str(path)).column(0)
    wanted = pa.type_for_alias(type_name)
    return (column if column.type == wanted else column.cast(wanted)).combine_chunks()
