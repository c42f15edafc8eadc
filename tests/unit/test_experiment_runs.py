"""Trials: spread over processes, kept, interrupted and gone on with."""

import json
import multiprocessing
import os
import signal
import subprocess
import sys
from dataclasses import replace

import pytest

from truegrade import simulate
from truegrade.errors import ExperimentError
from truegrade.experiments import kept, running
from truegrade.experiments.running import Work, run
from truegrade.experiments.study import Study
from truegrade.experiments.trial import Trial, carry_out
from truegrade.fit import Status
from truegrade.gold import Gold
from truegrade.models import make_model


@pytest.fixture(scope="module")
def study():
    drawn = simulate(instances=60, annotators=10, categories=6, seed=4)
    return Study("small", drawn.ratings, Gold.from_frame(drawn.gold()))


TRIALS = [("small", Trial(make_model("mean"), fakes)) for fakes in range(5)]


def plain(results):
    return [replace(result, seconds=None) for result in results]


@pytest.fixture
def counted(monkeypatch):
    """How many trials are carried out."""
    done = []

    def count(trial, study):
        done.append(trial)
        return carry_out(trial, study)

    monkeypatch.setattr(running, "carry_out", count)
    return done


def test_processes_change_nothing(study, monkeypatch):
    monkeypatch.setattr(running, "_TOO_LITTLE", 0)
    told = []
    model = make_model("ordinal-mixture", {"starts": 2})
    trials = [*TRIALS[:2], ("small", Trial(model, 1, 2, draws=10))]
    work = Work(workers=2, told=lambda done, whole, name: told.append((done, whole, name)))
    assert plain(run(trials, {"small": study}, work)) == plain(run(trials, {"small": study}))
    assert len(told) == 3
    assert told[-1][0] == pytest.approx(told[-1][1])
    assert {name for _, _, name in told} == {"small: mean", "small: ordinal-mixture"}


def test_an_interrupted_run_ends_its_processes(study, monkeypatch):
    monkeypatch.setattr(running, "_TOO_LITTLE", 0)

    children = []

    def interrupt(*_):
        children.extend(set(multiprocessing.active_children()) - before)
        raise KeyboardInterrupt

    before = set(multiprocessing.active_children())
    with pytest.raises(KeyboardInterrupt):
        run(TRIALS, {"small": study}, Work(workers=2, told=interrupt))
    assert set(multiprocessing.active_children()) == before
    assert [child.exitcode for child in children] == [-signal.SIGTERM] * 2  # in the middle of whatever they did


PARENT = """
import multiprocessing, os
from truegrade import simulate
from truegrade.experiments import Work, compare, running

def told(*_):
    print(*(child.pid for child in multiprocessing.active_children()), flush=True)
    os.kill(os.getpid(), 9)

if __name__ == "__main__":
    running._TOO_LITTLE = 0
    drawn = simulate(instances=20, annotators=4)
    compare(drawn.ratings, drawn.gold(), "mean,median", work=Work(workers=2, told=told))
"""


def test_workers_end_with_a_parent_that_is_killed(tmp_path):
    script = tmp_path / "parent.py"
    script.write_text(PARENT)
    # Whoever holds the other end of this pipe is alive: the read ends when parent and workers are gone.
    done = subprocess.run([sys.executable, str(script)], stdout=subprocess.PIPE, timeout=60, check=False)
    assert done.returncode == -signal.SIGKILL
    assert len(done.stdout.split()) == 2


def test_a_dead_worker_is_told(study, monkeypatch):
    monkeypatch.setattr(running, "_TOO_LITTLE", 0)
    monkeypatch.setattr(running, "_in_worker", _die)
    with pytest.raises(ExperimentError, match=r"a worker process died.* try --workers 1"):
        run(TRIALS, {"small": study}, Work(workers=2))


def _die(*_):
    os._exit(1)


def test_an_interrupted_run_goes_on(study, counted, tmp_path):
    def interrupt(done, whole, name):
        if len(counted) == 3:
            raise KeyboardInterrupt

    begun = []
    with pytest.raises(KeyboardInterrupt):
        run(TRIALS, {"small": study}, Work(folder=tmp_path, told=interrupt))
    assert len(list(tmp_path.iterdir())) == 3
    found = run(TRIALS, {"small": study}, Work(folder=tmp_path, begun=lambda *numbers: begun.append(numbers)))
    assert (len(counted), begun) == (5, [(5, 3)])
    assert plain(found) == plain(run(TRIALS, {"small": study}))
    counted.clear()
    run(TRIALS, {"small": study}, Work(folder=tmp_path, fresh=True))
    assert len(counted) == 5


def test_an_interrupted_fit_is_no_result(study, monkeypatch):
    class Stopped:
        def fit(self, ratings):
            fit = make_model("mean").fit(ratings)
            return replace(fit, status=Status.INTERRUPTED)

    with pytest.raises(KeyboardInterrupt):
        carry_out(Trial(Stopped()), study)


def test_a_damaged_file_is_done_again(study, counted, tmp_path):
    work = Work(folder=tmp_path)
    first = run(TRIALS[:1], {"small": study}, work)
    (path,) = tmp_path.iterdir()
    for text in ("{", "[]", json.dumps({"notes": [], "nonsense": 1})):
        path.write_text(text)
        assert plain(run(TRIALS[:1], {"small": study}, work)) == plain(first)
    assert len(counted) == 4
    assert run(TRIALS[:1], {"small": study}, work) == run(TRIALS[:1], {"small": study}, work)
    assert len(counted) == 4


def test_what_a_result_depends_on(study, monkeypatch):
    trial = Trial(make_model("majority"), fakes=2)
    gold = dict(zip(study.gold.instances.to_pylist(), study.gold.values, strict=True))
    backwards = Study("other name", study.ratings, Gold.of(dict(reversed(gold.items()))))
    assert kept.key(trial, backwards) == kept.key(trial, study)
    first = next(iter(gold))
    others = [
        (Trial(make_model("majority:ties=upper"), fakes=2), study),
        (Trial(make_model("median"), fakes=2), study),
        (replace(trial, fakes=3), study),
        (replace(trial, fake_seed=1), study),
        (replace(trial, draws=1), study),
        (trial, replace(study, one_list=True)),
        (trial, Study("small", study.ratings, Gold.of({**gold, first: 6 - gold[first]}))),
        (trial, Study("small", study.ratings, Gold.of({k: v for k, v in gold.items() if k != first}))),
        (trial, Study("small", simulate(instances=60, annotators=10, categories=6, seed=5).ratings, study.gold)),
    ]
    monkeypatch.setattr(kept, "_code", lambda: "a")
    keys = {kept.key(trial, study), *(kept.key(*other) for other in others)}
    monkeypatch.setattr(kept, "_code", lambda: "b")
    keys.add(kept.key(trial, study))
    assert len(keys) == len(others) + 2
    assert kept.key(replace(trial, fakes=0), study) == kept.key(replace(trial, fakes=0, fake_seed=1), study)
