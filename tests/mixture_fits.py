"""What tests of whole fits of the ordinal mixture share."""

from truegrade import Ratings
from truegrade.models._mixture_problem import MixtureProblem, place_mixture


def ratings_of(rows, **options):
    annotator, instance, rating = zip(*rows, strict=True)
    return Ratings.from_arrays(annotator=annotator, instance=instance, rating=rating, **options)


def noted(fit, begin):
    return [note for note in fit.notes if begin in note]


def problem_of(model, ratings, gold=None):
    """What all starts of a fit share."""
    return MixtureProblem.of(model, place_mixture(model, ratings, gold), gold)


def state_of(ascent):
    """q(z) and q(delta), where there is one shard."""
    (state,) = ascent.states
    return state
