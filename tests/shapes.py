"""Shapes of files and objects that people bring, by their trade: what is typed first, and what the right number is.

A new shape is one line: its files, the first command, and the number that comes out once it is read as it was meant, or
`REFUSED` where nothing here reads it. `tests/test_shapes.py` follows what messages propose; `scripts/shapes-page`
makes the page "Your file looks like ..." of those that have a `group`.
"""

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

REFUSED: Final = None
QRELS: Final = "q1 0 d1 2\nq1 0 d2 0\nq1 0 d3 1\nq2 0 d4 1\n"
RUN: Final = "".join(
    f"{query} Q0 {document} {rank} {score} t\n"
    for query, documents in {"q1": "d2 d1 d3 d5", "q2": "d1 d4"}.items()
    for rank, (document, score) in enumerate(zip(documents.split(), (9.5, 8.5, 7.5, 6.5), strict=False), 1)
)
RR: Final = (1 / 2 + 1 / 2) / 2
AP: Final = ((1 / 2 + 2 / 3) / 2 + 1 / 2) / 2
NDCG: Final = ((2 / math.log2(3) + 1 / 2) / (2 + 1 / math.log2(3)) + 1 / math.log2(3)) / 2
"""of the judgements and the run above: with grades 2 and 1, and 1 at rank 2"""
RECALL: Final = (1 / 2 + 1) / 2
"""at 2"""


@dataclass(frozen=True)
class Shape:
    """A file or two, what is typed first, and what is right.

    Attributes:
        files: what is in each file.
        line: the command behind `rankworth`.
        right: the number, worked out; None where nothing here reads the shape.
        answers: what the user knows and a message asks for, by the placeholder.
        untrue: beginnings of remedies whose condition does not hold, which the user sees.
        group: under which heading of the page it stands; empty where it does not.
        file: the file that the page shows the beginning of.

    """

    files: Mapping[str, str]
    line: str
    right: float | None
    answers: Mapping[str, str] = field(default_factory=dict)
    untrue: tuple[str, ...] = ()
    group: str = ""
    file: str = ""


def judged(
    name: str,
    text: str,
    right: float | None = AP,
    measure: str = "AP",
    options: str = "",
    run: str = RUN,
    **more: Any,
) -> Shape:
    """Judgements beside a run of TREC's lines."""
    line = f"evaluate {name} a.run -m {measure} {options}".strip()
    return Shape({name: text, "a.run": run}, line, right, file=name, **more)


def ranked(
    name: str,
    text: str,
    right: float | None = AP,
    measure: str = "AP",
    options: str = "",
    qrels: str = QRELS,
    **more: Any,
) -> Shape:
    """A run beside judgements of TREC's lines."""
    line = f"evaluate q.txt {name} -m {measure} {options}".strip()
    return Shape({"q.txt": qrels, name: text}, line, right, file=name, **more)


def both(
    first: str, one: str, second: str, other: str, right: float | None, measure: str, options: str = "", **more: Any
) -> Shape:
    """Judgements and a run, of which neither is TREC's."""
    line = f"evaluate {first} {second} -m {measure} {options}".strip()
    return Shape({first: one, second: other}, line, right, file=more.pop("file", first), **more)


def lines(*objects: object) -> str:
    """JSON lines."""
    return "".join(json.dumps(each) + "\n" for each in objects)


def table(rows: str, separator: str = "\t") -> str:
    """Rows with blanks between their cells, with another sign between them."""
    return "".join(separator.join(row.split()) + "\n" for row in rows.strip().splitlines())


GRADED: Final = "q1 d1 2\nq1 d2 0\nq1 d3 1\nq2 d4 1\n"
SCORED: Final = "q1 d2 9.5\nq1 d1 8.5\nq1 d3 7.5\nq1 d5 6.5\nq2 d1 5.5\nq2 d4 4.5\n"
LISTS: Final = {"q1": ["d2", "d1", "d3", "d5"], "q2": ["d1", "d4"]}
RELEVANT: Final = {"q1": ["d1", "d3"], "q2": ["d4"]}
HITS: Final = {
    query: [(document, 9.5 - rank) for rank, document in enumerate(documents)] for query, documents in LISTS.items()
}
GRADES: Final = {"q1": {"d1": 2, "d2": 0, "d3": 1}, "q2": {"d4": 1}}
TREC_GROUP: Final = "TREC and the tools around it"
TABLES: Final = "Tables: CSV and TSV"
QA: Final = "Question answering and benchmarks"
RECS: Final = "Recommenders and competitions"
ENGINES: Final = "Search engines and vector stores"
RAG: Final = "RAG frameworks"
OTHERS: Final = "Rankers, graphs, news, neighbours"


def header(names: str, rows: str, separator: str = ",") -> str:
    """A table with a header."""
    return table(f"{names}\n{rows}", separator)


def response(query: str, kind: str) -> dict[str, Any]:
    """A response of an engine."""
    hits = HITS[query]
    return {
        "elasticsearch": {
            "took": 3,
            "hits": {
                "total": {"value": 9},
                "hits": [{"_index": "i", "_id": name, "_score": score} for name, score in hits],
            },
        },
        "solr": {
            "responseHeader": {"status": 0, "params": {"q": query}},
            "response": {"numFound": 9, "docs": [{"id": name, "score": score} for name, score in hits]},
        },
        "algolia": {"hits": [{"objectID": name} for name, _ in hits], "nbHits": 9, "query": query},
        "qdrant": {"result": [{"id": name, "version": 0, "score": score} for name, score in hits], "status": "ok"},
        "pinecone": {"matches": [{"id": name, "score": score} for name, score in hits], "namespace": ""},
        "weaviate": {
            "data": {"Get": {"Doc": [{"_additional": {"id": name, "certainty": score / 10}} for name, score in hits]}}
        },
        "vespa": {
            "root": {"id": "top", "children": [{"id": f"id:n:d::{name}", "relevance": score} for name, score in hits]}
        },
        "typesense": {"found": 9, "hits": [{"document": {"id": name}, "text_match": score} for name, score in hits]},
        "meilisearch": {"hits": [{"id": name, "_rankingScore": score / 10} for name, score in hits], "query": query},
    }[kind]


def responses(kind: str) -> str:
    """Responses by query."""
    return json.dumps({query: response(query, kind) for query in LISTS})


SHAPES: Final[dict[str, Shape]] = {
    # TREC and the tools around it
    "qrels and run of TREC": judged("qrels.txt", QRELS, NDCG, "nDCG@10", group=TREC_GROUP),
    "a run of TREC": ranked("bm25.run", RUN, NDCG, "nDCG@10", group=TREC_GROUP),
    "judgements and run exchanged": both("a.run", RUN, "q.txt", QRELS, REFUSED, "AP"),
    "prels of the Million Query track": judged(
        "prels.txt",
        "q1 d1 1 1 0.8\nq1 d2 0 1 0.2\nq1 d3 1 0 1.0\nq2 d4 1 1 0.5\n",
        AP,
        answers={"NUMBER": "3"},
        group=TREC_GROUP,
    ),
    "judgements in three columns": judged("qrels.tsv", table(GRADED), NDCG, "nDCG@10", group=TREC_GROUP),
    "judgements in three columns, blanks": judged("qrels.txt", GRADED, NDCG, "nDCG@10"),
    "judgements in three columns, commas": judged("qrels.csv", table(GRADED, ","), NDCG, "nDCG@10"),
    "a run in three columns": ranked("run.tsv", table(SCORED), NDCG, "nDCG@10", group=TREC_GROUP),
    "a run in three columns, blanks": ranked("run.txt", SCORED, NDCG, "nDCG@10"),
    "a run in three columns, commas": ranked("run.csv", table(SCORED, ","), NDCG, "nDCG@10"),
    "a run in three columns, semicolons": ranked("run.csv", table(SCORED, ";"), NDCG, "nDCG@10"),
    "a run of MS MARCO": ranked(
        "run.tsv",
        table("q1 d2 1\nq1 d1 2\nq1 d3 3\nq1 d5 4\nq2 d1 1\nq2 d4 2\n"),
        NDCG,
        "nDCG@10",
        group=TREC_GROUP,
        untrue=("scores",),
    ),
    "a run of MS MARCO, with blanks": ranked(
        "run.txt", "q1 d2 1\nq1 d1 2\nq1 d3 3\nq1 d5 4\nq2 d1 1\nq2 d4 2\n", NDCG, "nDCG@10", untrue=("scores",)
    ),
    "a ranking of ColBERT": ranked(
        "ranking.tsv",
        table("q1 d2 1 20.5\nq1 d1 2 19.0\nq1 d3 3 11.0\nq1 d5 4 10.0\nq2 d1 1 9.0\nq2 d4 2 8.0\n"),
        NDCG,
        "nDCG@10",
        group=TREC_GROUP,
    ),
    "a run without a tag": ranked(
        "r.run", "q1 Q0 d2 1 9.5\nq1 Q0 d1 2 8.5\nq1 Q0 d3 3 7.5\nq2 Q0 d1 1 5\nq2 Q0 d4 2 4\n", NDCG, "nDCG@10"
    ),
    "a run with a tag of two words": ranked("r.run", RUN.replace(" t\n", " my run\n"), NDCG, "nDCG@10"),
    "a run without Q0": ranked(
        "r.run",
        "q1 d2 1 9.5 t\nq1 d1 2 8.5 t\nq1 d3 3 7.5 t\nq2 d1 1 5.5 t\nq2 d4 2 4.5 t\n",
        NDCG,
        "nDCG@10",
        answers={"NUMBER": "4"},
    ),
    "stances in the last column but one": judged(
        "touche.qrels",
        "q1 0 d1 2 PRO\nq1 0 d2 0 CON\nq1 0 d3 1 PRO\nq2 0 d4 1 CON\n",
        NDCG,
        "nDCG@10",
        answers={"NUMBER": "4"},
    ),
    "chunks beside documents": ranked(
        "chunks.run",
        "q1 Q0 d2#0 1 9.5 t\nq1 Q0 d2#1 2 9 t\nq1 Q0 d1#7 3 8.5 t\nq1 Q0 d3#0 4 7.5 t\nq2 Q0 d1#1 1 5.5 t\nq2 Q0 d4#0 2 4.5 t\n",
        NDCG,
        "nDCG@10",
        group=TREC_GROUP,
    ),
    "documents with a suffix of a file": judged(
        "qrels.txt", "q1 0 d1.txt 2\nq1 0 d2.txt 0\nq1 0 d3.txt 1\nq2 0 d4.txt 1\n", NDCG, "nDCG@10"
    ),
    "documents with a prefix": ranked("r.run", RUN.replace(" d", " wiki:d"), NDCG, "nDCG@10"),
    "empty lines between queries": judged("qrels.txt", QRELS.replace("q2", "\nq2"), NDCG, "nDCG@10"),
    "a comment above": judged("qrels.txt", "# made by hand\n" + QRELS, NDCG, "nDCG@10"),
    "lines of Windows": judged("qrels.txt", QRELS.replace("\n", "\r\n"), NDCG, "nDCG@10"),
    "a byte order mark": judged("qrels.txt", "\ufeff" + QRELS, NDCG, "nDCG@10"),
    # Tables
    "a table of judgements": judged(
        "qrels.csv", header("query,document,grade".replace(",", " "), GRADED), NDCG, "nDCG@10", group=TABLES
    ),
    "a table of judgements of BEIR": judged(
        "test.tsv", header("query-id corpus-id score", GRADED, "\t"), NDCG, "nDCG@10", group=QA
    ),
    "a table of other names": judged("gold.csv", header("question_id passage_id relevance", GRADED), NDCG, "nDCG@10"),
    "a table of names that nobody knows": judged(
        "gold.csv",
        header("term sku stars", GRADED),
        NDCG,
        "nDCG@10",
        answers={"query=NAME": "query=term", "document=NAME": "document=sku", "grade=NAME": "grade=stars"},
        group=TABLES,
    ),
    "a table of a run": ranked("run.csv", header("query document score", SCORED), NDCG, "nDCG@10", group=TABLES),
    "a table of ranks": ranked(
        "run.csv",
        header("query document rank", "q1 d2 1\nq1 d1 2\nq1 d3 3\nq1 d5 4\nq2 d1 1\nq2 d4 2\n"),
        NDCG,
        "nDCG@10",
        group=TABLES,
    ),
    "a table in rank order": ranked(
        "run.csv", header("query document", "q1 d2\nq1 d1\nq1 d3\nq1 d5\nq2 d1\nq2 d4\n"), NDCG, "nDCG@10", group=TABLES
    ),
    "a table of distances": ranked(
        "run.csv",
        header("query document distance", "q1 d2 0.1\nq1 d1 0.2\nq1 d3 0.3\nq1 d5 0.4\nq2 d1 0.5\nq2 d4 0.6\n"),
        NDCG,
        "nDCG@10",
    ),
    "a table with an index of pandas": judged(
        "gold.csv", ",query,document,grade\n0,q1,d1,2\n1,q1,d2,0\n2,q1,d3,1\n3,q2,d4,1\n", NDCG, "nDCG@10"
    ),
    "words for grades": judged(
        "gold.csv",
        header("query document grade", "q1 d1 relevant\nq1 d2 irrelevant\nq1 d3 relevant\nq2 d4 relevant\n"),
        AP,
        group=TABLES,
    ),
    "words of WANDS": judged(
        "label.csv",
        header("query_id product_id label", "q1 d1 Exact\nq1 d2 Irrelevant\nq1 d3 Partial\nq2 d4 Partial\n"),
        NDCG,
        "nDCG@10",
    ),
    "letters of ESCI": judged(
        "esci.csv", header("query_id product_id esci_label", "q1 d1 S\nq1 d2 I\nq1 d3 C\nq2 d4 C\n"), NDCG, "nDCG@10"
    ),
    "truth values": judged(
        "gold.csv", header("query document relevant", "q1 d1 True\nq1 d2 False\nq1 d3 True\nq2 d4 True\n"), AP
    ),
    "lists of Python in cells": judged(
        "gold.csv", "query,relevant\nq1,\"['d1', 'd3']\"\nq2,\"['d4']\"\n", AP, group=TABLES
    ),
    "lists of JSON in cells": judged("gold.csv", 'query,documents\nq1,"[""d1"", ""d3""]"\nq2,"[""d4""]"\n', AP),
    "blanks between ids in cells": ranked("sub.csv", "query,predictions\nq1,d2 d1 d3 d5\nq2,d1 d4\n", AP, group=TABLES),
    "commas between ids in cells": ranked("sub.csv", 'query,predictions\nq1,"d2,d1,d3,d5"\nq2,"d1,d4"\n', AP),
    "bars between ids in cells": ranked("sub.csv", "query,predictions\nq1,d2|d1|d3|d5\nq2,d1|d4\n", AP),
    "a column for each rank": ranked("sub.csv", "query,1,2,3\nq1,d2,d1,d3\nq2,d1,d4,d9\n", AP),
    "columns item1 to item3": ranked("sub.csv", "user,item1,item2,item3\nq1,d2,d1,d3\nq2,d1,d4,d9\n", AP),
    "decimal commas": ranked(
        "run.csv", "query;document;score\nq1;d2;9,5\nq1;d1;8,5\nq1;d3;7,5\nq2;d1;5,5\nq2;d4;4,5\n", REFUSED
    ),
    "a judge in each column": judged(
        "book.csv", "query,docid,ann@x.org,bob@x.org\nq1,d1,2,2\nq1,d2,0,0\nq1,d3,1,1\nq2,d4,1,1\n", NDCG, "nDCG@10"
    ),
    "a file of Quepid": judged(
        "basic.csv", "query,docid,rating\nq1,d1,2\nq1,d2,0\nq1,d3,1\nq2,d4,1\n", NDCG, "nDCG@10", group=TABLES
    ),
    "rows of a ranker without ids": both(
        "valid.csv",
        "qid,label,score\n1,2,0.7\n1,0,0.9\n2,1,0.5\n",
        "valid.csv",
        "qid,label,score\n1,2,0.7\n1,0,0.9\n2,1,0.5\n",
        (1 / math.log2(3) + 1) / 2,
        "nDCG@10",
    ),
    # Question answering and benchmarks
    "LoTTE": judged(
        "qas.jsonl", lines(*({"qid": q, "query": "how?", "answer_pids": d} for q, d in RELEVANT.items())), AP, group=QA
    ),
    "MS MARCO's dev with positives": judged(
        "dev.jsonl",
        lines(
            *(
                {
                    "query_id": q,
                    "query": "who?",
                    "positive_passages": [{"docid": n, "title": "t", "text": "x"} for n in d],
                    "negative_passages": [{"docid": "d9", "title": "t", "text": "x"}],
                }
                for q, d in RELEVANT.items()
            )
        ),
        AP,
        group=QA,
    ),
    "HotpotQA": both(
        "hotpot.json",
        json.dumps(
            [
                {"_id": "a", "supporting_facts": [["Scott", 0], ["Ed Wood", 0]]},
                {"_id": "b", "supporting_facts": [["Kiss", 0], ["Shirley", 1]]},
            ]
        ),
        "retrieved.json",
        json.dumps({"a": ["Ed Wood", "Adam", "Scott"], "b": ["Kiss", "Lord", "Tim"]}),
        (2 / 2 + 1 / 2) / 2,
        "R@3",
        "--qrels-columns query=_id document=supporting_facts grade=",
        group=QA,
    ),
    "SQuAD's ids": judged("gold.json", json.dumps(RELEVANT), AP, group=QA),
    "NQ of DPR": both(
        "dpr.json",
        json.dumps(
            [
                {
                    "question": q,
                    "answers": ["x"],
                    "ctxs": [{"id": n, "score": str(s), "has_answer": n in RELEVANT[q]} for n, s in HITS[q]],
                }
                for q in LISTS
            ]
        ),
        "dpr.json",
        json.dumps(
            [
                {
                    "question": q,
                    "answers": ["x"],
                    "ctxs": [{"id": n, "score": str(s), "has_answer": n in RELEVANT[q]} for n, s in HITS[q]],
                }
                for q in LISTS
            ]
        ),
        RECALL,
        "R@2",
        "--qrels-columns query=question documents=ctxs document=id grade=has_answer --run-columns query=question documents=ctxs document=id score=score",
        group=QA,
    ),
    "ctxs of DPR as a run": ranked(
        "dpr.json",
        json.dumps(
            [{"question": q, "answers": ["x"], "ctxs": [{"id": n, "score": str(s)} for n, s in HITS[q]]} for q in LISTS]
        ),
        NDCG,
        "nDCG@10",
    ),
    "KILT": both(
        "gold.jsonl",
        lines(
            *(
                {
                    "id": q,
                    "input": "?",
                    "output": [{"answer": "a", "provenance": [{"wikipedia_id": n, "title": "A"}]} for n in d],
                }
                for q, d in RELEVANT.items()
            )
        ),
        "guess.jsonl",
        lines(
            *(
                {"id": q, "input": "?", "output": [{"answer": "", "provenance": [{"wikipedia_id": n} for n in d]}]}
                for q, d in LISTS.items()
            )
        ),
        AP,
        "AP",
    ),
    "BioASQ": both(
        "gold.json",
        json.dumps(
            {"questions": [{"id": q, "type": "list", "body": "x?", "documents": d} for q, d in RELEVANT.items()]}
        ),
        "sub.json",
        json.dumps({"questions": [{"id": q, "documents": d} for q, d in LISTS.items()]}),
        AP,
        "AP",
        group=QA,
    ),
    "MTEB's predictions": ranked(
        "predictions.json",
        json.dumps(
            {
                "mteb_model_meta": {"model_name": "m", "revision": "r"},
                "default": {"test": {q: dict(h) for q, h in HITS.items()}},
            }
        ),
        NDCG,
        "nDCG@10",
        group=QA,
    ),
    "qrels of BEIR as a dict": judged("qrels.json", json.dumps(GRADES), NDCG, "nDCG@10", group=QA),
    "results of BEIR as a dict": ranked(
        "results.json", json.dumps({q: dict(h) for q, h in HITS.items()}), NDCG, "nDCG@10", group=QA
    ),
    "JSON lines of pairs": judged(
        "qrels.jsonl",
        lines(*({"query_id": q, "doc_id": n, "grade": g} for q, d in GRADES.items() for n, g in d.items())),
        NDCG,
        "nDCG@10",
        group=QA,
    ),
    "JSON lines of lists": ranked(
        "run.jsonl", lines(*({"query_id": q, "results": d} for q, d in LISTS.items())), NDCG, "nDCG@10"
    ),
    "JSON lines called json": ranked(
        "run.json",
        lines(*({"query": q, "document": n, "score": s} for q, h in HITS.items() for n, s in h)),
        NDCG,
        "nDCG@10",
    ),
    "JSON lines called txt": ranked(
        "run.txt",
        lines(*({"query": q, "document": n, "score": s} for q, h in HITS.items() for n, s in h)),
        NDCG,
        "nDCG@10",
    ),
    "a list of objects": judged(
        "gold.json",
        json.dumps(
            [{"query_id": q, "relevant": [{"doc_id": n, "rating": g} for n, g in d.items()]} for q, d in GRADES.items()]
        ),
        NDCG,
        "nDCG@10",
    ),
    "pairs of id and score": ranked(
        "run.json", json.dumps({q: [list(p) for p in h] for q, h in HITS.items()}), NDCG, "nDCG@10"
    ),
    "LegalBench-RAG's snippets": judged(
        "tests.json",
        json.dumps(
            {
                "tests": [
                    {"query": q, "snippets": [{"file_path": n, "span": [0, 9]} for n in d]} for q, d in RELEVANT.items()
                ]
            }
        ),
        REFUSED,
    ),
    "LlamaIndex' data set": judged(
        "dataset.json",
        json.dumps(
            {"queries": dict.fromkeys(LISTS, "what?"), "corpus": {"d1": "x"}, "relevant_docs": RELEVANT, "mode": "text"}
        ),
        AP,
        group=RAG,
    ),
    # RAG frameworks
    "Haystack's documents": ranked(
        "run.json",
        json.dumps(
            {
                q: {"documents": [{"id": n, "content": "x", "meta": {}, "score": s} for n, s in h]}
                for q, h in HITS.items()
            }
        ),
        NDCG,
        "nDCG@10",
        group=RAG,
    ),
    "LangChain's documents with ids": ranked(
        "run.json",
        json.dumps(
            {
                q: [{"id": n, "metadata": {"page": 1}, "page_content": "x", "type": "Document"} for n, _ in h]
                for q, h in HITS.items()
            }
        ),
        NDCG,
        "nDCG@10",
        group=RAG,
    ),
    "LangChain's documents with a source": ranked(
        "run.json",
        json.dumps(
            {q: [{"id": None, "metadata": {"source": n}, "page_content": "x"} for n, _ in h] for q, h in HITS.items()}
        ),
        NDCG,
        "nDCG@10",
    ),
    "nodes of LlamaIndex": ranked(
        "run.json",
        json.dumps(
            {
                q: [
                    {"node": {"id_": f"n-{i}", "metadata": {"doc_id": n}, "text": "x"}, "score": s}
                    for i, (n, s) in enumerate(h)
                ]
                for q, h in HITS.items()
            }
        ),
        NDCG,
        "nDCG@10",
    ),
    "Ragas' ids": both(
        "rows.jsonl",
        lines(
            *({"user_input": q, "retrieved_context_ids": LISTS[q], "reference_context_ids": RELEVANT[q]} for q in LISTS)
        ),
        "rows.jsonl",
        lines(
            *({"user_input": q, "retrieved_context_ids": LISTS[q], "reference_context_ids": RELEVANT[q]} for q in LISTS)
        ),
        AP,
        "AP",
        "--qrels-columns query=user_input document=reference_context_ids --run-columns query=user_input document=retrieved_context_ids",
        group=RAG,
    ),
    "verdicts inside hits": both(
        "hits.jsonl",
        lines(
            *({"question": q, "retrieved": [{"id": n, "relevant": n in RELEVANT[q]} for n in LISTS[q]]} for q in LISTS)
        ),
        "hits.jsonl",
        lines(
            *({"question": q, "retrieved": [{"id": n, "relevant": n in RELEVANT[q]} for n in LISTS[q]]} for q in LISTS)
        ),
        (1 / 2 + 1 / 2) / 2,
        "P@2",
        "--qrels-columns query=question documents=retrieved document=id grade=relevant --run-columns query=question documents=retrieved document=id",
        group=RAG,
    ),
    # Engines
    **{
        f"responses of {kind.capitalize()}": ranked("responses.json", responses(kind), NDCG, "nDCG@10", group=ENGINES)
        for kind in ("elasticsearch", "solr", "algolia", "qdrant", "pinecone", "typesense", "meilisearch")
    },
    "responses of Weaviate": ranked("responses.json", responses("weaviate"), NDCG, "nDCG@10"),
    "responses of Vespa": ranked(
        "responses.json",
        responses("vespa"),
        NDCG,
        "nDCG@10",
        qrels=QRELS.replace(" 0 d", " 0 id:n:d::d"),
        group=ENGINES,
    ),
    "an unknown engine": ranked(
        "responses.json",
        json.dumps({q: {"stuff": [{"uid": n, "sim": s} for n, s in h]} for q, h in HITS.items()}),
        NDCG,
        "nDCG@10",
        answers={"document=PATH": "document=uid score=sim"},
    ),
    "a line for each response": ranked(
        "responses.jsonl", lines(*({"query": q, **response(q, "elasticsearch")} for q in LISTS)), NDCG, "nDCG@10"
    ),
    "rows of pgvector": ranked(
        "out.csv",
        header("query_id id distance", "q1 d2 0.1\nq1 d1 0.2\nq1 d3 0.3\nq2 d1 0.5\nq2 d4 0.6\n"),
        NDCG,
        "nDCG@10",
        group=ENGINES,
    ),
    "ratings of Rated Ranking Evaluator": judged(
        "ratings.json",
        json.dumps(
            {
                "index": "p",
                "topics": [
                    {
                        "description": "t",
                        "query_groups": [
                            {
                                "name": f"group of {query}",
                                "queries": [{"placeholders": {"$query": query}}],
                                "relevant_documents": documents,
                            }
                            for query, documents in (("q1", {"2": ["d1"], "1": ["d3"]}), ("q2", {"1": ["d4"]}))
                        ],
                    }
                ],
            }
        ),
        NDCG,
        "nDCG@10",
        group=ENGINES,
    ),
    "ratings of _rank_eval": judged(
        "requests.json",
        json.dumps(
            {
                "requests": [
                    {"id": q, "request": {}, "ratings": [{"_index": "i", "_id": n, "rating": g} for n, g in d.items()]}
                    for q, d in GRADES.items()
                ]
            }
        ),
        NDCG,
        "nDCG@10",
    ),
    # Recommenders and competitions
    "u.data of MovieLens": judged(
        "u.data",
        "".join(
            f"{u}\t{i}\t{g}\t8812509{u}{i}\n"
            for u, d in {1: {11: 5, 12: 1, 13: 3}, 2: {14: 4}}.items()
            for i, g in d.items()
        ),
        ((5 / math.log2(3) + 3 / 2 + 1) / (5 + 3 / math.log2(3) + 1 / 2) + 1 / math.log2(3)) / 2,
        "nDCG@10",
        run="1 Q0 12 1 9 t\n1 Q0 11 2 8 t\n1 Q0 13 3 7 t\n2 Q0 11 1 5 t\n2 Q0 14 2 4 t\n",
        group=RECS,
    ),
    "ratings.dat of MovieLens": judged(
        "ratings.dat",
        "1::11::5::978300760\n1::12::1::978302109\n1::13::3::978301968\n2::14::4::978300275\n",
        ((5 / math.log2(3) + 3 / 2 + 1) / (5 + 3 / math.log2(3) + 1 / 2) + 1 / math.log2(3)) / 2,
        "nDCG@10",
        run="1 Q0 12 1 9 t\n1 Q0 11 2 8 t\n1 Q0 13 3 7 t\n2 Q0 11 1 5 t\n2 Q0 14 2 4 t\n",
    ),
    "ratings.csv of MovieLens": judged(
        "ratings.csv",
        header(
            "userId movieId rating timestamp",
            "1 11 5 978300760\n1 12 1 978302109\n1 13 3 978301968\n2 14 4 978300275\n",
        ),
        ((5 / math.log2(3) + 3 / 2 + 1) / (5 + 3 / math.log2(3) + 1 / 2) + 1 / math.log2(3)) / 2,
        "nDCG@10",
        run="1 Q0 12 1 9 t\n1 Q0 11 2 8 t\n1 Q0 13 3 7 t\n2 Q0 11 1 5 t\n2 Q0 14 2 4 t\n",
        group=RECS,
    ),
    "LightGCN": both(
        "test.txt",
        "0 10 11 12\n1 13 14 15\n",
        "top5.txt",
        "0 12 11 10 98 97\n1 15 14 99 96 95\n",
        (3 / 3 + 2 / 3) / 2,
        "R@5",
        group=RECS,
    ),
    "LightGCN, lines of any length": both(
        "test.txt", "0 10 11 12\n1 13\n", "top3.txt", "0 12 11 98\n1 15 14 99\n", (2 / 3 + 0 / 1) / 2, "R@3"
    ),
    "LightGCN with ids that are texts": both(
        "test.txt", "u1 a b c\nu2 d e f\n", "top3.txt", "u1 c x a\nu2 y\n", (2 / 3 + 0 / 1) / 2, "R@3"
    ),
    "playlists and tracks": both(
        "gold.csv",
        "7, track:1, track:2\n8, track:3\n",
        "found.csv",
        "7, track:2, track:9, track:1\n8, track:5, track:3\n",
        (1 / 1 + 1 / 2) / 2,
        "RR",
        group=RECS,
    ),
    "a query of several words is no list": judged(
        "queries.txt", "q1 red hat of wool\nq2 hat\n", REFUSED, untrue=("if each line is a query with its documents",)
    ),
    "RecBole's atomic files": judged(
        "test.inter",
        "user_id:token\titem_id:token\trating:float\n1\t11\t2\n1\t12\t0\n1\t13\t1\n2\t14\t1\n",
        NDCG,
        "nDCG@10",
        run="1 Q0 12 1 9 t\n1 Q0 11 2 8 t\n1 Q0 13 3 7 t\n2 Q0 11 1 5 t\n2 Q0 14 2 4 t\n",
    ),
    "user and item": judged("test.csv", header("user item", "q1 d1\nq1 d3\nq2 d4\n"), AP, group=RECS),
    "user and item without a header": judged("test.csv", "q1,d1\nq1,d3\nq2,d4\n", AP),
    "user and item without a header, tabs": judged("test.tsv", "q1\td1\nq1\td3\nq2\td4\n", AP),
    "H&M's submission": ranked(
        "submission.csv", "customer_id,prediction\nq1,d2 d1 d3 d5\nq2,d1 d4\n", AP, "AP", group=RECS
    ),
    "Instacart's submission": ranked("submission.csv", "order_id,products\nq1,d2 d1 d3 d5\nq2,d1 d4\n", AP),
    "Airbnb's submission": both(
        "gt.csv",
        "id,country_destination\nu1,US\nu2,US\n",
        "sub.csv",
        "id,country\nu1,NDF\nu1,US\nu1,FR\nu2,US\nu2,NDF\n",
        (1 / math.log2(3) + 1) / 2,
        "nDCG@5",
        answers={"document=NAME": "document=country"},
    ),
    "OTTO's submission": ranked(
        "submission.csv",
        "session_type,labels\nq1,d2 d1 d3 d5\nq2,d1 d4\n",
        AP,
        answers={"query=NAME": "query=session_type"},
    ),
    "OTTO's labels": judged(
        "labels.jsonl",
        lines(*({"session": q, "labels": {"clicks": 1, "orders": d}} for q, d in RELEVANT.items())),
        REFUSED,
    ),
    "Expedia's rows": judged(
        "test.csv",
        header("srch_id prop_id relevance", GRADED),
        NDCG,
        "nDCG@10",
        answers={"query=NAME": "query=srch_id", "document=NAME": "document=prop_id", "grade=NAME": "grade=relevance"},
    ),
    "Spotify's playlists": ranked("sub.csv", "pid,track1,track2,track3\nq1,d2,d1,d3\nq2,d1,d4,d9\n", AP),
    "rows of recommendations": ranked(
        "recs.csv",
        header("user item rank", "q1 d2 1\nq1 d1 2\nq1 d3 3\nq2 d1 1\nq2 d4 2\n"),
        NDCG,
        "nDCG@10",
        group=RECS,
    ),
    # Rankers, graphs, news, neighbours
    "lines of SVMlight beside scores": both(
        "test.svm",
        "2 qid:1 1:0.3\n0 qid:1 1:0.2\n1 qid:2 1:0.9\n",
        "scores.txt",
        "0.7\n0.9\n0.5\n",
        (1 / math.log2(3) + 1) / 2,
        "nDCG@10",
        group=OTHERS,
    ),
    "triples of FB15k": both(
        "test.txt",
        "x1\tr2\tb9\nx1\tr3\tc9\n",
        "scores.tsv",
        "x1\tr2\tb9\t0.9\nx1\tr2\tc9\t0.5\nx1\tr3\tz9\t0.9\nx1\tr3\tc9\t0.5\n",
        (1 + 1 / 2) / 2,
        "RR",
        "--qrels-format tsv --qrels-columns query=1,2 document=3 grade= --run-format tsv --run-columns query=1,2 document=3 score=4",
        group=OTHERS,
    ),
    "triples with a header": both(
        "test.tsv",
        "head\trelation\ttail\na\tr\tb\na\ts\tc\n",
        "scores.csv",
        "head,relation,tail,score\na,r,b,0.9\na,r,c,0.8\na,s,b,0.7\na,s,c,0.1\n",
        (1 + 1 / 2) / 2,
        "RR",
        "--columns query=head,relation document=tail --qrels-columns grade=",
        group=OTHERS,
    ),
    "impressions of MIND": both(
        "truth.txt", "1 [0,1,0]\n2 [1,0,0,1]\n", "prediction.txt", "1 [2,1,3]\n2 [2,1,4,3]\n", 0.75, "AUC"
    ),
    "exact neighbours of rally": Shape(
        {
            "exact.jsonl": lines(
                {"query_id": "q1", "ids": [["d1", 0.9], ["d2", 0.8]]},
                {"query_id": "q2", "ids": [["d3", 0.7], ["d4", 0.6]]},
            ),
            "found.json": json.dumps({"q1": ["d2", "d9"], "q2": ["d3", "d4"]}),
        },
        "evaluate exact.jsonl found.json --exact -m R@2",
        (1 / 2 + 2 / 2) / 2,
        group=OTHERS,
        file="exact.jsonl",
    ),
    "law cases of COLIEE": both(
        "gold.json",
        json.dumps({"001.txt": ["002.txt", "003.txt", "008.txt"], "004.txt": ["005.txt"]}),
        "pred.json",
        json.dumps({"001.txt": ["002.txt", "003.txt"], "004.txt": ["006.txt", "005.txt"]}),
        (2 / 2 + 1 / 2) / 2,
        "P",
        group=OTHERS,
    ),
    "a list for one query": ranked("run.json", json.dumps(["d2", "d1"]), REFUSED),
    "nothing at all": ranked("r.run", "", REFUSED),
    "a picture": ranked("r.run", "\x89PNG\x00\x00", REFUSED),
    "a page of HTML": ranked("r.html", "<html><body>404</body></html>\n", REFUSED),
}
