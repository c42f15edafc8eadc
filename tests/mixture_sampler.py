"""A plain Gibbs sampler of the ordinal mixture: the posterior itself, given the hyperparameters, for tests."""

from __future__ import annotations

import numpy as np
from scipy.special import ndtr, ndtri


def sample(
    ratings, *, sweeps, burn_in, seed, eps_prior, alpha, beta, phi, eta, mu, lam, difficulty, link, bounds, gold=None
):
    """Mean and standard deviation of z (M,), tau (N,), eps (N,) and delta (D,), from draws after the burn-in.

    y is drawn with x integrated out, x given y = 1, then z, tau, delta and eps in turn.
    """
    rng = np.random.default_rng(seed)
    n, m, r = ratings.annotator, ratings.instance_of(), ratings.values()
    d = {"none": 0 * m, "category": ratings.category, "instance": np.arange(ratings.n_instances)}[difficulty]
    d = d if difficulty == "none" else d[m]
    instances, annotators, eases = ratings.n_instances, ratings.n_annotators, int(d.max()) + 1
    spam = 1 / (bounds.size - 1)
    low, high = bounds[ratings.grade], bounds[ratings.grade + 1]
    z = np.bincount(m, r, instances) / np.bincount(m, minlength=instances)
    tau, delta, eps = np.full(annotators, alpha / beta), np.full(eases, phi / eta), np.full(annotators, 0.9)
    draws = {"z": [], "tau": [], "eps": [], "delta": []}
    for sweep in range(sweeps):
        root = np.sqrt(tau[n] * delta[d])
        if link == "ordinal":
            below, above = ndtr((low - z[m]) * root), ndtr((high - z[m]) * root)
            likelihood = above - below
        else:
            likelihood = root * np.exp(-(((r - z[m]) * root) ** 2) / 2) / np.sqrt(2 * np.pi)
        earnest = eps[n] * likelihood
        y = rng.random(n.size) * (earnest + (1 - eps[n]) * spam) < earnest
        if link == "ordinal":
            u = below + rng.random(n.size) * likelihood
            x = np.clip(z[m] + ndtri(np.clip(u, 1e-300, 1 - 1e-16)) / root, low, high)
        else:
            x = r
        precision = lam + np.bincount(m, y * root**2, instances)
        total = lam * mu + np.bincount(m, np.where(y, root**2 * x, 0), instances)
        z = total / precision + rng.standard_normal(instances) / np.sqrt(precision)
        square = np.where(y, (x - z[m]) ** 2, 0)
        tau = rng.gamma(alpha + np.bincount(n, y, annotators) / 2) / (
            beta + np.bincount(n, square * delta[d], annotators) / 2
        )
        delta = rng.gamma(phi + np.bincount(d, y, eases) / 2) / (eta + np.bincount(d, square * tau[n], eases) / 2)
        eps = rng.beta(eps_prior[0] + np.bincount(n, y, annotators), eps_prior[1] + np.bincount(n, ~y, annotators))
        if sweep >= burn_in:
            for name, value in (("z", z), ("tau", tau), ("eps", eps), ("delta", delta)):
                draws[name].append(value)
    return {name: (np.mean(values, axis=0), np.std(values, axis=0)) for name, values in draws.items()}
