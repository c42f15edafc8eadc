"""truegrade report: a page for those who would rather look than read tables."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from truegrade.cli._complete import model_names
from truegrade.cli._options import Json, RatingsOptions, Seed, takes_ratings

if TYPE_CHECKING:
    from truegrade.fit import Fit
    from truegrade.gold import Gold
    from truegrade.ratings import Ratings

__all__ = ["report"]


@takes_ratings
def report(
    *,
    source: Annotated[str, typer.Argument(metavar="FIT_OR_RATINGS", help="A saved fit, or a file of ratings.")],
    output: Annotated[str, typer.Option("-o", "--output", metavar="FILE", help="The page to write.")] = "",
    ratings: Annotated[str, typer.Option(metavar="FILE", help="With a saved fit: the ratings it was made from.")] = "",
    model: Annotated[str, typer.Option(help="With ratings: the model to fit.", autocompletion=model_names)] = "",
    gold: Annotated[str, typer.Option(metavar="FILE", help="Known truths to check the fit against.")] = "",
    against: Annotated[str, typer.Option(metavar="DIR", help="Another saved fit to compare with.")] = "",
    annotator: Annotated[
        str, typer.Option(metavar="ID", help="Feedback for one annotator; 'all' writes a CSV with a row for each.")
    ] = "",
    seed: Seed = 0,
    json: Json = False,
    ratings_options: RatingsOptions,
) -> None:
    """Write a page on the truth, the annotators and the model: one HTML file that needs no network."""
    from truegrade.cli._show import print_json
    from truegrade.errors import OptionError
    from truegrade.files import write_whole
    from truegrade.report.feedback import feedback_page, feedback_table
    from truegrade.report.page import report as page_of
    from truegrade.report.two_fits import compare_fits
    from truegrade.tables import csv_text

    if against and (annotator or gold):
        other = "--annotator" if annotator else "--gold"
        raise OptionError(f"--against compares two fits and has no use for {other}; leave one of them out")
    fit, data = _fit_and_ratings(source, ratings, model, seed, ratings_options)
    known = _gold(gold, fit) or (data.known if data else None)
    target: str
    content: str | bytes
    if annotator == "all":
        target, content = output or "feedback.csv", csv_text(feedback_table(fit, data))
    elif annotator:
        target, content = output or f"feedback-{_file_name(annotator)}.html", feedback_page(fit, data, annotator)
    elif against:
        from truegrade.fit import Fit

        target, content = output or "comparison.html", compare_fits(fit, Fit.load(against))
    else:
        target, content = output or "report.html", page_of(fit, data, known)
    write_whole(Path(target), content)
    if json:
        print_json({"model": fit.model, "status": str(fit.status), "output": target})
    else:
        typer.echo(target)


def _fit_and_ratings(
    source: str, ratings: str, model: str, seed: int, options: RatingsOptions
) -> tuple[Fit, Ratings | None]:
    """A saved fit with the ratings that are named beside it, or a file of ratings and a fit of it."""
    from truegrade.cli.fit import DEFAULT_MODEL, make_estimator
    from truegrade.errors import OptionError
    from truegrade.fit import Fit

    if not Path(source).is_dir():
        if ratings:
            raise OptionError(f"--ratings goes with a saved fit, and {source} is not one; pass one file of ratings")
        data = options.read(source)
        return make_estimator(model or DEFAULT_MODEL, [], seed).fit(data), data
    if model:
        raise OptionError(f"--model goes with a file of ratings, and {source} is a saved fit; leave it out")
    fit = Fit.load(source)
    if not ratings:
        return fit, None
    scale = options.scale or ("real" if fit.scale.is_real else str(fit.scale))
    return fit, replace(options, scale=scale).read(ratings)


def _file_name(annotator: str) -> str:
    """An id as part of a file's name: it may hold slashes, and lead out of this folder."""
    return re.sub(r"[^\w.-]", "_", annotator)[:60]


def _gold(path: str, fit: Fit) -> Gold | None:
    from truegrade.gold import read_gold

    return read_gold(path, scale=fit.scale) if path else None
