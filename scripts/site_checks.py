"""What readers of the built site meet, in Debian's Chromium: widths, heights, colours, the search, the console."""

import shutil
import tomllib
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from urllib.parse import quote

from axe_core_python import base as axe
from playwright.sync_api import Browser, Page, sync_playwright

PAGES = (
    "index",
    "measures/nDCG",
    "tutorials/recommender",
    "api",
    "api/compare",
    "howto/README",
    "notebooks/seven-ways",
)
WIDTHS = (320, 360, 768, 1280)
MISSING = 400
HIGHEST = 10_000
"""pixels that a page of docs/api may have in a window of the last width"""
SEARCHES = {
    "chunk": ("tutorials/rag", "howto/chunks"),
    "MovieLens": ("tutorials/recommender", "formats"),
    "LightGBM": ("tutorials/ranker", "rankers"),
    "capped recall": ("measures/R",),
}
"""for words of users the pages of which one has to come first"""
WORDS = Path(__file__).resolve().parent.parent / "docs" / "theme" / "search-words.toml"
"""what readers call the subject of a page, by the page that has to come first"""
BARRIERS = {
    "light": "axe.run({rules: {'definition-list': {enabled: false}}, resultTypes: ['violations']})",
    "dark": "axe.run({runOnly: ['color-contrast', 'link-in-text-block'], resultTypes: ['violations']})",
}
"""all rules, but for how Sphinx writes the parameters of a signature; in the dark those about colours"""
FRAMES = """[...document.querySelectorAll('.bd-main *')].filter((each) => {
    const style = getComputedStyle(each);
    if (each.tagName === 'IMG')
        return each.getClientRects().length && !/invert/.test(style.filter) && !each.classList.contains('only-dark');
    const [red, green, blue, alpha = 1] = (style.backgroundColor.match(/[\\d.]+/g) ?? []).map(Number);
    return alpha > 0.5 && red + green + blue > 3 * 128 && each.getClientRects().length;
}).map((each) => `${each.tagName}.${each.className}`)"""
"""elements of a dark page with a light background, and pictures that are not drawn for it"""
EMPTY = """(() => {
    const seen = (each) => each.getClientRects().length;
    const columns = [...document.querySelectorAll('.bd-sidebar-primary, .bd-sidebar-secondary')].filter(seen);
    return columns.some((column) => ![...column.querySelectorAll('a')].some(seen));
})()"""
"""columns at the side in which nothing stands"""
ORDER = """(() => {
    const names = ['#worked-example', '#worked-example img', '#parameters table'];
    const parts = names.map((each) => document.querySelector(each));
    return parts.every((each, index) => each && (!index || parts[index - 1].compareDocumentPosition(each) & 4));
})()"""


class Files(SimpleHTTPRequestHandler):
    """Hands out the files of the site."""

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the name there
        """Say nothing."""


def problems(site: Path) -> list[str]:
    """Return what is wrong with a built site, empty if nothing is."""
    path = shutil.which("chromium-headless-shell") or shutil.which("chromium")
    if path is None:
        return ["there is no Chromium; on Debian: apt-get install chromium-headless-shell"]
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(Files, directory=site))
    Thread(target=server.serve_forever, daemon=True).start()
    try:
        with sync_playwright() as playwright:
            browser = playwright.chromium.launch(executable_path=path, args=["--no-sandbox"])
            address = f"http://127.0.0.1:{server.server_port}"
            return [
                *_too_wide(browser, address),
                *_misplaced(browser, address, site),
                *_barriers(browser, address),
            ]
    finally:
        server.shutdown()


def _too_wide(browser: Browser, address: str) -> Iterator[str]:
    """Look for what does not fit into windows, and for empty columns."""
    for width in WIDTHS:
        with _opened(browser, width) as (page, said):
            for name in PAGES:
                page.goto(f"{address}/{name}.html")
                if (wide := page.evaluate("document.documentElement.scrollWidth")) > width:
                    yield f"{name} has {wide} pixels across in a window of {width}"
                if page.evaluate(EMPTY):
                    yield f"{name} has an empty column at the side in a window of {width}"
            yield from said


def _misplaced(browser: Browser, address: str, site: Path) -> Iterator[str]:
    """Look for pages that are too high, and for what does not come first."""
    with _opened(browser) as (page, said):
        page.goto(f"{address}/measures/nDCG.html")
        if not page.evaluate(ORDER):
            yield "measures/nDCG: the worked example and its chart have to come before the parameters"
        for path in sorted([site / "api.html", *site.glob("api/*.html")]):
            page.goto(f"{address}/{path.relative_to(site)}")
            if (height := page.evaluate("document.documentElement.scrollHeight")) > HIGHEST:
                yield f"{path.relative_to(site)} has {height} pixels; move a part of it to another page of docs/api"
        pages = tomllib.loads(WORDS.read_text("utf-8"))
        known = {word: (name,) for name, several in pages.items() for word in several}
        for words, expected in (SEARCHES | known).items():
            first = _found(page, address, words)[:3]
            if not first or first[0] not in expected:
                yield f"a search for {words} has to find one of {', '.join(expected)} first, not {first}"
        yield from said


def _barriers(browser: Browser, address: str) -> Iterator[str]:
    """Look for what some cannot read, and for light frames in the dark."""
    rules = (Path(axe.__file__).parent / "axe.min.js").read_text("utf-8")
    for theme, rule in BARRIERS.items():
        with _opened(browser, theme=theme) as (page, said):
            for name in PAGES:
                page.goto(f"{address}/{name}.html")
                page.evaluate(rules)
                for violation in page.evaluate(rule)["violations"]:
                    yield f"{name} in the {theme}: {violation['id']}: {violation['nodes'][0]['html'][:200]}"
                if theme == "dark" and (frames := page.evaluate(FRAMES)):
                    yield f"{name} in the dark has light frames: {frames[:3]}"
            yield from said


def _found(page: Page, address: str, words: str) -> list[str]:
    """Return the names of the pages that a search finds, in order."""
    page.goto(f"{address}/search.html?q={quote(words)}")
    page.wait_for_function("document.querySelector('#search-results h2')?.textContent === 'Search Results'")
    page.wait_for_function("/finished/.test(document.querySelector('.search-summary').textContent)")
    links = page.locator("#search-results li a").evaluate_all("all => all.map(each => each.pathname)")
    return [link.removeprefix("/").removesuffix(".html") for link in links]


@contextmanager
def _opened(browser: Browser, width: int = WIDTHS[-1], theme: str = "light") -> Iterator[tuple[Page, list[str]]]:
    """Give a page, and a list of what is said in its console and of what it asks for in vain."""
    context = browser.new_context(viewport={"width": width, "height": 900}, color_scheme=theme)
    page, said = context.new_page(), []
    page.on("console", lambda message: said.append(f"{page.url} says in the console: {message.text}"))
    page.on("pageerror", lambda error: said.append(f"{page.url}: {error}"))
    page.on("response", lambda answer: said.append(f"{answer.url} is missing") if answer.status >= MISSING else None)
    yield page, said
    context.close()
