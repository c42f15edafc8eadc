"""truegrade reproduce: section 4 of the paper, whole."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from truegrade.cli._options import Json, Source
from truegrade.cli._work import Fresh, Workers, shown_work

__all__ = ["reproduce"]


def reproduce(
    output: Annotated[
        str, typer.Option("-o", "--output", metavar="DIR", help="Where to write tables, figures and README.md.")
    ] = "reproduction",
    quick: Annotated[bool, typer.Option("--quick", help="Few numbers of fakes, drawn once.")] = False,
    source: Source = "",
    workers: Workers = 0,
    fresh: Fresh = False,
    json: Json = False,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Print nothing but errors.")] = False,
) -> None:
    """Table 1, the spam figure and the ablation of the paper, on the data that is here."""
    from truegrade.cli._show import print_json, remark, show_pairs
    from truegrade.errors import DataError
    from truegrade.experiments.reproduction import FULL, QUICK
    from truegrade.experiments.reproduction import reproduce as run_again
    from truegrade.report.reproduction_files import write_reproduction

    if source and not Path(source).exists():
        raise DataError(f"{source}: no such file or folder")
    with shown_work(workers, fresh=fresh, quiet=quiet or json) as work:
        found = run_again(QUICK if quick else FULL, source or None, work)
    paths = [str(path) for path in write_reproduction(found, Path(output))]
    if quiet:
        return
    if json:
        print_json({"files": paths, "not_available": dict(found.absent)})
        return
    remark(f"not available: {reason}" for reason in found.absent.values())
    show_pairs([("tables", ", ".join(paths[:3])), ("read", paths[-1])])
