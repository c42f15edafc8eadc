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
    index: int,
    state: Ascent,
    rule: StopRule,
    *,
    monotone: bool,
    stopped: threading.Event,
    progress: Progress | None,
) -> Outcome:
    """Take one start up until its bound is flat."""
    outcome = Outcome(index, state, Status.MAX_ITER)
    for iteration in range(1, rule.max_iterations + 1):
        if stopped.is_set() and outcome.trace:  # before the first pass there is nothing to show
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
) -> tuple[Outcome, list[tuple[float, Status]]]:
    """Take every start up; return the best one, and the bound and status of all in order.

    `workers` starts run at the same time, each from its own thread; only the best so far is kept. The first Ctrl-C
    ends all of them after the pass they are in; the best so far is then INTERRUPTED.
    """
    race = _Race(make_start, rule, monotone, progress, [(-np.inf, Status.INTERRUPTED)] * starts)
    with ThreadPoolExecutor(max_workers=workers) as pool:
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
    return race.best, race.endings


@dataclass
class _Race:
    """What the threads that take starts up share."""

    make_start: Callable[[int], Ascent]
    rule: StopRule
    monotone: bool
    progress: Progress | None
    endings: list[tuple[float, Status]]
    best: Outcome | None = None
    stopped: threading.Event = field(default_factory=threading.Event)
    lock: threading.Lock = field(default_factory=threading.Lock)

    def run(self, index: int) -> None:
        """Take one start up, and keep it if it is the best so far."""
        if self.stopped.is_set():
            return
        outcome = ascend(
            index, self.make_start(index), self.rule, monotone=self.monotone, stopped=self.stopped, progress=self.tell
        )
        with self.lock:
            self.endings[index] = (outcome.bound, outcome.status)
            if self.best is None or _rank(outcome) > _rank(self.best):
                self.best = outcome

    def tell(self, iteration: int, bound: float, change: float) -> None:
        """One start's news at a time."""
        if self.progress is not None:
            with self.lock:
                self.progress(iteration, bound, change)


def _rank(outcome: Outcome) -> tuple[bool, bool, float, int]:
    """Sound ends before collapsed ones, upright before mirrored, then the bound; the earlier start of two equals."""
    sound = outcome.status not in (Status.SPAM_COLLAPSE, Status.NOT_FINITE) and not outcome.state.collapsed()
    return sound, not outcome.state.mirrored(), outcome.bound, -outcome.index
