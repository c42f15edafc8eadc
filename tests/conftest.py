"""Shared fixtures. Real data stays outside the project; a test that needs it skips where it is absent."""

from __future__ import annotations

import os
import signal
from pathlib import Path

import hypothesis
import pytest

hypothesis.settings.register_profile("default", deadline=None, max_examples=60)
hypothesis.settings.load_profile("default")

SHARED = Path(os.environ.get("TRUEGRADE_SHARED_DATA", Path(__file__).parents[2] / "shared" / "data"))


@pytest.fixture(autouse=True)
def hears_ctrl_c():
    """Tests send it. What a shell runs in the background ignores it, and so does the command after the first one."""
    signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture
def shared_data():
    """A function from a data set's name to its folder."""

    def folder(name: str) -> Path:
        path = SHARED / name
        if not path.is_dir():
            pytest.skip(f"real data not here: {path} (set TRUEGRADE_SHARED_DATA)")
        return path

    return folder
