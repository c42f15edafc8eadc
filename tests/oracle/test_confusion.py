"""What a confusion matrix says about an annotator, against draws and against annotators known for what they do."""

import numpy as np
import pytest

from truegrade import Scale
from truegrade.inference.confusion import adversaries, confusion_columns

SCALE = Scale((1, 2, 3, 5))
PREVALENCE = np.array([0.4, 0.3, 0.2, 0.1])


def columns(*matrices, prevalence=PREVALENCE, scale=SCALE):
    return confusion_columns(np.array(matrices, dtype=float), prevalence, scale)


@pytest.mark.parametrize("spam", [0, 0.3, 1])
def test_a_copier_who_sometimes_draws_blindly_has_that_spamminess(spam):
    blind = np.tile([0.1, 0.2, 0.3, 0.4], (4, 1))
    found = columns((1 - spam) * np.eye(4) + spam * blind)
    assert found["spamminess"] == pytest.approx([spam], abs=1e-12)
    right = (1 - spam) + spam * PREVALENCE @ [0.1, 0.2, 0.3, 0.4]
    assert found["expected_agreement"] == pytest.approx([right])


def test_moments_are_those_of_draws():
    rng = np.random.default_rng(0)
    matrix = rng.dirichlet(np.ones(4), 4)
    z = rng.choice(4, 400_000, p=PREVALENCE)
    r = (rng.random(z.size)[:, None] > np.cumsum(matrix, axis=1)[z]).sum(axis=1)
    said, true = SCALE.array[r], SCALE.array[z]
    found = columns(matrix)
    assert found["bias"] == pytest.approx([np.mean(said - true)], abs=0.01)
    assert found["stretch"] == pytest.approx([np.polyfit(true, said, 1)[0]], abs=0.01)
    step = 4 / 3
    assert found["expertise"] == pytest.approx([1 / (np.mean((said - true) ** 2) + step**2 / 12)], abs=0.01)


def test_who_is_perfect_and_who_turns_the_scale_around():
    turned = np.eye(4)[::-1]
    found = columns(np.eye(4), turned)
    np.testing.assert_allclose(found["spamminess"], [0, 0], atol=1e-12)  # both tell all about the truth
    assert found["stretch"][0] == pytest.approx(1)
    assert found["stretch"][1] < 0
    assert found["expertise"][0] == pytest.approx(12 / (4 / 3) ** 2)
    assert found["expertise"][1] < found["expertise"][0]


def test_one_true_grade_leaves_unknown_what_depends_on_others():
    found = columns(np.eye(4), prevalence=np.array([0, 1.0, 0, 0]))
    assert np.isnan([found["spamminess"][0], found["stretch"][0]]).all()
    assert columns([[1.0]], prevalence=np.ones(1), scale=Scale((3,)))["bias"] == [0]


def test_adversaries_are_those_with_enough_ratings_to_be_sure():
    reverse, copy = np.eye(3)[::-1], np.eye(3)
    flat = np.ones((3, 3))
    always = np.zeros((3, 3))
    always[1] = 1
    counts = np.stack([40 * reverse, reverse, 40 * copy, 40 * flat, 40 * always, 0 * flat])
    grades = np.array([1.0, 2, 3])
    np.testing.assert_array_equal(adversaries(counts, grades, grades), [True, False, False, False, False, False])
    # A correlation of -.5 over 40 ratings is 3.2 standard errors below 0, over 30 only 2.7.
    half = 0.5 * reverse / 3 + 0.5 * flat / 9
    np.testing.assert_array_equal(adversaries(np.stack([40 * half, 30 * half]), grades, grades), [True, False])
    np.testing.assert_array_equal(adversaries(40 * half[None], grades + 1e6, grades), [True])
