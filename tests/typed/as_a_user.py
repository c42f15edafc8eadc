"""The public interface as a user would write it. mypy --strict reads this file and its main runs: test_typing.py."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, assert_type

import numpy as np
import polars as pl

import truegrade as tg
from truegrade import charts, checks, datasets, errors, experiments, screening
from truegrade.compat import crowdkit
from truegrade.compat.sklearn import TruthEstimator

if TYPE_CHECKING:
    from numpy.typing import NDArray


def ratings_in(folder: Path) -> tg.Ratings:
    """From a frame, arrays, a file, a model."""
    frame = pl.DataFrame({"judge": list("abab"), "item": list("xxyy"), "score": [1, 2, 3, 3], "topic": ["q"] * 4})
    ratings = tg.Ratings.from_frame(frame, annotator="judge", scale="1..4", missing="drop", duplicates="first")
    assert_type(ratings, tg.Ratings)
    frame.write_csv(folder / "ratings.csv")
    assert_type(tg.read(folder / "ratings.csv", category="topic", drop_values=[-2]), tg.Ratings)
    large = tg.stream(folder / "ratings.csv", memory="8GB", scale="1..4")
    assert_type(tg.Mean().fit(large).status, tg.Status)
    arrays = tg.Ratings.from_arrays(
        annotator=["a", "b"], instance=np.array([1, 1]), rating=[1, 2], weight=[0.5, 2], scale=tg.Scale((1, 2, 3))
    )
    counts: int = arrays.n_ratings + arrays.n_instances + arrays.n_annotators + arrays.n_categories
    values: NDArray[np.float64] = arrays.values()
    print(counts, values, arrays.notes(), arrays.scale, tg.Scale.of("cold,warm,hot").labels, tg.__version__)
    drawn = tg.simulate(instances=30, annotators=6, n_ratings=160, grades=4, seed=1)
    return assert_type(tg.with_spam(drawn.ratings, per_instance=1, seed=0), tg.Ratings)


def every_model() -> None:
    """Options are keywords, and are checked."""
    models = (
        tg.Mean(),
        tg.Median(),
        tg.Majority(ties="random", seed=3),
        tg.OrdinalMixture(difficulty="category", lam="learn", epsilon_prior=(2, 1), starts=2),
        tg.OrdinalPanel(excluded=("w1",)),
        tg.DawidSkene(pooled=True, concentration=10, errors="alike"),
        tg.Glad(class_prior=(1, 2, 3), alpha_prior=(1, 0.5)),
        tg.OrdBinary(prior=2.5, class_prior="uniform"),
        tg.Continuous(),
        tg.Auto(seed=1),
    )
    print(models)


def results(ratings: tg.Ratings, folder: Path) -> tg.Fit:
    """Everything a fit says."""

    bounds: list[float] = []

    def told(iteration: int, bound: float, change: float) -> None:
        bounds.append(bound)

    checkpoint = tg.Checkpoint(folder / "fit.part", every=5)
    gold = tg.Gold.from_mapping({"i1": 2, "i2": 3})
    fit = assert_type(tg.OrdinalMixture(starts=1).fit(ratings, gold, progress=told), tg.Fit)
    again = tg.OrdinalMixture(starts=1).fit(ratings, gold={"i1": 2}, start=fit, checkpoint=checkpoint)
    checkpoint.remove()
    if fit.status is not tg.Status.CONVERGED:
        print(f"ended as {fit.status}: {'; '.join(fit.notes)}")
    assert_type(fit.bound, float | None)
    estimates: NDArray[np.float64] = fit.posterior.estimate
    print(fit.truth, fit.annotators, fit.categories, fit.iterations, fit.bounds, fit.n_off_scale, estimates)
    print(fit.at_least(3), fit.better(["i1"], ["i2"]), fit.responsibilities(again_ratings(ratings)))
    print(fit.rating_probabilities(annotator=["a1"], instance=["i1"]), tg.DawidSkene().fit(ratings).confusion("a1"))
    panel = tg.OrdinalPanel().fit(ratings)
    print(panel.explain(ratings, "i1"), checks.copied_ratings(panel, ratings))
    assert_type(again.predict(ratings), tg.Fit)
    fit.save(folder / "fit", format="parquet")
    assert_type(tg.Fit.load(folder / "fit"), tg.Fit)
    draws: Any = fit.to_arviz(ratings, draws=10, chains=2, seed=1)
    print(draws)
    return fit


def again_ratings(ratings: tg.Ratings) -> tg.Ratings:
    """A function of the user's own."""
    return ratings


def measured(fit: tg.Fit, ratings: tg.Ratings, folder: Path) -> None:
    """Against gold, and without it."""
    found = tg.evaluate(fit, {"i1": 2, "i2": 3, "i3": 1})
    assert_type(found.mse, float | None)
    assert_type(found.n_scored, int)
    alpha: float | None = tg.agreement(ratings).alpha_ordinal
    remarks: tuple[str, ...] = tg.describe(ratings).remarks
    print(alpha, remarks, found.to_json())
    pl.DataFrame({"item": ["i1"], "truth": [2]}).write_csv(folder / "gold.csv")
    assert_type(tg.read_gold(str(folder / "gold.csv"), scale=fit.scale), tg.Gold)
    for check in checks.predictive_checks(fit, ratings, draws=5):
        assert_type(check.passed, bool)
    print(screening.screen(ratings))
    print(sorted(datasets.CATALOGUE))
    print(tg.convert(fit, folder / "truths.csv", "crowd-kit").notes)
    work: experiments.Work | None = None
    engine: tg.DaskEngine | None = None
    print(work, engine)


def pictures(fit: tg.Fit, ratings: tg.Ratings, folder: Path) -> None:
    """Charts of one fit."""
    gold = tg.Gold.from_mapping({f"i{m}": 1 + m % 4 for m in range(1, 20)})
    for chart in (
        charts.truth_distribution(fit),
        charts.truth_uncertainty(fit),
        charts.annotator_map(fit, ratings),
        charts.confusion(fit, ratings, "a1"),
        charts.bias_stretch(tg.DawidSkene().fit(ratings)),
        charts.calibration(fit, gold, ratings),
        charts.trace(fit),
    ):
        charts.save(chart, folder / "chart.html")


def tables_of_experiments(table: pl.DataFrame, timed: tg.Ratings) -> None:
    """Charts that need a table of :mod:`truegrade.experiments`, or moments."""
    print(charts.comparison(table), charts.spam_curve(table), charts.ablation(table))
    print(charts.learning(tg.Mean().fit(timed), timed))
    print(charts.difficulty(tg.OrdinalMixture(difficulty="category").fit(timed)))


def as_others_do(ratings: tg.Ratings) -> None:
    """crowd-kit's names and scikit-learn's."""
    frame = pl.DataFrame({"task": ["t", "t"], "worker": ["a", "b"], "label": ["yes", "yes"]})
    print(
        crowdkit.MajorityVote(default_skill=None).fit_predict(frame), crowdkit.OneCoinDawidSkene(10).fit(frame).skills_
    )
    model = assert_type(crowdkit.DawidSkene(n_iter=10, tol=1e-4).fit(frame), crowdkit.DawidSkene)
    assert_type(model.loss_history_, list[float])
    assert_type(model.fit_, tg.Fit | None)
    print(crowdkit.GLAD(n_iter=5).fit_predict_proba(frame), model.get_params())
    estimator = TruthEstimator(tg.DawidSkene(), scale="1..4")
    x = np.stack([ratings.annotator, ratings.instance_of(), ratings.grade + 1], axis=1)
    estimate: NDArray[np.float64] = estimator.fit(x).predict(x)
    score: float = estimator.score(x)
    print(estimate, score)


def main(folder: Path) -> None:
    """All of it but what needs data of a shape of its own."""
    ratings = ratings_in(folder)
    every_model()
    fit = results(ratings, folder)
    measured(fit, ratings, folder)
    pictures(fit, ratings, folder)
    as_others_do(ratings)
    try:
        tg.Ratings.from_arrays(annotator=[], instance=[], rating=[])
    except errors.TruegradeError as error:
        print(error)
