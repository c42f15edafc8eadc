"""The engine of a cluster: parts and states stay on Dask's workers, messages go out, and sums come back.

Every task is a function of what other tasks made, and changes nothing that it is given. So when a worker dies, Dask
makes what it held again elsewhere: its shards, their parts, and the passes over them since the last time that their
states were kept.
"""

from __future__ import annotations

from contextlib import ExitStack
from dataclasses import dataclass, field, fields
from typing import TYPE_CHECKING, Any, Self, TypeVar

import numpy as np

from truegrade.engines.cluster import Cluster, connected, distributed, local_client
from truegrade.engines.dask_ratings import DaskRatings
from truegrade.engines.dask_reading import FilePartition, FramePartition, FrameSource, read_partitions
from truegrade.engines.held import Held, size_of
from truegrade.engines.shards import ShardedRatings, cut
from truegrade.errors import OptionError
from truegrade.ingest.survey import Rules
from truegrade.readers.dataset import Dataset
from truegrade.roles import Roles, resolve_roles
from truegrade.threads import default_threads

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from os import PathLike

    from truegrade.engines.cluster import Traffic
    from truegrade.engines.dask_reading import Partition
    from truegrade.ratings import Ratings

__all__ = ["DaskEngine"]

T = TypeVar("T")

_PASSES = 100  # after which states are kept anew: what a dead worker's shards have to catch up with, at most
_HELD, _FEWEST = 1 << 30, 10  # or after so many bytes of messages, but not sooner than so many passes


class DaskEngine:
    """Passes run on the workers of a Dask cluster.

    client: a `distributed.Client`, which stays open, or the address of a scheduler. None: two processes on this
        machine, which end with :meth:`close`, with the `with` block, or with this process.
    shards: into how many to cut ratings that are in memory, at the most; None: one per worker. They are cut between
        categories.

    >>> with DaskEngine("tcp://10.0.0.1:8786") as engine:  # doctest: +SKIP
    ...     fit = OrdinalMixture().fit(ratings, engine=engine)
    """

    def __init__(self, client: Any = None, *, shards: int | None = None) -> None:
        if shards is not None and shards < 1:
            raise OptionError(f"shards={shards}: choose a number of at least 1")
        self.shards = shards
        self._open = ExitStack()
        self.cluster = Cluster(self._client(client))

    def _client(self, client: Any) -> Any:
        if isinstance(client, distributed().Client):
            return client
        return self._open.enter_context(local_client() if client is None else connected(str(client)))

    def place(
        self, ratings: Ratings | ShardedRatings, make: Callable[[Ratings, int], Any], *, starts: int = 1
    ) -> OnWorkers:
        """See :class:`truegrade.engines.protocol.Engine`."""
        workers = self.cluster.workers()
        if not isinstance(ratings, ShardedRatings):
            ratings = cut(ratings, 0, at=_borders(ratings, self.shards or len(workers)))
        held = ratings.held if isinstance(ratings, DaskRatings) else self.cluster.put(ratings.shards())
        parts = [self.cluster.submit(_made, make, shard) for shard in held]
        return OnWorkers(ratings, self.cluster, parts)

    def read(self, source: str | PathLike[str], **options: Any) -> DaskRatings:
        """Ratings from a file or a folder of files that every worker can open; nothing but counts and ids comes here.

        options: `annotator=` and the other roles, `scale`, `drop_values`, `missing`, `duplicates`, as of
            :func:`truegrade.read`.
        """
        roles, rules = _understood(options)
        dataset = Dataset.open(source, roles)
        files: list[tuple[Partition, Any]] = [(FilePartition(dataset, i), None) for i in range(len(dataset.files))]
        return read_partitions(self.cluster, files, dataset, rules, self._wanted(), "pyarrow")

    def from_frame(self, frame: Any, **options: Any) -> DaskRatings:
        """Ratings from a Dask DataFrame; options as of :meth:`read`. Its partitions are computed on the workers."""
        roles, rules = _understood(options)
        names = [str(name) for name in frame.columns]
        source = FrameSource(resolve_roles(names, roles, "the frame", ("annotator", "instance", "rating")), frame)
        given = self.cluster.client.compute(frame.to_delayed())
        parts: list[tuple[Partition, Any]] = [(FramePartition(source.roles, i), one) for i, one in enumerate(given)]
        return read_partitions(self.cluster, parts, source, rules, self._wanted(), "pandas")

    def _wanted(self) -> int:
        return self.shards or len(self.cluster.workers())

    @property
    def traffic(self) -> Traffic:
        """What has gone out and come back so far."""
        return self.cluster.traffic

    def close(self) -> None:
        """End what was begun here: the connection to a scheduler, or the processes on this machine."""
        self._open.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *failure: object) -> None:
        self.close()


@dataclass(frozen=True)
class States:
    """The states of one start, one per shard, on the workers; futures of states or of passes that hold them."""

    futures: list[Any]
    passes: int = 0  # since they were kept
    held: int = 0  # bytes of the messages of these passes: the scheduler needs them to make up for a loss


@dataclass(frozen=True)
class Passed:
    """What a pass leaves of a shard."""

    state: Any
    sums: Any


@dataclass(frozen=True)
class OnWorkers:
    """See :class:`truegrade.engines.protocol.Placed`."""

    ratings: ShardedRatings
    cluster: Cluster
    parts: list[Any]  # futures
    together: int = field(default=1)  # a pass keeps all workers busy

    @property
    def sizes(self) -> Sequence[int]:
        return self.ratings.sizes

    def begin(self, first: Callable[[Any, Any], Any], messages: Iterable[Any]) -> States:
        sent = zip(self.parts, messages, strict=False)
        return States([self.cluster.submit(first, part, Held(message)) for part, message in sent])

    def run(
        self, step: Callable[[Any, Any, Any], T], states: States, message: Any, *, keep: bool = False
    ) -> tuple[States, T]:
        if states.passes >= _PASSES or (states.held > _HELD and states.passes >= _FEWEST):
            states = self._kept(states)
        sent = self.cluster.sent(message, len(self.parts))
        passed = [
            self.cluster.submit(_passed, step, part, state, sent)
            for part, state in zip(self.parts, states.futures, strict=True)
        ]
        held = states.held + sent.size * len(passed)
        sums = [self.cluster.submit(_sums, one) for one in passed]  # where the state is, so that it need not travel
        return States(passed, states.passes + 1, held), self._added(sums)

    def sums(self, look: Callable[[Any, Any, Any], T], states: States | None, message: Any) -> T:
        found: T = self._added(self._looked(look, states, message))
        return found

    def each(self, look: Callable[[Any, Any, Any], T], states: States | None, message: Any) -> Iterator[T]:
        return self.cluster.results(self._looked(look, states, message))

    def _looked(self, look: Callable[[Any, Any, Any], T], states: States | None, message: Any) -> list[Any]:
        sent = self.cluster.sent(message, len(self.parts))
        of_shards = [None] * len(self.parts) if states is None else states.futures
        return [
            self.cluster.submit(_seen, look, part, state, sent)
            for part, state in zip(self.parts, of_shards, strict=True)
        ]

    def _added(self, futures: list[Any]) -> Any:
        """The sum of all, by a tree whose shape depends on how many there are, and on nothing else."""
        while len(futures) > 1:
            pairs = [futures[i : i + 2] for i in range(0, len(futures), 2)]
            futures = [self.cluster.submit(_sum, *pair) if len(pair) > 1 else pair[0] for pair in pairs]
        found = self.cluster.result(futures[0])
        self.cluster.traffic.sums += 1
        self.cluster.traffic.sums_bytes += size_of(found)
        return found

    def _kept(self, states: States) -> States:
        """The same states, held by the scheduler: what comes after needs nothing that came before."""
        found = self.cluster.results([self.cluster.submit(_state, future) for future in states.futures])
        return States(self.cluster.put(found))

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *failure: object) -> None:
        self.parts.clear()


def _understood(options: dict[str, Any]) -> tuple[Roles, Rules]:
    """The roles, and how cells are read."""
    roles = {f.name: options.pop(f.name) for f in fields(Roles) if f.name in options}
    return Roles(**roles), Rules(**options)


def _borders(ratings: Ratings, shards: int) -> list[int]:
    """The first instances of all shards but the first: about alike in size, each category in one of them."""
    ends = np.linspace(0, ratings.n_instances, shards + 1)[1:-1]
    allowed = np.arange(ratings.n_instances + 1) if ratings.category is None else ratings.category_ptr()
    near = allowed[np.minimum(np.searchsorted(allowed, ends), allowed.size - 1)]
    inside = np.unique(near[(near > 0) & (near < ratings.n_instances)])
    return [int(first) for first in inside]


# What runs on the workers.


def _made(make: Callable[[Ratings, int], Any], shard: Ratings) -> Any:
    """A part, which may use its share of the worker's threads."""
    from distributed import get_worker

    return make(shard, max(default_threads() // get_worker().state.nthreads, 1))


def _passed(step: Callable[[Any, Any, Any], Any], part: Any, before: Any, message: Any) -> Passed:
    state = _state(before).copy()  # another task may need the one before
    return Passed(state, step(part, state, message))


def _seen(look: Callable[[Any, Any, Any], Any], part: Any, before: Any, message: Any) -> Any:
    return look(part, _state(before), message)


def _state(before: Any) -> Any:
    return before.state if isinstance(before, Passed) else before


def _sums(passed: Passed) -> Any:
    return passed.sums


def _sum(one: Any, other: Any) -> Any:
    return one + other
