"""Pictures of the report for README, on simulated ratings: python tools/screenshots.py (after `make browser`)."""

import shutil
import tempfile
from pathlib import Path

from playwright.sync_api import sync_playwright

from truegrade import OrdinalMixture, simulate
from truegrade.report.page import report

IMAGES = Path(__file__).parents[1] / "docs" / "images"
HEIGHT = 900


def main() -> None:
    simulation = simulate(
        instances=1500, annotators=120, categories=60, difficulty="category", spammers=0.15, alpha=4, beta=2, seed=3
    )
    html = report(OrdinalMixture(difficulty="category").fit(simulation.ratings), simulation.ratings)
    chromium = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    IMAGES.mkdir(parents=True, exist_ok=True)
    with sync_playwright() as driver, tempfile.TemporaryDirectory() as scratch:
        path = Path(scratch, "report.html")
        path.write_text(html, "utf-8")
        browser = driver.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        for name, width, scheme, section in (
            ("report-summary", 1400, "light", "summary"),
            ("report-annotators", 1400, "dark", "annotators"),
        ):
            tab = browser.new_page(viewport={"width": width, "height": HEIGHT}, color_scheme=scheme)
            tab.goto(path.as_uri())
            tab.wait_for_selector("body[data-ready]")
            tab.evaluate(f"document.getElementById('{section}').scrollIntoView({{behavior: 'instant'}})")
            tab.screenshot(path=str(IMAGES / f"{name}.png"))
        browser.close()


if __name__ == "__main__":
    main()
