"""Measures of spans: how much of the gold the first pieces of sources hold, in characters, and how much else.

Judgements are spans of sources, and so is what was retrieved. Characters are counted once, however many spans have
them, unless a parameter says otherwise. Spans that only touch have nothing in common.
"""

import math
from typing import Literal

from rankworth.judged import Array, Judged
from rankworth.measures.building_blocks import total
from rankworth.measures.core import Terms, measure

Times = Literal["once", "each"]
"""How often a character counts that several gold spans have: once, or for each of them."""
Overlap = Literal["once", "twice"]
"""How often a character counts that several pieces have: once, or for each of them."""
_FOUND, _NEW, _FOUND_EACH, _LENGTH, _FOUND_OF_EACH = range(5)


@measure("SpanR", unjudged=("uniform",), monotone=True, needs=("spans",), pools=True)
def span_recall(judged: Judged, *, gold: Times = "once", overlap: Overlap = "once") -> Terms:
    """The share of the characters of the gold that the first k pieces hold.

    SpanR@k = |G and T| / |G|, where G are the characters of the gold spans, and T those of the first k pieces

    Args:
        judged: the rankings.
        gold: how often a character counts in |G| that several gold spans have: `once`; `each`, for each of them.
        overlap: how often a character of the gold counts in |G and T|: `once`; `twice`, for each piece and each gold
            span that have it.

    Range: 0 to 1, and above 1 with overlap=twice. Undefined where the gold spans have no character.
    Unjudged: grades do not matter, but that spans of grade 0 or less are no gold. Ties: not linear, ranks are taken as
    they are.
    Elsewhere: Chroma's chunking_evaluation has gold=each, so that gold that overlaps itself is never found whole;
    LegalBench-RAG has gold=each and overlap=twice.
    Source: Pipitone, Houir Alami (2024), LegalBench-RAG: a benchmark for retrieval-augmented generation in the legal
    domain, https://doi.org/10.48550/arXiv.2408.10343

    >>> import rankworth
    >>> gold, pieces = {"q1": [("a", 10, 30)]}, {"q1": [("a", 0, 20), ("a", 15, 35)]}
    >>> rankworth.evaluate(gold, pieces, ["SpanR@1"])["SpanR@1"]  # 10 of 20 characters
    0.5
    """
    of_pieces, of_gold = _characters(judged, "SpanR")
    return Terms(
        gain=of_pieces[:, :, _FOUND if overlap == "once" else _FOUND_EACH],
        norm=of_gold[:, 0 if gold == "once" else 1],
    )


@measure("SpanP", unjudged=("uniform",), monotone=True, needs=("spans",), pools=True)
def span_precision(judged: Judged, *, gold: Times = "once", overlap: Overlap = "once") -> Terms:
    """The share of the characters of the first k pieces that belong to the gold.

    SpanP@k = |G and T| / |T|, where G are the characters of the gold spans, and T those of the first k pieces

    Args:
        judged: the rankings.
        gold: how often a character counts in |G and T| that several gold spans and pieces have: `once`; `each`, for
            each of these spans and pieces.
        overlap: how often a character counts in |T| that several pieces have: `once`; `twice`, for each of them.

    Range: 0 to 1, and above 1 with gold=each. Undefined where nothing is retrieved.
    Unjudged: grades do not matter, but that spans of grade 0 or less are no gold. Ties: not linear, ranks are taken as
    they are.
    Elsewhere: Chroma's chunking_evaluation has overlap=twice; LegalBench-RAG has gold=each and overlap=twice.
    Source: Pipitone, Houir Alami (2024), LegalBench-RAG: a benchmark for retrieval-augmented generation in the legal
    domain, https://doi.org/10.48550/arXiv.2408.10343

    >>> import rankworth
    >>> gold, pieces = {"q1": [("a", 10, 30)]}, {"q1": [("a", 0, 20), ("a", 15, 35)]}
    >>> rankworth.evaluate(gold, pieces, ["SpanP@2"])["SpanP@2"]  # 20 of 35 characters
    0.5714285714285714
    """
    of_pieces, _ = _characters(judged, "SpanP")
    return Terms(
        gain=of_pieces[:, :, _FOUND if gold == "once" else _FOUND_EACH],
        norm=total(of_pieces[:, :, _NEW if overlap == "once" else _LENGTH]),
    )


@measure("SpanIoU", unjudged=("uniform",), monotone=True, needs=("spans",), pools=True)
def span_iou(judged: Judged, *, gold: Times = "once", overlap: Overlap = "once") -> Terms:
    """The characters in both the gold and the first k pieces, over the characters in either.

    SpanIoU@k = |G and T| / |G or T|, where G are the characters of the gold spans, and T those of the first k pieces

    Args:
        judged: the rankings.
        gold: how often a character of the gold that no piece has counts in |G or T|: `once`; `each`, for each gold
            span that has it.
        overlap: how often a character counts in |G or T| that several pieces have: `once`; `twice`, for each of them.

    Range: 0 to 1. Undefined where neither has a character.
    Unjudged: grades do not matter, but that spans of grade 0 or less are no gold. Ties: not linear, ranks are taken as
    they are.
    Elsewhere: Chroma's chunking_evaluation has gold=each and overlap=twice.
    Source: Jaccard (1912), The distribution of the flora in the alpine zone,
    https://doi.org/10.1111/j.1469-8137.1912.tb05611.x

    >>> import rankworth
    >>> gold, pieces = {"q1": [("a", 10, 30)]}, {"q1": [("a", 0, 20), ("a", 15, 35)]}
    >>> rankworth.evaluate(gold, pieces, ["SpanIoU@1"])["SpanIoU@1"]  # 10 of 30 characters
    0.3333333333333333
    """
    of_pieces, of_gold = _characters(judged, "SpanIoU")
    found, once = of_pieces[:, :, _FOUND], gold == "once"
    missed = of_gold[:, 0 if once else 1] - total(found if once else of_pieces[:, :, _FOUND_OF_EACH])
    return Terms(gain=found, norm=total(of_pieces[:, :, _NEW if overlap == "once" else _LENGTH]) + missed)


@measure("SpanLength", unjudged=("uniform",), monotone=True, needs=("spans",), better="lower", range=(0.0, math.inf))
def span_length(judged: Judged, *, overlap: Overlap = "once") -> Terms:
    """How many characters the first k pieces have, which somebody has to read or to pay for.

    SpanLength@k = |T|, where T are the characters of the first k pieces

    Args:
        judged: the rankings.
        overlap: how often a character counts that several pieces have: `once`; `twice`, for each of them.

    Range: 0 and more. Lower is better. Always defined.
    Unjudged: grades do not matter. Ties: not linear, ranks are taken as they are.
    Source: Pipitone, Houir Alami (2024), LegalBench-RAG: a benchmark for retrieval-augmented generation in the legal
    domain, https://doi.org/10.48550/arXiv.2408.10343

    >>> import rankworth
    >>> gold, pieces = {"q1": [("a", 10, 30)]}, {"q1": [("a", 0, 20), ("a", 15, 35)]}
    >>> rankworth.evaluate(gold, pieces, ["SpanLength@2"])["SpanLength@2"]
    35.0
    """
    of_pieces, _ = _characters(judged, "SpanLength")
    return Terms(gain=of_pieces[:, :, _NEW if overlap == "once" else _LENGTH])


@measure("SpanPieces", unjudged=("uniform",), monotone=True, needs=("spans",), better="lower", range=(0.0, math.inf))
def span_pieces(judged: Judged) -> Terms:
    """How many pieces there are among the first k.

    SpanPieces@k = the number of pieces at ranks 1 to k

    Args:
        judged: the rankings.

    Range: 0 to k. Lower is better: the gold lies in few pieces. Always defined.
    Unjudged: grades do not matter. Ties: not linear, ranks are taken as they are.
    Source: Pipitone, Houir Alami (2024), LegalBench-RAG: a benchmark for retrieval-augmented generation in the legal
    domain, https://doi.org/10.48550/arXiv.2408.10343

    >>> import rankworth
    >>> gold, pieces = {"q1": [("a", 10, 30)]}, {"q1": [("a", 0, 20), ("a", 15, 35)]}
    >>> rankworth.evaluate(gold, pieces, ["SpanPieces"])["SpanPieces"]
    2.0
    """
    _characters(judged, "SpanPieces")
    return Terms(gain=judged.xp.astype(judged.retrieved, judged.rank.dtype))


def _characters(judged: Judged, name: str) -> tuple[Array, Array]:
    """Return `[Q, H, 5]`, what each piece within the cutoff adds, and `[Q, 2]`, the characters of the gold.

    Raises:
        MeasureError: `missing-input`, where judgements are no spans.

    """
    if judged.characters is None or judged.gold_characters is None:
        from rankworth.catalogue import missing  # noqa: PLC0415 - lists of measures need no arrays

        raise missing("spans", name)
    return judged.characters * judged.xp.astype(judged.retrieved, judged.rank.dtype)[:, :, None], judged.gold_characters
