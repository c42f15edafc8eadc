"""The constants of Auto, chosen on simulations whose truth is known (tools/auto_study.py).

Simulations leave a range for two of them, softening and misled; docs/models/auto.md says how they were set inside it.
"""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["RULE", "Rule"]


@dataclass(frozen=True)
class Rule:
    """How members are weighed and made one; docs/models/auto.md shows what each constant is worth."""

    mean: float = 1.0  # weights before any rating was looked at
    continuous: float = 0.5
    dawid_skene: float = 0.5
    ordinal_mixture: float = 1.0
    ordinal_panel: float = 8.0
    slope: float = 0.25  # a member that lies x spreads behind the best score keeps exp(-slope x) of its weight
    doubt: float = 0.2  # of what the best gains: how far scores and truths may differ, however many ratings are told
    few: float = 20.0  # ratings in all at which the mean gets as much weight on top as all members have together
    shared: float = 0.15  # correlation of the errors on an instance that no rating reveals
    softening: float = 0.75  # of the disagreement between the members goes into P(grade),
    misled: float = 0.03  # and so much besides: some instances look like something else to everybody


RULE = Rule()
