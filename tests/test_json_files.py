"""JSON in all shapes: lines, dicts of dicts, lists, _rank_eval; the right rows, or what is wrong and where."""

import gzip
import json
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import polars as pl
import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

import rankworth as rw
from rankworth.errors import InputError
from rankworth.io import jsonl
from rankworth.io.facts import Observed
from rankworth.io.files import file_batches
from rankworth.io.layout import QRELS, RUN, Layout
from rankworth.io.options import Reading
from rankworth.io.source import Source

Rows = list[tuple[Any, ...]]

several = settings(max_examples=80, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Work in an empty folder, so that messages name files without one."""
    monkeypatch.chdir(tmp_path)


def frames(content: str | bytes, layout: Layout = RUN, **reading: Any) -> Iterator[pl.DataFrame]:
    """The batches of a file with this content."""
    Path("a.json").write_bytes(content if isinstance(content, bytes) else content.encode())
    return file_batches((Source("a.json"),), layout, Reading(**reading), Observed())


def rows(content: str | bytes, layout: Layout = RUN, **reading: Any) -> Rows:
    """All rows of a file with this content, after a look at its columns."""
    frame = pl.concat(frames(content, layout, **reading))
    told = ["subtopic"] * ("subtopic" in frame.columns)
    assert dict(frame.schema) == {
        name: pl.Float64() if name == layout.value else pl.String()
        for name in ("query", *told, "document", layout.value)
    }
    return frame.rows()


def refused(content: str | bytes, layout: Layout = RUN, **reading: Any) -> InputError:
    with pytest.raises(InputError) as caught:
        rows(content, layout, **reading)
    return caught.value


def said(error: InputError) -> tuple[str, str]:
    """The problem with its slug, and the remedy."""
    problem, _, remedy = error.typed.partition("\n  ")
    return problem, remedy


def lines(*objects: object) -> str:
    return "".join(json.dumps(each) + "\n" for each in objects)


# Lines: shapes

PLAIN: Final = '{"query_id":"q1","doc_id":"d1","score":1.5}\n{"query_id":"q1","doc_id":"d2","score":-2}\n'
IN_ORDER: Final = [("q1", "d2", -1.0), ("q1", "d1", -2.0), ("q2", "d1", -1.0)]
SCORED: Final = [("q1", "d2", 0.5), ("q1", "d1", 2.0), ("q2", "d1", 7.0)]

RUN_LINES: dict[str, tuple[str, Rows]] = {
    "rows": (PLAIN, [("q1", "d1", 1.5), ("q1", "d2", -2.0)]),
    "rows with blanks": (PLAIN.replace(",", " , ").replace(":", " : "), [("q1", "d1", 1.5), ("q1", "d2", -2.0)]),
    "rows with more": (
        lines(
            {"qid": "q:1", "text": 'a "score": 3', "docno": "http://a/b", "score": 1, "tags": {"score": [1]}},
            {"docno": "d\\1", "qid": 'q"2', "score": 2e3, "tags": None},
        ),
        [("q:1", "http://a/b", 1.0), ('q"2', "d\\1", 2000.0)],
    ),
    "ranks": (
        lines({"topic": 7, "pid": 1, "rank": 3}, {"topic": 7, "pid": "2", "rank": 1}),
        [("7", "1", -3.0), ("7", "2", -1.0)],
    ),
    "ids that look like numbers": (
        lines(
            {"qid": "007", "docid": "1.0", "score": 1},
            {"qid": 7, "docid": 18446744073709551615, "score": True},
            {"qid": -7, "docid": "1e2", "score": 0},
        ),
        [("007", "1.0", 1.0), ("7", "18446744073709551615", 1.0), ("-7", "1e2", 0.0)],
    ),
    "lists of ids": (
        lines({"qid": "q1", "docs": ["d2", "d1"]}, {"qid": "q0", "docs": []}, {"qid": "q2", "docs": ["d1"]}),
        IN_ORDER,
    ),
    "lists of ids of both kinds": (lines({"qid": 1, "doc_ids": ["d2", 5]}), [("1", "d2", -1.0), ("1", "5", -2.0)]),
    "lists of records": (
        lines(
            {"query": "q1", "results": [{"id": "d2", "score": 0.5, "text": "a"}, {"score": 2, "id": "d1"}]},
            {"query": "q2", "results": [{"id": "d1", "score": 7}]},
        ),
        SCORED,
    ),
    "lists of records with ranks": (
        lines({"query": "q1", "hits": [{"_id": "d2", "rank": 2}, {"_id": "d1", "rank": 1}]}),
        [("q1", "d2", -2.0), ("q1", "d1", -1.0)],
    ),
    "lists of records without numbers": (
        lines({"query": "q1", "results": [{"doc_id": "d2", "id": 1}, {"doc_id": "d1", "id": 2}]})
        .replace('"id": 1', '"id": "x"')
        .replace('"id": 2', '"id": "y"'),
        IN_ORDER[:2],
    ),
    "dicts": (
        lines({"query": "q1", "documents": {"d2": 0.5, "d1": 2}}, {"query": "q2", "documents": {"d1": 7}}),
        SCORED,
    ),
    "parallel lists": (
        lines(
            {"query_id": "q1", "doc_ids": ["d2", "d1"], "scores": [0.5, 2]},
            {"query_id": "q2", "doc_ids": ["d1"], "scores": [7]},
        ),
        SCORED,
    ),
    "a query in two lists with scores": (
        lines({"query": "q1", "docs": {"d2": 0.5}}, {"query": "q1", "docs": {"d1": 2}}),
        SCORED[:2],
    ),
    "infinite scores as Python writes them": (
        '{"qid": "q1", "docno": "d1", "score": Infinity}\n{"qid": "q1", "docno": "d2", "score": -Infinity}\n',
        [("q1", "d1", float("inf")), ("q1", "d2", float("-inf"))],
    ),
}


@pytest.mark.parametrize("shape", RUN_LINES)
def test_a_run_may_be_lines_of_any_of_these_shapes(shape: str) -> None:
    content, expected = RUN_LINES[shape]
    assert rows(content) == expected


QRELS_LINES: dict[str, tuple[str, Rows]] = {
    "rows": (
        lines({"query_id": "q1", "doc_id": "d1", "relevance": 2}, {"query_id": "q1", "doc_id": 2, "relevance": -1}),
        [("q1", "d1", 2.0), ("q1", "2", -1.0)],
    ),
    "rows of BEIR": (lines({"query-id": "q1", "corpus-id": "d1", "score": 2}), [("q1", "d1", 2.0)]),
    "rows without grades": (lines({"query_id": "q1", "doc_id": "d1", "comment": "good"}), [("q1", "d1", 1.0)]),
    "rows with subtopics": (
        lines(
            {"topic": "q1", "subtopic": 1, "docno": "d1", "rel": 1},
            {"topic": "q1", "subtopic": "2", "docno": "d1", "rel": 0},
        ),
        [("q1", "1", "d1", 1.0), ("q1", "2", "d1", 0.0)],
    ),
    "lists of ids": (lines({"qid": "q1", "docs": ["d2", "d1"]}), [("q1", "d2", 1.0), ("q1", "d1", 1.0)]),
    "lists of ids with one grade": (
        lines({"qid": "q1", "docs": ["d2", "d1"], "grade": 2}, {"qid": "q1", "docs": ["d3"], "grade": 0}),
        [("q1", "d2", 2.0), ("q1", "d1", 2.0), ("q1", "d3", 0.0)],
    ),
    "parallel lists": (
        lines({"qid": "q1", "docs": ["d2", "d1"], "ratings": [3, 0]}),
        [("q1", "d2", 3.0), ("q1", "d1", 0.0)],
    ),
    "lists of records": (
        lines({"qid": "q1", "subtopic": "a", "docs": [{"id": "d2", "grade": 3}, {"id": "d1", "grade": 0}]}),
        [("q1", "a", "d2", 3.0), ("q1", "a", "d1", 0.0)],
    ),
    "lists of records with subtopics": (
        lines({"qid": "q1", "docs": [{"id": "d2", "grade": 3, "subtopic": 5}]}),
        [("q1", "5", "d2", 3.0)],
    ),
    "dicts": (lines({"qid": "q1", "docs": {"d2": 3, "d1": 0}}), [("q1", "d2", 3.0), ("q1", "d1", 0.0)]),
}


@pytest.mark.parametrize("shape", QRELS_LINES)
def test_judgements_may_be_lines_of_any_of_these_shapes(shape: str) -> None:
    content, expected = QRELS_LINES[shape]
    assert rows(content, QRELS) == expected


@pytest.mark.parametrize(
    "text",
    [
        '{"q1": [["d1", 0.5], ["d2", 2]], "q2": [["d1", -1]], "q3": []}',
        '{"query": "q1", "documents": [["d1", 0.5], ["d2", 2]]}\n{"query": "q2", "documents": [["d1", -1]]}\n',
    ],
)
def test_documents_may_stand_in_pairs_with_their_numbers(text: str) -> None:
    assert rows(text) == [("q1", "d1", 0.5), ("q1", "d2", 2.0), ("q2", "d1", -1.0)]
    with pytest.raises(rw.InputError, match="item 2: the score is 'high', not a number"):
        rows(text.replace("2]", '"high"]'))


def test_a_user_may_say_which_key_holds_what() -> None:
    text = lines({"q": "a", "query": "what?", "d": "x", "weight": 2, "score": "high"})
    assert rows(text, columns={"query": "q", "document": "d", "score": "weight"}) == [("a", "x", 2.0)]
    text = lines({"query": "a", "found": [{"id": "x", "sim": 2}], "sim": "cosine"})
    assert rows(text, columns={"document": "found", "score": "sim"}) == [("a", "x", 2.0)]
    text = lines({"query": "a", "docs": [{"uid": "x", "sim": 2}]})
    assert rows(text, columns={"document": "uid", "score": "sim"}) == [("a", "x", 2.0)]


def test_elinor_s_sample_gives_elinor_s_numbers() -> None:
    judged = [
        ("q_1", "d_1", 2),
        ("q_1", "d_4", 1),
        ("q_1", "d_7", 0),
        ("q_2", "d_3", 2),
        ("q_2", "d_6", 1),
        ("q_2", "d_8", 0),
    ]
    predicted = [
        ("q_1", "d_1", 0.65),
        ("q_1", "d_4", 0.23),
        ("q_1", "d_7", 0.89),
        ("q_2", "d_3", 0.48),
        ("q_2", "d_6", 0.91),
        ("q_2", "d_8", 0.20),
    ]
    names = ("query_id", "doc_id", "score")
    for path, table in (("true.jsonl", judged), ("pred.jsonl", predicted)):
        Path(path).write_text(lines(*(dict(zip(names, row, strict=True)) for row in table)))
    with pytest.raises(rw.InputError, match="there is no grade key"):
        rw.Qrels("true.jsonl")
    true = rw.Qrels("true.jsonl", columns={"grade": "score"})
    values = rw.evaluate(true, "pred.jsonl", ["P@3", "AP", "RR", "nDCG@3"]).per_query.to_dict()
    assert values == {
        "q_1": {"P@3": 2 / 3, "AP": 0.5833333333333333, "RR": 0.5, "nDCG@3": 0.66967181649423},
        "q_2": {"P@3": 2 / 3, "AP": 1.0, "RR": 1.0, "nDCG@3": 0.8597186998521972},
    }


# Lines: how they are written

WRITTEN: dict[str, bytes] = {
    "plain": PLAIN.encode(),
    "no newline at the end": PLAIN.encode()[:-1],
    "CR LF": PLAIN.replace("\n", "\r\n").encode(),
    "byte order mark": b"\xef\xbb\xbf" + PLAIN.encode(),
    "byte order marks of joined files": b"\xef\xbb\xbf" + PLAIN.replace("\n", "\n\ufeff", 1).encode(),
    "empty lines": b"\n \n" + PLAIN.replace("\n", "\n\n\t\r\n").encode(),
    "blanks around": PLAIN.replace("{", "  {").replace("}", "}\t ").encode(),
    "gzip": gzip.compress(PLAIN.encode()),
    "escapes": PLAIN.replace("q1", "\\u00711").encode(),
}


@pytest.mark.parametrize("written", WRITTEN)
@pytest.mark.parametrize("chunk", [1, 50, 8 << 20])
def test_lines_may_be_written_in_these_ways(written: str, chunk: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(jsonl, "CHUNK", chunk)
    assert rows(WRITTEN[written], format="jsonl") == [("q1", "d1", 1.5), ("q1", "d2", -2.0)]


NUMBERS: Final = (
    "0.1",
    "-0.0",
    "0",
    "-0",
    "1e-400",
    "2.2250738585072011e-308",
    "4.9406564584124654e-324",
    "2.4703282292062328e-324",
    "1.7976931348623157e308",
    "9007199254740993",
    "-9007199254740993",
    "18446744073709551615",
    "18446744073709551617",
    "123456789012345678901234567890",
    "1E+2",
    "0.1000000000000000055511151231257827021181583404541015625",
    "7.2057594037927933e16",
    "179769313486231570000000000000e279",
)


@pytest.mark.parametrize("extra", ["", ', "note": "\\n"'])
def test_numbers_are_read_to_the_last_bit(extra: str) -> None:
    content = "".join(f'{{"qid": "q", "docno": "d", "score": {number}{extra}}}\n' for number in NUMBERS)
    assert [repr(score) for *_, score in rows(content)] == [
        repr(float(number) + 0) if number == "-0" else repr(float(number)) for number in NUMBERS
    ]


def test_plain_lines_are_not_read_one_by_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(jsonl._JsonReader, "line_by_line", None)
    assert rows(PLAIN) == [("q1", "d1", 1.5), ("q1", "d2", -2.0)]
    assert rows(PLAIN.replace(":", ": ").replace(",", ", ")) == [("q1", "d1", 1.5), ("q1", "d2", -2.0)]
    assert rows(PLAIN.replace('"score"', '"é:":{"doc_id ":[]},"score"').replace("d1", "x:y")) == [
        ("q1", "x:y", 1.5),
        ("q1", "d2", -2.0),
    ]


def alike(content: bytes) -> None:
    """Polars and the slow way find the same rows or the same problem."""

    def read() -> str:
        try:
            return repr(rows(content, format="jsonl"))
        except InputError as error:
            return str(error)

    found = read()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(jsonl._JsonReader, "parsed", lambda *_: None)
        assert read() == found


TEXTS = st.text(st.sampled_from('dq1:" é\\{},\n\u2028'), max_size=4)
IDS = st.one_of(
    TEXTS, TEXTS, TEXTS, st.integers(-5, 2**64 - 1), st.sampled_from([None, 1.5, True, [], ["d"], {"d": 1}])
)
VALUES = st.one_of(
    st.floats(allow_nan=False),
    st.floats(0, 9),
    st.integers(-9, 2**70),
    st.sampled_from([None, "1", "nan", "a", False, [1], float("nan")]),
)


@st.composite
def written(draw: st.DrawFn) -> bytes:
    """Write lines of objects, most of them sound, in different ways."""
    sound = draw(st.booleans())
    parts = []
    for _ in range(draw(st.integers(1, 5))):
        ids = st.text("dq1:é", max_size=3) if sound else IDS
        pairs = [("query_id", draw(ids)), ("doc_id", draw(ids)), ("score", draw(st.floats(0, 9) if sound else VALUES))]
        if not sound or draw(st.booleans()):
            pairs += draw(
                st.lists(st.tuples(st.sampled_from(["text", "rank", "score", "doc_id", "z"]), IDS), max_size=1)
            )
        if draw(st.integers(0, 9)) == 0:
            pairs.pop(draw(st.integers(0, len(pairs) - 1)))
        comma, colon = draw(
            st.sampled_from([(",", ":"), (", ", ": "), (",", " :")] if not sound else [(",", ":"), (", ", ": ")])
        )
        escaped = draw(st.booleans())
        items = [json.dumps(key) + colon + json.dumps(item, ensure_ascii=escaped) for key, item in pairs]
        parts.append("{" + comma.join(items) + "}" + draw(st.sampled_from(["\n", "\n", "\r\n", "\n\n"])))
    return "".join(parts).encode()


@several
@given(content=written())
@example(content=b'{"query_id":"a","doc_id":"b","score":1}\n{"query_id":1,"doc_id":"b","score":1}\n')
@example(content=b'{"query_id":"a","doc_id":"b","score":1}\n{"query_id":"a","query_id":"b","doc_id":"b","score":1}\n')
@example(content=b'{"query_id":"a","doc_id":"b","score":1}\n{"query_id":"a","doc_id":"b","score":1,"score":2}\n')
@example(content=b'{"query_id":"a","doc_id":"b","score":1}\n{"query_id":"a","doc_id":"b","score":"1"}\n')
@example(content=b'{"query_id":"a","doc_id":"b","score":1}\n{"query_id":"a","doc_id":"b","score":"nan"}\n')
@example(content=b'{"query_id":"a","doc_id":"b","score":1}\n{"query_id":"a","doc_id":"b","score":true}\n')
@example(content=b'{"query_id":"a","doc_id":"b","score":1}\n{"query_id":"a","doc_id":["b"],"score":1}\n')
@example(
    content=b'{"query_id":"a","doc_id":"b","score":1}\n{"query_id":"a","doc_id":1234567890123456789012,"score":1}\n'
)
@example(content=b'{"query_id":"a","doc_id":"b","score":1}\n{"query_id":"a","doc_id":"\\ud800","score":1}\n')
@example(
    content=b'{"query_id":"a","doc_id":"b","score":1}\n{"query_id" :7,"doc_id":"b","score":1,"x":{"query_id":"b"}}\n'
)
def test_the_quick_way_finds_what_the_slow_way_finds(content: bytes) -> None:
    alike(content)


@several
@given(
    content=written(),
    cut=st.integers(0, 400),
    junk=st.sampled_from([b"", b'"', b"}", b"\n", b"\xff", b"null", b",", b"\\"]),
)
def test_damage_is_found_both_ways_and_never_ends_in_a_traceback(content: bytes, cut: int, junk: bytes) -> None:
    cut %= len(content) + 1
    alike(content[:cut] + junk + content[cut + 1 :])
    alike(content[:cut])


def test_lines_are_handed_out_some_megabytes_at_a_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(jsonl, "CHUNK", 1000)
    table = [(f"q{number // 10}", f"d{number}", float(number)) for number in range(200)]
    content = lines(*({"query": query, "document": document, "score": score} for query, document, score in table))
    heights = [frame.height for frame in frames(content)]
    assert sum(heights) == 200
    assert max(heights) <= 25
    assert rows(content) == table
    long = lines({"query": "q", "docs": [f"d{number}" for number in range(500)]}, {"query": "r", "docs": ["d"]})
    assert rows(long) == [*(("q", f"d{number}", -1.0 - number) for number in range(500)), ("r", "d", -1.0)]


def test_lines_are_counted_over_chunks_of_any_size(monkeypatch: pytest.MonkeyPatch) -> None:
    content = "\n" + PLAIN * 30 + "\n" + PLAIN + '{"query_id": "q1", "doc_id": "d9", "score": null}\n' + PLAIN
    for chunk in (16, 100, 1000, 1 << 20):
        monkeypatch.setattr(jsonl, "CHUNK", chunk)
        assert str(refused(content)).startswith("a.json:65: the score is missing   [missing-value]")


@pytest.mark.parametrize("chunk", [1, 1 << 20])
@pytest.mark.parametrize("layout", [QRELS, RUN])
def test_numbers_beside_lists_are_missed_in_whichever_chunk(
    layout: Layout, chunk: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(jsonl, "CHUNK", chunk)
    content = lines({"query": "q", "docs": ["d"], layout.value: [1]}, {"query": "r", "docs": ["d", "e"]})
    assert str(refused(content, layout)).startswith(f"a.json:2 has no {layout.value}s   [missing-value]")


def test_a_line_without_end_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(jsonl, "CHUNK", 1 << 10)
    monkeypatch.setattr(jsonl, "LONGEST", 1 << 21)
    assert str(refused(PLAIN + '{"query_id": "' + "q" * (3 << 20))) == (
        "a.json:3: this line does not end within 2 MB   [endless-line]\n"
        "  end each line with a line break, and close all quotes; if the file is something else, say its format"
    )


# Lines: what is wrong with them

SAME: Final = "give all rows the same fields, as far as these count"
NO_NUMBER: Final = "leave the document out, or give it a score"
NO_ID: Final = "leave it out, or give it"
ONE_LINE: Final = "the end is missing; write or copy the file again (in JSON lines, an object is one line)"
MAY_BE_RANKS: Final = (
    "a higher score is better; for ranks, leave them out and give the documents in their order\n"
    "  if they are scores, make them floats"
)
AS_TEXT: Final = "convert the ids to text, as they are in the other input"
KEEP: Final = "keep one of them"
PAIRS: Final = (
    "if these are several runs, rankworth.evaluate_runs takes {name: run, ...}\n"
    "  give ids alone, or pairs: [(document, score), ...]"
)
FORM: Final = "give the documents of all queries in one form"
ONE: Final = "a file holds one JSON document, or one object in each line"
DICTS_OF_DICTS: Final = "all hold {document: score}, or all hold lists"
BY_ROW: Final = 'write it row by row, as pandas does: frame.to_json(path, orient="records")'
NO_FINITE: Final = "leave out what has no finite score, or fix what made it"
EACH: Final = "give one score for each document"

BAD_LINES: dict[str, tuple[str, str]] = {
    '{"query_id": "q1", "doc_id": "d2", "score": "1_5"}': (
        "the score is '1_5', not a number   [bad-score]",
        NO_FINITE,
    ),
    '{"query_id": "q1", "doc_id": "d2", "score": "n/a"}': (
        "the score is 'n/a', not a number   [bad-score]",
        NO_FINITE,
    ),
    '{"query_id": "q1", "doc_id": "d2", "score": "\x9f"}': (
        "the score is '\\x9f', not a number   [bad-score]",
        NO_FINITE,
    ),
    '{"query_id": "q1", "doc_id": "d2", "score": NaN}': (
        "the score is nan, not a number   [bad-score]",
        NO_FINITE,
    ),
    '{"query_id": "q1", "doc_id": "d2", "score": [1]}': (
        "the score is [1], not a number   [bad-score]",
        NO_FINITE,
    ),
    '{"query_id": "q1", "doc_id": "d2", "score": null}': (
        "the score is missing   [missing-value]",
        NO_NUMBER,
    ),
    '{"query_id": "q1", "doc_id": null, "score": 1}': (
        "the document is missing   [missing-value]",
        NO_ID,
    ),
    '{"query_id": null, "doc_id": "d2", "score": 1}': (
        "the query is missing   [missing-value]",
        NO_ID,
    ),
    '{"query_id": 1.0, "doc_id": "d2", "score": 1}': (
        "the query 1.0 is float; ids are text or integers   [id-type]",
        AS_TEXT,
    ),
    '{"query_id": "q1", "doc_id": true, "score": 1}': (
        "the document True is bool; ids are text or integers   [id-type]",
        AS_TEXT,
    ),
    '{"query_id": "q1", "doc_id": ["d2"], "score": 1}': (
        "the document ['d2'] is list; ids are text or integers   [id-type]",
        AS_TEXT,
    ),
    '{"query_id": "q1", "doc_id": 18446744073709551616, "score": 1}': (
        "the document 1.8446744073709552e+19 is float; ids are text or integers   [id-type]",
        AS_TEXT,
    ),
    '{"query_id": "q1", "docid": "d2", "score": 1}': (
        "doc_id docid could all be the document key; the keys are query_id doc_id score docid   [frame-columns]",
        "keep one of them, or say which it is: --columns document=doc_id",
    ),
    '{"query_id": "q1", "doc_id": "d2"}': ("the score is missing   [missing-value]", NO_NUMBER),
    '{"query_id": "q1", "doc_id": "d2", "score": 1, "doc_id": "d3"}': (
        "the key doc_id appears twice in one object   [frame-columns]",
        KEEP,
    ),
    '{"query_id": "q1", "doc_id": "d2", "score": 1, "note": {"a": 1, "a": 2}}': (
        "the key a appears twice in one object   [duplicate-document]",
        KEEP,
    ),
    '["q1", "d2", 1]': (
        "this is ['q1', 'd2', 1], not an object   [input-type]",
        'write an object in each line, such as {"query_id": "q1", "doc_id": "d1", "score": 1}',
    ),
    '{"query_id": "q1", "doc_id": "d2", "sc': (
        'this is not JSON: unexpected end of data at column 39: \'id": "q1", "doc_id": "d2", "sc\'   [bad-json]',
        ONE_LINE,
    ),
    "{'query_id': 'q1', 'doc_id': 'd2', 'score': 1}": (
        (
            "this is not JSON: unexpected character, expected a string key at column 2: \"{'query_id': 'q1', "
            "'doc_id': 'd\"   [bad-json]"
        ),
        "keys need double quotes; json.dumps writes JSON",
    ),
    '{"query_id": "q1", "doc_id": "d2", "score": 1}{}': (
        (
            'this is not JSON: unexpected content after document at column 47: \'", "doc_id": "d2", "score": 1}{}\'   '
            "[bad-json]"
        ),
        ONE,
    ),
    "q1 Q0 d2 1 2.0 bm25": (
        (
            "this is not JSON: unexpected character, expected a JSON value at column 1: 'q1 Q0 d2 1 2.0 bm25'   "
            "[bad-json]"
        ),
        "leave the format out to have it detected from the content",
    ),
    '{"query_id": "q1", "doc_id": "\\ud800", "score": 1}': (
        (
            'this is not JSON: no low surrogate in string at column 31: \'{"query_id": "q1", "doc_id": "\\\\ud800", '
            '"score": 1}\'   [bad-json]'
        ),
        "this is half of a surrogate pair; write the character in UTF-8",
    ),
}


@pytest.mark.parametrize("line", BAD_LINES)
def test_a_bad_line_of_a_run_is_named_with_its_place_and_what_helps(line: str) -> None:
    problem, remedy = BAD_LINES[line]
    error = refused(f"{PLAIN}{line}\n{PLAIN}")
    assert said(error) == (f"a.json:3: {problem}", remedy)


BAD_OBJECTS: dict[str, tuple[str, str]] = {
    '{"qid": "q1", "docs": ["d1", null]}': (
        "a.json:1, item 2: the document is missing   [missing-value]",
        NO_ID,
    ),
    '{"qid": "q1", "docs": [["d1", 2, 3]]}': (
        "a.json:1, item 1: ['d1', 2, 3] is not a pair (document, score)   [input-type]",
        PAIRS,
    ),
    '{"qid": "q1", "docs": [["d1", 1], ["d2", 2]]}': (
        "a.json:1: the scores of each query are 1, 2, 3 ... in the order given; these may be ranks   [rank-or-score]",
        MAY_BE_RANKS,
    ),
    '{"qid": "q1", "docs": ["d1", {"id": "d2"}]}': (
        "a.json:1, item 2: the document {'id': 'd2'} is dict; ids are text or integers   [id-type]",
        AS_TEXT,
    ),
    '{"qid": "q1", "docs": ["d1"]}\n{"qid": "q2", "docs": [{"id": "d1", "score": 1}]}': (
        "a.json:2, item 1: the document {'id': 'd1', 'score': 1} is dict; ids are text or integers   [id-type]",
        AS_TEXT,
    ),
    '{"qid": "q1", "docs": ["d1"]}\n{"qid": "q2", "docs": "d1"}': (
        "a.json:2 holds 'd1', and not a list of documents   [input-type]",
        "as in {'q1': ['d1', 'd2']} or {'q1': {'d1': score}}",
    ),
    '{"qid": "q1", "docs": ["d1"]}\n{"qid": "q1", "docs": []}\n{"qid": "q1", "docs": ["d2"]}': (
        "a.json:3: query q1 has a list again (first: a.json:1), so its order is not known   [duplicate-document]",
        "put all documents of a query into one list, or give them scores",
    ),
    '{"qid": "q1", "docs": [{"id": "d1", "_id": "d2", "score": 1}]}': (
        "a.json:1, item 1: id _id could all be the document key; the keys are id _id score   [frame-columns]",
        ("keep one of them, or say which it is: --columns document=id"),
    ),
    '{"qid": "q1", "docs": [{"id": "d1", "score": 1}, {"id": "d2", "score": null}]}': (
        "a.json:1, item 2: the score is missing   [missing-value]",
        NO_NUMBER,
    ),
    '{"qid": "q1", "docs": [{"id": "d1", "score": 1}, {"id": "d2"}]}': (
        "a.json:1, item 2: the score is missing   [missing-value]",
        NO_NUMBER,
    ),
    '{"qid": "q1", "docs": {"d1": 1, "d2": "b"}}': (
        "a.json:1, item 2: the score is 'b', not a number   [bad-score]",
        NO_FINITE,
    ),
    '{"qid": "q1", "docs": {"d1": 1, "d:2": 2, "d1": 1}}': (
        "a.json:1: the key d1 appears twice in one object   [duplicate-document]",
        KEEP,
    ),
    '{"qid": "q1", "docs": ["d1", "d2"], "scores": [1]}': (
        "a.json:1: the scores are [1] beside a list of 2 documents   [frame-columns]",
        EACH,
    ),
    '{"qid": "q1", "docs": ["d1", "d2"], "score": 1}': (
        "a.json:1: the scores are 1 beside a list of 2 documents   [frame-columns]",
        EACH,
    ),
    '{"qid": "q1", "docs": [{"id": "d1", "score": 1}], "scores": [1]}': (
        "a.json:1: scores stands beside documents that have numbers   [frame-columns]",
        "write each score beside its document only",
    ),
    '{"qid": "q1", "docs": []}\n{"qid": "q2", "docs": []}': (
        "a.json: all lists are empty   [empty-input]",
        "",
    ),
}


@pytest.mark.parametrize("content", BAD_OBJECTS)
def test_a_bad_list_of_a_run_is_named_with_its_place_and_what_helps(content: str) -> None:
    assert said(refused(content, format="jsonl")) == BAD_OBJECTS[content]


@pytest.mark.parametrize(
    ("content", "layout", "sought", "found"),
    [
        ({"query_id": "q1", "doc_id": "d1"}, RUN, "score", "query_id doc_id"),
        ({"query_id": "q1", "doc_id": "d1", "similarity": 2}, RUN, "score", "query_id doc_id similarity"),
        ({"query_id": "q1", "doc_id": "d1", "relevancy": 2}, QRELS, "grade", "query_id doc_id relevancy"),
        ({"query_id": "q1", "doc_id": "d1", "relevancy": "2"}, QRELS, "grade", "query_id doc_id relevancy"),
        ({"query_id": "q1", "doc_id": "d1", "good": False}, QRELS, "grade", "query_id doc_id good"),
        ({"query_id": "q1", "doc_id": "d1", "rank": 2}, QRELS, "grade", "query_id doc_id rank"),
        ({"qid": "q1", "docs": [{"id": "d1", "similarity": 2}]}, RUN, "score", "id similarity"),
        ({"qid": "q1", "docs": [{"id": "d1", "relevancy": 2}]}, QRELS, "grade", "id relevancy"),
        ({"qid": "q1", "docs": ["d1", "d2"], "similarities": [2, 1]}, RUN, "score", "qid docs similarities"),
        ({"qid": "q1", "docs": ["d1", "d2"], "relevancy": [2, 1]}, QRELS, "grade", "qid docs relevancy"),
        ({"qid": "q0", "docs": [], "similarities": []}, RUN, "score", "qid docs similarities"),
        ({"query": "q1", "result": "d1", "score": 2}, RUN, "document", "query result score"),
        ({"qid": "q1", "docs": [{"url": "d1", "score": 2}]}, RUN, "document", "url score"),
        ({"id": "q1", "docno": "d1", "score": 2}, RUN, "query", "id docno score"),
    ],
)
def test_numbers_and_ids_under_unknown_names_are_asked_for_and_never_guessed(
    content: dict[str, Any], layout: Layout, sought: str, found: str
) -> None:
    more = {"qid": "q1", "docs": ["d1"], "similarities": [1]} if content.get("docs") == [] else content
    error = refused(lines(content, more), layout)
    assert error.slug == "frame-columns"
    assert f"there is no {sought}" in error.problems[0]
    assert error.problems[0].endswith(f"the keys are {found}")
    assert f"columns {sought}=" in error.remedy


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        (
            [{"qid": "q", "docno": "d", "grade": 1}, {"qid": "q", "grade": 1}],
            "a.json:2: the document is missing",
        ),
        (
            [{"qid": "q", "docno": "d", "grade": 1}, {"qid": "q", "docno": "e", "grade": "1,5"}],
            "a.json:2: the grade is '1,5', not a number",
        ),
        (
            [{"qid": "q", "docno": "d", "grade": 1}, {"qid": "q", "docno": "e", "grade": float("inf")}],
            "a.json:2: the grade is inf, not a finite number",
        ),
        ([{"qid": "q", "docs": ["d"]}, {"qid": "r", "docs": []}], "a.json:2: query r has no judgements"),
    ],
)
def test_bad_judgements_are_named_with_their_line(content: list[object], problem: str) -> None:
    assert refused(lines(*content), QRELS).problems == (problem,)


@pytest.mark.parametrize(
    ("content", "slug", "problem"),
    [
        (
            PLAIN.encode() + b'{"query_id":"q1","doc_id":"caf\xe9","score":1}\n',
            "wrong-encoding",
            "a.json:3: this is not UTF-8: ",
        ),
        (
            PLAIN.encode() + b'{"query_id":"q1","doc_id":"\xed\xa0\x80","score":1}\n',
            "wrong-encoding",
            "a.json:3: this is not UTF-8: ",
        ),
        (b"\xff\xfe" + PLAIN.encode("utf-16-le"), "wrong-encoding", "a.json: the text is UTF-16, not UTF-8"),
        (PLAIN.encode() + b"\0\0\0\0", "binary-file", "a.json:3: a null byte; this is not a text file"),
        (b"", "empty-input", "a.json: there is no run line in it"),
        (b"\n \r\n", "empty-input", "a.json: there is no run line in it"),
        (
            gzip.compress(PLAIN.encode(), mtime=0)[:-9],
            "truncated-file",
            "a.json: the compressed data end early or are damaged",
        ),
    ],
)
def test_what_is_no_text_is_refused(content: bytes, slug: str, problem: str) -> None:
    error = refused(content, format="jsonl")
    assert error.slug == slug
    assert error.problems[0].startswith(problem)


# Documents

RUN_DOCUMENTS: dict[str, tuple[str, Rows]] = {
    "a dict of dicts": ('{"q1": {"d2": 0.5, "d1": 2}, "q0": {}, "q2": {"d1": 7}}', SCORED),
    "a dict of dicts on several lines": (json.dumps({"q1": {"d2": 0.5, "d1": 2}, "q2": {"d1": 7}}, indent=1), SCORED),
    "a dict of dicts after a byte order mark": ('\ufeff {"q1": {"d2": 0.5, "d1": 2}, "q2": {"d1": 7}}', SCORED),
    "ids of all kinds": (
        '{"007": {"1.0": 1, "d:1": 2}, "q\\u003a\\"": {"\\u0064\\u00e9": -0.0, "": 1e300}}',
        [("007", "1.0", 1.0), ("007", "d:1", 2.0), ('q:"', "dé", -0.0), ('q:"', "", 1e300)],
    ),
    "infinite scores as Python writes them": (
        '{"q1": {"d1": Infinity, "d2": -Infinity}}',
        [("q1", "d1", float("inf")), ("q1", "d2", float("-inf"))],
    ),
    "a dict of lists": ('{"q1": ["d2", "d1"], "q0": [], "q2": ["d1"]}', IN_ORDER),
    "a dict of lists with integers": ('{"1": [5, 7]}', [("1", "5", -1.0), ("1", "7", -2.0)]),
    "a dict of lists of records": (
        '{"q1": [{"id": "d2", "score": 0.5}, {"id": "d1", "score": 2}], "q2": [{"id": "d1", "score": 7}]}',
        SCORED,
    ),
    "a list of rows": (
        json.dumps(
            [
                {"query": "q1", "document": "d2", "score": 0.5},
                {"query": "q1", "document": "d1", "score": 2},
                {"query": "q2", "document": "d1", "score": 7},
            ]
        ),
        SCORED,
    ),
    "a list of rows on several lines": (
        json.dumps([{"query": "q1", "docs": ["d2", "d1"]}, {"query": "q2", "docs": ["d1"]}], indent=2),
        IN_ORDER,
    ),
    "one row on several lines": ('{"query": "q1",\n"docs": ["d2", "d1"]}', IN_ORDER[:2]),
}


@pytest.mark.parametrize("shape", RUN_DOCUMENTS)
def test_a_run_may_be_a_document_of_any_of_these_shapes(shape: str) -> None:
    content, expected = RUN_DOCUMENTS[shape]
    assert rows(content, format="json") == expected


QRELS_DOCUMENTS: dict[str, tuple[str, Rows]] = {
    "a dict of dicts": ('{"q1": {"d2": 3, "d1": 0}}', [("q1", "d2", 3.0), ("q1", "d1", 0.0)]),
    "a dict of lists": ('{"q1": ["d2", "d1"]}', [("q1", "d2", 1.0), ("q1", "d1", 1.0)]),
    "a dict of lists of records": ('{"q1": [{"doc_id": "d2", "rel": 3}]}', [("q1", "d2", 3.0)]),
    "a list of rows": ('[{"qid": 1, "docno": "d2", "label": true}]', [("1", "d2", 1.0)]),
}


@pytest.mark.parametrize("shape", QRELS_DOCUMENTS)
def test_judgements_may_be_a_document_of_any_of_these_shapes(shape: str) -> None:
    content, expected = QRELS_DOCUMENTS[shape]
    assert rows(content, QRELS, format="json") == expected


KEYS = st.text(st.characters(codec="utf-8"), max_size=3) | st.text('d":\\ ', max_size=4)
DICTS = st.dictionaries(
    KEYS, st.dictionaries(KEYS, st.floats(allow_nan=False) | st.integers(-(2**53), 2**53), min_size=1), min_size=1
)


@several
@given(dicts=DICTS, escaped=st.booleans(), indent=st.sampled_from([None, None, 1]))
def test_a_dict_reads_as_json_what_it_is(dicts: dict[str, dict[str, float]], escaped: bool, indent: int | None) -> None:
    text = json.dumps(dicts, ensure_ascii=escaped, indent=indent)
    expected = [(query, document, float(score)) for query, inner in dicts.items() for document, score in inner.items()]
    assert rows(text, format="json") == expected


@several
@given(dicts=DICTS, data=st.data(), escaped=st.booleans())
def test_a_key_that_stands_twice_is_always_found(
    dicts: dict[str, dict[str, float]], data: st.DataObject, escaped: bool
) -> None:
    def text(items: list[tuple[str, str]]) -> str:
        return (
            "{"
            + data.draw(st.sampled_from([",", ", ", "\n,"])).join(
                f"{json.dumps(key, ensure_ascii=escaped)}:{item}" for key, item in items
            )
            + "}"
        )

    queries = list(dicts)
    query = data.draw(st.sampled_from(queries))
    document = data.draw(st.sampled_from(list(dicts[query])))
    whole = [(each, text([(key, json.dumps(item)) for key, item in inner.items()])) for each, inner in dicts.items()]
    again = data.draw(st.integers(0, len(whole)))
    twice = text([*whole[:again], (query, '{"other": 1}'), *whole[again:]])
    assert refused(twice, format="json").problems[0].endswith("appears twice in one object")
    inner = text([(key, json.dumps(item)) for key, item in [*dicts[query].items(), (document, 0)]])
    twice = text([(each, inner if each == query else item) for each, item in whole])
    assert refused(twice, format="json").problems[0].endswith("twice in one object")
    assert refused(twice, QRELS, format="json").slug == "duplicate-judgement"


BAD_DOCUMENTS: dict[str, tuple[str, str]] = {
    '{"q1": {"d1": 1, "d2"': (
        'a.json:1: this is not JSON: unexpected end of data at column 22: \'{"q1": {"d1": 1, "d2"\'   [bad-json]',
        ONE_LINE,
    ),
    '{"q1": {"d1": 1}} x': (
        (
            'a.json:1: this is not JSON: unexpected content after document at column 19: \'{"q1": {"d1": 1}} x\'   '
            "[bad-json]"
        ),
        ONE,
    ),
    '{"q1":\n{"d1": 1}}\n{"q2": {"d1": 1}}': (
        (
            'a.json:3: this is not JSON: unexpected content after document at column 1: \'{"q1":\\n{"d1": '
            '1}}\\n{"q2": {"d1": 1}}\'   [bad-json]'
        ),
        ONE,
    ),
    '{"q1": {"d1": 1}, "q1": {"d2": 2}}': (
        "a.json: the key q1 appears twice in one object   [duplicate-document]",
        KEEP,
    ),
    '{"q1": {"d1": 1, "d2": 2, "d1": 1}}': (
        "a.json: the key d1 appears twice in one object   [duplicate-document]",
        KEEP,
    ),
    '{"q1": {"d1": "high"}}': (
        "a.json: query 'q1', document 'd1': the score is 'high', not a number   [bad-score]",
        NO_FINITE,
    ),
    '{"q1": {"d1": "nan"}}': (
        "a.json: query 'q1', document 'd1': the score is 'nan', not a number   [bad-score]",
        NO_FINITE,
    ),
    '{"q1": {"d 1": NaN}}': (
        "a.json: query 'q1', document 'd 1': the score is nan, not a number   [bad-score]",
        NO_FINITE,
    ),
    '{"q1": {"d1": null}}': (
        "a.json: query 'q1', document 'd1': the score is missing   [missing-value]",
        NO_NUMBER,
    ),
    '{"q1": {"d1": 1}, "q2": {"d1": {"score": 1}}}': (
        "a.json: query 'q2', document 'd1': this is {'score': 1}, and not a score   [bad-score]",
        "write the score alone: {query: {document: score}}",
    ),
    '{"q1": {"d1": 1}, "q2": ["d1"]}': (
        "a.json: query 'q2' holds list, not a dict {document: score}   [input-type]",
        "a list in rank order becomes {document: -rank for rank, document in enumerate(documents)}",
    ),
    '{"q1": {"d1": 1}, "q2": null}': (
        "a.json: query 'q2' holds NoneType, not a dict {document: score}   [input-type]",
        "a dict of dicts is {query: {document: score}}",
    ),
    '{"q1": 1}': (
        "a.json: query 'q1' holds 1, and not a list of documents   [input-type]",
        "as in {'q1': ['d1', 'd2']} or {'q1': {'d1': score}}",
    ),
    '{"q1": [{"id": "d1", "score": "b"}]}': (
        "a.json: query 'q1', item 1: the score is 'b', not a number   [bad-score]",
        NO_FINITE,
    ),
    '{"q1": ["d1", 1.5]}': (
        "a.json: query 'q1', item 2: the document 1.5 is float; ids are text or integers   [id-type]",
        "convert the ids to text, as they are in the other input",
    ),
    '{"query": {"0": "q1"}, "document": {"0": "d1"}, "score": {"0": 1}}': (
        "a.json: query 'query', document '0': the score is 'q1', not a number   [bad-score]",
        NO_FINITE,
    ),
    '[{"query": "q1", "document": "d1", "score": 1}, {"query": "q1", "document": "d2", "score": null}]': (
        "a.json: row 2: the score is missing   [missing-value]",
        NO_NUMBER,
    ),
    '[{"query": "q1", "document": "d1", "score": 1, "score": 2}]': (
        "a.json: the key score appears twice in one object   [frame-columns]",
        KEEP,
    ),
    '[{"query": "q1", "docs": {"d1": 1, "d1": 2}}]': (
        "a.json: the key d1 appears twice in one object   [duplicate-document]",
        KEEP,
    ),
    '["q1", "d1", 1]': (
        "a.json: its first item 'q1' is str, which cannot be read   [input-type]",
        "give {query: {document: score}}, {query: [document, ...]}, rows (query, document, score)",
    ),
    '"q1"': (
        "a.json: 'q1' is str, which cannot be read   [input-type]",
        "give {query: {document: score}}, {query: [document, ...]}, rows (query, document, score)",
    ),
    "{}": ("a.json: the dict has no queries   [empty-input]", "as in {query: {document: score}}"),
    "[]": ("a.json: the list is empty   [empty-input]", ""),
    '{"q1": {}}': (
        "a.json: the dict has no documents   [empty-input]",
        "as in {query: {document: score}}",
    ),
    '{"q1": []}': ("a.json: every list of documents is empty   [empty-input]", ""),
    " \n": (
        "a.json: it is empty   [empty-input]",
        "",
    ),
    "3.5\n4.5\n": (
        "a.json:2: this is not JSON: unexpected content after document at column 1: '3.5\\n4.5\\n'   [bad-json]",
        "a file holds one JSON document, or one object in each line",
    ),
}


@pytest.mark.parametrize("content", BAD_DOCUMENTS)
def test_a_bad_document_is_refused_with_the_place_and_what_helps(content: str) -> None:
    assert said(refused(content, format="json")) == BAD_DOCUMENTS[content]


@pytest.mark.parametrize("content", ['{"q1": {"d1": 1}, "q2": {}}', '{"q1": ["d1"], "q2": []}'])
def test_a_query_without_judgements_is_refused_for_a_mean_would_lose_it(content: str) -> None:
    assert str(refused(content, QRELS)).startswith("a.json: query q2")
    assert refused(content, QRELS).slug == "missing-value"
    assert [query for query, *_ in rows(content)] == ["q1"]


@several
@given(text=st.sampled_from([content for content, _ in (*RUN_DOCUMENTS.values(), *RUN_LINES.values())]), data=st.data())
def test_no_damage_ends_in_a_traceback(text: str, data: st.DataObject) -> None:
    content = text.encode()
    for _ in range(data.draw(st.integers(1, 3))):
        place = data.draw(st.integers(0, len(content)))
        junk = data.draw(
            st.sampled_from(
                [b"", b'"', b"{", b"}", b"[", b":", b",", b"null", b"1.5", b"NaN", b"\\ud800", b"\xff", b"\0", b"\n"]
            )
        )
        content = content[:place] + junk + content[place + data.draw(st.integers(0, 4)) :]
    for layout in (RUN, QRELS):
        for form in ("json", "jsonl"):
            try:
                read = rows(content, layout, format=form)
            except InputError as error:
                assert str(error).startswith("a.json")  # noqa: PT017 - most damage is found, some makes another document
            else:
                assert read


@pytest.mark.parametrize("form", ["json", "jsonl"])
def test_text_nested_beyond_all_reason_is_refused(form: str) -> None:
    for deep in (300, 900, 2000):
        nested = "[" * deep + '":"' + "]" * deep
        for content in (
            nested,
            f'{{"q": {nested}}}',
            f'{{"q": {{"d": {nested}}}}}',
            f'{{"qid": "q", "docno": {nested}, "score": 1}}',
        ):
            assert refused(content, format=form).slug in ("input-type", "id-type", "bad-score")


# Lines that look like documents, documents that look like lines


def test_one_line_may_be_a_document_and_many_lines_may_follow_a_long_one() -> None:
    document = '{"q1": {"d2": 0.5, "d1": 2}, "q2": {"d1": 7}}\n'
    for form in ("", "json", "jsonl"):
        assert rows(document, format=form) == SCORED
    long = [(f"q{number}", [f"d{place}" for place in range(20_000)]) for number in range(2)]
    content = lines(*({"qid": query, "docs": found} for query, found in long))
    for form in ("", "json", "jsonl"):
        assert [frame.height for frame in frames(content, format=form)] == [40_000]
        assert [(query, document) for query, document, _ in rows(content, format=form)] == [
            (query, each) for query, found in long for each in found
        ]


# _rank_eval of Elasticsearch and OpenSearch

REQUEST: dict[str, Any] = {
    "requests": [
        {
            "id": "JFK query",
            "request": {"query": {"match": {"title": "JFK: a life"}}},
            "ratings": [{"_index": "wiki", "_id": "1", "rating": 3}, {"_index": "wiki", "_id": "2", "rating": 0}],
        },
        {
            "id": "berlin",
            "template_id": "t",
            "params": {"text": "Berlin"},
            "ratings": [{"_index": "wiki", "_id": "1", "rating": 1}],
        },
    ],
    "metric": {"dcg": {"k": 20, "normalize": False}},
}
JUDGED: Final = [("JFK query", "1", 3.0), ("JFK query", "2", 0.0), ("berlin", "1", 1.0)]


def response(*hits: tuple[str, str, object, object], **more: Any) -> dict[str, Any]:
    """A response with these hits of one query, and one hit of another."""
    found = [
        {"hit": {"_index": index, "_id": key, "_score": score}, "rating": rating} for index, key, score, rating in hits
    ]
    unrated = [{"_index": index, "_id": key} for index, key, _, rating in hits if rating is None]
    other = [
        {"hit": {"_index": "wiki", "_type": "page", "_id": "9", "_score": 4.5, "_source": {"title": "x"}}, "rating": 2}
    ]
    return {
        "metric_score": 0.4,
        "details": {
            "JFK query": {
                "metric_score": 0.6,
                "unrated_docs": unrated,
                "hits": found,
                "metric_details": {"precision": {"docs_retrieved": 6}},
            },
            "berlin": {"metric_score": 0.2, "unrated_docs": [], "hits": other},
            "paris": {"metric_score": 0.0, "unrated_docs": [], "hits": []},
        },
        "failures": {},
    } | more


FOUND: Final = (("wiki", "3", 8.5, 1), ("wiki", "1", 7.5, None), ("wiki", "2", 1, 0))
BERLIN: Final = ("berlin", "9", 4.5)


@pytest.mark.parametrize("indent", [None, 2])
@pytest.mark.parametrize("form", ["json", "jsonl"])
def test_a_request_holds_judgements_and_a_response_hits(indent: int | None, form: str) -> None:
    if indent and form == "jsonl":
        form = ""
    assert rows(json.dumps(REQUEST, indent=indent), QRELS, format=form) == JUDGED
    ranked = [("JFK query", "3", 8.5), ("JFK query", "1", 7.5), ("JFK query", "2", 1.0), BERLIN]
    assert rows(json.dumps(response(*FOUND), indent=indent), format=form) == ranked
    assert rows(json.dumps({"rank_eval": response(*FOUND)}, indent=indent), format=form) == ranked


@pytest.mark.parametrize("second", [2.0, None, 3.0])
def test_the_order_of_hits_counts_where_scores_do_not_tell_it(second: float | None) -> None:
    hits = (("wiki", "a", 2.0, 1), ("wiki", "b", second, 0), ("wiki", "c", 1.0, 1))
    scores = (2.0, second, 1.0) if second is not None else (-1, -2, -3)
    assert rows(json.dumps(response(*hits)))[:3] == [
        ("JFK query", id_, score) for id_, score in zip("abc", scores, strict=True)
    ]
    listed = {"JFK query": [{"_id": id_, "_score": score} for _, id_, score, _ in hits]}
    Path("response.json").write_text(json.dumps(response(*hits)))
    for order in ("auto", "given"):
        for source in (response(*hits), rw.Run("response.json")):
            found = rw.evaluate({"JFK query": {"b": 1}}, source, ["RR"], order=order)
            assert found["RR"] == 0.5
            assert (found.signature.count("ranked_by:list"), found.signature.count("order:given")) in ((1, 0), (0, 1))
    assert rw.evaluate({"JFK query": {"b": 1}}, listed, ["RR"], order="given")["RR"] == 0.5 if second else True
    if second == 2.0:
        assert rw.evaluate({"JFK query": {"b": 1}}, listed, ["RR"])["RR"] == 0.5
    ranked = {2.0: 1.0, 3.0: 1.0, None: 0.5}[second]
    assert rw.evaluate({"JFK query": {"b": 1}}, response(*hits), ["RR"], order="score")["RR"] == ranked


def test_ratings_in_a_response_are_judgements_of_what_was_found() -> None:
    assert rows(json.dumps(response(*FOUND)), QRELS) == [
        ("JFK query", "3", 1.0),
        ("JFK query", "2", 0.0),
        ("berlin", "9", 2.0),
    ]
    unrated = response(*((*hit[:3], None) for hit in FOUND))
    unrated["details"]["berlin"]["hits"] = []
    assert str(refused(json.dumps(unrated), QRELS)) == "a.json: there is no qrels line in it   [empty-input]"


@pytest.mark.parametrize("scores", [(7.5, None, 1), (None, None, None), (1, 7.5, 1), (1, 1, 2)])
def test_the_order_of_hits_counts_where_scores_are_missing_or_do_not_fall(scores: tuple[float | None, ...]) -> None:
    hits = [(index, key, score, rating) for (index, key, _, rating), score in zip(FOUND, scores, strict=True)]
    ordered = [("JFK query", "3", -1.0), ("JFK query", "1", -2.0), ("JFK query", "2", -3.0), ("berlin", "9", -1.0)]
    if None not in scores:
        ordered = [(*row[:2], score) for row, score in zip(ordered, (*scores, 4.5), strict=True)]
    assert rows(json.dumps(response(*hits))) == ordered
    found = rw.evaluate({"JFK query": {"2": 1}, "berlin": {"9": 1}}, response(*hits), ["RR"])
    assert found.per_query.to_dict()["JFK query"] == {"RR": 1 / 3}


def test_documents_of_several_indices_are_told_apart() -> None:
    mixed = json.dumps(response(("wiki", "1", 3, 1), ("news", "1", 2, None)))
    assert [document for _, document, _ in rows(mixed)] == ["wiki/1", "news/1", "wiki/9"]
    assert [document for _, document, _ in rows(mixed, columns={"document": "_id"})] == ["1", "1", "9"]
    single = json.dumps(response(*FOUND))
    assert [document for _, document, _ in rows(single, columns={"document": "_index/_id"})] == [
        "wiki/3",
        "wiki/1",
        "wiki/2",
        "wiki/9",
    ]
    Path("run.json").write_text(mixed)
    with pytest.raises(InputError, match="duplicate-document"):
        rw.evaluate({"JFK query": {"1": 1}}, rw.Run("run.json", format="json", columns={"document": "_id"}), ["P@1"])


def test_hits_and_ratings_of_one_response_are_called_alike() -> None:
    hit = {"_index": "a", "_id": "d1", "_score": 2.0}
    other = {"_index": "b", "_id": "d2", "_score": 1.0}
    hits = [{"hit": hit, "rating": 1}, {"hit": other, "rating": None}]
    Path("a.json").write_text(json.dumps({"metric_score": 0.5, "details": {"q": {"hits": hits}}, "failures": {}}))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", rw.RankworthWarning)
        assert rw.evaluate("a.json", "a.json", ["RR"])["RR"] == 1
    assert rw.Qrels("a.json").to_dict() == {"q": {"a/d1": 1.0}}


def test_what_elasticsearch_measures_is_what_its_request_and_response_give() -> None:
    Path("request.json").write_text(json.dumps(REQUEST))
    Path("response.json").write_text(json.dumps(response(*FOUND), indent=1))
    values = rw.evaluate("request.json", rw.Run("response.json", format="json"), ["RR", "P@3"])
    assert values.per_query.to_dict() == {"JFK query": {"RR": 0.5, "P@3": 1 / 3}, "berlin": {"RR": 0.0, "P@3": 0.0}}


def test_a_response_with_failures_is_refused() -> None:
    failure = {"error": {"root_cause": [], "type": "parsing_exception", "reason": "someMsg", "line": 0, "col": 0}}
    text = json.dumps(
        response(*FOUND, failures={"beer": failure} | {f"q{number}": {"error": "gone"} for number in range(4)})
    )
    assert str(refused(text)) == (
        "a.json: query beer: the search failed: parsing_exception: someMsg   [failed-queries]\n"
        "a.json: query q0: the search failed: gone   [failed-queries]\n"
        "a.json: query q1: the search failed: gone   [failed-queries]\n"
        "... and 2 more\n"
        "  fix the request and send it again; a query that failed would count as one without hits"
    )
    text = '{"error": {"type": "index_not_found_exception", "reason": "no such index [wiki]"}, "status": 404}'
    assert refused(text).problems == ("a.json: the search failed: index_not_found_exception: no such index [wiki]",)


def changed(document: dict[str, Any], *way: str | int, to: object) -> str:
    """The same document with another value at the end of the way; without it, where there is none."""
    copied = inner = json.loads(json.dumps(document))
    for step in way[:-1]:
        inner = inner[step]
    if to is None:
        del inner[way[-1]]
    else:
        inner[way[-1]] = to
    return json.dumps(copied)


RATING: Final = ("requests", 0, "ratings", 1)
HIT: Final = ("details", "JFK query", "hits", 1)

BAD_RANK_EVAL: list[tuple[str, Layout, str]] = [
    (json.dumps(REQUEST), RUN, "a.json: this is a request of _rank_eval, which holds judgements   [input-type]"),
    (
        changed(REQUEST, *RATING, "rating", to="A"),
        QRELS,
        "a.json: query 'JFK query', item 2: the grade is 'A', not a number   [bad-grade]",
    ),
    (
        changed(REQUEST, *RATING, "_id", to=None),
        QRELS,
        "a.json: query 'JFK query': a hit has no _id; it has _index rating   [frame-columns]",
    ),
    (
        changed(REQUEST, *RATING, "_id", to=2.5),
        QRELS,
        "a.json: query 'JFK query', item 2: the document 2.5 is float; ids are text or integers   [id-type]",
    ),
    (
        changed(REQUEST, "requests", 1, "id", to="JFK query"),
        QRELS,
        "a.json: query 'JFK query' appears twice   [duplicate-judgement]",
    ),
    (
        changed(REQUEST, "requests", 1, "id", to=None),
        QRELS,
        "a.json: response 2: nothing says which query it answers   [response-queries]",
    ),
    (
        changed(REQUEST, "requests", 1, "ratings", to=[]),
        QRELS,
        "a.json: query berlin has no judgements   [missing-value]",
    ),
    (
        changed(REQUEST, "requests", 1, "ratings", to=3),
        QRELS,
        "a.json: query berlin: this is 3, not a list of objects   [frame-columns]",
    ),
    (
        changed(REQUEST, "requests", 1, "ratings", to=[1]),
        QRELS,
        "a.json: query berlin: this is [1], not a list of objects   [frame-columns]",
    ),
    (
        json.dumps(REQUEST).replace('"_id": "2"', '"_id": "2", "_id": "3"'),
        QRELS,
        "a.json: the key _id appears twice in one object   [duplicate-judgement]",
    ),
    (
        changed(response(*FOUND), *HIT, "hit", to=None),
        RUN,
        "a.json: query 'JFK query': a hit has no _index/_id; it has rating   [frame-columns]",
    ),
    (
        changed(response(*FOUND), *HIT, "hit", "_id", to=None),
        RUN,
        "a.json: query 'JFK query': a hit has no _id; it has _index _score rating   [frame-columns]",
    ),
    (
        changed(response(*FOUND), *HIT, "hit", "_score", to="A"),
        RUN,
        "a.json: query 'JFK query', item 2: the score is 'A', not a number   [bad-score]",
    ),
    (
        changed(response(*FOUND), *HIT, "rating", to="A"),
        QRELS,
        "a.json: query 'JFK query', item 2: the grade is 'A', not a number   [bad-grade]",
    ),
    (
        changed(response(*FOUND), "details", "berlin", "hits", to=None),
        RUN,
        "a.json: query berlin: this is None, not a list of objects   [frame-columns]",
    ),
    (changed(response(*FOUND), "details", to={}), RUN, "a.json: there is no run line in it   [empty-input]"),
    (
        json.dumps(response(*FOUND)).replace('"berlin"', '"JFK query"'),
        RUN,
        "a.json: the key 'JFK query' appears twice in one object   [duplicate-document]",
    ),
]


@pytest.mark.parametrize(
    ("content", "layout", "problem"), BAD_RANK_EVAL, ids=[problem for *_, problem in BAD_RANK_EVAL]
)
def test_bad_requests_and_responses_are_refused_with_the_place(content: str, layout: Layout, problem: str) -> None:
    assert str(refused(content, layout, format="json")).splitlines()[0] == problem


def test_a_dict_without_documents_is_a_query_without_results() -> None:
    Path("run.json").write_text('{"1": {"c": 0.5, "a": 2.5}, "0": {}, "9": {}}')
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", rw.RankworthWarning)
        found = rw.evaluate({"0": {"a": 1}, "1": {"c": 1}}, "run.json", ["RR"])
    assert found.per_query.to_dict() == {"0": {"RR": 0.0}, "1": {"RR": 0.5}}
    assert (found.counts.unanswered, found.counts.ignored) == (1, 0)
