"""Patterns: the parts of one run, and several runs that are taken for parts."""

import re
import warnings
from pathlib import Path

import polars as pl
import pytest

import rankworth as rw
from rankworth import cli
from rankworth.errors import InputError

QRELS = {"q1": {"a": 1}, "q2": {"b": 1}}
S = "q1 Q0 a 1 9 s\nq2 Q0 x 1 9 s\n"
T = "q1 Q0 y 1 8 t\nq1 Q0 a 2 7 t\nq2 Q0 b 1 8 t\n"


@pytest.fixture(autouse=True)
def _folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("sys").mkdir()
    Path("two.qrels").write_text("q1 0 a 1\nq2 0 b 1\n")


def put(**files: str) -> None:
    for name, text in files.items():
        Path("sys", f"{name.replace('_', '-')}.run").write_text(text)


SEVERAL = {
    "other names": {"s": S, "t": T},
    "other names, disjoint documents": {"s": "q1 Q0 a 1 9 s\n", "t": "q1 Q0 b 1 8 s\n"},
    "other numbers and other tags": {"run1": S, "run2": T},
    "tables": {"bm25": "query,document,score\nq1,a,2\n", "dense": "query,document,score\nq1,b,1\n"},
}
PARTS = {
    "other queries": {"s": "q1 Q0 a 1 9 s\n", "t": "q2 Q0 b 1 8 t\n"},
    "parts of lines": {"part_0": "q1 Q0 a 1 9 s\n", "part_1": "q1 Q0 y 2 8 s\nq2 Q0 b 1 8 s\n"},
    "parts of a table": {
        "part_0": "query,document,score\nq1,a,2\n",
        "part_1": "query,document,score\nq1,y,1\nq2,b,1\n",
    },
}


@pytest.mark.parametrize("name", SEVERAL)
def test_several_runs_in_a_pattern_are_refused_with_the_way(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    put(**SEVERAL[name])
    status = cli.main(["evaluate", "two.qrels", "sys/*.run", "-m", "RR", "--duplicates", "best"])
    said = capsys.readouterr().err
    assert (status, "both rank query" in said, "[nested-runs]" in said) == (2, True, True)
    way = re.search(r"give several runs: (\S+) without quotes", said)
    assert way
    runs = sorted(map(str, Path().glob(way[1])))
    assert cli.main(["evaluate", "two.qrels", *runs, "-m", "RR"]) == 0
    with pytest.raises(InputError, match="several runs"):
        rw.evaluate(QRELS, "sys/*.run", ["RR"])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert len(rw.evaluate_runs(QRELS, runs, ["RR"])) == len(runs)


@pytest.mark.parametrize("name", PARTS)
def test_parts_of_one_run_are_read_together(name: str) -> None:
    put(**PARTS[name])
    assert rw.evaluate(QRELS, "sys/*.run", ["RR"])["RR"] == 1


def test_a_list_of_paths_is_one_run_where_it_is_said() -> None:
    put(s="q1 Q0 a 1 9 s\n", t="q1 Q0 b 1 8 t\nq2 Q0 b 1 8 t\n")
    run = rw.Run(["sys/s.run", "sys/t.run"], "both")
    assert isinstance(run.to_frame(), pl.DataFrame)
    assert rw.evaluate(QRELS, run, ["RR"])["RR"] == 1


RANKED = {"q1": {"b": -1.0, "a": -2.0}, "q2": {"c": -1.0}}
SCORED = {"q1": {"b": 2.5, "a": 1.5}, "q2": {"c": 0.5}}
BARE = {
    "ids": ('["b", "a"]', '["c"]', RANKED),
    "records": ('[{"id": "b", "score": 2.5}, {"id": "a", "score": 1.5}]', '[{"id": "c", "score": 0.5}]', SCORED),
    "records in their order": ('[{"docid": "b"}, {"docid": "a"}]', '[{"docid": "c"}]', RANKED),
    "pairs": ('[["b", 2.5], ["a", 1.5]]', '[["c", 0.5]]', SCORED),
    "numbers by document": ('{"b": 2.5, "a": 1.5}', '{"c": 0.5}', SCORED),
}


def ranked(path: str, **columns: str) -> dict[str, dict[str, float]]:
    """The scores of a run."""
    rows: dict[str, dict[str, float]] = {}
    for query, document, score in pl.concat(rw.Run(path, columns=columns).batches()).iter_rows():
        rows.setdefault(query, {})[document] = score
    return rows


@pytest.mark.parametrize("name", BARE)
@pytest.mark.parametrize("end", ["", "\n"])
def test_a_file_holds_the_bare_list_of_the_query_that_it_is_called_by(name: str, end: str) -> None:
    first, second, expected = BARE[name]
    for query, text in (("q1", first), ("q2", second)):
        Path("sys", f"{query}.json").write_text(f"{text}{end}")
    assert ranked("sys/*.json", query="{file}") == expected
    if expected is RANKED:
        judged = {query: dict.fromkeys(found, 1.0) for query, found in expected.items()}
        assert rw.Qrels("sys/*.json", columns={"query": "{file}"}).to_dict() == judged
    with pytest.raises(InputError) as caught:
        ranked("sys/*.json")
    assert "--run-columns 'query={file}'\nin Python run_columns={'query': '{file}'}" in caught.value.remedy


def test_a_list_of_nothing_is_a_query_without_rows() -> None:
    Path("sys/q1.json").write_text('["b", "a"]')
    Path("sys/q2.json").write_text("[]")
    assert ranked("sys/*.json", query="{file}") == {"q1": RANKED["q1"]}
    assert rw.Qrels("sys/*.json", columns={"query": "{file}"}).to_dict() == {"q1": {"b": 1.0, "a": 1.0}}


def test_judgements_of_one_query_are_grades_by_document() -> None:
    Path("sys/q1.json").write_text('{"a": 2, "b": 0}')
    assert rw.Qrels("sys/q1.json", columns={"query": "{file}"}).to_dict() == {"q1": {"a": 2.0, "b": 0.0}}


def test_a_file_of_rows_is_no_bare_list() -> None:
    Path("sys/q1.jsonl").write_text('{"docid": "a", "score": 2}\n{"docid": "b", "score": 3}\n')
    Path("sys/q2.jsonl").write_text('{"docid": "c", "score": 1}\n')
    assert ranked("sys/*.jsonl", query="{file}") == {"q1": {"b": 3.0, "a": 2.0}, "q2": {"c": 1.0}}
    Path("sys/q3.json").write_text('{"q1": {"a": 1}}')
    with pytest.raises(InputError, match="the keys are queries"):
        ranked("sys/q3.json", query="{file}")
