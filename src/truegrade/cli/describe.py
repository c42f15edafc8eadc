"""truegrade describe: a first look at a file of ratings."""

from __future__ import annotations

from typing import Annotated

import typer

from truegrade.cli._options import Json, RatingsOptions, takes_ratings

__all__ = ["describe"]

_MOST_GRADES = 12


@takes_ratings
def describe(
    *,
    ratings: Annotated[str, typer.Argument(metavar="RATINGS", help="A file of ratings, or - for stdin.")],
    json: Json = False,
    ratings_options: RatingsOptions,
) -> None:
    """Count the ratings, measure agreement, and say what looks wrong."""
    from truegrade.cli._show import print_json, show_list, show_pairs
    from truegrade.description import describe as describe_ratings

    found = describe_ratings(ratings_options.read(ratings))
    if json:
        print_json(found.to_json())
        return

    def spread(counts: dict[str, float]) -> str:
        return ", ".join(f"{name} {value:.4g}" for name, value in counts.items())

    pairs = [
        ("columns", ", ".join(f"{role}: {name}" for role, name in found.columns.items())),
        ("ratings", found.ratings),
        ("instances", found.instances),
        ("annotators", found.annotators),
        ("categories", found.categories or None),
        ("scale", found.scale),
        ("grades given", _shares(found.share_of_grade)),
        ("ratings per instance", spread(found.ratings_per_instance)),
        ("ratings per annotator", spread(found.ratings_per_annotator)),
        ("percent agreement", None if found.percent_agreement is None else f"{found.percent_agreement:.1%}"),
        ("Krippendorff's alpha, nominal", found.alpha_nominal),
        ("Krippendorff's alpha, ordinal", found.alpha_ordinal),
        ("Krippendorff's alpha, interval", found.alpha_interval),
    ]
    show_pairs(pairs)
    show_list("what deserves a look", found.remarks)


def _shares(share_of_grade: dict[str, float]) -> str | None:
    """The grades that were given; of many only the most frequent."""
    given = [(label, share) for label, share in share_of_grade.items() if share]
    often = {label for label, _ in sorted(given, key=lambda pair: -pair[1])[:_MOST_GRADES]}
    shown = ", ".join(f"{label}: {share:.1%}" for label, share in given if label in often)
    more = len(given) - len(often)
    return (shown + (f" and {more} more" if more else "")) or None
