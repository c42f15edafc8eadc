"""Commands are run in this process, in an empty folder."""

import io
from dataclasses import dataclass

import pytest

from truegrade import cli


@dataclass
class Done:
    """What a command left behind."""

    returncode: int
    stdout: str
    stderr: str


@pytest.fixture
def run(tmp_path, monkeypatch, capsys):
    """Run a command in an empty folder, in this process: what depends on signals and pipes starts its own."""
    monkeypatch.chdir(tmp_path)

    def call(*arguments, stdin=""):
        monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(stdin.encode())))
        code = cli.run(list(map(str, arguments)))
        return Done(code, *capsys.readouterr())

    return call
