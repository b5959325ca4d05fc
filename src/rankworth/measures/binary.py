"""Measures of documents that are relevant or not, from a grade `rel` on."""

from typing import Final, Literal

from rankworth.judged import Array, Judged
from rankworth.measures.core import measure
from rankworth.measures.parameters import Positive, Share
from rankworth.measures.terms import Terms
from rankworth.measures.words import (
    beside,
    first,
    inside,
    least,
    nearest,
    peak,
    per_query,
    positive,
    relevant,
    seen,
    total,
    whole,
)


@measure("P", aliases=("Precision",), linear=True, monotone=True, shelf="first")
def precision(judged: Judged, *, rel: float = 1) -> Terms:
    """The share of the first k documents that is relevant.

    P@k = (relevant documents at ranks 1 to k) / k; without a cutoff, / (number of retrieved documents)

    Args:
        judged: the rankings.
        rel: the grade from which a document counts as relevant (`-l` in trec_eval, `rel` in ir_measures).

    Range: 0 to 1. A ranking shorter than k is still divided by k. Undefined without a cutoff if nothing was retrieved.
    Unjudged: count as not relevant. Ties: linear, so that expected values are exact.
    Elsewhere: RecTools 0.19.0 with `r_precision=True` divides by min(k, R): R(norm=min(k,R)) here. torchmetrics 1.9.0
    takes documents with a score of 0 or less for not relevant; with `adaptive_k` it divides by the number of retrieved
    documents where that is less than k, and so does Quepid's p@10.
    Source: Manning, Raghavan, Schuetze (2008), Introduction to Information Retrieval, ch. 8,
    https://doi.org/10.1017/CBO9780511809071

    >>> import rankworth
    >>> rankworth.score([1, 0, 1, 0], "P@5")  # 2 / 5
    0.4
    """
    return Terms(gain=relevant(judged, rel), weight=inside(judged), norm=judged.depth)


@measure("R", aliases=("Recall",), linear=True, normalised=True, shelf="first")
def recall(judged: Judged, *, rel: float = 1, norm: Literal["R", "min(k,R)"] = "R") -> Terms:
    """The share of the relevant documents that is among the first k.

    R@k = (relevant documents at ranks 1 to k) / R, where R = number of relevant documents in the judgements

    Args:
        judged: the rankings.
        rel: the grade from which a document counts as relevant.
        norm: `min(k,R)` divides by what k ranks can hold (BEIR calls it R_cap, others capped recall, trec_eval
            relative_P; without a cutoff, k is the number of retrieved documents: set_relative_P).

    Range: 0 to 1. Undefined if nothing is relevant.
    Unjudged: count as not relevant. Ties: linear.
    Elsewhere: recommenders 1.2.1 takes every row of its ratings for relevant, also those of 0: R(rel=0) here.
    torchmetrics 1.9.0 takes documents with a score of 0 or less for not relevant, and its R are the relevant documents
    that it is handed. BEIR 2.2.0 cannot compute R_cap if nothing is relevant.
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
    Elsewhere: trec_eval's set_F takes beta squared, and ir_measures 0.4.3 hands the beta of SetF on as it is: its
    SetF(beta=2) is set_F(x=2) here, not F2. elinor 0.4.0 has no number for a query without a relevant document.
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
    Elsewhere: RecTools 0.19.0 calls hits in the first k over min(k, R) by this name: R(norm=min(k,R)) here.
    recommenders 1.2.1 looks at the first k only and leaves users without a hit out of the mean. trectools 0.0.50 mixes
    up the queries with pandas 3. In torchmetrics 1.9.0, R are the relevant documents that it is handed.
    Source: Buckley, Voorhees (2000), Evaluating evaluation measure stability, https://doi.org/10.1145/345508.345543

    >>> import rankworth
    >>> rankworth.score([1, 0, 1], "Rprec")  # R is 2; 1 of the first 2
    0.5
    """
    n_relevant = judged.n_relevant(rel)
    top = judged.cut(n_relevant)
    return Terms(gain=relevant(top, rel), weight=inside(top), norm=n_relevant)


@measure("AP", aliases=("MAP", "average_precision"), normalised=True, shelf="first")
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
    Elsewhere: cwl-eval 1.0.12 has two: its TrAP is this one, its AP is norm=found. scikit-learn 1.9.1 knows the
    documents that it is handed only, and takes tied documents as one step at the last of their ranks. torchmetrics
    1.9.0 takes documents with a score of 0 or less for not relevant.
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


@measure("RR", aliases=("MRR", "recip_rank", "reciprocal_rank"), normalised=True, monotone=True, shelf="first")
def reciprocal_rank(judged: Judged, *, rel: float = 1) -> Terms:
    """One over the rank of the first relevant document.

    RR@k = 1 / (rank of the first relevant document), 0 if there is none among the first k

    Args:
        judged: the rankings.
        rel: the grade from which a document counts as relevant.

    Range: 0 to 1. Always defined.
    Unjudged: count as not relevant. Ties: not linear, ranks are taken as they are.
    Elsewhere: ir_measures 0.4.3 has two ways: without a cutoff ties go by descending id and scores have single
    precision; with one, ties go by ascending id in double precision. BEIR 2.2.0 divides by all judged queries, its
    other means by those with results. torchmetrics 1.9.0 overlooks relevant documents with a score of 0 or less.
    cwl-eval multiplies by the gain.
    Source: Kantor, Voorhees (2000), The TREC-5 Confusion Track, https://doi.org/10.1023/A:1009902609570

    >>> import rankworth
    >>> rankworth.score([0, 0, 1, 1], "RR")  # 1 / 3
    0.3333333333333333
    """
    return Terms(gain=first(relevant(judged, rel)), discount=judged.rank)


@measure("Success", aliases=("HitRate", "hit_rate", "Hit"), normalised=True, monotone=True, shelf="first")
def success(judged: Judged, *, rel: float = 1) -> Terms:
    """Whether there is a relevant document among the first k.

    Success@k = 1 if any of the first k documents is relevant, else 0

    Args:
        judged: the rankings.
        rel: the grade from which a document counts as relevant.

    Range: 0 or 1. Always defined.
    Unjudged: count as not relevant. Ties: not linear, ranks are taken as they are.
    Elsewhere: BEIR 2.2.0 calls it Accuracy, and divides by all judged queries, its other means by those with results.
    MTEB 2.26.24 averages `top_k_accuracy` over the queries with a hit, so that it is always 1; its hit_rate is this
    one.
    Source: Deshpande, Karypis (2004), Item-based top-N recommendation algorithms (as hit rate),
    https://doi.org/10.1145/963770.963776

    >>> import rankworth
    >>> rankworth.score([0, 0, 1, 1], "Success@2"), rankworth.score([0, 0, 1, 1], "Success@3")
    (0.0, 1.0)
    """
    return Terms(gain=first(relevant(judged, rel)))


@measure("Hits", linear=True, monotone=True, range=(0.0, float("inf")))
def hits(judged: Judged, *, rel: float = 1) -> Terms:
    """The number of relevant documents among the first k.

    Hits@k = (relevant documents at ranks 1 to k)

    Args:
        judged: the rankings.
        rel: the grade from which a document counts as relevant.

    Range: from 0, without an upper bound. Always defined.
    Unjudged: count as not relevant. Ties: linear.
    Source: Deshpande, Karypis (2004), Item-based top-N recommendation algorithms, https://doi.org/10.1145/963770.963776

    >>> import rankworth
    >>> rankworth.score([1, 0, 2, 1], "Hits@3")
    2.0
    """
    return Terms(gain=relevant(judged, rel), weight=inside(judged))


@measure("Accuracy", normalised=True)
def accuracy(judged: Judged, *, rel: float = 1) -> Terms:
    """The chance that a relevant document stands above another one, of two that are both among the first k.

    Accuracy@k = (sum over the relevant documents at ranks 1 to k of N - n) / (H N), where H = relevant documents there,
    N = other documents there, n = other documents above it

    Args:
        judged: the rankings.
        rel: the grade from which a document counts as relevant.

    Range: 0 to 1; 1 if all of these documents are relevant, since none stands below another. Undefined if none of them
    is relevant: there is nothing to compare.
    Unjudged: count as not relevant. Ties: not linear, ranks are taken as they are.
    Elsewhere: ir_measures 0.4.3 leaves queries without a hit out of the mean (they count 0 here), and divides by 0 if
    all that was retrieved is relevant (1 here). In BEIR, Accuracy is Success.
    Source: Hanley, McNeil (1982), The meaning and use of the area under a receiver operating characteristic curve,
    https://doi.org/10.1148/radiology.143.1.7063747

    >>> import rankworth
    >>> rankworth.score([0, 1, 1, None], "Accuracy")  # of 2 * 2 pairs 2 are in order
    0.5
    """
    found = relevant(judged, rel)
    others = judged.n_retrieved - total(found)
    of = others + (1 - positive(others))  # 1 in place of 0, which none of the relevant documents stands below
    others_above = judged.rank - seen(found)
    return Terms(gain=found, weight=per_query(of) - others_above, norm=of * total(found))


@measure("SetAP", aliases=("set_map",))
def set_average_precision(judged: Judged, *, rel: float = 1) -> Terms:
    """Precision times recall of all retrieved documents, whatever their order.

    SetAP = (relevant retrieved)^2 / (retrieved R), where R = number of relevant documents in the judgements

    Args:
        judged: the rankings.
        rel: the grade from which a document counts as relevant.

    Range: 0 to 1. Undefined if nothing is relevant or nothing was retrieved.
    Unjudged: count as not relevant. Ties: not linear, though only those across a cutoff could matter.
    Source: trec_eval's set_map; precision and recall of sets: van Rijsbergen (1979), Information Retrieval, ch. 7, and
    Manning, Raghavan, Schuetze (2008), ch. 8, https://doi.org/10.1017/CBO9780511809071

    >>> import rankworth
    >>> rankworth.score([1, 0, 1, 0], "SetAP", missing=[1, 1])  # 2/4 * 2/4
    0.25
    """
    found = relevant(judged, rel)
    return Terms(gain=found, weight=per_query(total(found)), norm=judged.n_retrieved * judged.n_relevant(rel))


@measure("IPrec", at="recall")
def interpolated_precision(
    judged: Judged, *, rel: float = 1, recall: Share = 0, rounding: Literal["nearest", "plus0.9"] = "nearest"
) -> Terms:
    """The best precision at any rank that reaches a recall.

    IPrec@r = max of P@i over the ranks i with at least r R relevant documents, where R = number of relevant documents

    Args:
        judged: the rankings.
        rel: the grade from which a document counts as relevant.
        recall: the recall r to be reached; what follows `@`.
        rounding: how r R becomes a number of documents: `nearest`, halves upwards (trec_eval 10); `plus0.9`, the whole
            part of r R + 0.9 (trec_eval up to 9.0.8, and so pytrec_eval and ir_measures).

    Range: 0 to 1. Undefined if nothing is relevant; 0 if the recall is never reached.
    Unjudged: count as not relevant. Ties: not linear, ranks are taken as they are.
    Elsewhere: trec_eval 9.0.8, pytrec_eval 0.5 and ir_measures 0.4.3 have rounding=plus0.9, trec_eval 10.0 has nearest.
    Source: Manning, Raghavan, Schuetze (2008), Introduction to Information Retrieval, ch. 8,
    https://doi.org/10.1017/CBO9780511809071

    >>> import rankworth
    >>> rankworth.score([0, 1, 0, 1, 0], "IPrec@0.5", missing=[1, 1])  # 2/4: recall is 0.5 from rank 4 on
    0.5
    """
    found, rank = _peak(judged, rel, recall, rounding)
    return Terms(gain=found, discount=rank, norm=positive(judged.n_relevant(rel)), rank=rank)


_ELEVEN: Final = tuple(tenth / 10 for tenth in range(11))


@measure("AvgIPrec")
def average_interpolated_precision(
    judged: Judged,
    *,
    rel: float = 1,
    recalls: tuple[Share, ...] = _ELEVEN,
    rounding: Literal["nearest", "plus0.9"] = "nearest",
) -> Terms:
    """The mean of the interpolated precision at eleven recalls: the area under the curve of precision and recall.

    AvgIPrec = (IPrec@0.0 + IPrec@0.1 + ... + IPrec@1.0) / 11

    Args:
        judged: the rankings.
        rel: the grade from which a document counts as relevant.
        recalls: the recalls, if they are others than these eleven.
        rounding: as for IPrec.

    Range: 0 to 1. Undefined if nothing is relevant.
    Unjudged: count as not relevant. Ties: not linear, ranks are taken as they are.
    Elsewhere: trec_eval 9.0.8 and what is built on it have rounding=plus0.9, trec_eval 10.0 has nearest; one of our
    cases is 0.5636 with the first and 0.6545 with the second.
    Source: Manning, Raghavan, Schuetze (2008), Introduction to Information Retrieval, ch. 8,
    https://doi.org/10.1017/CBO9780511809071

    >>> import rankworth
    >>> rankworth.score([1, 0, 1], "AvgIPrec(recalls=[0.5, 1])")  # (1/1 + 2/3) / 2
    0.8333333333333333
    """
    peaks = [_peak(judged, rel, recall, rounding) for recall in sorted(recalls, reverse=True)]
    rank = beside([at for _, at in peaks])
    return Terms(
        gain=beside([found for found, _ in peaks]),
        discount=rank,
        norm=len(recalls) * positive(judged.n_relevant(rel)),
        rank=rank,
    )


def _peak(judged: Judged, rel: float, recall: float, rounding: str) -> tuple[Array, Array]:
    """How many relevant documents were found, and at which rank, where precision is best from a recall on."""
    needed = recall * judged.n_relevant(rel)
    return peak(judged, seen(relevant(judged, rel)), nearest(needed) if rounding == "nearest" else whole(needed + 0.9))


def _at_best(judged: Judged, rel: float) -> Array:
    """How many relevant documents the ranks up to the cutoff can hold, or those that were retrieved without one."""
    return least(judged.n_relevant(rel), judged.depth)
