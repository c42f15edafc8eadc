"""One function per figure; each returns an Altair chart. Public as ``truegrade.charts``."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from truegrade.errors import OptionError, OutputError

if TYPE_CHECKING:
    from os import PathLike

    from numpy.typing import NDArray

    from truegrade.fit import Fit

__all__ = ["save", "truth_distribution"]

_BINS = 40
_BLUE = "#4477aa"


def truth_distribution(fit: Fit) -> Any:
    """How the estimates are spread over the scale (binned, so its size does not grow with the instances)."""
    import altair as alt
    import pyarrow as pa

    estimate = fit.posterior.estimate
    counts, edges = np.histogram(estimate, bins=_BINS, range=span(estimate))
    bins = pa.table({"from": edges[:-1], "to": edges[1:], "instances": counts})
    bars = alt.Chart(bins).mark_bar(color=_BLUE)
    return bars.encode(
        x=alt.X("from:Q", bin="binned", title="estimated truth"),
        x2="to:Q",
        y=alt.Y("instances:Q", title="instances"),
        tooltip=["from", "to", "instances"],
    ).properties(width=480, height=260, title=f"Truth of {estimate.size} instances by {fit.model}")


def span(values: NDArray[np.float64]) -> tuple[float, float]:
    """The range to bin values in, wider than theirs where they are all but the same."""
    low, high = float(values.min()), float(values.max())
    least = 1e-6 * max(abs(low), abs(high), 1.0)
    return (low, high) if high - low > least else (low - 500_000 * least, high + 500_000 * least)


def save(chart: Any, path: str | PathLike[str]) -> None:
    """Write a chart as .png, .svg, .pdf or .html; no browser is needed."""
    target = Path(path)
    if target.suffix not in (".png", ".svg", ".pdf", ".html"):
        raise OptionError(f"{target}: a chart is saved as .png, .svg, .pdf or .html")
    options = {"scale_factor": 2} if target.suffix == ".png" else {}
    try:
        chart.save(str(target), **options)
    except OSError as error:
        raise OutputError(f"{target}: cannot be written: {error.strerror or error}") from None
