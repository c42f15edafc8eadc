"""What Tab offers, asked as the shells ask: each sets variables and runs the command once."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from truegrade import cli
from truegrade.datasets import CATALOGUE
from truegrade.errors import OptionError
from truegrade.models import MODEL_NAMES, make_model

TRUEGRADE = Path(sys.executable).with_name("truegrade")


@pytest.fixture
def asked(monkeypatch, capsys):
    """What the command answers a shell that set these variables."""

    def call(**variables):
        for name, value in variables.items():
            monkeypatch.setenv(name, value)
        with pytest.raises(SystemExit) as leaving:
            cli.run([])
        assert leaving.value.code == 0
        return capsys.readouterr().out

    return call


@pytest.fixture
def offered(asked):
    """What bash would offer for the last word of a line."""

    def call(line):
        at = str(len(line.split(" ")) - 1)
        return asked(_TRUEGRADE_COMPLETE="complete_bash", COMP_WORDS=line, COMP_CWORD=at).split()

    return call


@pytest.mark.parametrize(
    ("line", "names"),
    [
        ("truegrade fit --model ", MODEL_NAMES),
        ("truegrade fit --model ord", ["ordinal-mixture", "ordinal-panel", "ord-binary"]),
        ("truegrade report x --model m", ["mean", "median", "majority"]),
        ("truegrade compare r g --models glad,me", ["glad,mean", "glad,median"]),
        ("truegrade data get ", CATALOGUE),
        ("truegrade data get web", ["web-relevance"]),
        ("truegrade fit --missing ", ["error", "drop"]),
        ("truegrade describe --from argilla", ["argilla", "argilla-1", "argilla-flat"]),
        ("truegrade convert a b --to mtu", ["mturk"]),
        ("truegrade fit --model majority --set ties", [f"ties={x}" for x in ("random", "lower", "upper", "expected")]),
        ("truegrade fit --model glad:starts=2 --set adv", ["adversarial=false", "adversarial=true"]),
        ("truegrade fit --set held", ["held_out=0.2"]),
        ("truegrade fit --model nobody --set ", []),
        ("truegrade fit rat", []),  # a file: left to the shell
    ],
)
def test_what_is_offered(offered, line, names):
    assert sorted(offered(line)) == sorted(names)


def refusal(model, key, value):
    try:
        make_model(model, {key: value})
    except OptionError as error:
        return str(error)
    return ""


@pytest.mark.parametrize("model", MODEL_NAMES)
def test_every_setting_offered_is_one(offered, model):
    """Some go only with another option; none is unknown or of the wrong kind."""
    for setting in offered(f"truegrade fit --model {model} --set "):
        key, _, value = setting.partition("=")
        unknown = (f"{key}={value}: choose", f"{model} has no option")
        assert not refusal(model, key, value or "x").startswith(unknown)


def test_zsh_and_fish_are_answered(asked):
    words = {"_TYPER_COMPLETE_ARGS": "truegrade data get web"}
    assert "web-relevance" in asked(_TRUEGRADE_COMPLETE="complete_zsh", **words)
    fish = {"_TRUEGRADE_COMPLETE": "complete_fish", "_TYPER_COMPLETE_FISH_ACTION": "get-args"}
    assert asked(**fish, **words).strip() == "web-relevance"


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_each_shell_has_a_script(asked, shell):
    assert "truegrade" in asked(_TRUEGRADE_COMPLETE=f"source_{shell}")


@pytest.mark.skipif(shutil.which("bash") is None, reason="no bash here")
def test_bash_itself_completes(asked, tmp_path):
    script = tmp_path / "completion.sh"
    script.write_text(asked(_TRUEGRADE_COMPLETE="source_bash"))
    line = f"source {script}; COMP_WORDS=(truegrade data get yan); COMP_CWORD=3; _truegrade_completion {TRUEGRADE}"
    bash = ["bash", "-c", f'{line}; echo "${{COMPREPLY[@]}}"']
    environment = {name: value for name, value in os.environ.items() if not name.startswith("_TRUEGRADE")}
    done = subprocess.run(bash, env=environment, capture_output=True, text=True, check=True)
    assert done.stdout == "yandex-like\n"
