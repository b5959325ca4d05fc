"""`rankworth convert`: what comes out is what went in, or an error says why not; files are whole or not there."""

import bz2
import gzip
import json
import lzma
import math
import os
import pty
import re
import resource
import signal
import stat
import struct
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Literal

import polars as pl
import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from pyarrow import feather

import rankworth as rw
import signals
from rankworth import cli, conversion, demonstration
from rankworth.conversion import Converted, convert
from rankworth.errors import InputError, UsageError
from rankworth.io import atomic, trec
from rankworth.model import Qrels, Run

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

RUN = "q1 Q0 d2 1 3.5 bm25\nq1 Q0 d1 2 2 bm25\nq2 Q0 d5 1 -1e-7 bm25\n"
QRELS = "q1 0 d1 2\nq1 0 d2 0\nq2 0 d5 0.5\n"
TEXTS = ("trec", "csv", "tsv", "jsonl", "json")
FORMATS = (*TEXTS, "parquet", "arrow")

Numbers = Mapping[str, Mapping[str, float]]
Answer = tuple[int, str, str]


@pytest.fixture(autouse=True)
def _folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Work in a folder with a run and judgements."""
    monkeypatch.chdir(tmp_path)
    Path("bm25.run").write_text(RUN)
    Path("qrels.txt").write_text(QRELS)


@pytest.fixture
def command(capsys: pytest.CaptureFixture[str]) -> Callable[..., Answer]:
    """Give the command, in this process."""

    def call(*arguments: str) -> Answer:
        status = cli.main(["convert", *arguments])
        return status, *capsys.readouterr()

    return call


def process(*arguments: str, given: bytes = b"", before: str = "") -> Answer:
    """Run the command in a process of its own, after some words to the shell."""
    line = f'{before} exec "$0" -m rankworth convert "$@"'
    done = subprocess.run(
        ["bash", "-c", line, sys.executable, *arguments], input=given, capture_output=True, check=False
    )
    return done.returncode, done.stdout.decode(), done.stderr.decode()


def files() -> list[str]:
    return sorted(path.name for path in Path().iterdir())


def bits(numbers: Numbers) -> dict[tuple[str, str], bytes]:
    return {(q, d): struct.pack("d", number) for q, inner in numbers.items() for d, number in inner.items()}


def kept(path: str, value: str, form: str = "") -> dict[tuple[str, str], bytes]:
    """What a file says, bit by bit."""
    frame = Run(path, format=form).to_frame() if value == "score" else Qrels(path, format=form).to_frame()
    return {(q, d): struct.pack("d", number) for q, d, number in frame.select("query", "document", value).rows()}


def trouble(folder: Path, form: str, kind: Literal["run", "qrels"]) -> str:
    """What keeps `in.parquet` from becoming `out`; nothing where it did."""
    try:
        convert(folder / "in.parquet", folder / "out", format="parquet", to=form, kind=kind)
    except UsageError as error:
        return error.problems[0] if error.slug == "unwritable-output" else ""
    return ""


def parquet(path: str, numbers: Numbers, value: str) -> None:
    rows = [(query, document, number) for query, inner in numbers.items() for document, number in inner.items()]
    schema = {"query": pl.String(), "document": pl.String(), value: pl.Float64()}
    pl.DataFrame(rows, schema=schema, orient="row").write_parquet(path)


# What comes out


SIGNS = "ab01 ,;|\"'\n\r\t\v\f\0#=+-@{[\\/\x1c\x85\xa0\u2028\ufeffé字𝒳أ"
IDS = (
    st.text(st.sampled_from(SIGNS), max_size=6)
    | st.text(max_size=5)
    | st.text(st.sampled_from("abé字,;|\"'#=\\{"), min_size=1, max_size=4).map(lambda text: f"d{text}")
    | st.sampled_from(["null", "NA", "NaN", "007", "1e5", "true", "inf", "-", '"q"', " q", "q\t", "d1"])
)
SCORES = (
    st.floats(allow_nan=False) | st.integers(-3, 3).map(float) | st.sampled_from([-0.0, 5e-324, 0.1 + 0.2, 2.0**53])
)
GRADES = SCORES.filter(math.isfinite) | st.sampled_from([0.5, 1.0, 2.0])
several = settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.too_slow])


def numbers(of: st.SearchStrategy[float]) -> st.SearchStrategy[dict[str, dict[str, float]]]:
    return st.dictionaries(IDS, st.dictionaries(IDS, of, min_size=1, max_size=4), min_size=1, max_size=3)


@pytest.mark.parametrize("form", FORMATS)
def test_a_run_comes_back_bit_by_bit_or_is_refused(form: str, tmp_path: Path) -> None:
    written = []

    @several
    @given(numbers(SCORES))
    def law(run: Numbers) -> None:
        parquet(f"{tmp_path}/in.parquet", run, "score")
        problem = trouble(tmp_path, form, "run")
        if problem:
            assert re.search(r": row \d+: the (query|document|score) .* cannot ", problem, re.DOTALL)
            assert not (tmp_path / "out").exists()
            return
        written.append(run)
        assert kept(f"{tmp_path}/out", "score", form) == bits(run)
        (tmp_path / "out").unlink()

    law()
    assert len(written) > (0 if form in ("trec", "csv", "tsv") else 12)


@pytest.mark.parametrize("form", FORMATS)
def test_judgements_come_back_bit_by_bit_or_are_refused(form: str, tmp_path: Path) -> None:
    written = []

    @several
    @given(numbers(GRADES))
    def law(qrels: Numbers) -> None:
        parquet(f"{tmp_path}/in.parquet", qrels, "grade")
        if not trouble(tmp_path, form, "qrels"):
            written.append(qrels)
            assert kept(f"{tmp_path}/out", "grade", form) == bits(qrels)

    law()
    assert len(written) > (0 if form in ("trec", "csv", "tsv") else 12)


@pytest.mark.parametrize("form", [form for form in FORMATS if form != "json"])
def test_subtopics_come_back_bit_by_bit_or_are_refused(form: str, tmp_path: Path) -> None:
    written = []
    names = ("query", "subtopic", "document", "grade")

    @several
    @given(st.dictionaries(st.tuples(IDS, IDS | st.sampled_from(["0", "1", "2"]), IDS), GRADES, min_size=1, max_size=5))
    @example({("0", "0", "\n\ufeff"): 0.0})
    def law(qrels: Mapping[tuple[str, str, str], float]) -> None:
        schema = dict.fromkeys(names[:-1], pl.String) | {"grade": pl.Float64}
        rows = [(*key, grade) for key, grade in qrels.items()]
        pl.DataFrame(rows, schema=schema, orient="row").write_parquet(tmp_path / "in.parquet")
        if not trouble(tmp_path, form, "qrels"):
            written.append(qrels)
            convert(tmp_path / "out", tmp_path / "back.parquet", format=form, kind="qrels")
            back = pl.read_parquet(tmp_path / "back.parquet")
            if "subtopic" not in back.columns:
                back = back.with_columns(subtopic=pl.lit("0"))
            found = {tuple(key): struct.pack("d", grade) for *key, grade in back.select(names).rows()}
            assert found == {key: struct.pack("d", grade) for key, grade in qrels.items()}

    law()
    assert len(written) > (0 if form in ("trec", "csv", "tsv") else 12)


@pytest.mark.parametrize("form", ["trec", "csv", "tsv", "jsonl", "parquet", "arrow"])
def test_infinite_scores_come_back_where_a_format_has_them(form: str) -> None:
    Path("in.run").write_text("q Q0 a 1 inf t\nq Q0 b 2 1e308 t\nq Q0 c 3 -inf t\n")
    if form == "jsonl":
        with pytest.raises(UsageError, match=r"in\.run: row 1: the score inf is infinite, and JSON cannot hold that"):
            convert("in.run", "out", to=form)
        return
    convert("in.run", "out", to=form)
    assert kept("out", "score") == bits({"q": {"a": math.inf, "b": 1e308, "c": -math.inf}})


PACKERS: list[Callable[[bytes], bytes]] = [gzip.compress, bz2.compress, lzma.compress, zstd.compress]
MEASURES = ("nDCG@10", "nDCG(gain=exp2)", "AP", "RR", "Bpref", "Judged@10", "R@100", "ERR")


@pytest.fixture(scope="module")
def collection(tmp_path_factory: pytest.TempPathFactory) -> dict[Literal["qrels", "run"], Path]:
    """Give the judgements and a run of the collection that ships."""
    folder = tmp_path_factory.mktemp("collection")
    demonstration.write(folder)
    qrels, runs = demonstration.paths(folder)
    return {"qrels": Path(qrels), "run": Path(runs["fused"])}


@pytest.fixture(scope="module")
def values(collection: dict[Literal["qrels", "run"], Path]) -> rw.Values:
    """Give what they are worth."""
    return rw.evaluate(collection["qrels"], collection["run"], MEASURES)


@pytest.mark.parametrize(
    ("form", "pack"), [(form, pack) for place, form in enumerate(FORMATS) for pack in (None, PACKERS[place % 4])]
)
def test_a_real_collection_stays_what_it_is_in_every_format(
    form: str,
    pack: Callable[[bytes], bytes] | None,
    collection: dict[Literal["qrels", "run"], Path],
    values: rw.Values,
) -> None:
    for kind, source in collection.items():
        convert(source, f"{kind}.there", to=form)
        if pack is not None:
            Path(f"{kind}.there").write_bytes(pack(Path(f"{kind}.there").read_bytes()))
        convert(f"{kind}.there", f"{kind}.back", kind=kind, to="trec", tag="fused" if kind == "run" else "")
        convert(source, f"{kind}.plain", to="trec")
        assert Path(f"{kind}.back").read_bytes() == Path(f"{kind}.plain").read_bytes()
    there, back = (Run(path).to_frame().select("query", "document", "score") for path in ("run.there", "run.back"))
    assert there.equals(back)
    assert Qrels("qrels.there") == Qrels(collection["qrels"])
    found = rw.evaluate("qrels.there", "run.there", MEASURES)
    assert repr(found.per_query.to_dict()) == repr(values.per_query.to_dict())  # every digit of every value
    assert found.counts == values.counts


@pytest.mark.parametrize("first", FORMATS)
@pytest.mark.parametrize("second", FORMATS)
def test_any_format_becomes_any_other(first: str, second: str) -> None:
    run = {"q1": {"d1": 2.0, "d2": 3.5}, "q2": {"d5": -1e-7, "d6": 2.0**-1074}}
    qrels = {"q1": {"d1": 2.0, "d2": 0.0}, "q2": {"d5": 0.5, "d6": -1.0}}
    parquet("run.parquet", run, "score")
    parquet("qrels.parquet", qrels, "grade")
    for kind, value, given_numbers in (("run", "score", run), ("qrels", "grade", qrels)):
        convert(f"{kind}.parquet", f"{kind}.first", to=first)
        convert(f"{kind}.first", f"{kind}.second", to=second, kind=kind)  # type: ignore[arg-type]
        assert kept(f"{kind}.second", value) == bits(given_numbers)


def test_what_text_formats_look_like() -> None:
    Path("in.jsonl").write_text(
        "\n".join(
            json.dumps({"query": query, "document": document, "score": score})
            for query, document, score in [("q,1", 'say "hi"', 2.0), ("q,1", " x", 10.25), ("ü", "a\tb", 1e300)]
        )
    )
    seen = {}
    for form in ("csv", "tsv", "jsonl", "json"):
        convert("in.jsonl", "out", to=form)
        seen[form] = Path("out").read_bytes().decode()
    assert seen == {
        "csv": 'query,document,rank,score\n"q,1"," x",1,10.25\n"q,1","say ""hi""",2,2\nü,a\tb,1,1e+300\n',
        "tsv": 'query\tdocument\trank\tscore\nq,1\t" x"\t1\t10.25\nq,1\t"say ""hi"""\t2\t2\nü\t"a\tb"\t1\t1e+300\n',
        "jsonl": (
            '{"query": "q,1", "document": " x", "rank": 1, "score": 10.25}\n'
            '{"query": "q,1", "document": "say \\"hi\\"", "rank": 2, "score": 2}\n'
            '{"query": "ü", "document": "a\\tb", "rank": 1, "score": 1e+300}\n'
        ),
        "json": '{\n"q,1": {" x": 10.25, "say \\"hi\\"": 2},\n"ü": {"a\\tb": 1e+300}\n}\n',
    }
    assert json.loads(seen["json"]) == {"q,1": {" x": 10.25, 'say "hi"': 2}, "ü": {"a\tb": 1e300}}


def test_judgements_as_text() -> None:
    seen = {}
    for form in TEXTS:
        convert("qrels.txt", "out", to=form)
        seen[form] = Path("out").read_text()
    assert seen == {
        "trec": QRELS,
        "csv": "query,document,grade\nq1,d1,2\nq1,d2,0\nq2,d5,0.5\n",
        "tsv": "query\tdocument\tgrade\nq1\td1\t2\nq1\td2\t0\nq2\td5\t0.5\n",
        "jsonl": (
            '{"query": "q1", "document": "d1", "grade": 2}\n{"query": "q1", "document": "d2", "grade": 0}\n'
            '{"query": "q2", "document": "d5", "grade": 0.5}\n'
        ),
        "json": '{\n"q1": {"d1": 2, "d2": 0},\n"q2": {"d5": 0.5}\n}\n',
    }


def test_tables_have_types_that_other_libraries_read() -> None:
    convert("bm25.run", "out.parquet")
    convert("bm25.run", "out.feather")
    columns = {"query": pl.String, "document": pl.String, "rank": pl.Int64, "score": pl.Float64}
    assert pl.read_parquet_schema("out.parquet") == columns
    frame = feather.read_table("out.feather")
    assert dict(zip(frame.column_names, map(str, frame.schema.types), strict=True)) == {
        "query": "large_string",
        "document": "large_string",
        "rank": "int64",
        "score": "double",
    }
    assert frame.to_pydict() == pl.read_parquet("out.parquet").to_dict(as_series=False)


def test_ranks_are_those_that_measures_see() -> None:
    Path("in.run").write_text(
        "".join(
            f"{line}\n"
            for line in (
                "q Q0 D 1 1 t",
                "q Q0 é 2 1 t",
                "q Q0 \uffee 3 1 t",
                "q Q0 𝒳 4 1.0 t",
                "q Q0 zero 5 0 t",
                "q Q0 minus 6 -0.0 t",
                "q Q0 last 7 -7 t",
                "q Q0 first 8 7 t",
            )
        )
    )
    convert("in.run", "out.csv")
    frame = pl.read_csv("out.csv")
    assert frame["rank"].to_list() == [1, 2, 3, 4, 5, 6, 7, 8]
    assert frame["document"].to_list() == ["first", "𝒳", "\uffee", "é", "D", "zero", "minus", "last"]
    for document, rank in frame.select("document", "rank").rows():
        assert rw.evaluate({"q": {document: 1}}, "in.run", ["RR"]).mean()["RR"] == 1 / rank


@several
@given(
    st.lists(
        st.tuples(
            st.sampled_from(["q1", "q10", "q2"]), st.sampled_from("abcdeé字𝒳"), st.sampled_from([1.0, 0.0, -0.0, 2.5])
        ),
        min_size=1,
        unique_by=lambda row: row[:2],
    )
)
def test_rows_come_together_in_the_order_of_ranks(rows: list[tuple[str, str, float]]) -> None:
    Path("in.run").write_text("".join(f"{query} Q0 {document} 9 {score!r} t\n" for query, document, score in rows))
    convert("in.run", "out.run")
    queries = list(dict.fromkeys(query for query, _, _ in rows))
    expected = []
    for query in queries:
        own = sorted(((s, d.encode(), d) for q, d, s in rows if q == query), reverse=True)
        expected += [(query, document, str(rank)) for rank, (_, _, document) in enumerate(own, 1)]
    lines = [line.split() for line in Path("out.run").read_text().splitlines()]
    assert [(line[0], line[2], line[3]) for line in lines] == expected


def test_judgements_keep_their_order_and_their_second_column() -> None:
    text = "q2 0 z 1\nq1 s10 d 1\nq1 s9 d 0\nq1 s10 a 2\n"
    Path("in.qrels").write_text(text)
    for form in ("csv", "tsv", "jsonl", "parquet", "arrow"):
        assert convert("in.qrels", "between", to=form) == Converted(4, 2, ())
        convert("between", "out.qrels")
        assert Path("out.qrels").read_text() == text
    assert Path("in.qrels").read_text() == text
    assert pl.read_ipc("between").columns == ["query", "document", "grade", "subtopic"]


def test_a_subtopic_in_the_last_row_is_not_lost(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(trec, "CHUNK", 1 << 10)
    lines = [f"q{number} 0 d 1\n" for number in range(1000)] + ["q9999 topic d 1\n"]
    Path("in.qrels").write_text("".join(lines))
    convert("in.qrels", "out.csv")
    table = Path("out.csv").read_text().splitlines()
    assert (table[0], table[1], table[-1]) == ("query,document,grade,subtopic", "q0,d,1,0", "q9999,d,1,topic")


def test_what_nobody_reads_is_named(command: Callable[..., Answer]) -> None:
    Path("in.csv").write_text("query,document,text,rank,score,url\nq,d,x,1,2,u\n")
    for form in ("csv", "jsonl", "parquet", "arrow"):
        frame = pl.read_csv("in.csv")
        {"csv": frame.write_csv, "jsonl": frame.write_ndjson, "parquet": frame.write_parquet, "arrow": frame.write_ipc}[
            form
        ](f"in.{form}")
        said = "wrote out.run: 1 row, 1 query\nleft out: the columns text url\n"
        assert command(f"in.{form}", "out.run") == (0, "", said)


def test_tags_are_kept_in_lines(command: Callable[..., Answer]) -> None:
    Path("in.run").write_text("q\tQ0\ta\t1\t2\tfirst try\nq\tQ0\tb\t2\t1\tsecond\n")
    assert command("in.run", "out.run") == (0, "", "wrote out.run: 2 rows, 1 query\n")
    assert Path("out.run").read_text() == Path("in.run").read_text()
    assert Run("out.run").to_frame()["tag"].to_list() == ["first try", "second"]
    command("mine=in.run", "out.run")
    assert Path("out.run").read_text() == "q Q0 a 1 2 mine\nq Q0 b 2 1 mine\n"


def test_a_run_without_a_tag_is_called_by_its_file() -> None:
    convert("bm25.run", "my first.parquet")
    convert("my first.parquet", "out.run")
    assert Path("out.run").read_text().splitlines()[0] == "q1 Q0 d2 1 3.5 my_first"
    with pytest.raises(UsageError, match=r"'a\\tb': a tag has no line ends"):
        convert("my first.parquet", "out.run", tag="a\tb")


NAMES = (
    "qid",
    "Query",
    "docid",
    "user",
    "item\xa0",
    "PAR1",
    "%PDF-1",
    "SQLite format 3",
    "BZh91AY&SY",
    "(\xb5/",
    "sep=,",
    "ustar",
)


@pytest.mark.parametrize("form", ["trec", "msmarco", "csv", "tsv", "jsonl", "json"])
def test_ids_that_look_like_something_else_come_back_or_are_refused(form: str, tmp_path: Path) -> None:
    some = IDS | st.sampled_from(NAMES)
    ranks = st.sampled_from([-1.0, -2.0, -3.0])
    written = []

    @settings(several, max_examples=60)
    @given(st.dictionaries(some, st.dictionaries(some, ranks, min_size=1, max_size=3), min_size=1, max_size=2))
    @example({"PAR1": {"d": -1.0}})
    @example({"q": {"docid": -1.0}})
    @example({"q": {"d": -1.0, "docid": -2.0}})
    @example({"BZh91AY&SY": {"d": -1.0}})
    @example({"q" * 255: {"ustar": -1.0}})
    def law(run: Numbers) -> None:
        parquet(f"{tmp_path}/in.parquet", run, "score")
        if trouble(tmp_path, form, "run"):
            assert not (tmp_path / "out").exists()
            return
        written.append(run)
        assert kept(f"{tmp_path}/out", "score", form) == bits(run)
        (tmp_path / "out").unlink()

    law()
    assert {"q": {"d": -1.0, "docid": -2.0}} in written


# What cannot be held


def test_scores_that_ms_marco_has_no_place_for_are_lost_on_demand_only(command: Callable[..., Answer]) -> None:
    status, out, err = command("bm25.run", "out.tsv", "--to", "msmarco")
    assert (status, out, err) == (
        2,
        "",
        (
            "error: bm25.run: row 1: the score 3.5 is no rank with a minus, and MS MARCO's lines cannot hold that"
            " (3 or more such rows)   [unwritable-output]\n"
            "  --lossy writes the ranks alone; trec, csv, tsv and others keep scores\n"
        ),
    )
    assert files() == ["bm25.run", "qrels.txt"]
    status, out, err = command("bm25.run", "out.tsv", "--to", "msmarco", "--lossy")
    assert (status, err) == (0, "wrote out.tsv: 3 rows, 2 queries\nleft out: the scores\nleft out: the tag bm25\n")
    assert Path("out.tsv").read_text() == "q1\td2\t1\nq1\td1\t2\nq2\td5\t1\n"


def test_ranks_pass_through_ms_marco_as_they_are() -> None:
    text = "1\ta\t1\n1\tb\t3\n2\tc\t2\n"
    Path("in.tsv").write_text(text)
    assert convert("in.tsv", "between.run", format="msmarco") == Converted(3, 2, ())
    assert Path("between.run").read_text() == "1 Q0 a 1 -1 in\n1 Q0 b 2 -3 in\n2 Q0 c 1 -2 in\n"
    assert convert("between.run", "out.tsv", to="msmarco") == Converted(3, 2, ("the tag in",))
    assert Path("out.tsv").read_text() == text


def test_judgements_are_not_written_as_ms_marco_runs() -> None:
    with pytest.raises(UsageError, match="its judgements are TREC's lines: --to trec") as caught:
        convert("qrels.txt", "out.tsv", to="msmarco")
    assert caught.value.slug == "unknown-format"


def test_subtopics_are_lost_in_json_on_demand_only(command: Callable[..., Answer]) -> None:
    Path("in.qrels").write_text("q 1 d 1\nq 2 d 3\nq 2 e 0\nr 1 d 1\n")
    status, _, err = command("in.qrels", "out.json")
    assert (status, err.splitlines()[0]) == (
        2,
        (
            "error: in.qrels: these are judgements for several subtopics, which JSON's dicts have no place for"
            "   [unwritable-output]"
        ),
    )
    status, _, err = command("in.qrels", "out.json", "--lossy")
    assert (status, err) == (
        0,
        "wrote out.json: 3 rows, 2 queries\nleft out: the subtopics; each document has the best of its grades\n",
    )
    assert json.loads(Path("out.json").read_text()) == {"q": {"d": 3, "e": 0}, "r": {"d": 1}}


def test_a_second_column_that_is_the_same_everywhere_is_no_loss() -> None:
    Path("in.qrels").write_text("q Q0 d 1\nr Q0 d 1\n")
    assert convert("in.qrels", "out.json").left_out == ("the subtopic, which is Q0 everywhere",)
    assert convert("qrels.txt", "out.json").left_out == ()


@pytest.mark.parametrize(
    ("form", "query", "document", "said"),
    [
        ("trec", "q", "a b", "row 2: the document 'a b' has blanks or line ends, and TREC's lines cannot hold that"),
        ("trec", "q 1", "d", "row 2: the query 'q 1' has blanks"),
        ("trec", "#q", "d", "row 2: the query #q begins as a comment"),
        ("trec", "\ufeffq", "d", "the query '\\ufeffq' begins as a comment or a byte order mark does"),
        ("trec", "q", "", "row 2: the document '' is empty, and TREC's lines cannot hold that"),
        ("trec", "q", "a\0b", "row 2: the document 'a\\x00b' has a null byte"),
        ("msmarco", "q", '"a"', 'row 2: the document "a" begins with a quote, and MS MARCO\'s lines cannot hold that'),
        ("csv", "q", "a\0b", "row 2: the document 'a\\x00b' has a null byte, and CSV cannot hold that"),
        ("tsv", "q", " ", "row 2: the document ' ' is empty, and TSV cannot hold that"),
    ],
)
def test_ids_that_a_format_cannot_hold_are_refused(form: str, query: str, document: str, said: str) -> None:
    rows = {"query": ["q", query], "document": ["d0", document], "rank": [1, 2]}
    pl.DataFrame(rows).write_parquet("in.parquet")
    with pytest.raises(UsageError) as caught:
        convert("in.parquet", "out", to=form)
    assert str(caught.value).startswith(f"in.parquet: {said}") or said in str(caught.value)
    assert re.search(r"\n  (csv, tsv, )?jsonl, json, parquet and arrow hold (any id|it)$", str(caught.value))
    assert files() == ["bm25.run", "in.parquet", "qrels.txt"]


def test_a_first_line_that_would_be_taken_for_a_header_is_refused() -> None:
    Path("in.run").write_text("q Q0 docid 1 -1 t\nq Q0 d 2 -2 t\n")
    with pytest.raises(UsageError) as caught:
        convert("in.run", "out", to="msmarco")
    assert str(caught.value) == (
        "the first line would be taken for a header, and MS MARCO's lines cannot hold that: 'q\\tdocid\\t1'   "
        "[unwritable-output]\n  csv, tsv, jsonl, json, parquet and arrow hold it"
    )
    assert files() == ["bm25.run", "in.run", "qrels.txt"]


CONTROLS = "\x1b[31mred\x1b]0;title\x07\x9b1m\x7f"


@pytest.mark.parametrize("form", ["csv", "tsv", "trec", "msmarco", "json", "jsonl"])
def test_a_terminal_gets_no_control_characters(form: str) -> None:
    ours, theirs = pty.openpty()
    Path("in.run").write_text(f"q1 Q0 {CONTROLS} 1 -1 {CONTROLS}\n")
    line = [sys.executable, "-m", "rankworth", "convert", "in.run", "-", "--to", form]
    with subprocess.Popen(line, stdout=theirs, stderr=theirs) as child:
        os.close(theirs)
        seen = b""
        with suppress(OSError):
            while part := os.read(ours, 65536):
                seen += part
    os.close(ours)
    assert child.returncode == 0
    assert "red" in seen.decode()
    assert not re.search(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]", seen.decode())
    convert("in.run", "out", to=form)
    assert process("in.run", "-", "--to", form)[1] == Path("out").read_text()  # a pipe gets what a file gets


def test_ranks_that_do_not_follow_the_scores_are_counted(command: Callable[..., Answer]) -> None:
    Path("tied.run").write_text("q Q0 a 0 2 t\nq Q0 b 1 1 t\nq Q0 c 2 1 t\nr Q0 a none 1 t\n")
    assert command("tied.run", "out.run")[2].splitlines()[1:] == [
        "left out: the ranks of 3 rows, which do not follow the scores"
    ]
    Path("from0.run").write_text("q Q0 a 0 2 t\nq Q0 b 1 1 t\n")
    assert command("from0.run", "out.run")[2].splitlines()[1:] == []


# What is read


@pytest.mark.parametrize(
    ("name", "text", "kind"),
    [
        ("a.txt", RUN, "run"),
        ("a.txt", QRELS, "qrels"),
        ("a.txt", "# comment\n\n" + QRELS, "qrels"),
        ("a.csv", "query,document,score\nq,d,1\n", "run"),
        ("a.csv", "query,document,rank\nq,d,1\n", "run"),
        ("a.csv", "query,document,grade\nq,d,1\n", "qrels"),
        ("a.tsv", "qid\tdocno\trelevance\nq\td\t1\n", "qrels"),
        ("a.jsonl", '{"query": "q", "document": "d", "score": 1}\n', "run"),
        ("a.jsonl", '{"query": "q", "document": "d", "grade": 1}\n', "qrels"),
    ],
)
def test_the_content_tells_whether_it_is_a_run(name: str, text: str, kind: str) -> None:
    Path(name).write_text(text)
    convert(name, "out.csv")
    header = Path("out.csv").read_text().splitlines()[0]
    assert header == ("query,document,rank,score" if kind == "run" else "query,document,grade")


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("a.json", '{"q": {"d": 1}}'),
        ("a.csv", "query,document,grade,score\nq,d,1,2\n"),
    ],
)
def test_what_may_be_either_has_to_be_said(name: str, text: str, command: Callable[..., Answer]) -> None:
    Path(name).write_text(text)
    status, _, err = command(name, "out.csv")
    assert (status, err) == (
        2,
        (
            f"error: {name}: this may be a run or judgements, nothing in it tells   [input-type]\n"
            "  say which it is: --run or --qrels\n"
        ),
    )
    assert command(name, "run.csv", "--run")[0] == command(name, "qrels.csv", "--qrels")[0] == 0
    assert command(name, "a.run")[0] == command(name, "a.qrels")[0] == 0
    assert Path("run.csv").read_text().startswith("query,document,rank,score\n")
    assert Path("qrels.csv").read_text().startswith("query,document,grade\n")
    assert [len(Path(told).read_text().splitlines()[0].split()) for told in ("a.run", "a.qrels")] == [6, 4]


def test_a_table_without_header_is_never_guessed(command: Callable[..., Answer]) -> None:
    Path("a.tsv").write_text("1\t2\t1\n1\t3\t2\n")
    assert command("a.tsv", "out.csv") == (
        2,
        "",
        (
            "error: a.tsv: this may be a run or judgements, nothing in it tells   [input-type]\n"
            "  say which it is: --run or --qrels\n"
        ),
    )
    status, _, err = command("a.tsv", "out.run")
    assert (status, "ranks or scores" in err, files()) == (2, True, ["a.tsv", "bm25.run", "qrels.txt"])
    said = re.findall(r"(--run-format \S+(?: --columns .+)?)", err)
    assert said == ["--run-format msmarco", "--run-format tsv --columns query=1 document=2 score=3"]
    written = []
    for options in (*said, "--from msmarco"):
        assert command("a.tsv", "out.run", *options.split())[0] == 0
        written.append(Path("out.run").read_text())
    ranks, scores = "1 Q0 2 1 -1 a\n1 Q0 3 2 -2 a\n", "1 Q0 3 1 2 a\n1 Q0 2 2 1 a\n"
    assert written == [ranks, scores, ranks]
    assert command("a.tsv", "out.qrels")[0] == 0
    assert Path("out.qrels").read_text() == "1 0 2 1\n1 0 3 2\n"


def test_what_it_is_not_is_refused(command: Callable[..., Answer]) -> None:
    assert command("qrels.txt", "out.csv", "--run")[2].startswith("error: qrels.txt: these are qrels lines")
    assert command("bm25.run", "out.qrels")[2].startswith("error: bm25.run: these are run lines")
    assert command("bm25.run", "out.csv", "--run", "--qrels")[2].endswith("[conflicting-options]\n")
    Path("neither.csv").write_text("a,b\n1,2\n")
    assert command("neither.csv", "out.run")[0] == 2
    with pytest.raises(UsageError, match="kind='judgements': it is 'run' or 'qrels'"):
        convert("bm25.run", "out.csv", kind="judgements")  # type: ignore[arg-type]


def test_parts_of_different_kinds_are_refused(command: Callable[..., Answer]) -> None:
    Path("parts").mkdir()
    Path("parts/1.csv").write_text("query,document,grade\nq,d,1\n")
    Path("parts/2.csv").write_text("query,document,score\nq,e,1\n")
    assert command("parts/*.csv", "out.csv")[2] == (
        "error: parts/1.csv parts/2.csv: some look like runs, and some like judgements   [input-type]\n"
        "  convert them one after the other, or say --run or --qrels\n"
    )
    Path("parts/2.csv").write_text("query,document,grade\nq,e,0\n")
    assert command("parts", "out.csv") == (0, "", "wrote out.csv: 2 rows, 1 query\n")
    assert Path("out.csv").read_text() == "query,document,grade\nq,d,1\nq,e,0\n"


def test_a_beir_folder_holds_judgements(command: Callable[..., Answer]) -> None:
    Path("beir/qrels").mkdir(parents=True)
    for split, grade in (("test", 1), ("dev", 2)):
        Path(f"beir/qrels/{split}.tsv").write_text(f"query-id\tcorpus-id\tscore\nq\td\t{grade}\n")
    Path("beir/corpus.jsonl").write_text('{"_id": "d", "text": "x"}\n')
    assert command("beir", "out.txt") == (0, "", "wrote out.txt: 1 row, 1 query\n")
    assert Path("out.txt").read_text() == "q 0 d 1\n"
    command("beir", "out.txt", "--split", "dev")
    assert Path("out.txt").read_text() == "q 0 d 2\n"


def test_columns_of_any_name_are_read(command: Callable[..., Answer]) -> None:
    Path("clicks.csv").write_text("term;sku;level;score\nshoe;s1;3;9\n")
    asked = ("--columns", "query=term", "document=sku", "grade=level")
    assert command("clicks.csv", "out.txt", *asked)[0] == 2  # a score is there, too
    said = "wrote out.txt: 1 row, 1 query\nleft out: the columns score\n"
    assert command("clicks.csv", "out.txt", "--qrels", *asked) == (0, "", said)
    assert Path("out.txt").read_text() == "shoe 0 s1 3\n"
    wrong = command("clicks.csv", "out.txt", "--columns", "query")
    assert wrong[2].startswith("error: --columns query: a column is named WHAT=NAME, as in query=term")
    twice = command("clicks.csv", "out.txt", "--columns", "query=a", "query=b")
    assert twice[2] == (
        "error: --columns query=b: query appears twice   [unknown-setting]\n"
        "  name it once; --qrels-columns query=b is about judgements alone, --run-columns about runs\n"
    )


def test_packed_files_and_pipes_are_read() -> None:
    packed = gzip.compress(RUN.encode())
    Path("in.run.gz").write_bytes(packed)
    convert("in.run.gz", "out.run")
    assert Path("out.run").read_text() == RUN
    status, out, err = process("-", "-", "--to", "jsonl", given=packed)
    assert (status, err) == (0, "wrote standard output: 3 rows, 2 queries\nleft out: the tag bm25\n")
    assert [json.loads(line)["document"] for line in out.splitlines()] == ["d2", "d1", "d5"]
    assert process("-", "-", "--to", "trec", given=packed)[1] == RUN
    assert process("-", "-", "--to", "trec", "--quiet", given=b'{"query":"q","document":"d","score":1}\n') == (
        0,
        "q Q0 d 1 1 stdin\n",
        "",
    )


def test_a_document_that_is_there_twice_is_refused_or_settled(command: Callable[..., Answer]) -> None:
    Path("in.run").write_text("q Q0 a 1 2 t\nr Q0 x 1 1 t\nq Q0 b 2 1 t\nq Q0 a 3 7 t\n")
    status, _, err = command("in.run", "out.csv")
    assert (status, err.splitlines()[0]) == (
        2,
        "error: in.run:4: query q ranks document a again (first in line 1)   [duplicate-document]",
    )
    said = command("in.run", "out.csv", "--duplicates", "first")[2]
    assert said.splitlines()[:1] == ["wrote out.csv: 3 rows, 2 queries"]
    assert said.splitlines()[-2:] == ["left out: 1 row that repeats another", "left out: the tag t"]
    assert Path("out.csv").read_text() == "query,document,rank,score\nq,a,1,2\nq,b,2,1\nr,x,1,1\n"
    command("in.run", "out.csv", "--duplicates", "best")
    assert Path("out.csv").read_text().splitlines()[1] == "q,a,1,7"
    Path("in.qrels").write_text("q 0 a 1\nq 0 a 2\n")
    assert command("in.qrels", "out.csv")[2].startswith(
        "error: in.qrels:2: query q judges document a again (first in line 1)   [duplicate-judgement]"
    )
    command("in.qrels", "out.csv", "--duplicate-judgements", "max")
    assert Path("out.csv").read_text() == "query,document,grade\nq,a,2\n"


def test_an_empty_table_is_refused() -> None:
    parquet("in.parquet", {}, "score")
    with pytest.raises(InputError) as caught:
        convert("in.parquet", "out.csv")
    assert caught.value.slug == "empty-input"


# How it is read


@pytest.mark.parametrize("form", FORMATS)
def test_queries_may_lie_across_batches_and_files(form: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(trec, "CHUNK", 1 << 12)
    lines = [f"q{query} Q0 d{rank:03} {rank} {-rank} t\n" for query in range(30) for rank in range(1, 41)]
    Path("1.part").write_text("".join(lines[:700]))
    Path("2.part").write_text("".join(lines[700:]))
    done = convert("*.part", "out", to=form)
    assert (done.rows, done.queries) == (1200, 30)
    convert("out", "back.run", kind="run", tag="t")
    assert Path("back.run").read_text() == "".join(lines)


def test_scattered_rows_are_gathered(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(trec, "CHUNK", 1 << 12)
    monkeypatch.setattr(conversion, "_PART", 100)
    lines = [f"q{query} Q0 d{rank:03} {rank} {-rank} t\n" for query in range(30) for rank in range(1, 41)]
    Path("in.run").write_text("".join(sorted(lines, key=lambda line: line.split()[2])))
    assert convert("in.run", "out.run") == Converted(1200, 30, ())
    assert Path("out.run").read_text() == "".join(lines)
    comes_back = [*lines[40:], *lines[:40], "q29 Q0 late 41 -41 t\n"]
    Path("in.run").write_text("".join(comes_back))
    convert("in.run", "out.json")
    assert json.loads(Path("out.json").read_text())["q29"]["late"] == -41


def test_memory_does_not_grow_with_the_run() -> None:
    script = """
import resource, sys
from rankworth.conversion import convert
for target in ("out.parquet", "out.csv"):
    convert(sys.argv[1], target)
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)
"""
    block = "".join(f"q# Q0 a-document-#-{rank} {rank} {-rank} t\n" for rank in range(1000))
    peaks = []
    for queries in (1000, 3000):
        with Path("long.run").open("w") as file:
            file.writelines(block.replace("#", str(query)) for query in range(queries))
        done = subprocess.run([sys.executable, "-c", script, "long.run"], capture_output=True, text=True, check=True)
        peaks.append(int(done.stdout) / 1024)
    assert peaks[1] - peaks[0] < 80  # MiB; two million rows more take 93 in the file, and 200 in memory


# Whole or not at all


BAD = RUN + "q2 Q0 d9 2 n/a bm25\n"


@pytest.mark.parametrize("form", FORMATS)
def test_nothing_is_written_where_something_is_wrong(form: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(trec, "CHUNK", 1 << 8)
    Path("bad.run").write_text("".join(f"x{number} Q0 d 1 1 t\n" for number in range(200)) + BAD)
    Path("out").write_text("before")
    with pytest.raises(InputError, match=r"bad\.run:204: the score is 'n/a', not a number"):
        convert("bad.run", "out", to=form)
    assert Path("out").read_text() == "before"
    assert files() == ["bad.run", "bm25.run", "out", "qrels.txt"]


def test_standard_output_is_whole_or_empty() -> None:
    status, out, err = process("-", "-", "--to", "csv", given=BAD.encode())
    assert (status, out) == (2, "")
    assert err.startswith("error: standard input:4: the score is 'n/a', not a number")


def test_a_file_is_replaced_with_its_permissions_and_through_links() -> None:
    Path("real.csv").write_text("before")
    Path("real.csv").chmod(0o640)
    Path("link.csv").symlink_to("real.csv")
    convert("bm25.run", "link.csv")
    assert Path("link.csv").is_symlink()
    assert Path("real.csv").read_text().startswith("query,")
    assert stat.S_IMODE(Path("real.csv").stat().st_mode) == 0o640
    before = os.umask(0o027)
    try:
        convert("bm25.run", "new.parquet")
    finally:
        os.umask(before)
    assert stat.S_IMODE(Path("new.parquet").stat().st_mode) == 0o640
    assert files() == ["bm25.run", "link.csv", "new.parquet", "qrels.txt", "real.csv"]


def test_what_cannot_be_written_is_said_before_anything_is_read(command: Callable[..., Answer]) -> None:
    Path("link.run").symlink_to("bm25.run")
    Path("folder").mkdir()
    said = {
        target: command("bm25.run", target)[2].splitlines()[0]
        for target in ("bm25.run", "link.run", "folder", "nowhere/x.csv", "x.run.gz", "x.xls", "x", "-")
    }
    suffixes = ".run .qrels .trec .txt .res .tsv .csv .jsonl .ndjson .json .parquet .arrow .feather"
    assert said == {
        "bm25.run": "error: bm25.run: this file is read, so it is not written   [unwritable-output]",
        "link.run": "error: link.run: this file is read, so it is not written   [unwritable-output]",
        "folder": f"error: folder: the name has no suffix, which would say the format; use one of {suffixes}, "
        "or name the format with --to FORMAT   [unknown-format]",
        "nowhere/x.csv": "error: nowhere/x.csv: there is no folder nowhere   [unwritable-output]",
        "x.run.gz": "error: x.run.gz: compressed files are not written   [unknown-format]",
        "x.xls": f"error: x.xls: cannot write .xls; use one of {suffixes}, "
        "or name the format with --to FORMAT   [unknown-format]",
        "x": f"error: x: the name has no suffix, which would say the format; use one of {suffixes}, "
        "or name the format with --to FORMAT   [unknown-format]",
        "-": "error: standard output needs --to FORMAT; there are trec tsv csv msmarco jsonl json parquet arrow"
        "   [unknown-format]",
    }
    assert command("bm25.run", "folder", "--to", "csv")[2].startswith("error: folder: this is a directory")
    assert command("bm25.run", "x.csv", "--to", "xml")[2].startswith("error: there is no format 'xml'; there are trec")
    assert Path("bm25.run").read_text() == RUN


@pytest.mark.parametrize("form", FORMATS)
def test_a_full_disk_leaves_nothing(form: str) -> None:
    with Path("long.run").open("w") as file:
        for query in range(100):
            file.writelines(f"q{query} Q0 d{query * 7919 + rank * 104729} {rank} {-rank} t\n" for rank in range(500))
    Path("out").write_text("before")
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 16, before[1]))
    try:
        with pytest.raises(UsageError, match=r"^out: File too large   \[unwritable-output\]$"):
            convert("long.run", "out", to=form)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    assert files() == ["bm25.run", "long.run", "out", "qrels.txt"]
    assert Path("out").read_text() == "before"
    with pytest.raises(UsageError, match=r"^/dev/full: No space left on device   \[unwritable-output\]$"):
        convert("bm25.run", "/dev/full", to=form)


def test_of_several_results_none_is_written_where_one_cannot_be() -> None:
    Path("first.tsv").write_text("before")
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 10, before[1]))
    try:
        with pytest.raises(UsageError, match=r"second\.tsv: File too large"):
            atomic.write({Path("first.tsv"): b"after", Path("second.tsv"): b"x" * (1 << 11), Path("third.tsv"): b""})
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    assert Path("first.tsv").read_text() == "before"
    assert files() == ["bm25.run", "first.tsv", "qrels.txt"]
    atomic.write({Path("first.tsv"): b"after", Path("second.tsv"): b"new"})
    assert (Path("first.tsv").read_text(), Path("second.tsv").read_text()) == ("after", "new")
    assert files() == ["bm25.run", "first.tsv", "qrels.txt", "second.tsv"]


def test_a_folder_that_cannot_be_written_to_is_found_first(monkeypatch: pytest.MonkeyPatch) -> None:
    Path("folder").mkdir()
    Path("folder/there.csv").write_text("before")
    Path("link.csv").symlink_to("folder/there.csv")
    monkeypatch.setattr(os, "access", lambda place, _: Path(place).name != "folder")
    for name in ("folder/there.csv", "folder/new.csv", "link.csv"):
        with pytest.raises(UsageError, match=f"^{name}: writing is not permitted"):
            convert("bm25.run", name)


def test_a_name_that_no_file_can_have_is_refused() -> None:
    name = "x" * 300 + ".csv"
    with pytest.raises(UsageError, match=f"^{name}: File name too long"):
        convert("bm25.run", name)


def test_a_pipe_is_written_to_and_stays() -> None:
    os.mkfifo("pipe")
    reader = os.open("pipe", os.O_RDONLY | os.O_NONBLOCK)
    try:
        convert("bm25.run", "pipe", to="trec")
        assert os.read(reader, 1000).decode() == RUN
    finally:
        os.close(reader)
    assert stat.S_ISFIFO(Path("pipe").stat().st_mode)


START = """
import sys, time
from rankworth.io import atomic
{}
from rankworth.cli import main
raise SystemExit(main())
"""
SLOWLY = "put = atomic.put; atomic.put = lambda content, file: (put(content[:9], file), time.sleep(60))"


def ended(number: int, change: str, *arguments: str, given: bytes) -> Answer:
    """What a command leaves that is sent a signal while it writes, its standard input being silent after some bytes."""
    line = [sys.executable, "-c", START.format(change), *arguments]
    pipe = subprocess.PIPE
    with subprocess.Popen(line, stdin=pipe, stdout=pipe, stderr=pipe, preexec_fn=signals.usual) as child:  # noqa: PLW1509 - no threads yet
        assert child.stdin is not None
        child.stdin.write(given)
        child.stdin.flush()
        end = time.monotonic() + 20
        while not (begun := is_writing()) and child.poll() is None and time.monotonic() < end:
            time.sleep(0.02)
        time.sleep(0.2)
        child.send_signal(number)
        try:
            out, err = child.communicate(timeout=20)
        finally:
            child.kill()
    assert begun, err.decode()
    return child.returncode, out.decode(), err.decode()


def is_writing() -> bool:
    """Whether a process has a file in this folder that is not whole yet."""
    return any(name.startswith(".") for name in files())


@pytest.mark.parametrize(
    ("number", "change", "form"),
    [
        (signal.SIGINT, "", "parquet"),
        (signal.SIGINT, "", "csv"),
        (signal.SIGTERM, "", "csv"),
        (signal.SIGTERM, "", "parquet"),
        (signal.SIGHUP, "", "jsonl"),
    ],
)
def test_a_signal_leaves_nothing(number: int, change: str, form: str) -> None:
    Path("out").write_text("before")
    lines = "".join(f"q{number} Q0 d 1 1 t\n" for number in range(200_000)).encode()
    status = 130 if number == signal.SIGINT else -number
    assert ended(number, change, "convert", "-", "out", "--to", form, given=lines) == (status, "", "")
    assert files() == ["bm25.run", "out", "qrels.txt"]
    assert Path("out").read_text() == "before"


@pytest.mark.parametrize(
    ("number", "change"),
    [(signal.SIGTERM, "pass"), (signal.SIGHUP, "pass")],
)
def test_a_signal_leaves_no_results_of_an_evaluation(number: int, change: str) -> None:
    Path("a.json").write_text("before")
    line = ("evaluate", "qrels.txt", "bm25.run", "-o", "a.json", "-o", "b.csv")
    assert ended(number, f"{change}; {SLOWLY}", *line, given=b"")[0] == -number
    assert files() == ["a.json", "bm25.run", "qrels.txt"]
    assert Path("a.json").read_text() == "before"


def test_handlers_of_signals_are_as_before() -> None:
    numbers = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
    before = [signal.getsignal(number) for number in numbers]
    convert("bm25.run", "out.csv")
    assert [signal.getsignal(number) for number in numbers] == before


def test_a_reader_that_has_enough_is_no_error() -> None:
    with Path("long.run").open("w") as file:
        file.write("".join(f"q{number} Q0 d 1 1 t\n" for number in range(100_000)))
    line = f"{sys.executable} -m rankworth convert long.run - --to csv | head -2; exit ${{PIPESTATUS[0]}}"
    done = subprocess.run(["bash", "-c", line], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (141, "query,document,rank,score\nq0,d,1,1\n", "")


# The command


def test_the_command_says_what_it_did(command: Callable[..., Answer]) -> None:
    assert command("bm25.run", "out.parquet") == (
        0,
        "",
        "wrote out.parquet: 3 rows, 2 queries\nleft out: the tag bm25\n",
    )
    assert command("qrels.txt", "out.json") == (0, "", "wrote out.json: 3 rows, 2 queries\n")
    assert command("bm25.run", "out.parquet", "--quiet") == (0, "", "")
    assert command("bm25.run", "-", "--to", "trec") == (0, RUN, "wrote standard output: 3 rows, 2 queries\n")


def test_mistyped_options_are_corrected(command: Callable[..., Answer]) -> None:
    status, _, err = command("bm25.run", "out.csv", "--form", "trec")
    assert status == 2
    assert err.startswith("error: there is no option --form; did you mean --from?\n  --from: Format of IN: ")
    assert command("bm25.run")[0] == 2
    assert command("bm25.run", "out.csv", "--from", "xml")[2].startswith("error: there is no format 'xml'")


def test_tables_of_bytes_are_not_for_terminals() -> None:
    ours, theirs = pty.openpty()
    line = [sys.executable, "-m", "rankworth", "convert", "bm25.run", "-", "--to", "parquet"]
    done = subprocess.run(line, stdout=theirs, stderr=subprocess.PIPE, text=True, check=False)
    os.close(theirs)
    os.close(ours)
    assert done.returncode == 2
    assert done.stderr.startswith("error: parquet is not for terminals   [unwritable-output]")


def test_parquet_goes_through_a_pipe() -> None:
    line = [sys.executable, "-m", "rankworth", "convert", "bm25.run", "-", "--to", "parquet", "--quiet"]
    done = subprocess.run(line, capture_output=True, check=True)
    Path("out.parquet").write_bytes(done.stdout)
    assert pl.read_parquet("out.parquet")["document"].to_list() == ["d2", "d1", "d5"]


@pytest.mark.parametrize("form", ["trec", "csv", "jsonl", "json", "parquet"])
def test_a_list_keeps_its_order_as_a_table(form: str) -> None:
    lists = {"q1": [["a", 0.7], ["z", 0.7], ["c", 0.2]], "q2": [["d", 3.5], ["e", 1.5]]}
    Path("lists.json").write_text(json.dumps(lists))
    told = convert("lists.json", f"out.{form}", kind="run", to=form)
    assert "the scores of 1 list, which do not tell the order; those that are written do" in told.left_out
    judged = {"q1": {"z": 1}, "q2": {"e": 1}}
    found = [
        rw.evaluate(judged, name, ["RR"], order=order)["RR"]
        for name, order in (("lists.json", "auto"), (f"out.{form}", "score"))
    ]
    assert found == [0.5, 0.5]
    scores = Run(f"out.{form}").to_frame()["score"].to_list()
    assert scores == [-1, -2, -3, 3.5, 1.5]
    lists["q2"].reverse()
    Path("lists.json").write_text(json.dumps(lists))
    with pytest.raises(
        InputError, match=r"in 1 query of 2 the scores contradict the order of the list: query q2 has e"
    ):
        convert("lists.json", f"other.{form}", kind="run", to=form)
    assert not Path(f"other.{form}").exists()
