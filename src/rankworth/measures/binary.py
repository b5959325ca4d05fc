"""Measures of documents that are relevant or not, from a grade `rel` on.

Some that are not linear know their expectation over the orders of tied documents. Every order of a tie group is as
likely as any other. Then the documents of the group are drawn one after the other without being put back, and what a
rank is worth follows from how many of them are relevant.
After McSherry, Najork (2008), https://doi.org/10.1007/978-3-540-78646-7_38
"""

import math
from collections.abc import Callable
from typing import Literal

from rankworth.judged import Array, Judged, constant
from rankworth.measures.building_blocks import (
    cumulative,
    down_to,
    first,
    inside,
    least,
    per_query,
    position,
    positive,
    relevant,
    share,
    total,
)
from rankworth.measures.core import Terms, measure, no_ties
from rankworth.measures.parameters import Positive, Ranks


@measure("P", aliases=("Precision",), linear=True, monotone=True, shelf="first", pools=True)
def precision(judged: Judged, *, rel: float = 1, norm: Literal["k", "min(k,n)"] = "k") -> Terms:
    """The share of the first k documents that is relevant.

    P@k = (relevant documents at ranks 1 to k) / k; without a cutoff, / (number of retrieved documents)

    Args:
        judged: the rankings.
        rel: the grade from which a document counts as relevant (`-l` in trec_eval, `rel` in ir_measures).
        norm: what the hits are divided by: `k`, however short the ranking is; `min(k,n)`, the number of retrieved
            documents n where that is less. Without a cutoff both are n.

    Range: 0 to 1. A ranking shorter than k is still divided by k unless norm says otherwise. Undefined if nothing was
    retrieved, without a cutoff or with norm=min(k,n).
    Unjudged: count as not relevant. Ties: linear, so that expected values are exact.
    Elsewhere: RecTools 0.19.0 with `r_precision=True` divides by min(k, R): R(norm=min(k,R)) here. torchmetrics 1.9.0
    takes documents with a score of 0 or less for not relevant. Its `adaptive_k` is norm=min(k,n), as is Quepid's p@10.
    Source: Manning, Raghavan, Schuetze (2008), Introduction to Information Retrieval, ch. 8,
    https://doi.org/10.1017/CBO9780511809071

    >>> import rankworth
    >>> rankworth.score([1, 0, 1, 0], "P@5")  # 2 / 5
    0.4
    """
    divisor = judged.depth if norm == "k" else judged.n_retrieved
    return Terms(gain=relevant(judged, rel), weight=inside(judged), norm=divisor)


@measure("R", aliases=("Recall",), linear=True, normalised=True, unjudged=("uniform",), shelf="first", pools=True)
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


@measure("F", aliases=("F1", "F_measure"), linear=True, unjudged=("uniform",), pools=True)
def f_measure(
    judged: Judged, *, rel: float = 1, beta: Positive = 1, no_relevant: Literal["zero", "undefined"] = "zero"
) -> Terms:
    """The weighted harmonic mean of precision and recall.

    F@k = (1 + beta^2) P R / (beta^2 P + R) = (1 + beta^2) (relevant in the first k) / (beta^2 R + k)

    Args:
        judged: the rankings.
        rel: the grade from which a document counts as relevant.
        beta: how many times as important recall is as precision (trec_eval's `set_F` takes beta squared).
        no_relevant: the value where nothing is relevant and something was retrieved: `zero`, or `undefined` as recall
            is there (elinor).

    Range: 0 to 1. Undefined only if nothing is relevant and nothing was retrieved, unless no_relevant says otherwise.
    Unjudged: count as not relevant. Ties: linear.
    Elsewhere: trec_eval's set_F takes beta squared, and ir_measures 0.4.3 hands the beta of SetF on as it is: its
    SetF(beta=2) is set_F(x=2) here, not F2. elinor 0.4.0 has no number for a query without a relevant document:
    no_relevant=undefined. F1Beta of RecTools 0.19.0 and f1 of ranx 0.3.21 are this one.
    Source: Chinchor (1992), Proceedings of MUC-4, https://doi.org/10.3115/1072064.1072067, after van Rijsbergen.

    >>> import rankworth
    >>> rankworth.score([1, 0, 1, 0], "F@4", missing=[1, 1])  # 2 * 2 / (4 + 4)
    0.5
    """
    squared = beta * beta
    n_relevant = judged.n_relevant(rel)
    divisor = squared * n_relevant + judged.depth
    if no_relevant == "undefined":
        divisor = divisor * positive(n_relevant)
    return Terms(gain=(1 + squared) * relevant(judged, rel), weight=inside(judged), norm=divisor)


@measure("Rprec", aliases=("R_precision", "RPrec"), linear=True, normalised=True, unjudged=("counts",), pools=True)
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


@measure("AP", aliases=("MAP", "average_precision"), ordered=True, tied=True, normalised=True, shelf="first")
def average_precision(
    judged: Judged,
    *,
    rel: float = 1,
    norm: Literal["R", "found", "min(k,R)", "min(k,n,R)", "k"] = "R",
    area: Literal["steps", "trapezoid"] = "steps",
) -> Terms:
    """The average precision at the ranks of the relevant documents; 0 for those that were not retrieved.

    AP@k = sum of P@i over the ranks i <= k of relevant documents / R

    Args:
        judged: the rankings.
        rel: the grade from which a document counts as relevant.
        norm: what the sum is divided by. `R`, all relevant documents: trec_eval, ir_measures, ranx. `min(k,R)`:
            sentence-transformers, RePlay. `min(k,n,R)`, or the number of retrieved documents n where that is the least:
            LensKit. `found`, the relevant documents in the first k: torchmetrics. `k`: RecTools with `divide_by_k`; the
            number of retrieved documents without a cutoff.
        area: how the area below the curve of precision over recall is measured: in `steps`; or as a `trapezoid` at each
            relevant document, the mean of the precision at its rank and at the rank above, which is 1 above rank 1.

    Range: 0 to 1. Undefined if nothing is relevant (with `found`: if nothing relevant was found; with `min(k,n,R)`: if
    nothing was retrieved, too).
    Unjudged: count as not relevant. Ties: not linear, but expected values are exact, except for norm=found with a
    cutoff; where ties are `last`, all documents of a tie group stand at its last rank and see all its hits. With
    area=trapezoid ranks are taken as they are.
    Elsewhere: compute_ap.cpp of the Oxford 5k and Paris 6k images is area=trapezoid; their junk images, which are taken
    out of the ranking, go into `exclude` here. cwl-eval 1.0.12 has two: its TrAP is this one, its AP is norm=found.
    scikit-learn 1.9.1 knows the documents that it is handed only, and takes tied documents as one step at the last of
    their ranks, so that ties are `last`; its label_ranking_average_precision_score is the same but for queries without
    a relevant document. torchmetrics 1.9.0 takes documents with a score of 0 or less for not relevant.
    Source: Buckley, Voorhees (2000), Evaluating evaluation measure stability, https://doi.org/10.1145/345508.345543;
    for area=trapezoid Philbin, Chum, Isard, Sivic, Zisserman (2007), Object retrieval with large vocabularies and fast
    spatial matching, https://doi.org/10.1109/CVPR.2007.383172

    >>> import rankworth
    >>> rankworth.score([1, 0, 1], "AP", missing=[1, 1])  # (1/1 + 2/3) / 4
    0.41666666666666663
    >>> rankworth.score([0, 1, 1], "AP(area=trapezoid)")  # ((0/1 + 1/2) / 2 + (1/2 + 2/3) / 2) / 2
    0.41666666666666663
    """
    if norm == "found" and judged.ties == "expected" and judged.cutoff is not None:
        raise no_ties("AP(norm=found) with a cutoff", judged.ties)
    if area == "trapezoid" and judged.ties != "broken":
        raise no_ties("AP(area=trapezoid)", judged.ties)
    is_relevant = relevant(judged, rel)
    match norm:
        case "R":
            divisor = judged.n_relevant(rel)
        case "min(k,R)":
            divisor = _at_best(judged, rel)
        case "min(k,n,R)":
            divisor = least(judged.n_relevant(rel), judged.n_retrieved)
        case "found":
            divisor = Terms(gain=is_relevant).total()
        case "k":
            divisor = judged.depth
    if area == "trapezoid":
        at_rank, above = cumulative(is_relevant) / judged.rank, judged.rank - 1
        is_first = 1 - positive(above)  # [Q, H]: above which the curve begins at 1
        before = is_first + (cumulative(is_relevant) - is_relevant) / (above + is_first)
        return Terms(gain=is_relevant, weight=(before + at_rank) / 2, norm=divisor)
    if judged.ties != "broken":
        return Terms(gain=is_relevant, weight=_precision_at(judged, is_relevant), norm=divisor)
    return Terms(gain=is_relevant, weight=cumulative(is_relevant), discount=judged.rank, norm=divisor)


@measure(
    "RR",
    aliases=("MRR", "recip_rank", "reciprocal_rank"),
    ordered=True,
    tied=True,
    normalised=True,
    monotone=True,
    unjudged=("first",),
    shelf="first",
)
def reciprocal_rank(judged: Judged, *, rel: float = 1) -> Terms:
    """One over the rank of the first relevant document.

    RR@k = 1 / (rank of the first relevant document), 0 if there is none among the first k

    Args:
        judged: the rankings.
        rel: the grade from which a document counts as relevant.

    Range: 0 to 1. Always defined.
    Unjudged: count as not relevant. Ties: not linear, but expected values are exact; where ties are `last`, all
    documents of a tie group stand at its last rank.
    Elsewhere: ir_measures 0.4.3 has two ways: without a cutoff ties go by descending id and scores have single
    precision; with one, ties go by ascending id in double precision. BEIR 2.2.0 divides by all judged queries, its
    other means by those with results. torchmetrics 1.9.0 overlooks relevant documents with a score of 0 or less.
    cwl-eval multiplies by the gain.
    Source: Kantor, Voorhees (2000), The TREC-5 Confusion Track, https://doi.org/10.1023/A:1009902609570

    >>> import rankworth
    >>> rankworth.score([0, 0, 1, 1], "RR")  # 1 / 3
    0.3333333333333333
    """
    is_relevant = relevant(judged, rel)
    if judged.ties == "expected":
        value = _at_first_relevant(judged, is_relevant, lambda rank: 1 / rank)
        return Terms(gain=first(is_relevant) * per_query(value))
    return Terms(gain=first(is_relevant), discount=judged.rank)


@measure(
    "Success",
    aliases=("HitRate", "hit_rate", "Hit"),
    ordered=True,
    tied=True,
    normalised=True,
    monotone=True,
    unjudged=("first",),
    shelf="first",
)
def success(judged: Judged, *, rel: float = 1) -> Terms:
    """Whether there is a relevant document among the first k.

    Success@k = 1 if any of the first k documents is relevant, else 0

    Args:
        judged: the rankings.
        rel: the grade from which a document counts as relevant.

    Range: 0 or 1. Always defined.
    Unjudged: count as not relevant. Ties: not linear, but expected values are exact; where ties are `last`, all
    documents of a tie group stand at its last rank.
    Elsewhere: BEIR 2.2.0 calls it Accuracy, and divides by all judged queries, its other means by those with results.
    MTEB 2.26.24 averages `top_k_accuracy` over the queries with a hit, so that it is always 1; its hit_rate is this
    one.
    Source: Deshpande, Karypis (2004), Item-based top-N recommendation algorithms (as hit rate),
    https://doi.org/10.1145/963770.963776

    >>> import rankworth
    >>> rankworth.score([0, 0, 1, 1], "Success@2"), rankworth.score([0, 0, 1, 1], "Success@3")
    (0.0, 1.0)
    """
    is_relevant = relevant(judged, rel)
    if judged.ties == "expected":
        return Terms(gain=first(is_relevant) * per_query(_chance_of_any(judged, is_relevant)))
    return Terms(gain=first(is_relevant))


@measure(
    "MedianRank",
    aliases=("MedR", "median_rank"),
    ordered=True,
    unjudged=("first",),
    range=(1.0, math.inf),
    better="lower",
    averaging="median",
)
def median_rank(judged: Judged, *, rel: float = 1) -> Terms:
    """The median over queries of the rank of the first relevant document: the smaller, the better.

    MedianRank@k = median over queries of the rank of the first relevant document among the first k, infinity where
    none is

    Args:
        judged: the rankings.
        rel: the grade from which a document counts as relevant.

    Range: from 1, without an upper bound. A query without a relevant document among the first k counts as infinity, so
    that the median is infinite where half of the queries or more have none. Of an even number of queries it is the mean
    of the two in the middle. Always defined. JSON has no infinity: there it is the text Infinity.
    Interval: exact, between order statistics: of n queries from the rank in place d to that in place n + 1 - d, where d
    is the largest with P(X < d) <= (1 - level) / 2 for X binomial of n and 1/2. Fewer than six queries have none at a
    level of 0.95. Queries have no weights and no groups that count alike.
    Unjudged: count as not relevant. Ties: not linear; a median of expected ranks is no expected median.
    Elsewhere: code search and retrieval of images and captions report it beside recall (Med r, MedR); the ranks there
    are often those of one relevant item among all.
    Source: Hodosh, Young, Hockenmaier (2013), Framing image description as a ranking task,
    https://doi.org/10.1613/jair.3994; for the interval Thompson (1936), On confidence ranges for the median,
    https://doi.org/10.1214/aoms/1177732502

    >>> import rankworth
    >>> qrels = {"q1": {"a": 1}, "q2": {"a": 1}, "q3": {"a": 1}}
    >>> run = {"q1": ["a"], "q2": ["b", "c", "a"], "q3": ["b"]}  # 1, 3, infinity
    >>> rankworth.evaluate(qrels, run, ["MedianRank"])["MedianRank"]
    3.0
    """
    first_relevant = first(relevant(judged, rel))
    none = 1 - total(first_relevant)
    xp = judged.xp
    rest = xp.where(none > 0, constant(math.inf, none), 0 * none)
    return Terms(gain=first_relevant, weight=judged.rank, rest=rest)


@measure("HitCount", linear=True, monotone=True, range=(0.0, float("inf")))
def hit_count(judged: Judged, *, rel: float = 1, per: Positive = 1) -> Terms:
    """The number of relevant documents among the first k.

    HitCount@k = (relevant documents at ranks 1 to k) / per

    Args:
        judged: the rankings.
        rel: the grade from which a document counts as relevant.
        per: what their number is divided by.

    Range: from 0, without an upper bound. Always defined.
    Unjudged: count as not relevant. Ties: linear.
    Source: Deshpande, Karypis (2004), Item-based top-N recommendation algorithms, https://doi.org/10.1145/963770.963776

    >>> import rankworth
    >>> rankworth.score([1, 0, 2, 1], "HitCount@3")
    2.0
    """
    return Terms(gain=relevant(judged, rel), weight=inside(judged), norm=per)


@measure("FallOut", aliases=("fall_out",), linear=True, unjudged=("uniform", "no-sum"), better="lower", pools=True)
def fall_out(judged: Judged, *, rel: float = 1) -> Terms:
    """The share of the not relevant retrieved documents that is among the first k: the smaller, the better.

    FallOut@k = (documents at ranks 1 to k that are not relevant) / (retrieved documents that are not relevant)

    Args:
        judged: the rankings.
        rel: the grade from which a document counts as relevant.

    Range: 0 to 1. Undefined if everything that was retrieved is relevant, and if nothing was retrieved.
    Unjudged: count as not relevant: every document counts 1 to begin with, and a relevant one takes it back.
    Ties: linear.
    Elsewhere: torchmetrics 1.9.0 has it as retrieval_fall_out, and 0 where this one is undefined. Where a whole
    collection was ranked, it is the false positive rate.
    Source: Manning, Raghavan, Schuetze (2008), Introduction to Information Retrieval, ch. 8,
    https://doi.org/10.1017/CBO9780511809071

    >>> import rankworth
    >>> rankworth.score([1, 0, None, 0, 0], "FallOut@2")  # 1 / 4
    0.25
    """
    whole_list = judged.whole
    n_nonrelevant = whole_list.n_retrieved - total(relevant(whole_list, rel))
    return Terms(gain=-relevant(judged, rel), weight=inside(judged), rest=judged.n_retrieved, norm=n_nonrelevant)


@measure(
    "MeanRank", aliases=("MR", "mean_rank"), linear=True, unjudged=("no-sum",), range=(0.0, math.inf), better="lower"
)
def mean_rank(judged: Judged, *, rel: float = 1, absent: Ranks = 1000) -> Terms:
    """The mean rank of the relevant documents: the smaller, the better.

    MeanRank@k = (sum over the relevant documents of their rank, and k + 1 where they are not among the first k) / R,
    where R = number of relevant documents in the judgements; without a cutoff, k + 1 = absent, or the number of
    retrieved documents + 1 if that is more

    Args:
        judged: the rankings.
        rel: the grade from which a document counts as relevant.
        absent: the rank of a relevant document that was not retrieved, where there is no cutoff.

    Range: 1 to k + 1; 0 where an undefined value counts so. Undefined if nothing is relevant.
    Unjudged: count as not relevant. Ties: linear.
    Elsewhere: the mean rank of link prediction in knowledge graphs (PyKEEN, TorchKGE), where every entity is ranked and
    each query has a relevant document: ties=best gives the optimistic rank, ties=worst the pessimistic one, and
    ties=expected the realistic one, their mean.
    Source: Rossi, Barbosa, Firmani, Matinata, Merialdo (2021), Knowledge graph embedding for link prediction,
    https://doi.org/10.1145/3424672

    >>> import rankworth
    >>> rankworth.score([0, 1, 0, 1], "MeanRank")  # (2 + 4) / 2
    3.0
    >>> rankworth.score([0, 1, 0, 1], "MeanRank@2", missing=[1])  # (2 + 3 + 3) / 3
    2.6666666666666665
    """
    is_relevant, n_relevant = relevant(judged, rel), judged.n_relevant(rel)
    weight = position(judged, lambda rank: rank)
    if judged.cutoff is None:
        beyond = judged.xp.maximum(judged.n_retrieved + 1, constant(absent, n_relevant) + 0 * n_relevant)
        rest = beyond * (n_relevant - total(is_relevant))
        return Terms(gain=is_relevant, weight=weight, rest=rest, norm=n_relevant)
    beyond = judged.cutoff + 1 + 0 * n_relevant
    weight = weight - per_query(beyond) * inside(judged)
    return Terms(gain=is_relevant, weight=weight, rest=beyond * n_relevant, norm=n_relevant)


@measure("Accuracy", normalised=True)
def accuracy(judged: Judged, *, rel: float = 1) -> Terms:
    """The chance that a relevant document of the first k stands above another document of the first k.

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
    is_relevant = relevant(judged, rel)
    n_nonrelevant = judged.n_retrieved - total(is_relevant)
    of = n_nonrelevant + (
        1 - positive(n_nonrelevant)
    )  # 1 in place of 0, which none of the relevant documents stands below
    n_above = judged.rank - cumulative(is_relevant)
    return Terms(gain=is_relevant, weight=per_query(of) - n_above, norm=of * total(is_relevant))


@measure("AUC", aliases=("ROC_AUC",), tied=True, ordered="no-cutoff", unjudged=("unsorted",))
def area_under_curve(judged: Judged, *, rel: float = 1) -> Terms:
    """The chance that a relevant document stands above one that is not relevant.

    AUC@k = (sum over the relevant documents at ranks 1 to k of N - n) / (H N), where H = relevant documents there,
    N = other documents there, n = other documents above it, those of its own score by half where ties are expected

    Args:
        judged: the rankings.
        rel: the grade from which a document counts as relevant.

    Range: 0 to 1. Undefined if nothing that was retrieved is relevant, or everything is.
    Unjudged: count as not relevant. Ties: not linear, but expected values are exact without a cutoff: a pair of one
    score is half in order, as in scikit-learn's roc_auc_score; where ties are `last`, such a pair is not in order.
    Elsewhere: GAUC is its mean over queries, weighted by their rows: `weights` here. LightGBM's auc takes the rows of
    all queries together. XGBoost's auc of a ranking counts pairs of documents with one label, too. CatBoost's QueryAUC
    has ties=expected and is 0 where AUC is undefined.
    Source: Hanley, McNeil (1982), The meaning and use of the area under a receiver operating characteristic curve,
    https://doi.org/10.1148/radiology.143.1.7063747

    >>> import rankworth
    >>> rankworth.score([1, 0, 0, 1], "AUC")  # of 2 * 2 pairs 2 are in order
    0.5
    """
    is_relevant = relevant(judged, rel)
    running = cumulative(is_relevant)
    hits = total(is_relevant)
    n_nonrelevant = judged.n_retrieved - hits
    if judged.ties == "broken":
        n_above = judged.rank - running
    elif judged.ties == "last":
        n_above = judged.rank - down_to(judged, running, judged.rank)
    elif judged.cutoff is not None:
        raise no_ties("AUC with a cutoff", judged.ties)
    else:
        above, through = judged.tie_first - 1, judged.tie_last
        n_above = (above + through - down_to(judged, running, above) - down_to(judged, running, through)) / 2
    return Terms(gain=is_relevant, weight=per_query(n_nonrelevant) - n_above, norm=hits * n_nonrelevant)


@measure("SetAP", aliases=("set_map",), ordered=True, unjudged=("uniform",))
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
    gain = relevant(judged, rel)
    return Terms(gain=gain, weight=per_query(total(gain)), norm=judged.n_retrieved * judged.n_relevant(rel))


def _at_best(judged: Judged, rel: float) -> Array:
    """How many relevant documents the ranks up to the cutoff can hold, or those that were retrieved without one."""
    return least(judged.n_relevant(rel), judged.depth)


def _precision_at(judged: Judged, is_relevant: Array) -> Array:
    """`[Q, H]`: the number of relevant documents down to the rank of each row, over that rank.

    Where ties are expected, it is the mean over the orders of the row's tie group, cut at the cutoff.

    Args:
        judged: the ranking.
        is_relevant: 1 for relevant documents.

    """
    if judged.ties == "broken":
        return cumulative(is_relevant) / judged.rank
    running = cumulative(is_relevant)
    if judged.ties == "last":
        return down_to(judged, running, judged.rank) / judged.rank
    above = down_to(judged, running, judged.tie_first - 1)
    tied_relevant = down_to(judged, running, judged.tie_last) - above - 1
    rate = share(tied_relevant, judged.tie_last - judged.tie_first)
    # Beside a relevant document at rank i, (i - first) of the others stand above it, each relevant at this rate.
    inverse = position(judged, lambda rank: 1 / rank)
    return (above + 1 - judged.tie_first * rate) * inverse + rate * inside(judged)


def _at_first_relevant(judged: Judged, is_relevant: Array, weight: Callable[[Array], Array]) -> Array:
    """`[Q]`: a weight of the rank of the first relevant document, expected over the orders of ties; 0 where none is.

    Args:
        judged: the ranking.
        is_relevant: 1 for relevant documents.
        weight: of ranks, `[Q]`.

    """
    begin, size, relevant = _first_group(judged, is_relevant)
    xp = judged.xp
    bound = judged.depth + 0 * begin
    chance = share(relevant, size)  # that it is the first, the second, ... of its group
    value = 0 * begin
    for step in range(_most(xp, size - relevant) + 1):
        rank = begin + step
        value = value + xp.where(rank <= bound, chance * weight(xp.where(rank > 0, rank, xp.ones_like(rank))), 0 * rank)
        left = size - step - 1
        chance = chance * share(xp.maximum(left - relevant + 1, 0 * left), xp.maximum(left, 0 * left))
    return value


def _chance_of_any(judged: Judged, is_relevant: Array) -> Array:
    """`[Q]`: the chance that a relevant document stands within the cutoff, over the orders of ties.

    Args:
        judged: the ranking.
        is_relevant: 1 for relevant documents.

    """
    begin, size, relevant = _first_group(judged, is_relevant)
    xp = judged.xp
    inside_it = xp.minimum(judged.depth - begin + 1, size)  # places of the group within the cutoff
    missed = xp.ones_like(begin)
    for step in range(_most(xp, relevant)):
        drawn = share(xp.maximum(size - inside_it - step, 0 * size), xp.maximum(size - step, 0 * size))
        missed = xp.where(relevant > step, missed * drawn, missed)
    return xp.where(relevant > 0, 1 - missed, 0 * missed)


def _first_group(judged: Judged, is_relevant: Array) -> tuple[Array, Array, Array]:
    """`[Q]` each: the first rank, the size, and the relevant documents of the first tie group that has some."""
    is_first = first(is_relevant)
    begin, end = total(is_first * judged.tie_first), total(is_first * judged.tie_last)
    exists = total(is_first)
    return begin, end - begin + exists, total(is_first * down_to(judged, cumulative(is_relevant), judged.tie_last))


def _most(xp: object, number: Array) -> int:
    return int(xp.max(number)) if number.shape[0] else 0  # type: ignore[attr-defined]
