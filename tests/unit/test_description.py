"""What describe counts, and what it finds suspicious."""

import numpy as np
import pytest

from truegrade import OrdinalPanel, Ratings, describe, read, simulate
from truegrade.errors import OptionError


def rated(rows, **options):
    annotator, instance, rating = zip(*rows, strict=True)
    return Ratings.from_arrays(annotator=list(annotator), instance=list(instance), rating=list(rating), **options)


def remarks_on(rows, **options):
    return " | ".join(describe(rated(rows, **options)).remarks)


FULL = [(n, m, (n + m) % 3 + 1) for n in range(4) for m in range(12)]


def test_counts():
    found = describe(rated(FULL, category=[m % 2 for _, m, _ in FULL]))
    assert (found.ratings, found.instances, found.annotators, found.categories, found.scale) == (48, 12, 4, 2, "1..3")
    assert found.ratings_per_annotator == {"min": 12, "median": 12.0, "mean": 12.0, "max": 12}
    assert found.share_of_grade == pytest.approx({"1": 1 / 3, "2": 1 / 3, "3": 1 / 3})


def test_a_weight_is_so_many_ratings():
    rng = np.random.default_rng(0)
    weight = rng.integers(1, 4, len(FULL))
    weighted = describe(rated(FULL, weight=weight.tolist()))
    repeated = describe(rated([row for row, w in zip(FULL, weight, strict=True) for _ in range(w)]))
    for name in weighted.to_json():
        if name != "remarks":  # repeats are remarked on
            assert getattr(weighted, name) == pytest.approx(getattr(repeated, name)), name
    assert describe(rated(FULL, weight=[0.5] * 48)).ratings == 24


def test_good_ratings_draw_no_remark():
    drawn = simulate(instances=300, annotators=10, ratings_per_instance=9, spammers=0, earnest=(1, 1), alpha=90, beta=9)
    assert describe(drawn.ratings).remarks == ()


@pytest.mark.parametrize(
    ("rows", "told"),
    [
        ([*FULL, (0, 0, 1), (0, 0, 3)], "1 times an annotator gave one instance different grades"),
        ([*FULL, (0, 99, 1)], "1 of 13 instances have a single rating"),
        ([(m, m, 1 + m % 2) for m in range(5)], "no instance was rated twice"),
        ([(n, m, n + 1) for m in range(20) for n in (m % 3, (m + 1) % 3)], "instances have 2.0 ratings on average"),
        ([*FULL, *((n + 10, m + 50, g) for n, m, g in FULL[:24])], "fall into 2 groups that share neither"),
        ([*FULL, *((n + 10, m + 50, g) for n, m, g in FULL[:24])], "the largest has 4 of 6 annotators"),
        (FULL, "agreement is low: alpha is -0.2"),
        ([*FULL, *(("stuck", m, 2) for m in range(12))], "always the same grade (10 ratings or more): 'stuck'"),
        ([(n, m, 1 if n + m else 2) for n in range(4) for m in range(12)], "98% of the ratings are 1"),
        ([(n, m, 1 + m % 2) for n in range(40) for m in range(5)], "more annotators (40) than instances (5)"),
        ([(n, n % 15, 1 + n % 2) for n in range(15)], "15 of 15 annotators gave one rating"),
        (
            [(n, m, 5 * m + n) for n in range(4) for m in range(12)],
            "has 59 grades, 11 of them never given",
        ),
        (
            [(n, m, [1, 4][(n + m) % 2]) for n in range(4) for m in range(12)],
            "nobody gave the grades 2, 3 of",
        ),
    ],
)
def test_what_looks_wrong_is_said(rows, told):
    assert told in remarks_on(rows)


def test_grades_of_a_given_scale_that_nobody_gave():
    assert "nobody gave the grades 4, 5" in remarks_on(FULL, scale="1..5")


def test_an_annotator_against_the_others():
    rows = [(n, m, 1 + m % 2) for n in range(4) for m in range(12)]
    assert "no more than chance (0.50): 'contrary'" in remarks_on(
        [*rows, *(("contrary", m, 2 - m % 2) for m in range(12))]
    )


def test_a_category_that_is_an_id_is_asked_about():
    assert "is the category column another id" in remarks_on(FULL, category=[f"c{m}" for _, m, _ in FULL])


def test_ratings_on_a_real_scale():
    found = describe(rated([(n, m, m + 0.1 * n * (m % 3)) for n, m, _ in FULL], scale="real"))
    assert found.share_of_grade == {}
    assert found.alpha_interval > 0.9
    assert found.alpha_nominal is None


def test_the_columns_that_were_read_are_named(tmp_path):
    (tmp_path / "f").write_text("worker,doc,stars\na,x,1\nb,x,2\n")
    ratings = read(tmp_path / "f", rating="stars")
    assert describe(ratings).columns == {"annotator": "worker", "instance": "doc", "rating": "stars"}
    (tmp_path / "f").write_text("doc,ann,bob\nx,1,2\n")
    assert describe(read(tmp_path / "f")).columns == {"instance": "doc", "annotator": "2 columns"}
    assert describe(rated(FULL)).columns == {}


def test_trec_repeats_that_contradict_one_another(shared_data):
    found = describe(read(str(shared_data("trec_rf10") / "ratings.csv")))
    assert "1345 ratings repeat an annotator's rating of the same instance" in found.remarks
    assert "244 times an annotator gave one instance different grades" in found.remarks


def test_a_frame_in_place_of_ratings_is_told_what_to_do():
    columns = {"annotator": ["a", "b"], "instance": ["x", "x"], "rating": [1, 2]}
    fit = OrdinalPanel().fit(Ratings.from_arrays(**columns))
    for use in (describe, fit.predict):
        with pytest.raises(OptionError, match="a dict is no Ratings; pass"):
            use(columns)
