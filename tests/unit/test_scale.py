import numpy as np
import pytest

from truegrade import Scale
from truegrade.errors import ScaleError


@pytest.mark.parametrize(
    ("observed", "values"),
    [
        ([1, 3], (1, 2, 3)),
        ([-2, 0], (-2, -1, 0)),
        ([0.5, 2], (0.5, 1, 1.5, 2)),
        ([0.1, 0.25, 7], (0.1, 0.25, 7)),
        ([4], (4,)),
        ([0, 100], tuple(range(101))),
    ],
)
def test_infer(observed, values):
    assert Scale.infer(observed).values == values


@pytest.mark.parametrize("observed", [[0, 101], np.linspace(0, 1, 103), []])
def test_infer_refuses_what_cannot_be_a_scale(observed):
    with pytest.raises(ScaleError):
        Scale.infer(observed)


@pytest.mark.parametrize(
    ("text", "values", "names"),
    [
        ("1..3", (1, 2, 3), None),
        ("1, 2,4.5", (1, 2, 4.5), None),
        ("cold,warm,hot", (1, 2, 3), ("cold", "warm", "hot")),
        ("bad=0,good=10", (0, 10), ("bad", "good")),
        ("-1..1", (-1, 0, 1), None),
    ],
)
def test_parse_and_its_inverse(text, values, names):
    scale = Scale.parse(text)
    assert (scale.values, scale.names) == (values, names)
    assert Scale.parse(str(scale)) == scale
    assert Scale.from_json(scale.to_json()) == scale


@pytest.mark.parametrize("text", ["3,2", "1,1", "a,a", "5..1", "1..x", "a,,b", "1..500", "1,nan", "1,inf"])
def test_parse_refuses(text):
    with pytest.raises(ScaleError):
        Scale.parse(text)


def test_thresholds_are_midpoints_and_half_a_step_out():
    np.testing.assert_array_equal(Scale((0, 1, 4)).thresholds, [-0.5, 0.5, 2.5, 5.5])
    np.testing.assert_array_equal(Scale((0, 1)).thresholds_with("infinite"), [-np.inf, 0.5, np.inf])
    np.testing.assert_array_equal(Scale((3,)).thresholds, [2.5, 3.5])


def test_nearest_takes_the_lower_of_two():
    np.testing.assert_array_equal(Scale((0, 1, 4)).nearest(np.array([-9, 0.5, 0.51, 2.5, 9])), [0, 0, 1, 1, 2])


def test_names_without_numbers_have_no_distances():
    assert not Scale.parse("cold,warm").numbered
    assert Scale.parse("cold=1,warm=2").numbered
