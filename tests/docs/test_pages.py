"""The pages hang together: no link leads nowhere, every page is in the site's navigation, no Python goes unrun."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
PAGES = [*(page for page in DOCS.rglob("*.md") if "_build" not in page.parts), *ROOT.glob("*.md")]
FENCED = re.compile(r"^(`{3,})(.*?)\n(.*?)^\1", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"\]\(([^)\s]+)\)")

every_page = pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))


def prose(text):
    """A page without its blocks of code."""
    return FENCED.sub("", text)


def anchors(text):
    """What the headings of a page are called in its address."""
    titles = re.findall(r"^#+ (.*)$", prose(text), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", title.lower()).strip().replace(" ", "-") for title in titles}


def dead_links(page):
    """Links to files or headings of this repository that are not there."""
    for match in LINK.finditer(prose(page.read_text("utf-8"))):
        target = match[1]
        if re.match(r"[a-z]+:", target):
            continue
        path, _, anchor = target.partition("#")
        place = (page.parent / path).resolve() if path else page
        if not place.exists() or (anchor and anchor not in anchors(place.read_text("utf-8"))):
            yield target


def blocks(page, language):
    """What stands in a page's blocks of one language."""
    return [found[3] for found in FENCED.finditer(page.read_text("utf-8")) if found[2].strip() == language]


def in_navigation(index):
    """The pages that a page's toctrees name, and theirs."""
    for tree in blocks(index, "{toctree}"):
        for line in tree.splitlines():
            name = re.sub(r".*<(.*)>$", r"\1", line.strip())
            for path in index.parent.glob(f"{name}.md") if name and not name.startswith(":") else ():
                yield path.resolve()
                yield from in_navigation(path)


@every_page
def test_every_link_leads_somewhere(page):
    assert list(dead_links(page)) == []


def test_a_dead_link_is_found(tmp_path):
    page = tmp_path / "page.md"
    page.write_text("# A title\n[a](#a-title) [b](#b) [c](gone.md) [d](page.md#a-title)\n```sh\n[e](e)\n```\n")
    assert list(dead_links(page)) == ["#b", "gone.md"]


def test_every_page_is_in_the_navigation():
    index = DOCS / "index.md"
    pages = {page.resolve() for page in PAGES if page.is_relative_to(DOCS)}
    assert pages - {index.resolve()} - set(in_navigation(index)) == set()


@every_page
def test_all_python_is_run(page):
    """Blocks of Python are doctests, which pytest collects from every page."""
    assert [block for block in blocks(page, "python") if ">>>" not in block] == []
