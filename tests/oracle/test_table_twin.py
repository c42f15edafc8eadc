"""The sweep over tables as NumPy does it, against loops over the sum over all truths."""

import math

import numpy as np
import pytest
from table_problems import make_problem

from truegrade.inference.table_twin import table_sweep_numpy


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("priors", [1, 3])
def test_twin_against_loops(weighted, priors):
    problem = make_problem(np.array([3, 0, 1, 5]), weighted=weighted, priors=priors, nodes=4, seed=priors)
    ratings, table, log_prior = problem
    found = problem.room()
    table_sweep_numpy(ratings, table, log_prior, found)
    counts, total = np.zeros(table.shape), np.zeros(table.shape[2])
    for m in range(4):
        rows = range(ratings.instance_ptr[m], ratings.instance_ptr[m + 1])
        prior = log_prior[0 if ratings.prior_row is None else ratings.prior_row[m]]
        masses = []
        for g in range(4):
            mass = math.exp(prior[g])
            for i in rows:
                w = 1.0 if ratings.weight is None else ratings.weight[i]
                mass *= math.exp(table[ratings.annotator[i], ratings.grade[i], g]) ** w
            masses.append(mass)
        q = np.array(masses) / sum(masses)
        assert found.log_z[m] == pytest.approx(math.log(sum(masses)))
        np.testing.assert_allclose(found.posterior[m], q, rtol=1e-12)
        total += q
        for i in rows:
            w = 1.0 if ratings.weight is None else ratings.weight[i]
            counts[ratings.annotator[i], ratings.grade[i]] += w * q
    np.testing.assert_allclose(found.counts, counts, rtol=1e-12)
    np.testing.assert_allclose(found.node_counts, total, rtol=1e-12)
