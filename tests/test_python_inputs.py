"""Shapes that Python programs have: rows, lists by query, lists without queries, labels; read right or refused."""

import collections
import csv
import io
import json
import math
import pickle
import re
import subprocess
import sys
import uuid
from collections.abc import Callable
from decimal import Decimal
from functools import partial
from pathlib import Path
from types import SimpleNamespace
from typing import Any, Final, Self

import datasets
import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from ir_datasets.formats import TrecQrel, TrecSubQrel
from ir_measures import Qrel, ScoredDoc

import rankworth as rw
from inputs import columns_of, rows_of
from rankworth.errors import InputError, UsageError
from rankworth.io import python_objects
from rankworth.io.labels import ranked
from rankworth.io.layout import QRELS as JUDGED_LAYOUT
from rankworth.io.layout import RUN as RUN_LAYOUT

Dicts = dict[str, dict[str, float]]
NAMES = ("query", "document", "score")
JUDGEMENTS: Dicts = {"q1": {"d1": 2, "d2": 0}, "q2": {"d1": 1}}
RUN: Dicts = {"q1": {"d2": 0.5, "d1": 0.25}, "10": {"d1": 1e9, "7": -3.0, "é": 0.0}}


def reader(value: str = "score", name: str = "", **settings: Any) -> python_objects.Reader:
    layout = RUN_LAYOUT if value == "score" else JUDGED_LAYOUT
    return python_objects.Reader(layout, name or ("the run" if value == "score" else "the judgements"), **settings)


def read(source: object, value: str = "score", **settings: Any) -> dict[str, dict[str, float]]:
    """Whatever was read, as dicts."""
    found = reader(value, **settings).read(source)
    assert found is not None
    if isinstance(found, dict):
        return found
    assert found.schema == {"query": pl.String, "document": pl.String, value: pl.Float64} | (
        {"subtopic": pl.String} if "subtopic" in found.columns else {}
    )
    dicts: Dicts = {}
    for query, document, number in found.select("query", "document", value).iter_rows():
        dicts.setdefault(query, {})[document] = number
    assert sum(map(len, dicts.values())) == found.height
    return dicts


@pytest.mark.parametrize(
    "numbers",
    [[True, False], [Decimal("0.5"), 2], [np.float32(0.5), np.int8(3)], [math.inf, -math.inf], [10**30, 0.1]],
)
def test_numbers_of_all_libraries_are_scores(numbers: list[Any]) -> None:
    wanted = {"q": {str(place): float(number) for place, number in enumerate(numbers)}}
    assert read([("q", str(place), number) for place, number in enumerate(numbers)]) == wanted
    pairs = read({"q": [(str(place), number) for place, number in enumerate(numbers)]})
    assert {document: float(number) for document, number in pairs["q"].items()} == wanted["q"]


def test_ids_are_compared_as_text() -> None:
    rows = [(1, 2**70, 0.5), (np.int64(1), "b", 0.25), (np.str_("x"), np.uint8(7), 0.125)]
    wanted = {"1": {str(2**70): 0.5, "b": 0.25}, "x": {"7": 0.125}}
    assert read(rows) == wanted
    assert read({1: [(2**70, 0.5), ("b", 0.25)], "x": [(np.uint8(7), 0.125)]}) == wanted
    assert read({1: np.array([3, 20])}) == {"1": {"3": -1, "20": -2}}
    assert read({1: pa.array([3, 20])}) == {"1": {"3": -1, "20": -2}}
    assert {type(key) for key in read({1: [3, np.str_("20")][1:]})["1"]} == {str}


def test_frames_are_frames_and_dicts_of_dicts_dicts() -> None:
    frame = pd.DataFrame(columns_of(RUN, NAMES))
    table = pa.table(columns_of(RUN, NAMES))
    for source in (RUN, frame, pl.from_pandas(frame), pl.LazyFrame(frame), table):
        assert read(source) == RUN
    assert read(duckdb.sql("select 'q' as query, 'd' as document, 1.0 as score")) == {"q": {"d": 1.0}}
    assert reader().read(RUN) is RUN
    with pytest.raises(InputError, match="3 is int, which cannot be read"):
        read(3)


def test_ids_in_lists_need_no_dataframe_library() -> None:
    program = (
        "import sys\nfrom rankworth.io.layout import QRELS, RUN\nfrom rankworth.io.python_objects import Reader\n"
        "from rankworth.io.labels import ranked\n"
        "Reader(RUN, 'x').read({'q': ['a', 'b']})\nReader(QRELS, 'x').read([[1, 2], [3]])\n"
        "Reader(RUN, 'x').read({'q': [('a', 1.5)]})\nranked([[1, 0]], scores=[[0.5, 0.25]])\n"
        "print('polars' in sys.modules, 'narwhals' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout == "False False\n"


def test_nothing_is_written_to_a_source() -> None:
    sources: list[Any] = [
        rows_of(RUN),
        {"q1": ["a", "b"], "q2": []},
        {"q1": [("a", 0.5)]},
        [{"query": "q", "documents": ["a"], "scores": [1.0]}],
        [[1, 2], [3]],
    ]
    before = repr(sources)
    for source in sources:
        read(source)
    assert repr(sources) == before


# Orders, grades and what is not there


def test_documents_without_scores_are_ranked_as_they_stand() -> None:
    assert read({"q1": ["b", "a"], "q2": ("c",)}) == {"q1": {"b": -1, "a": -2}, "q2": {"c": -1}}
    assert read([("q1", "b"), ("q2", "c"), ("q1", "a")]) == {"q1": {"b": -1, "a": -2}, "q2": {"c": -1}}
    assert read([{"query": "q", "document": "b"}, {"query": "q", "document": "a"}]) == {"q": {"b": -1, "a": -2}}
    assert read([{"query": "q", "documents": ["b", "a"], "text": "why"}]) == {"q": {"b": -1, "a": -2}}
    assert read([["b", "a"], [], ["c"]]) == {"0": {"b": -1, "a": -2}, "1": {}, "2": {"c": -1}}
    assert read([[3, 9, 1]]) == {"0": {"3": -1, "9": -2, "1": -3}}
    assert read(np.array([[3, 9], [9, 4]])) == {"0": {"3": -1, "9": -2}, "1": {"9": -1, "4": -2}}
    assert read([np.array([3, 9]), np.array([4])]) == {"0": {"3": -1, "9": -2}, "1": {"4": -1}}
    assert read([collections.deque("ba")]) == {"0": {"b": -1, "a": -2}}


def test_judgements_without_grades_are_of_grade_1() -> None:
    wanted = {"q1": {"a": 1, "b": 1}, "q2": {"c": 1}}
    assert read({"q1": ["a", "b"], "q2": {"c"}}, "grade") == wanted
    assert read([("q1", "a"), ("q1", "b"), ("q2", "c")], "grade") == wanted
    assert read({("q1", "a"), ("q1", "b"), ("q2", "c")}, "grade") == wanted
    assert read({"query": ["q1", "q1", "q2"], "document": ["a", "b", "c"]}, "grade") == wanted
    assert read([{"a", "b"}, frozenset({"c"}), set()], "grade") == {"0": {"a": 1, "b": 1}, "1": {"c": 1}, "2": {}}
    assert read([[1, 2, 3]], "grade") == {"0": {"1": 1, "2": 1, "3": 1}}
    assert read({"q": {0, 1}}, "grade") == {"q": {"0": 1, "1": 1}}


def test_queries_without_documents_stay() -> None:
    assert read({"q1": ["a"], "q2": []}, "grade") == {"q1": {"a": 1}, "q2": {}}
    assert read({"q1": [("a", 2)], "q2": set()}, "grade") == {"q1": {"a": 2}, "q2": {}}


def test_subtopics_are_kept() -> None:
    for row in (TrecQrel("q", "d", 1, "0"), Qrel("q", "d", 1, "0"), TrecSubQrel("q", "d", 1, "0")):
        frame = reader("grade").read([row])
        assert isinstance(frame, pl.DataFrame)
        assert frame.row(0, named=True) == {"query": "q", "document": "d", "grade": 1.0, "subtopic": "0"}
    some = reader("grade").read([Qrel("q", "d", 1, None), Qrel("q", "d", 1, 7)])
    assert isinstance(some, pl.DataFrame)
    assert some["subtopic"].to_list() == [None, "7"]


def test_fields_may_be_said() -> None:
    said = {"query": "term", "document": "sku", "score": "stars"}
    assert read([{"term": "q", "sku": "d", "stars": 2, "score": 9}], columns=said) == {"q": {"d": 2}}
    assert read({"term": ["q"], "sku": ["d"], "stars": [2]}, columns=said) == {"q": {"d": 2}}
    assert read([SimpleNamespace(term="q", sku="d", stars=2)], columns=said) == {"q": {"d": 2}}
    places = {"query": "1", "document": "3", "score": "5"}
    assert read([("q", "Q0", "d", 1, 0.5, "tag")], columns=places) == {"q": {"d": 0.5}}
    assert read([["1", "0", "7", "9", 0.5, "1"], ["1", "0", "8", "9", 0.25, "1"]], columns=places) == {
        "1": {"7": 0.5, "8": 0.25}
    }
    swapped = {"query": "document", "document": "query"}
    assert read([{"query": "d", "document": "q", "score": 1}], columns=swapped) == {"q": {"d": 1}}
    of_records = {"document": "sku", "score": "stars"}
    assert read({"q": [{"sku": "d", "stars": 2}]}, columns=of_records) == {"q": {"d": 2}}
    with pytest.raises(rw.InputError, match="the keys are queries, such as q, and query=term is named"):
        read({"q": [{"sku": "d", "stars": 2}]}, columns=said)


@pytest.mark.parametrize(
    ("source", "said", "problem"),
    [
        ([("q", 0, "d", 1)], {"query": "1", "document": "3", "grade": "9"}, "row 0: there is no field 9"),
        ([("q", 0, "d", 1)], {"query": "1", "document": "3"}, "row 0: there is no grade field; the fields are 1 2 3 4"),
        ([{"q": "q", "doc_id": "d", "x": 1}], {"query": "q", "grade": "y"}, "row 0: there is no field y"),
        ({"q": [{"sku": "d", "x": 1}]}, {"document": "sku", "grade": "y"}, "query 'q', item 0: there is no field y"),
    ],
)
def test_fields_that_are_said_are_there(source: object, said: dict[str, str], problem: str) -> None:
    error = refused(source, "grade", columns=said)
    assert (error.slug, error.problems[0].partition(";")[0]) == (
        "frame-columns",
        f"the judgements: {problem.partition(';')[0]}",
    )


def test_a_part_of_a_data_set_is_that_part() -> None:
    whole = datasets.Dataset.from_dict(columns_of({"q": {f"d{place}": place / 2 for place in range(9)}}, NAMES))
    assert read(whole.select([7, 2])) == {"q": {"d7": 3.5, "d2": 1.0}}
    assert read(whole.filter(lambda row: row["score"] > 3)) == {"q": {"d7": 3.5, "d8": 4.0}}
    assert read(whole[:2]) == {"q": {"d0": 0.0, "d1": 0.5}}


# Many rows


def test_rows_are_read_some_at_a_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(python_objects, "BATCH", 2)
    held = 0
    most = 0

    class Row(tuple[Any, ...]):
        __slots__ = ()

        def __new__(cls, *parts: Any) -> Self:
            nonlocal held, most
            held += 1
            most = max(most, held)
            return super().__new__(cls, parts)

        def __del__(self) -> None:
            nonlocal held
            held -= 1

    assert read(Row("q", f"d{place}", place / 2) for place in range(9)) == {
        "q": {f"d{place}": place / 2 for place in range(9)}
    }
    assert most < 6
    pairs = [("q", f"d{place}") for place in range(5)]
    assert read(iter(pairs)) == {"q": {f"d{place}": -place - 1 for place in range(5)}}
    with pytest.raises(InputError, match="row 4: the score is 'x', not a number"):
        read([*(("q", f"d{place}", 1.0) for place in range(4)), ("q", "d", "x")])
    with pytest.raises(InputError, match="row 3: the grade is inf, not a finite number"):
        read([*(("q", f"d{place}", 1.0) for place in range(3)), ("q", "d", math.inf)], "grade")
    with pytest.raises(InputError, match="row 2: the score is missing"):
        read([("q", "a", 1.0), ("q", "b", 1.0), ("q", "d")])


def test_documents_may_come_again_where_that_is_settled_later() -> None:
    frame = reader().read({"q1": [("a", 0.5), ("b", 2), ("a", 0.25)], "q2": []})
    assert isinstance(frame, pl.DataFrame)
    assert frame.rows() == [("q1", "a", 0.5), ("q1", "b", 2.0), ("q1", "a", 0.25)]
    frame = reader().read([{"query": "q", "documents": ["a", "b", "a"]}])
    assert isinstance(frame, pl.DataFrame)
    assert frame.rows() == [("q", "a", -1.0), ("q", "b", -2.0), ("q", "a", -3.0)]
    assert reader().read([["x", "y"], ["z"]]) == {
        "0": {"x": -1, "y": -2},
        "1": {"z": -1},
    }
    with pytest.raises(InputError, match="query 'q2': query q2 has no judgements"):
        reader("grade").read({"q1": ["a", "a"], "q2": []})


def test_a_row_with_a_list_may_have_one_grade_or_a_subtopic_for_all_of_it() -> None:
    assert read([{"query": "q", "documents": ["a", "b"], "grade": 2}], "grade") == {"q": {"a": 2, "b": 2}}
    for source in (
        [{"query": "q", "subtopic": 1, "documents": ["a"]}, {"query": "q", "subtopic": 2, "documents": ["b"]}],
        {"q": [Qrel("q", "a", 1, "1"), Qrel("q", "b", 1, "2")]},
    ):
        frame = reader("grade").read(source)
        assert isinstance(frame, pl.DataFrame)
        assert frame.rows() == [("q", "1", "a", 1.0), ("q", "2", "b", 1.0)]
    assert read({"q": [Qrel("q", "a", 1, "0")], "r": []}, "grade") == {"q": {"a": 1}, "r": {}}


# What is refused

LABELS = "labels go with scores or orders of the same items: labels=[[1, 0, 2]], scores=[[0.9, 0.2, 0.7]]"
SETS = "if they are ids, give sets: {'q1': {0, 1}} or [{0, 1}, ...]"
TUPLES = "rows are tuples: list(map(tuple, rows))"
NUMBERED = "lists of ids may be numbered: dict(enumerate(lists))"
RANKS = (
    "rank-or-score",
    "the scores of each query are 1, 2, 3 ... in the order given; these may be ranks",
    "a higher score is better; for ranks, leave them out and give the documents in their order",
    "if they are scores, make them floats",
)
ALIKE = "give all rows the same fields, as far as these count"
GIVE = (
    "give {query: {document: score}}, {query: [document, ...]}, rows (query, document, score), "
    "a frame (Polars, pandas, PyArrow, DuckDB, ...), or the path of a file"
)
POSITIONS = "for other rows say in which place is what, counted from 1, as in columns="
AS_TEXT = "convert the ids to text, as they are in the other input"
ROW = "ids are text or integers; a row has the fields query, document and score"
IN_FORM = "give the documents of all queries in one form"
AS_IN = "as in {'q1': ['d1', 'd2']} or {'q1': {'d1': score}}"
A_PAIR = "make all ids texts; a document with a number is a pair: [('d1', 0.5)]"
UUID = uuid.UUID(int=7)

REFUSED_RUNS: dict[str, tuple[object, tuple[str, ...]]] = {
    # rows
    "a row of another length": (
        [("q", "a", 0.5), ("q", "b")],
        ("missing-value", "row 1: the score is missing", "leave the document out, or give it a score"),
    ),
    "rows of two kinds": (
        [("q", "a", 0.5), {"query": "q", "document": "b", "score": 1}],
        ("missing-value", "row 0: the query is missing", "leave it out, or give it"),
    ),
    "a row without a field": (
        [{"query": "q", "document": "a", "score": 1}, {"query": "q", "document": "b"}],
        ("missing-value", "row 1: the score is missing", "leave the document out, or give it a score"),
    ),
    "an object without a field": (
        [SimpleNamespace(query="q", document="a", score=1), SimpleNamespace(query="q", document="b", rank=1)],
        ("missing-value", "row 1: the score is missing", "leave the document out, or give it a score"),
    ),
    "nothing among rows": (
        [("q", "a", 0.5), None],
        ("missing-value", "row 1: the query is missing", "leave it out, or give it"),
    ),
    "six fields": (
        [("q", "Q0", "d", 1, 0.5, "t")],
        (
            "input-type",
            "row 0 has 6 fields; a row is (query, document, score)",
            POSITIONS,
        ),
    ),
    "documents with scores": (
        [("d1", 0.9), ("d2", 0.5)],
        (
            "id-type",
            "row 0: the document 0.9 is float; ids are text or integers",
            AS_TEXT,
            LABELS,
        ),
    ),
    "documents with integers": (
        [("d1", 9), ("d2", 5)],
        (
            "input-type",
            "the rows may be (query, document) as well as (document, score)",
            "give (query, document, score), or for one query {'q1': [(document, score), ...]}",
        ),
    ),
    "a set of pairs": (
        {("q", "a")},
        (
            "input-type",
            "a set of (query, document) has no order",
            "give a list, best document first, or (query, document, score)",
        ),
    ),
    "ranks for scores": ([("q", "a", 1), ("q", "b", 2), ("r", "a", 1)], RANKS),
    "ranks from 0 for scores": ([("q", "a", 0), ("r", "a", 0), ("q", "b", 1)], RANKS),
    "ranks for scores by query": (
        {"q": [("a", 1), ("b", 2)]},
        (
            "rank-or-score",
            "query 'q': the scores of each query are 1, 2, 3 ... in the order given; these may be ranks",
            "a higher score is better; for ranks, leave them out and give the documents in their order",
            "if they are scores, make them floats",
        ),
    ),
    "a score of an unknown name": (
        [{"query": "q", "document": "d", "similarity": 0.5}],
        (
            "frame-columns",
            "row 0: there is no score or rank field; the fields are query document similarity",
            "say which it is: columns={'score': 'NAME'}",
        ),
    ),
    "no query": (
        [{"document": "d", "score": "x"}],
        (
            "frame-columns",
            "row 0: there is no query field; the fields are document score",
            "say which it is: columns={'query': 'NAME'}",
        ),
    ),
    "dicts without queries": (
        [{"d1": 0.5, "d2": 0.25}],
        (
            "frame-columns",
            "row 0: there is no query field, no document field and no score or rank field; the fields are d1 d2",
            "say which it is: columns={'query': 'NAME', 'document': 'NAME', 'score': 'NAME'}",
        ),
    ),
    "a plural that holds one": (
        [{"query": "q", "hits": 3, "score": 1}],
        (
            "frame-columns",
            "row 0: there is no document field; the fields are query hits score",
            "hits holds no list; say which it is: columns={'document': 'NAME'}",
        ),
    ),
    "objects that are no rows": (
        [object],
        (
            "input-type",
            "row 0 is <class 'object'>, of type type, and no document",
            "a row is a dict, a tuple, or an object with fields of its own; an id is a text, an integer or a UUID",
        ),
    ),
    "a score as text": (
        [("q", "a", "0,5")],
        ("bad-score", "row 0: the score is '0,5', not a number"),
    ),
    "no score": ([("q", "a", None)], ("missing-value", "row 0: the score is missing")),
    "a score that is no number": (
        [("q", "a", math.nan)],
        (
            "bad-score",
            "row 0: the score is nan, not a number",
            "leave out what has no finite score, or fix what made it",
        ),
    ),
    "a score beyond numbers": (
        [("q", "a", 10**400)],
        ("bad-score", "row 0: the score is 100000000000000000...0000000000000000000, not a number"),
    ),
    "a list as score": ([("q", "a", [1.0])], ("bad-score", "row 0: the score is [1.0], not a number")),
    "a missing document": (
        [("q", None, 1.0)],
        ("missing-value", "row 0: the document is missing", "leave it out, or give it"),
    ),
    "a missing query": (
        [("q", "a", 0.5), (None, "a", 1.0)],
        ("missing-value", "row 1: the query is missing", "leave it out, or give it"),
    ),
    "a float as id": (
        [("q", 1.0, 1.0)],
        ("id-type", "row 0: the document 1.0 is float; ids are text or integers", AS_TEXT),
    ),
    "a truth value as id": (
        [(True, "d", 1.0)],
        ("id-type", "row 0: the query True is bool; ids are text or integers", AS_TEXT),
    ),
    "bytes as id": (
        [("q", b"d", 1.0)],
        ("id-type", "row 0: the document b'd' is bytes; ids are text or integers", AS_TEXT),
    ),
    "half a character": (
        [("q", "a", 1.0), ("q", "\ud800", 1.0)],
        ("id-type", "row 1: the document '\\ud800' is no valid text: half of a surrogate pair is in it"),
    ),
    "lists of two lengths": (
        [{"query": "q", "documents": ["a", "b"], "scores": [0.5]}],
        (
            "frame-columns",
            "row 0: the scores are [0.5] beside a list of 2 documents",
            "give one score for each document",
        ),
    ),
    "a query in two rows of lists": (
        [{"query": "q", "documents": ["a"]}, {"query": "q", "documents": ["b"]}],
        (
            "duplicate-document",
            "row 1: query q has a list again (first: the run: row 0), so its order is not known",
            "put all documents of a query into one list, or give them scores",
        ),
    ),
    "lists with numbers of an unknown name": (
        [{"query": "q", "documents": ["a"], "similarities": [0.5]}],
        (
            "frame-columns",
            "row 0: there is no score or rank field; the fields are query documents similarities",
            "say which it is: columns={'score': 'NAME'}",
        ),
    ),
    # lists by query
    "a text for a list": (
        {"q": "d1"},
        ("input-type", "query 'q' holds 'd1', and not a list of documents", AS_IN),
    ),
    "a number for a list": (
        {"q": 5},
        ("input-type", "query 'q' holds 5, and not a list of documents", AS_IN),
    ),
    "lists and dicts": (
        {"q1": ["a"], "q2": {"b": 1}},
        ("input-type", "query 'q1' holds ['a'], and others hold dicts", IN_FORM),
    ),
    "nothing among ids": (
        {"q": ["a", None]},
        ("missing-value", "query 'q', item 1: the document is missing", "leave it out, or give it"),
    ),
    "texts and integers": (
        {"q": ["a", 3]},
        (
            "input-type",
            "query 'q' holds ['a', 3]: integers that may be labels, scores or missing values as well as ids",
            "make all ids texts; a document with its number is a pair: [('d1', 0.5)]",
        ),
    ),
    "scores for ids": (
        {"q": [0.5, 0.25]},
        (
            "id-type",
            "query 'q', item 0: the document 0.5 is float; ids are text or integers",
            AS_TEXT,
            LABELS,
        ),
    ),
    "a pair for a list": (
        {"q": ("a", 0.5)},
        ("id-type", "query 'q', item 1: the document 0.5 is float; ids are text or integers", AS_TEXT),
    ),
    "a pair of integers for a list": (
        {"q1": (7, 3), "q2": (8, 2)},
        (
            "input-type",
            "query 'q1' holds [7, 3]: integers that may be labels, scores or missing values as well as ids",
            "make all ids texts; a document with its number is a pair: [('d1', 0.5)]",
        ),
    ),
    "a run for a query": (
        {"bm25": [("q", "a", 0.5)]},
        (
            "input-type",
            "query 'bm25', item 0: ('q', 'a', 0.5) is not a pair (document, score)",
            "if these are several runs, rankworth.evaluate_runs takes {name: run, ...}",
        ),
    ),
    "a text for the score of a pair": (
        {"q": [("a", "b")]},
        (
            "bad-score",
            "query 'q', item 0: the score is 'b', not a number",
            "leave out what has no finite score, or fix what made it",
        ),
    ),
    "a row of another query": (
        {"q1": [ScoredDoc("q1", "a", 0.5), ScoredDoc("q2", "b", 0.5)]},
        ("input-type", "query 'q1', item 1 is one of query q2"),
    ),
    "a record without a document": (
        {"q": [{"name": "a", "score": 1}]},
        (
            "frame-columns",
            "query 'q', item 0: there is no document field; the fields are name score",
            "did you mean columns={'document': 'name'}?",
        ),
    ),
    "scores with an index": (
        {"q": pd.Series([3, 2], index=["a", "b"])},
        ("input-type", "query 'q' holds a Series, and not a list of documents", AS_IN),
    ),
    "a table for a query": (
        {"q": np.zeros((2, 2), dtype=int)},
        (
            "input-type",
            "query 'q' holds a ndarray, and not a list of documents",
            "columns of ids and of numbers are two arrays: (array[:, 0].astype(int), array[:, 1])",
        ),
    ),
    "a file for a query": (
        {"q": io.StringIO("d1\n")},
        ("input-type", "query 'q' holds a StringIO, and not a list of documents", AS_IN),
    ),
    "an odd id of a query": (
        {1.5: ["a"]},
        ("id-type", "the id 1.5 is float; ids are text or integers", AS_TEXT),
    ),
    "a query twice": (
        {1: ["a"], "1": ["b"]},
        (
            "duplicate-document",
            "as text, 1 id appears twice: 1",
            "ids are compared as text, so an integer and a text may be the same id; keep one of them",
        ),
    ),
    "frames by name": (
        {"bm25": pd.DataFrame(columns_of(RUN, NAMES))},
        (
            "nested-runs",
            "the dict holds a DataFrame for each of bm25",
            "take one of them; rankworth.evaluate_runs(qrels, {name: run, ...}) takes several runs",
        ),
    ),
    "data sets by split": (
        datasets.DatasetDict({"train": datasets.Dataset.from_dict(columns_of(RUN, NAMES))}),
        (
            "nested-runs",
            "the dict holds a Dataset for each of train",
            "take one of them; rankworth.evaluate_runs(qrels, {name: run, ...}) takes several runs",
        ),
    ),
    "columns without a document": (
        {"query": ["q"], "name": ["a"], "score": [0.5]},
        (
            "frame-columns",
            "row 0: there is no document field; the fields are query name score",
            "did you mean columns={'document': 'name'}?",
        ),
    ),
    "keys of three": (
        {("q", "a", "x"): 0.5},
        (
            "input-type",
            "row 0 has 4 fields; a row is (query, document, score)",
            POSITIONS,
        ),
    ),
    # lists without queries
    "lists that may be rows": (
        [["q1", "a", "0.5"], ["q1", "b", "0.25"]],
        (
            "input-type",
            "the first list holds ['q1', 'a', '0.5']: the lists may be rows of a table",
            "make all ids texts; a document with its number is a pair: [('d1', 0.5)]",
        ),
    ),
    "cells of a table": (
        csv.reader(["q1,a,0.5", "q2,b,0.25"]),
        (
            "input-type",
            "the first list holds ['q1', 'a', '0.5']: the lists may be rows of a table",
            "make all ids texts; a document with its number is a pair: [('d1', 0.5)]",
        ),
    ),
    "lines of TREC in lists": (
        [["q1", "Q0", "a", "1", "0.5", "t"], ["q2", "Q0", "b", "1", "0.25", "t"]],
        (
            "input-type",
            "the first list holds ['q1', 'Q0', 'a', '1', '0.5', 't']: the lists may be rows of a table",
            "make all ids texts; a document with its number is a pair: [('d1', 0.5)]",
        ),
    ),
    "nothing among lists": (
        [["a"], None],
        ("missing-value", "query '1' has no documents", "leave it out, or give it a list"),
    ),
    "scores without labels": (
        [[0.5, 0.25]],
        (
            "id-type",
            "query '0', item 0: the document 0.5 is float; ids are text or integers",
            AS_TEXT,
            LABELS,
        ),
    ),
    "one list of numbers": (
        [0.5, 0.25],
        (
            "input-type",
            "its first item 0.5 is float, which cannot be read",
            GIVE,
        ),
    ),
    "an array of numbers": (
        np.array([0.5, 0.25]),
        (
            "input-type",
            "its first item 0.5 is float, which cannot be read",
            GIVE,
        ),
    ),
    "lines of a file": (
        io.StringIO("q Q0 d 1 0.5 t\n"),
        (
            "input-type",
            "its first item 'q Q0 d 1 0.5 t\\n' is str, which cannot be read",
            GIVE,
        ),
    ),
    "open files": (
        [io.StringIO("q Q0 d 1 0.5 t\n")],
        (
            "input-type",
            "row 0 is",
            "a row is a dict, a tuple, or an object with fields of its own; an id is a text, an integer or a UUID",
        ),
    ),
    "one column": (
        pd.Series([0.5]),
        (
            "input-type",
            "its first item 0.5 is float, which cannot be read",
            GIVE,
        ),
    ),
    "nothing": ([], ("empty-input", "the list is empty")),
    "an empty iterator": (zip((), (), strict=True), ("empty-input", "the zip is empty")),
}


def refused(source: object, value: str = "score", **settings: Any) -> InputError:
    with pytest.raises(InputError) as caught:
        read(source, value, **settings)
    return caught.value


@pytest.mark.parametrize("case", REFUSED_RUNS)
def test_what_is_no_run_is_refused_with_the_place_and_what_helps(case: str) -> None:
    source, (slug, problem, *remedy) = REFUSED_RUNS[case]
    error = refused(source)
    assert error.slug == slug
    assert len(error.problems) == 1
    assert error.problems[0].startswith("the run: " + problem)
    assert case == "open files" or error.problems[0] == "the run: " + problem
    assert all(map(str.startswith, error.remedy.splitlines(), remedy))


REFUSED_JUDGEMENTS: dict[str, tuple[object, tuple[str, ...]]] = {
    "labels": (
        [[1, 0, 1, 1, 0], [0, 1]],
        (
            "input-type",
            "query '0' holds [1, 0, 1, 1, 0]: integers that may be labels, grades or missing values as well as ids",
            "make all ids texts; a document with its number is a pair: [('d1', 0.5)]",
        ),
    ),
    "labels of grades": (
        [[2, 0, 1]],
        (
            "input-type",
            "query '0' holds [2, 0, 1]: integers that may be labels, grades or missing values as well as ids",
            "make all ids texts; a document with its number is a pair: [('d1', 0.5)]",
        ),
    ),
    "labels by query": (
        {"q": [1, 0]},
        (
            "input-type",
            "query 'q' holds [1, 0]: integers that may be labels, grades or missing values as well as ids",
            "make all ids texts; a document with its number is a pair: [('d1', 0.5)]",
        ),
    ),
    "labels of NumPy": (
        [list(np.isin([1, 2, 3], [2]).astype(int))],
        (
            "input-type",
            (
                "query '0' holds [np.int64(0), np.int64(1), np.int64(0)]: "
                "integers that may be labels, grades or missing values as well as ids"
            ),
            "make all ids texts; a document with its number is a pair: [('d1', 0.5)]",
        ),
    ),
    "labels in rows of one length": (
        [[0, 1, 0], [1, 0, 0]],
        (
            "input-type",
            "query '0' holds [0, 1, 0]: integers that may be labels, grades or missing values as well as ids",
            "make all ids texts; a document with its number is a pair: [('d1', 0.5)]",
        ),
    ),
    "truth values": (
        [[True, False]],
        (
            "id-type",
            "query '0', item 0: the document True is bool; ids are text or integers",
            AS_TEXT,
            LABELS,
        ),
    ),
    "labels as floats": (
        [[1.0, 0.0]],
        (
            "id-type",
            "query '0', item 0: the document 1.0 is float; ids are text or integers",
            AS_TEXT,
            LABELS,
        ),
    ),
    "four fields": (
        [("q", 0, "d", 1)],
        (
            "input-type",
            "row 0 has 4 fields; a row is (query, document, grade)",
        ),
    ),
    "documents with grades": (
        [("d1", 1), ("d2", 0)],
        (
            "input-type",
            "the rows may be (query, document) as well as (document, grade)",
            "give (query, document, grade), or for one query {'q1': [(document, grade), ...]}",
        ),
    ),
    "a grade of an unknown name": (
        [{"query": "q", "document": "d", "gain": 0}],
        (
            "frame-columns",
            "row 0: there is no grade field; the fields are query document gain",
            "did you mean columns={'grade': 'gain'}?",
        ),
    ),
    "an infinite grade": (
        [("q", "d", math.inf)],
        (
            "bad-grade",
            "row 0: the grade is inf, not a finite number",
            "leave out what has no finite grade, or fix what made it",
        ),
    ),
}


@pytest.mark.parametrize("case", REFUSED_JUDGEMENTS)
def test_what_are_no_judgements_is_refused_with_the_place_and_what_helps(case: str) -> None:
    source, (slug, problem, *remedy) = REFUSED_JUDGEMENTS[case]
    error = refused(source, "grade")
    assert (error.slug, error.problems) == (slug, ("the judgements: " + problem,))
    assert all(map(str.startswith, error.remedy.splitlines(), remedy))


ANYTHING = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-3, 12)
    | st.floats()
    | st.text("ab1é\ud800 ", max_size=2)
    | st.binary(max_size=1)
    | st.just(UUID),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.lists(inner, max_size=3).map(tuple)
        | st.dictionaries(st.sampled_from(["query", "document", "score", "q1", "q2", 1, ("q", "d")]), inner, max_size=4)
        | st.frozensets(st.integers(0, 5) | st.text("ab", max_size=1), max_size=3)
    ),
    max_leaves=12,
)


@settings(max_examples=500, deadline=None)
@given(source=ANYTHING, value=st.sampled_from(["score", "grade"]))
def test_anything_is_read_or_left_or_refused(source: Any, value: str) -> None:
    before = repr(source)
    found: Any = None
    problems = ["it: "]
    try:
        found = reader(value, "it").read(source)
    except InputError as error:
        problems = list(error.problems)
    assert found is None or len(found) > 0 or found is source
    assert [problem.partition(" ")[0] for problem in problems] == ["it:"]
    assert repr(source) == before


# Labels


def test_labels_stand_in_the_order_of_the_ranking_or_beside_scores_or_orders() -> None:
    assert ranked([[0, 1], [2]]) == ({"0": {"0": 0, "1": 1}, "1": {"0": 2}}, {"0": {"0": -1, "1": -2}, "1": {"0": -1}})
    assert ranked([1, 0], scores=[0.25, 0.5]) == ({"0": {"0": 1, "1": 0}}, {"0": {"0": 0.25, "1": 0.5}})
    assert ranked([2, 3, 0], orders=[2, 0]) == ({"0": {"0": 2, "1": 3, "2": 0}}, {"0": {"2": -1, "0": -2}})


LABELLED: dict[str, tuple[object, object]] = {
    "lists": ([[1, 0], [2]], [[0.25, 0.5], [1]]),
    "tuples": (((1, 0), (2,)), ((0.25, 0.5), (1,))),
    "arrays": ([np.array([1, 0]), np.array([2])], [np.array([0.25, 0.5]), np.array([1.0])]),
    "columns": (pl.Series([[1, 0], [2]]), pa.array([[0.25, 0.5], [1.0]])),
    "series": ([pl.Series([1, 0]), pl.Series([2])], [pl.Series([0.25, 0.5]), pl.Series([1])]),
    "dicts": ({"0": [1, 0], 1: [2]}, {1: [1], "0": [0.25, 0.5]}),
    "iterators": (iter([iter([1, 0]), iter([2])]), iter([iter([0.25, 0.5]), iter([1])])),
    "truth values and floats": ([[True, False], [2.0]], [[np.float32(0.25), Decimal("0.5")], [True]]),
}


@pytest.mark.parametrize("shape", LABELLED)
def test_labels_may_have_any_shape(shape: str) -> None:
    judgements, run = ranked(*LABELLED[shape])
    assert judgements == {"0": {"0": 1, "1": 0}, "1": {"0": 2}}
    assert run == {"0": {"0": 0.25, "1": 0.5}, "1": {"0": 1}}


def test_labels_may_be_two_dimensional() -> None:
    judgements, run = ranked(np.eye(2, 12, dtype=int), scores=np.arange(24.0).reshape(2, 12))
    assert judgements["1"] == {f"{place:02d}": place == 1 for place in range(12)}
    assert run["1"] == {f"{place:02d}": 12.0 + place for place in range(12)}
    order = np.argsort(-np.arange(24.0).reshape(2, 12), axis=1)
    assert list(ranked(np.eye(2, 12), orders=order)[1]["0"]) == [f"{place:02d}" for place in range(11, -1, -1)]


@given(scores=st.lists(st.integers(0, 3), min_size=1, max_size=120))
def test_of_items_with_the_same_score_the_later_comes_first(scores: list[int]) -> None:
    _, run = ranked([0] * len(scores), scores=scores)
    order = sorted(run["0"], key=lambda item: (run["0"][item], item), reverse=True)
    assert list(map(int, order)) == np.argsort(scores, kind="stable")[::-1].tolist()


def test_an_item_without_a_label_is_ranked_and_not_judged() -> None:
    assert ranked([1, None, 0], scores=[3, 2, 1]) == ({"0": {"0": 1, "2": 0}}, {"0": {"0": 3, "1": 2, "2": 1}})
    masked = np.ma.masked_array([[1, 5, 0]], mask=[[False, True, False]])
    assert ranked(masked)[0] == {"0": {"0": 1, "2": 0}}
    assert ranked([[None, None], []]) == ({"0": {}, "1": {}}, {"0": {"0": -1, "1": -2}, "1": {}})


BAD_LABELS: dict[str, tuple[tuple[object, ...], str, str]] = {
    "an infinite label": (
        ([[1], [None, math.inf]],),
        "bad-grade",
        "labels: query '1', item 1: the label is inf, not a finite number",
    ),
    "a text": (([[1, "b"]],), "bad-grade", "labels: query '0', item 1: the label is 'b', not a number"),
    "texts": (("101",), "input-type", "labels: '101' is str, not a list of numbers"),
    "one number": ((1,), "input-type", "labels: 1 is int, not a list of numbers"),
    "sets": (([{1, 0}],), "input-type", "labels: query 0: {0, 1} is set, not a list of numbers"),
    "numbers and lists": (([1, [0]],), "input-type", "labels, item 1 is [0], not a number"),
    "lists of lists of lists": (([[[1, 0]]],), "input-type", "labels: query 0, item 0 is [1, 0], not a number"),
    "nothing": (([],), "empty-input", "labels: there is no list"),
    "no score": (([1, 0], [0.5, None]), "missing-value", "scores: query '0', item 1: the score is missing"),
    "a score that is no number": (
        ([1, 0], [0.5, math.nan]),
        "bad-score",
        "scores: query '0', item 1: the score is nan, not a number",
    ),
    "too few scores": (([1, 0], [0.5]), "input-type", "scores: query '0': there are 1 scores and 2 labels"),
    "too many lists": (
        ([[1, 0]], [[0.5, 0.25], [0.5]]),
        "input-type",
        "there are labels for 1 query and scores for 2; only one of them has 1",
    ),
    "other queries": (
        ({"a": [1]}, {"b": [1]}),
        "input-type",
        "there are labels for 1 query and scores for 1; only one of them has a b",
    ),
    "an item beyond": (
        ([1, 0], None, [1, 2]),
        "input-type",
        "orders: query '0', place 1 is 2, not the number of one of 2 items",
    ),
    "an item before": (
        ([[1], [1, 0]], None, [[0], [1, -1]]),
        "input-type",
        "orders: query '1', place 1 is -1, not the number of one of 2 items",
    ),
    "an item twice": (([1, 0], None, [1, 1]), "duplicate-document", "orders: query '0' has item 1 again at place 1"),
    "half an item": (
        ([1, 0], None, [1, 0.5]),
        "input-type",
        "orders: query '0', place 1 is 0.5, not the number of one of 2 items",
    ),
    "a truth value for an item": (
        ([1, 0], None, [True, False]),
        "input-type",
        "orders: query '0', place 0 is True, not the number of one of 2 items",
    ),
}


@pytest.mark.parametrize("case", BAD_LABELS)
def test_labels_that_cannot_be_are_refused(case: str) -> None:
    given_, slug, problem = BAD_LABELS[case]
    with pytest.raises(InputError) as caught:
        ranked(*given_)
    assert (caught.value.slug, caught.value.problems) == (slug, (problem,))


def test_scores_and_orders_contradict_each_other() -> None:
    with pytest.raises(UsageError, match="scores and orders both say how items are ranked") as caught:
        ranked([1], scores=[1.0], orders=[0])
    assert caught.value.slug == "conflicting-options"


NUMBERED_JUDGEMENTS: list[tuple[int, int, float]] = [(1, 10, 1), (1, 11, 0), (2, 10, 1), (2, 12, 2), (3, 9, 0)]
NUMBERED_RUN: list[tuple[int, int, float]] = [(1, 11, 0.9), (1, 10, 0.5), (2, 11, 0.5), (9, 10, 1.0)]


def _numbered_columns(rows: list[tuple[int, int, float]], value: str) -> dict[str, list[Any]]:
    return dict(zip(("query", "document", value), map(list, zip(*rows, strict=True)), strict=True))


def _numbered_dicts(rows: list[tuple[int, int, float]], kind: type = int) -> dict[Any, dict[Any, float]]:
    dicts: dict[Any, dict[Any, float]] = {}
    for query, document, number in rows:
        dicts.setdefault(kind(query), {})[kind(document)] = number
    return dicts


def _numbered_lists(rows: list[tuple[int, int, float]]) -> dict[int, list[int]]:
    return {query: list(documents) for query, documents in _numbered_dicts(rows).items()}


NUMBERED: dict[str, Callable[[list[tuple[int, int, float]], str], Any]] = {
    "dicts": lambda rows, _: _numbered_dicts(rows),
    "dicts of NumPy's integers": lambda rows, _: _numbered_dicts(rows, np.int64),
    "tuples": lambda rows, _: list(rows),
    "records": lambda rows, value: pl.DataFrame(_numbered_columns(rows, value)).to_dicts(),
    "columns": _numbered_columns,
    "pairs of ids": lambda rows, _: {(query, document): number for query, document, number in rows},
    "Polars": lambda rows, value: pl.DataFrame(_numbered_columns(rows, value)),
    "Polars, 8 bits": lambda rows, value: pl.DataFrame(_numbered_columns(rows, value)).cast(
        {"query": pl.UInt8, "document": pl.Int8}
    ),
    "several frames": lambda rows, value: [pl.DataFrame(_numbered_columns([row], value)) for row in rows],
    "pandas": lambda rows, value: pd.DataFrame(_numbered_columns(rows, value)),
    "pandas, objects": lambda rows, value: pd.DataFrame(_numbered_columns(rows, value)).astype(
        {"query": object, "document": object}
    ),
    "PyArrow": lambda rows, value: pa.table(_numbered_columns(rows, value)),
    "DuckDB": lambda rows, value: duckdb.from_arrow(pa.table(_numbered_columns(rows, value))),
    "lists": lambda rows, _: _numbered_lists(rows),
    "arrays": lambda rows, _: {query: np.array(documents) for query, documents in _numbered_lists(rows).items()},
    "pairs in lists": lambda rows, _: {query: list(one.items()) for query, one in _numbered_dicts(rows).items()},
    "records in lists": lambda rows, value: {
        query: [{"document": document, value: number} for document, number in one.items()]
        for query, one in _numbered_dicts(rows).items()
    },
    "a column of lists": lambda rows, _: pl.DataFrame(
        {"query": list(_numbered_lists(rows)), "documents": list(_numbered_lists(rows).values())}
    ),
    "rows of lists": lambda rows, _: [{"query": query, "documents": d} for query, d in _numbered_lists(rows).items()],
}


def _ways_out(judged: Any, run: Any) -> dict[str, list[Any]]:
    """The ids that come back, way by way."""
    values = rw.evaluate(judged(), run(), ["RR"], by={1: "odd", "2": "even", 3: "odd"})
    explained = rw.explain(judged(), run(), "RR", query=1)
    several = rw.explain_queries(judged(), run(), ["RR"], queries=[2, "1"])
    other = {2: {12: 1.0}}
    pair = rw.explain(judged(), run(), "RR", query="2", against=other)
    compared = rw.compare(judged(), {"a": run(), "b": other}, ["RR"], by={1: "odd", 2: "even", 3: "odd"})
    varied = rw.vary(measures="RR", by="swap", qrels=judged(), run=run(), query=1)
    qrels, agreed, alike = rw.Qrels(judged()), rw.agreement(judged(), judged()), rw.correlate(rw.Run(run()), other)
    assert agreed.queries.of(1).query == agreed.queries.of("1").query
    assert alike.of(2) == alike.of("2")
    found: dict[str, list[Any]] = {
        "values of queries": values.per_query.queries,
        "values as a dict": list(values.per_query.to_dict()),
        "one query": rw.evaluate(judged(), run(), ["RR"], queries=[1]).per_query.queries,
        "the same by text": rw.evaluate(judged(), run(), ["RR"], queries=["1"]).per_query.queries,
        "unanswered": list(values.counts.unanswered_queries),
        "ignored": list(values.counts.ignored_queries),
        "a group": values.slices["odd"].per_query.queries,
        "unanswered of a group": list(values.slices["odd"].counts.unanswered_queries),
        "explained": [explained.query],
        "documents": [term.document for term in explained.terms],
        "several": [one.query for one in several],
        "looked up": [several.of(2).query, several.of("2").query],
        "missing": sorted(one.document for one in several.of(2).missing),
        "difference": [pair.query, pair.shares[0].document],
        "compared": [row.query for row in compared.queries("RR", "b").best()],
        "group compared": sorted(compared.queries_of("given", "odd")),
        "varied": [varied.query, varied.rows[0]["document"], varied.rows[0]["other"]],
        "judges": [one.query for one in agreed.queries],
        "correlated": [*alike.queries, alike.lowest(1)[0].query],
        "values of runs": rw.evaluate_runs(judged(), {"a": run()}, ["RR"]).per_query_columns()["query"],
        "judgements": [*qrels.to_dict(), *list(qrels.to_dict().values())[2]],
    }
    frames: dict[str, tuple[Callable[..., Any], tuple[str, ...]]] = {
        "frame of values": (values.per_query.to_frame, ("query",)),
        "frame of an explanation": (explained.to_frame, ("query", "document")),
        "frame of several": (several.to_frame, ("query", "document")),
        "frame of a comparison": (compared.queries("RR").to_frame, ("query",)),
        "frame of a correlation": (alike.to_frame, ("query",)),
        "frame of correlations": (
            partial(rw.correlate_runs({"a": rw.Run(run()), "b": other}).to_frame, per_query=True),
            ("query",),
        ),
        "frame of judgements": (qrels.to_frame, ("query", "document")),
        "frame of a run": (rw.Run(run()).to_frame, ("query", "document")),
    }
    for way, (to_frame, columns) in frames.items():
        for library in ("polars", "pandas", "pyarrow"):
            for column in columns:
                found[f"{way}, {column}, {library}"] = pl.DataFrame(to_frame(library))[column].to_list()
    return found


@pytest.mark.filterwarnings("ignore::rankworth.errors.RankworthWarning")
@pytest.mark.parametrize("door", NUMBERED)
def test_integer_ids_come_back_as_integers(door: str) -> None:
    make = NUMBERED[door]
    found = _ways_out(lambda: make(NUMBERED_JUDGEMENTS, "grade"), lambda: make(NUMBERED_RUN, "score"))
    assert {way: ids for way, ids in found.items() if not ids or any(type(one) is not int for one in ids)} == {}
    assert found["values of queries"] == [1, 2, 3]
    assert found["documents"] == [11, 10]
    as_text = _ways_out(lambda: _numbered_dicts(NUMBERED_JUDGEMENTS, str), lambda: _numbered_dicts(NUMBERED_RUN, str))
    assert {type(one) for ids in as_text.values() for one in ids} == {str}
    same = found.keys() if "list" not in door and door != "arrays" else {"values of queries", "explained", "ignored"}
    assert {way: list(map(str, found[way])) for way in same} == {way: as_text[way] for way in same}


@pytest.mark.filterwarnings("ignore::rankworth.errors.RankworthWarning")
@pytest.mark.parametrize(
    ("judged", "run", "queries", "ignored", "document"),
    [
        ({1: {2: 1}}, {"1": {"2": 1.0}, "3": {"2": 1.0}}, [1], (3,), 2),  # the judgements decide
        ({"1": {"2": 1}}, {1: {2: 1.0}, 3: {2: 1.0}}, ["1"], ("3",), "2"),
        ({1: {"2": 1}}, {1: {2: 1.0}, 3: {2: 1.0}}, [1], (3,), "2"),  # ids of queries and documents each for themselves
        ({1: {2: 1}}, {"1": {"2": 1.0}, "03": {"2": 1.0}}, [1], ("03",), 2),  # no integer is written so
        ({1: {2: 1}, "a": {2: 1}}, {1: {2: 1.0}, 3: {2: 1.0}}, ["1", "a"], ("3",), 2),
        ({1: {2: 1, "b": 1}}, {1: {2: 1.0}, 3: {2: 1.0}}, [1], (3,), "2"),
        ({1: {2: 1, 3: None}}, {1: {2: 1.0}, 3: {2: 1.0}}, [1], (3,), 2),  # a blank grade
        ({-1: {2**64 - 1: 1}}, {-1: {2**64 - 1: 1.0}, 3: {2: 1.0}}, [-1], (3,), 2**64 - 1),
        ({2**64: {2: 1}}, {2**64: {2: 1.0}, 3: {2: 1.0}}, [str(2**64)], (3,), 2),  # beyond 64 bits
    ],
)
def test_ids_come_back_as_the_judgements_had_them(
    judged: Any, run: Any, queries: list[Any], ignored: tuple[Any, ...], document: object
) -> None:
    values = rw.evaluate(judged, run, ["P@1"])
    assert (values.per_query.queries, values.counts.ignored_queries) == (queries, ignored)
    assert values.per_query.to_frame("pyarrow")["query"].to_pylist() == queries
    [term] = rw.explain(judged, run, "P@1", query=queries[0]).terms
    assert term.document == document
    assert pickle.loads(pickle.dumps(values)).per_query.queries == queries


@pytest.mark.filterwarnings("ignore::rankworth.errors.RankworthWarning")
def test_what_is_written_has_ids_as_text(tmp_path: Path) -> None:
    judged, run = _numbered_dicts(NUMBERED_JUDGEMENTS), _numbered_dicts(NUMBERED_RUN)
    values = rw.evaluate(judged, run, ["RR"])
    for name in ("kept.json", "kept.parquet"):
        values.save(tmp_path / name)
        [kept] = rw.load(tmp_path / name).values()
        assert kept.queries == ("1", "2", "3")
        assert kept.named["unanswered_queries"] == ("3",)
        assert (
            rw.compare(judged, {"kept": tmp_path / name, "b": run}, ["RR"]).queries("RR").to_frame().schema["query"]
            == pl.Int64
        )
    told = json.loads(
        json.dumps(
            [
                rw.explain(judged, run, "RR", query=2).to_dict(),
                rw.explain(judged, run, "RR", query=2, against=run).to_dict(),
                rw.compare(judged, {"a": run, "b": {2: {12: 1.0}}}, ["RR"]).to_dict(),
            ]
        )
    )
    assert told[0]["query"] == told[1]["query"] == told[2]["worst"]["b - a"]["RR"][0]["query"].replace("1", "2") == "2"
    assert {type(row["document"]) for row in (*told[0]["terms"], *told[0]["missing"], *told[1]["shares"])} == {str}
    assert values == rw.evaluate(_numbered_dicts(NUMBERED_JUDGEMENTS, str), _numbered_dicts(NUMBERED_RUN, str), ["RR"])


@pytest.mark.parametrize(
    "given", [{"a\ud83d": {"d": 1}}, {"q": ["d"], "\udc80": ["d"]}, {7: {"d": 1}, "\ud83d": {"d": 1}}]
)
def test_half_of_a_character_in_a_query_of_a_dict_is_refused(given: Any) -> None:
    for ask in (
        lambda: rw.evaluate(given, {"q": {"d": 1.0}}, ["RR"]),
        lambda: rw.evaluate({"q": {"d": 1}}, given, ["RR"]),
        lambda: rw.correlate(given, {"q": ["d"]}),
        lambda: rw.compare({"q": {"d": 1}}, {"a": {"q": {"d": 1.0}}, "b": given}, ["RR"]),
    ):
        with pytest.raises(rw.InputError, match="half of a surrogate pair is in it") as caught:
            ask()
        assert caught.value.slug == "id-type"
    with pytest.raises(rw.InputError, match="half of a surrogate pair"):
        rw.Run({"q": {"d\ud83d": 1.0}}).to_frame()


# Numbers in quotes

QUOTED_FORMS: dict[str, tuple[object, object]] = {
    "dicts": ({"q1": {"a": "2", "b": "0"}}, {"q1": {"a": "0.5", "b": " 7e-1 "}}),
    "dicts of which one has texts": (
        {"q0": {"a": 2, "b": 0}, "q1": {"a": "2"}},
        {"q0": {"a": 1}, "q1": {"b": 1, "a": ".5"}},
    ),
    "rows": ([("q1", "a", "2")], [("q1", "a", "0.5"), ("q1", "b", "0.7")]),
    "pairs": ({"q1": [("a", "2")]}, {"q1": [("b", "0.7"), ("a", "0.5")]}),
    "records": ({"q1": [{"id": "a", "grade": "2"}]}, {"q1": [{"id": "b", "score": "7"}, {"id": "a", "score": "+5.5"}]}),
    "a frame": (
        pl.DataFrame({"query": ["q1"], "document": ["a"], "grade": ["2"]}),
        pl.DataFrame({"query": ["q1", "q1"], "document": ["a", "b"], "score": ["0.5", "inf"]}),
    ),
    "a frame of lists": (
        pl.DataFrame({"query": ["q1"], "documents": [["a"]], "grades": [["2"]]}),
        pl.DataFrame({"query": ["q1"], "documents": [["b", "a"]], "scores": [["0.7", "0.5"]]}),
    ),
}


@pytest.mark.parametrize("form", QUOTED_FORMS)
def test_numbers_in_quotes_are_numbers(form: str) -> None:
    qrels, run = QUOTED_FORMS[form]
    several = form == "dicts of which one has texts"
    values = rw.evaluate(qrels, run, ["RR", "DCG"]).per_query.to_dict()
    assert values["q1"] == {"RR": 0.5, "DCG": pytest.approx(2 / math.log2(3))}
    assert not several or values["q0"] == {"RR": 1, "DCG": 2}


def test_ranks_in_quotes_are_no_scores() -> None:
    for run in ([("q1", "a", "1"), ("q1", "b", "2")], {"q1": [("a", "1"), ("b", "2")]}):
        with pytest.raises(rw.InputError, match="these may be ranks"):
            rw.evaluate({"q1": {"a": 1}}, run, ["RR"])


class TextNode(SimpleNamespace):
    """A node of LlamaIndex: its id, and the document that it was cut from as a property."""

    @property
    def ref_doc_id(self) -> str:
        """The document."""
        return str(self._document)


def node(node_id: str, document: str) -> TextNode:
    """Make a node that was cut from a document."""
    return TextNode(id_=node_id, _document=document, metadata={"pages": 3})


SCORED: Final = {"q": [SimpleNamespace(node=node(name, of), id_=name) for name, of in (("n1", "x"), ("n2", "gold"))]}
FIELDS: Final = ("query", "document", "score", "file")


@pytest.mark.parametrize(
    ("run", "field"),
    [
        (SCORED, "node.ref_doc_id"),
        ({"q": [node("n1", "other"), node("n2", "gold")]}, "ref_doc_id"),
        (
            {"q": [{"id": "n1", "metadata": {"source": "x"}}, {"id": "n2", "metadata": {"source": "gold"}}]},
            "metadata.source",
        ),
        ([dict(zip(FIELDS, row, strict=True)) for row in (("q", "n1", 2, "x"), ("q", "n2", 1, "gold"))], "file"),
    ],
)
def test_ids_of_chunks_beside_judged_documents_name_the_field_that_holds_these(run: Any, field: str) -> None:
    remedy = f"{field} holds ids that are judged: columns={{'document': '{field}'}}"
    with pytest.warns(rw.RankworthWarning, match=re.escape(remedy)):
        assert rw.evaluate({"q": {"gold"}}, run, ["RR"])["RR"] == 0
    assert rw.evaluate({"q": {"gold"}}, run, ["RR"], columns={"document": field})["RR"] == 1 / 2


def test_a_chunk_without_an_id_beside_one_that_has_an_id_is_called_by_its_source() -> None:
    run = {"q": [{"id": None, "metadata": {"source": "x"}}, {"id": "z", "metadata": {"source": "gold"}}]}
    with pytest.raises(InputError, match=r"say which it is: columns=\{'document': 'metadata.source'\}"):
        rw.evaluate({"q": {"gold"}}, run, ["RR"])
    assert rw.evaluate({"q": {"gold"}}, run, ["RR"], columns={"document": "metadata.source"})["RR"] == 1 / 2
