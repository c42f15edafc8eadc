"""Imports go one way, and `import truegrade` stays light.

A module imports others when it is imported itself, or inside a function when that runs. The first kind never goes back
up. The second may, through the doors below: methods that offer what is built on top of their own class.
"""

import ast
import subprocess
import sys
from pathlib import Path

import pytest

import truegrade

ROOT = Path(truegrade.__file__).parent

# From the ground up. A room of src/truegrade that is not named here may stand anywhere, but in no circle.
ORDER = [
    {"errors"},
    {"scale"},
    {"ratings"},
    {"readers", "simulation"},
    {"inference"},
    {"engines"},
    {"fit"},
    {"models"},
    {"evaluation"},
    {"experiments", "report"},
    {"compat", "cli"},
]
DOORS = {
    ("ratings", "encode"): "Ratings.from_frame, Ratings.from_arrays",
    ("ratings", "frames"): "the same",
    ("fit", "fit_files"): "Fit.save, Fit.load",
    ("fit", "models"): "Fit.predict",
    ("fit", "report"): "Fit.report",
    ("fit", "compat"): "Fit.to_arviz",
}
HEAVY = {"scipy", "pyarrow", "narwhals", "pandas", "polars", "altair", "dask", "rich", "typer"}


def is_for_types(node):
    return isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING"


def imports(node, *, deferred, inside=False):
    """The import statements below a node: those inside functions, or those outside."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.Import | ast.ImportFrom) and inside == deferred:
            yield child
        elif not is_for_types(child):
            in_function = isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef)
            yield from imports(child, deferred=deferred, inside=inside or in_function)


def rooms_named(statement, rooms):
    """The rooms of the package that a statement imports from."""
    if isinstance(statement, ast.Import):
        names = [alias.name for alias in statement.names]
    else:
        assert statement.level == 0, "relative imports hide where they go"
        names = [f"{statement.module}.{alias.name}" for alias in statement.names]
    parts = [name.split(".") for name in names]
    return {part[1] for part in parts if part[0] == "truegrade" and len(part) > 1} & rooms


def edges(folder, *, deferred):
    """Which room imports from which: {room: rooms}."""
    files = {path: path.relative_to(folder).parts[0].removesuffix(".py") for path in folder.rglob("*.py")}
    found = {room: set() for room in files.values()}
    for path, room in files.items():
        for statement in imports(ast.parse(path.read_text()), deferred=deferred):
            found[room] |= rooms_named(statement, set(found)) - {room}
    return found


def reached(start, graph):
    """All rooms that importing a room imports."""
    found, waiting = set(), [start]
    while waiting:
        new = graph[waiting.pop()] - found
        found |= new
        waiting += new
    return found


def faults(folder):
    """What is wrong with the imports of a package, one line each."""
    now, later = edges(folder, deferred=False), edges(folder, deferred=True)
    below = {room: reached(room, now) for room in now}
    rank = {room: at for at, rooms in enumerate(ORDER) for room in rooms}
    for room, others in below.items():
        if room in others:
            yield f"{room} imports itself by way of {sorted(now[room])}"
        for other in others & rank.keys():
            if room in rank and rank[other] > rank[room]:
                yield f"{room} imports {other}, which stands above it"
    for room, others in later.items():
        for other in others:
            climbs = room in below[other] or (room in rank and rank.get(other, 0) > rank[room])
            if climbs and (room, other) not in DOORS:
                yield f"a function of {room} imports {other}, which stands above it, and is no door"


def test_imports_go_one_way():
    assert list(faults(ROOT)) == []


def test_every_door_is_in_use():
    later = edges(ROOT, deferred=True)
    assert [door for door in DOORS if door[1] not in later[door[0]]] == []


@pytest.mark.parametrize(
    ("room", "text", "fault"),
    [
        ("scale", "import truegrade.ratings", "scale imports ratings, which stands above it"),
        ("scale", "from truegrade import helper", "scale imports ratings, which stands above it"),
        ("scale", "if 1:\n    from truegrade.fit import Fit", "scale imports fit, which stands above it"),
        ("scale", "def f():\n    from truegrade.fit import Fit", "a function of scale imports fit"),
        ("errors", "from truegrade.helper import x\nimport os", "ratings imports itself by way of"),
    ],
)
def test_a_step_up_is_found(tmp_path, room, text, fault):
    package = {"errors": "", "scale": "", "ratings": "from truegrade import errors", "fit": "", "helper": ""}
    package["helper"] = "from truegrade.ratings import Ratings"
    (tmp_path / "readers").mkdir()
    (tmp_path / "readers" / "deep.py").write_text("from truegrade.ratings import Ratings")
    for name, content in package.items():
        (tmp_path / f"{name}.py").write_text(content)
    assert list(faults(tmp_path)) == []
    (tmp_path / f"{room}.py").write_text(f"from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    import a\n{text}\n")
    assert any(line.startswith(fault) for line in faults(tmp_path))


def test_types_alone_may_be_imported_from_anywhere(tmp_path):
    (tmp_path / "errors.py").write_text("if TYPE_CHECKING:\n    from truegrade.fit import Fit\n")
    (tmp_path / "fit.py").write_text("from truegrade.errors import TruegradeError\n")
    assert list(faults(tmp_path)) == []


def test_importing_truegrade_is_light():
    script = "import sys, truegrade; print(*{name.partition('.')[0] for name in sys.modules})"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert HEAVY & set(done.stdout.split()) == set()
