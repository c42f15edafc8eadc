"""Where a text file stops being UTF-8."""

from __future__ import annotations

import codecs
from typing import TYPE_CHECKING

from truegrade.errors import FileError

if TYPE_CHECKING:
    from truegrade.readers.source import Source

__all__ = ["check_utf8"]

_BLOCK = 1 << 20


def check_utf8(source: Source) -> None:
    """Raise the error that names the first byte that is not UTF-8, if there is one."""
    decoder = codecs.getincrementaldecoder("utf-8")()
    offset, line = 0, 1
    with source.stream() as stream:
        while True:
            block = bytes(stream.read(_BLOCK))
            # The decoder keeps the start of a character that the last block cut in two.
            held = len(decoder.getstate()[0])
            try:
                decoder.decode(block, final=not block)
            except UnicodeDecodeError as error:
                lines = error.object.count(b"\n", 0, error.start)
                raise FileError(
                    f"{source.where}: line {line + lines}, byte {offset - held + error.start} is "
                    f"0x{error.object[error.start]:02x}, which is not UTF-8; save the file as UTF-8"
                ) from None
            if not block:
                return
            offset += len(block)
            line += block.count(b"\n")
