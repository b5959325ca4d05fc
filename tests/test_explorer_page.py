"""The explorer in a real browser: dragging, keys, links, grades, profiles, directions of text, barriers, requests."""

import json
import shutil
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
import uvicorn
from axe_core_python import base as axe
from playwright.sync_api import Browser, Page, expect, sync_playwright

import rankworth as rw
from rankworth.explorer import server
from rankworth.explorer.inspector import Inspector
from rankworth.io import metadata

TOKEN = "token"  # noqa: S105 - of a server in the test
TITLES = {
    "d1": "أثر الكحول على الكبد",
    "d2": "כבד ואלכוהול: מדריך למטופל",
    "d3": "肝脏与酒精 🍷",
    "d4": "<img src=x onerror=alert(1)>",
    "d5": "x" * 10_000,
}


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """Debian's chromium, which scripts/test installs."""
    path = shutil.which("chromium")
    assert path, "there is no chromium; on Debian: apt-get install chromium"
    with sync_playwright() as playwright:
        started = playwright.chromium.launch(executable_path=path, args=["--no-sandbox"])
        yield started
        started.close()


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
    texts = metadata.queries({query.id: query.text for query in collection.queries.values()})
    two = {name: rw.Run(collection.runs[name], name) for name in ("bm25", "dense")}
    docs = dict(zip(sorted(collection.qrels.to_dict()["en01"]), TITLES.values(), strict=False))
    saved = tmp_path_factory.mktemp("explorer") / "judged.txt"
    options = {"rel": None, "profile": "standard-1"}
    inspector = Inspector(rw.Qrels(collection.qrels), two, ["nDCG@10", "AP"], options, texts, docs, str(saved))
    with served(inspector) as address:
        yield address


@contextmanager
def page_of(browser: Browser, address: str, **options: object) -> Iterator[Page]:
    """A page, whose errors and whose requests to elsewhere fail the test."""
    context = browser.new_context(**options)  # type: ignore[arg-type]
    page = context.new_page()
    wrong: list[str] = []
    page.on("pageerror", lambda error: wrong.append(str(error)))
    page.on("console", lambda message: wrong.append(message.text) if message.type == "error" else None)
    origin = address.partition("/?")[0]
    page.on("request", lambda request: None if request.url.startswith((origin, "data:")) else wrong.append(request.url))
    page.goto(address)
    page.wait_for_selector(".row, .query")
    settle(page)
    yield page
    context.close()
    assert not wrong


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
        page.get_by_role("button", name="nDCG@10 by mlflow-3.17: 0.7039; why?").click()
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


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_no_barrier_is_found(browser: Browser, playground: str, runs: str, scheme: str) -> None:
    script = (Path(axe.__file__).parent / "axe.min.js").read_text("utf-8")
    for address in (playground, runs):
        with page_of(browser, address, color_scheme=scheme, bypass_csp=True) as page:
            for view in page.locator("nav button").all_inner_texts():
                page.get_by_role("button", name=view, exact=True).click()
                settle(page)
                page.evaluate(script)
                found = page.evaluate("axe.run()")["violations"]
                assert [(one["id"], one["nodes"][0]["html"]) for one in found] == [], (view, scheme)


def test_a_narrow_page_needs_no_scrolling_sideways(browser: Browser, playground: str, runs: str) -> None:
    for address in (playground, runs):
        with page_of(browser, address, viewport={"width": 320, "height": 700}) as page:
            for view in page.locator("nav button").all_inner_texts():
                page.get_by_role("button", name=view, exact=True).click()
                settle(page)
                width = page.evaluate("document.documentElement.scrollWidth")
                assert width <= 320, view


def test_targets_are_large_enough(browser: Browser, playground: str) -> None:
    with page_of(browser, playground) as page:
        boxes = [one.bounding_box() for one in page.locator("button:visible, select:visible, input:visible").all()]
        assert boxes
        assert all(box and box["width"] >= 28 and box["height"] >= 28 for box in boxes)


def test_a_query_is_looked_at_judged_and_opened_in_the_playground(browser: Browser, runs: str) -> None:
    with page_of(browser, runs) as page:
        page.get_by_placeholder("id or text").fill("en01")
        expect(page.locator(".query")).to_have_count(1)
        page.locator(".query").click()
        expect(page.locator(".detail h2")).to_contain_text("en01")
        unjudged = page.locator(".document", has=page.locator(".grade-none")).first
        name = unjudged.get_attribute("data-key").split("-", 2)[2]
        unjudged.focus()
        page.keyboard.press("2")
        expect(page.get_by_role("status")).to_contain_text(f"{name}: grade 2; 1 new grades, saved in")
        page.get_by_role("button", name="Open in the playground").click()
        page.wait_for_selector(".row")
        collection = rw.demo()
        qrels = collection.qrels.to_dict()
        qrels["en01"][name] = 2
        runs = {name: collection.runs[name] for name in ("bm25", "dense")}
        expected = [rw.evaluate(qrels, run, ["nDCG@10"], queries=["en01"])["nDCG@10"] for run in runs.values()]
        settle(page)
        shown = page.locator(".card").first.locator("b").all_inner_texts()
        assert shown == [f"{value:.4f}" for value in expected]


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
        expect(page.locator(".row .clip")).to_have_count(5)
        directions = page.locator(".row .clip").evaluate_all("all => all.map(one => getComputedStyle(one).direction)")
        assert directions == ["rtl", "rtl", "ltr", "ltr", "ltr"]
        assert page.locator(".row img").count() == 0
        assert page.locator(".row .clip").nth(3).inner_text() == TITLES["d4"]
