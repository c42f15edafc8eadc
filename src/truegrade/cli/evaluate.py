"""truegrade evaluate: a truth table against gold."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from truegrade.cli._options import Json

if TYPE_CHECKING:
    from truegrade.scale import Scale

__all__ = ["evaluate"]


def evaluate(
    truth: Annotated[str, typer.Argument(metavar="TRUTH", help="A truth table, or the directory of a fit.")],
    gold: Annotated[str, typer.Argument(metavar="GOLD", help="A file of instances and their gold grades.")],
    scale: Annotated[str, typer.Option(help="Grades from low to high, where the truth table does not tell.")] = "",
    instance: Annotated[str, typer.Option(metavar="COLUMN", help="The gold file's column of instances.")] = "",
    gold_column: Annotated[str, typer.Option(metavar="COLUMN", help="The gold file's column of grades.")] = "",
    one_list: Annotated[bool, typer.Option("--one-list", help="NDCG over all instances as one list.")] = False,
    cutoff: Annotated[int, typer.Option(min=0, help="NDCG of so many first ranks; 0 = all.")] = 0,
    json: Json = False,
) -> None:
    """Measure how close a truth table comes to gold."""
    from truegrade.cli._show import print_json, remark, show_pairs
    from truegrade.evaluation import evaluate as evaluate_truth
    from truegrade.gold import read_gold
    from truegrade.scale import Scale

    table, known = _truth(truth)
    grades = Scale.of(scale) if scale else known
    found = evaluate_truth(
        table,
        read_gold(gold, scale=grades, instance=instance, gold=gold_column),
        scale=grades,
        one_list=one_list,
        cutoff=cutoff or None,
    )
    remark(found.notes)
    if json:
        print_json(found.to_json())
    else:
        show_pairs(list(found.to_json().items()))


def _truth(source: str) -> tuple[Any, Scale | None]:
    """The truth table, and its scale where a fit.json stands beside it."""
    from truegrade.fit import Fit
    from truegrade.fit_files import saved_scale
    from truegrade.readers import read_table

    path = Path(source)
    if path.is_dir():
        fit = Fit.load(path)
        return fit.truth_table(), fit.scale
    table = read_table(source)
    if path.name.startswith("truth.") and (path.parent / "fit.json").exists():
        return table, saved_scale(path.parent)
    return table, None
