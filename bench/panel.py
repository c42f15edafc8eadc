"""Time the ordinal panel: a pass beside one of Dawid-Skene with as many nodes, and whole fits.

Passes are timed apart from the start (types settling) and the end (draws). The annotators' update must not grow with
the ratings: it is timed on ten times as many of them. Times are those of this machine: look at them on idle cores.
"""

from __future__ import annotations

from time import perf_counter
from typing import TYPE_CHECKING

import numpy as np

from bench._targets import Line, print_lines
from truegrade import DawidSkene, OrdinalPanel, simulate
from truegrade.models._panel_ascent import PanelAscent
from truegrade.models._panel_problem import PanelProblem, place_panel

if TYPE_CHECKING:
    from collections.abc import Callable

    from truegrade import Ratings

ROUNDS = 15
SIZES = {  # ratings, annotators, grades
    "TREC's size": (91_783, 762, 3),
    "500k by 500": (500_000, 500, 5),
}


def draw(ratings: int, annotators: int, grades: int) -> Ratings:
    return simulate(
        instances=ratings // 5, annotators=annotators, n_ratings=ratings, scale=f"1..{grades}", seed=1
    ).ratings


def best(run: Callable[[], object]) -> float:
    times = []
    for _ in range(ROUNDS):
        start = perf_counter()
        run()
        times.append(perf_counter() - start)
    return min(times)


def pass_of_dawid_skene(ratings: Ratings) -> float:
    """The shortest pass of a fit, as its progress tells."""
    told: list[float] = []
    model = DawidSkene(starts=1, max_iterations=ROUNDS, tolerance=1e-15)
    model.fit(ratings, progress=lambda *_: told.append(perf_counter()))
    return float(np.diff(told).min())


def of_panel(ratings: Ratings) -> tuple[float, float]:
    """A pass on as many nodes as grades, and the part of it that is the annotators'."""
    model = OrdinalPanel(nodes=1)
    with place_panel(model, ratings, None) as placed:
        state = PanelAscent.fresh(PanelProblem.of(model, placed, None), 0)
        for _ in range(3):
            state.step()
        return best(state.step), best(lambda: state.rows.updated(state.rows.counts))


def seconds(ratings: Ratings, **options: object) -> float:
    start = perf_counter()
    OrdinalPanel(**options).fit(ratings)  # type: ignore[arg-type]
    return perf_counter() - start


def main() -> None:
    lines = []
    for name, size in SIZES.items():
        ratings = draw(*size)
        panel, update = of_panel(ratings)
        lines.append(Line(f"{name}: pass over one of Dawid-Skene", panel / pass_of_dawid_skene(ratings), "x", 2.0))
        lines.append(Line(f"{name}: annotators' update", 1e3 * update, "ms"))
        lines.append(Line(f"{name}: whole fit", seconds(ratings), "s", 5.0 if ratings.n_ratings < 1e5 else None))
    tenfold = of_panel(draw(5_000_000, 500, 5))[1]
    lines.append(Line("annotators' update, ten times the ratings", 1e3 * tenfold / lines[-2].figure, "x", 1.3))
    lines.append(Line("1M by 1,000: whole fit", seconds(draw(1_000_000, 1_000, 5)), "s", 30.0))
    lines.append(Line("100k by 500 on 101 grades: whole fit", seconds(draw(100_000, 500, 101)), "s", 30.0))
    print_lines(lines)


if __name__ == "__main__":
    main()
