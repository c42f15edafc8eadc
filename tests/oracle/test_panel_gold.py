"""What known truths teach about the others: against loops, and on simulations where sureness is misplaced."""

import math

import numpy as np
import pytest

from truegrade import OrdinalPanel, Ratings, simulate
from truegrade.gold import Gold
from truegrade.models._panel_ascent import PanelAscent
from truegrade.models._panel_gold import RHOS, WORTHS, learned_calibration
from truegrade.models._panel_problem import PanelProblem, place_panel
from truegrade.models._panel_truth import PanelEnd, PanelTruth


def likelihood(prior, grid, about, rho, worth):
    """Of the known truths, each told by its ratings and the shares of the others; one by one."""
    at, evidence, size = about
    known = [m for m in range(len(at)) if not math.isnan(at[m])]
    rows = {m: grid.weights(at[m]) for m in known}
    total = 0.0
    for m in known:
        others = sum(rows[other] for other in known if other != m)
        odds = [
            (others[g] + worth * prior[g]) * math.exp(evidence[m, g] / (1 + rho * (size[m] - 1)))
            for g in range(len(prior))
        ]
        total += math.log(sum(rows[m][g] * odds[g] for g in range(len(prior))) / sum(odds))
    return total


def test_the_calibration_is_the_likeliest():
    drawn = simulate(instances=60, annotators=8, ratings_per_instance=4, seed=1)
    truths = Gold.of(drawn.gold())
    gold = Gold.of(dict(zip(truths.instances.to_pylist()[:15], truths.values[:15], strict=True)))
    model = OrdinalPanel()
    with place_panel(model, drawn.ratings, gold) as placed:
        state = PanelAscent.fresh(PanelProblem.of(model, placed, gold), 0)
        for _ in range(15):
            state.step()
        end = PanelEnd(state.rows, state.message, counted=True)
        truths = placed.begin(PanelTruth.begin, end.at_shards(placed.sizes))
        found = learned_calibration(state, truths)
        (about,) = placed.each(lambda part, truth, _: (part.known, truth.evidence, truth.size), truths, None)
    prior, grid = state.prior[0], state.problem.grid
    told = {(rho, worth): likelihood(prior, grid, about, rho, worth) for rho in RHOS for worth in WORTHS}
    odds = {key: math.exp(value - max(told.values())) for key, value in told.items()}
    rho = max(RHOS, key=lambda rho: sum(odds[rho, worth] for worth in WORTHS))
    assert found.rho == rho
    known = sum(grid.weights(at) for at in about[0] if not math.isnan(at))
    mixed = sum(odds[rho, worth] * (known + worth * prior) / (15 + worth) for worth in WORTHS)
    shares = mixed / sum(odds[rho, worth] for worth in WORTHS)
    np.testing.assert_allclose(found.shift, np.log(shares / prior), rtol=1e-9, atol=1e-9)


def log_loss(fit, truth, told):
    """Of the grades of the instances that nobody knew."""
    p = fit.posterior.probabilities(fit.scale)
    label = np.array(fit.instance_ids.labels.to_pylist())
    p = p[fit.instance_ids.code]
    left = ~np.isin(label, told)
    return -np.log(p[left, truth[label[left]]]).mean()


@pytest.mark.parametrize("seed", range(2))
def test_known_truths_cure_misplaced_sureness(seed):
    """Everybody errs alike on many instances, and there are more of the lowest grade than anyone says."""
    rng = np.random.default_rng(seed)
    truth = rng.choice(4, 500, p=[0.5, 0.2, 0.2, 0.1])
    seems = np.minimum(truth + (rng.random(500) < 0.35), 3)
    n, m = np.tile(np.arange(8), 500), np.repeat(np.arange(500), 8)
    said = np.clip(np.round(seems[m] + rng.normal(0, 0.6, n.size)), 0, 3).astype(int)
    ratings = Ratings.from_arrays(annotator=n, instance=m, rating=said, scale="0..3")
    losses = []
    for known in (0, 20, 100):
        gold = Gold.of({i: float(truth[i]) for i in range(known)}) if known else None
        losses.append(log_loss(OrdinalPanel().fit(ratings, gold), truth, np.arange(100)))
    assert losses[1] < losses[0] - 0.1
    assert losses[2] < losses[1] + 0.05


def test_known_truths_do_no_harm_where_the_model_is_right_and_travel_to_predictions():
    drawn = simulate(instances=300, annotators=20, ratings_per_instance=5, seed=4)
    truths = Gold.of(drawn.gold())
    names, values = truths.instances.to_pylist(), truths.values
    grade = dict(zip(names, drawn.ratings.scale.nearest(values), strict=True))
    gold = Gold.of(dict(zip(names[:30], values[:30], strict=True)))
    plain, taught = (OrdinalPanel().fit(drawn.ratings, known) for known in (None, gold))
    losses = []
    for fit in (plain, taught):
        p = fit.posterior.probabilities(fit.scale)
        code = dict(zip(fit.instance_ids.labels.to_pylist(), fit.instance_ids.code, strict=True))
        losses.append(-np.mean([math.log(p[code[name], grade[name]]) for name in names[30:]]))
    assert losses[1] < losses[0] + 0.05
    assert taught.parameters["shift"].any()
    predicted = taught.predict(drawn.ratings)
    np.testing.assert_array_equal(predicted.parameters["shift"], taught.parameters["shift"])
