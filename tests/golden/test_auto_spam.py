"""Auto where most ratings are fake: nine on every instance, each grade as likely as any other."""

import pytest

from truegrade import Auto, Continuous, DawidSkene, Mean, OrdinalMixture, OrdinalPanel, evaluate, read, read_gold
from truegrade.simulation import with_spam

OTHERS = (Mean(), Continuous(starts=2), DawidSkene(pooled=True, starts=1), OrdinalMixture(starts=2), OrdinalPanel())


@pytest.mark.slow
@pytest.mark.parametrize(("name", "seeds", "kept"), [("web_relevance", 5, 0.97), ("trec_rf10", 1, 0.95)])
def test_fakes_cost_little(shared_data, name, seeds, kept):
    """So much of the correlation without fakes is kept, and it is within .01 of the best model on the same ratings."""
    folder = shared_data(name)
    ratings, gold = read(str(folder / "ratings.csv")), read_gold(str(folder / "gold.csv"))
    clean = evaluate(Auto().fit(ratings), gold).pearson
    for seed in range(seeds):
        spammed = with_spam(ratings, 9, seed=seed)
        found = evaluate(Auto().fit(spammed), gold).pearson
        assert found >= kept * clean
        if seed == 0:
            assert found >= max(evaluate(model.fit(spammed), gold).pearson for model in OTHERS) - 0.01
