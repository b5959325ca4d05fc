"""Spans of characters against sets of characters, and against what tools gave."""

import gzip
import itertools
import json
import math
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rankworth.stats.spans import Span, ceiling, count_spans, cover

CASES = json.loads(gzip.decompress((Path(__file__).parent / "data/spans.json.gz").read_bytes()))["cases"]
SPAN = st.tuples(st.sampled_from("ab"), st.integers(0, 30), st.integers(0, 12)).map(
    lambda span: (span[0], span[1], span[1] + span[2])
)


def characters(spans: Sequence[Span]) -> set[tuple[str, int]]:
    """Return the characters of spans as a set."""
    return {(source, position) for source, start, end in spans for position in range(start, end)}


def ratio(part: int, whole: int) -> float:
    """Divide; NaN without a divisor."""
    return part / whole if whole else math.nan


def by_sets(gold: Sequence[Span], pieces: Sequence[Span]) -> list[float]:
    """Return recall, precision and IoU as sets have them."""
    wanted, retrieved = characters(gold), characters(pieces)
    found = len(wanted & retrieved)
    return [ratio(found, len(wanted)), ratio(found, len(retrieved)), ratio(found, len(wanted | retrieved))]


def differ(gold: Sequence[Span], pieces: Sequence[Span]) -> list[int]:
    """Return the numbers of pieces after which a value is not that of sets."""
    counts = count_spans(gold, pieces)
    values = np.stack([counts.recall, counts.precision, counts.iou], axis=1)
    expected = [by_sets(gold, pieces[:k]) for k in range(len(pieces) + 1)]
    return [k for k, row in enumerate(expected) if not np.array_equal(values[k], row, equal_nan=True)]


@given(st.lists(SPAN, max_size=4), st.lists(SPAN, max_size=6))
def test_values_are_those_of_sets_of_characters_at_every_cutoff(gold: Sequence[Span], pieces: Sequence[Span]) -> None:
    assert differ(gold, pieces) == []


@given(st.lists(SPAN, max_size=4), st.lists(SPAN, max_size=6))
def test_sums_of_each_span_are_those_of_pairs(gold: Sequence[Span], pieces: Sequence[Span]) -> None:
    counts = count_spans(gold, pieces)
    common = sum(len(characters([wanted]) & characters([piece])) for wanted in gold for piece in pieces)
    missed = sum(len(characters([wanted]) - characters(pieces)) for wanted in gold)
    lengths = [sum(end - start for _, start, end in spans) for spans in (gold, pieces)]
    assert [counts.found_each[-1], counts.missed_each[-1]] == [common, missed]
    assert [counts.gold_each, counts.retrieved_each[-1]] == lengths


@given(st.lists(SPAN, max_size=4), st.lists(SPAN, max_size=6))
def test_a_share_is_the_most_that_a_piece_holds_of_a_gold_span(gold: Sequence[Span], pieces: Sequence[Span]) -> None:
    sized = [span for span in gold if span[1] < span[2]]
    expected = [
        max((len(characters([piece]) & characters([span])) / (span[2] - span[1]) for span in sized), default=math.nan)
        for piece in pieces
    ]
    assert np.array_equal(count_spans(gold, pieces).shares, expected, equal_nan=True)


@given(st.lists(SPAN, min_size=1, max_size=4), st.integers(1, 15))
def test_a_ceiling_over_chunks_without_gaps_has_recall_1_and_the_best_precision(
    gold: Sequence[Span], size: int
) -> None:
    chunks = [(source, start, start + size) for source in "ab" for start in range(0, 60, size)]
    best, wanted = ceiling(gold, chunks), characters(gold)
    held = [chunk for chunk in chunks if characters([chunk]) & wanted]
    expected = by_sets(gold, held)
    assert np.array_equal([best.recall[-1], best.precision[-1], best.iou[-1]], expected, equal_nan=True)
    assert best.shares.size == len(held)
    assert not wanted or best.recall[-1] == 1


@given(st.lists(SPAN, max_size=3), st.lists(SPAN, max_size=7))
def test_a_cover_is_the_best_of_all_choices_of_chunks(gold: Sequence[Span], chunks: Sequence[Span]) -> None:
    wanted = characters(gold)
    could_be = characters(chunks) & wanted
    choices = itertools.chain.from_iterable(itertools.combinations(chunks, n) for n in range(len(chunks) + 1))
    sizes = ((len(characters(choice)), len(choice)) for choice in choices if characters(choice) >= could_be)
    chosen = [chunks[number] for number in cover(gold, chunks)]
    assert characters(chosen) >= could_be
    assert (len(characters(chosen)), len(chosen)) == min(sizes)


def test_spans_that_touch_have_nothing_in_common() -> None:
    counts = count_spans([("a", 10, 30)], [("a", 0, 10), ("a", 30, 40), ("b", 10, 30)])
    assert counts.recall.tolist() == [0, 0, 0, 0]
    assert counts.shares.tolist() == [0, 0, 0]
    assert counts.retrieved.tolist() == [0, 10, 10 + 10, 10 + 10 + 20]


def as_spans(spans: Sequence[Span]) -> list[Span]:
    """Return spans of a stored case."""
    return [(source, start, end) for source, start, end in spans]


def as_sets(gold: Sequence[Span], pieces: Sequence[Span], _: Sequence[Span]) -> dict[str, float]:
    """Return what plain sets of characters give."""
    counts = count_spans(gold, pieces)
    return {"recall": counts.recall[-1], "precision": counts.precision[-1], "iou": counts.iou[-1]}


def as_legalbench(gold: Sequence[Span], pieces: Sequence[Span], _: Sequence[Span]) -> dict[str, float]:
    """Return what LegalBench-RAG gives: characters count for each gold span and piece that have them; empty is 0."""
    counts = count_spans(gold, pieces)
    common = counts.found_each[-1]
    wanted, retrieved = counts.gold_each, counts.retrieved_each[-1]
    return {"recall": common / wanted if wanted else 0, "precision": common / retrieved if retrieved else 0}


def touches(chunk: Span, span: Span) -> bool:
    """Return whether a chunk touches a span, as chunking_evaluation asks."""
    return chunk[0] == span[0] and chunk[1] <= span[2] and span[1] <= chunk[2]


def as_chroma(gold: Sequence[Span], pieces: Sequence[Span], chunks: Sequence[Span]) -> dict[str, float]:
    """Return what chunking_evaluation gives: lengths of gold and of pieces are added up, what was found is a union."""
    counts = count_spans(gold, pieces)
    best = count_spans(gold, [chunk for chunk in chunks if any(touches(chunk, span) for span in gold)])
    found, length = counts.found[-1], counts.retrieved_each[-1]
    return {
        "recall": found / counts.gold_each,
        "precision": found / length,
        "iou": found / (length + counts.missed_each[-1]),
        "precision_omega": best.iou[-1],
    }


TOOLS = {"sets of characters": as_sets, "legalbenchrag": as_legalbench, "chunking_evaluation": as_chroma}


@pytest.mark.parametrize("tool", TOOLS)
def test_counts_give_the_values_of_tools(tool: str) -> None:
    wrong, compared = [], 0
    for case in CASES:
        if case["tool"] != tool or case["result"] is None:
            continue
        described, expected = case["given"], case["result"]
        gold, retrieved, chunks = (as_spans(described[name]) for name in ("gold", "retrieved", "chunks"))
        depth = expected.get("chunks_that_touch_gold") if described["k"] is None else described["k"]
        values = TOOLS[tool](gold, retrieved[:depth], chunks)
        compared += 1
        for name, value in values.items():
            stored = math.nan if expected[name] is None else expected[name]
            if not (value == stored or (math.isnan(value) and math.isnan(stored))):
                wrong.append((described, name, float(value), stored))
    assert wrong == []
    assert compared == {"sets of characters": 102, "legalbenchrag": 100, "chunking_evaluation": 84}[tool]
