"""Measures of spans as users call them: against sets of characters, against what tools gave, and what is refused."""

import gzip
import json
import math
import warnings
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import rankworth as rw
from rankworth import cli
from rankworth.errors import InputError, MeasureError, RankworthError, RankworthWarning, UsageError

Span = tuple[str, int, int]
CASES = json.loads(gzip.decompress((Path(__file__).parent / "data/spans.json.gz").read_bytes()))["cases"]
SPAN = st.tuples(st.sampled_from("ab"), st.integers(0, 30), st.integers(0, 12)).map(
    lambda span: (span[0], span[1], span[1] + span[2])
)
GOLD = {"q1": [("a", 10, 30)], "q2": [("b", 0, 40), ("c", 5, 9)]}
RUN = {"q1": [("a", 0, 20), ("a", 15, 35)], "q2": [("c", 0, 6), ("b", 30, 60)]}
VALUES = {"SpanR": (20 / 20 + 11 / 44) / 2, "SpanP@1": (10 / 20 + 1 / 6) / 2, "SpanIoU": (20 / 35 + 11 / 69) / 2}
few = settings(max_examples=40, deadline=None)


def means(*arguments: Any, **options: Any) -> dict[str, float]:
    """Means, whatever the warnings."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RankworthWarning)
        return dict(rw.evaluate(*arguments, **options).mean())


def rows_of(spans: dict[str, list[Span]], *, scores: bool = False) -> list[dict[str, Any]]:
    """Write spans as rows, those of a run with scores."""
    named = ("query", "source", "start", "end")
    rows = [dict(zip(named, (query, *span), strict=True)) for query, items in spans.items() for span in items]
    return [row | ({"score": -number} if scores else {}) for number, row in enumerate(rows)]


# Costs

PIECES = [
    {"query": "q1", "document": "c1", "source": "a", "start": 0, "end": 20, "score": 2, "tokens": 5},
    {"query": "q1", "document": "c2", "source": "a", "start": 15, "end": 35, "score": 1, "tokens": 5},
]


@pytest.mark.parametrize("drops", [[], ["document"]])
def test_pieces_have_costs_whether_or_not_they_have_ids(drops: list[str]) -> None:
    rows = [{key: cell for key, cell in row.items() if key not in drops} for row in PIECES]
    values = means({"q1": GOLD["q1"]}, rows, ["SpanR@5tok", "SpanR@10tok"], cost="tokens")
    assert values == {"SpanR@5tok": 10 / 20, "SpanR@10tok": 1.0}


CHUNKS = [
    {"source": "a", "start": at, "end": at + 10, "tokens": 1 + at, "text": "w " * (at + 1)} for at in range(0, 40, 10)
]


@pytest.mark.parametrize("cost", ["tokens", "tokens=text"])
def test_chunks_tell_what_has_to_be_read(cost: str) -> None:
    gold = {"q1": [("a", 5, 25)], "q2": [("a", 35, 60)]}  # q1 needs three chunks, and of q2 one holds a fifth
    for chunks in (CHUNKS, pl.DataFrame(CHUNKS)):
        values = rw.chunks(gold, {"tens": chunks}, cost=cost)["tens"]
        assert dict(values.mean()) == {
            "SpanR": (1 + 5 / 25) / 2,
            "SpanP": (20 / 30 + 5 / 10) / 2,
            "SpanIoU": (20 / 30 + 5 / 30) / 2,
            "SpanPieces": (3 + 1) / 2,
            "SpanLength": (30 + 10) / 2,
            "CostToAll(absent=0)": (1 + 11 + 21 + 31) / 2,
        }


def test_chunks_without_a_column_have_no_costs() -> None:
    with pytest.raises(InputError, match="no column of costs") as error:
        rw.chunks({"q1": [("a", 5, 25)]}, {"tens": [("a", 0, 10)]}, cost="tokens")
    assert error.value.slug == "bad-cost"


def test_the_command_chunks_draws_precision_over_what_has_to_be_read(tmp_path: Path) -> None:
    (tmp_path / "gold.jsonl").write_text('{"query": "q1", "source": "a", "start": 5, "end": 25}\n')
    pl.DataFrame(CHUNKS).write_csv(tmp_path / "tens.csv")
    command = ["chunks", str(tmp_path / "gold.jsonl"), str(tmp_path / "tens.csv"), "-o", str(tmp_path / "chunks.svg")]
    for further, across in (([], "SpanLength"), (["--cost", "tokens"], "CostToAll(absent=0)")):
        assert cli.main([*command, *further]) == 0
        assert f"mean {across}, lower is better" in (tmp_path / "chunks.svg").read_text()


# Against sets of characters


def characters(spans: Sequence[Span]) -> set[tuple[str, int]]:
    """Return the characters of spans as a set."""
    return {(source, position) for source, start, end in spans for position in range(start, end)}


def by_sets(gold: Sequence[Span], pieces: Sequence[Span]) -> list[float]:
    """Return recall, precision and IoU as sets have them, NaN where they are undefined."""
    wanted, retrieved = characters(gold), characters(pieces)
    found = len(wanted & retrieved)
    return [found / size if size else math.nan for size in (len(wanted), len(retrieved), len(wanted | retrieved))]


@few
@given(
    gold=st.lists(SPAN, min_size=1, max_size=4, unique=True),
    pieces=st.lists(SPAN, min_size=1, max_size=6, unique=True),
    k=st.integers(1, 7),
)
def test_values_are_those_of_sets_of_characters(gold: list[Span], pieces: list[Span], k: int) -> None:
    measures = [f"{name}@{k}" for name in ("SpanR", "SpanP", "SpanIoU")]
    values = means({"q": gold}, {"q": pieces}, measures, undefined="nan")
    np.testing.assert_array_equal([values[name] for name in measures], by_sets(gold, pieces[:k]))


@few
@given(
    gold=st.lists(SPAN, min_size=1, max_size=4, unique=True),
    pieces=st.lists(SPAN, min_size=1, max_size=6, unique=True),
    share=st.sampled_from([0, 0.25, 0.5, 1]),
)
def test_a_piece_is_relevant_by_the_share_of_a_gold_span_that_it_holds(
    gold: list[Span], pieces: list[Span], share: float
) -> None:
    def holds(piece: Span, span: Span) -> bool:
        common, size = len(characters([piece]) & characters([span])), span[2] - span[1]
        return size > 0 and (common / size >= share if share else common > 0)

    is_relevant = [any(holds(piece, span) for span in gold) for piece in pieces]
    sized = [span for span in gold if span[1] < span[2]]
    n_missed = sum(not any(holds(piece, span) for piece in pieces) for span in sized)
    first = is_relevant.index(True) + 1 if any(is_relevant) else math.inf
    n_relevant = sum(is_relevant) + n_missed
    values = means({"q": gold}, {"q": pieces}, ["RR", "P@3", "R"], span_share=share)
    recall = sum(is_relevant) / n_relevant if n_relevant else 0
    expected = {"RR": 1 / first, "P@3": sum(is_relevant[:3]) / 3, "R": recall}
    assert values == pytest.approx(expected, rel=1e-15)


def test_a_piece_has_the_highest_grade_of_the_spans_that_it_holds() -> None:
    gold = [{**row, "grade": grade} for row, grade in zip(rows_of(GOLD), (1, 3, 2), strict=True)]
    run = {"q1": [("a", 0, 50)], "q2": [("c", 0, 9), ("b", 0, 40)]}
    discounted = 2 + 3 / math.log2(3)
    assert means(gold, run, ["nDCG", "SpanR"]) == pytest.approx(
        {"nDCG": (1 + discounted / (3 + 2 / math.log2(3))) / 2, "SpanR": 1.0}
    )


def test_spans_of_grade_0_are_no_gold() -> None:
    gold = [{**row, "grade": grade} for row, grade in zip(rows_of(GOLD), (1, 0, 1), strict=True)]
    assert means(gold, RUN, ["SpanR"]) == {"SpanR": (1 + 1 / 4) / 2}


# Against what tools gave

NAMES = {
    "sets of characters": ({"recall": "SpanR", "precision": "SpanP", "iou": "SpanIoU"}, {"undefined": "nan"}, 102),
    "legalbenchrag": ({"recall": "recall", "precision": "precision"}, {"profile": "legalbench-rag"}, 100),
    "chunking_evaluation": (
        {"recall": "recall", "precision": "precision", "iou": "iou"},
        {"profile": "chroma-chunking"},
        84,
    ),
}


@pytest.mark.parametrize("tool", NAMES)
def test_values_are_those_of_tools(tool: str) -> None:
    names, options, number = NAMES[tool]
    wrong, compared = [], 0
    for case in CASES:
        if case["tool"] != tool or case["result"] is None:
            continue
        described, expected = case["given"], case["result"]
        gold, retrieved = ([tuple(span) for span in described[name]] for name in ("gold", "retrieved"))
        depth = expected.get("chunks_that_touch_gold") if described["k"] is None else described["k"]
        plain = {"duplicates": "first", "duplicate_judgements": "first"} if tool == "sets of characters" else {}
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", RankworthWarning)
            beside = {"other": [("a", 0, 1)]}  # a run has a piece for some query
            run = {"q": retrieved[:depth], **beside}
            evaluated = rw.evaluate({"q": gold, **beside}, run, [*names.values()], **options, **plain)
        values = evaluated.per_query.to_dict()["q"]
        compared += 1
        for name, measure in names.items():
            stored = math.nan if expected[name] is None else expected[name]
            if not (values[measure] == stored or (math.isnan(values[measure]) and math.isnan(stored))):
                wrong.append((described, name, values[measure], stored))
    assert wrong == []
    assert compared == number


def test_only_profiles_count_a_character_twice() -> None:
    gold, twice = {"q": [("a", 0, 10)]}, {"q": [("a", 0, 10), ("a", 0, 8)]}
    assert means(gold, twice, ["recall"], profile="legalbench-rag") == {"recall": 1.8}
    assert means(gold, twice, ["SpanR", "SpanP"]) == {"SpanR": 1.0, "SpanP": 1.0}


def test_chroma_refuses_a_query_without_pieces() -> None:
    with pytest.raises(RankworthError, match="missing"):
        means(GOLD, {"q1": RUN["q1"]}, ["recall"], profile="chroma-chunking")


# Every way in


class Piece:
    """A Document of LangChain, as far as it matters here."""

    def __init__(self, source: str, start: int, end: int) -> None:  # noqa: D107 - above
        self.id, self.page_content = None, "x" * (end - start)
        self.metadata = {"source": source, "start_index": start}


class Node:
    """A node of LlamaIndex, as far as it matters here."""

    def __init__(self, source: str, start: int, end: int) -> None:  # noqa: D107 - above
        self.id_ = f"{source}{start}"
        self.ref_doc_id, self.start_char_idx, self.end_char_idx = source, start, end


class ScoredNode:
    """A node with its score."""

    def __init__(self, node: Node, score: float) -> None:  # noqa: D107 - above
        self.node, self.score, self.id_ = node, score, node.id_


def records(spans: dict[str, list[Span]]) -> dict[str, list[dict[str, Any]]]:
    """Write spans as lists of records."""
    return {
        query: [dict(zip(("source", "start", "end"), span, strict=True)) for span in items]
        for query, items in spans.items()
    }


def lists_of(make: Any) -> dict[str, list[Any]]:
    """Write the run as lists of objects."""
    return {query: [make(number, span) for number, span in enumerate(items)] for query, items in RUN.items()}


RUNS = {
    "tuples": RUN,
    "records": records(RUN),
    "rows": rows_of(RUN, scores=True),
    "rows with ids": [{**row, "chunk_id": f"c{number}"} for number, row in enumerate(rows_of(RUN, scores=True))],
    "records with ids": lists_of(
        lambda number, span: {
            "id": number,
            "score": -number,
            **dict(zip(("source", "start", "end"), span, strict=True)),
        }
    ),
    "polars": pl.DataFrame(rows_of(RUN, scores=True)),
    "pandas": pl.DataFrame(rows_of(RUN, scores=True)).to_pandas(),
    "frame of lists": pl.DataFrame([{"query": query, "results": items} for query, items in records(RUN).items()]),
    "langchain": lists_of(lambda _, span: Piece(*span)),
    "langchain with scores": lists_of(lambda number, span: (Piece(*span), -float(number))),
    "llama_index": lists_of(lambda number, span: ScoredNode(Node(*span), -float(number))),
    "haystack": lists_of(
        lambda number, span: {
            "id": f"h{number}",
            "content": "x" * (span[2] - span[1]),
            "score": -float(number),
            "meta": {"source_id": span[0], "split_idx_start": span[1]},
        }
    ),
}


@pytest.mark.parametrize("form", RUNS)
@pytest.mark.filterwarnings("ignore::rankworth.RankworthWarning")
def test_pieces_in_any_form_give_the_same(form: str) -> None:
    assert means(GOLD, RUNS[form], [*VALUES]) == pytest.approx(VALUES, rel=1e-15)


@pytest.mark.parametrize("suffix", ["csv", "tsv", "jsonl", "json", "parquet", "arrow"])
def test_files_of_any_format_give_the_same(suffix: str, tmp_path: Path) -> None:
    paths = []
    for name, rows in (("gold", rows_of(GOLD)), ("pieces", rows_of(RUN, scores=True))):
        path, frame = tmp_path / f"{name}.{suffix}", pl.DataFrame(rows)
        write: Any = {
            "csv": frame.write_csv,
            "tsv": lambda path, frame=frame: frame.write_csv(path, separator="\t"),
            "jsonl": frame.write_ndjson,
            "json": frame.write_json,
            "parquet": frame.write_parquet,
            "arrow": frame.write_ipc,
        }[suffix]
        write(path)
        paths.append(path)
    assert means(*paths, [*VALUES]) == pytest.approx(VALUES, rel=1e-15)


def test_columns_of_spans_are_named_as_any_others() -> None:
    renamed = [
        {"query": row["query"], "file": row["source"], "a": row["start"], "b": row["end"]} for row in rows_of(GOLD)
    ]
    said = {"source": "file", "start": "a", "end": "b"}
    assert means(renamed, RUN, [*VALUES], qrels_columns=said) == pytest.approx(VALUES, rel=1e-15)
    assert means(rw.Qrels(renamed, columns=said), RUN, [*VALUES]) == pytest.approx(VALUES, rel=1e-15)
    with pytest.raises(InputError, match="there is no start field"):
        means([{**row, "end": None} for row in renamed], RUN, ["SpanR"], qrels_columns={"source": "file", "end": "b"})


def test_ids_of_chunks_are_read_where_judgements_have_ids() -> None:
    rows = [{**row, "chunk_id": f"c{number}"} for number, row in enumerate(rows_of(RUN, scores=True))]
    assert means({"q1": {"c1": 1}, "q2": {"c2": 1}}, rows, ["RR"]) == {"RR": 0.75}


# Commands


def test_two_chunkings_are_compared(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    files = {"gold": rows_of(GOLD), "small": rows_of(RUN, scores=True)}
    files["large"] = rows_of({"q1": [("a", 0, 100)], "q2": [("b", 0, 100), ("c", 0, 100)]}, scores=True)
    for name, rows in files.items():
        pl.DataFrame(rows).write_ndjson(tmp_path / f"{name}.jsonl")
    gold, small, large = (str(tmp_path / f"{name}.jsonl") for name in files)
    cli.main(["evaluate", gold, small, "-m", "SpanR@5", "SpanP@5", "SpanIoU@5", "RR@5", "--quiet"])
    assert capsys.readouterr().out.splitlines()[1].split("\t") == [
        "small",
        *map(str, means(GOLD, RUN, ["SpanR@5", "SpanP@5", "SpanIoU@5", "RR@5"]).values()),
    ]
    cli.main(["compare", gold, small, large, "-m", "SpanR@5", "RR@5"])
    assert "SpanR@5  0.6250  1.0000     +0.3750" in capsys.readouterr().out


def all_chunks(size: int, step: int) -> list[Span]:
    """Return the chunks of two sources."""
    return [(source, start, start + size) for source in "ab" for start in range(0, 60, step)]


CHUNKINGS = {"10": all_chunks(10, 10), "30": all_chunks(30, 30), "30/15": all_chunks(30, 15)}


@few
@given(gold=st.lists(SPAN, min_size=1, max_size=4, unique=True), name=st.sampled_from([*CHUNKINGS]))
def test_the_ceiling_of_a_chunking_has_all_of_the_gold(gold: list[Span], name: str) -> None:
    gold = [*gold, ("a", 3, 8)]
    pieces, wanted = CHUNKINGS[name], characters(gold)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RankworthWarning)
        values = rw.chunks({"q": gold}, {name: pieces}, duplicate_judgements="first")[name].mean()
    touching = [piece for piece in pieces if characters([piece]) & wanted]
    assert values["SpanR"] == 1
    assert values["SpanP"] == values["SpanIoU"] == len(wanted) / values["SpanLength"]
    assert values["SpanLength"] <= len(characters(touching))
    assert values["SpanPieces"] <= len(touching)
    if name != "30/15":
        assert (values["SpanLength"], values["SpanPieces"]) == (len(characters(touching)), len(touching))


def test_chunks_come_in_any_form(tmp_path: Path) -> None:
    rows = {
        name: [dict(zip(("source", "start", "end"), chunk, strict=True)) for chunk in pieces]
        for name, pieces in CHUNKINGS.items()
    }
    expected = rw.chunks(GOLD, CHUNKINGS)
    assert dict(expected["10"].mean())["SpanPieces"] == (2 + 4) / 2
    assert rw.chunks(GOLD, rows) == expected
    assert rw.chunks(GOLD, {name: pl.DataFrame(each) for name, each in rows.items()}) == expected
    for suffix in ("csv", "jsonl", "parquet"):
        paths = {name: tmp_path / f"{name.replace('/', '-')}.{suffix}" for name in rows}
        for name, path in paths.items():
            frame = pl.DataFrame(rows[name])
            {"csv": frame.write_csv, "jsonl": frame.write_ndjson, "parquet": frame.write_parquet}[suffix](path)
        assert rw.chunks(GOLD, paths) == expected
    renamed = {name: [{"file": row["source"], **row} for row in each] for name, each in rows.items()}
    for each in renamed.values():
        for row in each:
            del row["source"]
    assert rw.chunks(GOLD, renamed, run_columns={"source": "file"}) == expected


def test_chunks_are_a_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    pl.DataFrame(rows_of(GOLD)).write_ndjson(tmp_path / "gold.jsonl")
    for name in ("10", "30"):
        pl.DataFrame(CHUNKINGS[name], schema=["source", "start", "end"], orient="row").write_csv(
            tmp_path / f"{name}.csv"
        )
    gold, small, large = (str(tmp_path / name) for name in ("gold.jsonl", "10.csv", "30.csv"))
    assert cli.main(["chunks", gold, small, f"large={large}", "-f", "json"]) == 0
    shown = json.loads(capsys.readouterr().out)
    assert [run["name"] for run in shown["runs"]] == ["10", "large"]
    assert shown["runs"][0]["mean"] == dict(rw.chunks(GOLD, CHUNKINGS)["10"].mean())
    assert cli.main(["chunks", gold, small, small]) == 2
    assert "run-names" in capsys.readouterr().err


def test_a_warning_of_chunks_is_said_once_and_its_remedies_are_options(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], recwarn: pytest.WarningsRecorder
) -> None:
    gold, chunks, only = (str(tmp_path / name) for name in ("gold.jsonl", "chunks.jsonl", "only.txt"))
    pl.DataFrame(rows_of({"q1": [("a", 10, 30)], "q2": [("b", 0, 9)]})).write_ndjson(gold)
    pl.DataFrame([("a", 0, 20), ("a", 20, 40)], schema=["source", "start", "end"], orient="row").write_ndjson(chunks)
    Path(only).write_text("q1\n")
    call = ["chunks", gold, chunks, "-m", "SpanR", "-f", "json"]
    assert cli.main(call) == 0
    text = capsys.readouterr().out
    assert json.loads(text)["runs"][0]["mean"] == {"SpanR": 1 / 2}
    assert text.count("many-unanswered") == 1
    assert "--answered-only" in text
    assert "--only FILE" in text
    for option in (["--answered-only"], ["--only", only]):
        assert cli.main([*call, *option]) == 0
        assert json.loads(capsys.readouterr().out)["runs"][0]["mean"] == {"SpanR": 1.0}
    assert not [warning for warning in recwarn if issubclass(warning.category, rw.RankworthWarning)]


def test_chunkings_that_cannot_be_used_are_refused() -> None:
    with pytest.raises(InputError, match="no chunk holds a character of the gold") as error:
        rw.chunks(GOLD, {"other": [("z", 0, 10)]})
    assert error.value.slug == "no-match"
    with pytest.raises(MeasureError, match="the ceiling of a chunking needs spans"):
        rw.chunks({"q1": {"d1": 1}}, CHUNKINGS)
    with pytest.raises(UsageError, match="names"):
        rw.chunks(GOLD, [CHUNKINGS["10"]])
    with pytest.raises(InputError, match="ends before it starts"):
        rw.chunks(GOLD, {"bad": [("a", 9, 3)]})


def test_measures_are_explained() -> None:
    explained = rw.explain(GOLD, RUN, "SpanR@2", query="q2")
    assert "0.25" in str(explained)


# What is refused


@pytest.mark.parametrize(
    ("cell", "slug", "told"),
    [
        ({"end": 5}, "bad-span", "row 1: the span 15 to 5 ends before it starts"),
        ({"start": -2}, "bad-span", "row 1: the span -2 to 35 starts before its source"),
        ({"start": None}, "missing-value", "row 1 has no start"),
        ({"source": None}, "missing-value", "row 1: the source is missing"),
        ({"source": ""}, "missing-value", "row 1 has no source"),
        ({"start": "ten"}, "bad-span", "row 1: the start is 'ten', and no whole number"),
        ({"start": 1.5}, "bad-span", "row 1: the start is 1.5, and no whole number"),
    ],
)
def test_a_bad_span_is_refused_with_its_row(cell: dict[str, Any], slug: str, told: str) -> None:
    rows: list[dict[str, Any]] = rows_of(RUN, scores=True)
    rows[1] |= cell
    with pytest.raises(InputError, match=told) as error:
        means(GOLD, rows, ["SpanR"])
    assert error.value.slug == slug


@pytest.mark.parametrize("suffix", ["csv", "jsonl"])
def test_a_bad_span_of_a_file_is_refused_with_its_line(suffix: str, tmp_path: Path) -> None:
    frame = pl.DataFrame(
        [*rows_of(RUN, scores=True), {"query": "q2", "source": "a", "start": 9, "end": 3, "score": -9}]
    )
    path = tmp_path / f"pieces.{suffix}"
    frame.write_csv(path) if suffix == "csv" else frame.write_ndjson(path)
    with pytest.raises(InputError, match=r"pieces.*5: the span 9 to 3 ends before it starts"):
        means(GOLD, path, ["SpanR"])


def test_a_run_without_spans_is_refused() -> None:
    with pytest.raises(InputError, match="d7 is no span, and the judgements are spans") as error:
        means(GOLD, {"q1": {"d7": 1.0}}, ["SpanR"])
    assert error.value.slug == "bad-span"
    with pytest.raises(InputError, match="no source field, no start field and no end field"):
        means(GOLD, [{"query": "q1", "doc_id": "d7", "score": 1.0}], ["SpanR"])


def test_measures_of_spans_need_spans() -> None:
    with pytest.raises(MeasureError, match="SpanR needs spans") as error:
        means({"q1": {"d1": 1}}, {"q1": {"d1": 1.0}}, ["SpanR"])
    assert error.value.slug == "missing-input"


def test_a_share_lies_between_0_and_1() -> None:
    with pytest.raises(UsageError, match="from 0 to 1"):
        means(GOLD, RUN, ["RR"], span_share=1.5)
