"""Nothing is accepted and ignored, and no column that may hold grades is passed over, whatever the form of a table."""

import csv
import io
import itertools
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import rankworth as rw

Row = dict[str, Any]
VALUE = {"run": "score", "qrels": "grade"}
ROLES = {
    "run": ("root", "query", "documents", "document", "score", "rank", "rows"),
    "qrels": ("root", "query", "documents", "document", "grade", "subtopic"),
}


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def refusal(make: Callable[..., object], source: object, **settings: Any) -> str:
    """What is said where a source is refused; nothing where it is read."""
    try:
        make(source, **settings)
    except rw.RankworthError as error:
        return str(error)
    return ""


def rows_of(source: object, **settings: Any) -> pl.DataFrame:
    """The rows of a run, which is read so."""
    return rw.Run(source, **settings).to_frame()


def text(rows: Sequence[Row], separator: str, *, header: bool = True) -> str:
    """A table as text."""
    target = io.StringIO()
    writer = csv.writer(target, delimiter=separator, lineterminator="\n")
    writer.writerows([rows[0]] * header + [row.values() for row in rows])  # type: ignore[list-item]
    return target.getvalue()


def tables(rows: list[Row]) -> Iterator[tuple[str, Any]]:
    """A table in every form in which columns have names."""
    by_query: dict[str, list[Row]] = {}
    for row in rows:
        by_query.setdefault(row["query"], []).append({name: cell for name, cell in row.items() if name != "query"})
    yield "rows", rows
    yield "columns", {name: [row[name] for row in rows] for name in rows[0]}
    yield "polars", pl.DataFrame(rows)
    yield "lazy", pl.DataFrame(rows).lazy()
    yield "pandas", pd.DataFrame(rows)
    yield "arrow", pa.Table.from_pylist(rows)
    yield "hits", by_query
    yield "records", [{"query": query, "documents": hits} for query, hits in by_query.items()]
    Path("a.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    Path("a.json").write_text(json.dumps(rows))
    Path("a.csv").write_text(text(rows, ","))
    Path("a.tsv").write_text(text(rows, "\t"))
    pl.DataFrame(rows).write_parquet("a.parquet")
    yield from ((path, path) for path in ("a.jsonl", "a.json", "a.csv", "a.tsv", "a.parquet"))


def plain(rows: list[Row], value: str) -> Iterator[tuple[str, Any]]:
    """The same rows where no column has a name."""
    numbers = {row["document"]: row[value] for row in rows}
    yield "tuples", [tuple(row.values()) for row in rows]
    yield "dict", {"q1": numbers}
    yield "lists", {"q1": list(numbers)}
    yield "pairs", {"q1": list(numbers.items())}
    Path("b.csv").write_text(text(rows, ",", header=False))
    Path("b.json").write_text(json.dumps({"q1": numbers}))
    lines = {"score": "q1 Q0 {} 1 {} t\n", "grade": "q1 0 {} {}\n"}[value]
    Path("b.txt").write_text("".join(lines.format(*pair) for pair in numbers.items()))
    yield from ((path, path) for path in ("b.csv", "b.json", "b.txt"))


SCALES: Mapping[str, tuple[Any, Any]] = {
    "truth": (True, False),
    "truth in words": ("true", "false"),
    "truth in capitals": ("TRUE", "FALSE"),
    "letters of truth": ("T", "F"),
    "answers": ("yes", "no"),
    "letters": ("Y", "N"),
    "relevance": ("relevant", "not relevant"),
    "signs": ("positive", "negative"),
    "texts of numbers": ("1", "0"),
    "numbers": (1, 0),
}
FURTHER: Sequence[Row] = ({}, {"title": "a title"}, {"year": 1999}, {"lang": "en", "text": "x"})


@pytest.mark.parametrize("scale", SCALES)
@pytest.mark.parametrize("name", ["relevant", "is_correct", "verdict"])
def test_a_column_that_may_hold_grades_is_not_passed_over(scale: str, name: str) -> None:
    good, bad = SCALES[scale]
    for more in FURTHER:
        rows = [
            {"query": query, "document": document, name: value, **more}
            for query, document, value in (("q1", "d1", good), ("q1", "d2", bad), ("q2", "d1", good))
        ]
        for form, source in tables(rows):
            if form in ("hits", "records") and scale == "texts of numbers" and name != "verdict":
                continue  # numbers in quotes within hits are whatever an engine has of them
            said = refusal(rw.Qrels, source)
            assert "grade" in said, f"{form} {list(rows[0])}"
            assert name in said


@pytest.mark.parametrize("kind", ["run", "qrels"])
def test_names_of_what_is_not_there_are_refused_in_every_form(kind: str) -> None:
    value = VALUE[kind]
    rows: list[Row] = [
        {"query": "q1", "document": "d1", value: 2.5},
        {"query": "q1", "document": "d2", value: 1.5},
    ]
    for (form, source), role in itertools.product((*tables(rows), *plain(rows, value)), ROLES[kind]):
        assert refusal(rows_of if kind == "run" else rw.Qrels, source, columns={role: "nosuch"}), f"{form} {role}"


def test_settings_of_the_other_kind_and_of_files_are_refused() -> None:
    rows = [{"query": "q1", "document": "d1", "score": 2.5, "grade": 1}]
    qrels, run = rw.Qrels({"q1": {"d1": 1}}), rw.Run({"q1": {"d1": 1}})
    attempts: list[tuple[Any, Any, dict[str, Any]]] = [
        *((rw.Run, rows, {"columns": {role: "grade"}}) for role in ("grade", "subtopic")),
        *((rw.Qrels, rows, {"columns": {role: "score"}}) for role in ("score", "rank", "rows")),
        *((make, rows, {"format": "csv"}) for make in (rw.Run, rw.Qrels)),
        (rw.Qrels, rows, {"split": "dev"}),
        *((rw.Run, run, settings) for settings in ({"columns": {"score": "x"}}, {"format": "csv"})),
        *((rw.Qrels, qrels, settings) for settings in ({"columns": {"grade": "x"}}, {"blank": "zero"})),
        (rw.Qrels, qrels, {"grades": {"E": 3}}),
    ]
    for make, source, settings in attempts:
        assert refusal(make, source, **settings), str(settings)


HEADERS = {
    "names with numbers": ("user1,item2\nu1,US\nu2,US\n", {"u1": {"US": 1.0}, "u2": {"US": 1.0}}),
    "names that nobody knows": ("col1,col2\nabc,xyz\nabd,xyy\n", {"abc": {"xyz": 1.0}, "abd": {"xyy": 1.0}}),
    "versions": ("query_v2,doc_v2\nred hat,B7\nhat,B8\n", {"red hat": {"B7": 1.0}, "hat": {"B8": 1.0}}),
    "no names": ("user1,item2\nuser2,item2\n", {"user1": {"item2": 1.0}, "user2": {"item2": 1.0}}),
    "ids of another kind first": (
        "u1,US\nalice,FR\nbob,DE\n",
        {"u1": {"US": 1.0}, "alice": {"FR": 1.0}, "bob": {"DE": 1.0}},
    ),
}


@pytest.mark.parametrize("case", HEADERS)
def test_a_header_with_digits_is_no_row(case: str) -> None:
    content, right = HEADERS[case]
    Path("a.csv").write_text(content)
    assert rw.Qrels("a.csv", format="csv", columns={"query": "1", "document": "2"}).to_dict() == right


def test_a_path_leads_through_lists_in_every_form() -> None:
    rows = [
        {"id": "q1", "output": [{"pages": [{"id": "1"}, {"id": "2"}]}, {"pages": [{"id": "3"}]}]},
        {"id": "q2", "output": [{"pages": [{"id": "1"}]}]},
    ]
    Path("a.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    pl.DataFrame(rows).write_parquet("a.parquet")
    columns = {"query": "id", "document": "output.pages.id", "grade": ""}
    for source in (rows, pl.DataFrame(rows), pd.DataFrame(rows), "a.jsonl", "a.parquet"):
        judged = rw.Qrels(source, columns=columns).to_dict()
        assert judged == {"q1": {"1": 1.0, "2": 1.0, "3": 1.0}, "q2": {"1": 1.0}}
