"""The figures of one fit. Each returns an Altair chart whose size does not grow with the data: binned, or sampled."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from truegrade.errors import OptionError
from truegrade.report.charts import span
from truegrade.report.style import BLUE, HEIGHT, WIDTH
from truegrade.report.text import shown_ids

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from truegrade.fit import Fit
    from truegrade.gold import Gold
    from truegrade.ratings import Ratings

__all__ = ["calibration", "difficulty", "trace", "truth_uncertainty"]

_POINTS = 2000  # passes that the trace shows
_CATEGORIES = 30  # that the figure of difficulty shows
_Z = 1.96


def truth_uncertainty(fit: Fit) -> Any:
    """Where the estimates lie and how sure they are: instances per bin of estimate and standard deviation."""
    import altair as alt
    import pyarrow as pa

    known = np.isfinite(fit.posterior.sd)
    if not known.any():
        raise OptionError(f"{fit.model} does not say how sure it is of the truth; there is nothing to draw")
    estimate, sd = fit.posterior.estimate[known], fit.posterior.sd[known]
    counts, x, y = np.histogram2d(estimate, sd, bins=(30, 20), range=(span(estimate), span(sd)))
    at, up = np.nonzero(counts)
    cells = pa.table({"left": x[at], "right": x[at + 1], "low": y[up], "high": y[up + 1], "instances": counts[at, up]})
    return (
        alt.Chart(cells, width=WIDTH, height=HEIGHT, title="How sure the truth is")
        .mark_rect()
        .encode(
            x=alt.X("left:Q", title="estimated truth").bin("binned"),
            x2="right:Q",
            y=alt.Y("low:Q", title="standard deviation of the truth").bin("binned"),
            y2="high:Q",
            color=alt.Color("instances:Q", scale=alt.Scale(scheme="blues", type="symlog")),
            tooltip=["instances:Q", alt.Tooltip("left:Q", format=".2f"), alt.Tooltip("low:Q", format=".2f")],
        )
    )


def difficulty(fit: Fit) -> Any:
    """The hardest categories, for models that know difficulty."""
    import altair as alt
    import pyarrow as pa

    hard = fit.category_columns.get("difficulty")
    if hard is None or fit.category_ids is None:
        raise OptionError(f"{fit.model} knows no difficulty of categories; fit with difficulty=category")
    in_order = fit.category_ids.code
    hardest = in_order[np.argsort(-hard[in_order], kind="stable")[:_CATEGORIES]]
    rows = pa.table({"category": shown_ids(fit.category_ids, hardest), "difficulty": hard[hardest]})
    return (
        alt.Chart(rows, width=WIDTH, title="The hardest categories")
        .mark_bar(color=BLUE)
        .encode(
            x=alt.X("difficulty:Q", title="difficulty (right: annotators are less exact)"),
            y=alt.Y("category:N", sort=None, title=None),
            tooltip=["category:N", alt.Tooltip("difficulty:Q", format=".3f")],
        )
    )


def trace(fit: Fit) -> Any:
    """The bound after each pass of the winning start."""
    import altair as alt
    import pyarrow as pa

    if not fit.trace.size:
        raise OptionError(f"{fit.model} does not iterate; it has no trace")
    at = np.unique(np.linspace(0, fit.trace.size - 1, min(fit.trace.size, _POINTS)).astype(np.int64))
    rows = pa.table({"iteration": at + 1, "bound": fit.trace[at]})
    return (
        alt.Chart(rows, width=WIDTH, height=200, title="The bound on its way up")
        .mark_line(color=BLUE)
        .encode(
            x=alt.X("iteration:Q", scale=alt.Scale(type="log") if fit.trace.size > 50 else alt.Undefined),
            y=alt.Y("bound:Q").scale(zero=False),
            tooltip=["iteration:Q", "bound:Q"],
        )
    )


def calibration(fit: Fit, gold: Gold, ratings: Ratings) -> Any:
    """Of the grades that were given a probability, how many were true: on the diagonal it can be taken at its word."""
    import altair as alt
    import pyarrow as pa

    at, known = gold.on(ratings)
    p = fit.posterior.probabilities(fit.scale)[at].ravel()
    true = (fit.scale.nearest(known)[:, None] == np.arange(fit.scale.n_grades)).ravel()
    place = np.minimum((p * 10).astype(np.int64), 9)
    counts = np.bincount(place, minlength=10)
    used = counts > 0
    said = np.bincount(place, p, 10)[used] / counts[used]
    share = np.bincount(place, true, 10)[used] / counts[used]
    lower, upper = wilson(share, counts[used])
    rows = pa.table(
        {
            "said": said,
            "share": share,
            "lower": lower,
            "upper": upper,
            "grades": counts[used],
        }
    )
    x = alt.X("said:Q", title="probability given to a grade", scale=alt.Scale(domain=[0, 1]))
    base = alt.Chart(rows, width=HEIGHT, height=HEIGHT, title="Calibration against gold").encode(x=x)
    y = alt.Y("share:Q", title="how often it was the gold grade", scale=alt.Scale(domain=[0, 1]))
    diagonal = alt.Chart(pa.table({"said": [0.0, 1.0], "share": [0.0, 1.0]})).mark_line(
        color="#888888", strokeDash=[4, 4]
    )
    bars = base.mark_rule(color=BLUE).encode(y=alt.Y("lower:Q", title=""), y2="upper:Q")
    dots = base.mark_circle(color=BLUE, opacity=1, size=60).encode(
        y=y, tooltip=["grades:Q", alt.Tooltip("said:Q", format=".2f"), alt.Tooltip("share:Q", format=".2f")]
    )
    return diagonal.encode(x=x, y=y) + bars + dots


def wilson(share: NDArray[np.float64], n: NDArray[np.int64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Wilson's 95 % interval of shares of n: unlike the normal one it has a width where all or none are true.

    >>> lower, upper = wilson(np.array([1.0]), np.array([10]))
    >>> lower.round(3).tolist(), upper.tolist()
    ([0.722], [1.0])
    """
    middle = (share + _Z**2 / (2 * n)) / (1 + _Z**2 / n)
    reach = _Z / (1 + _Z**2 / n) * np.sqrt(share * (1 - share) / n + _Z**2 / (4 * n**2))
    return np.maximum(middle - reach, 0), np.minimum(middle + reach, 1)
