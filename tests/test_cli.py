"""The command line as its users meet it: the real command in processes, most of it in this process for speed."""

import csv
import gzip
import io
import json
import math
import os
import pty
import re
import signal
import struct
import subprocess
import sys
import termios
import time
import tomllib
import typing
from fcntl import ioctl
from importlib.metadata import entry_points
from importlib.resources import files
from pathlib import Path

import polars as pl
import pytest
from cyclopts.completion.detect import ShellDetectionError

import rankworth
import signals
from helpers import Answer, Command, command_of
from rankworth import __main__, cli
from rankworth.cli import configuration, output
from rankworth.cli.help import COMMON
from rankworth.evaluation.runner import DEFAULT_MEASURES
from rankworth.io import atomic
from rankworth.measures import CATALOGUE, FACTS, ITEM_MEASURES
from rankworth.measures.parameters import plain as written
from rankworth.results import file as kept
from rankworth.tables.show import FORMATS, LONG, Form, ValueForm

QRELS = "q1 0 d1 2\nq1 0 d2 0\nq1 0 d3 1\nq2 0 d1 1\nq3 0 d9 0\n"
BM25 = "q1 Q0 d2 1 3.0 x\nq1 Q0 d1 2 2.0 x\nq1 Q0 u 3 1.0 x\nq2 Q0 d5 1 2 x\nq2 Q0 d1 2 1 x\nq9 Q0 d1 1 1 x\n"
DENSE = "q1 Q0 d1 1 3 y\nq1 Q0 d3 2 2 y\nq2 Q0 d1 1 5 y\nq3 Q0 d9 1 1 y\n"
PLUGIN = '''
from rankworth import Terms, measure
from rankworth.measures.building_blocks import relevant

@measure("TopHits", aliases=("found",), range=(0, float("inf")))
def hits(judged, *, rel: float = 1) -> Terms:
    """How many relevant documents were retrieved."""
    return Terms(gain=relevant(judged, rel))
'''


@pytest.fixture(autouse=True)
def _folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Work in a folder with judgements and two runs, and take nothing from the environment."""
    monkeypatch.chdir(tmp_path)
    for name in ("COLUMNS", "NO_COLOR", "FORCE_COLOR"):
        monkeypatch.delenv(name, raising=False)
    Path("qrels.txt").write_text(QRELS)
    Path("bm25.run").write_text(BM25)
    Path("dense.run.gz").write_bytes(gzip.compress(DENSE.encode()))


@pytest.fixture
def command(capsysbinary: pytest.CaptureFixture[bytes]) -> Command:
    """The command in this process: exit status, standard output, standard error."""
    return command_of(capsysbinary)


def process(*arguments: str, stdin: str | bytes = "", env: dict[str, str] | None = None) -> Answer:
    """The command in a process of its own, its output in pipes."""
    given = stdin if isinstance(stdin, bytes) else stdin.encode()
    whole = os.environ | (env or {})
    line = [sys.executable, "-m", "rankworth", *arguments]
    done = subprocess.run(line, input=given, capture_output=True, check=False, env=whole)
    return done.returncode, done.stdout.decode(), done.stderr.decode()


def on_terminal(*arguments: str, columns: int = 80, env: dict[str, str] | None = None) -> tuple[int, str]:
    """The command on a terminal; what a reader sees of both streams."""
    ours, theirs = pty.openpty()
    ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
    whole = os.environ | {"TERM": "xterm-256color"} | (env or {})
    line = [sys.executable, "-m", "rankworth", *arguments]
    with subprocess.Popen(line, stdin=theirs, stdout=theirs, stderr=theirs, env=whole) as child:
        os.close(theirs)
        seen = b""
        while True:
            try:
                seen += os.read(ours, 65536)
            except OSError:
                break
    os.close(ours)
    return child.returncode, seen.decode().replace("\r\n", "\n")


def rows(text: str, separator: str = "\t") -> list[list[str]]:
    """Lines of values."""
    return list(csv.reader(io.StringIO(text), delimiter=separator))


def plain(text: str) -> str:
    """Text without the marks of bold."""
    return re.sub("\x1b\\[\\d+m", "", text)


# What is measured


def test_in_a_pipe_the_means_are_tsv_in_full_precision(command: Command) -> None:
    status, out, err = command("evaluate", "qrels.txt", "bm25.run", "dense.run.gz", "-m", "RR", "P(rel=2)@5")
    assert status == 0
    assert rows(out) == [
        ["run", "RR", "P(rel=2)@5"],
        ["bm25", repr((1 / 2 + 1 / 2) / 3), repr((1 / 5) / 3)],
        ["dense", repr(2 / 3), repr((1 / 5) / 3)],
    ]
    assert err.splitlines()[:2] == [
        (
            "bm25: 3 of 3 judged queries scored; 1 without results (q3), counted as empty rankings; "
            "1 without a relevant document (q3); 1 query of the run not judged (q9), ignored"
        ),
        "dense: 3 of 3 judged queries scored; 1 without a relevant document (q3)",
    ]
    assert err.splitlines()[2] == rankworth.evaluate("qrels.txt", "dense.run.gz", ["RR"]).signature


def test_without_measures_the_usual_five(command: Command) -> None:
    _, out, _ = command("evaluate", "qrels.txt", "dense.run.gz")
    assert rows(out)[0] == ["run", *DEFAULT_MEASURES]
    _, out, _ = command("evaluate", "--help")
    assert " ".join(DEFAULT_MEASURES) in re.sub(r"[\s│]+", " ", out)


def test_measures_may_be_repeated_and_keep_the_names_that_were_asked_for(command: Command) -> None:
    _, out, _ = command("evaluate", "qrels.txt", "dense.run.gz", "-m", "map", "-m", "ndcg_cut_5", "MRR@3", "--quiet")
    assert rows(out)[0] == ["run", "map", "ndcg_cut_5", "MRR@3"]


def test_per_query_is_one_row_for_each_run_and_query(command: Command) -> None:
    status, out, _ = command("evaluate", "qrels.txt", "bm25.run", "dense.run.gz", "-q", "-f", "csv", "-m", "RR", "AP")
    assert status == 0
    assert out == (
        "run,query,RR,AP\n"
        "bm25,q1,0.5,0.25\n"
        "bm25,q2,0.5,0.5\n"
        "bm25,q3,0.0,0.0\n"
        "dense,q1,1.0,1.0\n"
        "dense,q2,1.0,1.0\n"
        "dense,q3,0.0,0.0\n"
    )


def test_answered_only_leaves_unanswered_queries_out(command: Command) -> None:
    _, out, err = command("evaluate", "qrels.txt", "bm25.run", "-m", "RR", "--answered-only")
    assert rows(out)[1] == ["bm25", "0.5"]
    assert err.startswith("2 of 3 judged queries scored; 1 without results (q3), left out;")
    assert "missing:skip" in err


def test_trec_prints_the_lines_of_trec_eval(command: Command) -> None:
    status, out, err = command("evaluate", "qrels.txt", "dense.run.gz", "-f", "trec", "-q", "-m", "P.1", "official")
    lines = [line.split("\t") for line in out.splitlines()]
    assert status == 0
    assert all(len(line) == 3 and len(line[0]) >= 22 for line in lines)
    assert lines[0] == ["num_ret               ", "q1", "2"]
    assert [line[2] for line in lines if line[1] == "q2" and line[0].startswith("map ")] == ["1.0000"]
    summary = {line[0].strip(): line[2] for line in lines if line[1] == "all"}
    assert list(summary)[:7] == ["runid", "num_q", "num_ret", "num_rel", "num_rel_ret", "map", "gm_map"]
    assert (summary["runid"], summary["num_q"], summary["map"]) == ("y", "3", "0.6667")
    assert [name for name in summary if name.startswith("P_")] == ["P_1"]
    assert "3 of 3 judged queries scored" in err


def test_trec_prints_what_trec_eval_does_not_have_under_our_names_and_last(command: Command) -> None:
    given = ("evaluate", "qrels.txt", "dense.run.gz", "-f", "trec", "--quiet", "-m")
    out = command(*given, "RR@10", "INST(T=2)", "gmean(RR)", "recip_rank", "AP(rel=2)", "HitCount")[1]
    assert [line.split("\t")[0].rstrip() for line in out.splitlines()] == [
        "recip_rank",
        "RR@10",
        "INST(T=2)",
        "gmean(RR)",
        "AP(rel=2)",
        "HitCount",
    ]
    assert len(out.splitlines()[0].split("\t")[0]) == 22


def test_several_runs_follow_each_other_in_trec_eval_s_lines(command: Command) -> None:
    out = command("evaluate", "qrels.txt", "dense.run.gz", "bm25.run", "-f", "trec", "--quiet", "-m", "runid", "map")[1]
    assert [line.split("\t")[2] for line in out.splitlines()] == ["y", "0.6667", "x", "0.2500"]


def test_a_file_gets_the_lines_of_trec_eval(command: Command) -> None:
    status, out, _ = command("evaluate", "qrels.txt", "dense.run.gz", "-f", "trec", "-m", "map", "-o", "values")
    assert (status, out) == (0, "")
    assert Path("values").read_text() == "map                   \tall\t0.6667\n"


@pytest.mark.parametrize(
    ("options", "value"),
    [
        (("--rel", "2"), "AP\t0.16666666666666666"),
        (("-l2",), "AP\t0.16666666666666666"),
        (("--depth", "1"), "AP\t0.0"),
        (("-M1",), "AP\t0.0"),
        (("--judged-only",), "AP\t0.4166666666666667"),
        (("-J",), "AP\t0.4166666666666667"),
        (("--complete",), "AP\t0.25"),
        (("-c",), "AP\t0.25"),
        (("--answered-only",), "AP\t0.375"),
    ],
)
def test_settings_of_trec_eval_have_options(command: Command, options: tuple[str, ...], value: str) -> None:
    """d2, not relevant, stands above d1 for q1; d5, unjudged, above d1 for q2."""
    status, out, _ = command("evaluate", "qrels.txt", "bm25.run", "-m", "AP", *options, "-f", "tsv")
    name, number = value.split("\t")
    assert (status, rows(out)) == (0, [["run", name], ["bm25", number]])


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("-c", "--answered-only"), "contradict each other"),
        (("--depth", "0"), "depth=0: depth is a whole number from 1"),
        (("-f", "trec", "--interval"), "trec_eval prints no intervals"),
        (("--rel", "much"), "--rel"),
    ],
)
def test_settings_that_cannot_be(command: Command, options: tuple[str, ...], message: str) -> None:
    status, out, err = command("evaluate", "qrels.txt", "bm25.run", *options)
    assert (status, out) == (2, "")
    assert message in err


def test_counts_and_texts_in_every_form(command: Command) -> None:
    given = ("evaluate", "qrels.txt", "bm25.run", "-m", "NumRel", "relstring", "gmean(AP)", "--quiet")
    gmean = repr(math.exp((math.log(0.25) + math.log(0.5) + math.log(0.00001)) / 3))
    assert rows(command(*given)[1]) == [["run", "NumRel", "gmean(AP)"], ["bm25", "3", gmean]]
    per_query = rows(command(*given, "-q")[1])
    assert per_query[:2] == [["run", "query", "relstring", "NumRel", "gmean(AP)"], ["bm25", "q1", "02-", "2", "0.25"]]
    record = json.loads(command(*given, "-q", "-f", "json")[1])["runs"][0]
    assert record["mean"]["NumRel"] == 3
    assert record["per_query"]["q1"] == {"NumRel": 2, "gmean(AP)": 0.25, "relstring": "02-"}
    table = command(*given, "-f", "table")[1]
    assert re.search(r"bm25 +3 +0\.\d{4}", table)
    for form in typing.get_args(ValueForm):
        shown = [] if form == LONG else ["-q"]
        status, _, err = command(*given, *shown, "-f", form, "-o", f"values-{form}")
        assert (status, err) == (0, ""), form


def test_only_names_the_queries(command: Command) -> None:
    Path("ids.txt").write_bytes(b"\xef\xbb\xbf# the easy one\r\nq2\r\n\r\n")
    _, out, err = command("evaluate", "qrels.txt", "bm25.run", "-m", "RR", "--only", "ids.txt")
    assert rows(out)[1] == ["bm25", "0.5"]
    assert err.startswith("1 of 1 judged queries scored\n")


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (None, "ids.txt: there is no such file   [missing-file]"),
        (b"# nothing\n\n", "ids.txt: there is no query id in it   [empty-input]"),
        (b"q1\nq\xff\n", "ids.txt:2: this is not UTF-8"),
        (b"q1\nq7\n", "[unjudged-queries]"),
    ],
)
def test_a_list_of_queries_that_cannot_be_used(command: Command, content: bytes | None, message: str) -> None:
    if content is not None:
        Path("ids.txt").write_bytes(content)
    status, out, err = command("evaluate", "qrels.txt", "bm25.run", "--only", "ids.txt")
    assert (status, out) == (2, "")
    assert message in err


def test_the_profile_is_named(command: Command) -> None:
    _, out, _ = command("evaluate", "qrels.txt", "dense.run.gz", "--profile", "standard-1", "-f", "json")
    assert json.loads(out)["profile"] == "standard-1"
    status, _, err = command("evaluate", "qrels.txt", "dense.run.gz", "--profile", "trec")
    assert status == 2
    assert err.startswith("error: there is no profile 'trec'")


# Files and names


def test_standard_input_is_a_run_or_the_judgements() -> None:
    status, out, _ = process("evaluate", "qrels.txt", "-", "-m", "RR", stdin=gzip.compress(BM25.encode()))
    assert (status, rows(out)[1]) == (0, ["stdin", repr(1 / 3)])
    status, out, _ = process("evaluate", "-", "dense.run.gz", "-m", "RR", stdin=QRELS)
    assert (status, rows(out)[1]) == (0, ["dense", repr(2 / 3)])


@pytest.mark.parametrize("files", [("-", "-"), ("qrels.txt", "-", "-"), ("qrels.txt", "a=-", "-")])
def test_standard_input_is_read_once(command: Command, files: tuple[str, ...]) -> None:
    status, _, err = command("evaluate", *files)
    assert status == 2
    assert err == (
        "error: - is given more than once, and standard input can be read once only   [one-stdin]\n"
        "  name files for the others: zcat new.run.gz | rankworth evaluate qrels.txt -\n"
    )


def test_runs_are_named_by_their_files_or_as_asked(command: Command) -> None:
    Path("v2").mkdir()
    Path("v2/dense.run").write_text(DENSE)
    Path("v2/p=0.8.run").write_text(DENSE)
    given = ("dense.run.gz", "new=v2/dense.run", "v2/p=0.8.run", "p=0.9=v2/p=0.8.run", "أثر=v2/dense.run")
    status, out, _ = command("evaluate", "qrels.txt", *given, "-m", "RR")
    assert status == 0
    assert [row[0] for row in rows(out)] == ["run", "dense", "new", "p=0.8", "p=0.9", "أثر"]


def test_a_file_with_an_equals_sign_is_a_file(command: Command) -> None:
    Path("p=bm25.run").write_text(DENSE)
    _, out, _ = command("evaluate", "qrels.txt", "p=bm25.run", "-m", "RR")
    assert rows(out)[1] == ["p=bm25", repr(2 / 3)]


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (("bm25.run", "./bm25.run"), "two runs are called 'bm25'"),
        (("x=bm25.run", "x=dense.run.gz"), "two runs are called 'x'"),
        (("=bm25.run",), "'=bm25.run': a run is named NAME=FILE"),
        (("x=",), "'x=': a run is named NAME=FILE"),
    ],
)
def test_names_that_cannot_be(command: Command, given: tuple[str, ...], message: str) -> None:
    status, out, err = command("evaluate", "qrels.txt", *given)
    assert (status, out) == (2, "")
    assert err.startswith(f"error: {message}")
    assert "[run-names]" in err


def test_all_missing_files_are_named_before_any_is_read(command: Command) -> None:
    Path("qrels.txt").write_text("not judgements\n")
    status, _, err = command("evaluate", "qrels.txt", "bm25.rnu", "bm25.run", "dir/p=1.run", ".")
    assert status == 2
    assert err.startswith("error: bm25.rnu: there is no such file   [missing-file]\n")
    assert "\ndir/p=1.run: there is no such file   [missing-file]\n" in err
    assert "\n.: this is a directory, a file is needed   [is-directory]\n" in err
    assert "did you mean bm25.run?" in err


# Forms


def test_json(command: Command) -> None:
    _, out, err = command("evaluate", "qrels.txt", "bm25.run", "dense.run.gz", "-f", "json", "-m", "RR", "R@5")
    answer = json.loads(out)
    assert answer.pop("digest") == kept.digest(json.loads(out))
    bm25, dense = answer.pop("runs")
    assert answer == {
        "schema": "rankworth.results/4",
        "rankworth": rankworth.__version__,
        "signature": rankworth.evaluate("qrels.txt", "dense.run.gz", ["RR"]).signature,
        "profile": "standard-1",
        "measures": ["RR", "R@5"],
        "kinds": {"R@5": "share", "RR": "share"},
    }
    assert [warning["slug"] for warning in bm25.pop("warnings")] == ["many-unanswered", "shallow-run"]
    assert bm25 == {
        "name": "bm25",
        "queries": {"judged": 3, "scored": 3, "unanswered": 1, "no_relevant": 1, "ignored": 1}
        | dict.fromkeys(("duplicates_removed", "duplicate_judgements_removed", "excluded", "excluded_judgements"), 0)
        | {"unanswered_queries": ["q3"], "no_relevant_queries": ["q3"], "ignored_queries": ["q9"]},
        "signatures": rankworth.evaluate("qrels.txt", "dense.run.gz", ["RR", "R@5"]).signatures,
        "mean": {"RR": 1 / 3, "R@5": (1 / 2 + 1 + 0) / 3},
    }
    assert dense["warnings"] == [
        {
            "slug": "shallow-run",
            "text": "dense returns at most 2 documents for a query; for R@5, ranks from 3 on count as not relevant",
        }
    ]
    assert dense["mean"] == {"RR": 2 / 3, "R@5": 2 / 3}
    assert "profile:" not in err


def test_json_per_query_and_interval(command: Command) -> None:
    _, out, _ = command("evaluate", "qrels.txt", "bm25.run", "-f", "json", "-q", "-m", "RR", "--level", "0.9")
    answer = json.loads(out)
    run = answer["runs"][0]
    interval = rankworth.evaluate("qrels.txt", "dense.run.gz", ["RR"]).interval(level=0.9)
    assert run["per_query"] == {"q1": {"RR": 0.5}, "q2": {"RR": 0.5}, "q3": {"RR": 0.0}}
    assert run["interval"]["RR"].keys() == interval["RR"]._asdict().keys()
    assert run["interval"]["RR"]["level"] == 0.9
    assert run["interval"]["RR"]["low"] < run["mean"]["RR"] < run["interval"]["RR"]["high"]
    assert answer["interval"]["seed"] == 0


def test_json_has_null_where_there_is_no_interval(command: Command) -> None:
    Path("ids.txt").write_text("q1\n")
    given = ("evaluate", "qrels.txt", "bm25.run", "-m", "RR", "--interval", "--only", "ids.txt")
    _, out, _ = command(*given, "-f", "json")
    assert json.loads(out)["runs"][0]["interval"] == {"RR": {"low": None, "high": None, "level": 0.95}}
    assert "NaN" not in out
    _, out, _ = command(*given, "-f", "table")
    assert "n/a…n/a" in out


def test_signatures_of_runs_that_differ_are_told_apart(command: Command) -> None:
    given = ("evaluate", "qrels.txt", "bm25.run", "dense.run.gz", "--answered-only", "-m", "RR", "-f", "json")
    answer = json.loads(command(*given)[1])
    signatures = [run["signature"] for run in answer["runs"]]
    assert len(set(signatures)) == 2
    assert all(signature in answer["signature"] for signature in signatures)


def test_json_lines(command: Command) -> None:
    _, out, err = command("evaluate", "qrels.txt", "bm25.run", "dense.run.gz", "-f", "jsonl", "-m", "RR")
    lines = [json.loads(line) for line in out.splitlines()]
    assert [(line["run"], line["RR"]) for line in lines] == [("bm25", 1 / 3), ("dense", 2 / 3)]
    assert all(line["signature"].startswith("profile:standard-1|queries:3-") for line in lines)
    assert "dense: 3 of 3 judged queries scored" in err


def test_intervals_are_columns_beside_the_mean(command: Command) -> None:
    _, out, err = command("evaluate", "qrels.txt", "bm25.run", "-f", "csv", "-m", "RR", "--interval")
    heading, values = rows(out, ",")
    assert heading == ["run", "RR", "RR.low", "RR.high"]
    assert float(values[2]) < float(values[1]) < float(values[3])
    assert "95 % intervals of the means: BCa bootstrap over queries, 9,999 resamples, seed 0" in err


def test_intervals_of_single_queries_are_refused(command: Command) -> None:
    status, out, err = command("evaluate", "qrels.txt", "bm25.run", "-q", "--interval", "-o", "a.json", "-o", "a.csv")
    assert (status, out, list(Path().glob("a.*"))) == (2, "", [])
    assert err.startswith("error: intervals belong to means, and --per-query shows none")


def test_parquet_in_a_pipe() -> None:
    line = [sys.executable, "-m", "rankworth", "evaluate", "qrels.txt", "bm25.run", "-f", "parquet", "-m"]
    done = subprocess.run([*line, "RR", "AP"], capture_output=True, check=True)
    assert pl.read_parquet(io.BytesIO(done.stdout)).rows() == [("bm25", 1 / 3, 0.25)]


def test_parquet_holds_signature_schema_and_counts(command: Command) -> None:
    assert command("evaluate", "qrels.txt", "bm25.run", "-o", "v.parquet", "-o", "v.json", "-q", "-m", "RR")[0] == 0
    frame = pl.read_parquet("v.parquet")
    assert frame.schema == {"run": pl.String, "query": pl.String, "RR": pl.Float64}
    assert frame.rows() == [("bm25", "q1", 0.5), ("bm25", "q2", 0.5), ("bm25", "q3", 0.0)]
    kept = json.loads(pl.read_parquet_metadata("v.parquet")["rankworth"])
    whole = json.loads(Path("v.json").read_text())
    assert whole["runs"][0].pop("per_query").keys() == {"q1", "q2", "q3"}
    assert kept == whole


def test_markdown_and_latex(command: Command) -> None:
    signature = rankworth.evaluate("qrels.txt", "dense.run.gz", ["RR"]).signature
    _, out, _ = command("evaluate", "qrels.txt", "bm25.run", "dense.run.gz", "-f", "md", "-m", "RR")
    assert out.splitlines()[:4] == ["| run | RR |", "|:--|--:|", "| bm25 | 0.3333 |", "| dense | **0.6667** |"]
    assert out.endswith(f"<!-- {signature} -->\n")
    _, out, _ = command("evaluate", "qrels.txt", "bm25.run", "-f", "latex", "-m", "RR")
    assert "bm25 & 0.3333 \\\\\n" in out
    assert out.endswith(f"% {signature}\n")


def test_digits_and_percent_are_for_people_only(command: Command) -> None:
    given = ("evaluate", "qrels.txt", "dense.run.gz", "-m", "RR", "--quiet")
    assert "0.67\n" in command(*given, "-f", "table", "--digits", "2")[1]
    assert "66.67%\n" in command(*given, "-f", "table", "--percent")[1]
    assert "| dense | 66.7% |" in command(*given, "-f", "md", "--percent", "--digits", "1")[1]
    assert rows(command(*given, "-f", "tsv", "--percent", "--digits", "1")[1])[1] == ["dense", repr(2 / 3)]


# Terminals


def test_on_a_terminal_a_table() -> None:
    status, seen = on_terminal("evaluate", "qrels.txt", "bm25.run", "dense.run.gz", "-m", "RR", "AP", "Judged@10")
    assert status == 0
    assert plain(seen).splitlines()[:5] == [
        "run        RR      AP  Judged@10",
        "────────────────────────────────",
        "bm25   0.3333  0.2500     0.3889",
        "dense  0.6667  0.6667     1.0000",
        "",
    ]
    assert re.findall("\x1b\\[1m(.*?)\x1b\\[0m", seen) == [
        "0.6667",
        "0.6667",
    ]  # a share of judged documents has no best
    assert "*" not in seen
    assert plain(seen).count("profile:standard-1|") == 1


@pytest.mark.parametrize("columns", [60, 80, 132])
def test_a_table_fits_the_terminal(columns: int) -> None:
    measures = [f"nDCG(gain=exp2)@{k}" for k in (1, 2, 3, 5, 10, 20, 100)]
    runs = ["bm25.run", "a_rather_long_name_of_a_run_with_all_its_settings_lr_0.001=dense.run.gz"]
    status, seen = on_terminal("evaluate", "qrels.txt", *runs, "-m", *measures, "--interval", columns=columns)
    assert status == 0
    table = plain(seen).partition("warning:")[0]
    assert max(map(len, table.splitlines())) <= columns
    assert all(re.search(rf"{re.escape(measure)}\s", table) for measure in measures)
    assert len(re.findall(r"\d\.\d{4}…\d\.\d{4}$|\d\.\d{4}…\d\.\d{4} ", table, re.MULTILINE)) == 2 * len(measures)


def test_no_escape_sequence_without_a_terminal_or_on_a_dumb_one() -> None:
    given = ("evaluate", "qrels.txt", "bm25.run", "dense.run.gz", "-f", "table", "-m", "RR")
    assert "\x1b" not in process(*given)[1]
    assert "\x1b" in process(*given, env={"FORCE_COLOR": "1"})[1]
    assert "\x1b" not in on_terminal(*given, env={"TERM": "dumb"})[1]
    assert "\x1b[3" not in on_terminal(*given, env={"NO_COLOR": "1"})[1]


def test_parquet_is_refused_on_a_terminal() -> None:
    status, seen = on_terminal("evaluate", "qrels.txt", "bm25.run", "-f", "parquet")
    assert status == 2
    assert seen.startswith("error: Parquet is not for terminals   [unwritable-output]\n")


def test_progress_is_one_line_after_a_second_and_is_gone_in_the_end(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    now = 0.0
    monkeypatch.setattr(time, "monotonic", lambda: now)
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True, raising=False)
    monkeypatch.setenv("TERM", "xterm")
    with output.progress(quiet=False) as drawing:
        assert drawing is not None
        now = 0.9
        drawing("a.run", 1, 100)
        assert capsys.readouterr().err == ""
        now = 1.1
        drawing("a.run", 50_000_000, 100_000_000)
        assert capsys.readouterr().err == "\r\x1b[2Kreading a.run: 50 MB, 50%"
        now = 1.15
        drawing("a.run", 51_000_000, 100_000_000)
        assert capsys.readouterr().err == ""
        now = 1.3
        drawing("x" * 200 + ".gz", 52_000_000, None)
        line = capsys.readouterr().err
        assert line.endswith("x.gz: 52 MB")
        assert len(line.removeprefix("\r\x1b[2K")) < 80
    assert capsys.readouterr().err == "\r\x1b[2K"


def test_no_progress_where_nobody_watches() -> None:
    with output.progress(quiet=False) as drawing:
        assert drawing is None


# Files that are written


def test_outputs_take_the_form_of_their_suffix_and_nothing_goes_to_standard_output(command: Command) -> None:
    names = ["s.json", "s.jsonl", "s.csv", "s.tsv", "s.md", "s.tex", "s.txt", "s.parquet", "S.CSV", "plain"]
    outputs = [part for name in names for part in ("-o", name)]
    status, out, err = command("evaluate", "qrels.txt", "dense.run.gz", "-m", "RR", "-f", "json", *outputs)
    assert (status, out) == (0, "")
    assert [line for line in err.splitlines() if line.startswith("wrote ")] == [f"wrote {name}" for name in names]
    assert Path("plain").read_text() == Path("s.json").read_text()
    assert json.loads(Path("plain").read_text())["runs"][0]["mean"] == {"RR": 2 / 3}
    assert Path("S.CSV").read_text() == Path("s.csv").read_text() == f"run,RR\ndense,{2 / 3!r}\n"
    assert Path("s.tsv").read_text() == f"run\tRR\ndense\t{2 / 3!r}\n"
    assert Path("s.txt").read_text().startswith("run        RR\n")
    assert Path("s.md").read_text().startswith("| run | RR |")
    assert Path("s.tex").read_text().startswith("% \\usepackage")
    assert pl.read_parquet("s.parquet").rows() == [("dense", 2 / 3)]
    assert json.loads(Path("s.jsonl").read_text())["RR"] == 2 / 3


def test_files_do_not_depend_on_the_terminal(command: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    given = ("evaluate", "qrels.txt", "bm25.run", "dense.run.gz", "--interval", "-o", "s.txt")
    command(*given)
    before = Path("s.txt").read_text()
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setenv("COLUMNS", "200")
    command(*given)
    assert Path("s.txt").read_text() == before


def test_quiet_says_nothing_when_all_is_well(command: Command) -> None:
    assert command("evaluate", "qrels.txt", "bm25.run", "-o", "a.csv", "--quiet") == (0, "", "")
    assert Path("a.csv").exists()


@pytest.mark.parametrize(
    ("outputs", "message"),
    [
        (["a.foo"], "a.foo: cannot write .foo; use one of .txt .tsv .json"),
        (["a"], "a: the name has no suffix, which would say the format; use one of .txt .tsv .json"),
        (["a.csv.gz"], "a.csv.gz: compressed files are not written"),
        (["no/a.csv"], "no/a.csv: there is no folder no   [unwritable-output]"),
        (["folder.csv"], "folder.csv: this is a directory, a file is needed   [unwritable-output]"),
        (["link.json"], "link.json: this file is read, so it is not written   [unwritable-output]"),
        (["ids.txt"], "ids.txt: this file is read, so it is not written   [unwritable-output]"),
        (["a.csv", "b.foo", "no/c.md"], "b.foo: cannot write .foo"),
    ],
)
def test_outputs_that_cannot_be_are_refused_before_any_work(command: Command, outputs: list[str], message: str) -> None:
    Path("folder.csv").mkdir()
    Path("link.json").symlink_to("bm25.run")
    Path("ids.txt").write_text("q1\n")
    Path("qrels.txt").write_text("not read\n")
    before = sorted(Path().iterdir())
    given = [part for name in outputs for part in ("-o", name)]
    status, out, err = command("evaluate", "qrels.txt", "bm25.run", "--only", "ids.txt", *given)
    assert (status, out) == (2, "")
    assert err.startswith(f"error: {message}")
    assert "qrels" not in err
    assert sorted(Path().iterdir()) == before
    assert Path("bm25.run").read_text() == BM25


def test_an_output_with_a_problem_is_named(command: Command) -> None:
    assert "a.foo:" in command("evaluate", "qrels.txt", "bm25.run", "-o", "b.csv", "-o", "a.foo")[2]
    assert "no/b.csv:" in command("evaluate", "qrels.txt", "bm25.run", "-o", "no/b.csv")[2]
    assert not Path("b.csv").exists()


def test_a_file_without_permission_is_refused(command: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "access", lambda path, _: Path(path).name != "kept.csv")
    Path("kept.csv").write_text("kept")
    status, _, err = command("evaluate", "qrels.txt", "bm25.run", "-o", "kept.csv")
    assert (status, Path("kept.csv").read_text()) == (2, "kept")
    assert err == "error: kept.csv: writing is not permitted   [unwritable-output]\n"


def test_bad_input_leaves_outputs_untouched(command: Command) -> None:
    Path("a.csv").write_text("old")
    Path("bad.run").write_text(BM25 + "q1 Q0 d7 3\n")
    before = sorted(Path().iterdir())
    status, out, err = command("evaluate", "qrels.txt", "bm25.run", "bad.run", "-o", "a.csv", "-o", "b.json")
    assert (status, out) == (2, "")
    assert err.startswith("error: bad.run:7: a run line has 6 columns")
    assert sorted(Path().iterdir()) == before
    assert Path("a.csv").read_text() == "old"


def test_a_failure_while_writing_leaves_no_file_half_written(command: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    Path("a.csv").write_text("old")
    before = sorted(Path().iterdir())
    real, written = atomic.put, []

    def full(content: bytes, file: typing.IO[bytes]) -> None:
        if written:
            raise OSError(28, "No space left on device")
        written.append(content)
        real(content, file)

    monkeypatch.setattr(atomic, "put", full)
    status, _, err = command("evaluate", "qrels.txt", "bm25.run", "-o", "a.csv", "-o", "b.json")
    assert status == 2
    assert err == "error: b.json: No space left on device   [unwritable-output]\n"
    assert sorted(Path().iterdir()) == before
    assert Path("a.csv").read_text() == "old"


def test_a_file_keeps_its_permissions_and_a_link_stays_a_link(command: Command) -> None:
    Path("real.csv").write_text("old")
    Path("real.csv").chmod(0o640)
    Path("link.csv").symlink_to("real.csv")
    assert command("evaluate", "qrels.txt", "dense.run.gz", "-o", "link.csv", "-m", "RR")[0] == 0
    assert Path("link.csv").is_symlink()
    assert Path("real.csv").read_text().startswith("run,RR\n")
    assert Path("real.csv").stat().st_mode & 0o777 == 0o640


def test_a_new_file_has_the_usual_permissions(command: Command) -> None:
    Path("usual").touch()
    command("evaluate", "qrels.txt", "dense.run.gz", "-o", "new.csv")
    assert Path("new.csv").stat().st_mode == Path("usual").stat().st_mode


def test_streams_that_are_closed() -> None:
    run = f"{sys.executable} -m rankworth evaluate qrels.txt bm25.run -m RR"
    closed = subprocess.run(["sh", "-c", f"{run} >&-"], capture_output=True, text=True, check=False)
    assert (closed.returncode, closed.stdout) == (2, "")
    assert closed.stderr == "error: standard output: Bad file descriptor   [unwritable-output]\n"
    written = subprocess.run(["sh", "-c", f"{run} -o a.csv >&-"], capture_output=True, text=True, check=False)
    assert written.returncode == 0
    assert Path("a.csv").read_text().startswith("run,RR")
    silent = subprocess.run(["sh", "-c", f"{run} 2>&-"], capture_output=True, text=True, check=False)
    assert (silent.returncode, silent.stderr) == (0, "")
    assert silent.stdout.splitlines()[0] == "run\tRR"


def test_devices_are_written_to_and_not_replaced() -> None:
    status, out, _ = process("evaluate", "qrels.txt", "dense.run.gz", "-m", "RR", "-f", "csv", "-o", "/dev/stdout")
    assert (status, out) == (0, f"run,RR\ndense,{2 / 3!r}\n")


# Exit codes and messages


def test_all_mistakes_in_measures_at_once(command: Command) -> None:
    status, out, err = command("evaluate", "qrels.txt", "bm25.run", "-m", "nDGC@10", "AP@x", "P(rl=2)@5", "RR")
    assert (status, out) == (2, "")
    assert err == (
        "error: no measure is called 'nDGC'; did you mean nDCG?   [unknown-measure]\n"
        "'AP@x': a cutoff is a whole number from 1, not 'x'   [bad-cutoff]\n"
        "P has no parameter 'rl'; it has: rel, norm   [unknown-parameter]\n"
    )


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            ["evaluate", "qrels.txt", "bm25.run", "--fromat", "json"],
            "there is no option --fromat; did you mean --format?\n  --format: ",
        ),
        (
            ["evaluate", "qrels.txt", "--fromat=json", "bm25.run"],
            "there is no option --fromat; did you mean --format?\n  --format: ",
        ),
        (["evaluate", "qrels.txt", "bm25.run", "-f", "jsn"], "-f jsn: did you mean json? it is one of table tsv"),
        (
            ["evaluate", "qrels.txt", "bm25.run", "--level", "95"],
            "--level 95: it needs a number below 1\n  --level: Confidence level.",
        ),
        (["evaluate", "qrels.txt", "bm25.run", "--digits", "-1"], "--digits"),
        (
            ["evaluate", "qrels.txt"],
            "needs judgements and a run; there is qrels.txt   [conflicting-options]\n  rankworth evaluate qrels.txt",
        ),
        (["evaluate", "-m", "AP", "qrels.txt", "bm25.run"], "rankworth evaluate QRELS RUN... -m MEASURE..."),
        (["evaluate", "qrels.txt", "-m", "AP", "--", "bm25.run", "qrels.txt"], "these are qrels lines"),
        (["evaluate", "qrels.txt", "bm25.run", "-m", "AP", "dense.run.gz"], "is a file, and comes after --measure"),
        (["evaluate", "qrels.txt", "bm25.run", "-m"], "-m needs at least one value\n  -m: Measures"),
        (
            ["audit", "qrels.txt", "bm25.run", "AP", "=", "0.5"],
            "= 0.5\n  Usage: rankworth audit QRELS RUN MEASURE=NUMBER",
        ),
        (["evalute", "qrels.txt", "bm25.run"], "there is no command evalute; did you mean evaluate?"),
        (["qrels.txt", "bm25.run"], "to measure runs: rankworth evaluate QRELS RUN..."),
        (["--verison"], "--verison"),
        (["evaluate"], "evaluate needs judgements and a run; there is nothing\n  rankworth evaluate qrels.txt"),
        (["convert", "bm25.run", "--to", "csv"], "needs a file to read and one to write; there is bm25.run\n"),
        (["evaluate", "qrels.txt", "bm25.run", "--digits", "x"], "--digits x: it needs a whole number\n  --digits: "),
        (["evaluate", "qrels.txt", "bm25.run", "--interval=3"], "--interval takes no value, and 3 is given\n"),
        (["evaluate", "qrels.txt", "bm25.run", "--digits", "3", "--digits", "4"], "--digits is given twice\n"),
        (["report", "qrels.txt", "bm25.run", "-o", "x.pdf"], "-o report.html, then open the page and print it"),
    ],
)
def test_a_command_line_that_makes_no_sense(command: Command, arguments: list[str], message: str) -> None:
    status, out, err = command(*arguments)
    assert (status, out) == (2, "")
    assert err.startswith("error: ")
    assert message in err


def test_the_process_exits_with_what_main_returns() -> None:
    assert process("evaluate", "qrels.txt", "bm25.run")[0] == 0
    status, out, err = process("evaluate", "qrels.txt", "nowhere")
    assert (status, out, err) == (2, "", "error: nowhere: there is no such file   [missing-file]\n")


def test_the_installed_command_is_main() -> None:
    (command,) = entry_points(group="console_scripts", name="rankworth")
    assert command.load() is __main__.main


def test_warnings_are_said_once_for_all_runs_they_concern(command: Command) -> None:
    Path("third.run").write_text(DENSE)
    given = ("evaluate", "qrels.txt", "bm25.run", "dense.run.gz", "third.run", "-m", "R@5", "P(rel=7)@2", "-f", "table")
    _, out, err = command(*given)
    lines = err.splitlines()
    assert all(line.startswith("warning: ") for line in lines)
    assert [line.rpartition("   ")[2] for line in lines] == [
        "[many-unanswered]",
        "[nothing-relevant]",
        "[shallow-run]",
        "[shallow-run]",
    ]
    assert lines[0].startswith(
        "warning: bm25 has no results for 1 of 3 judged queries; R@5 is 0.5000 if they count as empty"
    )
    text = "dense returns at most 2 documents for a query; for R@5, ranks from 3 on count as not relevant"
    assert lines[3] == f"warning: {text} (the same for third)   [shallow-run]"
    assert "warning" not in out


@pytest.mark.parametrize("unbuffered", ["", "1"])
def test_a_slow_reader_gets_everything_and_one_who_has_enough_is_no_error(unbuffered: str) -> None:
    env = os.environ | {"PYTHONUNBUFFERED": unbuffered}
    line = [sys.executable, "-m", "rankworth", "evaluate", "qrels.txt", "big.run", "-q", "-m", "RR"]
    Path("qrels.txt").write_text("".join(f"q{number} 0 d 1\n" for number in range(20_000)))
    Path("big.run").write_text("".join(f"q{number} Q0 d 1 1 x\n" for number in range(20_000)))
    assert subprocess.run(line, capture_output=True, check=True, env=env).stdout.count(b"\n") == 20_001
    with subprocess.Popen(line, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=env) as child:
        assert child.stdout is not None
        assert child.stderr is not None
        assert child.stdout.readline() == b"run\tquery\tRR\n"
        child.stdout.close()
        assert child.stderr.read() == b""
    assert child.returncode == 141


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
@pytest.mark.parametrize("words", [["evaluate", "qrels.txt", "bm25.run"], ["evaluate", "--help"], ["--help"]])
@pytest.mark.parametrize("unbuffered", ["", "1"])
def test_a_full_disk_is_an_error(words: list[str], unbuffered: str) -> None:
    line = [sys.executable, "-m", "rankworth", *words]
    env = os.environ | {"PYTHONUNBUFFERED": unbuffered}
    with Path("/dev/full").open("wb") as full:
        done = subprocess.run(line, stdout=full, stderr=subprocess.PIPE, check=False, env=env)
    assert done.returncode == 2
    assert done.stderr.decode() == "error: standard output: No space left on device   [unwritable-output]\n"


def test_an_interrupt_ends_quietly() -> None:
    line = [sys.executable, "-m", "rankworth", "evaluate", "qrels.txt", "-"]
    pipe = subprocess.PIPE
    with subprocess.Popen(line, stdin=pipe, stdout=pipe, stderr=pipe, preexec_fn=signals.usual) as child:  # noqa: PLW1509 - no threads yet
        assert child.stdin is not None
        for number in range(20_000):  # more than a pipe holds, so that it is being read when the loop ends
            child.stdin.write(b"q1 Q0 a-document-with-a-long-name-%d 1 1 x\n" % number)
        child.send_signal(signal.SIGINT)
        out, err = child.communicate(timeout=20)
    assert (child.returncode, out, err) == (130, b"", b"")


def test_an_interrupt_within_a_process_is_a_status(command: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("rankworth.evaluation.evaluate_runs", interrupted)
    assert command("evaluate", "qrels.txt", "bm25.run") == (130, "", "")


def test_an_interrupt_ends_the_wait_for_a_silent_pipe() -> None:
    ours, theirs = os.pipe()
    line = [sys.executable, "-m", "rankworth", "evaluate", "-", "bm25.run"]
    pipe = subprocess.PIPE
    with subprocess.Popen(line, stdin=ours, stdout=pipe, stderr=pipe, preexec_fn=signals.usual) as child:  # noqa: PLW1509 - no threads yet
        os.write(theirs, QRELS.encode())
        waiting = bytearray(4)
        while ioctl(ours, termios.FIONREAD, waiting) == 0 and any(waiting):
            time.sleep(0.05)
        time.sleep(0.1)
        child.send_signal(signal.SIGINT)
        try:
            out, err = child.communicate(timeout=20)
        finally:
            child.kill()
    os.close(ours)
    os.close(theirs)
    assert (child.returncode, out, err) == (130, b"", b"")


def test_a_defect_is_not_hidden(monkeypatch: pytest.MonkeyPatch) -> None:
    def defect(*_: object, **__: object) -> None:
        raise ZeroDivisionError

    monkeypatch.setattr("rankworth.evaluation.evaluate_runs", defect)
    with pytest.raises(ZeroDivisionError):
        cli.main(["evaluate", "qrels.txt", "bm25.run"])


def test_output_is_utf8_whatever_the_locale_says() -> None:
    given = ("evaluate", "qrels.txt", "أثر=dense.run.gz", "-m", "RR")
    status, out, _ = process(*given, env={"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"})
    assert (status, rows(out)[1][0]) == (0, "أثر")
    assert process(*given, "-f", "table", env={"PYTHONIOENCODING": "latin-1"})[0] == 0
    status, seen = on_terminal(*given, env={"PYTHONIOENCODING": "ascii"})
    assert status == 0
    assert "0.6667" in seen


def test_ids_of_any_script(command: Command) -> None:
    Path("qrels.txt").write_text("س١ 0 وثيقة 1\n")
    Path("a.run").write_text("س١ Q0 وثيقة 1 1 x\n")
    assert command("evaluate", "qrels.txt", "a.run", "-q", "-m", "RR", "-f", "csv")[1] == "run,query,RR\na,س١,1.0\n"
    assert "س١" in command("evaluate", "qrels.txt", "a.run", "-q", "-m", "RR", "-f", "json")[1]


# Words of other tools

CUTOFF = "a cutoff belongs to its measure, as in -m nDCG@10 R@100; --depth N shortens the rankings"
FILES = "files need no option: rankworth evaluate QRELS RUN..."


@pytest.mark.parametrize(
    ("options", "here"),
    [
        (("--metric", "nDCG@10"), "-m MEASURE... (--measure)"),
        (("--metrics", "nDCG@10"), "-m MEASURE... (--measure)"),
        (("--qrels", "qrels.txt"), FILES),
        (("--run_file=bm25.run",), FILES),
        (("--top", "10"), CUTOFF),
        (("-k", "10"), CUTOFF),
        (("--k_values", "1", "10"), CUTOFF),
        (("--per-topic",), "--per-query (-q)"),
        (("--level_for_rel", "2"), "--rel GRADE (-l)"),
        (("--relevance-level=2",), "--rel GRADE (-l)"),
        (("--output-format", "json"), "--format FORMAT (-f)"),
        (("--json",), "-f json"),
        (("--decimals", "3"), "--digits N"),
        (("--ttest",), "rankworth compare QRELS BASELINE RUN... --test t"),
        (("--ignore-identical-ids",), "--exclude self"),
    ],
)
def test_options_of_other_tools_are_known(command: Command, options: tuple[str, ...], here: str) -> None:
    status, out, err = command("evaluate", "qrels.txt", "bm25.run", *options)
    option = options[0].partition("=")[0]
    assert (status, out, err) == (2, "", f"error: there is no option {option}\n  here: {here}\n")


def test_no_option_is_said_to_be_foreign_that_is_known_here() -> None:
    known = {
        name.lstrip("-")
        for argument in cli.app.app["evaluate"].assemble_argument_collection()
        for name in argument.names
        if name.startswith("--")
    }
    spellings = tomllib.loads((files("rankworth.profiles") / "spellings.toml").read_text("utf-8"))
    assert not known & {one for others in spellings["options"].values() for one in others}


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("-m", "HR"), "did you mean Success?"),
        (("-m", "hit_ratio@10"), "did you mean Success@10?"),
        (("-m", "Personalization@10"), "it compares the lists of all pairs of users"),
        (("-m", "context_precision"), "did you mean AP(norm=found)?"),
        (("-m", "ContextRecall"), "did you mean R?"),
        (("-m", "faithfulness"), "it judges texts of answers"),
        (("-m", "gauc"), "it is AUC here"),
        (("-m", "accuracy@2"), "Success@2"),
        (("-m", "AP,nDCG@10"), "several measures stand apart: -m nDCG@10 AP"),
        (("-m", "P(rel=2)@5,AP"), "several measures stand apart: -m nDCG@10 AP"),
        (("-m", "ndcg@10(gain=exp2)"), "a cutoff is a whole number from 1, not '10(gain=exp2)'"),
        (("--profile", "pytrec_eval"), "was pytrec_eval-terrier-0.5 meant?"),
        (("--profile", "sklearn"), "was scikit-learn-1.9 or scikit-learn-1.9-all meant?"),
        (("--profile", "sbert"), "was sentence-transformers-"),
        (("-m", "nDCG@10, RR@5"), "several measures stand apart: -m nDCG@10 AP"),
    ],
)
def test_measures_and_profiles_of_other_tools_are_known(
    command: Command, options: tuple[str, ...], message: str
) -> None:
    status, out, err = command("evaluate", "qrels.txt", "bm25.run", *options)
    assert (status, out) == (2, "")
    assert message in err


def test_an_address_is_no_file(command: Command) -> None:
    assert command("evaluate", "https://example.org/qrels.txt", "bm25.run")[2] == (
        "error: https://example.org/qrels.txt: there is no such file   [missing-file]\n"
        "  files are read, not addresses: curl -LO https://example.org/qrels.txt, and give the file\n"
    )


@pytest.mark.parametrize("command_name", ["evaluate", "compare"])
def test_files_that_are_swapped_are_told_in_one_line(command: Command, command_name: str) -> None:
    assert command(command_name, "bm25.run", "qrels.txt", "dense.run.gz")[2] == (
        "error: bm25.run: these are run lines (query Q0 document rank score tag), not qrels lines   [qrels-columns]\n"
        "  this looks like a run; the judgements come first, the run comes second\n"
    )
    assert command("evaluate", "qrels.txt", "qrels.txt")[2] == (
        "error: qrels.txt: these are qrels lines (query iteration document grade), not run lines   [run-columns]\n"
        "  this looks like judgements; they come first, the run comes second\n"
    )


def test_text_of_windows_is_converted_as_it_says(command: Command) -> None:
    content = QRELS.replace("d1", "caf\xe9\u201d")
    Path("qrels.txt").write_bytes(content.encode("cp1252"))
    [line] = re.findall("iconv .*", command("evaluate", "qrels.txt", "bm25.run")[2])
    subprocess.run(["sh", "-c", line], check=True)
    assert Path("utf8.txt").read_text(encoding="utf-8") == content


def test_nothing_says_that_there_is_a_release() -> None:
    root = Path(rankworth.__file__).parent
    repository = Path(__file__).parent.parent
    for path in (*root.rglob("*.py"), *repository.glob("docs/**/*.md"), repository / "README.md"):
        assert not re.search(r"pip install [^\n&]*(?<![./])\brankworth\b", path.read_text(encoding="utf-8")), path


# Control characters and formulas

HOSTILE = "\x1b[1mloud\x1b[31m\x9b2J\x07"


@pytest.mark.parametrize("form", ["csv", "tsv", "trec", "json", "jsonl", "md", "latex", "html"])
def test_ids_and_names_bring_no_control_characters_to_a_terminal(form: str) -> None:
    Path("qrels.txt").write_text(f"{HOSTILE} 0 d1 1\n")
    Path("a.run").write_text(f"{HOSTILE} Q0 d1 1 1 {HOSTILE}\n")
    given = ("evaluate", "qrels.txt", f"{HOSTILE}=a.run", "-m", "RR", "-f", form)
    for options in ((), ("-q",)):
        status, seen = on_terminal(*given, *options)
        assert status == 0
        assert "loud" in seen or form == "trec"
        assert not re.search(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]", seen)
    if form in ("csv", "tsv"):
        assert HOSTILE in process(*given, "-q")[1]
        process(*given, "-q", "-o", f"out.{form}")
        assert HOSTILE in Path(f"out.{form}").read_text()


@pytest.mark.parametrize(
    "arguments",
    [
        ("evaluate", f"{HOSTILE}.qrels", "bm25.run"),
        ("evaluate", "qrels.txt", "bm25.run", "-m", HOSTILE),
        ("evaluate", "qrels.txt", "bm25.run", "--profile", HOSTILE),
        ("evaluate", "qrels.txt", "bm25.run", f"--{HOSTILE}"),
        ("measures", "--plugin", HOSTILE),
        ("convert", "bm25.run", f"{HOSTILE}/out.csv"),
        (HOSTILE,),
    ],
)
def test_messages_have_no_control_characters(command: Command, arguments: tuple[str, ...]) -> None:
    status, _, err = command(*arguments)
    assert status == 2
    assert "loud" in err
    assert not re.search(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]", err)


@pytest.mark.parametrize("form", ["csv", "tsv"])
def test_ids_that_a_spreadsheet_would_compute_are_quoted(command: Command, form: str) -> None:
    ids = ["+49", "-5", "=1+1", "@SUM(A1)", "q1"]
    Path("qrels.txt").write_text("".join(f"{query} 0 d 1\n" for query in ids))
    Path("a.run").write_text("".join(f"{query} Q0 d 1 -1.5 t\n" for query in ids))
    given = ("evaluate", "qrels.txt", "@a=a.run", "-m", "RR", "-q", "-f", form)
    separator = "," if form == "csv" else "\t"
    plain, safe = (rows(command(*given, *options)[1], separator) for options in ((), ("--safe-csv",)))
    assert [row[1] for row in plain[1:]] == ids
    assert [row[1] for row in safe[1:]] == [*(f"'{query}" for query in ids[:4]), "q1"]
    assert {row[0] for row in safe[1:]} == {"'@a"}
    assert [row[2:] for row in safe] == [row[2:] for row in plain]
    command(*given[:-2], "--safe-csv", "-o", f"out.{form}")
    assert rows(Path(f"out.{form}").read_text(), separator) == safe


# Plugins and configuration


@pytest.mark.parametrize("plugin", ["my_plugin", "my_plugin.py", "./my_plugin.py"])
def test_a_plugin_defines_measures(command: Command, plugin: str) -> None:
    Path("my_plugin.py").write_text(PLUGIN)
    status, out, _ = command(
        "evaluate", "qrels.txt", "dense.run.gz", "-m", "TopHits", "found(rel=2)", "--plugin", plugin
    )
    assert status == 0
    assert rows(out) == [["run", "TopHits", "found(rel=2)"], ["dense", "1.0", repr(1 / 3)]]
    status, out, _ = command("measures", "found", "--plugin", plugin)
    assert (status, out.splitlines()[:3]) == (0, ["TopHits", "", "How many relevant documents were retrieved."])
    assert "values from 0 without an upper bound" in out


def test_a_value_that_is_not_finite_is_refused() -> None:
    Path("endless.py").write_text(
        PLUGIN.replace("gain=relevant(judged, rel)", "gain=relevant(judged, rel) + float('inf')")
    )
    given = ("evaluate", "qrels.txt", "dense.run.gz", "-m", "TopHits", "RR", "--plugin", "endless.py", "-q", "-f")
    status, out, err = process(*given, "json")
    assert (status, out) == (2, "")
    assert "[beyond-range]" in err


def test_a_project_names_its_plugins_and_measures(command: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    Path(".git").mkdir()
    Path("plugins").mkdir()
    Path("plugins/my_plugin.py").write_text(PLUGIN)
    Path("pyproject.toml").write_text(
        '[tool.rankworth]\nplugins = ["plugins/my_plugin.py"]\nmeasures = ["TopHits", "RR"]\n'
    )
    Path("below/deep").mkdir(parents=True)
    Path("below/pyproject.toml").write_text('[project]\ndependencies = ["rankworth"]\n')
    monkeypatch.chdir("below/deep")
    given = ("evaluate", "../../qrels.txt", "../../dense.run.gz")
    assert rows(command(*given)[1]) == [["run", "TopHits", "RR"], ["dense", "1.0", repr(2 / 3)]]
    assert rows(command(*given, "-m", "AP")[1])[0] == ["run", "AP"]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("import not_there_at_all\n", "plugin bad_plugin: No module named 'not_there_at_all'"),
        ("x = 1 +\n", "bad_plugin.py:1: invalid syntax"),
        ("x = 1\ny = x / 0\n", "bad_plugin.py:2: ZeroDivisionError: division by zero"),
        ("raise SystemExit(3)\n", "bad_plugin.py:1: SystemExit: 3"),
        (PLUGIN.replace("TopHits", "nDCG"), "nDCG is defined by rankworth.measures.graded.ndcg"),
    ],
)
def test_a_plugin_that_cannot_be_imported(command: Command, content: str, message: str) -> None:
    Path("bad_plugin.py").write_text(content)
    status, out, err = command("evaluate", "qrels.txt", "bm25.run", "--plugin", "bad_plugin")
    assert (status, out) == (2, "")
    assert err.startswith("error: plugin bad_plugin: ")
    assert message in err
    assert "[bad-plugin]" in err


@pytest.mark.parametrize("plugin", ["no_such_plugin", "no_such_plugin.py"])
def test_a_plugin_that_is_not_there(command: Command, plugin: str) -> None:
    status, _, err = command("measures", "--plugin", plugin)
    assert status == 2
    assert err.startswith(f"error: plugin {plugin}: ")
    assert "no_such_plugin" in err.partition("plugin: ")[2] or "no_such_plugin.py" in err


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("[tool.rankworth\n", "pyproject.toml: Expected ']'"),
        (
            '[tool.rankworth]\nplugin = ["a"]\n',
            "[tool.rankworth] has no 'plugin'; it has measures, plugins, columns, qrels-columns, run-columns and gates",
        ),
        ('[tool.rankworth]\nplugins = "a"\n', "[tool.rankworth] plugins is a list of texts, not 'a'"),
        ("[tool.rankworth]\nmeasures = [1]\n", "[tool.rankworth] measures is a list of texts, not [1]"),
        ("tool.rankworth = 3\n", "[tool.rankworth] is a table"),
    ],
)
def test_a_configuration_that_cannot_be_used(command: Command, content: str, message: str) -> None:
    Path("pyproject.toml").write_text(content)
    for arguments in (["evaluate", "qrels.txt", "bm25.run"], ["measures"]):
        status, out, err = command(*arguments)
        assert (status, out) == (2, "")
        assert message in err
        assert "[bad-config]" in err


ABOVE = "the file is above this folder, and not in the same version-controlled tree"


@pytest.mark.parametrize(
    ("made", "here", "trust", "owner", "reason"),
    [
        ((), ".", "", 0, ""),
        ((), "below/deep", "", 0, ABOVE),
        ((".git/",), "below/deep", "", 0, ""),
        ((".git",), "below/deep", "", 0, ""),  # of a worktree
        ((".hg/",), "below/deep", "", 0, ""),
        (("below/.git/",), "below/deep", "", 0, ABOVE),
        (("below/deep/.git",), "below/deep", "", 0, ABOVE),  # a submodule, or a clone within a download
        ((), "below/deep", "..", 0, ABOVE),  # relative to the current folder
        ((), "below/deep", "{}", 0, ""),
        ((), "below/deep", "/nowhere:{}/..", 0, ""),
        ((), "below/deep", "{}/below", 0, ABOVE),
        ((".git/",), ".", "", 1, "the file belongs to another user"),
        ((".git/",), "below/deep", "", 1, "the file belongs to another user"),
        ((), "below/deep", "{}", 1, ""),
    ],
)
def test_plugins_of_a_file_that_is_not_trusted_are_not_run(
    command: Command,
    monkeypatch: pytest.MonkeyPatch,
    made: tuple[str, ...],
    here: str,
    trust: str,
    owner: int,
    reason: str,
) -> None:
    folder = Path.cwd()
    Path("my_plugin.py").write_text(PLUGIN)
    Path("pyproject.toml").write_text('[tool.rankworth]\nplugins = ["my_plugin.py"]\nmeasures = ["RR"]\n')
    Path("below/deep").mkdir(parents=True)
    for name in made:
        Path(name).mkdir() if name.endswith("/") else Path(name).write_text("gitdir: elsewhere\n")
    monkeypatch.setenv("RANKWORTH_TRUST", trust.format(folder))
    user = os.geteuid() + owner
    monkeypatch.setattr(os, "geteuid", lambda: user)
    monkeypatch.setattr(configuration, "ROOT", -1)
    monkeypatch.chdir(here)
    given = ("evaluate", f"{folder}/qrels.txt", f"{folder}/dense.run.gz")
    status, out, err = command(*given)
    assert (status, rows(out)[0]) == (0, ["run", "RR"])  # what is data is taken
    assert ("untrusted-plugin" in err, reason in err) == (bool(reason), True)
    assert command(*given, "-m", "TopHits")[0] == (2 if reason else 0)
    assert command(*given, "-m", "TopHits", "--plugin", f"{folder}/my_plugin.py")[0] == 0
    assert "untrusted" not in command(*given, "--quiet")[2]


@pytest.mark.parametrize("plugin", ["my_plugin.py", "my_plugin_of_a_name", "my_plugins.inner"])
@pytest.mark.parametrize("own", [True, False])
def test_a_plugin_is_run_only_if_its_file_is_yours_too(
    command: Command, monkeypatch: pytest.MonkeyPatch, plugin: str, own: bool
) -> None:
    folder = Path.cwd()
    monkeypatch.setattr(sys, "path", [*sys.path])
    monkeypatch.setattr(configuration, "ROOT", -1)
    file = Path(plugin if plugin.endswith(".py") else f"{plugin.replace('.', '/')}.py")
    file.parent.mkdir(exist_ok=True)
    if file.parent != Path():
        (file.parent / "__init__.py").touch()
    file.write_text(PLUGIN)
    Path("pyproject.toml").write_text(f'[tool.rankworth]\nplugins = ["{plugin}"]\n')
    owners = configuration._other_owner
    stranger = folder / file
    monkeypatch.setattr(
        configuration, "_other_owner", lambda path: 1234 if path == stranger and not own else owners(path)
    )
    status, _, err = command("evaluate", "qrels.txt", "bm25.run", "-m", "TopHits")
    sys.modules.pop(plugin, None)
    assert status == (0 if own else 2)
    assert (f"its plugins were not run: {stranger} belongs to another user (1234)   [untrusted-plugin]" in err) != own
    monkeypatch.setenv("RANKWORTH_TRUST", str(folder))
    assert command("evaluate", "qrels.txt", "bm25.run", "-m", "TopHits")[0] == 0
    sys.modules.pop(plugin, None)


def test_the_owner_of_a_file_is_that_of_the_system_yours_or_another(monkeypatch: pytest.MonkeyPatch) -> None:
    Path("mine.py").touch()
    other_owner = configuration._other_owner
    assert other_owner(Path("mine.py")) is None
    assert other_owner(Path("none.py")) is None
    user = os.geteuid()
    monkeypatch.setattr(os, "geteuid", lambda: user + 1)
    assert other_owner(Path("mine.py")) == (None if user == configuration.ROOT else user)
    monkeypatch.setattr(configuration, "ROOT", -1)
    assert other_owner(Path("mine.py")) == user


def test_a_pipe_that_is_called_like_a_project_does_not_hang(command: Command) -> None:
    os.mkfifo("pyproject.toml")
    assert command("evaluate", "qrels.txt", "bm25.run", "-m", "RR")[0] == 0


@pytest.mark.parametrize("names", [("-", "-"), ("-", "/dev/stdin"), ("/dev/stdin", "-"), ("/dev/fd/0", "/dev/stdin")])
def test_standard_input_is_one_under_whatever_name(names: tuple[str, str]) -> None:
    line = [sys.executable, "-m", "rankworth", "evaluate", *names, "-m", "RR"]
    done = subprocess.run(line, input="q1 0 d1 1\n", capture_output=True, text=True, check=False, timeout=60)
    assert (done.returncode, done.stdout) == (2, "")
    says = (
        f"{names[0]} is given more than once"
        if len({*names}) == 1
        else f"{' and '.join(names)} are both standard input"
    )
    assert done.stderr.startswith(f"error: {says}, and standard input can be read once only   [one-stdin]\n")


def test_standard_input_beside_another_file_is_read(command: Command) -> None:
    for name in ("-", "/dev/stdin"):
        line = [sys.executable, "-m", "rankworth", "evaluate", "qrels.txt", name, "-m", "RR", "-f", "csv"]
        run = Path("bm25.run").read_text()
        done = subprocess.run(line, input=run, capture_output=True, text=True, check=False, timeout=60)
        assert done.returncode == 0, done.stderr
        assert (
            rows(done.stdout)[0][-1:]
            == rows(command("evaluate", "qrels.txt", "bm25.run", "-m", "RR", "-f", "csv")[1])[0][-1:]
        )


def test_what_is_not_run_is_said_with_what_helps(command: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = Path.cwd()
    Path("pyproject.toml").write_text('[tool.rankworth]\nplugins = ["my_plugin.py"]\n')
    Path("below").mkdir()
    monkeypatch.chdir("below")
    assert command("measures")[2] == (
        f"warning: {folder}/pyproject.toml: its plugins were not run: {ABOVE}   [untrusted-plugin]\n"
        f"  if you trust them: RANKWORTH_TRUST={folder}, or --plugin ../my_plugin.py\n"
    )


def test_a_broken_project_of_someone_else_does_not_matter(command: Command) -> None:
    Path("pyproject.toml").write_text("[tool.other\n")
    assert command("evaluate", "qrels.txt", "bm25.run")[0] == 0


# The measures in words


def test_measures_lists_those_to_start_with(command: Command) -> None:
    status, out, err = command("measures")
    assert (status, err) == (0, "")
    assert command("metrics")[1] == out
    assert re.findall(r"^(\w+) {2,}\S", out, re.MULTILINE) == ["name", "P", "R", "AP", "RR", "Success", "nDCG"]
    assert f"6 of {len(CATALOGUE) + len(ITEM_MEASURES)} measures; all: rankworth measures --all" in out
    assert len(out.splitlines()) <= 24


def test_measures_lists_the_catalogue(command: Command) -> None:
    status, out, err = command("measures", "--all")
    assert (status, err) == (0, "")
    assert command("measures", "-a")[1] == out
    flat = " ".join(out.split())
    for name, one in (CATALOGUE | FACTS).items():
        assert re.search(rf"^{name} ", out, re.MULTILINE)
        assert one.definition.sentence.replace("`", "") in flat
        assert ", ".join(one.definition.aliases) in flat
        for parameter in one.definition.parameters.values():
            assert f"{parameter.name}={written(parameter.default)}" in flat
    headings = ["To start with", "All others", "For trec_eval parity", "Counted, not measured"]
    assert [line for line in out.splitlines() if line in headings] == headings
    assert max(map(len, out.splitlines())) <= 80


def test_measures_lists_all_or_explains_one(command: Command) -> None:
    status, out, err = command("measures", "AP", "--all")
    assert (status, out) == (2, "")
    assert "--all lists the measures, and AP names one" in err
    assert "[conflicting-options]" in err


@pytest.mark.parametrize("name", sorted(CATALOGUE))
def test_measures_explains_each(command: Command, name: str) -> None:
    status, out, _ = command("measures", name)
    flat = " ".join(out.split())
    definition = CATALOGUE[name].definition
    assert status == 0
    assert out.splitlines()[0] == str(CATALOGUE[name])
    assert definition.sentence in flat
    for parameter in definition.parameters.values():
        assert f"{parameter.name}={written(parameter.default)} ({parameter.domain()}" in flat
    assert "judged: the rankings" not in out
    assert all(len(line) <= 80 or ">>> " in line for line in out.splitlines())  # code is not broken
    assert "\x1b" not in out


def test_measures_takes_any_spelling_and_says_what_differs(command: Command) -> None:
    out = command("metrics", "ndcg_cut(gain={1:1,2:3})@10")[1]
    assert out.splitlines()[0] == "nDCG(gain={1: 1, 2: 3})@10"
    assert "gain={1: 1, 2: 3} (linear or exp2 or" in " ".join(out.split())
    assert "; default linear" in " ".join(out.split())
    assert "trec_eval: ndcg, ndcg_cut_k" in out
    assert command("measures", "ndcg_cut")[1].splitlines()[0] == "nDCG"


def test_measures_proposes_the_nearest_name(command: Command) -> None:
    assert command("measures", "ndgc") == (
        2,
        "",
        "error: no measure is called 'ndgc'; did you mean nDCG?   [unknown-measure]\n",
    )


# Help


@pytest.mark.parametrize("arguments", [["--help"], ["evaluate", "--help"], ["measures", "-h"], ["demo", "-h"], ["-h"]])
def test_help_has_three_examples_that_fit_the_first_at_the_top(command: Command, arguments: list[str]) -> None:
    status, out, _ = command(*arguments)
    lines = out.splitlines()
    examples = [line for line in lines[1:2] if line.startswith("Example: ")] + out.partition("xamples:\n")[
        2
    ].splitlines()
    assert status == 0
    assert len(examples) == 3
    assert all("rankworth " in line for line in examples)
    assert max(map(len, out.splitlines())) <= 80


def test_help_says_what_every_option_does(command: Command) -> None:
    helps = command("evaluate", "--help-all")[1], command("evaluate", "--help-conventions")[1]
    assert len(helps[0].splitlines()) <= 108  # two screens
    assert len(helps[1].splitlines()) <= 32
    out = " ".join(re.sub(r"[│\s]+", " ", "".join(helps)).split())
    options = [argument.names for argument in cli.app.app["evaluate"].assemble_argument_collection() if argument.show]
    assert len(options) > 60  # those of conventions are among them
    for names in options:
        assert re.search(rf"{re.escape(names[0])}( -\w)?( [A-Z=]+)? [A-Z][a-z]+", out), names


OPTION: typing.Final = re.compile(r"^│ {1,4}(--?[a-z][a-z-]*)", re.MULTILINE)


def options_of(printed: str) -> dict[str, str]:
    """Return the group of each option that help shows."""
    groups: dict[str, str] = {}
    for title, body in re.findall(r"╭─ (.*?) ─+╮\n(.*?)╰", printed, re.DOTALL):
        groups |= dict.fromkeys(OPTION.findall(body), title)
    return groups


def test_help_shows_the_common_options_and_each_in_a_group_of_one_name(command: Command) -> None:
    groups: dict[str, set[str]] = {}
    commands = [name for name in cli.app.app if not name.startswith("-")]
    assert {*COMMON} <= {*commands}
    for name in commands:
        common, every = (options_of(command(name, flag)[1]) for flag in ("--help", "--help-all"))
        assert common.items() <= every.items(), name
        assert len(common) <= 16, name
        assert (len(common) < len(every)) == (name in COMMON), name
        for option, group in every.items():
            groups.setdefault(option, set()).add(group)
    several = {option for option, titles in groups.items() if len(titles) > 1}
    assert several == {"--by", "--k", "--method", "--set"}  # of a fusion, and elsewhere of an analysis


def test_version(command: Command) -> None:
    assert command("--version") == (0, f"{rankworth.__version__}\n", "")


@pytest.mark.parametrize(
    "arguments",
    [["--help"], ["evaluate", "--help"], ["--version"], ["evaluate", "a", "--fromat"], ["evaluate", "a", "b"]],
)
def test_help_and_mistakes_import_nothing_heavy(arguments: list[str]) -> None:
    heavy = "{'numpy', 'polars', 'scipy', 'matplotlib', 'pandas', 'narwhals'}"
    code = f"import sys\nfrom rankworth import cli\ncli.main({arguments!r})\nsys.exit(bool({heavy} & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, check=False)
    assert done.returncode == 0, done.stderr.decode()


def test_each_form_of_values_is_written() -> None:
    assert set(typing.get_args(ValueForm)) == set(FORMATS)


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion_is_installed(command: Command, monkeypatch: pytest.MonkeyPatch, shell: str) -> None:
    home = Path("home").absolute()
    home.mkdir()
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.delenv("ZSH_CUSTOM", raising=False)
    monkeypatch.delenv("ZSH", raising=False)
    status, out, err = command("--install-completion", "--shell", shell)
    assert (status, out) == (0, "")
    script = Path(err.removeprefix("wrote ").partition(";")[0])
    assert script.is_relative_to(home)
    assert "answered-only" in script.read_text()


def test_completion_needs_a_shell(command: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    def unknown() -> str:
        raise ShellDetectionError

    monkeypatch.setattr("cyclopts.completion.detect.detect_shell", unknown)
    status, out, err = command("--install-completion")
    assert (status, out) == (2, "")
    assert err.startswith("error: the shell in use cannot be told")


def test_trec_s_own_options_go_together(command: Command) -> None:
    """Values after a dot, a level of relevance, a measure twice."""
    asked = ("-m", "utility.2,-1,0,0", "P.1", "P(rel=1)@1", "runid", "-l", "2")
    _, output, error = command("evaluate", "qrels.txt", "bm25.run", "-f", "trec", *asked)
    names = [line.split("\t")[0].strip() for line in output.splitlines()]
    assert names == ["runid", "P_1", "utility_2,-1,0,0", "P(rel=1)@1"], error


def test_the_project_s_measures_are_printed_as_they_are_written_there(command: Command) -> None:
    Path("pyproject.toml").write_text('[tool.rankworth]\nmeasures = ["utility.2,-1.0,0,0"]\n')
    _, output, _ = command("evaluate", "qrels.txt", "bm25.run", "-f", "trec")
    assert output.split("\t")[0].strip() == "utility_2,-1.0,0,0"


def test_the_name_of_a_run_is_a_column_of_its_own(command: Command) -> None:
    _, output, _ = command("evaluate", "qrels.txt", "bm25.run", "dense.run.gz", "-m", "runid", "RR")
    assert output.splitlines()[0] == "run\trunid\tRR"
    assert [line.split("\t")[1] for line in output.splitlines()[1:]] == ["x", "y"]
    _, output, _ = command("evaluate", "qrels.txt", "bm25.run", "-m", "runid", "RR", "-q")
    assert output.splitlines()[0] == "run\tquery\tRR"
    _, output, _ = command("evaluate", "qrels.txt", "bm25.run", "-m", "runid", "-f", "json")
    assert json.loads(output)["runs"][0]["runid"] == "x"


@pytest.mark.parametrize("form", ["table", "json", "tsv", "md"])
def test_texts_alone_have_no_intervals(command: Command, form: Form) -> None:
    status, output, error = command("evaluate", "qrels.txt", "bm25.run", "-m", "relstring", "--interval", "-f", form)
    assert status == 0
    assert "bm25" in output
    assert "a text for each query, which --per-query shows" in output + error or form == "json"


def test_depth_is_no_reason_to_call_a_run_shallow(command: Command) -> None:
    _, _, error = command("evaluate", "qrels.txt", "bm25.run", "-m", "nDCG@10", "-M", "2")
    assert "deep" not in error
    measures = [f"P@{k}" for k in range(10, 20)]
    _, _, error = command("evaluate", "qrels.txt", "bm25.run", "-m", *(f"nDCG@{k}" for k in range(10, 20)), *measures)
    assert "returns at most 3 documents for a query; for nDCG@10 nDCG@11 nDCG@12 ..., ranks from 4 on" in error
    status, _, _ = command("evaluate", "qrels.txt", "bm25.run", "-m", "AP", "-M", "99999999999999999999")
    assert status == 0


def test_unanswered_queries_are_what_an_empty_ranking_is_worth(command: Command) -> None:
    Path("qrels.txt").write_text(QRELS.replace("q3 0 d9 0", "q3 0 d9 1"))
    _, _, error = command("evaluate", "qrels.txt", "bm25.run", "-m", "utility(miss=-4)")
    assert "utility(miss=-4) is -3.0000 if they count as empty rankings, -2.5000 without them" in error
