"""Objects of other tools through the front door: each gives what dicts of dicts give, or is refused with a remedy.

Tools that are too heavy for this are stood in for by objects with the same fields and methods: ranx (its first import
compiles for seconds), torch, trectools, LlamaIndex, Haystack, LangChain and clients of search engines.
"""

import collections
import csv
import dataclasses
import io
import json
import math
import re
import sqlite3
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from types import MappingProxyType, SimpleNamespace
from typing import Any, Final

import datasets
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from ir_datasets.formats import GenericScoredDoc, TrecQrel
from ir_measures import Qrel, ScoredDoc
from scipy import sparse

import rankworth as rw
from inputs import WAYS, Keyed

# Five documents are few; what rankworth has to say about that is tested elsewhere.
pytestmark = pytest.mark.filterwarnings("ignore::rankworth.errors.RankworthWarning")

CASES: Final = json.loads((Path(__file__).parent / "data" / "notebook_cases.json").read_text())

Dicts = dict[str, dict[str, float]]
QRELS: Dicts = {"q1": {"d1": 2, "d2": 0, "d7": 1}, "q 2": {"d1": 1, "d5": 1}, "q3": {"d 9": 1}}
RUN: Dicts = {"q1": {"d2": 0.5, "d1": 0.4, "d9": 0.3}, "q 2": {"d5": 0.25, "d3": 2.0, "d1": -1.0}}
MEASURES = ["nDCG@10", "RR", "AP", "P@2", "Judged@2"]
Row = collections.namedtuple("Row", "query_id doc_id value")  # noqa: PYI024 - what programs have


def values(qrels: object = None, run: object = None, **inputs: object) -> dict[str, dict[str, float]]:
    return rw.evaluate(qrels, run, MEASURES, **inputs).per_query.to_dict()  # type: ignore[arg-type]


def refused(qrels: object = None, run: object = None, **inputs: object) -> rw.InputError:
    with pytest.raises(rw.InputError) as caught:
        rw.evaluate(qrels, run, ["RR"], **inputs)  # type: ignore[arg-type]
    return caught.value


def rows(dicts: Dicts) -> list[tuple[str, str, float]]:
    return [(query, document, number) for query, inner in dicts.items() for document, number in inner.items()]


def named(dicts: Dicts, value: str) -> list[dict[str, Any]]:
    return [{"query_id": query, "doc_id": document, value: number} for query, document, number in rows(dicts)]


def columns(dicts: Dicts, value: str) -> dict[str, list[Any]]:
    return {field: [row[field] for row in named(dicts, value)] for field in ("query_id", "doc_id", value)}


LISTS: Final = ("pairs by query", "records by query", "rows with lists", "rows with lists of records")
"""ways to hand in lists of documents with scores, whose order ranks them"""


TIED: Final[Dicts] = {"q1": {"d1": 0.5, "d9": 0.5, "d2": 0.5}, "q 2": {"d5": 2.0, "d3": 0.25, "d1": 0.25}}


@pytest.mark.parametrize("shape", LISTS)
def test_a_list_of_one_query_is_its_ranking(shape: str) -> None:
    way = WAYS[shape]

    def lists(dicts: Dicts) -> rw.Run:
        return rw.Run(way.make(dicts, "score", Path()), columns=way.columns)

    def found(dicts: Dicts, **asked: Any) -> dict[str, dict[str, float]]:
        return values(QRELS, lists(dicts), **asked)

    ranks = {query: {document: -rank for rank, document in enumerate(inner)} for query, inner in TIED.items()}
    assert found(TIED) == found(TIED, order="given") == values(QRELS, ranks)
    assert found(TIED, ties="expected") == found(TIED, ties="last") == values(QRELS, ranks)
    assert found(TIED, order="score") == values(QRELS, TIED) != values(QRELS, ranks)
    with pytest.raises(rw.InputError) as caught:
        found(RUN)
    text = "in 1 query of 2 the scores contradict the order of the list: query 'q 2' has d5 (0.25) before d3 (2)"
    assert (caught.value.slug, caught.value.problems) == ("ambiguous-order", (f"the run: {text}",))
    assert '--order given (order="given")' in caught.value.remedy
    assert '--order score (order="score")' in caught.value.remedy
    assert found(RUN, order="score") == values(QRELS, RUN)
    assert found(RUN, order="given") == values(QRELS, RUN, order="given") != values(QRELS, RUN)
    assert values(QRELS, RUN) == values(QRELS, RUN, order="score")  # a dict of dicts is a table
    judged = {query: grades for query, grades in QRELS.items() if query != "q 2"}
    some = rw.evaluate(QRELS, lists(RUN), ["RR"], queries=["q1", "q3"])
    assert rw.evaluate(judged, lists(RUN), ["RR"])["RR"] == some["RR"]


def test_scores_that_only_rise_look_like_distances() -> None:
    hits = {
        "q1": [{"_id": "d1", "distance": 0.1}, {"_id": "d2", "distance": 0.4}],
        "q 2": [{"_id": "d5", "distance": 0.3}],
    }
    run = rw.Run(hits, columns={"score": "distance"})
    error = refused(QRELS, run)
    assert error.slug == "ambiguous-order"
    assert "the scores of all lists only rise, so they look like distances" in error.problems[0]
    assert "--columns score=-distance, in Python columns={'score': '-distance'}" in error.remedy
    pairs = {query: [(hit["_id"], hit["distance"]) for hit in some] for query, some in hits.items()}
    assert "negate them" in refused(QRELS, pairs).remedy


def test_a_search_that_is_sorted_by_a_field_has_no_scores() -> None:
    hits = {"q1": [{"_id": "x", "_score": None}, {"_id": "d1", "_score": None}], "q 2": [{"_id": "d5", "_score": 2.5}]}
    found = values(QRELS, hits)
    assert found == values(QRELS, {query: [hit["_id"] for hit in some] for query, some in hits.items()})
    assert found["q1"]["RR"] == 0.5
    frame = pl.DataFrame({"query": list(hits), "hits": list(hits.values())})
    assert values(QRELS, frame) == values(QRELS, frame.to_arrow()) == found
    hits["q1"][0]["_score"] = 1.0  # which lacks the score of one hit
    assert refused(QRELS, hits).slug == "missing-value"


def test_an_iterator_is_kept_once_it_is_read() -> None:
    given_rows = iter(rows(RUN))
    run, qrels = rw.Run(given_rows), rw.Qrels(iter(rows(QRELS)))
    assert values(qrels, run) == values(qrels, run) == values(QRELS, RUN)
    error = refused(QRELS, given_rows)
    assert (error.slug, error.remedy) == ("empty-input", "an iterator can be read once only; was one read before?")


def test_nothing_is_written_to_a_source() -> None:
    sources: list[Any] = [rows(RUN), columns(RUN, "score"), {"q1": ["d1", "d2"]}, [[("d1", 0.5)]], named(RUN, "score")]
    before = repr(sources)
    for source in sources:
        rw.Run(source)
    assert repr(sources) == before


# Four notebooks, with their inputs as they stand


def test_the_tutorial_over_lists_and_sets_runs_as_it_stands() -> None:
    q_res = {"q1": ["d1", "d2", "d3"], "q2": ["d2", "d3", "d1"]}
    q_rel = {"q1": {"d3"}, "q2": {"d2"}}
    assert rw.evaluate(q_rel, q_res, ["RR"])["RR"] == 0.6666666666666666
    pairs = [(query, document) for query, documents in q_res.items() for document in documents]
    assert rw.evaluate(q_rel, pairs, ["RR"])["RR"] == 0.6666666666666666
    ranked_docs = ["d1", "d2", "d3", "d4", "d5"]
    relevance_scores = {"d1": 3, "d2": 2, "d3": 3, "d4": 0, "d5": 1}
    found = rw.evaluate({"q": relevance_scores}, {"q": ranked_docs}, ["nDCG(gain=exp2)@5"])
    assert found["nDCG(gain=exp2)@5"] == 0.9574784666412695


GROUND_TRUTH = [[11, 1, 7, 17, 21], [4, 16, 1], [26, 10, 22, 8]]
RESULTS = [
    [11, 1, 17, 7, 21, 8, 0, 28, 9, 20],
    [16, 1, 6, 18, 3, 4, 25, 19, 8, 14],
    [24, 10, 26, 2, 8, 28, 4, 23, 13, 21],
]
TUTORIAL = {
    "recall@{} with min(k, relevant) as denominator": "R(norm=min(k,R))@{}",
    "MRR@{}": "RR@{}",
    "precision@{}": "P@{}",
    "MAP@{} divided by the relevant documents found": "AP(norm=found)@{}",
    "nDCG@{}, binary, ideal = all relevant": "nDCG@{}",
}


@pytest.mark.parametrize("template", TUTORIAL)
def test_the_tutorial_over_lists_of_integers_runs_as_it_stands(template: str) -> None:
    for cutoff in (1, 5, 10):
        measure = TUTORIAL[template].format(cutoff)
        case = next(case for case in CASES if case["seed"] == "002" and case["measure"] == template.format(cutoff))
        assert rw.evaluate(GROUND_TRUTH, RESULTS, [measure])[measure] == case["value"]


def test_the_tutorial_over_labels_runs_as_it_stands() -> None:
    relevance_lists = [[0, 0, 1, 0, 0], [1, 0, 0, 0, 0], [0, 0, 0, 0, 0], [0, 1, 0, 0, 0]]
    assert rw.evaluate(labels=relevance_lists, measures=["RR"])["RR"] == 0.4583333333333333
    y_true = [[1, 0, 1, 1, 0], [0, 1, 1, 0, 0]]
    y_scores = [[0.9, 0.2, 0.7, 0.8, 0.1], [0.1, 0.8, 0.9, 0.3, 0.8]]
    assert rw.evaluate(labels=y_true, scores=y_scores, measures=["AP"])["AP"] == 0.9166666666666666
    ndcg = "nDCG(gain=exp2)@5"
    for relevance_scores, value in (
        ([3, 2, 3, 0, 1, 2], 0.8755943764161997),
        ([4, 2, 3, 0, 1, 2], 0.9196407485014483),
        ([2, 2, 3, 0, 1, 2], 0.7272929761069984),
    ):
        found = rw.evaluate(labels=relevance_scores, measures=["nDCG(gain=exp2, ideal=retrieved)@5"])
        assert found["nDCG(gain=exp2, ideal=retrieved)@5"] == value
    ground_truth_scores = [3, 2, 3, 0, 1, 2]
    predicted_order = [0, 2, 1, 5, 3, 4]
    assert rw.evaluate(labels=ground_truth_scores, orders=predicted_order, measures=[ndcg])[ndcg] == 0.973494864667227


FOCUSED = {
    r"RR (relevant from grade 2)": "RR(rel=2)",
    "AP@3 (relevant from grade 1)": "AP@3",
    "nDCG@3 (exponential gain)": "nDCG(gain=exp2)@3",
}
SCENARIOS = [case for case in CASES if case["seed"] == "000" and case["measure"] in FOCUSED]


@pytest.mark.parametrize("case", SCENARIOS, ids=lambda case: f"{case['case']}, {case['measure']}")
def test_the_notebook_over_scenarios_runs_as_it_stands(case: dict[str, Any]) -> None:
    relevance, predictions = case["inputs"]["grades"], case["inputs"]["scores"]
    measure = FOCUSED[case["measure"]]
    assert rw.evaluate(labels=relevance, scores=predictions, measures=[measure])[measure] == case["value"]


def test_the_notebook_over_positions_and_cutoffs_runs_as_it_stands() -> None:
    for place in range(5):
        relevance = [0] * 5
        relevance[place] = 2
        assert rw.evaluate(labels=relevance, measures=["RR"])["RR"] == 1 / (place + 1)
    relevance, predictions = [2, 1, 0, 1, 2], [0.9, 0.7, 0.3, 0.6, 0.8]
    names = [f"AP@{k}" for k in range(1, 6)]
    found = rw.evaluate(labels=relevance, scores=predictions, measures=names)
    assert [found[name] for name in names] == [0.25, 0.5, 0.75, 1.0, 1.0]
    found = rw.evaluate(labels=[0, 2, 1, 0, 1], scores=[0.9, 0.3, 0.7, 0.1, 0.5], measures=["RR(rel=2)"])
    assert found["RR(rel=2)"] == 0.25


# Tools, with the inputs of their manuals


class Tensor:
    """Stands in for torch's: a list, and iterable, and no array of NumPy."""

    def __init__(self, items: Any) -> None:
        """Keep the items."""
        self._items = np.array(items)

    @property
    def ndim(self) -> int:
        """The number of dimensions."""
        return self._items.ndim

    def __len__(self) -> int:
        return len(self._items)

    def __iter__(self) -> "Iterator[Tensor]":
        return map(Tensor, self._items)

    def tolist(self) -> Any:
        """Lists of lists, or a number."""
        return self._items.tolist()


class NodeWithScore:
    """Stands in for LlamaIndex's: two fields, and properties that look into one of them."""

    def __init__(self, name: str, score: float) -> None:
        """Keep both."""
        self.node = SimpleNamespace(id_=name, text="...")
        self.score = score

    @property
    def node_id(self) -> str:
        """The id of the node."""
        return str(self.node.id_)

    @property
    def id_(self) -> str:
        """The same."""
        return self.node_id


@dataclasses.dataclass
class HaystackDocument:
    """Stands in for Haystack's, whose score is None until something ranks it."""

    id: str
    content: str | None = None
    meta: dict[str, Any] = dataclasses.field(default_factory=dict)
    score: float | None = None
    embedding: list[float] | None = None


class RanxObject:
    """Stands in for ranx' Qrels and Run, which keep dicts of numba."""

    def __init__(self, value: str, dicts: Dicts) -> None:
        """Keep the dicts under the name that ranx has for them."""
        setattr(self, value, MappingProxyType(dicts))

    def to_dict(self) -> Dicts:
        """Dicts of Python."""
        return {query: dict(inner) for query, inner in next(iter(vars(self).values())).items()}


class DataSet:
    """Stands in for a data set of ir_datasets."""

    def qrels_iter(self) -> Iterator[TrecQrel]:
        """The judgements, one by one."""
        return (TrecQrel(query, document, int(grade), "0") for query, document, grade in rows(SMALL_QRELS))

    def scoreddocs_iter(self) -> Iterator[GenericScoredDoc]:
        """A run."""
        return (GenericScoredDoc(*row) for row in rows(SMALL_RUN))


SMALL_QRELS: Dicts = {"1": {"11": 1, "12": 2}, "2": {"13": 1}}
SMALL_RUN: Dicts = {"1": {"12": 0.5, "14": 0.25}, "2": {"11": 0.75, "13": 0.5}}
"""what each tool is given here, in its own form"""
IDS: dict[str, Any] = {name: [row[place] for row in rows(SMALL_RUN)] for place, name in enumerate("qds")}
JUDGED: dict[str, Any] = {name: [row[place] for row in rows(SMALL_QRELS)] for place, name in enumerate("qdg")}
RATINGS = [
    {
        "id": query,
        "request": {"query": {}},
        "ratings": [{"_index": "i", "_id": d, "rating": g} for d, g in inner.items()],
    }
    for query, inner in SMALL_QRELS.items()
]
HITS = {
    query: {"hits": [{"hit": {"_index": "i", "_id": d, "_score": s}, "rating": None} for d, s in inner.items()]}
    for query, inner in SMALL_RUN.items()
}

MATRIX = sparse.coo_array(([0.5, 0.25, 0.75, 0.5], ([1, 1, 2, 2], [12, 14, 11, 13])))

TOOLS: dict[str, tuple[object, object]] = {
    "pytrec_eval, BEIR, MTEB": (SMALL_QRELS, SMALL_RUN),
    "ir_measures": (
        (Qrel(query, document, int(grade)) for query, document, grade in rows(SMALL_QRELS)),
        [ScoredDoc(*row) for row in rows(SMALL_RUN)],
    ),
    "ir_measures, frames": (
        pd.DataFrame({"query_id": JUDGED["q"], "doc_id": JUDGED["d"], "relevance": JUDGED["g"]}),
        pd.DataFrame({"query_id": IDS["q"], "doc_id": IDS["d"], "score": IDS["s"]}),
    ),
    "ir_datasets": (DataSet(), DataSet()),
    "ranx": (RanxObject("qrels", SMALL_QRELS), RanxObject("run", SMALL_RUN)),
    "ranx, frames": (
        rw.Qrels(
            pd.DataFrame({"q_id": JUDGED["q"], "doc_id": JUDGED["d"], "score": JUDGED["g"]}), columns={"grade": "score"}
        ),
        pd.DataFrame({"q_id": IDS["q"], "doc_id": IDS["d"], "score": IDS["s"]}),
    ),
    "elinor": (
        rw.Qrels(
            [{"query_id": query, "doc_id": document, "score": grade} for query, document, grade in rows(SMALL_QRELS)],
            columns={"grade": "score"},
        ),
        [{"query_id": query, "doc_id": document, "score": score} for query, document, score in rows(SMALL_RUN)],
    ),
    "trectools": (
        SimpleNamespace(
            qrels_data=pd.DataFrame({"query": JUDGED["q"], "q0": 0, "docid": JUDGED["d"], "rel": JUDGED["g"]})
        ),
        SimpleNamespace(
            run_data=pd.DataFrame(
                {"query": IDS["q"], "q0": "Q0", "docid": IDS["d"], "rank": 1, "score": IDS["s"], "system": "s"}
            )
        ),
    ),
    "PyTerrier": (
        pd.DataFrame({"qid": JUDGED["q"], "docno": JUDGED["d"], "label": JUDGED["g"], "iteration": "0"}),
        pd.DataFrame({"qid": IDS["q"], "docid": 7, "docno": IDS["d"], "rank": 0, "score": IDS["s"], "query": "text"}),
    ),
    "MTEB, data sets": (
        datasets.Dataset.from_dict({"query-id": JUDGED["q"], "corpus-id": JUDGED["d"], "score": JUDGED["g"]}),
        SMALL_RUN,
    ),
    "sentence-transformers": (
        {query: list(inner.items()) for query, inner in SMALL_QRELS.items()},
        {query: [{"corpus_id": d, "score": s} for d, s in inner.items()] for query, inner in SMALL_RUN.items()},
    ),
    "recommenders": (
        pd.DataFrame({"userID": JUDGED["q"], "itemID": JUDGED["d"], "rating": JUDGED["g"], "timestamp": "2020"}),
        pd.DataFrame({"userID": IDS["q"], "itemID": IDS["d"], "prediction": IDS["s"]}),
    ),
    "RecTools": (
        rw.Qrels(
            pd.DataFrame({"user_id": JUDGED["q"], "item_id": JUDGED["d"], "weight": JUDGED["g"]}),
            columns={"grade": "weight"},
        ),
        pd.DataFrame({"user_id": IDS["q"], "item_id": IDS["d"], "rank": [1, 2, 1, 2]}),
    ),
    "RePlay": (
        {query: list(inner.items()) for query, inner in SMALL_QRELS.items()},
        rw.Run(
            pl.DataFrame({"query_id": IDS["q"], "item_id": IDS["d"], "rating": IDS["s"]}), columns={"score": "rating"}
        ),
    ),
    "LensKit": (
        pd.DataFrame({"user": JUDGED["q"], "item": JUDGED["d"], "rating": JUDGED["g"]}),
        pd.DataFrame({"user": IDS["q"], "item": IDS["d"], "score": IDS["s"], "rank": [1, 2, 1, 2]}),
    ),
    "Quepid": (pd.DataFrame({"query": JUDGED["q"], "docid": JUDGED["d"], "rating": JUDGED["g"]}), SMALL_RUN),
    "_rank_eval": (
        {"requests": RATINGS, "metric": {"dcg": {"k": 20}}},
        Keyed({"metric_score": 0.5, "details": HITS, "failures": {}}),
    ),
    "LlamaIndex": (
        SMALL_QRELS,
        {query: [NodeWithScore(d, s) for d, s in inner.items()] for query, inner in SMALL_RUN.items()},
    ),
    "Haystack": (
        SMALL_QRELS,
        {query: [HaystackDocument(d, "9", score=s) for d, s in inner.items()] for query, inner in SMALL_RUN.items()},
    ),
    "LangChain": (
        SMALL_QRELS,
        {
            query: [SimpleNamespace(id=d, page_content="9", metadata={}, type="Document") for d in inner]
            for query, inner in SMALL_RUN.items()
        },
    ),
    "LangChain, pairs": (
        SMALL_QRELS,
        {
            query: [(SimpleNamespace(id=d, page_content="9", metadata={}), s) for d, s in inner.items()]
            for query, inner in SMALL_RUN.items()
        },
    ),
    "a component of Haystack": (
        SMALL_QRELS,
        {
            query: {"documents": [HaystackDocument(d, "9", score=s) for d, s in inner.items()]}
            for query, inner in SMALL_RUN.items()
        },
    ),
    "a pipeline of Haystack": (
        SMALL_QRELS,
        {
            query: {"retriever": {"documents": [HaystackDocument(d, "9", score=s) for d, s in inner.items()]}}
            for query, inner in SMALL_RUN.items()
        },
    ),
    "Chroma": (
        SMALL_QRELS,
        {
            "query": list(SMALL_RUN),
            "ids": [list(inner) for inner in SMALL_RUN.values()],
            "distances": [[-s for s in inner.values()] for inner in SMALL_RUN.values()],
            "documents": [["9"] * len(inner) for inner in SMALL_RUN.values()],
            "metadatas": None,
        },
    ),
    "RankLLM and nuggetizer": (
        SMALL_QRELS,
        [
            {
                "query": {"qid": query, "text": "9"},
                "candidates": [{"docid": d, "score": s, "doc": {"segment": "9"}} for d, s in inner.items()],
            }
            for query, inner in SMALL_RUN.items()
        ],
    ),
    "umbrela": (
        [
            {"model": "m", "query": q, "docid": d, "passage": "9", "prediction": "9", "judgment": g, "result_status": 1}
            for q, d, g in rows(SMALL_QRELS)
        ],
        SMALL_RUN,
    ),
    "Qdrant": (
        SMALL_QRELS,
        {
            query: [SimpleNamespace(id=int(d), version=3, score=s, payload={}) for d, s in inner.items()]
            for query, inner in SMALL_RUN.items()
        },
    ),
    "a sparse matrix": (SMALL_QRELS, MATRIX),
    "what is stored in a sparse matrix": (SMALL_QRELS, zip(MATRIX.row, MATRIX.col, MATRIX.data, strict=True)),
}


@pytest.mark.parametrize("tool", TOOLS)
def test_what_other_tools_take_is_taken(tool: str) -> None:
    qrels, run = TOOLS[tool]
    assert values(qrels, run) == values(SMALL_QRELS, SMALL_RUN)


@pytest.mark.parametrize("tool", ["LlamaIndex", "a component of Haystack", "a pipeline of Haystack"])
@pytest.mark.filterwarnings("ignore::rankworth.RankworthWarning")
def test_the_key_names_the_query_where_there_is_only_one(tool: str) -> None:
    run: Any = TOOLS[tool][1]
    assert values(SMALL_QRELS, {"2": run["2"]}) == values(SMALL_QRELS, {"2": SMALL_RUN["2"]})


def test_lines_of_umbrela_without_ids_are_refused_with_the_option_that_reads_them(tmp_path: Path) -> None:
    lines = [
        {"model": "m", "query": q, "passage": d, "prediction": "9", "judgment": g, "result_status": 1}
        for q, d, g in rows(SMALL_QRELS)
    ]
    path = tmp_path / "judged.jsonl"
    path.write_text("".join(f"{json.dumps(line)}\n" for line in lines))
    for source, remedy in ((str(path), "--columns document=passage, in Python "), (lines, "")):
        with pytest.raises(rw.InputError, match="there is no document") as caught:
            rw.Qrels(source)
        assert caught.value.remedy.splitlines()[0] == f"did you mean {remedy}columns={{'document': 'passage'}}?"
        assert rw.Qrels(source, columns={"document": "passage"}).to_dict() == rw.Qrels(SMALL_QRELS).to_dict()


RELEVANT = [["11", "12"], ["13"]]
RETRIEVED = [["12", "14", "15"], ["11", "13"]]
BY_PLACE: Dicts = {str(place): dict.fromkeys(items, 1) for place, items in enumerate(RELEVANT)}
IN_ORDER: Dicts = {
    str(place): {item: float(-rank) for rank, item in enumerate(items)} for place, items in enumerate(RETRIEVED)
}
SAMPLES = [
    {"question": "0", "source": RELEVANT[0], "retrieved": RETRIEVED[0], "latency": 0.25},
    {"question": "1", "source": RELEVANT[1], "retrieved": RETRIEVED[1], "latency": 0.5},
]
SERIES = pd.DataFrame(SAMPLES).set_index("question")

WITHOUT_SCORES: dict[str, tuple[object, object]] = {
    "lists": (RELEVANT, RETRIEVED),
    "sets": ([{"11", "12"}, {"13"}], RETRIEVED),
    "integers": ([[11, 12], [13]], [[12, 14, 15], [11, 13]]),
    "arrays": ([np.array([11, 12]), np.array([13])], [np.array([12, 14, 15]), np.array([11, 13])]),
    "tensors": ([Tensor([11, 12]), Tensor([13])], [Tensor([12, 14, 15]), Tensor([11, 13])]),
    "dicts of lists": (dict(enumerate(RELEVANT)), dict(enumerate(RETRIEVED))),
    "sentence-transformers": ({"0": {"11", "12"}, "1": {"13"}}, {"0": RETRIEVED[0], "1": RETRIEVED[1]}),
    "semantic_search": ([{11, 12}, {13}], [[{"corpus_id": int(d)} for d in items] for items in RETRIEVED]),
    "samples for reranking": (
        rw.Qrels(
            [
                {"query": "0", "positive": RELEVANT[0], "negative": ["14"]},
                {"query": "1", "positive": RELEVANT[1], "negative": ["11"]},
            ],
            columns={"document": "positive"},
        ),
        [{"query": str(place), "documents": items} for place, items in enumerate(RETRIEVED)],
    ),
    "RecTools": (
        pd.DataFrame({"user_id": [0, 0, 1], "item_id": [11, 12, 13]}),
        pd.DataFrame({"user_id": [0, 0, 0, 1, 1], "item_id": [12, 14, 15, 11, 13], "rank": [1, 2, 3, 1, 2]}),
    ),
    "RePlay": (dict(enumerate(RELEVANT)), {0: [("12", 3.0), ("14", 2.0), ("15", 1.0)], 1: [("11", 0.5), ("13", 0.25)]}),
    "Haystack": (
        [[HaystackDocument(d, "9") for d in items] for items in RELEVANT],
        [[HaystackDocument(d, "9") for d in items] for items in RETRIEVED],
    ),
    "MLflow, rows": (
        rw.Qrels(SAMPLES, columns={"query": "question", "document": "source"}),
        rw.Run(SAMPLES, columns={"query": "question", "document": "retrieved"}),
    ),
    "MLflow, columns of Polars": (pl.DataFrame(SAMPLES)["source"], pl.DataFrame(SAMPLES)["retrieved"]),
    "MLflow, columns of Arrow": (pa.array(RELEVANT), pa.chunked_array([[RETRIEVED[0]], [RETRIEVED[1]]])),
    "MLflow, columns of pandas": (SERIES["source"], SERIES["retrieved"][::-1]),
    "a data set of Ragas": (
        datasets.Dataset.from_list(SAMPLES)["source"],
        datasets.Dataset.from_list(SAMPLES)["retrieved"],
    ),
    "grouped lists": (
        pd.DataFrame({"user": [0, 0, 1], "item": RELEVANT[0] + RELEVANT[1]}).groupby("user")["item"].apply(list),
        {0: RETRIEVED[0], 1: RETRIEVED[1]},
    ),
    "pairs": (
        [("0", "11"), ("0", "12"), ("1", "13")],
        ((str(place), document) for place, items in enumerate(RETRIEVED) for document in items),
    ),
}


@pytest.mark.parametrize("tool", WITHOUT_SCORES)
def test_rankings_need_no_scores_and_judgements_no_grades(tool: str) -> None:
    found = values(*WITHOUT_SCORES[tool])
    assert {str(query): of_query for query, of_query in found.items()} == values(BY_PLACE, IN_ORDER)


def test_a_query_without_relevant_documents_counts() -> None:
    found = rw.evaluate([["a"], [], ["c"]], [["a"], ["b"], ["x"]], ["RR"])
    assert found.per_query.to_dict() == {"0": {"RR": 1.0}, "1": {"RR": 0.0}, "2": {"RR": 0.0}}


def test_a_recommender_needs_neither_queries_nor_scores() -> None:
    found = rw.evaluate([[1, 2, 3]], [[3, 9, 1]], ["P@2", "R@3", "AP"])
    assert [found["P@2"], found["R@3"], found["AP"]] == [1 / 2, 2 / 3, (1 + 2 / 3) / 3]


def test_columns_are_named_for_rows() -> None:
    judged = [{"term": query, "sku": document, "stars": grade} for query, document, grade in rows(QRELS)]
    qrels = rw.Qrels(judged, columns={"query": "term", "document": "sku", "grade": "stars"})
    assert qrels == rw.Qrels(QRELS)
    lines = [(query, 0, document, grade) for query, document, grade in rows(QRELS)]
    assert rw.Qrels(lines, columns={"query": "1", "document": "3", "grade": "4"}) == rw.Qrels(QRELS)
    swapped = [{"query": document, "document": query, "score": score} for query, document, score in rows(RUN)]
    run = rw.Run(swapped, columns={"query": "document", "document": "query"})
    assert values(QRELS, run) == values(QRELS, RUN)


def test_rows_come_from_databases_and_from_text() -> None:
    base = sqlite3.connect(":memory:")
    base.execute("create table run (query text, document text, score real)")
    base.executemany("insert into run values (?, ?, ?)", rows(RUN))
    assert values(QRELS, base.execute("select * from run")) == values(QRELS, RUN)
    base.row_factory = sqlite3.Row
    assert values(QRELS, base.execute("select score, document, query from run")) == values(QRELS, RUN)
    base.close()
    text = "\n".join(",".join(map(str, row)) for row in [("query", "document", "score"), *rows(RUN)])
    assert values(QRELS, csv.DictReader(io.StringIO(text))) == values(QRELS, RUN)


# Labels

INDEXES, PREDS, TARGET = [0, 0, 0, 1, 1, 1, 1], [0.2, 0.3, 0.5, 0.1, 0.3, 0.5, 0.2], [0, 0, 1, 0, 1, 0, 1]
"""as the manual of torchmetrics has them"""
ITEMS = {"query": INDEXES, "label": TARGET, "score": PREDS}
LABELS = {"labels": [[0, 0, 1], [0, 1, 0, 1]], "scores": [[0.2, 0.3, 0.5], [0.1, 0.3, 0.5, 0.2]]}

TABLES: dict[str, object] = {
    "lists": ITEMS,
    "tensors": {name: Tensor(column) for name, column in ITEMS.items()},
    "arrays": {name: np.array(column) for name, column in ITEMS.items()},
    "other names": {"qid": INDEXES, "relevance": TARGET, "prediction": PREDS},
    "ranks": {"query": INDEXES, "grade": TARGET, "rank": [3, 2, 1, 4, 2, 1, 3]},
    "pandas": pd.DataFrame(ITEMS | {"text": "a"}),
    "Polars": pl.DataFrame(ITEMS),
    "a lazy frame": pl.LazyFrame(ITEMS),
    "Arrow": pa.table(ITEMS),
}


@pytest.mark.parametrize("library", TABLES)
def test_labels_may_be_a_table_of_items(library: str) -> None:
    assert values(labels=TABLES[library]) == values(**LABELS)


def test_labels_are_those_of_scikit_learn() -> None:
    true_relevance = np.asarray([[10, 0, 0, 1, 5]])
    scores = np.asarray([[0.1, 0.2, 0.3, 4, 70]])
    found = rw.evaluate(labels=true_relevance, scores=scores, measures=["nDCG@10"])
    assert found["nDCG@10"] == pytest.approx(0.6956940443813076, abs=1e-15)  # as its manual says: 0.69
    dense = values(labels=[[1, 0, 0], [0, 0, 1]], scores=[[0.75, 0.5, 1], [1, 0.2, 0.1]])
    matrix = sparse.csr_matrix([[1, 0, 0], [0, 0, 1]])
    assert values(labels=matrix, scores=np.array([[0.75, 0.5, 1], [1, 0.2, 0.1]])) == dense
    assert values(labels=Tensor([[1, 0, 0], [0, 0, 1]]), scores=Tensor([[0.75, 0.5, 1], [1, 0.2, 0.1]])) == dense


@given(
    st.lists(
        st.lists(st.tuples(st.integers(0, 3), st.integers(-2, 2)), min_size=1, max_size=12), min_size=1, max_size=4
    )
)
@settings(max_examples=50, deadline=None)
def test_labels_give_what_a_dict_of_places_gives(lists: list[list[tuple[int, int]]]) -> None:
    labels = [[label for label, _ in items] for items in lists]
    scores = [[score for _, score in items] for items in lists]
    qrels = {
        str(query): {f"{place:02d}": label for place, label in enumerate(items)} for query, items in enumerate(labels)
    }
    run = {
        str(query): {f"{place:02d}": score for place, score in enumerate(items)} for query, items in enumerate(scores)
    }
    assert values(labels=labels, scores=scores) == values(qrels, run)
    orders = [sorted(range(len(items)), key=lambda place: (items[place], place), reverse=True) for items in scores]
    assert values(labels=labels, orders=orders) == values(qrels, run)


BAD_TABLES: dict[str, tuple[object, str, str]] = {
    "no query": ({"label": [1, 0], "score": [0.5, 0.25]}, "frame-columns", "columns="),
    "queries that are called so": (
        {"label": [1, 0], "topic": [0, 1], "shoes": [1, 1]},
        "frame-columns",
        "columns=",
    ),
    "no score": ({"query": INDEXES, "label": TARGET}, "frame-columns", "the order of rows ranks nothing"),
    "items with names": (ITEMS | {"doc_id": TARGET}, "input-type", "evaluate(table, table)"),
    "columns of other lengths": (ITEMS | {"score": [0.5]}, "input-type", "a score for each item"),
    "no score for an item": (ITEMS | {"score": [*PREDS[:-1], math.nan]}, "bad-score", "leave out what was not scored"),
}


@pytest.mark.parametrize("case", BAD_TABLES)
def test_tables_that_tell_too_little_or_too_much_are_refused(case: str) -> None:
    table, slug, remedy = BAD_TABLES[case]
    error = refused(labels=table)
    assert error.slug == slug
    assert remedy in error.remedy


def test_a_table_has_its_scores_in_it() -> None:
    with pytest.raises(rw.UsageError, match="labels are a table, in which scores are a column"):
        rw.evaluate(labels=ITEMS, scores=PREDS)


# What could be read in two ways


@pytest.mark.parametrize(
    ("judgements", "run"),
    [
        ([[1, 0, 1]], [[0.9, 0.2, 0.7]]),
        ([[0, 1, 0], [1, 0, 0]], [["a", "b"], ["c"]]),
        ({"q1": [1, 0]}, {"q1": [0, 1]}),
    ],
)
def test_labels_are_not_taken_for_ids(judgements: object, run: object) -> None:
    error = refused(judgements, run)
    assert error.slug in ("input-type", "id-type")
    assert "labels=[[" in error.remedy


def test_labels_that_repeat_are_documents_that_come_again() -> None:
    assert refused([["a"]], [[0, 0, 1, 0, 0]]).slug == "duplicate-document"
    assert refused([[7, 30, 7, 11, 0, 12]], [["a"]]).slug == "duplicate-judgement"


TWO_WAYS: dict[str, tuple[object, object, str, str]] = {
    "ranks or scores": (
        QRELS,
        [("q1", "d1", 1), ("q1", "d2", 2)],
        "rank-or-score",
        "for ranks, leave them out and give the documents in their order\nif they are scores, make them floats",
    ),
    "a pair or two documents": (
        QRELS,
        {"q1": ("d1", 7)},
        "input-type",
        "a document with its number is a pair: [('d1', 0.5)]",
    ),
    "a hole or an id": (
        [[3], [9]],
        np.array([[3, 7, -1], [8, 9, 4]]),
        "input-type",
        "make all ids texts",
    ),
    "scores or distances": (
        QRELS,
        {
            "q1": [
                (SimpleNamespace(id=name, page_content="..."), number) for name, number in (("d1", 0.25), ("d2", 0.5))
            ]
        },
        "ambiguous-order",
        'order="given"',
    ),
    "another field that may be the score": (
        QRELS,
        {"q1": [{"doc_id": "d1", "similarity": 0.25}]},
        "frame-columns",
        "say which it is: columns={'score': 'NAME'}\nif none holds scores: columns={'score': ''}",
    ),
    "another field that may be a distance": (
        QRELS,
        {"q1": [{"doc_id": "d1", "cosine_distance": 0.25}]},
        "frame-columns",
        "say which it is: columns={'score': 'NAME'}\nif none holds scores: columns={'score': ''}",
    ),
    "another field, in a later row": (
        QRELS,
        [{"query": "q1", "document": "d1", "value": None}, {"query": "q1", "document": "d2", "value": 0.5}],
        "frame-columns",
        "say which it is: columns={'score': 'NAME'}\nif none holds scores: columns={'score': ''}",
    ),
    "scores of some documents": (
        QRELS,
        {"q1": [HaystackDocument("d1"), HaystackDocument("d2", score=0.5)]},
        "missing-value",
        "give",
    ),
    "a column of lists with a query twice": (
        QRELS,
        pd.Series([["d1"], ["d2"]], index=["q1", "q1"]),
        "input-type",
        "give {query: {document: score}}, {query: [document, ...]}, rows (query, document, score), a frame",
    ),
    "columns or queries": (
        QRELS,
        {"query": ["q1"], "document": ["d1", "d2"]},
        "input-type",
        "if these are queries, give {query: {document: score}}",
    ),
    "an open file": (QRELS, io.StringIO("q1 Q0 d1 1 2.0 t\n"), "input-type", "or the path of a file"),
    "nothing at all": (
        QRELS,
        {"q1": [], "q3": []},
        "empty-input",
        "an iterator can be read once only; was one read before?",
    ),
}


@pytest.mark.parametrize("case", TWO_WAYS)
def test_what_could_be_read_in_two_ways_is_refused_with_both(case: str) -> None:
    judgements, run, slug, remedy = TWO_WAYS[case]
    error = refused(judgements, run)
    assert error.slug == slug
    assert remedy in error.remedy


def test_a_document_that_comes_again_is_refused_or_settled() -> None:
    run = {"q1": ["d2", "d1", "d2"], "q 2": ["d1"]}
    assert refused(QRELS, run).slug == "duplicate-document"
    assert values(QRELS, run, duplicates="first") == values(QRELS, {"q1": ["d2", "d1"], "q 2": ["d1"]})


@pytest.mark.parametrize(
    "thing",
    [
        *(1, 2.5, b"q1", len, int, object(), math, Ellipsis, np.array(1), pd.NA, pl.col("a"), iter(()), [], set()),
        *([None], [len], [object()], [{}], [()], [("q",)], [b"q"], [1], [{"a": 1}], [[None]], [[[["d"]]]]),
        *({"q": None}, {"q": 1}, {"q": "d"}, {"q": {"d": {"e": 1}}}, {None: ["d"]}, {1.5: ["d"]}, {("q", "d"): [1.0]}),
        *(
            np.zeros((2, 2, 2)),
            np.array(["d"]),
            np.array([("a",)], dtype=[("x", "U1")]),
            pd.Series([0.5]),
            pd.DataFrame(),
        ),
        *(
            pa.array([1]),
            pa.chunked_array([["a"]]),
            pd.Series([["a"], None]),
            {"q": np.zeros((1, 2))},
            {"q": {"d": "1"}},
        ),
        *(
            datasets.Dataset.from_dict({"a": [1]}),
            pd.DataFrame({"query": [1]}).groupby("query"),
        ),
    ],
    ids=lambda thing: re.sub(" at 0x[0-9A-Fa-f]+| from '[^']*'", "", repr(thing)),
)
def test_odd_things_are_refused(thing: object) -> None:
    for judgements, run in ((thing, RUN), (QRELS, thing)):
        error = refused(judgements, run)
        assert len(error.problems) == 1
        assert error.remedy


@pytest.mark.parametrize("empty", [[], {}, ()], ids=repr)
def test_a_query_without_documents_is_a_query_without_results(empty: Any) -> None:
    judged = {"0": {"a": 1}, "1": {"c": 1}}
    ranked = type(empty)({"c": 0.5, "a": 2.5}.items()) if empty == {} else [("a", 2.5), ("c", 0.5)]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", rw.RankworthWarning)
        found = rw.evaluate(judged, {"0": empty, "1": ranked}, ["RR", "NumRet"])
    assert found.per_query.to_dict() == {"0": {"RR": 0.0, "NumRet": 0}, "1": {"RR": 0.5, "NumRet": 2}}
    assert (found.counts.unanswered, found.counts.ignored) == (1, 0)


METADATA: dict[str, tuple[Callable[[str, float], Any], str]] = {
    "LangChain": (
        lambda name, _: SimpleNamespace(id=None, page_content="9", metadata={"source": name}),
        "metadata.source",
    ),
    "LangChain, pairs": (
        lambda name, score: (SimpleNamespace(id=None, page_content="9", metadata={"source": name}), score),
        "metadata.source",
    ),
    "Haystack": (lambda name, score: HaystackDocument("h" + name, meta={"source": name}, score=score), "meta.source"),
    "LlamaIndex": (
        lambda name, score: SimpleNamespace(
            node=SimpleNamespace(id_="9", metadata={"source": name}), score=score, node_id="9"
        ),
        "node.metadata.source",
    ),
    "dicts": (lambda name, score: {"id": "9", "meta": {"source": name}, "score": score}, "meta.source"),
}


@pytest.mark.parametrize("name", METADATA)
def test_ids_may_stand_in_metadata(name: str) -> None:
    document, path = METADATA[name]
    found = {query: [document(d, s) for d, s in inner.items()] for query, inner in SMALL_RUN.items()}
    expected = values(SMALL_QRELS, SMALL_RUN)
    assert values(SMALL_QRELS, found, run_columns={"document": path}) == expected
    assert values(SMALL_QRELS, found, columns={"document": path}) == expected
    with pytest.raises(rw.InputError, match="frame-columns"):
        rw.evaluate(SMALL_QRELS, found, run_columns={"document": "metadata.sauce"})


def test_of_several_lists_of_objects_the_user_says_which() -> None:
    pipeline = {
        query: {
            "retriever": {"documents": [HaystackDocument(d, "9", score=1.0) for d in reversed(inner)]},
            "ranker": {"documents": [HaystackDocument(d, "9", score=s) for d, s in inner.items()]},
        }
        for query, inner in SMALL_RUN.items()
    }
    chain: dict[str, Any] = {
        query: {"input": "9", "context": [SimpleNamespace(id=d, metadata={"source": d}) for d in inner]}
        for query, inner in SMALL_RUN.items()
    }
    expected = values(SMALL_QRELS, {query: list(inner) for query, inner in SMALL_RUN.items()})
    keys = "retriever.documents ranker.documents"
    columns = "'documents': 'retriever.documents', 'document': 'id', 'score': 'score'"
    for found, path, first, said in (
        (pipeline, "ranker.documents", keys, columns),
        (chain, "context", "input context", "'documents': 'context', 'document': 'id'"),
    ):
        assert values(SMALL_QRELS, found, run_columns={"documents": path}) == expected
        with pytest.raises(rw.InputError) as caught:
            rw.evaluate(SMALL_QRELS, found)
        assert caught.value.slug == "unknown-response"
        assert caught.value.problems[0].endswith(f"the first keys are {first}")
        assert caught.value.remedy == f"say where its hits are: columns={{{said}}}"
    chain["2"]["context"][1].metadata = {}
    with pytest.raises(rw.InputError, match=r"a hit has no metadata\.source; it has id metadata"):
        rw.evaluate(SMALL_QRELS, chain, run_columns={"documents": "context", "document": "metadata.source"})


@pytest.mark.parametrize("name", ["source", "file_path", "doc_id", "sku", "chunk_id"])
def test_a_document_without_an_id_is_refused_with_the_field_that_tells_it(name: str) -> None:
    metadata = {"page": 7, name: "11"}
    found = {"1": [SimpleNamespace(id=None, page_content="9", metadata=metadata)]}
    for columns in ({}, {"document": "id"}):
        with pytest.raises(rw.InputError) as caught:
            rw.evaluate(SMALL_QRELS, found, run_columns=columns)
        problem = f"id is None; the fields are id page_content metadata.page metadata.{name}"
        assert (caught.value.slug, caught.value.problems[0].partition(": ")[2]) == (
            "frame-columns",
            f"query '1', item 0: {problem}",
        )
        named, sought = caught.value.remedy.split("\n")
        assert named == f"say which it is: columns={{'document': 'metadata.{name}'}}"
        assert sought.startswith("if page_content holds passages, name the texts in which they stand: ")
    assert rw.evaluate(SMALL_QRELS, found, ["P@1"], run_columns={"document": f"metadata.{name}"}).per_query.to_dict()[
        "1"
    ] == {"P@1": 1.0}


@pytest.mark.parametrize("sign", [1.0, -1.0], ids=["inner product", "L2"])
@pytest.mark.parametrize("swapped", [False, True])
def test_arrays_of_faiss_hold_a_ranking_in_each_row(sign: float, *, swapped: bool) -> None:
    numbers = np.array([[0.5, 0.25, -3e38], [0.75, 0.5, 0.25]], dtype=np.float32) * sign
    ids = np.array([[12, 14, -1], [11, 13, 15]])
    run = {0: {12: 0.5, 14: 0.25}, 1: {11: 0.75, 13: 0.5, 15: 0.25}}
    judged = {0: {11: 1, 12: 2}, 1: {13: 1}}
    found = values(judged, (ids, numbers) if swapped else (numbers, ids))
    assert found == values(judged, run)


@pytest.mark.parametrize(
    ("run", "columns", "slug", "problem"),
    [
        (
            (np.array([[0.1, 0.2]], dtype=np.float32), np.array([[1, 2]])),
            {"score": "-score"},
            "frame-columns",
            "run_columns={'score': '-score'}: there is no such column",
        ),
        (
            {"query": ["1"], "ids": [["11"], ["12"]], "distances": [[0.1], [0.2]]},
            {},
            "response-queries",
            "the run has 2 responses, query has 1 query",
        ),
        (
            {"query": ["1", "2"], "ids": [["11"]], "distances": None},
            {},
            "response-queries",
            "the run has 1 response, query has 2 queries",
        ),
    ],
    ids=["FAISS with a column", "Chroma with fewer queries", "Chroma with more queries"],
)
def test_arrays_of_stores_that_do_not_fit_are_refused(
    run: object, columns: dict[str, str], slug: str, problem: str
) -> None:
    with pytest.raises(rw.InputError) as caught:
        rw.evaluate(SMALL_QRELS, run, run_columns=columns)
    assert (caught.value.slug, caught.value.problems[0]) == (slug, problem)
    assert caught.value.remedy


def test_the_message_names_the_field_of_an_object_that_holds_the_documents() -> None:
    nodes = [NodeWithScore("11", 0.5)]
    found = SimpleNamespace(response="text", source_nodes=nodes, metadata={})  # as LlamaIndex answers
    assert refused(SMALL_QRELS, {"1": found}).remedy == "give one of its fields: {'q1': response.source_nodes}"
    with pytest.warns(rw.RankworthWarning):
        values_by_query = rw.evaluate(SMALL_QRELS, {"1": found.source_nodes}, ["P@1"]).per_query.to_dict()
    assert values_by_query["1"] == {"P@1": 1.0}


def test_a_data_set_of_ragas_holds_both_sides() -> None:
    samples = [
        {
            "user_input": query,
            "retrieved_context_ids": list(SMALL_RUN[query]),
            "reference_context_ids": list(SMALL_QRELS[query]),
            "response": "9",
        }
        for query in SMALL_RUN
    ]
    relevant = {query: list(inner) for query, inner in SMALL_QRELS.items()}
    expected = values(relevant, SMALL_RUN)
    assert values(samples, samples) == expected
    objects = [SimpleNamespace(**sample) for sample in samples]
    assert values(objects, objects) == expected
    assert values(pl.DataFrame(samples), pl.DataFrame(samples)) == expected


def test_only_values_that_arrow_does_not_know_are_read_as_objects() -> None:
    class Failing(pd.arrays.StringArray):
        error: Exception

        def __arrow_array__(self, type: object = None) -> object:  # noqa: A002 - Arrow's word
            raise self.error

    documents = Failing(np.array(["d1", "d2"], dtype=object))
    frame = pd.DataFrame({"query": ["q1", "q1"], "document": documents, "score": [2.0, 1.0]})
    for error in (pa.ArrowInvalid("of two types"), pa.ArrowNotImplementedError("no such type"), ImportError("pyarrow")):
        Failing.error = error
        assert [*rw.Run(frame).to_frame().iter_rows()] == [("q1", "d1", 2.0), ("q1", "d2", 1.0)]
    Failing.error = RuntimeError("the disk is gone")
    with pytest.raises(rw.InputError, match=r"cannot be read as a frame \(the disk is gone\)   \[input-type\]"):
        rw.Run(frame)
