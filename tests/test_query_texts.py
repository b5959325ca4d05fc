"""The doors for texts: tables of queries and the documents that somebody asks for, from files and programs."""

import bz2
import csv
import gzip
import io
import json
import sys
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import rankworth as rw
from rankworth import demonstration
from rankworth.errors import InputError, RankworthError, UsageError
from rankworth.io import delimited as csv_reader
from rankworth.io.query_texts import DOCUMENTS, QUERIES, QueryTable, documents, queries
from rankworth.io.usual_names import SPELLINGS

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

TABLE = QueryTable(
    {"q1": "red shoes", "q2": "كم عدد سكان مصر", "q3": ""},
    {"language": ("en", "ar", None), "traffic": (120, None, 7)},
)
ROWS = [
    {"qid": "q1", "query": "red shoes", "language": "en", "traffic": 120},
    {"qid": "q2", "query": "كم عدد سكان مصر", "language": "ar", "traffic": None},
    {"qid": "q3", "query": None, "language": None, "traffic": 7},
]
CORPUS = {"d1": "Shoes: all of them", "d2": "مرحبا", "d3": "no title"}
ARTICLES = [
    {"_id": "d1", "title": "Shoes", "text": "all of them", "metadata": {}},
    {"_id": "d2", "title": "", "text": "مرحبا", "metadata": {}},
    {"_id": "d3", "title": None, "text": "no title", "metadata": {}},
    {"_id": "d4", "title": "Nobody asks", "text": "for this", "metadata": {}},
]
TOPICS = """<top>
<num> Number: 301
<title> International Organized
Crime

<desc> Description:
Identify organizations, AT&amp;T < 5 among them.

<narr> Narrative:
A relevant document must.
</top>

<top>
<num> Number: 302 </num>
<title> Topic:  Poliomyelitis </title>
<desc> Description: Is it under control? </desc>
</top>
"""


def put(folder: Path, name: str, content: str | bytes) -> Path:
    """Write a file."""
    path = folder / name
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


def separated(rows: list[dict[str, Any]], delimiter: str) -> bytes:
    """Rows as the standard library writes them, quoted where needed."""
    target = io.StringIO()
    writer = csv.DictWriter(target, list(rows[0]), delimiter=delimiter, lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return target.getvalue().encode()


def lined(rows: list[dict[str, Any]]) -> bytes:
    return "".join(json.dumps(row) + "\n" for row in rows).encode()


def parquet(rows: list[dict[str, Any]]) -> bytes:
    target = io.BytesIO()
    pl.DataFrame(rows, infer_schema_length=None).write_parquet(target)
    return target.getvalue()


def arrow(rows: list[dict[str, Any]]) -> bytes:
    target = io.BytesIO()
    pl.DataFrame(rows, infer_schema_length=None).write_ipc(target)
    return target.getvalue()


def stream(rows: list[dict[str, Any]]) -> bytes:
    target = io.BytesIO()
    pl.DataFrame(rows, infer_schema_length=None).write_ipc_stream(target)
    return target.getvalue()


WRITERS: dict[str, Callable[[list[dict[str, Any]]], bytes]] = {
    "csv": lambda rows: separated(rows, ","),
    "semicolons": lambda rows: separated(rows, ";"),
    "bars": lambda rows: separated(rows, "|"),
    "tsv": lambda rows: separated(rows, "\t"),
    "jsonl": lined,
    "json": lambda rows: json.dumps(rows, indent=1).encode(),
    "json in one line": lambda rows: json.dumps(rows, ensure_ascii=False).encode(),
    "parquet": parquet,
    "arrow": arrow,
    "arrow stream": stream,
}


@pytest.mark.parametrize("form", WRITERS)
def test_a_table_of_queries_reads_the_same_from_every_format(form: str, tmp_path: Path) -> None:
    assert queries(put(tmp_path, "table", WRITERS[form](ROWS))) == TABLE


@pytest.mark.parametrize("form", WRITERS)
def test_documents_read_the_same_from_every_format(form: str, tmp_path: Path) -> None:
    rows = [{key: value for key, value in row.items() if key != "metadata"} for row in ARTICLES]
    path = put(tmp_path, "table", WRITERS[form](rows))
    assert documents(path, {"d1", "d2", "d3", "d99"}) == CORPUS
    assert documents(path, []) == {}
    assert documents(path, ["d99"]) == {}


@pytest.mark.parametrize("pack", [gzip.compress, bz2.compress, zstd.compress])
@pytest.mark.parametrize("form", WRITERS)
def test_packed_files_are_unpacked(form: str, pack: Callable[[bytes], bytes], tmp_path: Path) -> None:
    assert queries(put(tmp_path, "table", pack(WRITERS[form](ROWS)))) == TABLE


def test_standard_input_is_read(monkeypatch: pytest.MonkeyPatch) -> None:
    def say(content: bytes) -> None:
        monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(content)))

    say(b"q1\tred shoes\n")
    assert queries("-").texts == {"q1": "red shoes"}
    say(lined(ARTICLES))
    assert documents("-", ["d1"]) == {"d1": "Shoes: all of them"}


TEXT = st.text(st.characters(codec="utf-8", exclude_characters="\0")).filter(lambda text: "\r" not in text)
ID = st.text(st.characters(codec="utf-8", exclude_categories=["C", "Z"]), min_size=1)
ID = ID.filter(lambda text: not text.startswith('"'))
WORD = st.none() | TEXT.filter(lambda text: text != "" and not any(sign.isdigit() for sign in text))
NUMBERS = st.lists(st.none() | st.integers(-(2**53), 2**53), min_size=8, max_size=8) | st.lists(
    st.none() | st.floats(-1e300, 1e300).filter(lambda number: not number.is_integer()), min_size=8, max_size=8
)


@given(st.lists(st.tuples(ID, TEXT, WORD), min_size=1, max_size=8, unique_by=lambda row: row[0]), NUMBERS)
@example([("q1", '"quoted" and\n\tmore, ; | of it', '"')], [None] * 8)
def test_whatever_is_written_in_any_format_reads_back(
    tmp_path_factory: pytest.TempPathFactory, rows: list[tuple[str, str, str | None]], numbers: list[float | None]
) -> None:
    table = QueryTable(
        {query: text for query, text, _ in rows},
        {"kind": tuple(kind for _, _, kind in rows), "weight": tuple(numbers[: len(rows)])},
    )
    written = [
        {"query_id": query, "text": text, "kind": kind, "weight": number}
        for (query, text, kind), number in zip(rows, numbers, strict=False)
    ]
    for form, write in WRITERS.items():
        path = put(tmp_path_factory.getbasetemp(), "written", write(written))
        assert queries(path) == table, form
        renamed = [{"doc_id": row["query_id"], "text": row["text"]} for row in written]
        put(tmp_path_factory.getbasetemp(), "written", write(renamed))
        assert documents(path, list(table.ids)) == table.texts, form


NAMES = QUERIES.names | DOCUMENTS.names


@given(st.dictionaries(ID.filter(lambda text: text.lower() not in NAMES), TEXT, min_size=1))
def test_dicts_by_id_read_back_from_json_and_from_python(
    tmp_path_factory: pytest.TempPathFactory, texts: dict[str, str]
) -> None:
    path = put(tmp_path_factory.getbasetemp(), "dict.json", json.dumps({"first one": "text"} | texts))
    assert queries(path).texts == {"first one": "text"} | texts
    assert documents(path, list(texts)) == texts
    assert queries(texts) == QueryTable(texts)
    assert documents(texts, list(texts)) == texts


LINE = st.text(st.characters(codec="utf-8", exclude_characters="\0\t\r\n"))


@given(st.dictionaries(ID.filter(lambda text: text[0] not in "#<{["), LINE, min_size=1))
def test_lines_of_ids_and_texts_read_back_as_they_stand(
    tmp_path_factory: pytest.TempPathFactory, texts: dict[str, str]
) -> None:
    content = "".join(f"{name}\t{text}\n" for name, text in ({"1": "first"} | texts).items())
    path = put(tmp_path_factory.getbasetemp(), "lines.tsv", content)
    assert queries(path).texts == {"1": "first"} | texts
    assert documents(path, list(texts)) == texts


def test_the_queries_that_ship_are_read_alike_from_the_file_and_from_python(tmp_path: Path) -> None:
    demonstration.write(tmp_path / "demo")
    collection = rw.demo()
    table = queries(tmp_path / "demo" / "queries.tsv")
    assert table == queries(collection.queries)
    assert table.texts == {query.id: query.text for query in collection.queries.values()}
    assert list(table.columns) == ["language", "kind", "english", "need"]
    assert table.column("language") == {query.id: query.language for query in collection.queries.values()}
    assert table.column("english")["en01"] is None
    assert repr(table) == "QueryTable(108 queries; columns: language, kind, english, need)"


def test_documents_that_ship_are_looked_up_one_by_one() -> None:
    found = documents(rw.demo().documents, ["operator.neg", "no.such.name"])
    assert found == {"operator.neg": "operator.neg(a, /)\n\nSame as -a."}


def test_a_mapping_is_asked_for_nothing_but_what_is_wanted() -> None:
    class Lazy(Mapping[str, str]):
        asked: tuple[str, ...] = ()

        def __getitem__(self, key: str) -> str:
            self.asked += (key,)
            return {"d1": "one", "d2": "two", "d3": "three"}[key]

        def __iter__(self) -> Iterator[str]:
            return iter(["d1", "d2", "d3"])

        def __len__(self) -> int:
            return 3

    lazy = Lazy()
    assert documents(lazy, ["d2", "d9"]) == {"d2": "two"}
    assert "d3" not in lazy.asked


# --- files without a header, and folders


def test_quotes_in_lines_without_a_header_are_quotes(tmp_path: Path) -> None:
    path = put(tmp_path, "queries.tsv", '1\t"red shoes"\n2\t"open\r\n\n3\t5" nails, #1\n')
    assert queries(path).texts == {"1": '"red shoes"', "2": '"open', "3": '5" nails, #1'}


def test_a_quote_below_a_header_stands_for_itself_where_it_closes_nothing(tmp_path: Path) -> None:
    content = 'qid\ttext\tkind\n1\t"red" shoes\ta\n2\t"red\tb\n3\t"a ""b""\nc"\tc\n'
    assert queries(put(tmp_path, "queries.tsv", content)).texts == {"1": '"red" shoes', "2": '"red', "3": 'a "b"\nc'}


def test_texts_of_documents_may_hold_tabs_and_documents_of_ms_marco_have_four_columns(tmp_path: Path) -> None:
    path = put(tmp_path, "collection.tsv", "0\tThe presence\n1\twith\ttab\n2\tlast")
    assert documents(path, ["1", "2"]) == {"1": "with\ttab", "2": "last"}
    path = put(tmp_path, "docs.tsv", "D1\thttps://a.b\tTitle\tbody\nD2\thttps://c.d\t.\tother\n")
    assert documents(path, ["D1", "D2"]) == {"D1": "Title: body", "D2": ". other"}


def test_columns_without_names_are_counted(tmp_path: Path) -> None:
    path = put(tmp_path, "queries.csv", "red shoes,q1,en\nboots,q2,de\n")
    table = queries(path, columns={"query": "2", "text": "1"})
    assert table == QueryTable({"q1": "red shoes", "q2": "boots"}, {"3": ("en", "de")})
    assert queries([("red shoes", "q1", "en"), ("boots", "q2", "de")], columns={"query": "2", "text": "1"}) == table
    said = {"document": "2", "text": "1"}
    assert documents(path, ["q2"], columns=said) == {"q2": "boots"}


def test_a_folder_of_beir_has_both(tmp_path: Path) -> None:
    put(tmp_path, "queries.jsonl", '{"_id": "q1", "text": "red", "metadata": {"lang": "en", "more": [1]}}\n')
    put(tmp_path, "corpus.jsonl.gz", gzip.compress(lined(ARTICLES)))
    (tmp_path / "qrels").mkdir()
    assert queries(tmp_path) == QueryTable({"q1": "red"}, {"lang": ("en",)})
    assert documents(tmp_path, ["d1"]) == {"d1": "Shoes: all of them"}


def test_parts_and_patterns_are_read_one_after_the_other(tmp_path: Path) -> None:
    for number in (0, 1):
        put(tmp_path, f"part-{number}.tsv", f"q{number}\ttext {number}\n")
    both = {"q0": "text 0", "q1": "text 1"}
    assert queries(tmp_path).texts == both
    assert queries(str(tmp_path / "part-*.tsv")).texts == both
    assert queries([tmp_path / "part-0.tsv", tmp_path / "part-1.tsv"]).texts == both
    assert documents(tmp_path, ["q1"]) == {"q1": "text 1"}


# --- topics


def test_topics_of_trec_are_read_with_all_fields(tmp_path: Path) -> None:
    assert queries(put(tmp_path, "topics.301-450", TOPICS)) == QueryTable(
        {"301": "International Organized Crime", "302": "Poliomyelitis"},
        {
            "description": ("Identify organizations, AT&T < 5 among them.", "Is it under control?"),
            "narrative": ("A relevant document must.", None),
        },
    )


def test_topics_in_xml_are_read_and_nothing_in_them_is_interpreted(tmp_path: Path) -> None:
    content = """<?xml version="1.0"?><!DOCTYPE topics [<!ENTITY a "aaaa"><!ENTITY x SYSTEM "file:///etc/passwd">]>
    <topics task="COVID"><!-- <topic number="0"><query>no</query></topic> -->
    <topic number="1" type='faceted'><query>coronavirus &a;&x; &#1605;</query><question>what is it?</question>
    <subtopic number="1">one</subtopic><subtopic number="2">two</subtopic></topic>
    <topic number="2"> only <!-- a note --> text </topic></topics>"""
    assert queries(put(tmp_path, "topics.xml", content)) == QueryTable(
        {"1": "coronavirus &a;&x; م", "2": "only text"},
        {"type": ("faceted", None), "question": ("what is it?", None)},
    )


def test_topics_of_clef_name_the_language_in_their_tags(tmp_path: Path) -> None:
    content = "<top>\n<num> C041 </num>\n<EN-title> Pesticides </EN-title>\n<EN-desc> In food. </EN-desc>\n</top>\n"
    table = queries(put(tmp_path, "topics.txt", content))
    assert table == QueryTable({"C041": "Pesticides"}, {"description": ("In food.",)})


# --- names of columns


@pytest.mark.parametrize(
    ("header", "query", "text"),
    [
        ("qid,query", 0, 1),
        ("query,qid", 1, 0),
        ("query,text", 0, 1),
        ("topic,query", 0, 1),
        ("id,question", 0, 1),
        ("Query_ID,Title", 0, 1),
        ("text,_id", 1, 0),
        ("number,query,question", 0, 1),
        ("query,language", 0, None),
        ("user_id,text", 0, 1),
    ],
)
def test_usual_names_tell_which_column_is_which(header: str, query: int, text: int | None, tmp_path: Path) -> None:
    cells = ["a", "b", "c"][: header.count(",") + 1]
    table = queries(put(tmp_path, "table.csv", f"{header}\n{','.join(cells)}\n"))
    assert table.texts == {cells[query]: "" if text is None else cells[text]}
    assert len(table.columns) == len(cells) - 1 - (text is not None)


def test_all_names_of_queries_and_documents_that_judgements_know_are_known_here() -> None:
    for kind in (QUERIES, DOCUMENTS):
        assert set(SPELLINGS[kind.role]) <= kind.ids


@pytest.mark.parametrize("line", ["3\tquery", "3\tid", "q3\ttitle", "what\tquestion"])
def test_a_query_is_not_taken_for_a_header(line: str, tmp_path: Path) -> None:
    query, _, text = line.partition("\t")
    assert queries(put(tmp_path, "queries.tsv", f"{line}\n4\tboots\n")).texts == {query: text, "4": "boots"}


@pytest.mark.parametrize("contents", ["contents", "body", "passage", "segment", "document"])
def test_usual_names_of_documents_are_known(contents: str, tmp_path: Path) -> None:
    path = put(tmp_path, "docs.jsonl", json.dumps({"id": 7, contents: "text"}) + "\n")
    assert documents(path, ["7"]) == {"7": "text"}


@pytest.mark.parametrize("form", ["csv", "jsonl", "json", "parquet"])
def test_other_names_are_said(form: str, tmp_path: Path) -> None:
    rows = [{"nr": "q1", "words": "red shoes", "text": "other"}, {"nr": "q2", "words": "boots", "text": "other"}]
    path = put(tmp_path, "table", WRITERS[form](rows))
    said = {"query": "nr", "text": "words"}
    expected = QueryTable({"q1": "red shoes", "q2": "boots"}, {"text": ("other", "other")})
    assert queries(path, columns=said) == expected
    assert queries(rows, columns=said) == queries(pl.DataFrame(rows), columns=said) == expected
    said = {"document": "nr", "text": "words", "title": "text"}
    assert documents(path, ["q2"], columns=said) == {"q2": "other: boots"}


@pytest.mark.parametrize(
    ("title", "text", "whole"),
    [
        ("Shoes", "all of them", "Shoes: all of them"),
        ("Why?", "because", "Why? because"),
        ("مرحبا؟", "نعم", "مرحبا؟ نعم"),
        ("Shoes", "Shoes are things", "Shoes are things"),
        ("Shoes", "", "Shoes"),
        ("  ", " as it stands ", " as it stands "),
    ],
)
def test_a_title_stands_before_its_text_once(title: str, text: str, whole: str) -> None:
    assert documents({"d": {"title": title, "text": text}}, ["d"]) == {"d": whole}


def test_a_column_is_numbers_where_all_of_it_is() -> None:
    def column(*values: object) -> tuple[object, ...]:
        return tuple(queries([{"id": number, "x": value} for number, value in enumerate(values)]).columns["x"])

    assert column("12", 3, None, "") == (12, 3, None, None)
    assert column("12", "0.5", "1e3") == (12.0, 0.5, 1000.0)
    assert [type(value) for value in column(1, 0.5)] == [float, float]
    assert column("007", "12") == ("007", "12")
    assert column("12", "many") == ("12", "many")
    assert column("nan", "1e999") == ("nan", "1e999")
    assert column(True, False) == ("true", "false")
    assert column(float("nan"), 1) == (None, 1)
    assert "x" not in queries([{"id": 1, "x": [1, 2]}]).columns


# --- what programs have


class Tuple(NamedTuple):
    """A query of ir_datasets."""

    query_id: str
    text: str


@dataclass
class Record:
    """A query of somebody's program."""

    qid: int
    text: str


class DataSet:
    """A data set of ir_datasets."""

    def queries_iter(self) -> Iterator[Tuple]:
        """Give its queries."""
        return iter([Tuple("1", "red"), Tuple("2", "boots")])

    def docs_iter(self) -> Iterator[tuple[str, str]]:
        """Give its documents."""
        return iter([("1", "red"), ("2", "boots"), ("3", "none")])


@pytest.mark.parametrize(
    "source",
    [
        {"1": "red", "2": "boots"},
        {1: "red", 2: "boots"},
        {"1": {"text": "red"}, "2": {"query": "boots"}},
        [("1", "red"), ["2", "boots"]],
        [Tuple("1", "red"), Tuple("2", "boots")],
        (Record(1, "red"), Record(2, "boots")),
        ({"id": number, "text": text} for number, text in ((1, "red"), (2, "boots"))),
        {"qid": [1, 2], "query": ["red", "boots"]},
        pl.DataFrame({"qid": [1, 2], "query": ["red", "boots"]}),
        pl.LazyFrame({"qid": ["1", "2"], "query": ["red", "boots"]}),
        pd.DataFrame({"qid": [1, 2], "query": ["red", "boots"]}),
        pd.DataFrame({"qid": [1, 2], "query": ["red", "boots"]}, dtype=object),
        pa.table({"qid": ["1", "2"], "query": ["red", "boots"]}),
        DataSet(),
    ],
    ids=lambda source: type(source).__name__,
)
def test_programs_give_queries_in_many_shapes(source: object) -> None:
    assert queries(source) == QueryTable({"1": "red", "2": "boots"})


@pytest.mark.parametrize(
    "source",
    [
        {1: "red", 2: "boots", 3: "none"},
        {"1": {"title": "x", "text": "y"}, "2": {"title": "", "text": "boots"}},
        iter([("1", "red"), ("2", "boots"), ("3", "none")]),
        pl.DataFrame({"docno": [1, 2, 3], "text": ["red", "boots", None], "vector": [[1.0], [2.0], [3.0]]}),
        pd.DataFrame({"docid": [0, 1, 2], "docno": ["1", "2", None], "text": ["red", "boots", "none"]}),
        pa.table({"doc_id": ["1", "2"], "contents": ["red", "boots"]}),
        DataSet(),
    ],
    ids=lambda source: type(source).__name__,
)
def test_programs_give_documents_in_many_shapes(source: object) -> None:
    assert documents(source, ["2", "nobody"]) == {"2": "boots"}


def test_missing_values_of_frames_are_none_and_empty_texts() -> None:
    frame = pd.DataFrame({"qid": ["q1", "q2", "q3"], "query": ["red shoes", "كم عدد سكان مصر", None]})
    frame["language"] = ["en", "ar", None]
    frame["traffic"] = pd.array([120, None, 7], dtype="Int64")
    assert queries(frame) == TABLE
    assert queries(pl.DataFrame(ROWS)) == TABLE
    assert queries(ROWS) == TABLE


def test_a_table_goes_into_frames_and_is_gone_through_by_id() -> None:
    assert queries(TABLE.to_frame()) == queries(TABLE.to_frame("pyarrow")) == TABLE
    assert (list(TABLE), len(TABLE), "q1" in TABLE, "q9" in TABLE) == (["q1", "q2", "q3"], 3, True, False)
    with pytest.raises(InputError, match=r"no column langage; the columns are language traffic"):
        TABLE.column("langage")


# --- what is read, and what is not


def test_nothing_is_read_behind_the_last_document_that_is_wanted(tmp_path: Path) -> None:
    path = put(tmp_path, "corpus.jsonl", lined(ARTICLES) + b"this is no JSON\n")
    assert documents(path, ["d1", "d4"]) == {"d1": "Shoes: all of them", "d4": "Nobody asks: for this"}
    with pytest.raises(InputError, match=r"corpus.jsonl:5: this is not JSON"):
        documents(path, ["d1", "d99"])


def test_rows_of_documents_that_nobody_wants_are_not_looked_at(tmp_path: Path) -> None:
    path = put(tmp_path, "docs.tsv", b"d1\tcaf\xe9\nd2\tfine\n")
    assert documents(path, ["d2", "d9"]) == {"d2": "fine"}
    with pytest.raises(InputError, match=r"docs.tsv:1: the text is 'caf.xe9', not UTF-8"):
        documents(path, ["d1"])


@pytest.mark.parametrize("size", [8, 40, 64, 200])
@pytest.mark.parametrize("form", ["csv", "tsv", "jsonl"])
def test_rows_that_lie_across_chunks_are_whole(
    form: str, size: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(csv_reader, "CHUNK", size)
    rows = [{"qid": f"q{number}", "text": f'"{number}\n, \t' * (number % 5)} for number in range(50)]
    table = queries(put(tmp_path, "table", WRITERS[form](rows)))
    assert table.texts == {row["qid"]: row["text"] for row in rows}


def test_lines_are_counted_across_chunks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(csv_reader, "CHUNK", 64)
    rows = [{"qid": f"q{number}", "text": "two\nlines"} for number in range(50)]
    path = put(tmp_path, "table.csv", separated(rows, ",") + b"q50,a,b\n")
    with pytest.raises(InputError, match=r"table.csv:102: the first line has 2 cells, this one has 3"):
        queries(path)  # a header and 50 rows of two lines stand above: 1 + 2 * 50 + 1


@pytest.mark.parametrize("form", ["tsv", "csv"])
def test_rows_that_do_not_end_are_not_read_for_ever(form: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(csv_reader, "CHUNK", 64)
    monkeypatch.setattr(csv_reader, "LONGEST", 256)
    sign = "," if form == "csv" else "\t"
    lines = [f'q0{sign}"never closed', *(f"q{number}{sign}text {number}" for number in range(1, 100))]
    path = put(tmp_path, "table", f"qid{sign}text\n" + "\n".join(lines) + "\n")
    with pytest.raises(InputError, match=r"table:2: this record does not end"):
        queries(path)
    with pytest.raises(InputError, match=r"does not end"):
        queries(put(tmp_path, "table", f"qid{sign}text\nq1{sign}" + "x" * 1000))


def test_progress_is_told(tmp_path: Path) -> None:
    told: list[tuple[str, int, int | None]] = []
    path = put(tmp_path, "corpus.jsonl", lined(ARTICLES))
    documents(path, ["d99"], progress=lambda *what: told.append(what))
    assert told[-1][1:] == (path.stat().st_size, path.stat().st_size)


# --- faults


@pytest.mark.parametrize(
    ("content", "slug", "says", "helps"),
    [
        ("", "empty-input", "it is empty", ""),
        ("\n# note\n\n", "empty-input", "it is empty", ""),
        ("qid,query\n", "empty-input", "it is empty", ""),
        ("[]", "empty-input", "it is empty", ""),
        ("{}", "empty-input", "it is empty", ""),
        ("language,text\nen,red\n", "frame-columns", ":1: rows have 1 column", "put a header above"),
        (
            "q1 red shoes\n",
            "frame-columns",
            ":1: rows have 1 column; an id and a text are expected",
            "query_id,text",
        ),
        ("q1\ta\tb\n", "frame-columns", ":1: rows have 3 columns; an id and a text are expected", "count"),
        (
            "q1\ta\nq2\tb\tc\n",
            "frame-columns",
            ":2: the first line has 2 cells, this one has 3",
            "quotes that hold a tab",
        ),
        ("q1\ta\nq2\n", "frame-columns", ":2: the first line has 2 cells, this one has 1: q2", "fill"),
        ("qid,query\nq1,red, blue\n", "frame-columns", ":2: the first line has 2 cells, this one has 3", "a comma"),
        ("qid,query,x,x\nq1,a,b,c\n", "frame-columns", ":1: 2 columns are called x", "rename"),
        ("qid,query_id,text\n1,2,a\n", "frame-columns", "qid query_id could all be the query column", "query=qid"),
        ('{"text": "a", "lang": "en"}\n{"text": "b"}\n', "frame-columns", ":1: there is no query column", "query=NAME"),
        ('[{"text": "a"}]', "frame-columns", "row 1: there is no query column; the columns are text", "query=NAME"),
        ("qid,query\n,red\n", "missing-value", ":2: there is no qid", "drop or fill"),
        ("\tred\n", "missing-value", ":1: there is no query", "drop or fill"),
        ('{"_id": null, "text": "a"}\n{"_id": 1}\n', "missing-value", ":1: there is no query", "drop or fill"),
        ('{"_id": 1.5, "text": "a"}\n', "id-type", ":1: the query 1.5 is float", "text"),
        ("q1 \tred\n", "padded-id", ":1: there are blanks around the query 'q1 '", "remove"),
        ('qid,query\nq1,"red" shoes\n', "bad-quotes", ":2: a quote is not closed", "doubled"),
        (b"q1\tcaf\xe9\n", "wrong-encoding", ":1: the text is 'caf\\xe9', not UTF-8", "WINDOWS-1252"),
        (b'{"_id": "q1", "text": "caf\xe9"}\n', "wrong-encoding", ":1: this is not UTF-8", "WINDOWS-1252"),
        (b"<top><num>1<title>caf\xe9</top>", "wrong-encoding", ":1: this is not UTF-8", "WINDOWS-1252"),
        ("q1\tred\n".encode("utf-16"), "wrong-encoding", "UTF-16", "iconv"),
        (b"q1\tred\0\n", "binary-file", ":1: a null byte", ""),
        (b"PK\x03\x04\0abc", "binary-file", ":1: a null byte", "extract"),
        (b"q1\tred\rq2\tblue\r", "line-ends", "CR alone", "tr"),
        (b"PAR1abc", "truncated-file", "Parquet", "damaged"),
        ('{"q1": "a", "q1": "b"}', "input-type", "the key q1 appears twice", "keep one"),
        ('{"_id": "q1", "text": "a", "text": "b"}\n', "input-type", "the key text appears twice", "keep one"),
        ('{"_id": "q1", "text": ["a", "b"]}\n', "input-type", ":1: the text is ['a', 'b'], not a text", "one text"),
        ('{"q1": "a", "q2": ["b"]}', "input-type", "query q2: the text is ['b']", "one text"),
        ('{"_id": "q1", "text": "a"}\n[1]\n', "input-type", ":2 is '[1]', not a row", "a row is an object"),
        ("[1, 2]", "input-type", "row 1 is 1, not a row", "a row is an object"),
        ('{"_id": {"0": "q1"}, "text": {"0": "a"}}', "id-type", "the query {'0': 'q1'} is dict", "text"),
        ('{"_id": "q1", "text": "a"\n', "bad-json", "this is not JSON", ""),
        ("<html><p>no topics</p></html>", "unknown-format", "neither a <top> nor a <topic>", "id, tab, text"),
        ("<top>\n<title> no number\n</top>", "frame-columns", ":1: there is no query column", ""),
        ("q1\tred\nq1\tblue\n", "input-type", "row 2: query q1 is there again with another text", "one row"),
        ("qid,l,query\nq,en,a\nq,de,a\n", "input-type", "or another column (first: ", "one row"),
    ],
)
def test_what_is_wrong_is_said_with_its_place_and_what_helps(
    content: str | bytes, slug: str, says: str, helps: str, tmp_path: Path
) -> None:
    path = put(tmp_path, "table", content)
    with pytest.raises(InputError) as caught:
        queries(path)
    error = caught.value
    assert (error.slug, says in str(error), helps in error.remedy) == (slug, True, True), error
    assert "table" in error.problems[0]


def test_a_query_that_is_there_twice_alike_counts_once(tmp_path: Path) -> None:
    path = put(tmp_path, "queries.tsv", "q1\tred\nq2\tblue\nq1\tred\n")
    assert queries(path).texts == {"q1": "red", "q2": "blue"}


@pytest.mark.parametrize(
    ("read", "slug", "says"),
    [
        (lambda: queries(7), "input-type", "int cannot be read as queries"),
        (lambda: queries({}), "empty-input", "the queries: it is empty"),
        (lambda: queries([]), "empty-input", "the queries: it is empty"),
        (lambda: queries(iter([])), "empty-input", "the queries: it is empty"),
        (lambda: queries([7]), "input-type", "row 0 is 7, not a row"),
        (
            lambda: queries([("q1", "a"), ("q2", "b", "c")]),
            "frame-columns",
            "row 1: rows have 3 columns",
        ),
        (lambda: queries({"q1": ["a"], "q2": ["b", "c"]}), "input-type", "this dict cannot be read as a frame"),
        (lambda: queries({"q1": "a", 2.5: "b"}), "id-type", "2.5 is float"),
        (lambda: queries({"q1": "\ud800"}), "id-type", "half of a surrogate pair"),
        (lambda: queries(pl.DataFrame({"qid": [1.5], "text": ["a"]})), "id-type", "row 0: the query 1.5 is float"),
        (lambda: queries(pl.DataFrame({"qid": [None, "a"]})), "missing-value", "row 0: there is no query"),
        (lambda: queries(pl.DataFrame({"text": ["a"]})), "frame-columns", "the columns are text"),
        (lambda: queries(pl.DataFrame({"qid": [], "text": []})), "empty-input", "it is empty"),
        (lambda: queries("no.such.file"), "missing-file", "there is no such file"),
        (lambda: queries("a", columns={"document": "x"}), "unknown-setting", "document is not one of query text"),
        (lambda: queries("a", columns={"query": ""}), "unknown-setting", "is not the name of a column"),
        (lambda: queries(ROWS, columns={"text": "words"}), "frame-columns", "there is no column words"),
        (lambda: documents(7, ["d"]), "input-type", "int cannot be read as documents"),
        (lambda: documents({"d": 7.5, "e": ["x"]}, ["e"]), "input-type", "the text is ['x']"),
        (lambda: documents({"d": "x"}, "d"), "input-type", "wanted='d' is a text"),
        (lambda: documents([{"_id": "d", "vector": 1}], ["d"]), "frame-columns", "there is no text column"),
        (lambda: documents(pl.DataFrame({"_id": ["d"]}), ["d"]), "frame-columns", "there is no text column"),
    ],
)
def test_what_programs_give_wrong_is_said(read: Callable[[], object], slug: str, says: str) -> None:
    with pytest.raises(RankworthError) as caught:
        read()
    assert (caught.value.slug, says in str(caught.value)) == (slug, True), caught.value
    assert isinstance(caught.value, UsageError if slug == "unknown-setting" else InputError)


def test_a_folder_of_beir_without_the_file_says_what_it_holds(tmp_path: Path) -> None:
    (tmp_path / "qrels").mkdir()
    put(tmp_path, "queries.jsonl", '{"_id": "q1", "text": "red"}\n')
    with pytest.raises(InputError, match=r"no corpus.jsonl in this folder .*\n.*qrels queries.jsonl"):
        documents(tmp_path, ["d1"])


def test_columns_that_a_later_object_lacks_are_empty_there(tmp_path: Path) -> None:
    path = put(tmp_path, "queries.jsonl", '{"nr": 1, "words": "red", "traffic": 3}\n{"nr": 2}\n')
    table = queries(path, columns={"query": "nr", "text": "words"})
    assert table == QueryTable({"1": "red", "2": ""}, {"traffic": (3, None)})


def test_marks_and_blank_lines_do_no_harm(tmp_path: Path) -> None:
    mark = b"\xef\xbb\xbf"
    assert queries(put(tmp_path, "a.jsonl", mark + lined(ROWS).replace(b"\n", b"\n\n"))) == TABLE
    assert queries(put(tmp_path, "a.csv", mark + b"\n,,,\n" + separated(ROWS, ",") + b"\n,,,\n")) == TABLE
    assert queries(put(tmp_path, "a.txt", mark + TOPICS.encode())).texts["302"] == "Poliomyelitis"


@pytest.mark.parametrize("form", ["parquet", "arrow"])
def test_a_table_without_rows_is_refused(form: str, tmp_path: Path) -> None:
    empty = pl.DataFrame({"qid": [], "text": []}, schema={"qid": pl.String, "text": pl.String})
    path = tmp_path / "empty"
    empty.write_parquet(path) if form == "parquet" else empty.write_ipc(path)
    with pytest.raises(InputError, match=r"empty: it is empty .*empty-input"):
        queries(path)


def test_columns_of_one_name_in_a_frame_are_refused() -> None:
    frame = pd.DataFrame([["q1", "red", "blue"]], columns=["qid", "text", "text"])
    with pytest.raises(InputError, match=r"the queries: this DataFrame cannot be read as a frame .*input-type"):
        queries(frame)
