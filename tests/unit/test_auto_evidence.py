"""What ratings are worth when their errors are alike, against sums and integrals done by hand."""

from math import exp, log

import numpy as np
import pytest

from truegrade import Continuous, DawidSkene, Mean, OrdinalMixture, OrdinalPanel, Ratings, simulate
from truegrade.models._auto_evidence import beliefs_of, flattened, information, worth


@pytest.fixture(scope="module")
def ratings():
    return simulate(instances=40, annotators=8, ratings_per_instance=4, seed=1).ratings


def test_information_is_that_of_the_joint_distribution():
    rng = np.random.default_rng(0)
    confusion = rng.dirichlet(np.ones(3), (4, 3))
    prevalence = rng.dirichlet(np.ones(3))
    confusion[3] = confusion[3, 0]  # says the same whatever the truth is
    expected = []
    for rows in confusion:
        joint = {(k, j): prevalence[k] * rows[k, j] for k in range(3) for j in range(3)}
        said = [sum(joint[k, j] for k in range(3)) for j in range(3)]
        expected.append(sum(p * log(p / (prevalence[k] * said[j])) for (k, j), p in joint.items()))
    np.testing.assert_allclose(information(confusion, prevalence), expected, atol=1e-12)
    assert expected[3] == pytest.approx(0)


def test_ratings_that_err_alike_are_worth_less_and_fake_ones_count_for_nothing():
    r = Ratings.from_arrays(annotator=list("abcabcdef"), instance=list("xxxyyyyyy"), rating=[1, 2, 2, 1, 1, 2, 1, 2, 1])
    codes = dict(zip(r.annotators.labels.to_pylist(), r.annotators.code.tolist(), strict=True))
    told = np.zeros(6)
    told[[codes[name] for name in "abc"]] = 0.7
    share = worth(r, told, 0.1)
    assert share == pytest.approx([1 / 1.2, 1 / 1.2])
    told[codes["d"]] = 0.35  # half as much: (3.5 x .7)^2 / (3.25 x .7^2) ratings
    y = r.instances.code[r.instances.labels.to_pylist().index("y")]
    assert worth(r, told, 0.1)[y] == pytest.approx(1 / (1 + 0.1 * (3.5**2 / 3.25 - 1)))
    assert worth(r, np.zeros(6), 0.1) == pytest.approx([1, 1])
    twice = Ratings.from_arrays(annotator=list("ab"), instance=list("xx"), rating=[1, 2], weight=[2, 1])
    assert worth(twice, np.ones(2), 0.5) == pytest.approx([1 / (1 + 0.5 * 2)])


@pytest.mark.parametrize("model", [OrdinalPanel(), DawidSkene(), OrdinalMixture(starts=1), Continuous(starts=1)])
def test_a_belief_is_its_prior_and_a_power_of_its_likelihood(ratings, model):
    fit = model.fit(ratings)
    share = np.linspace(0, 1, ratings.n_instances)
    found = flattened(fit, share)
    np.testing.assert_allclose(found.estimate[-1], fit.posterior.estimate[-1], rtol=1e-9)
    for m in (0, 13, 27):
        if hasattr(found, "p"):
            prior = fit.parameters.get("prior", fit.parameters.get("prevalence")).ravel()
            raised = [
                exp((1 - share[m]) * log(q) + share[m] * log(max(p, 1e-300)))
                for p, q in zip(fit.posterior.p[m], prior, strict=True)
            ]
            np.testing.assert_allclose(found.p[m], np.array(raised) / sum(raised), rtol=1e-9)
        else:
            mu, lam = fit.hyperparameters["mu"], fit.hyperparameters["lam"]
            z = np.linspace(-20, 30, 200_001)
            log_p = -0.5 * ((z - fit.posterior.estimate[m]) / fit.posterior.sd[m]) ** 2
            density = np.exp((1 - share[m]) * -0.5 * lam * (z - mu) ** 2 + share[m] * log_p)
            mean = np.average(z, weights=density)
            assert found.estimate[m] == pytest.approx(mean, rel=1e-6)
            assert found.sd[m] == pytest.approx(np.average((z - mean) ** 2, weights=density) ** 0.5, rel=1e-6)


def test_all_members_are_told_and_the_mean_stays(ratings):
    fits = [Mean().fit(ratings), OrdinalPanel().fit(ratings)]
    trusting, wary = beliefs_of(ratings, fits, rho=0.0), beliefs_of(ratings, fits, rho=0.5)
    np.testing.assert_array_equal(trusting[0].estimate, wary[0].estimate)
    np.testing.assert_allclose(trusting[1].estimate, fits[1].posterior.estimate, rtol=1e-12)
    assert wary[1].sd.mean() > trusting[1].sd.mean()
    mute = beliefs_of(ratings, fits, voice=np.zeros(ratings.n_annotators), rho=0.5)  # nobody is left to err together
    np.testing.assert_allclose(mute[1].estimate, trusting[1].estimate)
