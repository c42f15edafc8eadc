"""Options that several commands share: written once, added to each command's signature."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Annotated, Any, Literal, get_type_hints

import typer

from truegrade.cli._complete import export_names

if TYPE_CHECKING:
    from truegrade.engines.disk_ratings import DiskRatings
    from truegrade.engines.streaming import RowsRead
    from truegrade.ratings import Ratings

__all__ = ["FormatOptions", "Json", "RatingsOptions", "Seed", "Source", "takes_ratings"]

Json = Annotated[bool, typer.Option("--json", help="Print JSON for machines.")]
Seed = Annotated[int, typer.Option(min=0, help="Fixes every random draw.")]
Source = Annotated[
    str, typer.Option("--from", metavar="PLACE", help="A file or folder that holds the data; else TRUEGRADE_DATA.")
]


@dataclass(frozen=True)
class FormatOptions:
    """Where the ratings stand in a file."""

    from_: Annotated[
        str,
        typer.Option(
            "--from",
            metavar="NAME",
            help="The tool that wrote the file, such as label-studio; or plain.",
            autocompletion=export_names,
        ),
    ] = ""
    question: Annotated[str, typer.Option(metavar="NAME", help="Of an export with several questions: one, or all.")] = (
        ""
    )
    annotator: Annotated[str, typer.Option(metavar="COLUMN", help="Who rates.")] = ""
    instance: Annotated[str, typer.Option(metavar="COLUMN", help="What is rated.")] = ""
    rating: Annotated[str, typer.Option(metavar="COLUMN", help="The grade given.")] = ""
    category: Annotated[str, typer.Option(metavar="COLUMN", help="Group of instances, such as a query.")] = ""
    weight: Annotated[str, typer.Option(metavar="COLUMN", help="How many ratings a row stands for.")] = ""
    timestamp: Annotated[str, typer.Option(metavar="COLUMN", help="When the rating was given.")] = ""
    wide: Annotated[bool, typer.Option("--wide", help="One column per annotator, one row per instance.")] = False

    def roles(self) -> dict[str, str]:
        """The column of each role, where one is named."""
        named = ("annotator", "instance", "rating", "category", "weight", "timestamp")
        return {role: getattr(self, role) for role in named}


@dataclass(frozen=True)
class RatingsOptions(FormatOptions):
    """How to read a file of ratings."""

    scale: Annotated[str, typer.Option(help="Grades from low to high: 1..5, or a,b,c, or real.")] = ""
    drop_values: Annotated[str, typer.Option(help="Codes that are no grades, such as -2,NA.")] = ""
    missing: Annotated[Literal["error", "drop"], typer.Option(help="What to do with rows without a rating.")] = "error"
    duplicates: Annotated[
        Literal["keep", "first", "last", "error"],
        typer.Option(help="Which of an annotator's ratings of one instance to use."),
    ] = "keep"

    def read(self, source: str) -> Ratings:
        """Read the file as these options say."""
        from truegrade.readers import read

        return read(
            source,
            from_=self.from_,
            question=self.question,
            **(self.roles() | self._rules()),
            wide=self.wide,
        )

    def stream(self, source: str, memory: str, scratch: str, progress: RowsRead | None) -> DiskRatings:
        """Put the files on scratch as these options say."""
        from truegrade.engines.streaming import stream

        options = self.for_parts("--memory")
        return stream(source, memory=memory, scratch=scratch, **options, wide=self.wide, progress=progress)

    def for_parts(self, flag: str) -> dict[str, Any]:
        """The columns and rules for readers that see the ratings part by part, as `flag` asks them to."""
        from truegrade.errors import OptionError

        for option, given in (("--from", self.from_ not in {"", "plain"}), ("--question", self.question)):
            if given:
                raise OptionError(f"{option} is for exports, which cannot be streamed; leave out {flag}")
        if self.timestamp:
            raise OptionError("--timestamp is for the report, which needs all ratings in memory; leave it out")
        return {role: name for role, name in self.roles().items() if role != "timestamp"} | self._rules()

    def _rules(self) -> dict[str, Any]:
        return {
            "scale": self.scale or None,
            "drop_values": [value.strip() for value in self.drop_values.split(",")] if self.drop_values else (),
            "missing": self.missing,
            "duplicates": self.duplicates,
        }


def takes_ratings(command: Callable[..., Any]) -> Callable[..., Any]:
    """Give a command all of RatingsOptions, or of the class it names; it receives them as `ratings_options`.

    Where the command has an option of the same name for something else, the column's gets "_column" behind it.
    """
    own_hints = get_type_hints(command, include_extras=True)
    options_class = own_hints["ratings_options"]
    hints = get_type_hints(options_class, include_extras=True)
    own = [p for p in inspect.signature(command).parameters.values() if p.name != "ratings_options"]
    taken = {p.name for p in own}
    flag_of = {f.name: f"{f.name}_column" if f.name in taken else f.name for f in fields(options_class)}

    @functools.wraps(command)
    def wrapper(**arguments: Any) -> Any:
        options = options_class(**{name: arguments.pop(flag) for name, flag in flag_of.items()})
        return command(**arguments, ratings_options=options)

    added = [
        inspect.Parameter(flag_of[f.name], inspect.Parameter.KEYWORD_ONLY, default=f.default, annotation=hints[f.name])
        for f in fields(options_class)
    ]
    parameters = [p.replace(kind=inspect.Parameter.KEYWORD_ONLY, annotation=own_hints[p.name]) for p in own] + added
    wrapper.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    wrapper.__annotations__ = {p.name: p.annotation for p in parameters}
    return wrapper
