"""truegrade simulate: ratings whose truth is known."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

import typer

from truegrade.cli._options import Json, Seed

__all__ = ["simulate"]


def simulate(
    output: Annotated[str, typer.Option("-o", "--output", metavar="DIR", help="Where to write the tables.")],
    instances: Annotated[int, typer.Option(min=1, help="How many things are rated.")] = 1000,
    annotators: Annotated[int, typer.Option(min=1, help="How many rate.")] = 50,
    categories: Annotated[int, typer.Option(min=1, help="Groups of instances.")] = 1,
    scale: Annotated[str, typer.Option(help="Grades from low to high.")] = "1..5",
    ratings_per_instance: Annotated[float, typer.Option(min=1, help="On average.")] = 4.0,
    spammers: Annotated[float, typer.Option(min=0, max=1, help="Share of annotators who rate at random.")] = 0.1,
    adversaries: Annotated[float, typer.Option(min=0, max=1, help="Share who turn the scale round.")] = 0.0,
    difficulty: Annotated[
        Literal["none", "category", "instance"], typer.Option(help="What has an ease of its own.")
    ] = "none",
    seed: Seed = 0,
    table_format: Annotated[Literal["csv", "parquet"], typer.Option("--format", help="Of the tables.")] = "csv",
    json: Json = False,
) -> None:
    """Draw ratings from the model: DIR gets ratings, gold and annotators."""
    from truegrade.cli._show import print_json, show_pairs
    from truegrade.scale import Scale
    from truegrade.simulation import simulate as draw
    from truegrade.tables import write_tables

    drawn = draw(
        instances=instances,
        annotators=annotators,
        categories=categories,
        scale=Scale.of(scale) if scale.strip().lower() != "real" else Scale.real(0, 1),
        ratings_per_instance=ratings_per_instance,
        spammers=spammers,
        adversaries=adversaries,
        difficulty=difficulty,
        seed=seed,
    )
    tables = {"ratings": drawn.rows(), "gold": drawn.gold(), "annotators": drawn.annotators()}
    paths = write_tables(tables, Path(output), table_format)
    record = {"ratings": drawn.ratings.n_ratings, "instances": instances, "annotators": annotators, "seed": seed}
    if json:
        print_json({**record, "files": [str(path) for path in paths]})
    else:
        show_pairs([*record.items(), ("written", ", ".join(str(path) for path in paths))])
