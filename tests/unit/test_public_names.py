"""The public names stay what they are, whatever has been imported."""

from importlib import import_module
from types import ModuleType

import truegrade


def test_no_module_takes_the_place_of_a_public_name():
    for home in truegrade._HOMES.values():
        import_module(f"truegrade.{home}")
    taken = [name for name in truegrade.__all__ if isinstance(getattr(truegrade, name), ModuleType)]
    assert taken == []


def test_every_public_name_has_a_home():
    assert {*truegrade._HOMES, "__version__"} == set(truegrade.__all__)
