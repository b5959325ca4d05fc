"""Makes the page "How it is tested": what is compared with what, how often, and the command that repeats it.

Data of other tools are counted exactly. Numbers that grow with every change are rounded down to their first digit, so
that the page is true without being written again.
"""

import gzip
import json
import re
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final, NamedTuple

ROOT: Final = Path(__file__).resolve().parent.parent
_DATA: Final = ROOT / "tests" / "data"
_NO_TOOL: Final = ("seed-", "sets")
"""what is stored beside the numbers of tools: worked examples of notebooks, and plain sets of characters"""
_HEAD: Final = """# How it is tested

Each line is a comparison that runs with the tests, and the command that repeats it; files are those of the repository.
The numbers are counted from the tests and their data by `scripts/tested-page`: those of data are exact, those that
grow with the tests are rounded down to their first digit.
"""
_TAIL: Final = """## What is not in the repository

The outputs of trec_eval, gdeval and rbp_eval for TREC's collections belong to others. `scripts/test --thorough`
compares with them in `tests/collections_of_others`, where they lie beside the repository. What this page lists, every
reader can repeat.

`scripts/test --quick` runs a part in a minute, `scripts/test` all of it ([CONTRIBUTING](../CONTRIBUTING.md)). What the
tools give that no convention of rankworth reproduces is [listed with its reason](conventions/reproduced.md); speed and
memory are [measured](howto/how-fast.md).
"""
_GROWING: Final = re.compile(r"at least ([\d,]+)")


class Line(NamedTuple):
    """A line of the page.

    Attributes:
        text: what is compared, with `{}` for each number.
        numbers: the numbers, as they are shown.
        tests: the file or folder of the tests.
        options: what else the command says.

    """

    text: str
    numbers: Sequence[str]
    tests: str
    options: str = ""

    def __str__(self) -> str:
        return f"| {self.text.format(*self.numbers)} | `scripts/test {self.tests}{self.options}` |"


def page() -> str:
    """Return the page."""
    sys.path.insert(0, str(ROOT / "tests"))
    parts = [_HEAD]
    for title, sentence, lines in (
        ("Numbers that other tools gave", _of_tools(), [*_stored(), *_live()]),
        (
            "Counted out and simulated",
            "What a formula or a shortcut gives, beside trying everything.",
            [*_counted_out()],
        ),
        (
            "Inputs that are wrong, damaged or hostile",
            "Each gives the right number or a message that says what to do.",
            [*_bad()],
        ),
        (
            "Everything by everything",
            "What holds for one measure, setting or way of reading holds for all.",
            [*_laws()],
        ),
    ):
        rows = "\n".join(map(str, lines))
        parts.append(f"## {title}\n\n{sentence}\n\n| compared | repeat it |\n|---|---|\n{rows}\n")
    parts.append(_TAIL)
    return "\n".join(parts)


def stored(name: str) -> Any:  # noqa: ANN401 - as the file has it
    """Return the data of a file of tests/data."""
    path = _DATA / name
    return json.loads(gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes())


def at_least(number: int) -> str:
    """Return a number that grows, rounded down to its first digit.

    >>> at_least(6789), at_least(40), at_least(7)
    ('at least 6,000', 'at least 40', 'at least 7')
    """
    unit = 10 ** (len(str(number)) - 1)
    return f"at least {number // unit * unit:,}"


def is_true(text: str) -> bool:
    """Whether a page says what is counted now; numbers that grew since do not make it wrong."""
    now = page()
    said, counted = ([int(number.replace(",", "")) for number in _GROWING.findall(each)] for each in (text, now))
    return _GROWING.sub("", text) == _GROWING.sub("", now) and all(
        before <= after for before, after in zip(said, counted, strict=True)
    )


def leaves(value: object) -> int:
    """Count the numbers of nested lists and dicts."""
    if isinstance(value, Mapping):
        return sum(map(leaves, value.values()))
    if isinstance(value, list):
        return sum(map(leaves, value))
    return isinstance(value, int | float)


def tools_stored() -> Mapping[str, set[str]]:
    """Return the tools whose numbers each file of tests/data holds, in lower case and without versions."""
    named = {
        "golden.json.gz": {record["tool"] for record in stored("golden.json.gz")["records"]},
        "fusion.json.gz": {case["tool"] for case in stored("fusion.json.gz")["cases"]},
        "groups.json.gz": {case["tool"] for case in stored("groups.json.gz")["cases"]},
        "spans.json.gz": {case["tool"] for case in stored("spans.json.gz")["cases"]},
        "lists.json": {tool["tool"] for tool in stored("lists.json")["tools"].values()},
        "rankers.json.gz": set(stored("rankers.json.gz")["tools"]),
        "recommended_lists.json.gz": set(stored("recommended_lists.json.gz")["versions"]),
        "sentence_transformers.json": {"sentence-transformers"},
    }
    words = {file: {tool.partition(" ")[0].lower() for tool in tools} for file, tools in named.items()}
    return {
        file: {"qdrant" if tool.startswith("qdrant") else tool for tool in tools if not tool.startswith(_NO_TOOL)}
        for file, tools in words.items()
    }


def _of_tools() -> str:
    number = len(set.union(*tools_stored().values()))
    told = f"Numbers of {number} tools are stored in `tests/data`, each with the version that gave it"
    return f"{told} ([where they come from](../tests/data/SOURCE.md))."


def _stored() -> Iterator[Line]:
    tools = {file: len(names) for file, names in tools_stored().items()}
    golden = stored("golden.json.gz")
    numbers = [f"{len(golden['records']):,}", f"{tools['golden.json.gz']}", f"{len(golden['inputs'])}"]
    yield Line(
        "{} numbers and refusals of {} tools and 4 notebooks for {} small hard cases",
        numbers,
        "tests/parity/test_golden.py",
    )
    cases = len(stored("fusion.json.gz")["cases"])
    yield Line(
        "{} fused rankings of {} libraries and engines",
        [f"{cases:,}", f"{tools['fusion.json.gz']}"],
        "tests/test_fusion_tools.py",
    )
    rankers = stored("rankers.json.gz")
    numbers = [f"{leaves(list(rankers['tools'].values())):,}", f"{tools['rankers.json.gz']}"]
    yield Line(
        "{} values of groups of rows by {} libraries that learn to rank",
        numbers,
        "tests/parity/test_ranker_profiles.py",
    )
    lists = stored("recommended_lists.json.gz")
    numbers = [f"{leaves(lists['values']):,}", f"{tools['recommended_lists.json.gz']}"]
    yield Line("{} values of users by {} tools for recommenders", numbers, "tests/parity/test_recommended_lists.py")
    cases = len(stored("groups.json.gz")["cases"])
    text = "{} cases of gold in groups, or that must all be found, by {} tools"
    yield Line(text, [f"{cases}", f"{tools['groups.json.gz']}"], "tests/parity/test_groups.py")
    spans = stored("spans.json.gz")["cases"]
    yield Line(
        "{} cases of gold as spans of text, by tools and by sets of characters",
        [f"{len(spans)}"],
        "tests/test_spans.py",
    )
    text = "{} values of the evaluator of sentence-transformers"
    transformers = [case for name, case in stored("sentence_transformers.json").items() if name != "made by"]
    yield Line(text, [f"{leaves(transformers):,}"], "tests/test_sentence_transformers.py")
    worked = len(stored("notebook_cases.json"))
    yield Line("{} values of worked examples", [f"{worked}"], "tests/parity/test_notebooks.py")
    from reference_values import EXAMPLES, REFERENCES  # noqa: PLC0415 - of the tests

    text = "{} values of measures as papers and tools state them"
    yield Line(text, [at_least(len(EXAMPLES) + len(REFERENCES))], "tests/test_reference.py")


def _live() -> Iterator[Line]:
    from test_live import AGREED  # noqa: PLC0415 - of the tests

    text = "{} numbers of {} tools that are installed and run on drawn collections"
    yield Line(text, [at_least(sum(AGREED.values())), f"{len(AGREED)}"], "tests/test_live.py")


def _counted_out() -> Iterator[Line]:
    from test_bounds import VARIANTS  # noqa: PLC0415 - of the tests

    text = "bounds of {} variants of measures, beside all orders of ties and all grades of unjudged documents"
    yield Line(text, [at_least(len(VARIANTS))], "tests/test_bounds.py")
    yield Line(
        "intervals, beside the tests that they invert, and coverage and levels of tests by simulation",
        [],
        "tests/test_inversion.py tests/test_statistics_simulated.py",
    )
    from departures import MEASURES, changes_of  # noqa: PLC0415 - of the tests

    changes = sum(1 for measure in MEASURES for _ in changes_of(measure))
    text = "conventions drawn of {} that differ from the usual ones: `audit` names each that was planted"
    yield Line(text, [at_least(changes)], "tests/test_audit.py")


def _bad() -> Iterator[Line]:
    from bombs import BOMBS  # noqa: PLC0415 - of the tests
    from planted import KINDS  # noqa: PLC0415
    from refusals import cells  # noqa: PLC0415
    from test_fuzz import DAMAGED, DRAWN, READERS, WRITTEN  # noqa: PLC0415
    from test_shapes import EVERY  # noqa: PLC0415

    text = "{} bad inputs by fault and reader, and what is said of each"
    yield Line(text, [at_least(sum(1 for _ in cells()))], "tests/test_refusals.py")
    drawn = len(READERS) * (WRITTEN + DAMAGED) + DRAWN
    text = "{} files that are made up or damaged, beside readers without a thought of speed"
    yield Line(text, [at_least(drawn)], "tests/test_fuzz.py")
    yield Line("{} small files that would fill the memory", [at_least(len(BOMBS))], "tests/test_bombs.py")
    yield Line(
        "{} shapes of files that people bring, to the right number", [at_least(len(EVERY))], "tests/test_shapes.py"
    )
    yield Line(
        "{} kinds of defects, planted in sound data: `check` finds each", [at_least(len(KINDS))], "tests/test_check.py"
    )
    text = "{} edits of a results file, of which none is read"
    yield Line(text, [_edits()], "tests/test_edited_results.py")
    yield Line("what messages propose, followed to a number", [], "tests/test_remedies.py")


def _edits() -> str:
    """Return the number of edits that the test itself asks for at least."""
    text = (ROOT / "tests" / "test_edited_results.py").read_text("utf-8")
    [number] = re.findall(r"assert count > ([\d_]+)", text)
    return f"at least {int(number):,}"


def _laws() -> Iterator[Line]:
    from corpus.running import cases, subjects  # noqa: PLC0415 - of the tests
    from rankworth.measures import CATALOGUE  # noqa: PLC0415
    from reading_law import DOORS, FORMS  # noqa: PLC0415
    from settings_matrix import ANALYSES, SINGLE  # noqa: PLC0415
    from test_explanation_laws import RANKINGS  # noqa: PLC0415
    from test_measure_laws import VARIANTS  # noqa: PLC0415

    laws = len(re.findall(r"(?m)^def test_", (ROOT / "tests" / "test_measure_laws.py").read_text("utf-8")))
    text = "{} laws of measures, over {} measures in {} variants"
    numbers = [at_least(laws), at_least(len(CATALOGUE)), at_least(len(VARIANTS))]
    yield Line(text, numbers, "tests/test_measure_laws.py")
    text = (
        "the explanation of a value, which is the value bit for bit: {} rankings for each measure, under all profiles"
    )
    yield Line(text, [f"{RANKINGS}"], "tests/test_explanation_laws.py")
    text = "{} values of settings before {} analyses, alone and in pairs"
    yield Line(text, [at_least(len(SINGLE)), at_least(len(ANALYSES))], "tests/test_settings_matrix.py")
    text = "tables that are drawn, in {} forms, by {} ways of reading them"
    yield Line(text, [at_least(len(FORMS)), at_least(len(DOORS))], "tests/test_reading_law.py")
    stored_cases = sum(len(cases(subject)) for subject in subjects())
    yield Line("{} commands and calls, and what each gave before", [at_least(stored_cases)], "tests/test_corpus.py")
    pages = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
    shown = sum(len(re.findall(r"(?m)^(?:\$ |>>> )", path.read_text("utf-8"))) for path in pages)
    text = "{} commands and lines of Python on the pages, which print what they show"
    yield Line(text, [at_least(shown)], "README.md docs")
