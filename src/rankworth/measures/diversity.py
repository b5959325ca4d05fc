"""Measures over subtopics: a document is worth more if it covers what the documents before it did not.

Judgements say for which subtopics of a query a document is relevant. Grades without subtopics count as one subtopic.
A document covers a subtopic if its grade for it is `rel` or better. Sums over subtopics run from the first to the last,
like those over ranks, so that a query has the same value alone and beside queries with more subtopics.
"""

import math
from collections.abc import Callable
from itertools import accumulate, repeat
from operator import mul
from typing import Any, Final, Literal

from rankworth.errors import MeasureError
from rankworth.judged import Array, Judged, constant, namespace
from rankworth.measures.building_blocks import (
    cumulative,
    discount,
    inside,
    per_query,
    position,
    positive,
    relevant,
    total,
)
from rankworth.measures.core import Terms, measure
from rankworth.measures.parameters import Probability, Ranks, Share

Each = Literal["subtopic", "document"]
"""What must be there: a relevant document for each subtopic, or each relevant document."""
_DEEPEST: Final = 1_000_000
_GREEDY = (0.0, math.e / (math.e - 1))
"""A greedy order has at least 1 - 1/e of what the best order has."""


@measure("alpha_DCG", aliases=("α_DCG",), subtopics=True)  # noqa: RUF001 - a Greek letter
def alpha_dcg(judged: Judged, *, rel: float = 1, alpha: Share = 0.5) -> Terms:
    """The subtopics that the documents cover, worth less each time one is covered again, and less at later ranks.

    alpha_DCG@k = sum over i <= k of new(i) / log2(i + 1), where new(i) = sum over the subtopics of document i of
    (1 - alpha)^(documents above it with this subtopic); divided by the same sum for k documents with all subtopics

    Args:
        judged: the rankings.
        rel: the grade from which a document counts as relevant for a subtopic.
        alpha: how little a subtopic is worth that was covered before: 0, as much as at first; 1, nothing.

    Range: 0 to 1. Undefined if nothing is relevant for any subtopic. Without a cutoff, k is the number of retrieved
    documents. TREC's ndeval leaves out the division at k = 1.
    Unjudged: cover nothing. Ties: not linear, ranks are taken as they are.
    Source: Clarke, Kolla, Cormack, Vechtomova, Ashkan, Buettcher, MacKinnon (2008), Novelty and diversity in
    information retrieval evaluation, https://doi.org/10.1145/1390334.1390446, in the form of TREC's ndeval.

    >>> import rankworth
    >>> rankworth.score([[1, 0], [1, 0], [0, 1]], "alpha_DCG@2")  # (1 + 0.5/log2(3)) / (2 + 2 * 0.5/log2(3))
    0.5
    """
    return Terms(
        gain=_novelty(judged, rel, alpha),
        discount=_log2(judged),
        norm=_best_of_all(judged, rel, alpha, lambda rank: math.log2(rank + 1)),
    )


@measure("alpha_nDCG", aliases=("α_nDCG",), normalised=True, range=_GREEDY, subtopics=True)  # noqa: RUF001
def alpha_ndcg(judged: Judged, *, rel: float = 1, alpha: Share = 0.5) -> Terms:
    """The gain of covered subtopics, repetitions worth less, as a share of the gain of a greedy order.

    alpha_nDCG@k = alpha_DCG@k / (alpha_DCG@k of the ideal ranking), where the ideal ranking takes as its next document
    always the one that is worth most after those before it, the greatest id first where several are

    Args:
        judged: the rankings.
        rel: the grade from which a document counts as relevant for a subtopic.
        alpha: as for alpha_DCG.

    Range: 0 to 1, seldom slightly above, since no quick way leads to the very best order. Undefined if nothing is
    relevant for any subtopic.
    Unjudged: cover nothing. Ties: not linear, ranks are taken as they are.
    Source: Clarke, Kolla, Cormack, Vechtomova, Ashkan, Buettcher, MacKinnon (2008), Novelty and diversity in
    information retrieval evaluation, https://doi.org/10.1145/1390334.1390446, in the form of TREC's ndeval.

    >>> import rankworth
    >>> rankworth.score([[1, 0], [1, 0], [0, 1]], "alpha_nDCG@2")  # (1 + 0.5/log2(3)) / (1 + 1/log2(3))
    0.8065735963827293
    """
    ideal = _greedy(judged, rel, alpha)
    best = Terms(gain=_novelty(ideal, rel, alpha), discount=_log2(ideal))
    return Terms(gain=_novelty(judged, rel, alpha), discount=_log2(judged)).over(ideal, best)


@measure("ERR_IA", subtopics=True)
def intent_aware_err(judged: Judged, *, rel: float = 1, alpha: Share = 0.5) -> Terms:
    """One over the rank that satisfies a reader with an interest in a subtopic, expected over subtopics.

    ERR_IA@k = sum over i <= k of new(i) / i, with new(i) as for alpha_DCG; divided by the same sum for k documents with
    all subtopics

    Args:
        judged: the rankings.
        rel: the grade from which a document counts as relevant for a subtopic.
        alpha: the chance that a relevant document satisfies the reader.

    Range: 0 to 1. Undefined if nothing is relevant for any subtopic. Without a cutoff, k is the number of retrieved
    documents. TREC's ndeval leaves out the division at k = 1.
    Unjudged: satisfy nobody. Ties: not linear, ranks are taken as they are.
    Source: Chapelle, Metzler, Zhang, Grinspan (2009), Expected reciprocal rank for graded relevance,
    https://doi.org/10.1145/1645953.1646033, in the form of TREC's ndeval.

    >>> import rankworth
    >>> rankworth.score([[1, 0], [1, 1]], "ERR_IA@2")  # (1 + 1.5/2) / (2 + 2 * 0.5/2)
    0.7
    """
    norm = _best_of_all(judged, rel, alpha, float)
    return Terms(gain=_novelty(judged, rel, alpha), discount=_rank(judged), norm=norm)


@measure("nERR_IA", normalised=True, range=_GREEDY, subtopics=True)
def normalised_intent_aware_err(judged: Judged, *, rel: float = 1, alpha: Share = 0.5) -> Terms:
    """The expected reciprocal rank over subtopics, as a share of what a greedy order of the documents has.

    nERR_IA@k = ERR_IA@k / (ERR_IA@k of the ideal ranking), with the ideal ranking of alpha_nDCG

    Args:
        judged: the rankings.
        rel: the grade from which a document counts as relevant for a subtopic.
        alpha: the chance that a relevant document satisfies the reader.

    Range: 0 to 1, seldom slightly above, as for alpha_nDCG. Undefined if nothing is relevant for any subtopic.
    Unjudged: satisfy nobody. Ties: not linear, ranks are taken as they are.
    Source: Chapelle, Metzler, Zhang, Grinspan (2009), Expected reciprocal rank for graded relevance,
    https://doi.org/10.1145/1645953.1646033, in the form of TREC's ndeval.

    >>> import rankworth
    >>> rankworth.score([[1, 0], [1, 1]], "nERR_IA@2")  # (1 + 1.5/2) / (2 + 0.5/2)
    0.7777777777777778
    """
    ideal = _greedy(judged, rel, alpha)
    best = Terms(gain=_novelty(ideal, rel, alpha), discount=_rank(ideal))
    return Terms(gain=_novelty(judged, rel, alpha), discount=_rank(judged)).over(ideal, best)


@measure("NRBP", subtopics=True)
def novelty_and_rank_biased_precision(
    judged: Judged, *, rel: float = 1, alpha: Share = 0.5, beta: Probability = 0.5
) -> Terms:
    """The rate of new subtopics met by a reader who goes on to the next document with probability beta.

    NRBP = (1 - (1 - alpha) beta) / N * sum over i of new(i) beta^(i - 1), with new(i) as for alpha_DCG, where
    N = number of subtopics with a relevant document

    Args:
        judged: the rankings.
        rel: the grade from which a document counts as relevant for a subtopic.
        alpha: as for alpha_DCG.
        beta: the reader's patience; the larger, the deeper the ranks that count.

    Range: 0 to 1, and 1 only for an endless ranking of documents with all subtopics, unless alpha is 1. Undefined if
    nothing is relevant for any subtopic.
    Unjudged: cover nothing. Ties: not linear, ranks are taken as they are.
    Source: Clarke, Kolla, Vechtomova (2009), An effectiveness measure for ambiguous and underspecified queries,
    https://doi.org/10.1007/978-3-642-04417-5_17

    >>> import rankworth
    >>> rankworth.score([[1, 0], [1, 1]], "NRBP")  # (1 - 0.5 * 0.5) / 2 * (1 + 1.5 * 0.5)
    0.65625
    """
    gain = _novelty(judged, rel, alpha) * (1 - (1 - alpha) * beta)
    return Terms(gain=gain, weight=_patience(judged, beta), norm=_subtopics(judged, rel))


@measure("nNRBP", normalised=True, range=_GREEDY, subtopics=True)
def normalised_novelty_and_rank_biased_precision(
    judged: Judged, *, rel: float = 1, alpha: Share = 0.5, beta: Probability = 0.5
) -> Terms:
    """The rate of new subtopics met by a patient reader, as a share of what a greedy order of the documents has.

    nNRBP = NRBP / (NRBP of the ideal ranking), with the ideal ranking of alpha_nDCG

    Args:
        judged: the rankings.
        rel: the grade from which a document counts as relevant for a subtopic.
        alpha: as for alpha_DCG.
        beta: the reader's patience; the larger, the deeper the ranks that count.

    Range: 0 to 1, seldom slightly above, as for alpha_nDCG. Undefined if nothing is relevant for any subtopic.
    Unjudged: cover nothing. Ties: not linear, ranks are taken as they are.
    Source: Clarke, Kolla, Vechtomova (2009), An effectiveness measure for ambiguous and underspecified queries,
    https://doi.org/10.1007/978-3-642-04417-5_17

    >>> import rankworth
    >>> rankworth.score([[1, 0], [1, 1]], "nNRBP")  # (1 + 1.5 * 0.5) / (2 + 0.5 * 0.5)
    0.7777777777777778
    """
    ideal = _greedy(judged, rel, alpha)
    best = Terms(gain=_novelty(ideal, rel, alpha), weight=_patience(ideal, beta))
    return Terms(gain=_novelty(judged, rel, alpha), weight=_patience(judged, beta)).over(ideal, best)


@measure("AP_IA", aliases=("MAP_IA",), subtopics=True)
def intent_aware_ap(judged: Judged, *, rel: float = 1, norm: Literal["R", "found"] = "R") -> Terms:
    """The mean, over the subtopics, of the average precision for each of them.

    AP_IA@k = 1/N sum over subtopics of AP@k, counted with the documents that are relevant for the subtopic, where
    N = number of subtopics with a relevant document

    Args:
        judged: the rankings.
        rel: the grade from which a document counts as relevant for a subtopic.
        norm: what the precisions of a subtopic are divided by: `R`, its relevant documents; `found`, those of them
            that were retrieved, so that one found document of ten at rank 1 is worth 1.

    Range: 0 to 1. Undefined if nothing is relevant for any subtopic.
    Unjudged: count as not relevant. Ties: not linear, ranks are taken as they are.
    Elsewhere: AutoRAG-Research 0.1.3 has norm=found, over groups of documents that do for each other.
    Source: Agrawal, Gollapudi, Halverson, Ieong (2009), Diversifying search results,
    https://doi.org/10.1145/1498759.1498766

    >>> import rankworth
    >>> rankworth.score([[1, 0], [0, 1], [1, 0]], "AP_IA")  # ((1/1 + 2/3) / 2 + (1/2) / 1) / 2
    0.6666666666666666
    """
    gain = _shares_of_subtopics(judged, rel, norm)
    return Terms(gain=gain, discount=_rank(judged), norm=_subtopics(judged, rel))


@measure("RR_IA", aliases=("MRR_IA",), subtopics=True)
def intent_aware_rr(judged: Judged, *, rel: float = 1) -> Terms:
    """The mean, over the subtopics, of one over the rank of the first document that is relevant for it.

    RR_IA@k = 1/N sum over subtopics of RR@k, counted with the documents that are relevant for the subtopic, where
    N = number of subtopics with a relevant document

    Args:
        judged: the rankings.
        rel: the grade from which a document counts as relevant for a subtopic.

    Range: 0 to 1, and 1 only if the first document covers all subtopics. Undefined if nothing is relevant for any
    subtopic.
    Unjudged: count as not relevant. Ties: not linear, ranks are taken as they are.
    Elsewhere: AutoRAG-Research 0.1.3 calls it MRR, over groups of documents that do for each other.
    Source: Agrawal, Gollapudi, Halverson, Ieong (2009), Diversifying search results,
    https://doi.org/10.1145/1498759.1498766

    >>> import rankworth
    >>> rankworth.score([[1, 0], [1, 0], [0, 1]], "RR_IA")  # (1/1 + 1/3) / 2
    0.6666666666666666
    """
    return Terms(gain=_novelty(judged, rel, 1), discount=_rank(judged), norm=_subtopics(judged, rel))


@measure("P_IA", linear=True, subtopics=True)
def intent_aware_precision(judged: Judged, *, rel: float = 1) -> Terms:
    """The mean, over the subtopics, of the share of the first k documents that is relevant for it.

    P_IA@k = (relevant documents at ranks 1 to k, once for each of their subtopics) / (k N), where
    N = number of subtopics with a relevant document

    Args:
        judged: the rankings.
        rel: the grade from which a document counts as relevant for a subtopic.

    Range: 0 to 1. A ranking shorter than k is still divided by k. Undefined if nothing is relevant for any subtopic,
    and without a cutoff if nothing was retrieved.
    Unjudged: count as not relevant. Ties: linear, so that expected values are exact.
    Source: Agrawal, Gollapudi, Halverson, Ieong (2009), Diversifying search results,
    https://doi.org/10.1145/1498759.1498766

    >>> import rankworth
    >>> rankworth.score([[1, 0], [1, 1]], "P_IA@5")  # (1 + 2) / (5 * 2)
    0.3
    """
    return Terms(gain=_covered(judged, rel), weight=inside(judged), norm=judged.depth * _subtopics(judged, rel))


@measure(
    "StRecall",
    aliases=("strec", "subtopic_recall", "GroupR", "group_recall"),
    normalised=True,
    subtopics=True,
    pools=True,
)
def subtopic_recall(judged: Judged, *, rel: float = 1) -> Terms:
    """The share of the subtopics that the first k documents cover.

    StRecall@k = (subtopics with a relevant document at ranks 1 to k) / N, where
    N = number of subtopics with a relevant document

    Where gold comes as groups of documents that do for each other, a subtopic is a group, and the name is GroupR.

    Args:
        judged: the rankings.
        rel: the grade from which a document counts as relevant for a subtopic.

    Range: 0 to 1. Undefined if nothing is relevant for any subtopic.
    Unjudged: cover nothing. Ties: not linear, ranks are taken as they are.
    Elsewhere: AutoRAG-Research 0.1.3 calls it recall, and TREC's ndeval strec.
    Source: Zhai, Cohen, Lafferty (2003), Beyond independent relevance, https://doi.org/10.1145/860435.860440

    >>> import rankworth
    >>> rankworth.score([[1, 0, 0], [1, 1, 0], [0, 0, 1]], "StRecall@2")  # 2 / 3
    0.6666666666666666
    """
    return Terms(gain=_novelty(judged, rel, 1), norm=_subtopics(judged, rel))


@measure("Complete", aliases=("full_recall", "recall_all"), normalised=True, subtopics=True)
def complete(judged: Judged, *, rel: float = 1, each: Each = "subtopic") -> Terms:
    """Whether the first k documents hold all that is needed: a relevant document for each subtopic.

    Complete@k = 1 if each of the N subtopics has a relevant document at ranks 1 to k, else 0, where
    N = number of subtopics with a relevant document

    Gold as groups, (a or b) and c, has a subtopic for each group: `[{"a", "b"}, {"c"}]`.

    Args:
        judged: the rankings.
        rel: the grade from which a document counts as relevant for a subtopic.
        each: what must be there: a relevant document for each `subtopic`, or each relevant `document`, whatever its
            subtopics.

    Range: 0 or 1. Undefined if nothing is relevant for any subtopic.
    Unjudged: cover nothing. Ties: not linear, ranks are taken as they are.
    Elsewhere: AutoRAG-Research 0.1.3 calls it full recall. LongMemEval's recall_all is Complete(each=document), and 1
    where nothing is relevant.
    Source: Wu, Wang, Yu, Zhang, Chang, Yu (2025), LongMemEval: benchmarking chat assistants on long-term interactive
    memory (as recall_all), https://doi.org/10.48550/arXiv.2410.10813

    >>> import rankworth
    >>> ranking = [[1, 0], [1, 0], [0, 1]]  # the third document is the first for the second subtopic
    >>> rankworth.score(ranking, "Complete@2"), rankworth.score(ranking, "Complete@3")
    (0.0, 1.0)
    """
    completes, number = _completing(judged, rel, each)
    return Terms(gain=completes, norm=positive(number))


@measure("CompleteRank", subtopics=True, range=(0.0, math.inf), better="lower")
def complete_rank(judged: Judged, *, rel: float = 1, each: Each = "subtopic", absent: Ranks = 1000) -> Terms:
    """The rank down to which one has to read until there is a relevant document for each subtopic.

    CompleteRank@k = the smallest i with Complete@i = 1, and k + 1 where there is none up to k; without a cutoff,
    k + 1 = absent, or the number of retrieved documents + 1 if that is more

    Args:
        judged: the rankings.
        rel: as for Complete.
        each: as for Complete.
        absent: the rank that counts where the ranking ends before all is there, where there is no cutoff.

    Range: 1 to k + 1; 0 where an undefined value counts so. Undefined if nothing is relevant for any subtopic.
    Unjudged: cover nothing. Ties: not linear, ranks are taken as they are.
    Elsewhere: scikit-learn 1.9 calls CompleteRank(each=document) coverage_error.
    Source: Cooper (1968), Expected search length, a single measure of retrieval effectiveness based on the weak
    ordering action of retrieval systems, https://doi.org/10.1002/asi.5090190108

    >>> import rankworth
    >>> rankworth.score([[1, 0], [1, 0], [0, 1]], "CompleteRank")
    3.0
    >>> rankworth.score([[1, 0], [1, 0], [0, 1]], "CompleteRank@2")  # 2 + 1, as it is not there
    3.0
    """
    completes, number = _completing(judged, rel, each)
    number = positive(number)
    if judged.cutoff is None:
        beyond = judged.xp.maximum(judged.n_retrieved + 1, constant(absent, number) + 0 * number)
    else:
        beyond = judged.cutoff + 1 + 0 * number
    rest = beyond * (number - total(completes))
    return Terms(gain=completes, weight=judged.rank, rest=rest, norm=number)


@measure("NuggetR", aliases=("nugget_recall",), monotone=True, subtopics=True, pools=True)
def nugget_recall(judged: Judged, *, full: float = 1, partial: Literal["counts", "nothing"] = "counts") -> Terms:
    """The share of the nuggets that the first k documents support; partial support counts in part.

    NuggetR@k = 1/N sum over nuggets of min(g, full) / full, where g = the best grade for the nugget at ranks 1 to k, at
    least 0, and N = number of nuggets with a judgement, whatever its grade; a grade of full or better counts 1

    A nugget is a fact that an answer should hold; judgements have it as their subtopic. Other than for StRecall, a
    nugget that nothing supports counts.

    Args:
        judged: the rankings; of answers that are judged alone, of one document each.
        full: the grade of full support.
        partial: whether a grade below `full` `counts` in part, or is `nothing`, as in strict scores.

    Range: 0 to 1. Undefined if no nugget is judged.
    Unjudged: support nothing. Ties: not linear, ranks are taken as they are.
    Elsewhere: nuggetizer d00dc3e calls it all_score, and strict_all_score with partial=nothing; vital_score and
    strict_vital_score are the same of the judgements of vital nuggets alone.
    Source: Pradeep, Thakur, Upadhyay, Campos, Craswell, Lin (2025), The great nugget recall: automating fact extraction
    and RAG evaluation with large language models, https://doi.org/10.48550/arXiv.2504.15068

    >>> import rankworth
    >>> rankworth.score([[1, 0.5, 0, 0]], "NuggetR")  # (1 + 0.5 + 0 + 0) / 4
    0.375
    >>> rankworth.score([[1, 0.5, 0, 0]], "NuggetR(partial=nothing)")  # (1 + 0 + 0 + 0) / 4
    0.25
    """
    xp = judged.xp
    nuggets = xp.any(judged.pool_by_subtopic > -math.inf, axis=1)
    number = xp.sum(xp.astype(nuggets, judged.rank.dtype), axis=1)
    grade = judged.by_subtopic
    if not math.prod(grade.shape):
        return Terms(gain=judged.grade, norm=number)
    support = _covers(judged, grade, full)
    if partial == "counts" and full > 0:
        part = xp.minimum(xp.maximum(grade, xp.zeros_like(grade)), constant(full, grade)) / full
        support = xp.where(support > 0, support, part)
    best = _best_so_far(support)
    before = xp.concat([xp.zeros_like(best[:, :1, :]), best[:, :-1, :]], axis=1)
    return Terms(gain=_total(best - before), norm=number)


def _best_so_far(values: Array) -> Array:
    """`[Q, H, S]`: the greatest value down to each row, of values from 0; by shifts of 1, 2, 4, ... rows."""
    xp = namespace(values)
    shift = 1
    while shift < values.shape[1]:
        earlier = xp.concat([xp.zeros_like(values[:, :shift, :]), values[:, :-shift, :]], axis=1)
        values = xp.maximum(values, earlier)
        shift *= 2
    return values


def _completing(judged: Judged, rel: float, each: Each) -> tuple[Array, Array]:
    """`[Q, H]`, 1 at the document with which all is there; and `[Q]`, how many subtopics or documents are needed."""
    if each == "document":
        gain, number = relevant(judged, rel), judged.n_relevant(rel)
    else:
        gain, number = _novelty(judged, rel, 1), _subtopics(judged, rel)
    is_new = positive(gain)
    return is_new * judged.xp.astype(cumulative(gain) == per_query(number), gain.dtype), number


def _log2(judged: Judged) -> Array:
    return discount(judged, lambda rank: math.log2(rank + 1))


def _rank(judged: Judged) -> Array:
    return judged.rank


def _patience(judged: Judged, beta: float) -> Array:
    return position(judged, lambda rank: beta ** (rank - 1))


def _covered(judged: Judged, rel: float) -> Array:
    """`[Q, H]`: how many subtopics a document covers."""
    return _total(_covers(judged, judged.by_subtopic, rel))


def _novelty(judged: Judged, rel: float, alpha: float) -> Array:
    """`[Q, H]`: how many subtopics a document covers, each worth `1 - alpha` times as much as when it was last covered.

    Args:
        judged: the ranking.
        rel: the grade from which a document covers a subtopic.
        alpha: how little a subtopic is worth that was covered before; 1, nothing; 0, as much as at first.

    """
    covers = _covers(judged, judged.by_subtopic, rel)
    if not covers.shape[0] or not covers.shape[1]:
        return judged.grade
    xp = judged.xp
    before = xp.astype(xp.cumulative_sum(covers, axis=1) - covers, xp.int64)
    worth = constant(_fading(alpha, covers.shape[1]), covers)
    return _total(covers * xp.reshape(xp.take(worth, xp.reshape(before, (-1,))), covers.shape))


def _shares_of_subtopics(judged: Judged, rel: float, norm: Literal["R", "found"]) -> Array:
    """`[Q, H]`: at each document, the share of the relevant documents that was found, over the subtopics it covers.

    Args:
        judged: the ranking.
        rel: the grade from which a document covers a subtopic.
        norm: whether it is a share of the `R` relevant documents of a subtopic, or of those that were `found` at last.

    """
    covers = _covers(judged, judged.by_subtopic, rel)
    if not covers.shape[0] or not covers.shape[1]:
        return judged.grade
    xp = judged.xp
    wanted = covers if norm == "found" else _covers(judged, judged.pool_by_subtopic, rel)
    number = xp.sum(wanted, axis=1)  # [Q, S]
    number = xp.where(number > 0, number, xp.ones_like(number))
    return _total(covers * xp.cumulative_sum(covers, axis=1) / number[:, None, :])


def _subtopics(judged: Judged, rel: float) -> Array:
    """`[Q]`: how many subtopics some judged document covers, retrieved or not; others do not count."""
    xp = judged.xp
    is_covered = xp.any(_covers(judged, judged.pool_by_subtopic, rel) > 0, axis=1)
    return xp.sum(xp.astype(is_covered, judged.rank.dtype), axis=1)


def _best_of_all(judged: Judged, rel: float, alpha: float, divisor: Callable[[float], float]) -> Array:
    """`[Q]`: the discounted novelty of a ranking in which every document covers every subtopic, down to the cutoff.

    Args:
        judged: the rankings.
        rel: the grade from which a document covers a subtopic.
        alpha: as for novelty.
        divisor: from a rank, counted from 1, to what novelty is divided by.

    Raises:
        MeasureError: `bad-cutoff`.

    """
    xp = judged.xp
    number = xp.astype(_subtopics(judged, rel), xp.int64)
    depth = xp.astype(judged.n_retrieved * 0 + judged.depth, xp.int64)
    if not depth.shape[0] or not int(xp.max(depth)):
        return judged.n_retrieved * 0
    deepest, most = int(xp.max(depth)), max(1, int(xp.max(number)))
    if deepest > _DEEPEST:
        message = f"{deepest:,} ranks with all subtopics are too many to add up; a cutoff goes to {_DEEPEST:,} here"
        raise MeasureError("bad-cutoff", message)
    worth = constant(_fading(alpha, deepest), judged.rank)
    discount = constant([divisor(rank) for rank in range(1, deepest + 1)], worth)
    gains = xp.cumulative_sum(worth[None, :] * xp.ones((most, 1), dtype=worth.dtype), axis=0)
    totals = xp.reshape(xp.cumulative_sum(gains / discount[None, :], axis=1), (-1,))
    is_empty = (number == 0) | (depth == 0)
    index = xp.where(is_empty, xp.zeros_like(number), (number - 1) * deepest + depth - 1)
    return xp.where(is_empty, xp.zeros_like(judged.n_retrieved), xp.take(totals, index))


def _greedy(judged: Judged, rel: float, alpha: float) -> Judged:
    """All judged documents, the one next that is newest after those before, under the same cutoff.

    Of documents that are equally new, that with the greatest id comes first. Those that cover nothing are left out.
    """

    def choose(whole: Judged) -> Array:
        xp = whole.xp
        covers = _covers(whole, whole.by_subtopic, rel)
        queries, height, _ = covers.shape
        if not queries or not height:
            return xp.zeros((queries, 0), dtype=xp.int64)
        useful = xp.any(covers > 0, axis=2)
        size = int(xp.max(xp.sum(xp.astype(useful, xp.int64), axis=1)))
        useful_rows = xp.argsort(xp.astype(~useful, xp.int64), axis=1, stable=True)[:, :size]
        covers = xp.take_along_axis(covers, useful_rows[:, :, None], axis=1)
        steps = size if judged.cutoff is None else min(size, int(xp.max(xp.asarray(judged.cutoff))))
        chosen = _greedily(xp, covers, alpha, steps)
        return xp.take_along_axis(useful_rows, chosen, axis=1)

    return judged.ideal_by(choose)


def _greedily(xp: Any, covers: Array, alpha: float, steps: int) -> Array:  # noqa: ANN401 - an array namespace
    """`[Q, T]`: the places of the documents that are taken one after the other; the first of those that are equal.

    Where a query has fewer documents that cover anything, others follow, each once.
    """
    queries, size, number = covers.shape
    worth = xp.ones((queries, number), dtype=covers.dtype)
    places = xp.arange(size, dtype=xp.int64)[None, :]
    left = xp.ones((queries, size), dtype=xp.bool)
    columns = [covers[:, :, subtopic] * 1.0 for subtopic in range(number)]  # side by side in memory
    chosen = []
    for _ in range(steps):
        new = columns[0] * worth[:, :1]
        for subtopic in range(1, number):
            new = new + columns[subtopic] * worth[:, subtopic : subtopic + 1]
        new = xp.where(left, new, constant(-1.0, covers))
        index = xp.argmax(new, axis=1, keepdims=True)
        chosen.append(index)
        left = left & (places != index)
        taken = xp.take_along_axis(covers, index[:, :, None], axis=1)[:, 0, :]
        worth = xp.where(taken > 0, worth * (1 - alpha), worth)
    return xp.concat(chosen, axis=1) if chosen else xp.zeros((queries, 0), dtype=xp.int64)


def _covers(judged: Judged, grades: Array, rel: float) -> Array:
    """`[Q, H, S]`: 1 where a document covers a subtopic."""
    return judged.xp.astype(grades >= rel, judged.rank.dtype)


def _fading(alpha: float, length: int) -> list[float]:
    """What the first, the second, ... document of a subtopic is worth."""
    return list(accumulate(repeat(1 - alpha, length - 1), mul, initial=1.0))


def _total(values: Array) -> Array:
    """`[Q, H]`: the sum over subtopics, added from the first to the last."""
    xp = namespace(values)
    if not math.prod(values.shape):
        return xp.zeros(values.shape[:2], dtype=values.dtype)
    return xp.cumulative_sum(values, axis=2)[:, :, -1]
