"""Pairs that copy are found, pairs that do not are left in peace, and the evidence is what it says."""

import math

import numpy as np
import pytest

from truegrade import Auto, Mean, OrdinalPanel, Ratings, simulate
from truegrade import copies as module
from truegrade.checks import copied_ratings
from truegrade.copies import Sampled, find_copies
from truegrade.engines import cut
from truegrade.errors import OptionError

PAIRS = (("0", "1"), ("2", "3"))
SIZE = {"instances": 300, "annotators": 10, "ratings_per_instance": 6}


def copied(ratings, pairs=PAIRS, share=0.5, seed=0):
    """The same ratings, the second of each pair giving what the first gave with this probability."""
    rng, grade, instance = np.random.default_rng(seed), ratings.grade.copy(), ratings.instance_of()
    name = ratings.annotator.astype(str)
    for first, second in pairs:
        given = {m: grade[i] for i, m in enumerate(instance) if name[i] == first}
        for i in np.flatnonzero(name == second):
            if instance[i] in given and rng.random() < share:
                grade[i] = given[instance[i]]
    values = ratings.scale.array[grade]
    return Ratings.from_arrays(annotator=name, instance=instance, rating=values, scale=ratings.scale)


def found(ratings):
    table = copied_ratings(OrdinalPanel().fit(ratings), ratings)
    return {
        tuple(sorted(pair)) for pair in zip(table["annotator"].to_pylist(), table["other"].to_pylist(), strict=True)
    }


def test_pairs_that_copy_half_are_found_and_others_are_not():
    """Twenty draws; copies bend the truth, and still nobody else is accused."""
    hits = [found(copied(simulate(seed=seed, **SIZE).ratings, seed=seed)) for seed in range(20)]
    assert all(pairs <= set(PAIRS) for pairs in hits)
    assert sum(len(pairs) for pairs in hits) >= 38  # of 40


@pytest.mark.parametrize("more", [{}, {"spammers": 0.3}, {"difficulty": "instance"}], ids=str)
def test_independent_annotators_are_left_in_peace(more):
    for seed in range(20):
        drawn = simulate(seed=seed, **SIZE, **more)
        assert not found(copied(drawn.ratings, pairs=())), seed


def test_evidence_is_the_likelihood_ratio(monkeypatch):
    """On one pair that agrees twice and differs once, nobody else being there, by hand."""
    ratings = Ratings.from_arrays(
        annotator=list("ababab"), instance=list("xxyyzz"), rating=[1, 1, 2, 2, 1, 2], scale="1..2"
    )
    p = np.array([[0.2, 0.8], [0.5, 0.5], [1.0, 0.0]])
    rows = np.array([[[0.9, 0.1], [0.3, 0.7]], [[0.6, 0.4], [0.2, 0.8]]])
    surprise = module._surprise(module.Sampled.of(ratings, p), rows)  # the second instance comes last
    by_hand = [min(0.2 / 0.9 + 0.8 / 0.3, 1 / (0.2 * 0.9 + 0.8 * 0.3)), min(0.2 / 0.6 + 0.8 / 0.2, 1 / (0.12 + 0.16))]
    np.testing.assert_allclose(surprise[:2], by_hand)
    odds = [sum(surprise[:2]) / 2, sum(surprise[4:]) / 2, 0.0]
    expected = math.log(sum(math.prod(1 - c + c * x for x in odds) for c in (0.1, 0.3, 0.6)) / 3)
    monkeypatch.setattr(module, "_FALSE_ALARM", 1e9)  # any evidence is told
    assert not find_copies(ratings, p, rows).one.size  # but two agreements are not many
    monkeypatch.setattr(module, "_BEYOND", -9)
    copies = find_copies(ratings, p, rows)
    assert copies.evidence.tolist() == pytest.approx([expected])
    assert (copies.shared.tolist(), copies.agreed.tolist()) == ([3], [2])
    agree = [[0.9 * 0.6 + 0.1 * 0.4, 0.3 * 0.2 + 0.7 * 0.8]] * 3
    assert copies.expected.tolist() == pytest.approx([float((p * agree).sum())])


def test_what_the_crowd_joins_in_says_nothing_about_a_pair():
    """Twenty annotators fall for the same odd instances; the fit thinks them independent."""
    rng = np.random.default_rng(0)
    truth, odd = rng.integers(0, 4, 200), rng.random(200) < 0.3
    seen = np.where(odd, (truth + 2) % 4, truth)
    said = np.where(rng.random((200, 20)) < 0.8, seen[:, None], rng.integers(0, 4, (200, 20)))
    n, m = np.meshgrid(np.arange(20), np.arange(200))
    ratings = Ratings.from_arrays(annotator=n.ravel(), instance=m.ravel(), rating=said.ravel(), scale="0..3")
    p = np.eye(4)[truth]  # as a gold would have it: every odd instance is a surprise
    rows = np.tile(0.6 * np.eye(4) + 0.1, (20, 1, 1))
    assert find_copies(ratings, p, rows).one.size == 0


@pytest.mark.parametrize("model", [OrdinalPanel(), Auto(held_out=0.0)], ids=lambda m: m.name)
def test_a_fit_tells_the_pairs(model):
    ratings = copied(simulate(seed=1, **SIZE).ratings, share=1.0)
    notes = [note for note in model.fit(ratings).notes if "copied" in note]
    assert len(notes) == 1
    assert "'0' and '1' agree on" in notes[0] or "'1' and '0' agree on" in notes[0]
    fit = model.fit(copied(simulate(seed=1, **SIZE).ratings, pairs=()))
    assert not any("copied" in note for note in fit.notes)


def test_large_sets_are_looked_at_in_part(monkeypatch):
    ratings = copied(simulate(seed=1, instances=300, annotators=10, ratings_per_instance=6).ratings, share=1.0)
    fit = Mean().fit(ratings)
    whole = copied_ratings(fit, ratings)
    monkeypatch.setattr(module, "_CHUNK", 500)
    assert copied_ratings(fit, ratings).select(["annotator", "other", "shared"]) == whole.select(
        ["annotator", "other", "shared"]
    )
    monkeypatch.setattr(module, "_MOST", 2250)
    part = copied_ratings(fit, ratings)
    assert 0.3 < part["shared"][0].as_py() / whole["shared"][0].as_py() < 0.7


def test_other_ratings_and_real_scales_are_refused():
    one, two = (simulate(instances=20, annotators=4, seed=seed).ratings for seed in (0, 1))
    with pytest.raises(OptionError, match="not the ratings"):
        copied_ratings(Mean().fit(one), two)
    real = Ratings.from_arrays(annotator=list("abab"), instance=list("xxyy"), rating=[0.1, 0.2, 1.5, 1.7], scale="real")
    with pytest.raises(OptionError, match="two grades"):
        copied_ratings(Mean().fit(real), real)


@pytest.mark.parametrize("most", [5, 60, 2_000_000])
@pytest.mark.parametrize("cuts", [(), (1,), (3, 4, 40)])
def test_the_sample_is_the_same_however_the_ratings_are_cut(monkeypatch, most, cuts):
    monkeypatch.setattr(module, "_MOST", most)
    ratings = simulate(instances=60, annotators=8, n_ratings=200, seed=1).ratings
    p = np.random.default_rng(0).dirichlet(np.ones(5), 60)
    shards = cut(ratings, 0, at=cuts)
    before = np.cumsum([0, *shards.sizes])
    parts = [Sampled.of(s, p[at : at + s.n_instances], at) for s, at in zip(shards.shards(), before, strict=False)]
    whole, joined = Sampled.of(ratings, p), Sampled.joined(parts)
    assert 0 < whole.pairs.sum() <= most
    for name in ("key", "pairs", "size", "annotator", "grade", "p", "instance"):
        np.testing.assert_array_equal(getattr(joined, name), getattr(whole, name))
