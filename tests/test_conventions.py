"""What profiles say in words: complete, current, true of the numbers, and readable at any width."""

import re
import runpy
import shlex
import shutil
import sys
import warnings
from collections import Counter
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any, Final

import pytest

import pages_of_conventions as site
import rankworth as rw
from generators import as_options
from rankworth.errors import UsageError
from rankworth.profiles import PROFILES, STANDARD, Profile, Rule
from rankworth.profiles.call_data import AVERAGING, JUDGING
from rankworth.reference import in_terminal
from rankworth.reference import profiles as reference
from rankworth.settings import QUIRKS, Averaging, Judging

ROOT: Final = Path(__file__).parents[1]
FOLDER: Final = ROOT / "docs" / "conventions"
EXAMPLE: Final = ROOT / "docs" / "example"
SETTINGS: Final = [*JUDGING, *AVERAGING]
BY_HAND: Final = {"five-queries.md", "reproduced.md"}
TOOL: Final = Profile(
    name="tool-1.0",
    judging=Judging(ties="given"),
    averaging=Averaging(missing="error", no_relevant=0.0),
    tool="tool",
    version="1.0.7",
    basis="source",
    sentence="tool 1.0, the only one of its kind.",
    sources=("tool/measures.py:1-7", "https://example.org/issues/7"),
    why={
        "judging.ties": "Nothing is sorted.",
        "averaging.extra": "Nobody asks for them.",
        "measures.rr": "It is called MRR elsewhere.",
    },
    refuses={"missing": "tool stops with KeyError.", "undefined": "tool divides by zero.", "empty": "never said"},
    rules=(
        Rule("NDCG@{k}", "nDCG(gain=binary, rel=5e-324)@{k}", note="It is wrong."),
        Rule("NDCG_{k}", "nDCG(gain=binary, rel=5e-324)@{k}", note="It is wrong."),
        Rule(
            "rr(from={rel})",
            "RR(rel={rel})",
            {"ties": "id-ascending"},
            {"undefined": "error"},
            unspecified="It is open.",
        ),
        Rule("a_name_that_is_longer_than_a_column", "P@5", {"ties": "given"}),
    ),
    rel=2.0,
    differs=("Documents called x: it takes them for y.",),
)


def words_of(text: str) -> list[str]:
    """The words of a page, whatever marks stand around them."""
    text = re.sub(r"^\| -.* \|$|^```\w*$|^#+ |^- ", "", text, flags=re.MULTILINE)
    return re.sub(r"[*\\<>():|•─]", " ", text.replace("`", "")).split()


def measured(measures: list[str], profile: str = "standard-1", **settings: Any) -> rw.Values | rw.RankworthError:
    """The five queries, measured or refused."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", rw.RankworthWarning)
        try:
            files = EXAMPLE / "qrels.txt", EXAMPLE / "old.run"
            return rw.evaluate(*files, measures, profile=profile, **as_options(settings))
        except rw.RankworthError as error:
            return error


def shown(page: str, width: int = 80) -> str:
    """A page in a terminal."""
    return in_terminal(page, width)


@cache
def pages() -> dict[str, str]:
    """The pages as they ought to be, made once."""
    return site.pages(EXAMPLE)


def test_the_pages_are_current() -> None:
    there = {path.name: path.read_text(encoding="utf-8") for path in FOLDER.glob("*") if path.name not in BY_HAND}
    wrong = [name for name in {**pages(), **there} if there.get(name) != pages().get(name)]
    assert wrong == [], "to write them: scripts/convention-pages"


def test_the_script_finds_pages_that_differ_are_missing_or_left_over_and_mends_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shutil.copytree(ROOT / "scripts", tmp_path / "scripts")
    folder = tmp_path / "docs" / "conventions"
    folder.mkdir(parents=True)
    for name in ("one.md", "three.md", "five-queries.md"):
        (folder / name).write_text("old\n")
    monkeypatch.setattr(site, "pages", lambda example: {"one.md": f"{example.name}\n", "two.md": "new\n"})

    def run(*arguments: str) -> object:
        monkeypatch.setattr(sys, "argv", ["convention-pages", *arguments])
        try:
            runpy.run_path(str(tmp_path / "scripts" / "convention-pages"))
        except SystemExit as stop:
            return stop.code
        return 0

    said = "docs/conventions: one.md differs, two.md is missing, three.md is left over; to write them: scripts/"
    assert run("--check") == f"{said}convention-pages"
    assert run() == 0
    assert {path.name: path.read_text() for path in folder.glob("*")} == {
        "one.md": "example\n",
        "two.md": "new\n",
        "five-queries.md": "old\n",
    }
    assert run("--check") == 0
    assert run("--chek") == "usage: scripts/convention-pages [--check]"


def test_a_page_says_what_a_profile_sets_refuses_names_and_leaves_open() -> None:
    assert (
        shown(reference.profile_page(TOOL), 60)
        == """\
tool-1.0

tool 1.0, the only one of its kind.

tool 1.0.7. By source only: read, never compared with a run
of the tool.

To use it

  rankworth evaluate QRELS RUN --profile tool-1.0 -m NDCG@10

  rankworth.evaluate(qrels, run, ["NDCG@10"],
  profile="tool-1.0")

What it sets

 • rel=2 (standard-1: 1): Documents are relevant from grade
   2 on.
 • ties=given (standard-1: id-descending): Nothing is
   sorted.
 • missing=error (standard-1: zero): a judged query for
   which the run has nothing counts as an empty ranking,
   which is mostly worth 0 (zero, as -c in trec_eval 10), as
   the number 0 whatever it would be worth (nought), or as
   nan; it is left out (skip), has no value of its own but
   counts in the mean (absent, -c in trec_eval 9), or is
   refused (error).
 • no_relevant=0 (standard-1: keep): a judged query without
   a relevant document is kept (keep), left out (skip),
   refused (error), or has this number for its value; or the
   value is 1 if the run returns nothing for it, and 0 if it
   returns anything (silence), by measures of relevance of
   which more is better; others keep theirs.

As in standard-1

 • extra=ignore (the same): Nobody asks for them.

Of single measures

 • rr: It is called MRR elsewhere.

What it refuses

 • missing: tool stops with KeyError.
 • undefined, in rr(from={rel}): tool divides by zero.

Names

name                means here          and
────────────────────────────────────────────────────────────
NDCG@{k}            nDCG(gain=binary,   also NDCG_{k}; [1]
                    rel=5e-324)@{k}
rr(from={rel})      RR(rel={rel})       ties=id-ascending,
                                        undefined=error; [2]
a_name_that_is_long P@5
er_than_a_column

Words in braces stand for numbers, {k} and {d} for whole
ones.

rel=5e-324: Every grade above 0 is relevant; there is no
smaller number above 0.

Our own names work under a profile, too, and so do
trec_eval's, ir_measures' and ranx's: they are then computed
with these settings, and as the tool computes its own
measure of that kind.

Defects that are repeated here

 • [1] It is wrong.

Where its number cannot be promised

Names with [2]: where a judged document has the score of
another one, rankworth says so (unspecified-order).

 • [2] It is open.
 • Documents called x: it takes them for y.

Its source was read and the tool was not run, so that no
number was compared with one of its own.

Sources

 • tool/measures.py:1-7
 • https://example.org/issues/7
"""
    )


def test_the_names_of_a_tool_stand_alone_with_their_remarks() -> None:
    page, names = reference.profile_page(TOOL), reference.names_page(TOOL)
    table = page.partition("## Names\n")[2].partition("## Defects")[0]
    defects = page.partition("## Defects")[2].partition("## Sources")[0]
    rest = "What it sets for all of them: `rankworth profiles tool-1.0`\n\n"
    assert names == f"# Names under tool-1.0\n{table}{rest}## Defects{defects}".rstrip("\n") + "\n"


def test_markdown_has_tables_code_and_links() -> None:
    page = reference.profile_page(TOOL)
    assert "- `ties=given` (standard-1: id-descending): Nothing is sorted.\n" in page
    assert "| `NDCG@{k}` | `nDCG(gain=binary, rel=5e-324)@{k}` | also NDCG_{k}; [1] |\n" in page
    assert "| `a_name_that_is_longer_than_a_column` | `P@5` | |\n" in page
    assert "- `tool/measures.py:1-7`\n- <https://example.org/issues/7>\n" in page


@pytest.mark.parametrize("name", PROFILES)
def test_what_is_done_instead_of_a_defect_stands_apart_from_what_is_repeated(name: str) -> None:
    page = reference.profile_page(name)
    sections = {part.partition("\n")[0]: part for part in page.split("\n## ")}
    for heading, remark in (("repeated here", "note"), ("not repeated here", "departs")):
        texts = dict.fromkeys(getattr(rule, remark) for rule in PROFILES[name].rules if getattr(rule, remark))
        section = sections.get(f"Defects that are {heading}", "")
        assert section.count("\n- [") == len(texts)
        for text in texts:
            assert text in section.replace("\\", "")
            says_what_is_done = re.search(r"(?<!ndcg) [Hh]ere (each|a |gains)|this is", text) is not None
            assert says_what_is_done == (remark == "departs"), text


@pytest.mark.parametrize("name", PROFILES)
def test_a_page_is_complete(name: str) -> None:
    profile = PROFILES[name]
    page = " ".join(words_of(reference.profile_page(name)))

    def has(text: str) -> bool:
        return " ".join(words_of(text)) in page

    for setting, (value, standard) in reference.differing(profile).items():
        assert has(f"{setting}={reference.shown(value)} {STANDARD.name}: {reference.shown(standard)}"), setting
    assert [text for text in profile.why.values() if not has(text)] == []
    for rule in profile.rules:
        assert all(has(text) for text in (rule.name, rule.means, rule.defect, rule.unspecified)), rule
    assert [source for source in profile.sources if not has(source)] == []
    assert has(profile.sentence)
    assert has(profile.tool)
    assert has(profile.version)
    assert (name == STANDARD.name) or (has("never compared with a run of the tool") == (profile.basis == "source"))


@pytest.mark.parametrize("name", PROFILES)
def test_every_setting_that_differs_has_a_reason(name: str) -> None:
    profile = PROFILES[name]
    assert [
        setting
        for setting in reference.differing(profile)
        if f"{reference.STEPS[setting]}.{setting}" not in profile.why
    ] == []
    rooms = {f"{room}.{setting}" for setting, room in reference.STEPS.items()}
    assert [why for why in profile.why if why not in rooms and not why.startswith("measures.")] == []


@pytest.mark.parametrize("name", PROFILES)
def test_what_a_profile_refuses_is_said_in_the_words_of_its_tool(name: str) -> None:
    profile = PROFILES[name]
    page = reference.profile_page(name)
    refusing = [setting for setting in profile.refuses if str(profile.setting(setting)).startswith("error")]
    assert all(" ".join(words_of(profile.refuses[one])) in " ".join(words_of(page)) for one in refusing)


@pytest.mark.parametrize("name", PROFILES)
def test_a_terminal_says_what_the_file_says(name: str) -> None:
    page = reference.profile_page(name)
    assert page == pages()[f"{name}.md"]
    assert words_of(shown(page, 1000)) == words_of(page)


@pytest.mark.parametrize("width", [50, 80])
@pytest.mark.parametrize("name", PROFILES)
def test_a_page_fits_any_width_and_loses_no_letter(name: str, width: int) -> None:
    for page in (reference.profile_page(name), reference.names_page(name)):
        text = shown(page, width)
        long = [line for line in text.splitlines() if len(line) > width]
        assert not long
        assert not [line for line in text.splitlines() if line != line.rstrip()]
        assert Counter("".join(words_of(text))) == Counter("".join(words_of(page)))


@pytest.mark.parametrize("name", PROFILES)
def test_the_command_of_a_page_can_be_typed(name: str) -> None:
    line = reference.command(PROFILES[name])
    assert line in pages()[f"{name}.md"]
    *command, profile, _, measure = shlex.split(line)
    assert command == ["rankworth", "evaluate", "QRELS", "RUN", "--profile"]
    found = measured([measure], profile)
    assert isinstance(found, rw.Values) or found.slug in ("refused-input", "missing-input")


def test_the_list_has_every_profile_once_and_says_how_to_go_on() -> None:
    for width in (50, 80):
        text = shown(reference.profile_list(), width)
        listed = re.findall(r"(?m)^ • (\S+) \(", text)
        assert sorted(listed) == sorted(PROFILES)
        assert max(map(len, text.splitlines())) <= width
        assert not [line for line in text.splitlines() if line != line.rstrip()]
    run, source = text.split("\nBy source only")
    assert [name for name in re.findall(r"(?m)^ • (\S+) \(", source) if PROFILES[name].basis != "source"] == []
    assert [name for name in re.findall(r"(?m)^ • (\S+) \(", run) if PROFILES[name].basis != "run"] == []
    first = next(name for name in PROFILES if name != STANDARD.name)
    how = f"One in full: rankworth profiles {first} To use one: {reference.command(PROFILES[first])}"
    assert words_of(text)[-len(words_of(how)) :] == words_of(how)
    assert text.count("\n") < 5 * len(PROFILES)


@pytest.mark.parametrize("ask", [reference.profile_page, reference.names_page])
def test_an_unknown_name_is_refused_with_what_may_be_meant(ask: Callable[[str], str]) -> None:
    with pytest.raises(UsageError, match=r"there is no profile 'bier'   \[unknown-setting\]\n  was beir-2.2 meant"):
        ask("bier")


def test_a_name_without_its_version_is_the_newest() -> None:
    assert reference.profile_page("sentence-transformers") == reference.profile_page("sentence-transformers-6")


def test_no_profile_but_the_standard_is_named_in_the_words() -> None:
    for path in [Path(reference.__file__), Path(site.__file__)]:
        text = path.read_text(encoding="utf-8")
        assert [name for name in PROFILES if name != STANDARD.name and name in text] == [], path


def test_the_index_explains_every_setting_and_leads_to_every_profile() -> None:
    index = pages()["README.md"]
    rows = dict(re.findall(r"(?m)^\| `(\w+)`(?: \(quirk\))? \| (.+) \|$", index))
    assert list(rows) == SETTINGS
    assert set(re.findall(r"(?m)^\| `(\w+)` \(quirk\)", index)) == {*QUIRKS}
    for setting, row in rows.items():
        values, _, others = row.split(" | ")[0], *row.split(" | ")[1:2], row
        default = reference.shown(STANDARD.setting(setting))
        assert values.startswith(f"`{default}`")
        for name, profile in PROFILES.items():
            value = reference.shown(profile.setting(setting))
            if value != default:
                assert re.search(rf"`{re.escape(value)}`: [^`]*\[{re.escape(name)}\]", others), (setting, name)
    linked = set(re.findall(r"\]\(([^)#]+)\.md\)", index))
    assert linked == {*PROFILES, "five-queries", "measures", "reproduced"}


def section(measure: str) -> str:
    """What the page says of a measure."""
    return next(part for part in pages()["measures.md"].split("\n## ") if part.startswith(f"{measure}\n"))


def rows(part: str) -> Iterator[tuple[str, list[tuple[str, str]], str]]:
    """The lines of a table: value, profiles with a name, difference."""
    value = ""
    for line in part.splitlines():
        if line.startswith("|") and "](" in line:
            shown, by, difference = (cell.strip() for cell in line.strip("|").split(" | "))
            value = shown or value
            said = [
                (profile, name)
                for profile, names in re.findall(r"\[([^\]]+)\]\(\1\.md\) ((?:`[^`]+`[^;`]*)+)", by)
                for name in re.findall("`([^`]+)`", names)
            ]
            yield value, said, difference


def test_every_measure_has_its_table_and_the_standard_stands_first() -> None:
    assert tuple(re.findall("(?m)^## (.+)$", pages()["measures.md"])) == site.MEASURES
    for measure in site.MEASURES:
        value, said, difference = next(rows(section(measure)))
        assert said[0] == ("standard-1", measure)
        assert difference == ""
        assert isinstance(found := measured([measure]), rw.Values)
        assert value == f"{found[measure]:.4f}"


@pytest.mark.parametrize("measure", site.MEASURES)
def test_every_number_of_the_page_comes_out_by_naming_the_profile(measure: str) -> None:
    count = 0
    for value, said, words in rows(section(measure)):
        for profile, name in said:
            found = measured([name], profile)
            count += 1
            if value == "refused":
                assert isinstance(found, rw.RankworthError)
                assert " ".join(words_of(words)) in " ".join(words_of(str(found)))
            else:
                assert isinstance(found, rw.Values)
                assert site.printed(next(iter(found.mean().values()))) == value, (profile, name)
    assert count > 4


@pytest.mark.parametrize("measure", ["nDCG@10", "RR"])
def test_the_differences_are_enough_and_none_is_too_many(measure: str) -> None:
    checked = 0
    for value, _, difference in rows(section(measure)):
        if value == "refused":
            continue
        said = re.findall("`([^`]+)`", difference)
        asked = [one for one in said if re.match(r"\w+(\(.*\))?(@\d+)?$", one) and not re.match(r"\w+=", one)] or [
            measure
        ]
        settings = {name: number(text) for name, _, text in (one.partition("=") for one in said if one not in asked)}
        whole = measured(asked, **settings)
        assert isinstance(whole, rw.Values)
        assert site.printed(next(iter(whole.mean().values()))) == value, difference
        for name in settings:
            others = {other: setting for other, setting in settings.items() if other != name}
            assert table(measured(asked, **others)) != table(whole), f"{name} in {difference}"
            checked += 1
    assert checked > 20


def number(text: str) -> object:
    """A setting as it is typed."""
    try:
        return float(text) if "." in text else int(text)
    except ValueError:
        return text


def table(values: rw.Values | rw.RankworthError) -> object:
    """What a reader sees of values."""
    if isinstance(values, rw.RankworthError):
        return str(values)
    shown = {query: [site.printed(one) for one in row.values()] for query, row in values.per_query.to_dict().items()}
    return site.printed(next(iter(values.mean().values()))), shown


def test_some_lines_of_the_page_are_as_they_were_worked_out() -> None:
    lines = {(profile, name): (value, difference) for value, said, difference in rows(section("nDCG@10"))
             for profile, name in said}  # fmt: skip
    assert lines["beir-2.2", "NDCG@10"] == ("0.3944", "`missing=skip`")
    assert lines["mlflow-3.17", "ndcg_at_10"] == ("0.5531", "`nDCG(gain=binary, ideal=returned)@10`, `order=given`")
    assert lines["trec_eval-9.0.8-c", "ndcg_cut_10"] == ("0.3155", "`missing=absent`")
    assert lines["ranx-0.3-comparable", "ndcg_burges@10"] == ("0.3832", "`nDCG(gain=exp2)@10`, `ties=given`")
    assert lines["scikit-learn-1.9-all", "ndcg_score(k=10)"] == (
        "0.6510",
        "`ties=expected`, `unretrieved=last`, `missing=skip`",
    )
    assert lines["trec_eval-10.0", "ndcg_cut_10"][0] == "refused"
