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
FLAT_PAGE = " ".join(PAGE.split())
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
    assert len(COLLECTION.documents) == 4979
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


def test_texts_are_python_s_own_whatever_files_lie_around(tmp_path: Path) -> None:
    """Files with the names of builtins and modules are neither run nor described."""
    for name in ("map", "hash", "statistics", "this_is_no_document"):
        (tmp_path / f"{name}.py").write_text("print('this ran')\nraise SystemExit\n")
    program = """if True:
        import sys
        sys.path.insert(0, "")
        from rankworth import demonstration
        documents = demonstration.Documents(["map", "hash", "statistics.mean", "this_is_no_document"])
        assert "map" in documents
        for name in documents:
            print(documents[name].splitlines()[0])
    """
    done = subprocess.run([sys.executable, "-c", program], cwd=tmp_path, capture_output=True, text=True, check=True)
    first, second, third, fourth = done.stdout.splitlines()
    assert first.startswith("map")
    assert second == "hash(obj, /)"
    assert third == f"statistics.mean is hidden by {tmp_path / 'statistics.py'}"
    assert fourth.startswith("this_is_no_document is not in this Python")


def test_whether_something_is_a_document_is_told_without_importing_it() -> None:
    documents = demonstration.Documents(["no_such_module.at_all"])
    assert "no_such_module.at_all" in documents
    assert "math.gcd" not in documents


def test_texts_are_the_same_each_time() -> None:
    assert not [
        name
        for name in COLLECTION.documents
        if re.search(r" at 0x[0-9a-f]{6,}", COLLECTION.documents[name].partition("\n")[0])
    ]


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


def test_there_are_holes_ties_and_gaps() -> None:
    """What real collections have: unjudged documents, equal scores, queries without results."""
    values = rw.evaluate_runs(COLLECTION.qrels, COLLECTION.runs, ["Judged@100"])
    assert all(value["Judged@100"] < 0.5 for value in values.values())
    assert [value.counts.unanswered for value in values.values()] == [35, 33, 33, 0, 0, 0]
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
    judged = log("judgements.tsv")
    both = log("second.tsv").join(judged, on=["query", "document"], suffix="_log", how="inner")
    assert both.height == log("second.tsv").height > 300
    first, second = both["first"].to_numpy(), both["grade"].to_numpy()
    kappa = cohen_kappa_score(first, second, weights="linear")
    above = (first > 0) | (second > 0)
    said = (
        f"{both.height} pairs, {100 * np.mean(first == second):.1f} % of the grades are equal, "
        f"linearly weighted kappa {kappa:.2f}; of the {above.sum()} pairs that either pass graded above 0, "
        f"{100 * np.mean(first[above] == second[above]):.1f} % are equal"
    )
    assert said in FLAT_PAGE
    assert abs(first - second).max() == 1
    assert f"{judged.filter(pl.col('grade') != pl.col('first')).height} grades were changed" in FLAT_PAGE


def test_the_page_says_how_large_it_is() -> None:
    judged = log("judgements.tsv")
    by_grade = dict(judged.group_by("grade").len().iter_rows())
    assert f"{judged.height:,} pairs" in FLAT_PAGE
    assert f"{judged.filter(found='known').height} of them are beyond the pool" in FLAT_PAGE
    assert ", ".join(f"{by_grade[grade]:,} of grade {grade}" for grade in (3, 2, 1, 0)) in FLAT_PAGE
    assert f"**Documents**, {len(COLLECTION.documents):,}:" in FLAT_PAGE


def test_the_page_counts_the_queries_of_each_kind() -> None:
    for kind, count in Counter(query.kind for query in COLLECTION.queries.values()).items():
        assert f"| `{kind}` | {count} |" in PAGE


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
        with pytest.raises(
            UsageError, match=r"file is a file; a folder is needed|file/below: Not a directory"
        ) as caught:
            demonstration.write(folder)
        assert caught.value.slug == "unwritable-output"


def test_nothing_is_left_where_writing_fails(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(contents: dict[Path, bytes]) -> None:
        raise UsageError("unwritable-output", f"no room for {len(contents)} files")

    monkeypatch.setattr(demonstration.atomic, "write", fail)
    with pytest.raises(UsageError, match="no room for 12 files"):
        demonstration.write(tmp_path / "new" / "and" / "deep")
    assert not [path for path in tmp_path.rglob("*") if path.is_file()]


@pytest.mark.parametrize("name", [b"bad\xff", "ünï".encode(), b"-x"])
def test_any_name_of_a_folder_is_good(name: bytes, tmp_path: Path) -> None:
    environment = os.environ | {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
    command = [sys.executable, "-m", "rankworth", "demo", "--", name]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, check=False, env=environment)
    assert done.returncode == 0, done.stderr
    assert (Path(os.fsdecode(os.fsencode(tmp_path) + b"/" + name)) / "qrels.txt").exists()
    assert (b"./-x/qrels.txt" if name == b"-x" else name + b"/qrels.txt") in done.stdout.replace(b"'", b"")


def test_a_second_time_nothing_is_written_and_that_is_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    for start in ("wrote rankworth-demo: ", "already there: rankworth-demo: "):
        assert cli.main(["demo"]) == 0
        assert capfd.readouterr().err.startswith(start)
    assert cli.main(["demo", ""]) == 2
    assert cli.main(["demo", "--list", "here"]) == 2
    assert capfd.readouterr().err.count("error: ") == 2
    assert [path.name for path in tmp_path.iterdir()] == ["rankworth-demo"]


def test_the_commands_work_as_printed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    usual, printed = (
        [line.strip() for line in capfd.readouterr().out.splitlines() if line.startswith("  rankworth ")]
        for folder in ((), ("my folder",))
        if cli.main(["demo", *folder]) == 0
    )
    assert len(printed) == 13
    assert [command.replace("'my folder'", "rankworth-demo") for command in printed] == usual
    program = f"{shlex.quote(sys.executable)} -m rankworth"
    explore = f"exec {printed.pop(1).replace('rankworth', program, 1)} --no-browser"
    with subprocess.Popen(["bash", "-c", explore], stdout=subprocess.PIPE, text=True) as opened:
        assert opened.stdout is not None
        assert opened.stdout.readline().startswith("http://127.0.0.1:")
        opened.terminate()
    answers = []
    for command in printed:
        done = subprocess.run(
            ["bash", "-c", command.replace("rankworth", program, 1)], capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stderr
        assert "error" not in done.stderr
        answers.append(done.stdout)
    assert Path("report.html").is_file()
    assert answers[1].splitlines()[0] == "run\tnDCG@10\tnDCG@10.low\tnDCG@10.high\tAP\tAP.low\tAP.high"
    assert len(answers[1].splitlines()) == 1 + len(demonstration.RUNS)
    assert [line.split("\t")[0] for line in answers[2].splitlines()] == ["run", "dense", "dense-translated"]
    assert len(answers[3].splitlines()) == 1 + 2 * len(COLLECTION.queries)
    assert answers[4].splitlines()[0] == "fused - bm25, paired over 108 queries"
    assert "\nby language\n" in answers[4]
    assert answers[5].splitlines()[:2] == [
        "en01   nDCG@5 = 5.0972 / 8.0278 = 0.6349   dense",
        "parse a JSON string into Python objects",
    ]
    assert answers[6].splitlines()[0] == "en29   nDCG@10   dense 0.9051, bm25 0, difference -0.9051"
    assert len(Path("my folder/rrf.run").read_text("utf-8").splitlines()) > 100 * len(COLLECTION.queries)
    assert answers[8].startswith("rrf(k=20,run_weights=0.3/0.7) gains +0.0128 on dense where it was chosen")
    assert answers[9].startswith("the candidates of bm25-stem + dense hold 0.65 of 0.96: work on retrieval")
    assert answers[10].startswith("nDCG\n\nHow close the order is to the ideal one")
    assert "alpha_nDCG" in answers[11]


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
        [sys.executable, "-m", "rankworth", "demo", "--list"], stdout=follower, stderr=follower, env=environment
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
