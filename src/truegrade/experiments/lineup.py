"""Which models take part, and what tables call them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, fields, replace
from typing import TYPE_CHECKING

from truegrade.errors import OptionError
from truegrade.models import MODEL_NAMES, make_model

if TYPE_CHECKING:
    from truegrade.models._base import Model

__all__ = ["Candidate", "line_up"]

# Models that take part with other options than none. `auto` is left out: it fits the others and chooses among them.
_VARIANTS: dict[str, tuple[str, ...]] = {
    "ordinal-mixture": ("difficulty=none", "difficulty=category", "difficulty=instance"),
    "glad": ("difficulty=instance", "difficulty=category"),
    "auto": (),
}
_GRANULARITIES = {"category", "instance"}


@dataclass(frozen=True)
class Candidate:
    """A model with its options, and how it was asked for."""

    model: Model
    settings: tuple[str, ...] = ()  # key=value, beyond difficulty

    @property
    def system(self) -> str:
        """The model's name."""
        return self.model.name

    @property
    def difficulty(self) -> str | None:
        """What shares a difficulty, for a model that has one."""
        found: str | None = getattr(self.model, "difficulty", None)
        return found

    @property
    def options(self) -> str | None:
        """What was asked for beyond difficulty."""
        return ":".join(self.settings) or None

    @property
    def label(self) -> str:
        """The name to show: glad (instance, adversarial=true).

        >>> Candidate(make_model("majority:ties=upper"), ("ties=upper",)).label
        'majority (ties=upper)'
        """
        parts = [self.difficulty] if self.difficulty in _GRANULARITIES else []
        parts += self.settings
        return f"{self.system} ({', '.join(parts)})" if parts else self.system


def line_up(
    models: str | Iterable[str] | None = None, *, categories: bool = False, starts: int | None = None, seed: int = 0
) -> list[Candidate]:
    """Candidates from names with options, as one text with commas or as a list; by default every model.

    categories: whether there are any; without them no model takes part by default that needs them.
    starts, seed: for the models that by themselves have several starts, or a seed, and are not told theirs.

    >>> [candidate.label for candidate in line_up("mean,ordinal-mixture:difficulty=category")]
    ['mean', 'ordinal-mixture (category)']
    """
    if models is None:
        texts = [":".join(filter(None, (name, more))) for name in MODEL_NAMES for more in _VARIANTS.get(name, ("",))]
        parts: Sequence[str] = [text for text in texts if categories or "difficulty=category" not in text]
    else:
        parts = _split(models) if isinstance(models, str) else list(models)
    if not parts:
        raise OptionError(f"no models were named; choose some of {', '.join(MODEL_NAMES)}")
    found = [_candidate(text, starts, seed) for text in parts]
    labels = [candidate.label for candidate in found]
    twice = [label for label in labels if labels.count(label) > 1]
    if twice:
        raise OptionError(f"the model '{twice[0]}' was named twice; name each once")
    return found


def _candidate(text: str, starts: int | None, seed: int) -> Candidate:
    model = make_model(text)
    settings = tuple(pair for pair in text.split(":")[1:] if not pair.startswith("difficulty="))
    said = {pair.partition("=")[0] for pair in settings}
    # A model that by itself makes do with one start, or chooses how many, is left to it.
    several = (getattr(model, "starts", None) or 1) > 1
    general = {"starts": starts if several else None, "seed": seed}
    known = {f.name for f in fields(model)} - said  # type: ignore[arg-type]
    changes = {key: value for key, value in general.items() if key in known and value is not None}
    return Candidate(replace(model, **changes), settings)  # type: ignore[type-var]


def _split(text: str) -> Sequence[str]:
    """At the commas before a name; a comma before a number belongs to an option, as in epsilon_prior=1,1."""
    return [part.strip() for part in re.split(r",(?!\s*[-+.\d])", text) if part.strip()]
