"""Switch the panel's parts off one at a time, and print what happens: the tables of docs/inside/ablation.md.

    python tools/panel_ablation.py [FOLDER OF DATA SETS]

Simulations are measured against their truth, real ratings by how well held-back ratings are told. Gold is not read.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np

import truegrade as tg
from truegrade.models._auto_score import HoldOut

VARIANTS = {
    "default": {},
    "no bias": {"bias": False},
    "no stretch": {"stretch": False},
    "no spam": {"spam": False},
    "nobody reversed": {"reversed": False},
    "types only": {"refined": False},
    "population fixed": {"learned_population": False},
    "annotators certain": {"uncertain": False},
    "a formula for draws": {"draws": 0},
    "independent errors": {"dependence": 0.0},
    "prior as the ratings": {"prior": "shares"},
    "prior uniform": {"prior": "uniform"},
    "nodes on grades": {"nodes": 1},
    "ambiguous instances": {"difficulty": "instance"},
}
SIMULATIONS = {
    "paper's model": {"instances": 800, "annotators": 40, "ratings_per_instance": 5},
    "spam and adversaries": {
        "instances": 600,
        "annotators": 40,
        "ratings_per_instance": 6,
        "spammers": 0.4,
        "adversaries": 0.1,
    },
    "instances differ in ease": {
        "instances": 600,
        "annotators": 40,
        "ratings_per_instance": 6,
        "difficulty": "instance",
    },
    "skewed, 3 grades": {"instances": 800, "annotators": 40, "ratings_per_instance": 5, "scale": "1..3", "mu": 1.2},
    "small and noisy": {
        "instances": 180,
        "annotators": 200,
        "ratings_per_instance": 10,
        "scale": "1..6",
        "alpha": 4.0,
        "beta": 40.0,
    },
}
DATA = ("trec_rf10", "web_relevance", "adult_content2", "movie_reviews", "weather_sentiment_amt")
DRAWS = 3


def main() -> None:
    print("| MSE over the mean's, log-loss |", " | ".join(SIMULATIONS), "|")
    print("|---|" + "---|" * len(SIMULATIONS))
    for name, options in VARIANTS.items():
        print(
            f"| {name} |",
            " | ".join(on_simulation(options, design) for design in SIMULATIONS.values()),
            "|",
            flush=True,
        )
    if len(sys.argv) < 2:
        return
    sets = {name: tg.read(str(Path(sys.argv[1]) / name / "ratings.csv")) for name in DATA}
    print("\n| ln P per held-back rating |", " | ".join(sets), "|")
    print("|---|" + "---|" * len(sets))
    for name, options in VARIANTS.items():
        cells = [
            f"{HoldOut.of(ratings, 0.2, 0).scores([tg.OrdinalPanel(**options)]).mean[0]:.4f}"
            for ratings in sets.values()
        ]
        print(f"| {name} |", " | ".join(cells), "|", flush=True)
    for name, ratings in sets.items():
        bounds = np.array(tg.OrdinalPanel(starts=4).fit(ratings).bounds)
        print(f"\n{name}: bounds of four starts, relative to the first:", np.round(bounds - bounds[0], 1), flush=True)


def on_simulation(options: dict, design: dict) -> str:
    figures = []
    for seed in range(DRAWS):
        drawn = tg.simulate(seed=seed, **design)
        fit, mean = tg.OrdinalPanel(**options).fit(drawn.ratings), tg.Mean().fit(drawn.ratings)
        found = tg.evaluate(fit, drawn.gold())
        figures.append([found.mse / tg.evaluate(mean, drawn.gold()).mse, found.log_loss])
    ratio, loss = np.mean(figures, axis=0)
    return f"{ratio:.2f}, {loss:.2f}"


if __name__ == "__main__":
    main()
