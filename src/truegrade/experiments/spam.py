"""The paper's section 4.5: what fake ratings do to each model."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

from truegrade.experiments.lineup import line_up
from truegrade.experiments.study import Study
from truegrade.experiments.sweep import FAKES, SEEDS, sweep, sweep_points

if TYPE_CHECKING:
    from truegrade.experiments.running import Work
    from truegrade.ratings import Ratings

__all__ = ["spam_sweep"]


def spam_sweep(
    ratings: Ratings,
    gold: Any,
    models: str | Iterable[str] | None = None,
    *,
    fakes: Sequence[int] = FAKES,
    seeds: Sequence[int] = SEEDS,
    starts: int = 10,
    seed: int = 0,
    one_list: bool = False,
    work: Work | None = None,
) -> Any:
    """Add fake ratings to every instance, fit every model and measure it; one row per model, fakes and seed.

    Fake annotators grade at random, each grade as likely as any other, and rate as much as the average real one.
    All models see the same fakes.

    Args:
        ratings: what to fit.
        gold: Gold, a frame or a mapping from instance to value.
        models: names with options, as in "mean,ordinal-mixture:difficulty=category"; by default every model.
        fakes: numbers of fake ratings per instance.
        seeds: of the fakes.
        starts: of the models that have several by themselves.
        seed: of the models.
        one_list: NDCG over all instances as one list; without it, and without categories, there is none.
        work: how many processes, and where finished fits are kept.
    """
    candidates = line_up(models, categories=ratings.n_categories > 0, starts=starts, seed=seed)
    return sweep(Study.of(ratings, gold, one_list=one_list), candidates, sweep_points(fakes, seeds), work)
