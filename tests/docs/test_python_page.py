"""The page on Python names every public name, and each of them says what it is."""

import importlib
import inspect
import re
from pathlib import Path

import pytest

PAGE = (Path(__file__).parents[2] / "docs" / "reference" / "python.md").read_text("utf-8")
MODULES = ["truegrade", "truegrade.charts", "truegrade.checks", "truegrade.experiments", "truegrade.datasets"]
NAMES = [
    (module, name)
    for module in (*MODULES, "truegrade.simulation")
    for name in importlib.import_module(module).__all__
    if not name.startswith("__")
]


@pytest.mark.parametrize(("module", "name"), NAMES)
def test_the_page_has_it(module, name):
    assert re.search(rf"\b{name}\b", PAGE), f"name {module}.{name} in docs/reference/python.md"
    thing = getattr(importlib.import_module(module), name)
    assert not (inspect.isclass(thing) or inspect.isroutine(thing)) or len(inspect.getdoc(thing) or "") >= 10


def test_what_the_page_names_exists():
    """Sphinx would say so too, but `make test` comes first."""
    module = "truegrade"
    for line in PAGE.splitlines():
        if found := re.match(r"\.\. (currentmodule|automodule|autofunction|autoclass):: ([\w.]+)", line):
            kind, name = found.groups()
            if kind == "currentmodule":
                module = name
                continue
            home, _, last = (name if name.startswith("truegrade.") else f"{module}.{name}").rpartition(".")
            importlib.import_module(f"{home}.{last}") if kind == "automodule" else getattr(
                importlib.import_module(home), last
            )
