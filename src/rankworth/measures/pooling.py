"""Measures that take account of unjudged documents: what a ranking is worth, and how sure that is."""

from typing import Final, Literal

from rankworth.judged import Array, Judged
from rankworth.measures.building_blocks import (
    anywhere,
    assessed,
    cumulative,
    excess,
    inside,
    least,
    nonrelevant,
    per_query,
    pooled,
    position,
    positive,
    relevant,
    share,
    total,
)
from rankworth.measures.core import Terms, measure
from rankworth.measures.parameters import Probability, Share


@measure("Bpref", ordered=True, normalised=True, unjudged=("counts",))
def bpref(judged: Judged, *, rel: float = 1, no_nonrelevant: Share | Literal["undefined"] = 1) -> Terms:
    """How seldom judged non-relevant documents stand above relevant ones; unjudged documents do not matter.

    Bpref = 1/R sum over retrieved relevant documents of 1 - min(n, R) / min(N, R), where
    n = judged non-relevant documents above it, N = judged non-relevant documents in all

    Args:
        judged: the rankings.
        rel: the grade from which a document counts as relevant; grades from 0 to below it are non-relevant, negative
            grades are neither.
        no_nonrelevant: what every retrieved relevant document adds where no judged document is non-relevant: a number,
            or `undefined`, so that the value is undefined if there is such a document.

    Range: 0 to 1. Undefined if nothing is relevant; without non-relevant documents every retrieved relevant one adds 1.
    Unjudged: ignored. Ties: not linear, ranks are taken as they are.
    Elsewhere: where no judged document is non-relevant, ranx 0.3.21 and elinor 0.4.0 have no number, which is
    no_nonrelevant=undefined, and trectools 0.0.50 has 0. Negative grades count as non-relevant in ranx and elinor.
    Source: Buckley, Voorhees (2004), Retrieval evaluation with incomplete information,
    https://doi.org/10.1145/1008992.1009000, in the form of trec_eval since 8.0.

    >>> import rankworth
    >>> rankworth.score([1, 0, 1, 0], "Bpref")  # (1 + (1 - 1/2)) / 2
    0.75
    """
    n_relevant = judged.n_relevant(rel)
    lost = least(cumulative(nonrelevant(judged, rel)), per_query(n_relevant))
    at_worst = per_query(least(judged.n_nonrelevant(rel), n_relevant))
    is_relevant = relevant(judged, rel)
    if no_nonrelevant == "undefined":
        is_undefined = positive(total(is_relevant)) * (1 - positive(judged.n_nonrelevant(rel)))
        return Terms(gain=is_relevant, weight=1 - share(lost, at_worst), norm=n_relevant * (1 - is_undefined))
    return Terms(gain=is_relevant, weight=1 - share(lost, at_worst, otherwise=1 - no_nonrelevant), norm=n_relevant)


@measure("Judged", linear=True, normalised=True, monotone=True, unjudged=("judged",))
def judged_share(judged: Judged) -> Terms:
    """The share of the first k documents that somebody judged: how far the other values can be trusted.

    Judged@k = (judged documents at ranks 1 to k) / min(k, number of retrieved documents)

    Args:
        judged: the rankings.

    Range: 0 to 1. Undefined if nothing was retrieved. Negative grades are judgements, too.
    Unjudged: what it measures. Ties: linear.
    Elsewhere: ir_measures 0.4.3 fails where nothing was retrieved, and breaks ties by ascending id, unlike its measures
    from trec_eval. Hole of BEIR and MTEB is another thing: see Hole.
    Source: Buckley, Dimmick, Soboroff, Voorhees (2007), Bias and the limits of pooling for large collections,
    https://doi.org/10.1007/s10791-007-9032-x, in the form of ir_measures.

    >>> import rankworth
    >>> rankworth.score([1, None, 0, None], "Judged@3")  # 2 / 3
    0.6666666666666666
    """
    return Terms(gain=assessed(judged), weight=inside(judged), norm=judged.n_retrieved)


@measure("Unjudged", linear=True, better="lower")
def unjudged_share(judged: Judged) -> Terms:
    """The share of the first k ranks that hold a document without a grade: a red flag when it is high.

    Unjudged@k = (documents at ranks 1 to k without a grade, or with a negative one) / k; without a cutoff,
    / (number of retrieved documents)

    Args:
        judged: the rankings.

    Range: 0 to 1. A ranking shorter than k is still divided by k. Undefined without a cutoff if nothing was retrieved.
    Unjudged: what it measures: every document counts 1 to begin with, and a judged one takes it back. Ties: linear.
    Elsewhere: Hole@k of BEIR 2.2.0 and MTEB 2.26.24 does not count documents that are judged for another query: Hole
    here. trectools 0.0.50 has it as UNJ, with a mean over all judged queries.
    Source: trec_eval 10's unj; after Buckley, Dimmick, Soboroff, Voorhees (2007), Bias and the limits of pooling for
    large collections, https://doi.org/10.1007/s10791-007-9032-x

    >>> import rankworth
    >>> rankworth.score([1, None, 0, None], "Unjudged@3")  # (3 - 2) / 3
    0.3333333333333333
    """
    return Terms(gain=-_graded(judged), weight=inside(judged), rest=judged.n_retrieved, norm=judged.depth)


@measure("Hole", linear=True, positions="all", elsewhere=True, better="lower")
def hole(judged: Judged) -> Terms:
    """The share of the first k ranks with a document that nobody judged for any query.

    Hole@k = (documents at ranks 1 to k without a grade for this query or another) / k; without a cutoff, / (number of
    retrieved documents)

    Args:
        judged: the rankings.

    Range: 0 to 1. A ranking shorter than k is still divided by k. Undefined without a cutoff if nothing was retrieved.
    Negative grades are judgements, too. Where one ranking is measured alone, there is no other query.
    Unjudged: what it measures: every document counts 1 to begin with, and one that somebody judged takes it back.
    Ties: linear.
    Elsewhere: Hole@k of BEIR 2.2.0 is this one with a mean over all judged queries; MTEB 2.26.24 has it, too. Documents
    that are judged, but not for this query, are what Unjudged counts beside it.
    Source: Thakur, Reimers, Ruecklé, Srivastava, Gurevych (2021), BEIR, https://doi.org/10.48550/arXiv.2104.08663

    >>> import rankworth
    >>> rankworth.score([1, None, 0, None], "Hole@3")  # (3 - 2) / 3
    0.3333333333333333
    """
    return Terms(gain=-anywhere(judged), weight=inside(judged), rest=judged.n_retrieved, norm=judged.depth)


_EPSILON: Final = 0.00001


@measure("infAP", aliases=("inferred_AP",), ordered="no-negative")
def inferred_average_precision(judged: Judged, *, rel: float = 1) -> Terms:
    """Average precision estimated from a pool of which only a random sample was judged.

    infAP = 1/R sum over ranks i of relevant documents of 1/i + (i - 1)/i * (pool above / (i - 1)) *
    (relevant above + e) / (judged above + 2 e), where e = 0.00001 and negative grades are in the pool without judgement

    Args:
        judged: the rankings.
        rel: the grade from which a document counts as relevant.

    Range: 0 to 1. Undefined if nothing is relevant. With complete judgements it is AP but for e.
    Unjudged: those outside the pool count as not relevant; those inside (negative grades) as relevant as the judged
    ones above. Ties: not linear, ranks are taken as they are.
    Source: Yilmaz, Aslam (2006), Estimating average precision with incomplete and imperfect judgments,
    https://doi.org/10.1145/1183614.1183633, in the form of trec_eval.

    >>> import rankworth
    >>> rankworth.score([1, None, 1], "infAP")  # (1 + 1/3 + 2/3 * 1/2 * (1 + 0.00001) / (1 + 0.00002)) / 2
    0.8333316666999994
    """
    is_relevant = relevant(judged, rel)
    above_it = cumulative(is_relevant) - is_relevant
    judged_above = above_it + cumulative(nonrelevant(judged, rel))
    before = judged.rank - 1
    in_pool = share(judged_above + cumulative(pooled(judged)), before)
    estimate = before / judged.rank * in_pool * ((above_it + _EPSILON) / (judged_above + 2 * _EPSILON))
    return Terms(gain=is_relevant, weight=1 / judged.rank + estimate, norm=judged.n_relevant(rel))


@measure("RBP_residual", linear=True, better="lower")
def rank_biased_precision_residual(judged: Judged, *, p: Probability = 0.8) -> Terms:
    """How much RBP could still grow: the weight of all ranks that hold no judged document.

    RBP_residual = 1 - (1 - p) sum over ranks i of judged documents of p^(i - 1)

    Args:
        judged: the rankings.
        p: as for RBP.

    Range: 0 to 1; an endless ranking of judged documents leaves 0. Always defined.
    Unjudged: what it measures, ranks beyond the end or the cutoff included. Ties: linear.
    Elsewhere: trec_eval 10.0 has 0 if every retrieved document is judged, and p=0.9 where not said: rbp_resid here.
    cwl-eval takes the difference between its best and its worst case.
    Source: Moffat, Zobel (2008), Rank-biased precision for measurement of retrieval effectiveness,
    https://doi.org/10.1145/1416950.1416952

    >>> import rankworth
    >>> rankworth.score([1, None, 0], "RBP_residual(p=0.5)")  # 1 - (1 - 0.5) * (1 + 0.5^2)
    0.375
    """
    weight = position(judged, lambda rank: (1 - p) * p ** (rank - 1))
    return Terms(gain=-_graded(judged), weight=weight, rest=1.0, link=lambda left: excess(left, 0))


def _graded(judged: Judged) -> Array:
    """1 for documents with a grade that is not negative."""
    return assessed(judged) - pooled(judged)
