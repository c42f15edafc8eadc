"""What to do about each annotator: keep, retrain, review or drop, and why in words."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np

from truegrade.screening import Screening, screen

if TYPE_CHECKING:
    from truegrade.ratings import Ratings

__all__ = ["FEW", "Advice", "advise"]

Action = Literal["keep", "retrain", "review", "drop"]

FEW = 11  # ratings; with fewer nobody is judged
_SURE = 0.8  # probability of being a spammer from which one is dropped: on simulations 1 honest one in 50 at most
_DOUBT = 0.2  # ... and from which one deserves a look
_REVERSED = -0.3  # correlation with the others below which the scale seems read upside down
_HEEDS = 0.4  # ... and above which the instances are looked at, however odd the grades
_BIASED = 0.5  # of a grade step
_SIGMAS = 3.0  # what is smaller than so many standard errors may be chance


@dataclass(frozen=True)
class Advice:
    """What to do about one annotator."""

    action: Action
    reason: str


def advise(ratings: Ratings, screening: Screening | None = None) -> list[Advice]:
    """Advice for every annotator, in the order of the codes.

    Nobody is dropped for fewer than 11 ratings, nor without being a spammer with probability .8.
    """
    found = screen(ratings) if screening is None else screening
    given = ratings.ratings_per_annotator()
    if found is None:
        return [Advice("review", "ratings without grades cannot be checked for spam")] * given.size
    step = (ratings.scale.high - ratings.scale.low) / (ratings.scale.n_grades - 1)
    return [_advice(found, n, int(given[n]), step) for n in range(given.size)]


def _advice(found: Screening, n: int, given: int, step: float) -> Advice:
    spammer, correlation, bias = found.spammer[n], found.correlation[n], found.bias[n]
    if given < FEW:
        return Advice("review", f"only {given} rating{'s' * (given != 1)}: too few to judge")
    sure = abs(correlation) * np.sqrt(given) > _SIGMAS  # False where the correlation is not defined
    if sure and correlation < _REVERSED:
        return Advice("retrain", f"seems to read the scale upside down (correlation with the others {correlation:.2f})")
    if abs(bias) > _BIASED * step and abs(bias) > _SIGMAS * found.bias_sd[n] and sure and correlation > _HEEDS:
        way = "above" if bias > 0 else "below"
        return Advice("retrain", f"rates {abs(bias) / step:.1f} grades {way} the others on average")
    if spammer >= _SURE and not (sure and correlation > _HEEDS):
        return Advice("drop", f"rates without regard to the instance (probability {_share(spammer)})")
    if spammer >= _DOUBT:
        return Advice("review", f"often rates without regard to the instance (probability {_share(spammer)})")
    return Advice("keep", f"{_share(found.earnestness[n])} of the ratings fit the others'")


def _share(probability: float) -> str:
    return f"{min(probability, 0.99):.0%}"
