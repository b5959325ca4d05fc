"""The explorer in a real browser: dragging, keys, links, grades, profiles, directions of text, barriers, requests."""

import json
import re
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
import uvicorn
from axe_core_python import base as axe
from playwright.sync_api import Browser, Page, expect

import rankworth as rw
from rankworth.explorer import server
from rankworth.explorer.inspector import Inspector
from rankworth.explorer.playground import examples
from rankworth.io import query_texts
from shown import assert_all_is_said

TOKEN = "token"  # noqa: S105 - of a server in the test
TITLES = {
    "d1": "أثر الكحول على الكبد",
    "d2": "כבד ואלכוהול: מדריך למטופל",
    "d3": "肝脏与酒精 🍷",
    "d4": "<img src=x onerror=alert(1)>",
    "d5": "x" * 10_000,
}
LONG = {"en14": "a long query " * 1_000}
STRICT = """(() => {
    const strict = new WeakMap();
    const get = (object, name) => {
        const isField = typeof name === 'string' && !Array.isArray(object) && !['toJSON', 'then'].includes(name);
        if (isField && !(name in object)) {
            throw new Error(`no answer of the server has a field ${name}`);
        }
        return wrap(object[name]);
    };
    const wrap = (value) => {
        if (value === null || typeof value !== 'object') return value;
        if (!strict.has(value)) strict.set(value, new Proxy(value, {get}));
        return strict.get(value);
    };
    const {json} = Response.prototype;
    Response.prototype.json = async function() { return wrap(await json.call(this)); };
    window.structuredClone = (value) => JSON.parse(JSON.stringify(value)); // which can copy what is wrapped
})()"""
"""Makes the page fail where it reads a field that the server does not send."""


@contextmanager
def served(inspector: Inspector | None) -> Iterator[str]:
    """The address of a server that runs beside the test."""
    listener = server.listening(8200)
    port = listener.getsockname()[1]
    config = uvicorn.Config(server.application(inspector, TOKEN, port), log_config=None, lifespan="off")
    running = uvicorn.Server(config)
    thread = threading.Thread(target=running.run, kwargs={"sockets": [listener]})
    thread.start()
    try:
        yield f"http://127.0.0.1:{port}/?token={TOKEN}"
    finally:
        running.should_exit = True
        thread.join()
        listener.close()


@pytest.fixture(scope="module")
def playground() -> Iterator[str]:
    """A server without runs."""
    with served(None) as address:
        yield address


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A server with two runs of the demonstration, and texts from everywhere."""
    collection = rw.demo()
    texts = query_texts.queries({query.id: LONG.get(query.id, query.text) for query in collection.queries.values()})
    two = {name: rw.Run(collection.runs[name], name) for name in ("bm25", "dense")}
    docs = dict(zip(sorted(collection.qrels.to_dict()["en01"]), TITLES.values(), strict=False))
    saved = tmp_path_factory.mktemp("explorer") / "judged.txt"
    options = {"rel": None, "profile": "standard-1"}
    inspector = Inspector(rw.Qrels(collection.qrels), two, ["nDCG@10", "AP"], options, texts, docs, str(saved))
    with served(inspector) as address:
        yield address


@contextmanager
def page_of(browser: Browser, address: str, refused: int = 0, **options: object) -> Iterator[Page]:
    """A page, whose errors and whose requests to elsewhere fail the test, but for some that the server refuses."""
    context = browser.new_context(**options)  # type: ignore[arg-type]
    context.add_init_script(STRICT)
    page = context.new_page()
    wrong: list[str] = []
    page.on("pageerror", lambda error: wrong.append(str(error)))
    page.on("console", lambda each: wrong.append(f"{each.text} {each.location}") if each.type == "error" else None)
    origin = address.partition("/?")[0]
    page.on("request", lambda request: None if request.url.startswith((origin, "data:")) else wrong.append(request.url))
    page.goto(address)
    page.wait_for_selector(".row, .query")
    settle(page)
    yield page
    context.close()
    assert [("status of 422" in one) for one in wrong] == [True] * refused, wrong


def order(page: Page) -> list[str]:
    """The ids of the first ranking, as they stand once the page is drawn."""
    settle(page)
    keys: list[str] = page.locator(".row").evaluate_all("all => all.map(row => row.dataset.key)")
    return [key.rsplit("-", 1)[1] for key in keys]


def values(page: Page) -> dict[str, str]:
    """The values on the page once it is drawn."""
    settle(page)
    cards = page.locator(".card").all()
    return {card.locator("button").inner_text(): card.locator("b").first.inner_text() for card in cards}


def more(page: Page) -> None:
    """Open the panel of further controls."""
    page.get_by_role("button", name="More…").click()
    expect(page.locator("#panel")).to_be_visible()


def settle(page: Page) -> None:
    """Wait until the page has drawn the answers to its requests."""
    expect(page.locator("#main")).to_have_attribute("aria-busy", "false")


def test_a_ranking_is_put_in_order_by_dragging_by_buttons_and_by_keys(browser: Browser, playground: str) -> None:
    with page_of(browser, playground) as page:
        assert order(page) == ["d1", "d2", "d3", "d4", "d5"]
        page.locator(".row").nth(0).drag_to(page.locator(".row").nth(2))
        expect(page.locator(".row").nth(2)).to_have_attribute("data-key", "row-0-d1")
        page.get_by_role("button", name="Move d1 up").click()
        expect(page.locator(".row").nth(1)).to_have_attribute("data-key", "row-0-d1")
        page.locator(".row").nth(1).focus()
        page.keyboard.press("Alt+ArrowUp")
        expect(page.locator(".row").nth(0)).to_have_attribute("data-key", "row-0-d1")
        expect(page.locator(".row").nth(0)).to_be_focused()
        expect(page.get_by_role("status")).to_have_text("d1 moved to rank 1 of 5")
        page.keyboard.press("Alt+End")
        expect(page.locator(".row").nth(4)).to_be_focused()
        assert order(page)[-1] == "d1"


def test_a_document_is_dragged_by_touch_at_its_grip(browser: Browser, playground: str) -> None:
    with page_of(browser, playground, has_touch=True, viewport={"width": 320, "height": 700}) as page:
        page.locator(".ranking").scroll_into_view_if_needed()
        boxes = [page.locator(".row").nth(rank).bounding_box() for rank in (0, 2)]
        [first, third] = [{"x": box["x"] + 15, "y": box["y"] + 20} for box in boxes if box]
        session = page.context.new_cdp_session(page)
        for kind, points in (("Start", [first]), ("Move", [third]), ("End", [])):
            session.send("Input.dispatchTouchEvent", {"type": f"touch{kind}", "touchPoints": points})
        expect(page.locator(".row").nth(2)).to_have_attribute("data-key", "row-0-d1")
        expect(page.get_by_role("status")).to_have_text("d1 moved to rank 3 of 5")


def test_values_are_those_of_the_library_after_each_edit(browser: Browser, playground: str) -> None:
    with page_of(browser, playground) as page:
        page.locator(".row").nth(3).focus()
        page.keyboard.press("Alt+Home")
        page.keyboard.press("3")
        expect(page.get_by_role("status")).to_have_text("d4: grade 3")
        settle(page)
        expected = rw.evaluate(
            {"q": {"d1": 2, "d2": 2, "d3": 1, "d4": 3, "d5": 0}},
            {"q": ["d4", "d1", "d2", "d3", "d5"]},
            ["nDCG(gain=exp2)@3", "RR(rel=2)@3", "AP@3"],
        )
        assert values(page) == {name: f"{value:.4f}" for name, value in expected.items()}


def test_undo_redo_and_a_link_bring_the_state_back(browser: Browser, playground: str) -> None:
    with page_of(browser, playground) as page:
        page.locator(".row").nth(0).focus()
        page.keyboard.press("Alt+ArrowDown")
        expect(page.locator(".row").nth(1)).to_have_attribute("data-key", "row-0-d1")
        page.get_by_role("button", name="Undo").click()
        expect(page.locator(".row").nth(0)).to_have_attribute("data-key", "row-0-d1")
        page.keyboard.press("Control+y")
        expect(page.locator(".row").nth(1)).to_have_attribute("data-key", "row-0-d1")
        settle(page)
        link, found = page.url, values(page)
        assert TOKEN not in link
        page.goto("about:blank")
        page.goto(link)
        page.wait_for_selector(".row")
        settle(page)
        assert order(page) == ["d2", "d1", "d3", "d4", "d5"]
        assert values(page) == found


def test_keys_and_clicks_that_come_faster_than_the_page_is_drawn_all_count(browser: Browser, playground: str) -> None:
    with page_of(browser, playground) as page:
        page.evaluate("""() => {
            const row = document.querySelector('.row');
            for (let count = 0; count < 3; count += 1) {
                row.dispatchEvent(new KeyboardEvent('keydown', {key: 'ArrowDown', altKey: true}));
            }
            const more = [...document.querySelectorAll('button')].find((one) => one.textContent === '+ grade 1');
            more.click();
            more.click();
        }""")
        expect(page.locator(".chips li")).to_have_count(2)
        assert order(page) == ["d2", "d3", "d4", "d1", "d5"]


def test_every_example_says_all_it_shows(browser: Browser, playground: str) -> None:
    with page_of(browser, playground) as page:
        for example in examples():
            page.get_by_label("Example").select_option(label=example["name"])
            settle(page)
            assert_all_is_said(page)
            page.locator(".card button").last.click()
            page.locator(".ranking").first.evaluate("list => list.querySelector('.row:last-child')?.focus()")
            settle(page)
            assert_all_is_said(page)


@pytest.mark.parametrize("example", ["Mixed results", "7. Leave out what was not answered"])
def test_every_convention_says_all_it_shows(browser: Browser, playground: str, example: str) -> None:
    with page_of(browser, playground) as page:
        page.get_by_label("Example").select_option(label=example)
        page.get_by_role("button", name="Conventions").click()
        settle(page)
        assert_all_is_said(page)
        for reason in page.locator("table button").all()[::40]:
            reason.click()
            settle(page)
            assert_all_is_said(page)


def test_every_query_says_all_it_shows(browser: Browser, runs: str) -> None:
    with page_of(browser, runs) as page:
        for name in ("Measure", "Order"):
            field = page.get_by_label(name, exact=True)
            for option in field.locator("option").all_inner_texts():
                field.select_option(label=option)
                for position in (0, 3, 5):
                    page.locator(".query").nth(position).click()
                    settle(page)
                    assert_all_is_said(page)
        page.get_by_label("Compared with").select_option("")
        settle(page)
        assert_all_is_said(page)


def test_a_document_that_does_not_count_is_said_in_the_words_of_the_library(browser: Browser, playground: str) -> None:
    with page_of(browser, playground) as page:
        page.get_by_label("Example").select_option(label="The step table")
        where = "d5 (grade 2) is at rank 5, where it does not count"
        sentence = f"{where}; at rank 2 nDCG(gain=exp2)@3 would be 1 (+0.3267)"
        expect(page.locator(".notes li").first).to_have_text(sentence)


def test_the_button_of_every_example_does_something(browser: Browser, playground: str) -> None:
    with page_of(browser, playground) as page:
        for example in examples():
            page.get_by_role("button", name="Playground", exact=True).click()
            page.get_by_label("Example").select_option(label=example["name"])
            settle(page)
            before = values(page), page.locator(".arithmetic").all_inner_texts(), order(page)
            page.get_by_role("button", name="Do it", exact=True).click()
            settle(page)
            if page.title().startswith("Conventions"):
                expect(page.get_by_role("table", name="The ranking under every profile")).to_be_visible()
            else:
                assert (values(page), page.locator(".arithmetic").all_inner_texts(), order(page)) != before, example


def test_without_runs_the_queries_say_how_to_open_some(browser: Browser, playground: str) -> None:
    with page_of(browser, playground) as page:
        page.get_by_role("button", name="Queries", exact=True).click()
        expect(page.get_by_role("heading", name="No runs are open")).to_be_visible()
        expect(page.locator(".commands code").last).to_have_text("rankworth demo --explore")
        page.get_by_role("button", name="Open the playground").click()
        expect(page.locator(".row").first).to_be_visible()
        assert page.evaluate(FOCUSED) == "main"


PARTS = """[...document.querySelectorAll('h2, .facts-line, .proposals li, [data-key=to-playground], .document')].map(
    (each) => each.matches('.document, li') ? each.classList[0] ?? 'move' : each.dataset.key ?? each.tagName)"""
"""What a query shows, in order."""


@pytest.mark.parametrize("width", [320, 360, 768, 1280])
@pytest.mark.parametrize("forced", ["none", "active"])
def test_a_query_stands_above_its_numbers_its_moves_and_its_rankings(
    browser: Browser, runs: str, width: int, forced: str
) -> None:
    with page_of(browser, runs, viewport={"width": width, "height": 800}, forced_colors=forced) as page:
        chosen(page, "en45")
        expect(page.locator(".proposals li")).to_have_count(3)
        parts = page.evaluate(PARTS)
        assert parts[:6] == ["H2", "P", "move", "move", "move", "to-playground"]
        assert {*parts[6:]} == {"document"}
        sizes = page.evaluate(
            "[...document.querySelectorAll('body *')].filter((each) => each.checkVisibility() && "
            "[...each.childNodes].some((node) => node.nodeType === 3 && node.data.trim()))"
            ".map((each) => getComputedStyle(each).fontSize)"
        )
        assert {*sizes} <= {"30px", "20px", "15px", "13px"}
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        assert_all_is_said(page)


def test_documents_are_named_by_their_titles(browser: Browser, runs: str) -> None:
    with page_of(browser, runs) as page:
        chosen(page, "en01")
        first = page.locator(".side").last.locator(".document .clip[title]").first
        name, title = first.get_attribute("title"), first.inner_text()
        assert any(each.startswith(title.removesuffix(" …")) for each in TITLES.values())
        page.get_by_role("button", name="Try in the playground").click()
        page.wait_for_selector(".row")
        settle(page)
        for part in (".row", ".steps td"):
            expect(page.locator(f"{part} [title='{name}'], {part}[title='{name}']").first).to_have_text(title)


def test_nothing_moves_when_another_query_is_chosen(browser: Browser, runs: str) -> None:
    with page_of(browser, runs) as page:
        chosen(page, "en08")
        expect(page.locator(".proposals li")).to_have_count(3)
        top = "document.querySelector('.pair').getBoundingClientRect().top"
        before = page.evaluate(top)
        page.evaluate("""() => {
            window.tops = [];
            new MutationObserver(() => window.tops.push(document.querySelector('.pair').getBoundingClientRect().top))
                .observe(document.querySelector('.detail'), {childList: true, subtree: true});
        }""")
        chosen(page, "en45")
        settle(page)
        assert {*page.evaluate("window.tops")} == {before}


@pytest.mark.parametrize("has_touch", [False, True])
def test_controls_of_a_row_wait_for_pointer_or_focus_where_there_is_a_pointer(
    browser: Browser, playground: str, has_touch: bool
) -> None:
    with page_of(browser, playground, has_touch=has_touch, is_mobile=has_touch) as page:
        moves = page.locator(".row").nth(1).locator(".moves")
        assert moves.evaluate("each => getComputedStyle(each).opacity") == ("1" if has_touch else "0")
        page.get_by_role("button", name="Move d2 down").focus()
        assert moves.evaluate("each => getComputedStyle(each).opacity") == "1"
        page.keyboard.press("Enter")
        assert order(page)[:3] == ["d1", "d3", "d2"]


def test_the_table_of_steps_stands_beside_the_ranking(browser: Browser, playground: str) -> None:
    with page_of(browser, playground, viewport={"width": 1280, "height": 800}) as page:
        ranking, steps = (page.locator(part).first.bounding_box() for part in (".ranking", ".steps"))
        assert ranking
        assert steps
        assert steps["x"] > ranking["x"] + ranking["width"]
        assert steps["y"] < ranking["y"] + ranking["height"]


def test_further_controls_are_one_panel(browser: Browser, playground: str) -> None:
    with page_of(browser, playground) as page:
        controls = page.locator("#panel :is(select, input, button)")
        expect(controls.first).to_be_hidden()
        more(page)
        page.get_by_label("Gain of nDCG").select_option("linear")
        settle(page)
        expect(page.locator("#panel")).to_be_visible()
        assert "nDCG(gain=linear)@3" in values(page) or "nDCG@3" in values(page)
        page.keyboard.press("Escape")
        expect(page.locator("#panel")).to_be_hidden()


def test_undo_brings_an_example_back(browser: Browser, playground: str) -> None:
    with page_of(browser, playground) as page:
        page.get_by_label("Example").select_option(label="Late success")
        expect(page.locator(".try")).to_contain_text("Raise the cutoff from 3 to 5.")
        page.get_by_role("button", name="Undo").click()
        expect(page.locator(".try")).to_contain_text("Move the document of grade 0 up")
        assert order(page) == ["d1", "d2", "d3", "d4", "d5"]


def test_documents_that_were_not_retrieved_change_the_ideal(browser: Browser, playground: str) -> None:
    with page_of(browser, playground) as page:
        page.get_by_role("button", name="+ grade 3").click()
        settle(page)
        expected = rw.score([2, 2, 1, 1, 0], "nDCG(gain=exp2)@3", missing=[3])
        assert values(page)["nDCG(gain=exp2)@3"] == f"{expected:.4f}"


def test_rankings_are_added_duplicated_and_removed(browser: Browser, playground: str) -> None:
    with page_of(browser, playground) as page:
        page.get_by_role("button", name="Duplicate").click()
        expect(page.locator(".system")).to_have_count(2)
        page.get_by_role("button", name="+ new ranking").click()
        expect(page.locator(".system")).to_have_count(3)
        expect(page.locator(".card").first.locator("b")).to_have_text(["1.0000", "1.0000", "0.0000"])
        page.get_by_label("Add a known document").select_option("d1")
        expect(page.locator(".card").first.locator("b").nth(2)).to_have_text("0.5563")
        page.get_by_role("button", name="Remove", exact=True).first.click()
        expect(page.locator(".system")).to_have_count(2)


def test_each_profile_says_why_it_gives_another_value(browser: Browser, playground: str) -> None:
    with page_of(browser, playground) as page:
        page.get_by_label("Example").select_option(label="3. Make the ideal ranking of what came back")
        page.get_by_role("button", name="Conventions").click()
        rows = page.get_by_role("table", name="The ranking under every profile").get_by_role("row")
        values = rows.evaluate_all(
            "all => all.slice(1).map(row => [...row.cells].slice(1).map(cell => cell.innerText).join())"
        )
        assert len(values) == len(set(values))
        row = rows.filter(has_text="mlflow-3.17")
        row.get_by_role("button").first.click()
        page.get_by_label("Profile", exact=True).select_option("mlflow-3.17")
        why = page.get_by_role("region", name="Why the value differs")
        expect(why).to_contain_text("nDCG@10 by mlflow-3.17: 0.7039, here 0.5087")
        expect(why).to_contain_text("ideal=returned")
        expect(why).to_contain_text("alone it gives 0.7039")


def test_what_would_raise_the_value_most_is_done_by_a_button(browser: Browser, playground: str) -> None:
    with page_of(browser, playground) as page:
        page.get_by_label("Example").select_option(label="Mixed results")
        page.get_by_text("What would each single change do?").click()
        table = page.get_by_role("table", name="Moves that raise nDCG(gain=exp2)@3 most")
        first = table.get_by_role("row").nth(1)
        gain = rw.score([2, 1, 0, 1, 0], "nDCG(gain=exp2)@3") - rw.score([0, 1, 1, 0, 2], "nDCG(gain=exp2)@3")
        assert gain > 0
        expect(first).to_contain_text("d3")
        first.get_by_role("button", name="Do it").click()
        expect(page.locator(".row").nth(0)).to_have_attribute("data-key", "row-0-d3")


BARRIERS = {
    "light": "axe.run({resultTypes: ['violations']})",
    "dark": "axe.run({runOnly: ['color-contrast', 'link-in-text-block'], resultTypes: ['violations']})",
}
"""all rules; in the dark those about colours, since nothing else differs"""


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_no_barrier_is_found(browser: Browser, playground: str, runs: str, scheme: str) -> None:
    script = (Path(axe.__file__).parent / "axe.min.js").read_text("utf-8")
    for address in (playground, runs):
        with page_of(browser, address, color_scheme=scheme, bypass_csp=True) as page:
            for view in page.locator("nav button").all_inner_texts():
                page.get_by_role("button", name=view, exact=True).click()
                settle(page)
                page.evaluate(script)
                found = page.evaluate(BARRIERS[scheme])["violations"]
                assert [(one["id"], one["nodes"][0]["html"]) for one in found] == [], (view, scheme)


def test_a_narrow_page_needs_no_scrolling_sideways(browser: Browser, playground: str, runs: str) -> None:
    for address in (playground, runs):
        with page_of(browser, address, viewport={"width": 320, "height": 700}) as page:
            for view in page.locator("nav button").all_inner_texts():
                page.get_by_role("button", name=view, exact=True).click()
                settle(page)
                width = page.evaluate("document.documentElement.scrollWidth")
                assert width <= 320, view
                assert page.evaluate(OVERFLOWING) == [], view


OVERFLOWING = """[...document.querySelectorAll('header, header nav, .bar, .document, .sum, .query')].filter(
    (each) => each.scrollWidth > each.clientWidth || (!each.matches('.query') && each.scrollHeight > each.clientHeight)
).map((each) => each.outerHTML)"""
"""What does not fit into its place."""


def test_values_stay_in_sight_on_a_phone_and_charts_are_saved(browser: Browser, playground: str) -> None:
    page = browser.new_page(viewport={"width": 375, "height": 812})
    page.goto(playground)
    card = page.locator(".values .card").first
    expect(card).to_be_in_viewport()
    page.locator(".row").nth(2).scroll_into_view_if_needed()
    expect(card).to_be_in_viewport()
    buttons = page.locator(".charts").get_by_role("button", name="Save as SVG")
    expect(buttons).to_have_count(2)
    with page.expect_download() as download:
        buttons.first.click()
    assert download.value.suggested_filename.endswith(".svg")
    page.close()


def test_targets_are_large_enough(browser: Browser, playground: str) -> None:
    with page_of(browser, playground) as page:
        targets = page.locator("button:visible, select:visible, input:visible")
        boxes = targets.evaluate_all("all => all.map(one => one.getBoundingClientRect().toJSON())")
        assert boxes
        assert all(box["width"] >= 28 and box["height"] >= 28 for box in boxes)


def test_a_query_is_looked_at_judged_and_opened_in_the_playground(browser: Browser, runs: str) -> None:
    with page_of(browser, runs) as page:
        page.get_by_placeholder("id or text").fill("en01")
        expect(page.locator(".query")).to_have_count(1)
        page.locator(".query").click()
        expect(page.locator(".detail .facts-line")).to_contain_text("en01")
        unjudged = page.locator(".document", has=page.locator(".grade-none")).first
        name = unjudged.get_attribute("data-key").split("-", 2)[2]
        unjudged.focus()
        page.keyboard.press("2")
        expect(page.get_by_role("status")).to_contain_text(f"{name}: grade 2; 1 new grades, saved in")
        page.get_by_role("button", name="Try in the playground").click()
        page.wait_for_selector(".row")
        collection = rw.demo()
        qrels = collection.qrels.to_dict()
        qrels["en01"][name] = 2
        runs = {name: collection.runs[name] for name in ("dense", "bm25")}
        expected = [rw.evaluate(qrels, run, ["nDCG@10"], queries=["en01"])["nDCG@10"] for run in runs.values()]
        settle(page)
        shown = page.locator(".card").first.locator("b").all_inner_texts()
        assert shown == [f"{value:.4f}" for value in expected]


def test_documents_are_judged_one_after_the_other_by_keys_most_useful_first(browser: Browser, runs: str) -> None:
    with page_of(browser, runs) as page:
        page.get_by_role("button", name="Judge next").click()
        tasks = page.locator(".next .task")
        expect(tasks).to_have_count(50)
        expect(tasks.first).to_be_focused()
        decided = page.locator(".next .facts-line")
        expect(decided).to_contain_text("dense ranks better than bm25")
        before = decided.inner_text()
        first = tasks.first.get_attribute("data-document")
        page.keyboard.press("3")
        expect(page.locator("#status")).to_contain_text(f"{first}: grade 3; ")
        expect(tasks.nth(1)).to_be_focused()
        expect(tasks.first).to_have_class("task done")
        expect(decided).not_to_have_text(before)
        page.keyboard.press("ArrowUp")
        page.keyboard.press("?")
        expect(page.locator("#status")).to_contain_text(f"{first}: grade taken back; ")
        expect(tasks.first).to_have_class("task")
        tasks.nth(1).get_by_role("button", name="Grade 0 for").click()
        expect(tasks.nth(1)).to_have_class("task done")
        page.get_by_role("button", name="List again").click()
        expect(tasks.first).to_be_focused()
        page.locator(".query").first.click()
        expect(page.locator(".detail .pair")).to_be_visible()
        expect(tasks).to_have_count(0)


FOCUSED = "document.activeElement.dataset.key ?? document.activeElement.id"


@pytest.mark.parametrize(
    ("example", "button", "key"),
    [
        ("Mixed ranking", "Duplicate", "name-1"),
        ("Mixed ranking", "Sort ideally", "sort-0"),
        ("All four side by side", "Remove", "name-0"),
        ("7. Leave out what was not answered", "Remove a", "chip-b"),
        ("Mixed results", "Do it: d3 to rank 1", "row-0-d3"),
        ("Mixed results", "Take d2 out of the ranking", "row-0-d4"),
        ("Mixed results", "Start again", "again"),
    ],
)
def test_the_focus_follows_each_button(browser: Browser, playground: str, example: str, button: str, key: str) -> None:
    with page_of(browser, playground) as page:
        page.get_by_label("Example").select_option(label=example)
        settle(page)
        page.get_by_role("button", name=button, exact=True).first.focus()
        page.keyboard.press("Enter")
        settle(page)
        assert page.evaluate(FOCUSED) == key


def test_the_last_document_leaves_the_focus_where_one_is_added(browser: Browser, playground: str) -> None:
    with page_of(browser, playground, refused=1) as page:
        page.locator(".row").first.focus()
        for _ in range(5):
            page.keyboard.press("Delete")
            settle(page)
        assert page.evaluate(FOCUSED) == "add-0"
        assert set(values(page).values()) == {"0.0000"}
        expect(page.locator(".notes .note")).to_have_count(0)
        more(page)
        page.get_by_role("button", name="As Python").click()
        expect(page.get_by_role("status")).to_contain_text("a ranking without documents")


def test_what_concerns_a_ranking_follows_the_focus(browser: Browser, playground: str) -> None:
    with page_of(browser, playground) as page:
        page.get_by_label("Example").select_option(label="All four side by side")
        settle(page)
        arithmetic = page.locator(".steps .arithmetic")
        expect(arithmetic).to_have_text("nDCG(gain=exp2)@3 = 5.3928 / 5.3928 = 1")
        page.locator(".system").nth(1).locator(".row").first.focus()
        expect(arithmetic).to_contain_text("= 0.2097")
        expect(page.locator(".system.active input")).to_have_value("Worst")
        expect(page.locator(".row.selected")).to_have_count(1)
        settle(page)
        expect(page.locator(".best li").first).to_contain_text("to 1")


def test_differences_are_from_the_last_change_of_the_same_ranking(browser: Browser, playground: str) -> None:
    with page_of(browser, playground) as page:
        page.get_by_label("Example").select_option(label="Worst ranking")
        settle(page)
        expect(page.locator(".card .change")).to_have_count(0)
        page.get_by_role("button", name="Sort ideally").click()
        expect(page.locator(".card .change").first).to_have_text("▲ +0.7903")
        page.locator(".card button").nth(1).click()
        settle(page)
        expect(page.locator(".card .change").first).to_have_text("▲ +0.7903")
        page.get_by_role("button", name="Start again").click()
        settle(page)
        expect(page.locator(".card .change")).to_have_count(0)


def test_tied_documents_share_their_ranks_on_the_page(browser: Browser, playground: str) -> None:
    with page_of(browser, playground) as page:
        page.get_by_label("Example").select_option(label="6. Let names decide")
        settle(page)
        expect(page.locator(".row .rank")).to_have_text(["1–3", "1–3", "1–3"])


@pytest.mark.parametrize(
    ("label", "typed", "status", "kept"),
    [
        ("Cutoff k", "-3", "Cutoff 1", "1"),
        ("Cutoff k", "1000000000000", "Cutoff 1000", "1000"),
        ("Measures", " , ", "Measures changed", "nDCG RR(rel=2) AP"),
        ("Measures", "AP,P(rel=2),F(beta=2, rel=1)", "Measures changed", "AP P(rel=2) F(beta=2, rel=1)"),
        ("Relevant from", "0", "Relevant from grade 0", "0"),
    ],
)
def test_odd_entries_are_understood(
    browser: Browser, playground: str, label: str, typed: str, status: str, kept: str
) -> None:
    with page_of(browser, playground) as page:
        more(page)
        field = page.get_by_label(label, exact=True)
        field.fill(typed)
        field.press("Tab")
        expect(page.get_by_role("status")).to_have_text(status)
        expect(field).to_have_value(kept)
        settle(page)
        expect(page.locator(".card").first).to_be_visible()


def test_two_rankings_never_have_one_name(browser: Browser, playground: str) -> None:
    with page_of(browser, playground) as page:
        page.get_by_label("Example").select_option(label="All four side by side")
        settle(page)
        name = page.get_by_label("Name of the ranking").first
        name.fill("Worst")
        name.press("Tab")
        expect(page.get_by_role("status")).to_contain_text("Worst is not possible")
        expect(name).to_have_value("Perfect")


def test_the_skip_link_keeps_the_state(browser: Browser, playground: str) -> None:
    with page_of(browser, playground) as page:
        link = page.url
        page.keyboard.press("Tab")
        page.keyboard.press("Enter")
        assert page.evaluate(FOCUSED) == "main"
        assert page.url == link


DOCUMENT = {"id": "a", "grade": 1, "text": ""}
RANKING = {"name": "A", "documents": ["a"], "scores": None}


@pytest.mark.parametrize(
    "state",
    [
        [],
        {"documents": [], "rankings": []},
        {"documents": [{"id": 1}], "rankings": [RANKING]},
        {"documents": [DOCUMENT], "rankings": [{"name": "A", "documents": ["b"]}]},
        {"documents": [DOCUMENT], "rankings": [RANKING], "measures": "AP"},
        {"documents": [DOCUMENT], "rankings": [RANKING], "settings": 1},
        {"documents": [DOCUMENT], "rankings": [RANKING], "cutoff": {}},
        {"documents": [DOCUMENT], "rankings": [{**RANKING, "scores": ["x"]}]},
    ],
    ids=str,
)
def test_a_link_that_holds_no_ranking_is_said_and_the_page_stays(
    browser: Browser, playground: str, state: object
) -> None:
    with page_of(browser, playground) as page:
        link = page.evaluate(f"import('/page/state.js').then((state) => state.encoded({json.dumps(state)}))")
        page.evaluate(f"location.hash = '{link}'")
        expect(page.get_by_role("status")).to_have_text("The link does not hold a ranking.")
        assert order(page) == ["d1", "d2", "d3", "d4", "d5"]


def test_an_address_that_holds_no_ranking_is_announced(browser: Browser, playground: str) -> None:
    with page_of(browser, playground) as page:
        page.goto("about:blank")
        page.goto(f"{playground.partition('?')[0]}#nonsense")
        expect(page.get_by_role("status")).to_have_text("The link does not hold a ranking.")
        assert order(page) == ["d1", "d2", "d3", "d4", "d5"]


def test_all_that_a_change_would_do_is_shown_and_a_count_has_none(browser: Browser, playground: str) -> None:
    with page_of(browser, playground) as page:
        page.get_by_text("What would each single change do?").click()
        page.locator(".row").first.focus()
        settle(page)
        for name in ("Neighbours exchanged", "d1 at every rank", "d1 with every grade", "Values at every cutoff"):
            expect(page.get_by_role("table", name=name)).to_be_visible()
        expect(page.get_by_role("table", name="Values at every cutoff").get_by_role("row").nth(3)).to_contain_text(
            values(page)["AP@3"]
        )
        field = page.get_by_label("Measures", exact=True)
        field.fill("num_ret AP")
        field.press("Tab")
        settle(page)
        assert values(page)["num_ret"] == "5.0000"
        expect(page.get_by_role("table", name="Neighbours exchanged")).to_have_count(0)


def test_a_link_with_what_is_wrong_for_the_library_shows_why_and_is_undone(browser: Browser, playground: str) -> None:
    state = {"documents": [DOCUMENT], "rankings": [RANKING], "measures": ["nonsense"], "lead": 7, "example": 99}
    with page_of(browser, playground, refused=1) as page:
        link = page.evaluate(f"import('/page/state.js').then((state) => state.encoded({json.dumps(state)}))")
        page.evaluate(f"location.hash = '{link}'")
        expect(page.get_by_role("alert")).to_contain_text("nonsense")
        page.get_by_role("button", name="Undo").click()
        expect(page.get_by_role("alert")).to_have_text("")


def chosen(page: Page, query: str) -> None:
    """Choose a query by its id."""
    page.get_by_placeholder("id or text").fill(query)
    expect(page.locator(".query")).to_have_count(1)
    page.locator(".query").click()
    expect(page.locator(".detail .facts-line")).to_contain_text(query)


def test_the_query_follows_the_run_and_the_measure(browser: Browser, runs: str) -> None:
    with page_of(browser, runs) as page:
        chosen(page, "en08")
        page.get_by_label("Measure").select_option("AP")
        expect(page.locator(".sum span[title=AP]")).to_have_count(2)
        page.locator("[data-key=run]").select_option("bm25")
        expect(page.locator(".sum")).to_have_count(1)
        expect(page.get_by_label("Compared with")).to_have_value("")
        expect(page.get_by_label("Order")).to_have_value("worst")
        page.get_by_role("button", name="Playground", exact=True).click()
        settle(page)
        before = values(page)
        page.get_by_role("button", name="Queries", exact=True).click()
        expect(page.locator(".detail .facts-line")).to_contain_text("en08")
        page.keyboard.press("Control+z")
        page.get_by_role("button", name="Playground", exact=True).click()
        assert values(page) == before


def test_a_query_shows_what_would_raise_its_value_most(browser: Browser, runs: str) -> None:
    with page_of(browser, runs) as page:
        chosen(page, "en08")
        settle(page)
        expect(page.get_by_role("heading", name="What would raise dense most")).to_be_visible()
        moves = page.locator(".proposals li")
        expect(moves).to_have_count(3)
        collection = rw.demo()
        before = rw.evaluate(collection.qrels, collection.runs["dense"], ["nDCG@10"], queries=["en08"])["nDCG@10"]
        gains = []
        for move in moves.all():
            document = move.locator("bdi").inner_text()
            data = {"qrels": collection.qrels, "run": collection.runs["dense"], "query": "en08"}
            best = max(row["value"] for row in rw.vary(measures="nDCG@10", **data, document=document).rows)
            expect(move).to_contain_text(f"{before:.4f} → {best:.4f}+{best - before:.4f}")
            gains.append(best - before)
        assert gains == sorted(gains, reverse=True)


def test_a_list_without_queries_says_so(browser: Browser, runs: str) -> None:
    with page_of(browser, runs) as page:
        page.get_by_placeholder("id or text").fill("there is no such text")
        expect(page.locator(".queries")).to_contain_text("No query fits.")
        page.locator(".queries").focus()
        page.keyboard.press("ArrowDown")
        settle(page)
        expect(page.get_by_role("status")).to_have_text("No query fits")
        page.get_by_role("button", name="Show all queries").click()
        expect(page.locator(".query").first).to_be_visible()
        assert page.evaluate(FOCUSED) == "filter"


def test_a_grade_changes_the_row_of_its_query_and_the_means(browser: Browser, runs: str) -> None:
    with page_of(browser, runs) as page:
        chosen(page, "en10")
        name = page.locator(".document", has=page.locator(".grade-3")).first.get_attribute("data-key")
        page.get_by_placeholder("id or text").fill("")
        page.get_by_label("Order").select_option("id")
        settle(page)
        means = page.locator(".means > span").inner_text()
        other = page.locator(".query").first.inner_text()
        page.locator(f"[data-key='{name}']").focus()
        page.keyboard.press("0")
        settle(page)
        assert page.locator(".query").first.inner_text() == other
        assert page.locator(".means > span").inner_text() != means
        page.keyboard.press("?")
        settle(page)
        expect(page.locator(".means > span")).to_have_text(means)


def test_data_health_opens_what_check_finds(browser: Browser, runs: str) -> None:
    with page_of(browser, runs) as page:
        settle(page)
        summary = page.locator(".health summary")
        expect(summary).to_contain_text("Data health: no errors, ")
        expect(page.locator(".health p").first).to_be_hidden()
        summary.click()
        expect(page.locator(".health p").first).to_be_visible()


def test_a_whole_ranking_goes_to_the_playground(browser: Browser, runs: str) -> None:
    with page_of(browser, runs) as page:
        chosen(page, "en08")
        page.get_by_label("Measure").select_option("AP")
        settle(page)
        shown = page.locator(".sum").nth(1).inner_text().split()[1]
        page.get_by_role("button", name="Try in the playground").click()
        page.wait_for_selector(".row")
        assert values(page)["AP"] == shown
        assert page.evaluate(FOCUSED) == "main"
        page.get_by_role("button", name="Show 100 of 100 ranks").click()
        expect(page.locator(".system").first.locator(".row")).to_have_count(100)


@pytest.mark.parametrize("scores", [[1, 1, 1, 1], [2, 2, 1, 1], [3, 1, 1, 1], [4, 3, 2, 1]], ids=str)
def test_a_move_does_what_it_promises_among_ties(browser: Browser, playground: str, scores: list[int]) -> None:
    grades = {"x": 0, "y": 0, "c": 2, "d": 1}
    state = {
        "documents": [{"id": name, "grade": grade, "text": ""} for name, grade in grades.items()],
        "rankings": [{"name": "A", "documents": [*grades], "scores": scores}],
        "measures": ["nDCG"],
    }
    with page_of(browser, playground) as page:
        link = page.evaluate(f"import('/page/state.js').then((state) => state.encoded({json.dumps(state)}))")
        page.evaluate(f"location.hash = '{link}'")
        expect(page.locator(".best li").first).to_be_visible()
        for _ in range(2):
            settle(page)
            promised = page.locator(".best li .values").first.inner_text().split()[-1]
            page.locator(".best button").first.click()
            settle(page)
            assert values(page) == {"nDCG": promised}


def test_an_edit_is_not_lost_by_a_move_that_follows_at_once(browser: Browser, playground: str) -> None:
    with page_of(browser, playground) as page:
        page.get_by_label("Example").select_option(label="Mixed results")
        settle(page)
        page.evaluate("""() => {
            document.querySelector('.row').dispatchEvent(new KeyboardEvent('keydown', {key: '9'}));
            document.querySelector('.best button')?.click();
        }""")
        settle(page)
        expect(page.locator("[data-key=grade-0-d2]")).to_have_value("9")


def test_a_document_is_judged_without_keys(browser: Browser, runs: str) -> None:
    with page_of(browser, runs, has_touch=True) as page:
        chosen(page, "en13")
        boxes = [each.bounding_box() for each in page.locator(".document select").all()]
        assert boxes
        assert all(box and box["width"] >= 28 and box["height"] >= 28 for box in boxes)
        row = page.locator(".document", has=page.locator(".grade-none")).first
        name = row.get_attribute("data-key").split("-", 2)[2]
        grade = page.get_by_label(f"Grade of {name}", exact=True).first
        assert grade.locator("option").first.inner_text() == "?"
        grade.select_option("3")
        expect(page.get_by_role("status")).to_contain_text(f"{name}: grade 3")
        settle(page)
        expect(grade).to_have_value("3")
        grade.select_option("take back")
        expect(page.get_by_role("status")).to_contain_text(f"{name}: grade taken back")
        settle(page)
        expect(grade).to_have_value("")


def test_long_texts_are_one_line_until_they_are_opened(browser: Browser, runs: str) -> None:
    with page_of(browser, runs) as page:
        chosen(page, "en14")
        title = page.locator(".detail h2")
        assert title.bounding_box()["height"] < 120  # type: ignore[index]
        page.locator(".detail > .heading summary").click()
        expect(page.locator(".detail > .heading details")).to_contain_text(LONG["en14"].strip())
        chosen(page, "en01")
        [row] = page.locator(".document", has=page.get_by_text(TITLES["d5"][:50])).all()[:1]
        assert row.bounding_box()["height"] < 80  # type: ignore[index]
        row.locator("summary").focus()
        page.keyboard.press("Enter")
        expect(row.get_by_text(TITLES["d5"], exact=True)).to_be_visible()
        row.focus()
        page.keyboard.press("2")
        expect(page.get_by_role("status")).to_contain_text("grade 2")
        settle(page)
        expect(row.get_by_text(TITLES["d5"], exact=True)).to_be_visible()
        assert page.evaluate(UNEVEN) == []
        page.keyboard.press("?")
        settle(page)


UNEVEN = """(() => {
    const box = (node) => node.getBoundingClientRect();
    const middles = [...document.querySelectorAll('.documents > *')].map((row) => (box(row).top + box(row).bottom) / 2);
    const ends = [...document.querySelectorAll('.slope')].flatMap((line) => [box(line).top, box(line).bottom]);
    return ends.filter((end) => !middles.some((middle) => Math.abs(middle - end) < 2));
})()"""
"""The ends of lines between rankings that stand beside no row."""


def test_grades_that_are_typed_fast_go_to_their_documents(browser: Browser, runs: str) -> None:
    with page_of(browser, runs) as page:
        chosen(page, "en12")
        rows = page.locator(".side").first.locator(".document")
        rows.first.focus()
        for key in ("1", "ArrowDown", "2", "ArrowDown", "3", "ArrowDown"):
            page.keyboard.press(key)
            page.wait_for_timeout(60)
        settle(page)
        expect(rows.locator("select").nth(0)).to_have_value("1")
        expect(rows.locator("select").nth(1)).to_have_value("2")
        expect(rows.locator("select").nth(2)).to_have_value("3")
        expect(rows.nth(3)).to_be_focused()


def test_the_playground_explains_the_run_and_the_measure_that_were_looked_at(browser: Browser, runs: str) -> None:
    with page_of(browser, runs) as page:
        chosen(page, "en08")
        page.get_by_label("Measure").select_option("AP")
        settle(page)
        page.get_by_role("button", name="Try in the playground").click()
        page.wait_for_selector(".best h3")
        settle(page)
        expect(page.locator(".best h3")).to_have_text("What would raise AP most")
        expect(page.locator(".system.active input")).to_have_value("dense")


def test_what_is_chosen_is_seen_in_forced_colours(browser: Browser, playground: str, runs: str) -> None:
    with page_of(browser, playground, forced_colors="active") as page:
        page.locator(".row").first.focus()
        for name in (".row.selected", ".card.lead", "nav button[aria-current]"):
            assert page.locator(name).evaluate("one => getComputedStyle(one).outlineStyle") == "solid", name
    with page_of(browser, runs, forced_colors="active") as page:
        chosen(page, "en08")
        strokes = page.locator(".slope").evaluate_all("all => all.map(one => getComputedStyle(one).stroke)")
        assert {*strokes} == {page.evaluate("getComputedStyle(document.querySelector('h1')).color")}


def test_text_stands_in_its_own_direction_and_is_never_markup(browser: Browser, playground: str) -> None:
    documents = [{"id": name, "grade": 1, "text": text} for name, text in TITLES.items()]
    state = {
        "documents": documents,
        "rankings": [{"name": "A", "documents": [*TITLES], "scores": None}],
        "measures": ["AP"],
    }
    with page_of(browser, playground) as page:
        link = page.evaluate(f"import('/page/state.js').then((state) => state.encoded({json.dumps(state)}))")
        page.evaluate(f"location.hash = '{link}'")
        titles = page.locator(".row .clip[title]")
        expect(titles).to_have_count(5)
        directions = titles.evaluate_all("all => all.map(one => getComputedStyle(one).direction)")
        assert directions == ["rtl", "rtl", "ltr", "ltr", "ltr"]
        assert page.locator(".row img").count() == 0
        assert titles.nth(3).inner_text() == TITLES["d4"]


CUT = """[...document.querySelectorAll('body *')].filter((each) => each.textContent && !each.hasAttribute('dir')
    && getComputedStyle(each).textOverflow === 'ellipsis').map((each) => each.outerHTML)"""
"""What is cut with an ellipsis without a direction of its own, so that it may be cut where it begins."""


def test_what_is_cut_is_cut_where_it_ends(browser: Browser, runs: str) -> None:
    with page_of(browser, runs) as page:
        chosen(page, "ar01")
        settle(page)
        assert page.evaluate(CUT) == []
        text = page.locator(".query .clip")
        assert text.evaluate("one => getComputedStyle(one).direction") == "rtl"
        page.get_by_role("button", name="Try in the playground").click()
        page.wait_for_selector(".row")
        settle(page)
        assert page.evaluate(CUT) == []


@pytest.mark.parametrize("width", [320, 360])
def test_on_a_narrow_page_queries_have_lines_of_their_own(browser: Browser, runs: str, width: int) -> None:
    with page_of(browser, runs, viewport={"width": width, "height": 700}) as page:
        [text, value] = [page.locator(f".query {part}").first.bounding_box() for part in (".clip", ".number")]
        assert text
        assert value
        assert text["width"] > width - 60
        assert text["y"] + text["height"] <= value["y"] + 1


@pytest.mark.parametrize(
    "denied",
    [
        "navigator.clipboard.writeText = () => Promise.reject(new Error('denied'));",
        "Object.defineProperty(navigator, 'clipboard', {value: undefined});",
    ],
    ids=["not permitted", "no clipboard"],
)
def test_what_may_not_be_copied_is_shown_to_be_copied(browser: Browser, playground: str, denied: str) -> None:
    with page_of(browser, playground) as page:
        page.evaluate(f"() => {{ {denied} }}")
        more(page)
        page.get_by_role("button", name="As Python").click()
        dialog = page.get_by_role("dialog")
        expect(dialog).to_contain_text("the browser does not let the page copy it")
        shown = dialog.get_by_label("Python", exact=True).input_value()
        assert shown.startswith("import rankworth as rw")
        assert page.evaluate("getSelection().toString()") == shown
        page.keyboard.press("Escape")
        expect(dialog).to_have_count(0)
        more(page)
        page.get_by_role("button", name="Copy link").click()
        expect(dialog.get_by_label("Link", exact=True)).to_have_value(re.compile("^http://127.0.0.1:"))


PIECES = {"handbook.md": "<b>Shoes</b> can be returned 🍷 within 30 days.", "arabic.md": "الشحن مجاني فوق خمسين يورو."}


@pytest.fixture(scope="module")
def pieces() -> Iterator[str]:
    """A server with pieces of two texts, beside gold that overlaps itself."""
    at = {name: text.index for name, text in PIECES.items()}
    end = at["handbook.md"]("🍷") + 1
    gold = {
        "q1": [("handbook.md", 0, at["handbook.md"](" can")), ("handbook.md", 3, end)],
        "q2": [("arabic.md", at["arabic.md"]("فوق"), at["arabic.md"]("."))],
    }
    run = {query: [(name, 0, len(text)) for name, text in PIECES.items()] for query in gold}
    qrels, small = rw.Qrels(gold, sources=PIECES), rw.Run(run, "small", sources=PIECES)
    with served(Inspector(qrels, {"small": small}, ["SpanR@2"], {"rel": None, "profile": "standard-1"})) as address:
        yield address


@pytest.mark.parametrize("width", [1100, 375])
def test_gold_is_marked_in_pieces_whose_text_is_no_markup(browser: Browser, pieces: str, width: int) -> None:
    with page_of(browser, pieces, viewport={"width": width, "height": 800}) as page:
        expect(page.locator("h2")).to_have_text("q1")
        first = page.locator(".document").first
        first.locator("summary").click()
        whole = first.locator("div[dir=auto]")
        expect(whole).to_have_text(PIECES["handbook.md"])
        expect(whole.locator("mark")).to_have_text(["<b>Shoes</b> can be returned 🍷"])  # its four marks are one
        expect(whole.locator("b")).to_have_count(0)
        style = "(mark) => getComputedStyle(mark).textDecorationLine"
        assert whole.locator("mark").evaluate(style) == "underline"
        expect(page.locator(".document").nth(1).locator("mark")).to_have_count(0)
        page.locator(".query").nth(1).click()
        page.locator(".document").nth(1).locator("summary").click()
        whole = page.locator(".document").nth(1).locator("div[dir=auto]")
        expect(whole.locator("mark")).to_have_text(["فوق خمسين يورو"])
        assert whole.evaluate("(text) => getComputedStyle(text).direction") == "rtl"
        expect(page.locator(".advice")).to_have_count(0)  # pieces are not moved
        wide = "document.documentElement.scrollWidth - document.documentElement.clientWidth"
        assert page.evaluate(wide) == 0


@pytest.mark.parametrize("scheme", BARRIERS)
def test_no_barrier_is_found_in_pieces(browser: Browser, pieces: str, scheme: str) -> None:
    script = (Path(axe.__file__).parent / "axe.min.js").read_text("utf-8")
    with page_of(browser, pieces, color_scheme=scheme, bypass_csp=True) as page:
        page.locator(".document summary").first.click()
        page.evaluate(script)
        found = page.evaluate(BARRIERS[scheme])["violations"]
        assert [(one["id"], one["nodes"][0]["html"]) for one in found] == []
