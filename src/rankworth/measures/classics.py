"""Precision, reciprocal rank and average precision as C/W/L has them: how far a reader goes, and what they gain.

Their rates are the measures of these names where documents are relevant or not. In cwl-eval gains may lie between.
"""

from rankworth.judged import Judged
from rankworth.measures.building_blocks import cumulative, first, inside, positive, share, total
from rankworth.measures.core import Terms, measure
from rankworth.measures.parameters import Natural, Positive, Ranks
from rankworth.measures.user_models import Reported, gains_down_to, reported, stopping


@measure("CWL_P", linear=True, monotone=True)
def reader_of_k(
    judged: Judged,
    *,
    rel: float = 1,
    max_grade: Positive | None = None,
    min_grade: Natural = 0,
    ranks: Ranks = 1000,
    of: Reported = "rate",
) -> Terms:
    """The gain per document of a reader who looks at k documents: precision, also of graded documents.

    CWL_P@k = (gains at ranks 1 to k) / k

    Args:
        judged: the rankings.
        rel: the grade from which a document has gain 1, unless `max_grade` is given.
        max_grade: as for INST.
        min_grade: as for INST.
        ranks: how many ranks a reader may look at; k where there is no cutoff.
        of: as for INST; the depth is k.

    Range: 0 to 1; a total and a depth may be greater. Always defined.
    Unjudged: gain nothing. Ties: linear.
    Elsewhere: cwl-eval 1.0.12 prints the rate as EU of P@k, the total as its ETU and the depth as its ED.
    Source: Moffat, Bailey, Scholer, Thomas (2017), Incorporating user expectations and behavior into the measurement of
    search effectiveness, https://doi.org/10.1145/3052768

    >>> import rankworth
    >>> rankworth.score([1, 0, 2], "CWL_P(max_grade=2)@3")  # (1/2 + 0 + 2/2) / 3
    0.5
    """
    judged, depth, gain = gains_down_to(judged, ranks, rel, max_grade, min_grade)
    return reported(of, judged, Terms(gain=gain, weight=inside(judged), norm=float(depth)))


@measure("CWL_RR", ordered=True)
def reader_of_the_first(
    judged: Judged,
    *,
    rel: float = 1,
    max_grade: Positive | None = None,
    min_grade: Natural = 0,
    ranks: Ranks = 1000,
    of: Reported = "rate",
) -> Terms:
    """The gain per document of a reader who stops at the first document with a gain: the reciprocal rank times it.

    CWL_RR = gain(r) / r, where r = the rank of the first document with a gain; 0 if there is none

    Args:
        judged: the rankings.
        rel: the grade from which a document has gain 1, unless `max_grade` is given.
        max_grade: as for INST.
        min_grade: as for INST.
        ranks: how many ranks a reader may look at.
        of: as for INST; the depth is r, or the number of ranks where there is no gain.

    Range: 0 to 1; a total and a depth may be greater. Always defined.
    Unjudged: gain nothing. Ties: not linear, ranks are taken as they are.
    Elsewhere: cwl-eval 1.0.12 prints the rate as EU of RR, the total as its ETU and the depth as its ED.
    Source: Moffat, Bailey, Scholer, Thomas (2017), Incorporating user expectations and behavior into the measurement of
    search effectiveness, https://doi.org/10.1145/3052768

    >>> import rankworth
    >>> rankworth.score([0, 1, 2], "CWL_RR(max_grade=2)")  # 1/2 / 2
    0.25
    """
    judged, depth, gain = gains_down_to(judged, ranks, rel, max_grade, min_grade)
    return stopping(judged, gain, first(positive(gain)), lambda _: 1.0, depth, of=of)


@measure("CWL_AP")
def reader_of_the_retrieved(
    judged: Judged,
    *,
    rel: float = 1,
    max_grade: Positive | None = None,
    min_grade: Natural = 0,
    ranks: Ranks = 1000,
    of: Reported = "rate",
) -> Terms:
    """The gain per document of a reader who stops at a document with a gain, the more likely the earlier it stands.

    CWL_AP = (sum of gain(i) / i * (gains at ranks 1 to i)) / (all gains), where readers stop at rank i in proportion to
    gain(i) / i; with gains of 0 and 1 it is AP(norm=found)

    Args:
        judged: the rankings.
        rel: the grade from which a document has gain 1, unless `max_grade` is given.
        max_grade: as for INST.
        min_grade: as for INST.
        ranks: how many ranks a reader may look at.
        of: as for INST; the depth is (all gains) / (sum of gain(i) / i), and 1 where there is no gain.

    Range: 0 to 1; a total and a depth may be greater. Rate and total are undefined if nothing was gained.
    Unjudged: gain nothing. Ties: not linear, ranks are taken as they are.
    Elsewhere: cwl-eval 1.0.12 prints the rate as EU of AP, the total as its ETU and the depth as its ED. Its manual has
    the number of all relevant documents in the place of those that were found, which is its TrAP.
    Source: Moffat, Bailey, Scholer, Thomas (2017), Incorporating user expectations and behavior into the measurement of
    search effectiveness, https://doi.org/10.1145/3052768

    >>> import rankworth
    >>> rankworth.score([1, 0, 2], "CWL_AP(max_grade=2)")  # (1/2 / 1 * 1/2 + 2/2 / 3 * 3/2) / (1/2 + 2/2)
    0.5
    """
    judged, _, gain = gains_down_to(judged, ranks, rel, max_grade, min_grade)
    looked = total(gain)
    stops = total(gain / judged.rank)
    if of == "depth":
        return Terms(gain=0 * gain, rest=share(looked, stops, otherwise=1.0))
    return Terms(gain=gain, weight=cumulative(gain), discount=judged.rank, norm=looked if of == "rate" else stops)


@measure("CWL_TrAP", ordered=True)
def reader_of_the_relevant(
    judged: Judged,
    *,
    rel: float = 1,
    max_grade: Positive | None = None,
    min_grade: Natural = 0,
    ranks: Ranks = 1000,
    of: Reported = "rate",
) -> Terms:
    """The gain at every document with a gain times the rate of gains down to it, over the relevant documents.

    CWL_TrAP = 1/R sum of gain(i) * (gains at ranks 1 to i) / i, where R = number of documents with a gain in the
    judgements; with gains of 0 and 1 it is AP

    Args:
        judged: the rankings.
        rel: the grade from which a document has gain 1, unless `max_grade` is given.
        max_grade: as for INST.
        min_grade: as for INST.
        ranks: how many ranks a reader may look at.
        of: as for INST, where the weight of rank 1 is 1; the depth is R / gain(1), and R where rank 1 gains nothing, or
            1 where R is 0.

    Range: 0 to 1; a total and a depth may be greater. Rate and total are undefined if no document has a gain.
    Unjudged: gain nothing. Ties: not linear, ranks are taken as they are.
    Elsewhere: cwl-eval 1.0.12 prints the rate as EU of TrAP, the total as its ETU and the depth as its ED. The
    weights are not those of a reader: they may grow from one rank to the next.
    Source: Moffat, Bailey, Scholer, Thomas (2017), Incorporating user expectations and behavior into the measurement of
    search effectiveness, https://doi.org/10.1145/3052768

    >>> import rankworth
    >>> rankworth.score([1, 0, 1], "CWL_TrAP", missing=[1, 1])  # (1/1 + 2/3) / 4
    0.41666666666666663
    """
    judged, _, gain = gains_down_to(judged, ranks, rel, max_grade, min_grade)
    n_relevant = judged.n_relevant(rel) if max_grade is None else judged.n_above(min_grade)
    at_first = total(gain * positive(2 - judged.rank))
    depth = share(n_relevant, at_first + 1 - positive(at_first))
    depth = depth + 1 - positive(n_relevant)
    if of == "depth":
        return Terms(gain=0 * gain, rest=depth)
    rate = Terms(gain=gain, weight=cumulative(gain), discount=judged.rank, norm=n_relevant)
    return rate if of == "rate" else rate._replace(norm=share(n_relevant, depth))
