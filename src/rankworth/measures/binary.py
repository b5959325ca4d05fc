"""Measures of documents that are relevant or not, from a grade `rel` on; and how much of a ranking is judged at all."""

from typing import Literal

from rankworth.judged import Array, Judged
from rankworth.measures.core import measure
from rankworth.measures.parameters import Positive
from rankworth.measures.terms import Terms
from rankworth.measures.words import assessed, first, inside, least, nonrelevant, per_query, relevant, seen, share


@measure("P", aliases=("Precision",), linear=True, monotone=True)
def precision(judged: Judged, *, rel: float = 1) -> Terms:
    """The share of the first k documents that is relevant.

    P@k = (relevant documents at ranks 1 to k) / k; without a cutoff, / (number of retrieved documents)

    Args:
        judged: the rankings.
        rel: the grade from which a document counts as relevant (`-l` in trec_eval, `rel` in ir_measures).

    Range: 0 to 1. A ranking shorter than k is still divided by k. Undefined without a cutoff if nothing was retrieved.
    Unjudged: count as not relevant. Ties: linear, so that expected values are exact.
    Source: Manning, Raghavan, Schuetze (2008), Introduction to Information Retrieval, ch. 8,
    https://doi.org/10.1017/CBO9780511809071

    >>> import rankworth
    >>> rankworth.score([1, 0, 1, 0], "P@5")  # 2 / 5
    0.4
    """
    return Terms(gain=relevant(judged, rel), weight=inside(judged), norm=judged.depth)


@measure("R", aliases=("Recall",), linear=True, normalised=True)
def recall(judged: Judged, *, rel: float = 1, norm: Literal["R", "min(k,R)"] = "R") -> Terms:
    """The share of the relevant documents that is among the first k.

    R@k = (relevant documents at ranks 1 to k) / R, where R = number of relevant documents in the judgements

    Args:
        judged: the rankings.
        rel: the grade from which a document counts as relevant.
        norm: `min(k,R)` divides by what k ranks can hold (BEIR calls it R_cap, others capped recall).

    Range: 0 to 1. Undefined if nothing is relevant.
    Unjudged: count as not relevant. Ties: linear.
    Source: Manning, Raghavan, Schuetze (2008), Introduction to Information Retrieval, ch. 8,
    https://doi.org/10.1017/CBO9780511809071

    >>> import rankworth
    >>> rankworth.score([1, 0, 1], "R@2", missing=[1, 1])  # 1 / 4
    0.25
    >>> rankworth.score([1, 0, 1], "R(norm=min(k,R))@2", missing=[1, 1])  # 1 / 2
    0.5
    """
    possible = _at_best(judged, rel) if norm == "min(k,R)" else judged.n_relevant(rel)
    return Terms(gain=relevant(judged, rel), weight=inside(judged), norm=possible)


@measure("F", aliases=("F1", "F_measure"), linear=True)
def f_measure(judged: Judged, *, rel: float = 1, beta: Positive = 1) -> Terms:
    """The weighted harmonic mean of precision and recall.

    F@k = (1 + beta^2) P R / (beta^2 P + R) = (1 + beta^2) (relevant in the first k) / (beta^2 R + k)

    Args:
        judged: the rankings.
        rel: the grade from which a document counts as relevant.
        beta: how many times as important recall is as precision (trec_eval's `set_F` takes beta squared).

    Range: 0 to 1. Undefined only if nothing is relevant and nothing was retrieved.
    Unjudged: count as not relevant. Ties: linear.
    Source: Chinchor (1992), Proceedings of MUC-4, https://doi.org/10.3115/1072064.1072067, after van Rijsbergen.

    >>> import rankworth
    >>> rankworth.score([1, 0, 1, 0], "F@4", missing=[1, 1])  # 2 * 2 / (4 + 4)
    0.5
    """
    squared = beta * beta
    return Terms(
        gain=(1 + squared) * relevant(judged, rel),
        weight=inside(judged),
        norm=squared * judged.n_relevant(rel) + judged.depth,
    )


@measure("Rprec", aliases=("R_precision", "RPrec"), linear=True, normalised=True)
def r_precision(judged: Judged, *, rel: float = 1) -> Terms:
    """Precision at the rank at which a perfect ranking would have listed everything relevant.

    Rprec = (relevant documents at ranks 1 to R) / R, where R = number of relevant documents in the judgements

    Args:
        judged: the rankings.
        rel: the grade from which a document counts as relevant.

    Range: 0 to 1. Undefined if nothing is relevant.
    Unjudged: count as not relevant. Ties: linear.
    Source: Buckley, Voorhees (2000), Evaluating evaluation measure stability, https://doi.org/10.1145/345508.345543

    >>> import rankworth
    >>> rankworth.score([1, 0, 1], "Rprec")  # R is 2; 1 of the first 2
    0.5
    """
    n_relevant = judged.n_relevant(rel)
    top = judged.cut(n_relevant)
    return Terms(gain=relevant(top, rel), weight=inside(top), norm=n_relevant)


@measure("AP", aliases=("MAP", "average_precision", "map_cut"), normalised=True)
def average_precision(judged: Judged, *, rel: float = 1, norm: Literal["R", "found", "min(k,R)", "k"] = "R") -> Terms:
    """The mean, over the relevant documents, of the precision at their ranks.

    AP@k = sum of P@i over the ranks i <= k of relevant documents / R

    Args:
        judged: the rankings.
        rel: the grade from which a document counts as relevant.
        norm: what the sum is divided by. `R`, all relevant documents: trec_eval, ir_measures, ranx. `min(k,R)`:
            sentence-transformers, RePlay. `found`, the relevant documents in the first k: torchmetrics.
            `k`: RecTools with `divide_by_k`; the number of retrieved documents without a cutoff.

    Range: 0 to 1. Undefined if nothing is relevant (with `found`: if nothing relevant was found).
    Unjudged: count as not relevant. Ties: not linear, ranks are taken as they are.
    Source: Buckley, Voorhees (2000), Evaluating evaluation measure stability, https://doi.org/10.1145/345508.345543

    >>> import rankworth
    >>> rankworth.score([1, 0, 1], "AP", missing=[1, 1])  # (1/1 + 2/3) / 4
    0.41666666666666663
    """
    found = relevant(judged, rel)
    match norm:
        case "R":
            divisor = judged.n_relevant(rel)
        case "min(k,R)":
            divisor = _at_best(judged, rel)
        case "found":
            divisor = Terms(gain=found).total()
        case "k":
            divisor = judged.depth
    return Terms(gain=found, weight=seen(found), discount=judged.rank, norm=divisor)


@measure("RR", aliases=("MRR", "recip_rank", "reciprocal_rank"), normalised=True, monotone=True)
def reciprocal_rank(judged: Judged, *, rel: float = 1) -> Terms:
    """One over the rank of the first relevant document.

    RR@k = 1 / (rank of the first relevant document), 0 if there is none among the first k

    Args:
        judged: the rankings.
        rel: the grade from which a document counts as relevant.

    Range: 0 to 1. Always defined.
    Unjudged: count as not relevant. Ties: not linear, ranks are taken as they are.
    Source: Kantor, Voorhees (2000), The TREC-5 Confusion Track, https://doi.org/10.1023/A:1009902609570

    >>> import rankworth
    >>> rankworth.score([0, 0, 1, 1], "RR")  # 1 / 3
    0.3333333333333333
    """
    return Terms(gain=first(relevant(judged, rel)), discount=judged.rank)


@measure("Success", aliases=("HitRate", "hit_rate", "Hit"), normalised=True, monotone=True)
def success(judged: Judged, *, rel: float = 1) -> Terms:
    """Whether there is a relevant document among the first k.

    Success@k = 1 if any of the first k documents is relevant, else 0

    Args:
        judged: the rankings.
        rel: the grade from which a document counts as relevant.

    Range: 0 or 1. Always defined.
    Unjudged: count as not relevant. Ties: not linear, ranks are taken as they are.
    Source: Deshpande, Karypis (2004), Item-based top-N recommendation algorithms (as hit rate),
    https://doi.org/10.1145/963770.963776

    >>> import rankworth
    >>> rankworth.score([0, 0, 1, 1], "Success@2"), rankworth.score([0, 0, 1, 1], "Success@3")
    (0.0, 1.0)
    """
    return Terms(gain=first(relevant(judged, rel)))


@measure("Bpref", normalised=True)
def bpref(judged: Judged, *, rel: float = 1) -> Terms:
    """How seldom judged non-relevant documents stand above relevant ones; unjudged documents do not matter.

    Bpref = 1/R sum over retrieved relevant documents of 1 - min(n, R) / min(N, R), where
    n = judged non-relevant documents above it, N = judged non-relevant documents in all

    Args:
        judged: the rankings.
        rel: the grade from which a document counts as relevant; grades from 0 to below it are non-relevant, negative
            grades are neither.

    Range: 0 to 1. Undefined if nothing is relevant; without non-relevant documents every retrieved relevant one adds 1.
    Unjudged: ignored. Ties: not linear, ranks are taken as they are.
    Source: Buckley, Voorhees (2004), Retrieval evaluation with incomplete information,
    https://doi.org/10.1145/1008992.1009000, in the form of trec_eval since 8.0.

    >>> import rankworth
    >>> rankworth.score([1, 0, 1, 0], "Bpref")  # (1 + (1 - 1/2)) / 2
    0.75
    """
    n_relevant = judged.n_relevant(rel)
    lost = least(seen(nonrelevant(judged, rel)), per_query(n_relevant))
    at_worst = per_query(least(judged.n_nonrelevant(rel), n_relevant))
    return Terms(gain=relevant(judged, rel), weight=1 - share(lost, at_worst), norm=n_relevant)


@measure("Judged", linear=True, normalised=True, monotone=True)
def judged_share(judged: Judged) -> Terms:
    """The share of the first k documents that somebody judged: how far the other values can be trusted.

    Judged@k = (judged documents at ranks 1 to k) / min(k, number of retrieved documents)

    Args:
        judged: the rankings.

    Range: 0 to 1. Undefined if nothing was retrieved. Negative grades are judgements, too.
    Unjudged: what it measures. Ties: linear.
    Source: Buckley, Dimmick, Soboroff, Voorhees (2007), Bias and the limits of pooling for large collections,
    https://doi.org/10.1007/s10791-007-9032-x, in the form of ir_measures.

    >>> import rankworth
    >>> rankworth.score([1, None, 0, None], "Judged@3")  # 2 / 3
    0.6666666666666666
    """
    return Terms(gain=assessed(judged), weight=inside(judged), norm=judged.n_retrieved)


def _at_best(judged: Judged, rel: float) -> Array:
    """How many relevant documents the ranks up to the cutoff can hold."""
    n_relevant = judged.n_relevant(rel)
    return n_relevant if judged.cutoff is None else least(n_relevant, judged.cutoff)
