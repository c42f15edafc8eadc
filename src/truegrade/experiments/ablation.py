"""The paper's section 4.6: which part of the ordinal mixture withstands fake ratings."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from truegrade.experiments.lineup import line_up
from truegrade.experiments.study import Study
from truegrade.experiments.sweep import FAKES, SEEDS, sweep, sweep_points

if TYPE_CHECKING:
    from truegrade.experiments.running import Work
    from truegrade.ratings import Ratings

__all__ = ["ABLATION", "VARIANTS", "ablation_sweep"]

VARIANTS = tuple({"link": link, "spam": spam} for link in ("ordinal", "real") for spam in ("true", "false"))
ABLATION = tuple(f"ordinal-mixture:link={variant['link']}:spam={variant['spam']}" for variant in VARIANTS)


def ablation_sweep(
    ratings: Ratings,
    gold: Any,
    *,
    fakes: Sequence[int] = FAKES,
    seeds: Sequence[int] = SEEDS,
    starts: int = 10,
    seed: int = 0,
    one_list: bool = False,
    work: Work | None = None,
) -> Any:
    """The ordinal mixture with the ordinal or the real link, with or without the spam component, under fake ratings.

    As :func:`truegrade.experiments.spam_sweep`, with the further columns `link` and `spam`.
    """
    candidates = line_up(ABLATION, starts=starts, seed=seed)
    return sweep(Study.of(ratings, gold, one_list=one_list), candidates, sweep_points(fakes, seeds), work, VARIANTS)
