"""What is given beside judgements and run says how many of the run's users and items it has, at every door."""

import json
import math
import warnings
from collections.abc import Callable
from datetime import date
from pathlib import Path
from typing import Any, Final

import numpy as np
import pandas as pd
import polars as pl
import pytest

import rankworth as rw
from helpers import command_of

QRELS: Final = {"u01": {"a01": 1}, "u02": {"b01": 1}}
RUN: Final = {"u01": {"a01": 2.0, "b01": 1.0}, "u02": {"b01": 2.0, "c01": 1.0}}
SLUGS: Final = ("partial-match", "no-match", "missing-value", "unjudged-queries")
"""what is said of inputs that lack something"""

Given = dict[str, Any]


def users_of(items: set[str]) -> list[str]:
    """The user to whom each of the first two items is relevant, and nobody of the run for all others."""
    return sorted({{"a01": "u01", "b01": "u02", "c01": "u02"}.get(item, "u09") for item in items})


INPUTS: Final[dict[str, tuple[list[str], Callable[[set[str]], Any], tuple[str, str], tuple[str, str]]]] = {
    # measures; from the ids that are to meet, the input; what is said of half, and of nothing: slug and counts
    "history": (
        ["ARP@2"],
        lambda items: dict.fromkeys(("u01", "u02"), sorted(items)),
        ("partial-match", "the history has 1 of 3 items of"),
        ("no-match", "the history has 0 of 3 items of"),
    ),
    "history of users": (
        ["Unseen@2"],
        lambda items: {key: ["a01"] for key in users_of(items)},
        ("partial-match", "the history has 1 of 2 users of"),
        ("partial-match", "the history has 0 of 2 users of"),
    ),
    "items": (
        ["ILD@2"],
        lambda items: {item: {"kind": "x"} for item in items},
        ("partial-match", "has 1 of 3 items of"),
        ("no-match", "has 0 of 3 items of"),
    ),
    "expected_run": (
        ["Unexpectedness@2"],
        lambda items: {key: ["a01"] for key in users_of(items)},
        ("partial-match", "the expected run has 1 of 2 users of"),
        ("partial-match", "the expected run has 0 of 2 users of"),
    ),
    "weights": (
        ["RR"],
        lambda items: dict.fromkeys(users_of(items), 2.0),
        ("missing-value", "1 of 2 scored queries have no weight"),
        ("missing-value", "2 of 2 scored queries have no weight"),
    ),
    "queries": (
        ["RR"],
        users_of,
        ("", ""),
        ("unjudged-queries", "1 of the 1 query asked for is not judged"),
    ),
}
STATES: Final[dict[str, set[str]]] = {"all": {"a01", "b01", "c01"}, "some": {"a01"}, "none": {"x01"}}


def given(name: str, state: str) -> Given:
    """The keyword of an input in one of its states."""
    return {name.partition(" ")[0]: INPUTS[name][1](STATES[state])}


def of_python(measures: list[str], data: Given) -> list[tuple[str, str]]:
    """What `evaluate` says."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        rw.evaluate(QRELS, RUN, measures, **data)
    return [(each.message.slug, str(each.message)) for each in caught if isinstance(each.message, rw.RankworthWarning)]


def of_several_runs(measures: list[str], data: Given) -> list[tuple[str, str]]:
    """What stands beside the values of each of several runs."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        values = rw.evaluate_runs(QRELS, {"old": RUN, "new": RUN}, measures, **data)
    assert values["old"].notices[:0] == ()
    return [tuple(notice) for notice in values["new"].notices]


def of_comparison(measures: list[str], data: Given) -> list[tuple[str, str]]:
    """What a comparison says."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        compared = rw.compare(QRELS, {"old": RUN, "new": RUN}, measures, resamples=20, **data)
    return list(compared.warnings)


def of_embeddings(measures: list[str], data: Given) -> list[tuple[str, str]]:
    """What exact search over vectors says, whose run is the same."""
    vectors = np.array([[2.0, 1.0, 0.0], [0.0, 2.0, 1.0]])
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        rw.evaluate_embeddings(
            vectors,
            np.eye(3),
            QRELS,
            measures,
            query_ids=["u01", "u02"],
            corpus_ids=["a01", "b01", "c01"],
            similarity="dot",
            depth=2,
            **data,
        )
    return [(each.message.slug, str(each.message)) for each in caught if isinstance(each.message, rw.RankworthWarning)]


DOORS: Final = {
    "evaluate": of_python,
    "evaluate_runs": of_several_runs,
    "compare": of_comparison,
    "evaluate_embeddings": of_embeddings,
}


@pytest.mark.parametrize("state", STATES)
@pytest.mark.parametrize(
    ("door", "name"),
    [(door, name) for door in DOORS for name in INPUTS if (door, name) != ("evaluate_embeddings", "queries")],
)
def test_an_input_says_how_much_of_the_run_it_has(door: str, name: str, state: str) -> None:
    measures, _, some, none = INPUTS[name]
    slug, words = {"all": ("", ""), "some": some, "none": none}[state]
    try:
        said = DOORS[door](measures, given(name, state))
    except rw.RankworthError as error:
        said = [(error.slug, str(error))]
    told = [(each, text) for each, text in said if each in SLUGS]
    assert {each for each, _ in told} == ({slug} if slug else set()), said
    assert all(words in text for _, text in told)


@pytest.mark.parametrize("state", STATES)
@pytest.mark.parametrize("name", ["history", "history of users", "items", "expected_run"])
def test_commands_say_it_too(name: str, state: str, tmp_path: Path, capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    measures, _, some, none = INPUTS[name]
    [(keyword, value)] = given(name, state).items()
    files = {"qrels.json": QRELS, "run.json": RUN, "input.json": value}
    if keyword == "items":
        files["input.json"] = [{"item_id": item, **cells} for item, cells in value.items()]
    for file, content in files.items():
        (tmp_path / file).write_text(json.dumps(content))
    paths = [str(tmp_path / file) for file in files]
    option = f"--{keyword.replace('_', '-')}"
    status, out, err = command_of(capfdbinary)(
        *("evaluate", *paths[:2], "-m", *measures, option, paths[2], "-f", "json")
    )
    slug, words = {"all": ("", ""), "some": some, "none": none}[state]
    assert (status != 0) == (slug == "no-match")
    said = " ".join((err + out).split())
    assert [each for each in SLUGS if f"[{each}]" in said or f'"{each}"' in said] == ([slug] if slug else [])
    assert words in said


def test_ids_of_another_form_are_named() -> None:
    found = {}
    for name, value in {
        "history": {"u01": ["a1", "b1"]},
        "items": {"a1": {"kind": "x"}},
        "expected_run": {"u01": {"a1": 1.0}},
    }.items():
        with pytest.raises(rw.InputError, match="differ in leading zeros") as caught:
            rw.evaluate(
                QRELS,
                RUN,
                ["Unseen@2", "Coverage@2", "Unexpectedness@2"],
                **{"history": {"u01": ["a01"]}, "items": {"a01": {}}, "expected_run": RUN} | {name: value},
            )
        found[name] = caught.value.slug
    assert set(found.values()) == {"no-match"}


def test_users_of_another_form_are_refused_where_a_measure_would_give_them_a_value() -> None:
    history = {"u1": ["a01", "b01", "c01"], "u2": ["a01"]}
    with pytest.raises(rw.InputError, match="'u1' in the input, 'u01' in the run"):
        rw.evaluate(QRELS, RUN, ["Unseen@2"], history=history)
    assert rw.evaluate(QRELS, RUN, ["ARP@1"], history=history)["ARP@1"] == (2 + 1) / 2


def test_some_queries_of_a_run_may_have_new_items_only() -> None:
    with pytest.warns(rw.RankworthWarning, match="has 0 of 2 items of the run"):
        rw.evaluate(
            {**QRELS, "u03": {"z": 1}},
            {**RUN, "u03": {"y": 2.0, "x": 1.0}},
            ["ARP@2"],
            queries=["u03"],
            history={"u01": ["a01"]},
        )


def test_judged_items_are_not_strange_to_an_input() -> None:
    with pytest.warns(rw.RankworthWarning, match="has 0 of 2 items of the run"):
        rw.evaluate({"u1": {"a": 1}}, {"u1": ["x", "y"]}, ["SelfInformation@2"], history={"u2": ["a"], "u3": ["b"]})


CELLS: Final = {
    "text": ["x", "", "y|z"],
    "numbers": [1, 2, 3],
    "fractions": [0.5, math.nan, 2.0],
    "truths": [True, False, True],
    "nothing": [None, "x", None],
    "lists": [["x", "y"], [], ["z"]],
    "days": [date(2026, 1, day) for day in (1, 2, 3)],
}
"""columns of a table of items"""


@pytest.mark.filterwarnings("ignore::rankworth.RankworthWarning")
@pytest.mark.parametrize("library", ["polars", "pandas"])
@pytest.mark.parametrize("name", CELLS)
def test_a_table_of_items_has_the_same_cells_by_columns_and_by_rows(name: str, library: str) -> None:
    items = ["a01", "b01", "c01"]
    rows = [{"item": item, name: cell} for item, cell in zip(items, CELLS[name], strict=True)]
    rows[1] = {**rows[1], "more": None}  # so that rows differ in their names, and each is read by itself
    columns = {"item": items, name: CELLS[name], "more": [None] * 3}
    frame = pl.DataFrame(columns, strict=False) if library == "polars" else pd.DataFrame(columns)
    signatures = {
        rw.evaluate(QRELS, RUN, ["Coverage@1"], items=table).signature.partition("items:")[2].partition("|")[0]
        for table in (
            frame,
            [{"more": None, **row} for row in rows],
            {row["item"]: {**row} for row in columns_of(frame)},
        )
    }
    assert len(signatures) == 1


def columns_of(frame: Any) -> list[dict[str, Any]]:
    """The rows of a frame."""
    return frame.to_dicts() if isinstance(frame, pl.DataFrame) else frame.to_dict("records")


@pytest.mark.parametrize(
    ("items", "text"),
    [
        (["a01", None, "c01"], "row 1: there is no document"),
        (["a01", "", "c01"], "row 1: there is no document"),
        (["a01", "a01", "c01"], "item a01 is there again with another column"),
        (["a01", "\ud800", "c01"], r"row 1: the item '\\ud800' is no valid text"),
    ],
    ids=["none", "empty", "twice", "half a sign"],
)
def test_an_item_that_is_refused_is_named_with_its_row(items: list[str | None], text: str) -> None:
    table = [{"item": item, "group": group} for item, group in zip(items, "xyz", strict=True)]
    with pytest.raises(rw.InputError, match=text):
        rw.evaluate(QRELS, RUN, ["Coverage@1"], items=table)


@pytest.mark.filterwarnings("ignore::rankworth.RankworthWarning")
def test_users_that_are_judged_or_not_count_in_coverage_alike() -> None:
    run = {f"u{number}": {f"i{number % 7}": 1.0} for number in range(50)}
    items = {f"i{number}": {} for number in range(10)}
    assert rw.evaluate({"u1": {"i1": 1}}, run, ["Coverage@1"], items=items, extra="zero")["Coverage@1"] == 7 / 10


@pytest.mark.filterwarnings("ignore::rankworth.RankworthWarning")
def test_ranks_that_scores_are_made_of_are_those_of_the_column() -> None:
    rows = [("u01", "b01", 1), ("u01", "a01", 2), ("u02", "c01", 1), ("u02", "b01", 1)]
    frame = pl.DataFrame(rows, ["query", "document", "rank"], orient="row")
    named = {"query": "query", "document": "document", "score": "-rank"}
    for told in ({}, {"run_columns": named}):
        values = rw.evaluate(QRELS, frame, ["R@1"], order="rank", **told)
        assert values.per_query.to_dict() == {"u01": {"R@1": 0}, "u02": {"R@1": 1}}
