"""The kernel's pass against its NumPy twin, against itself by other means, and its invariants."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from mixture_problems import CONFIGURATIONS, Problem, make_problem, repeat_ratings

from truegrade.errors import OptionError
from truegrade.inference.mixture_sweep import MixtureOptions, MixturePlan, MixtureSums, mixture_sweep
from truegrade.inference.mixture_twin import mixture_sweep_numpy
from truegrade.instruction_sets import available_isas

ISAS = available_isas()
RTOL = 1e-9  # the rounding of sums that cancel; 1e-12 is usual


def assert_same(found: dict[str, np.ndarray], wanted: dict[str, np.ndarray], rtol: float = RTOL) -> None:
    assert found.keys() == wanted.keys()
    for name, array in found.items():
        assert not np.isnan(array).any(), name
        scale = np.abs(np.where(np.isfinite(wanted[name]), wanted[name], 0)).max(initial=1)
        np.testing.assert_allclose(array, wanted[name], rtol=rtol, atol=rtol * 1e-3 * scale, err_msg=name)


def label(options: MixtureOptions) -> str:
    return f"{options.link}-{options.responsibility}-{options.difficulty}"


every_configuration = pytest.mark.parametrize("options", CONFIGURATIONS, ids=label)


@st.composite
def problems(draw: st.DrawFn) -> Problem:
    options = draw(st.sampled_from(CONFIGURATIONS))
    return make_problem(
        options,
        np.array(draw(st.lists(st.integers(0, 12), min_size=1, max_size=40))),
        annotators=draw(st.integers(1, 12)),
        grades=draw(st.sampled_from([1, 2, 3, 5, 8, 9, 101])),
        weighted=draw(st.booleans()),
        clamped=draw(st.booleans()),
        infinite=draw(st.booleans()),
        certain=draw(st.booleans()),
        on_scale=options.link == "ordinal" or draw(st.booleans()),
        seed=draw(st.integers(0, 2**32)),
    )


@given(problems(), st.sampled_from(ISAS))
@settings(max_examples=300, deadline=None)
def test_kernel_against_twin(problem: Problem, isa: str) -> None:
    assert_same(problem.run(mixture_sweep, isa=isa), problem.run(mixture_sweep_numpy))


@every_configuration
@pytest.mark.parametrize("flags", range(16))
def test_kernel_against_twin_in_every_configuration(options: MixtureOptions, flags: int) -> None:
    problem = make_problem(
        options,
        np.random.default_rng(flags).poisson(3.8, 300),
        weighted=bool(flags & 1),
        clamped=bool(flags & 2),
        infinite=bool(flags & 4),
        certain=bool(flags & 8),
        seed=flags,
    )
    wanted = problem.run(mixture_sweep_numpy)
    for isa in ISAS:
        assert_same(problem.run(mixture_sweep, isa=isa), wanted)


@every_configuration
def test_threads_give_the_same_bits_and_instruction_sets_agree(options: MixtureOptions) -> None:
    problem = make_problem(options, np.random.default_rng(1).poisson(3.8, 12_000), annotators=31)
    assert len(MixturePlan.build(problem.ratings, options, 31).chunk_ptr) > 5
    one = problem.run(mixture_sweep, threads=1)
    for threads in (2, 3, 7, 64):
        other = problem.run(mixture_sweep, threads=threads)
        for name, array in one.items():
            np.testing.assert_array_equal(array, other[name], err_msg=name)
    wanted = problem.run(mixture_sweep_numpy)
    for isa in ISAS:
        assert_same(problem.run(mixture_sweep, isa=isa), wanted)


def test_the_environment_chooses_the_instruction_set(monkeypatch: pytest.MonkeyPatch) -> None:
    problem = make_problem(CONFIGURATIONS[0], np.full(300, 4))
    for isa in ISAS:
        monkeypatch.setenv("TRUEGRADE_ISA", isa)
        found, wanted = problem.run(mixture_sweep), problem.run(mixture_sweep, isa=isa)
        for name, array in found.items():
            np.testing.assert_array_equal(array, wanted[name], err_msg=name)
    if len(ISAS) > 1:  # the last bits tell them apart
        assert (found["totals"] != problem.run(mixture_sweep, isa="base")["totals"]).any()
    monkeypatch.setenv("TRUEGRADE_ISA", "sse9")
    with pytest.raises(OptionError, match="TRUEGRADE_ISA=sse9: this machine has base"):
        problem.run(mixture_sweep)


@every_configuration
def test_more_annotators_than_the_cache_holds(options: MixtureOptions) -> None:
    problem = make_problem(options, np.random.default_rng(5).poisson(3.8, 4000), annotators=9000)
    assert_same(problem.run(mixture_sweep), problem.run(mixture_sweep_numpy))


@every_configuration
def test_integer_weights_equal_repeated_ratings(options: MixtureOptions) -> None:
    problem = make_problem(options, np.random.default_rng(2).poisson(3, 100), on_scale=options.link == "ordinal")
    times = np.random.default_rng(3).integers(0, 4, len(problem.ratings.annotator))
    weighted = problem._replace(ratings=replace(problem.ratings, weight=times.astype(float)))
    found, wanted = weighted.run(mixture_sweep), repeat_ratings(problem, times).run(mixture_sweep)
    del found["responsibility"], wanted["responsibility"]
    assert_same(found, wanted)


@every_configuration
def test_long_instances_among_short_ones(options: MixtureOptions) -> None:
    degrees = np.ones(50, int)
    degrees[[3, 17]] = 3000, 700
    problem = make_problem(options, degrees)
    assert_same(problem.run(mixture_sweep), problem.run(mixture_sweep_numpy))


@every_configuration
def test_one_instance_as_long_as_data(options: MixtureOptions) -> None:
    degrees = np.full(40, 3)
    degrees[11] = 100_000
    problem = make_problem(options, degrees, annotators=400)
    wanted = problem.run(mixture_sweep_numpy, passes=1)
    assert_same(problem.run(mixture_sweep, passes=1, threads=3), wanted)


@pytest.mark.parametrize("isa", ISAS)
def test_every_number_of_grades(isa: str) -> None:
    for grades in range(1, 102):
        problem = make_problem(CONFIGURATIONS[grades % 6], np.full(30, 3), grades=grades, seed=grades)
        assert_same(problem.run(mixture_sweep, isa=isa), problem.run(mixture_sweep_numpy))


def shifted(array: object, by_bytes: int) -> object:
    """The same array at another place in memory, that many bytes past the beginning of an array of its own."""
    if not isinstance(array, np.ndarray):
        return array
    moved = np.empty(array.nbytes + by_bytes, np.uint8)[by_bytes:].view(array.dtype)
    moved[:] = array
    return moved


@every_configuration
def test_arrays_may_begin_anywhere(options: MixtureOptions) -> None:
    problem = make_problem(options, np.full(100, 3), weighted=True, clamped=True)
    moved = problem._replace(
        **{
            part: replace(values, **{name: shifted(getattr(values, name), 8) for name in values.__slots__})
            for part in ("ratings", "parameters", "state")
            for values in [getattr(problem, part)]
        }
    )
    assert moved.parameters.tau_mean.ctypes.data % 64 != 0 or moved.state.z_mean.ctypes.data % 64 != 0
    found, wanted = moved.run(mixture_sweep), problem.run(mixture_sweep)
    for name, array in found.items():
        np.testing.assert_array_equal(array, wanted[name], err_msg=name)


@every_configuration
@pytest.mark.parametrize("degrees", [[], [0], [1], [1, 0, 2], [0] * 9], ids=str)
def test_tiny_data(options: MixtureOptions, degrees: list[int]) -> None:
    problem = make_problem(options, np.array(degrees, int), annotators=1)
    assert_same(problem.run(mixture_sweep), problem.run(mixture_sweep_numpy))


@every_configuration
def test_certain_annotators_have_exact_responsibilities(options: MixtureOptions) -> None:
    problem = make_problem(options, np.full(200, 4), certain=True)
    problem.state.z_mean[:5] = 300.0  # hundreds of sigmas from every grade
    problem.parameters.tau_mean[-1] = 50.0
    for isa in ISAS:
        omega = problem.run(mixture_sweep, isa=isa, passes=1)["responsibility"]
        assert (omega[problem.ratings.annotator == 0] == 0).all()
        assert (omega[problem.ratings.annotator == problem.annotators - 1] == 1).all()


@every_configuration
def test_odds_past_the_range_of_a_double(options: MixtureOptions) -> None:
    problem = make_problem(options, np.full(60, 3), certain=True)
    problem.state.z_mean[::3] = 400.0
    problem.parameters.eps_log1m_mean[1] = -2000.0
    wanted = problem.run(mixture_sweep_numpy, passes=1)
    for isa in ISAS:
        assert_same(problem.run(mixture_sweep, isa=isa, passes=1), wanted)


@every_configuration
def test_clamped_instances_stay(options: MixtureOptions) -> None:
    problem = make_problem(options, np.full(100, 3), clamped=True)
    after = problem.run(mixture_sweep)
    still = problem.ratings.clamped == 1
    np.testing.assert_array_equal(after["z_mean"][still], problem.state.z_mean[still])
    assert np.isinf(after["z_precision"][still]).all()
    assert (after["z_mean"][~still] != problem.state.z_mean[~still]).all()


@pytest.mark.parametrize("difficulty", ["none", "category", "instance"])
@pytest.mark.parametrize("link", ["ordinal", "real"])
def test_exact_passes_never_lower_the_bound(link: str, difficulty: str) -> None:
    """With tau and eps held still the totals are the whole bound."""
    problem = make_problem(MixtureOptions(link=link, responsibility="exact", difficulty=difficulty), np.full(300, 4))
    bounds = []
    for passes in range(1, 16):
        rating, z, delta = problem.run(mixture_sweep, passes=passes)["totals"]
        bounds.append(rating - z - delta)
    assert (np.diff(bounds) > -1e-9 * abs(bounds[0])).all()
    assert bounds[-1] > bounds[0]


def test_plan_orders_windows_by_falling_degree() -> None:
    options = CONFIGURATIONS[1]
    problem = make_problem(options, np.random.default_rng(4).poisson(3.8, 9000))
    plan = MixturePlan.build(problem.ratings, options, problem.annotators, threads=2)
    degrees = np.diff(problem.ratings.instance_ptr)
    assert plan.chunk_ptr[-1] == len(plan.window_ptr) - 1
    assert len(plan.window_ptr) > 3
    for first, last in zip(plan.window_ptr, plan.window_ptr[1:], strict=False):
        window = plan.order[first:last]
        np.testing.assert_array_equal(np.sort(window), np.arange(first, last))
        assert (np.diff(degrees[window]) <= 0).all()
        assert first in problem.ratings.category_ptr


@pytest.mark.parametrize(
    ("part", "name", "value", "message"),
    [
        (
            "parameters",
            "tau_mean",
            np.ones(7, np.float32),
            "tau_mean is no C-ordered array of the wanted dtype",
        ),
        ("parameters", "log_spam", np.zeros(4), "log_spam has length 4, wanted 5"),
        ("ratings", "weight", np.ones(3), "weight has length 3, wanted 40"),
        ("ratings", "annotator", np.zeros(39, np.int32), "grade has length 40, wanted 39"),
        ("ratings", "category_ptr", None, "category_ptr is missing"),
        ("parameters", "tau_mean", shifted(np.ones(7), 1), "tau_mean is not aligned to its dtype"),
        ("state", "z_precision", np.ones(20)[::2], "z_precision is no C-ordered array of the wanted dtype"),
        ("state", "delta_rate", None, "delta_shape and delta_rate are missing"),
    ],
)
def test_arrays_that_do_not_fit_are_refused(part: str, name: str, value: object, message: str) -> None:
    options = MixtureOptions(difficulty="category")
    problem = make_problem(options, np.full(10, 4))
    plan = MixturePlan.build(problem.ratings, options, problem.annotators)
    changed = problem._replace(**{part: replace(getattr(problem, part), **{name: value})})
    sums = MixtureSums.empty(problem.annotators, 5)
    with pytest.raises(ValueError, match=message):
        mixture_sweep(changed.ratings, plan, options, changed.parameters, changed.state, sums)
