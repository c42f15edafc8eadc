"""What to simulate: sizes, who the annotators are, and the parameters of the model."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from truegrade.errors import OptionError
from truegrade.scale import MAX_GRADES, Scale

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["Design", "Difficulty"]

Difficulty = Literal["none", "category", "instance"]
_MOST_RATINGS = 10**9  # of one simulation: more would not fit into memory


@dataclass(frozen=True, kw_only=True)
class Design:
    """The options of :func:`truegrade.simulation.simulate`.

    >>> Design(instances=30, grades=3).total
    120
    >>> Design(instances=10, n_ratings=5)
    Traceback (most recent call last):
    truegrade.errors.OptionError: 10 instances need at least as many ratings, not 5
    """

    instances: int = 1000  # M; each gets at least one rating, the others fall at random
    annotators: int = 50  # N; nobody rates an instance twice as long as there is somebody else
    categories: int = 1  # C, as nearly as possible equally large; only more than one are given ids
    grades: int = 5  # K, for the scale 1..K
    scale: Scale | str | Sequence[Any] | None = None  # instead of `grades`: anything that Scale.of takes
    ratings_per_instance: float = 4.0  # the mean over instances
    n_ratings: int | None = None  # L, instead of `ratings_per_instance`
    spammers: float = 0.1  # share of annotators whose earnestness is uniform on `spam` instead of `earnest`
    adversaries: float = 0.0  # share of annotators who, in earnest, rate the truth mirrored at the scale's middle
    difficulty: Difficulty = "none"  # what has an ease ~ Gamma(phi, eta) of its own; "none": every ease is 1
    busy: float = 1.0  # an annotator's share of the ratings falls as rank^-busy (Zipf); 0 = all alike
    alpha: float = 2.0  # shape of the expertise tau ~ Gamma(alpha, beta)
    beta: float | None = None  # its inverse scale; by default tau has mean (5 / width)^2, for K grades (5 / K)^2
    phi: float = 10.0  # shape of the ease
    eta: float = 5.0  # inverse scale of the ease
    mu: float | None = None  # of z ~ N(mu, 1/lam) truncated to the thresholds; by default the mean of the grades
    lam: float | None = None  # by default the standard deviation of z is a quarter of the scale's width
    pi: Sequence[float] | None = None  # chance of each grade in spam (K,); by default equal
    earnest: tuple[float, float] = (0.8, 1.0)  # range of the earnestness of those who are no spammers
    spam: tuple[float, float] = (0.0, 0.2)  # range of the earnestness of spammers

    def __post_init__(self) -> None:
        self._check_sizes()
        self._check_shares()
        self._check_parameters()

    def _check_sizes(self) -> None:
        for name in ("instances", "annotators", "categories"):
            if getattr(self, name) < 1:
                raise OptionError(f"{name} must be at least 1, not {getattr(self, name)}")
        if self.scale is None and not 1 <= self.grades <= MAX_GRADES:
            raise OptionError(f"grades must be from 1 to {MAX_GRADES}, not {self.grades}")
        if self.grade_scale.is_real:
            raise OptionError("a simulation needs a scale with grades")
        if self.categories > self.instances:
            raise OptionError(f"{self.categories} categories need at least as many instances, not {self.instances}")
        if not self.ratings_per_instance <= _MOST_RATINGS or self.total > _MOST_RATINGS:
            raise OptionError(f"that is more than {_MOST_RATINGS:.0e} ratings; ask for fewer ratings_per_instance")
        if self.total < self.instances:
            raise OptionError(f"{self.instances} instances need at least as many ratings, not {self.total}")

    def _check_parameters(self) -> None:
        if self.difficulty not in ("none", "category", "instance"):
            raise OptionError(f"difficulty='{self.difficulty}': choose 'none', 'category' or 'instance'")
        for name in ("alpha", "beta", "phi", "eta", "lam"):
            value = getattr(self, name)
            if value is not None and not 0 < value < np.inf:
                raise OptionError(f"{name} must be positive, not {value}")
        if self.mu is not None and not np.isfinite(self.mu):
            raise OptionError(f"mu must be finite, not {self.mu}")
        if self.pi is not None:
            pi = np.asarray(self.pi, dtype=np.float64)
            if pi.shape != (self.grade_scale.n_grades,) or not (np.all(pi >= 0) and 0 < pi.sum() < np.inf):
                raise OptionError(f"pi must be {self.grade_scale.n_grades} chances, one per grade, not all of them 0")

    def _check_shares(self) -> None:
        if not (self.spammers >= 0 and self.adversaries >= 0 and self.spammers + self.adversaries <= 1):
            raise OptionError(
                f"spammers={self.spammers} and adversaries={self.adversaries}: shares must add up to at most 1"
            )
        if not 0 <= self.busy < np.inf:
            raise OptionError(f"busy must be 0 or more, not {self.busy}")
        for name in ("earnest", "spam"):
            low, high = getattr(self, name)
            if not 0 <= low <= high <= 1:
                raise OptionError(f"{name}=({low}, {high}): choose a range inside 0 .. 1")

    @classmethod
    def of(cls, options: dict[str, Any]) -> Design:
        """A design from options by name, with an error that lists the names."""
        known = [f.name for f in fields(cls)]
        for name in options:
            if name not in known:
                raise OptionError(f"simulate has no option '{name}'; choose from {', '.join(known)}")
        return cls(**options)

    @cached_property
    def grade_scale(self) -> Scale:
        """The scale of the ratings."""
        return Scale.of(range(1, self.grades + 1) if self.scale is None else self.scale)

    @cached_property
    def total(self) -> int:
        """L."""
        return round(self.instances * self.ratings_per_instance) if self.n_ratings is None else self.n_ratings

    @property
    def limits(self) -> tuple[float, float]:
        """b_0 and b_K, the finite outer thresholds, between which every truth lies."""
        thresholds = self.grade_scale.thresholds
        return float(thresholds[0]), float(thresholds[-1])

    @property
    def truth_mean_sd(self) -> tuple[float, float]:
        """The mean and standard deviation of z before truncation."""
        low, high = self.limits
        mean = float(self.grade_scale.array.mean()) if self.mu is None else self.mu
        return mean, (high - low) / 4 if self.lam is None else self.lam**-0.5

    @property
    def expertise_rate(self) -> float:
        """The inverse scale of tau."""
        low, high = self.limits
        return self.alpha * ((high - low) / 5) ** 2 if self.beta is None else self.beta

    @property
    def spam_chances(self) -> NDArray[np.float64]:
        """pi (K,), adding up to 1."""
        n_grades = self.grade_scale.n_grades
        pi = np.ones(n_grades) if self.pi is None else np.asarray(self.pi, dtype=np.float64)
        return np.asarray(pi / pi.sum())
