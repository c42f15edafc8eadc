"""The figures of a fit's annotators. Each returns an Altair chart; of many annotators it shows the busiest."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from truegrade.errors import OptionError
from truegrade.report.confusion import confusion_rows, grade_bins
from truegrade.report.style import ACTION_COLOURS, BLUE, HEIGHT, WIDTH
from truegrade.report.text import shown_id, shown_ids

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from truegrade.fit import Fit
    from truegrade.ratings import Ratings

__all__ = ["annotator_map", "bias_stretch", "confusion", "learning"]

_POINTS = 2000  # annotators that a figure shows
_CELLS = 4500  # of all confusion tables together: below the 5,000 rows that Altair takes
_LEVEL = 35  # characters of grades that fit beside one another below a figure
_FEWEST = 20  # ratings, two per tenth, for a course over time


def annotator_map(fit: Fit, ratings: Ratings | None = None, *, actions: Sequence[str] | None = None) -> Any:
    """Spamminess and expertise of the annotators, sized by their ratings; with ratings, a click shows a confusion.

    actions: the advice of each annotator in the order of the codes, as the colour.
    """
    import altair as alt

    rows, x_title, y_title = _annotator_rows(fit, actions)
    colour: Any = alt.value(BLUE)
    if actions is not None:
        domain = [action for action in ACTION_COLOURS if action in set(actions)]
        colour = alt.Color(
            "advice:N", scale=alt.Scale(domain=domain, range=[ACTION_COLOURS[a] for a in domain]), title="advice"
        )
    points = (
        alt.Chart(rows, width=WIDTH, height=HEIGHT, title="Annotators")
        .mark_circle(opacity=0.7)
        .encode(
            x=alt.X("x:Q", title=x_title),
            y=alt.Y("y:Q", title=y_title).scale(zero=False),
            size=alt.Size("ratings:Q", scale=alt.Scale(type="sqrt", range=[15, 500])),
            color=colour,
            tooltip=[
                "annotator:N",
                "ratings:Q",
                alt.Tooltip("x:Q", title=x_title, format=".2f"),
                alt.Tooltip("y:Q", title=y_title, format=".2f"),
            ],
        )
    )
    if ratings is None or not fit.scale.n_grades:
        return points
    per_table = len(grade_bins(fit.scale)[1]) ** 2
    cells = confusion_rows(fit, ratings, _busiest(fit, _CELLS // per_table))
    labels = [row["annotator"] for row in cells[::per_table]]
    pick = alt.selection_point(
        fields=["annotator"], value=labels[0], bind=alt.binding_select(options=labels, name="Annotator "), name="pick"
    )
    picked = points.encode(opacity=alt.condition(pick, alt.value(1.0), alt.value(0.45))).add_params(pick)
    return picked | _heat(cells, fit, "What the picked annotator says").transform_filter(pick)


def confusion(fit: Fit, ratings: Ratings, annotator: str) -> Any:
    """What one annotator says where the truth is estimated to be each grade."""
    code = fit.annotator_ids.code_of(annotator, "annotator")
    title = f"Ratings of {shown_id(annotator)} by the estimated truth"
    return _heat(confusion_rows(fit, ratings, np.array([code])), fit, title)


def bias_stretch(fit: Fit) -> Any:
    """How annotators use the scale: bias against stretch, for models that know both."""
    import altair as alt
    import pyarrow as pa

    bias, stretch = fit.annotator_columns.get("bias"), fit.annotator_columns.get("stretch")
    if bias is None or stretch is None:
        raise OptionError(f"{fit.model} knows no bias and stretch; choose a model that does, such as ordinal-panel")
    shown = _busiest(fit, _POINTS)
    shown = shown[np.isfinite(bias[shown]) & np.isfinite(stretch[shown])]
    rows = pa.table(
        {
            "annotator": shown_ids(fit.annotator_ids, shown),
            "bias": bias[shown],
            "stretch": stretch[shown],
            "ratings": fit.ratings_per_annotator[shown].astype(np.float64),
        }
    )
    return (
        alt.Chart(rows, width=WIDTH, height=HEIGHT, title="How annotators use the scale")
        .mark_circle(opacity=0.7, color=BLUE)
        .encode(
            x=alt.X("bias:Q", title="bias (right: rates high)"),
            y=alt.Y("stretch:Q", title="stretch (up: uses more of the scale)").scale(zero=False),
            size=alt.Size("ratings:Q", scale=alt.Scale(type="sqrt", range=[15, 500])),
            tooltip=[
                "annotator:N",
                "ratings:Q",
                alt.Tooltip("bias:Q", format=".2f"),
                alt.Tooltip("stretch:Q", format=".2f"),
            ],
        )
    )


def learning(fit: Fit, ratings: Ratings) -> Any:
    """Do annotators learn or tire: mean distance from the estimated truth over each one's first to last rating."""
    import altair as alt
    import pyarrow as pa

    if ratings.timestamp is None:
        raise OptionError("these ratings carry no timestamps; name their column with --timestamp COLUMN")
    order = np.lexsort((ratings.timestamp, ratings.annotator))
    annotator = ratings.annotator[order]
    given = np.bincount(annotator, minlength=ratings.n_annotators)
    place = np.arange(annotator.size) - (np.cumsum(given) - given)[annotator]
    tenth = np.minimum(place * 10 // np.maximum(given[annotator], 1), 9)
    far = np.abs(ratings.values() - fit.posterior.estimate[ratings.instance_of()])[order]
    enough = given[annotator] >= _FEWEST
    counts = np.bincount(tenth[enough], minlength=10)
    sums = np.bincount(tenth[enough], far[enough], minlength=10)
    squares = np.bincount(tenth[enough], far[enough] ** 2, minlength=10)
    if not counts.all():
        raise OptionError(f"no annotator gave the {_FEWEST} ratings that a course over time needs")
    mean = sums / counts
    reach = 1.96 * np.sqrt(np.maximum(squares / counts - mean**2, 0) / counts)
    rows = pa.table({"tenth": np.arange(10) * 10 + 5, "mean": mean, "lower": mean - reach, "upper": mean + reach})
    base = alt.Chart(rows, width=WIDTH, height=HEIGHT, title="Do annotators learn or tire?").encode(
        x=alt.X("tenth:Q", title="an annotator's ratings from first to last, %")
    )
    y = alt.Y("mean:Q", title="mean distance from the estimated truth").scale(zero=False)
    band = base.mark_area(opacity=0.2, color=BLUE).encode(y=alt.Y("lower:Q", title=""), y2="upper:Q")
    return band + base.mark_line(color=BLUE, point=True).encode(y=y)


def _busiest(fit: Fit, most: int) -> NDArray[np.intp]:
    """The codes of the annotators with most ratings."""
    return np.argsort(-fit.ratings_per_annotator, kind="stable")[:most]


def _annotator_rows(fit: Fit, actions: Sequence[str] | None) -> tuple[Any, str, str]:
    """One row per annotator with what the model knows best of it, and what the two axes are."""
    import pyarrow as pa

    shown = _busiest(fit, _POINTS)
    nothing = np.full(fit.ratings_per_annotator.size, np.nan)
    spamminess = fit.annotator_columns.get("spamminess", nothing)
    expertise = fit.annotator_columns.get("expertise", nothing)
    agreement = fit.annotator_columns.get("agreement", nothing)
    x, x_title = spamminess, "spamminess"
    y, y_title = expertise, "expertise"
    if not np.isfinite(spamminess).any():
        x, x_title = fit.ratings_per_annotator.astype(np.float64), "ratings"
    if not np.isfinite(expertise).any():
        y, y_title = agreement, "agreement with the others"
    shown = shown[np.isfinite(x[shown]) & np.isfinite(y[shown])]
    columns: dict[str, Any] = {
        "annotator": shown_ids(fit.annotator_ids, shown),
        "x": x[shown],
        "y": y[shown],
        "ratings": fit.ratings_per_annotator[shown].astype(np.float64),
    }
    if actions is not None:
        columns["advice"] = [actions[n] for n in shown]
    return pa.table(columns), x_title, y_title


def _heat(cells: list[dict[str, Any]], fit: Fit, title: str) -> Any:
    import altair as alt
    import pyarrow as pa

    _, labels = grade_bins(fit.scale)
    angle = 0 if sum(map(len, labels)) <= _LEVEL else -45
    return (
        alt.Chart(pa.Table.from_pylist(cells), width=HEIGHT, height=HEIGHT, title=title)
        .mark_rect()
        .encode(
            x=alt.X("rating:N", sort=labels, title="rating given").axis(labelAngle=angle),
            y=alt.Y("truth:N", sort=labels[::-1], title="estimated truth"),
            color=alt.Color("share:Q", scale=alt.Scale(scheme="blues", domain=[0, 1]), title="share"),
            tooltip=["annotator:N", "truth:N", "rating:N", "ratings:Q", alt.Tooltip("share:Q", format=".0%")],
        )
    )
