"""Gold and pieces that are texts, sought in sources: what is found, in which forms, and what is refused."""

import json
import re
import warnings
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import rankworth as rw
from rankworth import cli
from rankworth.conversion import convert
from rankworth.errors import InputError, RankworthWarning, UsageError
from rankworth.io.source_texts import SourceText

HANDBOOK = "Returns are  accepted within\n30 days. Shoes can be returned. Shipping is free above 50 euro."
FAQ = "Who pays? Shipping is paid by you. Shoes can be returned."
SOURCES = {"handbook.md": HANDBOOK, "faq.txt": FAQ}
WITHIN = f"handbook.md:{HANDBOOK.index('accepted')}-{HANDBOOK.index(' days') + 5}"
WHO = "faq.txt:0-9"


def ids(gold: Any, **options: Any) -> list[str]:
    """Return the spans that gold stands for."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RankworthWarning)
        [documents] = rw.Qrels(gold, sources=SOURCES, **options).to_dict().values()
    return list(documents)


def document(text: str, **metadata: Any) -> Any:
    """Return a document as LangChain has them."""
    return SimpleNamespace(page_content=text, metadata=metadata, id=None)


TEXT = "accepted within 30 days"
FORMS: dict[str, Any] = {
    "lists": {"q1": [TEXT, "Who pays?"]},
    "dicts": {"q1": {TEXT: 1, "Who pays?": 1}},
    "pairs of source and text": {"q1": [("handbook", TEXT), ("faq.txt", "Who pays?")]},
    "rows": [{"query": "q1", "text": TEXT}, {"query": "q1", "text": "Who pays?"}],
    "rows with a source": [{"query": "q1", "text": t, "source": s} for t, s in ((TEXT, None), ("Who pays?", "faq"))],
    "rows with ids": [{"query": "q1", "document": d, "text": t} for d, t in (("c1", TEXT), ("c2", "Who pays?"))],
    "a frame": pl.DataFrame({"query": ["q1", "q1"], "text": [TEXT, "Who pays?"]}),
    "lists in rows": [{"query": "q1", "documents": [TEXT, "Who pays?"]}],
    "records in lists": {"q1": [{"content": TEXT}, {"content": "Who pays?"}]},
    "documents of LangChain": {"q1": [document(TEXT, source="docs/handbook.md"), document("Who pays?", source="faq")]},
    "groups": {"q1": [{TEXT}, {"Who pays?"}]},
}


@pytest.mark.parametrize("form", FORMS)
def test_texts_become_spans_in_every_form(form: str) -> None:
    assert ids(FORMS[form]) == [WITHIN, WHO]


@pytest.mark.parametrize(
    ("name", "text", "columns"),
    [
        ("gold.jsonl", f'{{"query": "q1", "text": "{TEXT}"}}\n{{"query": "q1", "text": "WHO  pays?"}}\n', {}),
        ("gold.json", json.dumps({"q1": [TEXT, "Who pays?"]}), {}),
        ("gold.csv", f"query,passage\nq1,{TEXT}\nq1,Who pays?\n", {"text": "passage"}),
        ("gold.tsv", f"query\ttext\nq1\t{TEXT}\nq1\tWho pays?\n", {}),
        ("gold.jsonl", json.dumps({"query": "q1", "contexts": [TEXT, "Who pays?"]}), {"documents": "contexts"}),
    ],
)
def test_texts_become_spans_in_files(name: str, text: str, columns: dict[str, str], tmp_path: Path) -> None:
    (tmp_path / name).write_text(text)
    assert ids(tmp_path / name, columns=columns) == [WITHIN, WHO]


def test_a_parquet_file_has_texts(tmp_path: Path) -> None:
    FORMS["a frame"].write_parquet(tmp_path / "gold.parquet")
    assert ids(tmp_path / "gold.parquet") == [WITHIN, WHO]


def of_folder(folder: Path) -> Any:
    """Write sources as files, one in a folder within the folder."""
    (folder / "sub").mkdir()
    (folder / "handbook.md").write_bytes(HANDBOOK.replace("\n", "\r\n").encode())
    (folder / "sub" / "faq.txt").write_text(FAQ)
    (folder / "picture.png").write_bytes(b"\x89PNG")
    return folder


def of_json_lines(folder: Path) -> Any:
    """Write sources as a corpus, with a title, which is no part of the text."""
    rows = ({"_id": name, "title": "A title", "text": text} for name, text in SOURCES.items())
    (folder / "corpus.jsonl").write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    return folder / "corpus.jsonl"


@pytest.mark.parametrize(
    "make",
    [
        of_folder,
        of_json_lines,
        lambda _: SOURCES,
        lambda _: [{"id": name, "text": text} for name, text in SOURCES.items()],
        lambda _: pl.DataFrame({"source": list(SOURCES), "text": list(SOURCES.values())}),
    ],
    ids=["folder", "json lines", "dict", "rows", "frame"],
)
def test_sources_come_in_every_form(make: Any, tmp_path: Path) -> None:
    gold = {"q1": [("handbook", TEXT)], "q2": [("faq", "Who pays?")]}
    read = rw.Qrels(gold, sources=make(tmp_path)).to_dict()
    assert [span.rpartition("/")[2] for grades in read.values() for span in grades] == [WITHIN, WHO]


def test_values_are_those_of_the_spans() -> None:
    gold, run = {"q1": [TEXT]}, {"q1": ["Who pays?", "Returns are accepted"]}
    start, end = HANDBOOK.index("accepted"), HANDBOOK.index(" days") + 5
    spans = {"q1": [("faq.txt", 0, 9), ("handbook.md", 0, start + 8)]}
    names = ["SpanR", "SpanP", "SpanR@1", "RR"]
    values = dict(rw.evaluate(gold, run, names, sources=SOURCES).mean())
    assert values == dict(rw.evaluate({"q1": [("handbook.md", start, end)]}, spans, names).mean())
    assert (values["SpanR"], values["SpanP"]) == (8 / (end - start), 8 / (9 + start + 8))


def test_pieces_that_are_spans_take_the_ids_of_sources() -> None:
    run = {"q1": [("docs/handbook.md", 0, 30)]}
    assert rw.evaluate({"q1": [TEXT]}, run, ["SpanR"], sources=SOURCES).mean()["SpanR"] > 0
    assert list(rw.Run(run, sources=SOURCES).to_frame()["document"]) == ["handbook.md:0-30"]


@pytest.mark.parametrize(
    "chunks", [["Returns are accepted", "within 30 days"], [{"text": HANDBOOK[:36]}], [("handbook", 0, 36)]]
)
def test_chunks_are_sought_too(chunks: Any) -> None:
    values = rw.chunks({"q1": [TEXT]}, {"chunks": chunks}, ["SpanR"], sources=SOURCES)["chunks"].mean()
    wanted = HANDBOOK.index(" days") + 5 - HANDBOOK.index("accepted")
    assert values["SpanR"] == ((wanted - 1) / wanted if len(chunks) > 1 else 1)


REFUSED: list[tuple[Any, str, str]] = [
    ({"q1": ["Shoes cannot be returned"]}, "text-not-found", "query 'q1', item 0: the text 'Shoes cannot be returned'"),
    ({"q1": ["Shoes can be returned"]}, "text-found-twice", "at faq.txt:35-56 and at handbook.md:38-59"),
    ({"q1": [("faq", TEXT)]}, "text-not-found", "is not in faq.txt"),
    ({"q1": [("manual.md", TEXT)]}, "unknown-source", "there is no source manual.md"),
    ({"q1": [("manual.md", 0, 3)]}, "unknown-source", "there is no source manual.md"),
    ({"q1": [("faq", 50, 58)]}, "bad-span", "ends behind its source faq.txt, which has 57 characters"),
    ({"q1": [("faq", 8, 3)]}, "bad-span", "ends before it starts"),
    ([{"query": "q1", "text": TEXT}, {"query": "q1", "text": "  "}], "missing-value", "row 1 has no text"),
    ([{"query": "q1", "text": TEXT}, {"query": "q1", "text": "nope"}], "text-not-found", "row 1: the text 'nope'"),
    ({"q1": {"d17": 1}}, "text-not-found", "the text 'd17'"),
    ({"q1": [TEXT, "ACCEPTED within 30 days"]}, "duplicate-judgement", "handbook.md:13-36"),
]


@pytest.mark.parametrize(("gold", "slug", "text"), REFUSED)
def test_what_is_not_found_once_is_refused(gold: Any, slug: str, text: str) -> None:
    with pytest.raises(InputError) as error:
        rw.Qrels(gold, sources=SOURCES)
    assert error.value.slug == slug
    assert text in str(error.value)


def test_the_line_of_a_text_is_named(tmp_path: Path) -> None:
    (tmp_path / "run.jsonl").write_text('{"query": "q1", "hits": [{"text": "Who pays?"}, {"text": "Who paid?"}]}\n')
    with pytest.raises(InputError, match=r"run\.jsonl:1, item 2: the text 'Who paid\?'"):
        rw.evaluate({"q1": [TEXT]}, tmp_path / "run.jsonl", ["SpanR"], sources=SOURCES)


def test_a_name_that_two_sources_have_is_refused() -> None:
    with pytest.raises(InputError, match=r"faq could be each of a/faq\.md b/faq\.md") as error:
        rw.Qrels({"q1": [("faq", "red")]}, sources={"a/faq.md": "red", "b/faq.md": "blue"})
    assert error.value.slug == "unknown-source"
    assert rw.Qrels({"q1": [("b/faq", "blue")]}, sources={"a/faq.md": "red", "b/faq.md": "blue"}).to_dict()


@pytest.mark.parametrize("options", [{"ids": "#"}, {"run_ids": "#"}, {"collapse": "#"}])
def test_rules_for_ids_and_sources_exclude_each_other(options: dict[str, str]) -> None:
    with pytest.raises(UsageError) as error:
        rw.evaluate({"q1": [TEXT]}, {"q1": ["Who pays?"]}, ["SpanR"], sources=SOURCES, **options)
    assert error.value.slug == "conflicting-options"


def test_a_column_of_texts_that_tells_nothing_is_refused() -> None:
    rows = [{"query": "q1", "document": "d1", "body": "red", "score": 1}]
    with pytest.raises(InputError, match="text=body is named") as error:
        rw.evaluate({"q1": {"d1": 1}}, rows, ["P@1"], run_columns={"text": "body"})
    assert error.value.slug == "frame-columns"


@pytest.mark.parametrize("command", ["evaluate", "explain", "check", "chunks", "compare", "report"])
def test_commands_take_sources(command: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "sources").mkdir()
    of_folder(tmp_path / "sources")
    (tmp_path / "gold.jsonl").write_text(f'{{"query": "q1", "text": "{TEXT}"}}\n')
    (tmp_path / "run.csv").write_text("query,text,score\nq1,Returns are accepted,2\nq1,Who pays?,1\n")
    gold, run = str(tmp_path / "gold.jsonl"), str(tmp_path / "run.csv")
    more = {
        "explain": [run, "q1"],
        "compare": [f"a={run}", f"b={run}"],
        "report": [run, "-o", str(tmp_path / "r.html")],
    }
    measures = [] if command in ("check", "chunks") else ["-m", "SpanR@5"]
    status = cli.main([command, gold, *more.get(command, [run]), *measures, "--sources", str(tmp_path / "sources")])
    captured = capsys.readouterr()
    assert "text-not-found" not in captured.err
    assert status == (1 if command == "check" else 0), captured.err  # the piece holds less than half of the gold
    if command == "evaluate":
        assert str(8 / 23) in captured.out


# Against a reference of a few lines


def occurrences(text: str, sought: str) -> list[tuple[int, int]]:
    """Return start and end of each occurrence."""
    return [(start, start + len(sought)) for start in range(len(text)) if text.startswith(sought, start)]


LETTERS = st.text("ab ", max_size=150)


@given(LETTERS, st.integers(0, 150), st.integers(1, 120))
def test_every_occurrence_of_a_text_is_found(text: str, start: int, length: int) -> None:
    sought = text[start : start + length] or "ab"
    assert sorted(SourceText("a", text).positions(sought)) == occurrences(text, sought)


@given(
    st.lists(st.sampled_from(["a", "B", "ab", "Ba"]), min_size=1),
    st.lists(st.sampled_from([" ", "\n", " \t "])),
    st.data(),
)
def test_normalised_texts_are_those_of_a_pattern(words: list[str], blanks: list[str], data: st.DataObject) -> None:
    text = "".join(word + (blanks[number % len(blanks)] if blanks else " ") for number, word in enumerate(words))
    sought = data.draw(st.lists(st.sampled_from(words), min_size=1, max_size=3))
    pattern = re.compile("(?=(" + r"\s+".join(sought) + "))", re.IGNORECASE)
    expected = [match.span(1) for match in pattern.finditer(text)]
    assert sorted(SourceText("a", text).normalised_positions(" ".join(sought).casefold())) == expected


def test_a_folded_letter_of_two_is_one_character() -> None:
    assert rw.Qrels({"q1": ["STRASSE 5"]}, sources={"a": "In der Straße 5"}).to_dict() == {"q1": {"a:7-15": 1.0}}


def run_of(tmp_path: Path, capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    """Run a command among some files, and return its status and what it prints."""
    status = cli.main([str(tmp_path / each) if (tmp_path / each).exists() else each for each in arguments])
    return status, *capsys.readouterr()


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Sources, gold and pieces that are texts, and pieces that are spans."""
    (tmp_path / "texts").mkdir()
    for name, text in SOURCES.items():
        (tmp_path / "texts" / name).write_text(text, "utf-8")
    (tmp_path / "gold.csv").write_text(f"query,text\nq1,{TEXT}\nq2,Who pays?\n", "utf-8")
    rows = ["q1,Returns are  accepted within,2", "q2,Who pays? Shipping,1"]
    (tmp_path / "pieces.csv").write_text("\n".join(["query,text,score", *rows, ""]), "utf-8")
    (tmp_path / "spans.csv").write_text("query,source,start,end,score,n_tokens\nq1,handbook,0,28,1,7\n", "utf-8")
    return tmp_path


def test_gold_that_is_text_is_told_how_to_name_its_sources(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = ("evaluate", "gold.csv", "pieces.csv", "-m", "SpanR@1")
    status, _, said = run_of(folder, capsys, *words)
    assert status == 2
    assert "if text holds passages, name the texts in which they stand: --sources FOLDER\n" in said
    status, out, _ = run_of(folder, capsys, *words, "--sources", "texts")
    assert status == 0
    held = len("accepted within") / len("accepted within\n30 days")
    assert out.splitlines()[1].split("\t")[1] == str((held + 1) / 2)


def test_measures_of_spans_name_sources_where_gold_is_text() -> None:
    with pytest.raises(rw.MeasureError, match="SpanR needs spans") as caught:
        rw.evaluate({"q1": [TEXT]}, {"q1": [TEXT]}, ["SpanR"])
    assert "sources={id: text}" in caught.value.remedy
    assert rw.evaluate({"q1": [TEXT]}, {"q1": [TEXT]}, ["SpanR"], sources=SOURCES)["SpanR"] == 1


@pytest.mark.parametrize("option", ["--cost", "--run-columns"])
def test_a_wrong_column_of_costs_is_named_as_it_was_typed(
    folder: Path, capsys: pytest.CaptureFixture[str], option: str
) -> None:
    words = ("evaluate", "gold.csv", "spans.csv", "--sources", "texts", "-m", "SpanR@9tok", option)
    status, _, said = run_of(folder, capsys, *words, "tokens=ntokens")
    assert status == 2
    assert said.startswith(f"error: {option} tokens=ntokens: there is no such column   [frame-columns]\n")
    [remedy] = re.findall(r"did you mean (.*)\?", said)
    assert remedy == f"{option} tokens=n_tokens"
    status, _, said = run_of(folder, capsys, *words[:-1], *remedy.split())
    assert status == 0


def test_a_wrong_column_of_costs_is_named_as_it_was_given() -> None:
    rows = [{"query": "q1", "document": "a", "score": 1, "n_tokens": 7}]
    with pytest.raises(InputError, match="cost='tokens=ntokens': there is no such column") as caught:
        rw.evaluate({"q1": {"a": 1}}, rows, ["R@9tok"], cost="tokens=ntokens")
    assert "did you mean cost='tokens=n_tokens'?" in caught.value.remedy


def test_a_wrong_column_of_costs_of_chunks_names_the_option(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = ("chunks", "gold.csv", "spans.csv", "--sources", "texts", "--cost")
    status, _, said = run_of(folder, capsys, *words, "tokens=ntokens")
    assert (status, "name the column of the costs: --cost tokens=NAME\n" in said) == (2, True)


@pytest.mark.parametrize("source", ["handbook", "handbook.md", "docs/handbook.md"])
def test_what_is_left_out_is_called_as_gold_and_pieces_are(source: str) -> None:
    gold, pieces = {"q1": [TEXT]}, {"q1": [("handbook", 0, 28), ("handbook", 28, 44)]}
    values = rw.evaluate(gold, pieces, ["SpanR@1"], sources=SOURCES, exclude=[("q1", f"{source}:0-28")])
    assert values["SpanR@1"] == len("\n30 days") / len("accepted within\n30 days")
    leaks = rw.evaluate(gold, pieces, ["Leak@2"], sources=SOURCES, forbidden=[("q1", f"{source}:0-28")])
    assert leaks["Leak@2"] == 1


@pytest.mark.parametrize("suffix", ["csv", "tsv", "jsonl", "parquet", "arrow"])
def test_texts_are_written_as_spans_that_give_the_same_values(
    folder: Path, capsys: pytest.CaptureFixture[str], suffix: str
) -> None:
    for name in ("gold", "pieces"):
        words = ("convert", f"{name}.csv", f"{folder}/{name}-spans.{suffix}", "--sources", "texts")
        assert run_of(folder, capsys, *words)[0] == 0
    rows = rw.Qrels(folder / f"gold-spans.{suffix}")
    assert rows.facts.spans
    assert rows.to_dict() == {"q1": {WITHIN: 1}, "q2": {WHO: 1}}
    written, sought = (
        run_of(folder, capsys, "evaluate", *files, "-m", "SpanR@1", "RR@1", "-q", "-f", "csv")[1].split("\n", 1)[1]
        for files in (
            (f"gold-spans.{suffix}", f"pieces={folder}/pieces-spans.{suffix}"),
            ("gold.csv", "pieces.csv", "--sources", "texts"),
        )
    )
    assert written == sought


@pytest.mark.parametrize("target", ["gold.qrels", "gold.json"])
def test_spans_are_not_written_where_they_would_be_ids(folder: Path, target: str) -> None:
    with pytest.raises(UsageError, match="cannot hold spans") as caught:
        convert(folder / "gold.csv", folder / target, sources=SOURCES)
    assert caught.value.slug == "unwritable-output"
    assert not (folder / target).exists()


def test_rules_for_ids_are_no_rules_for_sources(folder: Path) -> None:
    with pytest.raises(UsageError, match="ids and sources are rules for the ids of the same documents"):
        convert(folder / "gold.csv", folder / "new.csv", sources=SOURCES, ids="#")


def nodes(*texts: str) -> list[Any]:
    """Return nodes with scores as LlamaIndex has them, where nobody noted their positions."""
    of_text = [
        SimpleNamespace(text=text, ref_doc_id="docs/handbook.md", start_char_idx=None, end_char_idx=None, node_id="n")
        for text in texts
    ]
    return [SimpleNamespace(node=node, score=1.0 - rank / 10) for rank, node in enumerate(of_text)]


def test_texts_of_nodes_without_positions_are_sought() -> None:
    pieces = {"q1": nodes("Returns are  accepted within", "30 days. Shoes can be")}
    values = rw.evaluate({"q1": [TEXT]}, pieces, ["SpanR@1", "SpanR@2"], sources=SOURCES)
    gold = "accepted within\n30 days"
    assert values.mean() == {
        "SpanR@1": len("accepted within") / len(gold),
        "SpanR@2": (len(gold) - len("\n")) / len(gold),
    }


def test_documents_of_langchain_without_positions_are_told_of_sources() -> None:
    pieces = {"q1": [document("Returns are  accepted within", source="docs/handbook.md")]}
    with pytest.raises(InputError, match="id is None") as caught:
        rw.evaluate({"q1": [("handbook.md", 0, 9)]}, pieces, ["SpanR@1"])
    assert "\nif page_content holds passages, name the texts in which they stand: " in caught.value.remedy
    assert rw.evaluate({"q1": [("handbook.md", 0, 9)]}, pieces, ["SpanR@1"], sources=SOURCES)["SpanR@1"] == 1
