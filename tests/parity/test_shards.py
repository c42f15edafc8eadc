"""Fits of ratings in shards against the plain fit: the same to rounding, however the ratings are cut."""

import pickle
from dataclasses import dataclass, replace

import numpy as np
import pytest

from truegrade import Ratings
from truegrade.engines import ThreadsEngine, cut
from truegrade.errors import GoldError, OptionError
from truegrade.models import make_model

MODELS = [
    "dawid-skene",
    "dawid-skene:pooled=true:starts=2",
    "dawid-skene:errors=alike:starts=2",
    "ord-binary",
    "ord-binary:pooled=true:starts=2:class_prior=uniform",
]
BY_CATEGORY = [
    "ordinal-mixture:starts=2:difficulty=category",
    "ordinal-mixture:starts=2:difficulty=category:responsibility=exact:phi=learn:eta=learn",
]
MODELS += [
    *BY_CATEGORY,
    "ordinal-mixture:starts=3",
    "ordinal-mixture:starts=2:difficulty=instance:responsibility=exact:phi=learn:eta=learn",
    "ordinal-mixture:starts=2:mu=learn:lam=learn:pi=learn:epsilon_prior=1,1",
    "ordinal-mixture:starts=2:link=real:responsibility=exact",
    "continuous:starts=2",
    "continuous:starts=2:method=ml",
]
MODELS += ["mean", "median", "majority", "majority:ties=random", "majority:ties=expected"]
MODELS += [
    "glad:starts=3",
    "glad:starts=2:difficulty=category:class_prior=learned",
    "glad:starts=2:difficulty=none:adversarial=true",
]
MODELS += [
    "ordinal-panel:draws=4",
    "ordinal-panel:draws=3:difficulty=category:starts=2",
    "ordinal-panel:draws=0:difficulty=instance:excluded=a1:trusted=a2",
    "ordinal-panel:uncertain=false:dependence=0.1",
    "ordinal-panel:refined=false:nodes=1",
]
REAL = ["mean", "median", "ordinal-mixture:starts=2:link=real", "continuous:starts=2", "continuous:starts=2:method=ml"]
GOLD = {f"i{m}": 1.0 + m % 4 for m in range(0, 60, 7)} | {"i14": 2.4}


def brief(text):
    """A model that stops early: until then rounding has no time to grow where a likelihood is flat."""
    model = make_model(text)
    return replace(model, max_iterations=15) if hasattr(model, "max_iterations") else model


def ratings_of(*, weight=False, category=False, real=False):
    rng = np.random.default_rng(5)
    truth, rows = rng.integers(1, 5, 60), []
    for m in range(60):
        who = rng.choice(7, 3, replace=False)
        rows += [(f"a{n}", f"i{m}", f"c{m % 5}", int(np.clip(truth[m] + rng.integers(-1, 2), 1, 4))) for n in who]
    annotator, instance, categories, rating = map(list, zip(*rows, strict=True))
    return Ratings.from_arrays(
        annotator=annotator,
        instance=instance,
        rating=np.array(rating) + rng.normal(0, 0.3, len(rows)) if real else rating,
        weight=rng.choice([0.5, 1.0, 3.25], len(rows)) if weight else None,
        category=categories if category else None,
        scale="real" if real else "1..4",
    )


CUTS = {"of single instances": (1, 59), "inside a category": (2, 4, 6, 30)}  # the first instances of later shards


def shards_of(ratings, kind):
    """So many shards of about the same size, or one of the cuts."""
    return cut(ratings, kind) if isinstance(kind, int) else cut(ratings, 0, at=CUTS[kind])


@dataclass(frozen=True)
class Travelling:
    """An engine whose parts, steps, states and messages are pickled on the way, as they are to other processes.

    Every step works on a copy of the states, and those from before are spoiled: nobody may want them again.
    """

    def place(self, ratings, make, *, starts=1):
        placed = ThreadsEngine().place(ratings, pickle.loads(pickle.dumps(make)), starts=starts)
        return Elsewhere(placed.ratings, placed.sizes, placed.together, pickle.loads(pickle.dumps(placed.parts)))


class Elsewhere(type(ThreadsEngine().place(ratings_of(), lambda ratings, threads: None))):
    def begin(self, first, messages):
        return pickle.loads(pickle.dumps(super().begin(first, map(pickle.loads, map(pickle.dumps, messages)))))

    def run(self, step, states, message, *, keep=False):
        after, sums = super().run(step, states, message, keep=True)
        if not keep:
            states.clear()
        return pickle.loads(pickle.dumps(after)), sums

    def each(self, look, states, message):
        look, message = pickle.loads(pickle.dumps((look, message)))
        return (pickle.loads(pickle.dumps(found)) for found in super().each(look, states, message))


def agree(one, other):
    """The numbers of two fits, to 1e-9."""
    assert one.status == other.status
    assert one.notes == other.notes
    assert one.input_digest == other.input_digest
    assert one.truth_table().column_names == other.truth_table().column_names
    pairs = [(one.trace, other.trace), (one.bounds, other.bounds)]
    if one.all_spam_bound is not None:
        pairs.append((one.all_spam_bound, other.all_spam_bound))
    for arrays in ("annotator_columns", "instance_columns", "category_columns", "parameters"):
        mine, others = getattr(one, arrays), getattr(other, arrays)
        assert list(mine) == list(others)
        pairs += [(mine[name], others[name]) for name in mine]
    pairs += [(one.posterior.arrays()[name], other.posterior.arrays()[name]) for name in one.posterior.arrays()]
    for mine, others in pairs:
        np.testing.assert_allclose(mine, others, rtol=1e-9, atol=1e-9)


CASES = [(model, extras) for model in MODELS for extras in ((), ("weight", "category"))]
CASES = [(model, extras) for model, extras in CASES if "category" in extras or "=category" not in model]
CASES += [(model, ("real", *extras)) for model in REAL for extras in ((), ("weight", "category"))]


@pytest.mark.parametrize("kind", [1, 2, 7, *CUTS])
@pytest.mark.parametrize(
    ("model", "extras"), CASES, ids=lambda value: value if isinstance(value, str) else "+".join(value)
)
def test_shards_agree_with_the_whole(model, extras, kind):
    model, ratings = brief(model), ratings_of(**dict.fromkeys(extras, True))
    gold = GOLD if "weight" in extras else None
    agree(model.fit(shards_of(ratings, kind), gold), model.fit(ratings, gold))


@pytest.mark.parametrize("model", MODELS)
def test_warm_starts_and_predictions_agree(model):
    model, ratings = brief(model), ratings_of(weight=True, category=True)
    first = model.fit(ratings, GOLD)
    assert first.input_digest == ratings.digest
    shards = shards_of(ratings, "inside a category")
    agree(model.fit(shards, start=first), model.fit(ratings, start=first))
    if hasattr(model, "predict"):
        agree(first.predict(shards), first.predict(ratings))
    if hasattr(model, "responsibilities"):
        np.testing.assert_allclose(model.responsibilities(first, shards), model.responsibilities(first, ratings))


@pytest.mark.parametrize("model", MODELS)
def test_everything_can_travel(model):
    """Parts, steps, messages and answers reach another process and come back."""
    model, ratings = brief(model), ratings_of(weight=True, category=True)
    agree(model.fit(cut(ratings, 3), GOLD, engine=Travelling()), model.fit(ratings, GOLD))


@pytest.mark.parametrize("model", MODELS)
def test_gold_that_no_shard_has_is_refused(model):
    ratings = ratings_of(category=True)
    with pytest.raises(GoldError, match="none of its instances is rated: it has 'nobody'"):
        brief(model).fit(cut(ratings, 3), {"nobody": 1.0})


@pytest.mark.parametrize("model", ["auto"])
def test_models_that_look_at_everything_refuse_shards(model):
    with pytest.raises(OptionError, match=f"{model} needs all ratings in memory"):
        make_model(model).fit(cut(ratings_of(), 3))


def test_a_shard_is_ratings_with_the_codes_of_the_whole():
    whole = ratings_of(weight=True, category=True)
    shards = list(cut(whole, 7).shards())
    assert sum(shard.n_ratings for shard in shards) == whole.n_ratings
    for name in ("annotator", "grade", "weight", "row", "category"):
        np.testing.assert_array_equal(np.concatenate([getattr(s, name) for s in shards]), getattr(whole, name))
    ids = np.concatenate([s.instances.labels_of(np.arange(s.n_instances)).to_pylist() for s in shards])
    assert ids.tolist() == whole.instances.labels_of(np.arange(whole.n_instances)).to_pylist()
    for shard in shards:
        assert shard.annotators is whole.annotators
        assert shard.instance_ptr[0] == 0
        assert np.shares_memory(shard.grade, whole.grade)


def test_the_facts_are_those_of_the_whole():
    whole = ratings_of(weight=True, category=True)
    shards = cut(whole, 7)
    assert (shards.n_instances, shards.n_annotators, shards.n_categories) == (60, 7, 5)
    assert shards.notes() == whole.notes()
    for name in ("ratings_per_annotator", "weight_per_annotator", "weight_per_grade"):
        np.testing.assert_allclose(getattr(shards, name)(), getattr(whole, name)())
    whole_weights = replace(whole, weight=np.ceil(whole.weight))
    assert cut(whole_weights, 7).weight_per_annotator().dtype == np.int64
