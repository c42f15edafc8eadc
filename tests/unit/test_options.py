"""What the fields of models may hold, whether they come as text or as Python objects."""

import numpy as np
import pytest

from truegrade import OrdinalMixture
from truegrade.errors import OptionError


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"alpha": "lern"}, "alpha=lern: choose a number or learn"),
        ({"lam": True}, "lam=True: choose a number or learn or none"),
        ({"epsilon": None}, "epsilon=None: choose a number or learn"),
        ({"epsilon_prior": 1}, "epsilon_prior=1: choose numbers with commas or none"),
        ({"epsilon_prior": (1.0, float("inf"))}, "give two positive numbers"),
        ({"thresholds": "finit"}, "thresholds=finit: choose one of finite, infinite or numbers with commas"),
        ({"epsilon_prior": (float("nan"), 1.0)}, "give two positive numbers"),
        ({"pi": ("a", "b")}, "choose one of uniform, learn or numbers"),
        ({"spam": "false"}, "spam=false: choose true or false"),
        ({"starts": 2.5}, "starts=2.5: choose a whole number"),
        ({"max_iterations": None}, "max_iterations=None: choose a whole number"),
        ({"difficulty": ["none"]}, "choose one of none, category, instance"),
    ],
)
def test_values_that_a_field_cannot_hold(options, message):
    with pytest.raises(OptionError) as error:
        OrdinalMixture(**options)
    assert message in str(error.value)


@pytest.mark.parametrize("kind", [list, np.array])
def test_lists_and_arrays_become_tuples(kind):
    bounds = (-np.inf, 1.5, np.inf)
    model = OrdinalMixture(thresholds=kind(bounds), pi=kind([0.5, 0.5]), starts=np.int64(2), mu=np.float32(3))
    assert model == OrdinalMixture(thresholds=bounds, pi=(0.5, 0.5), starts=2, mu=3.0)
    assert hash(model) == hash(OrdinalMixture(thresholds=bounds, pi=(0.5, 0.5), starts=2, mu=3.0))
