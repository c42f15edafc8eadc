"""From a name to ratings and gold: the package, a local folder, the cache, or the network, in this order."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from truegrade.datasets.catalogue import find
from truegrade.datasets.originals import download, in_folder
from truegrade.datasets.storage import cache_folder, check, read_cleaned, store
from truegrade.errors import DataError

if TYPE_CHECKING:
    from truegrade.datasets.entry import Entry, Tables
    from truegrade.gold import Gold
    from truegrade.ratings import Ratings

__all__ = ["VARIABLE", "Dataset", "load", "obtain"]

VARIABLE = "TRUEGRADE_DATA"


@dataclass(frozen=True)
class Dataset:
    """Ratings, and gold where there is some."""

    entry: Entry
    ratings: Ratings
    gold: Gold | None

    @property
    def name(self) -> str:
        """What the catalogue calls it."""
        return self.entry.name


def load(name: str, source: str | os.PathLike[str] | None = None) -> Dataset:
    """A data set by name.

    source: a file, an archive or a folder that holds it; by default the folder that TRUEGRADE_DATA names, then the
    cache, then its authors' address.

    >>> load("anesthesia").ratings
    Ratings(315 ratings of 45 instances by 5 annotators on 1..4)
    """
    from truegrade.gold import Gold
    from truegrade.ratings import Ratings

    entry = find(name)
    tables = obtain(entry, source)
    ratings = Ratings.from_frame(tables.ratings, scale=entry.scale)
    gold = None if tables.gold is None else Gold.from_frame(tables.gold, where=f"the gold of {name}")
    shape = entry.shape
    found = (ratings.n_ratings, ratings.n_annotators, ratings.n_instances, ratings.n_categories, len(gold or ()))
    if found != (shape.ratings, shape.annotators, shape.instances, shape.categories, shape.gold):
        raise DataError(f"{name}: its counts are {found}, not {shape}")
    return Dataset(entry, ratings, gold)


def obtain(entry: Entry, source: str | os.PathLike[str] | None = None) -> Tables:
    """The cleaned and checked tables of a data set."""
    if entry.built_in:
        return entry.clean({})
    if source is not None:
        found = _local(Path(source), entry)
        if found is None:
            raise DataError(f"{source}: {entry.name} is not here; looked for {_wanted(entry)}")
        return found
    variable = os.environ.get(VARIABLE)
    found = (_local(Path(variable), entry) if variable else None) or read_cleaned(cache_folder(entry), entry)
    return found or _fetched(entry)


def _local(place: Path, entry: Entry) -> Tables | None:
    """Cleaned tables or originals at a place, or in a folder there that is called like the data set."""
    if not place.exists():
        raise DataError(f"{place}: no such file or folder; name one that holds {_wanted(entry)}")
    places = [place]
    if place.is_dir():
        places += [
            path for path in sorted(place.iterdir()) if path.is_dir() and _plain(path.name) == _plain(entry.name)
        ]
    for where in places:
        tables = read_cleaned(where, entry) if where.is_dir() else None
        if tables is not None:
            return tables
        originals = in_folder(where, entry)
        if originals is not None:
            tables = entry.clean(originals)
            check(tables, entry, str(where))
            return tables
    return None


def _fetched(entry: Entry) -> Tables:
    try:
        tables = entry.clean(download(entry))
        check(tables, entry, entry.originals[0].url)
    except DataError as error:
        raise DataError(
            f"{entry.name}: {error}; get {_wanted(entry)} from {entry.home} by hand, then pass --from FOLDER or set "
            f"{VARIABLE}=FOLDER"
        ) from None
    store(tables, entry, cache_folder(entry))
    return tables


def _wanted(entry: Entry) -> str:
    return " and ".join(original.name for original in entry.originals)


def _plain(name: str) -> str:
    return name.lower().replace("_", "-")
