"""Which format a file has. Its content decides, never its extension."""

from __future__ import annotations

import codecs
import json
from enum import Enum
from typing import TYPE_CHECKING

from truegrade.errors import FileError

if TYPE_CHECKING:
    from truegrade.readers.source import Source

__all__ = ["Format", "sniff"]

_HEAD = 1 << 16
_KNOWN = "CSV, TSV, JSON lines, Parquet, Arrow and Feather are read, plain or compressed with gzip or zstd"


class Format(Enum):
    """What can be read; the value is how messages call it."""

    PARQUET = "Parquet file"
    ARROW_FILE = "Arrow file"  # Feather, too
    ARROW_STREAM = "Arrow stream"
    JSON_LINES = "file of JSON lines"
    JSON_ARRAY = "JSON array"
    NUMPY = "NumPy array"
    DELIMITED = "delimited text"


_MAGIC = {
    b"PAR1": Format.PARQUET,
    b"ARROW1": Format.ARROW_FILE,
    b"\xff\xff\xff\xff": Format.ARROW_STREAM,
    b"\x93NUMPY": Format.NUMPY,
}
# Formats that people do hand over, each with the way out.
_FOREIGN = {
    b"PK\x03\x04": "a ZIP archive or a spreadsheet; unpack it, or save the sheet as CSV",
    b"\xd0\xcf\x11\xe0": "an old Excel workbook; save the sheet as CSV",
    b"BZh": "compressed with bzip2; decompress it first",
    b"\xfd7zXZ\x00": "compressed with xz; decompress it first",
    # Arrow still reads it, but a damaged file crashes the process there.
    b"FEA1": "Feather of version 1, which pyarrow gives up; write it again as Parquet or as Feather version 2",
    b"PARE": "an encrypted Parquet file; decrypt it first",
    b"%PDF": "a PDF; save the table as CSV",
    b"SQLite format 3": "an SQLite database; export the table as CSV",
}
# UTF-32 before UTF-16: the little-endian mark of the one begins with that of the other.
_WIDE_ENCODINGS = {
    codecs.BOM_UTF32_LE: "UTF-32",
    codecs.BOM_UTF32_BE: "UTF-32",
    codecs.BOM_UTF16_LE: "UTF-16",
    codecs.BOM_UTF16_BE: "UTF-16",
}


def sniff(source: Source) -> Format:
    """The format of the decompressed content, from its first bytes."""
    head = source.head(_HEAD)
    for magic, found in _MAGIC.items():
        if head.startswith(magic):
            return found
    for magic, what in _FOREIGN.items():
        if head.startswith(magic):
            raise FileError(f"{source.where}: is {what}")
    for mark, encoding in _WIDE_ENCODINGS.items():
        if head.startswith(mark):
            raise FileError(f"{source.where}: is {encoding} from byte 0 on; save it as UTF-8")
    text = head.removeprefix(codecs.BOM_UTF8).lstrip()
    if not text and len(head) < _HEAD:
        raise FileError(f"{source.where}: is empty; give a file with a header and a row per rating")
    if b"\0" in head:
        raise FileError(
            f"{source.where}: unrecognised content (byte {head.index(0)} is 0, so it is no text in UTF-8); {_KNOWN}"
        )
    return _text_format(text, source.where)


def _is_json(text: bytes) -> bool:
    try:
        return isinstance(json.loads(text), list)
    except (ValueError, RecursionError):
        return False


def _text_format(text: bytes, where: str) -> Format:
    if text.startswith(b"{"):
        return Format.JSON_LINES
    # A column may be called [rating], so a bracket alone does not make it JSON.
    inside = text[1:].lstrip()[:1] if text.startswith(b"[") else b""
    if inside == b"{":
        return Format.JSON_ARRAY
    if inside == b"[":
        raise FileError(f"{where}: is a JSON array of arrays; write an object per rating, or the matrix as CSV")
    if inside and text.rstrip().endswith(b"]") and _is_json(text):
        raise FileError(f"{where}: is a JSON array without objects; write an object per rating")
    if text.startswith((b"<!", b"<?", b"<html")):
        raise FileError(f"{where}: is a web page or XML; save the table as CSV")
    return Format.DELIMITED
