"""`--engine duckdb`: what is printed is what is printed without it, byte for byte, and nothing is left behind."""

import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Mapping
from pathlib import Path

import numpy as np
import polars as pl
import pytest

import rankworth as rw
import signals
from rankworth import cli
from rankworth.cli.options import Running
from rankworth.errors import UsageError
from rankworth.judging import duckdb as engine

LIMIT = ("--engine", "duckdb", "--memory-limit", "500MB")


def command(*arguments: str, **variables: str) -> tuple[int, str, str]:
    """Run the command line in a process of its own."""
    done = subprocess.run(
        [sys.executable, "-m", "rankworth", *arguments],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "PYTHONPATH": str(Path(rw.__file__).parents[1]), **variables},
    )
    return done.returncode, done.stdout, done.stderr


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Files with ties and integer ids; in `mixed` the rows of a query stand apart."""
    monkeypatch.chdir(tmp_path)
    random = np.random.default_rng(7)
    rows = [(query, int(document)) for query in range(30) for document in random.permutation(200)[:50]]
    run = pl.DataFrame(rows, ["user_id", "item_id"], orient="row").with_columns(
        pl.Series("score", np.round(random.random(len(rows)), 1))
    )
    for name in ("qrels", "runs"):
        (tmp_path / name).mkdir()
    run[:700].write_parquet("runs/part-0.parquet")
    run[700:].write_parquet("runs/part-1.parquet")
    run.write_csv("run.csv")
    run.with_columns(pl.col("score").reverse()).write_csv("other.tsv", separator="\t")
    run.sample(fraction=1, shuffle=True, seed=3).write_parquet("mixed.parquet")
    lists = run.group_by("user_id", maintain_order=True).agg(pl.col("item_id").alias("items"))
    lists.write_parquet("lists.parquet")
    run[:99].select("user_id", "item_id").write_csv("excluded.csv")
    rows = [(query, int(document)) for query in range(30) for document in random.permutation(200)[:20]]
    grades = pl.Series("grade", random.integers(0, 3, len(rows)))
    pl.DataFrame(rows, ["user_id", "item_id"], orient="row").with_columns(grades).write_parquet("qrels/a.parquet")
    return tmp_path


ALIKE: Mapping[str, tuple[str, ...]] = {
    "a pattern": ("runs/part-*.parquet",),
    "a folder of parts, query by query": ("runs", "-q", "-f", "json", "-m", "nDCG@10", "AP"),
    "several runs with names": ("one=run.csv", "other.tsv", "x=runs/*.parquet", "-m", "nDCG@10", "AP", "INST"),
    "lists": ("lists.parquet", "-q", "-f", "json"),
    "rows that stand apart": ("mixed.parquet", "--ties", "given"),
    "parts in the order of their names": ("runs", "--ties", "given-reversed", "--score-type", "float32"),
    "a profile that takes ties as given": ("run.csv", "--profile", "ranx-0.3", "-m", "ndcg@10", "map"),
    "a profile that goes by ranks": ("runs", "--profile", "ms_marco", "-m", "RR@10"),
    "all profiles": ("runs", "--profile", "all", "-m", "nDCG@10"),
    "pairs that are excluded": ("run.csv", "--exclude", "excluded.csv", "-f", "json"),
    "intervals": ("run.csv", "--interval", "-f", "json"),
    "lines of trec_eval": ("run.csv", "--profile", "trec_eval-10.0", "-m", "official", "-q", "-f", "trec"),
    "what is cut and left out": ("run.csv", "other.tsv", "--depth", "5", "-J"),
    "queries by their order": ("runs", "--set", "pairing=position"),
    "blocks that are whole": ("run.csv", "--set", "blocks=separate"),
    "a gate that fails": ("run.csv", "--fail-under", "nDCG@10=0.9"),
    "quietly": ("run.csv", "--quiet"),
    "no such file": ("nowhere.csv",),
    "no such pattern": ("nowhere*.parquet",),
    "blocks that are several": ("mixed.parquet", "--set", "blocks=separate", "-q"),
    "lines of TREC that stand apart": ("mixed.run", "-q"),
    "an object of JSON": ("values.json",),
    "two formats": ("both=parts/x.*", "-q"),
    "what Quepid wrote": ("quepid.csv",),
    "two line ends": ("ends.csv",),
    "blanks in a line": ("blanks.csv",),
}


@pytest.mark.parametrize("arguments", ALIKE.values(), ids=ALIKE)
def test_both_print_the_same(
    folder: Path, arguments: tuple[str, ...], capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    (folder / "values.json").write_text('{"1": {"2": 1.0}}')
    (folder / "quepid.csv").write_text("Query Text,Doc ID,Doc Position\n1,2,1\n")
    (folder / "ends.csv").write_bytes(b"query,document,score\n1,2,1\r\n1,3,2\n1,4,3\r\n")
    (folder / "blanks.csv").write_text("query,document,score\n1,2,0.5\n  \n")
    rows = pl.read_parquet("mixed.parquet").iter_rows()
    (folder / "mixed.run").write_text(
        "".join(f"{query} Q0 {document} 1 {score} x\n" for query, document, score in rows)
    )
    (folder / "parts").mkdir()
    (folder / "parts" / "x.csv").write_text("query,document,score\n1,2,0.5\n")
    pl.read_csv("run.csv").filter(pl.col("user_id") != 1).write_parquet("parts/x.parquet")
    before = {*folder.iterdir()}
    told = []
    for more in ((), LIMIT):
        code = cli.main(["evaluate", "qrels/*.parquet", *arguments, *more])
        told.append((code, *capfdbinary.readouterr()))
    assert told[0] == told[1]
    assert told[0][1] or told[0][0] == 2
    assert {*folder.iterdir()} == before


@pytest.mark.parametrize("form", ["json", "parquet", "tsv", "html"])
def test_both_write_the_same_file(folder: Path, form: str) -> None:
    for number, more in enumerate(((), LIMIT)):
        assert cli.main(["evaluate", "qrels", "run.csv", "runs", "-q", "-o", f"values-{number}.{form}", *more]) == 0
    here, there = (folder / f"values-{number}.{form}" for number in range(2))
    assert here.read_bytes() == there.read_bytes()


REFUSED: Mapping[str, tuple[tuple[str, ...], str]] = {
    "a limit that is none": (("run.csv", "--engine", "duckdb", "--memory-limit", "much"), "[unknown-setting]"),
    "a limit without a unit": (("run.csv", "--engine", "duckdb", "--memory-limit", "2000"), "[unknown-setting]"),
    "a limit too small": (("run.csv", "--engine", "duckdb", "--memory-limit", "1MB"), "20 MB at the least"),
    "a limit without an engine": (("run.csv", "--memory-limit", "2GB"), "[conflicting-options]"),
    "another engine": (("run.csv", "--engine", "sqlite"), "duckdb"),
    "text for a score": (("odd.csv", "--engine", "duckdb"), "[bad-score]"),
    "no score": (("hole.csv", "--engine", "duckdb"), "[missing-value]"),
    "a document again": (("twice.csv", "--engine", "duckdb"), "query 1 ranks document 2 again"),
    "other queries": (("strange.csv", "--engine", "duckdb"), "[no-common-queries]"),
    "no rows": (("empty.parquet", "--engine", "duckdb"), "[empty-input]"),
    "no score column": (("excluded.csv", "--engine", "duckdb"), "[frame-columns]"),
    "a damaged file": (("cut.parquet", "--engine", "duckdb"), "[truncated-file]"),
}


@pytest.mark.parametrize(("arguments", "slug"), REFUSED.values(), ids=REFUSED)
def test_the_command_line_refuses(
    folder: Path, arguments: tuple[str, ...], slug: str, capsys: pytest.CaptureFixture[str]
) -> None:
    (folder / "odd.csv").write_text("query,document,score\n1,2,0.5\n1,3,high\n")
    (folder / "hole.csv").write_text("query,document,score\n1,2,0.5\n1,3,\n")
    (folder / "twice.csv").write_text("query,document,score\n1,2,0.5\n1,2,0.7\n")
    (folder / "strange.csv").write_text("query,document,score\nq1,2,0.5\n")
    pl.read_csv("run.csv").clear().write_parquet("empty.parquet")
    (folder / "cut.parquet").write_bytes((folder / "mixed.parquet").read_bytes()[:-300])
    assert cli.main(["evaluate", "qrels/a.parquet", *arguments, "-o", "values.tsv"]) == 2
    out, errors = capsys.readouterr()
    assert out == ""
    assert slug in errors
    assert "Traceback" not in errors
    assert not (folder / "values.tsv").exists()


NAMES = ("run[1]", "r*n", "r?n", "it's", "{a,b}", "~run", "back\\slash", " run", "é", "r[]n", "[a]*")


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("form", ["parquet", "csv"])
def test_signs_in_names_of_files_stand_for_themselves(
    folder: Path, name: str, form: str, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    run = pl.read_csv("run.csv")
    for other in ("run1", "run", "rxn", "a", "b", "ax"):
        (run.write_parquet if form == "parquet" else run.write_csv)(f"{other}.{form}")
    run = run.with_columns(pl.col("score").reverse())
    (run.write_parquet if form == "parquet" else run.write_csv)(folder / f"{name}.{form}")
    told = []
    for more in ((), LIMIT):
        code = cli.main(["evaluate", "qrels", f"x={name}.{form}", "-q", "-f", "json", "--ties", "given", *more])
        told.append((code, *capfdbinary.readouterr()))
    assert told[0] == told[1]
    assert told[0][0] == 0


TABLES: Mapping[str, str] = {
    "underscores in a number": "query,document,score\n1,2,1_000\n1,3,5\n",
    "odd numbers": "query,document,score\n1,2, 5 \n1,3,1e400\n1,4,-0\n1,5,Infinity\n1,6,+5.\n1,7,.5\n1,8,1e-400\n",
    "no number": "query,document,score\n1,2,high\n",
    "NaN": "query,document,score\n1,2,nan\n",
    "blanks around an id": "query,document,score\n1, 2 ,1\n1,3,2\n",
    "blanks in quotes": 'query,document,score\n1," 2 ",1\n1,3,2\n',
    "quotes": 'query,document,score\n1,"2""a",1\n1,"3,\n4",2\n1,5" nail,1\n',
    "quotes that do not close": 'query,document,score\n1,"2,1\n1,3,2\n',
    "text after quotes": 'query,document,score\n"1"x,2,1\n1,3,2\n',
    "no document": "query,document,score\n1,,1\n1,3,2\n",
    "an empty document in quotes": 'query,document,score\n1,"",1\n1,3,2\n',
    "NULL for an id": "query,document,score\n1,NULL,1\n1,3,2\n",
    "a comment": "# by hand\n\nquery,document,score\n1,2,1\n1,3,2\n",
    "empty lines": "query,document,score\n\n1,2,1\n,,\n1,3,2\n\n",
    "semicolons": "query;document;score\n1;2;1\n1;3;2\n",
    "other line ends": "query,document,score\r\n1,2,1\r\n1,3,2\r\n",
    "a mark": "\ufeffquery,document,score\n1,2,1\n1,3,2\n",
    "cells too few": "query,document,score\n1,2\n1,3,2\n",
    "cells too many": "query,document,score\n1,2,3,4\n1,3,2\n",
    "empty cells at the end": "query,document,score,\n1,2,1,\n1,3,2,\n",
    "a header again": "query,document,score\n1,2,1\nquery,document,score\n",
    "blanks in the header": " query , document , score\n1,2,1\n1,3,2\n",
    "nothing below the header": "query,document,score\n",
    "two columns of a name": "query,document,score,note,note\n1,2,1,a,b\n1,3,2,,\n",
    "a column of another name": "query,document,foo\n1,2,1\n",
    "ranks": "query,document,rank\n1,2,1\n1,3,2\n",
    "ranks beside scores": "query,document,score,rank\n1,2,1,2\n1,3,2,1\n1,4,2,3\n",
    "places beside scores": "position,query,document,score\n2,1,2,1\n1,1,3,2\n",
    "scores without a header": "1\t2\t0.5\n1\t3\t2\n",
    "ranks or scores": "1\t2\t5\n1\t3\t2\n",
    "Latin-1": "query,document,score\n1,\udce9,1\n",
}


@pytest.mark.parametrize("ties", [("--ties", "given"), ("--profile", "ms_marco")])
@pytest.mark.parametrize("text", TABLES.values(), ids=TABLES)
@pytest.mark.usefixtures("folder")
def test_tables_are_read_as_without_an_engine(
    text: str, ties: tuple[str, ...], capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    if "\t" in text and ties[0] == "--profile":
        ties = ()
    Path("table.csv").write_bytes(text.encode(errors="surrogateescape"))
    Path("judged.txt").write_text("1 0 2 1\n1 0 3 2\n1 0 4 0\n1 0 5 1\n1 0 8 1\n2 0 1 1\n")
    told = []
    for more in ((), LIMIT):
        code = cli.main(["evaluate", "judged.txt", "table.csv", "-m", "RR@10", "-q", *ties, *more])
        told.append((code, *capfdbinary.readouterr()))
    assert told[0] == told[1]


def test_tables_of_one_run_may_have_their_columns_in_any_order(
    folder: Path, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    run = pl.read_csv("run.csv")
    (folder / "tables").mkdir()
    run[:700].write_csv("tables/1.csv")
    run[700:].select(pl.lit("x").alias("note"), "score", "item_id", "user_id").write_csv("tables/2.csv", separator=";")
    told = []
    for more in ((), LIMIT):
        code = cli.main(["evaluate", "qrels", "tables", "-q", "-f", "json", "--ties", "given", *more])
        told.append((code, *capfdbinary.readouterr()))
    assert told[0] == told[1]
    assert told[0][0] == 0


@pytest.mark.parametrize(
    "names", [("file_row_number",), ("file_index", "FILE_ROW_NUMBER"), ("rankworth_order", "rankworth_6b3c_order_0")]
)
def test_columns_of_our_names_are_columns(
    folder: Path, names: tuple[str, ...], capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    run = pl.read_csv("run.csv")
    (folder / "odd").mkdir()
    for number, part in enumerate((run[:700], run[700:])):
        place = pl.int_range(pl.len()).reverse()
        part.with_columns(place.alias(name) for name in names).write_parquet(f"odd/{number}.parquet")
    told = []
    for more in ((), LIMIT):
        code = cli.main(["evaluate", "qrels", "odd", "-q", "-f", "json", "--ties", "given", *more])
        told.append((code, *capfdbinary.readouterr()))
    assert told[0] == told[1]
    assert told[0][0] == 0


def test_a_missing_engine_is_named(folder: Path) -> None:
    (folder / "duckdb.py").write_text("raise ImportError")
    code, out, errors = command("evaluate", "qrels/a.parquet", "run.csv", "--engine", "duckdb")
    assert (code, out) == (2, "")
    assert "duckdb is not installed   [missing-library]\n  pip install 'duckdb>=1.5'" in errors


@pytest.mark.usefixtures("folder")
def test_nothing_is_said_of_what_duckdb_holds_when_python_ends() -> None:
    code, out, errors = command("evaluate", "qrels", "run.csv", "runs", "lists.parquet", "-q", *LIMIT)
    assert code == 0
    assert len(out.splitlines()) == 1 + 3 * 30
    assert "leak" not in errors


@pytest.mark.parametrize(
    ("limit", "size"),
    [
        ("2 GB", 2e9),
        ("2GB", 2e9),
        ("500mb", 5e8),
        ("1GiB", 2**30),
        ("0.5 GiB", 2**29),
        ("30000000B", 3e7),
        ("1TB", 1e12),
    ],
)
def test_limits_are_typed_as_people_do(limit: str, size: float) -> None:
    with engine.opened(Running("duckdb", limit).memory) as opened:
        told = opened.sql("select current_setting('memory_limit')").fetchall()[0][0]
        number, unit = told.split()
        units = {"bytes": 1, "KiB": 2**10, "MiB": 2**20, "GiB": 2**30, "TiB": 2**40}
        assert float(number) * units[unit] == pytest.approx(size, rel=0.06)  # DuckDB prints few digits


@pytest.mark.parametrize("limit", ["19MB", "0GB", "GB", "-2GB", "2", "2 GB RAM", "1e3MB"])
def test_other_limits_are_refused(limit: str) -> None:
    with pytest.raises(UsageError) as caught, engine.opened(Running("duckdb", limit).memory):
        pass
    assert caught.value.slug == "unknown-setting"


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, -signal.SIGTERM)])
def test_a_run_that_is_ended_leaves_no_folder_and_no_output(folder: Path, number: signal.Signals, code: int) -> None:
    rows = pl.DataFrame({"n": range(4_000_000)}).select(
        (pl.col("n") % 3000).alias("query"), pl.col("n").alias("document"), pl.col("n").alias("score") * 7919 % 1000003
    )
    rows.write_parquet("large.parquet")
    (folder / "spilled").mkdir()
    asked = ["evaluate", "qrels", "large.parquet", "--engine", "duckdb", "--memory-limit", "40MB"]
    asked += ["--duplicates", "best", "-o", "values.tsv"]
    process = subprocess.Popen(
        [*(sys.executable, "-m", "rankworth"), *asked],
        env={**os.environ, "PYTHONPATH": str(Path(rw.__file__).parents[1]), "TMPDIR": str(folder / "spilled")},
        stderr=subprocess.PIPE,
        text=True,
        preexec_fn=signals.usual,  # noqa: PLW1509 - no threads yet
    )
    deadline = time.monotonic() + 60
    while not [*(folder / "spilled").glob("*/*")] and time.monotonic() < deadline and process.poll() is None:
        time.sleep(0.01)
    assert process.poll() is None
    process.send_signal(number)
    _, errors = process.communicate(timeout=60)
    assert process.returncode == code
    assert "Traceback" not in errors
    assert [*(folder / "spilled").iterdir()] == []
    assert not (folder / "values.tsv").exists()


def test_a_run_that_fails_leaves_no_folder(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (folder / "spilled").mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(folder / "spilled"))
    rows = pl.DataFrame({"n": range(1_000_000)}).select(
        pl.format("query-{}", pl.col("n") % 900_000).alias("query"), pl.col("n").alias("document"), score=1.0
    )
    rows.write_parquet("wide.parquet")
    code = cli.main(
        ["evaluate", "qrels", "wide.parquet", "--engine", "duckdb", "--memory-limit", "20MB", "-o", "x.tsv"]
    )
    assert code == 2
    assert re.search("DuckDB gives up: .*Out of Memory Error", capsys.readouterr().err)
    assert [*(folder / "spilled").iterdir()] == []
    assert not (folder / "x.tsv").exists()
