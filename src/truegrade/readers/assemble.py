"""From a file's columns to the columns of a rating: roles found, wide or long, rows or none."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING

from truegrade.cells import decoded
from truegrade.columns import Columns, Known
from truegrade.errors import ColumnError, FileError
from truegrade.readers.wide import annotator_columns, is_wide, melt, wide_roles
from truegrade.roles import GOLD_NAMES, Roles, resolve_roles

if TYPE_CHECKING:
    import pyarrow as pa

    from truegrade.readers.tablefile import TableFile

__all__ = ["assemble", "check_names", "gold_beside", "plain_table"]


def assemble(file: TableFile, given: Roles, where: str, *, wide: bool) -> Columns:
    """Read the columns that the roles need, and no others."""
    check_names(file.names, where)
    if wide or is_wide(file.names, given):
        roles = wide_roles(file.names, given, where)
        needed = [*roles.columns().values(), *annotator_columns(file.names, roles)]
        return melt(_read(file, needed, where, "ratings"), given, where)
    roles = resolve_roles(file.names, given, where, ["annotator", "instance", "rating"])
    table = _read(file, list(dict.fromkeys(roles.columns().values())), where, "ratings")
    return Columns(where, **{role: table[name] for role, name in roles.columns().items()}, names=roles.columns())


def gold_beside(file: TableFile, columns: Columns) -> Known | None:
    """The column of gold, by its usual name, and the instances beside it; None if there is no one such column."""
    names = [name for name in file.names if name.strip().lower() in GOLD_NAMES and name not in file.nested]
    instance = columns.names["instance"]
    if len(names) != 1 or names[0] in columns.names.values():
        return None
    table = file.read([instance, names[0]])
    return Known(table[instance], table[names[0]])


def plain_table(file: TableFile, where: str) -> pa.Table:
    """All columns that have a name and hold single values, text as plain strings."""
    import pyarrow as pa

    check_names(file.names, where)
    names = [name for name in file.names if name and name not in file.nested]
    table = _read(file, names, where, "rows")
    return pa.table([decoded(column) for column in table.columns], names=names)


def _read(file: TableFile, names: list[str], where: str, what: str) -> pa.Table:
    for name in names:
        if name in file.nested:
            raise ColumnError(
                f"{where}: column '{name}' holds lists or objects ({file.nested[name]}), not single values; "
                "write each value in a column of its own, or name another column"
            )
    table = file.read(names)
    if table.num_rows == 0:
        raise FileError(f"{where}: no {what}, only the header; add a row for each")
    return table


def check_names(names: Sequence[str], where: str) -> None:
    """Refuse a name that stands there twice (columns without a name may), or that Arrow cannot look up."""
    for name, count in Counter(names).items():
        if "\0" in name:
            raise ColumnError(f"{where}: the column name {name!r} holds a null character; rename the column")
        if name and count > 1:
            raise ColumnError(f"{where}: {count} columns are called '{name}'; rename all but one")
