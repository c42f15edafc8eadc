"""What the commands that fit many models share: how many at once, what is kept, and how far they are."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Annotated, Any

import typer

from truegrade.cli._complete import list_of_models

if TYPE_CHECKING:
    from truegrade.experiments import Work

__all__ = ["Fresh", "Gold", "Models", "OneList", "Starts", "Workers", "shown_work"]

Gold = Annotated[str, typer.Argument(metavar="GOLD", help="A file of instances and their gold grades.")]
Models = Annotated[
    str,
    typer.Option(
        help="Names with options, as in mean,ordinal-mixture:difficulty=category; by default every model.",
        autocompletion=list_of_models,
    ),
]
Starts = Annotated[int, typer.Option(min=1, help="Of the models that have several; the best bound wins.")]
OneList = Annotated[bool, typer.Option("--one-list", help="NDCG over all instances as one list.")]
Workers = Annotated[int, typer.Option(min=0, help="How many models to fit at the same time; 0 = one per core.")]
Fresh = Annotated[bool, typer.Option("--fresh", help="Fit anew what an earlier run finished.")]


@contextmanager
def shown_work(workers: int, *, fresh: bool, quiet: bool) -> Iterator[Work]:
    """How to go about it, with a bar on a terminal; an interrupted run says that it can go on."""
    from truegrade.cli._show import remark
    from truegrade.experiments import Work
    from truegrade.experiments.kept import default_folder
    from truegrade.threads import default_threads

    folder = default_folder()

    def begun(trials: int, found: int) -> None:
        if found and not quiet:
            remark([f"{found} of {trials} fits were finished before (in {folder}); --fresh does them again"])

    with _bar(wanted=not quiet) as told:
        try:
            yield Work(workers or default_threads(), folder, fresh, begun, told)
        except KeyboardInterrupt:
            remark([f"what was finished is kept in {folder}; the same command goes on from there"])
            raise


@contextmanager
def _bar(*, wanted: bool) -> Iterator[Any]:
    """A function to call with work done, work in all, and a name; nothing in a pipe."""
    if not wanted or not sys.stderr.isatty():
        yield None
        return
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn

    columns = (
        BarColumn(),
        TextColumn("{task.percentage:>3.0f} %"),
        TimeElapsedColumn(),
        TextColumn("left"),
        TimeRemainingColumn(),
        TextColumn("{task.description}", markup=False),
    )
    # The speed is that of the whole run so far: trials differ too much for that of the last few to mean anything.
    with Progress(*columns, console=Console(stderr=True), transient=True, speed_estimate_period=1e9) as bar:
        task = bar.add_task("", total=None)

        def told(done: float, whole: float, name: str) -> None:
            bar.update(task, completed=done, total=whole, description=name)

        yield told
