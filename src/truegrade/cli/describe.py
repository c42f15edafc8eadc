"""truegrade describe: a first look at a file of ratings."""

from __future__ import annotations

from typing import Annotated

import typer

from truegrade.cli._options import Json, RatingsOptions, takes_ratings

__all__ = ["describe"]


@takes_ratings
def describe(
    *,
    ratings: Annotated[str, typer.Argument(metavar="RATINGS", help="A file of ratings, or - for stdin.")],
    json: Json = False,
    ratings_options: RatingsOptions,
) -> None:
    """Count the ratings, measure agreement, and say what looks wrong."""
    from truegrade.cli._show import print_json, show_pairs
    from truegrade.description import describe as describe_ratings

    found = describe_ratings(ratings_options.read(ratings))
    if json:
        print_json(found.to_json())
        return

    def spread(counts: dict[str, float]) -> str:
        return ", ".join(f"{name} {value:.4g}" for name, value in counts.items())

    pairs = [
        ("ratings", found.ratings),
        ("instances", found.instances),
        ("annotators", found.annotators),
        ("categories", found.categories or None),
        ("scale", found.scale),
        ("grades given", ", ".join(f"{label}: {share:.1%}" for label, share in found.share_of_grade.items()) or None),
        ("ratings per instance", spread(found.ratings_per_instance)),
        ("ratings per annotator", spread(found.ratings_per_annotator)),
        ("percent agreement", None if found.percent_agreement is None else f"{found.percent_agreement:.1%}"),
        ("Krippendorff's alpha, nominal", found.alpha_nominal),
        ("Krippendorff's alpha, ordinal", found.alpha_ordinal),
        ("Krippendorff's alpha, interval", found.alpha_interval),
    ]
    show_pairs([*pairs, *(("look at", remark) for remark in found.remarks)])
