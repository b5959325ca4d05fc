"""Other tools are run on random collections: their numbers are those of their profiles, and so are their refusals.

`python tests/live/many.py --collections 5000` does the same with more of them, and shows the smallest collection on
which something does not agree.
"""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any, Final

import pytest

from golden.records import CASES, RECORDS, Record
from live import environments
from live.comparing import Tally, compare
from live.lines import ERROR
from live.random_collections import Traits, collection
from live.runners import Runner
from live.tools import TOOLS, Tool

Collection = dict[str, Any]

SIZES: Final = {
    "pytrec_eval-terrier": 40,
    "ir_measures": 25,
    "ranx": 20,
    "scikit-learn": 40,
    "RecTools": 25,
    "RePlay": 60,
    "recommenders": 20,
    "beir": 100,
}
"""collections for each way of calling a tool"""
AGREED: Final = {
    "pytrec_eval-terrier": 22000,
    "ir_measures": 4400,
    "ranx": 5500,
    "scikit-learn": 1600,
    "RecTools": 1500,
    "RePlay": 4800,
    "recommenders": 600,
    "beir": 2500,
}
"""numbers that agree on them, at least"""
LEFT_OUT: Final = {
    "ir_measures": {
        "gdeval.pl and two query ids that are one number": 16,
        "Compat beside scores of 0 and below: what was not retrieved has score 0 in the ideal ranking": 20,
        "Compat beside equal scores: the ideal ranking has them in the order of the judgements": 14,
        "Accuracy of a list without a document that is not relevant: a division by zero": 8,
        "a query that is judged only negatively: pytrec_eval-terrier reads memory at random, and may not return": 2,
    },
    "ranx": {
        "bpref beside a query without relevant documents: 0 for all queries that the same thread has after it": 7,
    },
    "RecTools": {"MAP where a document is judged twice": 16},
    "beir": {
        "a query that is judged only negatively: pytrec_eval-terrier reads memory at random, and may not return": 4,
    },
}
"""what is not compared, by the reason: a measure of a collection, or a whole collection"""
CHECKED: Final = ("C01", "C03_", "C05", "C09", "C10", "C11", "C20")
"""cases of the golden data that tell ways of handing over apart"""
RECORDED: Final[dict[tuple[str, str], list[Record]]] = defaultdict(list)
"""what tools gave for each case"""
for record in RECORDS:
    RECORDED[record.tool, record.case].append(record)


@pytest.fixture(scope="module", params=TOOLS, ids=lambda tool: tool.name)
def running(request: pytest.FixtureRequest) -> Iterator[tuple[Tool, Runner]]:
    """Give a tool and the process that it runs in."""
    tool: Tool = request.param
    if reason := environments.missing(tool.environment):
        pytest.fail(f"{tool.name} cannot be run: {reason}", pytrace=False)
    if tool.name == "ranx":
        yield tool, request.getfixturevalue("ranx_runner")
        return
    with Runner(tool) as runner:
        yield tool, runner


def test_the_runners_give_what_was_recorded_for_the_golden_cases(running: tuple[Tool, Runner]) -> None:
    tool, runner = running
    compared = 0
    for how in tool.hows:
        for case, rows in CASES.items():
            records = [one for one in RECORDED[tool.name, case] if one.called == ("" if how == "custom" else how)]
            handed = {"qrels": rows.qrels, "run": rows.run, "empty_queries": rows.empty}
            if not case.startswith(CHECKED) or tool.unfit(how, handed):
                continue
            answer = runner.answer(handed, how)
            for record in records:
                if record.measure in answer and ERROR not in answer[record.measure]:
                    found = answer[record.measure].get(record.query)
                    assert found == pytest.approx(record.expected, rel=1e-12, abs=1e-12, nan_ok=True), record
                    compared += 1
    assert compared > 100


def test_numbers_and_refusals_of_random_collections_are_those_of_the_profile(running: tuple[Tool, Runner]) -> None:
    tool, runner = running
    tally = Tally()
    for how in tool.hows:
        for seed in range(SIZES[tool.name]):
            compare(tool, how, collection(f"{tool.name} {how} {seed}", tool.traits), runner, tally)
    if found := tally.disagreements:
        counts = Counter(f"{one.measure} ({one.how})" for one in found)
        by_hand = f"python tests/live/many.py --collections 50 --tools {tool.name}"
        pytest.fail(f"{dict(counts)}\nfor example {found[0]}\nsmaller ones: {by_hand}", pytrace=False)
    assert tally.agreed >= AGREED[tool.name]
    assert dict(tally.left_out) == LEFT_OUT.get(tool.name, {})


def test_a_seed_stands_for_one_collection() -> None:
    assert collection(7, Traits()) == collection(7, Traits())
    assert collection(7, Traits()) != collection(8, Traits())


def listed(rows: Collection) -> dict[str, list[tuple[str, float]]]:
    """Documents and scores by query."""
    lists: dict[str, list[tuple[str, float]]] = {}
    for query, document, _, score in rows["run"]:
        lists.setdefault(query, []).append((document, score))
    return lists


def apart(rows: Collection) -> bool:
    """Whether rows of a query have rows of another one between them."""
    queries = [query for query, *_ in rows["run"]]
    blocks = 1 + sum(one != other for one, other in pairwise(queries))
    return blocks > len(set(queries))


def judged(rows: Collection) -> set[tuple[str, str]]:
    """The pairs of query and document that have a grade."""
    return {(query, document) for query, document, _ in rows["qrels"]}


def retrieved(rows: Collection) -> set[tuple[str, str]]:
    """The pairs of query and document that are ranked."""
    return {(query, document) for query, document, *_ in rows["run"]}


HELD: Final[dict[str, Callable[[Collection], bool]]] = {
    "ties": lambda rows: any(len({score for _, score in one}) < len(one) for one in listed(rows).values()),
    "a judged query that the run lacks": lambda rows: bool({query for query, _ in judged(rows)} - set(listed(rows))),
    "a query that nobody judged": lambda rows: bool(set(listed(rows)) - {query for query, _ in judged(rows)}),
    "grades above 1": lambda rows: any(grade > 1 for *_, grade in rows["qrels"]),
    "negative grades": lambda rows: any(grade < 0 for *_, grade in rows["qrels"]),
    "fractional grades": lambda rows: any(grade % 1 for *_, grade in rows["qrels"]),
    "unjudged documents": lambda rows: bool(retrieved(rows) - judged(rows)),
    "lists of one document": lambda rows: any(len(one) == 1 for one in listed(rows).values()),
    "lists of more than 15 documents": lambda rows: any(len(one) > 15 for one in listed(rows).values()),
    "relevant documents that were not retrieved": lambda rows: any(
        grade > 0 and (query, document) not in retrieved(rows) for query, document, grade in rows["qrels"]
    ),
    "ids that are not ASCII": lambda rows: any(not (query + document).isascii() for query, document in judged(rows)),
    "zero-padded ids of queries": lambda rows: any(query.startswith("0") for query, _ in judged(rows)),
    "zero-padded ids of documents": lambda rows: any(document.startswith("00") for _, document in judged(rows)),
    "rows of queries that stand apart": apart,
    "rows that are not in the order of scores": lambda rows: any(
        one != sorted(one, key=lambda row: -row[1]) for one in listed(rows).values()
    ),
    "ranks that leave some out": lambda rows: any(rank > len(rows["run"]) for *_, rank, _ in rows["run"]),
    "negative scores": lambda rows: any(score < 0 for *_, score in rows["run"]),
    "queries without documents": lambda rows: bool(rows["empty_queries"]),
    "a document that appears twice": lambda rows: len(retrieved(rows)) < len(rows["run"]),
    "a judgement that appears twice": lambda rows: len(judged(rows)) < len(rows["qrels"]),
}


@pytest.mark.parametrize("what", HELD)
def test_random_collections_hold_everything_often(what: str) -> None:
    drawn = [collection(seed, Traits(empty=True, duplicates=True)) for seed in range(300)]
    assert 10 <= sum(HELD[what](rows) for rows in drawn) < 300


def test_a_tool_gets_nothing_that_it_leaves_open() -> None:
    drawn = [collection(seed, Traits(long_ties=False, others=False)) for seed in range(300)]
    lists = [one for rows in drawn for one in listed(rows).values()]
    assert not [one for one in lists if len(one) > 15 and len({score for _, score in one}) < len(one)]
    assert {what for rows in drawn for what, holds in HELD.items() if holds(rows)} == set(HELD) - {
        "a judged query that the run lacks",
        "a query that nobody judged",
        "queries without documents",
        "a document that appears twice",
        "a judgement that appears twice",
    }


def test_an_environment_that_is_not_there_is_named_with_the_command_that_makes_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(environments.sys, "prefix", str(tmp_path))
    folder = tmp_path / "tools" / "recommending"
    there = f"the environment {folder} of tools to compare with"
    assert environments.missing("recommending") == f"{there} is not there: ./scripts/test makes it"
    folder.mkdir(parents=True)
    (folder / "made-from.txt").write_text("rectools==0.1\n", encoding="utf-8")
    assert environments.missing("recommending") == f"{there} was made from other versions: ./scripts/test makes it"
    assert environments.missing(environments.OWN) is None
