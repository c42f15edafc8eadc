"""What an annotator's confusion matrix says about it: P(says j | truth is k) as a few numbers.

confusion is (N, K, K): annotator, truth, said. prevalence is (K,): how common each true grade is.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from truegrade.scale import Scale

    Floats = NDArray[np.float64]

__all__ = ["adversaries", "confusion_columns"]

_SURE = 3.0  # standard errors below 0 at which a correlation is called negative


def confusion_columns(confusion: Floats, prevalence: Floats, scale: Scale) -> dict[str, Floats]:
    """The annotators' columns (N,) that follow from their confusion matrices; NaN where one is not defined.

    With (z, r) drawn from prevalence and confusion, v the scale's values and h its typical step:

    - spamminess: how far r is from depending on z. 1 - d/d_max, d the total variation distance of (z, r) from
      independent draws with the same margins, d_max = 1 - sum of prevalence^2 that of an annotator who is always
      right. Who copies the truth with probability 1 - s and else draws blindly has exactly s.
    - bias: E(r - z). stretch: the slope of E(r | z) in z; below 0 the scale is used upside down.
    - expertise: 1 / (E(r - z)^2 + h^2/12); the second term is the width of a grade, so that it stays finite.
    - expected_agreement: P(r = z).
    """
    v = scale.array
    step = (v[-1] - v[0]) / (v.size - 1) if v.size > 1 else 1.0
    joint = prevalence[:, None] * confusion  # (N, K, K)
    said = joint.sum(axis=1)  # (N, K)
    apart = np.abs(joint - prevalence[None, :, None] * said[:, None, :]).sum(axis=(1, 2)) / 2
    farthest = 1 - float(prevalence @ prevalence)
    mean_said = confusion @ v  # (N, K): E(r | z)
    centred = v - prevalence @ v
    spread = float(prevalence @ centred**2)
    distance = joint.reshape(len(joint), -1) @ ((v[:, None] - v) ** 2).ravel()
    unknown = np.full(len(confusion), np.nan)
    return {
        "spamminess": np.clip(1 - apart / farthest, 0.0, 1.0) if farthest > 0 else unknown,
        "expertise": 1 / (distance + step**2 / 12),
        "bias": (mean_said - v) @ prevalence,
        "stretch": mean_said @ (prevalence * centred) / spread if spread > 0 else unknown,
        "expected_agreement": np.einsum("k,nkk->n", prevalence, confusion),
    }


def adversaries(counts: Floats, grade_values: Floats, node_values: Floats) -> NDArray[np.bool_]:
    """The annotators whose ratings surely fall as the truth rises (N,).

    counts (N, K, G) are the soft counts of grades and nodes. Sure is a correlation of more than three standard
    errors below 0, so that nobody is accused on a few ratings.
    """
    weight = counts.sum(axis=(1, 2))
    safe = np.maximum(weight, 1e-300)
    grade, node = grade_values - grade_values.mean(), node_values - node_values.mean()
    by_grade, by_node = counts.sum(axis=2), counts.sum(axis=1)
    mean_r, mean_z = by_grade @ grade / safe, by_node @ node / safe
    covariance = (counts @ node) @ grade / safe - mean_r * mean_z
    variance_r = by_grade @ grade**2 / safe - mean_r**2
    variance_z = by_node @ node**2 / safe - mean_z**2
    scale = np.sqrt(np.maximum(variance_r * variance_z, 0.0))
    tiny = 1e-12 * (np.ptp(grade) * np.ptp(node) + 1e-300)
    correlation = np.divide(covariance, scale, out=np.zeros_like(scale), where=scale > tiny)
    found: NDArray[np.bool_] = correlation * np.sqrt(weight) < -_SURE
    return found
