"""The kernel's digamma and ln Gamma against mpmath."""

from __future__ import annotations

import mpmath as mp
import numpy as np
import pytest

from truegrade import _kernel

ISAS = ("base", "avx2", "avx512")
TOLERANCE = 4e-14  # relative above 1, absolute below: both functions have zeros


@pytest.mark.parametrize("isa", ISAS[: ISAS.index(_kernel.best_isa()) + 1])
def test_against_mpmath(isa: str) -> None:
    shape = np.concatenate([np.geomspace(1e-6, 1e8, 500), np.linspace(0.1, 20, 400), [1.0, 1.4616321449683623, 2.0]])
    digamma, log_gamma = np.empty_like(shape), np.empty_like(shape)
    _kernel.gamma_functions(shape, isa=isa, digamma_out=digamma, log_gamma_out=log_gamma)
    with mp.workdps(30):
        wanted = np.array([[float(mp.digamma(x)), float(mp.loggamma(x))] for x in shape]).T
    for found, exact in zip((digamma, log_gamma), wanted, strict=True):
        np.testing.assert_array_less(abs(found - exact), TOLERANCE * np.maximum(abs(exact), 1))
