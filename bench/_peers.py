"""Other libraries, in an environment of their own so that they cannot change ours."""

from __future__ import annotations

import subprocess
import sys
import venv
from pathlib import Path

_HOME = Path(sys.prefix) / "peers"


def peer_python(*packages: str) -> str | None:
    """The interpreter of an environment that holds these packages; None, with a message, where they cannot be had."""
    home = _HOME / "-".join(packages)
    python, done = home / "bin" / "python", home / "installed"
    if done.exists():
        return str(python)
    print(f"setting up {', '.join(packages)} in {home}", flush=True)
    venv.create(home, with_pip=True, clear=True)
    install = [str(python), "-m", "pip", "install", "--quiet", *packages]
    if subprocess.run(install, check=False, capture_output=True).returncode:
        print(f"skipped: {', '.join(packages)} cannot be installed here")
        return None
    done.touch()
    return str(python)
