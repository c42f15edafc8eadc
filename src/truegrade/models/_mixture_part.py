"""What the ordinal mixture does beside one shard: passes over its ratings, looks at its truths and eases.

A category that other shards have instances of too has its ease q(delta) with the model, not here: its ratings are swept
apart, at the one ease they are told, and their sums handed over for the update that needs the sums of all shards.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from truegrade.fit_parts import Answer
from truegrade.inference.adding import Sums
from truegrade.inference.counting import AgreementSums
from truegrade.inference.gamma import gamma_log_mean
from truegrade.inference.mixture_sweep import (
    MixtureOptions,
    MixtureParameters,
    MixturePlan,
    MixtureRatings,
    MixtureState,
    MixtureSums,
    mixture_sweep,
)
from truegrade.models._summary import Moments, annotator_weights, instance_weights, known_truths, mean_ratings
from truegrade.models._warm import meeting
from truegrade.posterior import GaussianPosterior

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from truegrade.gold import Gold
    from truegrade.ids import IdTable
    from truegrade.ratings import Ratings

    Floats = NDArray[np.float64]

__all__ = [
    "EarlierTruths",
    "EaseSums",
    "MixtureEnd",
    "MixtureFacts",
    "MixtureMessage",
    "MixturePart",
    "MixturePass",
    "MixtureStart",
    "SplitSums",
    "ease_columns",
]


@dataclass(frozen=True)
class MixtureStart:
    """Where the instances of a shard begin."""

    rng: np.random.Generator | None  # its next draws are the jitter of the shard's truths; None: there is none
    jitter: float
    unit: float  # the typical distance of two grades
    prior_precision: float  # of z
    shape: Floats  # of q(delta) to begin with: of each category (C,), or one for all (1,)
    rate: Floats
    earlier: EarlierTruths | None


@dataclass(frozen=True)
class EarlierTruths:
    """What an earlier fit found about instances."""

    ids: IdTable
    z_mean: Floats
    z_precision: Floats
    delta: tuple[Floats, Floats] | None  # shape and rate, where each instance had its own


@dataclass(frozen=True)
class MixtureMessage:
    """What a pass takes as given."""

    parameters: MixtureParameters
    split: dict[int, tuple[float, float]] = field(default_factory=dict)  # E delta, E ln delta of split categories


@dataclass(frozen=True)
class SplitSums:
    """By category that is split among shards: its annotators' sums, at an ease of one (N, 3)."""

    of: dict[int, Floats]

    def __add__(self, other: SplitSums) -> SplitSums:
        both = self.of.keys() & other.of.keys()
        return SplitSums({**self.of, **other.of, **{c: self.of[c] + other.of[c] for c in both}})


@dataclass(frozen=True)
class MixturePass(Sums):
    """What a pass hands to the updates; see :class:`MixtureSums`."""

    annotator: Floats  # (N, 3), without the split categories
    spam_weight: Floats  # (K,)
    totals: Floats  # (3,)
    split: SplitSums
    wild: int  # truths that are no finite numbers any more: looked for with the real link, which can overflow


@dataclass(frozen=True)
class MixtureFacts(Sums):
    """What the ratings are, and how many known truths there are."""

    weight_of_annotator: Floats  # (N,)
    weight_of_grade: Floats  # (K,)
    met: int


@dataclass(frozen=True)
class EaseSums(Sums):
    """Of the gammas q(delta) here."""

    count: int
    mean: float
    log_mean: float


@dataclass(frozen=True)
class MixtureEnd(Sums):
    """What the truths and eases look like as a whole."""

    grades: NDArray[np.int64]  # (K,): truths nearest to each grade
    ease_of_category: Floats  # (C,): the eases of its instances, added up
    instances_of_category: NDArray[np.int64]  # (C,)


@dataclass(frozen=True)
class _Piece:
    """A run of a shard's instances that one sweep goes over."""

    instances: slice
    data: MixtureRatings
    options: MixtureOptions
    plan: MixturePlan
    split: int | None  # the category that these are a part of


@dataclass(frozen=True)
class MixturePart:
    """The constants of one shard."""

    ratings: Ratings
    pieces: list[_Piece]
    gold: Floats | None  # (M,): known truths, NaN elsewhere
    eases: range  # of the categories whose q(delta) is here; as many as instances where each has its own
    threads: int

    @classmethod
    def of(
        cls, ratings: Ratings, threads: int, gold: Gold | None, options: MixtureOptions, split: tuple[int, ...] = ()
    ) -> MixturePart:
        """Prepare the passes. split: the categories that several shards share."""
        known = known_truths(ratings, gold, shard=True)
        runs: list[tuple[int | None, int, int]] = [(None, 0, ratings.n_instances)]
        eases = range(ratings.n_instances if options.difficulty == "instance" else 0)
        if options.difficulty == "category":
            runs, eases = _runs(ratings, split)
        pieces = [_piece(ratings, known, options, eases, threads, run) for run in runs]
        return cls(ratings, pieces, known, eases, threads)

    def states(self, state: MixtureState) -> Iterator[tuple[_Piece, MixtureState]]:
        """The pieces, each with its own view of the state."""
        for piece in self.pieces:
            if piece.options.difficulty == "none":
                eases: tuple[Floats | None, Floats | None] = None, None
            else:
                eases = state.delta_shape, state.delta_rate
            yield piece, MixtureState(state.z_mean[piece.instances], state.z_precision[piece.instances], *eases)

    # What engines run: each takes the part, a state and a message.

    def begin(self, start: MixtureStart) -> MixtureState:
        """z = the mean of the ratings, jittered; or what an earlier fit found."""
        z, precision = mean_ratings(self.ratings), instance_weights(self.ratings)
        if start.rng is not None:
            jitter = start.rng.standard_normal(z.size)
            jitter *= start.jitter
            z += jitter
        precision /= start.unit**2
        precision += start.prior_precision
        if self.gold is not None:
            known = ~np.isnan(self.gold)
            z[known], precision[known] = self.gold[known], np.inf
        state = MixtureState(z, precision)
        if self.eases:
            here = slice(self.eases.start, self.eases.stop) if start.shape.size > 1 else slice(None)
            size = len(self.eases)
            shape, rate = (np.broadcast_to(value[here], size).copy() for value in (start.shape, start.rate))
            state = MixtureState(z, precision, shape, rate)
        if start.earlier is not None:
            self._resume(state, start.earlier)
        return state

    def _resume(self, state: MixtureState, earlier: EarlierTruths) -> None:
        here, there = meeting(self.ratings.instances, earlier.ids)
        free = np.ones(here.size, dtype=bool) if self.gold is None else np.isnan(self.gold[here])
        state.z_mean[here[free]] = earlier.z_mean[there[free]]
        finite = free & np.isfinite(earlier.z_precision[there])  # what was gold there need not be gold here
        state.z_precision[here[finite]] = earlier.z_precision[there[finite]]
        if earlier.delta is not None and state.delta_shape is not None and state.delta_rate is not None:
            state.delta_shape[here], state.delta_rate[here] = (value[there] for value in earlier.delta)

    def sweep(self, state: MixtureState, message: MixtureMessage) -> MixturePass:
        """One pass over all pieces."""
        whole, split = None, {}
        for piece, its in self.states(state):
            sums = self._swept(piece, its, message)
            if piece.split is not None:
                split[piece.split] = sums.annotator.copy()
                sums.annotator[:] = 0
            whole = sums if whole is None else _added(whole, sums)
        assert whole is not None  # noqa: S101  there is at least one piece
        real = self.pieces[0].options.link == "real"
        wild = int(np.count_nonzero(~np.isfinite(state.z_mean))) if real else 0
        return MixturePass(whole.annotator, whole.spam_weight, whole.totals, SplitSums(split), wild)

    def responsibilities(self, state: MixtureState, message: MixtureMessage) -> Floats:
        """omega of each rating (L,); the state moves on."""
        found = []
        for piece, its in self.states(state.copy()):
            sums = self._swept(piece, its, message, ratings=piece.data.annotator.size)
            found.append(np.empty(0) if sums.responsibility is None else sums.responsibility)
        return np.concatenate(found)

    def _swept(
        self, piece: _Piece, state: MixtureState, message: MixtureMessage, ratings: int | None = None
    ) -> MixtureSums:
        parameters = message.parameters
        if piece.split is not None:
            mean, log_mean = message.split[piece.split]
            parameters = replace(parameters, delta_mean=mean, delta_log_mean=log_mean)
        sums = MixtureSums.empty(self.ratings.n_annotators, parameters.grade_value.size, ratings)
        mixture_sweep(piece.data, piece.plan, piece.options, parameters, state, sums, threads=self.threads)
        return sums

    def facts(self, _: None, grades: int) -> MixtureFacts:
        """Weights, and how much gold there is. grades: K, 1 on a real scale."""
        r = self.ratings
        grade = np.zeros(r.n_ratings, dtype=np.uint8) if r.scale.is_real else r.grade
        met = 0 if self.gold is None else int(np.count_nonzero(~np.isnan(self.gold)))
        return MixtureFacts(annotator_weights(r), np.bincount(grade, r.weight, grades).astype(np.float64), met)

    def known(self, _: None, __: None) -> Floats:
        """The known truths (g,), in the order of the instances."""
        return np.empty(0) if self.gold is None else self.gold[~np.isnan(self.gold)]

    def eases_here(self, state: MixtureState, _: None) -> EaseSums:
        """For the prior of the eases."""
        if state.delta_shape is None or state.delta_rate is None:
            return EaseSums(0, 0.0, 0.0)
        shape, rate = state.delta_shape, state.delta_rate
        return EaseSums(shape.size, float((shape / rate).sum()), float(gamma_log_mean(shape, rate).sum()))

    def truth_sum(self, state: MixtureState, _: None) -> float:
        """For the mean of the truths' prior."""
        return float(state.z_mean.sum())

    def truth_squares(self, state: MixtureState, mean: float) -> float:
        """For its variance."""
        return float(((state.z_mean - mean) ** 2 + 1 / state.z_precision).sum())

    def moments(self, state: MixtureState, _: None) -> Moments:
        """How the truths go with the means of the ratings: worked out when needed, which is seldom."""
        return Moments.of(state.z_mean, mean_ratings(self.ratings))

    def agreement(self, _: None, __: None) -> AgreementSums:
        """How much annotators agree."""
        return AgreementSums.of(self.ratings)

    def end(self, state: MixtureState, _: None) -> MixtureEnd:
        """What the end of the fit says about truths and eases."""
        r, scale = self.ratings, self.ratings.scale
        nearest = np.zeros(0, dtype=np.uint8) if scale.is_real else scale.nearest(state.z_mean)
        ease = np.empty(0)
        if state.delta_shape is not None and state.delta_rate is not None:
            ease = state.delta_shape / state.delta_rate
        category = np.empty(0, dtype=np.int32) if r.category is None else r.category
        of_category = np.zeros(r.n_categories)
        if category.size == ease.size:
            of_category = np.bincount(category, ease, r.n_categories).astype(np.float64)
        return MixtureEnd(
            np.bincount(nearest, minlength=scale.n_grades),
            of_category,
            np.bincount(category, minlength=r.n_categories),
        )

    def eases_of_categories(self, state: MixtureState, _: None) -> tuple[range, Floats, Floats]:
        """Shape and rate of q(delta) of the categories whose ease is here."""
        if state.delta_shape is None or state.delta_rate is None:
            return range(0), np.empty(0), np.empty(0)
        return self.eases, state.delta_shape, state.delta_rate

    def answer(self, state: MixtureState, difficulty: str) -> Answer:
        """What the instances' truths are, and eases where each has its own."""
        posterior = GaussianPosterior(state.z_mean, 1 / np.sqrt(state.z_precision))
        parameters = {"z_mean": state.z_mean, "z_precision": state.z_precision}
        if difficulty != "instance" or state.delta_shape is None or state.delta_rate is None:
            return Answer(posterior, {}, parameters)
        shape, rate = state.delta_shape, state.delta_rate
        return Answer(posterior, ease_columns(shape, rate), parameters | {"delta_shape": shape, "delta_rate": rate})


def ease_columns(shape: Floats, rate: Floats) -> dict[str, Floats]:
    """Ease and difficulty where something has its own."""
    ease = shape / rate
    return {"ease": ease, "difficulty": 1 / ease, "ease_sd": np.sqrt(shape) / rate}


def _runs(ratings: Ratings, split: tuple[int, ...]) -> tuple[list[tuple[int | None, int, int]], range]:
    """Runs of instances (split category or None, first, last), and the categories that are whole here."""
    ptr = ratings.category_ptr()
    category = ratings.category
    assert category is not None  # noqa: S101  category_ptr refuses ratings without
    begin, end = int(category[0]), int(category[-1]) + 1
    runs: list[tuple[int | None, int, int]] = []
    if begin in split:
        runs.append((begin, 0, int(ptr[begin + 1])))
        begin += 1
    last = end - 1
    whole = range(begin, last if last in split and last >= begin else end)
    if whole:
        runs.append((None, int(ptr[whole.start]), int(ptr[whole.stop])))
    if whole.stop < end:
        runs.append((last, int(ptr[last]), ratings.n_instances))
    return runs, whole


def _piece(
    ratings: Ratings,
    known: Floats | None,
    options: MixtureOptions,
    eases: range,
    threads: int,
    run: tuple[int | None, int, int],
) -> _Piece:
    """What a sweep over the instances first .. last needs; views, where these are not all."""
    category, first, last = run
    ptr, scale = ratings.instance_ptr[first : last + 1], ratings.scale

    def its(array: Any) -> Any:
        return array if last - first == ratings.n_instances else array[ptr[0] : ptr[-1]]

    category_ptr = None
    if category is not None:
        options = replace(options, difficulty="none")
    elif options.difficulty == "category":
        category_ptr = ratings.category_ptr()[eases.start : eases.stop + 1] - first
    data = MixtureRatings(
        instance_ptr=ratings.instance_ptr if ptr.size == ratings.instance_ptr.size else ptr - ptr[0],
        annotator=its(ratings.annotator),
        grade=None if scale.is_real else its(ratings.grade),
        value=its(ratings.real) if scale.is_real else None,
        weight=None if ratings.weight is None else its(ratings.weight),
        category_ptr=category_ptr,
        clamped=None if known is None else (~np.isnan(known[first:last])).astype(np.uint8),
    )
    plan = MixturePlan.build(data, options, ratings.n_annotators, threads=threads)
    return _Piece(slice(first, last), data, options, plan, category)


def _added(one: MixtureSums, two: MixtureSums) -> MixtureSums:
    return MixtureSums(one.annotator + two.annotator, one.spam_weight + two.spam_weight, one.totals + two.totals)
