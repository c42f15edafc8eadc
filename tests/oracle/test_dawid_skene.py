"""Dawid and Skene's own data and random ones, against an EM written here with loops over dictionaries.

The digits that the 1979 article prints are not compared: no source of them could be read.
"""

import math

import numpy as np
import pytest

from truegrade import DawidSkene, OrdBinary, Ratings, read


def plain_em(rows, grades, prior, passes):
    """EM from the vote shares. rows: (annotator, instance, grade 0..K-1). Returns pi, phi by annotator, posteriors."""
    instances, annotators = {m for _, m, _ in rows}, {n for n, _, _ in rows}
    posterior = {m: [0.0] * grades for m in instances}
    for _, m, k in rows:
        posterior[m][k] += 1
    posterior = {m: [x / sum(p) for x in p] for m, p in posterior.items()}
    for _ in range(passes):
        pi = [sum(p[k] for p in posterior.values()) / len(posterior) for k in range(grades)]
        phi = {n: [[prior] * grades for _ in range(grades)] for n in annotators}
        for n, m, j in rows:
            for k in range(grades):
                phi[n][k][j] += posterior[m][k]
        phi = {n: [[x / sum(row) for x in row] for row in matrix] for n, matrix in phi.items()}
        score = {m: list(pi) for m in instances}
        for n, m, j in rows:
            for k in range(grades):
                score[m][k] *= phi[n][k][j]
        likelihood = sum(math.log(sum(p)) for p in score.values())
        posterior = {m: [x / sum(p) for x in p] for m, p in score.items()}
    return pi, phi, posterior, likelihood


def compare(fit, rows, prior, passes=400):
    grades = fit.scale.n_grades
    pi, phi, posterior, likelihood = plain_em(rows, grades, prior, passes)
    np.testing.assert_allclose(fit.hyperparameters["prevalence"], pi, atol=1e-8)
    truth = fit.truth_table().to_pylist()
    for row in truth:
        found = [row[f"p_{label}"] for label in fit.scale.labels]
        np.testing.assert_allclose(found, posterior[row["instance"]], atol=1e-8)
    for annotator, code in zip(fit.annotator_ids.labels.to_pylist(), fit.annotator_ids.code, strict=True):
        np.testing.assert_allclose(fit.parameters["confusion"][code], phi[annotator], atol=1e-8)
    added = prior * sum(math.log(x) for matrix in phi.values() for row in matrix for x in row) if prior else 0
    assert fit.bound == pytest.approx(likelihood + added, rel=1e-9)


@pytest.mark.parametrize("prior", [0.0, 1.0])
def test_anesthesia(shared_data, prior):
    ratings = read(str(shared_data("anesthesia_dawid_skene_1979") / "ratings.csv"))
    assert (ratings.n_ratings, ratings.n_instances, ratings.n_annotators) == (45 * 7, 45, 5)
    fit = DawidSkene(prior=prior, starts=1, tolerance=1e-15, max_iterations=5000).fit(ratings)
    label = ratings.annotators.labels.to_pylist(), ratings.instances.labels.to_pylist()
    annotator = np.array(label[0])[np.argsort(ratings.annotators.code)][ratings.annotator]
    instance = np.array(label[1])[np.argsort(ratings.instances.code)][ratings.instance_of()]
    rows = list(zip(annotator.tolist(), instance.tolist(), ratings.grade.tolist(), strict=True))
    compare(fit, rows, prior, passes=2000)


@pytest.mark.parametrize("prior", [0.5, 1.0])
def test_random_ratings(prior):
    rng = np.random.default_rng(5)
    truth = rng.integers(0, 3, 60)
    rows = []
    for m in range(60):
        for n in rng.choice(6, 4, replace=False):
            k = truth[m] if rng.random() < 0.7 else rng.integers(0, 3)
            rows.append((f"a{n}", f"i{m}", int(k)))
    n, m, k = zip(*rows, strict=True)
    ratings = Ratings.from_arrays(annotator=n, instance=m, rating=[x + 1 for x in k], scale="1..3")
    compare(DawidSkene(prior=prior, starts=1, tolerance=1e-15).fit(ratings), rows, prior)


def test_two_grades_have_one_coin_per_truth_in_both_models():
    rng = np.random.default_rng(0)
    ratings = Ratings.from_arrays(
        annotator=rng.integers(0, 5, 200), instance=np.repeat(np.arange(50), 4), rating=rng.integers(0, 2, 200)
    )
    for options in ({"prior": 1.0}, {"pooled": True}):
        one, two = DawidSkene(starts=1, **options).fit(ratings), OrdBinary(starts=1, **options).fit(ratings)
        np.testing.assert_allclose(one.posterior.p, two.posterior.p, rtol=1e-9)
        assert one.bound == pytest.approx(two.bound)
