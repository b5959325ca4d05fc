"""What people bring, as files and as objects: none of it is read at once by every door, and messages say how it is."""

import uuid
from typing import Any, Final

import polars as pl

TREC_QRELS: Final = "q1 0 d1 1\nq1 0 d2 0\nq2 0 d3 2\n"
TREC_RUN: Final = "q1 Q0 d1 1 2.5 t\nq1 Q0 d2 2 1.5 t\nq2 Q0 d3 1 0.5 t\n"
Files = tuple[dict[str, str], str, str]


def judged(name: str, text: str) -> Files:
    """Judgements beside a run of TREC's lines."""
    return {name: text, "a.run": TREC_RUN}, name, "a.run"


def ranked(name: str, text: str) -> Files:
    """A run beside judgements of TREC's lines."""
    return {"q.txt": TREC_QRELS, name: text}, "q.txt", name


FILES: Final[dict[str, Files]] = {
    "nested JSON judgements": judged("q.json", '{"name": "mine", "relevant_docs": {"q1": {"d1": 1}, "q2": {"d3": 1}}}'),
    "JSON judgements of lists of objects": judged(
        "q.json",
        '[{"query_id": "q1", "relevant": [{"doc_id": "d1", "rating": 2}]}, {"query_id": "q2", "relevant": []}]',
    ),
    "JSON judgements below two keys": judged("q.json", '{"data": {"labels": {"q1": {"d1": 1}}}}'),
    "JSON judgements in lists": judged("q.json", '{"q1": ["d1"], "q2": ["d3"]}'),
    "lists in cells, JSON": judged("q.csv", 'query,documents\nq1,"[""d1"", ""d4""]"\nq2,"[""d3""]"\n'),
    "lists in cells, blanks": ranked("r.csv", "query,predictions\nq1,d1 d2 d4\nq2,d3 d5\n"),
    "lists in cells, commas": ranked("r.csv", 'query,predictions\nq1,"d1,d2,d4"\nq2,"d3,d5"\n'),
    "lists in cells of Python": judged("q.csv", "query,relevant\nq1,\"['d1', 'd4']\"\nq2,\"['d3']\"\n"),
    "labels inside hits": ranked(
        "r.json", '{"q1": [{"id": "d1", "score": 2.0, "label": 1}, {"id": "d2", "score": 1.0, "label": 0}]}'
    ),
    "words as grades": judged("q.csv", "query,document,grade\nq1,d1,relevant\nq1,d2,irrelevant\nq2,d3,relevant\n"),
    "letters as grades": judged("q.csv", "query,document,grade\nq1,d1,E\nq1,d2,I\nq2,d3,S\n"),
    "grades of yes and no": judged("q.csv", "query,document,relevant\nq1,d1,yes\nq1,d2,no\nq2,d3,yes\n"),
    "grades that are truth values": judged("q.csv", "query,document,grade\nq1,d1,True\nq1,d2,False\nq2,d3,True\n"),
    "decimal commas": ranked("r.csv", 'query,document,score\nq1,d1,"2,5"\nq1,d2,"1,5"\n'),
    "rows in rank order": ranked("r.csv", "query,document\nq1,d1\nq1,d2\nq2,d3\n"),
    "rows in rank order, more columns": ranked("r.csv", "query,document,title\nq1,d1,A\nq1,d2,B\nq2,d3,C\n"),
    "rows in rank order, of names of others": ranked("r.csv", "search_term,product_id,title\nq1,d1,A\nq1,d2,B\n"),
    "repeated predictions": ranked("r.csv", "query,document,score\nq1,d1,2\nq1,d1,1\nq1,d2,0.5\n"),
    "repeated judgements": judged("q.csv", "query,document,grade\nq1,d1,1\nq1,d1,2\n"),
    "a missing column of queries": ranked("r.csv", "topic_text,document,score\nq1,d1,2\nq1,d2,1\n"),
    "a missing column of documents": ranked("r.csv", "query,sku,score\nq1,d1,2\nq1,d2,1\n"),
    "a missing column of scores": ranked("r.csv", "query,document,bm25\nq1,d1,2\nq1,d2,1\n"),
    "two columns of documents": ranked("r.csv", "query,doc_id,document_id,score\nq1,d1,x,2\nq1,d2,y,1\n"),
    "all columns are called otherwise": ranked("r.csv", "user,item,rating\nq1,d1,2\nq1,d2,1\n"),
    "judgements called otherwise": judged("q.csv", "user,item,stars\nq1,d1,2\nq1,d2,0\n"),
    "no header": ranked("r.csv", "q1,d1,2.5\nq1,d2,1.5\nq2,d3,0.5\n"),
    "no header and whole numbers": ranked("r.tsv", "q1\td1\t1\nq1\td2\t2\nq2\td3\t1\n"),
    "four columns of ratings": judged(
        "u.data", "".join(f"{u}\t{i}\t{u * i % 5 + 1}\t88{u}50{i}949\n" for u in (1, 2, 3) for i in (11, 12, 13))
    ),
    "a wrong format": ranked("r.json", TREC_RUN),
    "JSON lines called json": ranked(
        "r.json", '{"query": "q1", "document": "d1", "score": 1}\n{"query": "q1", "document": "d2", "score": 0.5}\n'
    ),
    "six columns with one word more": ranked("r.run", "q1 Q0 d1 1 2.5 my tag\nq1 Q0 d2 2 1.5 my tag\n"),
    "five columns": ranked("r.run", "q1 Q0 d1 1 2.5\nq1 Q0 d2 2 1.5\n"),
    "semicolons": ranked("r.csv", "query;document;score\nq1;d1;2.5\nq1;d2;1.5\n"),
    "judgements and run exchanged": ({"q.txt": TREC_QRELS, "a.run": TREC_RUN}, "a.run", "q.txt"),
    "a response of Elasticsearch": ranked(
        "r.json",
        '{"took": 3, "hits": {"total": {"value": 2}, "hits": [{"_id": "d1", "_score": 2}]}}',
    ),
    "a response of an unknown engine": ranked(
        "r.json", '{"query": "q1", "data": {"items": [{"key": "d1", "sim": 0.9}, {"key": "d2", "sim": 0.4}]}}'
    ),
    "responses of an unknown engine by query": ranked(
        "r.json",
        '{"q1": {"matches": [{"uid": "d1", "similarity": 0.9}]}, "q2": {"matches": []}}',
    ),
    "distances": ranked(
        "r.jsonl", '{"query": "q1", "hits": [{"id": "d1", "distance": 0.1}, {"id": "d2", "distance": 0.7}]}\n'
    ),
    "a flat list": ranked("r.json", '["d1", "d2"]'),
    "blank grades": judged("q.csv", "query,document,grade\nq1,d1,\nq1,d2,\n"),
    "one blank grade": judged("q.csv", "query,document,grade\nq1,d1,1\nq1,d2,\n"),
    "ids that do not meet": ranked("r.run", "Q1 Q0 D1 1 2.5 t\nQ1 Q0 D2 2 1.5 t\n"),
    "no query in common": ranked("r.run", "x1 Q0 d1 1 2.5 t\nx1 Q0 d2 2 1.5 t\n"),
    "ranks that occur twice": ranked("r.csv", "query,document,rank\nq1,d1,1\nq1,d2,1\nq2,d3,1\n"),
    "one column per rank": ranked("r.csv", "query,1,2,3\nq1,d1,d2,d4\nq2,d3,d5,d6\n"),
    "a score that is missing": ranked("r.csv", "query,document,score\nq1,d1,2.5\nq1,d2,\n"),
    "negative infinity": ranked("r.csv", "query,document,score\nq1,d1,2.5\nq1,d2,-inf\n"),
    "judgements of learning to rank": judged(
        "q.txt", "2 qid:q1 1:0.5 # d1\n0 qid:q1 1:0.1 # d2\n1 qid:q2 1:0.3 # d3\n"
    ),
    "scores and an order that contradict each other": ranked(
        "r.json", '{"q1": [{"id": "d1", "score": 0.1}, {"id": "d2", "score": 0.9}], "q2": [{"id": "d3", "score": 0.5}]}'
    ),
    "a file that is not there": ({"q.txt": TREC_QRELS}, "q.txt", "b.run"),
    "an empty file": ranked("r.run", ""),
}
"""what is in the files, and which of them are judgements and run"""

COMMANDS: Final[dict[str, tuple[dict[str, str], str]]] = {
    "a run by number of columns": ({"q.txt": TREC_QRELS, "r.csv": "q1,d1,3\nq2,d3,1\n"}, "check q.txt r.csv"),
    "rows in rank order are compared": (
        {"q.txt": TREC_QRELS, "a.run": TREC_RUN, "r.csv": "query,document\nq1,d2\nq2,d3\n"},
        "compare q.txt a.run r.csv -m RR",
    ),
    "rows in rank order are checked": ({"q.txt": TREC_QRELS, "r.csv": "query,document\nq1,d2\n"}, "check q.txt r.csv"),
    "rows in rank order are explained": (
        {"q.txt": TREC_QRELS, "r.csv": "query,document\nq1,d2\n"},
        "explain q.txt r.csv q1 -m RR",
    ),
    "words are compared by two judges": (
        {"a.csv": "query,document,grade\nq1,d1,good\n", "b.csv": "query,document,grade\nq1,d1,bad\n"},
        "correlate --judges a.csv b.csv",
    ),
    "a repeated prediction is explained": (
        {"q.txt": TREC_QRELS, "r.csv": "query,document,score\nq1,d1,2\nq1,d1,1\n"},
        "explain q.txt r.csv q1 -m RR",
    ),
    "a document twice, with a depth": (
        {"q.txt": TREC_QRELS, "r.csv": "query,document,score\nq1,d1,2\nq1,d1,1\n"},
        "evaluate q.txt r.csv -m RR P --depth 5 --rel 2",
    ),
    "a cutoff for what is counted": ({"q.txt": TREC_QRELS, "a.run": TREC_RUN}, "evaluate q.txt a.run -m NumRel@10"),
    "a setting that is a quirk": (
        {"q.txt": TREC_QRELS, "a.run": TREC_RUN},
        "evaluate q.txt a.run -m RR --set depth=5",
    ),
    "groups without a table": ({"q.txt": TREC_QRELS, "a.run": TREC_RUN}, "evaluate q.txt a.run -m RR --by language"),
    "a name of another tool": ({"q.txt": TREC_QRELS, "a.run": TREC_RUN}, "evaluate q.txt a.run -m RR --metric AP"),
    "a profile that refuses": (
        {"q.txt": TREC_QRELS, "a.run": "q1 Q0 d1 1 2.5 t\n"},
        "evaluate q.txt a.run -m RR --profile ranx",
    ),
    "a run without results": (
        {"q.txt": TREC_QRELS, "a.run": "q1 Q0 d1 1 2.5 t\n"},
        "evaluate q.txt a.run -m RR --missing error",
    ),
}
"""files, and commands with the user's own options"""

JUDGED: Final = {"q1": {"d1": 1, "d2": 0}, "q2": {"d3": 2}}
RANKED: Final = {"q1": {"d1": 2.0, "d2": 1.0}, "q2": {"d3": 1.0}}


def calls() -> dict[str, tuple[Any, Any, dict[str, Any]]]:
    """Judgements, runs and settings, as programs have them."""
    frame = pl.DataFrame({"query": ["q1", "q1"], "document": ["d1", "d2"], "score": [2.0, 1.0]})
    nested = {"name": "mine", "relevant_docs": {"q1": {"d1": 1}}, "queries": {"q1": "red shoes"}}
    return {
        "nested judgements": (nested, RANKED, {}),
        "a list of objects": ([{"query_id": "q1", "relevant": [{"doc_id": "d1", "rating": 2}]}], RANKED, {}),
        "words": ({"q1": {"d1": "E", "d2": "I"}}, RANKED, {}),
        "words nobody knows": ({"q1": {"d1": "blue", "d2": "green"}}, RANKED, {}),
        "truth values": ({"q1": {"d1": True, "d2": False}}, RANKED, {}),
        "a flat list": (JUDGED, ["d1", "d2"], {}),
        "a flat list of judgements": (["d1"], [["d1", "d2"]], {}),
        "lists without queries": (JUDGED, [["d1", "d2"], ["d3"]], {}),
        "a set": (JUDGED, {"q1": {"d1", "d2"}}, {}),
        "pairs": (JUDGED, {"q1": [("d1", 2.0), ("d2", 1.0)]}, {}),
        "pairs the other way round": (JUDGED, {"q1": [(2.0, "d1"), (1.0, "d2")]}, {}),
        "ids and scores": (JUDGED, {"q1": (["d1", "d2"], [2.0, 1.0])}, {}),
        "hits with labels": (JUDGED, {"q1": [{"id": "d1", "score": 2.0, "label": 1}]}, {}),
        "a frame without scores": (JUDGED, frame.drop("score"), {}),
        "a frame of other names": (JUDGED, frame.rename({"query": "user", "document": "sku", "score": "rating"}), {}),
        "a frame with one name more": (JUDGED, frame.with_columns(doc_id=pl.lit("x"), document_id=pl.lit("y")), {}),
        "a frame of lists": (JUDGED, pl.DataFrame({"query": ["q1"], "predictions": [["d1", "d2"]]}), {}),
        "a frame of texts of ids": (JUDGED, pl.DataFrame({"query": ["q1"], "predictions": ["d1 d2"]}), {}),
        "repeated rows": (JUDGED, [("q1", "d1", 2.0), ("q1", "d1", 1.0)], {}),
        "repeated judgements": ([("q1", "d1", 1), ("q1", "d1", 2)], RANKED, {}),
        "scores that are texts": (JUDGED, {"q1": {"d1": "2.5"}}, {}),
        "a score that is None": (JUDGED, {"q1": {"d1": None, "d2": 1.0}}, {}),
        "NaN": (JUDGED, {"q1": {"d1": float("nan"), "d2": 1.0}}, {}),
        "ids that are UUIDs": ({"q1": {uuid.UUID(int=1): 1}}, {"q1": [uuid.UUID(int=1)]}, {}),
        "integers and texts": ({1: {10: 1}}, {"1": {"10": 1.0}}, {}),
        "several runs": (JUDGED, {"bm25": RANKED, "dense": RANKED}, {}),
        "a run of None": (JUDGED, None, {}),
        "a number": (JUDGED, 3, {}),
        "an object": (JUDGED, object(), {}),
        "a wrong keyword": (JUDGED, RANKED, {"banana": 3}),
        "a cutoff as a keyword": (JUDGED, RANKED, {"k": 10}),
        "a quirk as a setting": (JUDGED, RANKED, {"fewest": 1}),
        "a setting as a quirk": (JUDGED, RANKED, {"quirks": {"depth": 5}}),
        "groups without a table": (JUDGED, RANKED, {"by": "language"}),
        "an order that contradicts": (JUDGED, {"q1": [{"id": "d1", "score": 0.1}, {"id": "d2", "score": 0.9}]}, {}),
        "other queries": (JUDGED, {"Q1": {"d1": 1.0}}, {}),
        "a response of an unknown engine": (JUDGED, {"q1": {"matches": [{"uid": "d1", "similarity": 0.9}]}}, {}),
    }
