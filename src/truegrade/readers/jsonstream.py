"""JSON values one after the other, so that a file of any length needs no more room than its longest value."""

from __future__ import annotations

import io
import json
from collections.abc import Iterator
from enum import Enum
from typing import TYPE_CHECKING, Any

from truegrade.errors import FileError
from truegrade.readers.utf8 import check_utf8

if TYPE_CHECKING:
    from truegrade.readers.source import Source

__all__ = ["JsonShape", "json_items", "json_records"]

_BLOCK = 1 << 20  # characters read at once
_LONGEST_WORD = 16  # a number or an escape that the end of a block cut may be judged wrong so far from its end


class JsonShape(Enum):
    """How a file of JSON holds its records; the value is what messages call a file of it."""

    ARRAY = "JSON array"
    LINES = "file of JSON lines"
    OBJECT = "JSON object"  # of objects, one per key


def json_records(source: Source, shape: JsonShape) -> Iterator[dict[str, Any]]:
    """The objects of a JSON array, or one after the other; the items of an object as {key: value}."""
    found = _items(source) if shape is JsonShape.OBJECT else _values(source, in_array=shape is JsonShape.ARRAY)
    for number, value in enumerate(found, 1):
        if not isinstance(value, dict):
            told = json.dumps(value)[:40]
            raise FileError(f"{source.where}: record {number}: {told} is no JSON object; give an object per record")
        yield value


def json_items(source: Source) -> Iterator[tuple[str, Any]]:
    """The keys and values of the one object in a file."""
    for item in _items(source):
        yield from item.items()


def _values(source: Source, *, in_array: bool) -> Iterator[Any]:
    with source.stream() as stream:
        text = _Text(stream, source)
        if in_array:
            text.take("[")
            if text.next() == "]":
                return
        while text.next():
            yield text.value()
            if in_array:
                if text.take(",]") == "]":
                    text.end()
                    return
                text.expect()
        if in_array:
            text.expect()


def _items(source: Source) -> Iterator[dict[str, Any]]:
    with source.stream() as stream:
        text = _Text(stream, source)
        text.take("{")
        if text.next() == "}":
            return
        while True:
            key = text.value()
            if not isinstance(key, str):
                raise text.broken("a key must be text")
            text.take(":")
            yield {key: text.value()}
            if text.take(",}") == "}":
                text.end()
                return


class _Text:
    """Decoded text with a place in it, and more of it on demand."""

    def __init__(self, stream: Any, source: Source) -> None:
        self._stream = io.TextIOWrapper(stream, encoding="utf-8-sig", newline="\n")
        self._source = source
        self._decoder = json.JSONDecoder()
        self._text, self._at = "", 0
        self._ended = False
        self._values = 0  # read so far

    def next(self) -> str:
        """The next character that is no space, not taken yet; empty at the end."""
        while True:
            while self._at < len(self._text):
                if not self._text[self._at].isspace():
                    return self._text[self._at]
                self._at += 1
            if self._ended:
                return ""
            self._more()

    def take(self, allowed: str) -> str:
        """Step over the next character, which must be one of these."""
        found = self.expect()
        if found not in allowed:
            raise self.broken(f"{' or '.join(allowed)} expected, {found!r} found")
        self._at += 1
        return found

    def expect(self) -> str:
        """The next character; an error at the end of the file."""
        found = self.next()
        if not found:
            raise self.broken("the file ends too early; it looks cut short")
        return found

    def end(self) -> None:
        """Refuse a file that goes on."""
        if self.next():
            raise self.broken("more text after the end of the JSON")

    def value(self) -> Any:
        """The next value, whole."""
        self.expect()
        while True:
            try:
                value, end = self._decoder.raw_decode(self._text, self._at)
            except json.JSONDecodeError as error:
                cut = error.pos > len(self._text) - _LONGEST_WORD or error.msg.startswith("Unterminated")
                if self._ended or not cut:
                    raise self.broken(error.msg) from None
            except RecursionError:
                raise self.broken("it is nested too deeply") from None
            except ValueError as error:  # a number with thousands of digits
                raise self.broken(str(error)) from None
            else:
                if end < len(self._text) or self._ended:  # else a number may go on
                    self._at = end
                    self._values += 1
                    return value
            self._more()

    def broken(self, what: str) -> FileError:
        """The error that says which record is no JSON."""
        return FileError(
            f"{self._source.where}: record {self._values + 1}: not JSON ({what[:80]}); mend it, or export it again"
        )

    def _more(self) -> None:
        """At least as much again as is waiting, so that a long value is not tried too often."""
        waiting = self._text[self._at :]
        try:
            block = self._stream.read(max(_BLOCK, len(waiting)))
        except UnicodeDecodeError:
            check_utf8(self._source)
            raise
        self._ended = not block
        self._text, self._at = waiting + block, 0
