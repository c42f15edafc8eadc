"""How Auto and its members do on data with gold: the figures of docs/models/auto.md and of README's table.

    python tools/auto_figures.py FOLDER OF DATA SETS [SEEDS OF FAKE RATINGS]

Gold is only measured against. With seeds, nine fake ratings per instance are added to two of the sets, as in the
paper's experiment.
"""

from __future__ import annotations

import sys
import time
from pathlib import Path

import numpy as np

import truegrade as tg
from truegrade.models._auto_members import members_for
from truegrade.simulation import with_spam

DATA = ("trec_rf10", "web_relevance", "adult_content2", "movie_reviews", "weather_sentiment_amt")
FAKED = ("web_relevance", "trec_rf10")
FAKES = 9
DRAWS = 2000  # of the bootstrap


def main() -> None:
    folder = Path(sys.argv[1])
    seeds = int(sys.argv[2]) if len(sys.argv) > 2 else 0
    for name in DATA:
        about_set(folder / name)
    for name in FAKED if seeds else ():
        about_fakes(folder / name, seeds)


def about_set(folder: Path) -> None:
    ratings, gold = tg.read(str(folder / "ratings.csv")), tg.read_gold(str(folder / "gold.csv"))
    begin = time.perf_counter()
    auto = tg.Auto().fit(ratings)
    print(f"\n{folder.name}: {time.perf_counter() - begin:.1f} s; {auto.notes}")
    print("| model | MSE | correlation | NDCG | log-loss |\n|---|---|---|---|---|")
    fits = [auto, *(member.model.fit(ratings) for member in members_for(ratings, 0))]
    for fit in fits:
        found = tg.evaluate(fit, gold)
        ndcg = "" if found.ndcg is None else f"{found.ndcg:.3f}"
        print(f"| {fit.model} | {found.mse:.3f} | {found.pearson:.3f} | {ndcg} | {found.log_loss:.3f} |")
    print("95 % of bootstrap draws:", intervals(auto, ratings, gold), flush=True)


def intervals(fit: tg.Fit, ratings: tg.Ratings, gold: tg.Gold) -> str:
    at, truth = gold.on(ratings)
    estimate = fit.posterior.estimate[at]
    p = fit.posterior.probabilities(ratings.scale)[at, ratings.scale.nearest(truth)]
    rng = np.random.default_rng(0)
    draws = []
    for _ in range(DRAWS):
        i = rng.integers(0, at.size, at.size)
        loss = -np.log(np.maximum(p[i], 1e-12)).mean()
        draws.append((np.mean((estimate[i] - truth[i]) ** 2), np.corrcoef(estimate[i], truth[i])[0, 1], loss))
    low, high = np.percentile(draws, [2.5, 97.5], axis=0)
    names = ("MSE", "correlation", "log-loss")
    return "; ".join(f"{n} {a:.3f} to {b:.3f}" for n, a, b in zip(names, low, high, strict=True))


def about_fakes(folder: Path, seeds: int) -> None:
    ratings, gold = tg.read(str(folder / "ratings.csv")), tg.read_gold(str(folder / "gold.csv"))
    models = [tg.Auto(), *(member.model for member in members_for(ratings, 0))]
    print(f"\n{folder.name}, correlation with {FAKES} fake ratings per instance")
    print("| fakes, seed |", " | ".join(model.name for model in models), "|")
    print("|---|" + "---|" * len(models))
    for label, given in [("none", ratings), *((f"seed {s}", with_spam(ratings, FAKES, seed=s)) for s in range(seeds))]:
        cells = [f"{tg.evaluate(model.fit(given), gold).pearson:.3f}" for model in models]
        print(f"| {label} |", " | ".join(cells), "|", flush=True)


if __name__ == "__main__":
    main()
