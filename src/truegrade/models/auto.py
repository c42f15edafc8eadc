"""Auto: several models fitted side by side, scored on ratings that were held back, and stacked.

No model is best on all data, and without gold nobody can say which is. So none is picked: the estimate is a weighted
mean of theirs. Weights begin at a prior, follow the score without collapsing on one model, and lean to the plain mean
where annotators gave few ratings. docs/models/auto.md has the reasons.
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from truegrade.errors import OptionError
from truegrade.fit import Fit, Status, about_input
from truegrade.models._auto_members import Member, members_for
from truegrade.models._auto_score import HoldOut, Scores
from truegrade.models._auto_stack import Stack, is_sound, stack, weigh
from truegrade.models._base import checked_inputs
from truegrade.models._journal import journal_of
from truegrade.models._summary import known_truths
from truegrade.models.ordinal_panel import OrdinalPanel

if TYPE_CHECKING:
    import pyarrow as pa

    from truegrade.models._base import Progress
    from truegrade.models._journal import Journal, Keeper
    from truegrade.ratings import Ratings

__all__ = ["Auto"]

_BARELY = 0.002  # nats per rating: a difference of scores that says nothing
_CAREFUL = 1.5  # standard errors below the mean's score that are worth a warning


@dataclass(frozen=True, kw_only=True)
class Auto:
    """A stack of the panel, the mixture, pooled Dawid-Skene, Continuous and the mean.

    held_out: share of the ratings that members are scored on; each member is then fitted to the others as well.
        0 trusts the prior weights and saves half of the time.
    seed: of the members' starts and of which ratings are held back.
    """

    name: ClassVar[str] = "auto"
    held_out: float = 0.2
    seed: int = 0

    def __post_init__(self) -> None:
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
        start: an earlier fit of auto; the panel begins from it.
        progress: called after every pass of the panel.
        checkpoint: keeps how far the fit has come in a file.
        """
        gold = checked_inputs(ratings, gold)
        journal = journal_of(checkpoint, self, ratings, gold, start)
        members = members_for(ratings, self.seed)
        earlier = None if start is None else _panel_of(start)
        fits: list[Fit] = []
        for member in members:
            model = member.begun() if _interrupted(fits) else member.model
            part = None if journal is None else journal.within(member.name)
            given = (earlier, progress) if member.leads else ()
            fits.append(model.fit(ratings, gold, *given, checkpoint=part))
        scores, interrupted = self._scores(ratings, members, journal, interrupted=_interrupted(fits))
        sound = np.array([is_sound(fit, ratings) for fit in fits])
        weights = weigh(members, sound, scores, ratings)
        stacked = stack(ratings, fits, weights, known_truths(ratings, gold))
        found = self._end(ratings, members, fits, scores, stacked)
        return replace(found, status=Status.INTERRUPTED) if interrupted else found

    def _scores(
        self, ratings: Ratings, members: list[Member], journal: Journal | None, *, interrupted: bool
    ) -> tuple[Scores, bool]:
        """How well each member tells held-back ratings, and whether the user stopped it before that was known."""
        models = [member.model for member in members]
        if not interrupted:
            with suppress(KeyboardInterrupt):
                return HoldOut.of(ratings, self.held_out, self.seed).scores(models, journal), False
        return Scores.none(len(models)), True

    def predict(self, fit: Fit, ratings: Ratings) -> Fit:
        """The truth of new instances by known annotators, as the panel alone sees it."""
        found = OrdinalPanel().predict(_panel_of(fit), ratings)
        return replace(found, notes=(*found.notes, "predicted by the panel alone"))

    def explain(self, fit: Fit, ratings: Ratings, instance: Any) -> pa.Table:
        """What each rating of an instance tells the panel."""
        return OrdinalPanel().explain(_panel_of(fit), ratings, instance)

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
        notes = [note for note in lead.notes if note not in ratings.notes()]
        return Fit(
            model=self.name,
            options=asdict(self),
            status=lead.status,
            posterior=stacked.posterior,
            annotator_columns=lead.annotator_columns,
            instance_columns={f"estimate_{m.column}": f.posterior.estimate for m, f in zip(members, fits, strict=True)},
            parameters=lead.parameters,
            hyperparameters={
                "weights": weights,
                "scores": told,
                "disagreement": stacked.disagreement,
                "panel": dict(lead.hyperparameters),
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
    if scores.behind(-1, 0) > _CAREFUL:
        notes.append(
            f"{members[-1].name} tells held-back ratings worse than the plain mean does: look at the mean's column"
        )
    return notes


def _panel_of(fit: Fit) -> Fit:
    """The panel inside a fit of auto, as far as predictions and warm starts need it."""
    if fit.model != Auto.name:
        raise OptionError(f"a fit of {fit.model} cannot start {Auto.name}; pass one of the same model")
    if "counts" not in fit.parameters:
        raise OptionError("this fit of auto has no panel in it: its scale has no grades")
    return replace(fit, model=OrdinalPanel.name, hyperparameters=fit.hyperparameters["panel"])
