"""The collection that ships: what it promises, what two peers say of it, and the command that shows it."""

import inspect
import os
import pty
import re
import shlex
import subprocess
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
import pytrec_eval
from sklearn.metrics import cohen_kappa_score

import rankworth as rw
from rankworth import cli, demonstration
from rankworth.errors import UsageError

ROOT = Path(__file__).parents[1]
MADE = ROOT / "collection"
PAGE = (ROOT / "docs" / "collection.md").read_text(encoding="utf-8")
POOL_DEPTH = 10
COLLECTION = rw.demo()

pytestmark = pytest.mark.filterwarnings("ignore::rankworth.errors.RankworthWarning")


def log(name: str) -> pl.DataFrame:
    return pl.read_csv(MADE / name, separator="\t", quote_char=None)


def test_there_are_queries_of_all_kinds_in_two_languages() -> None:
    queries = COLLECTION.queries.values()
    assert Counter(query.language for query in queries) == {"en": 74, "ar": 34}
    kinds = {"one", "several", "vague", "misspelt", "paraphrase", "none"}
    assert {query.kind for query in queries if query.language == "en"} == kinds
    assert {query.kind for query in queries if query.language == "ar"} == kinds | {"dialect"}
    for query in queries:
        assert query.text
        assert query.need.endswith("."), query
        assert bool(query.english) == (query.language == "ar"), query
        assert bool(re.search("[\u0600-\u06ff]", query.text)) == (query.language == "ar"), query


def test_the_documents_are_names_of_this_python() -> None:
    absent = [name for name in COLLECTION.documents if "is not in this Python" in COLLECTION.documents[name]]
    assert len(COLLECTION.documents) == 4673
    if sys.version_info < (3, 14):
        assert not absent
    assert len(absent) < 200
    assert COLLECTION.documents["math.gcd"].startswith("math.gcd(*integers)\n\nGreatest Common Divisor")
    assert COLLECTION.documents["json"].startswith("json\n\n")


def test_a_name_that_this_python_lacks_says_so() -> None:
    documents = demonstration.Documents(["math.gcd", "math.no_such_thing", "no_such_module.at_all"])
    for name in ("math.no_such_thing", "no_such_module.at_all"):
        assert documents[name].startswith(f"{name} is not in this Python ({sys.version_info[0]}.")
    with pytest.raises(KeyError):
        documents["math.sqrt"]


def test_a_module_that_cannot_be_imported_is_absent_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "broken_on_purpose.py").write_text("import nothing_of_this_name\n")
    monkeypatch.syspath_prepend(tmp_path)
    assert "is not in this Python" in demonstration.Documents(["broken_on_purpose"])["broken_on_purpose"]


def test_only_documents_are_judged_and_retrieved() -> None:
    known = set(COLLECTION.documents)
    grades = COLLECTION.qrels.to_dict()
    assert set(grades) == set(COLLECTION.queries)
    for documents in grades.values():
        assert set(documents) <= known
        assert set(documents.values()) <= {0, 1, 2, 3}
    for run in COLLECTION.runs.values():
        frame = run.to_frame()
        assert set(frame["document"]) <= known
        assert set(frame["query"]) <= set(COLLECTION.queries)


def test_the_first_ten_of_every_run_are_judged() -> None:
    grades = COLLECTION.qrels.to_dict()
    for name, run in COLLECTION.runs.items():
        assert list(COLLECTION.runs) == list(demonstration.RUNS)
        for (query,), rows in run.to_frame().group_by(["query"], maintain_order=True):
            missing = set(rows["document"][:POOL_DEPTH]) - set(grades[str(query)])
            assert not missing, (name, query)


def test_there_are_holes_ties_and_gaps() -> None:
    """What real collections have: unjudged documents, equal scores, queries without results."""
    values = rw.evaluate_runs(COLLECTION.qrels, COLLECTION.runs, ["Judged@100"])
    assert all(value["Judged@100"] < 0.5 for value in values.values())
    assert [value.counts.unanswered for value in values.values()] == [37, 33, 33, 0, 0, 0]
    assert values["names"].counts.no_relevant == 4
    frame = COLLECTION.runs["names"].to_frame()
    assert frame.group_by("query").agg(pl.col("score").is_duplicated().any())["score"].mean() > 0.9


@pytest.mark.parametrize("name", demonstration.RUNS)
def test_scores_have_six_decimals_a_hundred_documents_and_no_order_of_their_own_in_32_bits(name: str) -> None:
    frame = COLLECTION.runs[name].to_frame()
    assert (frame["score"].round(6) == frame["score"]).all()
    assert frame.group_by("query").len()["len"].max() == 100
    narrow = frame.with_columns(narrow=pl.col("score").cast(pl.Float32))
    counts = narrow.group_by("query").agg(pl.col("score", "narrow").n_unique())
    assert (counts["score"] == counts["narrow"]).all()
    ordered = frame.sort(["query", "score", "document"], descending=[False, True, True])
    assert frame.sort("query", maintain_order=True).equals(ordered)


@pytest.mark.parametrize("name", demonstration.RUNS)
def test_the_values_are_pytrec_eval_s(name: str) -> None:
    frame = COLLECTION.runs[name].to_frame()
    ranking: dict[str, dict[str, float]] = {}
    for query, document, score in frame.select("query", "document", "score").iter_rows():
        ranking.setdefault(query, {})[document] = score
    qrels = {
        query: {document: int(grade) for document, grade in grades.items()}
        for query, grades in COLLECTION.qrels.to_dict().items()
    }
    theirs = pytrec_eval.RelevanceEvaluator(qrels, {"ndcg_cut.10", "map", "recip_rank"}).evaluate(ranking)
    ours = rw.evaluate(COLLECTION.qrels, COLLECTION.runs[name], ["nDCG@10", "AP", "RR"]).per_query.to_dict()
    empty = dict.fromkeys(("ndcg_cut_10", "map", "recip_rank"), 0.0)
    for query, values in ours.items():
        their = theirs.get(query, empty)
        assert list(values.values()) == [their["ndcg_cut_10"], their["map"], their["recip_rank"]], query


def test_the_grades_are_those_of_the_log() -> None:
    judged = log("judgements.tsv")
    grades: dict[str, dict[str, int]] = {}
    for query, document, grade in judged.select("query", "document", "grade").iter_rows():
        grades.setdefault(query, {})[document] = grade
    assert COLLECTION.qrels.to_dict() == grades
    assert judged["why"].str.len_chars().min() > 0
    assert set(judged["found"]) == {"pool", "known"}
    firsts = {
        (query, document)
        for run in COLLECTION.runs.values()
        for query, documents in run.to_frame().group_by("query").agg(pl.col("document").head(POOL_DEPTH)).iter_rows()
        for document in documents
    }
    assert firsts == set(judged.filter(found="pool").select("query", "document").iter_rows())


def test_the_page_says_how_well_two_passes_agree() -> None:
    both = log("second.tsv").join(log("judgements.tsv"), on=["query", "document"], suffix="_first")
    assert both.height == round(COLLECTION.qrels.grades.size / 10)
    first, second = both["grade_first"].to_list(), both["grade"].to_list()
    kappa = cohen_kappa_score(first, second, weights="linear")
    same = np.mean(np.array(first) == np.array(second))
    assert (
        f"{both.height} pairs, {100 * same:.1f} % of the grades are equal, linearly weighted kappa {kappa:.2f}" in PAGE
    )
    assert max(abs(one - other) for one, other in zip(first, second, strict=True)) == 1


def test_the_page_says_how_large_it_is() -> None:
    judged = log("judgements.tsv")
    by_grade = dict(judged.group_by("grade").len().iter_rows())
    assert f"{judged.height:,} pairs" in PAGE
    assert f"{judged.filter(found='known').height} of them beyond the pool" in PAGE
    assert ", ".join(f"{by_grade[grade]:,} of grade {grade}" for grade in (3, 2, 1, 0)) in PAGE


def test_no_grade_follows_from_a_rank() -> None:
    """Documents at the same rank have all grades, and all ranks have every grade."""
    grades = COLLECTION.qrels.to_dict()
    for name in ("dense", "bm25"):
        seen: dict[int, set[Any]] = {}
        for (query,), rows in COLLECTION.runs[name].to_frame().group_by(["query"]):
            for rank, document in enumerate(rows["document"][:POOL_DEPTH], 1):
                seen.setdefault(rank, set()).add(grades[str(query)][document])
        assert all(found == {0, 1, 2, 3} for found in seen.values())


def test_the_folder_holds_what_the_package_holds(tmp_path: Path) -> None:
    demonstration.write(tmp_path / "a" / "b")
    qrels, runs = demonstration.paths(tmp_path / "a" / "b")
    measures = ["nDCG@10", "AP", "Judged@20"]
    files = rw.evaluate_runs(qrels, runs, measures)
    assert files.to_frame().equals(rw.evaluate_runs(COLLECTION.qrels, COLLECTION.runs, measures).to_frame())
    arabic = (tmp_path / "a" / "b" / "arabic.txt").read_text().split()
    assert arabic == [query.id for query in COLLECTION.queries.values() if query.language == "ar"]
    assert "CC0" in (tmp_path / "a" / "b" / "SOURCE.md").read_text()


def test_what_is_there_already_is_never_replaced(tmp_path: Path) -> None:
    demonstration.write(tmp_path)
    before = {path: path.stat().st_mtime_ns for path in tmp_path.iterdir()}
    demonstration.write(tmp_path)
    assert {path: path.stat().st_mtime_ns for path in tmp_path.iterdir()} == before
    (tmp_path / "dense.run").write_text("mine\n")
    (tmp_path / "names.run").unlink()
    with pytest.raises(UsageError, match=r"dense\.run is there already, and is not what would be written") as caught:
        demonstration.write(tmp_path)
    assert caught.value.slug == "unwritable-output"
    assert (tmp_path / "dense.run").read_text() == "mine\n"
    assert not (tmp_path / "names.run").exists()


def test_a_folder_that_cannot_be_made_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    for folder in (tmp_path / "file", tmp_path / "file" / "below"):
        with pytest.raises(UsageError, match=r"Not a directory|File exists") as caught:
            demonstration.write(folder)
        assert caught.value.slug == "unwritable-output"


def test_nothing_is_left_where_writing_fails(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(contents: object) -> None:
        raise UsageError("unwritable-output", f"no room for {contents!s:.0}files")

    monkeypatch.setattr(demonstration.results, "write", fail)
    with pytest.raises(UsageError, match="no room"):
        demonstration.write(tmp_path / "new")
    assert not (tmp_path / "new").exists()


@pytest.mark.parametrize("folder", ["", "my folder"])
def test_the_commands_work_as_printed(
    folder: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert cli.main(["demo", folder] if folder else ["demo"]) == 0
    output = capfd.readouterr().out
    printed = [line.strip() for line in output.splitlines() if line.startswith("  rankworth ")]
    assert len(printed) == 5
    answers = []
    for command in printed:
        program = f"{shlex.quote(sys.executable)} -m rankworth.cli"
        done = subprocess.run(
            ["bash", "-c", command.replace("rankworth", program, 1)], capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stderr
        assert "error" not in done.stderr
        answers.append(done.stdout)
    assert answers[0].splitlines()[0] == "run\tnDCG@10\tnDCG@10.low\tnDCG@10.high\tAP\tAP.low\tAP.high"
    assert len(answers[0].splitlines()) == 1 + len(demonstration.RUNS)
    assert [line.split("\t")[0] for line in answers[1].splitlines()] == ["run", "dense", "dense-translated"]
    assert len(answers[2].splitlines()) == 1 + 2 * len(COLLECTION.queries)
    assert answers[3].startswith("nDCG\n\nDCG as a share of")
    assert "alpha_nDCG" in answers[4]


def test_the_means_that_are_shown_are_those_of_evaluate(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert cli.main(["demo", "here"]) == 0
    captured = capfd.readouterr()
    assert captured.err.splitlines() == [f"wrote here: {COLLECTION.title}"]
    rows = {line.split()[0]: line.split()[1:] for line in captured.out.splitlines()[2:8]}
    for name, values in rw.evaluate_runs(COLLECTION.qrels, COLLECTION.runs).items():
        assert rows[name] == [f"{value:.4f}" for value in values.mean().values()]


def test_arabic_comes_to_a_terminal_as_it_was_typed() -> None:
    """Whole letters in the order of reading, which is what terminals turn around; nothing is cut, padded or escaped."""
    leader, follower = pty.openpty()
    environment = os.environ | {"LC_ALL": "C.UTF-8", "COLUMNS": "60"}
    process = subprocess.Popen(
        [sys.executable, "-m", "rankworth.cli", "demo", "--list"], stdout=follower, stderr=follower, env=environment
    )
    os.close(follower)
    received = b""
    while True:
        try:
            part = os.read(leader, 65536)
        except OSError:
            break
        received += part
        if not part:
            break
    os.close(leader)
    assert process.wait() == 0
    lines = received.decode().splitlines()
    for query in COLLECTION.queries.values():
        place = next(place for place, line in enumerate(lines) if line.strip().startswith(f"{query.id} "))
        assert lines[place].endswith(f"  {query.text}")
        if query.english:
            assert lines[place + 1].strip() == f"= {query.english}"


def test_the_data_are_few_and_small() -> None:
    home = Path(inspect.getfile(demonstration)).parent / "data" / "stdlib"
    names = {"SOURCE.md", "documents.txt", "qrels.txt", "queries.tsv", "runs.parquet"}
    assert {path.name for path in home.iterdir()} == names
    assert sum(path.stat().st_size for path in home.iterdir()) < 500_000
