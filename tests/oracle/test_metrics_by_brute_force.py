"""The figures of evaluate on random truth tables, against their definitions spelled out pair by pair."""

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from truegrade import evaluate
from truegrade.scale import Scale

VALUES = [0.0, 1.0, 2.5, 4.0]


def drawn_table(seed, ties):
    """A truth table of 5 to 60 instances on an uneven scale, estimates on a grid where they are to tie, and gold."""
    rng = np.random.default_rng(seed)
    size = int(rng.integers(5, 60))
    estimate = rng.choice([0.5, 1, 2, 3], size) if ties else rng.normal(2, 2, size)
    p = rng.dirichlet(np.full(4, 0.3), size)
    half = rng.gamma(1, 1, size)
    table = {
        "instance": [f"i{m}" for m in range(size)],
        "estimate": estimate,
        "lower": estimate - half,
        "upper": estimate + half,
        "grade": np.array(VALUES)[rng.integers(0, 4, size)],
        **{f"p_{label}": p[:, k] for k, label in enumerate(Scale.of(VALUES).labels)},
    }
    gold = np.where(rng.random(size) < 0.5, np.array(VALUES)[rng.integers(0, 4, size)], rng.uniform(0, 4, size))
    return table, gold


def nearest(value):
    """The index of the nearest grade, the lower one of two."""
    return min(range(4), key=lambda k: (abs(VALUES[k] - value), k))


def kappa_by_pairs(grade, gold):
    """1 - mean squared distance of the pairs seen / of all pairs of a grade here and a gold grade there."""
    seen = np.mean([(VALUES[a] - VALUES[b]) ** 2 for a, b in zip(grade, gold, strict=True)])
    chance = np.mean([(VALUES[a] - VALUES[b]) ** 2 for a in grade for b in gold])
    return 1 - seen / chance if chance else None


@given(seed=st.integers(0, 2**32 - 1), ties=st.booleans())
def test_every_figure(seed, ties):
    table, gold = drawn_table(seed, ties)
    found = evaluate(pa.table(table), dict(zip(table["instance"], gold.tolist(), strict=True)))
    graded = [nearest(value) for value in gold]
    grade = [VALUES.index(value) for value in table["grade"]]
    estimate = table["estimate"]
    p = np.array([table[f"p_{label}"] for label in Scale.of(VALUES).labels])
    assert found.mse == pytest.approx(sum((e - g) ** 2 for e, g in zip(estimate, gold, strict=True)) / gold.size)
    assert found.mae == pytest.approx(sum(abs(e - g) for e, g in zip(estimate, gold, strict=True)) / gold.size)
    assert found.accuracy == pytest.approx(sum(a == b for a, b in zip(grade, graded, strict=True)) / gold.size)
    assert found.kappa == pytest.approx(kappa_by_pairs(grade, graded), rel=1e-9)
    losses = [-np.log(max(p[k, m], 1e-12)) for m, k in enumerate(graded)]
    assert found.log_loss == pytest.approx(np.mean(losses))
    inside = [low <= g <= high for low, high, g in zip(table["lower"], table["upper"], gold, strict=True)]
    assert found.coverage == pytest.approx(np.mean(inside))
    if np.ptp(estimate) > 0:
        assert found.pearson == pytest.approx(stats.pearsonr(estimate, gold).statistic, abs=1e-9)
        assert found.spearman == pytest.approx(stats.spearmanr(estimate, gold).statistic, abs=1e-9)


@given(seed=st.integers(0, 2**32 - 1), ties=st.booleans())
def test_the_order_of_truth_and_gold_changes_no_bit(seed, ties):
    table, gold = drawn_table(seed, ties)
    rng = np.random.default_rng(seed)
    table["category"] = [f"c{c}" for c in rng.integers(0, 4, gold.size)]
    truth = pa.table(table)
    gold = pa.table({"instance": table["instance"], "gold": gold})
    orders = [rng.permutation(gold.num_rows) for _ in range(2)]
    assert evaluate(truth.take(orders[0]), gold.take(orders[1])) == evaluate(truth, gold)
