"""Queries that several columns name together, in every kind of table, and ranks that a query has twice."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import rankworth as rw
from rankworth import cli
from rankworth.errors import InputError

JUDGED = [
    {"Language": "Python", "Query": "sort list", "GitHubUrl": "u1", "Relevance": 3, "Notes": ""},
    {"Language": "Python", "Query": "sort list", "GitHubUrl": "u2", "Relevance": 0, "Notes": "x"},
    {"Language": "Go", "Query": "sort list", "GitHubUrl": "u9", "Relevance": 2, "Notes": ""},
    {"Language": "Python", "Query": "read csv", "GitHubUrl": "u3", "Relevance": 1, "Notes": ""},
]
PREDICTED = [
    {"language": "Python", "query": "sort list", "identifier": "f", "url": "u2", "rank": 1},
    {"language": "Python", "query": "sort list", "identifier": "f", "url": "u1", "rank": 2},
    {"language": "Python", "query": "read csv", "identifier": "f", "url": "u3", "rank": 1},
    {"language": "Go", "query": "sort list", "identifier": "f", "url": "u9", "rank": 1},
]
OF_QRELS = {"query": "Language,Query", "document": "GitHubUrl", "grade": "Relevance"}
OF_RUN = {"query": "language,query", "document": "url"}
RIGHT = 0.8769765845238193


def cells(rows: list[dict[str, Any]], sign: str) -> str:
    return "".join(f"{sign.join(map(str, row))}\n" for row in ([*rows[0]], *(row.values() for row in rows)))


def lines(rows: list[dict[str, Any]]) -> str:
    return "".join(f"{json.dumps(row)}\n" for row in rows)


def put(path: Path, text: str) -> Path:
    path.write_text(text)
    return path


def written(path: Path, rows: list[dict[str, Any]], method: str) -> Path:
    getattr(pl.DataFrame(rows), method)(path)
    return path


KINDS: dict[str, Callable[[Path, list[dict[str, Any]]], Any]] = {
    "csv": lambda path, rows: put(path, cells(rows, ",")),
    "tsv": lambda path, rows: put(path, cells(rows, "\t")),
    "jsonl": lambda path, rows: put(path, lines(rows)),
    "json": lambda path, rows: put(path, json.dumps(rows)),
    "parquet": lambda path, rows: written(path, rows, "write_parquet"),
    "arrow": lambda path, rows: written(path, rows, "write_ipc"),
    "polars": lambda _, rows: pl.DataFrame(rows),
    "lazy": lambda _, rows: pl.LazyFrame(rows),
    "pandas": lambda _, rows: pd.DataFrame(rows),
    "pyarrow": lambda _, rows: pa.Table.from_pylist(rows),
    "rows": lambda _, rows: rows,
}


@pytest.mark.parametrize("kind", KINDS)
def test_a_query_may_be_named_by_two_columns(kind: str, tmp_path: Path) -> None:
    judged, predicted = (KINDS[kind](tmp_path / name, rows) for name, rows in (("q", JUDGED), ("r", PREDICTED)))
    values = rw.evaluate(judged, predicted, ["nDCG"], qrels_columns=OF_QRELS, run_columns=OF_RUN)
    assert values["nDCG"] == pytest.approx(RIGHT, abs=1e-15)
    assert sorted(values.per_query.to_dict()) == ["Go sort list", "Python read csv", "Python sort list"]
    with pytest.raises(InputError, match=r"query sort list'? |query 'sort list'") as caught:
        rw.evaluate(
            judged, predicted, ["nDCG"], qrels_columns={**OF_QRELS, "query": "Query"}, run_columns={"document": "url"}
        )
    assert caught.value.slug == "repeated-rank"
    assert "has rank 1 2 times, for documents u2 u9" in str(caught.value)


def test_options_name_two_columns_and_those_that_are_missing_are_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    put(Path("judged.csv"), cells(JUDGED, ","))
    put(Path("predicted.csv"), cells(PREDICTED, ","))
    words = [
        "evaluate",
        "judged.csv",
        "predicted.csv",
        "-m",
        "nDCG",
        "-f",
        "tsv",
        "--run-columns",
        "query=language,query",
    ]
    words += ["document=url", "--qrels-columns", "document=GitHubUrl", "grade=Relevance"]
    assert cli.main([*words, "query=Language,Query"]) == 0
    assert float(capsys.readouterr().out.split()[-1]) == pytest.approx(RIGHT, abs=1e-15)
    assert cli.main([*words, "query=Language,Text"]) == 2
    assert "query=Language,Text: there is no such column" in capsys.readouterr().err


def test_numbers_of_columns_and_a_column_with_a_comma_in_its_name(tmp_path: Path) -> None:
    ids = put(tmp_path / "a.tsv", "fr\tcat\td1\t2\nen\tcat\td2\t1\n")
    columns: dict[str, Any] = {"query": "1,2", "document": "3", "grade": "4"}
    assert rw.Qrels(ids, format="tsv", columns=columns).to_dict() == {"fr cat": {"d1": 2}, "en cat": {"d2": 1}}
    frame = pl.DataFrame({"a,b": ["x"], "a": ["y"], "b": ["z"], "document": ["d"], "grade": [1]})
    assert rw.Qrels(frame, columns={"query": "a,b"}).to_dict() == {"x": {"d": 1}}
    integers = pl.DataFrame({"year": [2019, 2020], "topic": [1, 1], "document": ["d", "d"], "grade": [1, 0]})
    assert rw.Qrels(integers, columns={"query": "year,topic"}).to_dict() == {"2019 1": {"d": 1}, "2020 1": {"d": 0}}


def test_a_part_that_is_missing_is_refused() -> None:
    frame = pl.DataFrame({"a": ["x", None], "b": ["y", "z"], "document": ["d", "d"], "grade": [1, 1]})
    for source in (frame, frame.to_pandas(), frame.to_dicts()):
        with pytest.raises(InputError, match="query is missing"):
            rw.Qrels(source, columns={"query": "a,b"})


@pytest.mark.parametrize(
    ("rows", "is_refused"),
    [
        ([("q", "a", 1), ("q", "b", 1)], True),
        ([("q", "x", 1), ("q", "a", 1), ("q", "b", 2)], True),
        ([("q", "x", 2), ("q", "y", 2), ("q", "a", 1)], False),  # nobody judged x or y: no number depends on it
        ([("q", "a", 1), ("p", "b", 1)], False),
        ([("q", "a", 0), ("q", "b", 5)], False),
    ],
)
def test_ranks_that_a_query_has_twice_are_a_contradiction(rows: list[tuple[str, str, int]], is_refused: bool) -> None:
    frame = pl.DataFrame(rows, schema=["query", "document", "rank"], orient="row")
    qrels = {"q": {"a": 1, "b": 0}, **({"p": {"b": 1}} if "p" in frame["query"] else {})}
    if not is_refused:
        assert rw.evaluate(qrels, frame, ["RR"])["RR"] > 0
        return
    with pytest.raises(InputError) as caught:
        rw.evaluate(qrels, frame, ["RR"])
    assert caught.value.slug == "repeated-rank"
    assert rw.evaluate(qrels, frame, ["RR"], run_columns={"score": "-rank"})["RR"] > 0


def test_ranks_beside_scores_are_not_looked_at(tmp_path: Path) -> None:
    run = put(tmp_path / "a.run", "q Q0 a 1 2 t\nq Q0 b 1 1 t\n")
    assert rw.evaluate({"q": {"a": 1}}, run, ["RR"])["RR"] == 1
