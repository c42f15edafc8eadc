"""What the docs show of a terminal is what happens: the blocks of each page, run in order in an empty folder."""

import re
from pathlib import Path

import pytest
from console_blocks import Command, commands, missing, output_of, says

from truegrade.datasets import CATALOGUE

ROOT = Path(__file__).parents[2]
PAGES = [ROOT / "README.md", *(ROOT / "docs").rglob("*.md")]
SHOWN = {str(page.relative_to(ROOT)): found for page in PAGES if (found := commands(page.read_text("utf-8")))}


@pytest.mark.parametrize("page", SHOWN)
def test_the_terminal_shows_this(page, tmp_path, monkeypatch, shared_data):
    for command in SHOWN[page]:
        for name in re.findall(r"data get ([\w-]+)", command.text):
            if not CATALOGUE[name].built_in:
                monkeypatch.setenv("TRUEGRADE_DATA", str(shared_data(name.replace("-", "_")).parent))
        output = output_of(command, tmp_path)
        assert missing(command, output) is None, f"$ {command.text}\n{output}"


def test_a_page_is_read():
    page = "```console\n$ a b\none\n\ntwo\n$ c <<END\n> d\n> END\n```\n```sh\n$ e\n```\n```console\n$ f\n```\n"
    assert commands(page) == [Command("a b", ["one", "two"]), Command("c <<END\nd\nEND", []), Command("f", [])]


@pytest.mark.parametrize(
    ("found", "shown", "same"),
    [
        ("mse   0.236", "mse 0.241", True),
        ("mse   0.236", "mse 0.290", False),
        ("mse   0.236", "mae 0.236", False),
        ("i1  -0.12  5 more", "i1 -0.11 ...", True),
        ("i1  0.12  5 more", "i1 -0.11 ...", False),
        ("15567 of 2665", "... of 2665", True),
        ("a -", "a 1", False),
    ],
)
def test_lines_are_compared(found, shown, same):
    assert says(found, shown) is same


def test_what_is_not_printed_is_missed():
    assert missing(Command("", ["a", "...", "c"]), "x\na\nb\nc\n") is None
    assert missing(Command("", ["c", "a"]), "a\nb\nc\n") == "a"
