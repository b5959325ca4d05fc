"""Measures in which a better document is worth more, and less the later it comes."""

from typing import Literal

from rankworth.judged import Judged
from rankworth.measures.core import measure
from rankworth.measures.terms import Terms
from rankworth.measures.words import Gain, log2_discount, worth


@measure("DCG", linear=True, monotone=True, range=(0.0, float("inf")))
def dcg(judged: Judged, *, gain: Gain = "linear") -> Terms:
    """The gains of the first k documents, each divided by the logarithm of its rank.

    DCG@k = sum over i <= k of gain(grade at rank i) / log2(i + 1)

    Args:
        judged: the rankings.
        gain: `linear`, the grade itself; `exp2`, 2^grade - 1 (Burges; the `exp-log2` of ir_measures); or gains by
            grade, `{1: 1, 2: 3}`, where grades not listed keep their linear gain. Grades of 0 and below gain nothing.

    Range: from 0, without an upper bound. Always defined.
    Unjudged: gain nothing. Ties: linear.
    Source: Jarvelin, Kekalainen (2002), Cumulated gain-based evaluation of IR techniques,
    https://doi.org/10.1145/582415.582418; gain `exp2`: Burges et al. (2005), https://doi.org/10.1145/1102351.1102363

    >>> import rankworth
    >>> rankworth.score([3, 0, 1], "DCG")  # 3/log2(2) + 1/log2(4)
    3.5
    """
    return Terms(gain=worth(judged, gain), discount=log2_discount(judged))


@measure("nDCG", aliases=("ndcg_cut",), linear=True, normalised=True)
def ndcg(judged: Judged, *, gain: Gain = "linear", ideal: Literal["judged", "retrieved"] = "judged") -> Terms:
    """DCG as a share of what the best order of the documents would have.

    nDCG@k = DCG@k / (DCG@k of the ideal ranking)

    Args:
        judged: the rankings.
        gain: as for DCG.
        ideal: `judged`, the ideal ranking holds all judged documents (trec_eval, ir_measures, ranx); `retrieved`, only
            those that the system returned (scikit-learn, torchmetrics when fed retrieved documents).

    Range: 0 to 1 for gains that are not negative. Undefined if no document has a gain.
    Unjudged: gain nothing. Ties: linear.
    Source: Jarvelin, Kekalainen (2002), Cumulated gain-based evaluation of IR techniques,
    https://doi.org/10.1145/582415.582418

    >>> import rankworth
    >>> rankworth.score([2, 1, 0, 1, 2], "nDCG(gain=exp2)@3")  # (3 + 1/log2(3)) / (3 + 3/log2(3) + 1/log2(4))
    0.6732934624429354
    """
    best = judged.ideal(lambda ranking: worth(ranking, gain), of=ideal)
    dcg_of = dcg(gain=gain).terms
    return dcg_of(judged)._replace(norm=dcg_of(best).total())
