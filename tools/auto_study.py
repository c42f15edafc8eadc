"""Choose the constants of Auto on simulations, and print what each is worth: the tables of docs/models/auto.md.

    python tools/auto_study.py [DRAWS PER FAMILY] [FOLDER TO KEEP DRAWS IN]

Every world of `study_worlds` is drawn so many times, and Auto's members are fitted once to each draw. A rule is then
measured by two figures against the truth: the squared error as a share of the mean's, and the log-loss. Each constant
is moved along its values until none improves their sum; of values that differ by less than .0005 the more cautious one
is taken. That is done anew without each family in turn, and the rule found is measured on the family that it has not
seen. No real ratings are read, and no gold.
"""

from __future__ import annotations

import pickle
import sys
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field, fields, replace
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

TIE = 5e-4
WEIGHTS = (1.0, 0.5, 2.0, 0.0, 4.0, 8.0)
VALUES = {  # of each constant, the most cautious first
    "continuous": WEIGHTS,
    "dawid_skene": WEIGHTS,
    "ordinal_mixture": WEIGHTS,
    "ordinal_panel": (1.0, 2.0, 4.0, 8.0, 16.0),
    "slope": (2.0, 1.0, 0.5, 0.25),
    "doubt": (0.4, 0.2, 0.1, 0.05, 0.0),
    "few": (100.0, 50.0, 30.0, 20.0, 10.0, 0.0),
    "shared": (0.3, 0.2, 0.15, 0.1, 0.05, 0.0),
    "softening": (1.0, 0.75, 0.5, 0.25, 0.0),
    "misled": (0.2, 0.1, 0.05, 0.03, 0.01, 0.0),
}
_TINY = 1e-12


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
        fits = [member.model.fit(ratings) for member in members]
        scores = HoldOut.of(ratings, 0.2, 0).scores([member.model for member in members])
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

    def better(self, rules: list[Rule], families: list[str]) -> Rule:
        """The best of these rules; the first of those that are as good."""
        sums = [self.mean(rule, families).sum() for rule in rules]
        return next(rule for rule, found in zip(rules, sums, strict=True) if found < min(sums) + TIE)

    def search(self, families: list[str], rule: Rule) -> Rule:
        """Move one constant after the other to its best value, until none moves."""
        while True:
            before = rule
            for name, values in VALUES.items():
                rules = [replace(rule, **{name: value}) for value in values]
                rule = self.better(rules, families)
            if rule == before:
                return rule


def main() -> None:
    draws = int(sys.argv[1]) if len(sys.argv) > 1 else 24
    folder = Path(sys.argv[2]) if len(sys.argv) > 2 else None
    jobs = list(product(WORLDS, range(draws)))
    with ProcessPoolExecutor(2) as pool:
        study = Study([case for case in pool.map(kept, jobs, [folder] * len(jobs)) if case is not None])
    families = list(WORLDS)
    chosen = study.search(families, RULE)
    print("chosen:", chosen, "\n")
    about_values(study, chosen)
    about_families(study, chosen)


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


def about_values(study: Study, chosen: Rule) -> None:
    families = list(WORLDS)
    print("| constant | value: MSE over the mean's, log-loss | without one family |\n|---|---|---|")
    for name, values in VALUES.items():
        rules = [replace(chosen, **{name: value}) for value in values]
        cells = []
        for value, rule in zip(values, rules, strict=True):
            error, loss = study.mean(rule, families)
            cell = f"{value:g}: {error:.3f}, {loss:.3f}"
            cells.append(f"**{cell}**" if rule == chosen else cell)
        without = {getattr(study.better(rules, [f for f in families if f != left]), name) for left in families}
        print(f"| {name} | {'; '.join(cells)} | {', '.join(f'{value:g}' for value in sorted(without))} |", flush=True)


def about_families(study: Study, chosen: Rule) -> None:
    names = [f.name for f in fields(Rule)]
    print("\n| family | " + " | ".join(f"{m} alone" for m in names[1:5]) + " | chosen on all | chosen without it |")
    print("|---|---|---|---|---|---|---|")
    rows = []
    for family in WORLDS:
        cases = [case for case in study.cases if case.family == family]
        alone = np.mean([[case.loss(fit.posterior) for fit in case.fits[1:]] for case in cases], axis=0)
        other = study.search([f for f in WORLDS if f != family], chosen)
        rows.append([*alone, study.mean(chosen, [family]), study.mean(other, [family])])
        print(f"| {family} |", " | ".join(f"{error:.2f}, {loss:.2f}" for error, loss in rows[-1]), "|", flush=True)
    print("| mean |", " | ".join(f"{error:.3f}, {loss:.3f}" for error, loss in np.mean(rows, axis=0)), "|")


if __name__ == "__main__":
    main()
