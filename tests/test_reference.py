"""What is said of measures: every page is complete and current, its numbers are the library's, both forms agree."""

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import rankworth as rw
from rankworth import names
from rankworth.errors import MeasureError
from rankworth.measures import CATALOGUE, FACTS, ITEM_MEASURES, Fact, Measure, Terms, TextFact, building_blocks, measure
from rankworth.reference import catalogue, example, in_terminal, items, measure_page
from rankworth.spellings import TOOLS

ROOT = Path(__file__).parent.parent
FOLDER = ROOT / "docs" / "measures"
ALONE: dict[str, Measure | Fact] = {**CATALOGUE, **FACTS}
"""what a ranking alone has, for a worked example"""
EVERYTHING: dict[str, Measure | Fact] = {**ALONE, **ITEM_MEASURES}
IN_THE_PAGE = ("## Worked example", "## In Python", "## Parameters", "**Range:**", "**Unjudged:**", "**Ties:**")
COLUMNS = ("for", "rank", "grade", "gain", "weight", "discount", "adds", "total")
VARIANTS = (
    "nDCG(gain=exp2)@3",
    "nDCG(gain={1: 1, 2: 0.5}, ideal=retrieved)",
    "AP(rel=2, norm=found)",
    "AP(judged_only=True)@2",
    "gmean(AP)",
    "ERR(max_grade=1)",
    "ERR(max_grade=0.5)",
    "RBP(p=0.999, max_grade=2)",
    "RBP(p=0.00001)@5",
    "IPrec@0.5",
    "R(norm=min(k,R))@2",
    "P(rel=9)",
    "R(rel=9)",
    "Rprec_mult@2",
    "alpha_nDCG(alpha=1)@2",
    "alpha_nDCG(judged_only=True)",
    "utility(miss=-1, documents=100, rejection=0.5)",
    "nDCG(gain={3: 1e12})",
    "nDCG@1000",
    "NumRel(rel=2)",
    "relstring(length=3)",
)


def named(name: str) -> Measure | Fact:
    """The measure or fact; the name of one is the name of several in trec_eval."""
    return EVERYTHING[name] if name in EVERYTHING else names.parse(name)


def unmarked(page: str) -> str:
    """A page in Markdown without what only Markdown needs: rules of tables, marks of headings, lists and code."""
    return re.sub(r"^(\|(--:\|)+$|#+ |- |```\w*)", "", page, flags=re.MULTILINE)


def words_of(text: str) -> list[str]:
    """The words of a page, whatever marks stand around them."""
    return re.sub(r"[`*\\<>():|•─]", "", text).split()


@pytest.mark.parametrize("name", EVERYTHING)
def test_the_page_says_all_there_is_to_say(name: str) -> None:
    definition = EVERYTHING[name].definition
    page = (FOLDER / f"{name}.md").read_text(encoding="utf-8")
    assert page.startswith(f"# {EVERYTHING[name]}\n\n{definition.sentence}\n")
    assert ("## Worked example" in page) == (name in ALONE)
    assert ("**Elsewhere:**" in page) == ("Elsewhere: " in (definition.function.__doc__ or ""))
    for parameter in definition.parameters:
        assert f"| `{parameter}=" in page or definition.at == parameter
    called = [
        (tool, other)
        for tool, table in TOOLS.items()
        for other, means in table.items()
        if names.parse_all([means])[0].name == name
    ]
    listed = page.partition("## Names")[2].partition("##")[0]
    for tool, other in called:
        assert re.search(rf"^- {tool}: .*\b{other}", listed, re.MULTILINE), (tool, other)
    assert all(alias in listed for alias in definition.aliases)
    if name not in FACTS:
        parts = ["## Properties", "## Literature", "<https://doi.org/", *(("value ",) if name in ALONE else ())]
        given = set(IN_THE_PAGE) - (set() if name in ALONE else {"## Worked example", "**Unjudged:**", "**Ties:**"})
        for part in (*given, *parts):
            assert part in page, part
        order = [page.index(part) for part in IN_THE_PAGE[:3] if part in page]
        assert order == sorted(order), "the example comes before the parameters"
        assert "$$\n" in page.partition("## ")[0], "the formula"


def shown(name: str, width: int = 80) -> str:
    """The page of a measure in a terminal."""
    return in_terminal(measure_page(name), width)


def arithmetic_of(blocks: list[str]) -> list[str]:
    """The numbers of the last step of a worked example: the total first, the value last."""
    line = next(block for block in blocks if block.startswith("```text\n")).split("\n", 1)[1].rpartition("\n")[0]
    return re.findall(r"-?\d+(?:\.\d+)?(?:e[+-]\d+)?|n/a", line.removeprefix("value "))


def table_of(blocks: list[str]) -> dict[str, list[str]]:
    """The columns of the first table of a worked example, by name."""
    grid = next(block for block in blocks if block.startswith("| "))
    titles, _, *rows = ([cell.strip() for cell in line.strip("|").split("|")] for line in grid.split("\n"))
    return dict(zip(titles, map(list, zip(*rows, strict=True)), strict=True))


def check(root: Path, *arguments: str) -> tuple[int, str]:
    """What the script of a checkout says."""
    line = [sys.executable, str(root / "scripts" / "measure-pages"), *arguments]
    done = subprocess.run(line, capture_output=True, text=True, check=False)
    return done.returncode, done.stdout + done.stderr


def test_the_pages_are_current() -> None:
    assert check(ROOT, "--check") == (0, "")


def test_the_script_finds_pages_that_differ_are_missing_or_left_over_and_mends_them(tmp_path: Path) -> None:
    shutil.copytree(ROOT / "scripts", tmp_path / "scripts")
    folder = tmp_path / "docs" / "measures"
    shutil.copytree(FOLDER, folder)
    package = tmp_path / "src" / "rankworth"
    package.mkdir(parents=True)
    shutil.copy(ROOT / "src" / "rankworth" / "measure_names.py", package)
    (folder / "AP.md").write_text("# AP\n")
    (folder / "RR.md").unlink()
    (folder / "Gone.md").write_text("# Gone\n")
    status, said = check(tmp_path, "--check")
    assert status == 1
    assert "AP.md differs, RR.md is missing, Gone.md is left over; to write them: scripts/measure-pages" in said
    assert check(tmp_path) == (0, "")
    assert check(tmp_path, "--check") == (0, "")
    assert check(tmp_path, "--chek")[0] == 1


def test_the_index_leads_to_every_page() -> None:
    linked = set(re.findall(r"\]\((\S+)\.md\)", (FOLDER / "README.md").read_text(encoding="utf-8")))
    assert linked == {*EVERYTHING, "bibliography"}
    assert len({name.casefold() for name in EVERYTHING}) == len(EVERYTHING), "two pages are one on some disks"


@pytest.mark.parametrize("width", [50, 80])
@pytest.mark.parametrize("name", EVERYTHING)
def test_the_command_says_what_the_page_says(name: str, width: int) -> None:
    assert words_of(shown(name, width)) == words_of(unmarked(measure_page(name)))


@pytest.mark.parametrize("name", [*ALONE, *VARIANTS])
def test_the_worked_value_is_the_value(name: str) -> None:
    quantity = named(name)
    blocks, session = example(quantity)
    if name == "ERR(max_grade=0.5)":
        assert (len(blocks), session) == (1, [])
        return
    if isinstance(quantity, TextFact):
        assert not session
        return
    scope: dict[str, object] = {"rankworth": rw}
    exec(session[0].removeprefix(">>> "), scope)  # noqa: S102 - our own line
    value = eval(session[1].removeprefix(">>> "), scope)  # noqa: S307 - our own line
    assert repr(value) == session[2]
    printed = arithmetic_of(blocks)[-1]
    if printed == "n/a":
        assert value == 0
    elif "e" in printed:
        assert f"{value:.1e}" == printed
    else:
        assert f"{value:.{len(printed.partition('.')[2])}f}" == printed
        assert "." in printed or value == int(printed)


@pytest.mark.parametrize("name", CATALOGUE)
def test_the_table_adds_up_and_shows_something(name: str) -> None:
    blocks, _ = example(CATALOGUE[name])
    table = {label: list(map(number, column)) for label, column in table_of(blocks).items()}
    assert list(table) == [one for one in COLUMNS if one in table]
    added = table["gain"]
    if "weight" in table:
        added = [one * factor for one, factor in zip(added, table["weight"], strict=True)]
    if "discount" in table:
        added = [one / factor for one, factor in zip(added, table["discount"], strict=True)]
    assert table.get("adds", table["gain"]) == pytest.approx(added, abs=1e-3)
    running = [sum(table.get("adds", added)[: row + 1]) for row in range(len(added))]
    assert table["total"] == pytest.approx(running, abs=1e-3)
    assert number(arithmetic_of(blocks)[0]) == pytest.approx(running[-1], abs=1e-3)
    # not all subtopics of the example are there, and its first page has a hit
    assert any(added) or name in ("Complete", "CompleteRank", "Clicks")


def number(cell: str) -> float:
    """A cell as a number; what is not one is nothing that counts."""
    try:
        return float(cell)
    except ValueError:
        return float("nan")


def test_a_cutoff_and_removed_documents_shorten_the_table() -> None:
    asked = ("AP", "AP@3", "AP(judged_only=True)", "Rprec@9")
    columns = {name: table_of(example(rw.parse(name))[0]) for name in asked}
    assert columns["AP"]["grade"] == ["0", "3", "2", "?", "1"]
    assert columns["AP@3"]["grade"] == ["0", "3", "2"]
    assert columns["AP(judged_only=True)"]["grade"] == ["0", "3", "2", "1"]
    assert columns["AP(judged_only=True)"]["rank"] == ["1", "2", "3", "4"]
    assert columns["Rprec@9"]["gain"] == ["0", "1", "1", "0", "0"]


@pytest.mark.parametrize("width", [50, 60, 80, 100])
@pytest.mark.parametrize("name", [*ALONE, *VARIANTS])
def test_a_page_fits_any_width(name: str, width: int) -> None:
    lines = shown(name, width).splitlines()
    code = {f"  {line}" for line in example(named(name))[1]}
    long = [line for line in lines if len(line) > width and ">>>" not in line and "https:" not in line]
    assert not set(long) - code
    assert not [line for line in lines if line != line.rstrip()]


def test_a_name_for_several_measures_has_no_page() -> None:
    with pytest.raises(MeasureError, match=r"'official' stands for \d+ measures"):
        measure_page("official")


def test_what_contradicts_itself_is_refused_in_a_page_too() -> None:
    with pytest.raises(MeasureError, match="bad-parameter"):
        measure_page("INST(min_grade=2)")


def test_a_measure_of_ones_own_has_a_page_with_what_it_says() -> None:
    @measure("Slim", range=(0.0, 9.0))
    def slim(judged: building_blocks.Judged) -> Terms:
        """The grade of the first document."""
        return Terms(gain=building_blocks.gain_of(judged.cut(1), "linear"))

    try:
        page = shown("Slim")
        assert page.startswith("Slim\n\nThe grade of the first document.\n\nWorked example\n\n")
        assert "\n\nParameters\n\n • @k" in page
        assert "## Your own\n\n| name | what it says |\n| --- | --- |\n| `Slim` " in catalogue()
        assert "Literature" not in page
        assert "Names" not in page
    finally:
        del CATALOGUE["Slim"]


def test_marks_in_a_text_are_no_marks_in_markdown() -> None:
    listed = items([("a=1", "any", "2 * 3 < 4, `x * y`")])
    assert listed == "- `a=1` (any): 2 \\* 3 \\< 4, `x * y`"
    assert in_terminal(listed, 80) == " • a=1 (any): 2 * 3 < 4, x * y\n"
