"""Coordinate ascent of the ordinal mixture by brute force: every expectation is a sum over nodes.

Nothing here knows a formula of section 2.3 of the paper but, where it is asked for, the printed omega. Nodes are pairs
(at, weight); `free(at)` stands for a variable that is not averaged over.
"""

from __future__ import annotations

import numpy as np
from scipy.special import gammaln

LOG_TWO_PI = np.log(2 * np.pi)


def free(at):
    return np.asarray(at, dtype=float), None


def point(value):
    return np.array([float(value)]), np.ones(1)


def mean_of(function, *nodes):
    """E function(a, b, ...) with a, b, ... independent; an array if the first of them is free."""
    if nodes[0][1] is None:  # one by one: small arrays stay in the cache
        return np.array([mean_of(function, point(value), *nodes[1:]) for value in nodes[0][0]])
    total = function(*np.ix_(*(at for at, _ in nodes)))
    for at, weight in reversed(nodes):
        total = np.broadcast_to(total, (*total.shape[:-1], at.size)) @ weight
    return total


def normalised(at, log_density):
    """Equally spaced nodes weighted by a density that need not integrate to 1."""
    weight = np.exp(log_density - log_density.max())
    return at, weight / weight.sum()


def normal_nodes(mean, precision):
    """Gauss-Hermite; three nodes are exact for squares."""
    if np.isinf(precision):
        return point(mean)
    at, weight = np.polynomial.hermite_e.hermegauss(3)
    return mean + at / np.sqrt(precision), weight / weight.sum()


def gamma_nodes(shape, rate):
    """The trapezoidal rule in ln value, where the density is smooth and dies out at both ends."""
    sd = 1 / np.sqrt(shape)
    log = np.log(shape / rate) + np.linspace(-9 * sd - 12 * sd**2, 7 * sd, 48)
    return normalised(np.exp(log), log_gamma(np.exp(log), shape, rate) + log)


def log_gamma(value, shape, rate):
    return shape * np.log(rate) - gammaln(shape) + (shape - 1) * np.log(value) - rate * value


def log_normal(value, mean, precision):
    return (np.log(precision) - LOG_TWO_PI - precision * (value - mean) ** 2) / 2


def log_perceived(x, z, tau, delta):
    return log_normal(x, z, tau * delta)


def moments(at, log_density):
    """Mean and variance of a density on equally spaced nodes."""
    _, weight = normalised(at, log_density)
    mean = weight @ at
    return mean, weight @ (at - mean) ** 2


class Brute:
    """What one pass should do, by brute force from the state of an ascent, which is only read."""

    def __init__(self, ascent):
        self.problem, self.hyper, self.earnest = ascent.problem, ascent.hyper, ascent.earnest
        self.model, ratings = self.problem.model, self.problem.placed.ratings
        self.n, self.m = ratings.annotator, ratings.instance_of()
        self.k = np.zeros(self.n.size, int) if ratings.scale.is_real else ratings.grade.astype(int)
        self.value = ratings.values()
        self.weight = np.ones(self.n.size) if ratings.weight is None else ratings.weight
        self.d = {"none": 0 * self.m, "category": ratings.category, "instance": np.arange(ratings.n_instances)}[
            self.model.difficulty
        ]
        if self.model.difficulty != "none":
            self.d = self.d[self.m]
        (state,) = ascent.states
        self.z = [normal_nodes(*q) for q in zip(state.z_mean, state.z_precision, strict=True)]
        self.tau = [gamma_nodes(*q) for q in zip(ascent.tau_shape, ascent.tau_rate, strict=True)]
        if self.model.ease is not None:
            self.delta = [point(self.model.ease)]
        elif state.delta_shape is None:
            self.delta = [gamma_nodes(*ascent.delta)]
        else:
            self.delta = [gamma_nodes(*q) for q in zip(state.delta_shape, state.delta_rate, strict=True)]
        self.log_eps, self.log_no_eps = self._log_eps()
        self.log_spam = np.log(self.hyper.pi) - np.log(self.problem.widths)
        each = [self._rating(i) for i in range(self.n.size)]
        self.x, self.log_a, self.omega = ([part[j] for part in each] for j in range(3))

    def _log_eps(self):
        """E ln eps and E ln (1 - eps) of each annotator (N,)."""
        if self.earnest.prior is None:
            with np.errstate(divide="ignore"):
                return np.log(self.earnest.eps), np.log1p(-self.earnest.eps)
        logit, found = np.linspace(-60, 60, 20001), []
        for a, b in zip(*self.earnest.counts(), strict=True):
            _, weight = normalised(logit, -a * np.logaddexp(0, -logit) - b * np.logaddexp(0, logit))
            found.append((-weight @ np.logaddexp(0, -logit), -weight @ np.logaddexp(0, logit)))
        return np.array(found).T

    def _rating(self, i):
        """q(x | y = 1), ln A = E ln p(r, x | y = 1) + H(q(x)), and omega."""
        n, k = self.n[i], self.k[i]
        z, tau, delta = self.z[self.m[i]], self.tau[n], self.delta[self.d[i]]
        if self.model.link == "real":
            x = point(self.value[i])
            log_a = mean_of(log_perceived, x, z, tau, delta)
        else:
            low, high = self.problem.thresholds[k : k + 2]
            middle, reach = z[0] @ z[1], 12 / np.sqrt((tau[0] @ tau[1]) * (delta[0] @ delta[1]))
            low, high = max(low, min(middle, high) - reach), min(high, max(middle, low) + reach)
            at, width = np.polynomial.legendre.leggauss(32)
            at, width = (low + high) / 2 + (high - low) / 2 * at, (high - low) / 2 * width
            density = width * np.exp(mean_of(log_perceived, free(at), z, tau, delta))
            x, log_a = (at, density / density.sum()), np.log(density.sum())
        worth = log_a
        if self.model.responsibility == "printed":  # ln of means, and no entropy of q(x)
            rho = (tau[0] @ tau[1]) * (delta[0] @ delta[1])
            worth = np.log(rho / 2 / np.pi) / 2 - rho / 2 * mean_of(lambda a, b: (a - b) ** 2, x, z)
        with np.errstate(over="ignore"):
            omega = 1 / (1 + np.exp(self.log_no_eps[n] + self.log_spam[k] - self.log_eps[n] - worth))
        return x, log_a, omega

    def ratings_bound(self):
        """Sum over ratings of E ln p(r, x, y | z, tau, delta, eps) + H(q(x, y))."""
        total = 0.0
        for n, k, weight, omega, log_a in zip(self.n, self.k, self.weight, self.omega, self.log_a, strict=True):
            if omega > 0:
                total += weight * omega * (self.log_eps[n] + log_a - np.log(omega))
            if omega < 1:
                total += weight * (1 - omega) * (self.log_no_eps[n] + self.log_spam[k] - np.log1p(-omega))
        return total

    def _earnest_log(self, of, at, which):
        """Sum over the ratings `of` of w omega E ln N(x | z, 1/(tau delta)) as a function of one variable at `at`."""
        total = np.zeros(np.size(at))
        for i in np.flatnonzero(of):
            given = {"z": self.z[self.m[i]], "tau": self.tau[self.n[i]], "delta": self.delta[self.d[i]], "x": self.x[i]}
            given[which] = free(at)
            others = [name for name in given if name != which]

            def density(value, *rest, names=(which, *others)):
                return log_perceived(**dict(zip(names, (value, *rest), strict=True)))

            total = total + self.weight[i] * self.omega[i] * mean_of(density, given[which], *(given[o] for o in others))
        return total

    def update_z(self, m):
        """Mean and precision of the optimal q(z_m), found by a grid that closes in on it."""
        middle, reach = self.z[m][0] @ self.z[m][1], 10.0
        for _ in range(4):
            at = middle + np.linspace(-reach, reach, 61)
            log = log_normal(at, self.hyper.mu, self.hyper.lam) + self._earnest_log(self.m == m, at, "z")
            middle, variance = moments(at, log)
            reach = 8.5 * np.sqrt(max(variance, (at[1] - at[0]) ** 2))
        return middle, 1 / variance

    def update_tau(self, n):
        """E tau and E ln tau under the optimal q(tau_n)."""
        return self._update_gamma(self.n == n, "tau", self.tau[n], self.hyper.alpha, self.hyper.beta)

    def update_delta(self, d):
        """E delta and E ln delta under the optimal q(delta_d)."""
        return self._update_gamma(self.d == d, "delta", self.delta[d], self.hyper.phi, self.hyper.eta)

    def _update_gamma(self, of, which, now, prior_shape, prior_rate):
        middle, reach = np.log(now[0] @ now[1]), 6.0
        for _ in range(5):
            log = middle + np.linspace(-2 * reach, reach, 101)
            at = np.exp(log)
            density = log_gamma(at, prior_shape, prior_rate) + log + self._earnest_log(of, at, which)
            middle, variance = moments(log, density)
            reach = 12 * np.sqrt(max(variance, (log[1] - log[0]) ** 2))
        _, weight = normalised(log, density)
        return weight @ at, middle

    def earnest_sums(self):
        """Sums of w omega and w (1 - omega) of each annotator."""
        omega, no_omega = np.array(self.omega), 1 - np.array(self.omega)
        count = len(self.tau)
        return np.bincount(self.n, self.weight * omega, count), np.bincount(self.n, self.weight * no_omega, count)


def divergence(at, weight, log_q, log_p):
    """KL(q || p) on nodes."""
    return float(weight @ (log_q(at) - log_p(at)))
