"""Shapes of files of trades beyond those of `shapes`: the kinds of tables that public reports paste.

Each is written down as there, in one line where that is enough.
"""

import csv
import json
import math
from collections.abc import Callable
from io import StringIO
from typing import Any, Final

from shapes import (
    AP,
    ENGINES,
    GRADED,
    GRADES,
    HITS,
    LISTS,
    NDCG,
    OTHERS,
    QA,
    QRELS,
    RAG,
    RECS,
    REFUSED,
    RELEVANT,
    RUN,
    SCORED,
    TABLES,
    TREC_GROUP,
    Shape,
    both,
    header,
    judged,
    lines,
    ranked,
    table,
)

RANKS: Final = "q1 d2 1\nq1 d1 2\nq1 d3 3\nq1 d5 4\nq2 d1 1\nq2 d4 2\n"
PAIRS: Final = "q1 d1\nq1 d3\nq2 d4\n"


def graded(*names: str, separator: str = ",", first: str = "", more: str = "") -> str:
    """Judgements in a table, perhaps with a column before them and one behind."""
    rows = [row.split() for row in GRADED.splitlines()]
    cells = [[*([str(number)] if first else []), *row, *([more] if more else [])] for number, row in enumerate(rows)]
    return "".join(separator.join(row) + "\n" for row in [[*names], *cells])


def by_query(name: str, documents: str, of: Any = RELEVANT, **more: Any) -> str:
    """An object for each query, with its documents in a list."""
    return lines(*({name: query, **more, documents: each} for query, each in of.items()))


def records(name: str, of: str, document: str, grade: str = "", **more: Any) -> list[dict[str, Any]]:
    """An object for each query, with records of documents."""
    return [
        {
            name: query,
            of: [{document: each, **({grade: value} if grade else {}), **more} for each, value in row.items()],
        }
        for query, row in GRADES.items()
    ]


def answers(path: str, document: str, score: str = "", **more: Any) -> str:
    """What an engine answers, by query: hits at a path of keys."""
    outer, _, inner = path.rpartition(".")
    made = {}
    for query, hits in HITS.items():
        found: Any = [{document: name, **({score: value} if score else {}), **more} for name, value in hits]
        made[query] = {outer: {inner: found}} if outer else {inner: found}
    return json.dumps(made)


def traced(name: str, written: Callable[[list[str]], str], **more: Any) -> Shape:
    """A table of questions with references and retrieved ids: judgements and a run in the same rows."""
    text = StringIO()
    table = csv.writer(text, lineterminator="\n")
    table.writerow(["question", "reference_ids", "retrieved_ids"])
    table.writerows([query, written(row), written(LISTS[query])] for query, row in RELEVANT.items())
    return Shape({name: text.getvalue()}, f"evaluate {name} -m AP", AP, file=name, **more)


MORE: Final[dict[str, Shape]] = {
    "parts of one run": Shape(
        {"q.txt": QRELS, "part-0": "".join(RUN.splitlines(True)[:4]), "part-1": "".join(RUN.splitlines(True)[4:])},
        "evaluate q.txt 'part-*' -m AP",
        AP,
        group=TREC_GROUP,
        file="part-0",
    ),
    "subjects of Annif, a file for each text": Shape(
        {
            "gold-q1.tsv": "<u:d1>\tred\n<u:d3>\tblue\n",
            "gold-q2.tsv": "<u:d4>\tgreen\n",
            "gold-q1.annif": "<u:d2>\tblack\t0.9\n<u:d1>\tred\t0.8\n<u:d3>\tblue\t0.7\n",
            "gold-q2.annif": "<u:d1>\tred\t0.9\n<u:d4>\tgreen\t0.5\n",
        },
        "evaluate 'gold-*.tsv' 'gold-*.annif' -m AP",
        AP,
        untrue=("if this is a table without a header", "if each row is a query all the same"),
        group=QA,
        file="gold-q1.annif",
    ),
    "a document in each line, a file for each query": Shape(
        {"q1.key": "red hat\nblue\n", "q2.key": "green\n", "q1.txt": "black\nred hat\nblue\n", "q2.txt": "green\n"},
        "evaluate '*.key' '*.txt' -m RR",
        (1 / 2 + 1) / 2,
        untrue=("if this is a table without a header", "if each line is a query with its documents"),
    ),
    "a bare list of ids for each query": Shape(
        {"q.txt": QRELS, "q1.json": '["d2", "d1", "d3", "d5"]', "q2.json": '["d1", "d4"]'},
        "evaluate q.txt '*.json' -m AP",
        AP,
        group=ENGINES,
        file="q1.json",
    ),
    "a bare list of hits for each query": Shape(
        {
            "q.txt": QRELS,
            "q1.json": '[{"id": "d2", "score": 9.5}, {"id": "d1", "score": 8.5}, {"id": "d3", "score": 7.5}]',
            "q2.json": '[{"id": "d1", "score": 9.5}, {"id": "d4", "score": 8.5}]',
        },
        "evaluate q.txt '*.json' -m nDCG@10",
        NDCG,
    ),
    "pairs of each query": Shape(
        {
            "q.txt": QRELS,
            "q1.json": '[["d2", 9.5], ["d1", 8.5], ["d3", 7.5]]',
            "q2.json": '[["d1", 9.5], ["d4", 8.5]]',
        },
        "evaluate q.txt '*.json' -m nDCG@10",
        NDCG,
    ),
    "scores by document, a file for each query": Shape(
        {"q.txt": QRELS, "q1.json": '{"d1": 8.5, "d2": 9.5, "d3": 7.5}', "q2.json": '{"d4": 8.5, "d1": 9.5}'},
        "evaluate q.txt '*.json' -m nDCG@10",
        NDCG,
    ),
    "gold and found lists, a file for each query": Shape(
        {
            "q1.gold": '["d1", "d3"]\n',
            "q2.gold": '["d4"]\n',
            "q1.json": '["d2", "d1", "d3"]\n',
            "q2.json": '["d1", "d4"]\n',
        },
        "evaluate '*.gold' '*.json' -m AP",
        AP,
    ),
    "hits under a key, a file for each query": Shape(
        {
            "q.txt": QRELS,
            "q1.json": '{"hits_of": [{"id": "d2"}, {"id": "d1"}, {"id": "d3"}], "took": 3}',
            "q2.json": '{"hits_of": [{"id": "d1"}, {"id": "d4"}], "took": 2}',
        },
        "evaluate q.txt '*.json' -m AP",
        AP,
    ),
    # TREC and the tools around it
    "judgements with tabs": judged("qrels.txt", QRELS.replace(" ", "\t"), NDCG, "nDCG@10"),
    "a run with tabs": ranked("bm25.txt", RUN.replace(" ", "\t"), NDCG, "nDCG@10"),
    "a run with scores in powers": ranked("bm25.run", RUN.replace(".5 t", ".5e+00 t"), NDCG, "nDCG@10"),
    "levels of NTCIR": judged(
        "ntcir.qrels", "q1 d1 L2\nq1 d2 L0\nq1 d3 L1\nq2 d4 L1\n", NDCG, "nDCG@10", group=TREC_GROUP
    ),
    "levels in TREC's lines": judged(
        "ntcir.qrels", "q1 0 d1 L2\nq1 0 d2 L0\nq1 0 d3 L1\nq2 0 d4 L1\n", NDCG, "nDCG@10"
    ),
    "an export of ir_datasets": judged(
        "qrels.tsv", graded("query_id", "doc_id", "relevance", "iteration", separator="\t", more="0"), NDCG, "nDCG@10"
    ),
    "results of PyTerrier": ranked(
        "results.csv",
        "qid,docid,docno,rank,score,query\nq1,7,d2,0,9.5,red hat\nq1,8,d1,1,8.5,red hat\nq1,9,d3,2,7.5,red hat\n"
        "q2,8,d1,0,5.5,hat\nq2,1,d4,1,4.5,hat\n",
        NDCG,
        "nDCG@10",
        group=TREC_GROUP,
    ),
    "judgements of PyTerrier": judged(
        "qrels.csv", graded("qid", "docno", "label", "iteration", more="Q0"), NDCG, "nDCG@10"
    ),
    "judgements of CACM": judged("qrels.text", "01 1410 0 0\n01 1572 0 0\n02 2434 0 0\n02 2863 0 0\n", REFUSED, "AP"),
    "a run of ARQMath": ranked(
        "arqmath.tsv",
        table("q1 d2 1 9.5 r0\nq1 d1 2 8.5 r0\nq1 d3 3 7.5 r0\nq2 d1 1 5.5 r0\nq2 d4 2 4.5 r0\n"),
        NDCG,
        "nDCG@10",
        answers={"NUMBER": "4"},
    ),
    "a run of ARQMath with a header": ranked(
        "arqmath.tsv",
        header(
            "Topic_Id Post_Id Rank Score Run_Number",
            "q1 d2 1 9.5 r0\nq1 d1 2 8.5 r0\nq1 d3 3 7.5 r0\nq2 d1 1 5.5 r0\nq2 d4 2 4.5 r0\n",
            "\t",
        ),
        NDCG,
        "nDCG@10",
        answers={"document=NAME": "document=Post_Id"},
    ),
    "answers of SemEval": judged(
        "gold.relevancy",
        table("q1 d1 1 0.9 true\nq1 d2 2 0.8 false\nq1 d3 3 0.7 true\nq2 d4 1 0.6 true\n"),
        AP,
        answers={"NUMBER": "5"},
    ),
    "judgements of a track with a confidence": judged(
        "sparse.qrels", "q1 0 d1 2 1.0\nq1 0 d2 0 1.0\nq1 0 d3 1 1.0\nq2 0 d4 1 1.0\n", NDCG, "nDCG@10"
    ),
    "ids with blanks in TREC's lines": judged("qrels.txt", QRELS.replace("q1 ", "red hat "), REFUSED),
    "a run of ranks from 0": ranked(
        "r.run",
        "q1 Q0 d2 0 9.5 t\nq1 Q0 d1 1 8.5 t\nq1 Q0 d3 2 7.5 t\nq2 Q0 d1 0 5 t\nq2 Q0 d4 1 4 t\n",
        NDCG,
        "nDCG@10",
    ),
    "blocks of documents below a query": judged("rlv-ass", "1\nd1 d3\n/\n2\nd4\n/\n", REFUSED),
    # Tables
    "names in capitals": judged("gold.csv", graded("QUERY_ID", "DOC_ID", "RELEVANCE"), NDCG, "nDCG@10"),
    "names of a spreadsheet": judged("gold.csv", graded("Query", "Doc ID", "Rating"), NDCG, "nDCG@10", group=TABLES),
    "addresses as documents": judged(
        "gold.csv",
        graded("Query", "Url", "Relevance"),
        NDCG,
        "nDCG@10",
        answers={"document=NAME": "document=Url"},
        group=TABLES,
    ),
    "a table of Excel": judged(
        "gold.csv", "\ufeff" + graded("query", "document", "grade", separator=";"), NDCG, "nDCG@10"
    ),
    "a table with all cells in quotes": judged(
        "gold.csv",
        "".join(
            ",".join(f'"{cell}"' for cell in row.split(",")) + "\n"
            for row in graded("query", "document", "grade").splitlines()
        ),
        NDCG,
        "nDCG@10",
    ),
    "a table with lines of Windows": judged(
        "gold.csv", graded("query", "document", "grade").replace("\n", "\r\n"), NDCG, "nDCG@10"
    ),
    "a table with bars": judged("gold.txt", graded("query", "document", "grade", separator="|"), NDCG, "nDCG@10"),
    "a table with an id for each row": judged(
        "gold.csv", graded("id", "query", "document", "grade", first="0"), NDCG, "nDCG@10"
    ),
    "a column of relevance in words beside notes": judged(
        "gold.csv",
        "query,document,relevant,notes\nq1,d1,yes,a\nq1,d2,no,b\nq1,d3,yes,c\nq2,d4,yes,a\n",
        AP,
        group=TABLES,
    ),
    "truth values beside a title": judged(
        "gold.csv",
        "query,document,relevant,title\nq1,d1,True,red\nq1,d2,False,blue\nq1,d3,True,red\nq2,d4,True,red\n",
        AP,
    ),
    "a verdict of a judge beside a score": judged(
        "gold.csv",
        "query,document,verdict,confidence\nq1,d1,relevant,0.9\nq1,d2,not relevant,0.8\nq1,d3,relevant,0.7\n"
        "q2,d4,relevant,0.6\n",
        AP,
        answers={"grade=NAME": "grade=verdict"},
    ),
    "names with digits": both(
        "gold.csv",
        "query1,item2\nq1,d1\nq1,d3\nq2,d4\n",
        "a.run",
        RUN,
        AP,
        "AP",
        "--qrels-format csv --qrels-columns query=1 document=2",
    ),
    "Home Depot's training data": judged(
        "train.csv",
        "id,product_uid,search_term,relevance\n1,d1,q1,3\n2,d2,q1,1\n3,d3,q1,2.67\n4,d4,q2,2.33\n",
        ((3 / math.log2(3) + 1 + 2.67 / 2) / (3 + 2.67 / math.log2(3) + 1 / 2) + 1 / math.log2(3)) / 2,
        "nDCG@10",
        answers={"document=NAME": "document=product_uid"},
    ),
    "annotations of CodeSearchNet": judged(
        "annotationStore.csv",
        "Language,Query,GitHubUrl,Relevance,Notes\nPython,q1,d1,2,\nPython,q1,d2,0,\nGo,q1,d3,1,\nGo,q2,d4,1,ok\n",
        NDCG,
        "nDCG@10",
        answers={"document=NAME": "document=GitHubUrl"},
    ),
    "labels of WANDS with tabs": judged(
        "label.csv",
        "id\tquery_id\tproduct_id\tlabel\n0\tq1\td1\tExact\n1\tq1\td2\tIrrelevant\n2\tq1\td3\tPartial\n3\tq2\td4\tPartial\n",
        NDCG,
        "nDCG@10",
    ),
    "results side by side": ranked(
        "sheet.csv", "Query,Result 1,Result 2,Result 3\nq1,d2,d1,d3\nq2,d1,d4,d9\n", AP, group=TABLES
    ),
    "a run of ranks and scores": ranked(
        "run.csv",
        header("query document rank score", "q1 d2 1 9.5\nq1 d1 2 8.5\nq1 d3 3 7.5\nq2 d1 1 5.5\nq2 d4 2 4.5\n"),
        NDCG,
        "nDCG@10",
    ),
    "a table of similarities": ranked(
        "run.csv",
        header("query document similarity", SCORED),
        NDCG,
        "nDCG@10",
        answers={"score=NAME": "score=similarity"},
        untrue=("if its rows are in rank order",),
    ),
    "a table of two text columns for the query": both(
        "gold.csv",
        "locale,query,document,grade\nus,q,d1,2\nus,q,d2,0\nde,q,d1,1\n",
        "run.csv",
        "locale,query,document,score\nus,q,d2,2.5\nus,q,d1,1.5\nde,q,d1,0.5\n",
        (1 / 2 + 1) / 2,
        "RR",
        "--columns query=locale,query",
        group=TABLES,
    ),
    # Question answering and benchmarks
    "BRIGHT": judged("bright.jsonl", by_query("id", "gold_ids", query="why?"), AP, answers={"query=NAME": "query=id"}),
    "SciFact's claims": judged(
        "claims.jsonl",
        by_query("id", "cited_doc_ids", claim="x is y"),
        AP,
        answers={"query=NAME": "query=id", "document=NAME": "document=cited_doc_ids"},
    ),
    "MuSiQue": both(
        "musique.jsonl",
        lines(
            *(
                {
                    "id": query,
                    "question": "who?",
                    "paragraphs": [
                        {"idx": number, "title": "t", "is_supporting": number in good} for number in range(3)
                    ],
                }
                for query, good in (("a", (0, 2)), ("b", (1,)))
            )
        ),
        "run.json",
        json.dumps({"a": ["0", "1", "2"], "b": ["2", "1"]}),
        (1 + 1 / 2) / 2,
        "RR",
        "--qrels-columns query=id documents=paragraphs document=idx grade=is_supporting",
        group=QA,
    ),
    "MultiHop-RAG's evidence": judged(
        "evidence.json",
        json.dumps(
            [
                {"query": query, "answer": "x", "evidence_list": [{"url": each, "fact": "f"} for each in row]}
                for query, row in RELEVANT.items()
            ]
        ),
        AP,
        options="--qrels-columns document=evidence_list.url",
        group=QA,
    ),
    "a submission of HotpotQA": both(
        "gold.json",
        json.dumps({"a": ["Scott", "Ed Wood"], "b": ["Kiss"]}),
        "pred.json",
        json.dumps({"answer": {"a": "yes", "b": "no"}, "sp": {"a": ["Ed Wood", "Adam"], "b": ["Lord", "Kiss"]}}),
        (1 + 1 / 2) / 2,
        "RR",
    ),
    "sessions of LongMemEval": judged(
        "longmemeval.json",
        json.dumps([{"question_id": q, "question": "?", "answer_session_ids": d} for q, d in RELEVANT.items()]),
        AP,
        answers={"document=NAME": "document=answer_session_ids"},
    ),
    "a log of LongMemEval": ranked(
        "log.jsonl",
        lines(
            *(
                {"question_id": q, "retrieval_results": {"ranked_items": [{"corpus_id": n} for n in row]}}
                for q, row in LISTS.items()
            )
        ),
        AP,
    ),
    "AutoRAG's table": judged(
        "qa.jsonl", lines(*({"qid": q, "retrieval_gt": d, "query": "?"} for q, d in RELEVANT.items())), AP
    ),
    "judgements of BEIR without a header": judged("test.tsv", table(GRADED), NDCG, "nDCG@10"),
    "JSON lines of documents with grades": judged(
        "gold.jsonl", lines(*records("query", "documents", "id", "relevance")), NDCG, "nDCG@10", group=QA
    ),
    "JSON lines with a truth value in each document": judged(
        "gold.jsonl",
        lines(
            *(
                {"query": q, "documents": [{"id": n, "relevant": bool(g)} for n, g in row.items()]}
                for q, row in GRADES.items()
            )
        ),
        AP,
    ),
    "one object below a key": judged(
        "gold.json", json.dumps({"data": records("qid", "docs", "doc_id", "grade")}), NDCG, "nDCG@10"
    ),
    "judgements below a version": judged(
        "gold.json", json.dumps({"version": "1.0", "data": records("qid", "docs", "doc_id", "grade")}), NDCG, "nDCG@10"
    ),
    "results under a name of the system": ranked("results.json", json.dumps({"system": "bm25", "results": LISTS}), AP),
    "numbers as queries": both(
        "gold.json",
        json.dumps({"1": ["a"], "2": ["b"]}),
        "run.json",
        json.dumps({"1": ["a", "b"], "2": ["a", "b"]}),
        (1 + 1 / 2) / 2,
        "RR",
    ),
    # RAG frameworks
    "OpenSearch's judgement lists": judged(
        "judgments.json",
        json.dumps(
            {
                "judgmentRatings": [
                    {"query": q, "ratings": [{"docId": n, "rating": str(g)} for n, g in row.items()]}
                    for q, row in GRADES.items()
                ]
            }
        ),
        NDCG,
        "nDCG@10",
        group=ENGINES,
    ),
    "the judgement file of Elasticsearch's learning to rank": judged(
        "judgments.txt", "2 qid:1 # d1 red\n0 qid:1 # d2 blue\n1 qid:1 # d3 red\n1 qid:2 # d4 red\n", REFUSED
    ),
    "contexts of DeepEval": ranked(
        "cases.jsonl",
        by_query("input", "retrieval_context", LISTS),
        AP,
        answers={"query=NAME": "query=input", "document=NAME": "document=retrieval_context"},
    ),
    "sources of an answer": ranked(
        "answers.jsonl",
        lines(*({"question": q, "answer": "x", "sources": [{"doc_id": n} for n in d]} for q, d in LISTS.items())),
        AP,
        group=RAG,
    ),
    "sources of an answer by address": ranked(
        "answers.jsonl",
        lines(*({"question": q, "answer": "x", "citations": [{"url": n} for n in d]} for q, d in LISTS.items())),
        AP,
    ),
    "chunks in metadata": ranked(
        "retrieved.jsonl",
        lines(
            *(
                {"question": q, "documents": [{"page_content": "x", "metadata": {"doc_id": n}} for n in d]}
                for q, d in LISTS.items()
            )
        ),
        AP,
        group=RAG,
    ),
    # Engines
    "hits of Marqo": ranked("answers.json", answers("hits", "_id", "_score"), NDCG, "nDCG@10", group=ENGINES),
    "results of Azure's search": ranked(
        "answers.json", answers("value", "id", "@search.score"), NDCG, "nDCG@10", group=ENGINES
    ),
    "results of Coveo": ranked("answers.json", answers("results", "uri", "score"), NDCG, "nDCG@10"),
    "pages of a web search": ranked("answers.json", answers("webPages.value", "url"), NDCG, "nDCG@10"),
    "links of a web search": ranked(
        "answers.json", answers("items", "link"), NDCG, "nDCG@10", answers={"document=PATH": "document=link"}
    ),
    "papers of a search": ranked("answers.json", answers("data", "paperId"), NDCG, "nDCG@10"),
    "results of Tavily": ranked("answers.json", answers("results", "url", "score"), NDCG, "nDCG@10"),
    "results of a reranker": ranked(
        "answers.json", answers("results", "id", "relevance_score"), NDCG, "nDCG@10", group=ENGINES
    ),
    "matches of a vector store": ranked("answers.json", answers("matches", "id", "similarity"), NDCG, "nDCG@10"),
    "Chroma": ranked(
        "chroma.json",
        json.dumps({"ids": [*LISTS.values()], "distances": [[0.1, 0.2, 0.3, 0.4], [0.1, 0.2]]}),
        REFUSED,
    ),
    "a log of queries and hits": ranked(
        "log.jsonl",
        lines(*({"query": q, "hits": [{"id": n, "score": s} for n, s in h]} for q, h in HITS.items())),
        NDCG,
        "nDCG@10",
    ),
    "rows of a database in JSON": ranked(
        "rows.json",
        json.dumps([{"query_id": q, "document_id": n, "score": s} for q, h in HITS.items() for n, s in h]),
        NDCG,
        "nDCG@10",
        group=ENGINES,
    ),
    # Recommenders and competitions
    "Amazon's ratings without a header": judged(
        "ratings_Books.csv",
        "A1,11,2.0,1363392000\nA1,12,0.0,1363392001\nA1,13,1.0,1363392002\nA2,14,1.0,1363392003\n",
        NDCG,
        "nDCG@10",
        run="A1 Q0 12 1 9 t\nA1 Q0 11 2 8 t\nA1 Q0 13 3 7 t\nA2 Q0 11 1 5 t\nA2 Q0 14 2 4 t\n",
        group=RECS,
    ),
    "reviews of Yelp": judged(
        "review.jsonl",
        lines(
            *(
                {"review_id": f"r{q}{n}", "user_id": q, "business_id": n, "stars": g, "useful": 0}
                for q, row in GRADES.items()
                for n, g in row.items()
            )
        ),
        NDCG,
        "nDCG@10",
        answers={"document=NAME": "document=business_id", "grade=NAME": "grade=stars"},
    ),
    "Goodreads": judged(
        "interactions.csv",
        graded("user_id", "book_id", "rating"),
        NDCG,
        "nDCG@10",
        answers={"document=NAME": "document=book_id"},
    ),
    "Book-Crossing": judged(
        "BX-Book-Ratings.csv",
        '"User-ID";"isbn";"Book-Rating"\n"q1";"d1";"2"\n"q1";"d2";"0"\n"q1";"d3";"1"\n"q2";"d4";"1"\n',
        NDCG,
        "nDCG@10",
        answers={
            "query=NAME": "query=User-ID",
            "document=NAME": "document=isbn",
            "grade=NAME": "grade=Book-Rating",
        },
        group=RECS,
    ),
    "plays of Last.fm": judged(
        "plays.tsv",
        header("user_id artist_id plays", GRADED, "\t"),
        NDCG,
        "nDCG@10",
        answers={"document=NAME": "document=artist_id", "grade=NAME": "grade=plays"},
    ),
    "predictions of Surprise": ranked(
        "predictions.csv",
        header("uid iid r_ui est", "q1 d2 3 9.5\nq1 d1 4 8.5\nq1 d3 2 7.5\nq1 d5 1 6.5\nq2 d1 5 5.5\nq2 d4 3 4.5\n"),
        NDCG,
        "nDCG@10",
        answers={"query=NAME": "query=uid", "document=NAME": "document=iid", "score=NAME": "score=est"},
    ),
    "recommendations of LensKit": ranked(
        "recs.csv",
        "item_id,score,user_id,rank\nd2,9.5,q1,1\nd1,8.5,q1,2\nd3,7.5,q1,3\nd1,5.5,q2,1\nd4,4.5,q2,2\n",
        NDCG,
        "nDCG@10",
        group=RECS,
    ),
    "Expedia's submission": ranked(
        "submission.csv",
        "id,hotel_cluster\nq1,d2 d1 d3 d5\nq2,d1 d4\n",
        AP,
        answers={"query=NAME": "query=id", "document=NAME": "document=hotel_cluster"},
    ),
    "Santander's submission": ranked(
        "sub.csv",
        "ncodpers,added_products\nq1,d2 d1 d3 d5\nq2,d1 d4\n",
        AP,
        answers={"query=NAME": "query=ncodpers", "document=NAME": "document=added_products"},
    ),
    "Outbrain's submission": ranked(
        "sub.csv",
        "display_id,ad_id\nq1,d2 d1 d3 d5\nq2,d1 d4\n",
        AP,
        answers={"query=NAME": "query=display_id", "document=NAME": "document=ad_id"},
    ),
    "a submission of whales": ranked(
        "sub.csv",
        "Image,Id\nq1.jpg,d2 d1 d3 d5\nq2.jpg,d1 d4\n",
        AP,
        qrels=QRELS.replace("q1", "q1.jpg").replace("q2", "q2.jpg"),
        answers={"query=NAME": "query=Image", "document=NAME": "document=Id"},
    ),
    "landmarks": ranked(
        "sub.csv",
        "id,images\nq1,d2 d1 d3 d5\nq2,d1 d4\n",
        AP,
        answers={"query=NAME": "query=id", "document=NAME": "document=images"},
    ),
    "misconceptions": ranked(
        "sub.csv",
        "QuestionId_Answer,MisconceptionId\nq1,d2 d1 d3 d5\nq2,d1 d4\n",
        AP,
        answers={"query=NAME": "query=QuestionId_Answer", "document=NAME": "document=MisconceptionId"},
    ),
    "contents of topics": judged(
        "correlations.csv",
        "topic_id,content_ids\nq1,d1 d3\nq2,d4\n",
        AP,
        answers={"document=NAME": "document=content_ids"},
        group=RECS,
    ),
    "impressions of a news challenge": both(
        "truth.txt",
        "1 [0,1,0]\n2 [1,0,0,1]\n",
        "predictions.txt",
        "1 [2,1,3]\n2 [2,1,4,3]\n",
        (1 + 1 / 2) / 2,
        "RR",
        group=RECS,
    ),
    "a book of Quepid, a column for each judge": judged(
        "book.csv",
        "query,docid,ann@x.org,bob@x.org\nq1,d1,3,1\nq1,d2,0,0\nq1,d3,1,\nq2,d4,1,1\n",
        NDCG,
        "nDCG@10",
        group=ENGINES,
    ),
    "repeated rows of several judges": judged(
        "rows.csv",
        "query,docid,judge,label\nq1,d1,a,3\nq1,d1,b,1\nq1,d2,a,0\nq1,d3,a,1\nq2,d4,a,0\nq2,d4,b,2\n",
        NDCG,
        "nDCG@10",
        answers={"mean(NAME)": "mean(label)"},
        untrue=("or say which of them counts",),
        group=ENGINES,
    ),
    "labels beside scores of rows": Shape(
        {"valid.csv": "qid,label,score\n1,2,0.7\n1,0,0.9\n2,1,0.5\n"},
        "evaluate valid.csv valid.csv -m nDCG@10",
        (1 / math.log2(3) + 1) / 2,
        group=OTHERS,
        file="valid.csv",
    ),
    "rows of LightGBM with the sizes of queries beside": Shape(
        {
            "rank.test": "2 1:0.3 2:0.1\n0 1:0.2\n1 1:0.9\n",
            "rank.test.query": "2\n1\n",
            "predictions.txt": "0.7\n0.9\n0.5\n",
        },
        "evaluate rank.test predictions.txt -m nDCG@10",
        (1 / math.log2(3) + 1) / 2,
        group=OTHERS,
        file="rank.test",
    ),
    "blocks of Netflix": judged("probe.txt", "1:\n30878\n2647871\n10:\n1952305\n", REFUSED),
    "JSON lines of users": ranked(
        "recs.jsonl", lines(*({"user_id": q, "recommendations": d} for q, d in LISTS.items())), AP, group=RECS
    ),
    "JSON lines of users with scores beside": ranked(
        "recs.jsonl",
        lines(*({"user_id": q, "items": [n for n, _ in h], "scores": [s for _, s in h]} for q, h in HITS.items())),
        NDCG,
        "nDCG@10",
    ),
    "clicks of a log": judged(
        "clicks.tsv",
        header("session_id item_id clicked", "q1 d1 1\nq1 d2 0\nq1 d3 1\nq2 d4 1\n", "\t"),
        AP,
        answers={"grade=NAME": "grade=clicked"},
    ),
    # Rankers, graphs, news, neighbours
    "pairs of a matcher": both(
        "gold.csv",
        "left_id,right_id\nq1,d1\nq1,d3\nq2,d4\n",
        "pairs.csv",
        header("left_id right_id score", SCORED),
        AP,
        "AP",
        answers={"query=NAME": "query=left_id", "document=NAME": "document=right_id"},
        group=OTHERS,
    ),
    "an alignment of ontologies": judged(
        "refs.tsv",
        "SrcEntity\tTgtEntity\tScore\nq1\td1\t1.0\nq1\td3\t1.0\nq2\td4\t1.0\n",
        AP,
        answers={"query=NAME": "query=SrcEntity", "document=NAME": "document=TgtEntity", "grade=NAME": "grade=Score"},
    ),
    "bugs and files": judged(
        "bugs.csv",
        "bug_id,files\nq1,d1 d3\nq2,d4\n",
        AP,
        answers={"query=NAME": "query=bug_id", "document=NAME": "document=files"},
    ),
    "citations of patents": judged(
        "citations.tsv",
        header("query_doc cited_doc", PAIRS, "\t"),
        AP,
        answers={"query=NAME": "query=query_doc", "document=NAME": "document=cited_doc"},
    ),
    "images of a gallery": ranked(
        "ranking.json", json.dumps([{"query": f"{q}", "ranking": d} for q, d in LISTS.items()]), AP
    ),
    "nearest neighbours as lists": both(
        "gold.json", json.dumps([[1, 2], [3]]), "found.json", json.dumps([[1, 9], [8, 3]]), (1 + 1 / 2) / 2, "RR"
    ),
    "lines of SVMlight with documents in comments": judged(
        "test.svm", "2 qid:q1 1:0.3 # d1\n0 qid:q1 1:0.2 # d2\n1 qid:q2 1:0.9 # d4\n", (1 / 2 + 1 / 2) / 2
    ),
    "ranks of the first hit, without documents": Shape(
        {"ranks.tsv": "query\trank\nq1\t1\nq2\tNF\nq3\t4\nq4\t2\n"},
        "evaluate ranks.tsv -m RR",
        (1 / 1 + 0 + 1 / 4 + 1 / 2) / 4,
        group=QA,
        file="ranks.tsv",
    ),
    "ranks of the first hit of a code search": Shape(
        {"frank.csv": "qid,first_rank\n1,2\n2,\n3,1\n"},
        "evaluate frank.csv -m MRR@10",
        (1 / 2 + 0 + 1 / 1) / 3,
        group=QA,
        file="frank.csv",
    ),
    "ranks of the first hit beside judgements": Shape(
        {"q.txt": QRELS, "ranks.tsv": "query\trank\nq1\t1\nq2\t2\n"}, "evaluate q.txt ranks.tsv -m RR", None
    ),
    "jobs and candidates": judged(
        "matches.csv",
        graded("job_id", "candidate_id", "fit"),
        NDCG,
        "nDCG@10",
        answers={"query=NAME": "query=job_id", "document=NAME": "document=candidate_id", "grade=NAME": "grade=fit"},
        group=OTHERS,
    ),
    "songs and tags": judged(
        "tags.jsonl",
        by_query("tag", "songs"),
        AP,
        answers={"query=NAME": "query=tag", "document=NAME": "document=songs"},
    ),
    "ranks in TREC's order in a table": ranked(
        "run.csv",
        "topic,Q0,docid,rank,score,run\nq1,Q0,d2,1,9.5,t\nq1,Q0,d1,2,8.5,t\nq1,Q0,d3,3,7.5,t\nq2,Q0,d1,1,5.5,t\nq2,Q0,d4,2,4.5,t\n",
        NDCG,
        "nDCG@10",
    ),
    "TREC's lines with commas": ranked("run.csv", RUN.replace(" ", ","), NDCG, "nDCG@10"),
    "TREC's judgements with commas": judged("qrels.csv", QRELS.replace(" ", ","), NDCG, "nDCG@10"),
    "ranks without scores in a table with blanks": ranked(
        "run.txt", header("query document rank", RANKS, " "), NDCG, "nDCG@10"
    ),
    "rank and score exchanged in TREC's lines": ranked(
        "bm25.run",
        "".join(
            f"{query} Q0 {each} {9.5 - at} {at + 1} t\n" for query, row in LISTS.items() for at, each in enumerate(row)
        ),
    ),
    "a dict of ranks": ranked(
        "run.json",
        json.dumps({query: {each: at + 1 for at, each in enumerate(row)} for query, row in LISTS.items()}),
        REFUSED,
    ),
    "an object in place of each score": ranked(
        "run.json",
        json.dumps({query: {each: {"score": 9.5, "rank": 1} for each in row} for query, row in LISTS.items()}),
        REFUSED,
    ),
    "a gallery and its distances for each query": ranked(
        "run.json",
        json.dumps(
            {query: {"gallery": row, "distances": [0.1 * at for at in range(len(row))]} for query, row in LISTS.items()}
        ),
        REFUSED,
    ),
    "ids and scores in one object": ranked(
        "run.jsonl",
        lines(
            *(
                {"qid": query, "retrieved": {"ids": row, "scores": [*range(9, 9 - len(row), -1)]}}
                for query, row in LISTS.items()
            )
        ),
    ),
    "rows of a server of data sets": judged(
        "rows.json",
        json.dumps(
            {
                "features": [],
                "rows": [
                    {
                        "row_idx": at,
                        "row": {"query-id": query, "corpus-id": each, "score": grade},
                        "truncated_cells": [],
                    }
                    for at, (query, each, grade) in enumerate(
                        (q, d, g) for q, row in GRADES.items() for d, g in row.items()
                    )
                ],
                "num_rows_total": 4,
            }
        ),
        NDCG,
        "nDCG@10",
    ),
    "queries and documents as objects": judged(
        "gold.jsonl",
        lines(
            *(
                {
                    "query": {"id": query, "text": "why"},
                    "relevant": [{"doc": {"id": each}, "grade": grade} for each, grade in row.items()],
                }
                for query, row in GRADES.items()
            )
        ),
        NDCG,
        "nDCG@10",
        answers={"grade=NAME": "grade=grade"},
    ),
    "clicks with an id for each event": judged(
        "clicks.jsonl",
        lines(
            *(
                {"userId": query, "id": each, "time": 1483, "eventId": at}
                for query, row in RELEVANT.items()
                for at, each in enumerate(row)
            )
        ),
    ),
    "marks with decimal commas": judged(
        "urteile.csv",
        "Anfrage;Dokument;Relevanz\nq1;d1;2,0\nq1;d2;0,0\nq1;d3;1,0\nq2;d4;1,0\n",
        REFUSED,
        "nDCG@10",
        answers={"query=NAME": "query=Anfrage"},
    ),
    "places in a playlist, from 0": ranked(
        "playlists.csv",
        "playlist_id,track_uri,pos\n"
        + "".join(f"{query},{each},{at}\n" for query, row in LISTS.items() for at, each in enumerate(row)),
        answers={"query=NAME": "query=playlist_id", "document=NAME": "document=track_uri"},
    ),
    "documents before queries, without a header": judged(
        "gold.csv", "d1,q1,2\nd2,q1,0\nd3,q1,1\nd4,q2,1\n", REFUSED, "nDCG@10"
    ),
    "triples without a header beside predictions by head and relation": both(
        "test.tsv",
        "q1\tlikes\td1\nq1\tlikes\td3\nq2\tlikes\td4\n",
        "pred.jsonl",
        lines(*({"h": query, "r": "likes", "preds": row} for query, row in LISTS.items())),
        AP,
        "AP",
        answers={"query=NAME": "query=h"},
    ),
    "references and retrieved ids as lists of JSON in cells": traced("answers.csv", json.dumps, group=RAG),
    "references and retrieved ids as lists of Python in cells": traced("answers.csv", str),
    "references and retrieved contexts of a test set": Shape(
        {
            "samples.jsonl": lines(
                *(
                    {
                        "user_input": f"question {query}",
                        "retrieved_contexts": [f"text of {each}" for each in LISTS[query]],
                        "reference_contexts": [f"text of {each}" for each in row],
                        "response": "an answer",
                    }
                    for query, row in RELEVANT.items()
                )
            )
        },
        "evaluate samples.jsonl -m AP",
        AP,
        group=RAG,
        file="samples.jsonl",
    ),
    "the same list on both sides": Shape(
        {
            "samples.jsonl": lines(
                *({"question": query, "retrieved": LISTS[query], "gold": row} for query, row in RELEVANT.items())
            )
        },
        "evaluate samples.jsonl samples.jsonl -m AP --columns document=gold",
        AP,
        answers={"document=NAME": "document=retrieved"},
    ),
    "gold and excluded ids of reasoning queries": both(
        "examples.jsonl",
        lines(
            *(
                {"query": "a text", "id": query, "gold_ids": row, "excluded_ids": ["N/A"]}
                for query, row in RELEVANT.items()
            )
        ),
        "score.json",
        json.dumps({query: dict(row) for query, row in HITS.items()}),
        AP,
        "AP",
        "--qrels-columns query=id",
        group=QA,
        file="examples.jsonl",
    ),
    "passages that hold the answer": Shape(
        {
            "retrieved.json": json.dumps(
                [
                    {
                        "question": f"question {query}",
                        "answers": ["x"],
                        "ctxs": [
                            {"id": each, "title": "", "score": str(score), "has_answer": each in RELEVANT[query]}
                            for each, score in row
                        ],
                    }
                    for query, row in HITS.items()
                ]
            )
        },
        "evaluate retrieved.json -m AP",
        AP,
        group=QA,
        file="retrieved.json",
    ),
    "tools and their functions as pairs in lists": both(
        "queries.jsonl",
        lines(
            *({"query_id": query, "relevant APIs": [["tool", each] for each in row]} for query, row in RELEVANT.items())
        ),
        "retrieved.jsonl",
        lines(*({"query_id": query, "retrieved": [["tool", each] for each in row]} for query, row in LISTS.items())),
        AP,
        "AP",
        untrue=("if the second is the", "if it is none"),
        group=QA,
    ),
    "pairs of document and grade under a name of their own": judged(
        "gold.jsonl",
        lines(*({"query": query, "rel": [[*pair] for pair in row.items()]} for query, row in GRADES.items())),
        NDCG,
        "nDCG@10",
        answers={"document=NAME": "document=rel"},
        untrue=("if it is none", "if both together"),
    ),
}
