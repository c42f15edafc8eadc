"""Choose the constants of Auto on simulations, and print what each is worth: the tables of docs/models/auto.md.

    python tools/auto_study.py [DRAWS PER FAMILY] [FOLDER TO KEEP DRAWS IN]

Every world of `study_worlds` is drawn so many times, and Auto's members are fitted once to each draw. A rule is then
measured by two figures against the truth: the squared error as a share of the mean's, and the log-loss. The search
moves one constant after the other along its values, from equal weights and no corrections, until none improves their
sum. It is done anew without each family in turn, and the rule found is measured on the family that it has not seen. No
real ratings are read, and no gold.
"""

from __future__ import annotations

import pickle
import sys
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import product
from pathlib import Path

import numpy as np
from study_worlds import WORLDS, draw

from truegrade.models._auto_evidence import beliefs_of
from truegrade.models._auto_members import members_for
from truegrade.models._auto_rule import RULE, Rule
from truegrade.models._auto_score import HoldOut, Scores
from truegrade.models._auto_stack import is_sound, stack, weigh
from truegrade.posterior import VotePosterior

WEIGHTS = (0.0, 0.5, 1.0, 2.0, 4.0, 8.0, 16.0)
VALUES = {
    "continuous": WEIGHTS,
    "dawid_skene": WEIGHTS,
    "ordinal_mixture": WEIGHTS,
    "ordinal_panel": WEIGHTS,
    "slope": (0.0, 0.25, 0.5, 1.0, 2.0),
    "doubt": (0.0, 0.05, 0.1, 0.2, 0.4),
    "few": (0.0, 10.0, 20.0, 30.0, 50.0, 100.0),
    "shared": (0.0, 0.05, 0.1, 0.15, 0.2, 0.3),
    "softening": (0.0, 0.25, 0.5, 0.75, 1.0),
    "misled": (0.0, 0.01, 0.03, 0.05, 0.1),
}
NOTHING = Rule(
    **dict.fromkeys(list(VALUES)[:4], 1.0), slope=0.0, doubt=0.2, few=0.0, shared=0.0, softening=0.0, misled=0.0
)
LEVELS = (0.5, 0.8, 0.9, 0.95)
_TINY = 1e-12
_STILL = 2e-4  # a gain that is worth moving for


@dataclass
class Case:
    """One draw, its members' fits and scores, and the truth."""

    family: str
    ratings: object
    fits: list
    scores: Scores
    truth: np.ndarray  # (M,)
    known: dict = field(default_factory=dict)  # the members' beliefs, by the correlation they were told

    @classmethod
    def of(cls, family: str, seed: int) -> Case:
        world = draw(family, seed)
        ratings = world.ratings()
        members = members_for(ratings, 0)
        fits = [member.scored.fit(ratings) for member in members]  # without draws: twice as fast, hardly different
        scores = HoldOut.of(ratings, 0.2, 0).scores([member.scored for member in members])
        return cls(family, ratings, fits, scores, world.truth_of(ratings))

    def beliefs(self, shared: float) -> list[VotePosterior]:
        if shared not in self.known:
            scale = self.ratings.scale
            self.known[shared] = [
                VotePosterior(b.estimate, b.sd, b.probabilities(scale), b.grade(scale))
                for b in beliefs_of(self.ratings, self.fits, None, shared)
            ]
        return self.known[shared]

    @cached_property
    def sound(self) -> np.ndarray:
        return np.array([is_sound(fit, self.ratings) for fit in self.fits])

    def stacked(self, rule: Rule):
        beliefs = self.beliefs(rule.shared)
        weights = weigh(members_for(self.ratings, 0), self.sound, self.scores, self.ratings, rule)
        return stack(self.ratings, beliefs, weights, None, rule).posterior

    def loss(self, posterior) -> np.ndarray:
        """MSE as a share of the mean's, and log-loss."""
        scale = self.ratings.scale
        mean = self.fits[0].posterior.estimate
        p = posterior.probabilities(scale)[np.arange(len(mean)), scale.nearest(self.truth)]
        error = np.mean((posterior.estimate - self.truth) ** 2) / max(np.mean((mean - self.truth) ** 2), _TINY)
        return np.array([min(error, 5.0), -np.log(np.maximum(p, _TINY)).mean()])

    def coverage(self, posterior) -> list[float]:
        """The share of truths inside the interval of each level."""
        bounds = [posterior.interval(level) for level in LEVELS]
        return [float(np.mean((self.truth >= low) & (self.truth <= high))) for low, high in bounds]


class Study:
    """Rules measured on all cases, each once."""

    def __init__(self, cases: list[Case]) -> None:
        self.cases = cases
        self.family = np.array([case.family for case in cases])
        self.known: dict[Rule, np.ndarray] = {}

    def losses(self, rule: Rule) -> np.ndarray:
        """(cases, 2)."""
        if rule not in self.known:
            self.known[rule] = np.array([case.loss(case.stacked(rule)) for case in self.cases])
        return self.known[rule]

    def mean(self, rule: Rule, families: list[str]) -> np.ndarray:
        """Both figures, every family counting alike (2,)."""
        losses = self.losses(rule)
        return np.mean([losses[self.family == family].mean(axis=0) for family in families], axis=0)

    def search(self, families: list[str], rule: Rule = NOTHING) -> Rule:
        """Move one constant after the other to its best value, until none moves."""
        while True:
            before = rule
            for name, values in VALUES.items():
                rules = [replace(rule, **{name: value}) for value in values]
                sums = [self.mean(r, families).sum() for r in rules]
                if min(sums) < self.mean(rule, families).sum() - _STILL:
                    rule = rules[int(np.argmin(sums))]
            if rule == before:
                return rule


def main() -> None:
    draws = int(sys.argv[1]) if len(sys.argv) > 1 else 16
    folder = Path(sys.argv[2]) if len(sys.argv) > 2 else None
    jobs = list(product(WORLDS, range(draws)))
    with ProcessPoolExecutor(2) as pool:
        study = Study([case for case in pool.map(kept, jobs, [folder] * len(jobs)) if case is not None])
    about_values(study)
    about_families(study)
    about_intervals(study)


def kept(job: tuple[str, int], folder: Path | None) -> Case | None:
    """A case, from the folder where it was drawn before; None where the world gave only one grade."""
    family, seed = job
    path = folder / f"{family}-{seed}.pickle" if folder else None
    if path and path.exists():
        return pickle.loads(path.read_bytes())
    case = Case.of(family, seed) if draw(family, seed).ratings().scale.n_grades > 1 else None
    if path:
        folder.mkdir(parents=True, exist_ok=True)
        path.write_bytes(pickle.dumps(case))
    return case


def about_values(study: Study) -> None:
    """What each constant of the rule in use is worth, the others staying as they are."""
    families = list(WORLDS)
    for label, rule in (
        ("equal weights, no corrections", NOTHING),
        ("found", study.search(families)),
        ("in use", RULE),
    ):
        print(f"{label}: {told(study.mean(rule, families))}: {rule}")
    print("\n| constant | value: MSE over the mean's, log-loss |\n|---|---|")
    for name, values in VALUES.items():
        cells = []
        for value in values:
            rule = replace(RULE, **{name: value})
            cell = f"{value:g}: {told(study.mean(rule, families))}"
            cells.append(f"**{cell}**" if rule == RULE else cell)
        print(f"| {name} | {'; '.join(cells)} |", flush=True)


def about_families(study: Study) -> None:
    """The members alone, the rule in use, and the rule found without the family."""
    columns = ("mean", "continuous", "dawid-skene", "ordinal-mixture", "ordinal-panel", "in use", "found without it")
    print("\n| family |", " | ".join(columns), "|\n|---|" + "---|" * len(columns))
    rows = []
    for family in WORLDS:
        cases = [case for case in study.cases if case.family == family]
        alone = np.mean([[case.loss(fit.posterior) for fit in case.fits] for case in cases], axis=0)
        unseen = study.search([f for f in WORLDS if f != family], RULE)
        rows.append([*alone, study.mean(RULE, [family]), study.mean(unseen, [family])])
        print(f"| {family} |", " | ".join(map(told, rows[-1])), "|", flush=True)
    print("| all |", " | ".join(map(told, np.mean(rows, axis=0))), "|")


def about_intervals(study: Study) -> None:
    """How many truths the intervals of the rule in use hold."""
    print("\n| family |", " | ".join(f"{100 * level:g} %" for level in LEVELS), "|\n|---|" + "---|" * len(LEVELS))
    for family in WORLDS:
        cases = [case for case in study.cases if case.family == family]
        held = np.mean([case.coverage(case.stacked(RULE)) for case in cases], axis=0)
        print(f"| {family} |", " | ".join(f"{100 * share:.0f}" for share in held), "|")


def told(figures: np.ndarray) -> str:
    return f"{figures[0]:.3f}, {figures[1]:.3f}"


if __name__ == "__main__":
    main()
