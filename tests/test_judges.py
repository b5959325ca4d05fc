"""Grades of several judges: a column for each, or rows that repeat a document, and the grade that counts of them."""

import json
import warnings
from pathlib import Path
from typing import Any, Final

import polars as pl
import pytest

import rankworth as rw
from rankworth.profiles import Signature

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


ROWS: Final = "query,docid,judge,label\nq1,d1,ann,3\nq1,d1,bob 2,1\nq1,d2,ann,0\nq2,d4,bob 2,\nq2,d4,ann,2\n"
RUN: Final = {"q1": {"d2": 2.0, "d1": 1.0}, "q2": {"d4": 1.0}}


@pytest.mark.parametrize("suffix", [".csv", ".jsonl", ".json", ".parquet", "rows", "frame"])
def test_one_judge_is_chosen_by_name(suffix: str, tmp_path: Path) -> None:
    frame = pl.read_csv(ROWS.encode())
    path = tmp_path / f"rows{suffix}"
    writers = {".csv": frame.write_csv, ".jsonl": frame.write_ndjson, ".json": frame.write_json}
    if writer := (writers | {".parquet": frame.write_parquet}).get(suffix):
        writer(path)  # type: ignore[operator] # each takes a path
    source = {"rows": frame.to_dicts(), "frame": frame}.get(suffix, path)
    chosen = rw.Qrels(source, columns={"grade": "label[judge=ann]"})
    assert chosen.to_dict() == {"q1": {"d1": 3.0, "d2": 0.0}, "q2": {"d4": 2.0}}
    assert chosen.by_subtopic() is None
    other = rw.Qrels(source, columns={"grade": "label[judge=bob 2]"})
    assert (other.to_dict(), other.blanks) == ({"q1": {"d1": 1.0}}, 1)
    with pytest.raises(rw.InputError, match=r"no grade is of judge=cy; the judges are ann 'bob 2'") as caught:
        rw.Qrels(source, columns={"grade": "label[judge=cy]"})
    assert caught.value.slug == "frame-columns"
    assert "--qrels-columns 'grade=label[judge=ann]'" in caught.value.remedy


def test_a_judge_is_chosen_by_numbers_of_columns(tmp_path: Path) -> None:
    path = tmp_path / "rows.txt"
    path.write_text("q1 7 d1 3\nq1 8 d1 1\nq2 7 d4 2\n")
    columns = {"query": "1", "document": "3", "grade": "4[2=7]"}
    assert rw.Qrels(path, format="tsv", columns=columns).to_dict() == {"q1": {"d1": 3.0}, "q2": {"d4": 2.0}}


def test_the_judge_who_judges_a_document_twice_is_refused() -> None:
    rows = [{"query": "q", "docid": "d", "judge": "ann", "label": grade} for grade in (1, 2)]
    with pytest.raises(rw.InputError) as caught:
        rw.Qrels(rows, columns={"grade": "label[judge=ann]"})
    assert caught.value.slug == "duplicate-judgement"


@pytest.mark.parametrize("name", ["mean(label)", "median(label)", "label[judge=ann]", "label[judge=bob 2]"])
def test_the_signature_says_how_grades_of_judges_became_one(name: str, tmp_path: Path) -> None:
    path = tmp_path / "rows.csv"
    path.write_text(ROWS)
    said = f"judges:{name.replace(' ', '%20')}"
    rows = pl.read_csv(ROWS.encode()).to_dicts()
    for source in (path, rows):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", rw.RankworthWarning)
            values = rw.evaluate(source, RUN, ["AP"], qrels_columns={"grade": name})
            explanation = rw.explain(source, RUN, "AP", query="q1", qrels_columns={"grade": name})
        assert values.signature.endswith(f"|{said}")
        assert Signature.parse(values.signature).recorded["judges"] == said.removeprefix("judges:")
        assert explanation.signature.endswith(f"|{said}")
    values = rw.evaluate({"q1": {"d1": 3, "d2": 0}, "q2": {"d4": 2}}, RUN, ["AP"])
    assert "judges" not in values.signature
