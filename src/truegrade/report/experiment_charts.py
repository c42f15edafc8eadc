"""The figures of the experiments: models side by side, and models under fake ratings."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from truegrade.errors import OptionError
from truegrade.experiments.measures import MEASURES, PAPER_MEASURES
from truegrade.experiments.sweep import over_seeds
from truegrade.frames import frame_table
from truegrade.report.model_looks import colour_of, dashes_of

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

__all__ = ["ablation", "comparison", "spam_curve"]

_WIDTH, _HEIGHT = 250, 250
_ROW = 18  # pixels per model
_LINKS = {"ordinal": colour_of("ordinal-mixture"), "real": "#8C510A"}
_SPAM_DASHES = {"true": (1, 0), "false": (4, 3)}

Row = Mapping[str, Any]
Look = tuple[str, tuple[int, ...]]  # colour, dashes


def comparison(table: Any) -> Any:
    """MSE, correlation and NDCG of every model, with their intervals; `table` as `experiments.compare` makes it."""
    import altair as alt

    rows = [row for row in _rows(table) if row["mse"] is not None]
    order = [row["model"] for row in sorted(rows, key=lambda row: float(row["mse"]))]
    panels: list[Any] = []
    for name in _shown(rows):
        data = [
            {"model": row["model"], "value": row[name], "lower": row[f"{name}_lower"], "upper": row[f"{name}_upper"]}
            for row in rows
            if row[name] is not None
        ]
        first = not panels
        base = alt.Chart(_data(data)).encode(
            y=alt.Y("model:N", sort=order, title=None, axis=alt.Axis(labels=first, ticks=first, labelLimit=400)),
            color=_colour(rows),
        )
        scale, axis = alt.Scale(zero=False), alt.Axis(tickCount=5)
        low = alt.X("lower:Q", title=_title(name), scale=scale, axis=axis)
        bars = base.mark_rule(strokeWidth=2).encode(x=low, x2="upper:Q")
        dots = base.mark_point(filled=True, size=60, opacity=1).encode(
            x=alt.X("value:Q", title=_title(name), scale=scale, axis=axis), tooltip=["model:N", "value:Q"]
        )
        panels.append((bars + dots).properties(width=_WIDTH, height=_ROW * len(order)))
    return alt.hconcat(*panels, title=_one_data(rows))


def spam_curve(table: Any) -> Any:
    """Each model under fake ratings: means over the seeds and, as bands, the range; of `experiments.spam_sweep`."""
    rows = _rows(table)
    firsts = {row["model"]: row["system"] for row in rows}
    dashes = dashes_of(list(firsts.values()))
    looks = {model: (colour_of(system), dash) for (model, system), dash in zip(firsts.items(), dashes, strict=True)}
    return _curves(rows, lambda row: str(row["model"]), looks)


def ablation(table: Any) -> Any:
    """The four variants of the ordinal mixture under fake ratings; of `experiments.ablation_sweep`."""
    named = {"true": "spam component", "false": "no spam component"}
    looks = {
        f"{link} link, {named[spam]}": (colour, dash)
        for link, colour in _LINKS.items()
        for spam, dash in _SPAM_DASHES.items()
    }
    return _curves(_rows(table), lambda row: f"{row['link']} link, {named[row['spam']]}", looks)


def _curves(rows: Sequence[Row], label: Callable[[Row], str], looks: Mapping[str, Look]) -> Any:
    """One panel per measure; the legend stands below all of them."""
    import altair as alt

    lines = list(looks)
    colours = alt.Scale(domain=lines, range=[looks[line][0] for line in lines])
    dashes = alt.Scale(domain=lines, range=[list(looks[line][1]) for line in lines])
    legend = alt.Legend(orient="bottom", columns=4 if len(lines) > 4 else 2, labelLimit=400, symbolType="stroke")
    # One legend for bands and lines: where their encodings differ, it shows the bands or nothing.
    colour = alt.Color("line:N", title=None, scale=colours, legend=legend)
    panels = []
    for name in _shown(rows):
        base = alt.Chart(_data(_spread(rows, label, name))).encode(
            x=alt.X("fakes:Q", title="fake ratings per instance", axis=alt.Axis(tickMinStep=1))
        )
        scale = alt.Scale(zero=False)
        band = base.mark_area(opacity=0.15).encode(
            y=alt.Y("lower:Q", title=_title(name), scale=scale),
            y2="upper:Q",
            color=colour,
        )
        line = base.mark_line(strokeWidth=2).encode(
            y=alt.Y("mean:Q", title=_title(name), scale=scale),
            color=colour,
            strokeDash=alt.StrokeDash("line:N", title=None, scale=dashes, legend=legend),
            tooltip=["line:N", "fakes:Q", "mean:Q"],
        )
        panels.append((band + line).properties(width=_WIDTH, height=_HEIGHT))
    shared = alt.hconcat(*panels, title=_one_data(rows)).resolve_scale(color="shared", strokeDash="shared")
    return shared.configure_legend(symbolSize=500, symbolStrokeWidth=2, symbolOpacity=1)


def _data(rows: Sequence[Row]) -> Any:
    """The rows inside the chart."""
    import altair as alt

    return alt.InlineData(values=list(rows))


def _spread(rows: Sequence[Row], label: Callable[[Row], str], name: str) -> list[Row]:
    """Mean, least and greatest of a measure over the seeds."""
    return [
        {"line": line, "fakes": fakes, "mean": sum(values) / len(values), "lower": min(values), "upper": max(values)}
        for (line, fakes), values in over_seeds(rows, name, label).items()
    ]


def _rows(table: Any) -> list[Row]:
    rows: list[Row] = frame_table(table).to_pylist()
    if all(row["mse"] is None for row in rows):
        raise OptionError("no model in this table has figures; pass a table that an experiment made")
    return rows


def _one_data(rows: Sequence[Row]) -> str:
    names = sorted({row["data"] for row in rows})
    if len(names) > 1:
        raise OptionError(f"a figure shows one data set, not {', '.join(names)}; pass the rows of one")
    return str(names[0])


def _shown(rows: Sequence[Row]) -> list[str]:
    """The paper's measures, as far as they are defined."""
    return [name for name in PAPER_MEASURES if any(row[name] is not None for row in rows)]


def _title(name: str) -> str:
    arrow = "lower is better" if MEASURES[name].good == "low" else "higher is better"
    return f"{MEASURES[name].title} ({arrow})"


def _colour(rows: Sequence[Row]) -> Any:
    import altair as alt

    models = {row["model"]: colour_of(row["system"]) for row in rows}
    scale = alt.Scale(domain=list(models), range=list(models.values()))
    return alt.Color("model:N", scale=scale, legend=None)
