"""The kernel's sweep over tables against its NumPy twin, against itself by other means, and at its limits."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from table_problems import Problem, make_problem

from truegrade import _kernel
from truegrade.errors import OptionError
from truegrade.inference.table_sweep import TablePlan, TableRatings, TableSums, table_sweep
from truegrade.inference.table_twin import table_sweep_numpy
from truegrade.instruction_sets import available_isas

ISAS = available_isas()
RTOL = 1e-11  # scores of some hundreds are added up in another order


def run(problem: Problem, sweep=table_sweep, tile: int = 0, **how) -> TableSums:
    sums = problem.room()
    plan = cut(problem, tile) if tile else None
    sweep(problem.ratings, problem.table, problem.log_prior, sums, plan=plan, **how)
    return sums


def cut(problem: Problem, tile: int) -> TablePlan:
    """A plan with tiles so small that there are several."""
    r, (annotators, grades, _) = problem.ratings, problem.table.shape
    plan = TablePlan(
        tile, np.empty_like(r.annotator), np.empty_like(r.annotator), None if r.weight is None else r.weight.copy()
    )
    _kernel.table_plan(
        r.instance_ptr, r.annotator, r.grade, r.weight, annotators=annotators, grades=grades, tile_instances=tile,
        threads=2, cell_out=plan.cell, instance_out=plan.instance, weight_out=plan.weight,
    )  # fmt: skip
    return plan


def assert_same(found: TableSums, wanted: TableSums, rtol: float = RTOL) -> None:
    for name in TableSums.__slots__:
        one, two = getattr(found, name), getattr(wanted, name)
        assert not np.isnan(one).any(), name
        np.testing.assert_allclose(one, two, rtol=rtol, atol=rtol * max(1, np.abs(two).max(initial=0)), err_msg=name)


@st.composite
def problems(draw: st.DrawFn) -> Problem:
    return make_problem(
        np.array(draw(st.lists(st.integers(0, 12), min_size=1, max_size=40))),
        annotators=draw(st.integers(1, 12)),
        grades=draw(st.sampled_from([1, 2, 3, 5, 11])),
        nodes=draw(st.sampled_from([1, 2, 3, 5, 8, 9, 16, 23, 32, 40, 101])),
        dtype=draw(st.sampled_from(["float32", "float64"])),
        weighted=draw(st.booleans()),
        priors=draw(st.sampled_from([1, 2, 6])),
        seed=draw(st.integers(0, 2**32)),
    )


@given(problems(), st.sampled_from(ISAS), st.sampled_from([0, 1, 7]))
@settings(max_examples=250, deadline=None)
def test_kernel_against_twin(problem: Problem, isa: str, tile: int) -> None:
    assert_same(run(problem, tile=tile, isa=isa), run(problem, table_sweep_numpy))


@pytest.mark.parametrize("nodes", [5, 32])
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_threads_give_the_same_bits_and_instruction_sets_agree(nodes: int, dtype: str) -> None:
    degrees = np.random.default_rng(1).poisson(3.8, 12_000)
    problem = make_problem(degrees, annotators=31, nodes=nodes, dtype=dtype, weighted=True, priors=3)
    one = run(problem, threads=1)
    for threads in (2, 3, 8):
        many = run(problem, threads=threads)
        for name in TableSums.__slots__:
            np.testing.assert_array_equal(getattr(one, name), getattr(many, name), err_msg=name)
    for isa in ISAS:
        assert_same(run(problem, isa=isa), one)


def test_one_cell_of_many_pieces_is_counted_by_one_thread() -> None:
    problem = make_problem(np.full(40_000, 4), annotators=1, grades=1)
    wanted = run(problem, threads=1)
    for _ in range(5):
        np.testing.assert_array_equal(run(problem, threads=8).counts, wanted.counts)


def test_many_annotators_take_several_tiles_and_pieces() -> None:
    degrees = np.random.default_rng(2).poisson(4, 9000)
    problem = make_problem(degrees, annotators=2000, nodes=40)
    plan = TablePlan.build(problem.ratings, *problem.table.shape)
    assert 1 < plan.tile_instances < 9000 * 10
    assert_same(run(problem, tile=2000, threads=2), run(problem, table_sweep_numpy))


def test_a_plan_holds_every_rating_once_in_the_order_of_cells() -> None:
    problem = make_problem(np.random.default_rng(3).poisson(4, 200), weighted=True)
    r, plan = problem.ratings, cut(problem, 64)
    m = np.repeat(np.arange(200), np.diff(r.instance_ptr))
    given_rows = sorted(zip(m // 64, r.annotator * 5 + r.grade, m, r.weight, strict=True))
    planned = list(zip(plan.instance // 64, plan.cell, plan.instance, plan.weight, strict=True))
    assert sorted(planned) == given_rows
    assert [p[:3] for p in planned] == [g[:3] for g in given_rows]


def test_weights_are_repeated_rows() -> None:
    problem = make_problem(np.array([3, 5, 2, 7]), weighted=True, seed=4)
    times = np.random.default_rng(4).integers(1, 4, 17)
    weighted = problem._replace(ratings=replace(problem.ratings, weight=times.astype(float)))
    r = problem.ratings
    repeated = TableRatings(
        instance_ptr=np.concatenate([[0], np.cumsum(times)])[r.instance_ptr],
        annotator=np.repeat(r.annotator, times),
        grade=np.repeat(r.grade, times),
    )
    assert_same(run(weighted), run(problem._replace(ratings=repeated)))


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("nodes", [2, 5, 32])
def test_thousands_of_ratings_of_one_instance_underflow_nowhere(nodes: int, dtype: str) -> None:
    problem = make_problem(np.array([5000, 1, 3000]), nodes=nodes, dtype=dtype, seed=9)
    found = run(problem)
    assert np.isfinite(found.log_z).all()
    assert found.log_z.min() < -5000  # the likelihood itself would be 0
    np.testing.assert_allclose(found.posterior.sum(axis=1), 1)
    assert_same(found, run(problem, table_sweep_numpy), rtol=1e-9)


def test_known_truths_stay_and_are_counted() -> None:
    problem = make_problem(np.full(6, 4), priors=1, seed=5)
    rows = np.array([0, 2, 1, 0, 5, 0], dtype=np.int32)
    log_prior = np.concatenate([problem.log_prior, np.where(np.eye(5, dtype=bool), problem.log_prior, -np.inf)])
    found = run(problem._replace(ratings=replace(problem.ratings, prior_row=rows), log_prior=log_prior))
    np.testing.assert_array_equal(found.posterior[[1, 2, 4]], np.eye(5)[[1, 0, 4]])
    assert found.node_counts.sum() == pytest.approx(6)


def test_a_machine_refuses_instruction_sets_that_it_lacks() -> None:
    with pytest.raises(ValueError, match="no such instruction set"):
        run(make_problem(np.array([1])), isa="neon")


@pytest.mark.parametrize("wrong", ["counts", "log_z", "table"])
def test_shapes_are_checked(wrong: str) -> None:
    problem = make_problem(np.array([2, 3]))
    room = problem.room()
    table = problem.table[:, :4].copy() if wrong == "table" else problem.table
    if wrong == "counts":
        room = replace(room, counts=room.counts[1:])
    if wrong == "log_z":
        room = replace(room, log_z=room.log_z[1:])
    with pytest.raises((ValueError, TypeError)):
        table_sweep(problem.ratings, table, problem.log_prior, room)


def test_the_environment_chooses_the_instruction_set(monkeypatch: pytest.MonkeyPatch) -> None:
    problem = make_problem(np.full(20, 3))
    monkeypatch.setenv("TRUEGRADE_ISA", "base")
    np.testing.assert_array_equal(run(problem).log_z, run(problem, isa="base").log_z)
    monkeypatch.setenv("TRUEGRADE_ISA", "sse9")
    with pytest.raises(OptionError, match="TRUEGRADE_ISA=sse9"):
        run(problem)
