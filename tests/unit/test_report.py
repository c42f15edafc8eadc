"""The report as text: what it says, what it leaves out, how large it is."""

from dataclasses import replace
from html.parser import HTMLParser

import numpy as np
import pytest

from truegrade import Auto, Fit, Gold, Mean, Median, OrdinalMixture, Ratings, charts, simulate
from truegrade.checks import predictive_checks
from truegrade.errors import FitError, OptionError
from truegrade.report import material, two_fits
from truegrade.report.charts import truth_distribution
from truegrade.report.confusion import grade_bins
from truegrade.report.feedback import feedback_page, feedback_table
from truegrade.report.page import report
from truegrade.report.text import decimals, shown_note
from truegrade.report.two_fits import compare_fits


@pytest.fixture(scope="module")
def simulation():
    return simulate(instances=200, annotators=20, categories=4, spammers=0.2, ratings_per_instance=6, seed=2)


@pytest.fixture(scope="module")
def fit(simulation):
    return OrdinalMixture(difficulty="category", starts=2).fit(simulation.ratings)


class Texts(HTMLParser):
    """The page's text, without scripts and styles, and the sections it has."""

    def __init__(self, html):
        super().__init__()
        self.sections, self.text, self.addresses, self.skipped = [], "", [], False
        self.feed(html)

    def handle_starttag(self, tag, attrs):
        if tag == "section":
            self.sections.append(dict(attrs)["id"])
        self.addresses += [value for name, value in attrs if name in ("src", "href")]
        self.skipped = tag in ("script", "style")

    def handle_endtag(self, tag):
        self.skipped = False

    def handle_data(self, data):
        self.text += "" if self.skipped else data


def test_every_section(simulation, fit):
    found = Texts(report(fit, simulation.ratings, Gold.from_frame(simulation.gold())))
    wanted = ["summary", "truth", "annotators", "difficulty", "suspicious", "checks", "method"]
    assert found.sections == wanted
    for words in ("Krippendorff", "What to do next: drop", "The least certain", "kappa", "MSE against gold", "seed 0"):
        assert words in found.text


def test_without_ratings_it_says_what_is_missing(fit):
    found = Texts(report(fit))
    assert "suspicious" not in found.sections
    assert "pass them with --ratings" in found.text


def test_it_asks_for_nothing_from_outside(simulation, fit):
    html = report(fit, simulation.ratings)
    assert all(address.startswith("#") for address in Texts(html).addresses)
    assert "default-src 'none'" in html


def test_other_ratings_are_refused(fit):
    others = simulate(instances=20, annotators=5, seed=9).ratings
    with pytest.raises(FitError, match="not the ratings that the fit was made from"):
        report(fit, others)


@pytest.mark.parametrize("model", [Mean(), Median()])
def test_models_that_know_less(simulation, model):
    words = Texts(report(model.fit(simulation.ratings), simulation.ratings)).text.lower().split()
    assert "nan" not in words


def test_a_real_scale():
    rng = np.random.default_rng(0)
    ratings = Ratings.from_arrays(
        annotator=[f"a{i % 5}" for i in range(50)],
        instance=[i // 5 for i in range(50)],
        rating=rng.random(50),
        scale="real",
    )
    found = Texts(report(Mean().fit(ratings), ratings))
    assert found.sections == ["summary", "truth", "annotators", "checks", "method"]


def test_the_summary_says_what_was_chosen_and_whether_it_fits(simulation, fit):
    """The notes of auto are the reason for its weights; the verdicts on drawn ratings stand in the checks."""
    auto = Auto().fit(simulation.ratings)
    found = Texts(report(auto, simulation.ratings)).text
    assert "the model auto, which weighs several models" in found
    assert f"Note: {next(note for note in auto.notes if note.startswith('stacked'))}." in found
    checked = predictive_checks(fit, simulation.ratings)
    found = Texts(report(fit, simulation.ratings)).text
    assert "ordinal-mixture, as asked" in found
    for check in checked:
        assert check.name in found
        assert check.verdict in found


def test_a_story_that_does_not_fit_is_told(simulation):
    """Twice the same ratings under other names: annotators agree more than any fit without copying explains."""
    ratings = simulation.ratings
    who, what = ratings.annotators.labels.take(ratings.annotator), ratings.instances.labels.take(ratings.instance_of())
    copied = Ratings.from_arrays(
        annotator=[name for of in ("", "copy ") for name in (f"{of}{one}" for one in who.to_pylist())],
        instance=what.to_pylist() * 2,
        rating=np.tile(ratings.values(), 2),
    )
    found = Texts(report(Mean().fit(copied), copied)).text
    assert "look unlike these: annotators agree more than this fit explains" in found


def test_too_many_ratings_are_not_drawn_again(simulation, fit, monkeypatch):
    monkeypatch.setattr(material, "_DRAWN", 100)
    found = Texts(report(fit, simulation.ratings)).text
    assert "No ratings were drawn" in found
    assert "Checked:" not in found


def test_truths_that_are_all_but_the_same(fit):
    """Estimates that differ by rounding alone cannot be binned between their ends."""
    estimate = 2 + np.arange(fit.posterior.estimate.size) % 3 * 4.5e-16
    flat = replace(fit, posterior=replace(fit.posterior, estimate=estimate, sd=np.full(estimate.size, 0.3)))
    for chart in (truth_distribution(flat), charts.truth_uncertainty(flat)):
        rows = next(iter(chart.to_dict()["datasets"].values()))
        assert sum(row["instances"] for row in rows) == estimate.size
    for chart in (charts.truth_uncertainty(flat), two_fits._estimates(estimate, estimate, ("one", "other"))):
        rows = next(iter(chart.to_dict()["datasets"].values()))
        assert all(row["right"] > row["left"] + 0.001 and row["high"] > row["low"] + 0.001 for row in rows)


def test_categories_that_are_cut_to_the_same_text_stay_apart(simulation):
    ratings = simulation.ratings
    what = ratings.instances.labels.take(ratings.instance_of()).to_pylist()
    again = Ratings.from_arrays(
        annotator=ratings.annotators.labels.take(ratings.annotator),
        instance=what,
        category=[f"{'x' * 100}{name[-1]}" for name in what],
        rating=ratings.values(),
    )
    drawn = charts.difficulty(OrdinalMixture(difficulty="category", starts=1).fit(again)).to_dict()
    rows = next(iter(drawn["datasets"].values()))
    assert len({row["category"] for row in rows}) == len(rows) == 10


def test_if_most_ratings_should_go_the_task_comes_first():
    noise = simulate(instances=300, annotators=20, spammers=0.8, ratings_per_instance=6, seed=4).ratings
    assert "What to do next: look at the task and the scale first" in Texts(report(Mean().fit(noise), noise)).text


def test_long_and_hidden_ids_in_notes_are_shown_short():
    note = shown_note(f"all ratings judged spam: 2 annotators ('{'x' * 10_000}', 'a\u202eb')")
    assert len(note) < 150
    assert "\u202e" not in note


def test_names_of_grades_are_shown_as_harmless_as_ids():
    names = ["\u202eabc", "x" * 10_000, "x" * 10_000 + "y"]
    rng = np.random.default_rng(0)
    ratings = Ratings.from_arrays(
        annotator=rng.integers(0, 9, 300),
        instance=rng.integers(0, 50, 300),
        rating=[names[k] for k in rng.integers(0, 3, 300)],
        scale=names,
    )
    html = report(Mean().fit(ratings), ratings)
    assert "\u202e" not in html
    assert "x" * 61 not in html
    assert len(set(grade_bins(ratings.scale)[1])) == 3


def test_small_numbers_keep_their_digits():
    simulation = simulate(instances=200, annotators=10, grades=101, spammers=0, seed=1)
    fit = OrdinalMixture(starts=1).fit(simulation.ratings)
    expertise = fit.annotator_columns["expertise"]
    assert decimals(expertise) > 2
    assert f">{expertise[np.argmax(expertise)]:.{decimals(expertise)}f}<" in report(fit, simulation.ratings)


def test_one_of_everything():
    ratings = Ratings.from_arrays(annotator=["a"], instance=["x"], rating=[3])
    assert "there is nothing to tell apart" in Texts(report(Mean().fit(ratings), ratings)).text


def test_a_thousand_times_the_data_is_hardly_a_larger_page():
    small, large = (
        simulate(instances=instances, annotators=annotators, seed=1).ratings
        for instances, annotators in ((2_000, 100), (50_000, 2_000))
    )
    sizes = [len(report(Mean().fit(ratings), ratings)) for ratings in (small, large)]
    assert sizes[1] < 1.6 * sizes[0]
    assert sizes[1] < 5_000_000


@pytest.mark.slow
def test_a_million_ratings_stay_under_five_megabytes():
    ratings = simulate(instances=250_000, annotators=5_000, categories=1_000, seed=1).ratings
    fit = OrdinalMixture(difficulty="category", starts=1, max_iterations=20).fit(ratings)
    assert len(report(fit, ratings).encode()) < 5_000_000


def test_feedback_for_one_and_for_all(simulation, fit):
    table = feedback_table(fit, simulation.ratings)
    assert table.column_names[:4] == ["annotator", "n_ratings", "advice", "reason"]
    assert table.num_rows == simulation.ratings.n_annotators
    name = table["annotator"][0].as_py()
    found = Texts(feedback_page(fit, simulation.ratings, name))
    assert f"Feedback for {name}" in found.text
    assert "furthest from what the others lead to expect" in found.text
    with pytest.raises(OptionError, match="pass --ratings"):
        feedback_table(fit, None)


def test_two_fits_side_by_side(simulation, fit):
    found = Texts(compare_fits(fit, Mean().fit(simulation.ratings)))
    assert "200 instances stand in both fits" in found.text
    others = simulate(instances=20, annotators=5, seed=9)
    other = Mean().fit(Ratings.from_arrays(annotator=["q"], instance=["nowhere"], rating=[1], scale="1..5"))
    with pytest.raises(OptionError, match="no instance in common"):
        compare_fits(Mean().fit(others.ratings), other)


def test_charts_save_without_a_browser(simulation, fit, tmp_path):
    ratings = simulation.ratings
    drawn = {
        "map": charts.annotator_map(fit),
        "picked": charts.annotator_map(fit, ratings),
        "confusion": charts.confusion(fit, ratings, ratings.annotators.label_of(0)),
        "difficulty": charts.difficulty(fit),
        "trace": charts.trace(fit),
        "uncertainty": charts.truth_uncertainty(fit),
        "calibration": charts.calibration(fit, Gold.from_frame(simulation.gold()), ratings),
    }
    for name, chart in drawn.items():
        charts.save(chart, tmp_path / f"{name}.svg")
        assert (tmp_path / f"{name}.svg").stat().st_size > 2000


def test_charts_of_what_a_model_does_not_know(simulation):
    mean = Mean().fit(simulation.ratings)
    for chart in (charts.bias_stretch, charts.difficulty, charts.trace):
        with pytest.raises(OptionError, match="mean "):
            chart(mean)
    with pytest.raises(OptionError, match="--timestamp"):
        charts.learning(mean, simulation.ratings)


def test_learning_over_time():
    """Annotators who get better: the last tenth of their ratings is nearer to the truth than the first."""
    rng = np.random.default_rng(0)
    instances, annotators = 200, 6
    truth = rng.integers(1, 6, instances)
    rows = [
        (n, m, m, np.clip(truth[m] + rng.integers(-2, 3) * (rng.random() > m / instances), 1, 5))
        for m in range(instances)
        for n in range(annotators)
    ]
    annotator, instance, timestamp, rating = zip(*rows, strict=True)
    ratings = Ratings.from_arrays(annotator=annotator, instance=instance, timestamp=timestamp, rating=rating)
    fit = Mean().fit(ratings)
    course = charts.learning(fit, ratings).to_dict()
    rows = next(iter(course["datasets"].values()))
    assert rows[0]["mean"] > 2 * rows[-1]["mean"]
    assert "learning" in report(fit, ratings)


def test_a_notebook_shows_a_table(fit):
    html = fit._repr_html_()
    assert "<table>" in html
    assert "192 more" in html


def test_a_loaded_fit_makes_the_same_report(fit, simulation, tmp_path):
    fit.save(tmp_path / "fit")
    assert report(Fit.load(tmp_path / "fit"), simulation.ratings) == report(fit, simulation.ratings)
