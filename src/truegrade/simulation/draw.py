"""Ratings and their truth, drawn from the paper's generative model."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from truegrade.columns import Columns
from truegrade.encode import encode
from truegrade.errors import OptionError
from truegrade.seeds import check_seed
from truegrade.simulation.design import Design
from truegrade.simulation.result import Simulation
from truegrade.simulation.seating import deal, spread, zipf

if TYPE_CHECKING:
    import pyarrow as pa
    from numpy.typing import NDArray

    from truegrade.ids import IdTable

    Reals = NDArray[np.float64]
    Integers = NDArray[np.int64]

__all__ = ["simulate"]


def simulate(*, seed: int = 0, **options: Any) -> Simulation:
    """Draw ratings and truth from the ordinal mixture model; the options are those of :class:`Design`.

    z ~ N(mu, 1/lam) truncated to the outer thresholds; x ~ N(z, 1/(tau ease)). A rating given in earnest is the
    grade that x falls into, the outer grades having no end; any other is drawn from `pi`.

    The seed fixes everything. The parts have streams of their own: another difficulty changes no truth.

    >>> drawn = simulate(instances=20, annotators=5, seed=1)
    >>> drawn.ratings
    Ratings(80 ratings of 20 instances by 5 annotators on 1..5)
    >>> drawn.rows().column_names, drawn.truth.shape
    (['annotator', 'instance', 'rating'], (20,))
    """
    check_seed(seed)
    design = Design.of(options)
    streams = np.random.SeedSequence(seed).spawn(6)
    seats, sorting, truths, people, eases, noise = (np.random.default_rng(stream) for stream in streams)

    count = spread(design.total, design.instances, max(design.annotators, -(-design.total // design.instances)), seats)
    annotator = deal(count, zipf(design.annotators, design.busy, seats), seats)
    instance = np.repeat(np.arange(design.instances), count)
    category = sorting.permutation(design.instances) % design.categories

    truth = _truths(design, truths)
    earnestness, adversary, expertise = _annotators(design, people)
    part = np.arange(design.instances) if design.difficulty == "instance" else category  # what shares an ease
    ease = np.ones(part.max() + 1)
    if design.difficulty != "none":
        ease = eases.gamma(design.phi, 1 / design.eta, ease.size)

    y = noise.random(design.total) < earnestness[annotator]
    aim = np.where(adversary[annotator], sum(design.limits) - truth[instance], truth[instance])
    grade = _grades(design, y, aim, expertise[annotator] * ease[part[instance]], noise)

    several = design.categories > 1
    columns = Columns(
        "the simulation",
        annotator=_ids("a", design.annotators, annotator),
        instance=_ids("i", design.instances, instance),
        rating=_chunked(design.grade_scale.cells(grade)),
        category=_ids("c", design.categories, category[instance]) if several else None,
    )
    ratings = encode(columns, scale=design.grade_scale)

    who, what = _numbers(ratings.annotators), _numbers(ratings.instances)
    parts = what if design.difficulty == "instance" else _numbers(ratings.categories)
    return Simulation(
        ratings=ratings,
        truth=truth[what],
        truth_grade=design.grade_scale.nearest(truth[what]),
        earnestness=earnestness[who],
        expertise=expertise[who],
        adversary=adversary[who],
        ease=ease[parts],
        y=y[ratings.row],
    )


def _truths(design: Design, rng: np.random.Generator) -> Reals:
    """z (M,): the inverse of a truncated normal's distribution function at uniform draws."""
    from scipy.special import ndtr, ndtri

    (low, high), (mean, sd) = design.limits, design.truth_mean_sd
    # ndtr is exact in the lower tail only, so an interval above the mean is mirrored below it.
    sign = -1.0 if low > mean else 1.0
    ends = np.sort(sign * (np.array([low, high]) - mean) / sd)
    below, upto = ndtr(ends)
    if not upto > below:
        raise OptionError(f"mu={mean:g} is too many standard deviations ({sd:g}) off the scale {design.grade_scale}")
    z = mean + sign * sd * ndtri(below + rng.random(design.instances) * (upto - below))
    return np.asarray(np.clip(z, low, high))


def _annotators(design: Design, rng: np.random.Generator) -> tuple[Reals, NDArray[np.bool_], Reals]:
    """Earnestness, adversary and expertise of each annotator (N,)."""
    place = rng.permutation(design.annotators)  # the first ones are the spammers, the next the adversaries
    n_spammers = round(design.spammers * design.annotators)
    n_adversaries = min(round(design.adversaries * design.annotators), design.annotators - n_spammers)
    spammer = place < n_spammers
    adversary = ~spammer & (place < n_spammers + n_adversaries)
    draw = rng.random(design.annotators)
    (spam_low, spam_high), (low, high) = design.spam, design.earnest
    earnestness = np.where(spammer, spam_low + draw * (spam_high - spam_low), low + draw * (high - low))
    return earnestness, adversary, rng.gamma(design.alpha, 1 / design.expertise_rate, design.annotators)


def _grades(
    design: Design, y: NDArray[np.bool_], aim: Reals, precision: Reals, rng: np.random.Generator
) -> NDArray[np.uint8]:
    """The grade index of each rating (L,): where x falls, or spam."""
    inner = design.grade_scale.thresholds[1:-1]
    x = aim + rng.standard_normal(aim.size) / np.sqrt(precision)
    upto = np.cumsum(design.spam_chances)[:-1]  # without the last: rounding must not lead past the last grade
    spam = np.searchsorted(upto, rng.random(aim.size), side="right")
    return np.where(y, np.searchsorted(inner, x, side="right"), spam).astype(np.uint8)


def _ids(prefix: str, size: int, number: Integers) -> pa.ChunkedArray:
    """Ids like a17, counted from 1, one per row; `number` (L,) counts from 0."""
    import pyarrow as pa

    labels = pa.array([f"{prefix}{i}" for i in range(1, size + 1)])
    return _chunked(pa.DictionaryArray.from_arrays(pa.array(number.astype(np.int32)), labels))


def _numbers(ids: IdTable | None) -> Integers:
    """The number, from 0, in each id, in the order of the codes; one category has no id and is number 0."""
    if ids is None:
        return np.zeros(1, dtype=np.int64)
    numbers = np.empty(len(ids), dtype=np.int64)
    numbers[ids.code] = [int(label[1:]) - 1 for label in ids.labels.to_pylist()]
    return numbers


def _chunked(array: pa.Array) -> pa.ChunkedArray:
    import pyarrow as pa

    return pa.chunked_array([array])
