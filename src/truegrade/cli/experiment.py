"""truegrade experiment: models under fake ratings."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from truegrade.cli._options import Json, RatingsOptions, Seed, takes_ratings
from truegrade.cli._work import Fresh, Gold, Models, OneList, Starts, Workers, shown_work

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["experiment"]


@takes_ratings
def experiment(
    *,
    which: Annotated[
        Literal["spam", "ablation"],
        typer.Argument(metavar="spam|ablation", help="Every model, or the parts of the ordinal mixture."),
    ],
    ratings: Annotated[str, typer.Argument(metavar="RATINGS", help="A file of ratings, or - for stdin.")],
    gold: Gold,
    models: Models = "",
    fakes: Annotated[str, typer.Option(help="Fake ratings per instance: 0..9, or 0,3,9.")] = "0..9",
    seeds: Annotated[int, typer.Option(min=1, help="How often to draw the fakes.")] = 3,
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
    """Models with 0 to 9 fake ratings on every instance (sections 4.5 and 4.6 of the paper)."""
    from truegrade.cli._show import print_json, remark, show_pairs, show_table
    from truegrade.errors import OptionError
    from truegrade.experiments import ablation_sweep, spam_sweep
    from truegrade.experiments.sweep import means
    from truegrade.gold import read_gold

    if models and which == "ablation":
        raise OptionError("the ablation has models of its own; leave out --models")
    counts = _numbers(fakes)
    data = ratings_options.read(ratings)
    known = read_gold(gold, scale=data.scale)
    with shown_work(workers, fresh=fresh, quiet=quiet or json) as work:
        how: dict[str, Any] = {
            "fakes": counts,
            "seeds": range(seeds),
            "starts": starts,
            "seed": seed,
            "one_list": one_list,
            "work": work,
        }
        if which == "spam":
            table = spam_sweep(data, known, models or None, **how)
        else:
            table = ablation_sweep(data, known, **how)
    paths = _write(table, which, Path(output)) if output else []
    if quiet:
        return
    remark(sorted({f"{row['model']}: {row['reason']}" for row in table.to_pylist() if row["reason"]}))
    if json:
        print_json({"rows": table.to_pylist(), "files": paths})
        return
    summary = means(table)
    show_table(summary, "means over the seeds", rows=len(summary))
    if paths:
        show_pairs([("written", ", ".join(paths))])


def _numbers(text: str) -> list[int]:
    """0..9, or 0,3,9."""
    from truegrade.errors import OptionError

    first, dots, last = text.partition("..")
    try:
        return list(range(int(first), int(last) + 1)) if dots else [int(part) for part in text.split(",")]
    except ValueError:
        raise OptionError(f"--fakes {text}: write whole numbers, as in 0..9 or 0,3,9") from None


def _write(table: pa.Table, which: str, directory: Path) -> list[str]:
    from truegrade.charts import ablation, save, spam_curve
    from truegrade.tables import write_tables

    (path,) = write_tables({which: table}, directory, "csv")
    figure = directory / f"{which}.png"
    save((spam_curve if which == "spam" else ablation)(table), figure)
    return [str(path), str(figure)]
