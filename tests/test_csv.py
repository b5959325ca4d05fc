"""Text tables: every way to write one gives the same rows, and what is no table is refused with its line."""

import csv
import io
import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

import rankworth as rw
from rankworth.errors import InputError
from rankworth.io import delimited as csv_reader
from rankworth.io.facts import Observed
from rankworth.io.files import file_batches
from rankworth.io.layout import QRELS, RUN, Layout
from rankworth.io.options import Reading
from rankworth.io.source import Source
from rankworth.model import Run

Rows = list[tuple[Any, ...]]
ROWS: Rows = [("q1", "d1", 2.5), ("q1", "d 2", -1.0), ("007", "7", 1e-3)]
several = settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.too_slow])


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Work in an empty folder, so that messages name files without one."""
    monkeypatch.chdir(tmp_path)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Give a folder for files that examples of Hypothesis may overwrite."""
    return tmp_path_factory.mktemp("tables")


def rows_in(path: Path, layout: Layout = RUN, form: str = "csv", **columns: str) -> Rows:
    """What the room hands out."""
    frames = file_batches([Source(path)], layout, Reading(form, columns), Observed())
    return [row for frame in frames for row in frame.rows()]


def read(content: str | bytes, layout: Layout = RUN, form: str = "csv", **columns: str) -> Rows:
    """The rows of a file with this content."""
    Path("a.csv").write_bytes(content if isinstance(content, bytes) else content.encode())
    return rows_in(Path("a.csv"), layout, form, **columns)


def refused(content: str | bytes, layout: Layout = RUN, form: str = "csv", **columns: str) -> str:
    """The message that a file with this content gives."""
    with pytest.raises(InputError) as caught:
        read(content, layout, form, **columns)
    assert caught.value.slug in str(caught.value)
    return caught.value.typed


# Tables with a header

PLAIN = "query,document,score\nq1,d1,2.5\nq1,d 2,-1\n007,7,0.001\n"
SHAPES: dict[str, str | bytes] = {
    "plain": PLAIN,
    "semicolons": PLAIN.replace(",", ";"),
    "vertical bars": PLAIN.replace(",", "|"),
    "tabs": PLAIN.replace(",", "\t"),
    "no newline at the end": PLAIN[:-1],
    "CR LF": PLAIN.replace("\n", "\r\n"),
    "CR LF in some lines": PLAIN.replace("\n", "\r\n", 2),
    "byte order mark": "\ufeff" + PLAIN,
    "byte order mark and quotes": '\ufeff"query",document,score\nq1,d1,2.5\nq1,d 2,-1\n007,7,0.001\n',
    "blank lines": PLAIN.replace("\n", "\n\n"),
    "blank lines, CR LF": "\r\n" + PLAIN.replace("\n", "\r\n  \r\n"),
    "blank rows of a spreadsheet": ",,\n" + PLAIN.replace("\n", "\n,,\n"),
    "comments above": "# made by hand, on 3 machines\n#\n" + PLAIN,
    "all quoted": '"query","document","score"\n"q1","d1","2.5"\n"q1","d 2","-1"\n"007","7","1e-3"\n',
    "all quoted, CR LF": '"query","document","score"\r\n"q1","d1","2.5"\r\n"q1","d 2","-1"\r\n"007","7","1e-3"\r\n',
    "some quoted": 'query,document,score\n"q1",d1,2.5\nq1,"d 2","-1"\n007,"7",0.001\n',
    "delimiters at the end": "query,document,score,\nq1,d1,2.5,\nq1,d 2,-1,\n007,7,0.001,\n",
    "blanks around names and numbers": "query, document , score\nq1,d1, 2.5\nq1,d 2,-1 \n007,7,\t0.001\n",
    "other names": "QID,docno,Prediction\nq1,d1,2.5\nq1,d 2,-1\n007,7,0.001\n",
    "other order": "score,document,query\n2.5,d1,q1\n-1,d 2,q1\n0.001,7,007\n",
    "an index without a name": ",query,document,score\n0,q1,d1,2.5\n1,q1,d 2,-1\n2,007,7,0.001\n",
    "other columns": 'a,query,b,document,score,text\n,q1,1,d1,2.5,\n2,q1,,d 2,-1,"x, ""y""\nz"\n3,007,,7,1e-3,"\n"\n',
    "a rank beside the score": "query,document,rank,score\nq1,d1,x,2.5\nq1,d 2,,-1\n007,7,1,0.001\n",
    "a semicolon in a name": 'query,document,score,"a;b;c;d"\nq1,d1,2.5,\nq1,d 2,-1,\n007,7,0.001,\n',
    "a newline in a name": 'query,document,score,"a\nb"\nq1,d1,2.5,x\nq1,d 2,-1,\n007,7,0.001,\n',
    "Latin-1 where nobody reads": "query,document,score,text\nq1,d1,2.5,é\nq1,d 2,-1,\n007,7,0.001,\n".encode(
        "latin-1"
    ),
}


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("chunk", [8 << 20, 16])
def test_a_table_of_any_shape_is_read_alike(shape: str, chunk: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(csv_reader, "CHUNK", chunk)
    assert read(SHAPES[shape], form="tsv" if shape == "tabs" else "csv") == ROWS


@pytest.mark.parametrize(
    "cell",
    ["007", "1.0", "1e3", "new york", "nan", "null", "NA", "true", "#1", "é", "字", "\u00a0", '5" tv', "it's", "\\N"],
)
def test_an_id_stays_the_text_that_stands_there(cell: str) -> None:
    assert read(f"query,document,score\n{cell},d,1\nq,{cell},2\n") == [(cell, "d", 1.0), ("q", cell, 2.0)]


@pytest.mark.parametrize(
    ("cell", "text"),
    [
        ('"a,b"', "a,b"),
        ('"a""b"', 'a"b'),
        ('""""', '"'),
        ('"a\nb"', "a\nb"),
        ('"a\r\nb"', "a\r\nb"),
        ('" a "', " a "),
        ('"\n"', "\n"),
        ('"a\n\nb,"","""', 'a\n\nb,","'),
    ],
)
def test_quotes_keep_what_they_hold(cell: str, text: str) -> None:
    assert read(f"query,document,score\n{cell},d,1\nq,{cell},2\n") == [(text, "d", 1.0), ("q", text, 2.0)]


@pytest.mark.parametrize(
    ("cell", "number"),
    [
        *[("3", 3.0), ("3.0", 3.0), ("-0.5", -0.5), ("+2", 2.0), (".5", 0.5), ("5.", 5.0), ("1e-3", 0.001)],
        *[("1E3", 1000.0), ('"3"', 3.0), ('" 3 "', 3.0), ("inf", math.inf), ("-Infinity", -math.inf)],
        ("0.1234567890123456789", 0.1234567890123456789),
    ],
)
def test_numbers_may_be_written_in_all_ways(cell: str, number: float) -> None:
    assert read(f"query,document,score\nq,d,{cell}\n") == [("q", "d", number)]


def test_ranks_stand_in_for_scores() -> None:
    assert read("query,document,rank\nq,d,1\nq,e,2.0\n") == [("q", "d", -1.0), ("q", "e", -2.0)]


def test_judgements_have_grades_and_may_have_subtopics() -> None:
    assert read("query,document,grade\nq,d,2\n", QRELS) == [("q", "d", 2.0)]
    table = 'query,subtopic,document,grade\nq,01,d,2\nq,,e,0\n"q","",f,1\n'
    assert read(table, QRELS) == [("q", "d", 2.0, "01"), ("q", "e", 0.0, None), ("q", "f", 1.0, None)]


def test_judgements_without_any_other_column_are_all_one() -> None:
    assert read("query,document\nq,d\nq,e\n", QRELS) == [("q", "d", 1.0), ("q", "e", 1.0)]


def test_beirs_judgements_call_grades_scores() -> None:
    assert read("query-id\tcorpus-id\tscore\nq\td\t2\n", QRELS, "tsv") == [("q", "d", 2.0)]


# Columns, by name and by number


def test_columns_may_be_named() -> None:
    named = {"query": "term", "document": "sku", "grade": "stars"}
    assert read("id,term,sku,stars\n1,q,d,3\n", QRELS, **named) == [("q", "d", 3.0)]


def test_a_named_column_goes_before_the_usual_ones() -> None:
    table = "query,document,score,bm25,qid\nq,d,1,2,r\n"
    assert read(table, score="bm25", query="qid") == [("r", "d", 2.0)]
    assert read(table.replace("qid", "rank"), rank="score") != []


@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|"])
def test_columns_of_a_file_without_a_header_may_be_counted(delimiter: str) -> None:
    content = "x,d,q,1\nx,e,q,2\n".replace(",", delimiter)
    form = "tsv" if delimiter == "\t" else "csv"
    assert read(content, form=form, query="3", document="2", score="4") == [("q", "d", 1.0), ("q", "e", 2.0)]
    assert read(content, form=form, query="3", document="2", rank="4") == [("q", "d", -1.0), ("q", "e", -2.0)]
    assert read(content, QRELS, form, query="3", document="2", grade="4") == [("q", "d", 1.0), ("q", "e", 2.0)]


COLUMNS = {
    "term,sku,points\nq,d,1\n": (
        "a.csv:1: there is no query column, no document column and no score or rank column; "
        "the columns are term sku points   [frame-columns]\n"
        "  say which it is: --columns query=NAME document=sku score=NAME"
    ),
    "query;text\nq;d\n": (
        "a.csv:1: there is no document column; the columns are query text   [frame-columns]\n"
        "  say which it is: --columns document=NAME\n"
        "  if text holds passages, name the texts in which they stand: --sources FOLDER"
    ),
    "query,document,value\nq,d,1\n": (
        "a.csv:1: there is no score or rank column; the columns are query document value   [frame-columns]\n"
        "  if its rows are in rank order: --order given, or --columns score=\n"
        "  otherwise say which it is: --columns score=NAME"
    ),
    "\n# c\nquery,document,docid,score\nq,d,d,1\n": (
        "a.csv:3: document docid could all be the document column; the columns are query document docid score   "
        "[frame-columns]\n  keep one of them, or say which it is: "
        "--columns document=document"
    ),
    "q,d,1\n": (
        "a.csv:1: this is no header line, so the columns are not known: q d 1   [frame-columns]\n"
        "  add a header line, or give columns by number: --run-format csv --run-columns query=1 document=2 score=3"
    ),
}


@pytest.mark.parametrize("content", COLUMNS)
def test_columns_that_are_missing_are_named_with_what_was_found(content: str) -> None:
    assert refused(content) == COLUMNS[content]


def test_a_column_that_is_called_as_lists_are_is_none_of_ids() -> None:
    assert refused("query,hits,score\nq1,10,2.5\n") == (
        "a.csv:1: there is no document column; the columns are query hits score   [frame-columns]\n"
        "  hits holds no lists; say which it is: --columns document=NAME"
    )


def test_a_column_that_is_asked_for_is_not_replaced_by_another() -> None:
    assert refused("query,document,score\nq,d,1\n", score="bm25") == (
        "a.csv:1: there is no column bm25; the columns are query document score   [frame-columns]\n"
        "  say which it is: --columns score=NAME"
    )
    assert "did you mean --columns score=bm25?" in refused("query,document,bm25\nq,d,1\n", score="bm-25")
    assert "there is no column 4; the columns are 1 2 3" in refused("q,d,1\n", query="1", document="2", score="4")


def test_a_column_that_is_asked_for_is_there_once() -> None:
    assert "2 columns are called x; the columns are query document x x" in refused(
        "query,document,x,x\nq,d,1,2\n", score="x"
    )


def test_columns_below_a_header_may_be_counted() -> None:
    assert read("term,sku,bm25\nq,d,1\n", query="1", document="2", score="3") == [("q", "d", 1.0)]


def test_judgements_of_unknown_grades_are_not_all_one() -> None:
    assert refused("query,document,relevancy\nq,d,0\n", QRELS) == (
        "a.csv:1: there is no grade column; the columns are query document relevancy   [frame-columns]\n"
        "  did you mean --columns grade=relevancy?"
    )
    remedy = "this looks like a run; the judgements come first, the run comes second"
    assert remedy in refused("query,document,score\nq,d,1\n", QRELS)


# What is wrong in records

GOOD = "query,document,score\nq1,d1,1\n"
SHORT = "drop or fill such lines"
QUOTES = 'quotes that belong to a text are doubled, within quotes: "5"" nails"'
COMMA = "put cells in quotes that hold a comma"
NUMBER = "a score is a number such as 2, 12.5 or 1e-3, with a decimal point; remove a header line"
DECIMAL = NUMBER.replace("remove a header line", "write 9.5, and not 9,5")
RECORDS = {
    "q,d": ("the header has 3 cells, this one has 2: q d   [run-columns]", SHORT),
    "q,d,1,2": ("the header has 3 cells, this one has 4: q d 1 2   [run-columns]", COMMA),
    "q,d,0,5": ("the header has 3 cells, this one has 4: q d 0 5   [run-columns]", COMMA),
    "q,d,1,2,3": ("the header has 3 cells, this one has 5: q d 1 2 3   [run-columns]", COMMA),
    ",d,1": ("there is no query   [missing-value]", SHORT),
    "q,,1": ("there is no document   [missing-value]", SHORT),
    'q,"",1': ("there is no document   [missing-value]", SHORT),
    'q,"  ",1': ("there is no document   [missing-value]", SHORT),
    "q,d,": ("there is no score   [missing-value]", SHORT),
    'q,d,""': ("there is no score   [missing-value]", SHORT),
    "q,d,n/a": ("the score is 'n/a', not a number   [bad-score]", NUMBER),
    "q,d,1_000": ("the score is '1_000', not a number   [bad-score]", NUMBER),
    "q,d,0x1": ("the score is '0x1', not a number   [bad-score]", NUMBER),
    "q,d,１": ("the score is '１', not a number   [bad-score]", NUMBER),
    "q,d,True": ("the score is 'True', not a number   [bad-score]", NUMBER),
    'q,d,"1,5"': ("the score is '1,5', not a number   [bad-score]", DECIMAL),
    "q,d,NaN": (
        "the score is NaN   [bad-score]",
        "drop the lines whose score is no finite number, or fix what wrote them",
    ),
    "query,document,score": (
        "the score is 'score', not a number   [bad-score]",
        NUMBER,
    ),
    "q, d,1": (
        "there are blanks around the document ' d'   [padded-id]",
        "remove the blanks; if they belong to the id, quote it",
    ),
    "q\t,d,1": (
        "there are blanks around the query 'q\\t'   [padded-id]",
        "remove the blanks; if they belong to the id, quote it",
    ),
    "q,d\re,1": (
        "a carriage return stands within a cell: 'q,d\\re,1'   [line-ends]",
        "end all lines alike, in LF or CR LF",
    ),
    'q,"d"x,1': (
        "a quote is not closed, or there is text after the closing quote: 'q,\"d\"x,1'   [bad-quotes]",
        QUOTES,
    ),
    '"q,d,1': (
        "a quote is not closed, or there is text after the closing quote: '\"q,d,1'   [bad-quotes]",
        QUOTES,
    ),
}


@pytest.mark.parametrize("record", RECORDS)
def test_a_bad_record_is_named_with_its_line_and_what_helps(record: str) -> None:
    fact, remedy = RECORDS[record]
    assert refused(f"{GOOD}{record}\nq2,d2,2\n") == f"a.csv:3: {fact}\n  {remedy}"


def test_the_line_of_a_record_is_where_it_begins_in_the_file() -> None:
    content = 'query,document,score,text\n\nq,d,1,"a\n\nb"\nq,"e\ne",x,"c\nd"\n\nq,f,y,\n'
    assert refused(content).splitlines()[:2] == [
        "a.csv:6: the score is 'x', not a number   [bad-score]",
        "a.csv:10: the score is 'y', not a number   [bad-score]",
    ]


def test_text_that_is_not_utf8_is_named() -> None:
    assert refused((GOOD + "q,é,1\n").encode("latin-1")) == (
        "a.csv:3: the document is '\\xe9', not UTF-8   [wrong-encoding]\n"
        "  if the text is Windows-1252 or Latin-1: iconv -f WINDOWS-1252 -t UTF-8 a.csv > utf8.txt"
    )


def test_grades_and_ranks_are_finite() -> None:
    assert refused("query,document,grade\nq,d,inf\nq,e,1e999\nq,f,NaN\n", QRELS).splitlines()[:3] == [
        "a.csv:2: the grade is inf   [bad-grade]",
        "a.csv:3: the grade is 1e999   [bad-grade]",
        "a.csv:4: the grade is NaN   [bad-grade]",
    ]
    assert refused("query,document,rank\nq,d,inf\n").startswith("a.csv:2: the rank is inf   [bad-score]")


def test_a_decimal_comma_between_semicolons_is_not_a_column_more() -> None:
    assert refused("query;document;grade\nq;d;0,5\n", QRELS) == (
        f"a.csv:2: the grade is '0,5', not a number   [bad-grade]\n  {DECIMAL.replace('score', 'grade')}"
    )


@pytest.mark.parametrize("chunk", [8 << 20, 40])
def test_ten_problems_are_shown_and_the_others_counted(chunk: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(csv_reader, "CHUNK", chunk)
    lines = refused(GOOD + "".join(f"q,d{number},x\nq,,2\n" for number in range(10))).splitlines()
    assert lines[:2] == [
        "a.csv:3: the score is 'x', not a number   [bad-score]",
        "a.csv:4: there is no document   [missing-value]",
    ]
    assert lines[9:] == [
        "a.csv:12: there is no document   [missing-value]",
        "... and 10 more",
        f"  {NUMBER}",
        f"  {SHORT}",
    ]


def test_a_file_without_any_record_is_not_read_to_its_end(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(csv_reader, "CHUNK", 256)
    message = refused("query,document,score\n" + "no table\n" * 1000)
    assert "  reading stopped: none of the first 4 lines is a run line" in message


@pytest.mark.parametrize("content", ["", "\n\n# c\n", "query,document,score\n\n"])
def test_a_file_without_rows_is_refused(content: str) -> None:
    assert refused(content) == "a.csv: there is no run line in it   [empty-input]"


EXPORT = "export or extract its table as text, or leave the format out to have it detected from the content"
OTHER_FILES: dict[str, tuple[bytes, str, str]] = {
    "UTF-16": (
        GOOD.encode("utf-16"),
        "a.csv: the text is UTF-16, not UTF-8   [wrong-encoding]",
        "iconv -f UTF-16 -t UTF-8 a.csv > utf8.txt",
    ),
    "UTF-16 without a mark": (
        GOOD.encode("utf-16-le"),
        "a.csv:1: a null byte; this is not a text file   [binary-file]",
        EXPORT,
    ),
    "a workbook": (
        b"PK\x03\x04\x14\x00",
        "a.csv:1: a null byte; this is not a text file   [binary-file]",
        EXPORT,
    ),
    "CR alone": (
        GOOD.replace("\n", "\r").encode(),
        "a.csv: its lines end in CR alone, not in LF   [line-ends]",
        "tr '\\r' '\\n' < a.csv > lines.txt",
    ),
    "a null byte": (
        GOOD.encode() + b"q,\0,1",
        "a.csv:3: a null byte; this is not a text file   [binary-file]",
        EXPORT,
    ),
}


@pytest.mark.parametrize("kind", OTHER_FILES)
def test_what_is_no_table_is_refused(kind: str) -> None:
    content, fact, remedy = OTHER_FILES[kind]
    assert refused(content) == fact + f"\n  {remedy}" * bool(remedy)


def test_a_null_byte_far_from_the_beginning_is_found() -> None:
    content = GOOD.encode() + b"q2,d2,2\n" * 200_000 + b"q,\0,1\n"
    assert refused(content).startswith("a.csv:200003: a null byte; this is not a text file   [binary-file]\n")


def test_a_quote_that_is_never_closed_does_not_fill_the_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(csv_reader, "CHUNK", 1 << 14)
    monkeypatch.setattr(csv_reader, "LONGEST", 1 << 20)
    assert refused(GOOD + 'q2,"d2,2\n' + "q3,d3,3\n" * 200_000) == (
        "a.csv:3: this record does not end within 1 MB   [endless-line]\n"
        "  end each record with a line break, and close all quotes; if the file is something else, say its format"
    )


# Without a header


def test_ms_marcos_runs_have_ranks() -> None:
    assert read("q 1\td\t1\nq 1\te\t2\n", form="msmarco") == [("q 1", "d", -1.0), ("q 1", "e", -2.0)]


def test_ms_marcos_judgements_have_three_or_four_columns() -> None:
    assert read("q\t0\td\t1\nq\t0\te\t2\n", QRELS, "msmarco") == [("q", "d", 1.0, "0"), ("q", "e", 2.0, "0")]
    assert read("q\td\t1\n", QRELS, "msmarco") == [("q", "d", 1.0)]
    assert read("q\td\t1\n", QRELS, "tsv") == [("q", "d", 1.0)]


@pytest.mark.parametrize("value", ["1.5", "-2", "1e-3", "inf"])
def test_a_third_column_that_cannot_be_a_rank_is_a_score(value: str) -> None:
    assert read(f"q\td\t3\nq\te\t{value}\n", form="tsv") == [("q", "d", 3.0), ("q", "e", float(value))]


@pytest.mark.parametrize("chunk", [8 << 20, 16])
def test_a_third_column_of_whole_numbers_is_not_guessed(chunk: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(csv_reader, "CHUNK", chunk)
    whole = "".join(f"q\td{number}\t{number}\n" for number in range(1, 50))
    assert refused(whole + "q\te\t50.0\n", form="tsv") == (
        "a.csv: all numbers of the third column are whole; they may be ranks or scores   [rank-or-score]\n"
        "  ranks:  --run-format msmarco\n"
        "  scores: --run-format tsv --columns query=1 document=2 score=3"
    )
    assert read(whole + "q\te\t50.5\n", form="tsv")[-2:] == [("q", "d49", 49.0), ("q", "e", 50.5)]


def test_nobody_has_to_name_the_format_to_be_asked() -> None:
    Path("a.tsv").write_text("q\td\t12\nq\te\t9\n", encoding="utf-8")
    with pytest.raises(InputError, match="all numbers of the third column are whole"):
        rw.evaluate({"q": {"d": 1}}, "a.tsv", ["RR"])
    Path("a.tsv").write_text("q\td\t12\nq\te\t9.5\n", encoding="utf-8")
    assert rw.evaluate({"q": {"e": 1}}, "a.tsv", ["RR"])["RR"] == 0.5


def test_both_ways_out_of_whole_numbers_work() -> None:
    Path("a.tsv").write_text("q\td\t1\nq\te\t2\n", encoding="utf-8")
    best = [
        Run("a.tsv", format="msmarco"),
        Run("a.tsv", format="tsv", columns={"query": "1", "document": "2", "score": "3"}),
    ]
    assert [rw.evaluate({"q": {"d": 1}}, run, ["RR"])["RR"] for run in best] == [1.0, 0.5]


def test_a_bad_first_record_is_no_header_and_no_comment() -> None:
    assert read("#1\td\t0.5\n#2\te\t0.25\n", form="tsv") == [("#1", "d", 0.5), ("#2", "e", 0.25)]
    assert refused("q\td\te\t1\n", form="msmarco").startswith(
        "a.csv:1: this is no header line, so the columns are not known: q d e 1   [frame-columns]\n"
    )
    assert refused("q\td\t1\nq\te\n", form="msmarco").startswith("a.csv:2: the first line has 3 cells, this one has 2")
    assert refused("qid\tpid\trank\n", form="msmarco") == (
        "a.csv:1: this is a header; MS MARCO's files have none   [frame-columns]\n"
        "  leave the format out, or say --run-format tsv"
    )


def test_files_that_were_joined_may_have_marks_within() -> None:
    assert read("\ufeffq\td\t0.5\n\ufeffq\te\t1\n", form="tsv") == [("q", "d", 0.5), ("q", "e", 1.0)]
    assert read('\ufeffq\td\t.5\n\ufeff"q"\te\t1\n', form="tsv") == [("q", "d", 0.5), ("q", "e", 1.0)]


@pytest.mark.parametrize("mark", ["\ufeff", "\ufeff\ufeff"])
def test_a_second_mark_is_part_of_the_first_id(mark: str, tmp_path: Path) -> None:
    id_of_it = mark.removeprefix("\ufeff") + "q"
    assert read(f"{mark}q\td\t0.5\nq\te\t1\n", form="tsv") == [(id_of_it, "d", 0.5), ("q", "e", 1.0)]
    assert read(f"{mark}query,document,score\nq,d,0.5\n", form="csv") == [("q", "d", 0.5)]
    for name, line in (("a.run", "q Q0 d 1 0.5 x"), ("qrels.txt", "q 0 d 1"), ("b.run", "q\tQ0\td\t1\t0.5\tx")):
        (tmp_path / name).write_text(f"{mark}{line}\n", encoding="utf-8")
        kind = rw.Qrels if name == "qrels.txt" else rw.Run
        assert [*kind(tmp_path / name).to_frame()["query"]] == [id_of_it]


# Quepid

SNAPSHOT = (
    "Snapshot Name,Snapshot Time,Case ID,Query Text,Doc ID,Doc Position,title\r\n"
    '(3/5/26) Weekly,2026-03-05T12:00:00Z,8,star wars,11,1,"Star Wars, again"\r\n'
    "(3/5/26) Weekly,2026-03-05T12:00:00Z,8,star wars,12,2,\r\n"
    "(3/5/26) Weekly,2026-03-05T12:00:00Z,8, -force,12,1,\r\n"
)
DETAILED = (
    "Team Name,Case Name,Case ID,Query Text,Doc ID,Doc Position,Title,Rating,overview\r\n"
    'OSC,Movies,8,star wars,11,1,Star Wars,3,"A ""saga"", long"\r\n'
    "OSC,Movies,8,star wars,12,2,Empire,,\r\n"
    'OSC,Movies,8," -force, dark",12,1,Empire,0,\r\n'
    "OSC,Movies,8,nothing found\r\n"
    "OSC,Movies,8,nobody judged,,,,,\r\n"
)


def test_quepids_snapshots_are_runs() -> None:
    expected = [("star wars", "11", -1.0), ("star wars", "12", -2.0), ("-force", "12", -1.0)]
    assert read(SNAPSHOT) == expected
    assert "there is no grade column" in refused(SNAPSHOT, QRELS)


def test_quepids_detailed_export_is_a_run_and_judgements() -> None:
    assert read(DETAILED) == [("star wars", "11", -1.0), ("star wars", "12", -2.0), ("-force, dark", "12", -1.0)]
    assert read(DETAILED, QRELS) == [("star wars", "11", 3.0), ("-force, dark", "12", 0.0)]


@pytest.mark.parametrize("name", ["docid", "doc_id"])
def test_quepids_basic_export_holds_judgements(name: str) -> None:
    assert read(f"query,{name},rating\nstar wars,11,3\n", QRELS) == [("star wars", "11", 3.0)]
    unrated = f"query,{name},rating\nstar wars,11,3\nstar wars,12,\nalien\nsolaris,,\n"
    assert read(unrated, QRELS) == [("star wars", "11", 3.0)]


def test_other_judgements_have_grades() -> None:
    assert refused("query,docno,rating\nstar wars,11,3\nalien\n", QRELS) == (
        "a.csv:3: the header has 3 cells, this one has 1: alien   [qrels-columns]\n  drop or fill such lines"
    )


def test_a_book_of_several_judges_is_not_all_one() -> None:
    assert "the columns are query docid Ann Bob" in refused("query,docid,Ann,Bob\nq,d,0,1\n", QRELS)


# Laws

IDS = st.text(st.sampled_from("ab1 ,;\t\"\n'#é字"), min_size=1, max_size=6).filter(lambda text: text.strip(" \t"))
NUMBERS = st.floats(allow_nan=False)


def written(rows: Rows, **how: Any) -> bytes:
    """A table as Python writes it."""
    text = io.StringIO(newline="")
    csv.writer(text, **how).writerows(rows)
    return text.getvalue().encode()


@several
@given(
    rows=st.lists(st.tuples(IDS, st.text(max_size=4).filter(lambda text: "\0" not in text), IDS, NUMBERS), min_size=1),
    delimiter=st.sampled_from(",;\t|"),
    quoting=st.sampled_from([csv.QUOTE_ALL, csv.QUOTE_MINIMAL, csv.QUOTE_NONNUMERIC]),
    newline=st.sampled_from(["\n", "\r\n"]),
    chunk=st.sampled_from([16, 100, 8 << 20]),
)
def test_what_another_program_writes_is_read_back(
    folder: Path, rows: Rows, delimiter: str, quoting: Any, newline: str, chunk: int
) -> None:
    how: dict[str, Any] = {"delimiter": delimiter, "lineterminator": newline}
    header = written([("query", "text", "document", "score")], **how)
    # Blanks around an id need quotes, which Python gives to none.
    blanks = any(cell != cell.strip(" \t") for query, _, document, _ in rows for cell in (query, document))
    path = folder / "table.csv"
    path.write_bytes(header + written(rows, quoting=csv.QUOTE_ALL if blanks else quoting, **how))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(csv_reader, "CHUNK", chunk)
        found = rows_in(path, form="tsv" if delimiter == "\t" else "csv")
    assert found == [(query, document, score) for query, _, document, score in rows]


PIECES = [
    *[
        "q,d,1\n",
        '"q 1","a,b",2.5\r\n',
        '"a\nb","c""d","3"\n',
        '5" tv,d,1\n',
        'x,q,"a,"b",c",1\n',
        'x,"q","a"b,1\n',
        "x,q,d,9\n",
        "q,d,1,\n",
        "q,d,\n",
        "\n\n",
    ],
    *["a", "1", '"', '""', ",", "\n", "\r", "\r\n", " ", "\t", "é", "\ufeff", '"a"', "nan", ",,\n", ",1\n", ";"],
]
HEADERS = [
    "query,document,score\n",
    "query,document,rank,text\n",
    "x,query,document,score\r\n",
    "Query Text,Doc ID,rank\n",
]


@settings(several, max_examples=400)
@given(header=st.sampled_from(HEADERS), pieces=st.lists(st.sampled_from(PIECES), min_size=1, max_size=12))
@example(header="query,document,rank,text\n", pieces=["q,d,1\n", ",,\n", "q,d,1,\n"])
@example(header="query,document,rank,text\n", pieces=[",", ",", ",", "a"])
@example(header="query,document,score\n", pieces=['",1\n', '1"', "x,q,d,9\n"])
@example(header="x,query,document,score\r\n", pieces=["a", "\n", "x,q,d,9\n"])
@example(
    header="x,query,document,score\r\n",
    pieces=["x,q,d,9\n", '"b,q,d0,1\n', 'q, "a",d1,"0.5"\n', "x,q,d2,1\n", 'b",q,d3,1\n'],
)
@example(header="x,query,document,score\r\n", pieces=['"a,"b",c",q,d,1\n', "x,q,d,9\n"])
@example(header="x,query,document,score\r\n", pieces=['"a"b,q,d,1\n', 'x,"q",d,9\n'])
def test_reading_at_once_and_record_by_record_say_the_same(folder: Path, header: str, pieces: list[str]) -> None:
    path = folder / "odd.csv"
    path.write_bytes((header + "".join(pieces)).encode())

    def outcome(parsed: Callable[..., Any] | None = None, chunk: int = 8 << 20) -> object:
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(csv_reader, "CHUNK", chunk)
            if parsed:
                patch.setattr(csv_reader.TableRecords, "parse", parsed)
            try:
                return rows_in(path)
            except InputError as error:
                return str(error)

    expected, in_chunks = outcome(lambda *_: None), outcome(chunk=16)
    assert outcome() == expected
    if "reading stopped" in str(in_chunks):
        assert str(expected).splitlines()[0] == str(in_chunks).splitlines()[0]
    else:
        assert in_chunks == expected


def test_batches_are_small_and_progress_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(csv_reader, "CHUNK", 1 << 16)
    content = "query,document,score\n" + "".join(f"q{row},d{row},{row}.5\n" for row in range(50_000))
    Path("a.csv").write_text(content, encoding="utf-8")
    told: list[tuple[str, int, int | None]] = []
    source = Source("a.csv")
    source.progress = lambda *news: told.append(news)
    frames = list(csv_reader.batches(source, RUN, Reading("csv"), Observed()))
    assert sum(frame.height for frame in frames) == 50_000
    assert max(frame.height for frame in frames) < 5_000
    assert told[-1] == ("a.csv", len(content), len(content))
    assert [place for _, place, _ in told] == sorted(place for _, place, _ in told)
