"""truegrade experiment: models under fake ratings."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from truegrade.cli._options import Json, RatingsOptions, Seed, takes_ratings
from truegrade.cli._work import Fresh, Gold, Models, OneList, Starts, Workers, shown_work
from truegrade.errors import OptionError

if TYPE_CHECKING:
    from collections.abc import Callable

    import pyarrow as pa

__all__ = ["experiment"]

experiment = typer.Typer(help="What fake ratings do to models.", no_args_is_help=True)

_Ratings = Annotated[str, typer.Argument(metavar="RATINGS", help="A file of ratings, or - for stdin.")]
_Fakes = Annotated[str, typer.Option(help="Fake ratings per instance: 0..9, or 0,3,9.")]
_Seeds = Annotated[int, typer.Option(min=1, help="How often to draw the fakes.")]
_Output = Annotated[str, typer.Option("-o", "--output", metavar="DIR", help="Where to write table and figure.")]
_Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="Print nothing but errors.")]


@experiment.command()
@takes_ratings
def spam(
    *,
    ratings: _Ratings,
    gold: Gold,
    models: Models = "",
    fakes: _Fakes = "0..9",
    seeds: _Seeds = 3,
    starts: Starts = 10,
    seed: Seed = 0,
    one_list: OneList = False,
    output: _Output = "",
    workers: Workers = 0,
    fresh: Fresh = False,
    json: Json = False,
    quiet: _Quiet = False,
    ratings_options: RatingsOptions,
) -> None:
    """Every model with 0 to 9 fake ratings on every instance (section 4.5 of the paper)."""
    from truegrade.charts import spam_curve
    from truegrade.experiments import spam_sweep
    from truegrade.gold import read_gold

    data = ratings_options.read(ratings)
    known = read_gold(gold, scale=data.scale)
    with shown_work(workers, fresh=fresh, quiet=quiet or json) as work:
        table = spam_sweep(
            data,
            known,
            models or None,
            fakes=_numbers(fakes),
            seeds=range(seeds),
            starts=starts,
            seed=seed,
            one_list=one_list,
            work=work,
        )
    _finish(table, "spam", spam_curve, output, json=json, quiet=quiet)


@experiment.command()
@takes_ratings
def ablation(
    *,
    ratings: _Ratings,
    gold: Gold,
    fakes: _Fakes = "0..9",
    seeds: _Seeds = 3,
    starts: Starts = 10,
    seed: Seed = 0,
    one_list: OneList = False,
    output: _Output = "",
    workers: Workers = 0,
    fresh: Fresh = False,
    json: Json = False,
    quiet: _Quiet = False,
    ratings_options: RatingsOptions,
) -> None:
    """The ordinal mixture with and without its link and its spam component (section 4.6 of the paper)."""
    from truegrade.charts import ablation as ablation_figure
    from truegrade.experiments import ablation_sweep
    from truegrade.gold import read_gold

    data = ratings_options.read(ratings)
    known = read_gold(gold, scale=data.scale)
    with shown_work(workers, fresh=fresh, quiet=quiet or json) as work:
        table = ablation_sweep(
            data,
            known,
            fakes=_numbers(fakes),
            seeds=range(seeds),
            starts=starts,
            seed=seed,
            one_list=one_list,
            work=work,
        )
    _finish(table, "ablation", ablation_figure, output, json=json, quiet=quiet)


def _numbers(text: str) -> list[int]:
    """0..9, or 0,3,9."""
    first, dots, last = text.partition("..")
    try:
        return list(range(int(first), int(last) + 1)) if dots else [int(part) for part in text.split(",")]
    except ValueError:
        raise OptionError(f"--fakes {text}: write whole numbers, as in 0..9 or 0,3,9") from None


def _finish(table: pa.Table, name: str, figure: Callable[[Any], Any], output: str, *, json: bool, quiet: bool) -> None:
    """Write table and figure, and show the means over the seeds."""
    from truegrade.charts import save
    from truegrade.cli._show import print_json, remark, show_pairs, show_table
    from truegrade.experiments.sweep import means
    from truegrade.tables import write_tables

    paths = []
    if output:
        paths = write_tables({name: table}, Path(output), "csv")
        paths.append(Path(output) / f"{name}.png")
        save(figure(table), paths[-1])
    if quiet:
        return
    remark(sorted({f"{row['model']}: {row['reason']}" for row in table.to_pylist() if row["reason"]}))
    if json:
        print_json({"rows": table.to_pylist(), "files": [str(path) for path in paths]})
        return
    summary = means(table)
    show_table(summary, "means over the seeds", rows=len(summary))
    if paths:
        show_pairs([("written", ", ".join(map(str, paths)))])
