"""All ways to hand data in give the same values: `inputs.py` has the ways, one law takes all of them, in any pairs."""

import copy
import gzip
import json
import math
import os
import random
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Mapping
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

import rankworth as rw
from generators import Grades, Scores, collections
from helpers import quietly, scores_of
from inputs import PACKERS, WAYS, Way, columns_of, qrels_lines, rows_of, run_lines, text_of
from judge import judge
from rankworth.io import delimited, frames, jsonl, parquet, python_objects, trec, usual_names
from rankworth.io.source import Source
from rankworth.model import Qrels, Run

QRELS: Grades = {
    "10": {"d1": 2.0, "d2": 0.0, "d#3": 1.0, "é": 0.5, "missing": 3.0},
    "9": {"d1": -1.0, "字": 1.0, "𝒳": -2.5, "\uffee": 1.0},
    "unanswered": {"d1": 1.0},
}
RUN: Scores = {
    "9": {"𝒳": 0.5, "字": 0.5, "\uffee": 0.5, "d1": 0.5},
    "nobody-judged": {"d1": 1.0, "d9": 1.0},
    "10": {"d0": -1e300, "é": 1.0, "d2": 1.0 + 2**-40, "d#3": math.inf, "d9": 1e-7, "d1": -3.0},
}
several = settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Give a folder for files that examples of Hypothesis may overwrite."""
    return tmp_path_factory.mktemp("doors")


def look(qrels: object, run: object) -> dict[str, dict[str, tuple[float, ...]]]:
    """Everything that judging says, by name, so that two doors can be compared exactly."""
    judgements = Qrels(qrels)
    judgement = judge(judgements, Run(run))
    hits = judgement.hits
    seen: dict[str, dict[str, tuple[float, ...]]] = {"": {"ignored": (len(judgement.unjudged),)}}
    for place, query in enumerate(judgements.queries):
        rows = slice(hits.offsets[place], hits.offsets[place + 1])
        pool = slice(hits.pool.offsets[place], hits.pool.offsets[place + 1])
        seen[query] = {
            name: tuple(getattr(hits, name)[rows].tolist()) for name in ("rank", "tie_first", "tie_last", "grade")
        } | {"retrieved": (int(hits.n_retrieved[place]),), "pool": tuple(hits.pool.grades[pool].tolist())}
    return seen


def expected(qrels: Grades, run: Scores) -> dict[str, dict[str, tuple[float, ...]]]:
    """The same, worked out by sorting."""
    seen: dict[str, dict[str, tuple[float, ...]]] = {
        "": {"ignored": (sum(bool(documents) for query, documents in run.items() if query not in qrels),)}
    }
    for query, grades in qrels.items():
        scores = run.get(query, {})
        order = sorted(scores, key=lambda document: (scores[document], document.encode()), reverse=True)
        hits = [document for document in order if document in grades]
        better = [sum(score > scores[document] for score in scores.values()) for document in hits]
        equal = [sum(score == scores[document] for score in scores.values()) for document in hits]
        seen[query] = {
            "rank": tuple(order.index(document) + 1 for document in hits),
            "tie_first": tuple(above + 1 for above in better),
            "tie_last": tuple(above + same for above, same in zip(better, equal, strict=True)),
            "grade": tuple(float(grades[document]) for document in hits),
            "retrieved": (len(scores),),
            "pool": tuple(sorted(map(float, grades.values()), reverse=True)),
        }
    return seen


# One law over all ways

MEASURES = ("nDCG@3", "AP", "RR", "P@2", "Bpref", "Judged@2", "NumRet")
PIECES = (
    *((trec, "CHUNK", 16), (delimited, "CHUNK", 16), (jsonl, "CHUNK", 16), (parquet, "SLICE", 2)),
    *((frames, "BATCH", 2), (python_objects, "BATCH", 2)),
)
"""how much is read at a time, where it is little"""
SHARE = 10
"""of the ways, an example of Hypothesis takes one in so many"""
COLUMN_NAMES = {name.lower() for names in usual_names.SPELLINGS.values() for name in names}
IDS_OF_ALL_KINDS = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=3)
NUMBERS_OF_ALL_KINDS = st.floats(allow_nan=False, allow_infinity=False)
DOCUMENTS_OF_ALL_KINDS = st.dictionaries(IDS_OF_ALL_KINDS, NUMBERS_OF_ALL_KINDS, min_size=1, max_size=3)


@st.composite
def odd_collections(draw: st.DrawFn) -> tuple[Grades, Scores]:
    """Judgements and a run that share a query, with any text as ids and any numbers."""
    query = IDS_OF_ALL_KINDS.filter(lambda text: text.lower() not in COLUMN_NAMES)
    sides = draw(st.tuples(*[st.dictionaries(query, DOCUMENTS_OF_ALL_KINDS, max_size=2)] * 2))
    shared = draw(query)
    qrels, run = (side | {shared: draw(DOCUMENTS_OF_ALL_KINDS)} for side in sides)
    return qrels, run


def outcome(qrels: object, run: object, **said: Any) -> tuple[dict[str, str], dict[str, str]]:
    """The values and the means, to the last bit, whatever is warned of."""
    values = quietly(rw.evaluate, qrels, run, MEASURES, **said)
    return {query: repr(row) for query, row in values.per_query.to_dict().items()}, {
        name: repr(mean) for name, mean in values.mean().items()
    }


def best_first(dicts: Scores) -> Scores:
    """The documents of each query in the order that scores and ids give them."""
    return {
        query: dict(sorted(inner.items(), key=lambda item: (item[1], item[0].encode()), reverse=True))
        for query, inner in dicts.items()
    }


def source(way: Way, value: str, dicts: Grades | Scores, path: Path) -> Any:
    """The dicts in this way; the same once it was read is what they are."""

    def make() -> Any:
        return way.make(best_first(dicts) if way.listed else dicts, value, path)

    if value == "grade":
        assert rw.Qrels(make(), columns=way.columns) == rw.Qrels(dicts)
    elif way.scored:
        assert scores_of(rw.Run(make(), columns=way.columns)) == dicts
    return make()


def through(judged: str, ranked: str, qrels: Grades, run: Scores, folder: Path) -> object:
    """What comes of judgements in one way and of a run in another, or the error."""
    left, right = WAYS[judged], WAYS[ranked]
    try:
        sources = [
            source(left, "grade", qrels, folder / f"grades {list(WAYS).index(judged)}"),
            source(right, "score", run, folder / f"scores {list(WAYS).index(ranked)}"),
        ]
        if left.reads and left.reads == right.reads:
            sources[0] = qrels
        return outcome(*sources, qrels_columns=left.columns, run_columns=right.columns)
    except Exception as error:  # noqa: BLE001 - whatever it is, it is told with the others
        return repr(error)


@settings(several, max_examples=24)
@given(
    collection=collections() | odd_collections(),
    small=st.booleans(),
    ways=st.tuples(st.integers(0, 200), st.integers(0, 200)),
    share=st.just(SHARE),
)
@example(collection=(QRELS, RUN), small=False, ways=(0, 0), share=1)
@example(collection=(QRELS, RUN), small=True, ways=(0, 50), share=1)
def test_every_way_to_hand_data_in_gives_the_values_of_the_dicts(
    folder: Path, collection: tuple[Grades, Scores], small: bool, ways: tuple[int, int], share: int
) -> None:
    qrels, run = collection
    ids = [one for side in collection for query, inner in side.items() for one in (query, *inner)]
    judged, ranked = ([name for name, way in WAYS.items() if way.fits(value, ids)] for value in ("grade", "score"))
    expected = outcome(qrels, run)
    wrong = {}
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sys, "stdin", None)  # which some ways set
        for module, name, size in PIECES if small else ():
            patch.setattr(module, name, size)
        for number in range(0, max(len(judged), len(ranked)), share):
            pair = judged[(number + ways[0]) % len(judged)], ranked[(number + ways[1]) % len(ranked)]
            if (found := through(*pair, qrels, run, folder)) != expected:
                wrong[pair] = found
    assert wrong == {}, expected


def test_all_libraries_are_here_and_most_ways_hold_any_id() -> None:
    for value in ("grade", "score"):
        names = [name for name, way in WAYS.items() if way.only in ("", value)]
        assert [name for name in names if not WAYS[name].fits(value, "d")] == []
        assert sum(WAYS[name].fits(value, [" ", "\0", "#"]) for name in names) > 90


def test_what_is_read_is_what_sorting_gives() -> None:
    assert look(QRELS, RUN) == expected(QRELS, RUN)


# Files

WHITE = st.text(" \t", min_size=1, max_size=3) | st.sampled_from([" ", "\t", "\r ", "\v", " \f"])
NOISE = st.sampled_from(["", "", "", "", "\n", "  \n", "# a comment\n", "\t#1 Q0 d 1 2.5 x\r\n", "\r\n"])
ENDS = st.sampled_from(["\n", "\n", "\r\n", " \n"])


@st.composite
def files(draw: st.DrawFn, lines: list[str], *, shuffled: bool = True) -> bytes:
    """Write lines in any order, with any white space and comments; tidy, often."""
    lines = draw(st.permutations(lines)) if shuffled and draw(st.booleans()) else lines
    if draw(st.booleans()):
        return text_of(lines)[: None if draw(st.booleans()) else -1]
    parts = [draw(st.sampled_from(["", "\ufeff"]))]
    for line in lines:
        parts.append(draw(NOISE))
        parts += [word + draw(WHITE) for word in line.split(" ")[:-1]]
        parts += [line.split(" ")[-1], draw(ENDS)]
    parts.append(draw(NOISE))
    return "".join(parts).encode()


@st.composite
def file_collections(draw: st.DrawFn) -> tuple[Grades, Scores, bytes, bytes]:
    qrels, run = draw(collections())
    return (
        qrels,
        run,
        draw(files(qrels_lines(rows_of(qrels)))),
        draw(files(run_lines(rows_of(run)))),
    )


@several
@given(collection=file_collections(), chunk=st.sampled_from([16, 64, 100, 8 << 20]))
def test_chunks_may_end_anywhere(folder: Path, collection: tuple[Grades, Scores, bytes, bytes], chunk: int) -> None:
    qrels, run, qrels_file, run_file = collection
    (folder / "chunks.run").write_bytes(run_file)
    (folder / "chunks.qrels").write_bytes(qrels_file)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(trec, "CHUNK", chunk)
        assert look(folder / "chunks.qrels", folder / "chunks.run") == look(qrels, run) == expected(qrels, run)


def test_a_line_may_be_longer_than_a_chunk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(trec, "CHUNK", 64)
    long = "d" * 1000
    qrels, run = {"q": {"d": 1.0, long: 2.0}}, {"q": {"e": 3.0, long: 2.0, "d": 1.0}}
    (tmp_path / "a.run").write_bytes(text_of(run_lines(rows_of(run))))
    (tmp_path / "a.qrels").write_bytes(text_of(qrels_lines(rows_of(qrels))))
    assert look(tmp_path / "a.qrels", tmp_path / "a.run") == expected(qrels, run)


@pytest.fixture
def large() -> tuple[Grades, Scores]:
    """Give a collection of many chunks of 1,000 bytes, in no order and with ties."""
    chance = random.Random(3)  # noqa: S311 - a seeded collection
    documents = [f"d{number}" for number in range(60)]
    run = {
        f"q{query}": {document: float(chance.randrange(8)) for document in chance.sample(documents, 40)}
        for query in range(50)
    }
    qrels = {
        f"q{query}": {document: float(chance.randrange(-1, 4)) for document in chance.sample(documents, 20)}
        for query in range(0, 60, 2)
    }
    return qrels, run


@pytest.mark.parametrize(
    "order", ["whole queries", "one document of each query in turn", "one query comes back", "shuffled"]
)
def test_queries_may_be_scattered(
    order: str, large: tuple[Grades, Scores], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    qrels, run = large
    rows = rows_of(run)
    if order == "one document of each query in turn":
        rows.sort(key=lambda row: row[1])
    elif order == "one query comes back":
        rows.append(rows.pop(0))
    elif order == "shuffled":
        random.Random(4).shuffle(rows)  # noqa: S311 - as above
    path = tmp_path / "a.run"
    path.write_bytes(text_of(run_lines(rows)))
    monkeypatch.setattr(trec, "CHUNK", 1000)
    assert look(qrels, path) == expected(qrels, run)


@pytest.mark.parametrize("tied", [False, True])
def test_scores_decide_and_neither_the_rank_column_nor_the_order_of_the_lines(tied: bool, tmp_path: Path) -> None:
    scores = {"a": 1.0, "b": 1.0 if tied else 3.0, "c": 1.0 if tied else 2.0}
    path = tmp_path / "a.run"
    path.write_text("".join(f"q Q0 {document} {rank} {scores[document]} t\n" for rank, document in enumerate("abc", 1)))
    seen = look({"q": {"a": 1, "b": 1, "c": 1}}, path)["q"]
    assert seen["tie_first"] == ((1, 1, 1) if tied else (1, 2, 3))
    assert seen == expected({"q": {"a": 1, "b": 1, "c": 1}}, {"q": scores})["q"]
    first = {"a": 0.0, "b": 0.0, "c": 0.0} | {"c" if tied else "b": 1.0}
    assert rw.evaluate({"q": first}, path, ["RR"])["RR"] == 1


# Standard input and other pipes

PROGRAM = """
import json, sys, warnings
import rankworth as rw
warnings.simplefilter("ignore")
print(json.dumps(rw.evaluate(sys.argv[1], sys.argv[2], ["nDCG@3", "AP", "RR", "P@2", "Bpref"]).per_query.to_dict()))
"""


def piped(qrels: Path | str, run: Path | str, content: bytes) -> Any:
    """Evaluate in a process of its own that reads from a pipe."""
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, str(qrels), str(run)], input=content, capture_output=True, check=True
    )
    return json.loads(done.stdout)


def evaluated(qrels: object, run: object) -> dict[str, dict[str, float]]:
    with pytest.warns(rw.RankworthWarning):
        return rw.evaluate(qrels, run, ["nDCG@3", "AP", "RR", "P@2", "Bpref"]).per_query.to_dict()


def test_standard_input_may_come_in_drops(tmp_path: Path) -> None:
    (tmp_path / "a.qrels").write_bytes(text_of(qrels_lines(rows_of(QRELS))))
    packed = gzip.compress(text_of(run_lines(rows_of(RUN))))
    command = [sys.executable, "-c", PROGRAM, str(tmp_path / "a.qrels"), "-"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        for part in (packed[:1], packed[1:30], packed[30:]):
            process.stdin.write(part)
            process.stdin.flush()
            time.sleep(0.2)
        process.stdin.close()
        assert json.loads(process.stdout.read()) == evaluated(QRELS, RUN)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs named pipes")
@pytest.mark.parametrize("packer", ["plain", "gzip"])
@pytest.mark.parametrize("scattered", [False, True])
def test_a_named_pipe_is_read_once_and_kept(packer: str, scattered: bool, tmp_path: Path) -> None:
    rows = rows_of(RUN)
    if scattered:
        rows.sort(key=lambda row: row[1])
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    content = PACKERS.get(packer, bytes)(text_of(run_lines(rows)))
    writer = threading.Thread(target=pipe.write_bytes, args=[content])
    writer.start()
    run = Run(pipe)
    assert look(QRELS, run) == expected(QRELS, RUN)
    assert look(QRELS, run) == expected(QRELS, RUN)
    writer.join()


@pytest.mark.parametrize("packer", ["plain", "gzip"])
def test_progress_ends_at_the_size_of_the_file(
    packer: str, large: tuple[Grades, Scores], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "a.run"
    path.write_bytes(PACKERS.get(packer, bytes)(text_of(run_lines(rows_of(large[1])))))
    monkeypatch.setattr(trec, "CHUNK", 1000)
    told: list[tuple[str, int, int | None]] = []
    judge(Qrels(large[0]), Run(path), progress=lambda *call: told.append(call))
    assert len(told) > 5
    assert [place for _, place, _ in told] == sorted(place for _, place, _ in told)
    assert told[-1] == (str(path), path.stat().st_size, path.stat().st_size)


def test_a_pipe_has_no_size() -> None:
    assert Source("-").size is None
    assert Source(os.devnull).size is None


# Dicts

NUMBERS: dict[str, Callable[[int], Any]] = {
    "int": int,
    "float": float,
    "bool": lambda number: number > 1,
    "Fraction": lambda number: Fraction(number, 3),
    "Decimal": lambda number: Decimal(number) / 8,
    "np.float32": np.float32,
    "np.float64": np.float64,
    "np.float16": np.float16,
    "np.int8": np.int8,
    "np.int64": np.int64,
    "np.uint64": np.uint64,
    "np.bool": lambda number: np.bool(number > 1),
    "0-dimensional array": lambda number: np.array(number / 4),
    "int and float": lambda number: number if number % 2 else number / 2,
}


@pytest.mark.parametrize("kind", NUMBERS)
def test_scores_and_grades_may_be_any_real_number(kind: str) -> None:
    number = NUMBERS[kind]
    qrels = {"q": {f"d{place}": number(place % 3) for place in range(5)}}
    run = {"q": {f"d{place}": number((7 * place) % 5) for place in range(1, 8)}}
    as_float = [{"q": {document: float(value) for document, value in side["q"].items()}} for side in (qrels, run)]
    assert look(qrels, run) == expected(as_float[0], as_float[1])


IDS: dict[str, Callable[[int], Any]] = {
    "text": str,
    "int": int,
    "np.int64": np.int64,
    "np.uint8": np.uint8,
    "np.str": np.str_,
}


@pytest.mark.parametrize("judged_ids", IDS)
@pytest.mark.parametrize("run_ids", IDS)
def test_ids_of_both_sides_meet_as_text(judged_ids: str, run_ids: str) -> None:
    judged, retrieved = IDS[judged_ids], IDS[run_ids]
    qrels = {judged(query): {judged(document): document % 3 for document in range(8, 12)} for query in (9, 10)}
    run = {retrieved(query): {retrieved(document): 1.0 for document in range(6, 11)} for query in (10, 11)}
    texts = [
        {str(query): {str(key): float(one) for key, one in inner.items()} for query, inner in side.items()}
        for side in (qrels, run)
    ]
    assert look(qrels, run) == expected(texts[0], texts[1])


def test_ids_may_be_mixed_in_one_dict() -> None:
    qrels = {1: {"a": 1, 2: 2}, "b": {3: 1}}
    run = {"1": {2: 0.5, "a": 0.25, np.int64(7): 1}, "b": {"3": 1}}
    texts = {"1": {"2": 0.5, "a": 0.25, "7": 1.0}, "b": {"3": 1.0}}
    assert look(qrels, run) == expected({"1": {"a": 1.0, "2": 2.0}, "b": {"3": 1.0}}, texts)


def test_a_query_without_documents_is_unanswered() -> None:
    run = {"q1": {}, "q2": {"d": 1.0}, "unjudged": {}}
    qrels = {"q1": {"d": 1.0}, "q2": {"d": 1.0}}
    assert look(qrels, run) == look(qrels, Run(run).to_frame()) == expected(qrels, run)


def test_a_query_with_an_empty_dict_of_judgements_counts_as_one_without_relevant_documents() -> None:
    values = rw.evaluate({"q1": {}, "q2": {"d": 1}}, {"q1": {"d": 1}, "q2": {"d": 1}}, ["RR", "AP"])
    assert values.per_query.to_dict() == {"q1": {"RR": 0, "AP": 0}, "q2": {"RR": 1, "AP": 1}}
    assert (values.counts.judged, values.counts.no_relevant) == (2, 1)


# Frames


@pytest.mark.parametrize("kind", [str, object, "category"])
def test_pandas_does_not_need_pyarrow(kind: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    qrels = pd.DataFrame(columns_of(QRELS, ("qid", "docno", "label"))).astype({"qid": kind, "docno": kind})
    run = pd.DataFrame(columns_of(RUN, ("qid", "docno", "score"))).astype({"qid": kind, "docno": kind})
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    assert look(qrels, run) == expected(QRELS, RUN)


def test_columns_of_objects_may_mix_integers_and_texts() -> None:
    qrels = pd.DataFrame({"query": [1, "b", "b"], "document": ["x", 2, "y"], "grade": [1, 0.5, Fraction(1, 4)]})
    run = pd.DataFrame({"query": ["1", "b"], "document": ["x", "2"], "score": [np.float32(1), Decimal("0.5")]})
    grades = {"1": {"x": 1.0}, "b": {"2": 0.5, "y": 0.25}}
    assert look(qrels, run) == expected(grades, {"1": {"x": 1.0}, "b": {"2": 0.5}})


SPELLED = [
    ("query", "document"),
    ("query_id", "doc_id"),
    ("qid", "docno"),
    ("qid", "docid"),
    ("query-id", "corpus-id"),
    ("q_id", "pid"),
    ("topic", "docid"),
    ("user_id", "item_id"),
    ("QUERY", "DocNo"),
    ("user", "item"),
    ("userID", "itemID"),
    ("queryId", "documentId"),
    ("topic_id", "document_id"),
    ("Query Text", "Doc ID"),
    ("query_text", "doc_id"),
    ("qid", "corpus_id"),
    ("user_input", "doc_id"),
    ("question_id", "product_id"),
    ("questionId", "productId"),
    ("search_id", "passage_id"),
    ("session_id", "passage-id"),
    ("sessionId", "chunk_id"),
    ("customer_id", "article_id"),
    ("customerId", "articleId"),
    ("question", "movie_id"),
    ("search_term", "movieId"),
    ("search_query", "track_id"),
    ("search_phrase", "news_id"),
    ("user", "asin"),
    ("query", "doc"),
]
GRADES = ["grade", "relevance", "label", "rel", "rating", "judgment", "judgement"]
SCORES = ["score", "prediction", "Score", "_score", "score", "score", "score"]
RANKS = ["rank", "position", "Doc Position"]
DISTANCES = ("distance", "dist", "_distance")


@pytest.mark.parametrize(("query", "document"), SPELLED)
@pytest.mark.parametrize(("grade", "score"), list(zip(GRADES, SCORES, strict=True)))
def test_columns_are_known_by_their_usual_names(query: str, document: str, grade: str, score: str) -> None:
    qrels = pl.DataFrame(columns_of(QRELS, (query, document, grade))).with_columns(iteration=pl.lit(0))
    run = pl.DataFrame(columns_of(RUN, (query, document, score))).with_columns(rank=pl.lit(1), tag=pl.lit("x"))
    assert look(qrels.select(qrels.columns[::-1]), run) == expected(QRELS, RUN)


def test_the_text_of_a_query_may_stand_beside_its_id() -> None:
    run = pl.DataFrame(columns_of(RUN, ("qid", "docno", "score"))).with_columns(query=pl.lit("what"), docid=pl.lit(7))
    assert look(QRELS, run) == expected(QRELS, RUN)


@pytest.mark.parametrize("rank", RANKS)
def test_ranks_stand_for_scores_where_there_are_none(rank: str) -> None:
    ranks = {query: {document: place for place, document in enumerate(inner, 1)} for query, inner in RUN.items()}
    scores = {query: {document: -place for document, place in inner.items()} for query, inner in ranks.items()}
    run = pl.DataFrame(columns_of(ranks, ("query", "document", rank)))
    assert look(QRELS, run) == expected(QRELS, scores)


@pytest.mark.parametrize("distance", DISTANCES)
def test_the_smallest_distance_ranks_first(distance: str) -> None:
    distances = {query: {document: -score for document, score in inner.items()} for query, inner in RUN.items()}
    run = pl.DataFrame(columns_of(distances, ("query", "document", distance)))
    assert look(QRELS, run) == expected(QRELS, RUN)


def test_every_known_name_of_a_column_is_tried() -> None:
    tried = {name.lower() for pair in SPELLED for name in pair} | {
        *GRADES,
        *map(str.lower, SCORES),
        *("subtopic", "subtopic_id", "iteration"),  # in test_subtopics.py
        *("group", "group_id", "nugget", "nugget_id"),  # in test_groups.py
        *(
            name for role in ("source", "start", "end") for name in usual_names.SPELLINGS[role]
        ),  # in test_span_measures.py
        *map(str.lower, RANKS),
        *DISTANCES,
    }
    assert {name for names in usual_names.SPELLINGS.values() for name in names} == tried


@pytest.mark.parametrize("dtype", [pl.Int8, pl.Int64, pl.UInt32, pl.String, pl.Categorical])
def test_ids_in_frames_meet_ids_elsewhere_as_text(dtype: Any) -> None:
    qrels = {query: {document: document % 3 for document in range(8, 12)} for query in (9, 10)}
    run = {query: dict.fromkeys(range(6, 11), 1.0) for query in (10, 11)}
    texts = [
        {str(query): {str(key): float(one) for key, one in inner.items()} for query, inner in side.items()}
        for side in (qrels, run)
    ]
    wanted = expected(texts[0], texts[1])
    as_text = (pl.col("query", "document").cast(pl.String).cast(dtype),)
    judged = pl.DataFrame(columns_of(texts[0], ("query", "document", "grade"))).with_columns(*as_text)
    retrieved = pl.DataFrame(columns_of(texts[1], ("query", "document", "score"))).with_columns(*as_text)
    assert look(judged, retrieved) == look(judged, run) == look(qrels, retrieved) == wanted


@pytest.mark.parametrize("dtype", [pl.Int8, pl.UInt16, pl.Float32, pl.Float64, pl.Decimal(10, 3), pl.Boolean])
def test_values_in_frames_may_be_any_number(dtype: Any) -> None:
    rows = [("q", "a", 0), ("q", "b", 1), ("q", "c", 1)]
    frame = pl.DataFrame(rows, schema=["query", "document", "value"], orient="row").with_columns(
        pl.col("value").cast(dtype)
    )
    wanted = expected({"q": {"a": 0.0, "b": 1.0, "c": 1.0}}, {"q": {"a": 0.0, "b": 1.0, "c": 1.0}})
    assert look(frame.rename({"value": "grade"}), frame.rename({"value": "score"})) == wanted


# What holds in all ways

DOORS = ("dict", "file", "frame")


def brought(door: str, dicts: Mapping[str, Mapping[str, float]], path: Path) -> Any:
    """Bring a dict to one of the doors."""
    if door == "dict":
        return dicts
    value = "score" if path.suffix == ".run" else "grade"
    if door == "frame":
        return pl.DataFrame(columns_of(dicts, ("query", "document", value)))
    lines = run_lines(rows_of(dicts)) if value == "score" else qrels_lines(rows_of(dicts))
    path.write_bytes(text_of(lines))
    return path


every_door = pytest.mark.parametrize("door", DOORS)


@every_door
def test_grades_may_be_fractional_or_negative(door: str, tmp_path: Path) -> None:
    grades = {"q": {"a": 0.5, "b": -1.0, "c": 1.9, "d": -2.25, "e": 1e-9, "f": 0.1 + 0.2, "g": 1e15 + 0.5}}
    assert Qrels(brought(door, grades, tmp_path / "a.qrels")).to_dict() == grades
    assert Qrels(brought(door, grades, tmp_path / "a.qrels")).pool.grades.tolist() == sorted(
        grades["q"].values(), reverse=True
    )


@every_door
def test_scores_are_compared_in_64_bits(door: str, tmp_path: Path) -> None:
    scores = {"q": {"a": 16777217.0, "b": 16777216.0, "c": 0.1, "d": math.nextafter(0.1, 0), "e": 5e-324, "f": 0.0}}
    assert len({np.float32(score) for score in scores["q"].values()}) == 3
    grades = {"q": dict.fromkeys("abcdef", 1.0)}
    seen = look(grades, brought(door, scores, tmp_path / "a.run"))["q"]
    assert seen["rank"] == seen["tie_first"] == seen["tie_last"] == (1, 2, 3, 4, 5, 6)


def test_a_score_in_a_file_is_the_nearest_double(tmp_path: Path) -> None:
    texts = [
        "1e23",
        "8.41e21",
        "9007199254740993",
        "2.2250738585072011e-308",
        "0.1000000000000000055511151231257827021181583404541015625",
    ]
    texts += ["+5.", "-.5e-3", "1E+2", "inf", "-Infinity", "1e999", "123456789012345678901234567890"]
    (tmp_path / "a.run").write_text("".join(f"q Q0 d{place} 1 {text} t\n" for place, text in enumerate(texts)))
    assert Run(tmp_path / "a.run").to_frame()["score"].to_list() == [float(text) for text in texts]


@every_door
def test_inputs_are_never_written_to(door: str, tmp_path: Path) -> None:
    qrels, run = (
        brought(door, copy.deepcopy(QRELS), tmp_path / "a.qrels"),
        brought(door, copy.deepcopy(RUN), tmp_path / "a.run"),
    )
    judgements = Qrels(qrels)
    evaluated(judgements, run)
    evaluated(qrels, Run(run))
    if door == "dict":
        assert (qrels, run) == (QRELS, RUN)
        assert [list(inner) for inner in run.values()] == [list(inner) for inner in RUN.values()]
    elif door == "file":
        assert qrels.read_bytes() == text_of(qrels_lines(rows_of(QRELS)))
        assert run.read_bytes() == text_of(run_lines(rows_of(RUN)))
        assert sorted(path.name for path in tmp_path.iterdir()) == ["a.qrels", "a.run"]
    else:
        assert qrels.equals(brought(door, QRELS, tmp_path / "a.qrels"))
        assert run.equals(brought(door, RUN, tmp_path / "a.run"))
    with pytest.raises(ValueError, match="read-only"):
        judgements.grades[0] = 7


@pytest.mark.parametrize("kind", [str, object, "category"])
def test_frames_of_pandas_are_never_written_to(kind: Any) -> None:
    qrels = (
        pd.DataFrame(columns_of(QRELS, ("Query", "docno", "grade")))
        .astype({"Query": kind})
        .set_index("docno", drop=False)
    )
    run = pd.DataFrame(columns_of(RUN, ("qid", "docno", "score"))).astype({"docno": kind})
    before = [frame.copy(deep=True) for frame in (qrels, run)]
    evaluated(qrels, run)
    for frame, copied in zip((qrels, run), before, strict=True):
        pd.testing.assert_frame_equal(frame, copied)


@every_door
def test_judgements_may_be_kept_for_some_queries(door: str, tmp_path: Path) -> None:
    source = brought(door, QRELS, tmp_path / "a.qrels")
    part = {query: QRELS[query] for query in ("10", "9")}
    whole = Qrels(source)
    for queries in (
        ["9", "10"],
        [10, 9, "9", np.int64(10)],
        {"10": "text of the query", "9": ""},
        pl.Series(["10", "9"]),
    ):
        for kept in (Qrels(source, queries=queries), Qrels(whole, queries=queries)):
            assert kept == Qrels(part)
            assert kept.queries == ["10", "9"]
            assert look(kept, RUN) == expected(part, RUN)
    assert whole == Qrels(QRELS)
    assert look(whole, RUN) == expected(QRELS, RUN)


def test_a_run_as_a_frame_keeps_rank_and_tag(tmp_path: Path) -> None:
    path = tmp_path / "a.run"
    path.write_text("q2 Q0 d1 7 0.5 first\n# comment\nq1  Q0 d1 003 2 second\n")
    wanted = {
        "query": ["q2", "q1"],
        "document": ["d1", "d1"],
        "rank": [7, 3],
        "score": [0.5, 2.0],
        "tag": ["first", "second"],
    }
    run = Run(path)
    assert run.to_frame().to_dict(as_series=False) == wanted
    assert run.to_frame("pandas").to_dict(orient="list") == wanted
    assert run.to_frame("pyarrow").to_pydict() == wanted


@pytest.mark.parametrize("before", ["", "\t", "\ufeff", " "])
@pytest.mark.parametrize("after", ["", "\t", " ", "\r"])
def test_a_tag_may_hold_blanks_where_tabs_tell_where_it_begins(before: str, after: str, tmp_path: Path) -> None:
    path = tmp_path / "a.run"
    path.write_bytes(f"{before}q\tQ0\td1\t1\t2\tmy  own\tq\n".encode())
    with pytest.raises(rw.InputError, match="run-columns"):
        Run(path).to_frame()
    path.write_bytes(f"{before}q\tQ0\td1\t1\t2\tmy  own run{after}\nq Q0 d2 2 1 other\n".encode())
    frame = Run(path).to_frame()
    assert frame.rows() == [("q", "d1", 1, 2.0, "my own run"), ("q", "d2", 2, 1.0, "other")]


@every_door
@pytest.mark.parametrize("library", ["polars", "pandas", "pyarrow"])
def test_frames_go_out_and_come_in_again(door: str, library: Any, tmp_path: Path) -> None:
    qrels = Qrels(brought(door, QRELS, tmp_path / "a.qrels")).to_frame(library)
    run = Run(brought(door, RUN, tmp_path / "a.run")).to_frame(library)
    assert type(qrels).__module__.startswith(library)
    assert type(run).__module__.startswith(library)
    assert look(qrels, run) == expected(QRELS, RUN)


def test_a_run_says_where_it_comes_from_and_not_what_is_in_it(tmp_path: Path) -> None:
    (tmp_path / "bm25.run.gz").write_bytes(b"")
    assert repr(Run(tmp_path / "bm25.run.gz")) == f"Run({str(tmp_path / 'bm25.run.gz')!r}, name='bm25')"
    assert repr(Run(RUN)) == "Run(3 queries, name='')"
    assert repr(Run(Run(RUN).to_frame(), "dense")) == "Run(12 rows, name='dense')"
    assert repr(Qrels(QRELS)) == "Qrels(3 queries, 10 judgements)"


def test_texts_and_integers_in_one_dict_never_break_a_tie() -> None:
    with pytest.raises(rw.InputError, match="id-type"):
        rw.evaluate({"q1": {"b": 1, "d": 0}}, {"q1": {"a": 1.0, 5: 1.0, "b": 1.0}}, ["RR"])
