"""How far the figures would scatter on other gold: instances drawn again with replacement, queries for NDCG."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Reals = NDArray[np.float64]

__all__ = ["Scored", "interval", "resample"]


@dataclass(frozen=True)
class Scored:
    """What a model says of the G instances that have gold."""

    estimate: Reals  # (G,)
    gold: Reals  # (G,)
    log_loss: Reals  # (G,): NaN = the model gives no probabilities
    inside: Reals  # (G,): 1 where the interval holds the gold; NaN = the model gives no interval
    ndcg: Reals  # (Q,): of each query; empty without queries


def resample(scored: Scored, count: int, seed: int = 0) -> dict[str, Reals]:
    """The figures of `count` resampled data sets, by measure; a figure that is not defined is left out.

    The draws depend on the seed and on how many instances and queries there are, not on the model: the same
    position in the results of two models is the same draw, so that their difference can be judged.

    >>> gold = np.arange(9.0)
    >>> found = resample(Scored(gold + 1, gold, gold, gold < 5, np.empty(0)), 3)
    >>> sorted(found), found["mse"]
    (['correlation', 'coverage', 'log_loss', 'mse'], array([1., 1., 1.]))
    """
    of_instances, of_queries = np.random.default_rng([seed, 0]), np.random.default_rng([seed, 1])
    # Centred, so that the sums of products lose no digits.
    x, y = scored.estimate - scored.estimate.mean(), scored.gold - scored.gold.mean()
    error = (scored.estimate - scored.gold) ** 2
    columns = np.column_stack([error, scored.log_loss, scored.inside, x, y, x * x, y * y, x * y])  # (G, 8)
    size = scored.gold.size
    means = np.empty((count, columns.shape[1]))
    for draw in range(count):
        times = np.bincount(of_instances.integers(0, size, size), minlength=size)  # how often each is drawn (G,)
        means[draw] = times @ columns / size
    found = {"mse": means[:, 0], "correlation": _correlation(*means[:, 3:].T)}
    found |= {"log_loss": means[:, 1], "coverage": means[:, 2]}
    queries = scored.ndcg.size
    if queries > 1:  # one query tells nothing of how queries scatter
        found["ndcg"] = np.array([scored.ndcg[of_queries.integers(0, queries, queries)].mean() for _ in range(count)])
    return {name: values for name, values in found.items() if np.isfinite(values).all()}


def interval(draws: Reals) -> tuple[float, float]:
    """The central 95 % of resampled figures."""
    lower, upper = np.percentile(draws, [2.5, 97.5])
    return float(lower), float(upper)


def _correlation(x: Reals, y: Reals, xx: Reals, yy: Reals, xy: Reals) -> Reals:
    """From the means of x, y and their products (B,) each; NaN where a side is constant."""
    spread = (xx - x * x) * (yy - y * y)
    with np.errstate(invalid="ignore", divide="ignore"):
        return (xy - x * y) / np.sqrt(spread)
