"""A report in a real browser, opened as a file: charts, queries, rankings, keys, links, print, no script, barriers."""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest
from axe_core_python import base as axe
from playwright.sync_api import Browser, Page, expect

import rankworth as rw
from rankworth.report import make
from shown import assert_all_is_said

pytestmark = pytest.mark.filterwarnings("ignore::rankworth.errors.RankworthWarning")

MEASURES = ["nDCG@10", "AP"]


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """Reports on one run, on two, on six, and on results files."""
    folder, collection = tmp_path_factory.mktemp("reports"), rw.demo()
    queries = {each.id: {"text": each.text, "language": each.language} for each in collection.queries.values()}
    texts = {"queries": queries, "docs": collection.documents, "profiles": False}
    names = {"one": ["dense"], "two": ["bm25", "dense"], "six": [*collection.runs]}
    reports = {
        kind: make(collection.qrels, {name: collection.runs[name] for name in some}, MEASURES, **texts)
        for kind, some in names.items()
    }
    stages = [{name: collection.runs[name] for name in ("bm25-stem", "dense")}, {"fused": collection.runs["fused"]}]
    of_stages = {name: run for stage in stages for name, run in stage.items()}
    comparing = {"by": "language"}
    reports["staged"] = make(collection.qrels, of_stages, MEASURES, stages=stages, comparing=comparing, **texts)
    stored = {name: rw.evaluate(collection.qrels, collection.runs[name], MEASURES) for name in ("bm25", "dense")}
    reports["stored"] = make(None, stored)
    for kind, report in reports.items():
        report.save(folder / f"{kind}.html")
    return {kind: folder / f"{kind}.html" for kind in reports}


@contextmanager
def opened(browser: Browser, path: Path, fragment: str = "", **options: object) -> Iterator[Page]:
    """A page, whose errors and whose requests to elsewhere fail the test."""
    context = browser.new_context(**options)  # type: ignore[arg-type]
    page = context.new_page()
    wrong: list[str] = []
    page.on("pageerror", lambda error: wrong.append(str(error)))
    page.on("console", lambda each: wrong.append(each.text) if each.type == "error" else None)
    page.on("request", lambda request: None if request.url.startswith(path.as_uri()) else wrong.append(request.url))
    page.goto(f"{path.as_uri()}{fragment}")
    if options.get("java_script_enabled", True):
        page.wait_for_selector("#queries table")
    yield page
    context.close()
    assert not wrong


def table_of(page: Page) -> list[str]:
    """The queries of the table, in order."""
    keys: list[str] = page.locator("#queries [data-key^=q-]").evaluate_all("all => all.map(one => one.dataset.key)")
    return [key.removeprefix("q-") for key in keys]


def test_values_and_differences_are_those_of_the_library(browser: Browser, pages: dict[str, Path]) -> None:
    collection = rw.demo()
    found = rw.compare(collection.qrels, {name: collection.runs[name] for name in ("bm25", "dense")}, MEASURES)
    with opened(browser, pages["two"]) as page:
        for card, one in zip(page.locator(".measures li").all(), found.differences, strict=True):
            expect(card.locator(".top")).to_contain_text(one.measure)
            expect(card.locator(".top .better")).to_have_text(f"▲ {one.word}")
            expect(card.locator(".size")).to_have_text(f"+{one.difference:.3f}")
            expect(card).to_contain_text(f"{one.first_mean:.3f} → {one.second_mean:.3f}")
            expect(card).to_contain_text(f"+{one.low:.3f} to +{one.high:.3f}")
            expect(page.locator("#forest")).to_contain_text(f"▲ +{one.difference:.4f} {one.word}")
        queries = found.queries("nDCG@10")
        expected = sorted(queries, key=lambda row: row.difference)
        cells = page.locator("#queries tbody tr").evaluate_all("all => all.map(row => row.innerText.split('\\t'))")
        for cell, row in zip(cells[:13], expected, strict=False):
            assert cell[1:4] == [f"{row.first:.4f}", f"{row.second:.4f}", f"▼ −{-row.difference:.4f}"]
        expect(page.locator("#queries")).to_contain_text("dense is better on 61, worse on 13 and equal on 34 of 108")


def test_a_query_is_opened_by_click_by_keys_and_by_link(browser: Browser, pages: dict[str, Path]) -> None:
    with opened(browser, pages["two"]) as page:
        page.locator("#queries rect[data-query]").last.click()
        expect(page.locator("#query h2")).to_contain_text("ar01")
        expect(page.locator("#query .slope").first).to_be_attached()
        page.keyboard.press("j")
        expect(page.locator("#query h2")).to_contain_text("en45")
        expect(page.locator("#query h2")).to_be_focused()
        page.keyboard.press("k")
        expect(page.locator("#query h2")).to_contain_text("ar01")
        page.keyboard.press("m")
        expect(page.locator("[data-key=m]")).to_have_value("AP")
        link = page.url.partition("#")[2]
    with opened(browser, pages["two"], f"#{link}") as page:
        expect(page.locator("#query h2")).to_contain_text("ar01")
        expect(page.locator("[data-key=m]")).to_have_value("AP")
    with opened(browser, pages["two"], "#q=nothing&m=nonsense&p=-7&t=x&a=dense&b=dense") as page:
        expect(page.locator("[data-key=m]")).to_have_value("nDCG@10")
        assert len(table_of(page)) == 25


def test_a_ranking_has_grades_contributions_and_moves(browser: Browser, pages: dict[str, Path]) -> None:
    collection = rw.demo()
    explained = rw.explain(collection.qrels, collection.runs["bm25"], "nDCG@10", query="en45")
    with opened(browser, pages["two"], "#q=en45") as page:
        side = page.locator("#query .side").first
        expect(side.locator("h3")).to_have_text(f"bm25 nDCG@10 {explained.value:.4f}")
        rows = side.locator(".document")
        expect(rows).to_have_count(10)
        for place, term in enumerate(explained.terms):
            expect(rows.nth(place)).to_contain_text(str(term.document))
            if term.contribution:
                expect(rows.nth(place)).to_contain_text(f"+{term.contribution:.4f}")
        expect(page.locator("#query")).to_contain_text("rank 45 in dense")
        expect(page.locator("#query")).to_contain_text("only here")
        ids = [
            side.locator(".document").evaluate_all("all => all.map(one => one.dataset.document)")
            for side in page.locator("#query .side").all()
        ]
        shared = len(set(ids[0]) & set(ids[1]))
        assert shared
        expect(page.locator("#query .slope")).to_have_count(shared)


def test_the_largest_losses_and_gains_are_listed_with_their_texts(browser: Browser, pages: dict[str, Path]) -> None:
    collection = rw.demo()
    found = rw.compare(collection.qrels, {name: collection.runs[name] for name in ("bm25", "dense")}, MEASURES)
    with opened(browser, pages["two"]) as page:
        for place, rows in enumerate((found.queries("nDCG@10").worst(5), found.queries("nDCG@10").best(5))):
            items = page.locator(".extremes").nth(place).locator("li")
            expect(items).to_have_count(5)
            for row, item in zip(rows, items.all(), strict=True):
                expect(item).to_contain_text(collection.queries[row.query].text)
                expect(item).to_contain_text(f"{row.first:.2f} → {row.second:.2f}")
        expect(page.locator("#query h2")).to_contain_text(found.queries("nDCG@10").worst(1)[0].query)
        items.first.locator("a").click()
        expect(page.locator("#query h2")).to_contain_text(rows[0].query)
        link = page.url.partition("#")[2]
    with opened(browser, pages["two"], f"#{link}") as page:
        expect(page.locator("#query h2")).to_contain_text(rows[0].query)


def test_queries_are_filtered_grouped_sorted_and_paged(browser: Browser, pages: dict[str, Path]) -> None:
    with opened(browser, pages["two"]) as page:
        page.locator("[data-key=g]").select_option("language: ar")
        expect(page.locator("#queries caption")).to_have_text("34 of 108 queries")
        page.locator("[data-key=g]").select_option("")
        for _ in range(4):
            page.locator("[data-key=next]").click()
        assert len(table_of(page)) == 8
        page.locator("[data-key=s-value]").click()
        values = page.locator("#queries tbody td.number:nth-child(3)").all_inner_texts()
        assert values == sorted(values)
        expect(page.locator("#queries th[aria-sort=ascending]")).to_contain_text("dense")
        page.keyboard.press("/")
        page.keyboard.type("MEDIAN of a list")
        expect(page.locator("#queries caption")).to_have_text("1 of 108 queries")
        assert table_of(page) == ["en08"]
        expect(page.locator("[data-key=f]")).to_be_focused()


@pytest.mark.parametrize(("kind", "tabs"), [("one", 1), ("two", 4), ("six", 4), ("stored", 4)])
def test_every_chart_is_drawn_for_every_kind_of_report(
    browser: Browser, pages: dict[str, Path], kind: str, tabs: int
) -> None:
    with opened(browser, pages[kind]) as page:
        buttons = page.locator("[role=group][aria-label=Charts] button")
        expect(buttons).to_have_count(tabs)
        for place in range(tabs):
            buttons.nth(place).click()
            assert page.locator("#queries svg.chart").locator("rect, circle").count() > 1
        expect(page.locator("#curves svg.chart")).to_have_count(0 if kind == "stored" else 2)
        assert (page.locator("#chances table").count() == 1) == (kind != "stored")
        labels = page.locator("svg[role=img]").evaluate_all("all => all.map(one => one.getAttribute('aria-label'))")
        assert all(labels)
    with opened(browser, pages[kind], "#q=en08") as page:
        expect(page.locator("#query .side").first).to_be_visible()


def test_the_page_is_read_without_a_script_and_on_paper(browser: Browser, pages: dict[str, Path]) -> None:
    with opened(browser, pages["two"], java_script_enabled=False) as page:
        expect(page.locator("#verdict")).to_contain_text("dense ranks better than bm25")
        page.locator("#details > summary").click()
        page.locator("#scores summary").click()
        expect(page.locator("#scores table").first).to_contain_text("0.4147")
        expect(page.locator("#method")).to_contain_text("paired randomization test")
    with opened(browser, pages["two"]) as page:
        page.emulate_media(media="print")
        page.evaluate("dispatchEvent(new Event('beforeprint'))")
        for name in ("#tools", "#query", "#queries", "#chances", "#method"):
            expect(page.locator(name)).to_be_hidden()
        for name in ("#verdict h1", ".measures", ".extremes", "#scores table"):
            expect(page.locator(name).first).to_be_visible()
        assert len(re.findall(rb"/Type */Page\b", page.pdf())) == 3


def test_six_runs_stand_on_three_pages_of_paper(browser: Browser, pages: dict[str, Path]) -> None:
    with opened(browser, pages["six"]) as page:
        page.evaluate("dispatchEvent(new Event('beforeprint'))")
        assert len(re.findall(rb"/Type */Page\b", page.pdf(format="A4"))) == 3


def test_colours_follow_what_is_better_and_ids_are_no_properties(browser: Browser, tmp_path: Path) -> None:
    """By FallOut the second run is better on q1, worse on q2, and equal on q3; lower values are better."""
    qrels = {query: {"constructor": 1, "x": 0, "y": 0} for query in ("toString", "q2", "q3")}
    runs = {
        "old": {"toString": ["x"], "q2": ["constructor"], "q3": ["x"]},
        "new": {"toString": ["constructor"], "q2": ["x"], "q3": ["x"]},
    }
    make(qrels, runs, ["FallOut@2"], profiles=False).save(tmp_path / "lower.html")
    with opened(browser, tmp_path / "lower.html", "#q=toString") as page:
        bars = page.locator("#queries rect.bar").evaluate_all(
            "all => all.map(one => [one.dataset.query, one.classList[1]])"
        )
        assert bars == [["toString", "up"], ["q3", "level"], ["q2", "down"]]
        expect(page.locator(".extremes").first).to_contain_text("q2")
        expect(page.locator("#query .side").nth(1).locator(".document").first).to_contain_text("constructor")
        expect(page.locator("#query .side").nth(1).locator(".document").first).to_contain_text("only here")
        expect(page.locator("#query")).not_to_contain_text("native code")


def test_back_leads_to_the_query_before(browser: Browser, pages: dict[str, Path]) -> None:
    with opened(browser, pages["two"]) as page:
        for query in ("ar01", "en45"):
            page.locator(f"[data-key=q-{query}]").click()
            expect(page.locator("#query h2")).to_contain_text(query)
        page.go_back()
        expect(page.locator("#query h2")).to_contain_text("ar01")


def test_the_data_is_there_for_others(browser: Browser, pages: dict[str, Path]) -> None:
    with opened(browser, pages["two"]) as page:
        with page.expect_download() as download:
            page.get_by_role("button", name="Data", exact=True).click()
        assert '"schema":"rankworth.report/1"' in Path(download.value.path()).read_text()


PARTS = [
    "#about",
    ".state",
    "h1",
    ".line",
    ".measures",
    ".extremes",
    "#pipeline",
    "#notes",
    "#query",
    "#queries",
    "#scores",
    "#method",
]
"""what a page has, in this order"""
TOPS = "all => all.map((each) => document.querySelector(each).getBoundingClientRect().top + scrollY)"


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [320, 360, 768, 1280])
@pytest.mark.parametrize("kind", ["one", "two", "six", "staged"])
def test_the_answer_stands_first_at_every_width(
    browser: Browser, pages: dict[str, Path], kind: str, width: int, scheme: str
) -> None:
    with opened(browser, pages[kind], viewport={"width": width, "height": 800}, color_scheme=scheme) as page:
        lacking = {"#notes"} if kind == "one" else set()  # its data has nothing to note
        lacking |= {"#pipeline"} if kind != "staged" else set()
        shown = [part for part in PARTS if part not in lacking]
        tops = page.evaluate(f"({TOPS})({shown})")
        assert tops == sorted(tops)
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        sizes = page.evaluate("""[...document.querySelectorAll('body *:not(script, style, title)')].filter((each) =>
            [...each.childNodes].some((node) => node.nodeType === 3 && node.data.trim()) && each.getClientRects().length
            && !each.closest('svg, table, details:not([open])')).map((each) => getComputedStyle(each).fontSize)""")
        assert {*sizes} == {"13px", "15px", "20px", "30px"}
        heading = page.evaluate("parseFloat(getComputedStyle(document.querySelector('h1')).fontSize)")
        assert heading == (30 if width > 640 else 20)
        assert min(page.evaluate(LETTERS)) >= 11.99
        if width == 1280:
            last = page.locator(".leaders" if kind in ("six", "staged") else "#extremes li").last.bounding_box()
            assert last
            assert last["y"] + last["height"] <= 800


def test_cards_share_an_axis_and_shade_the_margin(browser: Browser, tmp_path: Path) -> None:
    qrels = {f"q{number}": {"a": 1} for number in range(12)}
    old = {query: ["x", "a"] if number % 3 else ["a"] for number, query in enumerate(qrels)}
    new = {query: ["a"] if number % 4 else ["x", "y", "a"] for number, query in enumerate(qrels)}
    measures = ["RR", "P@1", "FallOut@1"]
    report = make(qrels, {"old": old, "new": new}, measures, profiles=False, comparing={"margin": 0.1})
    report.save(tmp_path / "cards.html")
    rows = report.record["comparison"]["differences"]
    with opened(browser, tmp_path / "cards.html") as page:
        widths = []
        for card, row in zip(page.locator(".measures li").all(), rows, strict=True):
            sign = -1 if row["measure"] == "FallOut@1" else 1
            at = {
                name: float((card.locator(f"svg {mark}").first.get_attribute(attribute) or "").removesuffix("%"))
                for name, mark, attribute in (
                    ("zero", ".axis", "x1"), ("value", ".dot", "cx"), ("low", ".interval.thin", "x1"),
                    ("high", ".interval.thin", "x2"), ("margin", ".margin", "width"),
                )
            }  # fmt: skip
            unit = at["margin"] / 0.2
            widths.append((round(at["zero"], 1), round(unit, 1)))
            ends = sorted((sign * row["low"], sign * row["high"]))
            for name, value in (("value", sign * row["difference"]), ("low", ends[0]), ("high", ends[1])):
                assert at[name] == pytest.approx(at["zero"] + unit * value, abs=0.01)
            expect(card).to_contain_text("lower is better, better →" if sign < 0 else "better →")
            expect(card).to_contain_text("margin ±0.1")
        assert len({*widths}) == 1


@pytest.mark.parametrize("kind", ["two", "six"])
def test_every_chart_is_saved_as_svg_that_stands_alone(
    browser: Browser, pages: dict[str, Path], tmp_path: Path, kind: str
) -> None:
    with opened(browser, pages[kind], accept_downloads=True) as page:
        for tab in ("differences", "scatter", "histogram", "heat"):
            page.locator(f"[data-key=t-{tab}]").click()
            drawn = page.locator("#queries .figure svg")
            marks = drawn.locator("rect, circle").count()
            fill = drawn.locator("rect.bar, circle.dot, rect.cell").first.evaluate(
                "each => getComputedStyle(each).fill"
            )
            with page.expect_download() as download:
                page.locator("#queries").get_by_role("button", name="Save as SVG").click()
            target = tmp_path / download.value.suggested_filename
            assert target.suffix == ".svg"
            download.value.save_as(target)
            root = ET.parse(target).getroot()  # noqa: S314 - of our own page
            tags = [each.tag.rpartition("}")[2] for each in root.iter()]
            assert root.tag == "{http://www.w3.org/2000/svg}svg"
            assert tags.count("rect") + tags.count("circle") == marks + 1  # and the background
            assert fill in [each.get("fill") for each in root.iter()]
            assert not [each for each in root.iter() if each.get("class") or each.get("style") or each.get("href")]
            assert "var(" not in target.read_text("utf-8")
        page.locator("#details > summary").click()
        assert page.locator(".figure").count() == page.get_by_role("button", name="Save as SVG").count() + 1  # folded


def test_the_forest_is_grouped_by_measure_and_sorted_by_effect(browser: Browser, pages: dict[str, Path]) -> None:
    collection = rw.demo()
    found = rw.compare(collection.qrels, collection.runs, MEASURES)
    expected = []
    for measure in MEASURES:
        rows = sorted((row for row in found.differences if row.measure == measure), key=lambda row: -row.difference)
        expected += [measure, *(row.second for row in rows)]
    with opened(browser, pages["six"]) as page:
        texts = page.locator("#forest .figure svg").first.locator("text").all_text_contents()
        names = {*collection.runs, *MEASURES}
        assert [text for text in texts if text in names] == expected
        assert "0" in texts


EDGES = {
    "no differences": ({"q1": ["a"], "q2": ["x", "a"]}, {"q1": ["a"], "q2": ["x", "a"]}),
    "one query": ({"q1": ["x", "a"]}, {"q1": ["a"]}),
    "only losses": ({"q1": ["a"], "q2": ["a"]}, {"q1": ["x", "a"], "q2": ["a"]}),
    "many queries": (
        {f"q{number}": ["x", "a"] for number in range(7_000)},
        {f"q{number}": ["a", "x"] if number % 3 else ["x", "y", "a"] for number in range(7_000)},
    ),
}


@pytest.mark.parametrize("kind", EDGES)
def test_pages_of_unusual_runs_have_all_parts(browser: Browser, tmp_path: Path, kind: str) -> None:
    old, new = EDGES[kind]
    runs = {"old": old, "new": new}
    make({query: {"a": 1} for query in old}, runs, ["RR", "AP"], profiles=False).save(tmp_path / "page.html")
    for width in (360, 1280):
        with opened(browser, tmp_path / "page.html", viewport={"width": width, "height": 800}) as page:
            expect(page.locator(".measures li")).to_have_count(2)
            expect(page.locator("#extremes h2")).to_have_count(2)
            expect(page.locator("#query .side")).to_have_count(2)
            expect(page.locator("#query .document").first).to_be_visible()
            assert page.evaluate("document.documentElement.scrollWidth") <= width
            for tab in page.locator("#queries [data-key^=t-]").all():
                tab.click()
                assert_all_is_said(page)


def test_a_measure_of_all_queries_together_names_no_query(browser: Browser, tmp_path: Path) -> None:
    qrels = {f"u{number}": {"a": 1} for number in range(6)}
    runs = {
        "same": {query: ["a", "b"] for query in qrels},
        "many": {query: ["abd"[number % 3], "c"] for number, query in enumerate(qrels)},
    }
    history = {"u9": ["a", "b", "c", "d"]}
    report = make(qrels, runs, ["Coverage@2", "P@2"], history=history, profiles=False)
    report.save(tmp_path / "whole.html")
    assert "Better on" not in report.record["conclusion"]["line"]
    with opened(browser, tmp_path / "whole.html") as page:
        expect(page.locator("#extremes")).to_have_text("By Coverage@2 no query has a value of its own.")
        page.locator("[data-key=m]").select_option("P@2")
        expect(page.locator("#extremes h2")).to_have_text(
            ["Where many loses most by P@2", "Where many gains most by P@2"]
        )


def test_texts_begin_where_they_are_read_and_turn_nothing_around_them(browser: Browser, tmp_path: Path) -> None:
    texts = {"q1": "\u202eevil " * 9, "q2": "تحويل نص إلى كائنات بايثون " * 9, "q3": "plain words " * 30}
    old, new = {query: ["a"] for query in texts}, {query: ["x", "a"] for query in texts}
    runs = {"قديم": old, "new\u202e" + "w" * 80: new}
    report = make({query: {"a": 1} for query in texts}, runs, ["RR"], queries=texts, profiles=False)
    report.save(tmp_path / "texts.html")
    for width in (320, 1280):
        with opened(browser, tmp_path / "texts.html", viewport={"width": width, "height": 800}) as page:
            assert "\u202e" not in page.evaluate("document.body.innerText")
            assert "\u202e" not in page.title()
            assert page.evaluate("document.documentElement.scrollWidth") <= width
            for row in page.locator("#extremes .clip").all():
                direction = "rtl" if "تحويل" in row.inner_text() else "ltr"
                assert row.evaluate("each => getComputedStyle(each).direction") == direction
                assert row.evaluate("each => each.scrollLeft") == 0
            isolated = page.locator("#queries tbody th [dir=auto]", has_text="تحويل")
            assert "q2" not in isolated.inner_text()


BARRIERS = {
    "light": "axe.run({resultTypes: ['violations']})",
    "dark": "axe.run({runOnly: ['color-contrast', 'link-in-text-block'], resultTypes: ['violations']})",
}
"""all rules; in the dark those about colours, since nothing else differs"""


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("kind", ["one", "two", "six", "staged"])
def test_no_barrier_is_found(browser: Browser, pages: dict[str, Path], kind: str, scheme: str) -> None:
    script = (Path(axe.__file__).parent / "axe.min.js").read_text("utf-8")
    with opened(browser, pages[kind], "#q=en08", color_scheme=scheme, bypass_csp=True) as page:
        page.evaluate(script)
        found = page.evaluate(BARRIERS[scheme])["violations"]
        assert [(one["id"], one["nodes"][0]["html"]) for one in found] == []


LETTERS = """[...document.querySelectorAll('svg text')].filter((each) => each.getClientRects().length).map(
    (each) => parseFloat(getComputedStyle(each).fontSize) * each.getScreenCTM().a)"""
"""how high the letters of all charts are, in pixels"""
OUTSIDE = """[...document.querySelectorAll('svg *, .by-query td, .by-query th')].filter((each) => {
    const box = each.getBoundingClientRect();
    return box.width && (box.left < -1 || box.right > innerWidth + 1);
}).map((each) => each.outerHTML)"""
"""what of charts and of the table of queries lies outside of the window"""


@pytest.mark.parametrize("width", [320, 360])
def test_a_narrow_page_needs_no_scrolling_sideways(browser: Browser, pages: dict[str, Path], width: int) -> None:
    for kind in ("one", "two", "six", "staged"):
        with opened(browser, pages[kind], "#q=en08", viewport={"width": width, "height": 700}) as page:
            for tab in page.locator("#queries [data-key^=t-]").all():
                tab.click()
                assert page.evaluate("document.documentElement.scrollWidth") <= width, kind
                assert page.evaluate(OUTSIDE) == [], kind
                assert min(page.evaluate(LETTERS)) >= 11.99, kind
            boxes = [cell.bounding_box() for cell in page.locator(".by-query tbody tr").first.locator("th, td").all()]
            assert boxes[0]["width"] > 0.8 * width - 32  # type: ignore[index]
            assert all(box["y"] > boxes[0]["y"] for box in boxes[1:] if box)  # type: ignore[index]


def test_charts_are_drawn_again_for_another_width(browser: Browser, pages: dict[str, Path]) -> None:
    with opened(browser, pages["two"]) as page:
        wide = page.locator("#queries svg").first.bounding_box()
        page.set_viewport_size({"width": 320, "height": 700})
        expect(page.locator("#queries svg").first).to_have_attribute("viewBox", "0 0 288 240")
        assert wide
        assert wide["width"] > 900
        assert page.evaluate(OUTSIDE) == []


def test_a_signature_of_lists_is_broken_on_a_narrow_page(browser: Browser, tmp_path: Path) -> None:
    qrels = {query: {"a": 1} for query in ("q1", "q2", "q3")}
    runs = {"old": {query: ["b", "a"] for query in qrels}, "new": {query: ["a", "b"] for query in qrels}}
    make(qrels, runs, ["RR@10"], profiles=False).save(tmp_path / "lists.html")
    with opened(browser, tmp_path / "lists.html", viewport={"width": 320, "height": 700}) as page:
        expect(page.locator("#method p").first).to_contain_text("ranked_by:list")
        assert page.evaluate("document.documentElement.scrollWidth") <= 320


def test_the_page_says_where_runs_end(browser: Browser, tmp_path: Path) -> None:
    qrels = {query: {f"d{rank}": 1 for rank in range(40)} for query in ("q", "r")}
    short, long = ({query: [f"d{rank}" for rank in range(size)] for query in qrels} for size in (10, 25))
    make(qrels, {"a": short, "b": short}, ["nDCG@10"], profiles=False).save(tmp_path / "alike.html")
    make(qrels, {"a": short, "b": long}, ["nDCG@10"], profiles=False).save(tmp_path / "apart.html")
    with opened(browser, tmp_path / "alike.html") as page:
        expect(page.locator("#curves .hint").nth(1)).to_contain_text("runs end at rank 10")
        curve = page.locator("#curves svg[role=img]").first
        expect(curve).to_have_attribute("aria-label", re.compile("a ends at .*, b ends at"))
        assert page.locator("#curves svg").first.locator("text").all_text_contents()[:5] == ["1", "2", "3", "5", "10"]
    with opened(browser, tmp_path / "apart.html") as page:
        expect(page.locator("#curves .hint").nth(1)).to_contain_text("runs end at rank 10 (a), 25 (b)")


def test_tables_that_may_not_be_copied_are_shown_to_be_copied(browser: Browser, pages: dict[str, Path]) -> None:
    with opened(browser, pages["two"]) as page:
        page.evaluate("() => { navigator.clipboard.writeText = () => Promise.reject(new Error('denied')); }")
        page.locator("#details > summary").click()
        page.get_by_text("Tables with p values").click()
        page.get_by_role("button", name="Copy as Markdown").click()
        area = page.get_by_role("dialog").get_by_label("Tables", exact=True)
        assert area.input_value().startswith("**dense - bm25, paired over 108 queries**")
        assert page.evaluate("getSelection().toString()") == area.input_value()
        page.get_by_role("button", name="Close").click()
        expect(page.get_by_role("dialog")).to_have_count(0)


@pytest.mark.parametrize("kind", ["one", "two", "six", "stored"])
def test_the_page_says_all_it_shows(browser: Browser, pages: dict[str, Path], kind: str) -> None:
    with opened(browser, pages[kind], "#q=en08") as page:
        for tab in page.locator("#queries [data-key^=t-]").all():
            tab.click()
            assert_all_is_said(page)


def test_a_phone_shows_verdict_measures_losses_and_groups_without_a_script(browser: Browser, tmp_path: Path) -> None:
    collection = rw.demo()
    queries = {each.id: {"text": each.text, "language": each.language} for each in collection.queries.values()}
    runs = {name: collection.runs[name] for name in ("bm25", "dense")}
    measures = ["nDCG@10", "RR@10", "AP", "R@100"]
    report = make(
        collection.qrels, runs, measures, queries=queries, profiles=False, comparing={"by": "language"}, max_size=90_000
    )
    report.save(tmp_path / "page.html")
    size = {"width": 375, "height": 812}
    with opened(browser, tmp_path / "page.html", viewport=size, java_script_enabled=False) as page:
        for part in ("h1", ".measures li", ".extremes li:nth-child(3)", ".groups"):
            for shown in page.locator(part).all()[:1] if part != ".measures li" else page.locator(part).all():
                box = shown.bounding_box()
                assert box
                assert box["y"] + box["height"] <= 812, part
        expect(page.locator(".line")).to_contain_text(
            "By language the sign turns in ar (\u22120.012, too few queries)."
        )
        expect(page.locator(".groups li").nth(1)).to_contain_text("+0.232")
        assert page.evaluate("document.documentElement.scrollWidth") <= 375


def test_the_reader_chooses_which_of_several_runs_are_compared(browser: Browser, pages: dict[str, Path]) -> None:
    collection = rw.demo()
    found = rw.compare(collection.qrels, collection.runs, MEASURES, all_pairs=True)
    with opened(browser, pages["six"]) as page:
        expect(page.locator("#pair h2")).to_have_text("dense-translated beside dense")
        page.locator("[data-key=pair-b]").select_option("fused")
        page.locator("[data-key=pair-a]").select_option("bm25")
        expect(page.locator("#pair h2")).to_have_text("fused beside bm25")
        [row] = [row for row in found.differences if row[:3] == ("nDCG@10", "bm25", "fused")]
        expect(page.locator("#pair .size").first).to_have_text(f"+{row.difference:.3f}")
        page.locator("[data-key=pair-b]").select_option("bm25")
        expect(page.locator("#pair h2")).to_have_text("bm25 beside fused")
        expect(page.locator("#pair .size").first).to_have_text(f"\u2212{row.difference:.3f}")


@pytest.mark.parametrize("width", [1100, 375])
def test_gold_is_marked_in_pieces_whose_text_is_no_markup(browser: Browser, tmp_path: Path, width: int) -> None:
    texts = {
        "handbook.md": "<b>Shoes</b> can be returned 🍷 within 30 days.",
        "arabic.md": "الشحن مجاني فوق خمسين يورو.",
    }
    at = {name: text.index for name, text in texts.items()}
    gold = {
        "q1": [("handbook.md", at["handbook.md"]("can"), at["handbook.md"](" within"))],
        "q2": [("arabic.md", at["arabic.md"]("فوق"), at["arabic.md"]("."))],
    }
    run = rw.Run(
        {query: [(name, 0, len(text)) for name, text in texts.items()] for query in gold}, "small", sources=texts
    )
    path = tmp_path / "spans.html"
    make(rw.Qrels(gold, sources=texts), {"small": run}, ["SpanR@2"], profiles=False).save(path)
    for query, place, marked in (("q1", 0, "can be returned 🍷"), ("q2", 1, "فوق خمسين يورو")):
        with opened(browser, path, f"#q={query}", viewport={"width": width, "height": 800}) as page:
            document = page.locator("#query .document").nth(place)
            document.locator("summary").click()
            whole = document.locator("div[dir=auto]")
            expect(whole).to_have_text([*texts.values()][place])
            expect(whole.locator("mark")).to_have_text([marked])
            expect(whole.locator("b")).to_have_count(0)
            expect(page.locator("#query .document").nth(1 - place).locator("mark")).to_have_count(0)
            assert whole.locator("mark").evaluate("(mark) => getComputedStyle(mark).textDecorationLine") == "underline"
            assert page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth") == 0
