"""A column that says which group each annotator belongs to, such as people and machines."""

from __future__ import annotations

from typing import TYPE_CHECKING

from truegrade.errors import ColumnError, OptionError
from truegrade.roles import Roles, resolve_roles

if TYPE_CHECKING:
    import os

__all__ = ["read_groups"]


def read_groups(source: str | os.PathLike[str], column: str, *, annotator: str = "") -> dict[str, str]:
    """Annotator -> group, from a column of the file of ratings; rows with an empty cell say nothing."""
    from truegrade.readers import read_table

    if str(source) == "-":
        raise OptionError("--annotator-group reads the file a second time; give a file instead of -")
    table = read_table(source)
    if column not in table.column_names:
        listed = ", ".join(f"'{name}'" for name in table.column_names[:12])
        raise ColumnError(f"{source}: no column '{column}' (--annotator-group); it has {listed}")
    name = resolve_roles(table.column_names, Roles(annotator=annotator), str(source), ["annotator"]).annotator
    groups: dict[str, str] = {}
    pairs = table.group_by(list(dict.fromkeys([name, column]))).aggregate([])
    for row in pairs.to_pylist():
        who, group = str(row[name]), row[column]
        if group is None or not str(group).strip():
            continue
        if groups.setdefault(who, str(group)) != str(group):
            raise ColumnError(
                f"{source}: annotator '{who}' is in the groups '{groups[who]}' and '{group}' (column '{column}'); "
                "put each annotator in one"
            )
    return groups
