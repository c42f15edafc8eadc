"""Rows and tables of each model against the loops that define them."""

import numpy as np
import pytest

from truegrade.inference.cells import CodedCells, CoinCells, ConfusionCells

ALL = [ConfusionCells, CoinCells, CodedCells]


@pytest.mark.parametrize("cells", ALL)
@pytest.mark.parametrize("grades", [1, 2, 3, 5])
def test_a_table_weighs_counts_as_its_rows_do(cells, grades):
    """Sum of counts * table = sum of rows * log p, up to the constants that a coin spreads over wrong grades."""
    cells = cells(grades)
    counts = np.random.default_rng(1).random((4, grades, grades))
    rows = cells.rows(counts)
    log_p = np.log(np.random.default_rng(2).dirichlet(np.ones(rows.shape[2]), rows.shape[:2]))
    spread = rows[:, 0, 1].sum() * np.log(max(grades - 1, 1)) if isinstance(cells, CoinCells) else 0
    assert (counts * cells.table(log_p)).sum() == pytest.approx((rows * log_p).sum() - spread)


@pytest.mark.parametrize("cells", ALL)
@pytest.mark.parametrize("grades", [1, 2, 3, 5])
def test_confusion_rows_are_distributions(cells, grades):
    cells = cells(grades)
    rows = cells.rows(np.random.default_rng(1).random((4, grades, grades)))
    mean = np.random.default_rng(2).dirichlet(np.ones(rows.shape[2]), rows.shape[:2])
    confusion = cells.confusion(mean)
    assert confusion.shape == (4, grades, grades)
    np.testing.assert_allclose(confusion.sum(axis=2), 1)
    if cells != CoinCells(1):
        table = cells.table(np.log(mean)).transpose(0, 2, 1)
        wanted = np.exp(table) / np.exp(table).sum(axis=2, keepdims=True)
        np.testing.assert_allclose(confusion, wanted)


def test_bits_of_three_grades_as_in_the_papers_table():
    """alpha = P(bit 1 | bit 1), beta = P(bit 0 | bit 0)."""
    (a1, a2), (b1, b2) = (0.8, 0.7), (0.9, 0.6)
    rows = np.array([[[b1, 1 - b1], [1 - a1, a1], [b2, 1 - b2], [1 - a2, a2]]])
    table = np.exp(CodedCells(3).table(np.log(rows)))[0].T  # truth first
    wanted = [
        [b1 * b2, (1 - b1) * b2, (1 - b1) * (1 - b2)],
        [(1 - a1) * b2, a1 * b2, a1 * (1 - b2)],
        [(1 - a1) * (1 - a2), a1 * (1 - a2), a1 * a2],
    ]
    np.testing.assert_allclose(table, wanted)


def test_coins_count_bits():
    counts = np.random.default_rng(3).random((2, 4, 4))
    rows = CodedCells(4).rows(counts).reshape(2, 3, 2, 2)
    for j in range(3):
        for true in (0, 1):
            for said in (0, 1):
                cells = [(r, g) for r in range(4) for g in range(4) if (r > j) == said and (g > j) == true]
                np.testing.assert_allclose(rows[:, j, true, said], sum(counts[:, r, g] for r, g in cells))
