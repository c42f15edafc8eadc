"""The kernel's truncated normal against 60 digits."""

from __future__ import annotations

import numpy as np
import pytest
from truncated_normal_oracle import moment_errors, moments_grid

from truegrade import _kernel
from truegrade.inference.mixture_twin import truncated_normal
from truegrade.instruction_sets import available_isas

TOLERANCE = 1e-11  # seen: 5e-12 in E(x-mean)^2, in bins an eighth of a sigma wide around the mean; 3e-14 elsewhere


def kernel_moments(columns: np.ndarray, isa: str) -> np.ndarray:
    out = np.empty((3, len(columns)))
    lower, upper, mean, precision = columns.T.copy()
    _kernel.truncated_normal_moments(
        lower, upper, mean, precision, isa=isa, log_mass_out=out[0], mean_out=out[1], spread_out=out[2]
    )
    return out.T


@pytest.mark.parametrize("isa", available_isas())
def test_kernel_against_mpmath(isa: str) -> None:
    grid = moments_grid()
    assert moment_errors(kernel_moments(grid.columns, isa), grid).max() < TOLERANCE


def test_twin_against_mpmath() -> None:
    grid = moments_grid()
    x = truncated_normal(*grid.columns.T)
    found = np.column_stack([x.log_mass, grid.columns[:, 2] + x.shift, x.spread])
    assert moment_errors(found, grid).max() < TOLERANCE


def test_unknown_instruction_set_is_refused() -> None:
    with pytest.raises(ValueError, match="no such instruction set here: sse9"):
        kernel_moments(np.ones((1, 4)), "sse9")
