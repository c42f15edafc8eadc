"""One class per situation a user can be in. Every message says what, where, what was found and what to do."""

from __future__ import annotations

__all__ = [
    "CheckpointError",
    "ClusterError",
    "ColumnError",
    "DataError",
    "ExperimentError",
    "FileError",
    "FitError",
    "GoldError",
    "IdError",
    "OptionError",
    "OutputError",
    "RatingError",
    "ScaleError",
    "TruegradeError",
    "TruegradeWarning",
]


class TruegradeError(Exception):
    """Something that the user can mend. The command line prints the message alone and exits with 2."""


class FileError(TruegradeError):
    """A file cannot be read: absent, empty, not a known format, broken, not UTF-8."""


class ColumnError(TruegradeError):
    """A column is missing, or two columns could fill one role."""


class DataError(TruegradeError):
    """A named data set cannot be had: not here, not to be fetched, or not the published one."""


class ExperimentError(TruegradeError):
    """An experiment cannot go on."""


class IdError(TruegradeError):
    """An annotator, instance or category is blank, or an instance stands in two categories."""


class RatingError(TruegradeError):
    """A rating is missing, not a number, not finite or off the scale, or a weight is not positive."""


class ScaleError(TruegradeError):
    """The scale cannot be inferred or does not make sense."""


class GoldError(TruegradeError):
    """Gold is missing, contradicts itself or lies off the scale."""


class OptionError(TruegradeError):
    """An option or an argument has no such value, or two of them do not go together."""


class FitError(TruegradeError):
    """A saved fit is absent, damaged or from a version that cannot be read."""


class ClusterError(TruegradeError):
    """A Dask cluster cannot do the work: no workers, no truegrade on them, or its scheduler is gone."""


class CheckpointError(TruegradeError):
    """A checkpoint is damaged, of another fit or of another format, or stands in the way of a new one."""


class OutputError(TruegradeError):
    """The result cannot be written: no permission, no space, a file in the way."""


class TruegradeWarning(UserWarning):
    """The result stands, but something about it deserves a look."""
