"""Simulations have the shape and the shares that were asked for."""

import numpy as np
import pyarrow as pa
import pytest
from scipy import stats

from truegrade.errors import OptionError
from truegrade.evaluation import evaluate
from truegrade.models.mean import Mean
from truegrade.ratings import Ratings
from truegrade.simulation import simulate, with_spam
from truegrade.simulation.seating import deal, spread, zipf

# A test of a share passes within 5 standard errors: with a fixed seed it is no matter of luck.
SIGMAS = 5


def close_to_share(found, share, n):
    return abs(found - share) <= SIGMAS * np.sqrt(share * (1 - share) / n)


def code_of(ids):
    return dict(zip(ids.labels.to_pylist(), ids.code, strict=True))


def test_shapes():
    drawn = simulate(instances=300, annotators=20, categories=7, grades=3, n_ratings=1000, difficulty="category")
    ratings = drawn.ratings
    assert (ratings.n_ratings, ratings.n_instances, ratings.n_annotators, ratings.n_categories) == (1000, 300, 20, 7)
    assert ratings.scale.n_grades == 3
    assert drawn.truth.shape == drawn.truth_grade.shape == (300,)
    assert drawn.earnestness.shape == drawn.expertise.shape == drawn.adversary.shape == (20,)
    assert drawn.ease.shape == (7,)
    assert drawn.y.shape == (1000,)
    assert simulate(instances=300, difficulty="instance").ease.shape == (300,)
    assert simulate(instances=300).ease.tolist() == [1.0]
    assert ratings.n_repeats == 0


@pytest.mark.parametrize(
    "options",
    [
        {"annotators": 1},
        {"instances": 1},
        {"instances": 1, "annotators": 1, "n_ratings": 1},
        {"instances": 1, "annotators": 1, "n_ratings": 7},
        {"instances": 3, "annotators": 2, "n_ratings": 11},
        {"grades": 1},
        {"grades": 2},
        {"grades": 101},
        {"scale": "cold,warm,hot"},
        {"scale": [0, 0.5, 4]},
        {"instances": 40, "annotators": 40, "n_ratings": 1600},
        {"instances": 40, "annotators": 40, "n_ratings": 1590, "busy": 4.0},
        {"spammers": 1.0},
        {"spammers": 0.0, "adversaries": 1.0},
        {"categories": 1000},
    ],
)
def test_edges(options):
    drawn = simulate(**options)
    ratings = drawn.ratings
    assert ratings.n_instances == options.get("instances", 1000)
    assert ratings.n_annotators == min(options.get("annotators", 50), ratings.n_ratings)
    cells = ratings.n_instances * options.get("annotators", 50)
    assert ratings.n_repeats == max(0, ratings.n_ratings - cells)
    low, high = ratings.scale.thresholds[[0, -1]]
    assert np.all((drawn.truth >= low) & (drawn.truth <= high))
    assert drawn.rows().num_rows == ratings.n_ratings


def test_a_seed_fixes_everything():
    first, again, other = (simulate(instances=50, difficulty="instance", seed=seed) for seed in (3, 3, 4))
    assert first.rows().equals(again.rows())
    assert first.gold().equals(again.gold())
    for name in ("truth", "earnestness", "expertise", "adversary", "ease", "y"):
        np.testing.assert_array_equal(getattr(first, name), getattr(again, name))
    assert not first.rows().equals(other.rows())


def test_parts_have_streams_of_their_own():
    plain, hard = simulate(instances=50), simulate(instances=50, difficulty="instance", eta=50.0)
    np.testing.assert_array_equal(plain.truth, hard.truth)
    np.testing.assert_array_equal(plain.expertise, hard.expertise)
    np.testing.assert_array_equal(plain.ratings.annotator, hard.ratings.annotator)
    assert not np.array_equal(plain.ratings.grade, hard.ratings.grade)


def test_truth_is_a_truncated_normal():
    drawn = simulate(instances=20_000, n_ratings=20_000)
    wanted = stats.truncnorm(-2, 2, loc=3, scale=1.25)  # 0.5 .. 5.5 is two standard deviations either way
    assert stats.kstest(drawn.truth, wanted.cdf).pvalue > 1e-3
    np.testing.assert_array_equal(drawn.truth_grade, drawn.ratings.scale.nearest(drawn.truth))


@pytest.mark.parametrize("mu", [-8.0, 14.0])
def test_truth_from_far_off_the_scale(mu):
    drawn = simulate(instances=20_000, n_ratings=20_000, mu=mu, lam=1.0)
    wanted = stats.truncnorm(0.5 - mu, 5.5 - mu, loc=mu)
    assert stats.kstest(drawn.truth, wanted.cdf).pvalue > 1e-3


def test_spammers_and_adversaries():
    drawn = simulate(instances=20_000, annotators=100, spammers=0.3, adversaries=0.2, busy=0.0)
    assert np.count_nonzero(drawn.earnestness <= 0.2) == 30
    assert np.count_nonzero(drawn.adversary) == 20
    assert np.all(drawn.earnestness[drawn.adversary] >= 0.8)
    mean = drawn.earnestness[drawn.ratings.annotator].mean()
    assert close_to_share(drawn.y.mean(), mean, drawn.y.size)
    spam = drawn.ratings.grade[~drawn.y]
    assert stats.chisquare(np.bincount(spam, minlength=5)).pvalue > 1e-3


def test_spam_follows_pi():
    drawn = simulate(instances=5_000, spammers=1.0, spam=(0.0, 0.0), grades=3, pi=[2, 0, 6])
    shares = np.bincount(drawn.ratings.grade, minlength=3) / drawn.y.size
    assert shares[1] == 0
    assert close_to_share(shares[0], 0.25, drawn.y.size)


def test_earnest_ratings_follow_the_truth_and_adversaries_its_mirror_image():
    drawn = simulate(instances=2_000, adversaries=0.5, spammers=0.0, earnest=(1.0, 1.0), alpha=1e6, beta=1.0)
    ratings = drawn.ratings
    z, mirrored = drawn.truth[ratings.instance_of()], drawn.adversary[ratings.annotator]
    aim = np.where(mirrored, 6 - z, z)
    assert np.mean(ratings.grade == ratings.scale.nearest(aim)) > 0.99  # noise of a thousandth of a grade


def test_expertise_is_a_precision():
    drawn = simulate(instances=30_000, annotators=3, spammers=0.0, earnest=(1.0, 1.0), grades=101, n_ratings=90_000)
    error = drawn.ratings.values() - drawn.truth[drawn.ratings.instance_of()]
    inside = np.abs(drawn.truth[drawn.ratings.instance_of()] - 51) < 15  # away from the ends, where grades pile up
    for n in range(3):
        own = (drawn.ratings.annotator == n) & inside & drawn.y
        sd = drawn.expertise[n] ** -0.5
        if sd < 15:
            # 1/12: the variance that rounding to whole grades adds
            assert np.var(error[own]) == pytest.approx(sd**2 + 1 / 12, rel=0.05)


def test_ease_sharpens_ratings():
    drawn = simulate(instances=5_000, categories=2, difficulty="category", phi=0.5, eta=0.5, spammers=0.0, seed=5)
    ratings = drawn.ratings
    error = np.abs(ratings.values() - drawn.truth[ratings.instance_of()])
    per_category = [error[ratings.category[ratings.instance_of()] == c].mean() for c in range(2)]
    assert np.argmin(per_category) == np.argmax(drawn.ease)


def test_arrays_are_aligned_with_the_codes():
    drawn = simulate(instances=60, annotators=9, categories=4, spammers=0.3)
    ratings, gold = drawn.ratings, drawn.gold()
    codes = code_of(ratings.instances)
    for name, z, grade in zip(*(gold[c].to_pylist() for c in ("instance", "z", "gold")), strict=True):
        assert (drawn.truth[codes[name]], drawn.truth_grade[codes[name]] + 1) == (z, grade)
    again = Ratings.from_arrays(**{n: drawn.rows()[n].to_pylist() for n in drawn.rows().column_names}, scale="1..5")
    np.testing.assert_array_equal(again.grade, ratings.grade)
    np.testing.assert_array_equal(again.annotator, ratings.annotator)
    np.testing.assert_array_equal(again.category, ratings.category)


def test_annotators_table():
    drawn = simulate(instances=60, annotators=9, spammers=0.3, adversaries=0.2)
    table = drawn.annotators()
    for row in table.to_pylist():
        code = code_of(drawn.ratings.annotators)[row["annotator"]]
        assert row["spamminess"] == 1 - drawn.earnestness[code]
        assert (row["expertise"], row["adversary"]) == (drawn.expertise[code], drawn.adversary[code])
        assert row["n_ratings"] == np.count_nonzero(drawn.ratings.annotator == code)


def test_gold_evaluates_as_it_is():
    drawn = simulate(instances=500, scale="cold,warm,hot", alpha=1e6, beta=1.0, spammers=0.0, earnest=(1.0, 1.0))
    found = evaluate(Mean().fit(drawn.ratings), drawn.gold(), one_list=True)
    assert found.n_scored == 500
    assert found.accuracy > 0.99


def test_busy_annotators_follow_zipf():
    counts = np.sort(
        simulate(instances=20_000, annotators=20, busy=0.8, ratings_per_instance=1.0).ratings.ratings_per_annotator()
    )
    share = np.arange(20, 0, -1.0) ** -0.8
    share /= share.sum()
    assert np.all(np.abs(counts / 20_000 - share) <= SIGMAS * np.sqrt(share / 20_000))


def test_result_is_read_only():
    with pytest.raises(ValueError, match="read-only"):
        simulate(instances=5).truth[0] = 1


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"instances": 0}, "instances must be at least 1"),
        ({"annotators": -1}, "annotators must be at least 1"),
        ({"grades": 102}, "grades must be from 1 to 101"),
        ({"instances": 5, "categories": 6}, "6 categories need"),
        ({"instances": 5, "n_ratings": 4}, "5 instances need"),
        ({"ratings_per_instance": 0.5}, "1000 instances need"),
        ({"spammers": 0.7, "adversaries": 0.4}, "at most 1"),
        ({"spammers": float("nan")}, "at most 1"),
        ({"busy": -1.0}, "busy must be"),
        ({"earnest": (0.9, 0.1)}, "earnest="),
        ({"difficulty": "query"}, "choose 'none'"),
        ({"alpha": 0.0}, "alpha must be positive"),
        ({"pi": [1, 2]}, "pi must be 5 chances"),
        ({"mu": 1e9}, "off the scale"),
        ({"mu": float("inf")}, "mu must be finite"),
        ({"raters": 5}, "no option 'raters'; choose from instances, annotators"),
    ],
)
def test_refused(options, message):
    with pytest.raises(OptionError, match=message):
        simulate(**options)


def test_seating_by_brute_force():
    rng = np.random.default_rng(0)
    for n_instances, n_annotators, n_ratings, busy in [(4, 3, 11, 2.0), (50, 6, 280, 3.0), (200, 40, 900, 1.0)]:
        count = spread(n_ratings, n_instances, n_annotators, rng)
        assert count.sum() == n_ratings
        assert count.min() >= 1
        assert count.max() <= n_annotators
        annotator = deal(count, zipf(n_annotators, busy, rng), rng)
        pairs = set(zip(np.repeat(np.arange(n_instances), count), annotator, strict=True))
        assert len(pairs) == n_ratings
        assert set(annotator) == set(range(n_annotators))


@pytest.mark.parametrize(("n_instances", "seats", "n_annotators"), [(20, 2, 30), (3, 5, 6)])
def test_even_the_laziest_annotator_sits_somewhere(n_instances, seats, n_annotators):
    for seed in range(30):
        rng = np.random.default_rng(seed)
        annotator = deal(np.full(n_instances, seats), zipf(n_annotators, 6.0, rng), rng)
        assert np.unique(annotator).size == n_annotators
        rows = np.sort(annotator.reshape(n_instances, seats))
        assert np.all(np.diff(rows) > 0)


def test_spam_beside_one_tireless_annotator():
    ratings = Ratings.from_arrays(annotator=["a"] * 8, instance=["x"] * 8, rating=[1, 2] * 4)
    spammed = with_spam(ratings, per_instance=3)
    assert (spammed.n_annotators, spammed.n_repeats) == (4, 7)


def test_spam():
    ratings = simulate(instances=2_000, annotators=30).ratings
    spammed = with_spam(ratings, per_instance=3)
    fake = np.zeros(spammed.n_annotators, dtype=bool)
    codes = code_of(spammed.annotators)
    fake[[code for name, code in codes.items() if name.startswith("fake")]] = True
    assert np.count_nonzero(fake) == round(6000 / (8000 / 30))
    assert {"fake1", "fake22"} <= codes.keys()
    by_fake = fake[spammed.annotator]
    assert np.bincount(spammed.instance_of()[by_fake]).tolist() == [3] * 2_000
    assert spammed.n_repeats == 0
    assert stats.chisquare(np.bincount(spammed.grade[by_fake])).pvalue > 1e-3
    assert np.count_nonzero(~by_fake) == ratings.n_ratings
    assert spammed.instances.labels.equals(ratings.instances.labels)
    np.testing.assert_array_equal(spammed.instances.code, ratings.instances.code)


def test_spam_leaves_real_ratings_alone():
    frame = {"annotator": ["fake1", "fake2", "b"], "instance": ["x", "y", "x"], "rating": ["lo", "hi", "lo"]}
    ratings = Ratings.from_arrays(**frame, scale="lo,hi", category=["q", "r", "q"], weight=[2.0, 1.0, 0.5])
    spammed = with_spam(ratings, per_instance=2, seed=1)
    assert spammed.annotators.labels.to_pylist()[:3] == ["fake1", "fake2", "b"]
    assert sorted(spammed.annotators.labels.to_pylist()[3:]) == ["fake3", "fake4", "fake5", "fake6"]
    assert spammed.scale == ratings.scale
    assert spammed.categories.labels.to_pylist() == ["q", "r"]
    assert spammed.total_weight == 3.5 + 4
    real = spammed.row < 3
    assert np.sort(spammed.row[real]).tolist() == [0, 1, 2]
    assert sorted(spammed.weight[real]) == [0.5, 1.0, 2.0]


def test_spam_among_ids_that_are_numbers():
    ratings = Ratings.from_arrays(annotator=[1, 2], instance=[10, 11], rating=[1, 2])
    spammed = with_spam(ratings, per_instance=1)
    assert spammed.annotators.objects[:2] == (1, 2)
    assert spammed.annotators.objects[2:] == ("fake1", "fake2")
    assert spammed.instances.labels.to_pylist() == [10, 11]
    assert spammed.instances.objects is None


def test_spam_on_a_real_scale_with_timestamps():
    ratings = Ratings.from_arrays(
        annotator=["a", "b"],
        instance=["x", "y"],
        rating=[0.5, 9.5],
        scale="real",
        timestamp=np.array(["2024-01-01", "2024-01-02"], dtype="datetime64[us]"),
    )
    spammed = with_spam(ratings, per_instance=4)
    assert spammed.n_ratings == 10
    assert spammed.real.min() >= 0.5
    assert spammed.real.max() <= 9.5
    assert np.count_nonzero(np.isnat(spammed.timestamp)) == 8


def test_no_spam_is_no_change():
    ratings = simulate(instances=5).ratings
    assert with_spam(ratings, per_instance=0) is ratings
    with pytest.raises(OptionError, match="0 or more"):
        with_spam(ratings, per_instance=-1)


def test_spam_is_fixed_by_its_seed():
    ratings = simulate(instances=50).ratings
    assert with_spam(ratings, seed=1).digest == with_spam(ratings, seed=1).digest
    assert with_spam(ratings, seed=1).digest != with_spam(ratings, seed=2).digest


def test_row_types():
    rows = simulate(instances=5, categories=2).rows()
    assert rows.schema.types == [pa.string(), pa.string(), pa.string(), pa.int64()]
