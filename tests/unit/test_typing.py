"""The types that users see: mypy --strict on a file that uses the public interface, which also runs."""

import ast
import importlib.util
import subprocess
import sys
from pathlib import Path

import pytest

import truegrade
from truegrade import charts
from truegrade.compat import crowdkit, sklearn

ROOT = Path(__file__).parents[2]
USER = ROOT / "tests" / "typed" / "as_a_user.py"


def mypy(file):
    """What mypy --strict says about a user's file; the package itself is `make lint`'s."""
    pytest.importorskip("mypy")
    options = ["--strict", "--config-file=", "--follow-imports=silent", f"--cache-dir={ROOT / '.mypy_cache' / 'user'}"]
    command = [sys.executable, "-m", "mypy", *options, str(file)]
    where = {"env": {"MYPYPATH": str(ROOT / "src")}, "cwd": file.parent}
    return subprocess.run(command, capture_output=True, text=True, check=False, **where)


def test_mypy_is_content_with_a_users_file():
    done = mypy(USER)
    assert done.stdout.startswith("Success"), done.stdout + done.stderr


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("tg.DawidSkene(errors='some')", 'Argument "errors" to "DawidSkene" has incompatible type'),
        ("tg.Mean().fit([1, 2])", 'Argument 1 to "fit" of "Mean" has incompatible type "list[int]"'),
        ("tg.Mean(3)", 'arguments for "Mean"'),
        ("tg.Fit.load('x').truht", '"Fit" has no attribute "truht"'),
        ("crowdkit.GLAD(n_iter='5')", 'Argument "n_iter" to "GLAD" has incompatible type "str"'),
    ],
)
@pytest.mark.slow
def test_mypy_finds_what_is_wrong(line, told, tmp_path):
    file = tmp_path / "wrong.py"
    file.write_text(f"import truegrade as tg\nfrom truegrade.compat import crowdkit\n\nprint(crowdkit)\n{line}\n")
    assert told in mypy(file).stdout


def test_that_file_uses_every_public_name():
    tree = ast.parse(USER.read_text())
    dotted = [node for node in ast.walk(tree) if isinstance(node, ast.Attribute)]
    used = {(node.value.id, node.attr) for node in dotted if isinstance(node.value, ast.Name)}
    used |= {("sklearn", node.id) for node in ast.walk(tree) if isinstance(node, ast.Name)}
    public = {"tg": truegrade, "charts": charts, "crowdkit": crowdkit, "sklearn": sklearn}
    unused = [f"{of}.{name}" for of, found in public.items() for name in found.__all__ if (of, name) not in used]
    assert unused == [], "use each once in tests/typed/as_a_user.py"


def test_that_file_runs(tmp_path, capsys):
    spec = importlib.util.spec_from_file_location("as_a_user", USER)
    user = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(user)
    user.main(tmp_path)
    assert "there are no ratings" in capsys.readouterr().out
