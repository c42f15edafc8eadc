"""Clusters of real processes over loopback, and ways to harm them."""

import json
import os
import signal
import subprocess
import sys
import time
from contextlib import contextmanager

import psutil

_WORKER = "from distributed.cli.dask_worker import main; main()"
_SCHEDULER = "from distributed.cli.dask_scheduler import main; main()"
WITHOUT_PACKAGE = """
import sys
class Nowhere:
    def find_spec(self, name, path=None, target=None):
        if name.split(".")[0] == "truegrade":
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)
sys.meta_path.insert(0, Nowhere())
"""


def workers_of(client):
    """The process of each worker."""
    return list(client.run(os.getpid).values())


def kill(pid):
    os.kill(pid, signal.SIGKILL)


def wait_until_gone(pids, seconds=20):
    """The processes of `pids` that are still there when the time is over."""
    _, alive = psutil.wait_procs([psutil.Process(pid) for pid in pids if psutil.pid_exists(pid)], timeout=seconds)
    return [process.pid for process in alive if process.status() != psutil.STATUS_ZOMBIE]


@contextmanager
def started(code, *arguments):
    """A Python process that ends with the block."""
    process = subprocess.Popen(
        [sys.executable, "-c", code, *arguments], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    try:
        yield process
    finally:
        process.kill()
        process.wait()


@contextmanager
def cluster(folder, workers=2, before=""):
    """A scheduler and workers, each a process of its own: the address, and the scheduler's process.

    before: what the workers run first.
    """
    file = folder / "scheduler.json"
    quiet = ("--no-dashboard", "--host", "127.0.0.1")
    with started(_SCHEDULER, *quiet, "--port", "0", "--scheduler-file", str(file)) as scheduler:
        while not file.exists() or not file.read_text():
            assert scheduler.poll() is None
            time.sleep(0.02)
        address = json.loads(file.read_text())["address"]
        options = ("--no-nanny", "--nthreads", "1", "--death-timeout", "20", "--local-directory", str(folder))
        hired = [started(before + _WORKER, address, *quiet, *options) for _ in range(workers)]
        try:
            for one in hired:
                one.__enter__()
            yield address, scheduler
        finally:
            for one in hired:
                one.__exit__(None, None, None)
