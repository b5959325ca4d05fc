"""The command `explain` as its users meet it: what it prints, writes and refuses."""

import csv
import io
import json
import re
import struct
from pathlib import Path
from typing import Any, Final

import pytest

import rankworth as rw
from helpers import Command, command_of
from rankworth import cli
from rankworth.tables.show import Form

QRELS: Final = "q1 0 a 2\nq1 0 b 0\nq1 0 c 1\nq2 0 a 1\nq3 0 z 1\n"
OLD: Final = "q1 Q0 b 1 4 x\nq1 Q0 a 2 3 x\nq1 Q0 u 3 1 x\nq2 Q0 b 1 2 x\nq2 Q0 a 2 1 x\nq9 Q0 a 1 1 x\n"
NEW: Final = "q1 Q0 a 1 4 y\nq1 Q0 c 2 3 y\nq2 Q0 b 1 5 y\nq3 Q0 z 1 1 y\n"
TEXTS: Final = "query\ttext\nq1\tدليل الطبخ <b>\nq2\tsecond\n"
FORMS: Final = Form.__args__


@pytest.fixture(autouse=True)
def _folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Work in a folder with judgements, two runs and texts, and take nothing from the environment."""
    monkeypatch.chdir(tmp_path)
    for name in ("COLUMNS", "NO_COLOR", "FORCE_COLOR"):
        monkeypatch.delenv(name, raising=False)
    for name, text in (("qrels.txt", QRELS), ("old.run", OLD), ("new.run", NEW), ("queries.tsv", TEXTS)):
        Path(name).write_text(text, encoding="utf-8")


@pytest.fixture
def command(capsysbinary: pytest.CaptureFixture[bytes]) -> Command:
    """The command in this process: exit status, standard output, standard error."""
    return command_of(capsysbinary, "explain")


def test_a_query_is_explained_in_a_table(command: Command) -> None:
    status, out, err = command("qrels.txt", "old.run", "q1", "-m", "DCG@3", "--queries", "queries.tsv")
    assert (status, err) == (0, "")
    lines = out.splitlines()
    assert lines[:2] == ["q1   DCG@3 = 1.2619   old", "دليل الطبخ <b>"]
    assert [line.split() for line in lines[3:8] if not line.startswith("─")] == [
        [],
        ["rank", "document", "grade", "gain", "discount", "adds", "total"],
        ["1", "b", "0", "0", "1.0000", "0.0000", "0.0000"],
        ["2", "a", "2", "2", "1.5850", "1.2619", "1.2619"],
    ]
    assert lines[8].split() == ["3", "u", "?", "0", "2.0000", "0.0000", "1.2619"]
    assert "DCG@3 of q1 is 1.2619: 1 rank adds 1.2619" in out
    assert "c (grade 1) was not retrieved; at rank 1 DCG@3 would be 2 (+0.7381)" in " ".join(out.split())
    assert "? is a document that nobody judged" in out


def test_json_is_the_trace_of_python(command: Command) -> None:
    told = rw.explain("qrels.txt", "old.run", "nDCG@10", query="q1")
    _, out, err = command("qrels.txt", "old.run", "q1", "-f", "json")
    assert (json.loads(out), err) == (told.to_dict(), "")
    both = rw.explain_queries("qrels.txt", "old.run", ["AP", "RR"], queries=["q1"])
    _, out, _ = command("qrels.txt", "old.run", "q1", "-m", "AP", "RR", "-f", "json")
    assert json.loads(out) == both.to_dict()
    _, out, _ = command("qrels.txt", "old.run", "q1", "-m", "AP", "RR", "-f", "jsonl")
    assert [json.loads(line) for line in out.splitlines()] == both.to_dict()["explanations"]


@pytest.mark.parametrize("separator", ["tsv", "csv"])
def test_rows_for_programs_are_those_of_the_frame(command: Command, separator: str) -> None:
    _, out, err = command("qrels.txt", "old.run", "q1", "-m", "AP", "RR", "-f", separator)
    rows = list(csv.DictReader(io.StringIO(out), delimiter="," if separator == "csv" else "\t"))
    frame = rw.explain_queries("qrels.txt", "old.run", ["AP", "RR"], queries=["q1"]).to_frame()
    assert len(rows) == 2 * 3
    assert list(rows[0]) == frame.columns
    assert [float(row["running"]) for row in rows] == frame["running"].to_list()
    assert [row["grade"] for row in rows][:3] == ["0.0", "2.0", ""]
    assert err == ""


def test_a_difference_is_attributed_to_documents(command: Command) -> None:
    _, out, err = command("qrels.txt", "old.run", "new.run", "q1", "-m", "DCG@3")
    lines = [line.split() for line in out.splitlines()]
    assert lines[0] == ["q1", "DCG@3", "old", "1.2619,", "new", "2.6309,", "difference", "+1.3691"]
    assert lines[2] == ["document", "grade", "rank", "old", "rank", "new", "moved", "old", "new", "difference"]
    assert lines[4] == ["a", "2", "2", "1", "+1", "1.2619", "2.0000", "+0.7381"]
    assert lines[5] == ["c", "1", "2", "0.0000", "0.6309", "+0.6309"]
    assert err == ""
    _, out, _ = command("qrels.txt", "before=old.run", "after=new.run", "q1", "-f", "json")
    record = json.loads(out)
    assert [record[side]["run"] for side in ("first", "second")] == ["before", "after"]
    assert sum(one["difference"] for one in record["shares"]) == pytest.approx(record["difference"], abs=1e-14)


def queries_of(out: str) -> list[str]:
    """The queries of JSON lines, in order."""
    return [json.loads(line)["query"] for line in out.splitlines()]


def test_queries_are_chosen_by_their_values_or_by_a_file(command: Command) -> None:
    given = ("qrels.txt", "old.run", "-m", "nDCG", "-f", "jsonl")
    assert rw.evaluate("qrels.txt", "old.run", ["nDCG"], queries=["q1"])["nDCG"] < 1 / 2**0.5
    assert queries_of(command(*given, "--worst", "2")[1]) == ["q3", "q1"]
    assert queries_of(command(*given, "--best", "1")[1]) == ["q2"]
    Path("ids.txt").write_text("q2\nq1\n")
    assert queries_of(command(*given, "--only", "ids.txt")[1]) == ["q2", "q1"]
    both = ("qrels.txt", "old.run", "new.run", "-m", "nDCG", "-f", "jsonl")
    assert queries_of(command(*both, "--worst", "1")[1]) == ["q2"]
    assert queries_of(command(*both, "--best", "1")[1]) == ["q3"]


def test_a_list_of_grades_needs_no_files(command: Command) -> None:
    status, out, err = command("--grades", "2,1,0,1,2", "-m", "nDCG(gain=exp2)@3", "-f", "json")
    assert (status, err) == (0, "")
    assert json.loads(out) == rw.explain(grades=[2, 1, 0, 1, 2], measure="nDCG(gain=exp2)@3").to_dict()
    assert json.loads(out)["value"] == pytest.approx((3 + 1 / 1.584962500721156) / (3 + 3 / 1.584962500721156 + 0.5))
    _, out, _ = command("--grades", "1 ? 0", "--missing", "3", "-f", "json")
    record = json.loads(out)
    assert [term["grade"] for term in record["terms"]] == [1, None, 0]
    assert [(one["grade"], one["rank"], one["place"]) for one in record["missing"]] == [(3, None, 1)]


def test_words_of_grades_and_missing_are_settings(command: Command) -> None:
    settings = ("--grades", "truncated", "--missing", "skip")
    _, out, _ = command("qrels.txt", "old.run", "q1", *settings, "-f", "json")
    assert json.loads(out)["settings"]["grade"]["grades"] == "truncated"
    assert json.loads(out)["settings"]["value"]["missing"] == "skip"


def test_profiles_and_settings_are_those_of_evaluate(command: Command) -> None:
    given = ("qrels.txt", "old.run", "q1", "-f", "json", "-m", "nDCG@5")
    record = json.loads(command(*given, "--profile", "sentence-transformers-6")[1])
    values = rw.evaluate("qrels.txt", "old.run", ["nDCG@5"], profile="sentence-transformers-6")
    assert record["value"] == values.per_query.to_dict()["q1"]["nDCG@5"]
    assert record["profile"] == "sentence-transformers-6"
    record = json.loads(command(*given, "-J", "--depth", "2")[1])
    assert [term["document"] for term in record["terms"]] == ["b", "a"]
    assert record["settings"]["rank"]["unjudged"] == "removed"


def test_the_defect_of_a_tool_is_told_with_its_number(command: Command) -> None:
    given = ("qrels.txt", "old.run", "q1", "-m", "nDCG@3", "--profile", "mlflow-3.17")
    _, out, _ = command(*given)
    assert "[known-defect]" in " ".join(out.split())
    _, out, err = command(*given, "-f", "csv")
    assert "[known-defect]" not in out
    assert "[known-defect]" in err


def test_texts_of_documents_stand_beside_them(command: Command) -> None:
    Path("corpus.jsonl").write_text('{"_id": "a", "title": "", "text": "the first"}\n{"_id": "c", "text": "third"}\n')
    _, out, _ = command("qrels.txt", "new.run", "q1", "--docs", "corpus.jsonl")
    assert re.search(r"^ +1 +a +the first", out, re.MULTILINE)
    Path("words.csv").write_text("sku,words\na,erste\nc,dritte\n")
    columns = ("--columns", "document=sku", "text=words")
    _, out, _ = command("qrels.txt", "new.run", "q1", "--docs", "words.csv", *columns, "-f", "json")
    assert [term["text"] for term in json.loads(out)["terms"]] == ["erste", "dritte"]


@pytest.mark.parametrize("form", FORMS)
def test_every_form_is_printed_and_written(command: Command, form: str) -> None:
    given = ("qrels.txt", "old.run", "new.run", "q1", "-m", "AP", "RR", "-f", form)
    status, out, _ = command(*given)
    assert (status, bool(out)) == (0, True)
    status, nothing, err = command(*given, "-o", "file.unknown")
    assert (status, nothing, err) == (0, "", "wrote file.unknown\n")
    written = Path("file.unknown").read_bytes().decode()
    assert written == out if form != "table" else written.split() == out.split()
    assert command(*given, "-o", "file.unknown", "--quiet") == (0, "", "")


def test_the_suffix_chooses_the_form(command: Command) -> None:
    suffixes = {
        "txt": "q1   AP",
        "tsv": "run\tquery",
        "csv": "run,query",
        "json": "{",
        "jsonl": "{",
        "md": "**q1   AP",
        "tex": "% q1",
        "html": "<!doctype html>",
    }
    files = [f"x.{suffix}" for suffix in suffixes]
    status, out, err = command(
        "qrels.txt", "old.run", "q1", "-m", "AP", *(part for one in files for part in ("-o", one))
    )
    assert (status, out) == (0, "")
    assert err.splitlines() == [f"wrote {file}" for file in files]
    for suffix, start in suffixes.items():
        assert Path(f"x.{suffix}").read_text("utf-8").startswith(start), suffix


def test_grades_may_be_negative(command: Command) -> None:
    record = json.loads(command("--grades", "-1,2", "-f", "json")[1])
    assert [term["grade"] for term in record["terms"]] == [-1, 2]


def test_of_several_queries_those_without_results_are_explained_too(command: Command) -> None:
    Path("ids.txt").write_text("q1\nq3\n")
    status, out, err = command("qrels.txt", "old.run", "--only", "ids.txt", "-m", "RR")
    assert (status, err) == (0, "")
    assert "old has no document for q3, so that RR is 0" in out
    assert "z (grade 1) was not retrieved; at rank 1 RR would be 1 (+1.0000)" in " ".join(out.split())
    _, out, _ = command("qrels.txt", "new.run", "old.run", "q3", "-m", "RR")
    assert "old has no document for q3, so that RR is 0" in out


def test_a_picture_shows_all_that_is_explained(command: Command) -> None:
    given = ("qrels.txt", "old.run", "q1", "-m", "nDCG@3")
    for more, titles in (((), 1), (("AP",), 2)):
        assert command(*given, *more, "-o", "x.svg")[0] == 0
        assert Path("x.svg").read_text("utf-8").count("<!-- rank -->") == titles
    assert command("qrels.txt", "old.run", "new.run", "--worst", "2", "-o", "x.png", "-o", "x.pdf")[0] == 0
    assert Path("x.png").read_bytes()[1:4] == b"PNG"


@pytest.mark.parametrize("suffix", ["png", "svg", "pdf"])
def test_a_picture_shows_what_every_rank_adds(command: Command, suffix: str) -> None:
    status, out, err = command("qrels.txt", "old.run", "q1", "-m", "nDCG@3", "-o", f"x.{suffix}", "-o", "x.json")
    assert (status, out, err) == (0, "", f"wrote x.json\nwrote x.{suffix}\n")
    content = Path(f"x.{suffix}").read_bytes()
    if suffix == "svg":
        assert b"nDCG@3" in content
        assert b"<script" not in content
    elif suffix == "png":
        width, height = struct.unpack(">II", content[16:24])
        assert width > height > 100
    else:
        assert content.startswith(b"%PDF-")
        assert content.rstrip().endswith(b"%%EOF")


def test_the_page_in_html_holds_hostile_texts_as_texts(command: Command) -> None:
    _, out, _ = command("qrels.txt", "old.run", "q1", "--queries", "queries.tsv", "-f", "html")
    assert "دليل الطبخ &lt;b&gt;" in out
    assert "<b>" not in out
    assert "<script" not in out


def test_standard_input_is_the_run(command: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    class Stream:
        buffer = io.BytesIO(OLD.encode())

    monkeypatch.setattr("sys.stdin", Stream())
    status, out, _ = command("qrels.txt", "-", "--worst", "1", "-m", "RR", "-f", "json")
    assert (status, json.loads(out)["query"], json.loads(out)["run"]) == (0, "q3", "stdin")


REFUSED: Final[dict[str, tuple[tuple[str, ...], str, str]]] = {
    "no query": (
        ("qrels.txt", "old.run"),
        "explain needs judgements, one run or two, and a query",
        "conflicting-options",
    ),
    "no files": ((), "there is nothing", "conflicting-options"),
    "three runs": (("qrels.txt", "old.run", "new.run", "x.run", "q1"), "new.run x.run q1", "conflicting-options"),
    "grades and files": (("qrels.txt", "--grades", "1,0"), "instead of files", "conflicting-options"),
    "grades and a choice": (("--grades", "1,0", "--worst", "1"), "options that choose queries", "conflicting-options"),
    "one query too many": (("qrels.txt", "old.run", "q1", "q2"), "old.run q1 q2", "conflicting-options"),
    "a query and a choice": (
        ("qrels.txt", "old.run", "q1", "--worst", "1"),
        "one run or two; there",
        "conflicting-options",
    ),
    "judgements only": (("qrels.txt",), "there is qrels.txt", "conflicting-options"),
    "a gap in the list": (("--grades", "1,,2"), "--grades: number 2 of the list is ''", "bad-grade"),
    "missing and unjudged": (
        ("--grades", "1,0", "--missing", "?"),
        "leave out those that nobody judged",
        "bad-grade",
    ),
    "nothing judged": (("--grades", "?,?"), "nobody judged any document of the list", "empty-input"),
    "an unknown suffix": (("qrels.txt", "old.run", "q1", "-o", "x.bmp"), ".html .png .svg .pdf", "unknown-format"),
    "missing alone": (("qrels.txt", "old.run", "q1", "--missing", "1"), "--missing beside it", "conflicting-options"),
    "two choices": (
        ("qrels.txt", "old.run", "--worst", "1", "--best", "1"),
        "each choose queries",
        "conflicting-options",
    ),
    "a stray word": (("--grades", "2,1,high,0"), "--grades: number 3 of the list is 'high'", "bad-grade"),
    "a stray missing": (("--grades", "2,1", "--missing", "1,x"), "--missing: number 2 of the list is 'x'", "bad-grade"),
    "no grades": (("--grades", ""), "there is no grade in the list", "empty-input"),
    "infinite grades": (("--grades", "1,inf"), "inf", "bad-grade"),
    "an unknown query": (("qrels.txt", "old.run", "q11"), "there is no query 'q11'", "unknown-query"),
    "no judgements": (("qrels.txt", "old.run", "q9"), "q9 has results and no judgements", "unjudged-queries"),
    "no results": (("qrels.txt", "old.run", "q3"), "q3 is judged, and old has no document", "unanswered-query"),
    "a fact": (("qrels.txt", "old.run", "q1", "-m", "NumRel"), "no rank adds to a value", "measure-syntax"),
    "no such file": (("qrels.txt", "nowhere.run", "q1"), "nowhere.run: there is no such file", "missing-file"),
    "no such texts": (
        ("qrels.txt", "old.run", "q1", "--queries", "nowhere.tsv"),
        "nowhere.tsv: there is no such file",
        "missing-file",
    ),
    "trec lines": (("qrels.txt", "old.run", "q1", "-o", "x.trec"), "x.trec", "unknown-format"),
    "parquet": (("qrels.txt", "old.run", "q1", "-o", "x.parquet"), "not written as parquet", "unknown-format"),
    "over an input": (("qrels.txt", "old.run", "q1", "-f", "json", "-o", "old.run"), "old.run", "unwritable-output"),
    "a picture nowhere": (("qrels.txt", "old.run", "q1", "-o", "no/x.png"), "no/x.png", "unwritable-output"),
}


@pytest.mark.parametrize(("given", "message", "slug"), REFUSED.values(), ids=REFUSED)
def test_what_cannot_be_explained_is_refused_and_nothing_is_written(
    command: Command, given: tuple[str, ...], message: str, slug: str
) -> None:
    before = {path: path.read_bytes() for path in Path().iterdir()}
    status, out, err = command(*given)
    assert (status, out) == (2, "")
    assert message in err
    assert f"[{slug}]" in err
    assert {path: path.read_bytes() for path in Path().iterdir()} == before


def test_nothing_is_written_where_one_output_cannot_be(command: Command) -> None:
    before = set(Path().iterdir())
    status, _, err = command("qrels.txt", "old.run", "q1", "-o", "x.json", "-o", "no/x.svg")
    assert status == 2
    assert "[unwritable-output]" in err
    assert set(Path().iterdir()) == before


def test_help_names_all_options(command: Command) -> None:
    status, out, _ = command("--help")
    assert status == 0
    assert out.startswith("Usage: rankworth explain QRELS RUN [RUN] QUERY [OPTIONS]")
    for option in (
        "--worst",
        "--best",
        "--only",
        "--grades",
        "--missing",
        "--queries",
        "--docs",
        "--profile",
        "--output",
    ):
        assert option in out


def test_measures_print_the_step_table_of_their_page(capsysbinary: Any) -> None:
    assert cli.main(("measures", "nDCG")) == 0
    out = capsysbinary.readouterr().out.decode()
    page = (Path(__file__).parents[1] / "docs" / "measures" / "nDCG.md").read_text("utf-8")
    rows = re.findall(r"^\| (\d) \| (.+?) \|$", page, re.MULTILINE)
    assert len(rows) > 3
    for rank, cells in rows:
        numbers = [cell.strip() for cell in cells.split("|")]
        assert re.search(rf"^ *{rank} +" + r" +".join(map(re.escape, filter(None, numbers))) + "$", out, re.MULTILINE)
