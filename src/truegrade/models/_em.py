"""The one loop of all iterative models: starts, passes, stop rule, best of the starts."""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol

import numpy as np

from truegrade.fit import Status

if TYPE_CHECKING:
    from truegrade.models._base import Progress
    from truegrade.models._journal import Journal, Leg

__all__ = ["Ascent", "Outcome", "StopRule", "ascend_all"]

_FALL = 1e-9  # of |F|: less is rounding


class Ascent(Protocol):
    """One start on its way up: private, mutable state."""

    def step(self) -> float:
        """One pass over the ratings and one round of updates; returns the bound."""

    def collapsed(self) -> bool:
        """Whether the state is a degenerate optimum that must not win."""

    def mirrored(self) -> bool:
        """Whether the estimates run against the mean of the ratings; such a start wins only where all are so."""


@dataclass(frozen=True)
class StopRule:
    """Stop when the bound moved by less than `tolerance` over `passes` passes; relative to the bound, or absolute.

    The paper stops at the first pass that moves the bound by less than 0.1, which is on any plateau.
    """

    tolerance: float = 1e-6
    passes: int = 10
    relative: bool = True
    max_iterations: int = 1000
    floor: float = 1.0  # what the bound counts as at least: one of a density may cross zero

    def met(self, trace: list[float]) -> bool:
        """Whether the last passes of the trace were flat."""
        if len(trace) <= self.passes:
            return False
        moved = abs(trace[-1] - trace[-1 - self.passes])
        return moved < self.tolerance * (max(abs(trace[-1]), self.floor) if self.relative else 1.0)


@dataclass
class Outcome:
    """How one start ended."""

    index: int  # which start
    state: Ascent
    status: Status
    trace: list[float] = field(default_factory=list)
    falls: int = 0

    @property
    def bound(self) -> float:
        """The last bound; minus infinity before the first pass."""
        return self.trace[-1] if self.trace else -np.inf


def ascend(
    outcome: Outcome,
    rule: StopRule,
    *,
    monotone: bool,
    stopped: threading.Event,
    progress: Progress | None,
    keep: Callable[[Outcome, bool], None],
) -> Outcome:
    """Take one start up, from where it is, until its bound is flat.

    keep: is told of every pass that was not the last, and whether the user stops it there.
    """
    state = outcome.state
    for iteration in range(len(outcome.trace) + 1, rule.max_iterations + 1):
        if stopped.is_set() and outcome.trace:  # before the first pass there is nothing to show
            keep(outcome, True)
            outcome.status = Status.INTERRUPTED
            return outcome
        bound = state.step()
        if not np.isfinite(bound):
            outcome.status = Status.NOT_FINITE
            return outcome
        change = bound - outcome.bound if outcome.trace else np.inf
        outcome.trace.append(bound)
        if progress is not None:
            progress(iteration, bound, change)
        if change < -_FALL * max(abs(bound), 1.0):
            outcome.falls += 1
            if monotone:
                outcome.status = Status.BOUND_DECREASED
                return outcome
        if rule.met(outcome.trace):
            outcome.status = Status.SPAM_COLLAPSE if state.collapsed() else Status.CONVERGED
            return outcome
        keep(outcome, False)
    if state.collapsed():
        outcome.status = Status.SPAM_COLLAPSE
    return outcome


def ascend_all(
    make_start: Callable[[int], Ascent],
    starts: int,
    rule: StopRule,
    *,
    monotone: bool,
    workers: int,
    progress: Progress | None,
    journal: Journal | None = None,
) -> tuple[Outcome, list[tuple[float, Status]]]:
    """Take every start up; return the best one, and the bound and status of all in order.

    `workers` starts run at the same time, each from its own thread; only the best so far is kept. The first Ctrl-C
    ends all of them after the pass they are in; the best so far is then INTERRUPTED. With a journal they run one after
    the other, from where it knows them to be.
    """
    leg = None if journal is None else journal.next_leg()
    race = _Race(make_start, rule, monotone, progress, [None] * starts, leg)
    race.resume()
    with ThreadPoolExecutor(max_workers=workers if leg is None else 1) as pool:
        futures: list[Future[None]] = []
        try:
            for index in range(starts):
                futures.append(pool.submit(race.run, index))  # noqa: PERF401 - what is there counts if this is cut short
            for future in futures:
                future.result()
        except KeyboardInterrupt:
            race.stopped.set()
            for future in futures:
                future.result()
        finally:
            race.stopped.set()  # an error in one start, or in the callback, ends the others too
    if race.best is None:
        raise KeyboardInterrupt
    if leg is not None and None in race.endings:  # the user stopped it between two starts
        leg.close()
    return race.best, [ending or (-np.inf, Status.INTERRUPTED) for ending in race.endings]


@dataclass
class _Race:
    """What the threads that take starts up share."""

    make_start: Callable[[int], Ascent]
    rule: StopRule
    monotone: bool
    progress: Progress | None
    endings: list[tuple[float, Status] | None]  # of the starts that are done
    leg: Leg | None  # what a checkpoint knows of it
    best: Outcome | None = None
    stopped: threading.Event = field(default_factory=threading.Event)
    lock: threading.Lock = field(default_factory=threading.Lock)

    def begin(self, index: int) -> Outcome:
        """A start before its first pass."""
        return Outcome(index, self.make_start(index), Status.MAX_ITER)

    def resume(self) -> None:
        """Go on from what the checkpoint knows."""
        if self.leg is not None:
            self.best = self.leg.outcome("best", self.begin)
            self.endings = self.leg.endings() or self.endings

    def run(self, index: int) -> None:
        """Take one start up, and keep it if it is the best so far. An error in it ends the others."""
        if self.stopped.is_set() or self.endings[index] is not None:
            return
        try:
            self._climb(index)
        except BaseException:
            self.stopped.set()  # at once: the next start would write over how far this one has come
            raise

    def _climb(self, index: int) -> None:
        begun = None if self.leg is None else self.leg.outcome("running", self.begin)
        if begun is None or begun.index != index:
            begun = self.begin(index)
        outcome = ascend(
            begun, self.rule, monotone=self.monotone, stopped=self.stopped, progress=self.tell, keep=self.kept
        )
        with self.lock:
            self.endings[index] = (outcome.bound, outcome.status)
            if self.best is None or _rank(outcome) > _rank(self.best):
                self.best = outcome
        self.keep(None, now=None not in self.endings)

    def kept(self, outcome: Outcome, stopping: bool) -> None:
        """Write down a start on its way, every few passes and where the user stops it."""
        if self.leg is not None and (stopping or len(outcome.trace) % self.leg.every == 0):
            self.keep(outcome, now=stopping)
            if stopping:  # what comes now is shown to the user, and no part of what a resumed fit does
                self.leg.close()

    def keep(self, running: Outcome | None, *, now: bool) -> None:
        """Write down where all starts are, if there is a checkpoint; unless `now`, only where it costs little."""
        if self.leg is not None and (now or self.leg.book.due()):
            self.leg.keep(self.endings, self.best, running)

    def tell(self, iteration: int, bound: float, change: float) -> None:
        """One start's news at a time."""
        if self.progress is not None:
            with self.lock:
                self.progress(iteration, bound, change)


def _rank(outcome: Outcome) -> tuple[bool, bool, float, int]:
    """Sound ends before collapsed ones, upright before mirrored, then the bound; the earlier start of two equals."""
    sound = outcome.status not in (Status.SPAM_COLLAPSE, Status.NOT_FINITE) and not outcome.state.collapsed()
    return sound, not outcome.state.mirrored(), outcome.bound, -outcome.index
