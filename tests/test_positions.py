"""Items without ids are called by their position within the query: impressions, rows of rankers, sizes beside rows."""

import json
import math
from pathlib import Path

import polars as pl
import pytest

import rankworth as rw
from rankworth.errors import InputError

LABELS = {"1": [0, 1, 0], "2": [1, 0, 0, 1]}
RANKS = {"1": [2, 1, 3], "2": [2, 1, 4, 3]}
MEASURES = ["AUC", "RR", "nDCG@5"]
RIGHT = [0.75, 0.75, (1 + (1 / math.log2(3) + 1 / 2) / (1 + 1 / math.log2(3))) / 2]
"""by hand: relevant at rank 1; and at ranks 2 and 3"""
NAMED = {"qrels_columns": {"query": "q", "document": "", "grade": "labels"}}
OF_RUN = {"run_columns": {"query": "q", "document": "", "rank": "ranks"}}


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Work in an empty folder."""
    monkeypatch.chdir(tmp_path)


def written(name: str, lists: dict[str, list[int]]) -> str:
    """Write numbers by query as a file of one kind; return its name."""
    path = Path(name)
    role = path.stem
    rows = [{"q": query, role: items} for query, items in lists.items()]
    if path.suffix == ".txt":
        path.write_text("".join(f"{query} {json.dumps(items)}\n" for query, items in lists.items()))
    elif path.suffix == ".csv":
        path.write_text(f"q,{role}\n" + "".join(f'{query},"{items}"\n' for query, items in lists.items()))
    elif path.suffix == ".jsonl":
        path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    elif path.suffix == ".parquet":
        pl.DataFrame(rows).write_parquet(path)
    else:  # a row for each item
        cells = [f"{query}\t{item}\n" for query, items in lists.items() for item in items]
        path.write_text(f"q\t{role}\n" + "".join(cells))
    return name


@pytest.mark.parametrize("suffix", [".txt", ".csv", ".jsonl", ".parquet", ".tsv"])
@pytest.mark.parametrize("of_run", [".txt", ".csv", ".jsonl", ".parquet", ".tsv"])
def test_labels_and_ranks_by_position_are_read_from_every_kind_of_file(suffix: str, of_run: str) -> None:
    columns = {**(NAMED if suffix != ".txt" else {}), **(OF_RUN if of_run != ".txt" else {})}
    values = rw.evaluate(written(f"labels{suffix}", LABELS), written(f"ranks{of_run}", RANKS), MEASURES, **columns)
    assert [values[measure] for measure in MEASURES] == pytest.approx(RIGHT, abs=1e-15)


def test_objects_are_read_as_files_are() -> None:
    labels = [{"q": query, "labels": items} for query, items in LABELS.items()]
    ranks = pl.DataFrame([{"q": query, "ranks": items} for query, items in RANKS.items()])
    values = rw.evaluate(labels, ranks, MEASURES, **NAMED, **OF_RUN)
    assert [values[measure] for measure in MEASURES] == pytest.approx(RIGHT, abs=1e-15)


def test_equal_scores_count_as_in_arrays() -> None:
    labels, scores = {"a": [0, 1, 0, 2] * 5}, {"a": [1, 2, 2, 1] * 5}
    columns = {"run_columns": {"query": "q", "document": "", "score": "scores"}}
    files = written("labels.jsonl", labels), written("scores.jsonl", scores)
    values = rw.evaluate(*files, MEASURES, **NAMED, **columns)
    expected = rw.evaluate(labels=labels, scores=scores, measures=MEASURES)
    assert [values[measure] for measure in MEASURES] == [expected[measure] for measure in MEASURES]


def test_a_label_that_is_missing_is_one_that_nobody_gave() -> None:
    Path("labels.jsonl").write_text('{"q": 1, "labels": [0, null, 1]}\n')
    judgements = rw.Qrels("labels.jsonl", columns=NAMED["qrels_columns"])
    assert (judgements.blanks, judgements.to_dict()) == (1, {"1": {"000000": 0.0, "000002": 1.0}})


def test_lists_of_another_length_are_refused() -> None:
    files = written("labels.txt", LABELS), written("ranks.txt", {**RANKS, "1": [2, 1]})
    with pytest.raises(InputError, match="query 1 has 3 labels and 2 scores in ranks") as caught:
        rw.evaluate(*files, ["RR"])
    assert caught.value.slug == "row-count"


def test_numbers_in_brackets_that_may_be_ranks_scores_or_ids_are_asked_about() -> None:
    files = written("labels.txt", LABELS), written("found.txt", {"1": [7, 3], "2": [9, 4]})
    with pytest.raises(InputError, match="may be ranks, scores or ids") as caught:
        rw.evaluate(*files, ["RR"])
    assert caught.value.slug == "rank-or-score"
    assert "--run-format tsv --run-columns query=1 document= rank=2" in caught.value.remedy


ROWS = ["2 1:0.3 2:0.1", "0 1:0.2", "1 1:0.9", "0 1:0.7"]
TABLE = ["2\t0.3\t1", "0\t0.2\t0", "1\t0.9\t1", "0\t0.7\t0"]


@pytest.mark.parametrize("suffix", [".query", ".group"])
@pytest.mark.parametrize("rows", [ROWS, TABLE, [row.replace("\t", ",") for row in TABLE]])
def test_sizes_of_queries_stand_beside_the_rows(suffix: str, rows: list[str]) -> None:
    Path("rank.test").write_text("\n".join(rows) + "\n")
    Path(f"rank.test{suffix}").write_text("2\n2\n")
    Path("predictions.txt").write_text("0.1\n0.9\n0.8\n0.2\n")
    values = rw.evaluate("rank.test", "predictions.txt", ["nDCG@2"])
    arrays = rw.evaluate(labels=[2, 0, 1, 0], scores=[0.1, 0.9, 0.8, 0.2], group=[2, 2], measures=["nDCG@2"])
    assert values["nDCG@2"] == arrays["nDCG@2"] == pytest.approx((1 / math.log2(3) + 1) / 2)
    assert values.per_query.to_dict().keys() == {"0", "1"}


@pytest.mark.parametrize("sizes", ["2\n1\n", "2\n3\n"])
def test_sizes_that_do_not_add_up_are_refused(sizes: str) -> None:
    Path("rank.test").write_text("\n".join(ROWS) + "\n")
    Path("rank.test.query").write_text(sizes)
    with pytest.raises(
        InputError, match=r"rank\.test has 4 rows, and the sizes in rank\.test\.query add up to"
    ) as caught:
        rw.Qrels("rank.test")
    assert caught.value.slug == "row-count"


def test_sizes_that_are_no_numbers_are_refused() -> None:
    Path("rank.test").write_text("\n".join(ROWS) + "\n")
    Path("rank.test.group").write_text("two\n")
    with pytest.raises(InputError, match="are whole numbers, one in each line"):
        rw.Qrels("rank.test")
