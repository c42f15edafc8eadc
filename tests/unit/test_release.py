"""What a release says about itself agrees with itself."""

import re
import tomllib
from pathlib import Path

import truegrade

ROOT = Path(__file__).parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))


def test_the_version_is_said_once():
    assert "version" in PROJECT["project"]["dynamic"]
    assert PROJECT["tool"]["scikit-build"]["metadata"]["version"]["input"] == "src/truegrade/__init__.py"
    cited = re.search(r"^version: (.+)$", (ROOT / "CITATION.cff").read_text("utf-8"), re.MULTILINE)
    assert cited[1] == truegrade.__version__


def test_the_changelog_keeps_its_form():
    headings = re.findall(r"^## (.+)$", (ROOT / "CHANGELOG.md").read_text("utf-8"), re.MULTILINE)
    assert all(re.fullmatch(r"\[Unreleased\]|\[\d+\.\d+\.\d+\] - \d{4}-\d\d-\d\d", heading) for heading in headings)
    kinds = re.findall(r"^### (.+)$", (ROOT / "CHANGELOG.md").read_text("utf-8"), re.MULTILINE)
    assert set(kinds) <= {"Added", "Changed", "Deprecated", "Removed", "Fixed", "Security"}


def test_every_dependency_says_how_old_it_may_be():
    """`make test-oldest` installs exactly these."""
    groups = PROJECT["dependency-groups"]
    required = [*PROJECT["project"]["dependencies"], *groups["build"], *groups["test"]]
    assert [one for one in required if not re.fullmatch(r"[\w-]+>=\d[\d.]*", one)] == []
