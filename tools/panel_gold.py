"""What known truths are worth to the panel: the table of docs/inside/ablation.md. Reads gold; log the look there.

    python tools/panel_gold.py FOLDER OF DATA SETS

Known truths are drawn at random; log-loss, MSE and correlation are those of the other instances with gold, the same for
every number of known truths.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np

import truegrade as tg
from truegrade.gold import Gold

DATA = ("weather_sentiment_amt", "web_relevance", "movie_reviews", "adult_content2", "trec_rf10")
SIMULATION = {"instances": 800, "annotators": 40, "ratings_per_instance": 5, "seed": 0}
KNOWN, MOST, SEEDS = (0, 20, 100), 100, 3


def main() -> None:
    drawn = tg.simulate(**SIMULATION)
    show("simulation", drawn.ratings, Gold.of(drawn.gold()))
    for name in DATA:
        folder = Path(sys.argv[1]) / name
        show(name, tg.read(str(folder / "ratings.csv")), tg.read_gold(str(folder / "gold.csv")))


def show(name: str, ratings: tg.Ratings, gold: Gold) -> None:
    """One line per number of known truths."""
    rated = set(map(str, ratings.instances.labels.to_pylist()))
    pairs = [
        (key, value) for key, value in zip(gold.instances.to_pylist(), gold.values, strict=True) if str(key) in rated
    ]
    for known in KNOWN:
        figures = []
        for seed in range(SEEDS):
            order = np.random.default_rng(seed).permutation(len(pairs))
            told = Gold.of({pairs[i][0]: float(pairs[i][1]) for i in order[:known]}) if known else None
            others = Gold.of({pairs[i][0]: float(pairs[i][1]) for i in order[MOST:]})
            found = tg.evaluate(tg.OrdinalPanel().fit(ratings, told), others)
            figures.append([found.log_loss, found.mse, found.pearson])
        print(f"| {name} | {known} |", ", ".join(f"{x:.3f}" for x in np.mean(figures, axis=0)), "|", flush=True)


if __name__ == "__main__":
    main()
