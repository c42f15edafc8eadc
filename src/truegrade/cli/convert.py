"""truegrade convert: ratings, or the truths of a fit, in the format of another tool."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from truegrade.cli._complete import writer_names
from truegrade.cli._options import FormatOptions, Json, takes_ratings

__all__ = ["convert"]


@takes_ratings
def convert(
    *,
    source: Annotated[str, typer.Argument(metavar="IN", help="A file of ratings, - for stdin, or a saved fit.")],
    output: Annotated[str, typer.Argument(metavar="OUT", help="The file to write, or - for stdout.")],
    to: Annotated[
        str,
        typer.Option(
            metavar="NAME",
            help="The format to write: long (the ending says which), label-studio, ...",
            autocompletion=writer_names,
        ),
    ] = "",
    original: Annotated[
        str, typer.Option("--with", metavar="FILE", help="With a fit: the tool's export to put the truths into.")
    ] = "",
    json: Json = False,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Print nothing but errors.")] = False,
    ratings_options: FormatOptions,
) -> None:
    """Write ratings in the format of another tool, or the truths of a saved fit in a form that it takes in."""
    from truegrade.cli._show import print_json, remark, show_pairs
    from truegrade.errors import OptionError
    from truegrade.roles import Roles
    from truegrade.writers.converting import convert_fit, convert_ratings

    given = ratings_options
    if Path(source).is_dir():
        from truegrade.fit import Fit

        done = convert_fit(Fit.load(source), output, to, question=given.question, original=original)
        what = "truths"
    else:
        if original:
            raise OptionError("--with goes with a saved fit; leave it out, or give the folder of one")
        done = convert_ratings(
            source,
            output,
            to,
            roles=Roles(**given.roles()),
            wide=given.wide,
            from_=given.from_,
            question=given.question,
        )
        what = "ratings"
    if not quiet:
        remark(done.notes)
    if json:
        print_json({"rows": done.rows, "format": done.format, "notes": list(done.notes), "output": output})
    elif output != "-" and not quiet:
        show_pairs([(what, done.rows), ("format", done.format), ("written", output)])
