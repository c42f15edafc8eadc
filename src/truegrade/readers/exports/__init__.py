"""Exports of labelling tools: found by their content, or named by the user."""

from __future__ import annotations

from typing import TYPE_CHECKING

from truegrade.errors import FileError, OptionError
from truegrade.readers.exports.answers import Answers
from truegrade.readers.exports.argilla import ARGILLA, ARGILLA_1, ARGILLA_FLAT
from truegrade.readers.exports.judges import JUDGES
from truegrade.readers.exports.label_studio import LABEL_STUDIO
from truegrade.readers.exports.label_studio_flat import LABEL_STUDIO_FLAT
from truegrade.readers.exports.matrices import CLEANLAB, KRIPPENDORFF, SNORKEL
from truegrade.readers.exports.mturk import MTURK
from truegrade.readers.exports.peerannot import PEERANNOT
from truegrade.readers.exports.prodigy import PRODIGY
from truegrade.readers.exports.rater import RATER_GROUPED, RATER_WIDE
from truegrade.readers.exports.toloka import TOLOKA

if TYPE_CHECKING:
    from truegrade.columns import Columns
    from truegrade.readers.exports.export import Content, Export, Wanted

__all__ = ["EXPORTS", "PLAIN", "export_named", "find_export", "read_export"]

PLAIN = "plain"  # the name of --from for a plain table

# The first one that finds itself in the content reads it. Judges come last, for they take any array of objects.
EXPORTS: tuple[Export, ...] = (
    LABEL_STUDIO,
    LABEL_STUDIO_FLAT,
    ARGILLA,
    ARGILLA_1,
    ARGILLA_FLAT,
    MTURK,
    TOLOKA,
    PRODIGY,
    PEERANNOT,
    SNORKEL,
    CLEANLAB,
    KRIPPENDORFF,
    RATER_WIDE,
    RATER_GROUPED,
    JUDGES,
)


def export_named(name: str) -> Export:
    """The export that ``--from`` names."""
    for export in EXPORTS:
        if export.name == name:
            return export
    raise OptionError(f"--from {name}: choose {PLAIN}, {', '.join(export.name for export in EXPORTS)}")


def find_export(content: Content) -> Export | None:
    """The export that this is; None for a plain file."""
    return next((export for export in EXPORTS if not export.by_name_only and export.finds(content)), None)


def read_export(export: Export, content: Content, wanted: Wanted, *, apart: bool = False) -> Columns:
    """The answers in an export, by role; several questions as instances of their own, or `apart`."""
    if not export.finds(content) and not (export.also and export.also(content)):
        raise FileError(
            f"{content.where}: does not look like {export.title} (--from {export.name}); its "
            f"{'columns' if content.file else 'keys'} are {', '.join(content.names[:8]) or 'none'}; "
            "leave --from out, or name another"
        )
    for role in ("annotator", "instance", "rating", "category"):
        if getattr(wanted, role) and role not in export.fields:
            raise OptionError(
                f"{content.where}: --{role} has no use in {export.title}, where other fields say it; leave it out"
                + ("; --question NAME chooses what was asked" if role == "rating" else "")
            )
    answers = Answers(content.where, wanted.question, content.row)
    export.read(content, wanted, answers)
    return answers.columns(apart=apart)
