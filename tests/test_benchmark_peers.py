"""The table of `benchmarks/peers.py`: rankworth has the values of each tool, and what is not installed is named."""

import json
import subprocess
import sys
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

from live.environments import missing, python_of

BENCHMARKS = Path(__file__).parent.parent / "benchmarks"
TREC_EVAL = f"""#!{sys.executable}
# Stands for a binary of trec_eval, whose code pytrec_eval-terrier holds.
import sys
import pytrec_eval
if sys.argv[1:] == ["--version"]:
    sys.exit("trec_eval version 9.0.8")
names = [name.replace(".", "_") for option, name in zip(sys.argv, sys.argv[1:]) if option == "-m"]
with open(sys.argv[-2]) as qrels, open(sys.argv[-1]) as run:
    evaluator = pytrec_eval.RelevanceEvaluator(pytrec_eval.parse_qrel(qrels), names)
    values = evaluator.evaluate(pytrec_eval.parse_run(run))
if "-q" in sys.argv:
    for query, row in values.items():
        print(*(f"{{name:22}}\\t{{query}}\\t{{row[name]:.4f}}" for name in names), sep="\\n")
for name in names:
    mean = sum(row[name] for row in values.values()) / len(values)
    print(f"{{name:22}}\\tall\\t{{mean:.4f}}")
"""
RUN_HERE = (
    *("PytrecEvalDicts", "IrMeasuresDicts", "RanxDicts", "IrMeasuresFrames", "RanxFrames"),
    *("SklearnArrays", "TorchmetricsTensors"),
)
RUN_ELSEWHERE = dict.fromkeys(("RecToolsFrames", "RecToolsHistory", "RecToolsCatalogue"), "recommending")
NOT_RUN = ["SentenceTransformersHits"]  # tests/test_sentence_transformers.py holds values of the tool


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    """Make 50 queries with 100 documents."""
    folder = tmp_path_factory.mktemp("collections")
    generate = [sys.executable, BENCHMARKS / "generate.py", "small-deep", "--data", folder]
    subprocess.run(generate, check=True, capture_output=True)
    return [str(folder / f"small-deep.{kind}") for kind in ("qrels", "run")]


@pytest.fixture
def jobs(monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    """Import the calls that are measured."""
    monkeypatch.syspath_prepend(BENCHMARKS)
    return import_module("peer_calls")


def test_every_call_that_is_measured_is_tested(jobs: Any) -> None:
    assert sorted(jobs.JOBS) == sorted([*RUN_HERE, *RUN_ELSEWHERE, *NOT_RUN])


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("key", RUN_HERE)
def test_values_are_those_of_the_tool(key: str, jobs: Any, files: list[str]) -> None:
    job = jobs.JOBS[key](*map(Path, files))
    job.theirs()
    assert_same(job.their_values(), job.our_values(), job.names)


@pytest.mark.parametrize("key", RUN_ELSEWHERE)
def test_values_are_those_of_a_tool_in_another_environment(key: str, jobs: Any, files: list[str]) -> None:
    assert not missing(RUN_ELSEWHERE[key])
    both = []
    for side in ("theirs", "ours"):
        process = [python_of(RUN_ELSEWHERE[key]), BENCHMARKS / "peer_calls.py", key, side, *files]
        answers = subprocess.run(process, input="2\nvalues\n", capture_output=True, text=True, check=True).stdout
        made, called, values = map(json.loads, answers.splitlines())
        assert 0 < made["megabytes"] <= called["megabytes"]
        assert called["cpu"] > 0
        both.append(values)
    assert_same(*both, jobs.JOBS[key].names)


def assert_same(theirs: Any, ours: Any, names: tuple[str, ...]) -> None:
    """Compare the values of all queries; torchmetrics counts in single precision."""
    assert list(theirs) == list(names)
    for name in names:
        assert len(theirs[name]) == (1 if name.startswith("CatalogCoverage") else 50)  # one of all users together
        assert ours[name] == pytest.approx(theirs[name], abs=2e-7), name
    values = [value for row in theirs.values() for value in row.values()]
    assert 10 * len({*values}) > len(values)


def test_one_table_has_every_tool_or_says_how_to_get_it(files: list[str], tmp_path: Path) -> None:
    trec_eval = tmp_path / "trec_eval"
    trec_eval.write_text(TREC_EVAL)
    trec_eval.chmod(0o755)
    wanted = ["trec_eval", "pytrec_eval-terrier", "ir_measures", "sentence-transformers"]
    options = ["--collection", "small-deep", "--rounds", "1", "--warmups", "0", "--data", str(Path(files[0]).parent)]
    command = [sys.executable, BENCHMARKS / "peers.py", *options, "--trec-eval", trec_eval, "--only", *wanted]
    printed = subprocess.run(command, capture_output=True, text=True, check=False)
    assert printed.returncode == 0, printed.stderr
    rows = [[cell.strip() for cell in line.split("|")[1:-1]] for line in printed.stdout.splitlines() if "|" in line]
    assert {len(row) for row in rows} == {len(rows[0])}
    cells = [dict(zip(rows[0], row, strict=True)) for row in rows[2:]]
    pairs = list(zip(cells[:-1:2], cells[1::2], strict=True))
    measured = [(theirs["tool"].split()[0], theirs["from"], ours["tool"]) for theirs, ours in pairs]
    assert measured == [
        ("trec_eval", "files", "rankworth, trec_eval-9.0.8-c"),
        ("pytrec_eval-terrier", "files", "rankworth, pytrec_eval-terrier"),
        ("ir_measures", "files", "rankworth, ir_measures"),
        ("pytrec_eval-terrier", "dicts", "rankworth, pytrec_eval-terrier"),
        ("ir_measures", "dicts", "rankworth, ir_measures"),
        ("ir_measures", "frames", "rankworth, ir_measures"),
    ]
    assert {(theirs["values"], theirs["differ by"]) for theirs, _ in pairs} == {("5 x 50", "0")}
    assert cells[-1]["tool"] == "sentence-transformers: `pip install sentence-transformers`"


@pytest.mark.usefixtures("jobs")
def test_what_differs_is_said() -> None:
    peers = import_module("peers")
    values = {"AP": {"q1": 0.5, "q2": 0.25}}
    assert peers.difference_of(values, values, ["AP"]) == ("1 x 2", 0)
    assert peers.difference_of(values, {"AP": {"q1": 0.5, "q2": 0.26}}, ["AP"]) == ("1 x 2", pytest.approx(0.01))
    assert peers.difference_of(values, {"AP": {"q1": 0.5}}, ["AP"]) == ("1 x 2", float("inf"))
