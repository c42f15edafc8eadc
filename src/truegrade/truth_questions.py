"""How likely a truth is at least so high, or higher than another: questions to any fit's posterior."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from truegrade.errors import IdError, OptionError
from truegrade.posterior import GaussianPosterior, GridPosterior

if TYPE_CHECKING:
    from collections.abc import Sequence

    import pyarrow as pa
    from numpy.typing import NDArray

    from truegrade.fit import Fit

    Floats = NDArray[np.float64]

__all__ = ["at_least_table", "better_table"]


def at_least_table(fit: Fit, grade: Any) -> pa.Table:
    """P(the true grade is this one or higher), one row per instance in the order of the truth table."""
    import pyarrow as pa

    scale = fit.scale
    label = str(grade)
    if label not in scale.labels:
        raise OptionError(
            f"{label} is no grade of the scale {scale}; choose one of {', '.join(scale.labels) or 'none'}"
        )
    chance = fit.posterior.probabilities(scale)[:, scale.labels.index(label) :].sum(axis=1)
    ids = fit.instance_ids
    return pa.table(
        {"instance": ids.labels, "p_at_least": pa.array(np.minimum(chance[ids.code], 1.0), from_pandas=True)}
    )


def better_table(fit: Fit, one: Sequence[Any], other: Sequence[Any]) -> pa.Table:
    """P(the truth of one[i] lies above that of other[i]), equal truths counting half; truths taken as independent."""
    import pyarrow as pa

    if len(one) != len(other):
        raise OptionError(f"compare as many instances with as many: {len(one)} and {len(other)} were given")
    code = dict(zip(fit.instance_ids.labels.to_pylist(), fit.instance_ids.code.tolist(), strict=True))
    unknown = [name for name in (*one, *other) if name not in code]
    if unknown:
        raise IdError(f"this fit has no instance '{unknown[0]}'; it has '{next(iter(code))}' and others")
    a, b = (np.array([code[name] for name in names], dtype=np.intp) for names in (one, other))
    return pa.table({"one": list(one), "other": list(other), "p_better": _better(fit, a, b)})


def _better(fit: Fit, a: NDArray[np.intp], b: NDArray[np.intp]) -> Floats:
    posterior = fit.posterior
    if isinstance(posterior, GaussianPosterior):
        from scipy.special import ndtr

        spread = np.hypot(posterior.sd[a], posterior.sd[b])
        gap = posterior.estimate[a] - posterior.estimate[b]
        scaled = np.divide(gap, spread, out=np.sign(gap) * np.inf, where=spread > 0)
        found: Floats = ndtr(np.where(np.isnan(scaled), 0.0, scaled))
        return found
    p = posterior.p if isinstance(posterior, GridPosterior) else posterior.probabilities(fit.scale)
    below = np.cumsum(p[b], axis=1) - p[b] / 2  # P(b lower) + P(b equal) / 2, at every node
    chance: Floats = (p[a] * below).sum(axis=1)
    return chance
