"""Responses of search engines: each shape gives its rankings, or a message that says what would read it."""

import ast
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import rankworth as rw
from rankworth.cli.app import main

Hits = list[tuple[str, float]]
PATHS: dict[str, dict[str, str]] = {
    "Elasticsearch": {},
    "Solr": {},
    "Vespa": {},
    "Qdrant": {},
    "Qdrant, search": {},
    "Weaviate": {"documents": "data.Get.Item", "document": "_additional.id", "score": "-_additional.distance"},
    "Typesense": {"documents": "hits", "document": "document.id", "score": "text_match"},
    "Meilisearch": {"documents": "hits", "score": "_rankingScore"},
    "fields of a document": {"document": "fields.sku.0"},
    "a script's own": {"documents": "found.items", "document": "what.id", "score": "-how.far"},
}
"""what must be said of each"""


SHAPES: dict[str, Callable[[Hits], dict[str, Any]]] = {
    "Elasticsearch": lambda hits: {
        "took": 1,
        "timed_out": False,
        "_shards": {"failed": 0},
        "hits": {
            "hits": [{"_index": "i", "_id": document, "_score": score, "_source": {}} for document, score in hits]
        },
    },
    "fields of a document": lambda hits: {
        "took": 1,
        "hits": {"hits": [{"_id": "0", "_score": score, "fields": {"sku": [document]}} for document, score in hits]},
    },
    "Solr": lambda hits: {
        "responseHeader": {"status": 0},
        "response": {"numFound": 9, "docs": [{"id": document, "score": score} for document, score in hits]},
    },
    "Vespa": lambda hits: {
        "root": {"id": "toplevel", "relevance": 1.0, "fields": {"totalCount": len(hits)}}
        | (
            {"children": [{"id": document, "relevance": score, "fields": {}} for document, score in hits]}
            if hits
            else {}
        )
    },
    "Qdrant": lambda hits: {
        "result": {"points": [{"id": document, "version": 0, "score": score} for document, score in hits]},
        "status": "ok",
        "time": 0.1,
    },
    "Qdrant, search": lambda hits: {
        "result": [{"id": document, "version": 0, "score": score} for document, score in hits],
        "status": "ok",
        "time": 0.1,
    },
    "Weaviate": lambda hits: {
        "data": {"Get": {"Item": [{"_additional": {"id": document, "distance": -score}} for document, score in hits]}}
    },
    "Typesense": lambda hits: {
        "found": 1,
        "hits": [{"document": {"id": document}, "text_match": score} for document, score in hits],
    },
    "Meilisearch": lambda hits: {
        "hits": [{"id": document, "_rankingScore": score} for document, score in hits],
        "limit": 20,
    },
    "a script's own": lambda hits: {
        "found": {"items": [{"what": {"id": document}, "how": {"far": -score}} for document, score in hits]}
    },
}
"""responses as the documentation of each engine shows them"""


def response(engine: str, hits: Hits) -> dict[str, Any]:
    """A response of an engine."""
    return SHAPES[engine](hits)


def rows(source: object, columns: dict[str, str] | None = None) -> list[tuple[str, str, float]]:
    """The rows of a run."""
    run = rw.Run(source, columns=columns or {})
    return [row for frame in run.batches() for row in frame.select("query", "document", "score").rows()]


@pytest.fixture(autouse=True)
def _in_a_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


documents = st.lists(st.sampled_from([f"d{number}" for number in range(9)]), unique=True, min_size=1, max_size=6)
rankings = documents.map(lambda ids: [(document, 1.0 - place / 8) for place, document in enumerate(ids)])


@pytest.mark.parametrize("engine", PATHS)
@settings(max_examples=15)
@given(first=rankings, second=st.one_of(rankings, st.just([])))
def test_a_response_holds_its_hits_however_it_was_saved(engine: str, first: Hits, second: Hits) -> None:
    columns, pair = PATHS[engine], [response(engine, first), response(engine, second)]
    expected = [("q1", *hit) for hit in first]
    both = expected + [("q2", *hit) for hit in second]
    Path("q1.json").write_text(json.dumps(pair[0]))
    assert rows("q1.json", columns) == expected
    Path("q1.json").write_text(json.dumps(pair[0], indent=1))
    assert rows("q1.json", columns) == expected
    Path("queries.txt").write_text("q1\nq2\n")
    for name, text in {
        "lines.jsonl": "\n".join(map(json.dumps, pair)),
        "list.json": json.dumps(pair),
        "batch.json": json.dumps({"results": pair}),
    }.items():
        Path(name).write_text(text)
        assert rows(name, {**columns, "query": "@queries.txt"}) == both
    named = dict(zip(("q1", "q2"), pair, strict=True))
    Path("named.json").write_text(json.dumps(named))
    assert rows("named.json", columns) == both
    assert rows(named, columns) == both
    keyed = [{**each, "qid": query} for query, each in named.items()]
    assert rows(keyed, columns) == both
    assert (
        rows([{"key": {"id": query}, **each} for query, each in named.items()], {**columns, "query": "key.id"}) == both
    )


@pytest.mark.parametrize(
    ("body", "query"),
    [
        ({"query": {"match": {"title": "red pot"}}}, "red pot"),
        ({"query": {"match": {"title": {"query": "red pot", "operator": "and"}}}}, "red pot"),
        ({"query": {"match": {"title": {"query": "red pot", "_name": "q7"}}}}, "q7"),
        ({"query": {"multi_match": {"query": "red pot", "fields": ["title", "body"]}}}, "red pot"),
        ({"query": {"bool": {"must": [{"match": {"a": "red"}}], "filter": [{"term": {"lang": "en"}}]}}}, "red"),
        ({"query": {"bool": {"should": [{"match": {"a": "red"}}, {"match_phrase": {"b": "red"}}]}}}, "red"),
        ({"query": {"query_string": {"query": "red", "default_field": "a"}}}, "red"),
    ],
)
def test_a_request_of_msearch_names_the_queries(body: dict[str, Any], query: str) -> None:
    Path("requests.ndjson").write_text(
        f'{{"index": "i"}}\n{json.dumps(body)}\n\n{{"query": {{"match": {{"t": "tea"}}}}}}\n'
    )
    pair = [response("Elasticsearch", [("a", 1.0)]), response("Elasticsearch", [("b", 0.5)])]
    Path("run.json").write_text(json.dumps({"took": 1, "responses": pair}))
    assert rows("run.json", {"query": "@requests.ndjson"}) == [(query, "a", 1.0), ("tea", "b", 0.5)]


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("queries.txt", "q1\nq2\n"),
        ("queries.tsv", "q1\tred pot\nq2\tgreen tea\n"),
        ("queries.csv", "qid,query\nq1,red pot\nq2,green tea\n"),
        ("queries.jsonl", '{"_id": "q1", "text": "red pot"}\n{"_id": "q2", "text": "green tea"}\n'),
        ("queries.json", '{"q1": "red pot", "q2": "green tea"}'),
    ],
)
def test_a_list_or_table_names_the_queries(name: str, content: str) -> None:
    Path(name).write_text(content)
    Path("run.json").write_text(json.dumps([response("Solr", [("a", 1.0)]), response("Solr", [("b", 0.5)])]))
    assert rows("run.json", {"query": f"@{name}"}) == [("q1", "a", 1.0), ("q2", "b", 0.5)]


@pytest.mark.parametrize("count", [1, 2, 3, 4, 6])
def test_a_file_names_the_queries_of_lists_of_hits(count: int) -> None:
    found = [[{"id": document, "distance": 0.5, "entity": {}} for document in "abcdef"[:count]]] * 2  # as of pymilvus
    Path("run.json").write_text(json.dumps(found))
    Path("queries.txt").write_text("q1\nq2\n")
    expected = [(query, document, 0.5) for query in ("q1", "q2") for document in "abcdef"[:count]]
    columns = {"query": "@queries.txt", "score": "distance"}
    for run in ("run.json", found):
        assert rows(run, columns) == expected
        assert [row[0] for row in rows(run, {"score": "distance"})] == ["0"] * count + ["1"] * count
        assert rw.evaluate({"q2": {"a": 1}}, run, ["RR"], run_columns=columns)["RR"] == 1.0
    Path("queries.txt").write_text("q1\nq1\n")
    assert refused("run.json", columns) == ("duplicate-document", "run.json: queries.txt has a query twice")
    Path("queries.txt").write_text("q1\n")
    assert refused("run.json", columns) == ("response-queries", "run.json has 2 responses, queries.txt has 1 query")


@pytest.mark.parametrize("indent", [None, 1])
def test_a_file_names_the_queries_of_a_result_of_chroma(indent: int | None) -> None:
    found = {
        "ids": [["a", "b"], ["b"]],
        "distances": [[0.1, 0.2], [0.3]],
        "documents": [["x", "y"], ["y"]],
        "uris": None,
    }
    Path("run.json").write_text(json.dumps(found, indent=indent))
    Path("queries.txt").write_text("q1\nq2\n")
    for run in ("run.json", found):
        assert rows(run, {"query": "@queries.txt"}) == [("q1", "a", -0.1), ("q1", "b", -0.2), ("q2", "b", -0.3)]
        assert rw.evaluate({"q2": {"b": 1}}, run, ["RR"], run_columns={"query": "@queries.txt"})["RR"] == 1.0


def test_hits_count_in_the_order_of_the_engine_and_need_no_scores() -> None:
    hits = [("a", 0.5), ("b", 0.9)]  # as where results are sorted by a field
    assert rw.evaluate({"q1": {"a": 1}}, {"q1": response("Elasticsearch", hits)}, ["RR"])["RR"] == 1.0
    unscored = {"q1": {"response": {"docs": [{"id": "b"}, {"id": "a"}]}}}
    assert rows(unscored) == [("q1", "b", -1.0), ("q1", "a", -2.0)]
    sorted_by_field = {"q1": {"hits": {"hits": [{"_id": "b", "_score": None}, {"_id": "a", "_score": None}]}}}
    assert rows(sorted_by_field) == [("q1", "b", -1.0), ("q1", "a", -2.0)]


def test_hits_with_equal_scores_keep_their_order_however_a_file_begins() -> None:
    hits = {"total": 2, "hits": [{"_id": "a", "_score": 1.0}, {"_id": "b", "_score": 1.0}]}
    for content in ({"hits": hits, "qid": "q1"}, {"qid": "q1", "hits": hits}):
        Path("q1.json").write_text(json.dumps(content))
        assert rw.evaluate({"q1": {"a": 1}}, "q1.json", ["RR"])["RR"] == 1.0


def test_scores_by_path_that_contradict_the_order_are_refused() -> None:
    similar = {"data": [{"id": "a", "distance": 0.9}, {"id": "b", "distance": 0.5}]}
    ids = {"documents": "chunks"}  # a list of ids and no hits
    assert rw.evaluate({"q1": {"a": 1}}, {"q1": {"chunks": ["b", "a"]}}, ["RR"], run_columns=ids)["RR"] == 0.5
    columns = {"documents": "data", "score": "-distance"}
    with pytest.raises(rw.InputError, match="ambiguous-order"):
        rw.evaluate({"q1": {"a": 1}}, {"q1": similar}, ["RR"], run_columns=columns)
    assert (
        rw.evaluate({"q1": {"a": 1}}, {"q1": similar}, ["RR"], run_columns={"documents": "data"}, order="given")["RR"]
        == 1.0
    )


@pytest.mark.parametrize(
    ("scores", "wrong", "right", "reason"),
    [
        ((0.9, 0.5), "-distance", "distance", "similarities"),
        ((0.5, 0.9), "distance", "-distance", "distances"),
    ],
    ids=["COSINE", "L2"],
)
def test_a_distance_of_milvus_counts_as_the_response_orders_it(
    scores: tuple[float, float], wrong: str, right: str, reason: str
) -> None:
    hits = [{"id": document, "distance": score} for document, score in zip("ba", scores, strict=True)]
    run, where = {"q1": {"code": 0, "data": hits}}, {"documents": "data", "document": "id"}
    assert rows(run, where) == [("q1", "b", -1.0), ("q1", "a", -2.0)]
    with pytest.raises(rw.InputError, match=f"they look like {reason}") as caught:
        rw.evaluate({"q1": {"a": 1}}, run, ["RR"], run_columns={**where, "score": wrong})
    assert f"--columns score={right}, in Python columns={{'score': '{right}'}}" in caught.value.remedy
    assert rw.evaluate({"q1": {"a": 1}}, run, ["RR"], run_columns={**where, "score": right})["RR"] == 0.5


def test_hits_at_a_path_count_in_their_order_where_no_score_is_named() -> None:
    hits = [{"id": "b", "score": 0.1}, {"id": "a", "score": 0.2}]  # distances, as Pinecone has them for L2
    columns = {"documents": "matches"}
    assert rw.evaluate({"q1": {"a": 1}}, {"q1": {"matches": hits}}, ["RR"], run_columns=columns)["RR"] == 0.5


def test_a_file_without_hits_among_others_is_an_empty_ranking() -> None:
    Path("r").mkdir()
    for query, hits in {"q1": [("a", 1.0)], "q2": []}.items():
        Path(f"r/{query}.json").write_text(json.dumps(response("Vespa", hits)))
    with pytest.warns(rw.RankworthWarning, match="many-unanswered"):
        values = rw.evaluate({"q1": {"a": 1}, "q2": {"b": 1}}, "r/*.json", ["RR"])
    assert values.per_query.to_dict() == {"q1": {"RR": 1.0}, "q2": {"RR": 0.0}}
    assert refused("r/q2.json") == ("empty-input", "r/q2.json: there is no run line in it")


def refused(source: object, columns: dict[str, str] | None = None) -> tuple[str, str]:
    """The slug of the error, and what it says."""
    with pytest.raises(rw.InputError) as caught:
        rows(source, columns)
    return caught.value.slug, caught.value.problems[0]


GOOD = response("Elasticsearch", [("a", 1.0)])
FAULTS: dict[str, tuple[object, dict[str, str], str, str]] = {
    "a failed search": (
        {"q1": GOOD, "q2": {"error": {"type": "parsing_exception", "reason": "unknown [macht]"}, "status": 400}},
        {},
        "failed-queries",
        "the run: query q2: the search failed: parsing_exception: unknown [macht]",
    ),
    "an error of Solr": (
        {"q1": {"responseHeader": {"status": 400}, "error": {"msg": "undefined field x", "code": 400}}},
        {},
        "failed-queries",
        "the run: query q1: the search failed: undefined field x",
    ),
    "an error of Vespa": (
        {"q1": {"root": {"id": "toplevel", "errors": [{"code": 4, "summary": "Invalid query", "message": "no yql"}]}}},
        {},
        "failed-queries",
        "the run: query q1: the search failed: Invalid query: no yql",
    ),
    "an error of Qdrant": (
        {"q1": {"status": {"error": "Not found: Collection `x`"}, "time": 0.0}},
        {},
        "failed-queries",
        "the run: query q1: the search failed: Not found: Collection `x`",
    ),
    "a search that ran out of time": (
        {"q1": GOOD | {"timed_out": True}},
        {},
        "failed-queries",
        "the run: query q1: timed_out is True, so hits may be missing",
    ),
    "shards that failed": (
        {"q1": GOOD | {"_shards": {"failed": 2}}},
        {},
        "failed-queries",
        "the run: query q1: _shards.failed is 2, so hits may be missing",
    ),
    "responses without queries": (
        [GOOD, GOOD],
        {},
        "response-queries",
        "the run: response 1: nothing says which query it answers",
    ),
    "several searches in a list of Milvus": (
        {"q1": {"code": 0, "data": [{"id": "a"}, {"id": "b"}, {"id": "a"}], "topks": [2, 1]}},
        {"documents": "data"},
        "response-queries",
        "the run: query q1: the hits of 2 searches stand in one list",
    ),
    "a path to no query": (
        [GOOD],
        {"query": "params.qid"},
        "response-queries",
        "the run: there is no params.qid",
    ),
    "two responses to one query": (
        [GOOD | {"qid": "q1"}, GOOD | {"qid": "q1"}],
        {},
        "duplicate-document",
        "the run: query q1 appears twice",
    ),
    "a path to no document": (
        {"q1": GOOD},
        {"documents": "hits.hits", "document": "_source.sku"},
        "frame-columns",
        "the run: query q1: a hit has no _source.sku; it has _index _id _score _source",
    ),
    "an engine that is not known": (
        '{"data": {"Get": {"Item": [{"_additional": {"id": "a", "distance": 0.1}}]}}}',
        {},
        "unknown-response",
        "q1.json: this is no response of an engine that is known; the first keys are data.Get.Item",
    ),
    "lines of an engine that is not known": (
        '{"qid": "q1", "found": {"items": [{"sku": "a", "sim": 0.1}]}}\n' * 2,
        {},
        "unknown-response",
        "q1.json: this is no response of an engine that is known; the first keys are qid found.items",
    ),
    "lines of nuggetizer about answers": (
        '{"query": "9", "qid": "q1", "nuggets": [{"text": "a", "importance": "vital", "assignment": "support"}]}\n' * 2,
        {},
        "unknown-response",
        "q1.json: these are nuggets of answers, which do not tell which documents are relevant",
    ),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_what_cannot_be_read_is_refused_with_its_place(fault: str) -> None:
    source, columns, slug, problem = FAULTS[fault]
    if isinstance(source, str):
        Path("q1.json").write_text(source)
        source = "q1.json"
    assert refused(source, columns) == (slug, problem)


@pytest.mark.parametrize("engine", [engine for engine, columns in PATHS.items() if "documents" in columns])
def test_the_option_in_the_message_reads_the_response(engine: str) -> None:
    hits = [("a", 1.0), ("b", 0.5)]
    Path("q1.json").write_text(json.dumps(response(engine, hits)))
    with pytest.raises(rw.InputError) as caught:
        rows("q1.json")
    option = caught.value.remedy.partition("--columns ")[2].partition(", in Python")[0]
    columns = dict(part.split("=", 1) for part in option.split())
    assert [row[1] for row in rows("q1.json", columns)] == ["a", "b"]


@pytest.mark.parametrize(
    ("hits", "score"),
    [
        ([{"id": "b", "distance": 0.9}, {"id": "a", "distance": 0.5}], "distance"),
        ([{"id": "b", "distance": 0.5}, {"id": "a", "distance": 0.9}], "-distance"),
        ([{"id": "b", "distance": 0.5}], "-distance"),
        ([{"id": "b", "info": {"score": 7}, "text_match": 5}, {"id": "a", "info": {}, "text_match": 4}], "text_match"),
        ([{"id": "b", "score": 0.1}, {"id": "a", "score": 0.2}], "-score"),
        ([{"id": "b", "match": "exact", "score": None}, {"id": "a"}], ""),
        ([{"id": "b", "score": 1}, {"id": "a", "score": 3}, {"id": "c", "score": 2}], ""),
    ],
    ids=["Milvus, COSINE", "Milvus, L2", "one hit", "Typesense", "Pinecone, L2", "no number", "sorted by a field"],
)
def test_the_score_in_the_message_fits_the_order_of_the_hits(hits: list[dict[str, Any]], score: str) -> None:
    with pytest.raises(rw.InputError) as caught:
        rows({"q1": {"took": 1, "data": hits}})
    columns = ast.literal_eval(caught.value.remedy.partition("columns=")[2])
    assert columns.get("score", "") == score
    run = {"q1": {"took": 1, "data": hits}}
    assert rw.evaluate({"q1": {"b": 1}}, run, ["RR"], run_columns=columns)["RR"] == 1.0


@pytest.mark.parametrize("count", [1, 2])
@pytest.mark.parametrize("engine", [engine for engine, columns in PATHS.items() if "documents" in columns])
def test_the_option_in_the_message_reads_responses_by_query_in_python(engine: str, count: int) -> None:
    found = {f"q{number}": response(engine, [("b", 1.0), ("a", 0.5)]) for number in range(count)}
    with pytest.raises(rw.InputError, match="the first keys are") as caught:
        rows(found)
    assert caught.value.slug == "unknown-response"
    columns = ast.literal_eval(caught.value.remedy.partition("columns=")[2])
    assert [row[:2] for row in rows(found, columns)] == [(query, document) for query in found for document in "ba"]


@pytest.mark.parametrize("option", ["--columns", "--run-columns"])
def test_the_command_line_takes_that_there_are_no_scores(option: str, capsys: pytest.CaptureFixture[str]) -> None:
    Path("q.json").write_text(json.dumps({"query": "q1", **response("Meilisearch", [("b", 1.0), ("a", 0.5)])}))
    Path("qrels.txt").write_text("q1 0 a 1\n")
    assert main(["evaluate", "qrels.txt", "q.json", "-m", "RR"]) == 2
    assert "if none holds scores: --columns score=\n" in capsys.readouterr().err
    assert main(["evaluate", "qrels.txt", "q.json", "-m", "RR", option, "score="]) == 0
    assert "q\t0.5\n" in capsys.readouterr().out


@pytest.mark.parametrize("beside", [{"page": 1}, {}])
@pytest.mark.parametrize("engine", ["Typesense", "Meilisearch"])
def test_the_option_in_the_message_reads_a_batch(engine: str, beside: dict[str, int]) -> None:
    Path("queries.txt").write_text("q1\nq2\n")
    found = [{**beside, **response(engine, [(document, 1.0)])} for document in "ab"]
    Path("batch.json").write_text(json.dumps({"results": found}))
    with pytest.raises(rw.InputError, match=f"the first keys are {next(iter(found[0]))}") as caught:
        rows("batch.json")
    columns = ast.literal_eval(caught.value.remedy.partition("columns=")[2])
    assert [row[:2] for row in rows("batch.json", {**columns, "query": "@queries.txt"})] == [("q1", "a"), ("q2", "b")]


@pytest.mark.filterwarnings("ignore::rankworth.RankworthWarning")
@pytest.mark.parametrize(
    ("files", "columns", "is_named"),
    [
        ({"q1.json": GOOD}, {}, True),
        ({"q1.json": GOOD}, {"query": "@queries.txt"}, False),
        ({"q1.json": GOOD | {"qid": "q1"}}, {}, False),
        ({"q1.json": {"q1": GOOD}}, {}, False),
        ({"q1.json": GOOD, "q2.json": GOOD}, {}, False),
    ],
)
def test_a_single_response_that_counts_for_the_name_of_its_file_says_so(
    files: dict[str, Any], columns: dict[str, str], *, is_named: bool
) -> None:
    Path("queries.txt").write_text("q1\n")
    for name, each in files.items():
        Path(name).write_text(json.dumps(each))
    qrels = {query: {"a": 1} for query in ("q1", "q2")}
    notices = rw.evaluate_runs(qrels, {"run": [*files]}, ["P@1"], run_columns=columns)["run"].notices
    texts = [notice.text for notice in notices if notice.slug == "response-queries"]
    fact = "the response in q1.json does not say which query it answers; it counts as that of query q1"
    remedy = (
        "--run-columns query=@queries.txt, in Python run_columns={'query': '@queries.txt'} names a file with the "
        "query of each response, in their order"
    )
    assert texts == ([f"{fact}, the name of the file; {remedy}"] if is_named else [])
    if is_named:
        with pytest.raises(rw.InputError) as caught:
            rw.evaluate({"shoe": {"a": 1}}, "q1.json", ["P@1"])
        assert (caught.value.slug, caught.value.remedy) == ("no-common-queries", texts[0])


def test_a_path_to_nothing_is_refused_with_the_fields_of_a_hit(capsys: pytest.CaptureFixture[str]) -> None:
    Path("q1.json").write_text(json.dumps(response("fields of a document", [("a", 1.0)])))
    Path("qrels.txt").write_text("q1 0 a 1\n")
    assert main(["evaluate", "qrels.txt", "q1.json", "--run-columns", "document=fields.skus"]) == 2
    lines = [
        "error: --run-columns document=fields.skus: there is no such column   [frame-columns]",
        "  q1.json has _id _score fields.sku took hits.hits",
        "  did you mean --run-columns document=fields.sku?",
    ]
    assert capsys.readouterr().err.splitlines() == lines


def test_a_list_of_queries_of_another_length_is_refused() -> None:
    Path("queries.txt").write_text("q1\nq2\n")
    assert refused([GOOD], {"query": "@queries.txt"}) == (
        "response-queries",
        "the run has 1 response, queries.txt has 2 queries",
    )
    Path("requests.ndjson").write_text('{}\n{"query": {"match_all": {}}}\n')
    assert refused([GOOD], {"query": "@requests.ndjson"})[0] == "response-queries"


def test_results_are_no_response() -> None:
    Path("r.json").write_text(
        json.dumps({"schema": "rankworth.results/3", "runs": [{"name": "a", "mean": {"RR": 1.0}}]})
    )
    assert refused("r.json")[0] == "frame-columns"


def test_dicts_with_queries_that_are_called_like_keys_are_no_responses() -> None:
    run = {"hits": {"a": 0.5}, "result": {"b": 1.0}, "root": {"c": 1.0}, "status": {"e": 2.0}}
    assert len(rows(run)) == len(run)
    Path("run.json").write_text(json.dumps(run))
    assert len(rows("run.json")) == len(run)
