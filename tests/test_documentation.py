"""The documentation as readers meet it: notebooks run, links lead somewhere, every page and every name can be found.

`scripts/docs`, which `.ci/run` calls, builds the site of it, where any warning is an error.
"""

import ast
import inspect
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import pytest

import rankworth
import site_texts
from rankworth import _HOME_OF
from rankworth.cli.app import main

ROOT = Path(__file__).parent.parent
DOCS = ROOT / "docs"
FILES = [page for page in sorted(DOCS.rglob("*.md")) if page.parent.name != "example"]
PAGES = [page for page in FILES if page.parent.name != "decisions"]
"""those that the site leads to"""
NOTEBOOKS = sorted((DOCS / "notebooks").glob("*.md"))
OTHERS = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", ROOT / "benchmarks" / "README.md"]

FENCE = re.compile(r"^(`{3,})([^\n]*)\n(.*?)^\1$", re.DOTALL | re.MULTILINE)
LINK = re.compile(r"(?<!\\)\]\(<?(?![a-z]+:)([^)\s#>]*)(?:#([^)\s>]+))?>?\)")
HEADING = re.compile(r"^#+ +(.+)$", re.MULTILINE)


class Cell(NamedTuple):
    """Code of a notebook, and the line of the page on which it begins."""

    line: int
    code: str


def cells(page: Path) -> Iterator[Cell]:
    """The code cells of a notebook, without their options."""
    text = page.read_text()
    for block in FENCE.finditer(text):
        if block[2] == "{code-cell} python":
            code = re.sub(r"\A(?::[^\n]*\n)+", lambda options: "\n" * options[0].count("\n"), block[3])
            yield Cell(text.count("\n", 0, block.start(3)), code)


def shown(cell: Cell, page: Path, names: dict[str, Any]) -> object:
    """Run a cell as Jupyter does, and give the value of its last line, if that is an expression."""
    tree = ast.increment_lineno(ast.parse(cell.code), cell.line)
    last = ast.Expression(tree.body.pop().value) if isinstance(tree.body[-1], ast.Expr) else None
    exec(compile(tree, page, "exec"), names)  # noqa: S102 - pages of our own
    return eval(compile(last, page, "eval"), names) if last else None  # noqa: S307 - the same


@pytest.mark.parametrize("page", NOTEBOOKS, ids=lambda page: page.stem)
def test_a_notebook_runs_and_shows_what_it_says(
    page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("MPLBACKEND", "agg")
    names: dict[str, Any] = {}
    for cell in cells(page):
        value = shown(cell, page, names)
        assert repr(value)
        if hasattr(value, "_repr_html_"):
            assert "<script" not in value._repr_html_()
    assert not capsys.readouterr().err
    assert not list(tmp_path.iterdir()), "a notebook leaves files behind"


def test_notebooks_are_compared_with_the_values_that_they_state() -> None:
    assert [page.stem for page in NOTEBOOKS] == ["from-a-step-table", "gallery", "seven-ways"]
    for page in NOTEBOOKS:
        assert any("assert " in cell.code for cell in cells(page))


def test_relative_links_lead_to_files_and_headings() -> None:
    broken = [
        f"{page.relative_to(ROOT)}: {target}#{heading}"
        for page in (*FILES, *OTHERS)
        for target, heading in LINK.findall(prose(page))
        if not leads_somewhere(page.parent / target if target else page, heading)
    ]
    assert broken == []


def leads_somewhere(file: Path, heading: str) -> bool:
    """Whether there is a file, with the heading where one is named."""
    return file.exists() and (not heading or heading in headings(file.resolve()))


def test_examples_stand_within_fences() -> None:
    """Outside of one, a line that begins with >>> is a quotation within a quotation."""
    outside = {
        str(page.relative_to(ROOT)): [line for line in text.splitlines() if line.lstrip().startswith(">>>")]
        for page in (*FILES, *OTHERS)
        if ">>>" in (text := FENCE.sub("", text_of(page)))
    }
    assert {page: lines for page, lines in outside.items() if lines} == {}


def test_every_page_can_be_reached_from_the_index() -> None:
    found, new = set(), {DOCS / "index.md"}
    while new:
        page = new.pop()
        found.add(page)
        new |= led_to(page) - found
    assert {page for page in found if page.parent.name != "decisions"} == set(PAGES)


def test_every_public_name_is_on_a_page_about_python() -> None:
    text = "".join(page.read_text() for page in site_texts.members(DOCS / "api.md"))
    assert [name for name in _HOME_OF if not re.search(rf"rankworth\.{name}\b", text)] == []
    for name in re.findall(r"^\.\. auto(?:function|class|exception):: rankworth\.(\w+)$", text, re.MULTILINE):
        assert hasattr(rankworth, name)


@pytest.mark.parametrize("script", ["function-pages", "packages-page", "tested-page"])
def test_pages_that_are_written_by_a_script_are_as_it_writes_them(script: str) -> None:
    line = [sys.executable, str(ROOT / "scripts" / script), "--check"]
    done = subprocess.run(line, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout + done.stderr) == (0, "")


def test_every_public_function_has_a_page_with_its_signature() -> None:
    functions = [name for name in _HOME_OF if inspect.isfunction(getattr(rankworth, name))]
    assert len(functions) > 25
    for name in functions:
        text = (DOCS / "functions" / f"{name}.md").read_text()
        assert f"rankworth.{name}(" in text
        for parameter in inspect.signature(getattr(rankworth, name)).parameters:
            assert re.search(rf"^    \*{{0,2}}{parameter}\b|\({parameter}\b|, {parameter}\b", text, re.MULTILINE)


def test_what_to_type_by_task_works(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """In the order of the page, of which `explore` alone is left out, as it would go on."""
    shutil.copytree(DOCS / "example", tmp_path, dirs_exist_ok=True)
    monkeypatch.chdir(tmp_path)
    Path("judged.csv").write_text("question,chunk,label\nq1,a,1\nq2,c,1\n")
    retrieved = '{"question": "q1", "chunks": ["a", "b"]}\n{"question": "q2", "chunks": ["d"]}\n'
    Path("retrieved.jsonl").write_text(retrieved)
    Path("seen.csv").write_text("q1,a\n")
    Path("chunks.run").write_text("q1 Q0 a#3 1 2 x\nq1 Q0 a#4 2 1 x\n")
    for name, grade in (("model", 1), ("people", 2)):
        lines = [f"q{number} 0 d{number} {grade}\n" for number in range(60)]
        Path(f"{name}.qrels").write_text("".join(lines))
    Path("many.run").write_text("".join(f"q{number} Q0 d{number} 1 1 x\n" for number in range(60)))
    commands = re.findall(r"\| `rankworth ([^`]+)` \|", (DOCS / "howto" / "by-task.md").read_text())
    assert len(commands) > 20
    for command in commands:
        words = shlex.split(command.replace("model.qrels new.run", "model.qrels many.run"))
        if words[0] != "explore":
            assert main(words) == 0, (command, capsys.readouterr().err)
    assert "nDCG@10" in capsys.readouterr().out


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Give the folder of a site with the texts for programs."""
    folder = tmp_path_factory.mktemp("site")
    site_texts.write(DOCS, folder)
    return folder


def test_programs_find_every_page_in_llms_txt_with_its_title_and_first_sentences(site: Path) -> None:
    text = (site / "llms.txt").read_text()
    listed = dict(re.findall(r"^- \[.+\]\(([\w./-]+\.md)\): (.+)$", text, re.MULTILINE))
    assert sorted(["index.md", *listed]) == [
        str(page.relative_to(DOCS)) for page in sorted(PAGES, key=lambda page: str(page.relative_to(DOCS)))
    ]
    assert "- [Gates](gates.md): A gate decides whether a change may ship" in text
    assert text.startswith("# rankworth\n")
    assert "## Cheat sheet" in text
    assert "--corrected-by people.qrels" in text
    for page in PAGES:
        assert (site / page.relative_to(DOCS)).read_text() == page.read_text()


def test_programs_get_whole_pages_in_one_file_of_limited_size(site: Path) -> None:
    text = (site / "llms-full.txt").read_text()
    assert len(text.encode()) <= 200_000
    assert (DOCS / "tutorials" / "rag.md").read_text() in text
    assert site_texts.full_text(DOCS, limit=100) == ""


def test_the_page_on_stability_names_the_schemas_that_are_written() -> None:
    sources = "".join(path.read_text() for path in (ROOT / "src").rglob("*.py"))
    written = set(re.findall(r'(?:SCHEMA|OF_DIFFERENCE|SEVERAL|BESIDE)\b[^\n]*= "(rankworth\.\w+/\d+)"', sources))
    named = set(re.findall(r"rankworth\.\w+/\d+", (DOCS / "stability.md").read_text()))
    assert named == written | {"rankworth.results/4"}


@cache
def text_of(page: Path) -> str:
    """The text of a page."""
    return page.read_text("utf-8")


@cache
def prose(page: Path) -> str:
    """A page without code."""
    return re.sub(r"`[^`\n]*`", "", FENCE.sub("", text_of(page)))


@cache
def headings(page: Path) -> set[str]:
    """The names of the headings in links, as GitHub makes them."""
    return {re.sub(r"[^\w\- ]", "", text.lower()).replace(" ", "-") for text in HEADING.findall(text_of(page))}


def led_to(page: Path) -> set[Path]:
    """The pages to which a page has a link, or which it has in a tree."""
    trees = [body for _, name, body in FENCE.findall(text_of(page)) if name == "{toctree}"]
    entries = [line for body in trees for line in body.splitlines() if line and not line.startswith(":")]
    files = [target for target, _ in LINK.findall(prose(page)) if target.endswith(".md")]
    linked = {(page.parent / file).resolve() for file in [*files, *(f"{entry}.md" for entry in entries)]}
    return {path for path in linked if path.is_relative_to(DOCS)}
