"""What tests of whole fits of the ordinal mixture share."""

from truegrade import Ratings


def ratings_of(rows, **options):
    annotator, instance, rating = zip(*rows, strict=True)
    return Ratings.from_arrays(annotator=annotator, instance=instance, rating=rating, **options)


def noted(fit, begin):
    return [note for note in fit.notes if begin in note]
