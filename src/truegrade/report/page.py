"""The report: one HTML file that needs no network, with its figures, styles and scripts inside."""

from __future__ import annotations

import base64
import hashlib
import json
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from truegrade.report.annotators import annotators, suspicious
from truegrade.report.material import Material
from truegrade.report.model_checks import checks, hard_categories, method
from truegrade.report.summary import summary
from truegrade.report.truth import truth

if TYPE_CHECKING:
    from collections.abc import Sequence

    from truegrade.fit import Fit
    from truegrade.gold import Gold
    from truegrade.ratings import Ratings
    from truegrade.report.parts import Section

__all__ = ["page", "report"]


def report(fit: Fit, ratings: Ratings | None = None, gold: Gold | None = None) -> str:
    """The report on a fit as HTML. What needs the ratings or gold is left out where they are not given."""
    material = Material(fit, ratings, gold)
    sections = [
        summary(material),
        truth(material),
        annotators(material),
        hard_categories(material),
        suspicious(material),
        checks(material),
        method(material),
    ]
    return page(f"Truth by {fit.model}", [section for section in sections if section is not None])


def page(title: str, sections: Sequence[Section]) -> str:
    """Sections as a page. Nothing in them can be taken for markup or script: the template escapes all text."""
    from jinja2 import Environment

    specs = {figure.name: _spec(figure.chart) for section in sections for figure in section.figures}
    scripts = [_vega(), _resource("page.js")] if specs else [_resource("page.js")]
    template = Environment(autoescape=True, trim_blocks=True, lstrip_blocks=True).from_string(_resource("page.html"))
    return template.render(
        title=title,
        sections=sections,
        style=_resource("page.css"),
        scripts=scripts,
        script_hashes=[_hash(script) for script in scripts],
        specs=_json(specs),
    )


def _spec(chart: Any) -> dict[str, Any]:
    """The chart without its own colours for text and background: these follow the page, light or dark."""
    spec: dict[str, Any] = chart.to_dict()
    spec["background"] = "transparent"
    spec.pop("config", None)
    return spec


def _json(value: Any) -> str:
    """JSON that cannot end the script element that it stands in."""
    text = json.dumps(value, separators=(",", ":"), allow_nan=False)
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")


def _hash(script: str) -> str:
    """What the page's policy must know of a script for a browser to run it, and no other."""
    return "sha256-" + base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()


@cache
def _vega() -> str:
    import vl_convert

    bundle: str = vl_convert.javascript_bundle("Object.assign(window, { vegaEmbed });")
    return bundle.replace("</script", "<\\/script")


@cache
def _resource(name: str) -> str:
    return files("truegrade.report").joinpath(name).read_text("utf-8")
