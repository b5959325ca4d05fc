"""Tables as people have them: each is read to the right number, or refused with the options that read it."""

import json
from math import log2
from pathlib import Path

import pytest

import rankworth as rw
from helpers import quietly
from rankworth.cli import main


@pytest.fixture(autouse=True)
def _folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def value(files: dict[str, str], measure: str, *options: str, capsys: pytest.CaptureFixture[str]) -> float:
    """The value of the run, which is the second file."""
    for name, text in files.items():
        Path(name).write_text(text)
    assert main(["evaluate", *list(files)[:2], "-m", measure, *options, "-f", "tsv"]) == 0, capsys.readouterr().err
    return float(capsys.readouterr().out.split()[-1])


def refused(files: dict[str, str], *options: str, capsys: pytest.CaptureFixture[str]) -> str:
    """What is said where the files are refused."""
    for name, text in files.items():
        Path(name).write_text(text)
    assert main(["evaluate", *list(files)[:2], "-m", "RR", *options]) == 2
    return capsys.readouterr().err


FACTS = json.dumps(
    [
        {"_id": "a", "facts": [["Scott", 0], ["Ed Wood", 0]], "retrieved": ["Ed Wood", "Adam", "Scott"]},
        {"_id": "b", "facts": [["Kiss", 0], ["Shirley", 1]], "retrieved": ["Kiss", "Lord", "Tim"]},
    ]
)
PAGES = {
    "dev.jsonl": '{"query_id": "7", "positive": [{"docid": "10"}]}\n'
    '{"query_id": "8", "positive": [{"docid": "12"}, {"docid": "13"}]}\n',
    "run.tsv": "7\t11\t3.5\n7\t10\t3.25\n8\t12\t2.5\n",
}
RIGHT = {
    "title and sentence": (
        {"facts.json": FACTS, "run.json": FACTS},
        "R@3",
        "--qrels-columns query=_id document=facts grade= --run-columns query=_id document=retrieved",
        (2 / 2 + 1 / 2) / 2,
    ),
    "title and sentence, by position": (
        {"facts.json": FACTS, "run.json": FACTS},
        "R@3",
        "--qrels-columns query=_id documents=facts document=0 grade= --run-columns query=_id document=retrieved",
        (2 / 2 + 1 / 2) / 2,
    ),
    "a header by number": (
        {"gold.csv": "id,country_destination\nu1,US\nu2,US\n", "run.csv": "id,country\nu1,NDF\nu1,US\nu2,US\n"},
        "nDCG@5",
        "--qrels-format csv --qrels-columns query=1 document=2 --run-columns query=id document=country score=",
        (1 / log2(3) + 1) / 2,
    ),
    "a separator beside numbers": (
        {"gold.tsv": "u1\tb\nu2\ta\n", "run.tsv": "u1\ta b c\nu2\td a\n"},
        "RR",
        (
            "--qrels-format tsv --qrels-columns query=1 document=2 "
            "--run-format tsv --run-columns query=1 document=2 separator=\\s"
        ),
        (1 / 2 + 1 / 2) / 2,
    ),
    "two columns of three": (
        {"gold.txt": "x1\tr2\tb9\n", "run.tsv": "x1\tr2\tc9\t0.9\nx1\tr2\tb9\t0.5\n"},
        "RR",
        "--qrels-columns query=1,2 document=3 grade= --run-columns query=1,2 document=3 score=4",
        1 / 2,
    ),
    "lists of records": (PAGES, "RR", "--qrels-columns documents=positive document=docid", (1 / 2 + 1) / 2),
    "a path into lists": (PAGES, "RR", "--qrels-columns document=positive", (1 / 2 + 1) / 2),
}


@pytest.mark.parametrize("case", RIGHT)
def test_tables_of_people_are_read_to_the_right_number(case: str, capsys: pytest.CaptureFixture[str]) -> None:
    files, measure, options, right = RIGHT[case]
    words = [word.replace("\\s", " ") for word in options.split()]
    assert value(files, measure, *words, capsys=capsys) == pytest.approx(right, abs=1e-15)


TREC = "q1 Q0 d1 1 2.5 t\n"
REFUSED = {
    "pairs in judgements": (
        {"facts.json": FACTS, "run.json": FACTS},
        "--qrels-columns query=_id document=facts --run-columns query=_id document=retrieved",
        "--qrels-columns documents=facts document=0 grade=1",
    ),
    "users and all their items": (
        {"gold.txt": "0 10 11 12\n1 13 14 15\n", "run.txt": "0 12 11 10 98 97\n1 15 14 99 96 95\n"},
        "",
        "--qrels-format lists",
    ),
    "ranks in place of documents": (
        {"gold.txt": "0 0 8 1\n1 0 3 1\n", "run.tsv": "0\t5\t1\t20.5\n0\t8\t2\t19.0\n1\t3\t1\t11.0\n1\t4\t2\t10.0\n"},
        "",
        "--run-format tsv --run-columns query=1 document=2 score=4",
    ),
    "stances": (
        {"gold.txt": "1 PRO d1 1\n1 CON d2 1\n", "a.run": TREC},
        "",
        "column 2, which is 0, Q0 or a subtopic there",
    ),
    "ids in place of grades": (
        {"gold.txt": "1 7 8 9001\n1 9 8 9002\n2 7 8 9003\n2 6 5 9004\n", "a.run": TREC},
        "",
        "the grades would be 9001 9002 9003 9004",
    ),
    "ranks that begin anew": (
        {
            "gold.txt": "1 0 d1 1\n",
            "a.run": "1 PRO d1 1 3 t\n1 PRO d2 2 2 t\n1 CON d3 1 3 t\n1 CON d4 2 2 t\n",
        },
        "",
        "ranks begin anew where column 2 changes: PRO CON",
    ),
    "several columns of grades": (
        {"gold.txt": "1 a 1 1 0.8\n1 b 0 1 0.2\n1 c 2 0 1.0\n2 d 0 1 0.5\n2 e 1 1 0.5\n", "a.run": TREC},
        "",
        "which of 3 4 holds the grades?",
    ),
}


@pytest.mark.parametrize("case", REFUSED)
def test_what_only_looks_like_judgements_is_refused(case: str, capsys: pytest.CaptureFixture[str]) -> None:
    files, options, said = REFUSED[case]
    assert said in refused(files, *options.split(), capsys=capsys)


def test_labels_inside_hits_are_told_whatever_the_way_in(capsys: pytest.CaptureFixture[str]) -> None:
    rows = [
        {"question": "q1", "retrieved": [{"id": "m1", "relevant": True}, {"id": "m2", "relevant": False}]},
        {"question": "q2", "retrieved": [{"id": "m3", "relevant": True}]},
    ]
    Path("hits.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    run = {"query": "question", "documents": "retrieved", "document": "id"}
    judged = run | {"grade": "relevant"}
    for source in (rows, "hits.jsonl"):
        values = quietly(rw.evaluate, source, source, ["R", "P@2"], qrels_columns=judged, run_columns=run)
        assert "judged-rows" in [notice.slug for notice in values.notices]
    typed = [f"{role}={name}" for role, name in run.items()]
    words = ["--qrels-columns", *typed, "grade=relevant", "--run-columns", *typed]
    assert main(["check", "hits.jsonl", "hits.jsonl", "-m", "R", *words]) == 0
    assert "[judged-rows]" in " ".join(capsys.readouterr().out.split())


def test_lists_of_ids_are_no_paths() -> None:
    for source in (["A", "Z", "B"], [1, 9, 2]):
        with pytest.raises(rw.InputError, match=r"is a list of ids.*one list is the ranking of one query"):
            rw.evaluate(source, source, ["AP@3"])
    for run in ([["c1", "c2"], ["c0", "c1"]], {0: {"c1": 0.6, "c2": 0.3}, 1: {"c0": 0.5, "c1": 0.2}}):
        assert rw.evaluate(["c2", "c1"], run, ["RR"])["RR"] == (1 / 2 + 1 / 2) / 2


def test_pairs_under_ids_are_an_exact_ranking(capsys: pytest.CaptureFixture[str]) -> None:
    files = {
        "exact.jsonl": '{"query_id": "q1", "ids": [["d1", 0.9], ["d2", 0.8]]}\n'
        '{"query_id": "q2", "ids": [["d3", 0.7], ["d4", 0.6]]}\n',
        "found.json": '{"q1": ["d2", "d9"], "q2": ["d3", "d4"]}',
    }
    for said in ([], ["--columns", "documents=ids", "document=0", "score=1"]):
        assert value(files, "R@2", "--exact", *said, capsys=capsys) == (1 / 2 + 2 / 2) / 2
