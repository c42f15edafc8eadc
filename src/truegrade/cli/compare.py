"""truegrade compare: every model on one data set."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from truegrade.cli._options import Json, RatingsOptions, Seed, takes_ratings
from truegrade.cli._work import Fresh, Gold, Models, OneList, Starts, Workers, shown_work

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["compare"]


@takes_ratings
def compare(
    *,
    ratings: Annotated[str, typer.Argument(metavar="RATINGS", help="A file of ratings, or - for stdin.")],
    gold: Gold,
    models: Models = "",
    starts: Starts = 10,
    seed: Seed = 0,
    one_list: OneList = False,
    output: Annotated[str, typer.Option("-o", "--output", metavar="DIR", help="Where to write table and figure.")] = "",
    workers: Workers = 0,
    fresh: Fresh = False,
    json: Json = False,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Print nothing but errors.")] = False,
    ratings_options: RatingsOptions,
) -> None:
    """Fit every model and measure it against gold: MSE, correlation, NDCG, log-loss, coverage, seconds."""
    from truegrade.cli._show import print_json, remark, show_pairs
    from truegrade.experiments import compare as compare_models
    from truegrade.gold import read_gold

    data = ratings_options.read(ratings)
    known = read_gold(gold, scale=data.scale)
    with shown_work(workers, fresh=fresh, quiet=quiet or json) as work:
        table = compare_models(data, known, models or None, starts=starts, seed=seed, one_list=one_list, work=work)
    paths = _write(table, Path(output)) if output else []
    if quiet:
        return
    remark(_notes(table))
    if json:
        print_json({"models": table.to_pylist(), "files": paths})
        return
    _show(table)
    if paths:
        show_pairs([("written", ", ".join(paths))])


def _notes(table: pa.Table) -> list[str]:
    """Why a model could not be fitted, and what a fit says beyond what all of them say of the ratings."""
    from truegrade.experiments.comparison import NOTES_APART

    rows = table.to_pylist()
    told = {row["model"]: (row["notes"] or "").split(NOTES_APART) for row in rows if not row["reason"]}
    common = set.intersection(*map(set, told.values())) if len(told) > 1 else set()
    notes = [f"{row['model']}: {row['reason']}" for row in rows if row["reason"]]
    return notes + [
        f"{model}: {note}" for model, texts in told.items() for note in texts if note and note not in common
    ]


def _show(table: pa.Table) -> None:
    import pyarrow as pa

    from truegrade.cli._show import show_table
    from truegrade.experiments.measures import MEASURES
    from truegrade.report.comparison_text import cell

    rows = [
        {
            "model": row["model"],
            **{measure.title: cell(row, name, "*{}", "≈{}", with_interval=False) for name, measure in MEASURES.items()},
            "seconds": row["seconds"],
        }
        for row in table.to_pylist()
    ]
    show_table(pa.Table.from_pylist(rows), "* the best, ≈ not told from the best by this gold", rows=len(rows))


def _write(table: pa.Table, directory: Path) -> list[str]:
    from truegrade.charts import comparison, save
    from truegrade.files import write_whole
    from truegrade.report.comparison_text import latex, markdown
    from truegrade.tables import write_tables

    paths = write_tables({"comparison": table}, directory, "csv")
    for name, text in (("comparison.md", markdown(table)), ("comparison.tex", latex(table))):
        write_whole(directory / name, text)
        paths.append(directory / name)
    figure = directory / "comparison.png"
    save(comparison(table), figure)
    return [str(path) for path in (*paths, figure)]
