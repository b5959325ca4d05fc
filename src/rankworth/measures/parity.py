"""Measures for parity with another tool's output, to the last line: its experiments and its quirks."""

import math

from rankworth.judged import Array, Judged, constant
from rankworth.measures.building_blocks import (
    Gain,
    assessed,
    at,
    beside,
    cumulative,
    down_to,
    excess,
    gain_of,
    inside,
    ln,
    log2,
    per_query,
    pooled,
    portion,
    position,
    positive,
    reach,
    relevant,
    round_up_tenth,
    share,
    steps,
    total,
)
from rankworth.measures.core import Terms, measure
from rankworth.measures.graded import dcg
from rankworth.measures.parameters import Natural, Positive, Probability, Share
from rankworth.measures.pooling import rank_biased_precision_residual


@measure("set_F", linear=True, unjudged=("uniform", "no-sum"), shelf="parity")
def set_f(judged: Judged, *, rel: float = 1, x: Positive = 1) -> Terms:
    """The harmonic mean of precision and recall with trec_eval's parameter, which is beta squared.

    set_F = (x + 1) P R / (x P + R), where P and R are precision and recall of all retrieved documents

    Args:
        judged: the rankings.
        rel: the grade from which a document counts as relevant.
        x: beta squared: 4 gives F2. (ir_measures hands its beta on as x; the measure F takes beta.)

    Range: 0 to 1. Always defined: 0 if nothing relevant was retrieved.
    Unjudged: count as not relevant. Ties: linear.
    Elsewhere: ir_measures 0.4.3 hands the beta of SetF on as x: its SetF(beta=2) is set_F(x=2), not F2.
    Source: Chinchor (1992), Proceedings of MUC-4, https://doi.org/10.3115/1072064.1072067, in the form of trec_eval,
    which divides four times where F divides once.

    >>> import rankworth
    >>> rankworth.score([1, 0, 1, 0], "set_F(x=4)", missing=[1])  # 5 * 2/4 * 2/3 / (4 * 2/4 + 2/3)
    0.625
    """

    def mean(hits: Array) -> Array:
        precision, recall = share(hits, judged.n_retrieved), share(hits, judged.n_relevant(rel))
        return share((x + 1) * precision * recall, x * precision + recall)

    return Terms(gain=relevant(judged, rel), weight=inside(judged), link=mean)


@measure("RprecMult", linear=True, unjudged=("counts",), at="multiple", shelf="parity")
def r_precision_at_multiples(judged: Judged, *, rel: float = 1, multiple: Positive = 1) -> Terms:
    """Precision at a multiple of the rank at which a perfect ranking would have listed everything relevant.

    RprecMult@m = P@k at k = the whole part of m R + 0.9, where R = number of relevant documents in the judgements

    Args:
        judged: the rankings.
        rel: the grade from which a document counts as relevant.
        multiple: m, what follows `@`; with 1 it is Rprec.

    Range: 0 to 1. Undefined if k is 0.
    Unjudged: count as not relevant. Ties: linear.
    Source: trec_eval's Rprec_mult; Buckley, Voorhees (2000), Evaluating evaluation measure stability,
    https://doi.org/10.1145/345508.345543

    >>> import rankworth
    >>> rankworth.score([1, 0, 1, 0], "RprecMult@1.5")  # R is 2; 2 of the first 3
    0.6666666666666666
    """
    depth = portion(multiple, judged.n_relevant(rel), round_up_tenth)
    top = judged.cut(depth)
    return Terms(gain=relevant(top, rel), weight=inside(top), norm=depth)


@measure("binG", ordered=True, normalised=True, shelf="parity")
def binary_g(judged: Judged, *, rel: float = 1) -> Terms:
    """Average precision with a logarithm: every relevant document is discounted by the others above it.

    binG = 1/R sum over ranks i of relevant documents of 1 / log2(2 + (documents above i that are not relevant))

    Args:
        judged: the rankings.
        rel: the grade from which a document counts as relevant.

    Range: 0 to 1. Undefined if nothing is relevant.
    Unjudged: count as not relevant. Ties: not linear, ranks are taken as they are.
    Source: trec_eval's binG, an experiment by Chris Buckley (2008); the discount is that of Jarvelin, Kekalainen
    (2002), https://doi.org/10.1145/582415.582418

    >>> import rankworth
    >>> rankworth.score([1, 0, 0, 1], "binG")  # (1/log2(2) + 1/log2(4)) / 2
    0.75
    """
    hits = relevant(judged, rel)
    return Terms(
        gain=hits, discount=log2(judged, 2 + judged.rank - cumulative(hits), hits), norm=judged.n_relevant(rel)
    )


@measure("ideal_dcg", ordered=True, range=(0.0, float("inf")), monotone=True, shelf="parity")
def ideal_dcg(judged: Judged, *, gain: Gain = "linear") -> Terms:
    """DCG of the ideal ranking: what nDCG divides by.

    ideal_dcg@k = DCG@k of all judged documents in the order of their gains

    Args:
        judged: the rankings.
        gain: as for Q.

    Range: from 0 for gains that are not negative, without an upper bound. Always defined; the run does not matter.
    Unjudged: gain nothing. Ties: they do not matter, but ranks are taken as they are.
    Elsewhere: trec_eval 10.0 repeats the value of the query before where all grades of a query are negative; it is 0
    here.
    Source: Jarvelin, Kekalainen (2002), Cumulated gain-based evaluation of IR techniques,
    https://doi.org/10.1145/582415.582418

    >>> import rankworth
    >>> rankworth.score([0, 1], "ideal_dcg", missing=[3])  # 3/log2(2) + 1/log2(3)
    3.6309297535714578
    """
    best = judged.ideal(lambda ranking: gain_of(ranking, gain))
    terms: Terms = dcg(gain=gain).terms(best)
    return terms._replace(ranking=best)


@measure("G", shelf="parity")
def normalised_g(judged: Judged, *, gain: Gain = "linear") -> Terms:
    """What every document gains, discounted by how much more the ideal ranking had gained at its rank.

    G@k = sum over ranks i <= k of gain(i) / log2(2 + cost(i) - gained(i)) / (all gains of the ideal ranking down to k),
    where gained = the gains up to i, and cost = those of the ideal ranking, in which no rank costs less than 1

    Args:
        judged: the rankings.
        gain: as for Q.

    Range: 0 to 1 for gains that are not negative. Undefined if no document has a gain.
    Unjudged: gain nothing. Ties: not linear, ranks are taken as they are.
    Source: trec_eval's G, an experiment by Chris Buckley (2008); the discount is that of Jarvelin, Kekalainen (2002),
    https://doi.org/10.1145/582415.582418

    >>> import rankworth
    >>> rankworth.score([0, 3], "G")  # 3 / log2(2 + (3 + 1) - 3) / 3
    0.6309297535714574
    """
    gains = gain_of(judged, gain)
    ideal = judged.ideal(lambda ranking: gain_of(ranking, gain))
    best = gain_of(ideal, gain)
    cost = judged.rank + at(cumulative(excess(best, 1)), judged.rank)
    terms = Terms(gain=gains, discount=log2(judged, 2 + excess(cost - cumulative(gains), 0), gains))
    return terms.over(ideal, Terms(gain=excess(best, 0)))


@measure("ndcg_rel", ordered=True, unjudged=("counts", "unsorted"), shelf="parity")
def ndcg_at_relevant(judged: Judged, *, gain: Gain = "linear") -> Terms:
    """The mean of nDCG at the ranks of the documents with a gain.

    ndcg_rel@k = 1/N (sum over ranks i <= k of documents with a gain of DCG@i / IDCG@i + (N - their number) DCG@k /
    IDCG@k), where IDCG = DCG of the ideal ranking, N = documents with a gain in it down to k

    Args:
        judged: the rankings.
        gain: as for Q.

    Range: 0 to 1 for gains that are not negative. Undefined if no document has a gain.
    Unjudged: gain nothing. Ties: not linear, ranks are taken as they are.
    Source: trec_eval's ndcg_rel, an experiment by Chris Buckley; nDCG: Jarvelin, Kekalainen (2002),
    https://doi.org/10.1145/582415.582418

    >>> import rankworth
    >>> rankworth.score([2, 0, 2], "ndcg_rel")  # (2/2 + (2 + 1) / (2 + 2/log2(3))) / 2
    0.9598603945740938
    """
    gains, best, gained, possible = _dcg_and_ideal(judged, gain)
    n = total(positive(gain_of(best, gain)))
    return Terms(
        gain=gains,
        weight=share(gained, at(possible, judged.rank)),
        norm=n,
        rest=share((n - total(gains)) * _last(gained, n), _last(possible, n)),
    )


@measure("Rndcg", ordered=True, unjudged=("counts",), shelf="parity")
def ndcg_at_recall(judged: Judged, *, rel: float = 1, gain: Gain = "linear") -> Terms:
    """The mean of nDCG at the ranks at which the ideal ranking goes on to a lower gain, and at the end.

    Rndcg = mean of DCG@i / IDCG@i over the last rank i of every gain in the ideal ranking, and, if more than one
    document was retrieved beyond these, over the whole ranking

    Args:
        judged: the rankings.
        rel: the grade from which a document counts as relevant; without one, the value is undefined.
        gain: as for Q.

    Range: 0 to 1 for gains that are not negative. Undefined if nothing is relevant or no document has a gain.
    Unjudged: gain nothing. Ties: not linear, ranks are taken as they are.
    Source: trec_eval's Rndcg, an experiment by Chris Buckley; nDCG: Jarvelin, Kekalainen (2002),
    https://doi.org/10.1145/582415.582418

    >>> import rankworth
    >>> rankworth.score([1, 2], "Rndcg")  # (1/2 + (1 + 2/log2(3)) / (2 + 1/log2(3))) / 2
    0.6798593499260985
    """
    _, best, gained, possible = _dcg_and_ideal(judged, gain)
    gains = gain_of(best, gain)
    n = total(positive(gains))
    ends = steps(gains)
    more = positive(excess(judged.n_retrieved - n, 1) * n)
    ranks = beside([best.rank, per_query(judged.n_retrieved)])
    measured = beside([ends, per_query(more)])
    ideal = beside([possible, per_query(_last(possible, n))])
    return Terms(
        gain=measured * down_to(judged, gained, ranks),
        discount=ideal * measured + (1 - measured),
        norm=total(measured) * positive(judged.n_relevant(rel)),
        rank=ranks,
    )


@measure("utility", linear=True, unjudged=("uniform", "no-sum"), range=(float("-inf"), float("inf")), shelf="parity")
def utility(
    judged: Judged,
    *,
    rel: float = 1,
    hit: float = 1,
    noise: float = -1,
    miss: float = 0,
    rejection: float = 0,
    documents: Natural = 0,
) -> Terms:
    """What a set of documents is worth to somebody who gains by relevant ones and loses by the others.

    utility = hit a + noise b + miss c + rejection d, where a and b are the relevant and the other retrieved documents,
    c and d those that were not retrieved

    Args:
        judged: the rankings.
        rel: the grade from which a document counts as relevant.
        hit: what a relevant document is worth that was retrieved.
        noise: what any other retrieved document is worth.
        miss: what a relevant document is worth that was not retrieved.
        rejection: what any other document is worth that was not retrieved.
        documents: how many documents the collection holds (`-N` in trec_eval); only `rejection` needs it.

    Range: any number. Always defined.
    Unjudged: count as not relevant. Ties: linear.
    Source: Lewis (1995), Evaluating and optimizing autonomous text classification systems,
    https://doi.org/10.1145/215206.215366; Hull, Robertson (1999), The TREC-8 Filtering Track final report.

    >>> import rankworth
    >>> rankworth.score([1, 0, 0], "utility(hit=3, miss=-0.5)", missing=[1])  # 3 * 1 - 1 * 2 - 0.5 * 1
    0.5
    """
    terms = Terms(gain=relevant(judged, rel), weight=inside(judged))
    hits, n = terms.total(), judged.n_relevant(rel)
    outside = documents + hits - judged.n_retrieved - n
    rest = noise * (judged.n_retrieved - hits) + miss * (n - hits) + rejection * outside
    return terms._replace(gain=hit * terms.gain, rest=rest)


@measure("yaap", ordered=True, range=(float("-inf"), float("inf")), shelf="parity")
def smoothed_average_precision(judged: Judged, *, rel: float = 1) -> Terms:
    """Average precision as log odds, which can be averaged without extremes getting lost.

    yaap = ln((1 + s) / (1 + R - s)), where s = sum of P@i over the ranks i of relevant documents, R = their number

    Args:
        judged: the rankings.
        rel: the grade from which a document counts as relevant.

    Range: any number; from -ln(1 + R) to ln(1 + R). Always defined.
    Unjudged: count as not relevant. Ties: not linear, ranks are taken as they are.
    Elsewhere: trec_eval 9.0.8 counts a query without results as 0, trec_eval 10.0 as -ln(1 + R), which it is here.
    Source: Robertson (2012), On smoothing average precision, https://doi.org/10.1007/978-3-642-28997-2_14

    >>> import rankworth
    >>> rankworth.score([1, 0], "yaap", missing=[1])  # ln((1 + 1) / (1 + 2 - 1))
    0.0
    """
    is_relevant = relevant(judged, rel)
    n = judged.n_relevant(rel)

    def log_odds(precisions: Array) -> Array:
        against = 1 + n - precisions  # 0 or less where documents count more than once
        is_sound = against > 0
        unit = constant(1.0, against)
        odds = (1 + precisions) / judged.xp.where(is_sound, against, unit)
        return ln(judged, judged.xp.where(is_sound, odds, constant(math.inf, against)))

    return Terms(gain=is_relevant, weight=cumulative(is_relevant), discount=judged.rank, link=log_odds)


@measure("raw_PFound", range=(float("-inf"), float("inf")), shelf="parity")
def raw_pfound(judged: Judged, *, decay: Share = 0.85) -> Terms:
    """PFound as CatBoost has it, which takes grades for chances whatever they are.

    raw_PFound@k = sum over i <= k of grade(i) * product over j < i of (1 - grade(j)) decay

    Args:
        judged: the rankings.
        decay: the chance that a reader who was not satisfied looks at the next document.

    Range: a chance for grades from 0 to 1, and any number beyond. Always defined.
    Unjudged: satisfy nobody. Ties: not linear, ranks are taken as they are.
    Elsewhere: PFound divides by the best grade, so that it is a chance.
    Source: CatBoost 1.2.10 (catboost/libs/metrics/pfound.h); PFound is a cascade as that of Chapelle, Metzler, Zhang,
    Grinspan (2009), https://doi.org/10.1145/1645953.1646033

    >>> import rankworth
    >>> rankworth.score([2, 1], "raw_PFound")  # 2 + (1 - 2) * 0.85 * 1
    1.15
    """
    stop = gain_of(judged, "signed")
    return Terms(gain=stop, weight=reach(stop) * position(judged, lambda rank: decay ** (rank - 1)))


@measure("rbp_resid", shelf="parity", better="lower")
def trec_eval_residual(judged: Judged, *, p: Probability = 0.9) -> Terms:
    """RBP's residual as trec_eval has it: 0 where every retrieved document is judged.

    rbp_resid = RBP_residual if any retrieved document is without a grade, else 0

    Args:
        judged: the rankings.
        p: as for RBP, but 0.9 where not said.

    Range: 0 to 1. Always defined.
    Unjudged: what it measures; but ranks beyond the end count only if there is one before. Ties: not linear, ranks are
    taken as they are.
    Source: trec_eval 10's rbp_resid; Moffat, Zobel (2008), Rank-biased precision for measurement of retrieval
    effectiveness, https://doi.org/10.1145/1416950.1416952

    >>> import rankworth
    >>> rankworth.score([1, None], "rbp_resid(p=0.5)"), rankworth.score([1], "rbp_resid")  # 1 - (1 - 0.5) * 1; none
    (0.5, 0.0)
    """
    holes = positive(judged.n_retrieved - total(assessed(judged) - pooled(judged)))
    terms: Terms = rank_biased_precision_residual(p=p).terms(judged)
    return terms._replace(gain=terms.gain * per_query(holes), rest=holes)


def _dcg_and_ideal(judged: Judged, gain: Gain) -> tuple[Array, Judged, Array, Array]:
    """Which rows gain, the ideal ranking, and the running totals of both."""
    best = judged.ideal(lambda ranking: gain_of(ranking, gain))
    dcg_of = dcg(gain=gain).terms
    return positive(gain_of(judged, gain)), best, dcg_of(judged).running(), dcg_of(best).running()


def _last(running: Array, like: Array) -> Array:
    """`[Q]`: the last running total; 0 where there is none."""
    return running[:, -1] if running.shape[1] else 0 * like
