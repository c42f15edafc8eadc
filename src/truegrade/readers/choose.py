"""Who reads a file: the reader of a plain table, or that of an export."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING

from truegrade.errors import FileError, OptionError
from truegrade.readers.exports import PLAIN, export_named, find_export, read_export
from truegrade.readers.exports.export import Content, Wanted
from truegrade.readers.exports.judges import JUDGES, judge_keys
from truegrade.readers.jsonstream import JsonShape, json_items
from truegrade.readers.sniff import Format, sniff
from truegrade.readers.source import reading
from truegrade.roles import ALIASES

if TYPE_CHECKING:
    from truegrade.columns import Columns
    from truegrade.readers.exports.export import Export
    from truegrade.readers.source import Source
    from truegrade.readers.tablefile import TableFile
    from truegrade.roles import Roles

__all__ = ["Chosen", "choose", "json_content", "table_file"]

_LOOKED_AT = 1 << 20  # bytes at the start of a file of JSON


@dataclass(frozen=True)
class Chosen:
    """An export, and the file that holds it."""

    export: Export
    content: Content
    wanted: Wanted

    def columns(self, *, apart: bool = False) -> Columns:
        """The answers in it, by role; several questions as instances of their own, or `apart`."""
        return read_export(self.export, self.content, self.wanted, apart=apart)


def choose(source: Source, roles: Roles, *, wide: bool, from_: str, question: str) -> Chosen | TableFile:
    """The export that the user names or the content shows; else the plain table.

    Whoever says which column is the rating or the annotator, or that the file is a matrix, means a plain table.
    """
    named = export_named(from_) if from_ and from_ != PLAIN else None
    kind = _kind(source)
    is_json = kind in {Format.JSON_LINES, Format.JSON_ARRAY}
    file = None if is_json else table_file(source, kind)
    plain = from_ == PLAIN or wide or any((roles.weight, roles.timestamp))
    if named and (wide or roles.weight or roles.timestamp):
        raise OptionError(f"--from {from_}: --wide, --weight and --timestamp belong to plain tables; leave them out")
    wanted = Wanted(**asdict(roles), question=question)
    content = None if plain and not named else _content(source, kind, file, careful=named is None)
    if content:
        export = named or _found(content, wanted)
        if export:
            return Chosen(export, content, wanted)
    if question:
        raise OptionError(f"{source.where}: --question goes with exports of labelling tools, and this is a plain table")
    found = file or table_file(source, kind)
    if getattr(found, "matrix", None) is not None and not wide:
        raise FileError(
            f"{source.where}: is a matrix without names; pass --from cleanlab if it has a row per instance, or "
            "--from krippendorff if it has a row per annotator"
        )
    return found


def json_content(source: Source) -> Content:
    """The records of a file of JSON."""
    kind = _kind(source)
    if kind not in {Format.JSON_LINES, Format.JSON_ARRAY}:
        raise FileError(f"{source.where}: is no JSON; give the export as JSON")
    return Content.of_json(source, _shape(source, kind))


def table_file(source: Source, kind: Format | None = None) -> TableFile:
    """The file as a plain table."""
    from truegrade.readers.columnar import ColumnarFile
    from truegrade.readers.delimited import DelimitedFile
    from truegrade.readers.jsonlines import JsonLinesFile
    from truegrade.readers.numpyfile import NumpyFile

    kind = kind or _kind(source)
    if kind is Format.DELIMITED:
        return DelimitedFile(source)
    if kind is Format.JSON_LINES:
        return JsonLinesFile(source)
    if kind is Format.JSON_ARRAY:
        raise FileError(f"{source.where}: is one JSON array; write JSON lines instead, one object per line")
    if kind is Format.NUMPY:
        return NumpyFile(source)
    return ColumnarFile(source, kind)


def _kind(source: Source) -> Format:
    with reading(source.where, source.called("file")):
        return sniff(source)


def _content(source: Source, kind: Format, file: TableFile | None, *, careful: bool) -> Content | None:
    """What the file holds; None for broken JSON lines if the reader of plain ones is to name what is wrong."""
    if file:
        return Content.of_table(source, file)
    try:
        return Content.of_json(source, _shape(source, kind))
    except FileError:
        if careful and kind is Format.JSON_LINES:
            return None
        raise


def _found(content: Content, wanted: Wanted) -> Export | None:
    """The export that the content shows and that can do what the user asks for."""
    export = find_export(content)
    told = [key for key in (wanted.annotator, wanted.rating) if key]
    if content.shape is JsonShape.ARRAY:
        return JUDGES if told and set(told) <= set(content.names) else export
    if export is JUDGES:
        as_lines = not _is_plain(content, wanted) and all(judge_keys(content.first, wanted).values())
        return JUDGES if as_lines else None
    return None if told else export


def _is_plain(content: Content, wanted: Wanted) -> bool:
    """Whether the reader of plain JSON lines finds every role by its usual name, or as told, at the top."""
    names = {name.strip().lower() for name in content.names}
    return all(
        getattr(wanted, role) in content.names if getattr(wanted, role) else names & set(ALIASES[role])
        for role in ("annotator", "instance", "rating")
    )


def _another_follows(source: Source) -> bool:
    """Whether the first line, if it is not too long to look at, is a whole object and more text comes after it."""
    first, _, rest = source.head(_LOOKED_AT).partition(b"\n")
    try:
        return isinstance(json.loads(first.decode("utf-8-sig", "replace")), dict) and bool(rest.strip())
    except (ValueError, RecursionError):
        return False


def _shape(source: Source, kind: Format) -> JsonShape:
    """Lines of objects, one array, or one object of objects that hold plain values."""
    if kind is Format.JSON_ARRAY:
        return JsonShape.ARRAY
    with reading(source.where, source.called(kind.value)):
        if _another_follows(source):
            return JsonShape.LINES
        try:
            first = [value for _, (_, value) in zip(range(3), json_items(source), strict=False)]
        except FileError:
            return JsonShape.LINES  # more lines follow, or a broken one that the reader will name
    inner = [v for value in first if isinstance(value, dict) for v in value.values()]
    nested = bool(first) and all(isinstance(value, dict) and value for value in first)
    return JsonShape.OBJECT if nested and not any(isinstance(v, list | dict) for v in inner) else JsonShape.LINES
