"""What a user types to have files read: formats, columns, folders, policies; all through the command."""

import gzip
import json
import math
import shlex
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import duckdb
import pandas as pd
import polars as pl
import pytest

import rankworth as rw
from helpers import command_of

Answer = tuple[int, str, str]
Command = Callable[..., Answer]

QRELS = {"q1": {"d1": 2, "d2": 0, "d3": 1}, "q2": {"d1": 1}}
RUN = {"q1": {"d2": 0.75, "d1": 0.5}, "q2": {"d4": 3.0, "d1": 2.0}}
MEASURES = ("-m", "nDCG@10", "AP", "RR")


@pytest.fixture(autouse=True)
def _folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("qrels.json").write_text(json.dumps(QRELS))
    Path("run.json").write_text(json.dumps(RUN))


@pytest.fixture
def command(capsysbinary: pytest.CaptureFixture[bytes]) -> Command:
    """The command in this process: exit status, standard output, standard error."""
    return command_of(capsysbinary)


def measured(command: Command, *arguments: str) -> list[float]:
    """The values of the one run."""
    status, out, err = command("evaluate", *arguments, *MEASURES)
    assert status == 0, err
    return list(map(float, out.splitlines()[1].split("\t")[1:]))


def means(qrels: dict[str, dict[str, float]], run: dict[str, dict[str, float]]) -> list[float]:
    """The same of dicts."""
    return list(rw.evaluate(qrels, run, MEASURES[1:]).mean().values())


def frame(columns: tuple[str, str, str], dicts: dict[str, dict[str, float]]) -> pl.DataFrame:
    rows = [(query, document, value) for query, inner in dicts.items() for document, value in inner.items()]
    return pl.DataFrame(rows, schema=columns, orient="row")


def test_columns_are_named_once_for_all_files(command: Command) -> None:
    frame(("term", "sku", "rating"), QRELS).write_csv("ratings.csv")
    frame(("term", "sku", "score"), RUN).write_parquet("results.parquet")
    said = ("--columns", "query=term", "document=sku", "grade=rating")
    assert measured(command, "ratings.csv", "results.parquet", *said) == means(QRELS, RUN)
    usual = frame(("query_id", "doc_id", "score"), RUN)
    usual.write_ipc("usual.arrow")
    assert measured(command, "ratings.csv", "usual.arrow", *said) == means(QRELS, RUN)
    usual.write_ndjson("usual.jsonl")
    assert measured(command, "ratings.csv", "usual.jsonl", *said) == means(QRELS, RUN)


def test_columns_that_no_file_has_are_refused(command: Command) -> None:
    frame(("query", "sku", "rating"), QRELS).write_csv("ratings.csv")
    frame(("query", "sku", "score"), RUN).write_parquet("results.parquet")
    said = ("--columns", "document=sku", "grade=stars", "score=sim")
    assert command("evaluate", "ratings.csv", "results.parquet", *said) == (
        2,
        "",
        """error: --columns grade=stars score=sim: there is no such column   [frame-columns]
  ratings.csv has query sku rating; results.parquet has query sku score
""",
    )
    said = ("--columns", "document=sku", "query=term")
    assert (
        "--columns query=term: there is no such column"
        in command("evaluate", "ratings.csv", "results.parquet", *said)[2]
    )


HITS = {
    query: [
        {"_index": "shop", "_id": document, "_score": score, "_source": {"sku": "no", "id": "no"}}
        for document, score in sorted(documents.items(), key=lambda pair: -pair[1])
    ]
    for query, documents in RUN.items()
}
RANK_EVAL = {
    "metric_score": 1.0,
    "details": {query: {"hits": [{"hit": hit, "rating": None} for hit in hits]} for query, hits in HITS.items()},
}


def write_two_files() -> None:
    """Judgements and a run that call the same things differently, and one thing alike that is not the same."""
    frame(("term", "sku", "stars"), QRELS).write_csv("ratings.csv")
    frame(("sku", "url", "sim"), RUN).write_csv("found.csv")


@pytest.mark.parametrize(
    "said",
    [
        ("--qrels-columns", "query=term", "document=sku", "grade=stars", "--run-columns", "query=sku", "document=url",
         "score=sim"),
        ("--columns", "query=term", "document=sku", "grade=stars", "score=sim", "--run-columns", "query=sku",
         "document=url"),
        ("--columns", "grade=stars", "score=sim", "query=sku", "--qrels-columns", "query=term", "document=sku",
         "--run-columns", "document=url"),
    ],
)  # fmt: skip
def test_columns_are_named_for_each_file(command: Command, said: tuple[str, ...]) -> None:
    write_two_files()
    assert measured(command, "ratings.csv", "found.csv", *said) == means(QRELS, RUN)


@pytest.mark.parametrize("content", [HITS, RANK_EVAL], ids=["hits", "rank_eval"])
def test_hits_are_told_by_their_ids_whatever_the_other_file_has(command: Command, content: dict[str, Any]) -> None:
    frame(("term", "sku", "stars"), QRELS).write_csv("ratings.csv")
    Path("hits.json").write_text(json.dumps(content))
    said = ("--columns", "query=term", "document=sku", "grade=stars")
    assert measured(command, "ratings.csv", "hits.json", *said) == means(QRELS, RUN)
    flat = {query: [{**hit, "sku": "no"} for hit in hits] for query, hits in HITS.items()}
    Path("flat.json").write_text(json.dumps(flat))
    assert measured(command, "ratings.csv", "flat.json", *said) == means(QRELS, RUN)
    err = command("evaluate", "ratings.csv", "flat.json", *said, "--run-columns", "document=sku")[2]
    assert "duplicate-document" in err  # what is said of the run itself holds


def test_all_columns_that_are_missing_are_told_at_once_with_a_line_to_paste(command: Command) -> None:
    write_two_files()
    said = (
        "--qrels-columns",
        "query=trem",
        "document=skuu",
        "grade=star",
        "--run-columns",
        "query=sku",
        "document=ulr",
    )
    status, out, err = command("evaluate", "ratings.csv", "found.csv", *said, "score=simm")
    assert (status, out) == (2, "")
    assert err == (
        "error: --qrels-columns query=trem document=skuu grade=star --run-columns document=ulr score=simm: "
        "there is no such column   [frame-columns]\n"
        "  ratings.csv has term sku stars; found.csv has sku url sim\n"
        "  did you mean --qrels-columns query=term document=sku grade=stars?\n"
        "  did you mean --run-columns query=sku document=url score=sim?\n"
    )
    pasted = [line.removeprefix("  did you mean ").removesuffix("?") for line in err.splitlines()[2:]]
    assert measured(command, "ratings.csv", "found.csv", *shlex.split(" ".join(pasted))) == means(QRELS, RUN)


def test_the_project_names_columns(command: Command) -> None:
    write_two_files()
    Path("pyproject.toml").write_text(
        "[tool.rankworth]\ncolumns = {grade = 'stars', score = 'sim'}\n"
        "qrels-columns = {query = 'term', document = 'sku'}\nrun-columns = {query = 'sku', document = 'url'}\n"
    )
    assert measured(command, "ratings.csv", "found.csv") == means(QRELS, RUN)
    assert measured(command, "qrels.json", "run.json") == means(QRELS, RUN)
    frame(("sku", "page", "sim"), RUN).write_csv("found.csv")
    assert measured(command, "ratings.csv", "found.csv", "--run-columns", "document=page") == means(QRELS, RUN)
    for wrong in ("columns = 'x'", "columns = {query = 1}", "columns = {what = 'x'}", "qrels-columns = {score = 'x'}"):
        Path("pyproject.toml").write_text(f"[tool.rankworth]\n{wrong}\n")
        assert "[bad-config]" in command("evaluate", "qrels.json", "run.json")[2]


def test_columns_are_named_in_python() -> None:
    write_two_files()
    each: dict[str, Any] = {
        "columns": {"grade": "stars", "score": "sim"},
        "qrels_columns": {"query": "term", "document": "sku"},
        "run_columns": {"query": "sku", "document": "url"},
    }
    judged, ranked = pl.read_csv("ratings.csv"), pl.read_csv("found.csv")
    expected = means(QRELS, RUN)
    con = duckdb.connect()
    relations = [con.read_csv(path) for path in ("ratings.csv", "found.csv")]
    for qrels, run in [
        (Path("ratings.csv"), Path("found.csv")),
        (judged, ranked),
        (judged.to_pandas(), ranked.to_arrow()),
        (judged.to_dicts(), ranked.to_dicts()),
        (judged, {q: [{"url": d, "sim": s} for d, s in docs.items()] for q, docs in RUN.items()}),
        (QRELS, ranked),
        relations,
    ]:
        said = dict(each)
        if isinstance(run, dict):
            said["run_columns"] = {"document": "url"}
        if isinstance(qrels, dict):
            said = {"run_columns": {**each["run_columns"], "score": "sim"}}
        assert list(rw.evaluate(qrels, run, MEASURES[1:], **said).mean().values()) == expected
        [values] = rw.evaluate_runs(qrels, {"a": run}, MEASURES[1:], **said).values()
        assert list(values.mean().values()) == expected
        [other] = rw.evaluate_profiles(qrels, run, MEASURES[1:], profiles=["standard"], **said).values()
        assert not isinstance(other, Exception)
        assert list(other.mean().values()) == expected
    compared = rw.compare(judged, {"a": ranked, "b": "found.csv"}, ["nDCG@10"], **each)
    assert compared.differences[0].difference == 0
    assert rw.explain(judged, ranked, "nDCG@10", query="q1", **each).value == rw.explain(QRELS, RUN, query="q1").value
    told = rw.explain_queries(judged, ranked, against="found.csv", queries=["q1"], **each)
    assert told[0].difference == 0
    assert rw.vary(measures="nDCG@10", by="cutoff", qrels=judged, run=ranked, query="q1", **each).rows
    runs = {"query": "sku", "document": "url", "score": "sim"}
    assert float(rw.correlate(ranked, "found.csv", "rbo", columns=runs)) == pytest.approx(1)
    assert rw.correlate_runs({"a": ranked, "b": "found.csv"}, "rbo", columns=runs)
    grades = {"query": "term", "document": "sku", "grade": "stars"}
    assert rw.agreement(judged, "ratings.csv", columns=grades).equal.value == 1
    with pytest.raises(rw.InputError) as raised:
        rw.evaluate(judged, ranked, qrels_columns={"query": "trem", "grade": "stars"}, columns={"score": "simm"})
    assert str(raised.value) == (
        "columns={'score': 'simm'}, qrels_columns={'query': 'trem'}: there is no such column   [frame-columns]\n"
        "  the run has sku url sim; the judgements have term sku stars\n"
        "  did you mean columns={'score': 'sim'}?\n"
        "  did you mean qrels_columns={'query': 'term', 'grade': 'stars'}?"
    )


PLACES = "query documents document source start end text"
COSTS = "tokens bytes milliseconds"


@pytest.mark.parametrize(
    ("said", "message"),
    [
        (
            ("what=x",),
            f"columns: what is not one of root separator {PLACES} score rank rows {COSTS} grade subtopic",
        ),
        (("query",), "--columns query: a column is named WHAT=NAME, as in query=term"),
        (("query=a", "query=b"), "--columns query=b: query appears twice"),
        (
            ("query=a", "--run-columns", "grade=b"),
            f"--run-columns: grade is not one of root separator {PLACES} score rank rows {COSTS}",
        ),
        (
            ("query=a", "--qrels-columns", "rank=b"),
            f"--qrels-columns: rank is not one of root separator {PLACES} grade subtopic",
        ),
    ],
)
def test_columns_that_cannot_be(command: Command, said: tuple[str, ...], message: str) -> None:
    status, out, err = command("evaluate", "qrels.json", "run.json", "--columns", *said)
    assert (status, out) == (2, "")
    assert err.startswith(f"error: {message}   [unknown-setting]")


def test_a_folder_of_beir(command: Command) -> None:
    Path("scifact/qrels").mkdir(parents=True)
    header = ("query-id", "corpus-id", "score")
    frame(header, QRELS).write_csv("scifact/qrels/test.tsv", separator="\t")
    frame(header, {"q1": {"d1": 1}}).write_csv("scifact/qrels/train.tsv", separator="\t")
    assert measured(command, "scifact", "run.json") == means(QRELS, RUN)
    train = means({"q1": {"d1": 1}}, RUN)
    assert measured(command, "scifact", "run.json", "--split", "train") == train
    assert command("evaluate", "scifact", "run.json", "--split", "dev")[2] == (
        "error: scifact/qrels: no file is called dev   [missing-file]\n"
        "  the folder has the splits test train; --split NAME chooses one, or name the file itself\n"
    )
    assert "is no folder of BEIR's" in command("evaluate", "qrels.json", "run.json", "--split", "train")[2]


def test_patterns_and_folders_are_one_run(command: Command) -> None:
    Path("parts").mkdir()
    for number, (query, documents) in enumerate(RUN.items()):
        frame(("query", "document", "score"), {query: documents}).write_parquet(f"parts/part-{number}.parquet")
    assert measured(command, "qrels.json", "parts/*.parquet") == means(QRELS, RUN)
    assert measured(command, "qrels.json", "parts") == means(QRELS, RUN)


@pytest.mark.parametrize("form", ["jsonl", "json", "parquet", "arrow"])
def test_two_lists_of_one_query_have_no_order(command: Command, form: str) -> None:
    Path("parts").mkdir()
    write = {"parquet": pl.DataFrame.write_parquet, "arrow": pl.DataFrame.write_ipc, "jsonl": pl.DataFrame.write_ndjson}
    for number, (first, second) in enumerate(((["d1"], ["d2", "d1"]), (["d2", "d1"], ["d4"]))):
        lists = pl.DataFrame({"query": ["q1", f"q{number + 2}"], "documents": [first, second]})
        path = Path(f"parts/part-{number}.{form}")
        if form == "json":
            path.write_text(json.dumps(dict(lists.iter_rows())))
        else:
            write[form](lists, path)
        assert command("evaluate", "qrels.json", str(path), "--quiet")[0] == 0
    status, out, err = command("evaluate", "qrels.json", "parts")
    assert (status, out) == (2, "")
    assert "query q1 has a list again (first: parts/part-0" in err
    assert "so its order is not known   [duplicate-document]" in err
    status, _, err = command("convert", "parts", "all.run")
    assert status == 2
    assert "query q1 has a list again" in err
    assert not Path("all.run").exists()
    assert command("convert", str(path), "one.run", "--quiet")[0] == 0


def test_two_lists_of_one_query_in_a_frame_have_no_order() -> None:
    lists = pl.DataFrame({"query": ["q1", "q2", "q1"], "documents": [["d2"], ["d1"], ["d1"]]})
    with pytest.raises(rw.InputError, match="the run: row 2: query q1 has a list again"):
        rw.Run(lists)
    scored = lists.with_columns(scores=pl.Series([[0.9], [1.0], [0.5]]))
    assert rw.Run(scored).to_frame().height == 3


def test_formats_are_told_where_content_does_not(command: Command) -> None:
    Path("run.txt").write_text("q1\td2\t1\nq1\td1\t2\nq2\td4\t1\nq2\td1\t2\n")
    status, out, err = command("evaluate", "qrels.json", "run.txt")
    assert (status, out) == (2, "")
    assert "all numbers of the third column are whole; they may be ranks or scores" in err
    assert "--run-format msmarco" in err
    assert "--run-format tsv --columns query=1 document=2 score=3" in err
    assert measured(command, "qrels.json", "run.txt", "--run-format", "msmarco") == means(QRELS, RUN)
    scores = {"q1": {"d2": 1, "d1": 2}, "q2": {"d4": 1, "d1": 2}}
    said = ("--run-format", "tsv", "--columns", "query=1", "document=2", "score=3")
    assert measured(command, "qrels.json", "run.txt", *said) == means(QRELS, scores)
    status, out, err = command("evaluate", "qrels.json", "run.txt", "--run-format", "xml")
    assert err == (
        "error: there is no format 'xml'; there are trec tsv csv msmarco jsonl json parquet arrow svmlight"
        " npy ivecs ibin fbin npz fvecs hdf5 lists scores   [unknown-format]\n"
    )


def test_judgements_without_a_header_may_have_blanks_in_their_ids(command: Command) -> None:
    Path("qrels.tsv").write_text("new york\td1\t2\nnew york\td2\t0\nnew york\td3\t1\nq2\td1\t1\n")
    Path("named.json").write_text(json.dumps({"new york": RUN["q1"], "q2": RUN["q2"]}))
    assert measured(command, "qrels.tsv", "named.json") == means(QRELS, RUN)


def test_words_with_tabs_between_that_may_be_cells_are_asked_for(command: Command) -> None:
    Path("odd.txt").write_text("brand 2024\td1\t2\n")
    assert command("evaluate", "odd.txt", "run.json")[2] == (
        "error: odd.txt: 'brand 2024\\td1\\t2' may be 4 words or three cells   [unknown-format]\n"
        "  say which: --qrels-format trec\n  or --qrels-format tsv\n"
    )
    assert rw.Qrels("odd.txt", format="tsv").to_dict() == {"brand 2024": {"d1": 2.0}}
    assert rw.Qrels("odd.txt", format="trec").to_dict() == {"brand": {"d1": 2.0}}
    Path("odd.run").write_text("best running shoes\tsize 5\t3.5\n")
    assert rw.Run("odd.run").to_frame().rows() == [("best running shoes", "size 5", 3.5)]
    Path("usual.txt").write_text("q1 0\td1\t2\n")
    assert rw.Qrels("usual.txt").to_dict() == {"q1": {"d1": 2.0}}


def test_passages_become_documents(command: Command) -> None:
    Path("chunks.run").write_text(
        "q1 Q0 d2 1 0.75 x\nq1 Q0 d1 2 0.5 x\nq1 Q0 d2 3 0.4 x\nq2 Q0 d4 1 3 x\nq2 Q0 d1 2 2 x\n"
    )
    status, out, err = command("evaluate", "qrels.json", "chunks.run")
    assert (status, out) == (2, "")
    assert "--duplicates best" in err
    assert measured(command, "qrels.json", "chunks.run", "--duplicates", "best") == means(QRELS, RUN)
    status, out, err = command("evaluate", "qrels.json", "chunks.run", "--duplicates", "best")
    assert "1 retrieved document left out as duplicates (duplicates:best)" in err
    assert "|duplicates:best|" in err


def test_judgements_of_several_people(command: Command) -> None:
    Path("two.txt").write_text("q1 0 d1 2\nq1 0 d1 1\nq1 0 d2 0\nq1 0 d3 1\nq2 0 d1 1\n")
    assert command("evaluate", "two.txt", "run.json")[0] == 2
    assert measured(command, "two.txt", "run.json", "--duplicate-judgements", "max") == means(QRELS, RUN)


def test_what_users_have_seen_is_taken_out(command: Command) -> None:
    Path("seen.csv").write_text("user_id,item_id\nq1,d2\n")
    left = {"q1": {"d1": 0.5}, "q2": RUN["q2"]}
    expected = means({"q1": {"d1": 2, "d3": 1, "d9": 0}, "q2": {"d1": 1}}, left)
    assert measured(command, "qrels.json", "run.json", "--exclude", "seen.csv") == expected
    assert "|exclude:" in command("evaluate", "qrels.json", "run.json", "--exclude", "seen.csv")[2]
    assert command("evaluate", "qrels.json", "run.json", "--exclude", "gone.csv")[2] == (
        "error: gone.csv: there is no such file   [missing-file]\n  did you mean seen.csv?\n"
    )
    assert (
        "this file is read"
        in command("evaluate", "qrels.json", "run.json", "--exclude", "seen.csv", "-f", "csv", "-o", "seen.csv")[2]
    )


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("user,item,timestamp\nq1,d2,1700000000\n", ()),
        ("userId,movieId,rating\nq1,d2,4\n", ("--columns", "document=movieId")),
        ("q1,d2\n", ()),
        ("q1\td2\n", ()),
        ("q1 d2\n", ()),
        ("x; d2\nq1 d2\n", ()),
        ("no query\td2\nq1\td2\n", ()),
        ("q1 0 d2 1\n", ()),
        ("q1 Q0 d2 1 0.5 x\n", ()),
        ('{"q1": ["d2"]}', ()),
    ],
)
def test_pairs_to_take_out_stand_in_any_file(command: Command, content: str, said: tuple[str, ...]) -> None:
    Path("seen").write_text(content)
    left = {"q1": {"d1": 0.5}, "q2": RUN["q2"]}
    expected = means({"q1": {"d1": 2, "d3": 1, "d9": 0}, "q2": {"d1": 1}}, left)
    assert measured(command, "qrels.json", "run.json", "--exclude", "seen", *said) == expected


def test_that_no_column_tells_grades_can_be_said(command: Command) -> None:
    Path("clicks.csv").write_text("user,item,timestamp\nq1,d1,1700000000\nq2,d1,1700000001\n")
    assert "--columns grade=NAME" in command("evaluate", "clicks.csv", "run.json")[2]
    expected = means({"q1": {"d1": 1}, "q2": {"d1": 1}}, RUN)
    assert measured(command, "clicks.csv", "run.json", "--columns", "grade=") == expected


def test_a_document_that_is_the_query_is_taken_out(command: Command) -> None:
    Path("self.json").write_text(json.dumps({"d1": {"d1": 9.0, "d2": 1.0}}))
    Path("alike.json").write_text(json.dumps({"d1": {"d1": 3, "d2": 1}}))
    assert measured(command, "alike.json", "self.json", "--exclude", "self") == [1.0, 1.0, 1.0]


def test_parts_of_a_run_are_not_written_over(command: Command) -> None:
    Path("parts").mkdir()
    frame(("query", "document", "score"), RUN).write_csv("parts/0.csv")
    content = Path("parts/0.csv").read_bytes()
    status, _, err = command("evaluate", "qrels.json", "parts/*.csv", "-o", "parts/0.csv")
    assert status == 2
    assert "this file is read, so it is not written" in err
    assert Path("parts/0.csv").read_bytes() == content


def test_a_list_of_queries_has_one_in_each_line_whatever_it_is_made_of(command: Command) -> None:
    Path("odd.json").write_text(json.dumps({"a\u2028b": {"d1": 1, "d2": 0}, "c": {"d1": 1}}))
    Path("ran.json").write_text(json.dumps({"a\u2028b": {"d2": 2, "d1": 1}}))
    Path("only.txt").write_bytes("\ufeff  a\u2028b \r\n# c\n".encode())
    assert measured(command, "odd.json", "ran.json", "--only", "only.txt")[-1] == 1 / 2
    Path("only.txt").write_bytes(b"q1\nq\0\n")
    assert command("evaluate", "qrels.json", "run.json", "--only", "only.txt")[2] == (
        "error: only.txt:2: a null byte; this is not a text file   [binary-file]\n"
        "  export or extract its table as text, or leave the format out to have it detected from the content\n"
    )


@pytest.mark.parametrize(
    "lines",
    [
        [{"query": "q1", "documents": ["d1"]}, {"query": "q2", "documents": ["d1", "d3"], "scores": [1, 2.5]}],
        [{"query": "q1", "documents": [{"document": "d1"}, {"document": "d3", "score": 9}]}],
        [{"query": "q1", "document": "d1", "rank": 1}, {"query": "q1", "document": "d3", "rank": 2, "score": 9}],
    ],
)
def test_scores_that_come_later_are_not_left_out(lines: list[object]) -> None:
    Path("a.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    with pytest.raises(rw.InputError, match=r"the score is missing|scores holds no list"):
        rw.Run("a.jsonl").to_frame()


def test_files_of_one_run_are_ranked_alike(command: Command) -> None:
    Path("a.jsonl").write_text('{"query": "q1", "documents": ["d1", "d2"]}\n')
    Path("b.jsonl").write_text('{"query": "q1", "document": "d9", "score": -0.5}\n')
    status, _, err = command("evaluate", "qrels.json", "?.jsonl")
    assert status == 2
    assert "b.jsonl:1: here the documents are ranked by score, in a.jsonl:1 by order in lists by query" in err


def test_a_rank_that_is_named_goes_before_a_score() -> None:
    Path("a.csv").write_text("query,document,pos,score\nq1,d1,2,5\nq1,d2,1,4\n")
    run = rw.Run("a.csv", columns={"rank": "pos"})
    assert run.to_frame().rows() == [("q1", "d1", -2.0), ("q1", "d2", -1.0)]


def test_a_query_may_be_called_as_a_column_is(command: Command) -> None:
    Path("term.json").write_text('{"term": {"d2": 1, "d1": 2}}')
    Path("t.csv").write_text("term,sku,rating\nterm,d1,1\nterm,d2,0\n")
    assert (
        measured(command, "t.csv", "term.json", "--columns", "query=term", "document=sku", "grade=rating") == [1.0] * 3
    )


def test_numbers_name_columns_of_files_without_a_header_only(command: Command) -> None:
    frame(("query", "document", "grade"), QRELS).write_csv("q.csv")
    Path("run.txt").write_text("q1\td2\t1\nq1\td1\t2\n")
    said = ("--run-format", "tsv", "--columns", "query=1", "document=2", "score=3")
    Path("run.txt").write_text("q1\td2\t1\nq1\td1\t2\nq2\td1\t1\n")
    assert measured(command, "q.csv", "run.txt", *said) == means(QRELS, {"q1": {"d2": 1, "d1": 2}, "q2": {"d1": 1}})


def test_pairs_may_be_rows() -> None:
    found = rw.evaluate(
        {"1": {"5": 1, "6": 1, "7": 0}}, {"1": ["5", "6"]}, ["NumRel"], exclude=[{"qid": 1, "docid": 5}]
    )
    assert found["NumRel"] == 1
    assert rw.evaluate({"1": {"5": 1, "6": 1}}, {"1": ["5", "6"]}, ["NumRel"], exclude=[["1", "5"]])["NumRel"] == 1
    with pytest.raises(rw.InputError, match="a row is"):
        rw.evaluate({"1": {"5": 1}}, {"1": ["5"]}, ["RR"], exclude=[("1", 0, "5", 1)])


def test_pairs_that_are_nowhere_are_told(command: Command) -> None:
    Path("seen.csv").write_text("query,document\nqX,d2\n")
    assert "[nothing-excluded]" in command("evaluate", "qrels.json", "run.json", "--exclude", "seen.csv")[2]


def test_ratings_that_are_cut_off_are_no_unrated_documents() -> None:
    Path("r.csv").write_text("query,docid,rating\nq1,d1,0\nq1,d2")
    with pytest.raises(rw.InputError, match="the header has 3 cells, this one has 2"):
        rw.Qrels("r.csv")
    Path("r.csv").write_text("query,docid,rating\nq1,,3\n")
    with pytest.raises(rw.InputError, match="there is no document"):
        rw.Qrels("r.csv")


HELD = [
    ("q1", "d1", 2.0),
    ("q1", "d2", None),
    ("q1", "d3", 1.0),
    ("q2", "d1", 1.0),
    ("q2", "d4", None),
    ("q3", "d1", None),
]
BLANK = pl.DataFrame(HELD, schema=["query", "document", "grade"], orient="row")
LACKING = [{name: item for name, item in row.items() if item is not None} for row in BLANK.to_dicts()]
LISTED = BLANK.group_by("query", maintain_order=True).agg(pl.all())


def inner(rows: list[dict[str, Any]]) -> dict[str, list[dict[str, Any]]]:
    """Records by query."""
    found: dict[str, list[dict[str, Any]]] = {}
    for row in rows:
        found.setdefault(row["query"], []).append({name: item for name, item in row.items() if name != "query"})
    return found


def by_query(blank: float | None) -> dict[str, dict[str, float | None]]:
    return {q: {d: blank if g is None else g for query, d, g in HELD if query == q} for q in ("q1", "q2", "q3")}


def csv_of(**how: Any) -> Callable[[Path], object]:
    return lambda path: BLANK.write_csv(path, **how)


FILES: dict[str, Callable[[Path], object]] = {
    "a.csv": csv_of(),
    "a.tsv": csv_of(separator="\t"),
    "quoted.csv": csv_of(quote_style="always"),
    "blanks.csv": lambda path: path.write_text(BLANK.write_csv(null_value="  ")),
    "first.csv": lambda path: BLANK.select("grade", "document", "query").write_csv(path),
    "a.jsonl": BLANK.write_ndjson,
    "lacking.jsonl": lambda path: path.write_text("\n".join(map(json.dumps, LACKING))),
    "starts.jsonl": lambda path: path.write_text("\n".join(map(json.dumps, reversed(LACKING)))),
    "rows.json": lambda path: path.write_text(json.dumps(BLANK.to_dicts())),
    "lacking.json": lambda path: path.write_text(json.dumps(LACKING)),
    "lists.json": lambda path: path.write_text(json.dumps(inner(LACKING))),
    "dicts.json": lambda path: path.write_text(json.dumps(by_query(None))),
    "lists.jsonl": LISTED.write_ndjson,
    "a.parquet": BLANK.write_parquet,
    "nan.parquet": lambda path: BLANK.with_columns(pl.col("grade").fill_null(math.nan)).write_parquet(path),
    "lists.parquet": LISTED.write_parquet,
    "a.arrow": BLANK.write_ipc,
    "a.csv.gz": lambda path: path.write_bytes(gzip.compress(BLANK.write_csv().encode())),
}
OBJECTS: dict[str, Callable[[], object]] = {
    "Polars": lambda: BLANK,
    "Polars, NaN": lambda: BLANK.with_columns(pl.col("grade").fill_null(math.nan)),
    "Polars, lists": lambda: LISTED,
    "pandas": BLANK.to_pandas,
    "pandas, objects": lambda: BLANK.to_pandas().astype(object),
    "pandas, nullable": lambda: BLANK.to_pandas().convert_dtypes(),
    "PyArrow": BLANK.to_arrow,
    "DuckDB": lambda: duckdb.connect().from_arrow(BLANK.to_arrow()),
    "dicts of dicts": lambda: by_query(None),
    "dicts of dicts, NaN": lambda: by_query(math.nan),
    "rows": lambda: HELD,
    "rows, NaN": lambda: [(q, d, math.nan if g is None else g) for q, d, g in HELD],
    "dicts": BLANK.to_dicts,
    "dicts that lack it": lambda: LACKING,
    "dicts that lack it first": lambda: LACKING[::-1],
    "pairs": lambda: {q: list(docs.items()) for q, docs in by_query(None).items()},
    "records": lambda: inner(BLANK.to_dicts()),
    "records that lack it": lambda: inner(LACKING),
    "columns": lambda: BLANK.to_dict(as_series=False),
}


@pytest.mark.filterwarnings("ignore::rankworth.RankworthWarning")
@pytest.mark.parametrize("name", [*FILES, *OBJECTS])
def test_a_blank_grade_is_unjudged_whatever_the_form(name: str) -> None:
    if name in FILES:
        FILES[name](Path(name))
    sources = [lambda: Path(name)] if name in FILES else [OBJECTS[name]]
    expected = {"q1": {"d1": 2.0, "d3": 1.0}, "q2": {"d1": 1.0}}
    for source in sources:
        read = rw.Qrels(source())
        assert read.to_dict() == expected
        assert read.blanks == 3
        assert rw.Qrels(source(), blank="zero").to_dict() == by_query(0.0)
        with pytest.raises(rw.InputError, match="3 judgements have no grade; the first is that of document") as raised:
            rw.Qrels(source(), blank="error")
        assert raised.value.slug == "missing-value"
        values = rw.evaluate(source(), RUN, ["nDCG@10", "Judged@2"])
        [text] = [notice.text for notice in values.notices if notice.slug == "blank-grade"]
        assert text.startswith("3 judgements have no grade and count as unjudged; --blank zero")
        assert dict(values.mean()) == dict(rw.evaluate(expected, RUN, ["nDCG@10", "Judged@2"]).mean())
        zero = rw.evaluate(source(), RUN, ["Judged@2"], blank="zero")
        assert dict(zero.mean()) == dict(rw.evaluate(by_query(0.0), RUN, ["Judged@2"]).mean())


def test_a_blank_grade_on_the_command_line(command: Command) -> None:
    BLANK.write_csv("a.csv")
    status, out, err = command("evaluate", "a.csv", "run.json", "-m", "Judged@2", "-f", "json")
    assert status == 0
    assert "[blank-grade]" in err or "blank-grade" in out
    assert "warning: 3 judgements have no grade" in command("evaluate", "a.csv", "run.json", "-m", "Judged@2")[2]
    values = [
        command("evaluate", "a.csv", "run.json", "-m", "Judged@2", "--quiet", *said)[1].splitlines()[1].split("\t")[1]
        for said in ((), ("--blank", "unjudged"), ("--blank", "zero"))
    ]
    assert values == ["0.5", "0.5", "0.6666666666666666"]
    status, out, err = command("evaluate", "a.csv", "run.json", "--blank", "error")
    assert (status, out) == (2, "")
    assert "a.csv: 3 judgements have no grade; the first is that of document d2 for query q1   [missing-value]" in err
    status, _, err = command("convert", "a.csv", "b.qrels")
    assert (status, "left out: 3 judgements without a grade" in err) == (0, True)
    assert Path("b.qrels").read_text() == "q1 0 d1 2\nq1 0 d3 1\nq2 0 d1 1\n"
    assert command("convert", "a.csv", "c.qrels", "--blank", "zero")[0] == 0
    assert "q3 0 d1 0" in Path("c.qrels").read_text()
    assert command("convert", "a.csv", "d.qrels", "--blank", "error")[0] == 2
    assert command("explain", "a.csv", "run.json", "q1", "-m", "RR", "--blank", "error")[0] == 2
    assert command("evaluate", "a.csv", "run.json", "--blank", "maybe")[0] == 2


def test_what_a_blank_grade_is_not() -> None:
    for only in (["q1"], None):
        read = rw.Qrels(BLANK, queries=only)
        assert read.blanks == (1 if only else 3)
    with pytest.raises(rw.InputError, match="score"):
        rw.Run(BLANK.rename({"grade": "score"}))
    with pytest.raises(rw.UsageError, match="blank='none': it is one of unjudged zero error"):
        rw.evaluate(BLANK, RUN, blank="none")
    with pytest.raises(rw.UsageError, match="read already"):
        rw.evaluate(rw.Qrels(BLANK), RUN, blank="zero")
    with pytest.raises(rw.InputError, match="bad-grade"):
        rw.Qrels({"q1": {"d1": math.inf, "d2": None}})
    Path("short.qrels").write_text("q1 0 d1 1\nq1 0 d2\n")
    with pytest.raises(rw.InputError, match="this one has 3"):
        rw.Qrels("short.qrels")


def test_the_index_that_pandas_writes_is_no_column(command: Command) -> None:
    table = pd.DataFrame({"query": ["q1", "q1", "q2"], "document": ["d1", "d2", "d1"]}, index=[7, 3, 5])
    table.to_parquet("clicks.parquet")
    assert "__index_level_0__" in pl.read_parquet_schema("clicks.parquet")
    expected = {"q1": {"d1": 1.0, "d2": 1.0}, "q2": {"d1": 1.0}}
    relation = duckdb.connect().read_parquet("clicks.parquet")
    for source in ("clicks.parquet", table, pl.read_parquet("clicks.parquet"), relation):
        assert rw.Qrels(source).to_dict() == expected
    assert command("evaluate", "clicks.parquet", "run.json", "-m", "RR")[0] == 0
    ranked = table.assign(score=[1.0, 2.0, 3.0]).sort_values("score")
    ranked.to_parquet("ranked.parquet")
    assert rw.Run("ranked.parquet").to_frame().rows() == rw.Run(ranked).to_frame().rows()
    lists = table.groupby("query").agg(list).reset_index().iloc[::-1]
    lists.to_parquet("lists.parquet")
    assert rw.Run("lists.parquet").to_frame().rows() == [("q2", "d1", -1.0), ("q1", "d1", -1.0), ("q1", "d2", -2.0)]
    assert rw.Qrels("clicks.parquet", columns={"grade": "__index_level_0__"}).to_dict()["q1"] == {"d1": 7.0, "d2": 3.0}


def test_texts_beside_lists_are_the_relevant_document_of_each_query() -> None:
    gold, run = ["c1", "c7"], [["c2", "c1"], ["c7", "c3"]]
    assert rw.evaluate(gold, run, ["RR"])["RR"] == 0.75
    assert rw.evaluate_runs(gold, {"a": run, "b": [["c1"], ["c3"]]}, ["RR"])["b"]["RR"] == 0.5
    assert rw.explain(gold, run, "RR", query="0").value == 0.5
    assert rw.compare(gold, {"a": run, "b": run}, ["RR"]).differences[0].difference == 0
    scored = [[("c2", 0.9), ("c1", 0.5)], [("c7", 0.5), ("c3", 0.1)]]
    assert rw.evaluate(gold, scored, ["RR"])["RR"] == 0.75
    Path("c1").write_text("0 0 c1 1\n")
    Path("c7").write_text("1 0 c7 1\n")
    named = {"0": run[0], "1": run[1]}
    assert rw.evaluate(gold, named, ["RR"])["RR"] == 0.75  # paths, since the queries have names
    assert rw.evaluate([Path("c1"), Path("c7")], [["c2", "c1", "x", "y", "z"], ["c7"]], ["RR"])["RR"] == 0.75
    with pytest.raises(rw.InputError, match="there is no such file"):
        rw.evaluate(["c1", "c8"], named, ["RR"])


def test_groups_and_weights_are_series_of_pandas() -> None:
    language = pd.Series({"q1": "en", "q2": "ar"}, name="language")
    values = rw.evaluate(QRELS, RUN, ["RR"], by=language)
    assert values.by is not None
    assert values.by.name == "language"
    assert {group: part["RR"] for group, part in values.slices.items()} == {"en": 0.5, "ar": 0.5}
    weighted = rw.evaluate(QRELS, {"q1": ["d1"], "q2": ["x", "d1"]}, ["RR"], weights=pd.Series({"q1": 3.0, "q2": 1.0}))
    assert weighted["RR"] == 0.875


class Model:
    """An object as those of pydantic are, of which LangChain and LlamaIndex make theirs."""

    def __init__(self, **fields: object) -> None:
        """Hold some fields."""
        self.__dict__.update(fields)

    @property
    def __fields__(self) -> dict[str, object]:
        warnings.warn("`__fields__` is deprecated", DeprecationWarning, stacklevel=2)
        return self.model_fields

    @property
    def model_fields(self) -> dict[str, object]:
        """What pydantic tells of a class."""
        warnings.warn("accessing `model_fields` of an instance is deprecated", DeprecationWarning, stacklevel=2)
        return dict(self.__dict__)


def test_objects_of_pydantic_raise_no_warnings() -> None:
    run = {q: [Model(doc_id=d, score=s) for d, s in docs.items()] for q, docs in RUN.items()}
    qrels = [Model(query_id=q, doc_id=d, relevance=g) for q, docs in QRELS.items() for d, g in docs.items()]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert means(QRELS, RUN) == list(rw.evaluate(qrels, run, MEASURES[1:]).mean().values())
        assert rw.evaluate(qrels, run, ["RR"], columns={"score": "score"})["RR"] == means(QRELS, RUN)[2]
