"""Files and objects as practitioners have them: rows in rank order, usual names, lists in cells, nested JSON."""

import json
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from types import SimpleNamespace
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


# Judgements inside hits, and documents that hold several things

READ = [
    {
        "question": "who wrote the red book",
        "answers": ["A. Writer"],
        "ctxs": [
            {"id": "wiki:11", "title": "T1", "score": "81.5", "has_answer": False},
            {"id": "wiki:12", "title": "T2", "score": "80.1", "has_answer": True},
            {"id": "wiki:13", "title": "T3", "score": "79.0", "has_answer": True},
        ],
    },
    {
        "question": "where is the blue lake",
        "answers": ["North"],
        "ctxs": [
            {"id": "wiki:11", "title": "T1", "score": "70.5", "has_answer": False},
            {"id": "wiki:15", "title": "T5", "score": "69.9", "has_answer": False},
        ],
    },
]
"""as DPR writes what was retrieved"""
SAID: list[tuple[str, dict[str, Any]]] = [
    (
        (
            "--qrels-columns query=question documents=ctxs document=id grade=has_answer "
            "--run-columns query=question documents=ctxs document=id"
        ),
        {
            "qrels_columns": {"query": "question", "documents": "ctxs", "document": "id", "grade": "has_answer"},
            "run_columns": {"query": "question", "documents": "ctxs", "document": "id"},
        },
    ),
    ("--qrels-columns grade=has_answer", {"qrels_columns": {"grade": "has_answer"}}),
]


@pytest.mark.parametrize(("words", "columns"), SAID)
def test_grades_may_stand_inside_hits(words: str, columns: dict[str, Any], capsys: pytest.CaptureFixture[str]) -> None:
    write(results_json=json.dumps(READ))
    expected = {"Success@1": 0, "Success@2": 0.5, "RR": 0.25}
    values = rw.evaluate(READ, READ, list(expected), **columns)
    assert values.mean() == expected
    files = ("evaluate", "results.json", "results.json", "-m", "Success@1,2", "RR")
    assert printed(capsys, *files, *words.split()) == ["results\t0.0\t0.5\t0.25"]


def test_a_hit_without_a_grade_is_unjudged_and_lists_of_ids_are_relevant() -> None:
    found = {"documents": "ctxs", "grade": "has_answer"}
    partly = [
        {"question": "q", "ctxs": [{"id": "a", "has_answer": True}, {"id": "b", "has_answer": None}, {"id": "c"}]}
    ]
    assert rw.Qrels(partly, columns=found).blanks == 2
    assert rw.Qrels(partly, columns=found).to_dict() == {"q": {"a": 1}}
    trained = [{"question": "q1", "positive_ctxs": [{"passage_id": "7"}]}, {"question": "q2", "positive_ctxs": []}]
    wanted = rw.Qrels(trained[:1], columns={"documents": "positive_ctxs", "document": "passage_id", "grade": ""})
    assert wanted.to_dict() == {"q1": {"7": 1}}
    with pytest.raises(rw.InputError, match=r"there is no grade key(?s:.*)if none holds grades: .*grade"):
        rw.Qrels(trained, columns={"documents": "positive_ctxs"})
    with pytest.raises(rw.InputError, match="no key missing"):
        rw.Qrels(READ, columns={"documents": "ctxs", "grade": "missing"})


def test_a_response_of_an_engine_holds_judgements_where_its_hits_have_grades() -> None:
    hits = [{"_id": "a", "_score": 2.0, "_source": {"label": 0}}, {"_id": "b", "_score": 1.0, "_source": {"label": 3}}]
    responses = {"q1": {"hits": {"hits": hits}}}
    with pytest.raises(rw.InputError, match=r"holds no judgements(?s:.*)if each hit has its grade: "):
        rw.Qrels(responses)
    assert rw.Qrels(responses, columns={"grade": "_source.label"}).to_dict() == {"q1": {"a": 0, "b": 3}}
    assert rw.evaluate(responses, responses, ["RR"], qrels_columns={"grade": "_source.label"})["RR"] == 0.5


SEVERAL = {
    "mode": "text",
    "queries": {"q1": "what", "q2": "who"},
    "corpus": {"d1": {"text": "one"}, "d2": {"text": "two"}},
    "relevant_docs": {"q1": ["d1"], "q2": ["d2"]},
}
"""as LlamaIndex writes judgements, beside the texts"""
FOUND = {"model": {"name": "x"}, "results": {"q1": ["d2", "d1"], "q2": ["d2"]}}


def test_judgements_and_runs_begin_where_root_says(capsys: pytest.CaptureFixture[str]) -> None:
    write(set_json=json.dumps(SEVERAL), found_json=json.dumps(FOUND, indent=1))
    roots = {"qrels_columns": {"root": "relevant_docs"}, "run_columns": {"root": "results"}}
    for qrels, run in ((SEVERAL, FOUND), (SimpleNamespace(**SEVERAL), FOUND), ("set.json", "found.json")):
        assert rw.evaluate(qrels, run, ["RR"], **roots)["RR"] == 0.75
    nested = {"data": {"test": {"qrels": {"q1": {"d1": "1"}}}}}
    assert rw.Qrels(nested, columns={"root": "data.test.qrels"}).to_dict() == {"q1": {"d1": 1}}
    words = ("evaluate", "set.json", "found.json", "-m", "RR")
    said = ["--qrels-columns", "root=relevant_docs", "--run-columns", "root=results"]
    assert printed(capsys, *words, *said) == ["found\t0.75"]
    for given in ([], said[:2]):  # each message says what to type, to the end
        assert cli.main([*words, *given]) == 2
        assert f"say where to begin: {' '.join(said[len(given) :][:2])}" in capsys.readouterr().err


@pytest.mark.parametrize("rows", [{"q1": {"d1": 1}}, [{"query": "q1", "document": "d1", "grade": 1}], {"q1": ["d1"]}])
def test_what_holds_judgements_among_other_things_says_where(rows: object) -> None:
    for source in ({"name": "x", "relevant": rows}, {"texts": {"q1": "a text"}, "relevant": rows}):
        with pytest.raises(rw.InputError, match=r"say where to begin: .*'root': 'relevant'"):
            rw.Qrels(source)
        assert rw.Qrels(source, columns={"root": "relevant"}).to_dict() == {"q1": {"d1": 1}}


def test_a_root_that_is_not_there_or_not_of_json_is_refused() -> None:
    write(a_csv="query,document,grade\nq,d,1\n", b_json='{"x": {"q": ["d"]}}')
    for source, text in (
        ("a.csv", "root=y is a key in a document of JSON, and this is csv"),
        ("b.json", "nothing stands at root=y; it has x"),
        (ORDERED, "nothing stands at root=y"),
    ):
        with pytest.raises(rw.InputError, match=text):
            rw.Qrels(source, columns={"root": "y"})
    with pytest.raises(rw.InputError, match="there is no such column"):
        rw.evaluate("a.csv", {"q": ["d"]}, ["RR"], qrels_columns={"root": "y"})
