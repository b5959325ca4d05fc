"""Gold that is marked in the texts of pieces, on the page of the explorer and in reports."""

import base64
import json
import re
import zlib
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import rankworth as rw
from rankworth.cli import main
from rankworth.errors import UsageError
from rankworth.explorer.inspector import Inspector
from rankworth.report import make
from rankworth.stats.spans import Span, stretches_within

pytestmark = pytest.mark.filterwarnings("ignore::rankworth.errors.RankworthWarning")  # of runs of few pieces

HANDBOOK = "Returns are accepted within 30 days. <b>Shoes</b> can be returned 🍷 everywhere."
ARABIC = "الشحن مجاني فوق خمسين يورو. بطاقات الهدايا لا تنتهي صلاحيتها."
SOURCES = {"handbook.md": HANDBOOK, "arabic.md": ARABIC}
MEASURES = ["SpanR@3", "RR@3"]
STANDARD = {"rel": None, "profile": "standard-1"}
SPANS = st.tuples(st.sampled_from("ab"), st.integers(0, 30), st.integers(0, 12)).map(
    lambda span: (span[0], span[1], span[1] + span[2])
)


def part(source: str, text: str) -> Span:
    """The span of a text in its source."""
    start = SOURCES[source].index(text)
    return source, start, start + len(text)


def called(source: str, start: int, end: int) -> str:
    """The id of a span."""
    return f"{source}:{start}-{end}"


GOLD = {
    "q1": [part("handbook.md", "within 30 days"), part("handbook.md", "30 days. <b>Shoes</b>")],  # which overlap
    "q2": [part("arabic.md", "فوق خمسين يورو"), part("handbook.md", "🍷 every")],
}
FIRST, SECOND = ("handbook.md", 0, 30), ("handbook.md", 30, len(HANDBOOK))
PIECES = {"q1": [FIRST, SECOND], "q2": [("arabic.md", 0, len(ARABIC)), SECOND, FIRST]}
MARKED = {
    ("q1", called(*FIRST)): [HANDBOOK[HANDBOOK.index("within") : 30]],
    ("q1", called(*SECOND)): [HANDBOOK[30 : HANDBOOK.index(" can")]],
    ("q2", called(*PIECES["q2"][0])): ["فوق خمسين يورو"],
    ("q2", called(*SECOND)): ["🍷 every"],
    ("q2", called(*FIRST)): [],
}


def inspected(gold: Any = GOLD, run: Any = None, sources: Any = None, **further: Any) -> Inspector:
    """The explorer of one run."""
    run = rw.Run(PIECES if run is None else run, "small", sources=sources)
    return Inspector(rw.Qrels(gold, sources=sources), {"small": run}, MEASURES, STANDARD, **further)


def shown(inspector: Inspector) -> dict[tuple[str, str], list[str]]:
    """What is marked in each piece that the explorer shows."""
    found = {}
    for query in inspector.ids:
        for row in inspector.query({"query": query})["rankings"][0]["rows"]:
            found[query, row["document"]] = [row["text"][start:end] for start, end in row["marks"]]
    return found


@settings(max_examples=10_000 // 3, deadline=None)
@given(SPANS, st.lists(SPANS, max_size=6))
def test_marks_are_the_characters_that_piece_and_gold_have_in_common(piece: Span, gold: Sequence[Span]) -> None:
    source, start, end = piece
    wanted = {position for name, first, last in gold if name == source for position in range(first, last)}
    marks = stretches_within(piece, gold)
    marked = [position for first, last in marks for position in range(start + first, start + last)]
    assert marked == sorted(wanted & {*range(start, end)})
    assert all(first < last for first, last in marks)
    assert all(before[1] < after[0] for before, after in pairwise(marks))  # each as long as it can be


@pytest.mark.parametrize(
    ("gold", "marks"),
    [
        ([("a", 0, 10), ("a", 20, 30)], []),  # both touch it
        ([("a", 5, 12), ("a", 11, 14)], [(0, 14 - 10)]),
        ([("a", 11, 12), ("a", 14, 25)], [(11 - 10, 12 - 10), (14 - 10, 20 - 10)]),
        ([("b", 10, 20), ("a", 15, 15)], []),
    ],
)
def test_touching_is_not_overlapping(gold: Sequence[Span], marks: list[tuple[int, int]]) -> None:
    assert stretches_within(("a", 10, 20), gold) == marks


def test_the_explorer_marks_gold_in_texts_of_sources() -> None:
    assert shown(inspected(sources=SOURCES)) == MARKED


def row(query: str, span: Span, **further: Any) -> dict[str, Any]:
    """A row of a run that has the text of its piece."""
    source, start, end = span
    return {"query": query, "source": source, "start": start, "end": end, "score": -start, **further}


def cut(span: Span) -> str:
    """The text of a span."""
    return SOURCES[span[0]][span[1] : span[2]]


def of_langchain(span: Span) -> Any:
    """A document as LangChain has them."""
    return SimpleNamespace(page_content=cut(span), metadata={"source": span[0], "start_index": span[1]}, id=None)


def of_llama_index(span: Span) -> Any:
    """A node with its score as LlamaIndex has them."""
    source, start, end = span
    node = SimpleNamespace(ref_doc_id=source, start_char_idx=start, end_char_idx=end, text=cut(span), node_id="n")
    return SimpleNamespace(node=node, score=-float(start))


FORMS: dict[str, Any] = {
    "rows with a text": [row("q1", span, text=cut(span)) for span in PIECES["q1"]],
    "rows with ids": [row("q1", span, document=f"c{span[1]}", content=cut(span)) for span in PIECES["q1"]],
    "documents of LangChain": {"q1": [of_langchain(span) for span in PIECES["q1"]]},
    "nodes of LlamaIndex": {"q1": [of_llama_index(span) for span in PIECES["q1"]]},
}


@pytest.mark.parametrize("form", FORMS)
def test_texts_of_retrieved_pieces_are_marked_without_sources(form: str) -> None:
    gold = {"q1": GOLD["q1"]}
    expected = {key: marked for key, marked in MARKED.items() if key[0] == "q1"}
    assert shown(inspected(gold, FORMS[form])) == expected
    report = make(rw.Qrels(gold), {"small": rw.Run(FORMS[form])}, MEASURES, profiles=False).record
    assert marked_in(report) == expected


def marked_in(record: dict[str, Any]) -> dict[tuple[str, str], list[str]]:
    """What is marked in the rankings of a report."""
    return {
        (query, document): [text[start:end] for start, end in record["marks"].get(query, {}).get(document, [])]
        for query, runs in record["lists"].items()
        for document, *_ in runs["small"]["rows"]
        for text in [record["documents"][document]]
    }


def test_a_report_marks_gold_in_texts_of_sources() -> None:
    qrels, run = rw.Qrels(GOLD, sources=SOURCES), rw.Run(PIECES, "small", sources=SOURCES)
    assert marked_in(make(qrels, {"small": run}, MEASURES, profiles=False).record) == MARKED


def test_texts_that_are_not_those_of_their_spans_are_shown_and_not_marked() -> None:
    docs = {called(*FIRST): "Handbook: Returns", called(*SECOND): cut(SECOND)}
    inspector = inspected(docs=docs)
    rows = inspector.query({"query": "q1"})["rankings"][0]["rows"]
    assert [(each["text"], len(each["marks"])) for each in rows] == [(docs[called(*FIRST)], 0), (cut(SECOND), 1)]


def test_without_texts_nothing_is_marked() -> None:
    inspector = inspected()
    assert set(map(tuple, shown(inspector).values())) == {()}
    assert not inspector.session()["marks"]


def test_gold_spans_that_no_piece_holds_are_marked_whole() -> None:
    inspector = inspected({"q1": [part("arabic.md", "يورو")]}, {"q1": [FIRST]}, SOURCES)
    [missing] = inspector.query({"query": "q1", "measure": "RR@3"})["rankings"][0]["missing"]
    assert (missing["text"], missing["marks"]) == ("يورو", [(0, 4)])


@pytest.mark.parametrize("handler", ["moves", "judge", "to_judge", "playground"])
def test_pieces_are_neither_moved_nor_graded_by_hand(handler: str) -> None:
    inspector = inspected(sources=SOURCES)
    request = {"query": "q1", "run": "small", "measure": "RR@3", "document": called(*FIRST), "grade": 1}
    with pytest.raises(UsageError, match="judged by the gold spans") as caught:
        getattr(inspector, handler)(request)
    assert caught.value.slug == "bad-request"
    assert not inspector.session()["judges"]


def test_grades_of_pieces_are_not_saved(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="--save-grades") as caught:
        inspected(save=str(tmp_path / "new.txt"))
    assert caught.value.slug == "conflicting-options"


def test_the_command_marks_gold_that_is_found_in_sources(tmp_path: Path) -> None:
    (tmp_path / "texts").mkdir()
    for name, text in SOURCES.items():
        (tmp_path / "texts" / name).write_text(text, "utf-8")
    gold = [{"query": "q1", "text": "Shoes"}, {"query": "q2", "text": "فوق خمسين يورو"}]
    (tmp_path / "gold.jsonl").write_text("".join(f"{json.dumps(each)}\n" for each in gold), "utf-8")
    pieces = [{"query": "q1", "text": cut(SECOND), "score": 1}, {"query": "q2", "text": ARABIC, "score": 1}]
    (tmp_path / "small.jsonl").write_text("".join(f"{json.dumps(each)}\n" for each in pieces), "utf-8")
    files = [str(tmp_path / "gold.jsonl"), str(tmp_path / "small.jsonl")]
    page = tmp_path / "report.html"
    assert (
        main(["report", *files, "--sources", str(tmp_path / "texts"), "-m", "SpanR@3", "--quiet", "-o", str(page)]) == 0
    )
    [packed] = re.findall(r'id="data"[^>]*>([^<]*)<', page.read_text("utf-8"))
    marked = marked_in(json.loads(zlib.decompress(base64.b64decode(packed))))
    assert marked == {("q1", called(*SECOND)): ["Shoes"], ("q2", called(*PIECES["q2"][0])): ["فوق خمسين يورو"]}
