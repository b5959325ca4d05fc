"""The site: its home page, its groups of pages, its design; `scripts/docs` looks at its pages in a browser."""

import re
import shlex
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
from playwright.sync_api import Browser

import page_of_design
import site_checks
import site_texts

ROOT = Path(__file__).parent.parent
DOCS = ROOT / "docs"
DOOR = re.compile(r"^### \[(.+?)\]\((.+?)\)\n(.*?)(?=^##|\Z)", re.DOTALL | re.MULTILINE)
COMMAND = re.compile(r"^```(sh|python)\n(.*?)^```$", re.DOTALL | re.MULTILINE)


def doors() -> dict[str, tuple[str, str]]:
    """Return the page and the text of each door of the home page."""
    text = (DOCS / "index.md").read_text().partition("## What do you evaluate?")[2].partition("\n## ")[0]
    return {title: (page, body) for title, page, body in DOOR.findall(text)}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Give a folder in which the first line of the home page has run."""
    folder = tmp_path_factory.mktemp("doors")
    first = COMMAND.findall((DOCS / "index.md").read_text())[0]
    assert first == ("sh", "pip install . && rankworth demo\n")
    run(folder, "rankworth demo")
    return folder


def run(folder: Path, command: str, *, python: bool = False) -> str:
    """Run a command or a program, and return what it prints."""
    line = [sys.executable, *(["-c", command] if python else ["-m", *shlex.split(command)])]
    done = subprocess.run(line, cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert "Warning" not in done.stderr
    return done.stdout


@pytest.mark.parametrize("door", [title for title in doors() if title != "For students"])
def test_the_first_command_of_each_door_works_when_pasted(door: str, folder: Path) -> None:
    page, text = doors()[door]
    assert (DOCS / page).exists()
    [(language, command)] = COMMAND.findall(text)
    assert "\n" not in command.rstrip("\n") or language == "python"
    assert run(folder, command, python=language == "python").strip() or (folder / "report.html").exists()


def test_thirty_words_of_readers_lead_to_a_page_each() -> None:
    pages = tomllib.loads((DOCS / "theme" / "search-words.toml").read_text())
    assert [page for page in pages if not (DOCS / f"{page}.md").is_file()] == []
    words = [word.lower() for several in pages.values() for word in several]
    assert len(words) == len({*words}) >= 30
    wanted = {"mrr": "measures/RR", "average precision": "measures/AP", "spearman": "correlations", "rrf": "fusion"}
    assert wanted.items() <= {word.lower(): page for page, several in pages.items() for word in several}.items()


def test_there_are_five_doors_and_one_for_students_each_with_a_picture() -> None:
    titles = ["A search engine", "The retrieval of a RAG pipeline", "A recommender", "A ranker", "A paper"]
    assert [*doors()] == [*titles, "For students"]
    assert "```sh\nrankworth explore\n```" in doors()["For students"][1]
    for _, text in doors().values():
        [picture] = re.findall(r"^!\[.+\]\((pictures/doors/\w+-)light\.png\)$", text, re.MULTILINE)
        for theme in ("light", "dark"):
            assert (DOCS / f"{picture}{theme}.png").stat().st_size < 25_000


def test_every_page_is_in_one_group_and_every_page_of_tutorials_and_howto_is_listed() -> None:
    pages = [page for _, members in site_texts.sections(DOCS) for page in members]
    absent = ("example", "decisions")
    expected = {page for page in DOCS.rglob("*.md") if page.parent.name not in absent and page.name != "index.md"}
    assert len(pages) == len(set(pages))
    assert set(pages) == expected
    for folder in ("tutorials", "howto"):
        text = (DOCS / folder / "README.md").read_text()
        others = [page.name for page in (DOCS / folder).glob("*.md") if page.name != "README.md"]
        assert [name for name in others if f"]({name}): " not in text] == []


def test_the_readme_says_what_qrels_and_a_run_are_before_it_uses_the_words_and_has_the_doors() -> None:
    text = (ROOT / "README.md").read_text()
    for word, meaning in {"Qrels": "are the judgements", "run": "is what one system returned"}.items():
        first = re.search(rf"\b{word}s?\b", text.partition("## Start")[2], re.IGNORECASE)
        assert first
        assert f"*{word}* {meaning}" in text[text.index("## Start") :][first.start() - 3 :][:60]
    for page, _ in doors().values():
        assert 0 < text.find(f"](docs/{page})") < len(text) / 2
    pictures = re.findall(r'src(?:set)?="(docs/pictures/doors/[\w-]+\.png)"', text)
    assert len(pictures) == len(set(pictures)) == 2 * len(doors())
    assert all((ROOT / picture).exists() for picture in pictures)


def test_the_page_on_design_is_that_of_the_variables_whose_colours_can_be_read() -> None:
    line = [sys.executable, str(ROOT / "scripts" / "design-page"), "--check"]
    done = subprocess.run(line, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout + done.stderr) == (0, "")
    rows = re.findall(
        r"^\| `--(\w+)` \| `#\w+` \| `#\w+` \| (\S+), (\S+) \|", (DOCS / "design.md").read_text(), re.MULTILINE
    )
    assert {name for name, *_ in rows} == {"text", "muted", "edge", "accent", "warning", "third"}
    for name, *contrasts in rows:
        assert min(map(float, contrasts)) >= (3 if name == "edge" else 4.5), name
    assert round(page_of_design.contrast("#fff", "#000"), 6) == 21


def test_the_checks_of_the_site_see_light_frames_empty_columns_and_a_wrong_order(browser: Browser) -> None:
    page = browser.new_page()
    page.set_content(
        '<div class="bd-sidebar-primary">Section</div><main class="bd-main"><p style="background: #fff">a</p>'
        '<p style="background: #14171c">b</p><img class="only-dark" alt=""><img class="plot" alt="">'
        '<img style="filter: invert(1)" alt=""><div id="parameters"><table></table></div>'
        '<div id="worked-example"><img alt=""></div></main>'
    )
    assert page.evaluate(site_checks.FRAMES) == ["P.", "IMG.plot", "IMG."]
    assert page.evaluate(site_checks.EMPTY) is True
    assert page.evaluate(site_checks.ORDER) is False
    page.set_content(
        '<div class="bd-sidebar-primary"><a href="x">x</a></div>'
        '<div id="worked-example"><img alt=""></div><div id="parameters"><table></table></div>'
    )
    assert page.evaluate(site_checks.FRAMES) == []
    assert page.evaluate(site_checks.EMPTY) is False
    assert page.evaluate(site_checks.ORDER) is True
    page.close()
