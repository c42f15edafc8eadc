"""Auto: several models fitted side by side, scored on ratings that were held back, and stacked.

No model is best on all data, and without gold nobody can say which is. So none is picked: the estimate is a weighted
mean of theirs. Weights begin at a prior, follow the score without collapsing on one model, and lean to the plain mean
where annotators gave few ratings. docs/models/auto.md has the reasons.
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import asdict, dataclass, field, replace
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from truegrade.errors import OptionError
from truegrade.fit import Fit, Status, about_input
from truegrade.models._auto_answers import explanation, lent, member_parameters, predicted, rating_probabilities
from truegrade.models._auto_evidence import beliefs_of
from truegrade.models._auto_members import Member, members_for
from truegrade.models._auto_score import HoldOut, Scores
from truegrade.models._auto_stack import Stack, is_sound, stack, weigh
from truegrade.models._auto_subset import muted, voices
from truegrade.models._base import checked_inputs, require_whole
from truegrade.models._journal import journal_of
from truegrade.models._options import check_choices
from truegrade.models._panel_named import check_names
from truegrade.models._summary import known_truths
from truegrade.models._warm import check_start
from truegrade.models.ordinal_panel import OrdinalPanel

if TYPE_CHECKING:
    import pyarrow as pa
    from numpy.typing import NDArray

    from truegrade.models._base import Progress
    from truegrade.models._journal import Journal, Keeper
    from truegrade.ratings import Ratings

    Floats = NDArray[np.float64]

__all__ = ["Auto"]

_BARELY = 0.002  # nats per rating: a difference of scores that says nothing
_CAREFUL = 1.5  # standard errors below the mean's score that are worth a warning
_USELESS = "raise max_iterations"  # the end of an advice that nobody can follow here


@dataclass(frozen=True, kw_only=True)
class Auto:
    """A stack of the panel, the mixture, pooled Dawid-Skene, Continuous and the mean.

    held_out: share of the ratings that members are scored on; each member is then fitted to the others as well.
        0 trusts the prior weights and saves half of the time.
    excluded: annotators whose ratings tell nothing about the truth; they stay in the tables.
    trusted: annotators who are taken to err hardly ever; the panel knows what to make of it, as of groups.
    groups: annotator -> group, such as people and machines, each with a population of its own.
    seed: of the members' starts and of which ratings are held back.
    """

    name: ClassVar[str] = "auto"
    held_out: float = 0.2
    excluded: tuple[str, ...] = ()
    trusted: tuple[str, ...] = ()
    groups: dict[str, str] = field(default_factory=dict)
    seed: int = 0

    def __post_init__(self) -> None:
        check_choices(self)
        if not 0 <= self.held_out <= 0.5:
            raise OptionError(f"held_out={self.held_out}: is a share of the ratings; choose 0 to 0.5")

    def fit(
        self,
        ratings: Ratings,
        gold: Any = None,
        start: Fit | None = None,
        progress: Progress | None = None,
        *,
        checkpoint: Keeper = None,
    ) -> Fit:
        """Fit every member, score it, and stack them.

        gold: truths that are known, passed on to every member.
        start: an earlier fit of auto; the members begin from it.
        progress: called after every pass of the panel.
        checkpoint: keeps how far the fit has come in a file.
        """
        require_whole(self.name, ratings)
        gold = checked_inputs(ratings, gold)
        check_names(OrdinalPanel(**self._known()), ratings)
        if start is not None:
            check_start(self.name, ratings, start)
        journal = journal_of(checkpoint, self, ratings, gold, start)
        members = self.members(ratings)
        voice = voices(ratings, self.excluded)
        heard = muted(ratings, voice)
        fits: list[Fit] = []
        for member in members:
            model = member.begun() if _interrupted(fits) else member.model
            earlier = None if start is None or not member.learns else lent(start, member)
            part = None if journal is None else journal.within(member.name)
            if member.leads:
                fits.append(model.fit(ratings, gold, earlier, progress, checkpoint=part))
            else:
                fits.append(model.fit(heard, gold, earlier, checkpoint=part))
        scores, interrupted = self._scores(heard, voice, members, journal, interrupted=_interrupted(fits))
        sound = np.array([is_sound(fit, heard) for fit in fits])
        weights = weigh(members, sound, scores, heard)
        beliefs = beliefs_of(ratings, fits, voice)
        stacked = stack(heard, beliefs, weights, known_truths(ratings, gold))
        shown = {f"estimate_{m.column}": belief.estimate for m, belief in zip(members, beliefs, strict=True)}
        found = replace(self._end(ratings, members, fits, scores, stacked), instance_columns=shown)
        return replace(found, status=Status.INTERRUPTED) if interrupted else found

    def members(self, ratings: Ratings) -> list[Member]:
        """The models that are stacked for these ratings."""
        return members_for(ratings, self.seed, self._known())

    def _known(self) -> dict[str, Any]:
        """What the user said about annotators."""
        return {"excluded": self.excluded, "trusted": self.trusted, "groups": self.groups}

    def _scores(
        self, heard: Ratings, voice: Floats, members: list[Member], journal: Journal | None, *, interrupted: bool
    ) -> tuple[Scores, bool]:
        """How well each member tells held-back ratings, and whether the user stopped it before that was known."""
        models = [member.scored for member in members]
        if not interrupted:
            with suppress(KeyboardInterrupt):
                return HoldOut.of(heard, self.held_out, self.seed, voice).scores(models, journal), False
        return Scores.none(len(models)), True

    def predict(self, fit: Fit, ratings: Ratings) -> Fit:
        """The truth of new instances by known annotators: every member's prediction, stacked as in the fit."""
        lead, stacked = predicted(fit, ratings, self.members(ratings), voices(ratings, self.excluded))
        return replace(
            lead,
            model=self.name,
            options=asdict(self),
            posterior=stacked.posterior,
            parameters={name: array for name, array in lead.parameters.items() if name == "confusion"},
            hyperparameters={"weights": fit.hyperparameters["weights"], "disagreement": stacked.disagreement},
        )

    def explain(self, fit: Fit, ratings: Ratings, instance: Any) -> pa.Table:
        """What each rating of an instance tells: see :func:`truegrade.models._auto_answers.explanation`."""
        return explanation(fit, ratings, instance, self.members(ratings), self.excluded)

    def rating_probabilities(
        self, fit: Fit, annotator: NDArray[np.int64], instance: NDArray[np.int64]
    ) -> NDArray[np.float64]:
        """The chance of each grade for pairs of codes of a fit (P, K); code -1 is unknown."""
        return rating_probabilities(fit, annotator, instance)

    def _end(
        self,
        ratings: Ratings,
        members: list[Member],
        fits: list[Fit],
        scores: Scores,
        stacked: Stack,
    ) -> Fit:
        lead = fits[-1]
        told = dict(zip((m.name for m in members), scores.mean.tolist(), strict=True)) if scores.known else {}
        weights = {member.name: float(w) for member, w in zip(members, stacked.weights, strict=True)}
        notes = [note for note in lead.notes if note not in ratings.notes() and not note.endswith(_USELESS)]
        if lead.status is Status.MAX_ITER and not _interrupted(fits):
            notes.append(f"{lead.model} inside was still moving after {lead.iterations} passes")
        return Fit(
            model=self.name,
            options=asdict(self),
            status=lead.status,
            posterior=stacked.posterior,
            annotator_columns=lead.annotator_columns,
            parameters=member_parameters(members, fits),
            hyperparameters={
                "weights": weights,
                "scores": told,
                "disagreement": stacked.disagreement,
                "members": {member.name: dict(fit.hyperparameters) for member, fit in zip(members, fits, strict=True)},
            },
            iterations=lead.iterations,
            trace=lead.trace,
            bounds=lead.bounds,
            seed=self.seed,
            notes=(*ratings.notes(), *dict.fromkeys((*_reasons(members, scores, stacked), *notes))),
            **about_input(ratings),
        )


def _interrupted(fits: list[Fit]) -> bool:
    return any(fit.status is Status.INTERRUPTED for fit in fits)


def _reasons(members: list[Member], scores: Scores, stacked: Stack) -> list[str]:
    """What was chosen and why, in plain words."""
    order = np.argsort(-stacked.weights, kind="stable")
    shares = ", ".join(f"{members[i].name} {100 * stacked.weights[i]:.0f} %" for i in order)
    notes = [f"stacked: {shares}"]
    unsound = [member.name for member, weight in zip(members, stacked.weights, strict=True) if weight == 0]
    if unsound:
        notes.append(f"left out, since they collapsed or run against the ratings: {', '.join(unsound)}")
    if not scores.known:
        return [*notes, "no ratings were held back: the weights are those that do well elsewhere"]
    means = scores.mean
    best = int(np.argmax(means))
    near = [members[i].name for i in np.flatnonzero(means > means[best] - _BARELY) if i != best]
    beside = f" (level with {', '.join(near)})" if near else ""
    notes.append(
        f"{members[best].name}{beside} told {scores.weight.size} held-back ratings best: "
        f"{means[best]:.3f} per rating in log-probability, the mean {means[0]:.3f}"
    )
    if scores.worse(-1, 0) > _CAREFUL:
        notes.append(
            f"{members[-1].name} tells held-back ratings worse than the plain mean does: look at the mean's column"
        )
    return notes
