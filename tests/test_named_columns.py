"""A law: a name that is given for a column, and that an input cannot use, is refused, whatever kind of input it is."""

import json
import os
import warnings
from collections.abc import Callable
from io import BytesIO, TextIOWrapper
from pathlib import Path
from threading import Thread
from typing import Any

import duckdb
import pandas as pd
import polars as pl
import pytest

import rankworth as rw
from rankworth.errors import RankworthError

QRELS: dict[str, dict[str, int]] = {"q1": {"d1": 1, "d2": 0}}
RUN = {"q1": {"d1": 0.5, "d2": 0.3}}
Make = Callable[[], Any]


def put(name: str, text: str) -> str:
    Path(name).write_text(text)
    return name


def lines(*rows: dict[str, Any]) -> str:
    return "".join(f"{json.dumps(row)}\n" for row in rows)


def rows(value: str, *numbers: float) -> list[dict[str, Any]]:
    return [{"query": "q1", "document": f"d{place}", value: number} for place, number in enumerate(numbers, 1)]


HITS = [{"_index": "i", "_id": "d1", "_score": 0.5}, {"_index": "i", "_id": "d2", "_score": 0.3}]
RUNS: dict[str, Make] = {
    "a dict of dicts": lambda: RUN,
    "lists by query": lambda: {"q1": ["d1", "d2"]},
    "pairs by query": lambda: {"q1": [("d1", 0.5), ("d2", 0.3)]},
    "records by query": lambda: {"q1": [{"id": "d1", "score": 0.5}, {"id": "d2", "score": 0.3}]},
    "rows": lambda: rows("score", 0.5, 0.3),
    "tuples": lambda: [("q1", "d1", 0.5), ("q1", "d2", 0.3)],
    "a frame": lambda: pl.DataFrame(rows("score", 0.5, 0.3)),
    "a frame of pandas": lambda: pd.DataFrame(rows("score", 0.5, 0.3)),
    "a relation": lambda: duckdb.sql("select 'q1' as query, 'd1' as document, 0.5 as score"),
    "a run": lambda: rw.Run(RUN, "a"),
    "a run of a file": lambda: rw.Run(put("a.run", "q1 Q0 d1 1 0.5 t\n")),
    "lines of TREC": lambda: put("a.run", "q1 Q0 d1 1 0.5 t\n"),
    "a table": lambda: put("a.csv", "query,document,score\nq1,d1,0.5\n"),
    "three columns": lambda: put("a.tsv", "q1\td1\t0.5\n"),
    "JSON by query": lambda: put("a.json", json.dumps(RUN)),
    "lists of JSON": lambda: put("a.json", '{"q1": ["d1", "d2"]}'),
    "rows of JSON": lambda: put("a.json", json.dumps(rows("score", 0.5, 0.3))),
    "JSON lines": lambda: put("a.jsonl", lines(*rows("score", 0.5, 0.3))),
    "lists in JSON lines": lambda: put("a.jsonl", lines({"query": "q1", "documents": ["d1", "d2"]})),
    "responses by query": lambda: {"q1": {"hits": {"hits": HITS}}},
    "hits by query": lambda: {"q1": HITS},
}
JUDGEMENTS: dict[str, Make] = {
    "a dict of dicts": lambda: QRELS,
    "lists by query": lambda: {"q1": ["d1", "d2"]},
    "sets by query": lambda: {"q1": {"d1", "d2"}},
    "pairs by query": lambda: {"q1": [("d1", 1), ("d2", 0)]},
    "rows": lambda: rows("grade", 1, 0),
    "tuples": lambda: [("q1", "d1", 1), ("q1", "d2", 0)],
    "a frame": lambda: pl.DataFrame(rows("grade", 1, 0)),
    "a relation": lambda: duckdb.sql("select 'q1' as query, 'd1' as document, 1 as grade"),
    "judgements": lambda: rw.Qrels(QRELS),
    "lines of TREC": lambda: put("q.txt", "q1 0 d1 1\nq1 0 d2 0\n"),
    "learning to rank": lambda: put("q.txt", "1 qid:q1 # d1\n"),
    "a table": lambda: put("q.csv", "query,document,grade\nq1,d1,1\n"),
    "three columns": lambda: put("q.tsv", "q1\td1\t1\nq1\td2\t0\n"),
    "JSON by query": lambda: put("q.json", json.dumps(QRELS)),
    "JSON lines": lambda: put("q.jsonl", lines(*rows("grade", 1, 0))),
}
NAMES = ("query", "document", "score", "rank", "documents", "grade", "subtopic")
OF_RUN = [{what: "nowhere"} for what in NAMES[:5]] + [{"query": "q1"}, {"document": "d1"}, {"score": "d1"}]
OF_QRELS = [{what: "nowhere"} for what in ("query", "document", "grade", "subtopic")]
OF_QRELS += [{"query": "q1"}, {"document": "d1"}, {"grade": "d1"}]


@pytest.fixture(autouse=True)
def _folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def evaluated(qrels: object, run: object, **options: dict[str, str]) -> float:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return float(rw.evaluate(qrels, run, ["RR"], **options)["RR"])


@pytest.mark.parametrize("kind", RUNS)
def test_names_that_no_run_can_use_are_refused(kind: str) -> None:
    assert evaluated(QRELS, RUNS[kind]()) == 1
    for columns in OF_RUN:
        with pytest.raises(RankworthError):
            evaluated(QRELS, RUNS[kind](), run_columns=columns)
        if "nowhere" in columns.values():
            with pytest.raises(RankworthError):
                evaluated(QRELS, RUNS[kind](), columns=columns)


@pytest.mark.parametrize("kind", JUDGEMENTS)
def test_names_that_no_judgements_can_use_are_refused(kind: str) -> None:
    assert evaluated(JUDGEMENTS[kind](), RUN) == 1
    for columns in OF_QRELS:
        with pytest.raises(RankworthError):
            evaluated(JUDGEMENTS[kind](), RUN, qrels_columns=columns)
        if "nowhere" in columns.values():
            with pytest.raises(RankworthError):
                evaluated(JUDGEMENTS[kind](), RUN, columns=columns)


GRADED: dict[str, Make] = {
    "tuples": lambda: [("q1", "d1", 0), ("q1", "d2", 1)],
    "pairs of ids": lambda: {("q1", "d1"): 0, ("q1", "d2"): 1},
    "rows": lambda: rows("grade", 0, 1),
    "a frame": lambda: pl.DataFrame(rows("grade", 0, 1)),
    "a table": lambda: put("q.csv", "query,document,grade\nq1,d1,0\nq1,d2,1\n"),
    "three columns": lambda: put("q.tsv", "q1\td1\t0\nq1\td2\t1\n"),
    "JSON lines": lambda: put("q.jsonl", lines(*rows("grade", 0, 1))),
    "lists in JSON lines": lambda: put("q.jsonl", lines({"query": "q1", "documents": ["d1", "d2"], "grades": [0, 1]})),
    "records by query": lambda: {"q1": [{"id": "d1", "grade": 0}, {"id": "d2", "grade": 1}]},
    "a dict of dicts": lambda: {"q1": {"d1": 0, "d2": 1}},
    "pairs by query": lambda: {"q1": [("d1", 0), ("d2", 1)]},
    "lines of TREC": lambda: put("q.txt", "q1 0 d1 0\nq1 0 d2 1\n"),
    "learning to rank": lambda: put("q.txt", "0 qid:q1 # d1\n1 qid:q1 # d2\n"),
    "judgements": lambda: rw.Qrels({"q1": {"d1": 0, "d2": 1}}),
}
WITHOUT_NAMES = ("a dict of dicts", "pairs by query", "lines of TREC", "learning to rank", "judgements")


@pytest.mark.parametrize("kind", GRADED)
def test_that_nothing_holds_grades_makes_all_of_them_1_or_is_refused(kind: str) -> None:
    assert evaluated(GRADED[kind](), RUN) == 0.5
    if kind not in WITHOUT_NAMES:
        assert evaluated(GRADED[kind](), RUN, qrels_columns={"grade": ""}) == 1
        return
    with pytest.raises(RankworthError):
        evaluated(GRADED[kind](), RUN, qrels_columns={"grade": ""})


@pytest.mark.parametrize(
    ("text", "settings"),
    [
        ("q1 Q0 d2 1 2 t\nq1 Q0 d1 2 1 t\n", {"qrels_columns": {"document": "0", "grade": "1"}}),
        ("term,sku,sim\nq1,d2,2\nq1,d1,1\n", {"run_columns": {"query": "term", "document": "sku", "score": "sim"}}),
    ],
)
def test_a_pipe_is_read_once_where_columns_are_named(
    text: str, settings: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.stdin", TextIOWrapper(BytesIO(text.encode())))
    qrels = {"q1": [["d1", 1]]} if "qrels_columns" in settings else QRELS
    assert rw.evaluate(qrels, "-", ["RR"], **settings)["RR"] == 1 / 2
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    writer = Thread(target=pipe.write_text, args=(text,), daemon=True)
    writer.start()
    assert rw.evaluate(qrels, pipe, ["RR"], **settings)["RR"] == 1 / 2
    writer.join()
