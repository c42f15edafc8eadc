"""The files that authors publish: found on this machine, or fetched once."""

from __future__ import annotations

import io
import tarfile
from pathlib import Path
from typing import TYPE_CHECKING

from truegrade.errors import DataError

if TYPE_CHECKING:
    from truegrade.datasets.entry import Entry

__all__ = ["download", "in_folder"]

_MOST = 200_000_000  # bytes; the largest original has 4 million
_SECONDS = 60.0
_ARCHIVES = (".tgz", ".tar.gz")


def in_folder(place: Path, entry: Entry) -> dict[str, str] | None:
    """The originals in a folder, or in one file or archive; None where some are missing."""
    files = [place] if place.is_file() else sorted(path for path in place.iterdir() if path.is_file())
    found: dict[str, str] = {}
    for path in files:
        for original in entry.originals:
            # A single file that the user names may be called anything.
            alone = place.is_file() and len(entry.originals) == 1 and not path.name.endswith(_ARCHIVES)
            if alone or original.called(path.name):
                found[original.name] = _text(path.read_bytes())
        if path.name.endswith(_ARCHIVES):
            found |= _from_archive(path.read_bytes(), entry, str(path))
    return found if len(found) == len(entry.originals) else None


def download(entry: Entry) -> dict[str, str]:
    """Fetch the originals from their authors' addresses."""
    found: dict[str, str] = {}
    for original in entry.originals:
        content = _fetch(original.url)
        if original.url.endswith(_ARCHIVES):
            found |= _from_archive(content, entry, original.url)
        else:
            found[original.name] = _text(content)
    if len(found) < len(entry.originals):
        raise DataError(f"{entry.originals[0].url}: {entry.originals[0].name} is not in it")
    return found


def _fetch(url: str) -> bytes:
    from urllib.request import urlopen

    try:
        with urlopen(url, timeout=_SECONDS) as answer:  # noqa: S310  the catalogue's own https addresses
            content = bytes(answer.read(_MOST + 1))
    except (OSError, ValueError) as error:  # urllib's errors are OSErrors
        raise DataError(f"{url} cannot be fetched ({getattr(error, 'reason', None) or error})") from None
    if len(content) > _MOST:
        raise DataError(f"{url} is larger than {_MOST // 1_000_000} MB, so it is not the original")
    return content


def _from_archive(content: bytes, entry: Entry, where: str) -> dict[str, str]:
    """The originals in an archive, read in memory: no path in it is ever followed."""
    found = {}
    try:
        with tarfile.open(fileobj=io.BytesIO(content)) as archive:
            for member in archive:
                for original in entry.originals:
                    file = archive.extractfile(member) if original.called(Path(member.name).name) else None
                    if file is not None and member.size <= _MOST:
                        found[original.name] = _text(file.read())
    except (tarfile.TarError, OSError, EOFError) as error:
        raise DataError(f"{where}: this archive cannot be read ({error}); fetch it anew") from None
    return found


def _text(content: bytes) -> str:
    # Latin-1 reads any bytes; all that is kept of these files is ASCII.
    return content.decode("latin-1").replace("\r\n", "\n")
