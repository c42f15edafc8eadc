"""The first section: what was found, in words."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

import numpy as np

from truegrade.fit import Status
from truegrade.reliability_intervals import alpha_interval
from truegrade.report.parts import Section
from truegrade.report.text import listed, number, share, shown_note
from truegrade.scale_check import nominal_note

if TYPE_CHECKING:
    from truegrade.report.material import Material

__all__ = ["summary"]

# Krippendorff's own marks are .667 (tentative conclusions) and .8 (reliable); those below are ours.
_AGREEMENT = ((0.8, "strong"), (0.667, "fair"), (0.4, "moderate"), (0.2, "weak"), (-1.0, "hardly above chance"))
_MOST = 0.5  # share of the ratings by annotators to drop above which the fault may lie elsewhere
_UNSURE = 0.5  # P(grade) below which an instance deserves another rating


def summary(material: Material) -> Section:
    """How many ratings, how far they agree, which model, how sure the truth is, and what to do next."""
    words = [_size(material), *_agreement(material), *_model(material), *_certainty(material), _next(material)]
    return Section("summary", "Summary", words)


def _size(material: Material) -> str:
    counts, scale = material.fit.counts, material.fit.scale
    per_instance = counts["ratings"] / max(counts["instances"], 1)
    return (
        f"{_counted(counts['ratings'], 'rating')} of {_counted(counts['instances'], 'instance')} by "
        f"{_counted(counts['annotators'], 'annotator')} on the scale {shown_note(str(scale))}, "
        f"{per_instance:.1f} per instance."
    )


def _agreement(material: Material) -> list[str]:
    if material.ratings is None or material.ratings.scale.n_grades < 2:
        return []
    found = alpha_interval(material.ratings, "ordinal")
    if found is None:
        return ["Agreement cannot be measured: no instance was rated twice, or all ratings are the same."]
    word = next(word for limit, word in _AGREEMENT if found.estimate >= limit)
    sentence = (
        f"The annotators' agreement is {word}: Krippendorff's alpha is {found.estimate:.2f} "
        f"(95 % interval {found.lower:.2f} to {found.upper:.2f}; 1 is perfect, 0 is chance)."
    )
    note = nominal_note(material.ratings)
    return [sentence] if note is None else [sentence, f"Warning: {shown_note(note)}."]


def _model(material: Material) -> list[str]:
    """The model, why this one, how it ended, and what it says of itself."""
    fit = material.fit
    ended = {
        Status.CONVERGED: "it converged" if fit.iterations else "it needs no iteration",
        Status.MAX_ITER: "it had not converged when the iterations ran out: run it longer before you rely on it",
    }.get(fit.status, f"it ended as {fit.status}: do not rely on it")
    why = "which weighs several models" if fit.model == "auto" else "as asked"
    words = [f"The truth was inferred by the model {fit.model}, {why}; {ended}."]
    words += [f"Note: {shown_note(note)}." for note in fit.notes]
    found = material.predictive
    if found is not None:
        failed = [check for check in found if not check.passed]
        told = "; ".join(check.verdict for check in failed)
        looks = f"in {len(failed)} of {len(found)} checks ratings drawn from this fit look unlike these: {told}"
        words.append(f"Checked: {looks if failed else 'ratings drawn from this fit look like these'}.")
    return words


def _certainty(material: Material) -> list[str]:
    fit = material.fit
    known = np.isfinite(fit.posterior.sd)
    if not known.any():
        return [f"The model {fit.model} does not say how sure it is of the truth."]
    words = [f"Half of the instances are known to within ± {number(float(np.median(fit.posterior.sd[known])))} (1 sd)."]
    if fit.scale.n_grades > 1:
        best = fit.posterior.probabilities(fit.scale).max(axis=1)
        unsure = int(np.count_nonzero(best < _UNSURE))
        for_how_many = (
            f"For {_counted(unsure, 'instance')} ({share(unsure / best.size)}) no" if unsure else "For all, some"
        )
        words.append(f"{for_how_many} grade reaches a probability of one half.")
    return words


def _next(material: Material) -> str:
    todo = []
    fit = material.fit
    if fit.status is Status.MAX_ITER:
        todo.append("fit again with more iterations")
    if material.advice is not None and material.ratings is not None:
        actions = Counter(advice.action for advice in material.advice)
        if actions["drop"]:
            dropped = np.array([advice.action == "drop" for advice in material.advice])
            part = float(dropped[material.ratings.annotator].mean())
            todo.append(f"drop {_counted(actions['drop'], 'annotator')} ({share(part)} of the ratings)")
            if part > _MOST:
                todo.insert(0, "look at the task and the scale first, since so much spam is rare")
        if actions["retrain"]:
            todo.append(f"retrain {_counted(actions['retrain'], 'annotator')}")
    if fit.scale.n_grades > 1 and np.isfinite(fit.posterior.sd).any():
        unsure = int(np.count_nonzero(fit.posterior.probabilities(fit.scale).max(axis=1) < _UNSURE))
        if unsure:
            instances = "instance" if unsure == 1 else f"{number(unsure)} instances"
            todo.append(f"have the least certain {instances} rated again")
    return f"What to do next: {listed(todo)}." if todo else "What to do next: nothing stands out."


def _counted(count: int, noun: str) -> str:
    return f"{number(count)} {noun}{'s' * (count != 1)}"
