"""Files and objects as practitioners have them: rows in rank order, usual names, lists in cells, nested JSON."""

from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import duckdb
import polars as pl
import pytest

import rankworth as rw
from rankworth import cli
from rankworth.io import metadata
from rankworth.io.columns import SPELLINGS


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def write(**files: str) -> None:
    """Write files, `name_suffix="content"`."""
    for name, content in files.items():
        Path(name.replace("_", ".")).write_text(content, "utf-8")


def printed(capsys: pytest.CaptureFixture[str], *words: str) -> list[str]:
    """What a command prints as a table with tabs, without its header; it must succeed."""
    status = cli.main([*words, "-f", "tsv"])
    out, err = capsys.readouterr()
    assert status == 0, err
    return out.splitlines()[1:]


# Rows in rank order

JUDGED = {"sort": {"u1": 3, "u2": 0}, "read": {"u3": 1}}
ORDERED = pl.DataFrame({"query": ["sort", "sort", "read"], "document": ["u2", "u1", "u3"]})
WRITTEN: dict[str, Callable[[str], object]] = {
    "csv": ORDERED.write_csv,
    "tsv": partial(ORDERED.write_csv, separator="\t"),
    "jsonl": ORDERED.write_ndjson,
    "json": ORDERED.write_json,
    "parquet": ORDERED.write_parquet,
    "arrow": ORDERED.write_ipc,
}
FRAMES = {"Polars": ORDERED, "pandas": ORDERED.to_pandas(), "Arrow": ORDERED.to_arrow()}


@pytest.mark.parametrize("form", [*WRITTEN, *FRAMES])
def test_rows_in_rank_order_are_the_ranking_where_that_is_said(form: str) -> None:
    run = FRAMES.get(form, f"run.{form}")
    if form in WRITTEN:
        WRITTEN[form](f"run.{form}")
    with pytest.raises(rw.InputError, match=r'in rank order: order="given" .*, or columns=\{') as caught:
        rw.evaluate(JUDGED, run, ["RR"])
    assert caught.value.slug == "frame-columns"
    said: tuple[dict[str, Any], ...] = ({"order": "given"}, {"columns": {"score": ""}}, {"run_columns": {"score": ""}})
    assert [rw.evaluate(JUDGED, run, ["RR"], **how)["RR"] for how in said] == [0.75] * 3
    assert rw.Run(run, columns={"score": ""}).to_frame()["score"].to_list() == [-1, -2, -1]


def test_rows_of_a_query_that_stand_apart_and_in_several_files_go_on_where_they_stopped() -> None:
    write(a_csv="query,document\nq,a\nr,x\nq,b\n", b_csv="query,document\nq,c\nq,d\n", a_jsonl="", b_jsonl="")
    for name in ("a", "b"):
        pl.read_csv(f"{name}.csv").write_ndjson(f"{name}.jsonl")
    for suffix in ("csv", "jsonl"):
        run = rw.Run([f"a.{suffix}", f"b.{suffix}"], "run", columns={"score": ""})
        assert rw.evaluate({"q": {"c": 1}, "r": {"x": 1}}, run, ["RR"]).per_query.to_dict() == {
            "q": {"RR": 1 / 3},
            "r": {"RR": 1},
        }


def test_order_given_leaves_out_no_score_that_is_there() -> None:
    scored = ORDERED.with_columns(score=pl.Series([0.5, 0.7, 0.1]))
    values = rw.evaluate(JUDGED, scored, ["RR"], order="given")
    assert values["RR"] == 0.75
    assert rw.evaluate(JUDGED, scored, ["RR"])["RR"] == 1
    unnamed = [("sort", "u2", 0.5), ("sort", "u1", 0.7), ("read", "u3", 0.1)]
    assert rw.evaluate(JUDGED, unnamed, ["RR"], order="given")["RR"] == 0.75
    assert rw.evaluate(JUDGED, [row[:2] for row in unnamed], ["RR"], order="given")["RR"] == 0.75


def test_rows_without_an_order_are_no_ranking() -> None:
    relation = duckdb.sql("select 'sort' as query, 'u1' as document")
    for how in ({"order": "given"}, {"columns": {"score": ""}}):
        with pytest.raises(rw.InputError, match="no score or rank column") as caught:
            rw.evaluate(JUDGED, relation, ["RR"], **how)
        assert "rank order" not in str(caught.value)


def test_a_command_takes_rows_in_rank_order(capsys: pytest.CaptureFixture[str]) -> None:
    write(judged_csv="query,url,relevance\nsort,u1,3\nsort,u2,0\nread,u3,1\n")
    write(predicted_csv="query,url\nsort,u2\nsort,u1\nread,u3\n")
    words = ("evaluate", "judged.csv", "predicted.csv", "-m", "RR", "--columns", "document=url")
    assert cli.main([*words]) == 2
    assert "--order given" in capsys.readouterr().err
    assert printed(capsys, *words, "--order", "given") == ["predicted\t0.75"]
    assert printed(capsys, *words, "score=") == ["predicted\t0.75"]
    assert cli.main(["convert", "predicted.csv", "a.run", "--run", "--columns", "document=url", "score="]) == 0
    assert Path("a.run").read_text().split("\n")[1] == "sort Q0 u1 2 -2 predicted"


# Usual names


@pytest.mark.parametrize("name", [*SPELLINGS["query"], "Question", "Search_Term"])
def test_queries_go_by_the_names_that_people_use(name: str) -> None:
    write(a_tsv=f"{name}\tdocument\tgrade\nq\td\t1\n")
    assert rw.Qrels("a.tsv").to_dict() == {"q": {"d": 1}}


@pytest.mark.parametrize("name", SPELLINGS["document"])
def test_documents_go_by_the_names_that_people_use(name: str) -> None:
    write(a_tsv=f"id\tquery\t{name}\tgrade\n0\tq\td\t1\n")
    assert rw.Qrels("a.tsv").to_dict() == {"q": {"d": 1}}


@pytest.mark.parametrize(
    ("header", "expected"),
    [
        ("query_id,question,doc,doc_id,grade", {"1": {"4": 5}}),
        ("question,qid,doc_id,url,grade", {"2": {"3": 5}}),
        ("query,query_id,product_id,id,grade", {"2": {"3": 5}}),
        ("user_id,session_id,product_id,doc,grade", {"1": {"3": 5}}),
    ],
)
def test_a_name_that_says_less_gives_way(header: str, expected: dict[str, dict[str, float]]) -> None:
    write(a_csv=f"{header}\n1,2,3,4,5\n")
    assert rw.Qrels("a.csv").to_dict() == expected


def test_two_names_that_say_the_same_are_refused() -> None:
    write(a_csv="query,product_id,chunk_id,grade\n1,2,3,4\n")
    with pytest.raises(rw.InputError, match="product_id chunk_id could all be the document column"):
        rw.evaluate("a.csv", {"1": {"2": 1}}, ["RR"])


def test_records_keep_their_id_and_texts_their_names() -> None:
    hits = {"q": [{"id": "a", "doc": "a text", "score": 2}, {"id": "b", "doc": "another", "score": 1}]}
    assert rw.evaluate({"q": {"b": 1}}, hits, ["RR"])["RR"] == 0.5
    write(queries_csv="query_id,question\n1,what is it\n", corpus_jsonl='{"product_id": "B1", "title": "a lamp"}\n')
    assert metadata.queries("queries.csv").texts == {"1": "what is it"}
    assert list(metadata.documents("corpus.jsonl", ["B1"])) == ["B1"]
