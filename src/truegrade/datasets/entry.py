"""What is known about a named data set before it is here."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["Clean", "Entry", "Original", "Shape", "Tables"]


@dataclass(frozen=True)
class Tables:
    """Cleaned data: annotator, instance, maybe query, rating; and instance, gold."""

    ratings: pa.Table
    gold: pa.Table | None


Clean = Callable[[Mapping[str, str]], Tables]  # from the text of each original, by its name


@dataclass(frozen=True)
class Original:
    """A file as its authors publish it."""

    name: str
    url: str = ""  # where it, or an archive that holds it, can be fetched; empty where no address is known
    also: tuple[str, ...] = ()  # other names under which copies go around

    def called(self, name: str) -> bool:
        """Whether a file of this name is this original."""
        return name in (self.name, *self.also)


@dataclass(frozen=True)
class Shape:
    """The counts that cleaned data must have."""

    ratings: int
    annotators: int
    instances: int
    categories: int  # 0 = none
    gold: int  # instances with gold; 0 = none


@dataclass(frozen=True)
class Entry:
    """A data set by name."""

    name: str
    title: str
    scale: str  # the grades, low to high
    shape: Shape
    licence: str  # as its source states it
    citation: str
    clean: Clean  # for data in the package: called with no files
    home: str = ""  # a page about it
    originals: tuple[Original, ...] = ()  # empty: the data is in the package
    sha256: tuple[str, ...] = ()  # of ratings.csv and gold.csv, cleaned

    @property
    def built_in(self) -> bool:
        """Whether nothing has to be fetched."""
        return not self.originals
