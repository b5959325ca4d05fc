"""Documents renamed by a rule: the same as if ids had been renamed beforehand, at every door and in every form."""

import json
import math
import re
import shlex
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

import duckdb
import numpy as np
import polars as pl
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import rankworth as rw
from helpers import Command, command_of
from rankworth.conversion import convert
from rankworth.embeddings import evaluate_embeddings
from rankworth.profiles import Signature

QRELS: Final = {"q1": {"doc1": 2, "doc2": 1, "doc7": 0}, "q2": {"doc3": 1}}
CHUNKS: Final = {
    "q1": {"doc2#0": 0.9, "doc2#1": 0.8, "doc1#4": 0.7, "doc7#0": 0.85, "doc1#0": 0.65, "doc1#1": 0.6},
    "q2": {"doc9#0": 0.5, "doc3#2": 0.4, "doc3#0": 0.3},
}
MEASURES: Final = ("nDCG@10", "AP", "RR", "P@2", "Judged@2")
TABLE: Final = {chunk: chunk.partition("#")[0] for chunks in CHUNKS.values() for chunk in chunks}
RULES: Final = {
    "separator": "#",
    "pattern": r"(.*)#[0-9]+",
    "compiled": re.compile(r"(DOC.)#\d", re.IGNORECASE),
    "table": TABLE,
}
SCORES: Final[dict[str, Callable[[list[float]], float]]] = {
    "best": max,
    "sum": sum,
    "mean-top-3": lambda scores: sum(scores[:3]) / len(scores[:3]),
}
"""the score of a document, of those of its chunks from the highest on"""


@pytest.fixture(autouse=True)
def _quiet() -> Any:
    with warnings.catch_warnings(action="ignore", category=rw.RankworthWarning):
        yield


def folded(run: dict[str, dict[str, float]], policy: str) -> dict[str, dict[str, float]]:
    """The run with a score for each document."""
    documents: dict[str, dict[str, list[float]]] = {query: {} for query in run}
    for query, chunks in run.items():
        for chunk, score in sorted(chunks.items(), key=lambda item: -item[1]):
            documents[query].setdefault(chunk.partition("#")[0], []).append(score)
    return {query: {name: SCORES[policy](each) for name, each in of.items()} for query, of in documents.items()}


def rows(run: dict[str, dict[str, float]]) -> list[tuple[str, str, float]]:
    """The rows of a run."""
    return [(query, document, score) for query, documents in run.items() for document, score in documents.items()]


def frame(run: dict[str, dict[str, float]]) -> pl.DataFrame:
    """The run as a frame."""
    return pl.DataFrame(rows(run), schema=["query", "document", "score"], orient="row")


def written(run: dict[str, dict[str, float]], folder: Path, form: str) -> str:
    """The run as a file."""
    path = folder / f"chunks.{form}"
    if form == "json":
        path.write_text(json.dumps(run))
    elif form == "run":
        path.write_text("".join(f"{query} Q0 {document} 1 {score!r} t\n" for query, document, score in rows(run)))
    elif form == "jsonl":
        hits = {query: [{"id": name, "score": score} for name, score in of.items()] for query, of in run.items()}
        path.write_text("".join(json.dumps({"query": query, "hits": each}) + "\n" for query, each in hits.items()))
    elif form == "csv":
        frame(run).write_csv(path)
    else:
        frame(run).write_parquet(path)
    return str(path)


def forms(run: dict[str, dict[str, float]], folder: Path) -> dict[str, Any]:
    """The run in every form."""
    files = {form: written(run, folder, form) for form in ("run", "csv", "json", "jsonl", "parquet")}
    objects = {"dicts": run, "rows": rows(run), "frame": frame(run), "pandas": frame(run).to_pandas()}
    return {**files, **objects, "Run": rw.Run(run), "file of a Run": rw.Run(files["run"])}


@pytest.mark.parametrize("policy", SCORES)
@pytest.mark.parametrize("rule", RULES)
def test_a_run_of_chunks_is_worth_what_that_of_its_documents_is(tmp_path: Path, rule: str, policy: str) -> None:
    expected = rw.evaluate(QRELS, folded(CHUNKS, policy), MEASURES)
    for form, run in forms(CHUNKS, tmp_path).items():
        for how in ({"run_ids": RULES[rule]}, {"ids": RULES[rule]}, {"collapse": RULES[rule]}):
            values = rw.evaluate(QRELS, run, MEASURES, **how, duplicates=policy, order="score")
            assert values.per_query == expected.per_query, (form, how)


def test_a_relation_of_duckdb_is_renamed_where_it_comes_out() -> None:
    relation = duckdb.from_arrow(frame(CHUNKS).to_arrow())
    values = rw.evaluate(QRELS, relation, MEASURES, collapse="#")
    assert values.per_query == rw.evaluate(QRELS, folded(CHUNKS, "best"), MEASURES).per_query


chunks = st.dictionaries(
    st.sampled_from(("q1", "q2")),
    st.dictionaries(
        st.builds("doc{}#{}".format, st.integers(1, 4), st.integers(0, 3)),
        st.sampled_from((0.1, 0.2, 0.25, 0.3, -0.5, 1e-9)),
        min_size=1,
        max_size=8,
    ),
    min_size=1,
)


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(run=chunks, policy=st.sampled_from(tuple(SCORES)))
def test_any_run_of_chunks_is_worth_what_that_of_its_documents_is(run: dict[str, Any], policy: str) -> None:
    expected = rw.evaluate(QRELS, folded(run, policy), MEASURES)
    for source in (run, frame(run)):
        values = rw.evaluate(QRELS, source, MEASURES, run_ids="#", duplicates=policy)
        assert values.per_query == expected.per_query


def test_judgements_of_chunks_are_those_of_their_documents(tmp_path: Path) -> None:
    judged = {"q1": {"doc1#0": 2, "doc1#1": 0, "doc2#0": 1}, "q2": {"doc3#7": 1}}
    path = tmp_path / "chunks.qrels"
    path.write_text(
        "".join(f"{query} 0 {chunk} {grade}\n" for query, of in judged.items() for chunk, grade in of.items())
    )
    run = folded(CHUNKS, "best")
    expected = rw.evaluate({"q1": {"doc1": 2, "doc2": 1}, "q2": {"doc3": 1}}, run, MEASURES)
    for source in (judged, str(path), pl.DataFrame(rows(judged), schema=["query", "document", "grade"], orient="row")):
        how: dict[str, Any]
        for how in ({"qrels_ids": "#"}, {"ids": "#"}):
            values = rw.evaluate(source, run, MEASURES, **how, duplicate_judgements="max")
            assert values.per_query == expected.per_query
        with pytest.raises(rw.RankworthError, match="as rows of several ids are one document now") as error:
            rw.evaluate(source, run, MEASURES, qrels_ids="#")
        assert error.value.slug == "duplicate-judgement"
        assert 'duplicate_judgements="max"' in error.value.remedy


def test_both_sides_are_renamed_by_one_rule() -> None:
    judged = {"q1": {"doc1#0": 2, "doc2#9": 1}}
    values = rw.evaluate(judged, {"q1": {"doc2#0": 2.0, "doc1#7": 1.0}}, ["RR", "nDCG@2"], ids="#")
    assert values["nDCG@2"] == (1 + 2 / math.log2(3)) / (2 + 1 / math.log2(3))


def test_ids_that_a_rule_does_not_fit_stay() -> None:
    assert rw.Run({"q": {"a#1": 2.0, "b": 1.0}}, ids="#").to_frame()["document"].to_list() == ["a", "b"]
    assert rw.Run({"q": {"a#1#2": 2.0}}, ids="#").to_frame()["document"].to_list() == ["a"]
    assert rw.Run({"q": {"a#1#2": 2.0}}, ids="(.*)#").to_frame()["document"].to_list() == ["a#1"]
    assert rw.Run({"q": {1: 2.0, 7: 1.0}}, ids={1: 5}).to_frame()["document"].to_list() == [5, 7]
    assert rw.Run({"q": {"a.x": 2.0}}, ids=".").to_frame()["document"].to_list() == ["a"]


# What is beside judgements and runs


def test_pairs_history_items_and_expected_runs_are_renamed_by_a_rule_for_all() -> None:
    values = rw.evaluate(QRELS, CHUNKS, ["RR"], ids="#", duplicates="best", exclude={"q1": ["doc2#5"]})
    plain = rw.evaluate(QRELS, folded(CHUNKS, "best"), ["RR"], exclude={"q1": ["doc2"]})
    assert values.per_query == plain.per_query
    beside: dict[str, Any] = {
        "history": {"q1": ["doc1#1", "doc9#3"]},
        "items": {"doc1#3": {"genre": "a"}, "doc2#0": {"genre": "b"}, "doc9#0": {"genre": "b"}},
        "expected_run": {"q1": ["doc1#0", "doc1#1", "doc2#5"], "q2": ["doc9#1"]},
    }
    renamed = {
        "history": {"q1": ["doc1", "doc9"]},
        "items": {"doc1": {"genre": "a"}, "doc2": {"genre": "b"}, "doc9": {"genre": "b"}},
        "expected_run": {"q1": ["doc1", "doc2"], "q2": ["doc9"]},
    }
    measures = ["Novelty@2", "Unexpectedness@2", "ILD(of=genre)@2"]
    values = rw.evaluate(QRELS, CHUNKS, measures, ids="#", duplicates="best", **beside)
    plain = rw.evaluate(QRELS, folded(CHUNKS, "best"), measures, **renamed)
    assert values.per_query == plain.per_query


def test_an_item_that_is_not_alike_under_its_new_id_is_refused() -> None:
    items = {"doc1#0": {"genre": "a"}, "doc1#1": {"genre": "b"}}
    with pytest.raises(rw.RankworthError, match="item doc1 is there again"):
        rw.evaluate(QRELS, CHUNKS, ["ILD(of=genre)@2"], ids="#", duplicates="best", items=items)


# What is said of it


def test_signatures_say_the_rule_and_numbers_of_documents_stay_comparable() -> None:
    of_chunks = rw.evaluate(QRELS, CHUNKS, ["RR"], collapse="#")
    of_documents = rw.evaluate(QRELS, folded(CHUNKS, "best"), ["RR"], duplicates="best")
    line = Signature.parse(of_chunks.signature)
    assert line.recorded["run_ids"] == "#"
    assert line.settings == {"duplicates": "best"}
    assert line.differences(Signature.parse(of_documents.signature)) == []
    assert "|ids:#" in rw.evaluate(QRELS, CHUNKS, ["RR"], ids="#", duplicates="best").signature
    odd = rw.evaluate(QRELS, CHUNKS, ["RR"], collapse="(.*?)(?:;| |#)").signature
    assert Signature.parse(odd).recorded["run_ids"] == "(.*?)(?:%3B%7C%20%7C#)"
    assert re.search(r"\|run_ids:9-[0-9a-f]{8}$", rw.evaluate(QRELS, CHUNKS, ["RR"], collapse=TABLE).signature)


def test_depth_after_renaming_is_told() -> None:
    def told(*measures: str, run: Any = CHUNKS) -> tuple[str, str]:
        notice = next(each for each in rw.evaluate(QRELS, run, measures, collapse="#").notices if "rows" in each.text)
        return notice.slug, notice.text

    rows_are = "9 rows of the run are 5 documents by --collapse '#', in Python collapse='#'"
    assert told("nDCG@2") == (
        "collapsed-run",
        f"{rows_are}; nDCG@2 looks at 2, and 2 of 2 queries have as many",
    )
    assert told("RR", "nDCG@3")[0] == "shallow-collapse"
    assert "nDCG@3 looks at 3, and 1 of 2 queries has as many: ranks below" in told("RR", "nDCG@3")[1]
    assert told("AP")[1] == rows_are


# What is refused


@pytest.mark.parametrize(
    ("how", "slug", "text"),
    [
        ({"run_ids": "_"}, "unused-ids", "no document has '_' in its id: doc2#0 doc2#1 doc1#4 ..."),
        ({"collapse": "(x)"}, "unused-ids", "no id of a document fits the pattern"),
        ({"ids": {"x": "y"}}, "unused-ids", "the table has none of its documents"),
        ({"qrels_ids": "#"}, "unused-ids", "the judgements: qrels_ids='#'"),
        ({"run_ids": "#"}, "duplicate-document", "as rows of several ids are one document now"),
        ({"ids": "#", "run_ids": "#"}, "conflicting-options", "rules for the ids of the same documents"),
        ({"run_ids": "#", "collapse": "#"}, "conflicting-options", "rules for the ids of the same documents"),
        ({"run_ids": ""}, "unknown-setting", "is an empty text"),
        ({"run_ids": "(a)(b)"}, "unknown-setting", "has 2 groups"),
        ({"run_ids": "(a)(?=b)"}, "unknown-setting", "looks ahead or behind"),
        ({"run_ids": 3}, "unknown-setting", "a rule for ids is a separator"),
        ({"run_ids": "none.tsv"}, "missing-file", "there is no such file"),
        ({"run_ids": [("a", "b", "c")]}, "frame-columns", "a table of ids has 2"),
        ({"run_ids": [("a", "b"), ("a", "c")]}, "input-type", "a becomes c, and b before"),
        ({"run_ids": [("a", "")]}, "missing-value", "an id is empty"),
        ({"run_ids": "doc"}, "missing-value", "makes an empty id"),
        ({"collapse": "#", "duplicates": "sum", "order": "given"}, "refused-input", "is ranked by the order"),
    ],
)
def test_what_cannot_be_is_refused(how: dict[str, Any], slug: str, text: str) -> None:
    with pytest.raises(rw.RankworthError, match=re.escape(text)) as error:
        rw.evaluate(QRELS, CHUNKS, ["RR"], **how)
    assert error.value.slug == slug


def test_lists_have_no_scores_to_add() -> None:
    lists = {query: list(documents) for query, documents in CHUNKS.items()}
    with pytest.raises(rw.RankworthError, match="ranked by the order of its documents, not by scores"):
        rw.evaluate(QRELS, lists, ["RR"], run_ids="#", duplicates="mean-top-3")
    assert rw.evaluate(QRELS, lists, ["RR"], collapse="#")["RR"] == (1 + 1 / 2) / 2
    ranked = frame(CHUNKS).with_columns(rank=pl.int_range(1, pl.len() + 1).over("query")).drop("score")
    with pytest.raises(rw.RankworthError, match="ranked by the ranks of its documents, not by scores"):
        rw.evaluate(QRELS, ranked, ["RR"], run_ids="#", duplicates="sum")


def test_of_several_runs_one_has_to_have_such_ids() -> None:
    runs = {"chunks": CHUNKS, "documents": folded(CHUNKS, "best")}
    comparison = rw.compare(QRELS, runs, ["nDCG@10"], collapse="#")
    assert comparison.differences[0].difference == 0
    with pytest.raises(rw.RankworthError, match="chunks and documents: collapse='_'"):
        rw.compare(QRELS, runs, ["nDCG@10"], collapse="_")
    own = {"chunks": rw.Run(CHUNKS, ids="#"), "documents": folded(CHUNKS, "best")}
    assert rw.compare(QRELS, own, ["nDCG@10"], duplicates="best").differences[0].difference == 0


def test_what_is_read_is_not_renamed_again() -> None:
    with pytest.raises(rw.RankworthError, match=r"these are read already") as error:
        rw.evaluate(rw.Qrels(QRELS), CHUNKS, ["RR"], qrels_ids="#")
    assert "Qrels(source, ids='#')" in error.value.remedy
    run = rw.Run(CHUNKS, ids="#")
    with pytest.raises(rw.RankworthError, match="was read with ids='#' already"):
        rw.evaluate(QRELS, run, ["RR"], run_ids="_")
    assert rw.evaluate(QRELS, run, ["RR"], collapse="#")["RR"] == (1 + 1 / 2) / 2


# Tables


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("t.tsv", "a-1\ta\nb-1\tb\n"),
        ("t.csv", 'chunk_id,doc_id\n"a-1","a"\nb-1,b\n'),
        ("t.txt", "a-1 a\nb-1 b\n"),
        ("t.json", '{"a-1": "a", "b-1": "b"}'),
        ("t.jsonl", '{"node": "a-1", "doc": "a"}\n{"node": "b-1", "doc": "b"}\n'),
        ("list.json", '[["a-1", "a"], ["b-1", "b"]]'),
    ],
)
def test_a_table_is_a_file_of_two_columns(tmp_path: Path, name: str, text: str) -> None:
    path = tmp_path / name
    path.write_text(text)
    run = rw.Run({"q": {"a-1": 2.0, "b-1": 1.0}}, ids=str(path))
    assert run.to_frame()["document"].to_list() == ["a", "b"]


def test_a_table_is_a_frame_of_two_columns(tmp_path: Path) -> None:
    table = pl.DataFrame({"chunk": ["a-1", "b-1"], "parent": ["a", "b"]})
    table.write_parquet(tmp_path / "t.parquet")
    for source in (table, table.to_pandas(), tmp_path / "t.parquet"):
        assert rw.Run({"q": {"a-1": 2.0, "b-1": 1.0}}, ids=source).to_frame()["document"].to_list() == ["a", "b"]


# Other doors


def test_correlations_look_at_the_best_row_of_each_document() -> None:
    chunks, documents = {"q": ["a#1", "a#2", "b#0", "c#1"]}, {"q": ["b", "a", "c"]}
    found = rw.correlate(chunks, documents, "tau-b", ids="#")
    assert float(found) == pytest.approx(1 / 3)
    assert rw.correlate_runs({"x": chunks, "y": documents}, "tau-b", ids="#")["x", "y"].mean() == found.mean()
    with pytest.raises(rw.RankworthError, match="this changes nothing"):
        rw.correlate(chunks, documents, "tau-b", ids="_")


def test_judges_agree_on_documents() -> None:
    first, second = {"q": {"a#1": 1, "b#1": 0}}, {"q": {"a": 1, "b": 1}}
    assert rw.agreement(first, second, ids="#").equal.value == 0.5
    with pytest.raises(rw.RankworthError, match="this changes nothing"):
        rw.agreement(first, second, ids="_")


def test_what_is_explained_checked_audited_and_varied_is_the_run_of_documents() -> None:
    value = rw.evaluate(QRELS, CHUNKS, ["nDCG@10"], collapse="#")["nDCG@10"]
    one = rw.explain(QRELS, CHUNKS, "nDCG@10", query="q1", collapse="#")
    assert [term.document for term in one.terms] == ["doc2", "doc7", "doc1"]
    assert "run_ids:#" in one.signature
    check = rw.check(QRELS, CHUNKS, ["nDCG@10"], collapse="#")
    assert {finding.severity for finding in check.findings} <= {"note", "warning"}
    assert rw.audit(QRELS, CHUNKS, f"nDCG@10={value}", collapse="#").exact
    assert rw.evaluate_profiles(QRELS, CHUNKS, ["RR"], collapse="#", profiles=["standard"])["standard-1"]["RR"] == 0.75
    exact = rw.evaluate_exact(CHUNKS, {"x": folded(CHUNKS, "best")}, ["R@2"], collapse="#")
    assert exact["x"]["R@2"] == 1
    assert exact["x"].signature.endswith("run_ids:#|exact:0.001")


def test_a_file_is_converted_to_documents(tmp_path: Path) -> None:
    source = written(CHUNKS, tmp_path, "run")
    convert(source, tmp_path / "documents.json", collapse="#")
    assert json.loads((tmp_path / "documents.json").read_text()) == folded(CHUNKS, "best")
    convert(source, tmp_path / "sums.json", ids="#", duplicates="sum")
    assert json.loads((tmp_path / "sums.json").read_text()) == folded(CHUNKS, "sum")
    with pytest.raises(rw.RankworthError, match="as rows of several ids are one document now"):
        convert(source, tmp_path / "no.json", ids="#")
    with pytest.raises(rw.RankworthError, match="this changes nothing"):
        convert(source, tmp_path / "no.json", collapse="_")


# Vectors


@pytest.mark.parametrize("policy", SCORES)
def test_several_vectors_of_a_document_are_searched_as_deep_as_documents_are_wanted(policy: str) -> None:
    random = np.random.default_rng(5)
    chunk_ids = [f"d{index // 20}#{index % 20}" for index in range(400)]
    corpus, queries = random.normal(size=(400, 8)), random.normal(size=(12, 8))
    qrels = {str(query): dict.fromkeys(map("d{}".format, random.integers(0, 20, 4)), 1) for query in range(12)}
    unit = [vectors / np.linalg.norm(vectors, axis=1, keepdims=True) for vectors in (queries, corpus)]
    scores = (unit[0] @ unit[1].T).tolist()
    run = {str(query): dict(zip(chunk_ids, row, strict=True)) for query, row in enumerate(scores)}
    expected = rw.evaluate(qrels, folded(run, policy), ["nDCG@10", "R@10", "AP"])
    own = [chunk.partition("#")[0] for chunk in chunk_ids]
    how: dict[str, Any]
    for how in (
        {"corpus_ids": chunk_ids, "run_ids": "#"},
        {"corpus_ids": chunk_ids, "collapse": "#"},
        {"corpus_ids": own},
    ):
        for measures in (["nDCG@10", "R@10", "AP"], ["nDCG@10"]):
            values = evaluate_embeddings(queries, corpus, qrels, measures, **how, duplicates=policy)
            assert values.mean() == pytest.approx({name: expected[name] for name in measures}, abs=1e-12)
    with pytest.raises(rw.RankworthError, match="corpus_ids has 'd0' twice"):
        evaluate_embeddings(queries, corpus, qrels, ["nDCG@10"], corpus_ids=own)
    with pytest.raises(rw.RankworthError, match="this changes nothing"):
        evaluate_embeddings(queries, corpus, qrels, ["nDCG@10"], corpus_ids=chunk_ids, run_ids="_")


# The command line

COMMANDS: Final = {
    "evaluate": "evaluate q.txt chunks.run -m nDCG@10 --collapse '#' -f json",
    "evaluate, a pattern": "evaluate q.txt chunks.run -m nDCG@10 --run-ids '(.*)#.' --duplicates best -f json",
    "evaluate, a table": "evaluate q.txt chunks.run -m nDCG@10 --collapse table.tsv -f json",
    "evaluate, both sides": "evaluate q.txt chunks.run -m nDCG@10 --ids '#' --duplicates best -f json",
    "explain": "explain q.txt chunks.run q1 -m nDCG@10 --collapse '#' -f json",
    "check": "check q.txt chunks.run -m nDCG@10 --collapse '#' -f json",
    "compare": "compare q.txt chunks.run best.run -m nDCG@10 --collapse '#' -f json",
    "audit": "audit q.txt chunks.run nDCG@10=0.7 --collapse '#' -f json",
    "judge-next": "judge-next q.txt chunks.run -m nDCG@10 --collapse '#'",
    "correlate": "correlate chunks.run best.run --collapse '#' --method tau-b -f json",
    "correlate, measures": "correlate --measures nDCG@10 RR q.txt chunks.run best.run sum.run --collapse '#' -f json",
    "correlate, judges": "correlate --judges a=q.txt b=q.txt chunks.run best.run --collapse '#' -m nDCG@10 -f json",
    "report": "report q.txt chunks.run -m nDCG@10 --collapse '#' -o r.html",
    "evaluate, an exact run": "evaluate chunks.run best.run --exact -m R@2 --ids '#' -f json",
}


@pytest.fixture
def command(capsysbinary: pytest.CaptureFixture[bytes]) -> Command:
    """The command in this process: exit status, standard output, standard error."""
    return command_of(capsysbinary)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with the judgements and the run, in which commands are run."""
    monkeypatch.chdir(tmp_path)
    judged = [f"{query} 0 {document} {grade}\n" for query, of in QRELS.items() for document, grade in of.items()]
    Path("q.txt").write_text("".join(judged))
    Path("table.tsv").write_text("".join(f"{old}\t{new}\n" for old, new in TABLE.items()))
    for name, run in {"best": folded(CHUNKS, "best"), "sum": folded(CHUNKS, "sum"), "chunks": CHUNKS}.items():
        Path(written(run, tmp_path, "run")).rename(f"{name}.run")
    return tmp_path


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_gives_of_chunks_what_it_gives_of_their_documents(command: Command, name: str) -> None:
    words = shlex.split(COMMANDS[name])
    status, out, err = command(*words)
    assert status == 0, err
    plain = [*words]
    for option in ("--collapse", "--run-ids", "--ids"):
        if option in plain:
            at = plain.index(option)
            plain[at : at + 2] = [] if option != "--collapse" or name == "correlate" else ["--duplicates", "best"]
    plain = ["c=best.run" if word == "chunks.run" else word for word in plain]
    if name == "report":
        assert "nDCG@10" in Path("r.html").read_text()
        return
    status, expected, err = command(*plain)
    assert status == 0, err
    numbers = re.compile(r"(?<![\w.-])-?\d+\.\d+")
    assert numbers.findall(out), out
    assert numbers.findall(out) == numbers.findall(expected)


@pytest.mark.usefixtures("folder")
def test_options_are_used_or_refused(command: Command) -> None:
    for line, text in {
        "evaluate q.txt chunks.run --collapse _": "--collapse _; this changes nothing",
        "evaluate q.txt chunks.run --ids '#' --collapse '#'": "ids collapse are rules for the ids",
        "evaluate q.txt chunks.run --run-ids '#'": "--duplicates mean-top-3 averages the three highest",
        "correlate --judges q.txt q.txt --run-ids '#'": "--run-ids is about runs, and there are none to read",
        "correlate chunks.run best.run --qrels-ids '#'": "--qrels-ids is about judgements, and there are none to read",
        "evaluate q.txt chunks.run --engine spark --collapse '#'": "--engine spark has no --collapse",
        "convert q.txt x.qrels --qrels --collapse '#'": "is about runs, and these are judgements",
    }.items():
        status, _, err = command(*shlex.split(line))
        assert (status, text in err) == (2, True), (line, err)
