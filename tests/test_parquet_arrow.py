"""Parquet and Arrow files: what columns may hold, and that damage gives no value."""

import gzip
import io
import math
import os
import subprocess
import sys
import threading
import time
import warnings
from collections.abc import Callable
from contextlib import suppress
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import duckdb
import numpy as np
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyarrow import ipc

import rankworth as rw
from generators import Grades, Scores
from inputs import ARROW, TABLES, WRITERS, frame_of, to_ipc, with_lists
from rankworth.errors import InputError
from rankworth.io import parquet
from rankworth.model import Qrels, Run

QRELS: Grades = {"q1": {"d1": 2.0, "d2": 0.0, "d3": 1.0}, "q2": {"d1": 1.0, "é": 0.5}, "q3": {"d9": 1.0}}
RUN: Scores = {
    "q1": {"d2": 3.0, "d1": 2.5, "x": 2.5, "d3": -1.0},
    "q2": {"x": 1.0, "é": 0.25, "d1": 0.125},
    "unjudged": {"d1": 1.0},
}
MEASURES = ["nDCG@10", "AP", "RR"]
# q1: d2 (0), x, d1 (2), d3 (1), for x stands before d1 by its id; q2: x, é (0.5), d1 (1); q3 is not answered.
BY_HAND = {
    "q1": {
        "nDCG@10": (2 / math.log2(4) + 1 / math.log2(5)) / (2 + 1 / math.log2(3)),
        "AP": (1 / 3 + 2 / 4) / 2,
        "RR": 1 / 3,
    },
    "q2": {"nDCG@10": (0.5 / math.log2(3) + 1 / math.log2(4)) / (1 + 0.5 / math.log2(3)), "AP": 1 / 3, "RR": 1 / 3},
    "q3": {"nDCG@10": 0.0, "AP": 0.0, "RR": 0.0},
}


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Work in an empty folder, so that messages name files without one."""
    monkeypatch.chdir(tmp_path)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Give a folder for files that examples of Hypothesis may overwrite."""
    return tmp_path_factory.mktemp("columnar")


def quietly(qrels: object, run: object, **settings: Any) -> rw.Values:
    """Evaluate, whatever the warnings."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", rw.RankworthWarning)
        return rw.evaluate(qrels, run, MEASURES, **settings)


def refused(qrels: object, run: object) -> InputError:
    """The error that evaluating gives."""
    with pytest.raises(InputError) as caught:
        quietly(qrels, run)
    return caught.value


def progress_of(path: str) -> list[tuple[str, int, int | None]]:
    """What is told while a run is read."""
    told: list[tuple[str, int, int | None]] = []
    assert list(Run(path).batches(lambda *call: told.append(call)))
    return told


def test_the_small_collection_has_the_values_that_are_worked_out_by_hand() -> None:
    values = quietly(QRELS, RUN).per_query.to_dict()
    for query, expected in BY_HAND.items():
        assert values[query] == pytest.approx(expected, rel=1e-15)


def test_few_rows_are_read_at_a_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parquet, "SLICE", 100)
    run = {f"q{query}": {f"d{place}": -float(place) for place in range(50)} for query in range(40)}
    for writer in ("Polars", "Arrow file", "zstd", "stream"):
        for shape, most in (("rows", 100), ("lists", 100), ("records", 100)):
            WRITERS[writer](TABLES[shape](run, "score"), Path("run"))
            heights = [frame.height for frame in Run("run").batches()]
            assert max(heights) <= most, (writer, shape)
            assert sum(heights) == 2000


# What columns may hold

TEXTS: dict[str, Callable[[pa.Array], pa.Array]] = {
    "string": lambda column: column.cast(pa.string()),
    "large_string": lambda column: column.cast(pa.large_string()),
    "dictionary": lambda column: column.cast(pa.string()).dictionary_encode(),
}


@pytest.mark.parametrize("kind", TEXTS)
@pytest.mark.parametrize("form", ["parquet", "arrow", "stream"])
def test_ids_may_be_any_kind_of_text(kind: str, form: str) -> None:
    arrow = frame_of(RUN, "score").to_arrow()
    for place, name in enumerate(("query", "document")):
        arrow = arrow.set_column(place, name, TEXTS[kind](arrow[name].combine_chunks()))
    if form == "parquet":
        pq.write_table(arrow, "run")
    else:
        to_ipc(Path("run"), arrow, stream=form == "stream")
    assert quietly(QRELS, "run").per_query.to_dict() == quietly(QRELS, RUN).per_query.to_dict()


def test_ids_may_be_string_views_or_enums() -> None:
    frame = frame_of(RUN, "score")
    arrow = frame.to_arrow()
    views = arrow.set_column(0, "query", arrow["query"].cast(pa.string_view()))
    to_ipc(Path("views"), views, stream=False)
    names = pl.Enum(frame["document"].unique())
    frame.with_columns(pl.col("document").cast(names)).write_ipc("enum")
    frame.with_columns(pl.col("query", "document").cast(pl.Categorical)).write_parquet("categorical")
    for path in ("views", "enum", "categorical"):
        assert quietly(QRELS, path).per_query.to_dict() == quietly(QRELS, RUN).per_query.to_dict()


@pytest.mark.parametrize("dtype", [pl.Int8, pl.Int64, pl.UInt16, pl.UInt64])
@pytest.mark.parametrize("write", ["write_parquet", "write_ipc"])
def test_integer_ids_meet_texts(dtype: Any, write: str) -> None:
    frame = pl.DataFrame({"query": [7, 7], "document": [1, 2], "score": [0.5, 1.0]})
    getattr(frame.with_columns(pl.col("query", "document").cast(dtype)), write)("run")
    assert quietly({"7": {"1": 1}}, "run")["RR"] == 1 / 2


def test_ids_are_neither_bytes_nor_numbers_with_fractions() -> None:
    frame = frame_of(RUN, "score")
    frame.with_columns(pl.col("document").cast(pl.Binary)).write_parquet("run")
    assert str(refused(QRELS, "run")) == (
        "run: row 1: the document b'd2' is bytes; ids are text or integers   [id-type]\n"
        "  convert the ids to text, as they are in the other input"
    )
    frame.with_columns(query=pl.lit(1.5)).write_ipc("run")
    assert refused(QRELS, "run").slug == "id-type"
    frame.with_columns(query=pl.struct(id="query")).write_parquet("run")
    assert refused(QRELS, "run").problems[0].startswith("run: row 1: the query {'id': 'q1'} is dict; ids are")
    frame.with_columns(query=pl.concat_list("query")).write_parquet("run")
    assert refused(QRELS, "run").problems[0].startswith("run: row 1: the query ['q1'] is list; ids are")


@pytest.mark.parametrize(
    "dtype", [pl.Int8, pl.UInt32, pl.Float32, pl.Float64, pl.Decimal(10, 3), pl.Decimal(38, 20), pl.Boolean]
)
@pytest.mark.parametrize("write", ["write_parquet", "write_ipc", "write_ipc_stream"])
def test_values_may_be_any_kind_of_number(dtype: Any, write: str) -> None:
    frame = pl.DataFrame({"query": ["q"] * 3, "document": ["a", "b", "c"], "value": [0, 1, 1]}).with_columns(
        pl.col("value").cast(dtype)
    )
    for value in ("score", "grade"):
        getattr(frame.rename({"value": value}), write)(value)
    assert Run("score").to_frame()["score"].to_list() == [0.0, 1.0, 1.0]
    assert Qrels("grade").to_dict() == {"q": {"a": 0.0, "b": 1.0, "c": 1.0}}


def test_a_float32_keeps_its_value_and_a_decimal_becomes_the_nearest_double() -> None:
    singles = [0.1, 0.2, 16777217.0]
    frame = pl.DataFrame({"query": ["q"] * 3, "document": ["a", "b", "c"]})
    frame.with_columns(score=pl.Series(singles, dtype=pl.Float32)).write_parquet("run")
    assert Run("run").to_frame()["score"].to_list() == [float(np.float32(number)) for number in singles]
    texts = ["0.1", "1234567.8901234567890123", "1e-30"]
    decimals = pl.Series([Decimal(text) for text in texts], dtype=pl.Decimal(38, 30))
    frame.with_columns(score=decimals).write_parquet("run")
    assert Run("run").to_frame()["score"].to_list() == [float(text) for text in texts]


DOCUMENTS = [["x", "y"], ["z", "x"]]
NUMBERS = [[2.0, 1.0], [3.0, 4.0]]
RECORD = pa.struct([("id", pa.string()), ("score", pa.float64())])
RECORDS = [[{"id": "x", "score": 2.0}, {"id": "y", "score": 1.0}], [{"id": "z", "score": 3.0}]]
LISTS: dict[str, Callable[[pa.DataType], pa.DataType]] = {
    "list": pa.list_,
    "large": pa.large_list,
    "fixed": lambda kind: pa.list_(kind, 2),
}


def written(columns: dict[str, Any], form: str) -> None:
    """Write a run with PyArrow."""
    arrow = pa.table({"query": ["q1", "q2"]} | columns)
    if form == "parquet":
        pq.write_table(arrow, "run")
    else:
        to_ipc(Path("run"), arrow, stream=form == "stream")


@pytest.mark.parametrize("form", ["parquet", "arrow", "stream"])
@pytest.mark.parametrize("kind", LISTS)
def test_lists_may_be_of_any_kind(kind: str, form: str) -> None:
    lists = LISTS[kind]
    documents = pa.array(DOCUMENTS, lists(pa.string()))
    expected = [("q1", "x", 2.0), ("q1", "y", 1.0), ("q2", "z", 3.0), ("q2", "x", 4.0)]
    for scores in (lists(pa.float64()), pa.large_list(pa.float32())):
        written({"documents": documents, "scores": pa.array(NUMBERS, scores)}, form)
        assert Run("run").to_frame().rows() == expected
    written({"documents": documents}, form)
    places = [("q1", "x", -1.0), ("q1", "y", -2.0), ("q2", "z", -1.0), ("q2", "x", -2.0)]
    assert Run("run").to_frame().rows() == places
    categories = pa.array(DOCUMENTS, lists(pa.dictionary(pa.int32(), pa.string())))
    written({"documents": categories}, form)
    assert Run("run").to_frame().rows() == places
    written({"documents": pa.array([[7, 8], [9, 7]], lists(pa.int32()))}, form)
    assert Run("run").to_frame()["document"].to_list() == ["7", "8", "9", "7"]


@pytest.mark.parametrize("form", ["parquet", "arrow", "stream"])
def test_lists_may_hold_records(form: str) -> None:
    for kind in (pa.list_(RECORD), pa.large_list(RECORD)):
        written({"results": pa.array(RECORDS, kind)}, form)
        assert Run("run").to_frame().rows() == [("q1", "x", 2.0), ("q1", "y", 1.0), ("q2", "z", 3.0)]
    written({"results": pa.array([records[:1] for records in RECORDS], pa.list_(RECORD, 1))}, form)
    assert Run("run").to_frame().rows() == [("q1", "x", 2.0), ("q2", "z", 3.0)]


NESTED = {
    "a record in place of a list": ({"document": pa.array([one[0] for one in RECORDS], RECORD)}, "frame-columns"),
    "a map": ({"results": pa.array([[("x", 2.0)]] * 2, pa.map_(pa.string(), pa.float64()))}, "frame-columns"),
    "lists of lists": ({"documents": pa.array([[["x"]]] * 2)}, "input-type"),
    "ids that are records": ({"documents": pa.array([[{"id": {"id": "x"}, "score": 1.0}]] * 2)}, "id-type"),
    "records without an id": ({"documents": pa.array([[{"name": "x", "score": 1.0}]] * 2)}, "frame-columns"),
    "a record without its id": (
        {"documents": pa.array([[RECORDS[0][0], {"id": None, "score": 1.0}], []], pa.list_(RECORD))},
        "missing-value",
    ),
    "no record": ({"documents": pa.array([[RECORDS[0][0], None], []], pa.list_(RECORD))}, "missing-value"),
    "no list": ({"documents": pa.array([["x"], None])}, "missing-value"),
    "no id in a list": ({"documents": pa.array([["x", None], ["y"]])}, "missing-value"),
    "no score in a list": ({"documents": DOCUMENTS, "scores": pa.array([[1.0, None], [2.0, 3.0]])}, "missing-value"),
    "a score that is NaN": ({"documents": DOCUMENTS, "scores": [[1.0, math.nan], [2.0, 3.0]]}, "bad-score"),
    "too few scores": ({"documents": DOCUMENTS, "scores": [[1.0], [2.0, 3.0]]}, "frame-columns"),
    "one score for a list": ({"documents": DOCUMENTS, "score": [1.0, 2.0]}, "frame-columns"),
    "numbers of unknown meaning": ({"documents": DOCUMENTS, "weights": NUMBERS}, "frame-columns"),
    "arrays of unknown meaning": (
        {"documents": DOCUMENTS, "weights": pa.array(NUMBERS, pa.list_(pa.float64(), 2))},
        "frame-columns",
    ),
    "texts as scores": ({"documents": DOCUMENTS, "scores": [["A", "B"], ["C", "D"]]}, "bad-score"),
}


@pytest.mark.parametrize("form", ["parquet", "arrow", "stream"])
@pytest.mark.parametrize("what", NESTED)
def test_lists_that_tell_no_ranking_are_refused(what: str, form: str) -> None:
    columns, slug = NESTED[what]
    written(columns, form)
    assert refused(QRELS, "run").slug == slug


WRONG = {
    "times": pa.array([datetime(2026, 1, 1, tzinfo=UTC)] * 2),
    "days": pa.array([date(2026, 1, 1)] * 2),
    "durations": pa.array([timedelta(1)] * 2),
    "bytes": pa.array([b"x", b"y"]),
    "bytes of one length": pa.array([b"x", b"y"], pa.binary(1)),
    "views of bytes": pa.array([b"x", b"y"], pa.binary_view()),
}
NO_IDS = WRONG | {"truths": pa.array([True, False]), "decimals": pa.array([Decimal(1), Decimal(2)])}


@pytest.mark.parametrize("form", ["parquet", "arrow", "stream"])
def test_columns_of_wrong_types_are_refused(form: str) -> None:
    for column in NO_IDS.values():
        written({"document": column, "score": [1.0, 2.0]}, form)
        assert refused(QRELS, "run").slug == "id-type"
    for column in WRONG.values():
        written({"document": ["x", "y"], "score": column}, form)
        assert refused(QRELS, "run").slug == "bad-score"
    for what in ("document", "score"):
        for nothing in (pa.nulls(2), pa.array([1, None]), pa.array([1, None]).dictionary_encode()):
            written({"document": ["x", "y"], "score": [1.0, 2.0]} | {what: nothing}, form)
            row = 1 if nothing.null_count == 2 else 2
            assert refused(QRELS, "run").problems[0].startswith(f"run: row {row}: the {what} is missing")


def test_half_precision_and_dictionaries_of_numbers_are_numbers() -> None:
    for form in ("parquet", "arrow", "stream"):
        for scores in (
            pa.array(np.array([1.5, 2.5], np.float16)),
            pa.array([1.5, 2.5]).dictionary_encode(),
            pa.array([Decimal("1.5"), Decimal("2.5")], pa.decimal32(5, 2)),
        ):
            written({"document": pa.array([5, 6]).dictionary_encode(), "score": scores}, form)
            assert Run("run").to_frame().rows() == [("q1", "5", 1.5), ("q2", "6", 2.5)]


# What other columns and batches may hold: nothing that is sound is refused

OTHERS: dict[str, Callable[[int], pa.Array]] = {
    "nothing": pa.nulls,
    "truths": lambda rows: pa.array([True, None, False] * rows)[:rows],
    "bytes of one length": lambda rows: pa.array([b"abc"] * rows, pa.binary(3)),
    "times": lambda rows: pa.array([None] * rows, pa.time32("s")),
    "decimals": lambda rows: pa.array([Decimal("1.5")] * rows, pa.decimal128(30, 2)),
    "texts": lambda rows: pa.array(["x" * 40, None, ""] * rows, pa.large_string())[:rows],
    "views": lambda rows: pa.array(["x" * 40, None, ""] * rows, pa.string_view())[:rows],
    "lists": lambda rows: pa.array([["x"] * 3, None, []] * rows, pa.list_(pa.string()))[:rows],
    "lists of lists": lambda rows: pa.array([[[1.0], []]] * rows, pa.large_list(pa.list_(pa.float64()))),
    "arrays": lambda rows: pa.array([[1.0, 2.0]] * rows, pa.list_(pa.float64(), 2)),
    "records": lambda rows: pa.array([{"a": "x", "b": None}] * rows, pa.struct([("a", pa.string()), ("b", pa.int8())])),
    "maps": lambda rows: pa.array([[("x", 1)]] * rows, pa.map_(pa.string(), pa.int32())),
    "dictionary": lambda rows: pa.array(["x", "y", None] * rows)[:rows].dictionary_encode(),
    "lists of a dictionary": lambda rows: pa.array([["x"]] * rows, pa.list_(pa.dictionary(pa.int8(), pa.string()))),
}


def table_beside(other: pa.Array) -> pa.Table:
    """As many rows of a run, with another column before and behind what counts."""
    rows = len(other)
    ids = pa.array([f"d{place}" for place in range(rows)])
    scores = pa.array([-float(place) for place in range(rows)])
    return pa.table({"more": other, "query": ["q1"] * rows, "document": ids, "score": scores, "text": other})


@pytest.mark.parametrize("packing", [None, "lz4", "zstd"])
@pytest.mark.parametrize("stream", [False, True])
@pytest.mark.parametrize("kind", OTHERS)
def test_what_other_columns_hold_refuses_no_sound_file(kind: str, stream: bool, packing: str | None) -> None:
    expected = [("q1", f"d{place}", -float(place)) for place in range(7)]
    whole = table_beside(OTHERS[kind](11)).replace_schema_metadata({"said": "much " * 100})
    for arrow, rows in ((whole[:7], expected), (whole[2:9], [("q1", f"d{n}", -float(n)) for n in range(2, 9)])):
        for version in (ipc.MetadataVersion.V4, ipc.MetadataVersion.V5):
            to_ipc(Path("run"), arrow, stream=stream, compression=packing, metadata_version=version)
            assert Run("run").to_frame().rows() == rows


@pytest.mark.parametrize("packing", ["uncompressed", "lz4", "zstd"])
@pytest.mark.parametrize("level", [pl.CompatLevel.oldest(), pl.CompatLevel.newest()])
def test_what_polars_packs_is_sound_however_much_smaller_it_becomes(level: Any, packing: Any) -> None:
    alike = pl.DataFrame({"query": ["q" * 50] * 200_000, "score": [0.0] * 200_000, "no": [None] * 200_000})
    for write in ("write_ipc", "write_ipc_stream"):
        getattr(alike, write)("sound", compression=packing, compat_level=level)
        frame = frame_of(LONG, "score")
        getattr(frame, write)("run", compression=packing, compat_level=level)
        assert Run("run").to_frame().rows() == frame.rows()


@pytest.mark.parametrize("packing", ["none", "snappy", "gzip", "brotli", "zstd", "lz4"])
@pytest.mark.parametrize("version", ["1.0", "2.0"])
def test_no_packing_of_pages_refuses_a_sound_file(version: Any, packing: str) -> None:
    for kind in OTHERS.keys() - {"dictionary", "lists of a dictionary"}:
        arrow = table_beside(OTHERS[kind](7))
        for size in (3, 100):
            pq.write_table(arrow, "run", compression=packing, data_page_version=version, row_group_size=size)
            assert Run("run").to_frame().rows() == [("q1", f"d{place}", -float(place)) for place in range(7)]


def test_a_database_writes_sound_pages() -> None:
    for packing in ("uncompressed", "snappy", "gzip", "zstd", "brotli", "lz4_raw"):
        rows = "SELECT 'q' || (i % 7) query, 'd' || i document, -i::DOUBLE score, NULL::INT no FROM range(9000) t(i)"
        duckdb.sql(f"COPY ({rows}) TO 'run' (FORMAT parquet, COMPRESSION {packing}, ROW_GROUP_SIZE 4000)")
        assert Run("run").to_frame().rows() == [(f"q{place % 7}", f"d{place}", -float(place)) for place in range(9000)]


def test_rows_are_counted_from_1_over_all_row_groups(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parquet, "SLICE", 3)
    documents = [f"d{place}" for place in range(10)]
    scores = [float(place) for place in range(10)]
    frame = pl.DataFrame({"query": ["q1"] * 10, "document": documents, "score": scores})
    at = pl.int_range(pl.len()) == 7
    for writer in ("Polars", "row groups", "batches", "zstd", "stream"):
        holes = frame.with_columns(document=pl.when(at).then(None).otherwise("document"))
        WRITERS[writer](holes, Path("run"))
        assert (
            str(refused(QRELS, "run"))
            == "run: row 8: the document is missing   [missing-value]\n  leave it out, or give it"
        )
        nan = frame.with_columns(score=pl.when(at).then(math.nan).otherwise("score"))
        WRITERS[writer](nan, Path("run"))
        assert str(refused(QRELS, "run")) == (
            "run: row 8: the score is nan, not a number   [bad-score]\n"
            "  leave out what has no finite score, or fix what made it"
        )
        WRITERS[writer](frame.with_columns(grade=pl.when(at).then(math.inf).otherwise(1.0)), Path("qrels"))
        assert refused("qrels", RUN).problems == ("qrels: row 8: the grade is inf, not a finite number",)


def test_infinite_scores_order_and_infinite_grades_are_refused() -> None:
    frame = pl.DataFrame({"query": ["q"] * 2, "document": ["a", "b"], "score": [1.0, math.inf]})
    frame.write_parquet("run")
    assert quietly({"q": {"a": 1}}, "run")["RR"] == 1 / 2
    frame.rename({"score": "grade"}).write_parquet("qrels")
    assert refused("qrels", RUN).slug == "bad-grade"


def test_text_is_a_score_where_it_reads_as_a_number() -> None:
    scores = frame_of(RUN, "score").with_columns(pl.col("score").cast(pl.String))
    scores.write_parquet("run")
    assert quietly(QRELS, "run").mean() == quietly(QRELS, RUN).mean()
    scores.with_columns(score=pl.col("score") + " points").write_parquet("run")
    assert str(refused(QRELS, "run")) == (
        "run: row 1: the score is '3.0 points', not a number   [bad-score]\n"
        "  leave out what has no finite score, or fix what made it"
    )


def test_columns_that_are_missing_are_named_with_those_that_are_there() -> None:
    frame_of(RUN, "score").rename({"score": "points", "query": "term"}).write_parquet("run.parquet")
    assert refused(QRELS, "run.parquet").typed == (
        "run.parquet: there is no query column and no score or rank column; "
        "the columns are term document points   [frame-columns]\n"
        "  say which it is: --columns query=NAME score=NAME"
    )
    assert refused(QRELS, Run("run.parquet", columns={"query": "term"})).typed == (
        "run.parquet: there is no score or rank column; the columns are term document points   [frame-columns]\n"
        "  if its rows are in rank order: --order given, or --columns score=\n"
        "  otherwise say which it is: --columns score=NAME"
    )
    run = Run("run.parquet", columns={"query": "term", "score": "points"})
    assert quietly(QRELS, run).per_query.to_dict() == quietly(QRELS, RUN).per_query.to_dict()
    pl.DataFrame({"query": ["q"], "document": ["d"], "score": [1.0], "rank": [1]}).write_parquet("qrels.parquet")
    assert refused("qrels.parquet", RUN).typed == (
        "qrels.parquet: there is no grade column; the columns are query document score rank   [frame-columns]\n"
        "  this looks like a run; the judgements come first, the run comes second\n"
        "  say which it is: --columns grade=NAME\n"
        "  if none holds grades: --columns grade="
    )


def test_columns_that_nobody_needs_are_not_read() -> None:
    frame = frame_of(RUN, "score").with_columns(
        text=pl.lit("x" * 100), odd=pl.struct(pl.lit(1)), when=pl.date(2026, 1, 1)
    )
    frame.write_parquet("run")
    assert quietly(QRELS, "run").per_query.to_dict() == quietly(QRELS, RUN).per_query.to_dict()
    damaged = bytearray(Path("run").read_bytes())
    start = pq.ParquetFile("run").metadata.row_group(0).column(3).data_page_offset
    damaged[start : start + 20] = bytes(20)
    Path("run").write_bytes(damaged)
    assert quietly(QRELS, "run").per_query.to_dict() == quietly(QRELS, RUN).per_query.to_dict()


# Empty files and parts


@pytest.mark.parametrize("writer", WRITERS)
@pytest.mark.parametrize("shape", TABLES)
def test_a_table_without_rows_is_refused(writer: str, shape: str) -> None:
    WRITERS[writer](TABLES[shape](RUN, "score").clear(), Path("run"))
    assert str(refused(QRELS, "run")) == "run: there is no run line in it   [empty-input]"


def test_a_file_without_a_byte_is_refused() -> None:
    Path("run").touch()
    for form in ("parquet", "arrow"):
        assert str(refused(QRELS, Run("run", format=form))) == ("run: it has no rows   [empty-input]")


def test_an_empty_list_is_a_query_without_results() -> None:
    rows = with_lists(RUN, "score")
    empty = pl.DataFrame({"query": ["q3"], "document": [[]], "score": [[]]}, schema=rows.schema)
    pl.concat([empty, rows, empty.with_columns(query=pl.lit("q4"))]).write_parquet("run")
    found = quietly(QRELS, "run", order="score")
    assert found.per_query.to_dict() == quietly(QRELS, RUN).per_query.to_dict()
    assert found.counts == quietly(QRELS, RUN).counts
    empty.write_parquet("run")
    assert refused(QRELS, "run").slug == "empty-input"


# Places


def test_packed_files_and_pipes_are_read_as_files_are(monkeypatch: pytest.MonkeyPatch) -> None:
    expected = quietly(QRELS, RUN).per_query.to_dict()
    for writer in ("PyArrow", "zstd", "stream of batches"):
        WRITERS[writer](frame_of(RUN, "score"), Path("run"))
        content = Path("run").read_bytes()
        Path("run.gz").write_bytes(gzip.compress(content))
        assert quietly(QRELS, "run.gz").per_query.to_dict() == expected
        monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=io.BytesIO(content)))
        assert quietly(QRELS, "-").per_query.to_dict() == expected
        monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=io.BytesIO(gzip.compress(content))))
        assert quietly(QRELS, "-").per_query.to_dict() == expected
        os.mkfifo("pipe")
        thread = threading.Thread(target=Path("pipe").write_bytes, args=[content])
        thread.start()
        assert quietly(QRELS, "pipe").per_query.to_dict() == expected
        thread.join()
        Path("pipe").unlink()


@pytest.mark.parametrize(
    "name", ["a[1]*.parquet", "s3:/bucket/run", "~", "week=3", "ru\udcffn", "-x", "a b\tc", "%41", "a?b#c", "a\nb", "é"]
)
def test_a_name_is_only_a_name(name: str) -> None:
    Path(name).parent.mkdir(parents=True, exist_ok=True)
    for writer in ("Polars", "Arrow file", "stream"):
        WRITERS[writer](frame_of(RUN, "score"), Path("run"))
        Path(name).write_bytes(Path("run").read_bytes())
        assert quietly(QRELS, name if "/" not in name else "s3://bucket/run").counts == quietly(QRELS, RUN).counts


def test_a_path_may_lead_up_and_down_again(monkeypatch: pytest.MonkeyPatch) -> None:
    Path("below/deeper").mkdir(parents=True)
    Path("elsewhere").symlink_to("below/deeper", target_is_directory=True)
    for writer in ("Polars", "Arrow file", "stream"):
        WRITERS[writer](frame_of(RUN, "score"), Path("below/run"))
        for path in ("below/../below/run", "below/deeper/../run", "elsewhere/../run"):
            assert Run(path).to_frame().rows() == frame_of(RUN, "score").rows()
        with monkeypatch.context() as patch:
            patch.chdir("below/deeper")
            assert Run("../run").to_frame().rows() == frame_of(RUN, "score").rows()


def test_a_folder_that_says_a_column_in_its_name_adds_none() -> None:
    Path("query=q9").mkdir()
    frame_of(RUN, "score").drop("query").write_parquet("query=q9/run.parquet")
    assert refused(QRELS, "query=q9/run.parquet").slug == "frame-columns"
    frame_of(RUN, "score").write_parquet("query=q9/run.parquet")
    assert quietly(QRELS, "query=q9/run.parquet").per_query.to_dict() == quietly(QRELS, RUN).per_query.to_dict()


@pytest.mark.parametrize("writer", WRITERS)
def test_progress_ends_at_the_size_of_the_file(writer: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parquet, "SLICE", 3)
    WRITERS[writer](frame_of(RUN, "score"), Path("run"))
    for packed in (False, True):
        if packed:
            Path("run").write_bytes(gzip.compress(Path("run").read_bytes()))
        size = Path("run").stat().st_size
        told = progress_of("run")
        places = [place for _, place, _ in told]
        assert places == sorted(places)
        assert told[-1] == ("run", size, size)


def test_the_same_file_is_read_again_and_stays_as_it_is() -> None:
    for writer in ("row groups", "zstd", "stream"):
        WRITERS[writer](frame_of(RUN, "score"), Path("run"))
        content, run = Path("run").read_bytes(), Run("run")
        assert quietly(QRELS, run).per_query.to_dict() == quietly(QRELS, run).per_query.to_dict()
        assert Path("run").read_bytes() == content


def test_a_document_that_is_there_twice_is_refused() -> None:
    frame = frame_of(RUN, "score")
    for writer in ("Polars", "zstd", "stream"):
        WRITERS[writer](pl.concat([frame, frame[1:2]]), Path("run"))
        assert refused(QRELS, "run").slug == "duplicate-document"
    judged = frame_of(QRELS, "grade")
    pl.concat([judged, judged[:1]]).write_parquet("qrels")
    assert refused("qrels", RUN).slug == "duplicate-judgement"


def test_subtopics_are_known() -> None:
    judged = frame_of(QRELS, "grade")
    for subtopic, again in ((["1", "1"], ["2", "2"]), ([1, 1], [2, 2])):
        both = [judged[:2].with_columns(subtopic=pl.Series(numbers)) for numbers in (subtopic, again)]
        pl.concat(both).write_parquet("qrels")
        assert Qrels("qrels").merged
        frame = Qrels("qrels").by_subtopic()
        assert frame is not None
        assert frame["subtopic"].to_list() == ["1", "1", "2", "2"]
    judged.with_columns(iteration=pl.lit(0.5)).write_parquet("qrels")
    assert str(refused("qrels", RUN)).startswith("qrels: row 1: the subtopic 0.5 is float; ids are text or integers")


# Damage

LONG = {"q1": {f"d{place}": -float(place) for place in range(400)}}
FEW = {"q1": {"d1": 1}}
REMEDY = (
    "it ends early or is damaged, or Polars cannot read it: write, copy or download it again; nothing of it was used"
)


@pytest.mark.parametrize("writer", WRITERS)
def test_a_file_that_ends_early_never_gives_a_number(writer: str) -> None:
    WRITERS[writer](frame_of(LONG, "score"), Path("whole"))
    content = Path("whole").read_bytes()
    assert quietly(FEW, "whole")["RR"] == 1 / 2
    for length in {*range(8, len(content), max(1, len(content) // 30)), *range(len(content) - 9, len(content))}:
        Path("run").write_bytes(content[:length])
        error = refused(FEW, "run")
        assert error.slug == "truncated-file", length
        assert str(error).startswith("run: it cannot be read as "), length
        assert error.remedy == REMEDY


def test_a_stream_that_ends_after_a_whole_batch_never_gives_a_number() -> None:
    arrow = frame_of(LONG, "score").to_arrow()
    sink = io.BytesIO()
    with ipc.new_stream(sink, arrow.schema) as writer:
        writer.write_table(arrow[:200])
        end = sink.tell()
        writer.write_table(arrow[200:])
    for extra in range(4):
        Path("run").write_bytes(sink.getvalue()[: end + extra])
        assert pl.read_ipc_stream("run").height == 200
        assert str(refused(FEW, "run")) == (
            "run: it cannot be read as Arrow IPC (the mark at the end of the stream is missing)   [truncated-file]\n"
            f"  {REMEDY}"
        )


@pytest.mark.parametrize("writer", ARROW)
def test_files_one_after_the_other_are_no_file(writer: str) -> None:
    """`cat` joins lines of TREC; of Arrow files, readers see one and say nothing of the other."""
    for query, content in (("q1", LONG["q1"]), ("q2", LONG["q1"]), ("q3", {"d1": 1.0})):
        WRITERS[writer](frame_of({query: content}, "score"), Path(query))
    WRITERS[writer](frame_of(RUN, "score").clear(), Path("none"))
    for names in (("q1", "q2"), ("q1", "q3"), ("q3", "q1"), ("q1", "none"), ("none", "q1"), ("q1", "q2", "q3")):
        joined = b"".join(Path(name).read_bytes() for name in names)
        Path("run").write_bytes(joined)
        assert refused(FEW, "run").slug == "truncated-file", names
        Path("run").write_bytes(gzip.compress(joined))
        assert refused(FEW, "run").slug == "truncated-file", names


@pytest.mark.parametrize("magic", [b"PAR1", b"ARROW1\0\0", b"\xff\xff\xff\xff"])
@pytest.mark.parametrize("rest", [b"", b"x", bytes(100), b"words of a text\n" * 20, bytes(range(256)), b"PAR1"])
def test_a_file_that_only_claims_to_be_a_table_is_refused(magic: bytes, rest: bytes) -> None:
    for content in (magic + rest, magic + rest + magic):
        Path("run").write_bytes(content)
        assert refused(QRELS, "run").slug == "truncated-file"


def test_a_file_of_another_format_is_not_read_as_one_that_it_is_not() -> None:
    Path("run").write_text("q1 Q0 d1 1 2.5 t\n")
    assert str(refused(QRELS, Run("run", format="parquet"))) == (
        "run: this is not Parquet; it begins with b'q1 Q0 d1'   [unknown-format]\n"
        "  leave the format out to have it detected from the content"
    )
    frame_of(RUN, "score").write_parquet("run")
    assert refused(QRELS, Run("run", format="arrow")).slug == "unknown-format"


def test_a_query_may_be_called_like_a_format() -> None:
    for query in ("PAR1", "PAR1x", "ARROW1"):
        Path("run").write_text(f"{query} Q0 d1 1 2.5 t\n")
        Path("qrels").write_text(f"{query} 0 d1 1\n")
        assert quietly("qrels", "run")["RR"] == 1


DAMAGE = """
import sys, warnings
from pathlib import Path
import rankworth as rw
warnings.simplefilter("ignore")
content = Path("run").read_bytes()
refused = 0
for place in range(4, len(content), max(1, len(content) // 80)):
    for mask in (0x41, 0x80):
        Path("damaged").write_bytes(content[:place] + bytes([content[place] ^ mask]) + content[place + 1:])
        try:
            rw.evaluate({"q1": {"d1": 1}}, "damaged", ["RR"])
        except rw.InputError:
            refused += 1
print(refused)
"""


@pytest.mark.parametrize("writer", ["Polars", "PyArrow", "zstd", "Arrow file", "stream"])
def test_a_damaged_file_ends_in_an_error_or_in_rows_but_never_the_process(writer: str) -> None:
    WRITERS[writer](frame_of(LONG, "score"), Path("run"))
    content = Path("run").read_bytes()
    done = subprocess.run([sys.executable, "-c", DAMAGE], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-2000:]
    assert int(done.stdout) > 25
    assert content == Path("run").read_bytes()


@pytest.mark.parametrize("writer", WRITERS)
def test_a_file_that_changes_while_it_is_read_is_refused(writer: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parquet, "SLICE", 20)
    WRITERS[writer](frame_of(LONG, "score"), Path("whole"))
    content = Path("whole").read_bytes()
    WRITERS[writer](frame_of({"q1": {f"e{place}": 0.0 for place in range(400)}}, "score"), Path("other"))
    for after in (b"", content[: len(content) // 2], content + b"\0", Path("other").read_bytes()):
        Path("run").write_bytes(content)
        rows = Run("run").batches()
        assert next(iter(rows)).height
        Path("run").write_bytes(after)
        os.utime("run", (0, 0))
        with pytest.raises(InputError) as caught:
            list(rows)
        assert caught.value.slug == "changed-file"


def test_rows_that_are_said_to_be_there_are_missed(monkeypatch: pytest.MonkeyPatch) -> None:
    frame_of(LONG, "score").write_parquet("run")
    slices = parquet.File.slices
    monkeypatch.setattr(
        parquet.File, "slices", lambda self, rows, *size, **said: slices(self, rows.head(300), *size, **said)
    )
    assert refused(QRELS, "run").problems == ("run: it cannot be read as Parquet (300 of 400 rows are there)",)


@pytest.mark.skipif(not Path("/proc/self/fd").is_dir(), reason="counts open files as Linux does")
@pytest.mark.parametrize("writer", ["row groups", "PyArrow", "zstd", "stream"])
def test_no_open_file_outlives_a_refusal(writer: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parquet, "SLICE", 20)
    frame = frame_of(LONG, "score")
    WRITERS[writer](pl.concat([frame[:50], frame[:1], frame[50:]]), Path("run"))
    refused(QRELS, "run")
    opened = len(list(Path("/proc/self/fd").iterdir()))
    for _ in range(5):
        assert refused(QRELS, "run").slug == "duplicate-document"
    patience = time.monotonic() + 10
    while len(list(Path("/proc/self/fd").iterdir())) > opened and time.monotonic() < patience:
        time.sleep(0.01)
    assert len(list(Path("/proc/self/fd").iterdir())) <= opened


def test_a_file_that_goes_away_is_missed() -> None:
    frame_of(LONG, "score").write_parquet("run")
    batches = Run("run").batches()
    Path("run").unlink()
    with suppress(InputError):
        next(iter(batches))
        pytest.fail("there is no file")
