"""The kernel's threads: under forks, many callers, exceptions and signals."""

import multiprocessing
import os
import signal
import subprocess
import sys
import textwrap
import threading
from pathlib import Path

import numpy as np
import pytest

from truegrade import _kernel

RATINGS, INSTANCES, ANNOTATORS = 60_000, 4_000, 50


def agreement(threads=3, grades=5):
    """Sums that several threads add up: enough ratings for many pieces."""
    rng = np.random.default_rng(0)
    instance_ptr = np.linspace(0, RATINGS, INSTANCES + 1).astype(np.int64)
    annotator = rng.integers(0, ANNOTATORS, RATINGS, dtype=np.int32)
    grade = rng.integers(0, 5, RATINGS, dtype=np.uint8)
    agree, paired = np.empty((2, ANNOTATORS))
    _kernel.agreement_sums(
        instance_ptr, annotator, grade, None, grades=grades, threads=threads, agree_out=agree, paired_out=paired
    )
    return agree.tobytes()


WANTED = agreement(threads=1)


def in_many_threads(job, count=6):
    found = []
    threads = [threading.Thread(target=lambda: found.append(job())) for _ in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return found


@pytest.mark.filterwarnings("ignore:.*multi-threaded.*:DeprecationWarning")  # forking one is what this is about
@pytest.mark.parametrize("method", ["fork", "spawn", "forkserver"])
def test_other_processes_compute_the_same(method):
    assert agreement() == WANTED  # so that the pool stands when it is forked
    context = multiprocessing.get_context(method)
    with context.Pool(2) as processes:
        assert processes.map_async(agreement, [1, 2, 3, 4]).get(timeout=60) == [WANTED] * 4


def test_a_fork_while_threads_are_at_work(tmp_path):
    script = """
        import os, sys, threading
        from unit.test_pool import WANTED, agreement
        stop = threading.Event()
        def keep_on():
            while not stop.is_set():
                agreement()
        workers = [threading.Thread(target=keep_on) for _ in range(3)]
        for worker in workers:
            worker.start()
        for _ in range(20):
            child = os.fork()
            if child == 0:
                os._exit(0 if agreement() == WANTED else 1)
            assert os.waitpid(child, 0)[1] == 0
        stop.set()
        for worker in workers:
            worker.join()
        print("all alike")
    """
    assert run(script) == "all alike\n"


def run(script):
    """What a process of its own prints; it may not hang."""
    tests = str(Path(__file__).parents[1])
    command = [sys.executable, "-W", "ignore::DeprecationWarning", "-c", textwrap.dedent(script)]
    environment = {**os.environ, "PYTHONPATH": tests}
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False, env=environment)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_many_callers_at_once_get_the_same():
    assert in_many_threads(agreement) == [WANTED] * 6


def test_an_exception_in_a_thread_reaches_the_caller():
    for _ in range(20):
        with pytest.raises((MemoryError, ValueError)):
            agreement(grades=2**61)  # no memory holds a row of so many
        assert agreement() == WANTED


def keep_on():
    while True:
        agreement()


def test_ctrl_c_between_kernels_leaves_the_pool_whole():
    def interrupt(number, frame):
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGALRM, interrupt)
    try:
        for _ in range(5):
            signal.setitimer(signal.ITIMER_REAL, 0.02)
            with pytest.raises(KeyboardInterrupt):
                keep_on()
            assert agreement() == WANTED
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def test_python_runs_while_a_kernel_does():
    code = np.zeros(4_000_000, dtype=np.int32)
    number, code_of = np.empty_like(code), np.empty(1, dtype=np.int32)

    def seen_half_done():
        number[:] = -7
        worker = threading.Thread(
            target=_kernel.number_codes, args=(code, None), kwargs={"number_out": number, "code_out": code_of}
        )
        worker.start()
        seen = False
        while worker.is_alive():
            seen = seen or (number[0] == 0 and number[-1] == -7)
        worker.join()
        return seen

    # The machine may look away at the wrong moment, but not fifty times.
    assert any(seen_half_done() for _ in range(50))
