"""The report in a real browser: it draws, sorts, searches, asks for nothing and runs no stranger's script."""

import shutil
from importlib.util import find_spec

import pytest

from truegrade import OrdinalMixture, Ratings, simulate
from truegrade.report.page import report

CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)

pytestmark = [
    pytest.mark.browser,
    pytest.mark.skipif(
        CHROMIUM is None or not find_spec("playwright"), reason="no browser here: `make browser` installs it"
    ),
]

HOSTILE = [
    "<script>window.struck = 1</script>",
    "</script><script>window.struck = 1</script>",
    "<img src=x onerror='window.struck=1'>",
    "\"quoted\" & 'single'",
    "x" * 10_000,
    "\u202eright to left \u05d0\u05d1",
    "emoji \U0001f600",
    "nul \x00 inside",
    "{{ 7 * 7 }} ${7 * 7}",
]


@pytest.fixture(scope="module")
def browser():
    from playwright.sync_api import sync_playwright

    with sync_playwright() as driver:
        chromium = driver.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield chromium
        chromium.close()


@pytest.fixture
def opened(browser, tmp_path):
    """A function from a page's text to the loaded page, which fails on any error, dialogue or request."""
    troubles = []

    def load(html, **options):
        path = tmp_path / "report.html"
        path.write_text(html, "utf-8")
        tab = browser.new_page(**options)
        tab.on("console", lambda message: troubles.append(message.text) if message.type == "error" else None)
        tab.on("pageerror", lambda error: troubles.append(str(error)))
        tab.on("request", lambda request: None if request.url == path.as_uri() else troubles.append(request.url))
        tab.goto(path.as_uri())
        tab.wait_for_selector("body[data-ready]", timeout=20_000)
        return tab

    yield load
    assert not troubles


@pytest.fixture(scope="module")
def html():
    simulation = simulate(instances=300, annotators=30, categories=5, spammers=0.2, seed=1)
    fit = OrdinalMixture(difficulty="category", starts=2).fit(simulation.ratings)
    return report(fit, simulation.ratings)


def test_charts_are_drawn(opened, html):
    tab = opened(html)
    charts = tab.locator(".chart").count()
    assert charts >= 5
    assert tab.locator(".chart svg").count() == charts
    assert all(tab.locator(".chart svg").nth(i).locator("path").count() > 3 for i in range(charts))


def test_a_click_on_a_heading_sorts(opened, html):
    tab = opened(html)
    heading = tab.locator("#table-instances th", has_text="estimate")

    def estimates():
        return [float(text) for text in tab.locator("#table-instances td:nth-child(2)").all_text_contents()]

    before = estimates()
    heading.locator("button").click()
    assert estimates() == sorted(before)
    assert heading.get_attribute("aria-sort") == "ascending"
    heading.locator("button").press("Enter")
    assert estimates() == sorted(before, reverse=True)


def test_typing_searches(opened, html):
    tab = opened(html)
    rows = tab.locator("#table-annotators-table tbody tr:visible")
    everybody = rows.count()
    name = rows.first.locator("td").first.inner_text()
    tab.locator("#table-annotators-table input").fill(name)
    assert 1 <= rows.count() < everybody
    tab.locator("#table-annotators-table input").fill("")
    assert rows.count() == everybody


def test_picking_an_annotator_shows_its_table(opened, html):
    tab = opened(html)
    menu = tab.locator("#chart-annotator-map select")
    before = tab.locator("#chart-annotator-map svg").inner_html()
    menu.select_option(index=3)
    tab.wait_for_timeout(200)
    assert tab.locator("#chart-annotator-map svg").inner_html() != before


@pytest.mark.parametrize(("scheme", "dark"), [("light", False), ("dark", True)])
def test_light_and_dark(opened, html, scheme, dark):
    tab = opened(html, color_scheme=scheme)
    text, back = (
        tab.evaluate(f"getComputedStyle(document.body).{name}.match(/\\d+/g).slice(0, 3).reduce((a, b) => a + +b, 0)")
        for name in ("color", "backgroundColor")
    )
    assert (back < text) is dark
    label = tab.locator("#chart-truth-distribution svg text").first
    assert label.evaluate("e => getComputedStyle(e).fill") == tab.evaluate("getComputedStyle(document.body).color")


@pytest.mark.parametrize("width", [400, 1400])
def test_nothing_sticks_out(opened, html, width):
    tab = opened(html, viewport={"width": width, "height": 900})
    assert tab.evaluate("document.documentElement.scrollWidth") <= width


def test_figures_stand_below_one_another_on_a_narrow_screen(opened, html):
    """Shrunk side by side their text would be too small to read."""
    tab = opened(html, viewport={"width": 400, "height": 900})
    label = tab.locator("#chart-annotator-map svg text").first
    drawn = tab.locator("#chart-annotator-map svg")
    assert drawn.evaluate("e => e.getBoundingClientRect().width / e.viewBox.baseVal.width") > 0.9
    assert label.is_visible()


def test_the_keyboard_is_enough(opened, html):
    """Tab reaches the links, the menu, the box to search in, the headings and the tables that scroll."""
    tab = opened(html)
    reached = set()
    for _ in range(120):
        tab.keyboard.press("Tab")
        reached.add(tab.evaluate("document.activeElement.tagName"))
        if reached >= {"A", "SELECT", "INPUT", "BUTTON", "DIV"}:
            break
    assert reached >= {"A", "SELECT", "INPUT", "BUTTON", "DIV"}


def test_paper_is_light_and_says_what_it_leaves_out(opened, html):
    tab = opened(html, color_scheme="dark")
    tab.emulate_media(media="print", color_scheme="dark")
    assert tab.evaluate("getComputedStyle(document.body).color") == "rgb(0, 0, 0)"
    assert tab.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
    assert tab.locator("#table-instances tbody tr:visible").count() == 40
    left_out = "e => getComputedStyle(e, '::after').content"
    assert "first 40 rows" in tab.locator("#table-instances").evaluate(left_out)
    assert tab.locator("#table-annotators-table").evaluate(left_out) == "none"


def test_hostile_names_are_shown_harmlessly(opened):
    rows = [(who, what, (i + j) % 3 + 1) for i, who in enumerate(HOSTILE) for j, what in enumerate(HOSTILE)]
    annotator, instance, rating = zip(*rows, strict=True)
    ratings = Ratings.from_arrays(annotator=annotator, instance=instance, category=instance, rating=rating)
    tab = opened(report(OrdinalMixture(difficulty="category", starts=1).fit(ratings), ratings))
    assert tab.evaluate("window.struck === undefined")
    assert tab.locator("#table-instances").get_by_text(HOSTILE[0], exact=True).count() == 1
    assert tab.locator("#table-instances td").get_by_text("49").count() == 0
