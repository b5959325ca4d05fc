"""Grades of several judges: a column for each, or rows that repeat a document, and the grade that counts of them."""

import json
from pathlib import Path
from typing import Any, Final

import polars as pl
import pytest

import rankworth as rw

BOOK: Final = [
    {"query": "star wars", "docid": "11", "ann@x.org": 1, "bob@x.org": 3, "cy@x.org": 3},
    {"query": "star wars", "docid": "12", "ann@x.org": 0, "bob@x.org": None, "cy@x.org": 1},
    {"query": "alien", "docid": "13", "ann@x.org": 2, "bob@x.org": 2, "cy@x.org": 2},
    {"query": "alien", "docid": "14", "ann@x.org": None, "bob@x.org": None, "cy@x.org": None},
]
RIGHT: Final = {
    "mean": (7 / 3, 0.5),
    "median": (3, 0.5),
    "majority": (3, 0),
    "first": (1, 0),
    "max": (3, 1),
    "min": (1, 0),
}


def written(folder: Path, suffix: str) -> Any:
    """The book as a file of one kind, or as an object."""
    path = folder / f"book{suffix}"
    if suffix == ".csv":
        pl.DataFrame(BOOK).write_csv(path)
    elif suffix == ".jsonl":
        path.write_text("".join(json.dumps(row) + "\n" for row in BOOK))
    elif suffix == ".json":
        path.write_text(json.dumps(BOOK))
    elif suffix == ".parquet":
        pl.DataFrame(BOOK).write_parquet(path)
    return {"rows": BOOK, "frame": pl.DataFrame(BOOK)}.get(suffix, path)


@pytest.mark.parametrize("way", RIGHT)
@pytest.mark.parametrize("suffix", [".csv", ".jsonl", ".json", ".parquet", "rows", "frame"])
def test_one_grade_is_made_of_those_of_several_judges(way: str, suffix: str, tmp_path: Path) -> None:
    for names in ("*@x.org", "ann@x.org,bob@x.org,cy@x.org"):
        columns = {"document": "docid", "grade": f"{way}({names})"}
        judgements = rw.Qrels(written(tmp_path, suffix), columns=columns)
        first, second = RIGHT[way]
        expected = {"star wars": {"11": first, "12": second}, "alien": {"13": 2}}
        assert judgements.to_dict() == {query: pytest.approx(row) for query, row in expected.items()}
        assert judgements.blanks == 1


def test_rows_that_repeat_a_document_are_of_several_judges_even_in_several_files(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("query,document,label\nq,d,3\nq,e,1\n")
    (tmp_path / "b.csv").write_text("query,document,label\nq,d,0\nq,d,2\n")
    files = [tmp_path / "a.csv", tmp_path / "b.csv"]
    assert rw.Qrels(files, columns={"grade": "median(label)"}).to_dict() == {"q": {"d": 2.0, "e": 1.0}}
    (tmp_path / "trec.txt").write_text("q 0 d 1\nq 0 d 2\nq 0 d 2\n")
    numbered = {"query": "1", "document": "3", "grade": "majority(4)"}
    assert rw.Qrels(tmp_path / "trec.txt", format="tsv", columns=numbered).to_dict() == {"q": {"d": 2.0}}


def test_two_judges_of_one_file_are_compared(tmp_path: Path) -> None:
    path = written(tmp_path, ".csv")
    ann, cy = (rw.Qrels(path, columns={"document": "docid", "grade": f"{name}@x.org"}) for name in ("ann", "cy"))
    assert rw.agreement(ann, cy).pairs == 3


def test_a_judge_without_a_column_is_refused(tmp_path: Path) -> None:
    for suffix in (".csv", "rows"):
        with pytest.raises(rw.InputError, match=r"no column is called \*@y\.org") as caught:
            rw.Qrels(written(tmp_path, suffix), columns={"document": "docid", "grade": "mean(*@y.org)"})
        assert caught.value.slug == "frame-columns"
