"""Questions to a posterior, against draws from it."""

import numpy as np
import pytest

from truegrade import Continuous, DawidSkene, OrdinalPanel, simulate
from truegrade.errors import IdError, OptionError


@pytest.fixture(scope="module")
def drawn():
    return simulate(instances=60, annotators=10, ratings_per_instance=5, seed=2)


@pytest.mark.parametrize("model", [OrdinalPanel(), DawidSkene(starts=1), Continuous()], ids=lambda m: m.name)
def test_better_is_what_draws_say(drawn, model):
    fit = model.fit(drawn.ratings)
    names = fit.instance_ids.labels.to_pylist()
    rng = np.random.default_rng(0)
    draws = {}
    for i in range(6):
        code = fit.instance_ids.code[i]
        if model.name == "continuous":
            draws[names[i]] = rng.normal(fit.posterior.estimate[code], fit.posterior.sd[code], 100_000)
        else:
            draws[names[i]] = rng.choice(fit.posterior.nodes, 100_000, p=fit.posterior.p[code])
    for row in fit.better(names[:3], names[3:6]).to_pylist():
        x, y = draws[row["one"]], draws[row["other"]]
        assert row["p_better"] == pytest.approx(np.mean(x > y) + np.mean(x == y) / 2, abs=0.01)


def test_at_least_adds_up_the_grades(drawn):
    fit = OrdinalPanel().fit(drawn.ratings)
    rows = fit.truth_table().to_pylist()
    for row, found in zip(rows, fit.at_least(4).to_pylist(), strict=True):
        assert found["instance"] == row["instance"]
        assert found["p_at_least"] == pytest.approx(row["p_4"] + row["p_5"])


def test_what_does_not_exist_is_refused(drawn):
    fit = DawidSkene(starts=1).fit(drawn.ratings)
    with pytest.raises(OptionError, match="no grade of the scale"):
        fit.at_least(9)
    with pytest.raises(IdError, match="no instance 'nothing'"):
        fit.better(["nothing"], fit.instance_ids.labels.to_pylist()[:1])
    with pytest.raises(OptionError, match="as many"):
        fit.better([], fit.instance_ids.labels.to_pylist()[:1])
