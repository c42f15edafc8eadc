"""Blocks of the docs that show a terminal: run as they stand, and their output compared with what the page shows.

A block is fenced as ``console``. Lines that begin with "$ " are commands (and "> " goes on with the line before); what
follows is what they print. The lines shown must be printed, in this order; others may stand between them. Blanks count
once, "..." stands for anything, and a number is right when it is near: a fit differs in its last digits from
machine to machine.
"""

import os
import re
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

BLOCK = re.compile(r"^```console\n(.*?)^```", re.MULTILINE | re.DOTALL)
NUMBER = re.compile(r"-?\d*\.\d+")  # whole numbers are counts, or part of a name: they are exact
SECONDS_ALLOWED = 120


@dataclass
class Command:
    """A command and the lines that the page shows below it."""

    text: str
    shown: list[str]


def commands(page):
    """All commands of a page, in order."""
    found = []
    for block in BLOCK.findall(page):
        for line in block.splitlines():
            if line.startswith("$ "):
                found.append(Command(line[2:], []))
            elif line.startswith("> "):
                found[-1].text += "\n" + line[2:]
            elif line.strip():
                found[-1].shown.append(line)
    return found


def output_of(command, folder):
    """What a terminal would show: both streams, in the order of writing."""
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    environment = os.environ | {"PATH": path, "PYTHONUNBUFFERED": "1", "XDG_CACHE_HOME": str(folder / ".cache")}
    done = subprocess.run(
        ["sh", "-ec", command.text],
        cwd=folder,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=SECONDS_ALLOWED,
        check=False,
    )
    assert done.returncode == 0, f"$ {command.text}\n{done.stdout}"
    return done.stdout


def is_near(shown, found):
    return abs(shown - found) <= 0.02 + 0.05 * abs(shown)


def says(found, shown):
    """Whether a printed line is the line shown."""
    parts = [NUMBER.split(" ".join(part.split())) for part in shown.split("...")]
    number = NUMBER.pattern
    pattern = ".*".join(f"({number})".join(map(re.escape, words)) for words in parts)
    match = re.fullmatch(pattern, " ".join(found.split()))
    if not match:
        return False
    numbers = [float(n) for n in NUMBER.findall(shown.replace("...", " "))]
    return all(map(is_near, numbers, map(float, match.groups())))


def missing(command, output):
    """The first line shown that is not printed after those before it; None if all are."""
    printed = iter(output.splitlines())
    for shown in command.shown:
        if shown.strip() != "..." and not any(says(line, shown) for line in printed):
            return shown
    return None
