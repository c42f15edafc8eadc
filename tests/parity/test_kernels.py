"""Every kernel against its NumPy twin, and against itself on other thread counts."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from truegrade import _kernel
from truegrade.inference import sums

THREADS = (1, 2, 3, 8)
LARGE = 70_000  # ratings: more than one piece of work in every kernel


def draw(seed, n_ratings, n_instances, n_annotators, n_grades, weighted):
    """Ratings in no order, instance 0 the busiest and some without any."""
    rng = np.random.default_rng(seed)
    return {
        "instance": (rng.random(n_ratings) ** 2 * n_instances).astype(np.int32),
        "annotator": rng.integers(0, n_annotators, n_ratings, dtype=np.int32),
        "rating": rng.integers(0, n_grades, n_ratings, dtype=np.uint8),
        "weight": rng.choice([0.1, 1.0, 2.5], n_ratings) if weighted else None,
    }


def csr(module, rows, n_instances, threads=1):
    out = {
        "instance_ptr_out": np.empty(n_instances + 1, dtype=np.int64),
        "row_out": np.empty(rows["instance"].size, dtype=np.uint32),
        "annotator_out": np.empty_like(rows["annotator"]),
        "rating_out": np.empty_like(rows["rating"]),
    }
    module.csr_sort(*rows.values(), threads=threads, **out)
    return out


def sorted_columns(rows, n_instances):
    """instance_ptr, annotator, grade, weight as the counting kernels want them."""
    out = csr(sums, rows, n_instances)
    weight = None if rows["weight"] is None else rows["weight"][out["row_out"]]
    return out["instance_ptr_out"], out["annotator_out"], out["rating_out"], weight


def counts(module, columns, n_grades, threads=1):
    instance_ptr, _, grade, weight = columns
    out = np.full((instance_ptr.size - 1, n_grades), np.nan)
    module.grade_counts(instance_ptr, grade, weight, threads=threads, counts_out=out)
    return out


def agreement(module, columns, n_annotators, n_grades, threads=1):
    agree, paired = np.full((2, n_annotators), np.nan)
    module.agreement_sums(*columns, grades=n_grades, threads=threads, agree_out=agree, paired_out=paired)
    return np.array([agree, paired])


def hashes(module, texts, threads=1):
    encoded = [text.encode() for text in texts]
    offsets = np.cumsum([0, *map(len, encoded)], dtype=np.int64)
    data = np.frombuffer(b"".join(encoded), dtype=np.uint8)
    out = np.zeros(len(texts), dtype=np.uint64)
    module.hash_texts(offsets, data, threads=threads, hash_out=out)
    return out


shapes = st.fixed_dictionaries(
    {
        "seed": st.integers(0, 2**16),
        "n_ratings": st.integers(0, 60),
        "n_instances": st.integers(1, 20),
        "n_annotators": st.integers(1, 6),
        "n_grades": st.integers(1, 5),
        "weighted": st.booleans(),
    }
)


@settings(deadline=None)
@given(shape=shapes, real=st.booleans())
def test_csr_sort(shape, real):
    rows = draw(**shape)
    if real:
        rows["rating"] = rows["rating"] / 3
    found, wanted = csr(_kernel, rows, shape["n_instances"]), csr(sums, rows, shape["n_instances"])
    for name, array in wanted.items():
        np.testing.assert_array_equal(found[name], array, err_msg=name)


@settings(deadline=None)
@given(shape=shapes)
def test_csr_sort_forgets_the_row_order(shape):
    rows = draw(**shape)
    order = np.random.default_rng(shape["seed"]).permutation(shape["n_ratings"])
    mixed = {name: None if column is None else column[order] for name, column in rows.items()}
    first, second = (csr(_kernel, columns, shape["n_instances"]) for columns in (rows, mixed))
    for name in ("instance_ptr_out", "annotator_out", "rating_out"):
        np.testing.assert_array_equal(first[name], second[name], err_msg=name)
    if shape["weighted"]:
        np.testing.assert_array_equal(rows["weight"][first["row_out"]], mixed["weight"][second["row_out"]])


@settings(deadline=None)
@given(shape=shapes)
def test_grade_counts(shape):
    columns = sorted_columns(draw(**shape), shape["n_instances"])
    # Both add an instance's ratings in their order, so even the weighted sums agree to the bit.
    wanted = counts(sums, columns, shape["n_grades"])
    np.testing.assert_array_equal(counts(_kernel, columns, shape["n_grades"]), wanted)


@settings(deadline=None)
@given(shape=shapes)
def test_agreement_sums(shape):
    columns = sorted_columns(draw(**shape), shape["n_instances"])
    size = shape["n_annotators"], shape["n_grades"]
    # atol: others' weight is a difference, so an exact 0 in one may be a rounding error in the other.
    np.testing.assert_allclose(
        agreement(_kernel, columns, *size), agreement(sums, columns, *size), rtol=1e-12, atol=1e-13
    )


@given(texts=st.lists(st.text(max_size=40), min_size=1, max_size=20))
def test_hash_texts(texts):
    np.testing.assert_array_equal(hashes(_kernel, texts), hashes(sums, texts))


@pytest.mark.parametrize("weighted", [False, True])
def test_thread_counts_change_no_bit(weighted):
    rows = draw(0, LARGE, 9_000, 300, 5, weighted)
    columns = sorted_columns(rows, 9_000)
    texts = [f"id {i}" for i in range(40_000)]
    for threads in THREADS[1:]:
        one, many = csr(_kernel, rows, 9_000), csr(_kernel, rows, 9_000, threads)
        for name, array in one.items():
            np.testing.assert_array_equal(many[name], array, err_msg=name)
        np.testing.assert_array_equal(counts(_kernel, columns, 5, threads), counts(_kernel, columns, 5))
        np.testing.assert_array_equal(agreement(_kernel, columns, 300, 5, threads), agreement(_kernel, columns, 300, 5))
        np.testing.assert_array_equal(hashes(_kernel, texts, threads), hashes(_kernel, texts))


@pytest.mark.parametrize("weighted", [False, True])
def test_large_inputs_agree_with_the_twins(weighted):
    rows = draw(1, LARGE, 9_000, 300, 5, weighted)
    found, wanted = csr(_kernel, rows, 9_000, 2), csr(sums, rows, 9_000)
    for name, array in wanted.items():
        np.testing.assert_array_equal(found[name], array, err_msg=name)
    columns = sorted_columns(rows, 9_000)
    np.testing.assert_array_equal(counts(_kernel, columns, 5, 2), counts(sums, columns, 5))
    np.testing.assert_allclose(agreement(_kernel, columns, 300, 5, 2), agreement(sums, columns, 300, 5), rtol=1e-12)
