"""truegrade demo: the whole walk on simulated ratings, to see what one gets."""

from __future__ import annotations

import sys
from pathlib import Path
from shutil import which
from typing import Annotated

import typer

from truegrade.cli._options import Seed

__all__ = ["demo"]


def demo(
    output: Annotated[str, typer.Option("-o", "--output", metavar="DIR", help="Where to save.")] = "demo-output",
    seed: Seed = 0,
) -> None:
    """Simulate ratings with spammers among the annotators, fit them, and compare with the truth."""
    from truegrade.charts import save, truth_distribution
    from truegrade.cli._show import show_pairs
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
    show_fit(fit, "", json=False)
    found = evaluate(fit, drawn.gold())
    show_pairs(
        [("\nagainst the simulated truth", ""), ("mean squared error", found.mse), ("correlation", found.pearson)]
    )
    show_pairs(
        [
            ("\nratings", written[0]),
            ("truth table", directory / "fit" / "truth.csv"),
            ("annotators", directory / "fit" / "annotators.csv"),
            ("plot", chart),
            ("report", page),
            ("try next", f"{_called()} describe {written[0]}"),
        ]
    )


def _called() -> str:
    """The command as a shell finds it: by its name, or by the path that was typed."""
    return "truegrade" if which("truegrade") else sys.argv[0]
