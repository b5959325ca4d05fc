"""Responses of the client of Qdrant, data sets of PyArrow, and addresses that are no files."""

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import rankworth as rw


@dataclass
class ScoredPoint:
    """A hit, as the client has it."""

    id: int
    score: float
    version: int = 0
    payload: dict[str, Any] = field(default_factory=dict)
    vector: Any = None


class QueryResponse:
    """What `client.query_points` returns; as pydantic's models, it can be gone through, and gives its fields."""

    def __init__(self, *points: ScoredPoint) -> None:
        """Hold the hits."""
        self.points = list(points)

    def __iter__(self) -> Any:
        yield "points", self.points


def response(*ids: int) -> QueryResponse:
    return QueryResponse(*(ScoredPoint(each, 1 - each / 10, payload={"doc_id": f"d{each}"}) for each in ids))


def test_responses_of_qdrant_are_rankings() -> None:
    assert (
        rw.evaluate({"q1": {"1": 1}, "q2": {"5": 1}}, {"q1": response(0, 1), "q2": response(5)}, ["RR"])["RR"] == 0.75
    )
    assert rw.evaluate([["1"], ["5"]], [response(0, 1), response(5)], ["RR"])["RR"] == 0.75
    by_path = {"document": "payload.doc_id"}
    assert rw.evaluate({"q1": {"d1": 1}}, {"q1": response(0, 1)}, ["RR"], run_columns=by_path)["RR"] == 0.5


def test_a_data_set_of_pyarrow_is_a_frame(tmp_path: Path) -> None:
    dataset = pytest.importorskip("pyarrow.dataset")
    frame = pl.DataFrame({"query": ["q1", "q1"], "document": ["d1", "d2"], "score": [1.0, 2.0], "sim": [2.0, 1.0]})
    frame.head(1).write_parquet(tmp_path / "part-0.parquet")
    frame.tail(1).write_parquet(tmp_path / "part-1.parquet")
    run = dataset.dataset(tmp_path)
    assert rw.evaluate({"q1": {"d1": 1}}, run, ["RR"])["RR"] == 0.5
    assert rw.evaluate({"q1": {"d1": 1}}, run, ["RR"], run_columns={"score": "sim"})["RR"] == 1.0
    with pytest.raises(rw.InputError, match=r"'score': 'simm'\}: there is no such column"):
        rw.evaluate({"q1": {"d1": 1}}, run, ["RR"], run_columns={"score": "simm"})


@pytest.mark.parametrize("address", ["s3://bucket/run.parquet", "gs://bucket/*.parquet", "hf://datasets/a/b.parquet"])
def test_addresses_of_tables_name_what_reads_them(address: str) -> None:
    with pytest.raises(rw.InputError, match="there is no such file") as caught:
        rw.Run(address).to_frame()
    assert f"""rankworth.evaluate(qrels, duckdb.sql("from '{address}'"))""" in caught.value.remedy
    assert "curl" not in caught.value.remedy
