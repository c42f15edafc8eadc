"""truegrade demo: the whole walk on simulated ratings, to see what one gets."""

from __future__ import annotations

import sys
from pathlib import Path
from shutil import which
from typing import Annotated

import typer

from truegrade.cli._options import Json, Seed

__all__ = ["demo"]


def demo(
    output: Annotated[str, typer.Option("-o", "--output", metavar="DIR", help="Where to save.")] = "demo-output",
    seed: Seed = 0,
    json: Json = False,
) -> None:
    """Simulate ratings with spammers among the annotators, fit them, and compare with the truth."""
    from truegrade.charts import save, truth_distribution
    from truegrade.cli._show import print_json, show_pairs, show_title
    from truegrade.cli.fit import DEFAULT_MODEL, show_fit
    from truegrade.evaluation import evaluate
    from truegrade.files import write_whole
    from truegrade.models import make_model
    from truegrade.report.page import report
    from truegrade.simulation import simulate
    from truegrade.tables import write_tables

    directory = Path(output)
    drawn = simulate(instances=400, annotators=30, categories=20, ratings_per_instance=5, spammers=0.2, seed=seed)
    written = write_tables({"ratings": drawn.rows(), "gold": drawn.gold()}, directory, "csv")
    fit = make_model(DEFAULT_MODEL).fit(drawn.ratings)
    fit.save(directory / "fit")
    chart = directory / "truth.png"
    save(truth_distribution(fit), chart)
    page = directory / "report.html"
    write_whole(page, report(fit, drawn.ratings))
    found = evaluate(fit, drawn.gold())
    places = {
        "ratings": str(written[0]),
        "gold": str(written[1]),
        "truth": str(directory / "fit" / "truth.csv"),
        "annotators": str(directory / "fit" / "annotators.csv"),
        "plot": str(chart),
        "report": str(page),
    }
    if json:
        print_json({"mse": found.mse, "pearson": found.pearson, "files": places})
        return
    show_fit(fit, "", json=False)
    show_title("against the simulated truth")
    show_pairs([("mean squared error", found.mse), ("correlation", found.pearson)])
    show_title("files")
    show_pairs(list(places.items()))
    show_title("try next")
    show_pairs(
        [
            ("describe", f"{_called()} describe {written[0]}"),
            ("evaluate", f"{_called()} evaluate {directory}/fit {written[1]}"),
        ]
    )


def _called() -> str:
    """The command as a shell finds it: by its name, or by the path that was typed."""
    return "truegrade" if which("truegrade") else sys.argv[0]
