"""Trials carried out: one after another, or spread over processes of one thread each; finished ones are kept."""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from contextlib import closing, contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

from truegrade.errors import ExperimentError
from truegrade.experiments import kept
from truegrade.experiments.trial import Result, Trial, carry_out
from truegrade.threads import one_thread

if TYPE_CHECKING:
    from pathlib import Path

    from truegrade.experiments.study import Study

__all__ = ["Told", "Work", "run"]

Begun = Callable[[int, int], None]
Told = Callable[[float, float, str], None]  # work done, work in all, what was finished last
_TOO_LITTLE = 300_000  # work that is done before other processes have started


@dataclass(frozen=True)
class Work:
    """How to go about it.

    workers: how many processes. With more than one, a script needs `if __name__ == "__main__":`, as for every use of
        Python's multiprocessing.
    folder: where finished trials are kept and found; None = nowhere.
    fresh: do again what is found there.
    begun: called once, with the number of trials and how many of them were found finished.
    told: called after every trial.
    """

    workers: int = 1
    folder: Path | None = None
    fresh: bool = False
    begun: Begun | None = None
    told: Told | None = None


def run(trials: Sequence[tuple[str, Trial]], studies: Mapping[str, Study], work: Work | None = None) -> list[Result]:
    """The results, in the order of the trials, each on the study of its name."""
    work = work or Work()
    names = [kept.key(trial, studies[study]) for study, trial in trials]
    found: dict[str, Result] = {}
    if work.folder is not None and not work.fresh:
        known = {name: kept.find(work.folder, name) for name in set(names)}
        found = {name: result for name, result in known.items() if result is not None}
    if work.begun is not None:
        work.begun(len(set(names)), len(found))
    left = {name: trial for name, trial in zip(names, trials, strict=True) if name not in found}
    weight = {name: trial.weight(studies[study]) for name, (study, trial) in left.items()}
    order = sorted(left, key=lambda name: (-weight[name], name))  # long ones first: no core waits at the end
    done, whole = 0.0, sum(weight.values())
    workers = min(work.workers, len(left)) if whole > _TOO_LITTLE else 1
    ordered = {name: left[name] for name in order}
    with closing(_spread(ordered, studies, workers) if workers > 1 else _one_by_one(ordered, studies)) as results:
        for name, result in results:
            found[name] = result
            if work.folder is not None:
                kept.keep(work.folder, name, result)
            done += weight[name]
            if work.told is not None:
                study, trial = left[name]
                work.told(done, whole, f"{study}: {trial.model.name}")
    return [found[name] for name in names]


_Left = dict[str, tuple[str, Trial]]
_Results = Generator[tuple[str, Result], None, None]


def _one_by_one(left: _Left, studies: Mapping[str, Study]) -> _Results:
    for name, (study, trial) in left.items():
        with one_thread():
            result = carry_out(trial, studies[study])
        yield name, result


def _spread(left: _Left, studies: Mapping[str, Study], workers: int) -> _Results:
    """As they are finished. Processes are started afresh: a fork of a process with threads can hang."""
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(workers, context, _begin, (dict(studies),)) as pool, _own_children():
        futures = {pool.submit(_in_worker, study, trial): name for name, (study, trial) in left.items()}
        try:
            for future in as_completed(futures):
                yield futures[future], future.result()
        except BrokenProcessPool:
            raise ExperimentError(
                "a worker process died, perhaps for want of memory; what was finished is kept; try --workers 1"
            ) from None


@contextmanager
def _own_children() -> Iterator[None]:
    """Whatever ends the block early ends the processes started in it, in the middle of what they do."""
    before = set(multiprocessing.active_children())
    try:
        yield
    except BaseException:
        for child in set(multiprocessing.active_children()) - before:
            child.terminate()
        raise


_studies: dict[str, Study] = {}  # of a worker process; set once, when it starts


def _begin(studies: Mapping[str, Study]) -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent process hears it, and ends the workers
    threading.Thread(target=_end_with_parent, daemon=True).start()
    _studies.update(studies)


def _end_with_parent() -> None:
    """A parent that is killed cannot end its workers, who would wait for work for ever."""
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)


def _in_worker(study: str, trial: Trial) -> Result:
    with one_thread():
        return carry_out(trial, _studies[study])
