"""Which column is what: the usual names, or the ones the user gives."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields

from truegrade.errors import ColumnError
from truegrade.scale import read_number

__all__ = ["ALIASES", "GOLD_NAMES", "Roles", "resolve_gold", "resolve_roles"]

ALIASES: Mapping[str, tuple[str, ...]] = {
    "annotator": ("annotator", "worker", "rater", "judge", "user", "coder", "performer"),
    "instance": ("instance", "item", "task", "unit", "question", "doc", "id", "object"),
    "rating": ("rating", "label", "score", "grade", "answer", "value"),
    "category": ("category", "query", "topic", "group"),
    "weight": ("weight",),
    "timestamp": ("timestamp",),
}
GOLD_NAMES = ("gold", "truth", "true_label", "true_grade")


@dataclass(frozen=True)
class Roles:
    """The column that fills each role; an empty string where none does."""

    annotator: str = ""
    instance: str = ""
    rating: str = ""
    category: str = ""
    weight: str = ""
    timestamp: str = ""

    def columns(self) -> dict[str, str]:
        """The filled roles: role -> column."""
        return {f.name: getattr(self, f.name) for f in fields(self) if getattr(self, f.name)}


def resolve_roles(columns: Sequence[str], given: Roles, where: str, required: Sequence[str]) -> Roles:
    """Fill the roles that `given` leaves open by the usual names; refuse what is missing or ambiguous."""
    for role, column in given.columns().items():
        if column not in columns:
            raise ColumnError(f"{where}: no column '{column}' (--{role}); it has {_listed(columns)}")
    _refuse_one_for_two(given, where)
    # Each instance may be its own category, so that column stays free.
    taken = {column for role, column in given.columns().items() if role != "category"}
    found = given.columns()
    for role in (role for role in ALIASES if role not in found):
        candidates = [c for c in columns if c.strip().lower() in ALIASES[role] and c not in taken]
        if len(candidates) > 1:
            raise ColumnError(
                f"{where}: columns {_listed(candidates)} could each be the {role}; pass --{role} {candidates[0]}"
            )
        if candidates:
            found[role] = candidates[0]
    for role in required:
        if role not in found:
            names = ", ".join(ALIASES[role])
            raise ColumnError(
                f"{where}: no column for the {role} (looked for {names}); it has {_listed(columns)}; "
                f"pass --{role} NAME"
                + (", or --wide if each column is an annotator" if role == "annotator" else "")
                + ("; or is the header missing?" if any(read_number(name) is not None for name in columns) else "")
            )
    return Roles(**found)


def _refuse_one_for_two(given: Roles, where: str) -> None:
    """Only a category may also be something else."""
    flag_of: dict[str, str] = {}
    for role, column in given.columns().items():
        if role != "category" and flag_of.setdefault(column, role) != role:
            raise ColumnError(
                f"{where}: --{flag_of[column]} and --{role} both name the column '{column}'; name one for each"
            )


def resolve_gold(columns: Sequence[str], where: str, instance: str = "", gold: str = "") -> tuple[str, str]:
    """The instance and gold columns of a gold table."""
    roles = resolve_roles(columns, Roles(instance=instance), where, ["instance"])
    if gold and gold not in columns:
        raise ColumnError(f"{where}: no column '{gold}' (--gold-column); it has {_listed(columns)}")
    candidates = [gold] if gold else [c for c in columns if c.strip().lower() in GOLD_NAMES]
    if len(candidates) > 1:
        raise ColumnError(f"{where}: columns {_listed(candidates)} could each be gold; pass --gold-column NAME")
    if not candidates:
        raise ColumnError(
            f"{where}: no column for gold (looked for {', '.join(GOLD_NAMES)}); it has {_listed(columns)}; "
            "pass --gold-column NAME"
        )
    return roles.instance, candidates[0]


def _listed(columns: Sequence[str]) -> str:
    shown = [f"'{c}'" if c.isprintable() else repr(c) for c in columns[:12]]
    return ", ".join(shown) + (f" and {len(columns) - 12} more" if len(columns) > 12 else "") if shown else "none"
