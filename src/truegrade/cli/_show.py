"""Output: rich tables on a terminal, plain text in a pipe, JSON for machines; remarks go to stderr."""

from __future__ import annotations

import shutil
import sys
import textwrap
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pyarrow as pa

_SHORTEST_ID = 8  # characters that an id keeps on the narrowest terminal

__all__ = ["print_json", "remark", "show_list", "show_pairs", "show_table", "show_title"]


def remark(notes: Iterable[str]) -> None:
    """Tell the user what deserves a look."""
    for note in notes:
        sys.stderr.write(f"truegrade: note: {note}\n")


def print_json(record: dict[str, Any]) -> None:
    """One JSON object on stdout."""
    from truegrade.jsonable import json_text

    sys.stdout.write(json_text(record))


def show_pairs(pairs: Sequence[tuple[str, Any]]) -> None:
    """A list of names and values."""
    width = max(len(name) for name, _ in pairs)
    for name, value in pairs:
        sys.stdout.write(f"{name:<{width}}  {_cell(value)}\n")


def show_title(title: str) -> None:
    """What the next lines are about, after a blank line."""
    sys.stdout.write(f"\n{title}\n")


def show_list(title: str, sentences: Sequence[str]) -> None:
    """Sentences one below the other, on a terminal broken at its width; nothing where there are none."""
    if not sentences:
        return
    width = shutil.get_terminal_size().columns if sys.stdout.isatty() else sys.maxsize
    show_title(title)
    for sentence in sentences:
        lines = textwrap.wrap(sentence, width, initial_indent="- ", subsequent_indent="  ", break_on_hyphens=False)
        sys.stdout.write("\n".join(lines) + "\n")


def show_table(table: pa.Table, title: str, rows: int = 10, of: int = 0) -> None:
    """The first rows of a table, or of a longer one with `of` rows of which it is the beginning."""
    names = [n for n in table.column_names if table.column(n).null_count < len(table) or not len(table)]
    shown = table.select(names).slice(0, rows)
    cells = [[_cell(column[row].as_py()) for column in shown.columns] for row in range(shown.num_rows)]
    more = (of or len(table)) - len(cells)
    sys.stdout.write("\n")
    if sys.stdout.isatty():
        _show_rich(names, cells, title, more)
        return
    sys.stdout.write(f"{title}\n")
    widths = [max(len(name), *(len(row[i]) for row in cells), 0) for i, name in enumerate(names)]
    for row in [names, *cells]:
        line = "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True))
        sys.stdout.write(line.rstrip() + "\n")
    if more > 0:
        sys.stdout.write(f"... and {more} more\n")


def _show_rich(names: list[str], cells: list[list[str]], title: str, more: int) -> None:
    from rich import box
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    console = Console()
    widths = [max(len(name), *(len(row[i]) for row in cells), 0) + 2 for i, name in enumerate(names)]
    # Ids give way where the terminal is narrow, and then the last columns; numbers are never cut.
    fitting = _fitting(widths, console.width - 1)  # every column has two blanks, and the line one before them
    room = max(console.width - 1 - sum(widths[1:fitting]) - 2, _SHORTEST_ID)
    told = [f"... and {more} more"] * (more > 0)
    if fitting < len(names):
        told.append(f"columns that do not fit here: {', '.join(names[fitting:])}")
    table = Table(
        title=title,
        title_justify="left",
        box=box.SIMPLE_HEAD,
        padding=(0, 1, 0, 0),
        caption="\n".join(told) or None,
        caption_justify="left",
    )
    for i, name in enumerate(names[:fitting]):
        table.add_column(name, justify="left" if i == 0 else "right", no_wrap=True)
    for first, *rest in cells:
        shown = first if len(first) <= room else first[: room - 1] + "…"
        table.add_row(*map(Text, [shown, *rest[: fitting - 1]]))  # Text: square brackets in an id are no markup
    console.print(table)


def _fitting(widths: list[int], room: int) -> int:
    """How many columns, from the left, a line has room for; two at least."""
    used = min(widths[0], _SHORTEST_ID + 2)
    for count, width in enumerate(widths[1:], 1):
        used += width
        if used > room:
            return max(count, 2)
    return len(widths)


def _cell(value: Any) -> str:
    if value is None:
        return "-"
    if isinstance(value, float):
        return f"{value:.3f}" if abs(value) < 1e4 else f"{value:.4g}"
    text = str(value)
    return text if text.isprintable() else repr(text)
