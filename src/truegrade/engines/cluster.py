"""A Dask cluster as the engine sees it: who works there, what goes out, what comes back, and what may break."""

from __future__ import annotations

import logging
import os
import time
from collections.abc import Callable, Iterator
from concurrent.futures import CancelledError
from contextlib import contextmanager
from dataclasses import dataclass, field
from importlib import import_module
from itertools import count
from typing import TYPE_CHECKING, Any

import truegrade
from truegrade.engines.held import Held, run_held
from truegrade.errors import ClusterError, OptionError
from truegrade.threads import default_threads

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

__all__ = ["Cluster", "Traffic", "connected", "distributed", "local_client"]

_NUMBERS = count()  # of the tasks of this process: no two have the same name
_PATIENCE = 30  # seconds to wait while there is no worker
_LOOK = 5  # seconds between two looks whether there is one
_ANSWER = 10  # seconds to wait for a scheduler
_GONE = "a fit with --checkpoint goes on from there with --resume"


@dataclass
class Traffic:
    """What has left this process and come back to it, between two looks."""

    messages: int = 0
    message_bytes: int = 0  # of each message once for every shard
    sums: int = 0
    sums_bytes: int = 0


@dataclass
class Cluster:
    """Submits tasks and waits for them; what the user can mend is told in one line."""

    client: Any
    traffic: Traffic = field(default_factory=Traffic)

    @property
    def address(self) -> str:
        """Of the scheduler."""
        return str(self.client.scheduler.address)

    def workers(self) -> list[str]:
        """The addresses of the workers, in order; all have this version of truegrade."""
        with self._told():
            if not self._addresses():
                self._wait_for_one()
            # By names of the standard library alone: what a worker has not got, it cannot be asked to run.
            from pydoc import locate

            found = self.client.run(locate, "truegrade.__version__")
        for worker, version in found.items():
            if version is None:
                raise ClusterError(f"the Dask worker {worker} has no truegrade; install truegrade there too")
            if version != truegrade.__version__:
                raise ClusterError(
                    f"the Dask worker {worker} has truegrade {version}, here it is {truegrade.__version__}; install "
                    "the same version on both"
                )
        return sorted(found)

    def _wait_for_one(self) -> None:
        try:
            self.client.wait_for_workers(1, timeout=_PATIENCE)
        except TimeoutError:
            raise ClusterError(
                f"no Dask worker has come to {self.address}; start some with `dask worker {self.address}`"
            ) from None

    def _addresses(self) -> list[str]:
        return list(self.client.nthreads())

    def submit(self, task: Callable[..., Any], *arguments: Any) -> Any:
        """Run a task on the cluster, beside the data it is given."""
        return self._submitted(task, arguments)

    def spread(self, task: Callable[..., Any], arguments: Sequence[Sequence[Any]]) -> list[Any]:
        """Run a task on several arguments, neighbours on the same worker, as many on each; wait until all are done."""
        workers, size = self.workers(), len(arguments)
        futures = [self._submitted(task, one, workers[i * len(workers) // size]) for i, one in enumerate(arguments)]
        with self._told():
            for future in futures:
                future.exception()  # waits; whoever asks for the result is told
            # What is lost later may be made anywhere: a task that is held to dead workers alone would wait for ever.
            self.client.sync(self.client.scheduler.set_restrictions, worker={f.key: None for f in futures})
        return futures

    def _submitted(self, task: Callable[..., Any], arguments: Sequence[Any], worker: str = "") -> Any:
        key = f"truegrade_{getattr(task, '__name__', 'task')}-{os.getpid()}-{next(_NUMBERS)}"  # Dask times each kind
        place = {"workers": [worker], "allow_other_workers": True} if worker else {}
        with self._told(), _large_graphs():
            return self.client.submit(run_held, task, *arguments, key=key, pure=False, **place)

    def put(self, things: Iterable[Any]) -> list[Any]:
        """Lay things down on the workers. The scheduler keeps them too, so that no worker's death can lose them."""
        return self.spread(_same, [(Held(thing),) for thing in things])

    def sent(self, message: Any, shards: int) -> Held:
        """A message that goes out with the task of every shard.

        Were it a thing on the cluster, Dask might choose the worker that has it, and move the shard there.
        """
        held = Held(message)
        self.traffic.messages += 1
        self.traffic.message_bytes += held.size * shards
        return held

    def result(self, future: Any) -> Any:
        """What a task found."""
        until = time.monotonic() + _PATIENCE
        with self._told():
            while True:
                try:
                    return future.result(timeout=_LOOK).thing
                except TimeoutError:
                    if self._addresses():
                        until = time.monotonic() + _PATIENCE
                    elif time.monotonic() > until:
                        raise ClusterError(f"no Dask worker is left at {self.address}; start some: {_GONE}") from None

    def results(self, futures: Iterable[Any]) -> Iterator[Any]:
        """What tasks found, in order, each let go of before the next is fetched."""
        waiting = list(futures)[::-1]
        while waiting:
            yield self.result(waiting.pop())

    @contextmanager
    def _told(self) -> Iterator[None]:
        """The errors of a broken cluster in words; those of the task as they are."""
        from distributed.comm.core import CommClosedError
        from distributed.scheduler import KilledWorker

        address = self.address if self.client.scheduler is not None else "the given address"
        try:
            yield
        except KilledWorker as error:
            raise ClusterError(
                f"several Dask workers died of the same task, the last at {error.last_worker.address}: their memory "
                "may be too small; start larger ones, or more of them"
            ) from None
        except (CancelledError, OSError, RuntimeError) as error:
            if self.client.status == "running" and not isinstance(error, CancelledError | CommClosedError):
                raise  # the task's own
            raise ClusterError(
                f"the Dask scheduler at {address} is gone ({type(error).__name__}); start it again: {_GONE}"
            ) from None
        except ModuleNotFoundError as error:
            raise ClusterError(f"a Dask worker says: {error}; install there what is installed here") from None


def _same(thing: Any) -> Any:
    return thing


@contextmanager
def _large_graphs() -> Iterator[None]:
    """Messages are as large as the table of annotators, and may be."""
    import dask

    with dask.config.set({"distributed.admin.large-graph-warning-threshold": "1TB"}):
        yield


def distributed() -> Any:
    """Dask's package, if it is installed."""
    try:
        return import_module("distributed")
    except ImportError:
        raise OptionError("the engine dask needs Dask: pip install 'truegrade[dask]'") from None


@contextmanager
def connected(address: str) -> Iterator[Any]:
    """A client of a scheduler that runs somewhere."""
    try:
        client = distributed().Client(address, set_as_default=False, timeout=_ANSWER)
    except (OSError, ValueError) as error:
        raise ClusterError(
            f"no Dask scheduler answers at {address} ({type(error).__name__}); start one with `dask scheduler`, or "
            "leave out --scheduler"
        ) from None
    with client:
        yield client


@contextmanager
def local_client(workers: int = 2) -> Iterator[Any]:
    """A cluster of processes on this machine, over loopback, that ends with the block or with this process."""
    import dask

    kit = distributed()  # before its settings are changed: it brings its own, which would go when they are put back
    threads = max(default_threads() // workers, 1)
    quiet = {
        "distributed.worker.daemon": True,
        "distributed.comm.timeouts.connect": "10s",
        "distributed.scheduler.work-stealing": False,  # every pass has the same work for all
    }
    with (
        dask.config.set(quiet),
        kit.LocalCluster(
            n_workers=workers,
            threads_per_worker=1,
            processes=True,
            host="127.0.0.1",
            protocol="tcp://",
            dashboard_address="127.0.0.1:0",  # a dashboard needs Bokeh; without an address it takes a fixed port
            worker_dashboard_address=None,
            silence_logs=logging.CRITICAL,
            env={"TRUEGRADE_THREADS": str(threads)},
        ) as cluster,
        kit.Client(cluster, set_as_default=False) as client,
    ):
        yield client
