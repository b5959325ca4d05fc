"""The measures of the C/W/L framework: what a reader gains per document, given how likely they go on at each rank.

C(i) is the chance of going on from rank i to the next. The chance V(i) of getting to rank i is the product of those
above it, W(i) = V(i) / (V(1) + ... + V(n)) is how much rank i counts, and the value is the sum of W(i) gain(i). There
are n = 1000 ranks to look at (`ranks`), as cwl-eval and ir_measures have it; those beyond the end gain nothing.
cwl-eval prints that value as EU; with of=total, the sum of V(i) gain(i), it is ETU, with of=depth, that of V(i), ED.
"""

import math
from typing import Annotated

from rankworth.judged import Judged
from rankworth.measures.building_blocks import discount, excess, first, least, position, reach, total
from rankworth.measures.core import Terms, measure
from rankworth.measures.parameters import Natural, Positive, Probability, Ranks, Within
from rankworth.measures.sums import before, cut_at, enough, inverse_squares, never, sums
from rankworth.measures.user_models import Reported, earned, gains_down_to, inverse_square, reported, span, stopping

Goal = Annotated[float, Within(0.5, 1000, closed=True)]


@measure("INST", ordered=True, monotone=True)
def inst(
    judged: Judged,
    *,
    rel: float = 1,
    T: Goal = 1,  # noqa: N803 - as the papers have it
    max_grade: Positive | None = None,
    min_grade: Natural = 0,
    ranks: Ranks = 1000,
    of: Reported = "rate",
) -> Terms:
    """The gain per document of a reader who wants a gain of T, and goes on the more likely the more of it is missing.

    INST = sum of W(i) gain(i), C(i) = ((i + T + T(i) - 1) / (i + T + T(i)))^2, T(i) = T - gains at ranks 1 to i

    Args:
        judged: the rankings.
        rel: the grade from which a document has gain 1, unless `max_grade` is given.
        T: the gain that the reader hopes for; from 0.5, since C(i) could be more than 1 for a smaller one.
        max_grade: the best grade of the scale; gains are then (grade - min_grade) / (max_grade - min_grade), and `rel`
            is not used.
        min_grade: the grade up to which a document gains nothing; only beside `max_grade`.
        ranks: how many ranks a reader may look at.
        of: what is reported: `rate`, the gain per document; `total`, what all documents gain that are looked
            at, for readers who stop at one of these ranks; `depth`, how many documents are looked at.

    Range: 0 to 1, and 1 only if all these ranks hold the best documents; a total and a depth may be greater. Always
    defined.
    Unjudged: gain nothing. Ties: not linear, ranks are taken as they are.
    Elsewhere: ir_measures 0.4.3, by way of cwl-eval, takes tied documents in the order of the run. cwl-eval 1.0.12
    prints the rate as EU, the total as ETU and the depth as ED.
    Source: Moffat, Bailey, Scholer, Thomas (2015), INST: an adaptive metric for information retrieval evaluation,
    https://doi.org/10.1145/2838931.2838938

    >>> import rankworth
    >>> round(rankworth.score([1], "INST(ranks=3)"), 12)  # V = 1, (1/2)^2, (1/2 * 2/3)^2; 1 / (1 + 1/4 + 1/9)
    0.734693877551
    """
    judged, depth, gain = gains_down_to(judged, ranks, rel, max_grade, min_grade)
    # V(i) falls like 1 / wanting^2 where nothing is gained; a gain takes wanting, and so V, a step down.
    wanting = excess(judged.rank - 1, before(gain)) + 2 * T
    step = gain / wanting
    left = reach(step) * reach(step)
    after = left * (1 - step) * (1 - step)
    change = after * inverse_squares(wanting + 1 - gain) - left * inverse_squares(wanting + 1)
    end = never(step) * never(step) * inverse_squares(depth + 2 * T - total(gain))
    ranked = inverse_squares(2 * T) + total(change) - end
    at_best = 1.0  # but for rounding
    rate = Terms(gain, left, wanting * wanting, norm=ranked, link=lambda value: least(value, at_best))
    last = depth + 2 * T - total(gain)
    beyond = never(step) * never(step) / (last * last)
    return reported(of, judged, rate, at_first=inverse_square(T)(1), beyond=beyond)


@measure("INSQ", linear=True, monotone=True)
def insq(
    judged: Judged,
    *,
    rel: float = 1,
    T: Positive = 1,  # noqa: N803 - as the papers have it
    max_grade: Positive | None = None,
    min_grade: Natural = 0,
    ranks: Ranks = 1000,
    of: Reported = "rate",
) -> Terms:
    """The gain per document of a reader who wants a gain of T, and goes on the more likely the further they are.

    INSQ = sum of W(i) gain(i), C(i) = ((i + 2T - 1) / (i + 2T))^2, so that W(i) is in proportion to 1 / (i + 2T - 1)^2

    Args:
        judged: the rankings.
        rel: the grade from which a document has gain 1, unless `max_grade` is given.
        T: the gain that the reader hopes for.
        max_grade: as for INST.
        min_grade: as for INST.
        ranks: how many ranks a reader may look at.
        of: as for INST.

    Range: 0 to 1, and 1 only if all these ranks hold the best documents; a total and a depth may be greater. Always
    defined.
    Unjudged: gain nothing. Ties: linear.
    Elsewhere: ir_measures 0.4.3, by way of cwl-eval, takes tied documents in the order of the run. cwl-eval 1.0.12
    prints the rate as EU, the total as ETU and the depth as ED.
    Source: Moffat, Scholer, Thomas (2012), Models and metrics: IR evaluation as a user process,
    https://doi.org/10.1145/2407085.2407092

    >>> import rankworth
    >>> rankworth.score([1, 0], "INSQ(ranks=2)")  # (1/2^2) / (1/2^2 + 1/3^2)
    0.6923076923076923
    """
    judged, depth, gain = gains_down_to(judged, ranks, rel, max_grade, min_grade)
    falling = inverse_square(T)
    rate = Terms(gain=gain, weight=position(judged, falling), norm=sums(falling, depth)(depth))
    return reported(of, judged, rate, at_first=falling(1), beyond=falling(depth + 1))


@measure("SDCG", aliases=("scaled_DCG",), linear=True, monotone=True)
def scaled_dcg(
    judged: Judged,
    *,
    rel: float = 1,
    max_grade: Positive | None = None,
    min_grade: Natural = 0,
    ranks: Ranks = 1000,
    of: Reported = "rate",
) -> Terms:
    """DCG as a share of what k documents of the best grade would have, whether there are so many or not.

    SDCG@k = (sum over i <= k of gain(i) / log2(i + 1)) / (sum over i <= k of 1 / log2(i + 1))

    Args:
        judged: the rankings.
        rel: the grade from which a document has gain 1, unless `max_grade` is given.
        max_grade: as for INST.
        min_grade: as for INST.
        ranks: how many ranks a reader may look at; k where there is no cutoff.
        of: as for INST.

    Range: 0 to 1, and 1 only if all k ranks hold the best documents; a total and a depth may be greater. Always
    defined.
    Unjudged: gain nothing. Ties: linear.
    Elsewhere: ir_measures 0.4.3, by way of cwl-eval, takes tied documents in the order of the run. cwl-eval 1.0.12
    prints the rate as EU, the total as ETU and the depth as ED.
    Source: Jarvelin, Kekalainen (2002), Cumulated gain-based evaluation of IR techniques,
    https://doi.org/10.1145/582415.582418; scaled as in Azzopardi, Thomas, Moffat (2019), cwl_eval,
    https://doi.org/10.1145/3331184.3331398

    >>> import rankworth
    >>> rankworth.score([1, 0, 1], "SDCG@3")  # (1/log2(2) + 1/log2(4)) / (1/log2(2) + 1/log2(3) + 1/log2(4))
    0.7039180890341347
    """
    judged, depth, gain = gains_down_to(judged, ranks, rel, max_grade, min_grade)
    best = sums(lambda rank: 1 / math.log2(rank + 1), depth)
    rate = Terms(gain=gain, discount=discount(judged, lambda rank: math.log2(rank + 1)), norm=best(depth))
    return reported(of, judged, rate)


@measure("BPM")
def bejeweled_player(
    judged: Judged,
    *,
    rel: float = 1,
    T: Positive = 1,  # noqa: N803 - as the papers have it
    max_grade: Positive | None = None,
    min_grade: Natural = 0,
    ranks: Ranks = 1000,
    of: Reported = "rate",
) -> Terms:
    """The gain per document of a reader who stops when the gains have come to T, and after k documents at the latest.

    BPM@k = (gains at ranks 1 to s) / s, where s = the first rank down to which the gains add up to T, or k if none does

    Args:
        judged: the rankings.
        rel: the grade from which a document has gain 1, unless `max_grade` is given.
        T: the gain at which the reader has enough.
        max_grade: as for INST.
        min_grade: as for INST.
        ranks: how many ranks a reader may look at; k where there is no cutoff.
        of: as for INST.

    Range: 0 to 1; a total and a depth may be greater. Always defined.
    Unjudged: gain nothing. Ties: not linear, ranks are taken as they are.
    Elsewhere: ir_measures 0.4.3, by way of cwl-eval, takes tied documents in the order of the run. cwl-eval 1.0.12
    prints the rate as EU, the total as ETU and the depth as ED.
    Source: Zhang, Liu, Li, Zhang, Xu, Ma (2017), Evaluating web search with a Bejeweled player model (the static one),
    https://doi.org/10.1145/3077136.3080841

    >>> import rankworth
    >>> rankworth.score([1, 0, 1, 1], "BPM(T=2)@10")  # (1 + 0 + 1) / 3
    0.6666666666666666
    """
    judged, depth = cut_at(judged, ranks)
    gains, scale = earned(judged, rel, max_grade, min_grade), span(max_grade, min_grade)
    stop = first(enough(gains, T * scale))
    if of != "rate":
        return stopping(judged, gains / scale, stop, lambda _: 1.0, depth, of=of)
    read = stopping(judged, gains, stop, lambda _: 1.0, depth)
    return read._replace(norm=read.norm * scale)


@measure("NERR8", ordered=True, monotone=True)
def nearly_err_8(
    judged: Judged,
    *,
    rel: float = 1,
    max_grade: Positive | None = None,
    min_grade: Natural = 0,
    ranks: Ranks = 1000,
    of: Reported = "rate",
) -> Terms:
    """The gain per document of a reader who stops at a document with the chance of its gain, and after k at the latest.

    NERR8@k = sum of W(i) gain(i), C(i) = 1 - gain(i) for i < k, 0 for i = k; with gains of 0 and 1 it is RR, and 0 / k

    Args:
        judged: the rankings.
        rel: the grade from which a document has gain 1, unless `max_grade` is given.
        max_grade: as for INST.
        min_grade: as for INST.
        ranks: how many ranks a reader may look at; k where there is no cutoff.
        of: as for INST.

    Range: 0 to 1; a total and a depth may be greater. Always defined.
    Unjudged: gain nothing. Ties: not linear, ranks are taken as they are.
    Elsewhere: ir_measures 0.4.3, by way of cwl-eval, takes tied documents in the order of the run. cwl-eval 1.0.12
    prints the rate as EU, the total as ETU and the depth as ED.
    Source: Azzopardi, Mackenzie, Moffat (2021), ERR is not C/W/L (equation 8), https://doi.org/10.1145/3471158.3472239

    >>> import rankworth
    >>> rankworth.score([1, 0, 2], "NERR8(max_grade=2)@3")  # V = 1, 1/2, 1/2; (1 * 1/2 + 1/2 * 1) / 2
    0.5
    """
    judged, depth, gain = gains_down_to(judged, ranks, rel, max_grade, min_grade)
    return stopping(judged, gain, gain, lambda _: 1.0, depth, of=of)


@measure("NERR9", ordered=True, monotone=True)
def nearly_err_9(
    judged: Judged,
    *,
    rel: float = 1,
    max_grade: Positive | None = None,
    min_grade: Natural = 0,
    ranks: Ranks = 1000,
    of: Reported = "rate",
) -> Terms:
    """ERR with rank i discounted by 1/i, divided by the number of documents that its reader inspects.

    NERR9@k = sum of W(i) gain(i), C(i) = i / (i + 1) * (1 - gain(i)) for i < k, 0 for i = k

    Args:
        judged: the rankings.
        rel: the grade from which a document has gain 1, unless `max_grade` is given.
        max_grade: as for INST.
        min_grade: as for INST.
        ranks: how many ranks a reader may look at; k where there is no cutoff.
        of: as for INST.

    Range: 0 to 1; a total and a depth may be greater. Always defined.
    Unjudged: gain nothing. Ties: not linear, ranks are taken as they are.
    Elsewhere: ir_measures 0.4.3, by way of cwl-eval, takes tied documents in the order of the run. cwl-eval 1.0.12
    prints the rate as EU, the total as ETU and the depth as ED.
    Source: Azzopardi, Mackenzie, Moffat (2021), ERR is not C/W/L (equation 9), https://doi.org/10.1145/3471158.3472239

    >>> import rankworth
    >>> rankworth.score([0, 1], "NERR9@3")  # V = 1, 1/2, 0; 1/2 * 1 / (1 + 1/2)
    0.3333333333333333
    """
    judged, depth, gain = gains_down_to(judged, ranks, rel, max_grade, min_grade)
    return stopping(judged, gain, gain, lambda rank: 1 / rank, depth, of=of)


@measure("NERR10", ordered=True, monotone=True)
def nearly_err_10(
    judged: Judged,
    *,
    rel: float = 1,
    p: Probability = 0.9,
    max_grade: Positive | None = None,
    min_grade: Natural = 0,
    ranks: Ranks = 1000,
    of: Reported = "rate",
) -> Terms:
    """RBP with a reader who may also stop because a document was good.

    NERR10 = sum of W(i) gain(i), C(i) = p (1 - gain(i))

    Args:
        judged: the rankings.
        rel: the grade from which a document has gain 1, unless `max_grade` is given.
        p: the reader's persistence after a document that gained nothing.
        max_grade: as for INST.
        min_grade: as for INST.
        ranks: how many ranks a reader may look at.
        of: as for INST.

    Range: 0 to 1; a total and a depth may be greater. Always defined.
    Unjudged: gain nothing. Ties: not linear, ranks are taken as they are.
    Elsewhere: ir_measures 0.4.3, by way of cwl-eval, takes tied documents in the order of the run. cwl-eval 1.0.12
    prints the rate as EU, the total as ETU and the depth as ED.
    Source: Azzopardi, Mackenzie, Moffat (2021), ERR is not C/W/L (equation 10), https://doi.org/10.1145/3471158.3472239

    >>> import rankworth
    >>> rankworth.score([0, 1, 1], "NERR10(p=0.5)")  # V = 1, 1/2, 0; 1/2 * 1 / (1 + 1/2)
    0.3333333333333333
    """
    judged, depth, gain = gains_down_to(judged, ranks, rel, max_grade, min_grade)
    return stopping(judged, gain, gain, lambda rank: p ** (rank - 1), depth, of=of, goes_on=True)


@measure("NERR11", ordered=True, monotone=True)
def nearly_err_11(
    judged: Judged,
    *,
    rel: float = 1,
    T: Positive = 1,  # noqa: N803 - as the papers have it
    max_grade: Positive | None = None,
    min_grade: Natural = 0,
    ranks: Ranks = 1000,
    of: Reported = "rate",
) -> Terms:
    """INSQ with a reader who may also stop because a document was good.

    NERR11 = sum of W(i) gain(i), C(i) = ((i + 2T - 1) / (i + 2T))^2 (1 - gain(i))

    Args:
        judged: the rankings.
        rel: the grade from which a document has gain 1, unless `max_grade` is given.
        T: the gain that the reader hopes for.
        max_grade: as for INST.
        min_grade: as for INST.
        ranks: how many ranks a reader may look at.
        of: as for INST.

    Range: 0 to 1; a total and a depth may be greater. Always defined.
    Unjudged: gain nothing. Ties: not linear, ranks are taken as they are.
    Elsewhere: ir_measures 0.4.3, by way of cwl-eval, takes tied documents in the order of the run. cwl-eval 1.0.12
    prints the rate as EU, the total as ETU and the depth as ED.
    Source: Azzopardi, Mackenzie, Moffat (2021), ERR is not C/W/L (equation 11), https://doi.org/10.1145/3471158.3472239

    >>> import rankworth
    >>> rankworth.score([0, 1, 1], "NERR11")  # V = 1, (2/3)^2, 0; 4/9 * 1 / (1 + 4/9)
    0.30769230769230765
    """
    judged, depth, gain = gains_down_to(judged, ranks, rel, max_grade, min_grade)
    return stopping(judged, gain, gain, inverse_square(T), depth, of=of, goes_on=True)
