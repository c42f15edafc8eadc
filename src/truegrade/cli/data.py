"""truegrade data: named public data sets."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from truegrade.cli._complete import data_names
from truegrade.cli._options import Json, Source

if TYPE_CHECKING:
    from truegrade.datasets.entry import Entry

__all__ = ["data"]

data = typer.Typer(help="Named public data: list it, get it.", no_args_is_help=True)


@data.command("list")
def list_(json: Json = False) -> None:
    """What there is, how large, under which licence, and whether it is on this machine."""
    import pyarrow as pa

    from truegrade.cli._show import print_json, show_table
    from truegrade.datasets import CATALOGUE

    rows = [{**_summary(entry), "here": _is_here(entry)} for entry in CATALOGUE.values()]
    if json:
        print_json({"data": rows})
        return
    shown = ("name", "ratings", "annotators", "instances", "categories", "gold", "scale", "here", "licence")
    show_table(pa.Table.from_pylist([{key: row[key] for key in shown} for row in rows]), "data", rows=len(rows))


@data.command()
def get(
    name: Annotated[
        str, typer.Argument(metavar="NAME", help="As `truegrade data list` shows it.", autocompletion=data_names)
    ],
    source: Source = "",
    output: Annotated[
        str, typer.Option("-o", "--output", metavar="DIR", help="Put the files here too; else only into the cache.")
    ] = "",
    json: Json = False,
) -> None:
    """Fetch, clean, check and keep a data set; prints where its files are."""
    from truegrade.cli._show import print_json, show_pairs
    from truegrade.datasets.catalogue import find
    from truegrade.datasets.loading import obtain
    from truegrade.datasets.storage import cache_folder, store

    entry = find(name)
    tables = obtain(entry, source or None)
    kept = store(tables, entry, cache_folder(entry))
    paths = [str(path) for path in (store(tables, entry, Path(output)) if output else kept)]
    if json:
        print_json({**_summary(entry), "files": paths})
    else:
        show_pairs([*_summary(entry).items(), ("files", ", ".join(paths))])


def _summary(entry: Entry) -> dict[str, str | int]:
    shape = entry.shape
    return {
        "name": entry.name,
        "title": entry.title,
        "scale": entry.scale,
        "ratings": shape.ratings,
        "annotators": shape.annotators,
        "instances": shape.instances,
        "categories": shape.categories,
        "gold": shape.gold,
        "licence": entry.licence,
        "citation": entry.citation,
        "home": entry.home,
    }


def _is_here(entry: Entry) -> str:
    import os

    from truegrade.datasets.loading import VARIABLE
    from truegrade.datasets.storage import cache_folder, paths_in

    if entry.built_in:
        return "in the package"
    if all(path.is_file() for path in paths_in(cache_folder(entry), entry)):
        return "in the cache"
    folder = os.environ.get(VARIABLE)
    if folder and any(p.name.replace("_", "-") == entry.name for p in Path(folder).glob("*")):
        return f"in {VARIABLE}"
    return "to be fetched"
