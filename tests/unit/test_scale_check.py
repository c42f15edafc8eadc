"""A code among the grades is found, and real grades are left alone."""

import csv

import pytest

from truegrade import Ratings, describe, read, simulate
from truegrade.scale_check import nominal_grades, nominal_note


@pytest.mark.parametrize("code", [-2, 3])
def test_the_broken_link_code_of_trec_is_no_grade(shared_data, code):
    path = shared_data("trec_rf10") / "raw-trec-rf10-data.txt"
    with path.open() as lines:
        rows = list(csv.DictReader(lines, delimiter="\t"))
    ratings = Ratings.from_arrays(
        annotator=[row["workerID"] for row in rows],
        instance=[row["topicID"] + row["docID"] for row in rows],
        rating=[code if row["label"] == "-2" else int(row["label"]) for row in rows],
    )
    assert [ratings.scale.values[k] for k in nominal_grades(ratings)] == [code]
    assert f"--drop-values {code}" in nominal_note(ratings)
    assert nominal_note(ratings) in describe(ratings).remarks


@pytest.mark.parametrize(
    "name",
    ["trec_rf10", "web_relevance", "adult_content2", "movie_reviews", "weather_sentiment_amt"],
)
def test_real_scales_are_left_alone(shared_data, name):
    assert nominal_note(read(shared_data(name) / "ratings.csv")) is None


@pytest.mark.parametrize("grades", [2, 3, 5, 10])
@pytest.mark.parametrize("spammers", [0.0, 0.4])
def test_simulated_scales_are_left_alone(grades, spammers):
    for seed in range(5):
        simulation = simulate(instances=1000, annotators=50, grades=grades, spammers=spammers, seed=seed)
        assert nominal_note(simulation.ratings) is None
