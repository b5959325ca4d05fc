"""Ids as UUIDs and paths, arrays of ids beside scores, sparse matrices, results of Chroma, objects that are no rows."""

import datetime as dt
import json
import re
import uuid
from pathlib import Path, PurePosixPath
from typing import Any

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from scipy import sparse

import rankworth as rw
from rankworth import cli

A, B = uuid.UUID(int=1), uuid.UUID(int=2)
UUIDS: dict[str, tuple[Any, Any]] = {
    "dicts": ({A: {A: 1, B: 0}}, {A: {B: 2.0, A: 1.0}}),
    "lists": ({A: [A]}, {A: [B, A]}),
    "a set": ({A: {A}}, {str(A): [str(B), str(A)]}),
    "pairs": ({A: [(A, 1)]}, {A: [(B, 0.5), (A, 0.25)]}),
    "rows": ([(A, A, 1)], [(A, B, 0.5), (A, A, 0.25)]),
    "records": ({A: [A]}, [{"query": A, "document": B, "score": 2}, {"query": A, "document": A, "score": 1}]),
    "pandas": ({A: [A]}, pd.DataFrame({"query": [A, A], "document": [B, A], "score": [2, 1]})),
    "Polars": (
        {A: [A]},
        pl.DataFrame({"query": pl.Series([A, A], dtype=pl.Object), "document": ["x", str(A)], "rank": [1, 2]}),
    ),
    "Arrow": (
        {A: [A]},
        pa.table(
            {
                "query": [str(A)] * 2,
                "document": pa.array([B.bytes, A.bytes], pa.binary(16)).cast(pa.uuid()),
                "score": [2.0, 1.0],
            }
        ),
    ),
}


@pytest.mark.parametrize("name", UUIDS)
def test_uuids_are_ids_as_they_are_written(name: str) -> None:
    values = rw.evaluate(*UUIDS[name], ["RR"])
    assert values.per_query.to_dict() == {str(A): {"RR": 0.5}}


def test_a_column_of_uuids_in_duckdb_is_text() -> None:
    with duckdb.connect() as connection:
        rows = f"SELECT 'q' AS query, '{B}'::UUID AS document, 2.0 AS score UNION ALL SELECT 'q', '{A}', 1"
        run = connection.sql(rows)
        assert rw.evaluate({"q": [A]}, run, ["RR"])["RR"] == 0.5
        judged = connection.sql(f"SELECT 'q' AS query, '{A}'::UUID AS document, 1 AS grade")
        assert rw.evaluate(judged, run, ["RR"])["RR"] == 0.5
        assert rw.Qrels(judged).to_dict() == {"q": {str(A): 1.0}}


def test_paths_are_ids_as_they_are_written() -> None:
    one, other = PurePosixPath("docs/a.pdf"), PurePosixPath("docs/b.pdf")
    assert rw.evaluate({"q": [one]}, {"q": [other, one]}, ["RR"])["RR"] == 0.5
    assert rw.evaluate({"q": {one: 1}}, {"q": {"docs/a.pdf": 1.0}}, ["RR"])["RR"] == 1


IDS, SCORES = np.array([5, 3, 9]), np.array([0.9, 0.5, 0.4], dtype=np.float32)
PAIRS: dict[str, Any] = {
    "arrays": (IDS, SCORES),
    "a list of arrays": [IDS, SCORES],
    "scores first": (SCORES, IDS),
    "lists": ([5, 3, 9], [0.9, 0.5, 0.4]),
    "a row of FAISS": (SCORES[None], IDS[None]),
    "distances": (IDS, 1 - SCORES),
    "texts": (["5", "3", "9"], SCORES),
    "two documents": (IDS[:2], SCORES[:2]),
    "a hole": (np.array([5, 3, -1]), SCORES),
}


@pytest.mark.parametrize("name", PAIRS)
def test_ids_and_scores_of_a_user_are_its_ranking(name: str) -> None:
    assert rw.evaluate({7: {3: 1}}, {7: PAIRS[name]}, ["RR"]).per_query.to_dict() == {7: {"RR": 0.5}}


def test_ids_and_grades_of_a_user_are_judgements_whatever_their_order() -> None:
    assert rw.Qrels({7: (np.array([3, 5]), np.array([1.0, 2.0]))}).to_dict() == {7: {3: 1.0, 5: 2.0}}
    assert rw.Qrels((np.array([[3, 5]]), np.array([[1.0, 2.0]]))).to_dict() == {"0": {3: 1.0, 5: 2.0}}


@pytest.mark.parametrize("wrong", [(IDS, IDS), (SCORES, SCORES), (IDS, SCORES[:2]), ([5, 3, 9], [3, 2, 1])])
def test_other_arrays_of_a_user_are_refused_with_what_reads_them(wrong: Any) -> None:
    with pytest.raises(rw.InputError, match=r"query '7' holds two arrays(.|\n)*list\(zip\(ids, scores\)\)"):
        rw.evaluate({7: {3: 1}}, {7: wrong}, ["RR"])
    assert rw.evaluate({7: {3: 1}}, {7: list(zip(IDS, SCORES, strict=True))}, ["RR"])["RR"] == 0.5


def test_an_array_of_two_columns_is_refused_with_what_reads_it() -> None:
    array = np.stack([IDS, SCORES], axis=1)
    with pytest.raises(rw.InputError) as caught:
        rw.evaluate({7: {3: 1}}, {7: array}, ["RR"])
    proposed = re.search(r"two arrays: (.*)", str(caught.value))
    assert proposed
    pair = eval(proposed[1], {"array": array})  # noqa: S307 - what a user would paste
    assert rw.evaluate({7: {3: 1}}, {7: pair}, ["RR"])["RR"] == 0.5


class Probed:
    """An object that tells when somebody tries what it has."""

    @property
    def boom(self) -> str:
        """Tell that it was tried."""
        raise AssertionError("an attribute was tried")

    @property
    def sku(self) -> str:
        """An id."""
        return "a"


class Slots:
    """A record with slots."""

    __slots__ = ("id", "score")

    def __init__(self, item: str, score: float) -> None:
        """Take an id and its score."""
        self.id, self.score = item, score


NO_ROWS = [object(), Probed(), np.eye(2), sparse.csr_array([[1, 0]]), dt.date(2026, 1, 1), print, ValueError("x"), int]


@pytest.mark.parametrize("item", NO_ROWS, ids=lambda item: type(item).__name__)
def test_an_object_that_is_no_row_is_refused_by_its_type(item: Any) -> None:
    runs: list[Any] = [{"q": [item]}, {"q": [(item, 0.5)]}]
    for run in runs:
        with pytest.raises(rw.InputError) as caught:
            rw.evaluate({"q": ["a"]}, run, ["RR"])
        assert caught.value.slug == "input-type"
        assert f"{type(item).__qualname__}, and no document" in str(caught.value)


def test_objects_with_slots_and_properties_that_are_named_are_rows() -> None:
    assert rw.evaluate({"q": ["a"]}, {"q": [Slots("b", 2.0), Slots("a", 1.0)]}, ["RR"])["RR"] == 0.5
    assert rw.evaluate({"q": ["a"]}, {"q": [Probed()]}, ["RR"], run_columns={"document": "sku"})["RR"] == 1


# Sparse matrices

JUDGED = sparse.coo_array(([1, 0, 1], ([0, 0, 1], [1, 2, 0])))
SEEN = np.array([[0, 0.5, 0.9], [0.3, 0, 0]])


@pytest.mark.parametrize(
    "name", ["csr_array", "csc_array", "coo_array", "lil_array", "dok_array", "csr_matrix", "dok_matrix"]
)
def test_rows_of_a_sparse_matrix_are_queries_and_columns_documents(name: str) -> None:
    run = getattr(sparse, name)(SEEN)
    before = run.toarray()
    values = rw.evaluate(JUDGED, run, ["RR"])
    assert values.per_query.to_dict() == {0: {"RR": 0.5}, 1: {"RR": 1.0}}
    assert rw.Qrels(getattr(sparse, name)(SEEN)).to_dict() == {0: {1: 0.5, 2: 0.9}, 1: {0: 0.3}}
    assert rw.evaluate_runs(JUDGED, {"a": run, "b": run}, ["RR"])["b"]["RR"] == 0.75
    assert not rw.check(JUDGED, run, ["RR"]).errors
    assert rw.evaluate(JUDGED, run, ["RR"], exclude=getattr(sparse, name)([[0, 0, 1], [0, 0, 0]]))["RR"] == 1
    assert (run.toarray() == before).all()


def test_a_stored_zero_counts_and_what_is_stored_twice_is_added() -> None:
    stored = sparse.coo_array(([0.0, 2.0, 3.0], ([0, 0, 0], [1, 2, 2])), shape=(1, 3))
    assert rw.Qrels(stored).to_dict() == {0: {1: 0.0, 2: 5.0}}
    assert stored.nnz == 3
    assert rw.evaluate({0: {1: 1}}, stored, ["RR"])["RR"] == 0.5
    with pytest.raises(rw.InputError, match="leaves no"):
        rw.evaluate({0: {1: 1}}, {0: [1, 2]}, ["RR"], exclude=stored)
    dropped = stored.tocsr()
    dropped.eliminate_zeros()
    assert rw.evaluate({0: {1: 1}}, {0: [2, 1]}, ["RR"], exclude=dropped)["RR"] == 1


@pytest.mark.parametrize(
    ("matrix", "options", "said"),
    [
        (sparse.coo_array(np.array([1.0, 2.0])), {}, "1 dimensions"),
        (sparse.csr_array((2, 2)), {}, "stores nothing"),
        (sparse.csr_array(SEEN), {"run_columns": {"query": "user"}}, "there is no such column"),
    ],
)
def test_other_sparse_arrays_are_refused(matrix: Any, options: Any, said: str) -> None:
    with pytest.raises(rw.InputError, match=said):
        rw.evaluate(JUDGED, matrix, ["RR"], **options)


# Chroma

RESULT: dict[str, Any] = {
    "query": ["q1"],
    "ids": [["1", "2"]],
    "documents": [["2", "1"]],
    "metadatas": [[{"doc": "2", "page": {"id": "1"}}, {"doc": "1", "page": {"id": "2"}}]],
    "distances": [[0.0, 2.0]],
    "similarity": [[1.0, 3.0]],
    "embeddings": None,
    "data": None,
}


@pytest.mark.parametrize(
    ("columns", "value"),
    [
        ({}, 1),
        ({"document": "ids"}, 1),
        ({"document": "documents"}, 0.5),
        ({"document": "metadatas.doc"}, 0.5),
        ({"document": "metadatas.page.id"}, 1),
        ({"score": "similarity"}, 0.5),
        ({"score": "-similarity"}, 1),
        ({"score": "", "document": "documents"}, 0.5),
        ({"document": "metadatas.doc", "score": "similarity"}, 1),
    ],
)
def test_columns_of_a_result_of_chroma_are_followed(columns: dict[str, str], value: float, tmp_path: Path) -> None:
    assert rw.evaluate({"q1": ["1"]}, RESULT, ["RR"], run_columns=columns, order="score")["RR"] == value
    path = tmp_path / "chroma.json"
    path.write_text(json.dumps(RESULT))
    assert rw.evaluate({"q1": ["1"]}, str(path), ["RR"], columns=columns, order="score")["RR"] == value


@pytest.mark.parametrize(
    ("columns", "said"),
    [
        ({"document": "metadatas"}, "metadatas is"),
        ({"document": "metadatas.title"}, "no such column"),
        ({"document": "embeddings"}, "embeddings"),
        ({"documents": "ids"}, "documents"),
        ({"rank": "distances"}, "rank"),
    ],
)
def test_columns_that_a_result_of_chroma_does_not_have_are_refused(
    columns: dict[str, str], said: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(rw.InputError, match=said) as caught:
        rw.evaluate({"q1": ["1"]}, RESULT, ["RR"], run_columns=columns)
    assert caught.value.slug == "frame-columns"
    run, judged = tmp_path / "chroma.json", tmp_path / "judged.json"
    run.write_text(json.dumps(RESULT))
    judged.write_text(json.dumps({"q1": ["1"]}))
    options = [f"{what}={name}" for what, name in columns.items()]
    assert cli.main(["evaluate", str(judged), str(run), "-m", "RR", "--run-columns", *options]) == 2
    assert "[frame-columns]" in capsys.readouterr().err


# LensKit


class ItemList:
    """What an ItemList of LensKit hands out."""

    def __init__(self, **columns: list[Any]) -> None:
        """Take its columns."""
        self.columns_of_it = columns

    def __len__(self) -> int:
        """How many items there are."""
        return len(self.columns_of_it["item_id"])

    def to_arrow(self) -> pa.Table:
        """Hand out a row for each item."""
        return pa.table(self.columns_of_it)


class ItemListCollection:
    """What an ItemListCollection of LensKit hands out: keys, lists by place, and a list of records for each key."""

    def __init__(self, lists: dict[int, ItemList]) -> None:
        """Take the lists by user."""
        self.lists = lists

    def keys(self) -> list[tuple[int]]:
        """Hand out keys, which are no places."""
        return [(user,) for user in self.lists]

    def __len__(self) -> int:
        """How many lists there are."""
        return len(self.lists)

    def __getitem__(self, place: int) -> ItemList:
        """Hand out a list by its place."""
        return list(self.lists.values())[place]

    def to_arrow(self) -> pa.Table:
        """Hand out a list of records for each user."""
        return pa.table(
            {"user_id": list(self.lists), "items": [items.to_arrow().to_pylist() for items in self.lists.values()]}
        )


def test_collections_of_item_lists_are_runs_judgements_and_pairs_to_exclude() -> None:
    shown = {
        1: ItemList(item_id=[5, 3, 9], rank=[1, 2, 3], score=[0.9, 0.5, 0.4]),
        2: ItemList(item_id=[4, 3], rank=[1, 2], score=[0.9, 0.5]),
    }
    liked = {1: ItemList(item_id=[3], rating=[4.0]), 2: ItemList(item_id=[3, 4], rating=[2.0, 0.0])}
    run, judged = ItemListCollection(shown), ItemListCollection(liked)
    assert rw.Qrels(judged).to_dict() == {1: {3: 4.0}, 2: {3: 2.0, 4: 0.0}}
    half = {1: {"RR": 0.5}, 2: {"RR": 0.5}}
    assert rw.evaluate(judged, run, ["RR"]).per_query.to_dict() == half
    assert rw.evaluate(liked, shown, ["RR"]).per_query.to_dict() == half
    unrated = ItemListCollection({user: ItemList(item_id=[3]) for user in (1, 2)})
    assert rw.evaluate(unrated, run, ["RR"]).per_query.to_dict() == half
    seen = ItemListCollection({1: ItemList(item_id=[5]), 2: ItemList(item_id=[9])})
    assert rw.evaluate(judged, run, ["RR"], exclude=seen).per_query.to_dict() == {1: {"RR": 1.0}, 2: {"RR": 0.5}}
    assert not rw.check(judged, run, ["RR"]).errors
    assert rw.compare(judged, {"a": run, "b": shown}, ["RR"]).means["b"]["RR"] == 0.5


def test_one_run_that_is_a_frame_is_checked_as_one() -> None:
    frame = pl.DataFrame({"query": ["q", "q"], "document": ["a", "b"], "score": [2.0, 1.0]})
    for run in (frame, frame.to_pandas(), frame.to_arrow()):
        assert [source.name for source in rw.check({"q": ["a"]}, run, ["RR"]).sources] == ["judgements", "the run"]


def test_a_path_names_the_ids_of_documents_in_pairs() -> None:
    for pair in ({"id": None, "metadata": {"source": "a"}}, Probed()):
        path = "metadata.source" if isinstance(pair, dict) else "sku"
        run = {"q": [(pair, 0.5)]}
        assert rw.evaluate({"q": ["a"]}, run, ["RR"], run_columns={"document": path})["RR"] == 1


# Rankings of a part of the users

LIKED = sparse.csr_matrix([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]])
USERS, FOUND_IDS = [1, 2, 3], np.array([[0, 1], [1, 2], [2, 0]])
FOUND_SCORES = np.array([[0.9, 0.1], [0.8, 0.2], [0.7, 0.1]])
OF_A_PART: dict[str, Any] = {
    "arrays": (FOUND_IDS, FOUND_SCORES),
    "arrays, scores first": (FOUND_SCORES, FOUND_IDS),
    "an array of ids": FOUND_IDS,
    "lists": [["0", "1"], ["1", "2"], ["2", "0"]],
    "a sparse matrix": sparse.csr_matrix([[0.9, 0.1, 0], [0, 0.8, 0.2], [0.1, 0, 0.7]]),
}


@pytest.mark.parametrize("kind", OF_A_PART)
def test_rankings_of_a_part_of_the_users_are_refused_beside_a_matrix_of_all(kind: str) -> None:
    for judged in (LIKED, rw.Qrels(LIKED)):
        for run in (OF_A_PART[kind], rw.Run(OF_A_PART[kind], "als")):
            with pytest.raises(
                rw.InputError, match=r"ranks 3 queries and the judgements have 4(.|\n)*judgements\[:3\]"
            ) as caught:
                rw.evaluate(judged, run, ["nDCG@2"])
            assert caught.value.slug == "row-count"


def test_the_remedies_for_a_part_of_the_users_are_right() -> None:
    assert rw.evaluate(LIKED, dict(zip(USERS, FOUND_IDS.tolist(), strict=True)), ["nDCG@2"])["nDCG@2"] == 1
    pairs = dict(zip(USERS, zip(FOUND_IDS, FOUND_SCORES, strict=True), strict=True))
    assert rw.evaluate(LIKED, pairs, ["nDCG@2"])["nDCG@2"] == 1
    assert rw.evaluate(LIKED[1:], (FOUND_IDS, FOUND_SCORES), ["nDCG@2"])["nDCG@2"] == 1
    first = sparse.csr_matrix([[1, 0, 0], [0, 1, 0], [0, 0, 1], [1, 1, 1]])
    assert rw.evaluate(first, (FOUND_IDS, FOUND_SCORES), ["nDCG@2"], queries=[0, 1, 2])["nDCG@2"] == 1
    with pytest.raises(rw.InputError, match="ranks 3 queries"):
        rw.evaluate(LIKED, (FOUND_IDS, FOUND_SCORES), ["nDCG@2"], queries=[1, 2, 3])
