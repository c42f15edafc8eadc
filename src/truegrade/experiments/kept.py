"""Results kept as small JSON files, so that an interrupted run goes on where it stopped."""

from __future__ import annotations

import json
from dataclasses import asdict
from functools import cache
from hashlib import blake2b
from pathlib import Path
from typing import TYPE_CHECKING

import truegrade
from truegrade.experiments.trial import Result
from truegrade.files import user_cache, write_whole

if TYPE_CHECKING:
    from truegrade.experiments.study import Study
    from truegrade.experiments.trial import Trial

__all__ = ["default_folder", "find", "keep", "key"]

# Rooms that no figure depends on.
_ONLY_SHOWN = ("cli", "compat", "report")


def default_folder() -> Path:
    """Where results are kept: XDG_CACHE_HOME or ~/.cache."""
    return user_cache() / "trials"


def key(trial: Trial, study: Study) -> str:
    """What a result depends on: the data, the model with all its options, the fakes, and truegrade itself."""
    content = {
        "study": study.digest,
        "model": trial.model.name,
        "options": asdict(trial.model),  # type: ignore[call-overload]
        "fakes": [trial.fakes, trial.fake_seed if trial.fakes else 0],
        "draws": trial.draws,
        "code": _code(),
    }
    return blake2b(json.dumps(content, sort_keys=True).encode(), digest_size=16).hexdigest()


def find(folder: Path, name: str) -> Result | None:
    """The result of this key; None where there is none, or none that can be read."""
    try:
        content = json.loads((folder / f"{name}.json").read_text(encoding="utf-8"))
        return Result(**{**content, "notes": tuple(content["notes"])})
    except (OSError, ValueError, TypeError, KeyError):
        return None


def keep(folder: Path, name: str, result: Result) -> None:
    """Write a result."""
    write_whole(folder / f"{name}.json", json.dumps(asdict(result)) + "\n")


@cache
def _code() -> str:
    """A fingerprint of the installed version: its number, and what its files hold, for who works on them."""
    import truegrade._kernel as kernel

    home = Path(truegrade.__file__).parent
    files = [path for path in sorted(home.rglob("*.py")) if path.relative_to(home).parts[0] not in _ONLY_SHOWN]
    digest = blake2b(truegrade.__version__.encode(), digest_size=16)
    for path in (*files, Path(kernel.__file__)):
        digest.update(path.read_bytes())
    return digest.hexdigest()
