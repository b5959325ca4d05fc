"""Files and objects as practitioners have them: rows in rank order, usual names, lists in cells, nested JSON."""

import json
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import duckdb
import pandas as pd
import polars as pl
import pytest

import rankworth as rw
from rankworth import cli
from rankworth.io import query_texts
from rankworth.io.usual_names import SPELLINGS


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
    with pytest.raises(rw.InputError, match=r'in rank order: order="given", or columns=\{') as caught:
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
    assert query_texts.queries("queries.csv").texts == {"1": "what is it"}
    assert list(query_texts.documents("corpus.jsonl", ["B1"])) == ["B1"]


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
    assert rw.Qrels(trained[:1], columns={"documents": "positive_ctxs"}).to_dict() == {"q1": {"7": 1}}
    with pytest.raises(rw.InputError, match="query q2 has no judgements"):
        rw.Qrels(trained, columns={"documents": "positive_ctxs"})
    with pytest.raises(rw.InputError, match="no field missing"):
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


# Several documents in a cell, and a column for each rank

WANTED, SHOWN = {"u1": ["0372", "0999"], "u2": ["0456"]}, {"u1": ["0706", "0372", "0111"], "u2": ["0456", "0111"]}
CELLS: dict[str, tuple[Callable[[list[str]], str], dict[str, str]]] = {
    "blanks": (" ".join, {"separator": " "}),
    "commas": (", ".join, {"separator": ","}),
    "semicolons": (";".join, {"separator": ";"}),
    "JSON": (json.dumps, {}),
    "Python": (str, {}),
    "an array": (lambda ids: f"[{' '.join(ids)}]", {"separator": " "}),
}
AS: dict[str, Callable[[pl.DataFrame, str], Any]] = {
    "csv": lambda frame, name: frame.write_csv(f"{name}.csv") or f"{name}.csv",
    "tsv": lambda frame, name: frame.write_csv(f"{name}.tsv", separator="\t") or f"{name}.tsv",
    "parquet": lambda frame, name: frame.write_parquet(f"{name}.parquet") or f"{name}.parquet",
    "jsonl": lambda frame, name: frame.write_ndjson(f"{name}.jsonl") or f"{name}.jsonl",
    "Polars": lambda frame, _: frame,
    "pandas": lambda frame, _: frame.to_pandas(),
    "Arrow": lambda frame, _: frame.to_arrow(),
    "rows": lambda frame, _: frame.rows(named=True),
}
MEASURE = "AP(norm=min(k,R))@12"


def of_cells(lists: dict[str, list[str]], write_cell: Callable[[list[str]], str]) -> pl.DataFrame:
    """A row for each query, with its documents in one cell."""
    return pl.DataFrame({"customer_id": list(lists), "prediction": list(map(write_cell, lists.values()))})


@pytest.mark.parametrize("form", AS)
@pytest.mark.parametrize("cell", CELLS)
def test_a_cell_may_hold_several_documents(cell: str, form: str) -> None:
    write_cell, said = CELLS[cell]
    qrels, run = (AS[form](of_cells(lists, write_cell), name) for lists, name in ((WANTED, "wanted"), (SHOWN, "shown")))
    columns = {"query": "customer_id", "document": "prediction", **said}
    values = rw.evaluate(qrels, run, [MEASURE], columns=columns)
    assert values.per_query.to_dict() == {"u1": {MEASURE: 0.25}, "u2": {MEASURE: 1}}
    assert rw.Run(run, columns=columns).to_frame()["document"].to_list() == ["0706", "0372", "0111", "0456", "0111"]


def test_scores_may_stand_in_a_cell_beside_those_of_documents() -> None:
    write(a_csv='query,documents,scores\nq,"[""a"", ""b""]","[0.7, 0.5]"\nr,"[""c""]",[0.1]\ns,[],[]\n')
    write(b_csv="query,items,score\nq,a b,0.7 0.5\nr,c,0.1\ns,,\n", c_csv="query,items,grade\nq,a b,2\nr,c,1\n")
    for run in (rw.Run("a.csv"), rw.Run("b.csv", columns={"separator": " "})):
        assert run.to_frame().rows() == [("q", "a", 0.7), ("q", "b", 0.5), ("r", "c", 0.1)]
    assert rw.Qrels("c.csv", columns={"separator": " "}).to_dict() == {"q": {"a": 2, "b": 2}, "r": {"c": 1}}


@pytest.mark.parametrize("ids", [["[]"], ["[]", "0"], ["[1]", "[2]"], ["a", "[b]"]], ids=str)
def test_ids_that_are_written_as_lists_are_ids_beside_their_scores(ids: list[str]) -> None:
    rows = [("q", document, float(-rank)) for rank, document in enumerate(ids)]
    run = {"q": {document: score for _, document, score in rows}}
    assert rw.evaluate({"q": {ids[-1]: 1}}, rows, ["RR"])["RR"] == rw.evaluate({"q": {ids[-1]: 1}}, run, ["RR"])["RR"]
    frame = pl.DataFrame(rows, schema=["query", "document", "score"], orient="row")
    assert rw.evaluate({"q": {ids[-1]: 1}}, frame, ["RR"])["RR"] == 1 / len(ids)
    frame.write_csv("bracketed.csv")
    assert rw.evaluate({"q": {ids[-1]: 1}}, "bracketed.csv", ["RR"])["RR"] == 1 / len(ids)


def test_cells_are_never_taken_apart_unsaid(capsys: pytest.CaptureFixture[str]) -> None:
    write(wanted_csv="customer_id,prediction\nu1,0372 0999\nu2,0456\n")
    write(shown_csv="customer_id,prediction\nu1,0706 0372 0111\nu2,0456 0111\n", titles_csv="query,item\nq,Red Book\n")
    words = ["evaluate", "wanted.csv", "shown.csv", "-m", MEASURE, "--columns", "query=customer_id"]
    words.append("document=prediction")
    assert cli.main(words) == 2
    assert (
        "in a cell, as '0372 0999'   [frame-columns]\n  if it does: --columns 'separator= '\n"
        in capsys.readouterr().err
    )
    assert printed(capsys, *words, "separator= ") == ["shown\t0.625"]
    assert rw.Qrels("titles.csv").to_dict() == {"q": {"Red Book": 1}}
    write(plural_csv="query,items\nq,a;b\n")
    with pytest.raises(rw.InputError, match=r"holds several documents, as 'a;b': .*columns=\{'separator': ';'\}"):
        rw.evaluate({"q": {"b": 1}}, "plural.csv", ["RR"])
    assert rw.evaluate({"q": {"b": 1}}, "plural.csv", ["RR"], columns={"separator": ";"})["RR"] == 0.5


@pytest.mark.parametrize(
    ("cell", "separator", "text"),
    [
        ("a,,b", ",", "'a,,b' has nothing between two separators"),
        ("[a b", " ", ""),
        ("[a b]", "", "begins as a list and is none of JSON"),
        ("[1.5]", "", "ids are text or integers"),
    ],
)
def test_a_cell_that_is_no_list_is_refused(cell: str, separator: str, text: str) -> None:
    frame = pl.DataFrame({"query": ["q"], "items": [cell]})
    columns = {"separator": separator} if separator else {}
    if text:
        with pytest.raises(rw.InputError, match=re.escape(text)):
            rw.Run(frame, columns=columns)
    else:
        assert rw.Run(frame, columns=columns).to_frame()["document"].to_list() == ["[a", "b"]


def test_a_separator_that_separates_nothing_is_refused() -> None:
    lists = pl.DataFrame({"query": ["q"], "items": [["a", "b"]]})
    write(a_run="q Q0 a 1 1 x\n", b_json='{"q": ["a"]}')
    for source in (lists, lists.rows(named=True)):
        with pytest.raises(rw.InputError, match=r"the documents stand in lists already(?s:.*)leave separator out"):
            rw.Run(source, columns={"separator": ","})
    for file in ("a.run", "b.json"):
        with pytest.raises(rw.InputError, match="there is no such column"):
            rw.evaluate({"q": {"a": 1}}, file, ["RR"], run_columns={"separator": ","})
    relation = duckdb.sql("select 'q' as query, 'a b' as document, 1.0 as score")
    with pytest.raises(rw.InputError, match="cells of this table are not taken apart"):
        rw.evaluate({"q": {"a": 1}}, relation, ["RR"], columns={"separator": " "})


WIDE = pl.DataFrame({"query": ["1", "2"], "item1": ["11", "21"], "item3": ["13", None], "item2": ["12", "22"]})


@pytest.mark.parametrize("form", AS)
def test_a_column_for_each_rank_is_a_ranking(form: str) -> None:
    run = AS[form](WIDE, "run")
    columns = {"document": "item*"}
    with pytest.raises(rw.InputError, match=r"'document': 'item\*'"):
        rw.evaluate({"1": {"12": 1}, "2": {"21": 1}}, run, ["AP@3"])
    values = rw.evaluate({"1": {"12": 1}, "2": {"21": 1}}, run, ["AP@3"], run_columns=columns)
    assert values.per_query.to_dict() == {"1": {"AP@3": 0.5}, "2": {"AP@3": 1}}
    ranked = rw.Run(run, columns=columns).to_frame()["document"].to_list()
    assert ranked == ["11", "12", "13", "21", "22"]
    assert rw.Qrels(run, columns=columns).to_dict() == {"1": dict.fromkeys(ranked[:3], 1), "2": {"21": 1, "22": 1}}


def test_columns_of_ranks_may_have_scores_beside_them_or_numbers_for_names() -> None:
    write(a_csv="query,doc_1,doc_2,sim_1,sim_2\nq,a,b,0.5,0.25\n", b_csv="1,11,12\n2,21,\n")
    run = rw.Run("a.csv", columns={"document": "doc_*", "score": "sim_*"})
    assert run.to_frame().rows() == [("q", "a", 0.5), ("q", "b", 0.25)]
    run = rw.Run("b.csv", columns={"query": "1", "document": "*"})
    assert run.to_frame().rows() == [("1", "11", -1), ("1", "12", -2), ("2", "21", -1)]
    named = pd.DataFrame({"query": ["q"], 1: ["b"], 0: ["a"]})
    assert rw.Run(named, columns={"document": "*"}).to_frame()["document"].to_list() == ["a", "b"]
    holes = WIDE.with_columns(item2=pl.Series([None, "22"], dtype=pl.String))
    with pytest.raises(rw.InputError, match="item 1: the document is missing"):
        rw.Run(holes, columns={"document": "item*"})


WITHOUT_PYARROW = """
import sys
sys.modules["pyarrow"] = None  # as where it is not installed
import pandas as pd, rankworth as rw
for ids in ([[3, 7], [4]], [["a", "b"], ["c"]]):
    shown = [[9, *ids[0]], [ids[1][0], 8]] if ids[0][0] == 3 else [["x", *ids[0]], [ids[1][0], "y"]]
    wanted = pd.DataFrame({"user_id": [1, 2], "items": ids})
    run = pd.DataFrame({"user_id": [1, 2], "items": shown})
    print(rw.evaluate(wanted, run, ["AP@12"]).mean(), rw.evaluate(wanted, run, ["AP@12"], order="given").mean())
"""


def test_lists_in_frames_of_pandas_need_no_pyarrow() -> None:
    out = subprocess.run([sys.executable, "-c", WITHOUT_PYARROW], check=True, capture_output=True, text=True).stdout
    assert out.splitlines() == ["{'AP@12': 0.7916666666666666} {'AP@12': 0.7916666666666666}"] * 2


@pytest.mark.parametrize("form", ["parquet", "jsonl", "Polars", "pandas", "Arrow", "rows"])
def test_tables_have_records_where_documents_says(form: str) -> None:
    hits = [{"key": "a", "sim": "0.5"}, {"key": "b", "sim": "0.2"}]
    run = AS[form](pl.DataFrame({"question": ["q"], "found": [hits]}), "found")
    columns = {"documents": "found", "document": "key", "score": "sim"}
    assert rw.Run(run, columns=columns).to_frame().rows() == [("q", "a", 0.5), ("q", "b", 0.2)]
    assert rw.Qrels(run, columns={"documents": "found", "document": "key", "grade": "sim"}).to_dict() == {
        "q": {"a": 0.5, "b": 0.2}
    }


@pytest.mark.filterwarnings("ignore::rankworth.RankworthWarning")
def test_a_row_of_blanks_in_a_table_with_a_column_for_each_rank_is_an_empty_ranking() -> None:
    rows = {"query": ["q1", "q2"], "item1": ["a", None], "item2": ["b", None]}
    for source in (rows, pd.DataFrame(rows), pl.DataFrame(rows)):
        values = rw.evaluate(
            {"q1": {"b": 1}, "q2": {"a": 1}}, source, ["RR", "NumRet"], run_columns={"document": "item*"}
        )
        assert values.per_query.to_dict() == {"q1": {"RR": 1 / 2, "NumRet": 2}, "q2": {"RR": 0, "NumRet": 0}}
        assert values["RR"] == (1 / 2 + 0) / 2
        assert values.counts.unanswered == 1
