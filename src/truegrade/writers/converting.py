"""From one format to another, and from a fit to what other tools take in."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from truegrade.errors import OptionError, RatingError
from truegrade.files import scratch_folder
from truegrade.readers.exports.answers import counted
from truegrade.writers.answer_table import AnswerTable
from truegrade.writers.argilla import ARGILLA, ARGILLA_1, ARGILLA_FLAT
from truegrade.writers.assignments import MTURK, TOLOKA
from truegrade.writers.label_studio import LABEL_STUDIO, LABEL_STUDIO_CSV, LABEL_STUDIO_MIN
from truegrade.writers.lines import CROWD_KIT, JUDGES, PEERANNOT, PRODIGY, RATER
from truegrade.writers.long import LONG, long_as
from truegrade.writers.matrices import CLEANLAB, KRIPPENDORFF, RATER_GROUPED, RATER_WIDE, SNORKEL
from truegrade.writers.truths import truths_for

if TYPE_CHECKING:
    from truegrade.fit import Fit
    from truegrade.roles import Roles
    from truegrade.writers.writer import Writer

__all__ = ["WRITERS", "Converted", "convert", "convert_fit", "convert_ratings"]

WRITERS: Mapping[str, Writer] = {
    writer.name: writer
    for writer in (
        LONG,
        LABEL_STUDIO,
        LABEL_STUDIO_MIN,
        LABEL_STUDIO_CSV,
        ARGILLA,
        ARGILLA_FLAT,
        ARGILLA_1,
        MTURK,
        TOLOKA,
        PRODIGY,
        PEERANNOT,
        JUDGES,
        CROWD_KIT,
        SNORKEL,
        CLEANLAB,
        KRIPPENDORFF,
        RATER,
        RATER_WIDE,
        RATER_GROUPED,
    )
}


@dataclass(frozen=True)
class Converted:
    """What was written, and what the new format has no place for."""

    rows: int
    format: str
    notes: tuple[str, ...]


def convert(
    source: str | os.PathLike[str] | Fit,
    output: str | os.PathLike[str],
    to: str = "",
    *,
    from_: str = "",
    question: str = "",
    original: str | os.PathLike[str] = "",
) -> Converted:
    """Write a file of ratings in another format, or a fit's truths in a form that a tool takes in.

    `to` is ``long`` (the ending of `output` says CSV, TSV, JSON lines or Parquet), ``label-studio``, ``argilla`` or
    another name that docs/reference/formats.md lists. `original` is the tool's own export, to put a fit's truths into.
    The result says how many rows were written, and what the new format has no place for.
    """
    from truegrade.fit import Fit

    if isinstance(source, Fit):
        return convert_fit(source, output, to, question=question, original=original)
    if Path(source).is_dir():
        return convert_fit(Fit.load(source), output, to, question=question, original=original)
    if original:
        raise OptionError("the tool's own export goes with a fit; leave it out, or give a fit")
    return convert_ratings(source, output, to, from_=from_, question=question)


def convert_ratings(
    source: str | os.PathLike[str],
    output: str | os.PathLike[str],
    to: str = "",
    *,
    roles: Roles | None = None,
    wide: bool = False,
    from_: str = "",
    question: str = "",
) -> Converted:
    """Write the ratings of a file in another format; "-" is standard input or output."""
    from truegrade.readers import read_columns

    writer = _writer(to or LONG.name, os.fspath(output))
    apart = writer.questions and question != "all"
    columns = read_columns(source, roles, wide=wide, from_=from_, question=question, apart=apart, with_gold=True)
    table = AnswerTable.of(columns)
    if "weight" in table.extra and not writer.extra:
        raise RatingError(
            f"{table.where}: its ratings have weights, which have no place in {writer.title}; repeat the rows instead"
        )
    _write(writer.write(table), output)
    return Converted(len(table), writer.name, (*columns.notes, *_lost(table, writer)))


def convert_fit(
    fit: Fit,
    output: str | os.PathLike[str],
    to: str,
    *,
    question: str = "",
    original: str | os.PathLike[str] = "",
) -> Converted:
    """Write the truths of a fit for another tool; `question` is what the tool calls the control or the question.

    `original` is the tool's export that the ratings came from: its records are written again, with the truths in them.
    """
    from truegrade.readers.choose import json_content
    from truegrade.readers.source import open_source

    content = json_content(open_source(original)) if original else None
    _write(truths_for(to, fit, question, content), output)
    return Converted(len(fit.instance_ids), to, ())


def _writer(name: str, output: str) -> Writer:
    if name not in WRITERS:
        raise OptionError(f"--to {name}: choose {', '.join(WRITERS)}")
    return long_as(output) if name == LONG.name else WRITERS[name]


def _lost(table: AnswerTable, writer: Writer) -> Iterator[str]:
    """What the new file does not say, in plain sentences."""
    if table.n_blank:
        yield f"{counted(table.n_blank, 'row')} without a rating: left out"
    if table.gold and not writer.gold:
        yield f"{counted(len(table.gold), 'known truth')} left out: {writer.title} has no place for that"
    if table.category is not None and not writer.category:
        yield f"the categories are left out: they have no place in {writer.title}"
    if "timestamp" in table.extra and not writer.extra:
        yield f"the timestamps are left out: they have no place in {writer.title}"
    if not writer.instances:
        yield f"the names of the instances are left out: they have no place in {writer.title}"
    if not writer.annotators:
        yield f"the names of the annotators are left out: they have no place in {writer.title}"


def _write(parts: Iterator[str | bytes], output: str | os.PathLike[str]) -> None:
    """The file whole or not at all."""
    if output == "-":
        for part in parts:
            sys.stdout.buffer.write(part.encode() if isinstance(part, str) else part)
        return
    path = Path(output)
    with scratch_folder(path.parent, path) as scratch:
        with (scratch / "whole").open("wb") as file:
            for part in parts:
                file.write(part.encode() if isinstance(part, str) else part)
        (scratch / "whole").replace(path)
