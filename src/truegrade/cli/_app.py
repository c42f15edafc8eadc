"""The commands, put together."""

from __future__ import annotations

from typing import Annotated

import typer

from truegrade.cli.compare import compare
from truegrade.cli.convert import convert
from truegrade.cli.data import data
from truegrade.cli.demo import demo
from truegrade.cli.describe import describe
from truegrade.cli.evaluate import evaluate
from truegrade.cli.experiment import experiment
from truegrade.cli.fit import fit
from truegrade.cli.report import report
from truegrade.cli.reproduce import reproduce
from truegrade.cli.simulate import simulate

__all__ = ["app"]

app = typer.Typer(
    name="truegrade",
    help="Infer the true grade of things from many noisy graders.",
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    no_args_is_help=True,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _print_version(wanted: bool) -> None:
    if wanted:
        import truegrade

        typer.echo(f"truegrade {truegrade.__version__}")
        raise typer.Exit


@app.callback()
def _truegrade(
    version: Annotated[
        bool, typer.Option("--version", callback=_print_version, is_eager=True, help="Print the version.")
    ] = False,
) -> None:
    pass


for command in (fit, evaluate, describe, report, compare, convert, experiment, reproduce, simulate, demo):
    app.command()(command)
app.add_typer(data, name="data")
