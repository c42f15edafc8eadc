"""Ratings drawn from the panel's own model, with the truth that made them."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from truegrade import Ratings
from truegrade.models._panel_grid import TruthGrid
from truegrade.models._panel_types import TypeGrid, TypeParts

KAPPAS = np.array([1.5, 5.0, 20.0, 100.0])
SETTLED = 100


class Drawn(NamedTuple):
    ratings: Ratings
    truth: np.ndarray  # (M,) by code


def draw_panel(*, annotators: int, per_annotator: int, instances: int, grades: int = 5, seed: int = 0) -> Drawn:
    """Types by the grid's base shares, kappas alike, truths anywhere in the cells of a grid of two nodes per grade.

    Grades are given as often as truths lie there, which is what the panel expects before it has seen anything.
    """
    rng = np.random.default_rng(seed)
    grid = TruthGrid.of(grades, 2, (0.0,))
    share = np.sin(np.pi * (np.arange(grades) + 1) / (grades + 1))
    share /= share.sum()
    types = TypeGrid.of(share, TypeParts())
    h = rng.choice(types.base.size, annotators, p=types.base)
    pseudo = KAPPAS[rng.integers(0, 4, annotators)][:, None, None] * types.p[h]
    phi = rng.standard_gamma(pseudo) + 1e-300
    phi /= phi.sum(axis=2, keepdims=True)  # (N, R, K)
    mass = np.full(grid.position.size, 1 / grid.position.size)
    for _ in range(SETTLED):  # the prior of truths lies at the shares of the ratings that it leads to
        said = mass @ grid.blend @ phi.mean(axis=0)
        mass = np.interp(grid.position, np.arange(grades), said) + 0.02
        mass /= mass.sum()
    node = rng.choice(grid.position.size, instances, p=mass)
    truth = grid.position[node] + rng.uniform(-0.25, 0.25, instances)
    n = np.repeat(np.arange(annotators), per_annotator)
    m = np.concatenate([rng.permutation(instances) for _ in range(n.size // instances + 1)])[: n.size]
    passes = (rng.random(n.size)[:, None] > np.cumsum(grid.blend[node[m]], axis=1)).sum(axis=1)
    said = (rng.random(n.size)[:, None] > np.cumsum(phi[n, passes], axis=1)).sum(axis=1)
    ratings = Ratings.from_arrays(
        annotator=n, instance=m, rating=np.minimum(said, grades - 1), scale=f"0..{grades - 1}"
    )
    by_code = np.empty(len(ratings.instances))
    by_code[ratings.instances.code] = truth[np.array(ratings.instances.labels.to_pylist())]
    return Drawn(ratings, by_code)
