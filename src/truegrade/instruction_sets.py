"""Which of the processor's instruction sets the kernel uses."""

from __future__ import annotations

import os
from typing import Literal, get_args

from truegrade import _kernel
from truegrade.errors import OptionError

__all__ = ["Isa", "available_isas", "default_isa"]

Isa = Literal["auto", "base", "avx2", "avx512"]

_VARIABLE = "TRUEGRADE_ISA"


def available_isas() -> tuple[Isa, ...]:
    """The instruction sets that this machine has and the kernel was built for, narrow to wide."""
    known: tuple[Isa, ...] = get_args(Isa)[1:]
    return known[: known.index(_kernel.best_isa()) + 1]


def default_isa() -> Isa:
    """The widest instruction set of this machine, or TRUEGRADE_ISA where that is set."""
    wanted = os.environ.get(_VARIABLE, "") or "auto"
    for isa in ("auto", *available_isas()):
        if wanted == isa:
            return isa
    raise OptionError(f"{_VARIABLE}={wanted}: this machine has {', '.join(available_isas())}; choose one, or unset it")
