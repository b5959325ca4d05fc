"""Measures in which a better document is worth more, and less the later it comes."""

from dataclasses import replace
from typing import Annotated, Literal

from rankworth.judged import IdealOf, Judged
from rankworth.measures.building_blocks import (
    SIGNED,
    AnyGain,
    Discount,
    Gain,
    at,
    cumulative,
    gain_of,
    log_discount,
    log_divisor,
    positive,
    share,
)
from rankworth.measures.core import Ideal, Terms, measure
from rankworth.measures.parameters import Natural, Within
from rankworth.measures.sums import at_every_rank

Base = Annotated[float, Within(1, 1e9)]


_REL = {"rel": ("gain", "binary")}
_BURGES = "as in Burges et al. (2005)"
"""https://doi.org/10.1145/1102351.1102363, from which many people learn nDCG"""


@measure("DCG", linear=True, monotone=True, range=(0.0, float("inf")), beside=_REL, gains={"exp2": _BURGES})
def dcg(
    judged: Judged,
    *,
    gain: AnyGain = "linear",
    rel: float = 1,
    discount: Discount = "rank+1",
    base: Base = 2,
    floor: float | None = None,
) -> Terms:
    """The gains of the first k documents, each divided by the logarithm of its rank.

    DCG@k = sum over i <= k of gain(grade at rank i) / log2(i + 1)

    Args:
        judged: the rankings.
        gain: `linear`, the grade itself; `exp2`, 2^grade - 1 (Burges; the `exp-log2` of ir_measures); or gains by
            grade, `{1: 1, 2: 3}`, where grades not listed keep their linear gain. Grades of 0 and below gain nothing.
            `binary`, 1 from the grade `rel` on. `signed` and `signed-exp2`, the first two for every grade, so that
            negative ones count against the ranking: -1 is -1 or -0.5.
        rel: the grade from which a document has the binary gain 1; it means nothing to other gains.
        discount: `rank+1`, the logarithm of the rank plus one; `rank`, that of the rank, and no discount at ranks below
            the base, as Jarvelin and Kekalainen had it in 2002, and as the scripts of LETOR and MSLR have it; `1/rank`,
            the rank itself, CatBoost's `denominator=Position`; `none`, the cumulated gain.
        base: of the logarithm; scikit-learn's `log_base`.
        floor: grades below it gain nothing (`-l` of ranx); none where not said.

    Range: from 0 for gains that are not negative, without an upper bound. Always defined.
    Unjudged: gain nothing. Ties: linear.
    Elsewhere: scikit-learn 1.9.1 lets tied documents share the discounts of their ranks, and its dcg_score has
    gain=signed. ranx 0.3.21 takes the gains below `-l` away, which is floor here; `-l` of trec_eval does not
    concern gains.
    Source: Jarvelin, Kekalainen (2002), Cumulated gain-based evaluation of IR techniques,
    https://doi.org/10.1145/582415.582418; gain `exp2`: Burges et al. (2005), https://doi.org/10.1145/1102351.1102363

    >>> import rankworth
    >>> rankworth.score([3, 0, 1], "DCG")  # 3/log2(2) + 1/log2(4)
    3.5
    >>> rankworth.score([3, 2, 3], "DCG(discount=rank)")  # 3/1 + 2/1 + 3/log2(3)
    6.892789260714372
    """
    return _discounted(judged, gain, rel, discount, base, floor)


def _discounted(
    judged: Judged, gain: AnyGain, rel: float, discount: Discount, base: float, floor: float | None
) -> Terms:
    """Gains over discounts, as `dcg` explains the parameters."""
    return Terms(gain=gain_of(judged, gain, rel=rel, floor=floor), discount=log_discount(judged, discount, base))


@measure(
    "nDCG",
    linear=True,
    normalised=True,
    shelf="first",
    everywhere={"gain": SIGNED},
    beside=_REL,
    gains={"linear": "as in trec_eval", "exp2": _BURGES},
)
def ndcg(
    judged: Judged,
    *,
    gain: AnyGain = "linear",
    rel: float = 1,
    ideal: Literal["judged", "retrieved", "returned", "uncut", "full"] = "judged",
    discount: Discount = "rank+1",
    base: Base = 2,
    floor: float | None = None,
) -> Terms:
    """How close the order is to the ideal one: DCG divided by the DCG of the best possible order.

    nDCG@k = DCG@k / (DCG@k of the ideal ranking)

    Args:
        judged: the rankings.
        gain: as for DCG.
        rel: as for DCG.
        ideal: `judged`, the ideal ranking holds all judged documents (trec_eval, ir_measures, ranx); `retrieved`, only
            those that the system returned (scikit-learn, torchmetrics when fed retrieved documents); `returned`, all
            judged ones, but no more of them than were retrieved within the cutoff (MLflow); `uncut`, all judged ones,
            also beyond the cutoff (Quepid); `full`, k documents of gain 1, whatever is judged (RecTools).
        discount: as for DCG.
        base: as for DCG; with `rank+1` it cancels out, up to rounding.
        floor: as for DCG.

    Range: 0 to 1 for gains that are not negative, and with ideal=full for gains up to 1. Undefined if no document has a
    gain; with ideal=full if there is no rank to count, with ideal=returned if nothing was retrieved.
    Unjudged: gain nothing; with ideal=retrieved they stand above documents with a signed gain below 0. Ties: linear.
    Elsewhere: scikit-learn 1.9.1 and torchmetrics 1.9.0 average over the orders of ties; of the documents that they are
    handed they make the ideal ranking. RecTools 0.19.0 divides by k relevant documents, ideal=full here, unless
    `divide_by_achievable` is set. sentence-transformers, RePlay, and recommenders where not told otherwise, have
    gain=binary. ranx 0.3.21 takes gains below `-l` away: floor here. elinor 0.4.0 gives 1 if
    nothing is relevant. trec_eval up to 10.0 sorts gains such as 0.5 and 0.9 wrongly.
    Source: Jarvelin, Kekalainen (2002), Cumulated gain-based evaluation of IR techniques,
    https://doi.org/10.1145/582415.582418

    >>> import rankworth
    >>> rankworth.score([2, 1, 0, 1, 2], "nDCG(gain=exp2)@3")  # (3 + 1/log2(3)) / (3 + 3/log2(3) + 1/log2(4))
    0.6732934624429354
    """
    terms = _discounted(judged, gain, rel, discount, base, floor)
    if ideal == "full":
        return terms._replace(norm=at_every_rank(judged, log_divisor(discount, base)))
    of: IdealOf = "judged" if ideal != "retrieved" else "listed" if gain in SIGNED else "retrieved"

    def best() -> Ideal:
        ranking = judged.ideal(lambda pool: gain_of(pool, gain, rel=rel, floor=floor), of=of, cut=ideal != "uncut")
        if ideal == "uncut":
            ranking = replace(ranking, cutoff=None)
        if ideal == "returned":
            ranking = ranking.cut(judged.n_retrieved)
        return Ideal.of(ranking, _discounted(ranking, gain, rel, discount, base, floor))

    key = ("nDCG", ideal, judged.cutoff, str(gain), rel, discount, base, floor)
    return terms.share_of(judged.of_pool(key, best) if ideal in ("judged", "uncut") else best())


@measure("Q", aliases=("Q_measure",), ordered=True, normalised=True, unjudged=("unsorted",))
def q_measure(judged: Judged, *, gain: Gain = "linear", beta: Natural = 1) -> Terms:
    """Average precision for graded documents: at every relevant document, what was gained against what could be.

    Q@k = 1/R sum over ranks i <= k with a gain of (C(i) + beta G(i)) / (i + beta G*(i)), where C = documents with a
    gain up to i, G = their gains added up, G* = the gains of the ideal ranking up to i, R = documents with a gain in
    the ideal ranking down to k

    Args:
        judged: the rankings.
        gain: `linear`, the grade itself; `exp2`, 2^grade - 1; or gains by grade, `{1: 1, 2: 3}`, where grades not
            listed keep their linear gain. Grades of 0 and below gain nothing.
        beta: how much the gains count beside the number of documents; with 0, Q is AP.

    Range: 0 to 1 for gains that are not negative. Undefined if no document has a gain.
    Unjudged: gain nothing. Ties: not linear, ranks are taken as they are.
    Source: Sakai, Song (2011), Evaluating diversified search results using per-intent graded relevance,
    https://doi.org/10.1145/2009916.2010055; first in Sakai (2004), Proceedings of NTCIR-4.

    >>> import rankworth
    >>> rankworth.score([1, 0, 2], "Q")  # ((1 + 1) / (1 + 2) + (2 + 3) / (3 + 3)) / 2
    0.75
    """
    gains = gain_of(judged, gain)
    hits = positive(gains)
    ideal = judged.ideal(lambda ranking: gain_of(ranking, gain))
    best = gain_of(ideal, gain)
    weight = share(cumulative(hits) + beta * cumulative(gains), judged.rank + beta * at(cumulative(best), judged.rank))
    return Terms(gain=hits, weight=weight).over(ideal, Terms(gain=positive(best)))
