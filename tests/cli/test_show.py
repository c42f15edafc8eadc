"""Tables and summaries as a terminal shows them."""

import re
import sys

import pyarrow as pa
import pytest

from truegrade.cli._show import show_table

TABLE = pa.table(
    {"instance": ["a" * 30, "b"], "estimate": [1.25, 2.0], "n_ratings": [10, 20], "estimate_mean": [3.0, 4.0]}
)


@pytest.fixture
def shown(monkeypatch, capsys):
    """The lines of a table on a terminal of some width."""

    def lines(width):
        monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
        monkeypatch.setenv("COLUMNS", str(width))
        show_table(TABLE, "truth", rows=1)
        printed = re.sub(r"\x1b\[[0-9;]*m", "", capsys.readouterr().out)
        return [line.strip() for line in printed.splitlines() if re.search(r"\w", line)]

    return lines


def test_a_wide_terminal_shows_ids_and_columns_whole(shown):
    title, header, row, more = shown(120)
    assert (title, more) == ("truth", "... and 1 more")
    assert header.split() == TABLE.column_names
    assert row.split() == ["a" * 30, "1.250", "10", "3.000"]


@pytest.mark.parametrize("width", [47, 46, 36, 35, 34, 32])
def test_on_a_narrow_terminal_ids_give_way_and_then_columns_but_never_numbers(shown, width):
    _, header, row, *told = shown(width)
    names = header.split()
    assert names == TABLE.column_names[: len(names)]
    assert row.split()[1:] == ["1.250", "10", "3.000"][: len(names) - 1]
    assert max(len(header), len(row)) <= width
    left_out = TABLE.column_names[len(names) :]
    assert " ".join(told[1:]) == ("columns that do not fit here: " + ", ".join(left_out) if left_out else "")
    assert len(names) == (4 if width >= 47 else 3)


def test_a_pipe_gets_every_column(capsys):
    show_table(TABLE, "truth")
    assert capsys.readouterr().out.split()[1:5] == TABLE.column_names


def test_one_of_a_kind_is_singular(run, tmp_path):
    (tmp_path / "in.csv").write_text("annotator,instance,rating\na,x,1\n")
    assert "1 of 1 instance by 1 annotator\n" in run("fit", "in.csv", "--model", "median").stdout
