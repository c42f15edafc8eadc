"""NumPy twin of GLAD's kernel: same signature, no speed. Tests compare the two."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from truegrade.inference.glad_pass import GladRatings, GladSums

    Floats = NDArray[np.float64]

__all__ = ["glad_pass"]


def glad_pass(
    ratings: GladRatings,
    alpha: Floats,
    beta: Floats,
    log_prior: Floats,
    sums: GladSums,
    *,
    settled: bool,
    threads: int,  # noqa: ARG001  the kernel's signature
) -> None:
    """Fill `sums` from the ability alpha (N,), the ease beta (M,) and ln P(z = k) (K,); see the kernel's wrapper."""
    grades, instances = log_prior.size, beta.size
    instance = np.repeat(np.arange(instances), np.diff(ratings.instance_ptr))  # (L,)
    weight = np.ones(instance.size) if ratings.weight is None else ratings.weight
    x = alpha[ratings.annotator] * beta[instance]
    right = 1 / (1 + np.exp(np.clip(-x, -700, 700)))
    log_right, log_wrong = -np.logaddexp(0, -x), -np.logaddexp(0, x) - np.log(max(grades - 1, 1))

    if settled:
        hit = sums.truth[instance, ratings.grade]
        sums.log_likelihood[0] = (weight * (hit * log_right + (1 - hit) * log_wrong)).sum()
    else:
        sums.truth[:], sums.log_likelihood[0] = _posterior(ratings, log_prior, instance, weight, log_right, log_wrong)

    excess = weight * (sums.truth[instance, ratings.grade] - right)
    spread = weight * right * (1 - right)
    by_annotator = (excess * beta[instance], spread * beta[instance] ** 2)
    for column, (annotator, of_instance) in enumerate(zip(by_annotator, (excess * x, spread * x**2), strict=True)):
        sums.annotator[:, column] = np.bincount(ratings.annotator, annotator, alpha.size)
        sums.instance[:, column] = np.bincount(instance, of_instance, instances)


def _posterior(
    ratings: GladRatings,
    log_prior: Floats,
    instance: NDArray[np.int64],
    weight: Floats,
    log_right: Floats,
    log_wrong: Floats,
) -> tuple[Floats, float]:
    """P(z_m = k | ratings) (M, K), and the log-likelihood; all but the prior are (L,)."""
    grades, instances = log_prior.size, ratings.instance_ptr.size - 1
    joint = np.tile(log_prior, (instances, 1))  # (M, K): ln P(ratings, z = k)
    joint += np.bincount(instance, weight * log_wrong, instances)[:, None]
    np.add.at(joint, (instance, ratings.grade), weight * (log_right - log_wrong))
    if ratings.known is not None:
        others = (ratings.known[:, None] >= 0) & (ratings.known[:, None] != np.arange(grades))
        joint[others] = -np.inf
    total = np.logaddexp.reduce(joint, axis=1)
    return np.exp(joint - total[:, None]), float(total.sum())
